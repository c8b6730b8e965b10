# SPDX-License-Identifier: MIT
"""Plays one script of calls in each language that has a probe: the segments are equal, bit for bit."""
import pathlib
import re
import shutil
import subprocess
import sys

import environment
from support import BUILD, SOURCE, check, fail, folder, run

sys.path.insert(0, str(SOURCE / "tests/conformance"))
import play  # noqa: E402

PLACE = SOURCE / "tests/conformance"
NOT_IN_SCRIPT = {"site_use", "attachment"}  # their results depend on the language, or on time


def build_c(place):
    program = place / "play-c"
    run("cc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-pthread", "-I", SOURCE / "include", PLACE / "play_c.c",
        SOURCE / "sdk/c/probe.c", "-o", program)
    return program


def build_cpp(place):
    if not shutil.which("c++"):
        return None
    program = place / "play-cpp"
    run("c++", "-std=c++20", "-D_GNU_SOURCE", "-O1", "-pthread", "-I", SOURCE / "include", "-I", SOURCE / "sdk/cpp",
        PLACE / "play_cpp.cpp", "-o", program)
    return program


def build_rust(_place):
    if not shutil.which("cargo"):
        return None
    target = BUILD / "rust-conformance"  # a folder of its own, because cargo allows one build at a time in a folder
    done = subprocess.run(["cargo", "build", "--offline", "--quiet", "--target-dir", target, "--manifest-path",
                           PLACE / "rust/Cargo.toml"], capture_output=True, text=True, check=False,
                          env=dict(play.os.environ, CARGO_BUILD_JOBS="1"))
    check(done.returncode == 0, f"the Rust player cannot be compiled:\n{done.stderr}")
    return target / "debug/play"


def build_zig(place):
    return environment.build_zig(PLACE / "zig/play.zig", place / "play-zig")


PLAYERS = {"C": build_c, "C++": build_cpp, "Rust": build_rust, "Zig": build_zig}


def check_complete(script):
    """Every call that exists is in the script."""
    text = (SOURCE / "include/corotracer/def/functions.def").read_text()
    calls = set(re.findall(r"^X\([\w ]+, (\w+), ", text, re.MULTILINE)) - NOT_IN_SCRIPT
    lines = re.findall(r"^(?:repeat \d+ )?(\w+)", script, re.MULTILINE)
    check(len(calls) > 50 and not calls - set(lines), f"the script has no {calls - set(lines)}")


def main():
    script = (PLACE / "script.txt").read_text()
    check_complete(script)
    layout = play.Layout(run(SOURCE / "tools/make-layout", "rust").stdout)
    left = {}
    with folder() as name:
        for language, build in PLAYERS.items():
            program = build(pathlib.Path(name))
            if program:
                left[language] = play.play(str(program), script, layout)
    check(sum("record" in part for part in left["C"]) > 10000, "the script wrote next to nothing")
    for language, segment in left.items():
        told = play.difference(left["C"], segment)
        if told:
            fail(f"C and {language} differ in {told}")
    print("compared:", ", ".join(left), "- not to be had here:", ", ".join(set(PLAYERS) - set(left)) or "none")
    return 0


if __name__ == "__main__":
    sys.exit(main())
