# SPDX-License-Identifier: MIT
"""Tests tables as columns, read by pyarrow, polars and DuckDB: every cell equals that of a query, including hostile
names and the largest numbers; and the CSV and the SQLite database have the same sums."""
import pathlib
import signal
import sqlite3
import subprocess

from columnar_reader import TABLES, check_cells, check_sums, need_packages, of_arrow, queried
from support import BUILD, COROTRACER, check, folder, run

need_packages(__file__)
import duckdb  # noqa: E402
import polars  # noqa: E402
import pyarrow.ipc  # noqa: E402
import pyarrow.parquet  # noqa: E402

EPOCH = 1700000000000000000
LONG = b"long " * 2048
TRACE = b"""trace run=00112233445566778899aabbccddeeff host=build-7 from=0 until=2s epoch_monotonic=5000000000 epoch_realtime=%d
process 1 pid=100 program=/bin/server command="server \\"-x\\", y" probe ledger
thread 1 process=1 tid=101 name="work\\ter \\"0\\"\\nbelow \\xff"
thread 2 process=1 tid=102 name="=1+1"
site 1 process=1 kind=source file="/src/a\\\\b.cpp" line=40 function="caf\\xc3\\xa9's <int, char>(int)"
site 2 process=1 kind=source reason="%s"
site 3 process=1 kind=source reason="it's; DROP TABLE \\"x\\""
end 1 exited 0 at=2s
1ms    t1 create c1 0x11010 @1
1.2ms  t1 resume c1
1.3ms  t1 counter c1 17 @2
1.31ms t1 counter c1 -9223372036854775807 @2
1.32ms t1 counter c1 9223372036854775807 @2
1.4ms  t2 counter c0 0 @3
1.5ms  t1 suspend c1 descriptor:7.3 @1 point=await
4.1ms  t1 descriptor-io c-11 descriptor:8.1 argument=1
4.2ms  t1 wake c0 coroutine:1 outcome=queued
4.5ms  t1 resume c1
4.6ms  t1 suspend c1
4.7ms  t1 resume c18446744073709551000
""" % (EPOCH, LONG)
def export(form, output, trace, *more, status=0):
    said = run(COROTRACER, "export", "--format", form, "-o", output, *more, trace, status=status)
    check(status is None or status or said.stdout == said.stderr == "", f"{form} says {said}")
    return said


def check_moments(read, name, epoch):
    for column in [column for column in read if column.endswith("_at")]:
        times = read[column[:-3] + "_ns"]
        told = [time + epoch if epoch and time is not None else None for time in times]
        check(read[column] == told, f"{name}.{column}: {read[column][:9]}, not {told[:9]}")


def of_polars(frame):
    return {name: (frame[name].to_physical() if name.endswith("_at") else frame[name]).to_list() for name in frame.columns}


def check_by_hand(place):
    """Compares every cell of every table, with two readers."""
    trace, output = place / "hand.txt", place / "hand.parquet"
    trace.write_bytes(TRACE)
    export("parquet", output, trace)
    check(sorted(path.stem for path in output.iterdir()) == sorted(TABLES), f"files: {sorted(output.iterdir())}")
    for name in TABLES:
        table = pyarrow.parquet.read_table(output / f"{name}.parquet")
        check_cells(trace, name, of_arrow(table), "pyarrow")
        check_moments(of_arrow(table), name, EPOCH)
        check_cells(trace, name, of_polars(polars.read_parquet(output / f"{name}.parquet")), "polars")
        check_about(table.schema.metadata, name)
        check_arrow_by_hand(trace, name, table)
    names = duckdb.sql(f"SELECT name FROM '{output}/threads.parquet' ORDER BY thread").fetchall()
    check(names == [('work\ter "0"\nbelow \ufffd',), ("=1+1",)], f"names: {names}")
    reason = duckdb.sql(f"SELECT reason FROM '{output}/sites.parquet' WHERE site = 2").fetchall()
    check(reason == [(LONG.decode(),)], "a name of 10 kB")


def arrow(trace, name):
    """Returns the bytes on standard output."""
    return subprocess.run([COROTRACER, "export", "--format", "arrow", "--table", name, "-o", "-", trace], check=True,
                          capture_output=True).stdout


def check_arrow_by_hand(trace, name, parquet):
    data = arrow(trace, name)
    table = pyarrow.ipc.open_stream(data).read_all()
    table.validate(full=True)
    check_about(table.schema.metadata, name)
    check(of_arrow(table) == of_arrow(parquet), f"{name} is another one in Arrow than in Parquet")
    check_cells(trace, name, of_polars(polars.read_ipc_stream(data)), "polars, of Arrow")


def check_about(metadata, name):
    told = {key.decode(): value.decode() for key, value in metadata.items()}
    version = run(COROTRACER, "--version").stdout.split()[1]
    check(told == {"corotracer.table": name, "corotracer.run": "00112233445566778899aabbccddeeff", "corotracer.host": "build-7",
                   "corotracer.version": version}, f"{name} says of itself {told}")


def check_without_a_clock(place):
    """A trace that does not record the wall clock has no points in time."""
    trace = place / "clockless.txt"
    trace.write_bytes(TRACE.replace(b" epoch_realtime=%d" % EPOCH, b""))
    export("parquet", place / "clockless", trace, "--table", "events")
    check_moments(of_arrow(pyarrow.parquet.read_table(place / "clockless/events.parquet")), "events", 0)


def check_bounds(path):
    """The least and greatest numbers of each row group are correct, and nulls are counted."""
    file = pyarrow.parquet.ParquetFile(path)
    check(file.metadata.num_row_groups > 1, "all rows lie in one group")
    for group in range(file.metadata.num_row_groups):
        cells = of_arrow(file.read_row_group(group))
        for at in range(file.metadata.num_columns):
            column = file.metadata.row_group(group).column(at)
            values = [cell for cell in cells[column.path_in_schema] if cell is not None]
            told = column.statistics
            check(told.null_count == file.metadata.row_group(group).num_rows - len(values), f"nulls of {column.path_in_schema}")
            if values and not column.path_in_schema.endswith("_at"):
                check((told.min, told.max) == (min(values), max(values)), f"bounds of {column.path_in_schema}")
            check(column.compression in ("ZSTD", "UNCOMPRESSED"), column.compression)


def check_real(place):
    """A trace of a real program, in several row groups."""
    trace, output = place / "real.ctrace", place / "real.parquet"
    run(COROTRACER, "run", "-o", trace, "--", BUILD / "tests/targets/crowd", "20000")
    export("parquet", output, trace)
    check_sums(trace, {name: f"{output}/{name}.parquet" for name in TABLES}, "Parquet")
    check_bounds(output / "events.parquet")
    streams = {name: pyarrow.ipc.open_stream(arrow(trace, name)).read_all() for name in TABLES}
    check_sums(trace, streams, "Arrow")
    check(streams["events"]["kind"].num_chunks > 1, "all rows are one batch")
    for name in TABLES:
        path = output / f"{name}.parquet"
        check(polars.read_parquet(path).equals(polars.from_arrow(pyarrow.parquet.read_table(path))), f"readers differ in {name}")
    export("parquet", place / "waits", trace, "--table", "waits")
    check(sorted(path.name for path in (place / "waits").iterdir()) == ["waits.parquet"], "more than one table")
    export("parquet", place / "two", trace, "--table", "waits", "--table", "tasks")
    check(sorted(path.name for path in (place / "two").iterdir()) == ["tasks.parquet", "waits.parquet"], "not two tables")
    told = queried(trace, "SELECT count(*) AS n, sum(duration_ns) AS ns FROM waits")[0]
    seen = duckdb.sql(f"SELECT count(*), sum(duration_ns)::BIGINT FROM '{place}/waits/waits.parquet'").fetchall()
    check([told] == seen, f"waits: {seen}, not {told}")
    return trace


def check_part(place, trace):
    """The output contains what is asked for, and nothing else."""
    run(COROTRACER, "export", "--format", "parquet", "--table", "events", "--kind", "wake", "-o", place / "wakes", trace)
    seen = duckdb.sql(f"SELECT kind, count(*) FROM '{place}/wakes/events.parquet' GROUP BY kind").fetchall()
    check(seen == queried(trace, "SELECT kind, count(*) FROM events WHERE kind = 'wake' GROUP BY kind"), f"of wakes alone: {seen}")


def check_other_forms(place, trace):
    """Compares counts of events by kind: of the CSV that DuckDB reads, the SQLite database, and a query."""
    export("csv", place / "real.csv", trace)
    export("sqlite", place / "real.sqlite", trace)
    sql = "SELECT kind, count(DISTINCT event), min(time_ns), max(time_ns) FROM {} GROUP BY kind ORDER BY kind"
    told = queried(trace, sql.format("events"))
    seen = duckdb.sql(sql.format(f"read_csv('{place}/real.csv')")).fetchall()
    check(seen == told, f"CSV: {seen}, not {told}")
    seen = sqlite3.connect(place / "real.sqlite").execute(sql.format("coro_trace_events")).fetchall()
    check(seen == told, f"SQLite: {seen}, not {told}")


def check_outputs(place):
    """One sentence for each failure, and no partial output: the next export replaces what a killed export leaves."""
    trace = place / "hand.txt"
    for name, words, more in ((place / "hand.parquet", "already", ()), ("-", "name one", ()), (place / "nowhere/x", "nowhere/x", ()),
                              (place / "x", "there is no table 'x', but events, states", ("--table", "x"))):
        said = export("parquet", name, trace, *more, status=None)
        check(said.returncode and words in said.stderr and said.stderr.count("\n") == 1, f"{said}")
    said = export("arrow", place / "x", trace, "--table", "x", status=None)
    check(said.returncode == 2 and "there is no table 'x'" in said.stderr and not (place / "x").exists(), f"{said}")
    export("arrow", place / "events.arrows", trace)
    check((place / "events.arrows").read_bytes() == arrow(trace, "events"), "a file and standard output differ")
    check(not list(place.glob("*.partial")), "something half is left behind")
    check_endings(place, trace)


def check_endings(place, trace):
    """An interrupted export leaves nothing; the next export replaces what a killed export leaves."""
    for number, name in ((signal.SIGTERM, "ended"), (signal.SIGKILL, "killed")):
        output, partial = place / name, place / f"{name}.partial"
        going = subprocess.Popen([COROTRACER, "export", "--format", "parquet", "-o", f"{output}/", str(place / "real.ctrace")])
        while going.poll() is None and not (partial / "events.parquet.partial").exists():
            pass
        going.send_signal(number)
        check(going.wait() in (0, -number), f"{going.returncode}")
        check(output.exists() == (going.returncode == 0), "an export that was broken off left a folder")
        check(number == signal.SIGKILL or not partial.exists(), f"{list(partial.parent.iterdir())}")
        if not output.exists():
            export("parquet", output, trace)
        check(len(list(output.iterdir())) == len(TABLES) and not partial.exists(), "the export after that")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        check_by_hand(place)
        check_without_a_clock(place)
        trace = check_real(place)
        check_part(place, trace)
        check_other_forms(place, trace)
        check_outputs(place)


main()
