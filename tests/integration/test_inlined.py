# SPDX-License-Identifier: MIT
"""Tests a wait in helpers that the compiler inlined into their callers: reports name the place, and the function into
which it was inlined."""
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
    """Returns the number of the line that has this mark in a comment."""
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
    """Returns what reports must say of the two waits."""
    inner, helper, request, cache = (line_of("inlined.c", mark) for mark in ("innermost", "helper", "request", "cache"))
    common = (f"wait_in_queue, tests/targets/inlined.c:{inner}, "
              f"inlined into take_lock at tests/targets/inlined.c:{helper}, inlined into ")
    return (f"{common}handle_request at tests/targets/inlined.c:{request}",
            f"{common}refill_cache at tests/targets/inlined.c:{cache}")


def check_places(trace):
    """Checks the text of a report; the text holds for any file that has functions and lines."""
    check_parts(run(COROTRACER, "report", *AT_ONCE, trace).stdout, "mutex-deadlock", *places())


def site_of(report, coro):
    waits = [member["wait_site"] for finding in report["findings"] for member in finding["members"] if member["id"] == coro]
    return report["sites"][waits[0] - 1]


def check_forms(place, trace):
    """Checks each form of a report, and each form of a trace."""
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
    """Commands that cut, repair and export a trace keep the inlining."""
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
    """A function that is named in the settings includes the functions that were inlined into it."""
    told = run(COROTRACER, "report", "--format", "json", *AT_ONCE, trace, "--allow-site", "handle_request").stdout
    check(not json.loads(told)["findings"], told)


def build_split(place):
    """Built here, because the objects contain the path of their debug information, and a compiler cache may share
    objects."""
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
    """Debug information that is compressed; in a file beside a stripped program; in one file for each object."""
    run("objcopy", "--compress-debug-sections", program, f"{place}/compressed")
    run("objcopy", "--only-keep-debug", program, f"{place}/bare.debug")
    run("strip", "-o", f"{place}/bare", program)
    run("objcopy", f"--add-gnu-debuglink={place}/bare.debug", f"{place}/bare")
    for variant in (f"{place}/compressed", f"{place}/bare", *build_split(place)):
        check_places(record(place, variant))


def make_inside(folder, program):
    """Makes the program as it is in the container: stripped, with its debug information beside it."""
    (folder / ".debug").mkdir(parents=True)
    run("objcopy", "--only-keep-debug", program, folder / ".debug/program.debug")
    run("strip", "-o", folder / "program", program)
    run("objcopy", f"--add-gnu-debuglink={folder}/.debug/program.debug", folder / "program")


def check_container(place, program):
    """In a container a name may mean another file than outside: the file inside is read, and its debug information."""
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
    # The container's mounts are gone with the program: a file that has the name now is another file, and is not used.
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
