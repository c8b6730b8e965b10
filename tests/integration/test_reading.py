# SPDX-License-Identifier: MIT
"""Tests that Python reads traces: each answer equals that of `corotracer query`, errors are the library's sentences, and
a fleet of traces answers as one."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import xml.etree.ElementTree

from columnar_reader import TABLES, check_cells, need_packages, of_arrow, queried
from environment import PACKAGE, require_package
from support import BUILD, COROTRACER, SOURCE, check, folder, run

need_packages(__file__)
require_package()
os.environ["COROTRACER_LIBRARY"] = str(BUILD / "src/lib/libcorotracer.so.0")
sys.path.insert(0, str(PACKAGE))
import polars  # noqa: E402
import corotracer  # noqa: E402

HOSTILE = b"""trace run=00112233445566778899aabbccddeeff host=build-7 from=0 until=2s
process 1 pid=100 program=/bin/server command="server" probe ledger
thread 1 process=1 tid=101 name="=1+1"
site 1 process=1 kind=source file="/src/a\\\\b.cpp" line=40 function="caf\\xc3\\xa9's <int, char>(int)"
site 2 process=1 kind=source reason="it's; DROP TABLE \\"x\\" \\xff"
1ms    t1 create c1 0x11010 @1
1.2ms  t1 resume c1
1.3ms  t1 counter c1 -9223372036854775807 @2
1.5ms  t1 suspend c1 descriptor:7.3 @1 point=await
4.7ms  t1 resume c18446744073709551000
"""
# What comes back, and whether rows of a batch fit the types of the batch before.
QUESTIONS = ("SELECT 1 WHERE 0", "SELECT NULL AS absent, 1.5 AS real, x'00ff' AS bytes, '' AS empty",
             "SELECT coroutine / 2.0 AS x FROM events", "SELECT CASE WHEN event % 2 THEN 1 ELSE 0.5 END AS mixed FROM events",
             "SELECT place, count(*), p99(duration_ns) FROM waits GROUP BY place",
             "SELECT * FROM events JOIN sites USING (site) ORDER BY event")
REFUSED = (("SELEC", 'near "SELEC": syntax error'), ("SELECT 1; SELECT 2", "the answer of one statement"),
           ("DROP TABLE events", "a query reads, and does nothing else"), ("SELECT absent", "no such column"),
           ("SELECT event, CASE WHEN event < 3 THEN 1 ELSE 'x' END AS late FROM events ORDER BY event",
            "row 4 has a text in column 'late', in which the rows before have a whole number"))


def refusal(question):
    """Returns the sentence of the error; "" if there is none."""
    try:
        question()
    except corotracer.Error as error:
        return str(error)
    return ""


def rows_of(table):
    """Returns the rows, with bytes as a query writes them."""
    table.validate(full=True)
    return [tuple(cell.hex() if isinstance(cell, bytes) else cell for cell in row.values()) for row in table.to_pylist()]


def check_answers(path):
    with corotracer.open(path) as trace:
        check(set(TABLES) <= set(trace.tables), f"tables: {trace.tables}")
        for name in trace.tables:
            check_cells(path, name, of_arrow(trace.table(name)), "Python")
        for sql in QUESTIONS:
            seen, told = rows_of(trace.query(sql)), queried(path, sql)
            check(seen == told, f"{sql}: {seen[:3]}, not {told[:3]}")
        for sql, sentence in REFUSED:
            check(sentence in refusal(lambda: trace.query(sql)), f"{sql}: {refusal(lambda: trace.query(sql))}")
        check("there is no table 'x', but events" in refusal(lambda: trace.table("x")), "a table that is none")
        kept = trace.query("SELECT kind FROM events")
    check(kept.num_rows and kept["kind"].null_count == 0, "a table outlives its trace")
    check("the trace is closed" in refusal(lambda: trace.query("SELECT 1")), "a closed trace answers")


def check_report(path):
    """The report is the JSON report; a finding shows its picture."""
    trace = corotracer.open(path)
    report = trace.report()
    told = json.loads(run(COROTRACER, "report", "--format", "json", path, status=None).stdout)
    check(report.facts == told, "the report is another one")
    check([finding.rule for finding in report.findings] == ["mutex-deadlock"], f"{report.findings}")
    finding = report.findings[0]
    check(str(finding) == f"{finding.grade.upper()}  mutex-deadlock: {finding.title}", str(finding))
    picture = xml.etree.ElementTree.fromstring(finding.picture())
    check(picture.tag == "{http://www.w3.org/2000/svg}svg", picture.tag)
    check(finding.picture() in report._repr_html_() and report.headline in report._repr_html_(), "a notebook shows no picture")
    check(finding.title in " ".join(str(report).split()), "the text of the report lacks its finding")


def check_large(place):
    """An answer of several batches, asked by several threads at once."""
    path = place / "crowd.ctrace"
    run(COROTRACER, "run", "-o", path, "--", BUILD / "tests/targets/crowd", "20000")
    trace, answers = corotracer.open(path), []
    askers = [threading.Thread(target=lambda: answers.append(trace.query("SELECT event, time_ns, kind, place FROM events")))
              for _ in range(3)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    check(len(answers) == 3 and all(answer.equals(answers[0]) for answer in answers), "threads get different answers")
    check(answers[0]["kind"].num_chunks > 1, "all rows are one batch")
    told = queried(path, "SELECT event, time_ns, kind, place FROM events")
    check(rows_of(answers[0]) == told, "the rows of several batches")
    check(polars.from_arrow(answers[0]).height == len(told), "polars counts other rows")
    return path


def check_fleet(place, paths):
    with corotracer.fleet(paths) as fleet:
        seen = [(row["trace"], row["rule"]) for row in fleet.findings().to_pylist()]
        told = [(str(path), rule) for path in paths for (rule,) in queried(path, "SELECT rule FROM findings")]
        check(len(fleet) == len(paths) and seen == told, f"{seen}, not {told}")
        check(fleet.query("SELECT 1 WHERE 0").num_rows == 0, "no rows of any trace")
    broken = place / "broken.ctrace"
    broken.write_text("no trace")
    with corotracer.fleet([*paths, broken], skip_broken=True, keep=False) as fleet:
        check(fleet.findings().num_rows == len(told) and list(fleet.broken) == [str(broken)], f"{fleet.broken}")
        check(fleet.findings().num_rows == len(told), "a second question")
    with corotracer.fleet([*paths, broken]) as fleet:
        check(str(broken) in refusal(fleet.findings), "a broken trace goes unnoticed")
    with corotracer.fleet(str(place / "*.ctrace"), skip_broken=True) as fleet:
        check(len(fleet) == len(list(place.glob("*.ctrace"))), f"{fleet}")
    check("no trace matches" in refusal(lambda: corotracer.fleet(str(place / "none*"))), "a pattern that matches nothing")


def check_manual(place):
    """What the package's page shows runs as it stands there."""
    page = (SOURCE / "sdk/python/README.md").read_text(encoding="utf-8")
    shown = next(block for block in re.findall("```python\n(.*?)```", page, re.DOTALL) if "corotracer.open" in block)
    before, names = os.getcwd(), {}
    os.chdir(place)
    try:
        exec(shown.replace(".to_pandas()", ""), names)  # pylint: disable=exec-used
    finally:
        os.chdir(before)
    check(names["waits"].num_rows and names["slow"].num_rows, "the page's example finds no waits")


def check_without_library(path):
    """Without the library, or without pyarrow, a sentence says what to do; a traced program loads neither."""
    program = "import corotracer\ntry:\n    corotracer.open('%s').query('SELECT 1')\nexcept corotracer.Error as error:\n    print(error)"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "COROTRACER_LIBRARY": "/nowhere/libcorotracer.so.0"}
    said = subprocess.run([sys.executable, "-c", program % path], env=environment, capture_output=True, text=True, check=True)
    check("traces are read by libcorotracer.so.0, which cannot be loaded" in said.stdout, f"{said}")
    bare = ("import sys\nsys.modules['pyarrow'] = None\n", "import corotracer, sys\nprint([name for name in sys.modules if "
            "name in ('corotracer.reading', 'pyarrow')])")
    environment["COROTRACER_LIBRARY"] = os.environ["COROTRACER_LIBRARY"]
    said = subprocess.run([sys.executable, "-c", bare[0] + program % path], env=environment, capture_output=True, text=True, check=True)
    check("pip install pyarrow" in said.stdout, f"{said}")
    said = subprocess.run([sys.executable, "-c", bare[1]], env=environment, capture_output=True, text=True, check=True)
    check(said.stdout == "[]\n", f"{said.stdout}: a traced program loads what reads")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        hostile = place / "hostile.txt"
        hostile.write_bytes(HOSTILE)
        check_answers(hostile)
        circle = place / "circle.ctrace"
        run(COROTRACER, "run", "-o", circle, "--", BUILD / "tests/targets/lock_circle", input="\n")
        check_answers(circle)
        check_report(circle)
        shutil.copy(circle, place / "circle2.ctrace")
        check_fleet(place, [circle, check_large(place), place / "circle2.ctrace"])
        check_without_library(circle)
        (place / "broken.ctrace").unlink()
        shutil.copy(place / "crowd.ctrace", place / "corotracer.ctrace")
        check_manual(place)
        check("No such file" in refusal(lambda: corotracer.open(place / "none")), "a trace that is not there")


main()
