# SPDX-License-Identifier: MIT
"""Tests what is said of the tasks of asyncio in the memory of a process, and in a core dump, against what the program
says of itself (tests/targets/unprepared.py), with each Python of this machine whose tasks can be read.
"""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

from support import COROTRACER, SOURCE, check, folder, run
from unprepared import as_by_debugger, running

PROGRAM = SOURCE / "tests/targets/unprepared.py"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
WHERE = ("SELECT e.object, s.line, s.file, c.state, c.coroutine, c.name, c.wait_object FROM events e JOIN coroutines c USING (coroutine) "
         "LEFT JOIN sites s ON s.site = c.wait_site WHERE e.kind = 'frame'")
LOCKS = SOURCE / "tests/targets/unprepared_locks.py"
REACH = SOURCE / "tests/targets/unprepared_reach.py"
UNREACHED = "SELECT c.name FROM events e JOIN coroutines c USING (coroutine) WHERE e.kind = 'detail' AND e.argument = 'unreached'"
LOCALS = SOURCE / "tests/targets/unprepared_locals.py"
HELD = "SELECT s.line, s.function FROM events e JOIN sites s USING (site) WHERE e.kind = 'acquire'"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def interpreters():
    """Paths of the interpreters, one for each that is another file; a name may lead to a script that starts one."""
    names = [sys.executable, "/usr/bin/python3", *(shutil.which(f"python{version}") or "" for version in VERSIONS)]
    paths = {}
    for name in filter(os.path.exists, names):
        told = subprocess.run([name, "-c", "import sys; print(*sys.version_info[:2], sys.executable)"], capture_output=True, text=True)
        if told.returncode == 0:
            major, minor, path = told.stdout.split()
            if f"{major}.{minor}" in VERSIONS:
                paths[os.path.realpath(path)] = f"{major}.{minor}"
    return paths


def tasks(subject, *options):
    """The tasks that are found, by their addresses."""
    rows = json.loads(run(COROTRACER, "query", "--format", "json", *options, subject, WHERE).stdout)
    return {int(row["object"], 16): row for row in rows}


def check_lines(found, said, what):
    """Every task that waits is found, at its line."""
    wrong = {line: found.get(int(task)) for task, line in said["lines"].items()
             if (found.get(int(task)) or {}).get("line") != line or found[int(task)]["file"] != str(PROGRAM)
             or found[int(task)]["state"] != "waiting"}
    check(not wrong, f"{what}: {len(wrong)} lines of {len(said['lines'])} tasks: {list(wrong.items())[:3]}")


def check_ended(found, said, what):
    check(all(found[task]["state"] == "done" for task in said["ended"]), f"{what}: tasks that have ended")


def check_only(found, said, what):
    known = {*map(int, said["lines"]), *said["ended"], *said["others"], said["main"]}
    false = [row for task, row in found.items() if task not in known and row["state"] != "done"]
    check(not false, f"{what}: {len(false)} are no tasks: {false[:3]}")
    check(not set(said["others"]) - set(found), f"{what}: tasks are missing")


def check_waits(found, said, what):
    """Which task waits for which, also through gather, shield, wait and a group."""
    numbers = {row["coroutine"]: task for task, row in found.items()}
    wrong = []
    for waiter, awaited in said["waiters"].items():
        kind, _, number = (found[int(waiter)]["wait_object"] or "").partition(":")
        if kind != "coroutine" or numbers[int(number)] != awaited:
            wrong.append(found[int(waiter)])
        check(found[awaited]["name"] == "Kind Ärger 子", f"{what}: the name {found[awaited]['name']}")
    check(not wrong, f"{what}: {len(wrong)} wait for others: {wrong[:3]}")


def check_resources(found, what):
    kinds = {(row["wait_object"] or "").partition(":")[0] for row in found.values()}
    check(kinds >= {"lock", "event", "condition", "channel", "semaphore", "timer", "descriptor", "coroutine"}, f"{what}: {kinds}")


def test_process(interpreter, version):
    with running(interpreter, PROGRAM, env=ENVIRONMENT) as (process, said):
        found = tasks(process.pid, "--duration", "10ms")
        check_lines(found, said, version)
        check_ended(found, said, version)
        check_only(found, said, version)
        check_waits(found, said, version)
        check_resources(found, version)


def test_busy(interpreter, version):
    """Tasks come and go while their memory is read: those that wait are found all the same."""
    with running(interpreter, PROGRAM, "busy", env=ENVIRONMENT) as (process, said):
        check_lines(tasks(process.pid, "--duration", "10ms"), said, version)


def test_report(interpreter):
    """The whole way into a task is shown, and what the program's threads do."""
    with running(interpreter, PROGRAM, env=ENVIRONMENT) as (process, said):
        found = tasks(process.pid, "--duration", "10ms")
        report = run(COROTRACER, "report", "--duration", "10ms", process.pid).stdout
        check("unprepared.py" in report and "found in memory" in report, report)
        gathering = next(row for task, row in found.items() if str(task) in said["waiters"])
        chain = run(COROTRACER, "why", "--duration", "10ms", process.pid, gathering["coroutine"]).stdout
        check("to wait for coroutine" in chain and "Kind Ärger 子" in chain, chain)


def locks_told(interpreter, how):
    """The report of a program whose tasks hold locks, and who has which lock."""
    with running(interpreter, LOCKS, how, env=ENVIRONMENT) as (process, said):
        report = json.loads(run(COROTRACER, "report", "--format", "json", process.pid).stdout)
        held = json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid, HELD).stdout)
    return said, report, held


def test_locks(interpreter, version):
    """A lock of asyncio has no owner, but its frame says which task is within it: a circle, a task that waits for itself, and
    where those wait who wait for a task that works, of which nothing is to be found."""
    said, report, held = locks_told(interpreter, "circle")
    found = [finding for finding in report["findings"] if finding["rule"] == "mutex-deadlock"]
    check(len(found) == 1 and found[0]["grade"] == "likely" and found[0]["coroutines"] == 2, f"{version}: {report['findings']}")
    check({row["line"] for row in held} == set(said.values()) and len(held) == 2, f"{version}: {held}, {said}")

    said, report, held = locks_told(interpreter, "itself")
    found = [finding for finding in report["findings"] if finding["rule"] == "mutex-deadlock"]
    check(len(found) == 1 and "a lock that it holds itself" in found[0]["title"], f"{version}: {report['findings']}")
    check([row["line"] for row in held] == [said["itself"]], f"{version}: {held}, {said}")

    said, report, held = locks_told(interpreter, "behind")
    check("mutex-deadlock" not in [finding["rule"] for finding in report["findings"]], f"{version}: {report['findings']}")
    check([row["function"] for row in held] == ["work"], f"{version}: {held}")


def test_reach(interpreter, version):
    """Of tasks that something can still wake nothing is said, in whichever way that leads to them; of others it is. Tasks
    without a name of their own are children of one of these."""
    with running(interpreter, REACH, env=ENVIRONMENT) as (process, said):
        rows = json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid, UNREACHED).stdout)
        report = json.loads(run(COROTRACER, "report", "--format", "json", process.pid).stdout)
    found = {row["name"] for row in rows}
    wrong = {name for name in found if not name.startswith(("never", "Task-"))}
    missing = {name for name in said["names"] if name.startswith("never, for a")} - found
    check(not wrong and not missing, f"{version}: {wrong} can be woken; {missing} were not told")
    check("lost-wakeup" in [finding["rule"] for finding in report["findings"]], f"{version}: {report['findings']}")


VARIABLES = ("locals of serve: number = 7, path = '/item/7'; "
             "of gather: len(items) = 3, len(names) = 1, len(some) = 2, len(raw) = 5, len(pair) = 2, len(queue) = 4, "
             "text = 'für alle, die hier auf ihre Bestellung n...', zero = 0; "
             "of fetch: host = 'example.org', attempt = 2, is_last = False, nothing = None, debt = -123456789012, path = ''")
STRANGE = ("locals of wait: now_ns = 1750000000123456789, now = 1750000000.25, quoted = 'it\\'s \\\\', len(cut) = 7, len(lines) = 9")


def test_locals(interpreter, version):
    """What variables are is said where a word says that: of each function of the program, and of no others."""
    with running(interpreter, LOCALS, env=ENVIRONMENT) as (process, _):
        report = json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "10ms", process.pid).stdout)
    found = [one["text"] for one in report["sights"] if one["text"].startswith("locals of serve")]
    check(found == [VARIABLES], f"{version}: {found}")
    found = [one["text"] for one in report["sights"] if one["text"].startswith("locals of wait")]
    check(found == [STRANGE], f"{version}: {found}")


def dumped(interpreter, scratch):
    """Lets the program abort; returns what it said, and its core dump, or None where the kernel hands dumps to a program."""
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    done = subprocess.run([interpreter, PROGRAM, "busy", "end"], cwd=scratch, capture_output=True, text=True, env=ENVIRONMENT,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    check(done.returncode == -signal.SIGABRT, f"{done}")
    cores = [] if pattern.startswith("|") else [path for path in scratch.glob("*core*") if path.is_file()]
    return json.loads(done.stdout), cores[0] if cores else None


def test_core(interpreter, version, scratch):
    inner = scratch / version / os.path.basename(os.path.dirname(os.path.dirname(interpreter)))
    inner.mkdir(parents=True)
    said, core = dumped(interpreter, inner)
    if not core:
        print("the kernel hands core dumps to a program: not tested", file=sys.stderr)
        return
    found = tasks(core)
    check_lines(found, said, version)
    check_ended(found, said, version)
    check_only(found, said, version)
    check_waits(found, said, version)
    check_lines(tasks(as_by_debugger(core, inner / "debugger")), said, f"{version}, a debugger's")
    runs = [row["name"] for row in found.values() if row["state"] == "running"]
    check(runs == ["Task-1"], f"{version}: {runs} run")
    core.unlink()


def test_no_tasks(interpreter):
    """A Python without a task: what its threads are in, from the line of the program on."""
    program = ("import asyncio, sys, threading\ndef take():\n  print(flush=True)\n  sys.stdin.read()\n"
               "def wait(other):\n  other.join()\nother = threading.Thread(target=take)\nother.start()\nwait(other)")
    with subprocess.Popen([interpreter, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
        process.stdout.readline()
        report = " ".join(run(COROTRACER, "report", process.pid).stdout.split())
        told = json.loads(run(COROTRACER, "report", "--format", "json", process.pid).stdout)
        rows = json.loads(run(COROTRACER, "query", "--format", "json", process.pid, "SELECT sight FROM sights").stdout)
        process.stdin.close()
        check("Seen beside the findings seen thread" in report and report.count("is in take") == 1, report)
        check([one["text"] for one in told["sights"]] == [row["sight"] for row in rows] and len(rows) == 2, f"{told['sights']} {rows}")
        check(not [note for note in told["quality"]["notes"] if " is in " in note["text"]], f"{told['quality']['notes']}")
        check("is in take (<string>:4), called by Thread.run" in report, report)
        check("called by wait (<string>:6), called by <module> (<string>:9)" in report, report)


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        found = interpreters()
        check(found, "no Python of this machine can be read")
        for interpreter, version in found.items():
            test_process(interpreter, version)
            test_busy(interpreter, version)
            test_locks(interpreter, version)
            test_reach(interpreter, version)
            test_locals(interpreter, version)
            test_core(interpreter, version, scratch)
        test_report(next(iter(found)))
        test_no_tasks(next(iter(found)))


if __name__ == "__main__":
    main()
