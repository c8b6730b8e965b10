# SPDX-License-Identifier: MIT
"""Records where the program's threads are, beside those whose loops run tasks: they may hold a loop up, or keep the
program from ending. Each look asks the interpreter, some seconds apart at most, and writes what has changed."""
import functools
import os
import sys
import threading
import time

from . import _probe

SECONDS = 1.0  # between two looks
MOST = 64      # threads of one look

_told = {}  # ident of a thread -> where it was last: the frame's identity and instruction


class Looked:
    at = 0.0
    attachment = 0


def frames_of_others():
    """Takes no lock, which the code that a signal has interrupted may have."""
    own = threading.get_ident()
    threads = threading._active
    for ident, frame in sys._current_frames().items():
        thread = threads.get(ident)
        if thread is not None and ident != own and thread.native_id:
            yield thread, frame


def look():
    """Records the threads that are elsewhere than at the last look."""
    if Looked.attachment != _probe.attachment():
        Looked.attachment = _probe.attachment()
        _told.clear()
    seen = {}
    for thread, frame in frames_of_others():
        if len(seen) == MOST:
            break
        seen[thread.ident] = where = id(frame), frame.f_lasti
        if _told.get(thread.ident) != where:
            _probe.thread_at(thread.native_id, thread.name, frame)
    _told.clear()
    _told.update(seen)


def look_seldom():
    now = time.monotonic()
    if now - Looked.at >= SECONDS:
        Looked.at = now
        if threading.active_count() > 1:
            look()


def interrupted_at(frame, number):
    """A signal has interrupted this thread there: if a task computes in it, this is the only word of where. Asks the
    kernel for the thread's id: after a fork the interpreter has the parent's, or none, and the handler must be called."""
    _probe.came(number)
    if _probe.is_attached() and frame is not None:
        _probe.step_at(threading.get_native_id(), threading.current_thread().name, frame)


def install():
    """The interpreter waits for the end of all threads that are no daemons, and calls threading._shutdown for that. A
    watchdog ends the process by os._exit."""
    shutdown, leave = threading._shutdown, os._exit

    @functools.wraps(shutdown)
    def traced_shutdown():
        if _probe.is_attached():
            look()
        return shutdown()

    threading._shutdown = traced_shutdown

    @functools.wraps(leave)
    def traced_exit(status):
        try:
            if _probe.is_attached():
                look()
        finally:
            leave(status)

    os._exit = traced_exit
