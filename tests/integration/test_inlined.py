# SPDX-License-Identifier: MIT
"""A wait behind helpers that the compiler took into their callers: reports tell the place, and into what it was inlined."""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import sys

from support import BUILD, COROTRACER, SOURCE, check, contain, folder, run

TARGETS = BUILD / "tests/targets"
AT_ONCE = ("--threshold", "grace=1ns")


def line_of(source, mark):
    """The line that says of itself to be the one."""
    lines = (SOURCE / "tests/targets" / source).read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if line.endswith((f"/* {mark} */", f"// {mark}"))]
    check(len(found) == 1, f"{source} has no line '{mark}'")
    return found[0]


def flat(told):
    return " ".join(told.split())


def check_parts(told, *parts):
    for part in parts:
        check(part in flat(told), f"no '{part}' in\n{told}")


def record(place, program):
    trace = f"{place}/{pathlib.Path(program).name}.ctrace"
    run(COROTRACER, "run", "--no-ledger", "-o", trace, "--", program, status=None)
    return trace


def places():
    """What is to be read of the two waits."""
    inner, helper, request, cache = (line_of("inlined.c", mark) for mark in ("innermost", "helper", "request", "cache"))
    common = (f"wait_in_queue, tests/targets/inlined.c:{inner}, "
              f"inlined into take_lock at tests/targets/inlined.c:{helper}, inlined into ")
    return (f"{common}handle_request at tests/targets/inlined.c:{request}",
            f"{common}refill_cache at tests/targets/inlined.c:{cache}")


def check_places(trace):
    """The text of a report, which is short; true of any file that tells functions and lines."""
    check_parts(run(COROTRACER, "report", *AT_ONCE, trace).stdout, "mutex-deadlock", *places())


def site_of(report, coro):
    waits = [member["wait_site"] for finding in report["findings"] for member in finding["members"] if member["id"] == coro]
    return report["sites"][waits[0] - 1]


def check_forms(place, trace):
    """Each form of a report, and each form of a trace."""
    request, cache = places()
    check_parts(run(COROTRACER, "report", "--format", "md", *AT_ONCE, trace).stdout.replace("\\", ""), request, cache)
    check_parts(run(COROTRACER, "report", "--format", "html", *AT_ONCE, trace).stdout, request, cache)
    check_parts(run(COROTRACER, "stats", trace).stdout, request, cache)
    check_parts(run(COROTRACER, "why", trace, 1).stdout, request, cache)
    report = json.loads(run(COROTRACER, "why", "--format", "json", *AT_ONCE, trace, 1).stdout)
    step = next(step for step in report["why"] if "suspended" in step["text"])
    for site in (report["sites"][step["site"] - 1], site_of(report, 1)):
        check([caller["function"] for caller in site["callers"]] == ["take_lock", "handle_request"], f"{site}")
        check([caller["line"] for caller in site["callers"]] ==
              [line_of("inlined.c", "helper"), line_of("inlined.c", "request")], f"{site}")
        check(all(caller["file"].endswith("tests/targets/inlined.c") for caller in site["callers"]), f"{site}")
    text, again = f"{place}/as.txt", f"{place}/again.ctrace"
    pathlib.Path(text).write_text(run(COROTRACER, "dump", trace).stdout)
    run(COROTRACER, "assemble", "-o", again, text)
    for copy in (text, again):
        check_places(copy)


def check_copies(place, trace):
    """What cuts, mends and exports a trace keeps it."""
    cut, mended, database = (f"{place}/{name}" for name in ("cut.ctrace", "mended.ctrace", "all.sqlite"))
    run(COROTRACER, "cut", "--from", "0s", "-o", cut, trace)
    run(COROTRACER, "recover", "-o", mended, trace)
    for copy in (cut, mended):
        check_places(copy)
    run(COROTRACER, "export", "--format", "sqlite", "-o", database, trace)
    connection = sqlite3.connect(database)
    callers = connection.execute("SELECT callers FROM sites WHERE function = 'wait_in_queue' ORDER BY site").fetchall()
    connection.close()
    check([row[0].split("\n")[1].split("\t")[0] for row in callers] == ["handle_request", "refill_cache"], f"{callers}")


def check_thresholds(place, trace):
    """Who names a function in the settings means what was taken into it, too."""
    told = run(COROTRACER, "report", "--format", "json", *AT_ONCE, trace, "--allow-site", "handle_request").stdout
    check(not json.loads(told)["findings"], told)


def build_split(place):
    """Built here: where the files of debug information lie is a part of the objects, which a cache may share."""
    compiler = shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        print("no compiler is here", file=sys.stderr)
        return []
    probe = next((TARGETS / "inlined.p").glob("*probe.c.o"))
    run(compiler, "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-gsplit-dwarf", "-I", SOURCE / "include", "-pthread",
        SOURCE / "tests/targets/inlined.c", probe, "-o", f"{place}/split", cwd=place,
        env=dict(os.environ, CCACHE_DISABLE="1"))
    return [f"{place}/split"]


def check_debug_files(place, program):
    """Compressed; in a file beside a stripped program; in one file for each object."""
    run("objcopy", "--compress-debug-sections", program, f"{place}/compressed")
    run("objcopy", "--only-keep-debug", program, f"{place}/bare.debug")
    run("strip", "-o", f"{place}/bare", program)
    run("objcopy", f"--add-gnu-debuglink={place}/bare.debug", f"{place}/bare")
    for variant in (f"{place}/compressed", f"{place}/bare", *build_split(place)):
        check_places(record(place, variant))


def make_inside(folder, program):
    """The program as it is in the container: stripped, with its debug information beside it."""
    (folder / ".debug").mkdir(parents=True)
    run("objcopy", "--only-keep-debug", program, folder / ".debug/program.debug")
    run("strip", "-o", folder / "program", program)
    run("objcopy", f"--add-gnu-debuglink={folder}/.debug/program.debug", folder / "program")


def check_container(place, program):
    """In a container a name may mean another file than out here: the one in there is read, and its debug information."""
    jail, outside = pathlib.Path(place, "jail"), pathlib.Path(place, "outside")
    words = contain("--mount")
    if not words:
        print("no container can be made here", file=sys.stderr)
        return
    outside.mkdir()
    (outside / "program").write_bytes((TARGETS / "inlined_coroutine").read_bytes())
    make_inside(jail / str(outside)[1:], program)
    for library in re.findall(r"(/\S+) \(0x", run("ldd", program).stdout):
        copy = jail / library[1:]
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, copy)
    trace = f"{place}/container.ctrace"
    run(COROTRACER, "run", "--no-ledger", "-o", trace, "--", *words, f"--root={jail}", outside / "program", status=None)
    check_places(trace)
    # What was mounted in there is gone with the program: what then has its name is another file, and is not asked.
    inside = jail / str(outside)[1:]
    run(COROTRACER, "run", "--no-ledger", "-o", trace, "--", *words, "sh", "-c",
        f"mount --bind {inside} {outside} && exec {outside}/program", status=None)
    told = run(COROTRACER, "report", trace).stdout
    check("ctp_probe" not in told, f"names of another file:\n{told}")


def check_coroutine(place):
    trace = record(place, TARGETS / "inlined_coroutine")
    source = "inlined_coroutine.cpp"
    check_parts(run(COROTRACER, "why", trace, 1).stdout,
                f"app::Awaiter::await_ready, tests/targets/{source}:{line_of(source, 'innermost')}, "
                f"inlined into app::serve at tests/targets/{source}:{line_of(source, 'wait')}")


def main():
    with folder() as place:
        trace = record(place, TARGETS / "inlined")
        check_places(trace)
        check_forms(place, trace)
        check_copies(place, trace)
        check_thresholds(place, trace)
        check_debug_files(place, TARGETS / "inlined")
        check_container(place, TARGETS / "inlined")
        check_coroutine(place)


if __name__ == "__main__":
    main()
