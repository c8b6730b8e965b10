#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small traces of Go, of which golang.org/x/exp/trace has told the events: our reader tells the same ones, in the same
order, at the same times. Argument: the program that prints events."""
import pathlib
import subprocess
import sys

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"


def events(program, path):
    return subprocess.run([program, path], check=False, capture_output=True, text=True).stdout.splitlines()


def first_difference(told, expected):
    for number, pair in enumerate(zip(told + [""] * len(expected), expected + [""] * len(told)), 1):
        if pair[0] != pair[1]:
            return f"line {number}: {pair[0]!r}, expected {pair[1]!r}"
    return None


def main():
    traces = sorted(GOLDEN.glob("*.trace"))
    failures = 0
    for path in traces:
        expected = path.with_suffix(".events").read_text(encoding="utf-8").splitlines()
        difference = first_difference(events(sys.argv[1], path), expected)
        if difference:
            failures += 1
            print(f"{path.name}: {difference}")
    print(f"{len(traces)} traces, {failures} differ")
    return 1 if failures or not traces else 0


if __name__ == "__main__":
    sys.exit(main())
