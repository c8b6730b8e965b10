# SPDX-License-Identifier: MIT
"""A target killed at a random instant: its trace opens, and holds every event published before.

The target counts what it has published in memory of its own, which outlives it; a checker reads the
trace through the public library and compares. KILLS (100) and SEED are taken from the environment.
"""
import mmap
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import time

from support import BUILD, COROTRACER, check, fail, folder, run

PUBLISHER = BUILD / "tests/targets/publisher"
CHECKER = BUILD / "tests/targets/check_published"


def wait_for_pid(counters, engine):
    """The target's process id, once it has begun to publish."""
    while engine.poll() is None:
        if counters.exists() and counters.stat().st_size >= 16:
            with open(counters, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as words:
                pid, first = struct.unpack_from("<QQ", words)
                if pid and first:
                    return pid
        os.sched_yield()
    return None


def one_kill(scratch, number, chance):
    threads = chance.choice([1, 1, 2, 4])
    pause = chance.choice([0, 50, 2000])
    counters, trace = scratch / f"{number}.counters", scratch / f"{number}.ctrace"
    with subprocess.Popen([COROTRACER, "run", "-o", trace, "--", PUBLISHER, counters, str(threads), str(pause)],
                          stderr=subprocess.PIPE, text=True) as engine:
        pid = wait_for_pid(counters, engine)
        if pid is None:
            fail(f"kill {number}: the target did not start: {engine.stderr.read()}")
        time.sleep(chance.uniform(0, 0.05))  # the random instant
        os.kill(pid, signal.SIGKILL)
        words = engine.communicate(timeout=60)[1]
    check(engine.returncode == 128 + signal.SIGKILL, f"kill {number}: exit status {engine.returncode}: {words}")
    told = run(CHECKER, trace, counters, threads, status=None)
    check(told.returncode == 0, f"kill {number} ({threads} threads, pause {pause}): {told.stdout}{told.stderr}")
    info = run(COROTRACER, "info", trace).stdout
    check("SIGKILL" in info, f"kill {number}: info does not say how the process ended:\n{info}")
    trace.unlink()
    counters.unlink()
    return told.stdout.strip()


def main():
    kills = int(os.environ.get("KILLS", "100"))
    seed = int(os.environ.get("SEED", str(random.SystemRandom().getrandbits(32))))
    chance = random.Random(seed)
    print(f"{kills} kills, SEED={seed}")
    with folder() as name:
        for number in range(kills):
            print(number, one_kill(pathlib.Path(name), number, chance), flush=True)


if __name__ == "__main__":
    sys.exit(main())
