# SPDX-License-Identifier: MIT
"""A loop of asyncio whose thread one task keeps: by a call that sleeps, in the task or in a function that it calls, or by a
computation; or, with "idle", by nothing. Three others could run meanwhile, and a fourth waits at their line; with "alone",
none could; with "apart", others run on a second loop all the time.
"""
import asyncio
import json
import sys
import threading
import time


async def fetch(event):
    await event.wait()


def pause():
    time.sleep(600)  # called


async def parse(how, event):
    await asyncio.sleep(0)
    event.set()
    if how in ("alone", "apart"):
        await asyncio.sleep(0.1)
    print(json.dumps({"how": how}), flush=True)
    if how in ("sleep", "alone", "apart"):
        time.sleep(600)  # slept
    elif how == "call":
        pause()  # calls
    elif how == "compute":
        while True:
            pass
    await asyncio.sleep(600)


async def main():
    event = asyncio.Event()
    other = asyncio.create_task(fetch(asyncio.Event()), name="other")
    tasks = [asyncio.create_task(fetch(event), name=f"fetch-{number}") for number in range(3)]
    await asyncio.create_task(parse(sys.argv[1], event), name="parse")
    await asyncio.gather(other, *tasks)


async def turn():
    while True:
        await asyncio.sleep(0)


def turn_elsewhere():
    async def turns():
        await asyncio.gather(*(turn() for _ in range(3)))

    asyncio.run(turns())


if sys.argv[1] == "apart":
    threading.Thread(target=turn_elsewhere, daemon=True).start()
asyncio.run(main())
