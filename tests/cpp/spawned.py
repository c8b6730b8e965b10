#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the lines that a trace names for the creation of a coroutine, and for its destruction while it was suspended.

usage: spawned.py SOURCE_ROOT BUILD_FOLDER COMPILER

The compiler may inline a coroutine's first function into the code that calls it, and the promise's constructor into the
first function: with optimisation the line must be right in each case. Without optimisation and without debug
information, only the creator or the coroutine itself may be named (P-43).
g++ with optimisation names the destroyer; without debug information the coroutine may be named instead.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

COROUTINES = {"creates_taken_in": "taken_in", "creates_apart": "apart"}


def trace(root, build, compiler, flags, folder):
    """Builds the target, and runs it under the tracer. Returns what the target printed about creations and
    destructions, and the sites found for both."""
    target = os.path.join(folder, "target")
    includes = ["-I" + os.path.join(root, part) for part in ("include", "sdk/cpp")]
    source = os.path.join(root, "tests/cpp/spawned_target.cpp")
    subprocess.run([compiler, "-std=c++20", *flags, *includes, source, "-o", target], check=True)
    file = os.path.join(folder, "spawned.ctrace")
    program = os.path.join(build, "corotracer")
    run = subprocess.run([program, "run", "--no-ledger", "-o", file, "--", target],
                         capture_output=True, text=True, check=True)
    dump = subprocess.run([program, "dump", file], capture_output=True, text=True, check=True).stdout
    told = dict(re.findall(r"^(\w+) (\d+)$", run.stdout, re.M))
    sites = {number: dict(re.findall(r'(line|function)=("[^"]*"|\S+)', rest))
             for number, rest in re.findall(r"^site (\d+) (.*kind=caller.*)$", dump, re.M)}
    ends = re.findall(r"destroy c\d+ @(\d+) life=suspended", dump)
    begins = [site for number, site in sites.items() if number not in ends]
    return told, begins, [sites[number] for number in ends]


def check_destroyed(told, found, compiler, flags):
    """Checks that destroyers are named where that is possible, and named correctly; says what is wrong."""
    wrong = []
    is_known = compiler == "g++" and "-O2" in flags
    if len(found) != (2 if is_known else 0):
        wrong.append("%d sites of who destroyed" % len(found))
    for (destroyer, line), site, coroutine in zip(told.items(), found, COROUTINES.values()):
        function = bare(site.get("function", ""))
        if "-g" in flags and (function, site.get("line")) != (destroyer, line):
            wrong.append("%s is not in %s, line %s" % (site, destroyer, line))
        elif function not in ("", destroyer, coroutine):
            wrong.append("%s names neither %s nor %s" % (site, destroyer, coroutine))
    for text in wrong:
        print(" ".join(flags) + ": " + text, file=sys.stderr)
    return not wrong


def bare(function):
    """A function's name without its parameters."""
    return re.sub(r"\(.*", "", function.strip('"')).split("::")[-1]


def check(told, found, flags):
    """Checks that the sites found are those that the target printed; says what is wrong."""
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
            told, begins, ends = trace(root, build, compiler, flags, folder)
            creations = {name: told[name] for name in COROUTINES}
            destructions = {name: line for name, line in told.items() if name not in COROUTINES}
            is_right = check(creations, begins, flags) and is_right
            is_right = check_destroyed(destructions, ends, compiler, flags) and is_right
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
