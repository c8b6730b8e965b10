# SPDX-License-Identifier: MIT
"""Tests recording a program that already runs: P-16, P-17, P-18, P-19.

The target counts in memory of its own what it publishes while events are wanted; see attach_target.c.
"""
import json
import os
import pathlib
import re
import signal
import sys

from attach_target import COUNT, ENGINE, PID, PLUG_IN, attach, check_trace, count_more, stop, target
from support import BUILD, COROTRACER, check, folder, run


def test_again_and_again(scratch):
    """Attach, detach and attach again: each trace has what was published meanwhile, and says what it is."""
    with target(scratch) as started:
        for name in ("first", "second"):
            trace = scratch / f"{name}.ctrace"
            engine = attach(started, trace)
            count_more(started, 1000)
            started.pause()
            words = stop(engine)
            check("runs on, untraced" in words, words)
            check(started[ENGINE] == engine.pid, "the pause came late")
            check_trace(trace, started)
            last = started[COUNT]
            started.go_on()
            started.until(lambda: started[ENGINE] == 0)
            check(started[COUNT] == last, "an event was counted while nobody wanted it")
        report = run(COROTRACER, "report", scratch / "second.ctrace").stdout
        check("recording began while it ran" in report, report)


def test_duration_and_end(scratch):
    trace = scratch / "duration.ctrace"
    with target(scratch) as started:
        run(COROTRACER, "attach", "--duration", "50ms", "-o", trace, started[PID])
        check(run(COROTRACER, "info", trace).stdout, "no info")
        engine = attach(started, scratch / "end.ctrace")
        count_more(started, 100)
        os.kill(started[PID], signal.SIGKILL)
        words = engine.communicate(timeout=60)[1]
        check(engine.returncode == 0 and "has ended" in words, f"{engine.returncode}: {words}")
        check_trace(scratch / "end.ctrace", started)


def test_engine_killed(scratch):
    """The next engine goes on at the tail; events that found the rings full meanwhile are counted exactly."""
    with target(scratch) as started:
        engine = attach(started, scratch / "killed.ctrace")
        count_more(started, 1000)
        engine.kill()
        engine.wait()
        engine.stderr.close()
        count_more(started, 600000)  # a ring holds 522,240
        engine = attach(started, scratch / "after.ctrace")
        count_more(started, 1000)
        started.pause()
        stop(engine)
        told = check_trace(scratch / "after.ctrace", started)
        check("lost and told 0," not in told, f"nothing was lost: {told}")


def test_orders(scratch):
    """Orders for full rings are the same as under `run`: here they hold 4096 events while the engine is stopped."""
    with target(scratch) as started:
        engine = attach(started, scratch / "small.ctrace", "--ring-budget", "128KiB")
        count_more(started, 1000)
        engine.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, engine.pid, os.WSTOPPED | os.WNOWAIT)
        count_more(started, 20000)
        engine.send_signal(signal.SIGCONT)
        count_more(started, 1000)
        started.pause()
        stop(engine)
        lost = int(re.search(r"lost and told (\d+)", check_trace(scratch / "small.ctrace", started))[1])
        check(lost >= 20000 - 4096, f"only {lost} were lost: the rings were not small")


def test_plug_in(scratch):
    """A probe that is loaded later, with a library, is found; its events belong to its thread."""
    library = BUILD / "tests/targets/libprobe_of_its_own.so"
    with target(scratch, "plug-in", library) as started:
        engine = attach(started, scratch / "plug-in.ctrace")
        started.until(lambda: started[PLUG_IN], engine)
        count_more(started, 1000)
        started.pause()
        stop(engine)
        check_trace(scratch / "plug-in.ctrace", started)
        dump = run(COROTRACER, "dump", scratch / "plug-in.ctrace").stdout
        beside = set(re.findall(r" (t\S+) counter 98\b", dump))
        own = set(re.findall(r" (t\S+) counter c1 ", dump))
        check(beside and beside == own, f"threads of the plug-in {beside}, of the program {own}:\n{dump[-2000:]}")


def test_flight(scratch):
    """A recorder in memory yields its past, and goes on after the engine has gone."""
    with target(scratch, COROTRACER_FLIGHT=",1M") as started:
        count_more(started, 1000)
        for name in ("flight", "flight-again"):
            engine = attach(started, scratch / f"{name}.ctrace")
            stop(engine)
            dump = run(COROTRACER, "dump", "--events", "0-3", scratch / f"{name}.ctrace").stdout
            check(" counter " in dump, f"{name}: {dump}")
            count_more(started, 10)


def test_flight_overwritten(scratch):
    """Events that a recorder no longer has lie between its beginning and the events that it still has."""
    with target(scratch, COROTRACER_FLIGHT=",1M") as started:
        count_more(started, 100000)  # the recorder holds 32,768
        stop(attach(started, scratch / "late.ctrace"))
    told = json.loads(run(COROTRACER, "report", "--format", "json", scratch / "late.ctrace").stdout)["quality"]
    lost = [loss for loss in told["losses"] if loss["reason"] == "overwritten" and loss["first_ns"] < told["observed_until_ns"]]
    check(lost and lost[0]["first_ns"] == told["observed_from_ns"], f"{told}")
    first = run(COROTRACER, "dump", "--events", "0", scratch / "late.ctrace").stdout
    check(lost[0]["last_ns"] < told["observed_until_ns"] and " counter " in first, f"{lost} {first}")


def test_refusals(scratch):
    """One sentence and one exit status for each refusal."""
    def refused(pid, status, words):
        told = run(COROTRACER, "attach", "-o", scratch / "refused.ctrace", pid, status=status).stderr
        check(words in told and told.count("\n") == 1, told)
        check(not (scratch / "refused.ctrace").exists(), "a file was left")

    refused(2**22 + 1, 4, "no process with the id")
    refused(os.getpid(), 9, "(COROTRACER_ATTACH=0): does the program call corotracer.install()")
    with target(scratch) as started:
        engine = attach(started, scratch / "one.ctrace")
        refused(started[PID], 8, f"is recorded already, by process {engine.pid}")
        stop(engine)
    with target(scratch, COROTRACER_FLIGHT=str(scratch / "past") + ",1M") as started:
        refused(started[PID], 9, "'corotracer recover' reads it")
    with target(scratch, "fork") as started:
        refused(started[PID], 9, "was forked since")
        started.pause()
        started.go_on()
        stop(attach(started, scratch / "child.ctrace"))
        os.kill(started[PID], signal.SIGKILL)
    if os.geteuid() != 0:
        refused(1, 6, "cannot be looked into")


def main():
    with folder() as name:
        for test in (test_again_and_again, test_duration_and_end, test_engine_killed, test_orders, test_plug_in,
                     test_flight, test_flight_overwritten, test_refusals):
            scratch = pathlib.Path(name) / test.__name__
            scratch.mkdir()
            test(scratch)


if __name__ == "__main__":
    sys.exit(main())
