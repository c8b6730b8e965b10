# SPDX-License-Identifier: MIT
"""A trace of Go is taken wherever a trace is: each command that reads one tells of it, also from standard input; one that was
cut tells so first; what is older, or newer, or cut before its first generation, is refused in one sentence."""
import json
import pathlib
import subprocess

from support import BUILD, SOURCE, check, folder, run

GOLDEN = SOURCE / "tests/go/golden"
TRACE = GOLDEN / "go1.26-regions.trace"
GENERATIONS = GOLDEN / "go1.26-spin.trace"
TOOL = BUILD / "corotracer"


def told(*arguments):
    result = run(TOOL, *arguments)
    return result.stdout


def check_commands(scratch):
    report = json.loads(told("report", "--format", "json", TRACE))
    check(report["findings"] == [], "a healthy program has findings")
    check("request" in told("stats", TRACE), "stats does not tell the tasks")
    check("coroutine 1" in told("why", TRACE, "1"), "why does not know goroutine 1")
    rows = told("query", "--format", "csv", TRACE, "SELECT count(*) FROM coroutines WHERE state = 'destroyed'")
    check(rows.split()[-1] == "60", f"60 goroutines ended, not {rows}")
    told("check", TRACE, "findings >= likely == 0")
    told("profile", "-o", scratch / "waits.pb.gz", TRACE)
    told("export", "--format", "csv", "-o", scratch / "events.csv", TRACE)
    check("no difference" in told("diff", TRACE, TRACE), "a trace differs from itself")
    with open(TRACE, "rb") as file:
        result = subprocess.run([TOOL, "report", "-"], stdin=file, capture_output=True, text=True, check=True)
    check("events, 0 lost, with its end" in result.stdout, "standard input is not read")


def check_all_programs():
    """None of the programs is at fault."""
    for path in sorted(GOLDEN.glob("go1.*.trace")):
        report = json.loads(told("report", "--format", "json", path))
        check(report["findings"] == [], f"{path.name}: {[finding['title'] for finding in report['findings']]}")


def check_damaged(scratch):
    cut = scratch / "cut.trace"
    cut.write_bytes(GENERATIONS.read_bytes()[:-40])
    text = told("report", cut)
    check("are not used: the file ends within the batch at offset" in text, "a cut trace does not tell so")
    check("its end is missing" in text, "a cut trace has an end")
    for name, first, sentence in (("old", b"go 1.21 trace\0\0\0", "older than Go 1.22"),
                                  ("new", b"go 1.99 trace\0\0\0", "cannot read"),
                                  ("short", TRACE.read_bytes()[:100], "the file ends within the batch at offset")):
        path = scratch / name
        path.write_bytes(first)
        result = subprocess.run([TOOL, "report", path], capture_output=True, text=True, check=False)
        check(result.returncode == 5 and sentence in result.stderr and result.stderr.count("\n") == 1,
              f"{name}: {result.returncode} {result.stderr}")



def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        check_commands(scratch)
        check_all_programs()
        check_damaged(scratch)


main()
