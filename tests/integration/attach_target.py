# SPDX-License-Identifier: MIT
"""A target that was not started under the tracer, its words in shared memory, and engines that attach to it; see
tests/targets/attach_target.c.
"""
import contextlib
import mmap
import os
import signal
import struct
import subprocess

from support import BUILD, COROTRACER, check, run

TARGET = BUILD / "tests/targets/attach_target"
CHECKER = BUILD / "tests/targets/check_published"
PID, COUNT, PAUSE_WANTED, PAUSES, ENGINE, PLUG_IN = range(6)
NR_BYTES = 6 * 8


class Target:
    """A running target and its words."""

    def __init__(self, scratch, *arguments, user=None, **environment):
        self.counters = scratch / f"{len(list(scratch.iterdir()))}.counters"
        self.process = subprocess.Popen([TARGET, self.counters, *arguments], user=user,
                                        env=dict(os.environ, **environment))
        self.until(lambda: self.counters.exists() and self.counters.stat().st_size == NR_BYTES)
        with open(self.counters, "r+b") as file:
            self.words = mmap.mmap(file.fileno(), NR_BYTES)
        self.until(lambda: self[PID])

    def __getitem__(self, word):
        return struct.unpack_from("<Q", self.words, 8 * word)[0]

    def __setitem__(self, word, value):
        struct.pack_into("<Q", self.words, 8 * word, value)

    def until(self, condition, engine=None):
        while not condition():
            check(self.process.poll() is None, "the target has ended")
            check(engine is None or engine.poll() is None, "the engine has ended too early")
            os.sched_yield()

    def pause(self):
        self[PAUSE_WANTED] = 1
        self.until(lambda: self[PAUSES])

    def go_on(self):
        self[PAUSE_WANTED] = 0
        self.until(lambda: not self[PAUSES])


@contextlib.contextmanager
def target(scratch, *arguments, **environment):
    started = Target(scratch, *arguments, **environment)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.wait()


def attach(started, trace, *options):
    """An engine that has attached to the target."""
    engine = subprocess.Popen([COROTRACER, "attach", *options, "-o", trace, str(started[PID])],
                              stderr=subprocess.PIPE, text=True)
    started.until(lambda: started[ENGINE] == engine.pid, engine)
    return engine


def stop(engine):
    engine.send_signal(signal.SIGINT)
    words = engine.communicate(timeout=60)[1]
    check(engine.returncode == 0, f"attach ended with {engine.returncode}: {words}")
    return words


def count_more(started, number):
    last = started[COUNT]
    started.until(lambda: started[COUNT] >= last + number)


def check_trace(trace, started):
    told = run(CHECKER, trace, started.counters, 1, "late", status=None)
    check(told.returncode == 0, f"{trace.name}: {told.stdout}{told.stderr}")
    return told.stdout
