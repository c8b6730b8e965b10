# SPDX-License-Identifier: MIT
"""Tests what wakers of Rust futures can be made to do: the events of each, in their order."""
import os
import re
import shutil
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run, skip

PACKAGE = SOURCE / "tests/conformance/rust/Cargo.toml"

# For each future, by its name: its own events, and the wakes that are meant for it.
TOLD = {
    "woken": ["create", "name", "resume initial", "suspend await", "wake queued", "resume await", "return", "destroy done"],
    "woken twice": ["create", "name", "resume initial", "suspend await", "wake queued", "wake already-queued",
                    "resume await", "return", "destroy done"],
    "woken late": ["create", "name", "resume initial", "suspend await", "resume await", "return", "wake no-target",
                   "destroy done"],
    "forgotten": ["create", "name", "resume initial", "suspend await", "wake dropped", "destroy suspended"],
    "yielding": ["create", "name", "resume initial", "wake queued", "suspend yield", "resume yield", "return",
                 "destroy done"],
    "moved": ["create", "name", "resume initial", "suspend await", "wake queued", "resume await", "return",
              "destroy done"],
    "one wait": ["create", "name", "resume initial", "suspend lock await", "wake queued", "resume await", "return",
                 "destroy done"],
    "more waits": ["create", "name", "resume initial", "suspend resource await", "detail", "resume await", "return",
                   "destroy done"],
    "parent": ["create", "name", "resume initial", "await", "suspend coroutine await", "wake queued", "resume await",
               "await-done", "return", "destroy done"],
    "child": ["create", "name", "resume initial", "suspend resource await", "wake passed-on", "resume await", "return",
              "destroy done"],
}


def event_of(line):
    """Returns (the coroutine, the event) of a line of dump; None: the line has no coroutine."""
    words = re.match(r"\S+ +t\d+ ([\w-]+)(.*)", line)
    if not words:
        return None
    kind, rest = words.groups()
    target = re.search(r" coroutine:(\d+)", rest) if kind in ("wake", "name") else re.search(r" c(\d+)", rest)
    if not target:
        return None
    resource = re.search(r" (lock|resource|coroutine):", rest) if kind == "suspend" else None
    how = re.search(r" (?:outcome|point|life)=([\w-]+)", rest)
    parts = [kind, resource and resource.group(1), how and how.group(1)]
    return int(target.group(1)), " ".join(part for part in parts if part)


def main():
    if not shutil.which("cargo"):
        skip("there is no cargo")
    target = BUILD / "rust-conformance"  # a folder of its own, because cargo allows one build at a time in a folder
    run("cargo", "build", "--offline", "--locked", "--quiet", "--target-dir", target, "--manifest-path", PACKAGE,
        env=dict(os.environ, CARGO_BUILD_JOBS="1"), timeout=600)
    with folder() as place:
        trace = f"{place}/t.ctrace"
        run(COROTRACER, "run", "--no-ledger", "-o", trace, "--", target / "debug/wakes")
        dumped = run(COROTRACER, "dump", trace).stdout
    sites = dict(re.findall(r"^site (\d+) .*?kind=name reason=(.+)$", dumped, re.MULTILINE))
    names = {int(coro): sites[site].strip('"')
             for coro, site in re.findall(r" name coroutine:(\d+) @(\d+)", dumped)}
    told = {name: [] for name in TOLD}
    for event in filter(None, map(event_of, dumped.splitlines())):
        told[names[event[0]]].append(event[1])
    for name, wanted in TOLD.items():
        check(told[name] == wanted, f"{name}: {told[name]}, not {wanted}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
