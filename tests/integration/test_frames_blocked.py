# SPDX-License-Identifier: MIT
"""Tests what is said of a loop of asyncio that has no probe, and whose thread one task keeps: which task, where, and in which
function that it called (tests/targets/unprepared_blocked.py); and that a loop that is idle has nothing of it."""
import json

from support import COROTRACER, SOURCE, check, run
from test_frames_asyncio import ENVIRONMENT, interpreters
from unprepared import running

PROGRAM = SOURCE / "tests/targets/unprepared_blocked.py"
TEXT = PROGRAM.read_text().splitlines()


def line_of(mark):
    return next(number for number, line in enumerate(TEXT, 1) if line.endswith(f"# {mark}"))


def told(interpreter, how):
    """The report of the program's process."""
    with running(interpreter, PROGRAM, how, env=ENVIRONMENT) as (process, _):
        return json.loads(run(COROTRACER, "report", "--format", "json", process.pid, status=None).stdout)


def sights(report):
    return [one["text"] for one in report["sights"] if "has kept its thread" in one["text"]]


def check_slept(interpreter, version):
    """The finding, and the line at which the task sleeps."""
    report = told(interpreter, "sleep")
    found = [(one["rule"], one["grade"], len(one["members"])) for one in report["findings"]]
    check(found == [("stuck-worker", "likely", 3)], f"{version}: {found}")
    check("(parse, " in report["findings"][0]["title"], f"{version}: {report['findings'][0]['title']}")
    check(len(sights(report)) == 1 and f"it is in parse (tests/targets/{PROGRAM.name}:{line_of('slept')})" in sights(report)[0],
          f"{version}: {report['sights']}")


def check_ready(interpreter, version):
    """Those that are ready have waited at the same place as one that still waits, and for how long is not known."""
    with running(interpreter, PROGRAM, "sleep", env=ENVIRONMENT) as (process, _):
        report = " ".join(run(COROTRACER, "report", process.pid, status=None).stdout.split())
    check(f"3 coroutines are ready to run at both looks, last 3 at fetch (tests/targets/{PROGRAM.name}:" in report, f"{version}: {report}")
    check(f"1 at fetch, tests/targets/{PROGRAM.name}:" in report and "that have ended took" not in report, f"{version}: {report}")


def check_called(interpreter, version):
    """A function that the task has called stands before it."""
    report = told(interpreter, "call")
    wanted = (f"it is in pause (tests/targets/{PROGRAM.name}:{line_of('called')}), called by parse "
              f"(tests/targets/{PROGRAM.name}:{line_of('calls')})")
    check(len(sights(report)) == 1 and wanted in sights(report)[0], f"{version}: {report['sights']}")


def check_alone(interpreter, version):
    """Without others that are ready, it is found by those that wait."""
    report = told(interpreter, "alone")
    found = [(one["rule"], one["grade"]) for one in report["findings"]]
    check(found == [("blocked-worker", "likely")] and "clock_nanosleep" in report["findings"][0]["title"], f"{version}: {found}")
    check(len(sights(report)) == 1 and f":{line_of('slept')})" in sights(report)[0], f"{version}: {report['sights']}")


def check_apart(interpreter, version):
    """Nobody is blamed while another loop goes on: whose the tasks are that could run is not known. The place is told."""
    report = told(interpreter, "apart")
    check(not report["findings"], f"{version}: {[one['title'] for one in report['findings']]}")
    check(len(sights(report)) == 1 and f":{line_of('slept')})" in sights(report)[0], f"{version}: {report['sights']}")


def check_idle(interpreter, version):
    report = told(interpreter, "idle")
    check(not report["findings"] and not sights(report), f"{version}: {report['findings']} {report['sights']}")


def main():
    found = interpreters()
    check(found, "no Python of this machine can be read")
    for interpreter, version in found.items():
        check_slept(interpreter, version)
        check_ready(interpreter, version)
        check_called(interpreter, version)
        check_alone(interpreter, version)
        check_apart(interpreter, version)
        check_idle(interpreter, version)


main()
