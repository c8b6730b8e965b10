# SPDX-License-Identifier: MIT
"""Tests the Common Trace Format, read by babeltrace2: the same events as `dump` prints, with their times, words and
losses."""
import pathlib
import re
import shutil
import subprocess

from support import BUILD, COROTRACER, check, folder, run, skip

TRACE = rb"""trace run=00112233445566778899aabbccddeeff host="build\"7" from=0 until=2s epoch_monotonic=5000000000 epoch_realtime=1700000000000000000
process 1 pid=100 program=/bin/server probe
thread 1 process=1 tid=101 name="work,er \"0\"\nbelow \xff"
thread 2 process=1 tid=102 name=other
site 1 process=1 kind=source file=/src/server.cpp line=40 function="caf\xc3\xa9<int, char>(int)" reason="100% \\done"
loss process=1 thread=2 reason="ring full" count=7 first=1s last=1.1s
end 1 exited 0 at=2s
1ms    t1 create c1 0x11010 @1
1.2ms  t1 resume c1
1.5ms  t1 suspend c1 descriptor:7.3 @1 point=await
3ms    t1 resume c3
3.3ms  t1 switch c3 c4
4.1ms  t1 descriptor-io c-11 descriptor:8.1 argument=1
4.2ms  t2 wake c3 coroutine:9223372036854775 outcome=queued
4.4ms  t0 p1 kind-200 c7 0x1234 argument=9 flags=0x3
4.5ms  t1 resume c9007199254740993
"""


def read(trace):
    told = subprocess.run(["babeltrace2", "--fields=all", "--clock-cycles", trace], capture_output=True, text=True, check=False,
                          timeout=60, errors="surrogateescape")
    check(told.returncode == 0, told.stderr)
    return told.stdout.splitlines(), told.stderr


def exported(trace, place):
    said = run(COROTRACER, "export", "--format", "ctf", "-o", place, trace)
    check(said.stdout == said.stderr == "", f"{said}")
    return read(place)


def nr_dumped(trace):
    return len(re.findall(r"^[\d.]+s t", run(COROTRACER, "dump", trace).stdout, re.MULTILINE))


def check_by_hand(place):
    trace = place / "hand.txt"
    trace.write_bytes(TRACE)
    lines, said = exported(trace, place / "hand.ctf")
    check(len(lines) == nr_dumped(trace) == 9, f"{lines}")
    for line, words in ((lines[0], ("0005001000000", "create", "coroutine = 1", 'file = "/src/server.cpp"', "line = 40")),
                        (lines[2], ("suspend", 'object = "descriptor:7.3"', "tid = 101", "100%", "caf\u00e9<int, char>(int)")),
                        (lines[4], ("switch", "coroutine = 3")), (lines[5], ("value = -11", "descriptor-io")),
                        (lines[6], ('argument = "queued"', 'thread_name = "other"')), (lines[7], ("kind-200", "flags = 3")),
                        (lines[8], ("9007199254740993",))):
        for word in words:
            check(word in line, f"'{word}' is not in: {line}")
    check("discarded 7 events" in said, f"nothing says what is missing: {said}")


def check_outputs(place):
    trace = place / "hand.txt"
    for name, words in ((place / "hand.ctf", "already"), ("-", "name one"), (place / "nowhere/x", "nowhere/x")):
        said = run(COROTRACER, "export", "--format", "ctf", "-o", name, trace, status=None, cwd=place)
        check(said.returncode and words in said.stderr and said.stderr.count("\n") == 1, f"{said}")
    run(COROTRACER, "export", "--format", "ctf", trace, cwd=place, status=2)
    check(not list(place.glob("*.partial")), "something half is left behind")


def main():
    if not shutil.which("babeltrace2"):
        skip("there is no babeltrace2")
    with folder() as name:
        place = pathlib.Path(name)
        check_by_hand(place)
        check_outputs(place)
        real = place / "real.ctrace"
        run(COROTRACER, "run", "-o", real, "--", BUILD / "tests/targets/crowd", "3000")
        lines, said = exported(real, place / "real.ctf")
        check(len(lines) == nr_dumped(real) > 10000 and not said, f"{len(lines)} events, {said}")


main()
