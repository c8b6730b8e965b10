# SPDX-License-Identifier: MIT
"""Tests what a recording says of the memory of a program that stood still until it was ended."""
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


def sights(trace):
    return json.loads(run(COROTRACER, "query", "--format", "json", trace, SEEN).stdout)


def recorded(scratch, *command, options=(), **more):
    trace = scratch / "seen.ctrace"
    done = run(COROTRACER, "run", *options, "-o", trace, "--", *command, status=None, **more)
    check(trace.exists(), f"{command}: {done.stderr}")
    return trace


def check_variables(found, what):
    values = sorted(int(row["sight"].partition("attempt = ")[2].partition(";")[0].partition(",")[0]) for row in found
                    if "attempt = " in row["sight"])
    check(values == [10, 11, 12, 13], f"{what}: {found}")


def test_with_probe(scratch):
    """Of each task its variables are said, by the number that the probe gave it."""
    trace = recorded(scratch, sys.executable, "-m", "corotracer", STILL, "still", env=with_package())
    found = sights(trace)
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
    texts = []
    for seconds in (4, 8, 16, 32):  # a look takes longer on a busy machine
        if not texts:
            run("timeout", "-s", "INT", seconds, COROTRACER, "run", "-o", scratch / "stripped.ctrace", "--", program, status=None)
            texts = [row["sight"] for row in sights(scratch / "stripped.ctrace")]
    at = [text for text in texts if re.fullmatch(r"\d+ coroutines? waits? at \S*/stripped\+0x[0-9a-f]+", text)]
    check(len(at) >= 3 and not any(":0" in text for text in texts), f"{texts}")


def test_without_probe(scratch):
    """Nobody prepared the program, and the recording ends before it: it is said how many wait at which line, and with which
    variables."""
    found = []
    for seconds in (8, 16, 32):
        found = found or sights(recorded(scratch, sys.executable, STILL, "still", options=["--duration", f"{seconds}s"]))
    texts = [row["sight"] for row in found]
    check("when nothing of it had been recorded for" in texts[0], f"{texts[0]}")
    check(texts[1].startswith("4 coroutines were seen in memory that wait, 3 of them at ") or texts[1].startswith("5 coroutines"), f"{texts[1]}")
    check(any(text.startswith("3 coroutines wait at working (") and ":15)" in text for text in texts), f"{texts}")
    check(any(text.startswith("1 coroutine waits at working (") and ":16)" in text for text in texts), f"{texts}")
    check(sum("locals of working" in text for text in texts) == 3, f"{texts}: two at a place")


def test_nothing_is_said(scratch):
    """Nothing is said if that is not wanted."""
    found = sights(recorded(scratch, sys.executable, "-m", "corotracer", STILL, "still", options=["--no-memory"], env=with_package()))
    check(not found, f"--no-memory: {found}")


def test_watchdog(scratch):
    """One task goes on until the program ends itself: of all others, it is said what they have."""
    found = sights(recorded(scratch, sys.executable, "-m", "corotracer", STILL, "moving", env=with_package()))
    check_variables(found, "beside a task that goes on")
    check("while other coroutines went on" in found[0]["sight"], f"{found[0]}")
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
    with subprocess.Popen(["timeout", "-s", "INT", "8", COROTRACER, "run", "-o", trace, "--", program], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as engine:
        said = json.loads(engine.stdout.readline())
        engine.wait(60)
    counts, wanted = {}, {}
    for row in sights(trace):
        match = re.match(r"(\d+) coroutines? waits? at .*:(\d+)\)$", row["sight"])
        if match:
            counts[int(match[2])] = counts.get(int(match[2]), 0) + int(match[1])
    for line in said["frames"].values():
        wanted[line] = wanted.get(line, 0) + 1
    others = sum(count for line, count in counts.items() if line not in wanted)
    check(others == 2 and all(counts.get(line) == count for line, count in wanted.items()), f"{counts}, not {wanted} and two that it does not tell")


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        test_with_probe(scratch)
        test_without_probe(scratch)
        test_stripped(scratch)
        test_nothing_is_said(scratch)
        test_watchdog(scratch)
        test_beside(scratch)
        test_beside_frames(scratch)
        test_beside_futures(scratch)
        test_frames(scratch)


if __name__ == "__main__":
    main()
