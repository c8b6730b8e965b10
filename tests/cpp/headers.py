#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests public headers in foreign programs: each standard of C++ and of C compiles them without a warning, and a
program in C++20 that forbids itself the casts of C may include the probe. If the program itself has a name X, or any
other name of the tables' macros, the name still has its meaning after the headers."""
import pathlib
import re
import subprocess
import sys
import tempfile

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Werror")
LANGUAGES = {"c": ("gcc", "clang", ("gnu11", "c11", "c17")),
             "cpp": ("g++", "clang++", ("c++11", "c++14", "c++17", "c++20"))}

# What a program in C++20 may forbid itself; g++ finds a zero for a pointer in what it makes of a coroutine.
STRICT = {"g++": ("-Wold-style-cast", "-Wuseless-cast"),
          "clang++": ("-Wold-style-cast", "-Wzero-as-null-pointer-constant")}


def macros_of(headers):
    """All names without a prefix that the headers define for a table."""
    names = {name for header in headers for name in re.findall(r"^#define (\w+)\(", header.read_text(), re.MULTILINE)}
    return sorted(name for name in names if not name.lower().startswith(("ct_", "ctp_")))


def program(header, macros):
    lines = [f"#define {name}(word) users_{name}_##word" for name in macros]
    lines.append(f'#include "corotracer/{header}"')
    lines += [f"int {name}(word);" for name in macros]
    lines.append(f"int main(void) {{ return {' + '.join(f'users_{name}_word' for name in macros)}; }}")
    return "\n".join(lines) + "\n"


def compile_strictly(root):
    """Compiles a program with promises of the base class and of the wrapper; returns the compilers' complaints."""
    failures = ""
    for compiler, strict in STRICT.items():
        done = subprocess.run((compiler, "-std=c++20", *WARNINGS, *strict, "-I", root / "include", "-I", root / "sdk/cpp",
                               "-c", root / "tests/cpp/plain_unit.cpp", "-o", "/dev/null"),
                              capture_output=True, text=True, check=False)
        if done.returncode:
            failures += f"coroTracer.h, {compiler} {' '.join(strict)}:\n{done.stderr}"
    return failures


def main():
    root, suffix = pathlib.Path(sys.argv[1]), sys.argv[2]
    headers = sorted((root / "include/corotracer").glob("*.h"))
    macros = macros_of(headers)
    assert "X" in macros, "the tables' macros were not found"
    first, second, standards = LANGUAGES[suffix]
    failures = compile_strictly(root) if suffix == "cpp" else ""
    with tempfile.TemporaryDirectory() as folder:
        for header in ("ctp_probe.h", "ctp_flight.h", "ct.h"):
            path = pathlib.Path(folder, f"program.{suffix}")
            path.write_text(program(header, macros))
            for compiler in (first, second):
                for standard in standards:
                    done = subprocess.run((compiler, f"-std={standard}", *WARNINGS, "-D_GNU_SOURCE", "-I", root / "include",
                                           "-c", path, "-o", "/dev/null"), capture_output=True, text=True, check=False)
                    if done.returncode:
                        failures += f"{header}, {compiler} -std={standard}:\n{done.stderr}"
    sys.exit(failures or 0)


if __name__ == "__main__":
    main()
