# SPDX-License-Identifier: MIT
"""Every command in the documents works.

The lines of ```sh blocks are run as they stand, in a folder where `./dev`, the example's sources and a server to
trace are found, with the build's binaries on the path. Commands of ./dev that would build or test everything
again are checked against its own list instead. Links between documents must lead somewhere.
"""
import os
import pathlib
import re
import shutil
import sys

from support import BUILD, SOURCE, check, folder, run

sys.path.insert(0, str(SOURCE / "tools"))
from tracked import tracked  # noqa: E402

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)[^)]*\)")
DEV_COMMAND = re.compile(r"^(?:[A-Z]+=\S+ )*\./dev\s+(\S+)")


def documents():
    return [SOURCE / name for name in tracked("*.md")]


def commands(text):
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            line = line.split("  #")[0].strip()
            if line and not line.startswith("#"):
                yield line


def prepare(scratch):
    """What the documents take for granted: a program to trace, named ./server, and what a killed recording left."""
    server = scratch / "server"
    server.write_text(f"#!/bin/sh\nexec {BUILD}/examples/example-tcp-server-fault-a --self-load 5:3 "
                      "--exit-after-idle 0.3 >/dev/null 2>&1\n")
    server.chmod(0o755)
    cut = scratch / "killed.ctrace.partial"
    run(BUILD / "corotracer", "run", "-o", scratch / "whole.ctrace", "--", server)
    cut.write_bytes((scratch / "whole.ctrace").read_bytes()[:-40])
    for name in ("examples", "docs", "tests", "tools"):
        (scratch / name).symlink_to(SOURCE / name)
    (scratch / "build").symlink_to(BUILD)
    shutil.copy(SOURCE / "dev", scratch / "dev")


def run_documents(scratch):
    environment = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"}
    dev_commands = re.findall(r"^  (\w+)", run(SOURCE / "dev", "help").stdout, re.MULTILINE)
    count = 0
    for document in documents():
        for command in commands(document.read_text(encoding="utf-8")):
            count += 1
            of_dev = DEV_COMMAND.match(command)
            place = f"{document.relative_to(SOURCE)}: `{command}`"
            if of_dev:
                check(of_dev.group(1) in dev_commands, f"{place}: ./dev has no such command")
                continue
            result = run("bash", "-c", command, cwd=scratch, env=environment, status=None)
            check(result.returncode == 0, f"{place} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return count


def check_links():
    for document in documents():
        for target in LINK.findall(document.read_text(encoding="utf-8")):
            check((document.parent / target).exists(), f"{document.relative_to(SOURCE)} leads to '{target}': nothing there")


def unindented(text):
    return [line.strip() for line in text.splitlines()]


def check_guide():
    """What the guide shows is part of the program that is built and run."""
    program = SOURCE / "examples/integrated-scheduler/scheduler.h"
    lines = unindented(program.read_text(encoding="utf-8"))
    blocks = re.findall(r"^```cpp\n(.*?)^```", (SOURCE / "docs/integrating-a-scheduler.md").read_text(encoding="utf-8"),
                        re.MULTILINE | re.DOTALL)
    check(len(blocks) > 5, "the guide shows no code: is the pattern still right?")
    for block in blocks:
        shown = unindented(block)
        check(any(lines[at:at + len(shown)] == shown for at in range(len(lines))),
              f"docs/integrating-a-scheduler.md: not in {program.name}:\n{block}")


def check_demo_is_built():
    """The demo builds a part of the project: what it runs must be in that part."""
    demo = re.search(r"^demo\(\) \{\n(.*?)^\}", (SOURCE / "dev").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    target, = re.findall(r"^\tbuild (\S+)$", demo.group(1), re.MULTILINE)
    built = run("ninja", "-C", BUILD, "-t", "query", target).stdout.replace("|", " ").split()
    programs = set(re.findall(r'"\$BUILD/([^"$]+)"', demo.group(1)))
    check(len(programs) == 2, f"the demo runs {programs}: is the pattern still right?")
    for name in programs | {"sdk/preload/libcorotracer-ledger.so", "examples/example-tcp-load"}:
        check(name in built, f"./dev demo needs {name}, and '{target}' does not build it")


def check_image(image, places):
    """What the picture shows is that of the present example: its places are what it says they are."""
    text = re.sub(r"<[^>]*>", "", (SOURCE / image).read_text(encoding="utf-8"))
    for label, code in places.items():
        name, line = re.search(rf"{label}.*?(examples/\S+?):(\d+)", text, re.DOTALL).groups()
        lines = (SOURCE / name).read_text(encoding="utf-8").splitlines()
        check(code in lines[int(line) - 1], f"{image}: {name}:{line} has no '{code}': draw it again")


def main():
    check_links()
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
