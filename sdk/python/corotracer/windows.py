# SPDX-License-Identifier: MIT
"""What is kept of a window: a few small tables that sum up one trace.

    corotracer.windows.summary(trace)          {name of the table: pyarrow.Table}

A trace of two seconds has millions of events, and a fleet has thousands of such traces a day. What a question over weeks
needs of one is here: findings, times by place, tasks and regions, how late coroutines ran. docs/ingest.md has the
columns.
"""
import datetime
import re
import tempfile

from .reading import Error, Trace

# Of each trace one row: how long coroutines stood ready, how many there were, and what the garbage collector took.
WINDOW = """
SELECT (SELECT run FROM trace) AS run,
       (SELECT min(program) FROM processes) AS program,
       (SELECT nullif(build_id, '') FROM processes ORDER BY program LIMIT 1) AS release,
       (SELECT epoch_realtime_ns + observed_from_ns FROM trace) AS began_unix_ns,
       (SELECT observed_until_ns - observed_from_ns FROM trace) AS observed_ns,
       (SELECT nr_events FROM trace) AS nr_events,
       (SELECT nr_lost FROM trace) AS nr_lost,
       (SELECT count(*) FROM coroutines) AS nr_coroutines,
       (SELECT count(*) FROM coroutines WHERE state NOT IN ('done', 'destroyed')) AS nr_alive,
       (SELECT coalesce(max(alive), 0) FROM (SELECT sum(step) OVER (ORDER BY at, step DESC) AS alive FROM (
           SELECT coalesce(created_ns, (SELECT observed_from_ns FROM trace)) AS at, 1 AS step FROM coroutines
           UNION ALL SELECT destroyed_ns, -1 FROM coroutines WHERE destroyed_ns IS NOT NULL))) AS nr_alive_most,
       count(*) AS nr_delays, p50(duration_ns) AS delay_p50_ns, p90(duration_ns) AS delay_p90_ns,
       p99(duration_ns) AS delay_p99_ns, percentile(duration_ns, 0.999) AS delay_p999_ns, max(duration_ns) AS delay_max_ns,
       (SELECT coalesce(sum(duration_ns), 0) FROM ranges WHERE kind = 'gc-mark') AS gc_mark_ns,
       (SELECT coalesce(sum(duration_ns), 0) FROM ranges WHERE kind = 'pause') AS pause_ns,
       (SELECT count(*) FROM findings) AS nr_findings
FROM delays WHERE next = 'running'"""

SUMMARIES = {
    "windows": WINDOW,
    "findings": "SELECT rule, grade, title, coalesce(cause_place, wait_place) AS place, nr_coroutines, next_step FROM findings",
    "places": """
SELECT place, function, file, line, sum(nr_waits) AS nr_waits, sum(nr_waiting) AS nr_waiting, sum(ended_wait_ns) AS wait_ns,
       max(ended_wait_p50_ns) AS wait_p50_ns, max(ended_wait_p99_ns) AS wait_p99_ns, max(ended_wait_max_ns) AS wait_max_ns,
       sum(nr_delays) AS nr_delays, sum(delayed_ns) AS delay_ns, max(delay_p99_ns) AS delay_p99_ns,
       max(delay_max_ns) AS delay_max_ns, sum(nr_runs) AS nr_runs, sum(ran_ns) AS run_ns, max(run_p99_ns) AS run_p99_ns,
       max(run_max_ns) AS run_max_ns
FROM places GROUP BY place, function, file, line ORDER BY place""",
    "spans": """
SELECT kind, name, sum(nr_ended) AS nr_ended, sum(nr_open) AS nr_open, sum(total_ns) AS total_ns, max(p50_ns) AS p50_ns,
       max(p90_ns) AS p90_ns, max(p99_ns) AS p99_ns, max(p999_ns) AS p999_ns, max(max_ns) AS max_ns
FROM spans GROUP BY kind, name ORDER BY kind, name""",
    # A histogram whose bounds are powers of two: sums over any windows give percentiles within a factor of two.
    "histograms": """
WITH times AS (SELECT 'task' AS kind, name, duration_ns FROM tasks WHERE NOT is_open
               UNION ALL SELECT 'region', name, duration_ns FROM regions WHERE NOT is_open
               UNION ALL SELECT 'delay', '', duration_ns FROM delays WHERE next = 'running')
SELECT kind, name, 1 << CAST(ceil(log2(max(duration_ns, 1024))) AS INTEGER) AS at_most_ns, count(*) AS nr
FROM times GROUP BY 1, 2, 3 ORDER BY 1, 2, 3""",
}

NUMBER = re.compile("^nr(_|$)|_ns$|^line$")
KEY = re.compile(r"(?P<service>[^/]+)/(?P<host>[^/]+)/(?P<day>\d{8})/(?P<time>\d{6})-(?P<run>[^/]+)\.ctrace")


class Key:
    """The key of a stored window: SERVICE/HOST/YYYYMMDD/HHMMSS-RUN.ctrace, below any prefix."""

    def __init__(self, key):
        parts = KEY.fullmatch("/".join(key.split("/")[-4:]))
        if not parts:
            raise Error(f"'{key}' is not SERVICE/HOST/YYYYMMDD/HHMMSS-RUN.ctrace")
        self.key = key
        self.service = parts["service"]
        self.host = parts["host"]
        self.day = f"{parts['day'][:4]}-{parts['day'][4:6]}-{parts['day'][6:]}"
        self.time = parts["time"]
        self.run = parts["run"]
        try:
            self.began = datetime.datetime.strptime(parts["day"] + self.time, "%Y%m%d%H%M%S")
        except ValueError:
            raise Error(f"'{key}' has a day or a time that there is not") from None


def _typed(table):
    """Gives each column the type that its name promises: a column without a value in this trace has no type of its own."""
    import pyarrow
    fields = [pyarrow.field(name, pyarrow.int64() if NUMBER.search(name) else pyarrow.string()) for name in table.column_names]
    return table.cast(pyarrow.schema(fields))


def summary(trace):
    """Returns the tables that are kept of an open trace, by their names."""
    return {name: _typed(trace.query(sql)) for name, sql in SUMMARIES.items()}


def _summary_of_nothing():
    """Returns the tables of a trace that cannot be read: of windows a row in which nothing is known."""
    import pyarrow
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("trace run=00000000000000000000000000000000 from=0 until=0s\n")
        file.flush()
        with Trace(file.name) as trace:
            tables = {name: table.slice(0, 0) for name, table in summary(trace).items()}
    fields = tables["windows"].schema
    tables["windows"] = pyarrow.table([pyarrow.nulls(1, field.type) for field in fields], schema=fields)
    return tables


def summary_of(path, key):
    """
    Returns the tables of a trace file, with the columns `trace` (the key), `service`, `host` and `began` (to the second,
    UTC) before them, and `error` behind those of windows. A file that cannot be read has one row in windows, with the error, and no other rows.
    """
    parsed = Key(key)
    error = None
    try:
        with Trace(path) as trace:
            tables = summary(trace)
    except Error as failure:
        error = str(failure)
        tables = _summary_of_nothing()
    return _whole(tables, parsed, error)


def of_none():
    """Returns the tables as they are kept of no window at all: their columns."""
    tables = _whole(_summary_of_nothing(), Key("service/host/20260101/000000-0.ctrace"), None)
    return {name: table.slice(0, 0) for name, table in tables.items()}


def _whole(tables, key, error):
    import pyarrow
    tables["windows"] = tables["windows"].append_column("error", pyarrow.array([error], pyarrow.string()))
    return {name: _labelled(table, key) for name, table in tables.items()}


def _labelled(table, key):
    import pyarrow
    text, moment = pyarrow.string(), pyarrow.timestamp("us")
    for name, value, of in (("began", key.began, moment), ("host", key.host, text), ("service", key.service, text),
                            ("trace", key.key, text)):
        table = table.add_column(0, name, pyarrow.array([value] * table.num_rows, of))
    return table
