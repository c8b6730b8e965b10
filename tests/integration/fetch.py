#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches into a build folder, once, what tests take from package registries, so that no test waits for a network.

Argument: the build folder. What cannot be had is named; the tests that need it are skipped, and say so.
"""
import os
import pathlib
import sys


def fetch():
    """Yields a sentence for each thing that cannot be had."""
    import environment
    import schemas
    found_otherwise = {"go": environment.find_go, "zig": environment.zig}
    for name in environment.PACKAGES:
        if name not in ("npm", "engines") and not found_otherwise.get(name, lambda: environment.python_with(name))():
            yield environment.why_not(name)
    if environment.find_go():
        environment.compile_go()
    yield from filter(None, map(schemas.fetch, schemas.SCHEMAS))
    environment.remove("npm")  # only the schemas are fetched with npm


def main():
    if len(sys.argv) != 2:
        sys.exit("fetch.py: name one folder: fetch.py build")
    os.environ.update(COROTRACER_BUILD=str(pathlib.Path(sys.argv[1]).resolve()),
                      COROTRACER_SOURCE=str(pathlib.Path(__file__).resolve().parents[2]))
    troubles = list(fetch())
    for trouble in troubles:
        print(f"fetch.py: {trouble}", file=sys.stderr)
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
