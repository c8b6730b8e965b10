# SPDX-License-Identifier: MIT
"""How a frozen program of asyncio is ended changes nothing about why it was frozen, though Ctrl-C cancels all that waits.

Programs that wait for the outside, or for a time, are no finding however they are ended.
"""
import concurrent.futures
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import time

import environment
from support import COROTRACER, check, folder, run

AT_ONCE = 4
BEGIN = "import asyncio, corotracer\ncorotracer.install()\n"
WAITER = BEGIN + """\
async def waiter(event):
    await event.wait()

async def main():
    event = asyncio.Event()
    await asyncio.gather(*[waiter(event) for _ in range(3)])
"""
SERVER = BEGIN + """\
async def consume(queue):
    while True:
        await queue.get()

async def main():
    queue = asyncio.Queue()
    consumers = [asyncio.create_task(consume(queue)) for _ in range(3)]
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        await server.serve_forever()
"""
TIMER = BEGIN + """\
async def consume(queue):
    while True:
        await queue.get()

async def main():
    queue = asyncio.Queue()
    consumers = [asyncio.create_task(consume(queue)) for _ in range(3)]
    await asyncio.sleep(3600)
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


def command(trace, program):
    return [COROTRACER, "run", "-o", str(trace), "--", sys.executable, "-c", program]


def wait_until_looked(trace):
    """Until the file says that the loop sleeps."""
    told = ""
    while "call=epoll_wait" not in told.rpartition("suspend")[2] or " thread-state " not in told.rpartition("suspend")[2]:
        time.sleep(0.02)  # leaves the processor to the others
        told = run(COROTRACER, "dump", pathlib.Path(f"{trace}.partial"), status=None).stdout


def by_signal(number, to):
    def way(trace, program):
        with subprocess.Popen(command(trace, program), stderr=subprocess.PIPE, text=True, env=environment.with_package(),
                              start_new_session=True) as engine:
            wait_until_looked(trace)
            target = int(pathlib.Path(f"/proc/{engine.pid}/task/{engine.pid}/children").read_text().split()[0])
            if to == "group":
                os.killpg(engine.pid, number)
            else:
                os.kill(engine.pid if to == "engine" else target, number)
            engine.communicate(timeout=60)
    return way


def by_key(trace, program):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(environment.with_package())
        os.execv(COROTRACER, command(trace, program))
    wait_until_looked(trace)
    os.write(terminal, b"\x03")
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:  # nobody has the other end any more
        pass
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
    WAYS[way](trace, program)
    told = json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)
    findings = [(finding["rule"], finding["grade"], finding["title"]) for finding in told["findings"]]
    if not is_frozen:
        return f"{name}, ended by {way}: {findings}" if findings else None
    grades = [(rule, grade) for rule, grade, _ in findings]
    if grades != [("lost-wakeup", "proven")] * 2 or not any("3 coroutines wait" in title for _, _, title in findings):
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
