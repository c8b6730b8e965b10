# SPDX-License-Identifier: MIT
"""Tests the workflow of docs/checks.md: its commands are run, as a runner would, on a server with a fault and on its
correct twin.

Actions by others are not run, but the files that they receive must exist. YAML is read by its indentation, as it is on
the page.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess

from support import BUILD, SOURCE, check, folder, run

LOAD = "--self-load 20:12 --exit-after-idle 0.5"
PLANTED = "examples/scheduler/reactor.cpp"
OUTPUTS = ("server.ctrace", "server.sarif", "server.xml")


def steps():
    """Returns each step as {key: text}; nested keys are among the others."""
    text = (SOURCE / "docs/checks.md").read_text(encoding="utf-8")
    page = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1]
    for step in page.split("\n      - ")[1:]:
        yield dict(re.findall(r"^ *([\w-]+): *(.*)$", step, re.MULTILINE)), step


def program(place, name):
    """A checkout of the program: its sources lie where the traced program was compiled from."""
    place.mkdir()
    server = place / "server"
    server.write_text(f"#!/bin/sh\nexec '{BUILD}/examples/{name}' {LOAD}\n")
    server.chmod(0o755)
    (place / "Makefile").write_text("server:\n")
    return place


def is_to_run(step, has_failed):
    condition = step.get("if", "")
    return {"": not has_failed, "failure()": has_failed, "${{ !cancelled() }}": True}[condition]


def run_steps(root):
    """Runs the steps that are commands of the program's own. Returns {command: exit status}."""
    environment = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"}
    told = {}
    for step, _ in steps():
        if "run" not in step or step.get("working-directory") == "corotracer" or not is_to_run(step, any(told.values())):
            continue
        place = root / step.get("working-directory", ".")
        told[step["run"]] = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=place, env=environment,
                                           capture_output=True, check=False).returncode
    return told


def handed_on():
    """Returns the files that actions by others receive: those after `sarif_file:` and `path: |`."""
    for step, text in steps():
        if "sarif_file" in step:
            yield step["sarif_file"]
        if step.get("path") == "|":
            yield from re.findall(r"^ +(program/\S+)$", text, re.MULTILINE)


def check_outcome(root, name, fails):
    told = run_steps(root)
    failed = [command for command, status in told.items() if status]
    checks = [command for command in told if "corotracer check" in command]
    check(len(checks) == 2 and failed == (checks if fails else []), f"{name}: {told}")
    check(any("corotracer report" in command for command in told) == fails, f"{name}: {told}")
    files = list(handed_on())
    check({pathlib.Path(path).name for path in files} == set(OUTPUTS), f"handed on are {files}")
    for path in files:
        check((root / path).stat().st_size > 0, f"{name}: {path} is not there")


def check_marks(root):
    """The line is marked by a path relative to the checkout: the sources are there, wherever the checkout is."""
    page = json.loads((root / "program/server.sarif").read_text())
    places = [result["locations"][0]["physicalLocation"] for result in page["runs"][0]["results"]
              if result["ruleId"] == "waits-on-closed-descriptor"]
    check({place["artifactLocation"]["uri"] for place in places} == {PLANTED}, f"{places}")
    check("close(" in (SOURCE / PLANTED).read_text().splitlines()[places[0]["region"]["startLine"] - 1], f"{places}")


def main():
    with folder() as name:
        for twin, fails in (("example-tcp-server-fault-a", True), ("example-tcp-server", False)):
            root = pathlib.Path(name) / twin
            root.mkdir()
            program(root / "program", twin)
            check_outcome(root, twin, fails)
            if fails:
                check_marks(root)


main()
