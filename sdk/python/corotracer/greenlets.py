# SPDX-License-Identifier: MIT
"""Records greenlet's switches, and what gevent's greenlets wait for.

Most of gevent is compiled, and its classes cannot be changed. This module therefore has a derived class for each class
that tasks wait for, and puts the derived class into gevent's modules: a program that imports a class from there after
`install` gets the derived class. The compiled modules keep their own classes, because other compiled modules look there
for the layout of objects, and fail to load if they find another class.
"""
import atexit
import functools
import importlib.machinery
import os
import sys
import time
import weakref

from . import _probe, imports, loops
from ._probe import CHANNEL, EVENT, SEMAPHORE, TIMER

ITEMS, ROOM = 0, 1  # the two ends of a queue


def until(timeout):
    return 0 if timeout is None else time.monotonic() + timeout


class Wait:
    """Records what the greenlet waits for, if the greenlet is switched away inside of the `with`."""

    def __init__(self, kind, thing, end=0, timeout=None):
        _probe.greenlet_wait(kind, thing, end, until(timeout))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        _probe.greenlet_wait(0, None)


def semaphore_class(base):
    class Semaphore(base):
        def acquire(self, blocking=True, timeout=None):
            with Wait(SEMAPHORE, self, 0, timeout):
                is_taken = super().acquire(blocking, timeout)
            if is_taken:
                _probe.acquire(SEMAPHORE, self)
            return is_taken

        def __enter__(self):
            self.acquire()

        def release(self):
            _probe.release(SEMAPHORE, self)
            return super().release()

        def __exit__(self, *error):
            self.release()

    return Semaphore


def event_class(base):
    class Event(base):
        def wait(self, timeout=None):
            with Wait(EVENT, self, 0, timeout):
                return super().wait(timeout)

        def set(self):
            _probe.notify(EVENT, self, 0, self.linkcount())
            return super().set()

    return Event


def result_class(base):
    class AsyncResult(base):
        def get(self, block=True, timeout=None):
            with Wait(EVENT, self, 0, timeout):
                return super().get(block, timeout)

        def wait(self, timeout=None):
            with Wait(EVENT, self, 0, timeout):
                return super().wait(timeout)

        def set(self, value=None):
            _probe.notify(EVENT, self, 0, self.linkcount())
            return super().set(value)

    return AsyncResult


def queue_class(base):
    class Queue(base):
        nr_getting = nr_putting = 0

        def get(self, block=True, timeout=None):
            self.nr_getting += 1
            try:
                with Wait(CHANNEL, self, ITEMS, timeout):
                    item = super().get(block, timeout)
            finally:
                self.nr_getting -= 1
            _probe.acquire(CHANNEL, self, ITEMS)
            if self.maxsize:
                _probe.notify(CHANNEL, self, ROOM, min(1, self.nr_putting))
            return item

        def put(self, item, block=True, timeout=None):
            # The taker may run before put returns: if there is room, the notification is recorded first.
            has_room = not self.full()
            if has_room:
                _probe.notify(CHANNEL, self, ITEMS, min(1, self.nr_getting))
            self.nr_putting += 1
            try:
                with Wait(CHANNEL, self, ROOM, timeout):
                    super().put(item, block, timeout)
            finally:
                self.nr_putting -= 1
            if not has_room:
                _probe.notify(CHANNEL, self, ITEMS, min(1, self.nr_getting))

    return Queue


def is_compiled(module):
    return (getattr(module, "__file__", None) or "").endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))


def replace(module, name, make):
    base = getattr(module, name)
    made = make(base)
    made.__name__, made.__qualname__, made.__module__ = base.__name__, base.__qualname__, base.__module__
    for other in list(sys.modules.values()):
        is_gevent = getattr(other, "__name__", "").split(".")[0] == "gevent"
        if is_gevent and not is_compiled(other) and vars(other).get(name) is base:
            setattr(other, name, made)


class Sleep:
    """Records when a loop of gevent's sleeps. The sleep ends by the clock once a minute, whether or not a timer is
    set."""

    def __init__(self, loop, timers):
        self.loop, self.timers, self.is_asleep = loop, timers, False
        # The last watcher that runs before the sleep, and the first one that runs after the sleep.
        self.before = loop.prepare(ref=False, priority=loop.MINPRI)
        self.after = loop.check(ref=False, priority=loop.MAXPRI)
        self.before.start(self.begin)
        self.after.start(self.end)

    def begin(self):
        if not _probe.is_attached() or self.loop._callbacks or any(timer.active for timer in self.timers):
            return
        loops.tell_signals_seldom()
        _probe.park(self.loop, -1)
        self.is_asleep = True

    def end(self):
        if self.is_asleep:
            self.is_asleep = False
            _probe.unpark(self.loop)


def loop_class(base, timer_class):
    class Timer(timer_class):
        """A timer that can be referenced weakly."""

    class Loop(base):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            self._corotracer_timers = weakref.WeakSet()
            self._corotracer_sleep = Sleep(self, self._corotracer_timers)

        def timer(self, after, repeat=0.0, ref=True, priority=None):
            made = Timer(self, after, repeat, ref, priority)
            self._corotracer_timers.add(made)
            return made

        def run_callback(self, function, *arguments):
            """The hub switches to greenlets because others asked for it here, or for a call that does so. A wake is
            recorded as the hub switches, because only then it is known to whom."""
            return super().run_callback(because(function), *arguments)

        def signal(self, *arguments, **named):
            loops.signals_changed()
            return super().signal(*arguments, **named)

        def child(self, *arguments, **named):
            loops.signals_changed()
            return super().child(*arguments, **named)

        def stat(self, *arguments, **named):
            """A stat watcher polls a file by a timer of its own: from here on some timer may always be set, so no sleep
            is recorded."""
            self._corotracer_sleep.before.stop()
            return super().stat(*arguments, **named)

    return Loop


def install_loop():
    """A loop that exists already has timers that were not counted, so only later loops are recorded; libuv's loop
    sleeps as long as its own timers say, and is left alone."""
    import gevent

    libev = sys.modules.get("gevent.libev.corecext")
    base = gevent.config.loop
    if libev and base is libev.loop:
        gevent.config.loop = loop_class(base, libev.timer)


def install_gevent():
    import gevent
    import gevent.event
    import gevent.lock
    import gevent.queue

    _probe.add_library(os.path.dirname(gevent.__file__) + os.sep)
    _probe.set_driver_type(gevent.hub.Hub)
    install_loop()
    sleep = gevent.sleep

    def traced_sleep(seconds=0, ref=True):
        with Wait(TIMER if seconds else 0, traced_sleep, 0, seconds or None):
            return sleep(seconds, ref)

    traced_sleep.__name__ = traced_sleep.__qualname__ = "sleep"
    gevent.sleep = gevent.hub.sleep = traced_sleep

    def spawned(greenlet):
        _probe.greenlet_runs(gevent.getcurrent())
        _probe.greenlet_start(greenlet, getattr(greenlet._run, "__qualname__", "greenlet"))

    gevent.Greenlet.add_spawn_callback(spawned)
    for name in ("Semaphore", "BoundedSemaphore"):
        replace(gevent.lock, name, semaphore_class)
    replace(gevent.event, "Event", event_class)
    replace(gevent.event, "AsyncResult", result_class)
    replace(gevent.queue, "Queue", queue_class)


def traced_wait(hub, wait):
    """The hub's own sleep, recorded if no timer is set and no descriptor is watched: it ends by the clock once a minute
    for nothing."""
    def traced(seconds=None):
        is_idle, hub._corotracer_has_no_timer = hub._corotracer_has_no_timer, False
        if not is_idle or not _probe.is_attached() or any(hub.listeners.values()):
            return wait(seconds)
        loops.tell_signals_seldom()
        _probe.park(hub, -1)
        try:
            return wait(seconds)
        finally:
            _probe.unpark(hub)

    return traced


def make_because():
    """A local function is never taken for the one that was called (places.c), and leaves its caller's place to be found."""
    def because(call):
        """The same call, on behalf of the greenlet that asks for it now, if one does. A greenlet that is switched to for
        the first time by this begins here."""
        target = getattr(call, "__self__", None)
        _probe.greenlet_runs(greenlet.getcurrent())
        if isinstance(target, greenlet.greenlet) and call.__name__ == "switch":
            _probe.greenlet_begins(target)
        cause = _probe.greenlet_cause()
        return functools.partial(_probe.greenlet_because, cause, call) if cause else call

    return because


because = make_because()


def traced_schedule(schedule):
    """What is to be called at once is called on behalf of who asked for it; a later call is a timer's."""
    def traced(self, seconds, call, *arguments, **named):
        return schedule(self, seconds, call if seconds or named else because(call), *arguments, **named)

    return traced


def wrap_hub(BaseHub):
    begin, default_sleep, ensure_greenlet = BaseHub.__init__, BaseHub.default_sleep, BaseHub.ensure_greenlet

    def __init__(self, *arguments, **named):
        begin(self, *arguments, **named)
        self._corotracer_has_no_timer = False
        self.wait = traced_wait(self, self.wait)
        _probe.greenlet_drives(self.greenlet)

    def traced_default_sleep(self):
        self._corotracer_has_no_timer = True
        return default_sleep(self)

    def traced_ensure_greenlet(self):
        was = self.greenlet
        ensure_greenlet(self)
        if self.greenlet is not was:
            _probe.greenlet_drives(self.greenlet)

    BaseHub.__init__, BaseHub.default_sleep = __init__, traced_default_sleep
    BaseHub.ensure_greenlet = traced_ensure_greenlet
    BaseHub.schedule_call_local = traced_schedule(BaseHub.schedule_call_local)
    BaseHub.schedule_call_global = traced_schedule(BaseHub.schedule_call_global)


def install_eventlet():
    """eventlet's hub is an ordinary greenlet, which drives all others, the thread's first one among them. eventlet is
    not imported for this."""
    imports.when_imported("eventlet.hubs.hub", lambda module: wrap_hub(module.BaseHub))


def install():
    global greenlet
    import greenlet

    greenlet.settrace(_probe.greenlet_switched)
    atexit.register(lambda: _probe.greenlet_ends(greenlet.getcurrent()))
