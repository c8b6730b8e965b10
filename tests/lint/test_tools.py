# SPDX-License-Identifier: MIT
"""Tests what the build and its tests say if something is missing: a sentence that names it, and a count that is not too
high; and that ./dev has packages for each optional part of the build.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / "tools"

# A compiler's message that something is missing, and what build-reader makes of it.
NO_RUNTIME = "cannot open /usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a: No such file or directory"
COMPLAINTS = {
    f"wasm-ld-14: error: {NO_RUNTIME}\nclang: error: linker command failed with exit code 1":
        f"{NO_RUNTIME} (Debian: libclang-rt-14-dev-wasm32)\n",
    "trial.c:1:10: fatal error: 'stdlib.h' file not found\n#include <stdlib.h>":
        "'stdlib.h' file not found (Debian: wasi-libc)\n",
    "clang: error: unable to execute command: Executable \"wasm-ld\" doesn't exist!":
        "unable to execute command: Executable \"wasm-ld\" doesn't exist! (Debian: lld)\n",
}

# What ran before, how its tests ended, what is counted, and with which status.
COUNTS = (
    ("bare=0", ["OK", "OK"], "3 passed, 0 failed, 0 skipped", 0),
    ("bare=77", ["OK", "SKIP"], "1 passed, 0 failed, 2 skipped", 0),
    ("bare=1", ["OK"], "1 passed, 1 failed, 0 skipped", 1),
    ("bare=0", [], "1 passed, 0 failed, 0 skipped", 1),
    ("bare=0", ["SKIP"], "1 passed, 0 failed, 1 skipped", 1),
)

# What tests printed before they ended, in two logs, and what is reported of those that were skipped.
SKIPS = (
    (["first", "skipped: there is no spin\n", ""], ["second", "", "skipped: there is no spin\n"],
     ["third", "skipped: no\nskipped: there is no Chromium\n", ""], ["fourth", "and nothing else", ""]),
    ["skipped: 2 tests: there is no spin (one: first, one: second)",
     "skipped: 1 test: gives no reason (one: fourth)",
     "skipped: 1 test: the reason is told above (beside the tests: bare)",
     "skipped: 1 test: there is no Chromium (one: third)",
     "1 passed, 0 failed, 5 skipped"],
)


def run(tool, *words):
    return subprocess.run([sys.executable, TOOLS / tool, *words], capture_output=True, text=True, check=False)


# Replaces a program that ./dev calls: notes its arguments, and does what the test says.
STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >>'{folder}/calls'
{does}
"""
MESON = """
case "$*" in
*-Dnope*) printf 'The Meson build system\\n\\nmeson.build:1:0: ERROR: Unknown options: "nope"\\n'; exit 1 ;;
"setup build"*)
	mkdir -p build/meson-private build/meson-logs && : >build/meson-logs/meson-log.txt
	cp -r meson-info build
	for word; do case $word in -D*) word=${word#-D}; echo "${word%%=*} = ${word#*=}" ;; esac; done \\
		>build/meson-private/cmd_line.txt
	touch -d '+1 hour' build/build.ninja ;;
esac
"""
NINJA = """
case "$*" in
*build.ninja) ;;
*"-t deps") printf 'x.o: #deps 2\\n    /bin/sh\\n    /nowhere/gone.h\\n' ;;
*) ! [ -e fails ] || { rm fails; exit 1; } ;;
esac
"""


def calls_of(folder, *words, status=0):
    """Returns what ./dev says, and which programs it calls for `build` with these words."""
    (folder / "calls").write_text("")
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    told = subprocess.run([folder / "dev", "build", *words], capture_output=True, text=True, check=False,
                          env={**environment, "PATH": f"{folder}/bin:{os.environ['PATH']}"})
    if told.returncode != status:
        yield f"./dev build {words} ends with {told.returncode}: {told.stderr}"
    yield told.stderr, [line for line in (folder / "calls").read_text().splitlines() if not line.startswith("dpkg")]


def write_targets(folder, targets, tests=()):
    """Writes what Meson reports of a build in this folder: its targets, the place of each, and what a suite's tests
    need."""
    (folder / "meson-info").mkdir(exist_ok=True)
    told = {"tests": [{"name": "a test", "suite": [f"corotracer:{suite}"], "depends": [one]} for suite, one in tests],
            "targets": [{"id": name, "defined_in": str(folder / place), "build_by_default": by_default,
                         "filename": [str(folder / name)]} for name, place, by_default in targets]}
    for what, entries in told.items():
        (folder / f"meson-info/intro-{what}.json").write_text(json.dumps(entries))


def configuring(folder):
    """If an option is given twice, the last one counts; a wrong one is one sentence; after a header has gone, the build
    is configured again."""
    (folder / "bin").mkdir()
    for name, does in (("meson", MESON), ("ninja", NINJA), ("dpkg-query", "echo ii")):
        (folder / "bin" / name).write_text(STAND_IN.format(folder=folder, does=does))
        (folder / "bin" / name).chmod(0o755)
    shutil.copy(ROOT / "dev", folder / "dev")
    (folder / "tools").mkdir()
    shutil.copy(TOOLS / "list-targets", folder / "tools")
    write_targets(folder, [("program", "meson.build", True), ("asked-for", "wasm/meson.build", False),
                           ("tested", "tests/unit/meson.build", True)])
    twice = ("-Dpage=auto", "-Dpage=disabled")
    *wrong, (_, calls) = calls_of(folder, *twice)
    if "meson setup build -Dpage=disabled" not in calls:
        wrong.append(f"of an option given twice ./dev calls {calls}")
    *more, (_, calls) = calls_of(folder, *twice)
    if any(call.startswith("meson") for call in calls):
        wrong.append(f"the same options again configure again: {calls}")
    if not any(call.endswith(" ../program") for call in calls):
        wrong.append(f"not only what is no test is built: {calls}")
    *more, (said, _) = *more, *calls_of(folder, "-Dnope=1", status=1)
    if said != 'dev: Unknown options: "nope" (meson_options.txt lists the options)\n':
        wrong.append(f"of a wrong option ./dev says {said!r}")
    (folder / "fails").write_text("")
    *more, (said, calls) = *more, *calls_of(folder)
    if "/nowhere/gone.h is not there any more" not in said or "meson setup build --reconfigure" not in calls:
        wrong.append(f"where a header went: {said} {calls}")
    yield from wrong + more


def lacking(folder):
    compiler = folder / "compiler"
    for complaint, sentence in COMPLAINTS.items():
        (folder / "complaint").write_text(complaint)
        compiler.write_text(f"#!/bin/sh\ncat '{folder}/complaint' >&2\nexit 1\n")
        compiler.chmod(0o755)
        told = run("build-reader", "--check", compiler, "true")
        if (told.returncode, told.stderr) != (1, sentence):
            yield f"build-reader says {told.stderr!r}, not {sentence!r}"
    told = run("build-reader", "--check", folder / "nothing", "true")
    if told.returncode != 1 or not told.stderr.endswith("nothing: No such file or directory\n"):
        yield f"build-reader says {told.stderr!r} where there is no compiler"


def counted(folder):
    log = folder / "testlog.json"
    for step, results, last, status in COUNTS:
        log.write_text("".join(json.dumps({"name": "a test", "result": result}) + "\n" for result in results))
        told = run("count-tests", "--also", step, log)
        if (told.returncode, told.stdout.splitlines()[-1]) != (status, last):
            yield f"count-tests, {step} and {results}: {told.returncode}, {told.stdout}"


def packages():
    parts = re.findall(r"^option\('(\w+)', type: 'feature', value: 'auto'", (ROOT / "meson_options.txt").read_text(), re.MULTILINE)
    listed = re.findall(r"^\t\[(\w+)\]=", (ROOT / "dev").read_text(), re.MULTILINE)
    if not parts or set(parts) != set(listed):
        yield f"./dev has packages for {sorted(listed)}, and meson_options.txt parts that are found or not: {sorted(parts)}"


def reasons(folder):
    (folder / "one").mkdir()
    log = folder / "one/testlog.json"
    results = [{"name": f"corotracer:unit / {name}", "result": "SKIP", "stdout": stdout, "stderr": stderr}
               for name, stdout, stderr in SKIPS[0]]
    log.write_text("".join(json.dumps(result) + "\n" for result in [{"name": "a test", "result": "OK"}, *results]))
    told = subprocess.run([sys.executable, TOOLS / "count-tests", "--also", "bare=77", "one/testlog.json"], cwd=folder,
                          capture_output=True, text=True, check=False).stdout.splitlines()
    if told != SKIPS[1]:
        yield f"count-tests tells of skips: {told}"


def needed(folder):
    """The two tests of a suite need their own targets, but not the targets of other tests."""
    write_targets(folder, [(name, "tests/meson.build", True) for name in ("first", "second", "third", "fourth")],
                  (("unit", "first"), ("race", "second"), ("unit", "third")))
    if (said := run("list-targets", folder, "unit").stdout.split()) != ["first", "third"]:
        yield f"list-targets tells {said} of what unit needs"


def main():
    with tempfile.TemporaryDirectory(prefix="corotracer-tools-") as name:
        wrong = [*lacking(pathlib.Path(name)), *counted(pathlib.Path(name)), *reasons(pathlib.Path(name)), *packages(),
                 *configuring(pathlib.Path(name)), *needed(pathlib.Path(name))]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
