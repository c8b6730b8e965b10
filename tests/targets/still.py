# SPDX-License-Identifier: MIT
"""still.py still|moving [SECONDS]: four tasks wait for one that waits for a queue. `moving`: another one goes on. Ends itself
after the seconds (10), as a watchdog would.
"""
import asyncio
import os
import sys
import threading

PATIENCE_S = int(sys.argv[2]) if len(sys.argv) > 2 else 10


async def working(number, lock, queue):
    attempt = number + 10
    async with lock:
        item = await queue.get()
    return item, attempt


async def moving():
    while True:
        await asyncio.sleep(0.05)


async def main():
    lock, queue = asyncio.Lock(), asyncio.Queue()
    threading.Timer(PATIENCE_S, os.abort).start()
    tasks = [working(number, lock, queue) for number in range(4)]
    if sys.argv[1] == "moving":
        tasks.append(moving())
    await asyncio.gather(*tasks)


asyncio.run(main())
