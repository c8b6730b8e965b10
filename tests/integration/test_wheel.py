# SPDX-License-Identifier: MIT
"""Tests the Python package installed by pip, as its README says; what is missing for a build is named in one
sentence."""
import json
import os
import pathlib
import re
import shutil
import sys

import environment
from support import BUILD, COROTRACER, SOURCE, check, folder, run

COMPILER = "#!/bin/sh\n{}exec cc \"$@\"\n"
NO_LIBRARY = "set -- -nostdinc \"$@\"\n"
NO_PYTHON = "for word; do shift; [ -d \"$word\" ] && word=/nowhere; set -- \"$@\" \"$word\"; done\n"


def check_missing(place, python):
    """Neither the compiler's own words nor a stack trace is shown."""
    for name, lines, sentence in (("none", None, "a C compiler: '{}' compiles nothing (Debian: gcc)"),
                                  ("bare", NO_LIBRARY, "the headers of the C library (Debian: libc6-dev)"),
                                  ("plain", NO_PYTHON, r"the headers of Python 3.\d+: no Python.h in \S+ (Debian: python3-dev)")):
        compiler = place / name
        if lines:
            compiler.write_text(COMPILER.format(lines))
            compiler.chmod(0o755)
        result = run(python, "setup.py", "build", "--build-base", place / "built", cwd=place / "sdk/python", status=1,
                     env={**os.environ, "CC": str(compiler)})
        words = re.escape(sentence.format(compiler)).replace(re.escape(r"\d+"), r"\d+").replace(re.escape(r"\S+"), r"\S+")
        check(re.fullmatch(f"corotracer cannot be built without {words}\n", result.stderr) and not result.stdout,
              f"{name}: {result.stdout}{result.stderr}")


def check_readme(place):
    """Runs the README's commands, one after the other."""
    commands = re.search(r"^```console\n(.*?)^```", (SOURCE / "sdk/python/README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
    check("pip install ./sdk/python" in commands, "the README does not install the package")
    (place / "examples").symlink_to(SOURCE / "examples")
    for command in commands.splitlines():
        # The faulty example ends itself by a signal.
        run("bash", "-c", command, cwd=place, timeout=240, status=142 if "--limit" in command else 0,
            env={**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"})
    report = json.loads(run(COROTRACER, "report", "--format", "json", place / "corotracer.ctrace", status=None).stdout)
    check("lost-wakeup" in [finding["rule"] for finding in report["findings"] if finding["grade"] == "proven"],
          f"the example's fault is not found: {report['findings']}")


def main():
    python = environment.require_python_with("wheel")
    with folder() as name:
        place = pathlib.Path(name)
        shutil.copytree(SOURCE / "sdk/python", place / "sdk/python")
        (place / "include").symlink_to(SOURCE / "include")
        check_missing(place, python)
        environment.require_package()
        check_readme(place)


if __name__ == "__main__":
    sys.exit(main())
