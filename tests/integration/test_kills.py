# SPDX-License-Identifier: MIT
"""Kills a target or an engine at a random instant.

A target that is killed leaves a trace that opens and contains every event published before, and nothing else. The
target counts what it has published in memory of its own, which outlives it; a checker reads the trace through the
public library and compares. An engine that is killed leaves a target that runs on, a file from which `recover` takes
what was written, and a place for the next engine, whose trace counts what was lost in between.

KILLS (25) targets and ENGINE_KILLS (4) engines are killed. The last line says how long the engine needed from the kill
to the finished trace.
"""
import mmap
import os
import pathlib
import select
import signal
import statistics
import struct
import subprocess
import sys
import time

from attach_target import attach, check_trace, count_more, stop, target
from support import BUILD, COROTRACER, check, fail, folder, run, seeded_chance

PUBLISHER = BUILD / "tests/targets/publisher"
CHECKER = BUILD / "tests/targets/check_published"
FILE_HEAD_BYTES = 64  # in front of the first block (docs/spec/trace-format.md, F-10)


def words_of(counters):
    """Returns what the publisher has counted: its process id, and the first thread's last number; zeros before it
    began."""
    if not counters.exists() or counters.stat().st_size < 16:
        return 0, 0
    with open(counters, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as words:
        return struct.unpack_from("<QQ", words)


def wait_for_pid(counters, engine):
    """Returns the target's process id, once it has begun to publish."""
    while engine.poll() is None:
        pid, first = words_of(counters)
        if pid and first:
            return pid
        os.sched_yield()
    fail(f"the target did not start: {engine.stderr.read()}")


def start(scratch, trace, counters, threads, pause):
    """A publisher under an engine whose names in file systems, if it needs any, are in a folder of the test."""
    private = dict(os.environ, XDG_RUNTIME_DIR=str(scratch), TMPDIR=str(scratch))
    return subprocess.Popen([COROTRACER, "run", "-o", trace, "--", PUBLISHER, counters, str(threads), str(pause)],
                            stderr=subprocess.PIPE, text=True, env=private)


def kill_target(scratch, chance):
    """Returns what the checker said, and the seconds from the kill to the engine's end."""
    threads, pause = chance.choice([1, 1, 2, 4]), chance.choice([0, 50, 2000])
    counters, trace = scratch / "counters", scratch / "killed.ctrace"
    with start(scratch, trace, counters, threads, pause) as engine:
        pid = wait_for_pid(counters, engine)
        time.sleep(chance.uniform(0, 0.05))  # the random instant
        os.kill(pid, signal.SIGKILL)
        killed = time.monotonic()
        words = engine.communicate(timeout=60)[1]
        seconds = time.monotonic() - killed
    check(engine.returncode == 128 + signal.SIGKILL, f"exit status {engine.returncode}: {words}")
    told = run(CHECKER, trace, counters, threads, status=None)
    check(told.returncode == 0, f"{threads} threads, pause {pause}: {told.stdout}{told.stderr}")
    info = run(COROTRACER, "info", trace).stdout
    check("SIGKILL" in info, f"info does not say how the process ended:\n{info}")
    trace.unlink()
    counters.unlink()
    left = sorted(path.name for path in scratch.iterdir())
    check(not left, f"left behind: {left}")
    check(not pathlib.Path(f"/proc/{pid}").exists(), "the target was not waited for")
    return told.stdout.strip(), seconds


def recover(trace):
    """What a killed engine had written can be read; if it had written no block yet, that is said."""
    partial = pathlib.Path(f"{trace}.partial")
    check(partial.exists() and not trace.exists(), "an unfinished trace has the name of a finished one")
    recovered = trace.with_suffix(".recovered.ctrace")
    said = run(COROTRACER, "recover", "-o", recovered, partial, status=None)
    if said.returncode == 0:
        info = run(COROTRACER, "info", recovered).stdout
        check("has its end   yes" in info, info)
        recovered.unlink()
    else:
        check(partial.stat().st_size <= FILE_HEAD_BYTES and said.stderr.count("\n") == 1, said.stderr)
    partial.unlink()


def kill_attached_engine(scratch, started, chance):
    """The target goes on; the next engine has everything that follows, and counts what the rings had no room for."""
    killed, after = scratch / "killed.ctrace", scratch / "after.ctrace"
    engine = attach(started, killed)
    while run(COROTRACER, "info", f"{killed}.partial", status=None).returncode:
        check(engine.poll() is None, "the engine has ended")  # no complete block is written yet
    time.sleep(chance.uniform(0, 0.05))  # the random instant
    engine.kill()
    engine.communicate()
    count_more(started, 1000)
    engine = attach(started, after)
    count_more(started, 1000)
    started.pause()
    stop(engine)
    told = check_trace(after, started)
    started.go_on()
    recover(killed)
    after.unlink()
    return told.strip()


def kill_parent_engine(scratch, chance):
    """The engine that started the target is killed: the target publishes on, as an orphan."""
    counters, trace = scratch / "orphan.counters", scratch / "orphan.ctrace"
    with start(scratch, trace, counters, 1, 50) as engine:
        pid = wait_for_pid(counters, engine)
        while run(COROTRACER, "info", f"{trace}.partial", status=None).returncode:
            check(engine.poll() is None, "the engine has ended")  # no complete block is written yet
        time.sleep(chance.uniform(0, 0.05))  # the random instant
        engine.kill()
        engine.wait()
        last = words_of(counters)[1]
        orphan = os.pidfd_open(pid)
        while words_of(counters)[1] < last + 600000:  # more than a ring holds
            check(not select.select([orphan], [], [], 0)[0], "the target ended with its engine")
        signal.pidfd_send_signal(orphan, signal.SIGKILL)  # fails if the orphan has ended by itself
        os.close(orphan)
    recover(trace)
    counters.unlink()


def kill_targets(scratch, kills, chance):
    seconds = []
    for number in range(kills):
        told, needed = kill_target(scratch, chance)
        seconds.append(needed)
        print(f"target {number}: {told}; {needed * 1000:.0f} ms", flush=True)
    if kills:
        print(f"{kills} targets killed; the trace was there after {statistics.median(seconds) * 1000:.0f} ms (median), "
              f"{max(seconds) * 1000:.0f} ms (most)", flush=True)


def kill_engines(scratch, kills, chance):
    with target(scratch) as started:
        for number in range(kills):
            if number % 2:
                kill_parent_engine(scratch, chance)
            else:
                print(f"engine {number}: {kill_attached_engine(scratch, started, chance)}", flush=True)
    print(f"{kills} engines killed")


def main():
    chance = seeded_chance()
    with folder() as name:
        scratch = pathlib.Path(name)
        for part, kill, number in (("targets", kill_targets, "KILLS"), ("engines", kill_engines, "ENGINE_KILLS")):
            (scratch / part).mkdir()
            kill(scratch / part, int(os.environ.get(number, {"KILLS": "25", "ENGINE_KILLS": "4"}[number])), chance)


if __name__ == "__main__":
    sys.exit(main())
