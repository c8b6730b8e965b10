# SPDX-License-Identifier: MIT
"""Tests the flight recorder inside a program: whatever ended the program, its file contains every event of the window.

Protocol rules P-85, P-86, P-87 and P-88. Targets in C and C++ count what they have published in memory of their own,
which outlives them; a checker reads the trace that `corotracer recover` makes through the public library and compares.
KILLS (20) is taken from the environment.
"""
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time

from support import BUILD, COROTRACER, check, fail, folder, run, seeded_chance
from test_kills import wait_for_pid

PUBLISHER = BUILD / "tests/targets/publisher"
TARGET = BUILD / "tests/targets/flight_target"
CHECKER = BUILD / "tests/targets/check_published"
BYTES = 2 << 20


def start(scratch, language, threads, pause, crash=0):
    """Starts a target that records; returns the target, its counters and its file."""
    counters, past = scratch / "counters", scratch / "past"
    words = dict(os.environ)
    command = [TARGET, counters, str(threads), str(pause), past, str(crash)]
    if language == "c":
        words["COROTRACER_FLIGHT"] = f"{scratch}/past,2M"
        command = [PUBLISHER, counters, str(threads), str(pause)]
    return subprocess.Popen(command, env=words, stderr=subprocess.PIPE, text=True), counters, past


def recover(scratch, past, counters, threads):
    """Makes a trace and compares; returns what recover and the checker said."""
    trace = scratch / "past.ctrace"
    said = run(COROTRACER, "recover", "-o", trace, past).stderr
    told = run(CHECKER, trace, counters, threads, status=None)
    check(told.returncode == 0, f"{told.stdout}{told.stderr}{said}")
    return said, told.stdout, trace


def check_exact(told, threads, starts):
    """read + overwritten = published; only the probe's own records are counted in addition."""
    published, received, lost, _, wrong = map(int, re.findall(r"\d+", told))
    check(wrong == 0, told)
    # The last event of each thread may have been published and not counted yet.
    check(0 <= received + lost - published <= starts + threads, f"the count of the lost is not exact: {told}")


def one_kill(scratch, chance):
    language = chance.choice(["c", "c++"])
    threads, pause = chance.choice([1, 1, 2, 4]), chance.choice([0, 50, 2000])
    target, counters, past = start(scratch, language, threads, pause)
    with target:
        pid = wait_for_pid(counters, target)
        if pid is None:
            fail(f"the target did not start: {target.stderr.read()}")
        time.sleep(chance.uniform(0, 0.1))  # the random instant
        os.kill(pid, signal.SIGKILL)
        target.wait()
    check(past.stat().st_size == BYTES, f"the file has {past.stat().st_size} bytes")
    said, told, trace = recover(scratch, past, counters, threads)
    # Each turn of the C++ target begins with a start and ends with a stop, and launch has one of each, too.
    published = int(re.findall(r"\d+", told)[0])
    check_exact(told, threads, threads if language == "c" else 2 * (published // 50000 + threads) + 2)
    check("has ended" in said, said)
    first = said.splitlines()[0]
    check("overwritten" in first and ("everything" in first or "holds all" in first), said)
    trace.unlink()
    return f"{language}, {threads} threads, pause {pause}: {told.strip()}"


def crash(scratch):
    """After a segmentation fault the past is readable, and addresses have names without the process."""
    target, counters, past = start(scratch, "c++", 1, 0, crash=30000)
    with target:
        target.wait()
    check(target.returncode == -signal.SIGSEGV, f"the target ended with {target.returncode}")
    said, told, trace = recover(scratch, past, counters, 1)
    check(told.startswith("published 30000, received 30000, lost and told 0,"), told)
    check("nothing was overwritten" in said, said)
    text = run(COROTRACER, "dump", trace).stdout
    check("launch" in text, f"the address of launch has no name:\n{text[:2000]}")
    info = run(COROTRACER, "info", trace).stdout
    check(str(TARGET) in info, info)
    packed = run(COROTRACER, "recover", "--pack", "3", "-o", scratch / "packed.ctrace", past, status=None)
    if packed.returncode == 7:
        check("zstd" in packed.stderr, packed.stderr)
        return
    check("yes, with zstd" in run(COROTRACER, "info", scratch / "packed.ctrace").stdout, "--pack was ignored")
    lines = run(COROTRACER, "dump", scratch / "packed.ctrace").stdout.count("\n")
    check(lines == text.count("\n"), f"packed, it has {lines} lines, not {text.count(chr(10))}")


def other_machine(scratch):
    """P-86, P-88. If the clocks no longer count, the file's own readings are used, and pages that were not written back
    are noticed."""
    target, counters, past = start(scratch, "c++", 1, 2000, crash=30000)
    with target:
        target.wait()
    spans = []
    content = past.read_bytes()
    for boot in (b"", b"boot 12345678-"):
        place = content.index(b"\nboot ") + 1
        past.write_bytes(content[:place] + boot + content[place + len(boot):])
        recover(scratch, past, counters, 1)
        info = run(COROTRACER, "info", scratch / "past.ctrace").stdout
        spans.append(float(re.search(r"counter at (\d+) Hz", info)[1]))
    check(abs(spans[0] / spans[1] - 1) < 0.01, f"the counter's rate is {spans}")
    # One page of records in the middle of those of thread 1, as if it had never been written.
    chunk_offset, = struct.unpack_from("<Q", content, 72)
    page = chunk_offset + 3 * 65536 + 4096
    content = past.read_bytes()
    past.write_bytes(content[:page] + bytes(4096) + content[page + 4096:])
    said = run(COROTRACER, "recover", "-o", scratch / "past.ctrace", past).stderr
    check("128 events are missing for other reasons" in said, said)
    told = run(CHECKER, scratch / "past.ctrace", counters, 1, status=None).stdout
    check(told.startswith("published 30000, received 29872, lost and told 128, skipped 128, wrong 0"), told)


def alive(scratch, chance):
    """A live process goes on while its file is read, and everything that was published before is in the trace."""
    for language in ("c", "c++"):
        target, counters, past = start(scratch, language, 2, 50)
        with target:
            check(wait_for_pid(counters, target), "the target did not start")
            for _ in range(10):
                time.sleep(chance.uniform(0, 0.02))
                seen = scratch / "seen"
                seen.write_bytes(counters.read_bytes())
                said = recover(scratch, past, seen, 2)[0]
                check("still runs" in said, said)
            check(target.poll() is None, "the target has ended")
            target.kill()
        counters.unlink()
        past.unlink()


def damaged(scratch, chance):
    """Whatever the file contains, recover makes a trace of it, or says in a sentence why not."""
    target, counters, past = start(scratch, "c++", 1, 0, crash=200000)
    with target:
        target.wait()
    whole = past.read_bytes()
    for number in range(60):
        content = bytearray(whole)
        for _ in range(chance.choice([1, 3, 30])):
            place = chance.choice([chance.randrange(512), chance.randrange(4096, 8192), chance.randrange(len(content))])
            content[place:place + 8] = chance.choice([
                chance.randbytes(8), b"\xff" * 8, bytes(8), chance.randrange(1 << 20).to_bytes(8, "little")])
        if number % 4 == 0:
            content = content[:chance.randrange(len(content))]
        past.write_bytes(content)
        said = run(COROTRACER, "recover", "-o", scratch / "past.ctrace", past, status=None)
        check(said.returncode in (0, 5, 7), f"damage {number}: {said.returncode}\n{said.stderr}")
        if said.returncode:
            check(len(said.stderr.splitlines()) == 1, said.stderr)
    for wrong in (scratch, scratch / "nothing", "/dev/null", counters):
        said = run(COROTRACER, "recover", "-o", scratch / "past.ctrace", wrong, status=None)
        check(said.returncode in (3, 4, 5) and len(said.stderr.splitlines()) == 1, f"{said.returncode} {said.stderr}")


def main():
    kills = int(os.environ.get("KILLS", "20"))
    chance = seeded_chance()
    for number in range(kills):
        with folder() as name:
            print(number, one_kill(pathlib.Path(name), chance), flush=True)
    for scenario in (crash, other_machine, lambda scratch: alive(scratch, chance), lambda scratch: damaged(scratch, chance)):
        with folder() as name:
            scenario(pathlib.Path(name))


if __name__ == "__main__":
    sys.exit(main())
