# SPDX-License-Identifier: MIT
"""Tests what is said of the tasks of tokio in the memory of a process, and in a core dump, against what the program says
of itself (tests/rust-unprepared).
"""
import json
import pathlib
import re
import resource
import signal
import subprocess
import sys

from support import COROTRACER, check, folder, run, skip
from unprepared import built, running

WHERE = ("SELECT c.name, c.state, c.wait_object, s.line, s.file FROM coroutines c LEFT JOIN sites s ON s.site = c.wait_site")
UNREACHED = ("SELECT s.function FROM events e JOIN coroutines c USING (coroutine) JOIN sites s ON s.site = c.wait_site "
             "WHERE e.kind = 'detail' AND e.argument = 'unreached'")


def tasks(subject, *options):
    return json.loads(run(COROTRACER, "query", "--format", "json", *options, subject, WHERE).stdout)


def is_of_load(row):
    """Is it of the tasks that run all the time?"""
    return "turning" in row["name"]


def check_lines(found, said, what, nr_copies=0):
    """At each line as many tasks wait as the program says; besides, there are only those that run all the time, and, where
    threads run, so many copies of tasks on their stacks."""
    counts, copies = {}, []
    for row in found:
        if is_of_load(row):
            continue
        if row["state"] == "ready" and not row["file"] and len(copies) < nr_copies:
            copies.append(row)
            continue
        check(row["state"] == "waiting" and (row["file"] or "").endswith("src/main.rs"), f"{what}: {row}")
        counts[str(row["line"])] = counts.get(str(row["line"]), 0) + 1
    check(counts == said, f"{what}: {counts}, not {said}")


def check_waits(found, what):
    kinds = {(row["wait_object"] or "").partition(":")[0] for row in found}
    check(kinds >= {"event", "lock", "semaphore", "timer", "coroutine"}, f"{what}: {kinds}")


def test_process(program):
    for scheduler in ("several", "current"):
        with running(program, scheduler, "5") as (process, said):
            found = tasks(process.pid, "--duration", "10ms")
            check_lines(found, said, f"{program} {scheduler}")
            check_waits(found, f"{program} {scheduler}")


def test_busy(program):
    """Tasks come and go while their memory is read: those that wait are found all the same, and no others."""
    with running(program, "busy", "50") as (process, said):
        check_lines(tasks(process.pid, "--duration", "10ms"), said, f"{program} busy", nr_copies=1)


def test_way(program):
    """The whole way into a task is shown."""
    with running(program, "5") as (process, _):
        found = json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid,
                               "SELECT coroutine FROM coroutines WHERE wait_object LIKE 'coroutine:%'").stdout)
        chain = run(COROTRACER, "why", "--duration", "10ms", process.pid, found[0]["coroutine"]).stdout
        check("to wait for coroutine" in chain and "unprepared::joining" in chain and "unprepared::notified" in chain, chain)


def test_reach(program):
    """Two kinds of tasks have in their own frames all that could wake them: of these it is said, and of no others. Words that
    are left over from earlier use lead to some of them: a oneshot channel does not clear what it gets."""
    with running(program, "50") as (process, _):
        rows = json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid, UNREACHED).stdout)
    counts = {}
    for row in rows:
        counts[row["function"]] = counts.get(row["function"], 0) + 1
    check(set(counts) <= {"unprepared::receiving", "unprepared::answered"}, f"{program}: {counts}")
    check(counts, f"{program}: of a hundred tasks none")


def test_circle(program):
    """A guard among the variables of a task says that it has the lock: two wait in a circle."""
    with running(program, "circle", "1") as (process, _):
        report = json.loads(run(COROTRACER, "report", "--format", "json", process.pid).stdout)
        text = " ".join(run(COROTRACER, "report", "--duration", "10ms", process.pid).stdout.split())
    check("'first' (Arc<tokio::sync::mutex::Mutex<u32>>) and 'one' (MutexGuard<u32>)" in text, text)
    found = [finding for finding in report["findings"] if finding["rule"] == "mutex-deadlock"]
    check(len(found) == 1 and found[0]["coroutines"] == 2 and "crossing" in found[0]["title"], f"{program}: {report['findings']}")


LINE = {"items.len": "3", "waiting.len": "3", "is_closed": "1", "room": "16", "order": "Last", "last": "6", "next": "None"}


def values_of(text):
    return dict(pair.split(" = ") for pair in text.split(": ")[-1].split(", "))


def test_line(program):
    """What is in the object to which a hand-written future leads is said once, and of each task that awaits one."""
    with running(program, "line", "1") as (process, _):
        report = json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "10ms", process.pid).stdout)
    together = [one["text"] for one in report["sights"] if one["coroutine"] is None and "await the Line at 0x" in one["text"]]
    check(len(together) == 1 and together[0].startswith("3 coroutines, one of them at src/main.rs:"), f"{program}: {report['sights']}")
    check(values_of(together[0]) == LINE, f"{program}: {together}")
    each = [values_of(one["text"]) for one in report["sights"] if one["coroutine"] and one["text"].startswith("awaits Pop: ")]
    check(len(each) == 3 and all(values.pop("line").startswith("0x") and int(values.pop("polls")) >= 1 for values in each), f"{program}: {each}")
    check(all(values == {f"line->{name}": value for name, value in LINE.items()} for values in each), f"{program}: {each}")
    received = [one["text"] for one in report["sights"] if one["coroutine"] is None and "await the Rx<" in one["text"].replace("awaits", "await")]
    check(len(received) == 1 and "inner->rx_waker.waker = set" in received[0] and "inner->tx_count = 1" in received[0], f"{program}: {received}")


ORDER = {'order.id = 3', 'order.path = "/orders/3"', 'order.step = Write', 'order.step.Write = 7', 'counts.len = 3', 'last = -4',
         'none = None', 'id = 3'}
TRIAL = {'host = "für alle, die hier auf ihre Bestellung ..."', 'is_last = false', 'attempt = 1'}


def locals_of(report, function):
    """The variables of each function of the only task that is in this one, with the outermost first."""
    found = [one["text"] for one in report["sights"] if one["text"].startswith(f"locals of unprepared::{function}: ")]
    check(len(found) == 1, f"{function}: {report['sights']}")
    functions = (part.partition(": ") for part in found[0].removeprefix("locals of ").split("; of "))
    return [(name, set(re.split(r", (?=[a-z._]+ = )", values, flags=re.IGNORECASE))) for name, _, values in functions]


def test_locals(program):
    """Variables that are alive where a task waits are said, in each of its functions; what was moved away is not."""
    with running(program, "locals", "1") as (process, _):
        report = json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "10ms", process.pid).stdout)
    found = locals_of(report, "buying")
    check(found == [("unprepared::buying", ORDER), ("unprepared::bought", TRIAL)], f"{program}: {found}")
    found = locals_of(report, "recursive")
    check(found == [("unprepared::recursive", {f"depth = {depth}"}) for depth in (3, 2, 1, 0)], f"{program}: {found}")


def test_tables(program):
    """A writer's guard says who has the lock; who has a permit of a semaphore is a lead."""
    with running(program, "tables", "1") as (process, _):
        report = json.loads(run(COROTRACER, "report", "--format", "json", process.pid).stdout)
        text = " ".join(run(COROTRACER, "report", "--duration", "10ms", process.pid).stdout.split())
    found = [finding for finding in report["findings"] if finding["rule"] == "mutex-deadlock"]
    check(len(found) == 1 and found[0]["coroutines"] == 2 and "crossing_tables" in found[0]["title"], f"{program}: {report['findings']}")
    check("'kept' (" in text and "SemaphorePermit" in text, text)


def test_sizes(program):
    """A task takes what its allocation asked for. A few other things are aligned as tasks are: a channel of each task that
    receives, and what the scheduler has."""
    with running(program, "sizes", "20") as (process, said):
        found = json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid,
                               "SELECT frame_bytes AS size, count(*) AS n FROM coroutines GROUP BY 1").stdout)
    check(sum(row["n"] for row in found) == 14 * 20, f"{program}: {found}")
    left = {size: count - sum(row["n"] for row in found if str(row["size"]) == size) for size, count in said.items()}
    check({str(row["size"]) for row in found} <= set(said) and min(left.values()) >= 0, f"{program}: {found}, not {said}")
    check(sum(left.values()) <= 20 + 12, f"{program}: {found}, not {said}")


def test_core(program, scratch):
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    done = subprocess.run([program, "busy", "end", "50"], cwd=scratch, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    check(done.returncode == -signal.SIGABRT, f"{done}")
    cores = [] if pattern.startswith("|") else [path for path in scratch.glob("*core*") if path.is_file()]
    if not cores:
        print("the kernel hands core dumps to a program: not tested", file=sys.stderr)
        return
    check_lines(tasks(cores[0]), json.loads(done.stdout), f"core of {program}", nr_copies=1)
    cores[0].unlink()


def test_without_debug_information(program, scratch):
    """The symbols alone say that there are tasks: how many, and in which states; and a sentence says what is missing, of a
    process and of a core dump. No finding comes of that."""
    bare = scratch / "bare"
    run("objcopy", "--strip-debug", program, bare)
    with running(bare, "3") as (process, _):
        report = json.loads(run(COROTRACER, "report", "--format", "json", process.pid).stdout)
        text = run(COROTRACER, "report", "--duration", "10ms", process.pid).stdout
    check(report["quality"]["coroutines"] == 42 and not report["findings"], f"{report['quality']}, {report['findings']}")
    check("debug = 2" in " ".join(text.split()), text)
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    subprocess.run([bare, "end", "3"], cwd=scratch, capture_output=True,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    cores = [] if pattern.startswith("|") else [path for path in scratch.glob("*core*") if path.is_file()]
    for core in cores:
        text = run(COROTRACER, "report", core).stdout
        check("debug = 2" in " ".join(text.split()) and "42 waiting" in text, text)
        core.unlink()


def main():
    programs, reason = built("unprepared")
    if not programs:
        skip(reason)
    with folder() as name:
        scratch = pathlib.Path(name)
        for program in programs:
            test_process(program)
            test_busy(program)
            test_reach(program)
            test_circle(program)
            test_line(program)
            test_locals(program)
            test_tables(program)
            test_sizes(program)
            test_core(program, scratch)
        test_way(programs[0])
        test_without_debug_information(programs[0], scratch)


if __name__ == "__main__":
    main()
