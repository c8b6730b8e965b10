# SPDX-License-Identifier: MIT
"""Tests what a recording says of the memory of a program that stood still until it was ended."""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from environment import with_package
from support import BUILD, COROTRACER, SOURCE, check, folder, run
from unprepared import compiled

STILL = SOURCE / "tests/targets/still.py"
SEEN = "SELECT sight, coroutine FROM sights"
WAITING = "SELECT wait_place, count(*) AS number FROM coroutines WHERE state = 'waiting' GROUP BY 1"


def sights(trace):
    return json.loads(run(COROTRACER, "query", "--format", "json", trace, SEEN).stdout)


def waiting(trace):
    """How many coroutines wait, by 'function, file:line'."""
    rows = json.loads(run(COROTRACER, "query", "--format", "json", trace, WAITING, status=None).stdout or "[]")
    return {row["wait_place"]: row["number"] for row in rows}


def recorded(scratch, *command, options=(), **more):
    trace = scratch / "seen.ctrace"
    done = run(COROTRACER, "run", *options, "-o", trace, "--", *command, status=None, **more)
    check(trace.exists(), f"{command}: {done.stderr}")
    return trace


def patiently(attempt, *seconds):
    """What the attempt gives: with more seconds if it gives nothing, for a look takes longer on a busy machine."""
    for number in seconds or (8, 24, 72):
        result = attempt(number)
        if result:
            return result
    return result


def check_variables(found, what):
    values = sorted(int(row["sight"].partition("attempt = ")[2].partition(";")[0].partition(",")[0]) for row in found
                    if "attempt = " in row["sight"])
    check(values == [10, 11, 12, 13], f"{what}: {found}")


def test_with_probe(scratch):
    """Of each task its variables are said, by the number that the probe gave it."""
    trace = scratch / "seen.ctrace"

    def found_within(seconds):
        return sights(recorded(scratch, sys.executable, "-m", "corotracer", STILL, "still", seconds, env=with_package()))
    found = patiently(found_within, 10, 30, 90)
    check_variables(found, "with a probe")
    names = json.loads(run(COROTRACER, "query", "--format", "json", trace, "SELECT coroutine FROM coroutines WHERE name = 'working'").stdout)
    numbers = {row["coroutine"] for row in found if "attempt = " in row["sight"]}
    check(numbers == {row["coroutine"] for row in names}, f"{numbers}, not {names}")
    check("was looked into" in found[0]["sight"], f"{found[0]}")
    why = run(COROTRACER, "why", trace, max(numbers)).stdout
    check("locals of working: number = 3, attempt = 13" in " ".join(why.split()), why)


def test_stripped(scratch):
    """Without debug information, a place is an offset in the file: several are not counted as one."""
    program = scratch / "stripped"
    run("strip", "-o", program, compiled(scratch, "g++", "unprepared_stackful", "-O2"))

    def waiting_within(seconds):
        run("timeout", "-s", "INT", seconds, COROTRACER, "run", "-o", scratch / "stripped.ctrace", "--", program, status=None)
        return waiting(scratch / "stripped.ctrace")
    rows = patiently(waiting_within, 4, 8, 24, 72)
    at = [place for place in rows if re.fullmatch(r"\S*/stripped\+0x[0-9a-f]+", place)]
    check(len(at) >= 3 and not any(":0" in place for place in rows), f"{rows}")


def test_without_probe(scratch):
    """Nobody prepared the program, and the recording ends before it: the trace has each coroutine with its line, what it
    waits for and its variables, as 'report PID' has them."""
    trace = scratch / "seen.ctrace"

    def found_within(seconds):
        found = sights(recorded(scratch, sys.executable, STILL, "still", 100, options=["--duration", f"{seconds}s"]))
        return found if found and "when nothing of it had been recorded for" in found[0]["sight"] else []
    found = patiently(found_within)
    check_variables(found, "without a probe")
    places = {re.sub(r", .*:", ":", place): number for place, number in waiting(trace).items()}
    check(places == {"main:31": 1, "working:15": 3, "working:16": 1}, f"{places}")
    number = next(row["coroutine"] for row in found if "attempt = 13" in row["sight"])
    why = " ".join(run(COROTRACER, "why", trace, number).stdout.split())
    check("waits for lock" in why and "number = 3, attempt = 13" in why, why)
    said = " ".join(run(COROTRACER, "report", trace).stdout.split())
    check("where: 3 at working, " in said, said)


def test_nothing_is_said(scratch):
    """Nothing is said if that is not wanted."""
    found = sights(recorded(scratch, sys.executable, "-m", "corotracer", STILL, "still", options=["--no-memory"], env=with_package()))
    check(not found, f"--no-memory: {found}")
    trace = recorded(scratch, sys.executable, STILL, "still", options=["--no-memory", "--duration", "2s"])
    why = run(COROTRACER, "why", trace, "3", status=4).stderr
    check("which has none; 'corotracer report' says why" in " ".join(why.split()), why)


def test_watchdog(scratch):
    """One task goes on until the program ends itself: of all others, it is said what they have."""
    def found_within(seconds):
        found = sights(recorded(scratch, sys.executable, "-m", "corotracer", STILL, "moving", seconds, env=with_package()))
        return found if found and "while other coroutines went on" in found[0]["sight"] else []
    found = patiently(found_within, 10, 30, 90)
    check_variables(found, "beside a task that goes on")
    check(not any("moving" in row["sight"] for row in found), f"{found}: the task that goes on")


def unfinished(trace):
    return trace.with_name(trace.name + ".partial")


def wait_for_sight(trace, engine, words):
    """Waits until the trace, which is being written, has such a sight."""
    while words not in run(COROTRACER, "query", "--format", "json", unfinished(trace), SEEN, status=None).stdout:
        check(engine.poll() is None, f"ended without '{words}'")


def beside(scratch, command, end, **more):
    """Records a program in which one coroutine is hung and another one moves on once both were seen."""
    trace = scratch / "beside.ctrace"
    for former in (trace, unfinished(trace)):
        former.unlink(missing_ok=True)
    with subprocess.Popen([COROTRACER, "run", "-o", trace, "--", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, start_new_session=True, **more) as engine:
        check(engine.stdout.readline() == "ready\n", f"{command}")
        wait_for_sight(trace, engine, "attempt = 7")
        wait_for_sight(trace, engine, "stage = 1")
        engine.stdin.write("go on\n")
        engine.stdin.flush()
        check(engine.stdout.readline() == "moved\n", f"{command}")
        end(engine)
        engine.stdin.close()
        engine.wait(60)
    return trace


def check_beside(trace, what):
    texts = [row["sight"] for row in sights(trace)]
    check(any("attempt = 7" in text for text in texts), f"{what}: {texts}: the one that hangs")
    check(not any("stage = 1" in text for text in texts), f"{what}: {texts}: as it was before it moved")


def test_beside_frames(scratch):
    """The same of coroutines of C++20, whose debug information is read before memory is."""
    command = [BUILD / "tests/targets/hung_beside"]
    check_beside(beside(scratch, command, lambda engine: None), "C++20, the end of the input")
    check_beside(beside(scratch, command, lambda engine: os.killpg(engine.pid, signal.SIGINT)), "C++20, a key")


def test_beside_futures(scratch):
    """The same of futures of Rust in an executor of the program's own."""
    if not shutil.which("cargo"):
        return
    package = scratch / "beside"
    package.mkdir()
    (package / "Cargo.toml").write_text(f"""[package]
name = "beside"
version = "0.0.0"
edition = "2021"
[[bin]]
name = "beside"
path = "{SOURCE}/tests/targets/hung_beside.rs"
[dependencies]
corotracer = {{ path = "{SOURCE}/sdk/rust" }}
""")
    run("cargo", "build", "--offline", "--quiet", cwd=package)
    check_beside(beside(scratch, [package / "target/debug/beside"], lambda engine: None), "Rust, the end of the input")


def test_beside(scratch):
    """However the recording ends, it has what is true of the coroutine that hangs, and nothing old of the one that does not."""
    command, environment = [sys.executable, "-m", "corotracer", SOURCE / "tests/targets/hung_beside.py"], with_package()
    ends = {
        "a watchdog": lambda engine: None,
        "SIGINT": lambda engine: engine.send_signal(signal.SIGINT),
        "SIGTERM": lambda engine: engine.send_signal(signal.SIGTERM),
        "a key": lambda engine: os.killpg(engine.pid, signal.SIGINT),
    }
    for what, end in ends.items():
        check_beside(beside(scratch, command, end, env=environment), what)
    trace = beside(scratch, command, lambda engine: engine.kill(), env=environment)
    check(any("attempt = 7" in row["sight"] for row in sights(unfinished(trace))), "the engine was killed")


def test_frames(scratch):
    """The same of coroutines of C++20, whose program a user gives eight seconds."""
    program, trace = compiled(scratch, "g++", "unprepared", "-O2"), scratch / "frames.ctrace"

    def lines_within(seconds):
        with subprocess.Popen(["timeout", "-s", "INT", str(seconds), COROTRACER, "run", "-o", trace, "--", program],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as engine:
            wanted = collections.Counter(json.loads(engine.stdout.readline())["frames"].values())
            engine.wait(2 * seconds + 60)
        counts = collections.Counter()
        for place, number in waiting(trace).items():
            counts[int(place.rpartition(":")[2])] += number
        return counts and (counts, wanted)
    found = patiently(lines_within)
    check(found and found[0] == found[1], f"{found}: what was found, and what there is")


LATE = """import asyncio, time, corotracer
async def wait(event):
    await event.wait()
async def hang():
    event = asyncio.Event()
    tasks = [asyncio.create_task(wait(event)) for _ in range(3)]
    await asyncio.sleep(0.1)
    time.sleep(SECONDS)
    corotracer.install()
    event.set()
    await asyncio.gather(*tasks)
    await asyncio.gather(*(asyncio.create_task(asyncio.sleep(0.01)) for _ in range(3)))
asyncio.run(hang())
"""


def is_from_memory(trace):
    return json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)["trace"]["is_from_memory"]


def test_watchdog_without_probe(scratch):
    """A program that ends itself with a failure has its coroutines in the trace, also if a trace of that name is there;
    beside a program that has a probe, sentences are said of them."""
    program = compiled(scratch, "g++", "unprepared_pooled", "-O2")
    trace = scratch / "seen.ctrace"
    with subprocess.Popen(["sleep", "600"], stdout=subprocess.PIPE) as silent:
        def found_alone(seconds):
            done = run(COROTRACER, "run", "-o", trace, "--", program, seconds, "3", status=3, stdin=silent.stdout)
            return "were found in the program's memory" in done.stderr and done.stderr

        def sights_beside(seconds):
            script = f"{sys.executable} -m corotracer -c 'import asyncio; asyncio.run(asyncio.sleep(0.1))'; exec {program} {seconds} 3"
            run(COROTRACER, "run", "-o", trace, "--", "sh", "-c", script, status=3, stdin=silent.stdout, env=with_package())
            return sights(trace)
        try:
            run(COROTRACER, "run", "-o", trace, "--", "true", status=None)
            said = patiently(found_alone, 10, 30, 90)
            check(said and "stays the trace" not in said, f"{said}")
            check(sum(waiting(trace).values()) == 60 and is_from_memory(trace), f"{waiting(trace)}")
            check(patiently(sights_beside, 10, 30, 90), "a program with a probe, and one without: said")
            check(not is_from_memory(trace), "a program with a probe, and one without: no history")
        finally:
            silent.kill()


def test_probe_afterwards(scratch):
    """What was found before a probe attached has the numbers that the probe gives: it is left out."""
    program = scratch / "late.py"
    program.write_text(LATE.replace("SECONDS", "6"))
    trace = scratch / "seen.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", sys.executable, program, env=with_package(), timeout=60)
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)
    check(not report["trace"]["is_from_memory"] and not report["findings"], f"{report['findings']}")
    check(not sights(trace), f"{sights(trace)}: all of them have gone on")


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        test_with_probe(scratch)
        test_without_probe(scratch)
        test_stripped(scratch)
        test_nothing_is_said(scratch)
        test_watchdog(scratch)
        test_watchdog_without_probe(scratch)
        test_probe_afterwards(scratch)
        test_beside(scratch)
        test_beside_frames(scratch)
        test_beside_futures(scratch)
        test_frames(scratch)


if __name__ == "__main__":
    main()
