# SPDX-License-Identifier: MIT
"""Windows of a fleet over nine days, and the engines that answer the questions of docs/ingest.md."""
import datetime
import os
import shutil

from support import BUILD, COROTRACER, run
from windowed import blocks, opened

DAYS = 9
SELDOM = 4  # days after which a service that does not change is recorded again
BUILD_ID = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"  # the head of the ELF note that names a build


def released(program, number, place):
    """A copy of a program that is another build by its id."""
    content = bytearray(program.read_bytes())
    content[content.index(BUILD_ID) + len(BUILD_ID)] = number
    path = place / f"{program.name}-{number}"
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def record(path, program, *words, **more):
    run(COROTRACER, "run", "-o", path, "--", program, *words, **more)
    return path


def make_fleet(place):
    """
    Windows of three services: `index` stands still for longer from day to day, and has two releases, `billing` hangs, and
    `search` is only busy. Returns the store and the number of its windows.
    """
    targets = BUILD / "tests/targets"
    old, new = (released(targets / "hiccup", number, place) for number in (1, 2))
    traces = {"index": [record(place / f"index-{day}.ctrace", old if day < DAYS // 2 else new, 60, 10, 4 + 3 * day) for day in range(DAYS)],
              "billing": [record(place / "circle.ctrace", targets / "lock_circle", input="\n")],
              "search": [record(place / f"crowd-{number}.ctrace", targets / "crowd", 1000 + 500 * number) for number in range(3)]}
    first, nr = datetime.datetime(2026, 1, 1, 22, 59, 30), 0
    for day in range(DAYS):
        for service, host in (("index", 0), ("index", 1), ("billing", 0), ("search", 0)):
            if service != "index" and day % SELDOM:
                continue
            began = first + datetime.timedelta(days=day, minutes=host)
            path = place / f"store/{service}/host-{host}/{began:%Y%m%d}/{began:%H%M%S}-{nr:06}.ctrace"
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(traces[service][day % len(traces[service])], path)
            nr += 1
    (place / f"store/search/host-0/20260105/235959-{nr:06}.ctrace").write_text("no trace")
    return place / "store", nr + 1


def same(cell):
    """A cell in the form that all engines can give it: moments are told in seconds."""
    if isinstance(cell, datetime.datetime):
        return cell.replace(tzinfo=datetime.timezone.utc).timestamp()
    return cell


def told(rows):
    return [tuple(same(cell) for cell in row) for row in rows]


class DuckDB:
    def __init__(self, output):
        self.database = opened(output)

    def ask(self, sql):
        return told(self.database.sql(sql).fetchall())


class ClickHouse:
    """ClickHouse within this process: chdb. Its files are named relative to the folder in which it was started."""

    def __init__(self, output):
        import chdb.session
        os.chdir(output)
        self.session = chdb.session.Session()
        for statement in filter(str.strip, blocks("ClickHouse").split(";\n")):
            self.session.query(statement)

    def ask(self, sql):
        import pyarrow
        answer = self.session.query(sql, "ArrowStream").bytes()
        if not answer:
            return []
        rows = pyarrow.ipc.open_stream(answer).read_all().to_pylist()
        return told(tuple(cell.decode() if isinstance(cell, bytes) else cell for cell in row.values()) for row in rows)


class Spark:
    """Spark SQL, over its own reader of Parquet, or over the views of corotracer.spark."""

    def __init__(self, output, session, by_package):
        self.session = session
        if by_package:
            from corotracer import spark
            spark.views(session, output)
            return
        for statement in filter(str.strip, blocks("Spark").replace("parquet.`", f"parquet.`{output}/").split(";\n")):
            session.sql(statement.replace("CREATE TEMPORARY", "CREATE OR REPLACE TEMPORARY"))

    def ask(self, sql):
        return told(self.session.sql(sql).collect())
