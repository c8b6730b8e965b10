# SPDX-License-Identifier: MIT
"""Tests an engine that is stopped for a while: its target goes on, what the engine could not write is counted, and
later events are recorded again. And an engine that is stopped for good, or killed while it is stopped: the target does
not notice."""
import contextlib
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys

from support import BUILD, COROTRACER, check, fail, folder, run

PUBLISHER = BUILD / "tests/targets/publisher"
CHECKER = BUILD / "tests/targets/check_published"
RING = 256 * 2048  # records that wait in a ring at most


def published(counters):
    """Returns the target's process id, and how many events each thread has published; (0, []) before it began."""
    if not counters.exists() or counters.stat().st_size < 16:
        return 0, []
    words = struct.unpack(f"<{counters.stat().st_size // 8}Q", counters.read_bytes())
    return words[0], words[1:]


def wait_until_published(counters, engine, numbers):
    """Waits until each thread has come so far, which would never happen if the target waited for its engine."""
    while engine.poll() is None:
        pid, present = published(counters)
        if pid and all(now >= number for now, number in zip(present, numbers)):
            return pid, present
        os.sched_yield()
    return fail(f"the recording ended: {engine.stderr.read()}")


@contextlib.contextmanager
def recording(scratch, threads):
    counters, trace = scratch / "counters", scratch / "t.ctrace"
    with subprocess.Popen([COROTRACER, "run", "-o", trace, "--", PUBLISHER, counters, str(threads), "20"],
                          stderr=subprocess.PIPE, text=True) as engine:
        pid, present = wait_until_published(counters, engine, [1000] * threads)
        yield engine, pid, counters, trace, present


def check_stopped_for_a_while(scratch):
    with recording(scratch, 2) as (engine, pid, counters, trace, present):
        engine.send_signal(signal.SIGSTOP)
        _, present = wait_until_published(counters, engine, [number + 2 * RING for number in present])
        engine.send_signal(signal.SIGCONT)
        _, present = wait_until_published(counters, engine, [number + 4 * RING for number in present])
        os.kill(pid, signal.SIGKILL)
        words = engine.communicate(timeout=60)[1]
        check(engine.returncode == 128 + signal.SIGKILL, f"exit status {engine.returncode}: {words}")
        told = run(CHECKER, trace, counters, 2, status=None)
        check(told.returncode == 0, told.stdout + told.stderr)
        numbers = [int(number) for number in re.findall(r"\d+", told.stdout)]
        # One event of each thread may have been published and not counted when the target was killed.
        check(0 <= numbers[1] + numbers[2] - numbers[0] <= 2, f"not every event is read or lost: {told.stdout}")
        check(numbers[2] >= RING, f"less was lost than was written in vain: {told.stdout}")


def check_killed_when_stopped(scratch):
    with recording(scratch, 1) as (engine, pid, counters, _, present):
        engine.send_signal(signal.SIGSTOP)
        _, present = wait_until_published(counters, engine, [number + 2 * RING for number in present])
        engine.kill()
        engine.wait()
        aim = [number + 4 * RING for number in present]
        while any(now < number for now, number in zip(published(counters)[1], aim)):
            os.kill(pid, 0)
            os.sched_yield()
        os.kill(pid, signal.SIGKILL)


def main():
    with folder() as name:
        check_stopped_for_a_while(pathlib.Path(name))
    with folder() as name:
        check_killed_when_stopped(pathlib.Path(name))


if __name__ == "__main__":
    sys.exit(main())
