# SPDX-License-Identifier: MIT
"""Tests what is said of tasks of Rust that other executors than tokio's run, in the memory of a process, against what the
programs say of themselves (tests/rust-unprepared/src/bin): async-executor's, and one of the program's own.
"""
import json
import pathlib

from support import COROTRACER, check, folder, run, skip
from unprepared import built, running

WHERE = ("SELECT c.coroutine, c.state, c.wait_object, c.name, c.frame_bytes, s.line, s.function FROM coroutines c LEFT JOIN sites s "
         "ON s.site = c.wait_site")
PLACES = {"places::locking": "lock", "permitted": "semaphore", "joining": "coroutine"}


def tasks(process):
    return json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid, WHERE).stdout)


def check_lines(found, said, what):
    """At each line as many tasks wait as the program says; besides, there are those that run all the time."""
    counts = {}
    for row in found:
        if "turning" in row["name"] or row["state"] != "waiting" or row["function"] == "executors::turning":
            continue
        counts[str(row["line"])] = counts.get(str(row["line"]), 0) + 1
    check(counts == said, f"{what}: {counts}, not {said}")


def test_waits(program):
    """Each task waits at its line, those that wait for a lock, a permit or a task are said to, and each has a size."""
    with running(program, "20") as (process, said):
        found = tasks(process)
    check_lines(found, said, program)
    for place, kind in PLACES.items():
        kinds = {(row["wait_object"] or "").partition(":")[0] for row in found if row["function"] == f"executors::{place}"}
        check(kinds == {kind}, f"{program}, {place}: {kinds}")
    check(all(row["frame_bytes"] >= 64 for row in found), f"{program}: {found}")
    starting = {row["coroutine"] for row in found if row["function"] == "executors::places::starting"}
    joined = {int(row["wait_object"].partition(":")[2]) for row in found if row["function"] == "executors::joining"}
    check(len(joined) == 20 and joined <= starting, f"{program}: {joined}")


def test_busy(program):
    """Tasks come and go while their memory is read: those that wait are found all the same, and no others."""
    with running(program, "busy", "50") as (process, said):
        check_lines(tasks(process), said, f"{program} busy")


def test_circle(program):
    """A guard among the variables of a task says that it has the lock: two wait in a circle."""
    with running(program, "circle", "1") as (process, _):
        report = json.loads(run(COROTRACER, "report", "--format", "json", process.pid).stdout)
    found = [(one["rule"], one["coroutines"]) for one in report["findings"]]
    check(found == [("mutex-deadlock", 2)] and "crossing" in report["findings"][0]["title"], f"{program}: {report['findings']}")


def test_boxes(program):
    """Futures in boxes are tasks of an executor that nobody knows; boxes in them are not, also while some come and go."""
    for words in (("20",), ("busy", "20")):
        with running(program, *words) as (process, said):
            found = [row for row in tasks(process) if row["function"] != "boxed::turning"]
        counts = {line: sum(str(row["line"]) == line for row in found) for line in said}
        check(counts == said and len(found) == sum(said.values()), f"{program}: {counts} of {len(found)}, not {said}; {found[:10]}")
        check({row["frame_bytes"] > 0 for row in found} == {True}, f"{program}: {found[:10]}")
        locks = {row["wait_object"] for row in found if row["function"] == "boxed::places::locking"}
        check(len(locks) == 1 and locks.pop().startswith("lock:"), f"{program}: {locks}")


def test_without_debug_information(program, scratch):
    """The symbols alone say that there are tasks, and a sentence says what lacks."""
    bare = scratch / "bare"
    run("objcopy", "--strip-debug", program, bare)
    with running(bare, "3") as (process, _):
        refused = run(COROTRACER, "report", "--duration", "10ms", process.pid, status=None)
    text = " ".join((refused.stdout + refused.stderr).split())
    check(refused.returncode != 0 and "tasks of async-task" in text and "debug = 2" in text, f"{refused.returncode}: {text}")


def main():
    programs, reason = built("executors")
    if not programs:
        skip(reason)
    with folder() as name:
        for program in programs:
            test_waits(program)
            test_busy(program)
            test_circle(program)
        test_without_debug_information(programs[0], pathlib.Path(name))
    for program in built("boxed")[0]:
        test_boxes(program)


if __name__ == "__main__":
    main()
