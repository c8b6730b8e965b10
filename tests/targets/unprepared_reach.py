# SPDX-License-Identifier: MIT
"""Tasks that something can still wake, each in another way, and tasks that nothing can ("never ..."): the names say which."""
import asyncio
import json
import signal
import socket
import sys
import threading
import time

HELD = []


async def sleep():
    await asyncio.sleep(3600)


async def get(queue):
    await queue.get()


async def wait(event):
    await event.wait()


async def read(reader):
    await reader.read(1)


async def receive(loop, end):
    await loop.sock_recv(end, 1)


async def for_future(future):
    await future


async def for_time():
    async with asyncio.timeout(3600):
        await asyncio.Event().wait()


async def for_own_future():
    await asyncio.get_running_loop().create_future()


async def for_time_of_a_task():
    await asyncio.wait_for(asyncio.create_task(for_own_future(), name="what a time-out ends"), 3600)


async def in_a_thread(loop):
    await loop.run_in_executor(None, time.sleep, 3600)


async def for_both():
    await asyncio.gather(sleep(), asyncio.sleep(3600))


async def listen(condition):
    async with condition:
        await condition.wait()


async def tell_later(condition):
    await asyncio.sleep(3600)
    async with condition:
        condition.notify_all()


async def put_later(queue):
    await asyncio.sleep(3600)
    queue.put_nowait(1)


async def gather_never():
    await asyncio.gather(wait(asyncio.Event()), wait(asyncio.Event()))


def set_later(event, loop):
    time.sleep(3600)
    loop.call_soon_threadsafe(event.set)


async def start():
    loop = asyncio.get_running_loop()
    tasks = []

    def add(name, coroutine):
        tasks.append(asyncio.create_task(coroutine, name=name))

    ends = socket.socketpair() + socket.socketpair()
    HELD.extend(ends)
    for end in ends:
        end.setblocking(False)
    reader, writer = await asyncio.open_unix_connection(sock=ends[0])
    by_signal, by_variable = loop.create_future(), loop.create_future()
    HELD.extend((writer, by_variable))
    loop.add_signal_handler(signal.SIGUSR1, lambda: by_signal.set_result(1))
    event, queue, condition = asyncio.Event(), asyncio.Queue(), asyncio.Condition()
    threading.Thread(target=set_later, args=(event, loop), daemon=True).start()
    add("a timer", sleep())
    add("a thread", wait(event))
    add("a stream", read(reader))
    add("a socket", receive(loop, ends[2]))
    add("a signal", for_future(by_signal))
    add("a variable", for_future(by_variable))
    add("a time-out", for_time())
    add("a time-out of a task", for_time_of_a_task())
    add("an executor", in_a_thread(loop))
    add("two tasks", for_both())
    add("a task", for_future(tasks[0]))
    add("who tells later", listen(condition))
    add("later", tell_later(condition))
    add("who puts later", get(queue))
    add("later as well", put_later(queue))
    add("never, for a future", for_future(loop.create_future()))
    add("never, for an event", wait(asyncio.Event()))
    add("never, for a queue", get(asyncio.Queue()))
    add("never, for a task", for_future(tasks[-1]))
    add("never, for two", gather_never())
    await asyncio.sleep(0.1)
    return tasks


async def main():
    tasks = await start()
    print(json.dumps({"names": [task.get_name() for task in tasks]}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
