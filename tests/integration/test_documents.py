# SPDX-License-Identifier: MIT
"""Tests that every command in the documents works.

The lines of ```sh blocks are run unchanged, in a folder with `./dev`, the example's sources and a server to trace, with
the build's binaries in the path. A listing that is a whole program lies there, too, under the name by which the
commands below it compile it. Commands of ./dev that would build or test everything again are compared with its own list
instead.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from support import BUILD, COROTRACER, SOURCE, check, folder, run

sys.path.insert(0, str(SOURCE / "tools"))
from tracked import tracked  # noqa: E402

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
LISTING = re.compile(r"^```(?:c|cpp)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INTERRUPTED = "until Ctrl-C"  # what a comment says of a command that does not end by itself
DENIED = "-Wall -Wextra -Werror"  # in addition to the options with which a document compiles its program
DEV_COMMAND = re.compile(r"^(?:[A-Z]+=\S+ )*\./dev\s+(\S+)")


# The findings that reports on the listed programs must have.
FOUND = {
    "corotracer report door.ctrace": ("lost-wakeup", "co_await Bell in open_door", "and woke nobody", "Bell::ring", "had come before, and found nobody"),
    "corotracer report bell.ctrace": ("lost-wakeup", "'wait for the bell' in run", "ring in ring"),
}


def documents():
    return [SOURCE / name for name in tracked("*.md")]


def commands(text):
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            command, _, comment = line.partition("  #")
            if command.strip() and not command.startswith("#"):
                yield command.strip(), comment


def prepare(scratch):
    """Makes what the documents take for granted: a program to trace, named ./server, and the remains of a killed
    recording."""
    server = scratch / "server"
    server.write_text(f"#!/bin/sh\nexec '{BUILD}/examples/example-tcp-server-fault-a' --self-load 5:3 "
                      "--exit-after-idle 0.3 >/dev/null 2>&1\n")
    server.chmod(0o755)
    cut = scratch / "killed.ctrace.partial"
    run(BUILD / "corotracer", "run", "-o", scratch / "whole.ctrace", "--", server)
    cut.write_bytes((scratch / "whole.ctrace").read_bytes()[:-40])
    for name in ("examples", "docs", "include", "sdk", "tests", "tools"):
        (scratch / name).symlink_to(SOURCE / name)
    (scratch / "build").symlink_to(BUILD)
    shutil.copy(SOURCE / "dev", scratch / "dev")


def lay_out_listings(scratch, text, place):
    """Writes each whole program of a document to a file with the name by which the document compiles it."""
    count = 0
    for listing in LISTING.finditer(text):
        if not re.search(r"^int main\(", listing[1], re.MULTILINE) or "..." in listing[1]:
            continue
        compiled = re.search(r"^(?:cc|g\+\+) .*?([\w-]+\.(?:c|cpp))\b", text[listing.end():], re.MULTILINE)
        check(compiled, f"{place}: a program that no command below it compiles:\n{listing[1]}")
        (scratch / compiled[1]).write_text(listing[1])
        count += 1
    return count


def interrupt(command, scratch, environment):
    """Runs a program that hangs until the recording shows its only thread hanging, then presses Ctrl-C."""
    trace = re.search(r"-o (\S+)", command)[1]
    seen = ""
    with subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=scratch, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as recording:
        while not re.search(r" suspend .* thread-state \S+ \d+ argument=1", seen, re.DOTALL):
            time.sleep(0.02)  # leaves the processor to other processes
            check(recording.poll() is None, f"`{command}` does not hang")
            seen = run(COROTRACER, "dump", f"{trace}.partial", cwd=scratch, status=None).stdout
        recording.send_signal(signal.SIGINT)
        told = recording.communicate(timeout=60)[0]
    return subprocess.CompletedProcess(command, 0 if recording.returncode == 128 + signal.SIGINT else 1, told, "")


def perform(command, comment, scratch, environment):
    if INTERRUPTED in comment:
        return interrupt(command, scratch, environment)
    compiling = re.match(r"(cc|g\+\+) ", command)
    if compiling:
        command = command.replace(compiling[1], f"{compiling[1]} {DENIED}", 1)
    return run("bash", "-c", command, cwd=scratch, env=environment, status=None)


def run_documents(scratch):
    environment = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"}
    found, nr_listings = set(), 0
    dev_commands = re.findall(r"^  (\w+)", run(SOURCE / "dev", "help").stdout, re.MULTILINE)
    count = 0
    for document in documents():
        text = document.read_text(encoding="utf-8")
        nr_listings += lay_out_listings(scratch, text, document.relative_to(SOURCE))
        for command, comment in commands(text):
            count += 1
            of_dev = DEV_COMMAND.match(command)
            place = f"{document.relative_to(SOURCE)}: `{command}`"
            if of_dev:
                check(of_dev.group(1) in dev_commands, f"{place}: ./dev has no such command")
                continue
            result = perform(command, comment, scratch, environment)
            check(result.returncode == 0, f"{place} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
            for words in FOUND.get(command, ()):
                check(words in " ".join(result.stdout.split()), f"{place} does not tell of '{words}':\n{result.stdout}")
                found.add(command)
    check(found == set(FOUND), f"no document has {set(FOUND) - found}")
    check(nr_listings >= len(FOUND), f"only {nr_listings} whole programs found: is the pattern still right?")
    return count


def check_first_page():
    """README begins with a picture, and is short enough to be read."""
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    check(re.match(r"# corotracer\n\n[^#`|]+\n\n!\[[^]]+\]\(docs/images/", text), "README does not open with a picture")
    check(text.count("\n") <= 150, f"README has {text.count(chr(10))} lines: docs/README.md has room")


def unindented(text):
    return [line.strip() for line in text.splitlines()]


def check_guide():
    """The code in the guide is part of the program that is built and run; a function in C, of a test."""
    program = SOURCE / "examples/integrated-scheduler/scheduler.h"
    lines = unindented(program.read_text(encoding="utf-8"))
    guide = (SOURCE / "docs/integrating-a-scheduler.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```cpp\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    check(len(blocks) > 5, "the guide shows no code: is the pattern still right?")
    for block in blocks:
        shown = unindented(block)
        check(any(lines[at:at + len(shown)] == shown for at in range(len(lines))),
              f"docs/integrating-a-scheduler.md: not in {program.name}:\n{block}")
    tested = (SOURCE / "tests/unit/test_probe_site.c").read_text(encoding="utf-8")
    functions = re.findall(r"^```c\n(static .*?)^```", guide, re.MULTILINE | re.DOTALL)
    check(functions and all(one in tested for one in functions), "docs/integrating-a-scheduler.md: not in test_probe_site.c")


def check_demo_is_built():
    """The demo builds a part of the project: what it runs must be in that part."""
    demo = re.search(r"^demo\(\) \{\n(.*?)^\}", (SOURCE / "dev").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    target, = re.findall(r"^\tbuild_with \S+ (\S+)$", demo.group(1), re.MULTILINE)
    built = run("ninja", "-C", BUILD, "-t", "query", target).stdout.replace("|", " ").split()
    programs = set(re.findall(r'"\$BUILD/([^"$]+)"', demo.group(1)))
    check(len(programs) == 2, f"the demo runs {programs}: is the pattern still right?")
    for name in programs | {"sdk/preload/libcorotracer-ledger.so", "examples/example-tcp-load"}:
        check(name in built, f"./dev demo needs {name}, and '{target}' does not build it")


def check_image(image, places):
    """The picture shows the present example: its places contain what the picture says."""
    text = re.sub(r"<[^>]*>", "", (SOURCE / image).read_text(encoding="utf-8"))
    for label, code in places.items():
        name, line = re.search(rf"{label}.*?(examples/\S+?):(\d+)", text, re.DOTALL).groups()
        lines = (SOURCE / name).read_text(encoding="utf-8").splitlines()
        check(code in lines[int(line) - 1], f"{image}: {name}:{line} has no '{code}': draw it again")


def main():
    check_first_page()
    check_image("docs/images/report.svg", {"waiting at ": "co_await", "look first at ": "close("})
    check_image("docs/images/finding.svg", {r"suspended, to wait": "co_await", r": closed descriptor": "close("})
    check_guide()
    check_demo_is_built()
    with folder() as name:
        prepare(pathlib.Path(name))
        count = run_documents(pathlib.Path(name))
    check(count > 5, f"only {count} commands found: is the pattern still right?")
    print(f"{count} commands")


if __name__ == "__main__":
    sys.exit(main())
