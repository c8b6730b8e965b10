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


if __name__ == "__main__":
    main()
