# SPDX-License-Identifier: MIT
"""Tells corotracer what this program's tasks do.

    import corotracer
    corotracer.install()

or, with no change to the program, `python -m corotracer program.py`. Where no engine records, each step of a task costs
some tens of nanoseconds, and nothing is written. What is told, and what is not: sdk/python/README.md.
"""
import contextlib
import gc
import importlib.util
import os
import site
import sysconfig

from . import _probe, greenlets, loops

__all__ = ["install", "is_recorded", "name", "region", "log", "counter", "daemon", "expect_idle",
           "waits_for", "notify", "woken", "parked"]

_is_installed = False


def installed_folders():
    """Of the standard library and of packages, the user's own among them."""
    paths = {sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return paths.union(site.getsitepackages(), [site.getusersitepackages()])


def install():
    """Tells of every task that is made from now on, on any loop. True: an engine records. May be called again."""
    global _is_installed
    if not _is_installed:
        _is_installed = True
        _probe.add_library(os.path.dirname(__file__) + os.sep)
        for path in installed_folders():
            _probe.add_installed(path + os.sep)
        gc.callbacks.append(_probe.collected)
        loops.install()
        if importlib.util.find_spec("greenlet"):
            greenlets.install()
        if importlib.util.find_spec("gevent"):
            greenlets.install_gevent()
    return _probe.attach()


def is_recorded():
    """True while events are recorded: by `corotracer run`, by `corotracer attach`, or in a flight recorder."""
    return _probe.is_attached()


def name(thing, text):
    """Names a lock, a queue, an event of asyncio, as it is to be called in reports."""
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
    """A message; `text`, which may differ each time, stands where the message has {}. At most 128 bytes of it."""
    _probe.log(message, text)


def counter(text, value):
    """A quantity of the program has this value from now on."""
    _probe.counter(text, value)


def waits_for(thing):
    """For what is built on greenlets: `with corotracer.waits_for(mailbox):` around the switch that waits for it."""
    return greenlets.Wait(_probe.EVENT, thing)


def notify(thing, nr_woken):
    """The thing's waiters are told, and so many were found: 0 is worth telling. In front of the switch, or the wake."""
    _probe.notify(_probe.EVENT, thing, 0, nr_woken)


def woken(greenlet):
    """The greenlet is put where its scheduler will find it, and switch to it."""
    _probe.greenlet_woken(greenlet)


def parked(scheduler):
    """For a scheduler of one's own: `with corotracer.parked(self):` around its sleep, where nothing is left to run."""
    return loops.Parked(scheduler)


def daemon(task=None):
    """The task (None: the one that runs) is meant to live as long as the program."""
    return _probe.mark(_probe.MARK_DAEMON, task)


def expect_idle(task=None):
    """The task may wait for any length of time."""
    return _probe.mark(_probe.MARK_EXPECT_IDLE, task)
