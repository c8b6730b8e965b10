# SPDX-License-Identifier: MIT
"""Tests what a core dump says of a program whose probe kept its past (P-89): the frames in memory, each with its history.
The program says of itself which frame waits at which line, and by which number its probe knows it
(tests/targets/remembered.cpp).
"""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess

from support import COROTRACER, SOURCE, check, folder, run, seeded_chance, skip

PROGRAM = SOURCE / "tests/targets/remembered.cpp"
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
BYTES = 2 << 20
FRAMES = ("SELECT e.object, c.coroutine, c.nr_resumes, s.line FROM events e JOIN coroutines c USING (coroutine) "
          "JOIN sites s ON s.site = c.wait_site WHERE e.kind = 'frame' AND c.state = 'waiting'")


def built(scratch, compiler, level):
    program = scratch / f"remembered-{compiler}{level}"
    run(compiler, "-std=c++20", "-g", "-pthread", level, "-I", SOURCE / "include", "-I", SOURCE / "sdk/cpp", PROGRAM, "-o",
        program)
    return program


def dumped(program, scratch, recorder="", coredump_filter="0x33"):
    """Lets the program abort; returns what it said, and its core dump."""
    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
        pathlib.Path("/proc/self/coredump_filter").write_text(coredump_filter)

    inner = scratch / "cores"
    shutil.rmtree(inner, ignore_errors=True)
    inner.mkdir()
    done = subprocess.run([program, "end", str(recorder), str(BYTES)], cwd=inner, capture_output=True, text=True, preexec_fn=prepare)
    check(done.returncode == -signal.SIGABRT, f"{done}")
    return json.loads(done.stdout), next(path for path in inner.glob("*core*") if path.is_file())


def frames(subject):
    answer = run(COROTRACER, "query", "--format", "json", subject, FRAMES).stdout
    return {row["object"]: row for row in json.loads(answer)}


def check_frames(subject, said, has_numbers=True):
    """Each coroutine is told once, with its line, and by the probe's own number."""
    found = frames(subject)
    check(set(found) == set(said["frames"]), f"{len(found)} of {len(said['frames'])} frames: {set(found) ^ set(said['frames'])}")
    numbers = [row["coroutine"] for row in found.values()]
    check(len(set(numbers)) == len(numbers), f"two frames are one coroutine: {numbers}")
    count = json.loads(run(COROTRACER, "query", "--format", "json", subject, "SELECT count(*) AS n FROM coroutines").stdout)[0]["n"]
    check(count == len(found), f"{count} coroutines have {len(found)} frames")
    for frame, (line, number, _) in said["frames"].items():
        check(found[frame]["line"] == line, f"{frame} waits at line {line}, not {found[frame]['line']}")
        check(not has_numbers or number in (0, found[frame]["coroutine"]), f"{frame} is {number}, not {found[frame]['coroutine']}")


def resumes(subject, said):
    """How often the one ran of which the recorder has much."""
    found = frames(subject)
    return max(found[frame]["nr_resumes"] for frame in said["frames"])


def plain(text):
    return " ".join(text.split())


def test_joined(scratch):
    """Frames and history are one, with both compilers, optimised or not, and in the trace that recover makes."""
    for compiler in COMPILERS:
        for level in ("-O0", "-O2"):
            program = built(scratch, compiler, level)
            said, core = dumped(program, scratch)
            check_frames(core, said)
            check(resumes(core, said) > 1000, f"{compiler} {level}: no history")
            trace = scratch / "past.ctrace"
            told = run(COROTRACER, "recover", "-o", trace, core).stderr
            check("overwritten by newer ones" in told and f"process {said['pid']} has ended" in told, told)
            check_frames(trace, said)
            check(resumes(trace, said) > 1000, f"{compiler} {level}: no history in the trace")
            trace.unlink()
    report = plain(run(COROTRACER, "report", core).stdout)
    check("by their frames in memory and by the program's recorder" in report, report)
    check("as the recorder has no event of them any more" in report and "(47 times)" in report, report)
    check("as the program's probe does not know them" in report and "(5 times)" in report, report)
    rows = json.loads(run(COROTRACER, "query", "--format", "json", core,
                          "SELECT function_place AS f, count(*) AS n, sum(frame_bytes) AS b, min(frame_bytes) AS least "
                          "FROM coroutines GROUP BY 1").stdout)
    sizes = {row["f"].split(",")[0]: row for row in rows}
    check(sizes["session"]["least"] >= 64 + 16 and sizes["session"]["b"] == 58 * sizes["session"]["least"], f"{rows}")
    text = run(COROTRACER, "stats", core).stdout
    check("Bytes of frames, by what they run" in text and f"{sizes['session']['b']:,}" in text, text)
    return program


def test_left_out(scratch, program):
    """Without the recorder's memory the frames are told alone, and a sentence says why; recover says it, too."""
    said, core = dumped(program, scratch, coredump_filter="0x31")
    check_frames(core, said, has_numbers=False)
    report = plain(run(COROTRACER, "report", core).stdout)
    check("the program kept its past in memory, of which the core dump has nothing" in report, report)
    refused = run(COROTRACER, "recover", "-o", scratch / "none.ctrace", core, status=None)
    check(refused.returncode != 0 and refused.stderr.count("\n") == 1 and "coredump_filter" in refused.stderr, refused.stderr)


def test_file(scratch, program):
    """A recorder in a file is read from there, unless it is gone; or from the dump, if the dump has it."""
    past = scratch / "past"
    said, core = dumped(program, scratch, past)
    check_frames(core, said)
    check(resumes(core, said) > 1000, "no history")
    past.unlink()
    check_frames(core, said, has_numbers=False)
    report = plain(run(COROTRACER, "report", core).stdout)
    check(f"may have kept its past in '{past}'" in report and "not there any more" in report, report)
    said, core = dumped(program, scratch, past, coredump_filter="0x3b")
    past.unlink()
    check_frames(core, said)
    # Another process has begun the file anew.
    said, core = dumped(program, scratch, past)
    other = core.rename(scratch / "other")
    dumped(program, scratch, past)
    check_frames(other, said, has_numbers=False)


def test_damaged(scratch, program):
    """Whatever the recorder's memory holds, the frames are told, and what is wrong is said."""
    chance = seeded_chance()
    said, core = dumped(program, scratch)
    whole = core.read_bytes()
    header = whole.index(b"CTPCSEG2", 4096)
    damaged = scratch / "damaged"
    for number in range(12):
        content = bytearray(whole)
        for _ in range(1 << chance.randrange(8)):
            content[header + 8 + chance.randrange(BYTES - 8 if number % 2 else 4096)] = chance.randrange(256)
        damaged.write_bytes(content)
        told = run(COROTRACER, "query", "--format", "json", damaged, "SELECT DISTINCT object FROM events WHERE kind = 'frame'").stdout
        found = {row["object"] for row in json.loads(told)}
        check(set(said["frames"]) <= found, f"round {number}: {len(found)} frames")
        told = run(COROTRACER, "recover", "-o", scratch / "damaged.ctrace", damaged, status=None)
        check(told.returncode >= 0 and told.stderr, f"round {number}: {told}")
    for length in (header + 100, header + 300000):
        damaged.write_bytes(whole)
        os.truncate(damaged, length)
        report = run(COROTRACER, "report", damaged, status=None)
        check("ends before its memory does" in report.stdout + report.stderr, f"{report}")


def main():
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if pattern.startswith(("|", "/")) or not COMPILERS:
        skip("the kernel puts core dumps elsewhere, or there is no compiler of C++")
    with folder() as name:
        scratch = pathlib.Path(name)
        program = test_joined(scratch)
        test_left_out(scratch, program)
        test_file(scratch, program)
        test_damaged(scratch, program)


if __name__ == "__main__":
    main()
