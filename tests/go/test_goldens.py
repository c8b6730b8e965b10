#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests small traces of Go, whose events golang.org/x/exp/trace has printed: our reader returns the same events, in the
same order, at the same times. Beside a trace lies the oracle's output, or, if that is long, its hash and number of
lines; tests/go/compare.py makes it again. Argument: the program that prints events."""
import hashlib
import pathlib
import subprocess
import sys

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"


def events(program, path):
    return subprocess.run([program, path], check=False, capture_output=True).stdout


def first_difference(told, expected):
    for number, pair in enumerate(zip(told + [""] * len(expected), expected + [""] * len(told)), 1):
        if pair[0] != pair[1]:
            return f"line {number}: {pair[0]!r}, expected {pair[1]!r}"
    return None


def difference(told, path):
    kept = path.with_suffix(".events")
    if kept.exists():
        return first_difference(told.decode().splitlines(), kept.read_text(encoding="utf-8").splitlines())
    found = f"{hashlib.sha256(told).hexdigest()} {told.count(bytes([10]))}"
    expected = path.with_suffix(".sha256").read_text(encoding="utf-8").strip()
    return None if found == expected else f"hash and number of lines are {found}, expected {expected}"


def main():
    traces = sorted(GOLDEN.glob("*.trace"))
    failures = 0
    for path in traces:
        found = difference(events(sys.argv[1], path), path)
        if found:
            failures += 1
            print(f"{path.name}: {found}")
    print(f"{len(traces)} traces, {failures} differ")
    return 1 if failures or not traces else 0


if __name__ == "__main__":
    sys.exit(main())
