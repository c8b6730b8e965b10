# SPDX-License-Identifier: MIT
"""Tests asyncio, on its own loop and on uvloop: the correct example has no finding, and the faulty one has a finding
for the task that waits without end."""
import json
import pathlib
import re
import sys

import environment
from support import COROTRACER, SOURCE, check, folder, run

EXAMPLE = SOURCE / "examples/asyncio/pool.py"
GREENLETS = SOURCE / "examples/greenlet"
UVLOOP = "import runpy, sys, uvloop; uvloop.install(); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
LIVES = """\
import asyncio, contextlib, gc, corotracer
corotracer.install()

@contextlib.asynccontextmanager
async def holding(gate):
    await gate.acquire()
    yield

async def enterer(gate):
    async with holding(gate):
        pass

async def child():
    with corotracer.region("parse"):
        await asyncio.sleep(0.001)
    corotracer.log("parsed {}", "all")

async def waiter(gate):
    try:
        async with asyncio.timeout(30) if hasattr(asyncio, "timeout") else gate:
            await gate.acquire()
    except asyncio.CancelledError:
        pass

async def main():
    gate = asyncio.Lock()
    corotracer.name(gate, "the gate")
    await gate.acquire()
    await asyncio.create_task(child(), name="first child")
    gc.collect()
    task = asyncio.create_task(waiter(gate))
    await asyncio.sleep(0)
    task.cancel()
    await task
    alone = asyncio.create_task(asyncio.Queue().get())  # of a library's coroutine alone, as wait_for makes tasks
    await asyncio.sleep(0)
    alone.cancel()
    await asyncio.gather(alone, return_exceptions=True)
    entering = asyncio.create_task(enterer(gate))
    await asyncio.sleep(0)
    entering.cancel()
    await asyncio.gather(entering, return_exceptions=True)
    await asyncio.gather(child(), child())
    forgotten = asyncio.get_running_loop().create_task(waiter(gate))
    corotracer.daemon(forgotten)
    await asyncio.sleep(0)

asyncio.run(main())
"""

WORKERS = """\
import asyncio, multiprocessing, os

async def serve():
    await asyncio.sleep(0.001)

def work():
    asyncio.run(serve())

if __name__ == "__main__":
    spawned = multiprocessing.get_context("spawn").Process(target=work)
    spawned.start()
    spawned.join()
    forked = os.fork()
    if not forked:
        work()
        os._exit(0)
    os.waitpid(forked, 0)
"""

SHELF = """\
async def empty(event):
    await event.wait()

async def take(event):
    await empty(event)
"""
CALLS = """\
import asyncio, os, signal, corotracer, shelf
corotracer.install()

async def query(number):
    if number == 7:
        await shelf.take(asyncio.Event())

async def fetch(number):
    return await query(number)

async def handle(number):
    await asyncio.sleep(0)
    await fetch(number)

async def main():
    asyncio.Event().set()
    asyncio.get_running_loop().call_later(1.5, os.kill, os.getpid(), signal.SIGTERM)
    await asyncio.gather(*(handle(number) for number in range(12)))

asyncio.run(main())
"""


def line_of(code):
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    return f"pool.py:{next(number for number, line in enumerate(lines, 1) if code in line)}"


def record(place, python, *arguments):
    trace = place / "run.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", python, *arguments, env=environment.with_package(), status=None)
    return trace, json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)


def check_healthy(place, python, *before):
    trace, report = record(place, python, "-m", "corotracer", *before, EXAMPLE, "--rounds", "50")
    grave = [finding["title"] for finding in report["findings"] if finding["grade"] != "suspect"]
    check(not grave, f"the correct example: {grave}")
    stats = run(COROTRACER, "stats", trace).stdout
    for wait, line in (("Condition.wait in Pool.take", line_of("await self.freed.wait()")),
                       ("sleep in client", line_of("# works with the connection"))):
        check(f"{wait}, examples/asyncio/{line} " in stats, f"'{wait}' at {line} is not among\n{stats}")


def check_faulty(place, python, *before, grades):
    trace, report = record(place, python, "-m", "corotracer", *before, EXAMPLE, "--fault", "--limit", "2")
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    late = max(number for number, line in enumerate(lines, 1) if "await self.freed.wait()" in line)
    found = [finding for finding in report["findings"] if finding["rule"] == "lost-wakeup" and
             f"Condition.wait in Pool.take_late, examples/asyncio/pool.py:{late}" in finding["title"]]
    check(found and found[0]["grade"] in grades, f"the fault is not found: {report['findings']}")
    text = " ".join(run(COROTRACER, "report", trace, status=None).stdout.split())
    check(f"Condition.notify in Pool.give_back, examples/asyncio/{line_of('self.freed.notify()')}" in text,
          f"the last notify is not named in\n{text}")


def check_lives(place):
    program = place / "lives.py"
    program.write_text(LIVES)
    trace, report = record(place, sys.executable, program)
    dump = run(COROTRACER, "dump", trace).stdout
    for wanted in ('# "first child"', '# "the gate"', "deadline", "region-begin", "parsed", "mark=daemon", "await c1",
                   "point=yield", "park", 'reason="GC of Python"', "range-begin", "range=pause"):
        check(wanted in dump, f"the trace has no '{wanted}'")
    check("function=holding reason=Lock.acquire" in dump and "contextlib.py" not in dump,
          "a wait in a manager's generator has not its place there")
    awaits, ends = dump.count(" await c"), dump.count(" await-done c")
    check(awaits == 6 and ends == 6, f"two tasks and gathers of one, one and two have {awaits} awaits and {ends} ends")
    check("asyncio/queues.py" in dump and "corotracer/loops.py" not in dump, "a wait has its place in this package")
    check(not report["findings"], f"{report['findings']}")


def check_calls(place):
    """
    A wait within an installed package is reported at the program's line, with the calls that lead there and from there
    on; a copy of the trace gives the same.
    """
    environ = environment.with_package() | {"PYTHONUSERBASE": str(place / "base")}
    packages = run(sys.executable, "-m", "site", "--user-site", env=environ, status=None).stdout.strip()
    pathlib.Path(packages).mkdir(parents=True)
    (pathlib.Path(packages) / "shelf.py").write_text(SHELF)
    (place / "calls.py").write_text(CALLS)
    environ["PYTHONPATH"] += f":{packages}"
    trace, copy = place / "run.ctrace", place / "copy.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", sys.executable, place / "calls.py", env=environ, status=None)
    run(COROTRACER, "export", "--format", "ctrace", "-o", copy, trace)
    line = next(number for number, text in enumerate(CALLS.splitlines(), 1) if "shelf.take(" in text)
    for file in (trace, copy):
        report = json.loads(run(COROTRACER, "report", "--format", "json", file, status=None).stdout)
        findings, told = report["findings"], [advice["text"] for advice in report["advice"]]
        found = [finding for finding in findings if "at take in query, " in finding["title"] and f"calls.py:{line}" in finding["title"]]
        check(len(found) == 1, f"{file}: the wait is not at the program's line: {[finding['title'] for finding in findings]}")
        way = [text for text in found[0]["evidence"] if "called by fetch" in text and "; by handle" in text]
        check(not any("corotracer.notify()" in text for text in told), f"what asyncio tells is asked for: {told}")
        check(way and "inside of that, in empty" in way[0] and "; from take" in way[0], f"{file}: {found[0]['evidence']}")


def check_greenlets(place, python):
    """A scheduler of its own, and gevent, whose loop says that no timer is set."""
    for example, names in (("rota.py", ["Mailbox.read"]), ("shop.py", ["Shop.next_order", "sleep in Shop.cook"])):
        trace, report = record(place, python, "-m", "corotracer", GREENLETS / example)
        grave = [finding["title"] for finding in report["findings"] if finding["grade"] != "suspect"]
        check(not grave, f"the correct {example}: {grave}")
        stats = run(COROTRACER, "stats", trace).stdout
        check(all(f"{name}, examples/greenlet/{example}:" in stats for name in names), f"places are missing in\n{stats}")
    trace, report = record(place, python, GREENLETS / "rota.py", "--fault", "--limit", "2")
    found = [finding for finding in report["findings"] if finding["rule"] == "lost-wakeup"]
    check(found and found[0]["grade"] == "proven" and "at Mailbox.read, examples/greenlet/rota.py:" in found[0]["title"],
          f"the fault of rota.py is not found: {report['findings']}")
    check(any("called by " in text and "examples/greenlet/rota.py:" in text for text in found[0]["evidence"]),
          f"who called is not told: {found[0]['evidence']}")
    trace, report = record(place, python, "-m", "corotracer", GREENLETS / "shop.py", "--fault", "--limit", "2")
    cook = [finding for finding in report["findings"] if finding["rule"] == "lost-wakeup" and
            "at Shop.next_order, examples/greenlet/shop.py:" in finding["title"]]
    check(cook and cook[0]["grade"] == "likely", f"the fault of shop.py is not found: {report['findings']}")
    check_timer(place, python)
    check_wakes(place, python)
    check_compiled(place, python)
    check_eventlet(place, python)


def check_eventlet(place, python):
    """eventlet's hub is no coroutine that blocks its thread while it has nothing to do, and says that no timer is set;
    what waits is found, the thread's first greenlet, too."""
    program = place / "desk.py"
    program.write_text("import eventlet, eventlet.event\nbell = eventlet.event.Event()\n"
                       "clerks = [eventlet.spawn(bell.wait) for _ in range(2)]\neventlet.sleep(0.01)\nclerks[0].wait()\n")
    _, report = record(place, "timeout", "-s", "KILL", "6", python, "-m", "corotracer", program)
    found = [(finding["rule"], finding["grade"], finding["title"]) for finding in report["findings"]]
    check([(rule, grade) for rule, grade, _ in found] == [("lost-wakeup", "likely")] and "2 coroutines wait" in found[0][2], f"{found}")
    told = report["findings"][0]["evidence"]
    check(any("GreenThread.wait" in text and "desk.py:5" in text and "which started" in text for text in told), f"{told}")
    program.write_text("import eventlet, eventlet.queue\nbox = eventlet.queue.LightQueue()\n"
                       "def clerk():\n    while True:\n        box.get()\n"
                       "clerks = [eventlet.spawn(clerk) for _ in range(2)]\neventlet.sleep(0.01)\n"
                       "for letter in range(8):\n    eventlet.spawn(box.put, letter).wait()\nclerks[0].wait()\n")
    _, report = record(place, "timeout", "-s", "KILL", "6", python, "-m", "corotracer", program)
    told = [text for finding in report["findings"] for text in finding["evidence"] if " wakes from " in text]
    check(told and all(" wakes from LightQueue._schedule_unlock, " in text for text in told), f"our own function is told: {told}")
    program.write_text("import eventlet\nwaits = [eventlet.spawn(eventlet.sleep, 0.01) for _ in range(50)]\n"
                       "eventlet.sleep(2.5)\nprint(sum(wait.wait() is None for wait in waits))\n")
    _, report = record(place, python, "-m", "corotracer", program)
    check(not report["findings"], f"it waited for its own timer: {report['findings']}")


def check_compiled(place, python):
    """Modules of gevent that are compiled against its classes load after `install`, and work with the classes that
    replace them."""
    program = place / "pooled.py"
    program.write_text("import gevent.monkey\ngevent.monkey.patch_all()\nimport gevent.pool, gevent.pywsgi, gevent.threadpool\n"
                       "workers = gevent.pool.Pool(2)\n"
                       "print(sum(workers.imap_unordered(lambda i: (gevent.sleep(0), i)[1], range(5), maxsize=2)))\n")
    result = run(COROTRACER, "run", "-o", place / "run.ctrace", "--", python, "-m", "corotracer", program,
                 env=environment.with_package())
    check("10\n" in result.stdout, f"{result.stdout}{result.stderr}")


def check_wakes(place, python):
    """gevent switches to whom others have woken: the wake is theirs, with their line, also of one that has ended since."""
    program = place / "bell.py"
    program.write_text("import gevent, gevent.event\nbell = gevent.event.Event()\n"
                       "def clerk():\n    bell.wait()\n"
                       "def ring():\n    gevent.sleep(0.01)\n    bell.set()\n"
                       "gevent.joinall([gevent.spawn(clerk), gevent.spawn(ring)])\n")
    trace, report = record(place, python, "-m", "corotracer", program)
    check(not report["findings"], f"all were woken: {report['findings']}")
    dump = run(COROTRACER, "dump", trace).stdout
    ids = {name: coro for coro, name in re.findall(r' name coroutine:(\d+) .*# "(\w+)"', dump)}
    wakes = re.findall(r" wake c(\d+) coroutine:(\d+) .*", dump)
    check((ids["ring"], ids["clerk"]) in wakes, f"who rings wakes nobody: {ids} {wakes}\n{dump}")
    check(sum(whom not in ids.values() for _, whom in wakes) > 0, f"who joins is woken by nobody: {ids} {wakes}")
    site = re.search(rf" wake c{ids['ring']} coroutine:{ids['clerk']} @(\d+)", dump).group(1)
    check(re.search(rf"^site {site} .*bell.py line=7 ", dump, re.MULTILINE), f"not at the line that rings:\n{dump}")


def check_timer(place, python):
    """A timer of gevent's that no task waits for, and that expires in an hour, may be meant for the waiting task."""
    program = place / "timer.py"
    program.write_text("import gevent, gevent.event\nevent = gevent.event.Event()\ngevent.get_hub().loop.timer(3600).start(event.set)\n"
                       "gevent.spawn(event.wait).join()\n")
    _, report = record(place, "timeout", "-s", "KILL", "1", python, "-m", "corotracer", program)
    check(not report["findings"], f"a timer was to come: {report['findings']}")
    program.write_text("import gevent, gevent.event, signal\nevent = gevent.event.Event()\ngevent.sleep(0.001)\n"
                       "gevent.signal_handler(signal.SIGUSR1, event.set)\ngevent.spawn(event.wait).join()\n")
    _, report = record(place, "timeout", "-s", "KILL", "1", python, "-m", "corotracer", program)
    grave = [finding for finding in report["findings"] if finding["grade"] != "suspect"]
    check(not grave, f"a signal was to come: {grave}")


def check_workers(place):
    program = place / "workers.py"
    program.write_text(WORKERS)
    trace, _ = record(place, sys.executable, "-m", "corotracer", program)
    rows = run(COROTRACER, "query", trace, "SELECT count(DISTINCT process) FROM coroutines").stdout
    check(rows.split()[-1] == "2", f"not of two processes:\n{rows}")


def check_command(place):
    for arguments, status, said in ((["-h"], 0, "python -m corotracer"), ([], 2, "python -m corotracer"),
                                    ([place / "none.py"], 2, "there is no"), (["-m", "none_such"], 1, "none_such")):
        result = run(sys.executable, "-m", "corotracer", *arguments, status=status, env=environment.with_package())
        check(said in result.stdout + result.stderr, f"{arguments}: {result.stdout}{result.stderr}")


def main():
    environment.require_package()
    with folder() as name:
        place = pathlib.Path(name)
        check_command(place)
        check_lives(place)
        check_workers(place)
        check_calls(place)
        check_healthy(place, sys.executable)
        check_faulty(place, sys.executable, grades=("proven",))
        uvloop = environment.require_python_with("script")
        (place / "on_uvloop.py").write_text(UVLOOP)
        check_healthy(place, uvloop, place / "on_uvloop.py")
        check_faulty(place, uvloop, place / "on_uvloop.py", grades=("proven", "likely", "suspect"))
        check_greenlets(place, uvloop)


if __name__ == "__main__":
    main()
