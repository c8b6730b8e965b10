# SPDX-License-Identifier: MIT
"""Tests what a recording says of the memory of a program that stood still until it was ended."""
import json
import pathlib
import re
import subprocess
import sys

from environment import with_package
from support import COROTRACER, SOURCE, check, folder, run
from unprepared import compiled

STILL = SOURCE / "tests/targets/still.py"
SEEN = "SELECT sight, coroutine FROM sights"


def sights(trace):
    return json.loads(run(COROTRACER, "query", "--format", "json", trace, SEEN).stdout)


def recorded(scratch, *command, options=(), **more):
    trace = scratch / "seen.ctrace"
    done = run(COROTRACER, "run", *options, "-o", trace, "--", *command, status=None, **more)
    check(trace.exists(), f"{command}: {done.stderr}")
    return trace


def check_variables(found, what):
    values = sorted(int(row["sight"].partition("attempt = ")[2].partition(";")[0].partition(",")[0]) for row in found
                    if "attempt = " in row["sight"])
    check(values == [10, 11, 12, 13], f"{what}: {found}")


def test_with_probe(scratch):
    """Of each task its variables are said, by the number that the probe gave it."""
    trace = recorded(scratch, sys.executable, "-m", "corotracer", STILL, "still", env=with_package())
    found = sights(trace)
    check_variables(found, "with a probe")
    names = json.loads(run(COROTRACER, "query", "--format", "json", trace, "SELECT coroutine FROM coroutines WHERE name = 'working'").stdout)
    numbers = {row["coroutine"] for row in found if "attempt = " in row["sight"]}
    check(numbers == {row["coroutine"] for row in names}, f"{numbers}, not {names}")
    check("was looked into" in found[0]["sight"], f"{found[0]}")
    why = run(COROTRACER, "why", trace, max(numbers)).stdout
    check("locals of working: number = 3, attempt = 13" in " ".join(why.split()), why)


def test_without_probe(scratch):
    """Nobody prepared the program, and the recording ends before it: it is said how many wait at which line, and with which
    variables."""
    found = sights(recorded(scratch, sys.executable, STILL, "still", options=["--duration", "8s"]))
    texts = [row["sight"] for row in found]
    check("when nothing of it had been recorded for" in texts[0], f"{texts[0]}")
    check(any(text.startswith("3 coroutines wait at working (") and ":15)" in text for text in texts), f"{texts}")
    check(any(text.startswith("1 coroutine waits at working (") and ":16)" in text for text in texts), f"{texts}")
    check(sum("locals of working" in text for text in texts) == 3, f"{texts}: two at a place")


def test_nothing_is_said(scratch):
    """Of a program that goes on until it is ended, nothing is said, nor if that is not wanted."""
    environment = with_package()
    found = sights(recorded(scratch, sys.executable, "-m", "corotracer", STILL, "moving", env=environment))
    check(not found, f"moving: {found}")
    found = sights(recorded(scratch, sys.executable, "-m", "corotracer", STILL, "still", options=["--no-memory"], env=environment))
    check(not found, f"--no-memory: {found}")


def test_frames(scratch):
    """The same of coroutines of C++20, whose program a user gives eight seconds."""
    program, trace = compiled(scratch, "g++", "unprepared", "-O2"), scratch / "frames.ctrace"
    with subprocess.Popen(["timeout", "-s", "INT", "8", COROTRACER, "run", "-o", trace, "--", program], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as engine:
        said = json.loads(engine.stdout.readline())
        engine.wait(60)
    counts, wanted = {}, {}
    for row in sights(trace):
        match = re.match(r"(\d+) coroutines? waits? at .*:(\d+)\)$", row["sight"])
        if match:
            counts[int(match[2])] = counts.get(int(match[2]), 0) + int(match[1])
    for line in said["frames"].values():
        wanted[line] = wanted.get(line, 0) + 1
    others = sum(count for line, count in counts.items() if line not in wanted)
    check(others == 2 and all(counts.get(line) == count for line, count in wanted.items()), f"{counts}, not {wanted} and two that it does not tell")


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        test_with_probe(scratch)
        test_without_probe(scratch)
        test_nothing_is_said(scratch)
        test_frames(scratch)


if __name__ == "__main__":
    main()
