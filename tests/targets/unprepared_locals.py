# SPDX-License-Identifier: MIT
"""A program that nobody prepared: a task whose functions have variables of many types. Its output is an empty object."""
import asyncio
import collections


class Gate(asyncio.Event):
    """Objects are not said."""


async def fetch(host, attempt, is_last, gate):
    nothing, debt, too_large, path = None, -123456789012, 10**30, ""
    await gate.wait()
    return host, attempt, is_last, nothing, debt, too_large, path


async def wait(now_ns, now, quoted, cut, lines, gate):
    await gate.wait()
    return now_ns, now, quoted, cut, lines


async def gather(items, names, some, raw, pair, queue, text, gate):
    zero = len(items) - 3
    await fetch("example.org", zero + 2, False, gate)
    return items, names, some, raw, pair, queue, text


async def serve(number, gate):
    path = f"/item/{number}"

    def name():
        return path

    await gather([1, 2, 3], {"a": 1}, {1, 2}, b"abcde", (1, 2), collections.deque([1, 2, 3, 4]),
                 "für alle, die hier auf ihre Bestellung noch lange warten müssen", gate)
    later = name()  # has no value yet where the task waits
    return later


async def main():
    served = asyncio.create_task(serve(7, Gate()))
    other = asyncio.create_task(wait(1750000000123456789, 1750000000.25, "it's \\", "ab\0cdef", "two\nlines", Gate()))
    await asyncio.sleep(0.1)
    print("{}", flush=True)
    await served
    await other


asyncio.run(main())
