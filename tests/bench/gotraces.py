# SPDX-License-Identifier: MIT
"""Go traces for the benchmarks, and the program that reads them with golang.org/x/exp/trace."""
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "tests/go"


def build(program, folder):
    target = pathlib.Path(folder) / program
    result = subprocess.run(["go", "build", "-buildvcs=false", "-o", target, "."], cwd=SOURCE / program, check=False,
                            capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{program} cannot be built: {result.stderr.strip()}")
    return target


def write(folder, trace, nr_events):
    """Makes a busy program's trace, of somewhat more events than asked for."""
    programs = build("programs", folder)
    subprocess.run([programs, "busy", trace], check=True, env=os.environ | {"BUSY_EVENTS": str(nr_events), "GOMAXPROCS": "4"})
