#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The reader that a page holds (WebAssembly) answers as the engine does, byte for byte, over cases of every kind and a
real program's trace. Without a JavaScript engine on the command line the test is skipped.
"""
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run, skip

SKIPPED_CASES = 5  # every so many of the cases is asked


def requests(tables):
    for table in tables:
        name, column = table["name"], table["columns"][1]["name"]
        yield f"select?table={name}"
        yield f"select?table={name}&order=-{column}&limit=5&offset=1"
    yield from ("tables", "report", "overview?from=0&until=1000000000&steps=37", "overview?from=0&until=0&steps=1",
                "lanes?lanes=c1.1,c1.2,t1,t2&from=0&until=5000000000&resolution=1000", "why?process=1&coroutine=1",
                "why?process=9&coroutine=1", "histogram?table=waits&column=duration_ns&parts=4", "nothing", "select",
                "cookbook", "stacks", "stacks?of=running", "stacks?of=none", "waits", "waits?at=4000000&fold=1", "waits?fold=0",
                "select?table=waits&where=state%3Dwaiting&columns=coroutine,object,site", "select?table=none", "?&=%zz")


def answers(lines, *command):
    """Status and bytes of each answer."""
    said = subprocess.run(command, input=("\n".join(lines) + "\n").encode(), stdout=subprocess.PIPE, check=True).stdout
    found, at = [], 0
    for _ in lines:
        head = re.compile(rb"(-?\d+) (\d+)\n").match(said, at)
        check(head, f"no answer at byte {at}")
        end = head.end() + int(head[2])
        found.append((int(head[1]), said[head.end():end]))
        at = end
    return found


def compare(trace, lines):
    theirs = answers(lines, "node", SOURCE / "tests/integration/reader.mjs", BUILD / "wasm/reader.wasm", trace)
    ours = answers(lines, BUILD / "tests/unit/answer_lines", trace)
    for line, one, other in zip(lines, ours, theirs):
        check(one == other, f"{trace}: {line}: {one[0]} and {other[0]}, {len(one[1])} and {len(other[1])} bytes, "
              f"{[pair for pair in enumerate(zip(one[1], other[1])) if pair[1][0] != pair[1][1]][:3]}")
    return sum(status == 0 for status, _ in ours)


def main():
    if not (BUILD / "wasm/reader.wasm").exists() or not shutil.which("node"):
        skip("this build has no pages (-Dpage), or there is no node")
    with folder() as name:
        place = pathlib.Path(name)
        trace = place / "a.ctrace"
        run(COROTRACER, "run", "--no-ledger", "-o", trace, "--", BUILD / "tests/targets/crowd", "300")
        told = answers(["tables"], BUILD / "tests/unit/answer_lines", trace)[0][1]
        tables = json.loads(told)
        lines = list(requests(tables))
        check(compare(trace, lines) > 2 * len(tables), "most requests of a whole trace are answered")
        for case in itertools.islice(sorted((SOURCE / "tests/cases").glob("*.case")), 0, None, SKIPPED_CASES):
            text = re.search(r"^--- trace\n(.*?)^---", case.read_text(errors="replace"), re.MULTILINE | re.DOTALL)
            (place / "case.txt").write_text(text[1] if text else "")
            if run(COROTRACER, "assemble", place / "case.txt", "-o", trace, status=None).returncode == 0:
                compare(trace, lines)
    return 0


sys.exit(main())
