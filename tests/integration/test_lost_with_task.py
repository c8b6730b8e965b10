# SPDX-License-Identifier: MIT
"""Tests a task that is woken for a permit, is cancelled, and ends without passing the permit on: the report names the
task, in C++ and in Python.

Both programs go on by timers, so a report cannot say that nothing is left to run; and if the cancelled task passes the
permit on, there is no finding.
"""
import json
import pathlib
import signal
import sys

import environment
from support import BUILD, COROTRACER, check, folder, run

PERMIT = BUILD / "tests/targets/permit"
RULE = "wake-lost-with-task"
POOL = """\
import asyncio, os, signal, sys, time
import corotracer
corotracer.install()

TASKS, CANCELLED = 20, 15

class Pool:
    def __init__(self):
        self.nr_free, self.freed, self.returned = 1, asyncio.Condition(), time.monotonic()

    async def take(self, number):
        async with self.freed:
            while not self.nr_free:
                await self.freed.wait()  # here
            try:
                if number == CANCELLED:
                    asyncio.current_task().cancel()
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                if sys.argv[1] == "passed":
                    self.freed.notify()
                raise
            self.nr_free -= 1

    async def give_back(self):
        async with self.freed:
            self.nr_free += 1
            self.freed.notify()
            self.returned = time.monotonic()

async def client(pool, number):
    await pool.take(number)
    await asyncio.sleep(0.0001)
    await pool.give_back()

async def main():
    began, pool = time.monotonic(), Pool()
    clients = [asyncio.create_task(client(pool, number)) for number in range(TASKS)]
    while time.monotonic() < pool.returned + 1.5 + 20 * (pool.returned - began):
        await asyncio.sleep(0.02)
    os.kill(os.getpid(), signal.SIGTERM)

asyncio.run(main())
"""


def report(place, *command, **options):
    trace = place / "run.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", *command, status=128 + signal.SIGTERM, **options)
    return json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)["findings"]


def titles(findings):
    return [(finding["grade"], finding["title"]) for finding in findings]


def check_found(findings, grade, waits_at, nr_waiting):
    found = [finding for finding in findings if finding["rule"] == RULE]
    check(len(found) == 1, f"there is not one {RULE}: {titles(findings)}")
    check(found[0]["grade"] == grade and len(found[0]["members"]) == nr_waiting and all(text in found[0]["title"] for text in waits_at),
          f"not {grade}, {nr_waiting} at {waits_at}: {titles(found)}")
    check(any("of those that were woken woke the next one" in text for text in found[0]["evidence"]),
          f"what is usual there is not told: {found[0]['evidence']}")
    return found[0]


def check_cpp(place):
    for way, grade in (("lost", "likely"), ("untold", "suspect")):
        check_found(report(place, PERMIT, way), grade, ("Permit::Acquire in use_permit",), 4)
    findings = report(place, PERMIT, "passed")
    check(not findings, f"the permit was passed on: {titles(findings)}")


def check_python(place):
    program = place / "pool.py"
    program.write_text(POOL)
    line = next(number for number, text in enumerate(POOL.splitlines(), 1) if "# here" in text)
    environ = environment.with_package()
    found = check_found(report(place, sys.executable, program, "lost", env=environ), "likely",
                        ("Condition.wait in Pool.take", f"pool.py:{line};"), 4)
    check("died with coroutine" in found["title"] and "client" in found["title"], f"the task is not named: {found['title']}")
    findings = report(place, sys.executable, program, "passed", env=environ)
    check(not findings, f"the connection was passed on: {titles(findings)}")


def main():
    environment.require_package()
    with folder() as name:
        place = pathlib.Path(name)
        check_cpp(place)
        check_python(place)


if __name__ == "__main__":
    main()
