# SPDX-License-Identifier: MIT
"""Windows of a fleet, and ingesters of them, for tests."""
import datetime
import os
import shutil
import subprocess
import sys

from environment import PACKAGE
from support import BUILD, COROTRACER, SOURCE, check, run

ENVIRONMENT = {**os.environ, "COROTRACER_LIBRARY": str(BUILD / "src/lib/libcorotracer.so.0"), "PYTHONPATH": str(PACKAGE)}
os.environ.update(ENVIRONMENT)
sys.path.insert(0, str(PACKAGE))
import duckdb  # noqa: E402
from corotracer import windows  # noqa: E402

PAGE = (SOURCE / "docs/ingest.md").read_text(encoding="utf-8")
TABLES = sorted(windows.SUMMARIES)
AGO = datetime.timedelta(minutes=50)  # Prometheus takes no samples that are older than an hour


def make_store(place):
    """
    Windows of three services, a file that is no trace, and one that has no key. `billing` hangs, and coroutines of `index` run
    late in its last window.
    """
    crowd, circle, region, late = (place / f"{name}.ctrace" for name in ("crowd", "circle", "region", "late"))
    run(COROTRACER, "run", "-o", region, "--", BUILD / "tests/targets/hiccup", "50", "10", "5")
    run(COROTRACER, "run", "-o", late, "--", BUILD / "tests/targets/hiccup", "900", "10", "800")
    run(COROTRACER, "run", "-o", crowd, "--", BUILD / "tests/targets/crowd", "2000")
    run(COROTRACER, "run", "-o", circle, "--", BUILD / "tests/targets/lock_circle", input="\n")
    store, now = place / "store", datetime.datetime.now(datetime.timezone.utc)
    keys = {}
    for number in range(12):
        began = now - AGO + datetime.timedelta(minutes=4 * number)
        service, trace = (("billing", circle), ("search", crowd), ("index", region))[number % 3]
        trace = late if number == 11 else trace
        keys[f"{service}/host-{number % 2}/{began:%Y%m%d}/{began:%H%M%S}-{number:032x}.ctrace"] = trace
    for key, trace in keys.items():
        (store / key).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(trace, store / key)
    broken = next(iter(keys)).replace("-0", "-f")
    (store / broken).parent.mkdir(parents=True, exist_ok=True)
    (store / broken).write_text("no trace")
    (store / "loose.ctrace").write_text("no key")
    return store, keys, broken


def ingest(store, output, *options, **more):
    return subprocess.Popen([sys.executable, "-m", "corotracer.ingest", store, output, "--workers", "2", *options], env=ENVIRONMENT,
                            stderr=subprocess.PIPE, text=True, **more)


def said(going, status=0):
    text = going.communicate(timeout=300)[1]
    check(going.returncode == status, f"status {going.returncode}: {text}")
    return text


def blocks(engine):
    """The statements of the page for an engine: those that make views, and the questions."""
    import re
    section = PAGE.partition(f"\n### {engine}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    views = re.findall("```sql\n(.*?)```", section, re.DOTALL)
    check(len(views) == 1, f"the page makes views for {engine} {len(views)} times")
    return views[0]


def questions():
    """The page's questions: [(its words, its statement)]."""
    import re
    section = PAGE.partition("\n## Questions\n")[2].partition("\n## ")[0].partition("\n### ")[0]
    return re.findall("\n([^\n]*)\n\n```sql\n(.*?)```", section, re.DOTALL)


def opened(output):
    """DuckDB with the page's views of the tables."""
    database = duckdb.connect()
    database.execute(blocks("DuckDB").replace("read_parquet('", f"read_parquet('{output}/"))
    return database


def rows(output, table, columns="*", more=""):
    with opened(output) as database:
        return database.sql(f"SELECT {columns} FROM {table} {more}").fetchall()


def everything(output):
    """All rows; which part each is in does not matter."""
    return {table: rows(output, table, "* EXCLUDE part", "ORDER BY ALL") for table in TABLES}
