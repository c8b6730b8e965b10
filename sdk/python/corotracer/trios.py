# SPDX-License-Identifier: MIT
"""Records trio's tasks, by trio's own interface for that, an instrument of each run; and what tasks wait for, by a
wrapper around each method concerned.

The instrument is given to trio.run and to trio.lowlevel.start_guest_run, as trio is imported.
"""
import functools
import math
import os
import signal
import sys
import threading
import time

from . import _probe, imports, loops, threads
from ._probe import CHANNEL, CONDITION, EVENT, LOCK, SEMAPHORE

ITEMS, ROOM = 0, 1  # the two ends of a channel
NO_TIMER = 24 * 60 * 60  # seconds that trio sleeps if no deadline is set

_tasks = {}  # task -> its Steps, as long as the task lives


def steps_of(task):
    """What records this task of trio; another object stays as it is."""
    return _tasks.get(task, task)


def is_of_trio(task):
    """Is this a task of trio's own, such as the one that holds all others? Such tasks are not recorded."""
    return task.name.startswith("<")


def is_system_task(task):
    """Is it meant to live as long as the program's main task does?"""
    return task.parent_nursery is getattr(getattr(task, "_runner", None), "system_nursery", task)


def name_of(task):
    name = getattr(task.coro, "__qualname__", "")
    return name if name and task.name.endswith(name) else task.name


def joined_by(task):
    """The nursery at whose end the task waits for the tasks in it, if it does so."""
    nurseries = task.child_nurseries
    if nurseries and getattr(nurseries[-1], "_parent_waiting_in_aexit", False):
        return nurseries[-1]
    return None


def tell_joined(nursery, steps):
    """A task that is started while another one waits for the end of its nursery is waited for as well."""
    parent = _tasks.get(getattr(nursery, "parent_task", None))
    if parent is not None and getattr(nursery, "_parent_waiting_in_aexit", False):
        parent.join([steps])


class Recorder:
    """An instrument of one run."""

    def __init__(self, trio):
        self.trio = trio

    def task_spawned(self, task):
        if is_of_trio(task):
            return
        steps = _tasks[task] = _probe.Steps(task.coro)
        _probe.name_task(steps, name_of(task))
        if is_system_task(task):
            _probe.mark(_probe.MARK_DAEMON, steps)
        tell_joined(task.parent_nursery, steps)

    def task_scheduled(self, task):
        steps = _tasks.get(task)
        if steps is not None:
            steps.ready()

    def before_task_step(self, task):
        steps = _tasks.get(task)
        if steps is not None:
            steps.begin()

    def task_exited(self, task):
        steps = _tasks.pop(task, None)
        if steps is not None:
            steps.finish()

    def after_task_step(self, task):
        steps = _tasks.get(task)
        if steps is None:
            return
        if not _probe.is_attached():
            steps.suspend(0, None, None)
            return
        nursery = joined_by(task)
        children = [_tasks[child] for child in nursery.child_tasks if child in _tasks] if nursery else []
        seconds = self.trio.current_effective_deadline() - self.trio.current_time()
        steps.suspend(time.monotonic() + seconds if 0 < seconds < math.inf else 0, nursery, children)


class ParkingRecorder(Recorder):
    """An instrument of a run whose thread sleeps when no task can run; in a guest run, the host decides what it does."""

    is_parked = False

    def before_run(self):
        _probe.name_thread(threading.current_thread().name)

    def before_io_wait(self, timeout):
        if timeout <= 0 or not _probe.is_attached():
            return
        self.is_parked = True
        threads.look_seldom()
        if timeout < NO_TIMER:
            loops.tell_signals_seldom(loops.Asked.TIMED_SECONDS)
            _probe.park(self, time.monotonic() + timeout)
        else:
            loops.tell_signals_seldom()
            _probe.park(self, -1)

    def after_io_wait(self, timeout):
        if self.is_parked:
            self.is_parked = False
            _probe.unpark(self)


def tell_taken(cls, method, kind):
    """For a method that takes without a wait."""
    original = getattr(cls, method)

    @loops.standing_for(original, f"{cls.__name__}.{method}")
    def take(self, *arguments):
        result = original(self, *arguments)
        _probe.acquire(kind, self)
        return result

    setattr(cls, method, take)


def handed(kind, thing, end=0):
    """For a method that calls the one that takes without a wait, and waits if that fails: then whoever ends the wait
    hands over what it was for."""
    if _probe.has_waited():
        _probe.acquire(kind, thing, end)


def tell_lock_release(lock):
    if lock.locked():
        _probe.release(LOCK, lock)


def tell_event_set(event):
    if not event.is_set():
        _probe.notify(EVENT, event, 0, event.statistics().tasks_waiting)


def tell_notify(condition, n=1):
    if condition.locked():
        _probe.notify(CONDITION, condition, 0, min(n, condition.statistics().tasks_waiting))


def tell_notify_all(condition):
    tell_notify(condition, condition.statistics().tasks_waiting)


def tell_lock_taken_again(_kind, condition):
    """Who gives the lock back hands it over to a task that was notified."""
    _probe.acquire(LOCK, condition._lock)


def state_of(channel):
    return channel._state


def tell_send(channel, _value):
    state = channel._state
    if state.receive_tasks or len(state.data) < state.max_buffer_size:
        if state.max_buffer_size > 0:
            _probe.acquire(CHANNEL, state, ROOM)
        _probe.notify(CHANNEL, state, ITEMS, min(1, len(state.receive_tasks)))


def tell_receive(channel):
    state = channel._state
    if state.data or state.send_tasks:
        _probe.acquire(CHANNEL, state, ITEMS)
        _probe.notify(CHANNEL, state, ROOM, min(1, len(state.send_tasks)))


def tell_close_of_sender(channel):
    """The end of the last sender ends all waits for items."""
    state = channel._state
    if not channel._closed and state.open_send_channels == 1:
        _probe.notify(CHANNEL, state, ITEMS, len(state.receive_tasks))


def tell_close_of_receiver(channel):
    state = channel._state
    if not channel._closed and state.open_receive_channels == 1:
        _probe.notify(CHANNEL, state, ROOM, len(state.send_tasks))


def install_resources(trio):
    for lock in (trio.Lock, trio.StrictFIFOLock):
        tell_taken(lock, "acquire_nowait", LOCK)
        loops.tell_wait(lock, "acquire", LOCK, then=handed)
        loops.tell_before(lock, "release", tell_lock_release)
    for cls, ending in ((trio.Semaphore, ""), (trio.CapacityLimiter, "_on_behalf_of")):
        tell_taken(cls, f"acquire{ending}_nowait", SEMAPHORE)
        loops.tell_wait(cls, f"acquire{ending}", SEMAPHORE, then=handed)
        loops.tell_before(cls, f"release{ending}", lambda semaphore, *_: _probe.release(SEMAPHORE, semaphore))
    loops.tell_wait(trio.Event, "wait", EVENT)
    loops.tell_before(trio.Event, "set", tell_event_set)
    loops.tell_wait(trio.Condition, "wait", CONDITION, then=tell_lock_taken_again)
    loops.tell_before(trio.Condition, "notify", tell_notify)
    loops.tell_before(trio.Condition, "notify_all", tell_notify_all)
    loops.tell_wait(trio.MemorySendChannel, "send", CHANNEL, ROOM, then=functools.partial(handed, end=ROOM), of=state_of)
    loops.tell_wait(trio.MemoryReceiveChannel, "receive", CHANNEL, ITEMS, then=handed, of=state_of)
    loops.tell_before(trio.MemorySendChannel, "send_nowait", tell_send)
    loops.tell_before(trio.MemoryReceiveChannel, "receive_nowait", tell_receive)
    loops.tell_before(trio.MemorySendChannel, "close", tell_close_of_sender)
    loops.tell_before(trio.MemoryReceiveChannel, "close", tell_close_of_receiver)
    loops.KINDS.update({trio.Lock: LOCK, trio.StrictFIFOLock: LOCK, trio.Semaphore: SEMAPHORE, trio.Event: EVENT,
                        trio.CapacityLimiter: SEMAPHORE, trio.Condition: CONDITION})


def tell_moved(status):
    """A task that Nursery.start has started belongs to the nursery as soon as it calls `started`."""
    original = status.started

    @functools.wraps(original)
    def started(self, *arguments, **named):
        tasks = self._old_nursery.child_tasks
        original(self, *arguments, **named)
        for task in tasks:
            if task in _tasks and task.parent_nursery is self._new_nursery:
                tell_joined(self._new_nursery, _tasks[task])

    status.started = started


def tell_outcomes(nursery_class):
    """A task's outcome is known to the nursery alone."""
    original = nursery_class._child_finished

    @functools.wraps(original)
    def child_finished(self, task, outcome):
        original(self, task, outcome)
        steps = _tasks.pop(task, None)
        if steps is not None:
            steps.finish(getattr(outcome, "error", None))

    nursery_class._child_finished = child_finished


def tell_interrupts(manager_class):
    """Trio's handler of Ctrl-C: what it interrupts may be a task that computes."""
    original = manager_class.install

    @functools.wraps(original)
    def install_handler(self, *arguments, **named):
        original(self, *arguments, **named)
        handler = self.handler
        if handler is None or signal.getsignal(signal.SIGINT) is not handler:
            return

        @functools.wraps(handler)
        def traced(number, frame):
            threads.interrupted_at(frame, number)
            handler(number, frame)

        self.handler = traced
        signal.signal(signal.SIGINT, traced)

    manager_class.install = install_handler


def recorded(run, make):
    @functools.wraps(run)
    def traced(*arguments, instruments=(), **named):
        return run(*arguments, instruments=[*instruments, make()], **named)

    return traced


def hide_instruments():
    """What trio calls an instrument by, and the instrument, are no place of the program's."""
    instruments = getattr(sys.modules.get("trio._core._instrumentation"), "Instruments", None)
    for method in (Recorder.task_spawned, Recorder.task_scheduled, getattr(instruments, "call", None)):
        if hasattr(method, "__code__"):
            _probe.add_hidden(method.__code__)


def change(trio):
    hide_instruments()
    _probe.add_library(os.path.dirname(trio.__file__) + os.sep)
    _probe.add_bottom(trio.run.__code__)
    install_resources(trio)
    status = getattr(getattr(trio._core, "_run", None), "_TaskStatus", None)
    if status is not None:
        tell_moved(status)
    if hasattr(trio.Nursery, "_child_finished"):
        tell_outcomes(trio.Nursery)
    manager = getattr(getattr(trio._core, "_ki", None), "KIManager", None)
    if hasattr(manager, "install"):
        tell_interrupts(manager)

    def derived(recorder):
        """Of trio's own class, whose other methods do nothing: trio asks for them."""
        return type(recorder.__name__, (recorder, trio.abc.Instrument), {})

    of_run, of_guest = derived(ParkingRecorder), derived(Recorder)
    trio.run = recorded(trio.run, lambda: of_run(trio))
    trio.lowlevel.start_guest_run = recorded(trio.lowlevel.start_guest_run, lambda: of_guest(trio))


def install():
    """trio is not imported for this."""
    imports.when_imported("trio", change)
