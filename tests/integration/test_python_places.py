# SPDX-License-Identifier: MIT
"""Tests what Python's probe says of tasks that do not wait: where a task of asyncio or trio computes when Ctrl-C or a
watchdog ends the program, and at which line an error ended a task of trio."""
import pathlib
import re
import sys

import environment
from support import COROTRACER, check, folder, run

# By either library: a task, and what it computes.
LIBRARIES = {"asyncio": ("import asyncio as library", "library.run(main())"),
             "trio": ("import trio as library", "library.run(main)")}
COMPUTES = """\
{import}
import os, signal, threading

async def main():
    await library.sleep(0)
    compute()

def leave():
    busy.wait()
    os._exit(3)

busy = threading.Event()
def compute():
    {how}

{run}
"""
WAYS = {
    "SIGINT": "signal.raise_signal(signal.SIGINT)",
    "a watchdog": "threading.Thread(target=leave).start()\n    while True: busy.set()",
}
FAILS = """\
import trio

def read():
    raise ValueError("a damaged letter")

async def sort():
    await trio.sleep(0)
    read()

async def give_up(scope):
    scope.cancel()

async def main():
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever, name="sleeper")
            nursery.start_soon(give_up, scope)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(sort)

trio.run(main)
"""
CANCELS = """\
import asyncio

async def escapes():
    await asyncio.Event().wait()

async def catches():
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        pass

async def times_out():
    try:
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()
    except TimeoutError:
        pass

async def sees_task_end():
    child = asyncio.create_task(asyncio.Event().wait(), name="child")
    await asyncio.sleep(0)
    child.cancel()
    try:
        await child
    except asyncio.CancelledError:
        pass

async def sees_future_end():
    future = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.01, future.cancel)
    try:
        await future
    except asyncio.CancelledError:
        pass

async def returns():
    await asyncio.sleep(0)

async def main():
    tasks = [asyncio.create_task(one(), name=one.__name__) for one in (
        escapes, catches, times_out, sees_task_end, sees_future_end, returns)]
    await asyncio.sleep(0.1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

asyncio.run(main())
"""


def dump_of(place, python, code):
    program, trace = place / "program.py", place / "run.ctrace"
    program.write_text(code)
    run(COROTRACER, "run", "-o", trace, "--", python, "-m", "corotracer", program, env=environment.with_package(), status=None)
    return run(COROTRACER, "dump", trace).stdout


def places_in(dump):
    """The function, file and line of each site."""
    return dict(re.findall(r"^site (\d+) .*kind=source .*?(file=\S+ line=\d+ function=\S+)", dump, re.MULTILINE))


def check_computing(place, python, library, way):
    before, after = LIBRARIES[library]
    code = COMPUTES.format(**{"import": before, "how": WAYS[way], "run": after})
    dump = dump_of(place, python, code)
    sites = places_in(dump)
    told = [sites.get(site, "") for site in re.findall(r" mark \d+ @(\d+) mark=thread-at", dump)]
    lines = [number for number, line in enumerate(code.splitlines(), 1) if "raise_signal" in line or "while True" in line]
    check(any(re.search(rf"program\.py line={lines[0]} function=compute\b", place) for place in told),
          f"{library}, ended by {way}: not at line {lines[0]}, but at {told}")
    check((" mark 2 mark=signal" in dump) == (way == "SIGINT"), f"{library}, ended by {way}: a signal is told, or is not")


def check_failed(place, python):
    dump = dump_of(place, python, FAILS)
    sites = places_in(dump)
    ids = {name: coro for coro, name in re.findall(r' name coroutine:(\d+) .*# "(\w+)"', dump)}
    ends = {coro: sites.get(site, "no place") for coro, site in re.findall(r" return c(\d+) @(\d+) flags=0x1", dump)}
    cancelled = re.findall(r" return c(\d+) flags=0x2", dump)
    check("program.py line=4 function=read" in ends.get(ids["sort"], ""), f"{ids}, failed: {ends}")
    check(not {ids["sleeper"], ids["give_up"]} & set(ends), f"who is cancelled has not failed: {ids}, {ends}")
    check(cancelled == [ids["sleeper"]], f"cancelled: {cancelled} of {ids}")


def check_cancelled(place, python):
    dump = dump_of(place, python, CANCELS)
    ids = {coro: name for coro, name in re.findall(r' name coroutine:(\d+) .*# "(\w+)"', dump)}
    cancelled = [ids.get(coro, coro) for coro in re.findall(r" return c(\d+) flags=0x2", dump)]
    catches = ["catches"] if sys.version_info >= (3, 11) else []  # before, no task tells whether it is being cancelled
    check(sorted(cancelled) == [*catches, "child", "escapes"], f"cancelled: {cancelled} of {ids}")


def main():
    environment.require_package()
    python = environment.require_python_with("script")
    with folder() as name:
        place = pathlib.Path(name)
        for library in LIBRARIES:
            for way in WAYS:
                check_computing(place, python, library, way)
        check_failed(place, python)
        check_cancelled(place, python)


if __name__ == "__main__":
    sys.exit(main())
