# SPDX-License-Identifier: MIT
"""A program that nobody prepared: tasks that hold locks of asyncio and wait for others. Its argument says how: "circle",
"itself", "behind". The output is the line of each place as JSON on one line.
"""
import asyncio
import inspect
import json
import sys

LINES = {}


def note(name):
    LINES[name] = inspect.currentframe().f_back.f_lineno + 1


async def take_both(name, first, second):
    async with first:
        await asyncio.sleep(0.01)
        note(name)
        async with second:
            pass


async def give_back(condition):
    async with condition:
        condition.notify()


async def take_twice(condition):
    async with condition:
        note("itself")
        await give_back(condition)


async def work(condition):
    async with condition:
        await asyncio.sleep(3600)


async def listen(condition):
    async with condition:
        await condition.wait()


async def main(how):
    first, second, condition = asyncio.Lock(), asyncio.Lock(), asyncio.Condition()
    tasks = []
    if how == "circle":
        tasks = [take_both("one", first, second), take_both("other", second, first)]
    if how == "itself":
        tasks = [take_twice(condition), take_twice(condition)]
    if how == "behind":
        tasks = [listen(condition), work(condition), work(condition), give_back(condition)]
    running = [asyncio.create_task(task) for task in tasks]
    await asyncio.sleep(0.1)
    print(json.dumps(LINES), flush=True)
    await asyncio.gather(*running)


asyncio.run(main(sys.argv[1]))
