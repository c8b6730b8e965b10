# SPDX-License-Identifier: MIT
"""Tests that the way in which a frozen asyncio program is ended does not change the reported cause, although Ctrl-C
cancels all waits.

Programs that wait for the outside, or for a time, have no finding, however they are ended.
"""
import concurrent.futures
import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import time

import environment
from support import COROTRACER, check, folder, run

AT_ONCE = 4
LONGEST = 60  # seconds for each step of a program
PAUSE = 0.02  # seconds: PAUSE_NS in src/model/stillness.c
BEGIN = "import asyncio, corotracer\ncorotracer.install()\n"
WAITER = BEGIN + """\
async def waiter(event):
    await event.wait()

async def main():
    event = asyncio.Event()
    await asyncio.gather(*[waiter(event) for _ in range(3)])
"""
CONSUMERS = BEGIN + """\
async def consume(queue):
    while True:
        await queue.get()

async def main():
    queue = asyncio.Queue()
    consumers = [asyncio.create_task(consume(queue)) for _ in range(3)]
"""
SERVER = CONSUMERS + """\
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        await server.serve_forever()
"""
TIMER = CONSUMERS + """\
    await asyncio.sleep(3600)
"""
# The engine cannot know that the program was sent SIGINT directly, and passes the signal on. At the second signal
# asyncio raises KeyboardInterrupt wherever it is: its loop may lose ready tasks, and never end.
ONCE = """\
import asyncio, signal
if hasattr(asyncio, "Runner"):
    cancel = asyncio.Runner._on_sigint
    struck = []
    def cancel_once(self, *words):
        struck.append(words)
        if len(struck) == 1:
            signal.signal(signal.SIGINT, lambda *words: None)
            cancel(self, *words)
    asyncio.Runner._on_sigint = cancel_once
"""
RUN = "asyncio.run(main())\n"
QUIET = "try:\n    asyncio.run(main())\nexcept KeyboardInterrupt:\n    pass\n"
PROGRAMS = {  # whether it is frozen
    "frozen": (WAITER + RUN, True),
    "frozen, and ends with status 0": (WAITER + QUIET, True),
    "a server": (SERVER + RUN, False),
    "a server, and ends with status 0": (SERVER + QUIET, False),
    "until a time": (TIMER + QUIET, False),
}


class Unlooked(Exception):
    """What the test waits for did not happen."""


def command(trace, program):
    return [COROTRACER, "run", "-o", str(trace), "--", sys.executable, "-c", program]


def is_asleep(told):
    """Returns whether the last look of this dump finds the loop's thread asleep in its call after a pause. A signal
    that comes earlier does not end a rest."""
    began, looked = None, None
    for line in told.splitlines():
        words = line.split()
        if len(words) < 3:
            continue
        if words[2] == "thread-state":
            looked = words
        elif words[2] == "block-begin" and "call=epoll_wait" in words:
            began, looked = words, None
        elif words[2] not in ("thread-time", "thread-poll"):
            began = None
    if not began or not looked or int(looked[4]) & 0x7f != ord("S"):
        return False
    return float(looked[0].rstrip("s")) - float(began[0].rstrip("s")) >= PAUSE


def has_ended(pid):
    """Returns whether the process has ended; leaves its status to a later wait."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def wait_until_looked(trace, pid):
    """Waits until the file shows that the loop sleeps."""
    until = time.monotonic() + LONGEST
    while True:
        is_over = has_ended(pid) or time.monotonic() > until
        told = run(COROTRACER, "dump", pathlib.Path(f"{trace}.partial"), status=None)
        if is_asleep(told.stdout):
            return
        if is_over:
            why = "the engine has ended" if has_ended(pid) else f"not within {LONGEST} s"
            raise Unlooked(f"no look found the loop asleep: {why}\n{told.stdout[-2000:]}{told.stderr}")
        time.sleep(0.02)  # leaves the processor to other processes


def end_engine(pid):
    """Kills a program and its children: each program has a session of its own, and has not been reaped so far."""
    os.killpg(pid, signal.SIGKILL)


def by_signal(number, to):
    def way(trace, program):
        words = command(trace, ONCE + program if to == "group" else program)
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment.with_package(),
                              start_new_session=True) as engine:
            try:
                wait_until_looked(trace, engine.pid)
                target = int(pathlib.Path(f"/proc/{engine.pid}/task/{engine.pid}/children").read_text().split()[0])
                if to == "group":
                    os.killpg(engine.pid, number)
                else:
                    os.kill(engine.pid if to == "engine" else target, number)
                engine.communicate(timeout=LONGEST)
            except BaseException:
                end_engine(engine.pid)
                raise
    return way


def read_to_end(terminal):
    until = time.monotonic() + LONGEST
    try:
        while time.monotonic() < until:
            if select.select([terminal], [], [], 1)[0] and not os.read(terminal, 4096):
                return
    except OSError:  # the other end is closed
        return
    raise Unlooked(f"the terminal was not left within {LONGEST} s of control-c")


def by_key(trace, program):
    words, variables = command(trace, program), environment.with_package()
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.execve(COROTRACER, words, variables)
        finally:  # otherwise the child would go on as another copy of this test
            os._exit(127)
    try:
        wait_until_looked(trace, pid)
        os.write(terminal, b"\x03")
        read_to_end(terminal)
    except BaseException:
        end_engine(pid)
        raise
    finally:
        os.waitpid(pid, 0)
        os.close(terminal)


WAYS = {
    "control-c": by_key,
    **{f"SIGINT to the {to}": by_signal(signal.SIGINT, to) for to in ("group", "engine", "program")},
    **{f"{name} to the program": by_signal(getattr(signal, name), "program") for name in ("SIGTERM", "SIGKILL")},
}


def judge(scratch, name, way):
    trace = scratch / f"{name} {way}.ctrace"
    program, is_frozen = PROGRAMS[name]
    try:
        WAYS[way](trace, program)
    except (Unlooked, subprocess.TimeoutExpired) as error:
        return f"{name}, ended by {way}: {error}"
    told = json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)
    findings = [(finding["rule"], finding["grade"], finding["title"]) for finding in told["findings"]]
    if not is_frozen:
        return f"{name}, ended by {way}: {findings}" if findings else None
    grades = [(rule, grade) for rule, grade, _ in findings]
    # The wait of the parent, which joins them, is a consequence.
    if grades != [("lost-wakeup", "proven")] or "3 coroutines wait" not in findings[0][2]:
        return f"{name}, ended by {way}: {findings}"
    return None


def main():
    environment.require_package()
    with folder() as name, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        verdicts = [pool.submit(judge, pathlib.Path(name), program, way) for way in WAYS for program in PROGRAMS]
        wrong = [verdict.result() for verdict in verdicts if verdict.result()]
    check(not wrong, "\n".join(["not the same verdict:", *wrong]))


if __name__ == "__main__":
    sys.exit(main())
