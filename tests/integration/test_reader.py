#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that the reader that a page holds (WebAssembly) answers as the engine does, byte for byte, over cases of every
kind and a real program's trace. If there is no JavaScript engine on the command line, the test is skipped.
"""
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run, skip

# Statements whose plans differ: a scan, a page of sorted rows, a join by look-ups, a group, our own functions, failures.
STATEMENTS = (
    "SELECT * FROM events", "SELECT coroutine, duration_ns FROM waits ORDER BY duration_ns DESC LIMIT 3",
    "SELECT w.place, count(*), p99(w.duration_ns), avg(w.duration_ns), duration(max(w.duration_ns)) FROM waits w"
    " JOIN coroutines c ON c.coroutine = w.coroutine AND c.process = w.process GROUP BY 1 ORDER BY 2 DESC, 1",
    "SELECT json_group_array(kind), sqrt(2), upper('a'), 2.5e9, NULL FROM (SELECT DISTINCT kind FROM events ORDER BY kind)",
    "SELECT nothing FROM waits", "", "DELETE FROM waits", "SELECT 1; SELECT 2", "ATTACH 'x' AS y", "SELECT count(*) FROM waits WHERE place LIKE '%a%'",
)
SKIPPED_CASES = 5  # one of this many cases is tested


def requests(tables):
    for table in tables:
        name, column = table["name"], table["columns"][1]["name"]
        yield f"select?table={name}"
        yield f"select?table={name}&order=-{column}&limit=5&offset=1"
    yield from ("tables", "report", "overview?from=0&until=1000000000&steps=37", "overview?from=0&until=0&steps=1",
                "lanes?lanes=c1.1,c1.2,t1,t2&from=0&until=5000000000&resolution=1000", "why?process=1&coroutine=1", "facts?finding=1", "facts?finding=99", "sums?from=0&until=5000000000",
                "sums?from=1000000&until=5000000000&by=site&lanes=c1.1,t1", "lanes?lanes=o1.144115188075896832&from=0&until=5000000000",
                "why?process=9&coroutine=1", "histogram?table=waits&column=duration_ns&parts=4", "nothing", "select",
                *(f"sql {sql}" for sql in STATEMENTS), "cookbook", "stacks", "stacks?of=running", "stacks?of=none", "waits", "waits?at=4000000&fold=1", "waits?fold=0",
                "select?table=waits&where=state%3Dwaiting&columns=coroutine,object,site", "select?table=none", "?&=%zz")


def answers(lines, *command, times=1):
    """Returns status and bytes of each answer, for each time that all lines are answered."""
    said = subprocess.run(command, input=("\n".join(lines) + "\n").encode(), stdout=subprocess.PIPE, check=True).stdout
    found, at = [], 0
    for _ in range(times * len(lines)):
        head = re.compile(rb"(-?\d+) (\d+)\n").match(said, at)
        check(head, f"no answer at byte {at}")
        end = head.end() + int(head[2])
        found.append((int(head[1]), said[head.end():end]))
        at = end
    return [found[begin:begin + len(lines)] for begin in range(0, len(found), len(lines))]


def compare(trace, lines, ours, theirs):
    for line, one, other in zip(lines, ours, theirs):
        if line.startswith("sql "):
            if b"without SQLite" in one[1] + other[1]:
                continue
            one, other = ((status, re.sub(rb'"took_ns": ?\d+', b"", said)) for status, said in (one, other))
        check(one == other, f"{trace}: {line}: {one[0]} and {other[0]}, {len(one[1])} and {len(other[1])} bytes, "
              f"{[pair for pair in enumerate(zip(one[1], other[1])) if pair[1][0] != pair[1][1]][:3]}")
    return sum(status == 0 for status, _ in ours)


def assembled(place):
    """Yields some of the cases as traces, if the case's text is a trace."""
    for case in itertools.islice(sorted((SOURCE / "tests/cases").glob("*.case")), 0, None, SKIPPED_CASES):
        text = re.search(r"^--- trace\n(.*?)^---", case.read_text(errors="replace"), re.MULTILINE | re.DOTALL)
        (place / "case.txt").write_text(text[1] if text else "")
        trace = place / f"{case.stem}.ctrace"
        if run(COROTRACER, "assemble", place / "case.txt", "-o", trace, status=None).returncode == 0:
            yield trace


def main():
    if not (BUILD / "wasm/reader.wasm").exists() or not shutil.which("node"):
        skip("this build has no pages (-Dpage), or there is no node")
    with folder() as name:
        place = pathlib.Path(name)
        trace = place / "a.ctrace"
        run(COROTRACER, "run", "--no-ledger", "-o", trace, "--", BUILD / "tests/targets/crowd", "300")
        (told,), = answers(["tables"], BUILD / "tests/unit/answer_lines", trace)
        tables = json.loads(told[1])
        lines = list(requests(tables))
        traces = [trace, *assembled(place)]
        theirs = answers(lines, "node", SOURCE / "tests/integration/reader.mjs", BUILD / "wasm/reader.wasm", *traces,
                         times=len(traces))
        for one, said in zip(traces, theirs):
            ours, = answers(lines, BUILD / "tests/unit/answer_lines", one)
            nr_answered = compare(one, lines, ours, said)
            check(one != trace or nr_answered > 2 * len(tables), "most requests of a whole trace are answered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
