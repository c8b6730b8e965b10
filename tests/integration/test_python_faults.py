# SPDX-License-Identifier: MIT
"""Tests what is said of faults that people's first asyncio programs have, beside a clock that goes on, ended by SIGINT; and
who refers to what tasks wait for (P-67)."""
import json
import pathlib
import signal
import sys

import environment
from support import COROTRACER, check, folder, run

BEGIN = """\
import asyncio, os, signal, time

async def clock():
    while True:
        await asyncio.sleep(0.05)

def begin(seconds):
    asyncio.get_running_loop().call_later(seconds, os.kill, os.getpid(), signal.SIGINT)
    return [asyncio.create_task(clock()) for _ in range(3)]

"""
FEEDING = """
async def main():
    clocks = begin(1.5)
    queue = asyncio.Queue(3)
    reader = asyncio.create_task(consumer(queue))
    for number in range(100):
        await queue.put(number)

asyncio.run(main())
"""
FAILED_CONSUMER = """\
async def consumer(queue):
    while True:
        if await queue.get() == 7:
            raise ValueError("seven")  # here
        await asyncio.sleep(0)
"""
SET_BEFORE = """\
async def worker(ready):
    await ready.wait()

async def main():
    clocks = begin(1.5)
    ready = asyncio.Event()
    ready.set()  # here
    ready.clear()
    await asyncio.gather(*(worker(ready) for _ in range(3)))

asyncio.run(main())
"""
NOTIFIED_BEFORE = """\
async def worker(ready):
    async with ready:
        await ready.wait()

async def main():
    clocks = begin(1.5)
    ready = asyncio.Condition()
    async with ready:
        ready.notify()  # here
    await asyncio.gather(worker(ready))

asyncio.run(main())
"""
PRODUCERS_ENDED = """\
async def producer(queue):
    for number in range(3):
        await queue.put(number)

async def consumer(queue):
    while True:
        await queue.get()  # here

async def main():
    clocks = begin(1.5)
    queue = asyncio.Queue(1)
    reader = asyncio.create_task(consumer(queue))
    await asyncio.gather(producer(queue), producer(queue))
    await reader

asyncio.run(main())
"""
SLOW_STEP = """\
async def load():
    await asyncio.sleep(0.01)  # here
    time.sleep(1)

async def main():
    clocks = begin(1.6)
    await load()
    await asyncio.sleep(3600)

asyncio.run(main())
"""
DEEP_ERROR = """\
def count(number):
    if number == 0:
        raise ValueError("zero")  # here
    count(number - 1)

async def rest(number):
    if number:
        return await rest(number - 1)
    await asyncio.sleep(0)

async def consumer(queue):
    while True:
        if await queue.get() == 7:
            count(100)
        await rest(100)
"""
KEPT_PERMITS = """\
async def job(number, places):
    await places.acquire()  # here
    await asyncio.sleep(0.01)
    if number % 2 == 0:
        places.release()

async def main():
    clocks = begin(2.5)
    places = asyncio.Semaphore(3)
    await asyncio.gather(*(job(number, places) for number in range(12)))

asyncio.run(main())
"""
CALL = """\
pending = {}

async def call(number):
    pending[number] = asyncio.get_running_loop().create_future()
    return await pending[number]

"""
KEPT_ANSWER = CALL + """\
async def responder():
    number = 0
    while True:
        await asyncio.sleep(0.05)
        if number in pending:
            answer = pending.pop(number)
            if number != 5:
                answer.set_result(number)  # here
            number += 1

async def main():
    clocks = begin(2.5)
    answering = asyncio.create_task(responder())
    for number in range(10):
        await call(number)

asyncio.run(main())
"""
FORGOTTEN_ANSWER = KEPT_ANSWER.replace("            number += 1", "            number, answer = number + 1, None")
# Without a fault: a task at slow work for another one, tasks that rest until they are cancelled, and futures to which a
# weak reference leads.
AT_WORK = CALL + """\
import weakref
weakly = weakref.WeakValueDictionary()
work = None

async def responder():
    for number in range(100):
        while number not in pending:
            await asyncio.sleep(0.05)
        answer = pending.pop(number)
        for _ in range(1 if number < 5 else 1000):
            await asyncio.sleep(0.05)
        answer.set_result(number)

async def rest():
    await asyncio.Event().wait()

async def await_weakly(number):
    future = weakly[number] = asyncio.get_running_loop().create_future()
    others = [future]
    asyncio.get_running_loop().call_later(0.1, others.clear)
    asyncio.get_running_loop().call_later(600, lambda: weakly[number].set_result(None))
    await future

async def main():
    clocks = begin(2.5)
    resting = [asyncio.create_task(rest()) for _ in range(10)]
    answering = [asyncio.create_task(responder())] + [asyncio.create_task(await_weakly(number)) for number in range(2)]
    for number in range(100):
        await call(number)

asyncio.run(main())
"""
TWO_FULL = """\
async def stage(source, sink):
    while True:
        number = await source.get()
        await sink.put(number)  # here

async def main():
    clocks = begin(1.5)
    first, second = asyncio.Queue(2), asyncio.Queue(2)
    stages = [asyncio.create_task(stage(first, second)), asyncio.create_task(stage(second, first))]
    for number in range(10):
        await first.put(number)
    await asyncio.gather(*stages)

asyncio.run(main())
"""
# Without a fault: somebody else takes from both queues now and then.
DRAINED = TWO_FULL.replace("    for number in", """\
    async def drain():
        for pause in [0.01] * 10 + [60]:
            await asyncio.sleep(pause)
            for queue in (first, second):
                if not queue.empty():
                    queue.get_nowait()
    drains = asyncio.create_task(drain())
    for number in""").replace("range(10)", "range(10000)")
OWN_PERMIT = """\
async def inner(places):
    async with places:
        await asyncio.sleep(0.01)

async def outer(places):
    async with places:  # here
        await asyncio.create_task(inner(places))

async def main():
    clocks = begin(1.5)
    await asyncio.gather(outer(asyncio.Semaphore(1)))

asyncio.run(main())
"""
UNANSWERED = """\
class Request:
    def __init__(self, number):
        self.number, self.answer = number, asyncio.get_running_loop().create_future()

async def handler(requests):
    while True:
        request = await requests.get()
        if request.number == 5:
            continue
        request.answer.set_result(request.number)  # here

async def client(requests, numbers):
    for number in numbers:
        request = Request(number)
        await requests.put(request)
        await request.answer
        await asyncio.sleep(0.1)

async def main():
    clocks = begin(3)
    requests = asyncio.Queue()
    handling = asyncio.create_task(handler(requests))
    await asyncio.gather(*(client(requests, range(first, 1000000)) for first in (0, 10, 20)))

asyncio.run(main())
"""
# Without a fault: a task of its own has slow work to do.
PASSED_ON = UNANSWERED.replace("            continue", """\
            helping.append(asyncio.create_task(helper(request)))
            continue""").replace("async def handler", """\
helping = []

async def helper(request):
    await asyncio.sleep(60)
    request.answer.set_result(None)

async def handler""")
# Threads that are no daemons keep a program from ending; without a fault, each is told to end.
KEEPERS = """\
import asyncio, queue, sys, threading
work = queue.Queue()

def keeper():
    work.get()  # here

async def main():
    await asyncio.sleep(0.01)

for number in range(2):
    threading.Thread(target=keeper, name=f"keeper-{number}").start()
asyncio.run(main())
if len(sys.argv) > 1:
    work.put(1), work.put(2)
"""
# program: its text, in which a line is marked that is to be looked at first; the rule, if there is a fault, and words of
# the title
PROGRAMS = {
    "failed_consumer": (FAILED_CONSUMER + FEEDING, "lost-wakeup", "(consumer), which ended such a wait last, has failed, at consumer"),
    "deep_error": (DEEP_ERROR + FEEDING, "lost-wakeup", "(consumer), which ended such a wait last, has failed, at count"),
    "kept_permits": (KEPT_PERMITS, "lost-wakeup", "6 of 9 coroutines wait, for a semaphore of which only coroutines that have ended kept"),
    "kept_answer": (KEPT_ANSWER, "lost-wakeup", "alone refers to what is waited for, and goes on without it, at call"),
    "forgotten_answer": (FORGOTTEN_ANSWER, "lost-wakeup", "and nobody refers any more to what is waited for, at call"),
    "at_work": (AT_WORK, None, ""),
    "set_before": (SET_BEFORE, "lost-wakeup", "3 coroutines wait, and only timers have woken anybody since, at Event.wait in worker"),
    "notified_before": (NOTIFIED_BEFORE, "lost-wakeup", "had come before, and found nobody"),
    "producers_ended": (PRODUCERS_ENDED, "lost-wakeup", "every coroutine that ended such waits has ended, or waits itself"),
    "two_full": (TWO_FULL, "lost-wakeup", "in a circle of coroutines: what each waits for, only the next one has"),
    "drained": (DRAINED, None, ""),
    "own_permit": (OWN_PERMIT, "lost-wakeup", "in a circle of coroutines: what each waits for, only the next one has"),
    "unanswered": (UNANSWERED, "lost-wakeup", "and so answered each time, has gone on to the next without that, at client"),
    "passed_on": (PASSED_ON, None, ""),
    # On a busy machine the clocks' timers are over before the step begins: then they are ready ones.
    "slow_step": (SLOW_STEP, "worker-hog", ("and 3 others waiting", "and 3 ready ones waiting")),
}


def judge(place, name):
    program, trace = place / f"{name}.py", place / f"{name}.ctrace"
    text, wanted, words = PROGRAMS[name]
    text = BEGIN + text
    program.write_text(text)
    run(COROTRACER, "run", "-o", trace, "--", sys.executable, "-m", "corotracer", program, env=environment.with_package(),
        status=128 + signal.SIGINT)
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)
    found = [(finding["rule"], finding["title"]) for finding in report["findings"]]
    if not wanted:
        check(not found, f"{name}: {found}")
        return
    line = next(number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# here"))
    wordings = (words,) if isinstance(words, str) else words
    check([rule for rule, _ in found] == [wanted] and any(one in found[0][1] for one in wordings), f"{name}: {found}")
    site = next(site for site in report["sites"] if site["index"] == report["findings"][0]["look_first"])
    check(site["file"] == str(program) and site["line"] == line, f"{name}: {site}, not line {line}")


def check_threads(place):
    """Where the threads are that the interpreter waits for."""
    program, trace = place / "keepers.py", place / "keepers.ctrace"
    program.write_text(KEEPERS)
    line = next(number for number, line in enumerate(KEEPERS.splitlines(), 1) if line.endswith("# here"))
    for arguments in ([], ["ends"]):
        run(COROTRACER, "run", "-o", trace, "--", "timeout", "-s", "KILL", "5", sys.executable, "-m", "corotracer", program, *arguments,
            env=environment.with_package(), status=None)
        report = " ".join(run(COROTRACER, "report", trace, status=None).stdout.split())
        for number in range(2):
            told = f"{program.name}:{line}, as keeper-{number}"
            check((told in report) == (not arguments), f"{arguments}: {told}: {report}")


def main():
    environment.require_package()
    with folder() as name:
        check_threads(pathlib.Path(name))
        for program in PROGRAMS:
            judge(pathlib.Path(name), program)


if __name__ == "__main__":
    main()
