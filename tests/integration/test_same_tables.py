# SPDX-License-Identifier: MIT
"""Tests that every form gives the same answer: the tables of a query, with their columns, rows and sums, are those of
SQLite, CSV, Parquet, Arrow, PostgreSQL and MariaDB; and every question of the cookbook has the same answer in SQLite,
DuckDB and PostgreSQL."""
import csv
import io
import json
import pathlib
import re
import sqlite3
import subprocess

from columnar_reader import need_packages
from database_servers import MariaDB, PostgreSQL, find, server
from support import BUILD, COROTRACER, SOURCE, check, folder, run

need_packages(__file__)
import duckdb  # noqa: E402
import pyarrow.ipc  # noqa: E402
import pyarrow.parquet  # noqa: E402

csv.field_size_limit(1 << 30)

# Hostile names, numbers at the ends of their ranges, and rows in tables that few programs fill.
TRACE = b"""trace run=00112233445566778899aabbccddeeff host=build-7 from=0 until=2s epoch_monotonic=5000000000 epoch_realtime=1700000000000000000
process 1 pid=100 program=/bin/server command="server \\"-x\\", y" probe ledger
thread 1 process=1 tid=101 name="work\\ter \\"0\\"\\nbelow \\xff"
thread 2 process=1 tid=102 name="=1+1"
site 1 process=1 kind=source file="/src/a\\\\b.cpp" line=40 function="caf\\xc3\\xa9's <int, char>(int)"
site 2 process=1 kind=source reason="it's; DROP TABLE \\"x\\""
end 1 exited 0 at=2s
1ms    t1 create c1 0x11010 @1
1.2ms  t1 resume c1
1.31ms t1 counter c1 -9223372036854775807 @2
1.32ms t1 counter c1 17 @2
1.33ms t1 switch c1 coroutine:3 @1
1.34ms t1 switch c3 coroutine:1 @1
1.5ms  t1 suspend c1 descriptor:7.3 @1 point=await
4.1ms  t1 descriptor-io c-11 descriptor:8.1 argument=1
4.2ms  t1 wake c0 coroutine:1 outcome=queued
4.5ms  t1 resume c1
4.6ms  t1 suspend c1
4.7ms  t1 resume c9223372036854775000
"""


def tables_of_list():
    """Returns {table: [(column, type)]} of view.def; parts of tables have their own names."""
    tables, parts = {}, {}
    for line in (SOURCE / "include/corotracer/def/view.def").read_text(encoding="utf-8").splitlines():
        if made := re.match(r'TABLE\((\w+), \w+, "(\w+)"', line):
            table = tables[made[2]] = []
            parts[made[1]] = table
        elif made := re.match(r'COLUMN\(\w+, \w+, "(\w+)", (\w+)', line):
            table.append((made[1], made[2]))
        elif made := re.match(r'PART\(\w+, (\w+), \w+, \w+, "(\w+)"', line):
            tables[made[2]] = parts[made[1]]
    check(len(tables) > 20, f"view.def was not understood: {list(tables)}")
    return tables


TABLES = tables_of_list()
PARTS = {"waits", "runs", "delays"}
NUMBERS = {"BOOLEAN", "NUMBER", "TIME", "NANOSECONDS", "EVENT", "REFERENCE", "PROCESS", "THREAD", "SITE", "COROUTINE", "TASK"}


def names(table):
    return [name for name, _ in TABLES[table]]


def quoted(words, mark='"'):
    return ", ".join(mark + word + mark for word in words)


def asked(trace, sql):
    return [tuple(row.values()) for row in json.loads(run(COROTRACER, "query", "--format", "json", trace, sql, timeout=600).stdout)]


def told_by_query(trace):
    """Returns {table: rows}."""
    return {table: asked(trace, f"SELECT {quoted(names(table))} FROM {table}") for table in TABLES}


def export(form, output, trace, *tables):
    run(COROTRACER, "export", "--format", form, "-o", output, *(word for table in tables for word in ("--table", table)), trace)
    return output


def check_rows(whose, table, columns, rows, told):
    check(columns == names(table), f"{whose}: {table} has the columns {columns}")
    check(len(rows) == len(told), f"{whose}: {table} has {len(rows)} rows, not {len(told)}")
    for number, (mine, theirs) in enumerate(zip(rows, told)):
        check(mine == theirs, f"{whose}: {table}, row {number}: {mine}, not {theirs}")


# ---------------------------------------------------------------- files

def check_sqlite(path, told):
    with sqlite3.connect(path) as database:
        there = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'packed_%'")}
        check(there == {*TABLES, "coro_trace_events"}, f"SQLite has {there}")
        for table, rows in told.items():
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            if table == "events":
                check(set(names(table)) <= set(columns), f"SQLite: events has {columns}")
                columns = names(table)
            check_rows("SQLite", table, columns, database.execute(f"SELECT {quoted(columns)} FROM {table}").fetchall(), rows)


def csv_cell(cell, kind):
    if cell is None:
        return ""
    if kind == "BOOLEAN":
        return "true" if cell else "false"
    is_formula = kind == "TEXT" and cell[0] in "=+-@\t\r"
    return f"'{cell}" if is_formula else str(cell)


def check_csv(trace, told):
    for table, rows in told.items():
        said = subprocess.run([COROTRACER, "export", "--format", "csv", "--table", table, "-o", "-", trace], check=True,
                              capture_output=True).stdout.decode()
        heading, *read = csv.reader(io.StringIO(said, newline=""))
        if table == "events":
            read = [[row[heading.index(name)] for name in names(table)] for row in read]
            heading = names(table)
        wanted = [[csv_cell(cell, kind) for cell, (_, kind) in zip(row, TABLES[table])] for row in rows]
        if table == "events":  # words of events begin unlike a formula
            read = [[cell.removeprefix("'") for cell in row] for row in read]
            wanted = [[cell.removeprefix("'") for cell in row] for row in wanted]
        check_rows("CSV", table, heading, read, wanted)


def unsigned(row, table):
    """In a query, ids of 2^63 and more are negative numbers with the same bits."""
    return tuple(cell + 2**64 if kind in ("COROUTINE", "TASK") and cell is not None and cell < 0 else cell
                 for cell, (_, kind) in zip(row, TABLES[table]))


def check_columns(whose, table, read, rows):
    columns = [name for name in read.column_names if not name.endswith("_at")]
    cells = list(zip(*(read[name].to_pylist() for name in columns)))
    check_rows(whose, table, columns, cells, [unsigned(row, table) for row in rows])


def check_columnar(trace, path, told):
    there = {one.stem for one in path.iterdir()}
    check(there == set(TABLES) - PARTS, f"Parquet has {there}")
    for table, rows in told.items():
        if table not in PARTS:
            check_columns("Parquet", table, pyarrow.parquet.read_table(path / f"{table}.parquet"), rows)
        stream = subprocess.run([COROTRACER, "export", "--format", "arrow", "--table", table, "-o", "-", trace], check=True,
                                capture_output=True).stdout
        check_columns("Arrow", table, pyarrow.ipc.open_stream(stream).read_all(), rows)


# ---------------------------------------------------------------- servers

def sums_of(rows, table):
    """Returns the number of rows, and for each column the number of cells that are not empty and their sum, or the
    length of the words."""
    sums = [len(rows)]
    for place, (_, kind) in enumerate(TABLES[table]):
        cells = [row[place] for row in rows if row[place] is not None]
        sums += [len(cells), sum(cells if kind in NUMBERS else map(len, cells))]
    return sums


def sums_asked(table, mark):
    parts = ["count(*)"]
    for name, kind in TABLES[table]:
        cell = mark + name + mark
        value = f"CASE WHEN {cell} THEN 1 ELSE 0 END" if kind == "BOOLEAN" else cell if kind in NUMBERS else f"char_length({cell})"
        parts += [f"count({cell})", f"coalesce(sum({value}), 0)"]
    return f"SELECT {', '.join(parts)} FROM {table}"


def check_server(database, told):
    whose, is_postgresql = type(database).__name__, isinstance(database, PostgreSQL)
    schema, mark, between = ("current_schema()", '"', "|") if is_postgresql else ("DATABASE()", "`", "\t")
    there = set(database.ask(f"SELECT table_name FROM information_schema.tables WHERE table_schema = {schema}").splitlines())
    check(there == set(TABLES), f"{whose} has {there}")
    for table, rows in told.items():
        columns = database.ask(f"SELECT column_name FROM information_schema.columns WHERE table_schema = {schema} AND "
                               f"table_name = '{table}' ORDER BY ordinal_position").splitlines()
        wanted = names(table) if table == "trace" else ["run", *names(table)]
        check(columns == wanted, f"{whose}: {table} has the columns {columns}")
        seen = [int(cell) for cell in database.ask(sums_asked(table, mark)).split(between)]
        check(seen == sums_of(rows, table), f"{whose}: sums of {table} are {seen}, not {sums_of(rows, table)}")


# ---------------------------------------------------------------- the cookbook

def questions():
    text = (SOURCE / "docs/query.md").read_text(encoding="utf-8")
    found = re.findall(r"^\d+\. (.*?)\n\n```sql\n(.*?);\n```", text, re.MULTILINE | re.DOTALL)
    check(len(found) >= 25, f"the cookbook has only {len(found)} questions")
    return found


def comparable(sql):
    """Returns the question without parts that differ between databases: percentiles, durations in words, the order of
    equal rows."""
    sql = re.sub(r"\bp\d+\(", "max(", re.sub(r"\bduration\(", "(", sql))
    return re.sub(r" LIMIT \d+$", "", sql)


def joined(table, trace):
    """Says how the columns of a query that the table itself lacks are found through the rows to which its rows
    refer."""
    own, found = names(table), {}
    for name, in asked(trace, f"SELECT name FROM pragma_table_info('{table}')"):
        for ending, key, of in (("place", "site", "sites"), ("function", "site", "sites"), ("file", "site", "sites"),
                                ("line", "site", "sites"), ("reason", "site", "sites"), ("thread_name", "thread", "threads"),
                                ("tid", "thread", "threads"), ("pid", "process", "processes")):
            whose = name.removesuffix(ending) + key
            if name not in own and name.endswith(ending) and whose in own:
                cell = "name" if ending == "thread_name" else ending
                found[name] = f"(SELECT o.{cell} FROM {{before}}{of} o WHERE o.{key} = t.{whose})"
                break
        if name == "ts":
            found[name] = "t.time_ns + (SELECT epoch_monotonic_ns FROM {before}trace)"
    return found


def view_of(table, trace, before):
    """All columns of a query's table, over the tables that the database has under the prefix `before`."""
    made = "".join(f", {cell.format(before=before)} AS {name}" for name, cell in joined(table, trace).items())
    return f"SELECT {', '.join('t.' + name for name in names(table))}{made} FROM {before}{table} t"


class Percentile:
    """Replaces SQLite's percentiles: returns the upper median of the cells, whatever percentile is asked for."""

    def __init__(self):
        self.cells = []

    def step(self, cell):
        self.cells += [] if cell is None else [cell]

    def finalize(self):
        return sorted(self.cells)[len(self.cells) // 2] if self.cells else None


def ask_sqlite(path, trace):
    database = sqlite3.connect(path)
    for share in ("p50", "p90", "p99"):
        database.create_aggregate(share, 1, Percentile)
    database.create_function("duration", 1, str)
    for table in TABLES:
        database.execute(f"CREATE TEMP VIEW {table} AS {view_of(table, trace, 'main.')}")
    return lambda sql: database.execute(sql).fetchall()


def ask_duckdb(path, trace):
    database = duckdb.connect()
    database.execute("CREATE SCHEMA files")
    for table in TABLES:
        state = {"waits": "waiting", "runs": "running", "delays": "ready"}.get(table)
        rows = f"SELECT * FROM '{path}/states.parquet' WHERE state = '{state}'" if state else f"SELECT * FROM '{path}/{table}.parquet'"
        database.execute(f"CREATE VIEW files.{table} AS {rows}")
    for table in TABLES:
        database.execute(f"CREATE VIEW {table} AS {view_of(table, trace, 'files.')}")
    for share in (50, 90, 99):
        database.execute(f"CREATE MACRO p{share}(x) AS quantile_disc(x, {share / 100})")
    database.execute("CREATE MACRO duration(x) AS x::VARCHAR")
    return lambda sql: database.execute(sql).fetchall()


def ask_postgresql(database, trace):
    parts = ["CREATE SCHEMA asked", "CREATE FUNCTION asked.middle(bigint[]) RETURNS bigint LANGUAGE sql AS "
             "'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM unnest($1) x'",
             "CREATE FUNCTION asked.duration(numeric) RETURNS text LANGUAGE sql AS 'SELECT $1::text'"]
    parts += [f"CREATE AGGREGATE asked.p{share} (bigint) (sfunc = array_append, stype = bigint[], finalfunc = asked.middle, "
              "initcond = '{}')" for share in (50, 90, 99)]
    parts += [f"CREATE VIEW asked.{table} AS {view_of(table, trace, 'public.')}" for table in TABLES]
    database.ask("; ".join(parts))

    def ask(sql):
        told = database.ask(f"SET search_path = asked; SELECT coalesce(json_agg(row_to_json(x)), '[]') FROM ({sql}) x")
        return [tuple(row.values()) for row in json.loads(told.removeprefix("SET\n"))]
    return ask


def plain(rows):
    """Returns rows in a fixed order; numbers have the same spelling for all databases."""
    return sorted(str([float(cell) if isinstance(cell, (int, float)) or hasattr(cell, "as_tuple") else cell for cell in row])
                  for row in rows)


def check_cookbook(trace, doors):
    nr_rows = 0
    for question, sql in questions():
        told, exact = asked(trace, sql), plain(asked(trace, comparable(sql)))
        nr_rows += len(told)
        for name, ask in doors.items():
            try:
                mine, same = ask(sql), plain(ask(comparable(sql)))
            except Exception as error:  # any exception of the database's library
                check(False, f"{name} does not understand '{question}': {error}")
            check(len(mine) == len(told), f"{name} has {len(mine)} rows of '{question}', a query {len(told)}")
            check(same == exact, f"{name} answers '{question}' with\n{same[:5]}\nand a query with\n{exact[:5]}")
    check(nr_rows > 100, f"the questions have only {nr_rows} rows")


# ---------------------------------------------------------------- all of it

def recorded(place):
    """Programs that fill many tables."""
    programs = {"server": [BUILD / "examples/example-tcp-server-fault-a", "--self-load", "12:9", "--exit-after-idle", "0.5"],
                "serve": [BUILD / "tests/targets/annotated", "serve", "20"]}
    for name, words in programs.items():
        run(COROTRACER, "run", "-o", place / f"{name}.ctrace", "--", *words, status=None)
    (place / "hand.txt").write_bytes(TRACE)
    return [place / "hand.txt", *(place / f"{name}.ctrace" for name in programs)]


def check_trace(place, trace, started):
    told = told_by_query(trace)
    database = export("sqlite", place / f"{trace.stem}.sqlite", trace)
    files = export("parquet", place / f"{trace.stem}.parquet", trace)
    doors = {"SQLite": ask_sqlite(database, trace), "DuckDB": ask_duckdb(files, trace)}
    check_sqlite(database, told)
    check_csv(trace, told)
    check_columnar(trace, files, told)
    for kind, form in ((PostgreSQL, "postgresql"), (MariaDB, "mysql")):
        if kind not in started:
            continue
        one = started[kind]
        run(COROTRACER, "export", "--format", form, "-o", one.address(), trace)
        check_server(one, told)
        if kind is PostgreSQL:
            doors["PostgreSQL"] = ask_postgresql(one, trace)
    if trace.stem != "hand":
        check_cookbook(trace, doors)
    for kind, one in started.items():
        one.ask("DROP DATABASE coro_tracer", "postgres" if kind is PostgreSQL else "mysql")


def is_built(form, trace):
    said = run(COROTRACER, "export", "--format", form, "-o", f"{form}://nobody@127.0.0.1:1/x", trace, status=None)
    return "this build is without" not in said.stderr


def main():
    with folder() as name:
        place = pathlib.Path(name)
        traces, started, open_servers = recorded(place), {}, []
        for form, kind, program in (("postgresql", PostgreSQL, "initdb"), ("mysql", MariaDB, "mariadbd")):
            if find(program) and is_built(form, traces[0]):
                open_servers.append(server(kind, place / form))
                started[kind] = open_servers[-1].__enter__()
        try:
            for trace in traces:
                check_trace(place, trace, started)
        finally:
            for one in open_servers:
                one.__exit__(None, None, None)
        print(f"compared: SQLite, CSV, Parquet, Arrow, {', '.join(kind.__name__ for kind in started) or 'no server'}")


main()
