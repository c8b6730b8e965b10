# SPDX-License-Identifier: MIT
"""Tests what is said of the memory that coroutines' frames take over the time of a recording: the sizes are those that
the program's operator new is asked for (tests/targets/growing_frames.cpp), and the parts of the time are those that
follow from when the coroutines were created and destroyed.
"""
import json
import pathlib
import shutil

from support import COROTRACER, SOURCE, check, folder, run, seeded_chance

PROGRAM = SOURCE / "tests/targets/growing_frames.cpp"
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
SIZES = {1: 1000, 2: 48, 3: 0}
NS = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def asked(trace, question):
    return json.loads(run(COROTRACER, "query", "--format", "json", trace, question).stdout)


def check_program(scratch, compiler, level, strip=False):
    """Sizes, the most, and how it grew, in all forms."""
    program, trace = scratch / f"growing-{compiler}{level}", scratch / "growing.ctrace"
    run(compiler, "-std=c++20", "-g", "-pthread", level, "-I", SOURCE / "include", "-I", SOURCE / "sdk/cpp", PROGRAM, "-o", program)
    if strip:
        run("strip", "-g", program)
    said = json.loads(run(COROTRACER, "run", "-o", trace, "--", program).stdout)
    statistics = json.loads(run(COROTRACER, "stats", "--format", "json", trace).stdout)["statistics"]
    if strip:
        check(statistics["frames"] == [] and statistics["frames_peak_ns"] is None, f"sizes from nowhere: {statistics['frames']}")
        return
    sites = {row["site"]: row["function"] for row in asked(trace, "SELECT site, function FROM sites")}
    frames = {sites[row["site"]]: row for row in statistics["frames"]}
    check(len(frames) == 2, f"{compiler} {level}: {frames}")
    sizes = [row["size"] for row in asked(trace, "SELECT DISTINCT frame_bytes AS size FROM coroutines ORDER BY 1 DESC")]
    for name, size in zip(("keep", "pass"), sizes, strict=True):
        # Clang describes a frame as rounded up to its alignment.
        check(size == said[name][0] or "clang" in compiler and 0 < size - said[name][0] < 16, f"{compiler} {level}: {said} {sizes}")
        said[name][0] = size
    found = {row["function"]: row for row in asked(
        trace, "SELECT function, max(most_bytes) AS most, count(*) AS parts FROM memory GROUP BY 1")}
    for name, (size, at_end, most) in said.items():
        row = next(frames[function] for function in frames if name in function)
        check(row["coroutines"] == at_end and row["bytes"] == size * at_end, f"{compiler} {level}: {said} {row}")
        check(row["peak_bytes"] == size * most, f"{compiler} {level}: {said} {row}")
        check(next(found[function] for function in found if name in function)["most"] == size * most, f"{said} {found}")
    keep = next(frames[function] for function in frames if "keep" in function)
    check(0.4 * keep["bytes"] <= keep["half_bytes"] <= 0.7 * keep["bytes"], f"it grows evenly: {keep}")
    (size, _, most), (passing, _, passed) = said["keep"], said["pass"]
    check(statistics["frames_peak_bytes"] == size * most + passing * passed, f"{said} {statistics['frames_peak_bytes']}")
    text = run(COROTRACER, "stats", "--by", "function", trace).stdout
    check("Bytes of frames, by what they run" in text and f"{size * most:,}" in text, text)


def lives(chance, unit, count):
    """Coroutines of three functions: when each is created, and destroyed or not."""
    rows = []
    for number in range(1, count + 1):
        begin = chance.randrange(1000)
        rows.append((number, chance.choice(list(SIZES)), begin, chance.choice([None, begin + 1 + chance.randrange(1000)])))
    return rows, NS[unit]


def check_parts(scratch, chance, unit):
    """Each part has what the lives of the coroutines say."""
    rows, scale = lives(chance, unit, 200)
    steps = []
    for number, function, begin, end in rows:
        steps.append((begin, number, f"create c{number} @4", f"frame c{number} {0x10000 + 0x100 * number:#x} @{function}"))
        if end is not None:
            steps.append((end, number, f"destroy c{number} @4"))
    text, trace = scratch / f"{unit}.text", scratch / f"{unit}.ctrace"
    lines = [f"trace from=0 until=2100{unit}", "process 1 pid=100 program=/bin/server probe", "thread 1 tid=101 name=worker-0"]
    lines += [f"site {number} kind=function file=/src/a.cpp line={number} function=f{number}" + (f" frame={size}" if size else "")
              for number, size in SIZES.items()]
    lines += ["site 4 kind=source file=/src/a.cpp line=90 function=main"]
    for time, _, *events in sorted(steps):
        lines += [f"{time}{unit} t1 {event}" for event in events]
    text.write_text("\n".join(lines) + "\n")
    run(COROTRACER, "export", "-f", "ctrace", "-o", trace, text)
    # F-75
    kept = {row["site"]: row["frame_bytes"] or 0 for row in asked(trace, "SELECT site, frame_bytes FROM sites WHERE site < 4")}
    check(kept == SIZES, f"the sizes are lost: {kept}")
    parts = asked(trace, "SELECT * FROM memory")
    check(parts, "no parts")
    check(len({part["from_ns"] for part in parts}) <= 64, f"{len(parts)} parts")
    for part in parts:
        until = part["until_ns"]
        size = SIZES[part["site"]]
        there = [row for row in rows if row[1] == part["site"] and row[2] * scale < until and (row[3] is None or row[3] * scale >= until)]
        check(part["nr_coroutines"] == len(there) and part["bytes"] == size * len(there), f"{part}, not {len(there)}")
        check(part["most_bytes"] >= part["bytes"], f"{part}")
    for site, size in SIZES.items():
        most = max(sum(1 for row in rows if row[1] == site and row[2] <= time and (row[3] is None or row[3] > time))
                   for time in range(2001))
        told = max((part["most_bytes"] for part in parts if part["site"] == site), default=0)
        # Of a birth and an end at the same time, either may be first.
        check(abs(told - size * most) <= 3 * size, f"f{site}: {told}, not {size} x {most}")


def check_many(scratch, count):
    """Of many functions, windows are told of the 64 that had most; of those that are not followed, what is known."""
    text, trace = scratch / f"{count}.text", scratch / f"{count}.ctrace"
    lines = ["trace from=0 until=10ms", "process 1 pid=100 program=/bin/server probe", "thread 1 tid=101 name=worker-0"]
    lines += [f"site {number} kind=function file=/src/a.cpp line={number} function=f{number} frame={1000 + number}"
              for number in range(1, count + 1)]
    for number in range(1, count + 1):
        lines += [f"1ms t1 create c{number} @1", f"1ms t1 frame c{number} {0x10000 + 0x100 * number:#x} @{number}"]
    text.write_text("\n".join(lines) + "\n")
    run(COROTRACER, "export", "-f", "ctrace", "-o", trace, text)
    report = json.loads(run(COROTRACER, "stats", "--format", "json", trace).stdout)
    statistics = report["statistics"]
    followed = range(1, min(count, 1024) + 1)
    check({window["site"] for window in statistics["frame_windows"]} == set(followed[-64:]), f"{count}: windows of others")
    check(statistics["frames_peak_bytes"] == sum(1000 + number for number in range(1, count + 1)), f"{count}: the sum")
    for row in statistics["frames"]:
        check(row["peak_bytes"] == row["bytes"] == 1000 + row["site"] and row["process"] == 1, f"{row}")
        check((row["peak_ns"] is None) == (row["site"] not in followed), f"{row}")
    check(len(statistics["frames"]) == count, f"{len(statistics['frames'])} of {count}")
    remarks = [remark for remark in report["remarks"] if "counters or functions" in remark]
    check(len(remarks) == (count > 1024) and all(f": {count - 1024} " in remark for remark in remarks), f"{remarks}")


def check_ends(scratch):
    """A coroutine whose memory another one has got counts once, and one whose size becomes 0 no longer."""
    text, trace = scratch / "ends.text", scratch / "ends.ctrace"
    text.write_text("""trace from=0 until=10ms
process 1 pid=100 program=/bin/server probe
thread 1 tid=101 name=worker-0
site 1 kind=function file=/src/a.cpp line=1 function=f1 frame=100
site 2 kind=function file=/src/a.cpp line=2 function=f2
1ms t1 create c1 @1
1ms t1 frame c1 0x10000 @1
2ms t1 suspend c1 @1
3ms t1 resume c1 @1
4ms t1 create c2 @1
4ms t1 frame c2 0x20000 @1
4ms t1 resume c2 @1
5ms t1 create c3 @1
5ms t1 frame c3 0x10000 @1
6ms t1 suspend c1 @1
7ms t1 destroy c1 @1
8ms t1 destroy c2 @1
9ms t1 destroy c3 @1
9ms t1 create c4 @2
9ms t1 frame c4 0x40000 @2
9ms t1 detail c4 50 detail=bytes
9500us t1 detail c4 0 detail=bytes
""")
    run(COROTRACER, "export", "-f", "ctrace", "-o", trace, text)
    parts = asked(trace, "SELECT * FROM memory ORDER BY from_ns")
    check(parts and all(0 <= part["bytes"] <= part["most_bytes"] <= 300 for part in parts), f"{parts}")
    for site in (1, 2):
        last = [part for part in parts if part["site"] == site][-1]
        check(last["bytes"] == last["nr_coroutines"] == 0, f"{last}")


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        for compiler in COMPILERS:
            for level in ("-O0", "-O2"):
                check_program(scratch, compiler, level)
        check_program(scratch, COMPILERS[0], "-O2", strip=True)
        chance = seeded_chance()
        for unit in NS:
            check_parts(scratch, chance, unit)
        for count in (3, 100, 1100):
            check_many(scratch, count)
        check_ends(scratch)


if __name__ == "__main__":
    main()
