# SPDX-License-Identifier: MIT
"""Tests trio: the correct example has no finding, and its places are the program's; in the faulty one the circle is
found, also if Ctrl-C ends it; a guest run and a simulated clock are recorded; who does not use trio does not load it."""
import json
import pathlib
import re
import sys

import environment
from support import COROTRACER, SOURCE, check, folder, run

EXAMPLE = SOURCE / "examples/trio/relay.py"
JOIN = """\
import trio

async def listen():
    await trio.Event().wait()

async def main():
    async with trio.open_nursery() as nursery:
        for _ in range({}):
            nursery.start_soon(listen)

trio.run(main)
"""
HANDED_ON = """\
import trio

async def second():
    for _ in range(600):
        await trio.sleep(0.1)

async def ready(task_status):
    task_status.started()
    await second()

async def first(nursery):
    await trio.sleep(0.01)
    {}

async def main():
    async with trio.open_nursery() as nursery:
        nursery.start_soon(first, nursery)

trio.run(main)
"""
GUEST = """\
import asyncio, trio

async def ring(bell):
    await trio.sleep(0.01)
    bell.set()

async def guest():
    bell = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ring, bell)
        await bell.wait()

async def host():
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    trio.lowlevel.start_guest_run(guest, run_sync_soon_threadsafe=loop.call_soon_threadsafe, done_callback=over.set_result)
    (await over).unwrap()

asyncio.run(host())
"""
SIMULATED = """\
import corotracer, trio, trio.testing

async def main():
    gate, desk = trio.StrictFIFOLock(), trio.CapacityLimiter(1)
    corotracer.name(gate, "the gate")
    gate.acquire_nowait()
    with trio.move_on_after(30):
        await trio.sleep_forever()
    gate.release()
    async with gate, desk:
        trio.lowlevel.spawn_system_task(trio.sleep_forever)
        await trio.sleep(3)

corotracer.install()
trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
"""


def record(place, *command):
    trace = place / "run.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", *command, env=environment.with_package(), status=None)
    return trace, json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)


def line_of(code):
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    return f"examples/trio/relay.py:{next(number for number, line in enumerate(lines, 1) if code in line)}"


def check_healthy(place, python):
    trace, report = record(place, python, "-m", "corotracer", EXAMPLE)
    check(not report["findings"], f"the correct example: {report['findings']}")
    stats = run(COROTRACER, "stats", trace).stdout
    for wait, line in (("Event.wait in Stadium.run", line_of("self.start.wait()")),
                       ("sleep_forever in Stadium.run", line_of("# runs")),
                       ("MemoryReceiveChannel.receive in Stadium.finish", line_of("async for _ in batons")),
                       ("Condition.wait in Stadium.watch", line_of("self.finished.wait()"))):
        check(f"{wait}, {line} " in stats, f"'{wait}' at {line} is not among\n{stats}")
    dump = run(COROTRACER, "dump", trace).stdout
    for wanted in (" detail=deadline", " park queue:", " await c1 ", " await-done c1 "):
        check(wanted in dump, f"the trace has no '{wanted}'")
    own = re.findall(r"^site .* function=(?:Instruments\.call|Recorder\.\w+).*$", dump, re.MULTILINE)
    check(not own, f"the way to the recorder is a place: {own}")
    waits = set(re.findall(r" suspend c\d+ .*@(\d+)", dump))
    strange = [line for line in dump.splitlines() if re.match(rf"site ({'|'.join(waits)}) ", line) and EXAMPLE.name not in line]
    check(not strange, f"waits have their places elsewhere: {strange}")
    taken, given = (len(re.findall(rf" {how} c\d+ lock:", dump)) for how in ("acquire", "release"))
    check(taken == given, f"locks are taken {taken} times, and given back {given} times")


def check_circle(place, python):
    second = line_of("async with second")
    for ending in ([], ["timeout", "-s", "INT", "2"]):
        _, report = record(place, *ending, python, "-m", "corotracer", EXAMPLE, "--fault", "--limit", "4")
        found = [(one["rule"], one["grade"] != "suspect") for one in report["findings"]]
        check(found == [("mutex-deadlock", True)], f"ended by {ending}: {found}")
        check(f"Lock.acquire in Stadium.note, {second}" in report["findings"][0]["title"], f"{report['findings'][0]['title']}")


def check_join(place, python):
    """Who waits at the end of a nursery waits for the tasks in it, one or more."""
    program = place / "join.py"
    for number in (1, 3):
        program.write_text(JOIN.format(number))
        trace, _ = record(place, "timeout", "-s", "INT", "1", python, "-m", "corotracer", program)
        dump = run(COROTRACER, "dump", trace).stdout
        ids = [coro for coro, name in re.findall(r' name coroutine:(\d+) .*# "(\w+)"', dump) if name in ("main", "listen")]
        awaits = set(re.findall(rf" await c{ids[0]} c(\d+)", dump))
        check(len(ids) == number + 1 and awaits == set(ids[1:]), f"{ids[0]} waits for {awaits}, and not for {ids[1:]}")
        why = " ".join(run(COROTRACER, "why", trace, ids[0], status=None).stdout.split())
        check(number == 1 or f"it waits for the ends of {number} coroutines: coroutine {ids[1]} (listen), " in why, why)
        check(re.search(r"Event.wait in listen, \S*join.py:4", why), f"what they wait for is not told: {why}")


def check_handed_on(place, python):
    """The only task of a nursery starts another one there, and ends: who waits for the nursery is not forgotten."""
    program = place / "handed_on.py"
    for start, name in (("nursery.start_soon(second)", "second"), ("await nursery.start(ready)", "ready")):
        program.write_text(HANDED_ON.format(start))
        for patience in ("1", "5", "25"):  # of a machine that may be busy
            trace, report = record(place, "timeout", "-s", "INT", patience, python, "-m", "corotracer", program)
            if f'# "{name}"' in run(COROTRACER, "dump", trace).stdout:
                break
        else:
            check(False, f"{name} was not started")
        check(not report["findings"], f"{report['findings']}")


def check_guest(place, python):
    (place / "guest.py").write_text(GUEST)
    trace, report = record(place, python, "-m", "corotracer", place / "guest.py")
    check(not report["findings"], f"{report['findings']}")
    dump = run(COROTRACER, "dump", trace).stdout
    ids = {name: coro for coro, name in re.findall(r' name coroutine:(\d+) .*# "(\w+)"', dump)}
    check({"guest", "ring", "host"} <= set(ids), f"{ids}")
    check(f" wake c{ids['ring']} coroutine:{ids['guest']} " in dump, f"who rings wakes nobody: {ids}")


def check_simulated(place, python):
    (place / "simulated.py").write_text(SIMULATED)
    trace, report = record(place, python, place / "simulated.py")
    check(not report["findings"], f"{report['findings']}")
    dump = run(COROTRACER, "dump", trace).stdout
    check('# "the gate"' in dump and "mark=daemon" in dump, "a name or a mark is missing")
    for how in ("acquire", "release"):
        locks = re.findall(rf" {how} c\d+ lock:", dump)
        check(len(locks) == 2, f"two times {how}: {locks}")


def check_not_loaded(place, python):
    (place / "small.py").write_text("import sys\nprint('trio' in sys.modules, 'eventlet' in sys.modules)\n")
    result = run(python, "-m", "corotracer", place / "small.py", env=environment.with_package())
    check(result.stdout == "False False\n", result.stdout)


def main():
    environment.require_package()
    python = environment.require_python_with("script")
    with folder() as name:
        place = pathlib.Path(name)
        check_healthy(place, python)
        check_circle(place, python)
        check_join(place, python)
        check_handed_on(place, python)
        check_guest(place, python)
        check_simulated(place, python)
        check_not_loaded(place, python)


if __name__ == "__main__":
    sys.exit(main())
