# SPDX-License-Identifier: MIT
"""Tests that profiles open in `go tool pprof`, and decode by the published profile.proto, with the sums of `stats`
(test_profile.py)."""
import gzip
import pathlib
import re
import shutil
import subprocess

import environment
import schemas
from support import COROTRACER, check, folder, run, skip
from test_profile import CHAIN, FIBERS, figures, profile

UNITS = {"ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000, "mins": 60000000000, "hrs": 3600000000000}


def pprof(path, *words):
    return run("go", "tool", "pprof", *words, path).stdout


def check_total(path, name, total):
    """pprof prints totals to two decimals."""
    told = re.search(r"Total samples = ([\d.]+)(\w+)", pprof(path, "-top"))
    if total == 0:
        check(told is None or float(told[1]) == 0, f"{name}: pprof sees {told and told[0]}, not nothing")
        return
    seen = float(told[1]) * UNITS[told[2]]
    check(abs(seen - total) <= 0.005 * UNITS[told[2]] + 1, f"{name}: pprof sees {told[0]}, not {total} ns")


def check_pprof(trace, scratch):
    for name, total in figures(trace).items():
        path = scratch / f"{name}.pb.gz"
        path.write_bytes(profile(trace, name))
        check_total(path, name, total)
        check(f"Type: {name}" in pprof(path, "-top"), f"{name} has another type")
        check("Type: count" in pprof(path, "-top", "-sample_index=count"), f"{name} counts nothing")


def check_stacks(scratch):
    """A trace written by hand: checks the stack that pprof shows, innermost first, and its nanoseconds."""
    trace, path = scratch / "chain.txt", scratch / "chain.pb.gz"
    trace.write_text(CHAIN)
    path.write_bytes(profile(trace, "network"))
    stacks = [line.split() for line in pprof(path, "-symbolize=demangle=none", "-traces").splitlines() if line.startswith("  ")]
    words = [word for line in stacks for word in line]
    check(words == ["94ms", "leaf", "(inline)", "wrap", "<b>&middle", "outer;one"], f"{stacks}")


def check_protoc(trace):
    proto = schemas.require("profile.proto")
    for name, total in figures(trace).items():
        raw = gzip.decompress(profile(trace, name))
        told = subprocess.run(["protoc", "-I", proto.parent, "--decode", "perftools.profiles.Profile", proto.name],
                              input=raw, capture_output=True)
        check(told.returncode == 0, told.stderr.decode())
        text = told.stdout.decode()
        values = [int(number) for number in re.findall(r"^  value: (-?\d+)$", text, re.MULTILINE)]
        check(sum(values[1::2]) == total, f"{name}: {sum(values[1::2])} is not {total}")
        unknown = re.findall(r"^ *\d+: .*$", text, re.MULTILINE)
        check(not unknown, f"{name}: fields that profile.proto lacks: {unknown[:3]}")


def main():
    environment.require_go()
    if not shutil.which("protoc"):
        skip("there is no protoc")
    with folder() as place:
        scratch = pathlib.Path(place)
        trace = scratch / "mixed.ctrace"
        run(COROTRACER, "run", "-o", trace, "--", FIBERS, "--scenario", "mixed")
        check_pprof(trace, scratch)
        check_stacks(scratch)
        check_protoc(trace)


main()
