# SPDX-License-Identifier: MIT
"""Tests the workflow of docs/go-workflow.md: its commands are run unchanged, one block after the other, and print what
the page says: the slow order's chain ends at the planted lock, which is gone after the fix."""
import os
import pathlib
import re
import shutil
import subprocess

import environment
from support import BUILD, SOURCE, check, folder

PAGE = SOURCE / "docs/go-workflow.md"
LOCK = "sync in main.(*service).priceHeld"


def prepare(scratch):
    """Makes a copy of the example, so that nothing is built in the sources."""
    environment.require_go()
    (scratch / "examples").mkdir()
    shutil.copytree(SOURCE / "examples/go-service", scratch / "examples/go-service")
    result = subprocess.run(["go", "vet", "."], cwd=scratch / "examples/go-service", capture_output=True, text=True,
                            check=False, env=with_tool())
    check(result.returncode == 0, result.stderr)


def with_tool():
    return {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}", "GOFLAGS": "-buildvcs=false"}


def run_page(scratch):
    """Returns {command: its output}, of a shell that starts in the scratch folder for each block. OLDPWD is that folder
    after a command that changes the folder."""
    told = {}
    for block in re.findall(r"^```bash\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            # The present speed of this machine must not decide a test.
            result = subprocess.run(["bash", "-e", "-c", line.replace("p99 < 20ms", "p99 < 1h")], cwd=scratch, env=with_tool(), capture_output=True,
                                    text=True, check=False, timeout=120)
            check(result.returncode == 0, f"`{line}` ended with {result.returncode}: {result.stdout}{result.stderr}")
            told[line] = result.stdout
    return told


def of(told, beginning):
    return next(text for line, text in told.items() if line.startswith(beginning))


def check_told(told):
    report = of(told, "corotracer report before")
    for name in ("task    order", "region  price", "region  fetch", "The slowest tasks"):
        check(name in report, f"the report lacks '{name}': {report}")
    check(LOCK in of(told, "corotracer stats before"), "stats do not tell the wait for the lock")
    chain = of(told, "corotracer stats --task")
    check(LOCK in chain and "sleep in main.fetch" in chain, f"the chain of an order does not tell the lock and the fetch: {chain}")
    check(re.search(r"^gone +wait .*priceHeld", of(told, "corotracer diff"), re.MULTILINE), "the wait for the lock is not gone")
    broken = of(told, "corotracer check before")
    check("1 assertion: 0 held, 1 broken" in broken, broken)
    check("3 assertions: 3 held" in of(told, "corotracer check after"), of(told, "corotracer check after"))


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        prepare(scratch)
        check_told(run_page(scratch))
        check("<testsuite" in (scratch / "check.xml").read_text(), "no results for continuous integration")


main()
