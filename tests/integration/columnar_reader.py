# SPDX-License-Identifier: MIT
"""Tables as columns, as DuckDB reads them: their sums are those of a query."""
import json

from environment import run_again_with
from support import COROTRACER, check, run

SUMS = ["SELECT count(*), sum(time_ns), min(event), max(event) FROM events",
        "SELECT kind, count(*), sum(coroutine), sum(value) FROM events GROUP BY kind ORDER BY kind",
        "SELECT object, count(*) FROM events WHERE thread = 1 GROUP BY object ORDER BY object NULLS FIRST",
        "SELECT state, count(*), sum(duration_ns) FROM states GROUP BY state ORDER BY state",
        "SELECT count(*), sum(duration_ns) FROM states WHERE from_ns > 100000000",
        "SELECT count(*), sum(nr_resumes) FROM coroutines", "SELECT outcome, count(*) FROM wakes GROUP BY 1 ORDER BY 1",
        "SELECT count(*), sum(line) FROM sites", "SELECT count(*) FROM findings", "SELECT nr_events, nr_lost, host FROM trace",
        "SELECT s.function, count(*) FROM events JOIN sites s USING (site) WHERE s.function IS NOT NULL GROUP BY 1 ORDER BY 1"]
TABLES = """events states wakes coroutines tasks regions ranges counter_values samples off_cpu page_faults objects holds descriptors trace processes threads
sites places losses notes sights findings finding_coroutines finding_steps spans counters memory""".split()


def queried(trace, sql):
    return [tuple(row.values()) for row in json.loads(run(COROTRACER, "query", "--format", "json", trace, sql, timeout=600).stdout)]


def number(column, cell):
    """A query shows an id beyond the largest signed number as the negative number with the same bits."""
    return cell + 2**64 if isinstance(cell, int) and cell < 0 and column in ("coroutine", "task") else cell


def check_cells(trace, name, read, whose):
    """All cells of a table, except points in time, equal those of the query. `read`: {column: cells}."""
    columns = [column for column in read if not column.endswith("_at")]
    told = queried(trace, f"SELECT {', '.join(columns)} FROM {name}")
    rows = len(read[columns[0]])
    check(rows == len(told), f"{whose}: {name}: {rows} rows, not {len(told)}")
    for row, cells in enumerate(told):
        for column, cell in zip(columns, cells):
            seen = read[column][row]
            check(seen == number(column, cell), f"{whose}: {name}.{column}, row {row}: {seen!r}, not {cell!r}")


def of_arrow(table):
    """Returns {column: cells}; points in time are numbers."""
    return {name: (column.cast("int64") if name.endswith("_at") else column).to_pylist()
            for name, column in zip(table.column_names, table.columns)}


def need_packages(program):
    """Runs the program again by a Python that has the packages, if this Python has not; ends with 77 if they cannot be
    had."""
    try:
        import duckdb  # noqa: F401
        import polars  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError:
        run_again_with("columnar", program)


def check_sums(trace, views, whose):
    """`views`: by the name of a table, its Parquet file, or the table read from Arrow."""
    import duckdb
    import pyarrow
    with duckdb.connect() as database:
        for name, view in views.items():
            if isinstance(view, pyarrow.Table):
                database.register(name, view)
            else:
                database.execute(f"CREATE VIEW {name} AS SELECT * FROM '{view}'")
        for sql in SUMS:
            told = queried(trace, sql)
            seen = database.sql(sql).fetchall()
            check(seen == told, f"{whose}: {sql}: {seen}, not {told}")
