# SPDX-License-Identifier: MIT
"""Tests what is said of stackful coroutines of a program without a probe: by swapcontext(3), by code of its own, and fibers
of Boost, and those that longjmp(3) switches, against what the programs say of themselves
(tests/targets/unprepared_stackful.cpp, unprepared_switched.cpp, unprepared_fibers.cpp, unprepared_jumps.cpp,
unprepared_pooled.cpp).
"""
import json
import pathlib
import platform
import resource
import shutil
import signal
import subprocess
import sys

from support import COROTRACER, check, folder, run
from unprepared import as_by_debugger, compiled, running

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
WHERE = ("SELECT CASE c.state WHEN 'unseen' THEN 0 ELSE s.line END line, count(*) n FROM coroutines c "
         "JOIN sites s ON s.site = c.wait_site WHERE s.file LIKE '%unprepared_%' AND c.state IN ('waiting', 'unseen') GROUP BY 1")
FIBERS = "#include <boost/fiber/all.hpp>\nint main() { boost::fibers::fiber([] {}).join(); }\n"


def lines_of(subject, *options):
    answer = run(COROTRACER, "query", "--format", "json", *options, subject, WHERE).stdout
    return {str(row["line"]): row["n"] for row in json.loads(answer)}


def test_contexts(scratch):
    """Each context that waits is found, with its line, with both compilers, optimised or not; no other one is."""
    for compiler in COMPILERS:
        for level in ("-O0", "-O2"):
            with running(compiled(scratch, compiler, "unprepared_stackful", level)) as (process, said):
                found = lines_of(process.pid, "--duration", "10ms")
                check(found == said, f"{compiler} {level}: {found} instead of {said}")


def test_busy(scratch):
    """While a thread switches all the time, none of those that wait is lost."""
    with running(compiled(scratch, COMPILERS[0], "unprepared_stackful", "-O2"), "busy") as (process, said):
        found = lines_of(process.pid, "--duration", "10ms")
        lost = {line: (found.get(line), count) for line, count in said.items() if found.get(line, 0) < count}
        check(not lost, f"{lost}")
        check(sum(found.values()) <= sum(said.values()) + 1, f"{found} instead of {said}")


def test_own_switches(scratch):
    """Code of the program's own that leaves a stack is known by what it stores or pushes, whatever it is called."""
    for compiler in COMPILERS:
        for level in ("-O0", "-O2"):
            for way in ("label", "return", "push"):
                with running(compiled(scratch, compiler, "unprepared_switched", level), way) as (process, said):
                    found = lines_of(process.pid, "--duration", "10ms")
                    check(found == said and sum(said.values()) == 750, f"{compiler} {level} {way}: {found} instead of {said}")
    for way in ("label", "push"):
        with running(compiled(scratch, COMPILERS[0], "unprepared_switched", "-O2"), way, "busy") as (process, said):
            found = lines_of(process.pid, "--duration", "10ms")
            lost = {line: (found.get(line), count) for line, count in said.items() if found.get(line, 0) < count}
            check(not lost and sum(found.values()) <= sum(said.values()) + 1, f"{way}: {found} instead of {said}")


def test_jumps(scratch):
    """What setjmp saved is read, and what it saved to come back after a failure is not; a coroutine that swapcontext began
    is counted once; the place is the program's, though all are in the function that switches."""
    for compiler in COMPILERS:
        for level in ("-O0", "-O2"):
            with running(compiled(scratch, compiler, "unprepared_jumps", level)) as (process, said):
                found = lines_of(process.pid, "--duration", "10ms")
                check(found == said and sum(said.values()) == 300, f"{compiler} {level}: {found} instead of {said}")


def test_pooled(scratch):
    """A coroutine whose function has returned, and that is kept to be used again, does not wait. The place of the others is
    that of the program, though all are in the same row of calls, and one of them alone has none to be compared with. It is
    in a function whose name has words that code has, too, by which coroutines leave their stacks."""
    ended = "SELECT count(*) n FROM coroutines WHERE state = 'done'"
    for compiler in COMPILERS:
        for level in ("-O0", "-O2"):
            program = compiled(scratch, compiler, "unprepared_pooled", level)
            with running(program) as (process, said):
                found = lines_of(process.pid, "--duration", "10ms")
                answer = run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid, ended).stdout
            found["ended"] = json.loads(answer)[0]["n"]
            check(found == said, f"{compiler} {level}: {found} instead of {said}")
    stripped = scratch / "pooled-stripped"
    run("strip", "-o", stripped, compiled(scratch, COMPILERS[0], "unprepared_pooled", "-O2"))
    with running(stripped) as (process, said):
        answer = run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid, ended).stdout
    check(json.loads(answer)[0]["n"] == said["ended"], f"stripped: {answer}")


def test_time_out(scratch):
    """A thread that sleeps with a time-out may have a timer of the program's to wait for: that is no standstill. A program
    that lives is not said to have ended in an unknown way, and its evidence is in no file."""
    program = compiled(scratch, COMPILERS[0], "unprepared_pooled", "-O2")
    for more in ([], ["600"]):
        with running(program, *more) as (process, _):
            report = json.loads(run(COROTRACER, "report", "--format", "json", process.pid).stdout)
            text = run(COROTRACER, "report", process.pid).stdout
        found = [finding["rule"] for finding in report["findings"]]
        check(found == ([] if more else ["standstill"]), f"{more}: {found}")
        check("does not say how it ended" not in text and "dump --events" not in text, text)


def test_stripped(scratch):
    """Without symbols and debug information, all are found; their places are offsets, and the report says what would tell more."""
    for name in ("unprepared_stackful", "unprepared_jumps"):
        program = scratch / f"{name}-stripped"
        run("strip", "-o", program, compiled(scratch, COMPILERS[0], name, "-O2"))
        with running(program) as (process, said):
            report = json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "10ms", process.pid).stdout)
            rows = json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid,
                                  "SELECT s.place, s.module, count(*) n FROM coroutines c JOIN sites s ON s.site = c.wait_site "
                                  "WHERE c.state = 'waiting' GROUP BY 1, 2").stdout)
        begun = sum(count for line, count in said.items() if line != "0")
        check(sum(row["n"] for row in rows) == begun, f"{rows} instead of {said}")
        check(all(row["module"] == str(program) and f"{program.name}+0x" in row["place"] for row in rows), f"{rows}")
        notes = [note["text"] for note in report["sights"]]
        check(any("code without debug information" in text for text in notes) or "without debug information" in json.dumps(report), f"{notes}")


def test_report(scratch):
    """The place is told with its function, and nothing is found in a program that only waits."""
    with running(compiled(scratch, COMPILERS[0], "unprepared_stackful", "-O0")) as (process, _):
        report = json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "200ms", process.pid).stdout)
        graver = [finding for finding in report["findings"] if finding["grade"] != "suspect"]
        check(not graver, f"{graver}")
        text = " ".join(run(COROTRACER, "report", "--duration", "10ms", process.pid).stdout.split())
        check("at descend, tests/targets/unprepared_stackful.cpp:" in text, text)


def sights_of(pid, words):
    """The members told by the sights with these words: {"owner": "0x7f30"}."""
    sights = [one["text"] for one in json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "10ms", pid).stdout)["sights"]]
    return [dict(pair.split(" = ") for pair in text.split(": ")[-1].split(", ")) for text in sights if words in text], sights


def test_calls(scratch):
    """An argument of a call that leads to what one waits for says what is in there: to three a lock, to two a channel."""
    for compiler in COMPILERS:
        for level in ("-O0", "-O1", "-O2"):
            with running(compiled(scratch, compiler, "unprepared_calls", level)) as (process, _):
                locks, sights = sights_of(process.pid, " are in lock with the Mutex at 0x")
                channels, _ = sights_of(process.pid, " are in receive with the Channel at 0x")
            what = f"{compiler} {level}: {sights}"
            check(len(locks) == 1 and locks[0]["locked"] == "true" and locks[0]["waiters.count"] == "3" and locks[0]["owner"] != "0x0", what)
            check(len(channels) == 1 and channels[0].pop("receivers.first") != "0x0", what)
            check(channels[0] == {"room": "8", "used": "3", "closed": "true", "receivers.count": "2"}, what)
            check(sum(text.startswith("is in lock with the Mutex") for text in sights) == 3, what)


def test_core(scratch):
    """A core dump of the kernel's tells the same, and the calls on the stacks."""
    program = compiled(scratch, COMPILERS[0], "unprepared_stackful", "-O2")
    inner = scratch / "core"
    inner.mkdir()
    if pathlib.Path("/proc/sys/kernel/core_pattern").read_text().startswith("|"):
        print("the kernel hands core dumps to a program: not tested", file=sys.stderr)
        return
    done = subprocess.run([program, "end"], cwd=inner, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    check(done.returncode == -signal.SIGABRT, f"{done}")
    cores = [path for path in inner.glob("*core*") if path.is_file()]
    if not cores:
        return
    check(lines_of(cores[0]) == json.loads(done.stdout), f"{lines_of(cores[0])} instead of {done.stdout}")
    found = lines_of(as_by_debugger(cores[0], inner / "debugger"))
    check(found == json.loads(done.stdout), f"a debugger's: {found} instead of {done.stdout}")
    dumped = run(COROTRACER, "dump", cores[0]).stdout
    sites = {line.split()[1]: line for line in dumped.splitlines() if line.startswith("site ")}
    calls = [sites[line.split("site=")[1].split()[0]] for line in dumped.splitlines() if line.startswith("stack ")]
    for function in ("descend", "work", "enter"):
        check(any(function in call for call in calls), f"no call of {function} in {calls}")


def test_fibers(scratch):
    """Fibers of Boost, where it is installed: the line in the program, not in the library."""
    probe = scratch / "probe.cpp"
    probe.write_text(FIBERS)
    tried = subprocess.run([COMPILERS[0], "-std=c++20", probe, "-o", scratch / "probe", "-lboost_fiber", "-lboost_context"],
                           capture_output=True)
    if tried.returncode:
        print("no Boost.Fiber: not tested", file=sys.stderr)
        return
    for level in ("-O0", "-O2"):
        with running(compiled(scratch, COMPILERS[0], "unprepared_fibers", level, "-lboost_fiber", "-lboost_context")) as (process, said):
            found = lines_of(process.pid, "--duration", "10ms")
            check(found == said, f"{level}: {found} instead of {said}")
    # The thread is on the scheduler's own stack now, among those of the fibers, and each of them is found all the same.
    program = compiled(scratch, COMPILERS[0], "unprepared_fibers", "-O2", "-lboost_fiber", "-lboost_context")
    with running(program, "joins") as (process, said):
        found = lines_of(process.pid, "--duration", "10ms")
        check(found == said, f"joins: {found} instead of {said}")


def main():
    if platform.machine() != "x86_64":
        print("contexts are found on x86-64 alone: not tested", file=sys.stderr)
        return
    with folder() as name:
        scratch = pathlib.Path(name)
        test_contexts(scratch)
        test_busy(scratch)
        test_own_switches(scratch)
        test_jumps(scratch)
        test_pooled(scratch)
        test_time_out(scratch)
        test_stripped(scratch)
        test_report(scratch)
        test_calls(scratch)
        test_core(scratch)
        test_fibers(scratch)


if __name__ == "__main__":
    main()
