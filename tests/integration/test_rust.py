# SPDX-License-Identifier: MIT
"""Tests a program in Rust, with names in both manglings: functions, generics, closures, and inlined functions, with
their lines."""
import os
import pathlib
import re
import shutil
import sys

from support import COROTRACER, SOURCE, check, folder, run, skip

TARGETS = SOURCE / "tests/targets"


def line_of(mark):
    lines = (TARGETS / "inlined.rs").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"// {mark}"))


def build(place, mangling):
    program = f"{place}/{mangling}"
    run(shutil.which("rustc"), "--edition", "2021", "-O", "-g", "--crate-name", "app", "-C",
        f"symbol-mangling-version={mangling}", "-L", place, "-l", "static=shim", TARGETS / "inlined.rs", "-o", program,
        # Newer compilers use only the newer mangling, unless asked for the older one.
        *(("-Z", "unstable-options") if mangling == "legacy" else ()), env=dict(os.environ, RUSTC_BOOTSTRAP="1"))
    return program


def check_names(place, mangling):
    trace = f"{place}/{mangling}.ctrace"
    run(COROTRACER, "run", "--no-ledger", "-o", trace, "--", build(place, mangling))
    place_of = f"inlined.rs:{line_of('innermost')}, inlined into "
    for coro, function, mark in ((1, r"app::serve(::<u32>)?", "generic"),
                                 (2, r"app::main::(\{closure#0\}|\{\{closure\}\})", "closure")):
        told = " ".join(run(COROTRACER, "why", trace, coro).stdout.split())
        wanted = (r"at <?app::net::Lock<(T|u32)>>?::take, \S*" + place_of + function +
                  rf" at \S*inlined.rs:{line_of(mark)}\b")
        check(re.search(wanted, told), f"no '{wanted}' in\n{told}")


def check_readme(place):
    """The README's program, with its line for Cargo, is compiled unchanged, and traced."""
    text = (SOURCE / "sdk/rust/README.md").read_text(encoding="utf-8")
    dependency, program = (re.search(rf"^```{kind}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1] for kind in ("toml", "rust,no_run"))
    package = pathlib.Path(place, "traced")
    (package / "src").mkdir(parents=True)
    pathlib.Path(place, "corotracer").symlink_to(SOURCE)
    (package / "Cargo.toml").write_text(f'[package]\nname = "traced"\nversion = "0.1.0"\nedition = "2021"\n{dependency}')
    (package / "src/main.rs").write_text(program)
    run("cargo", "build", "--offline", "--quiet", cwd=package)
    trace = f"{place}/readme.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", package / "target/debug/traced")
    told = run(COROTRACER, "dump", trace).stdout
    check(re.search(r" t1 create c1 .*\n(.*\n)*.* destroy c1", told), f"the README's future is not in\n{told}")


def main():
    compiler, archiver = shutil.which("cc"), shutil.which("ar")
    if not shutil.which("rustc") or not compiler or not archiver:
        skip("there is no Rust compiler")
    with folder() as place:
        run(compiler, "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-I", SOURCE / "include", "-c", TARGETS / "rust_shim.c", "-o",
            f"{place}/shim.o")
        run(archiver, "rcs", f"{place}/libshim.a", f"{place}/shim.o")
        for mangling in ("v0", "legacy"):
            check_names(place, mangling)
        if shutil.which("cargo"):
            check_readme(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
