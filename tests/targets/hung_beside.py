# SPDX-License-Identifier: MIT
"""hung_beside.py: while a clock goes on, one task waits for ever, and another one until a line is read; then it waits again. Says "ready",
and "moved" when it does so. The end of the input ends the program, as a watchdog would.
"""
import asyncio
import functools
import os
import sys


async def clock():
    while True:
        await asyncio.sleep(0.05)


async def hung(queue):
    attempt = 7
    return await queue.get(), attempt


async def moves(wakes, queue):
    stage = 1
    await wakes.wait()
    stage = 2
    asyncio.get_running_loop().call_soon(functools.partial(print, "moved", flush=True))  # when it waits again
    return await queue.get(), stage


async def main():
    queue, wakes = asyncio.Queue(), asyncio.Event()
    tasks = [asyncio.create_task(task) for task in (clock(), hung(queue), moves(wakes, queue))]
    print("ready", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        wakes.set()
    os._exit(len(tasks))


asyncio.run(main())
