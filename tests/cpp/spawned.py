#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where a coroutine was created: the line that a trace names is the line that created it.

usage: spawned.py SOURCE_ROOT BUILD_FOLDER COMPILER

The compiler takes a coroutine's first function into the code that calls it, or it does not, and the
promise's constructor into that, or not: with optimisation the line must be right either way. Without it,
and without debug information, no other function than the creator or the coroutine itself may be named (P-43).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

COROUTINES = {"creates_taken_in": "taken_in", "creates_apart": "apart"}


def trace(root, build, compiler, flags, folder):
    """Builds the target, runs it under the tracer; returns the lines it told and the sites found."""
    target = os.path.join(folder, "target")
    includes = ["-I" + os.path.join(root, part) for part in ("include", "sdk/cpp")]
    source = os.path.join(root, "tests/cpp/spawned_target.cpp")
    subprocess.run([compiler, "-std=c++20", *flags, *includes, source, "-o", target], check=True)
    file = os.path.join(folder, "spawned.ctrace")
    program = os.path.join(build, "corotracer")
    run = subprocess.run([program, "run", "--no-ledger", "-o", file, "--", target],
                         capture_output=True, text=True, check=True)
    dump = subprocess.run([program, "dump", file], capture_output=True, text=True, check=True).stdout
    told = dict(re.findall(r"^(creates_\w+) (\d+)$", run.stdout, re.M))
    found = [dict(re.findall(r'(line|function)=("[^"]*"|\S+)', line))
             for line in dump.splitlines() if re.match(r"site \d+ .*kind=caller", line)]
    return told, found


def bare(function):
    """A function's name without its parameters."""
    return re.sub(r"\(.*", "", function.strip('"')).split("::")[-1]


def check(told, found, flags):
    """Whether what was found is what was told; says what is wrong."""
    wrong = []
    if len(found) != len(told) or len(told) != 2:
        wrong.append("%d sites for %d places" % (len(found), len(told)))
    for (creator, line), site in zip(told.items(), found):
        function = bare(site.get("function", ""))
        if flags == ["-O2", "-g"]:
            if (function, site.get("line")) != (creator, line):
                wrong.append("%s is not in %s, line %s" % (site, creator, line))
        elif function not in ("", creator, COROUTINES[creator]):
            wrong.append("%s names neither %s nor its coroutine" % (site, creator))
    for text in wrong:
        print(" ".join(flags) + ": " + text, file=sys.stderr)
    return not wrong


def main():
    root, build, compiler = sys.argv[1:]
    if not shutil.which(compiler):
        print("skipped: no " + compiler, file=sys.stderr)
        return 77
    is_right = True
    with tempfile.TemporaryDirectory() as folder:
        for flags in (["-O2", "-g"], ["-O0", "-g"], ["-O2"]):
            told, found = trace(root, build, compiler, flags, folder)
            is_right = check(told, found, flags) and is_right
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
