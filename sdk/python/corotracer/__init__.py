# SPDX-License-Identifier: MIT
"""Records for corotracer what this program's tasks do, and reads traces.

    import corotracer
    corotracer.install()

or, with no change to the program, `python -m corotracer program.py`. While no engine records, each step of a task costs
some tens of nanoseconds, and nothing is written. What is recorded, and what is not: sdk/python/README.md.

    trace = corotracer.open("run.ctrace")
    trace.query("SELECT place, p99(duration_ns) FROM waits GROUP BY place").to_pandas()

reads a trace (corotracer.reading), and corotracer.fleet("traces/*.ctrace") many.
"""
import contextlib
import gc
import importlib
import importlib.util
import os
import site
import sysconfig

from . import _probe, greenlets, loops, threads, trios

__all__ = ["install", "is_recorded", "name", "region", "log", "counter", "daemon", "expect_idle",
           "waits_for", "notify", "woken", "parked"]

_READING = {"open": "open_trace", "fleet": "fleet", "Error": "Error"}

_is_installed = False


def __getattr__(attribute):
    """Imports what reads traces when a program first asks for it: a program that is only traced never does."""
    if attribute in _READING:
        return getattr(importlib.import_module(".reading", __name__), _READING[attribute])
    raise AttributeError(f"module 'corotracer' has no attribute '{attribute}'")


def installed_folders():
    """The folders of the standard library and of installed packages, including the user's own packages."""
    paths = {sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return paths.union(site.getsitepackages(), [site.getusersitepackages()])


def install():
    """Records every task that is made from now on, on any loop. Returns True if an engine records. May be called
    again."""
    global _is_installed
    if not _is_installed:
        _is_installed = True
        _probe.add_library(os.path.dirname(__file__) + os.sep)
        for path in installed_folders():
            _probe.add_installed(path + os.sep)
        gc.callbacks.append(_probe.collected)
        loops.install()
        threads.install()
        trios.install()
        if importlib.util.find_spec("greenlet"):
            greenlets.install()
            greenlets.install_eventlet()
        if importlib.util.find_spec("gevent"):
            greenlets.install_gevent()
    return _probe.attach()


def is_recorded():
    """True while events are recorded: by `corotracer run`, by `corotracer attach`, or in a flight recorder."""
    return _probe.is_attached()


def name(thing, text):
    """Gives a lock, a queue or an event of asyncio the name that reports use for it."""
    loops.name(thing, str(text))


@contextlib.contextmanager
def region(text):
    """A named piece of work of the running task: `with corotracer.region("parse"):`."""
    _probe.region(text, True)
    try:
        yield
    finally:
        _probe.region(text, False)


def log(message, text=""):
    """Writes a message. `text`, which may differ at each call, replaces {} in the message; at most 128 bytes of it are
    kept."""
    _probe.log(message, text)


def counter(text, value):
    """A quantity of the program has this value from now on."""
    _probe.counter(text, value)


def waits_for(thing):
    """For objects that are built on greenlets: put `with corotracer.waits_for(mailbox):` around the switch that waits
    for the object."""
    return greenlets.Wait(_probe.EVENT, thing)


def notify(thing, nr_woken):
    """Records that the object's waiters are notified, and that `nr_woken` waiters were found; a notification that finds
    no waiter (0) is worth recording. Call this before the switch, or the wake."""
    _probe.notify(_probe.EVENT, thing, 0, nr_woken)


def drives(greenlet):
    """Declares that the greenlet is a scheduler's own, and only drives others, before it runs for the first time: it is
    not recorded, and the thread's first greenlet is."""
    _probe.greenlet_drives(greenlet)


def woken(greenlet):
    """Records that the greenlet is ready: it is put where its scheduler, which will switch to it, finds it."""
    _probe.greenlet_woken(greenlet)


def parked(scheduler):
    """For a program's own scheduler: put `with corotracer.parked(self):` around its sleep, when nothing is left to
    run."""
    return loops.Parked(scheduler)


def daemon(task=None):
    """Marks the task (None: the running task) as one that is meant to live as long as the program."""
    return _probe.mark(_probe.MARK_DAEMON, trios.steps_of(task))


def expect_idle(task=None):
    """Marks the task as one that may wait for any length of time."""
    return _probe.mark(_probe.MARK_EXPECT_IDLE, trios.steps_of(task))
