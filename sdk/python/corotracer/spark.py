# SPDX-License-Identifier: MIT
"""Sums up the windows of a fleet as a job of Spark: the same parts as those of corotracer.ingest, to the last digit.

    python3 -m corotracer.spark SOURCE OUTPUT [--master URL]
    spark-submit --master URL .../corotracer/spark.py SOURCE OUTPUT

Each trace is read by a task of its own, and each part is written by another one. The driver claims the windows for as
long as the job runs, so that jobs and ingesters may share a store. A task that runs again writes the same.
The package, and libcorotracer, must be installed where tasks run.

    corotracer.spark.views(session, OUTPUT)       makes the views that the questions of docs/ingest.md ask
"""
import contextlib
import itertools
import os
import sys
import tempfile
import threading

from corotracer import parts, windows
from corotracer.claims import LEASE
from corotracer.ingest import Ingest, parser_of, said, summarise
from corotracer.reading import Error
from corotracer.stores import Store

READ = "batch INT, place INT, name STRING, rows BINARY, failure STRING"
KEPT = "place INT, error STRING, failure STRING"
TYPES = {"int64": "BIGINT", "string": "STRING", "timestamp[us]": "TIMESTAMP_NTZ"}
AT_ONCE = 1024  # windows of one job of Spark's, about: a run that is killed has done those before
MOST = 20  # findings in a report

SERVICES = """
SELECT service, count(*) AS windows, sum(nr_events) AS events, sum(nr_lost) AS lost, count(error) AS broken,
       max(delay_p99_ns) / 1e6 AS worst_p99_ms
FROM windows GROUP BY service ORDER BY service"""
FINDINGS = """
SELECT service, rule, grade, count(*) AS nr, max_by(trace, struct(began, trace)) AS last_trace
FROM findings GROUP BY service, rule, grade ORDER BY nr DESC, service, rule, grade"""


def _packed(table):
    import pyarrow
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()


def _unpacked(content):
    import pyarrow
    return pyarrow.ipc.open_stream(content).read_all()


def reading(source, placed):
    """Makes what a task does that reads a window, from the number of its batch and its key."""
    def read(number):
        import pyarrow
        batch, key = placed[number]
        try:
            rows = [(name, _packed(table), None) for name, table in summarise(source, key).items()]
        except OSError as failure:
            rows = [(None, None, str(failure))]
        names, contents, failures = zip(*rows)
        return pyarrow.RecordBatch.from_arrays(
            [pyarrow.array([batch] * len(rows), pyarrow.int32()), pyarrow.array([number] * len(rows), pyarrow.int32()),
             pyarrow.array(names, pyarrow.string()), pyarrow.array(contents, pyarrow.binary()),
             pyarrow.array(failures, pyarrow.string())], ["batch", "place", "name", "rows", "failure"])

    return lambda batches: (read(number) for batch in batches for number in batch["id"].to_pylist())


def _part_of(output, tables):
    """Writes a part; returns why it could not be written."""
    import pyarrow
    rows = {name: pyarrow.concat_tables(of) for name, of in tables.items()}
    first = windows.Key(rows["windows"]["trace"][0].as_py())
    try:
        parts.write(Store(output), first.service, first.day, rows)
        return None
    except OSError as failure:
        return str(failure)


def writing(output):
    """Makes what a task does that writes the part of a batch."""
    def write(table):
        import pyarrow
        tables, kept, failures = {}, {}, {}
        for row in table.sort_by("place").to_pylist():
            if row["failure"]:
                failures[row["place"]] = row["failure"]
                continue
            rows = _unpacked(row["rows"])
            tables.setdefault(row["name"], []).append(rows)
            if row["name"] == "windows":
                kept[row["place"]] = rows["error"][0].as_py()
        failure = _part_of(output, tables) if kept else None
        failures.update(dict.fromkeys(kept if failure else (), failure))
        places = sorted({*kept, *failures})
        return pyarrow.table([pyarrow.array(places, pyarrow.int32()), pyarrow.array(map(kept.get, places), pyarrow.string()),
                              pyarrow.array(map(failures.get, places), pyarrow.string())], ["place", "error", "failure"])

    return write


class Job(Ingest):
    """One run over the windows that are not done yet, whose work is that of Spark's tasks."""

    def __init__(self, session, source, output, **options):
        super().__init__(source, output, **options)
        self.session = session

    def _pool(self):
        return contextlib.nullcontext()

    @contextlib.contextmanager
    def _claiming(self):
        """Says now and then that the claim is alive."""
        is_over = threading.Event()

        def say():
            while not is_over.wait(LEASE / 6):
                with contextlib.suppress(OSError):  # without a claim others do the same work, too
                    self.claims.write()

        saying = threading.Thread(target=say, daemon=True)
        saying.start()
        try:
            yield
        finally:
            is_over.set()
            saying.join()

    def _take_turns(self, pool, batches):
        batches = list(itertools.islice(batches, max(AT_ONCE // self.batch, 1)))
        mine = set(self._claimed([key for keys in batches for key in keys]))
        placed = [(number, key) for number, keys in enumerate(batches) for key in keys if key in mine]
        if not placed:
            return False
        nr = len(placed)
        read = reading(self.source.address, [(number, key.key) for number, key in placed])
        with self._claiming():
            done = (self.session.range(0, nr, 1, nr).mapInArrow(read, READ)
                    .groupBy("batch").applyInArrow(writing(self.output.address), KEPT).collect())
        for row in sorted(done, key=lambda row: row.place):
            key = placed[row.place][1]
            if row.failure:
                self._fail([key], row.failure)
            else:
                self._count(key, row.error)
        self.claims.give_back(key.key for key in mine)
        return True


def table(session, output, name):
    """Returns a table of what is kept, as Spark's; each window once. Tasks read the parts, so no connector is needed."""
    store = Store(output)
    of = [(parts.file_of(name, part.service, part.day, part.name), sorted(traces))
          for part, traces in parts.chosen(parts.Manifest(store).parts())]

    def read(batches):
        import pyarrow
        import pyarrow.compute
        for number in (number for batch in batches for number in batch["id"].to_pylist()):
            key, traces = of[number]
            rows = Store(output).read_table(key)
            yield from rows.filter(pyarrow.compute.is_in(rows["trace"], pyarrow.array(traces, pyarrow.string()))).to_batches()

    columns = parts.labelled(windows.of_none()[name], "").schema
    schema = ", ".join(f"`{column.name}` {TYPES[str(column.type)]}" for column in columns)
    return session.range(len(of)).mapInArrow(read, schema)


def views(session, output):
    """Makes the views windows, findings, places, spans and histograms."""
    for name in windows.SUMMARIES:
        table(session, output, name).createOrReplaceTempView(name)


def report(session, output):
    """Returns what the tables say of the fleet, as lines."""
    views(session, output)
    lines = [f"{'service':<24} {'windows':>9} {'events':>15} {'lost':>9} {'broken':>7} {'worst p99':>12}"]
    for row in session.sql(SERVICES).collect():
        worst = "" if row.worst_p99_ms is None else f"{row.worst_p99_ms:.3f} ms"
        lines.append(f"{row.service:<24} {row.windows:>9,} {row.events or 0:>15,} {row.lost or 0:>9,} {row.broken:>7,} {worst:>12}")
    found = session.sql(FINDINGS).collect()
    lines += ["", f"{sum(row.nr for row in found):,} findings"]
    lines += [f"{row.nr:>9,} {row.grade:<8} {row.rule:<28} {row.service:<24} last in {row.last_trace}" for row in found[:MOST]]
    return lines


def session_of(master):
    import pyspark
    from pyspark.sql import SparkSession
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    builder = SparkSession.builder.appName("corotracer").config("spark.ui.showConsoleProgress", "false")
    return (builder.master(master) if master else builder).getOrCreate()


def parser():
    made = parser_of("spark", __doc__)
    made.add_argument("--master", metavar="URL", help="Spark's master, unless spark-submit names it (local[*])")
    return made


def main():
    options = parser().parse_args()
    try:
        from pyspark.errors import PySparkException
    except ImportError:
        sys.exit("corotracer.spark: pyspark is not installed: pip install 'corotracer[spark]'")
    try:
        with session_of(options.master) as session:
            job = Job(session, options.source, options.output, batch=options.batch, least=options.compact, grace=options.grace,
                      say=lambda line: print(f"corotracer.spark: {line}", file=sys.stderr))
            job.run()
            print(said(job), file=sys.stderr, flush=True)
            print("\n".join(report(session, options.output)))
            return 1 if job.nr_failed else 0
    except (Error, OSError, PySparkException) as error:
        print(f"corotracer.spark: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
