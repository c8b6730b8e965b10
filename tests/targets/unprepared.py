#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tasks of asyncio that wait at many kinds of places, without any help for who looks from outside.

unprepared.py [busy] [end] [COUNT]: makes COUNT tasks for each place, and then says in one line of JSON of each task, by
its address, at which line of this file it waits. `busy`: tasks run all the time besides. `end`: aborts. Otherwise ends
with its input.
"""
import asyncio
import contextlib
import json
import os
import socket
import sys
import threading

NAME = "Kind Ärger 子"  # characters of one byte, two and three
LINES = {}
WAITERS = {}  # of a task, the task for which it waits
ENDED = set()


def mark(below=0):
    """The running task waits at the line from which this is called, or so many lines below it."""
    LINES[id(asyncio.current_task())] = sys._getframe(1).f_lineno + below


class Manager:
    async def __aenter__(self):
        mark(); await asyncio.get_running_loop().create_future()

    async def __aexit__(self, *error):
        pass


class Awaitable:
    def __init__(self, inner):
        self.inner = inner

    def __await__(self):
        mark(); return (yield from self.inner.__await__())


async def bare():
    mark(); await asyncio.get_running_loop().create_future()


async def nested(depth=10):
    if depth:
        return await nested(depth - 1)
    mark(); await asyncio.get_running_loop().create_future()


async def lock(held=asyncio.Lock()):
    mark(); await held.acquire()


async def event(never=asyncio.Event()):
    mark(); await never.wait()


async def condition(never=asyncio.Condition()):
    async with never:
        mark(); await never.wait()


async def getter(empty=asyncio.Queue()):
    mark(); await empty.get()


async def putter(full=asyncio.Queue(1)):
    mark(); await full.put(None)


async def semaphore(taken=asyncio.Semaphore(0)):
    mark(); await taken.acquire()


async def sleeper():
    mark(); await asyncio.sleep(100000)


async def timed():
    mark(); await asyncio.wait_for(asyncio.get_running_loop().create_future(), 100000)


async def awaitable():
    await Awaitable(asyncio.get_running_loop().create_future())


async def within_statements():
    for _ in range(3):
        with contextlib.suppress(ValueError):
            if _ == 2:
                mark(1); (
                    await
                    asyncio.get_running_loop().create_future())


async def numbers():
    yield 1
    mark(); await asyncio.get_running_loop().create_future()
    yield 2


async def iterating():
    async for _ in numbers():
        pass


@contextlib.asynccontextmanager
async def managed():
    mark(); await asyncio.get_running_loop().create_future()
    yield


async def managing():
    async with managed():
        pass


async def entering():
    async with Manager():
        pass


async def receiver():
    ours, theirs = socket.socketpair()
    SOCKETS.append(theirs)
    ours.setblocking(False)
    mark(); await asyncio.get_running_loop().sock_recv(ours, 1)


def child_of(parent):
    child = asyncio.create_task(bare(), name=NAME)
    WAITERS[id(parent)] = id(child)
    TASKS.append(child)
    return child


async def awaiting():
    child = child_of(asyncio.current_task())
    mark(); await child


async def gathering():
    child = child_of(asyncio.current_task())
    mark(); await asyncio.gather(child)


async def shielding():
    child = child_of(asyncio.current_task())
    mark(); await asyncio.shield(child)


async def selecting():
    child = child_of(asyncio.current_task())
    mark(); await asyncio.wait([child])


async def grouping():
    async with asyncio.TaskGroup() as group:
        child = group.create_task(bare(), name=NAME)
        WAITERS[id(asyncio.current_task())] = id(child)
        TASKS.append(child)
        LINES[id(asyncio.current_task())] = GROUP_LINE


GROUP_LINE = grouping.__code__.co_firstlineno + 1


async def ending():
    ENDED.add(id(asyncio.current_task()))


async def turning():
    while True:
        await asyncio.gather(*(asyncio.create_task(asyncio.sleep(0)) for _ in range(20)))


PLACES = [bare, nested, lock, event, condition, getter, putter, semaphore, sleeper, timed, awaitable, within_statements,
          iterating, managing, entering, receiver, awaiting, gathering, shielding, selecting, grouping, ending]
TASKS, SOCKETS = [], []


def say(others):
    lines = {id(task): LINES[id(task)] for task in TASKS if id(task) in LINES}
    print(json.dumps({"lines": lines, "waiters": WAITERS, "ended": list(ENDED), "main": id(asyncio.current_task()),
                      "others": [id(task) for task in others]}), flush=True)


async def all_wait():
    """Returns when every task has come to its place."""
    while any(not task.done() and id(task) not in LINES for task in TASKS):
        await asyncio.sleep(0)
    await asyncio.sleep(0)


async def main(is_busy, ends, count):
    await lock.__defaults__[0].acquire()
    await putter.__defaults__[0].put(None)
    TASKS.extend([asyncio.create_task(place()) for place in PLACES for _ in range(count)])
    await all_wait()
    loops = [asyncio.create_task(turning()) for _ in range(3)] if is_busy else []
    ended = asyncio.get_running_loop().create_future()
    loop = asyncio.get_running_loop()
    if ends:
        await asyncio.sleep(0.2)
        say(asyncio.all_tasks())
        os.abort()
    say(loops)
    threading.Thread(target=lambda: (sys.stdin.read(), loop.call_soon_threadsafe(ended.set_result, None)), daemon=True).start()
    await ended


if __name__ == "__main__":
    asyncio.run(main("busy" in sys.argv, "end" in sys.argv, int(sys.argv[-1]) if sys.argv[-1].isdigit() else 5))
