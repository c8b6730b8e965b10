#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the C++ probe's tests with one compiler and one set of flags, and runs them.

usage: matrix.py SOURCE_ROOT PROGRAM[,PROGRAM...]|all COMPILER FLAG...

Exits 0 if all tests passed, 1 if a test failed to build or to run, 77 if the compiler or what its flags ask for is not
installed. Warnings are failures: users compile this header with their own flags.
"""
import os
import shutil
import subprocess
import sys
import tempfile

WARNINGS = (
    "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wcast-align -Wwrite-strings -Wundef "
    "-Wformat=2 -Wnon-virtual-dtor -Woverloaded-virtual -Wno-sign-conversion -Werror"
).split()
PROGRAMS = {
    "annotate": [],
    "awaiters": [],
    "life": [],
    "traced": [],
    "sites": [],
    "transfer": [],
    "threads": [],
    "resources": [],
    "plain": ["plain_unit.cpp", "-fno-exceptions", "-fno-rtti"],
}
SECONDS = 240


def compiler_works(compiler, flags, folder):
    """Returns whether a program of one line builds and runs with these flags."""
    if not shutil.which(compiler):
        return False
    source = os.path.join(folder, "probe.cpp")
    program = os.path.join(folder, "probe")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <coroutine>\nint main() { return 0; }\n")
    build = subprocess.run(
        [compiler, "-std=c++20", *flags, source, "-o", program], capture_output=True, check=False
    )
    if build.returncode != 0:
        return False
    return subprocess.run([program], capture_output=True, check=False).returncode == 0


def build(compiler, flags, root, name, extra, folder):
    """Compiles one test program; returns its path, or None."""
    here = os.path.join(root, "tests", "cpp")
    program = os.path.join(folder, name)
    sources = [os.path.join(here, e) if e.endswith(".cpp") else e for e in extra]
    includes = [os.path.join(root, part) for part in ("include", "sdk/cpp", "tests/support")]
    command = [compiler, "-std=c++20", *WARNINGS, *flags]
    command += ["-I" + part for part in includes]
    command += [os.path.join(here, "test_cpp_" + name + ".cpp"), *sources, "-pthread", "-o", program]
    if subprocess.run(command, check=False).returncode != 0:
        print("does not build: " + " ".join(command), file=sys.stderr)
        return None
    return program


def main():
    root, names, compiler, *flags = sys.argv[1:]
    chosen = list(PROGRAMS) if names == "all" else names.split(",")
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        if not compiler_works(compiler, flags, folder):
            print("skipped: no " + " ".join([compiler, *flags]), file=sys.stderr)
            return 77
        for name in chosen:
            program = build(compiler, flags, root, name, PROGRAMS[name], folder)
            if not program:
                failed.append(name)
                continue
            try:
                status = subprocess.run([program], timeout=SECONDS, check=False).returncode
            except subprocess.TimeoutExpired:
                status = "no end after %d s" % SECONDS
            if status != 0:
                print("%s: %s" % (name, status), file=sys.stderr)
                failed.append(name)
    print("%s: %d programs, failed: %s" % (" ".join([compiler, *flags]), len(chosen), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
