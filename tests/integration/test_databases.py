# SPDX-License-Identifier: MIT
"""Tests traces in PostgreSQL and MariaDB, on servers that the test starts: the content is that of a query, and exists
once however often it is loaded; all of it or nothing; and each failure is one sentence without a password."""
import json
import pathlib
import subprocess

from database_servers import MariaDB, PostgreSQL, find, server
from support import BUILD, COROTRACER, check, folder, run, skip

TRACE = rb"""trace run=00112233445566778899aabbccddeeff host=build-7 from=0 until=2s epoch_monotonic=5000000000
process 1 pid=100 program=/bin/server command="server \"-x\", y" probe ledger
thread 1 process=1 tid=101 name="work\ter \"0\"\nbelow \xff"
site 1 process=1 kind=source file="/src/a\\b.cpp" line=40 function="caf\xc3\xa9's <int, char>(int)"
site 2 process=1 kind=source reason="\\N"
end 1 exited 0 at=2s
1ms    t1 create c1 0x11010 @1
1.1ms  t1 frame c1 0x11000 @1
1.2ms  t1 resume c1
1.3ms  t1 counter c1 17 @2
1.5ms  t1 suspend c1 descriptor:7.3 @1 point=await
4.1ms  t1 descriptor-io c-11 descriptor:8.1 argument=1
4.2ms  t1 wake c0 coroutine:1 outcome=queued
4.5ms  t1 resume c1
4.6ms  t1 suspend c1
4.7ms  t1 resume c9223372036854775000
"""
SUMS = ["SELECT count(*), sum(time_ns), min(event), max(event) FROM events",
        "SELECT kind, count(*), sum(coroutine), sum(value) FROM events GROUP BY kind ORDER BY kind",
        "SELECT state, count(*), sum(duration_ns) FROM states GROUP BY state ORDER BY state",
        "SELECT count(*), sum(duration_ns) FROM waits", "SELECT count(*), sum(nr_resumes) FROM coroutines",
        "SELECT count(*), sum(coroutine) FROM wakes", "SELECT count(*), sum(line) FROM sites", "SELECT count(*) FROM findings",
        "SELECT count(*), sum(nr_coroutines) FROM findings", "SELECT nr_events, nr_lost, host FROM trace"]


def export(form, address, trace, *more, status=0, **options):
    said = run(COROTRACER, "export", "--format", form, "-o", address, *more, trace, status=status, **options)
    check(status is None or status or said.stdout == said.stderr == "", f"{form} says {said}")
    return said


def plain(rows):
    """Returns rows in a form common to both databases: as words, whatever the type."""
    return [[("" if cell in (None, "NULL") else str(cell)) for cell in row] for row in rows]


def queried(trace, sql):
    told = json.loads(run(COROTRACER, "query", "--format", "json", trace, sql).stdout)
    return plain([row.values() if isinstance(row, dict) else row for row in (told["rows"] if isinstance(told, dict) else told)])


def told_by(database, sql, name="coro_tracer"):
    separator = "|" if isinstance(database, PostgreSQL) else "\t"
    return plain(line.split(separator) for line in database.ask(sql, name).splitlines())


def check_sums(database, trace):
    for sql in SUMS:
        seen, told = told_by(database, sql), queried(trace, sql)
        check(seen == told, f"{type(database).__name__}: {sql}: {seen}, not {told}")


def check_hostile(database):
    """Quotes, tabs, newlines, backslashes and bytes that are not UTF-8 arrive unchanged."""
    sql = "SELECT CASE WHEN {} THEN 1 ELSE 0 END FROM {}"
    newline, tab = ("chr(10)", "chr(9)") if isinstance(database, PostgreSQL) else ("char(10)", "char(9)")
    backslash = "chr(92)" if isinstance(database, PostgreSQL) else "char(92)"
    for condition, table in ((f"name = concat('work', {tab}, 'er \"0\"', {newline}, 'below \ufffd')", "threads"),
                             (f"file = concat('/src/a', {backslash}, 'b.cpp') OR site > 1", "sites"),
                             ("function = 'caf\u00e9''s <int, char>(int)' OR site > 1", "sites"),
                             (f"reason = concat({backslash}, 'N') OR site = 1", "sites")):
        seen = set(database.ask(sql.format(condition, table)).splitlines())
        check(seen == {"1"}, f"{type(database).__name__}: not true: {condition}")


def check_loads(database, form, trace, real):
    """Two runs exist side by side; a run that is loaded again exists once."""
    export(form, database.address(), trace)
    check_sums(database, trace)
    check_hostile(database)
    export(form, database.address(), trace)
    check_sums(database, trace)
    export(form, database.address(), real)
    export(form, database.address(), real)
    runs = told_by(database, "SELECT run, count(*) FROM events GROUP BY run ORDER BY run")
    told = sorted(queried(one, "SELECT run, (SELECT count(*) FROM events) FROM trace")[0] for one in (trace, real))
    check(runs == told, f"{form}: {runs}, not {told}")


def check_parts(database, form, trace):
    """A part has the same rows in every database, and says how many are missing."""
    for words, where in ((["--kind", "suspend,wake"], "kind IN ('suspend', 'wake')"),
                         (["--from", "1.2ms", "--to", "4.5ms"], "time_ns >= 1200000 AND time_ns < 4500000")):
        said = export(form, database.address(database="part"), trace, *words, status=None)
        check(said.returncode == 0 and "left out, as was asked for" in said.stderr, f"{said}")
        seen = told_by(database, "SELECT event, kind FROM events ORDER BY event", "part")
        told = queried(trace, f"SELECT event, kind FROM events WHERE {where} ORDER BY event")
        check(seen == told, f"{form}, {words}: {seen}, not {told}")


def check_tables(database, form, trace):
    """The named tables are exported, and those to which they refer."""
    export(form, database.address(database="some"), trace, "--table", "waits", "--table", "tasks")
    there = told_by(database, f"SELECT table_name FROM information_schema.tables WHERE table_schema = "
                    f"{'current_schema()' if form == 'postgresql' else 'DATABASE()'}", "some")
    wanted = {"states", "waits", "runs", "delays", "tasks", "trace", "processes", "threads", "sites"}
    check({one for one, in there} == wanted, f"{form}, some tables: {there}")
    check(told_by(database, SUMS[3], "some") == queried(trace, SUMS[3]), f"{form}: waits alone")


def one_sentence(said, *words):
    check(said.returncode and said.stderr.count("\n") == 1 and "secret" not in said.stderr, f"{said}")
    for word in words:
        check(word in said.stderr, f"'{word}' is not in: {said.stderr}")


def check_shapes(database, form, trace):
    """A table of another shape is refused with the difference, and nothing of the run is stored."""
    name = "another"
    export(form, database.address(database=name), trace)
    database.ask("ALTER TABLE wakes ADD COLUMN extra bigint", name)
    database.ask("DELETE FROM trace", name)
    one_sentence(export(form, database.address(database=name), trace, status=None), "wakes", "another shape", "a further column extra")
    database.ask("ALTER TABLE wakes DROP COLUMN extra", name)
    database.ask("ALTER TABLE tasks DROP COLUMN name", name)
    one_sentence(export(form, database.address(database=name), trace, status=None), "tasks", "and not name")
    check(database.ask("SELECT count(*) FROM trace", name) == "0", f"{form}: a refused load left a row")


def check_names(database, form, trace):
    odd = "odd \"`' name; DROP TABLE events"
    export(form, database.address(), trace, "--events-table", odd)
    quoted = '"' + odd.replace('"', '""') + '"' if form == "postgresql" else "`" + odd.replace("`", "``") + "`"
    check(int(database.ask(f"SELECT count(*) FROM {quoted}")) == 10, f"{form}: an odd name")
    for wrong in ("x" * 70, "a\nb"):
        one_sentence(export(form, database.address(), trace, "--events-table", wrong, status=None), "a name in a database has 1 to")


def check_killed(database, form, real):
    """Ended in the middle, the export leaves nothing, or everything."""
    run_id = queried(real, "SELECT run FROM trace")[0][0]
    database.ask(f"DELETE FROM events WHERE run = '{run_id}'")
    database.ask(f"DELETE FROM trace WHERE run = '{run_id}'")
    before = database.ask("SELECT count(*) FROM events")
    going = subprocess.Popen([COROTRACER, "export", "--format", form, "-o", database.address(), str(real)])
    going.kill()
    going.wait()
    nr_events = queried(real, "SELECT count(*) FROM events")[0][0]
    # The server notices the end of its client only when it reads on.
    export(form, database.address(), real)
    after = database.ask("SELECT count(*) FROM events")
    check(int(after) == int(before) + int(nr_events), f"{form}: {before} rows, then {after}, with {nr_events} more")


def check_troubles(database, form, trace):
    address = database.address()
    user, rest = address.split("@")
    wrong = user.rsplit("/", 1)[0] + "/locked:secret@" + rest
    one_sentence(export(form, wrong, trace, status=None))
    one_sentence(export(form, "nonsense://u:secret@host/x?y", trace, status=None), "no address of")
    one_sentence(export(form, f"{form}://u:secret@127.0.0.1:1/x", trace, status=None), "loading into")
    one_sentence(export(form, f"{form}://u:secret@127.0.0.1:port/x", trace, status=None))


def check_missing(database, form, trace):
    """A database that does not exist, and a user who may not create it."""
    creating = "CREATE ROLE poor LOGIN" if form == "postgresql" else "CREATE USER poor@'127.0.0.1'"
    database.ask(creating)
    said = export(form, database.address(user="poor", database="nowhere"), trace, status=None)
    one_sentence(said, "loading into", "nowhere" if form == "mysql" else "permission denied")


def check_older(database, form, trace, words):
    """Six columns after a number, and nothing else, if the older spelling asks for them."""
    said = run(BUILD / "coroTracer", "-export", form, "-in", trace, "-db-host", "127.0.0.1", "-db-port", database.port, *words)
    check(said.stdout == said.stderr == "", f"{said}")
    rows = told_by(database, "SELECT probe_id, tid, addr, seq, ts FROM coro_trace_events ORDER BY id", "older")
    check(len(rows) == 5 and rows[0] == ["1", "101", "0x0000000000000000", "1", "5001200000"], f"{form}: {rows}")
    columns = told_by(database, "SELECT column_name FROM information_schema.columns WHERE table_name = 'coro_trace_events' "
                                "ORDER BY ordinal_position", "older")
    check([one for one, in columns] == ["id", "probe_id", "tid", "addr", "seq", "is_active", "ts"], f"{form}: {columns}")


OLDER_TABLES = {
    # Tables as the older program made them, and one with a column that somebody has added.
    "postgres": "CREATE TABLE coro_trace_events (id BIGSERIAL PRIMARY KEY, probe_id NUMERIC(20,0) NOT NULL, "
                "tid NUMERIC(20,0) NOT NULL, addr VARCHAR(32) NOT NULL, seq NUMERIC(20,0) NOT NULL, is_active BOOLEAN NOT NULL, "
                "ts NUMERIC(20,0) NOT NULL, added TIMESTAMPTZ DEFAULT now())",
    "mysql": "CREATE TABLE coro_trace_events (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, probe_id DECIMAL(20,0) "
             "NOT NULL, seq DECIMAL(20,0) NOT NULL, tid DECIMAL(20,0) NOT NULL, addr VARCHAR(32) NOT NULL, "
             "is_active TINYINT(1) NOT NULL, ts BIGINT UNSIGNED NOT NULL, added TIMESTAMP DEFAULT CURRENT_TIMESTAMP)"}


def check_older_table(database, form, trace, words):
    """Rows are added to a table of the older program, whatever the order and the types of its columns, if these can
    hold the rows. If no server is named, this machine's is used, by its port."""
    values = "(7, 8, '0x0000000000000009', 10, true, 11)"
    database.ask("DROP TABLE coro_trace_events", "older")
    database.ask(OLDER_TABLES[form], "older")
    database.ask(f"INSERT INTO coro_trace_events (probe_id, tid, addr, seq, is_active, ts) VALUES {values}", "older")

    def export_again():
        return run(BUILD / "coroTracer", "-export", form, "-in", trace, "-db-port", database.port, *words, status=None)

    said = export_again()
    check(said.returncode == 0 and said.stderr == "", f"{form}: {said}")
    rows = told_by(database, "SELECT probe_id, tid, addr, seq, ts FROM coro_trace_events ORDER BY id", "older")
    check(len(rows) == 6 and rows[0] == ["7", "8", "0x0000000000000009", "10", "11"]
          and rows[1] == ["1", "101", "0x0000000000000000", "1", "5001200000"], f"{form}: {rows}")
    double = "DOUBLE PRECISION" if form == "postgres" else "DOUBLE"
    for change, words_of in ((f"ALTER TABLE coro_trace_events ADD ts2 {double}", None),
                             ("ALTER TABLE coro_trace_events DROP COLUMN ts", "it has no column ts"),
                             (f"ALTER TABLE coro_trace_events ADD ts {double}", "its column ts is double")):
        database.ask(change, "older")
        said = export_again()
        if words_of:
            one_sentence(said, "of another shape", words_of)
        else:
            check(said.returncode == 0, f"{form}: {said}")
    check(database.ask("SELECT count(*) FROM coro_trace_events", "older") == "11", f"{form}: a refused load left rows")


def check_server(database, form, trace, real, older):
    check_loads(database, form, trace, real)
    check_parts(database, form, trace)
    check_tables(database, form, trace)
    check_shapes(database, form, trace)
    check_names(database, form, trace)
    check_killed(database, form, real)
    check_troubles(database, form, trace)
    check_missing(database, form, trace)
    check_older(database, older[0], trace, older[1:])
    check_older_table(database, older[0], trace, older[1:])


def is_built(form, trace):
    said = export(form, f"{form}://nobody@127.0.0.1:1/x", trace, status=None)
    return "this build is without" not in said.stderr


def main():
    done = []
    with folder() as name:
        place = pathlib.Path(name)
        trace, real = place / "hand.txt", place / "real.ctrace"
        trace.write_bytes(TRACE)
        run(COROTRACER, "run", "-o", real, "--", BUILD / "tests/targets/crowd", "2000")
        for form, kind, program, older in (
                ("postgresql", PostgreSQL, "initdb", ["postgres", "-db-user", "tester", "-db-name", "older"]),
                ("mysql", MariaDB, "mariadbd", ["mysql", "-db-user", "root", "-db-name", "older"])):
            if find(program) and is_built(form, trace):
                with server(kind, place / form) as database:
                    check_server(database, form, trace, real, older)
                done.append(form)
    print(f"loaded into: {', '.join(done)}")
    if not done:
        skip("no server of PostgreSQL or MariaDB is installed, or no library of theirs is in this build")


main()
