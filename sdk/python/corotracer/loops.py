# SPDX-License-Identifier: MIT
"""Records asyncio's loops and what tasks wait for there, by a wrapper around each function concerned.

Methods are replaced in their classes, so that objects made before, and names imported before, are recorded as well. A
loop needs only create_task, call_soon, call_later and run_forever, which uvloop's loop has, too.
"""
import asyncio
import collections.abc
import contextlib
import functools
import importlib.util
import math
import os
import signal
import threading
import time

from . import _probe, threads
from ._probe import CHANNEL, CONDITION, EVENT, LOCK, SEMAPHORE

KINDS = {asyncio.Lock: LOCK, asyncio.Semaphore: SEMAPHORE, asyncio.Condition: CONDITION, asyncio.Event: EVENT,
         asyncio.Queue: CHANNEL}
ITEMS, ROOM = 0, 1  # the two ends of a queue
FAULTS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT}
SIGNALS = sum(1 << (number - 1) for number in signal.valid_signals() - FAULTS)


def name(thing, text):
    kind = next((kind for cls, kind in KINDS.items() if isinstance(thing, cls)), None)
    if kind is None:
        raise TypeError(f"a {type(thing).__name__} is nothing that tasks wait for")
    _probe.name_resource(kind, thing, text)


def nr_waiting(futures):
    number = 0
    for future in futures or ():
        number += not future.done()
    return number


def standing_for(original, name=None):
    """For a function that wraps another function: places then show the name of the wrapped function, or the one given."""
    name = name or original.__qualname__

    def name_it(wrapper):
        names = {"co_name": name}
        if hasattr(wrapper.__code__, "co_qualname"):
            names = {"co_name": original.__name__, "co_qualname": name}
        wrapper.__code__ = wrapper.__code__.replace(**names)
        return functools.wraps(original)(wrapper)

    return name_it


# Waits: what a method of a class waits for, wherever inside of the method the task suspends.

def tell_wait(cls, method, kind, end=0, then=None, of=None):
    """`of` returns what an object is a part of that tasks wait for, as a channel's end is."""
    original = getattr(cls, method)

    @standing_for(original, f"{cls.__name__}.{method}")
    async def wait(self, *arguments):
        thing = of(self) if of else self
        before = _probe.wait_for(kind, thing, end)
        try:
            result = await original(self, *arguments)
        finally:
            _probe.wait_over(before)
        if then:
            then(kind, thing)
        return result

    setattr(cls, method, wait)


def tell_before(cls, method, tell):
    """Calls tell(self, *arguments) before the method, because what the method gives may be taken before the method
    returns."""
    original = getattr(cls, method)

    @standing_for(original, f"{cls.__name__}.{method}")
    def told(self, *arguments, **named):
        if _probe.is_attached():
            tell(self, *arguments, **named)
        return original(self, *arguments, **named)

    setattr(cls, method, told)


def tell_lock_release(lock):
    if lock.locked():
        _probe.release(LOCK, lock)


def tell_event_set(event):
    if not event.is_set():
        _probe.notify(EVENT, event, 0, nr_waiting(event._waiters))


def tell_notify(condition, n=1):
    if condition.locked():
        _probe.notify(CONDITION, condition, 0, min(n, nr_waiting(condition._waiters)))


def tell_put(queue, _item):
    if queue.full():
        return
    if queue.maxsize > 0:
        _probe.acquire(CHANNEL, queue, ROOM)
    _probe.notify(CHANNEL, queue, ITEMS, min(1, nr_waiting(queue._getters)))


def tell_get(queue):
    if queue.empty():
        return
    _probe.acquire(CHANNEL, queue, ITEMS)
    if queue.maxsize > 0:
        _probe.notify(CHANNEL, queue, ROOM, min(1, nr_waiting(queue._putters)))


def install_resources():
    tell_wait(asyncio.Lock, "acquire", LOCK, then=_probe.acquire)
    tell_before(asyncio.Lock, "release", tell_lock_release)
    tell_wait(asyncio.Semaphore, "acquire", SEMAPHORE, then=_probe.acquire)
    tell_before(asyncio.Semaphore, "release", lambda semaphore: _probe.release(SEMAPHORE, semaphore))
    tell_wait(asyncio.Event, "wait", EVENT)
    tell_before(asyncio.Event, "set", tell_event_set)
    tell_wait(asyncio.Condition, "wait", CONDITION)
    tell_before(asyncio.Condition, "notify", tell_notify)
    tell_wait(asyncio.Queue, "get", CHANNEL, ITEMS)
    tell_wait(asyncio.Queue, "put", CHANNEL, ROOM)
    tell_before(asyncio.Queue, "get_nowait", tell_get)
    tell_before(asyncio.Queue, "put_nowait", tell_put)


# Loops.

def install_tasks(loop_class):
    create_task, call_soon = loop_class.create_task, loop_class.call_soon

    @standing_for(create_task)
    def traced_create_task(self, coro, **named):
        steps = _probe.Steps(coro) if asyncio.iscoroutine(coro) else coro
        task = create_task(self, steps, **named)
        _probe.name_task(steps, named.get("name") or getattr(coro, "__qualname__", None))
        return task

    @functools.wraps(call_soon)
    def traced_call_soon(self, callback, *arguments, context=None):
        # A task is woken by a method of the task itself.
        task = getattr(callback, "__self__", None)
        if task is not None:
            _probe.woken(task)
        return call_soon(self, callback, *arguments, context=context)

    loop_class.create_task, loop_class.call_soon = traced_create_task, traced_call_soon


def install_names():
    """Before 3.13, asyncio.create_task sets the task's name without calling the loop."""
    set_task_name = getattr(asyncio.tasks, "_set_task_name", None)
    if not set_task_name:
        return

    @functools.wraps(set_task_name)
    def traced_set_task_name(task, name):
        if name is not None and hasattr(task, "get_coro"):
            _probe.name_task(task.get_coro(), name)
        set_task_name(task, name)

    asyncio.tasks._set_task_name = traced_set_task_name


def install_timers(loop_class):
    """A timer that is set for a future ends the wait for that future: in sleep, wait, wait_for."""
    call_later = loop_class.call_later

    @functools.wraps(call_later)
    def traced_call_later(self, delay, callback, *arguments, context=None):
        if arguments and asyncio.isfuture(arguments[0]):
            _probe.ends_at(arguments[0], time.monotonic() + delay)
        return call_later(self, delay, callback, *arguments, context=context)

    loop_class.call_later = traced_call_later


def install_timeouts(timeout_class):
    """asyncio.timeout: every wait of the task ends at the time-out at the latest."""
    enter, leave = timeout_class.__aenter__, timeout_class.__aexit__

    @standing_for(enter)
    async def traced_enter(self):
        result = await enter(self)
        self._corotracer_before = _probe.limit(self.when() or 0)
        return result

    @standing_for(leave)
    async def traced_leave(self, *error):
        _probe.limit(self._corotracer_before)
        return await leave(self, *error)

    timeout_class.__aenter__, timeout_class.__aexit__ = traced_enter, traced_leave


# Signals. Every Python program has a handler for Ctrl-C; if that is its only handler, no wait ends by a signal.

def handled_signals():
    """The signals that have a handler, in Python or in a C library."""
    handled = _probe.handled_signals() & SIGNALS
    while handled:
        lowest = handled & -handled
        handled ^= lowest
        yield lowest.bit_length()


def ends_program(handler):
    if handler is signal.default_int_handler:
        return True
    if getattr(handler, "__module__", None) == "trio._core._ki":
        return True
    method = getattr(handler, "func", None)  # asyncio.run has had a handler of its own since 3.11
    runner = getattr(asyncio, "Runner", None)
    return runner is not None and getattr(method, "__func__", None) is getattr(runner, "_on_sigint", runner)


def tell_signals():
    _probe.signals_end(all(map(ends_program, map(signal.getsignal, handled_signals()))))


class Asked:
    """When the handlers were asked for: asking takes as long as a short task."""

    SECONDS = 0.01  # between two questions, before a sleep that only a handler could end
    TIMED_SECONDS = 1.0
    at = -math.inf


def signals_changed():
    Asked.at = -math.inf


def tell_signals_seldom(seconds=Asked.SECONDS):
    """Calls tell_signals if that is as long ago, or this package has noticed a new handler since."""
    now = time.monotonic()
    if now - Asked.at >= seconds:
        Asked.at = now
        tell_signals()


def install_signals():
    set_handler = signal.signal

    @functools.wraps(set_handler)
    def traced_signal(*arguments):
        signals_changed()
        return set_handler(*arguments)

    signal.signal = traced_signal
    runner = getattr(asyncio, "Runner", None)
    if hasattr(runner, "_on_sigint"):
        install_interrupts(runner)


def install_interrupts(runner_class):
    """The first Ctrl-C only asks for the end, which a task that computes does not notice."""
    on_interrupt = runner_class._on_sigint

    @functools.wraps(on_interrupt)
    def traced(self, number, frame, *arguments, **named):
        threads.interrupted_at(frame, number)
        return on_interrupt(self, number, frame, *arguments, **named)

    runner_class._on_sigint = traced


class Parked:
    """The sleep of a loop that has nothing left to run. Without a timeout the sleep has no end of its own."""

    def __init__(self, loop, timeout=None):
        self.loop, self.timeout = loop, timeout

    def __enter__(self):
        if _probe.is_attached():
            threads.look_seldom()
            if self.timeout is None:
                tell_signals()
            else:
                tell_signals_seldom(Asked.TIMED_SECONDS)
        _probe.park(self.loop, 0 if self.timeout is None else time.monotonic() + self.timeout)

    def __exit__(self, *error):
        _probe.unpark(self.loop)


class Parking:
    """A selector's select, which records the sleep of its loop."""

    def __init__(self, loop, select):
        self.loop, self.select = loop, select

    def __call__(self, timeout=None):
        if timeout is not None and timeout <= 0:
            return self.select(timeout)
        with Parked(self.loop, timeout):
            return self.select(timeout)


def install_parks(loop_class):
    run_forever = loop_class.run_forever

    @functools.wraps(run_forever)
    def traced_run_forever(self):
        _probe.name_thread(threading.current_thread().name)
        selector = getattr(self, "_selector", None)
        if selector is not None and not isinstance(selector.select, Parking):
            selector.select = Parking(self, selector.select)
        return run_forever(self)

    _probe.add_bottom(traced_run_forever.__code__)
    loop_class.run_forever = traced_run_forever


def install():
    loop_classes = [asyncio.base_events.BaseEventLoop]
    _probe.add_library(os.path.dirname(asyncio.__file__) + os.sep)
    _probe.add_library(contextlib.__file__)
    if importlib.util.find_spec("uvloop"):
        import uvloop
        loop_classes.append(uvloop.Loop)
        _probe.add_library(os.path.dirname(uvloop.__file__) + os.sep)
    collections.abc.Coroutine.register(_probe.Steps)
    _probe.set_task_type(asyncio.Task)
    for loop_class in loop_classes:
        install_tasks(loop_class)
        install_timers(loop_class)
        install_parks(loop_class)
    if hasattr(asyncio, "timeouts"):
        install_timeouts(asyncio.timeouts.Timeout)
    install_names()
    install_resources()
    install_signals()
