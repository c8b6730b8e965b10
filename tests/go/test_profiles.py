#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_profiles.py [--all] TOOL FOLDER: compares profiles of Go traces, sample by sample, with those of `go tool trace
-pprof`.

Stacks, counts and times must be the same. docs/profiles.md says where the two differ by intention, and these
differences are removed here: --ended leaves out what the reference does not count; a goroutine that nobody was recorded
to make ready has no stack in the reference, and its own stack in ours. Skips if Go is missing. Without --all two
programs are enough."""
import collections
import pathlib
import re
import subprocess
import sys

import compare

QUICK = ["mutexes", "network"]
PROGRAMS = ["channels", "mutexes", "selects", "timers", "network", "syscalls", "gc", "leaks"]
PROFILES = {"net": "network", "sync": "sync", "syscall": "syscall", "sched": "ready"}
SAMPLE = re.compile(r"^ +(\d+) +(-?\d+): ([\d ]*)$")
LOCATION = re.compile(r"^ +(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*?)(?::0)? s=\d+")


def samples(path):
    """Returns {stack: [times, nanoseconds]} of a profile, as the reference's tool prints it."""
    raw = subprocess.run(["go", "tool", "pprof", "-raw", path], check=True, capture_output=True, text=True).stdout
    found, names = [], {}
    for line in raw.splitlines():
        sample, location = SAMPLE.match(line), LOCATION.match(line)
        if sample:
            found.append((int(sample[1]), int(sample[2]), sample[3].split()))
        elif location:
            names[location[1]] = location[2]
    stacks = collections.defaultdict(lambda: [0, 0])
    for times, nanoseconds, locations in found:
        stack = stacks[" < ".join(names[location] for location in locations)]
        stack[0] += times
        stack[1] += nanoseconds
    return {stack: tuple(numbers) for stack, numbers in stacks.items() if numbers[0]}


def of_reference(trace, kind, path):
    with open(path, "wb") as file:
        subprocess.run(["go", "tool", "trace", f"-pprof={kind}", trace], check=True, stdout=file, stderr=subprocess.DEVNULL)
    return samples(path)


def of_ours(tool, trace, kind, path):
    subprocess.run([tool, "profile", "--ended", "--type", PROFILES[kind], "-o", path, trace], check=True, capture_output=True)
    return samples(path)


def difference(theirs, ours):
    """Returns a sentence about a difference, or None. Goroutines that nobody was recorded to make ready have no stack
    in the reference."""
    stackless = theirs.pop("", (0, 0))
    ours = {stack: (ours[stack][0] - theirs.get(stack, (0, 0))[0], ours[stack][1] - theirs.get(stack, (0, 0))[1])
            for stack in ours}
    missing = [stack for stack in theirs if stack not in ours]
    if missing:
        return f"ours lacks {missing[0]}"
    other = [(stack, numbers) for stack, numbers in ours.items() if min(numbers) < 0 or (any(numbers) and not any(stackless))]
    if other:
        return f"ours has {other[0][1]} more at {other[0][0]}"
    rest = tuple(sum(numbers[i] for numbers in ours.values()) for i in (0, 1))
    return None if rest == stackless else f"ours has {rest} beyond the others, and the reference {stackless} without a stack"


def sampled(trace):
    """Returns {stack: how often} of the CPU profiler's samples, as the reference prints its events."""
    found = collections.Counter()
    text = subprocess.run(["go", "tool", "trace", "-d=parsed", trace], check=True, capture_output=True, text=True).stdout
    for event in re.findall(r"StackSample .*\nStack=\n((?:\t.*\n)*)", text):
        frames = re.findall(r"\t(\S.*) @ 0x[0-9a-f]+\n\t\t(.*)\n", event)
        found[" < ".join(f"{function} {place}" for function, place in frames)] += 1
    return found


def compare_samples(tool, binary, folder):
    """Returns a sentence about a difference, or None."""
    trace, ours = folder / "profile.trace", folder / "samples.pb.gz"
    subprocess.run([binary, "profile", trace], check=True)
    subprocess.run([tool, "profile", "--type", "samples", "-o", ours, trace], check=True, capture_output=True)
    theirs, found = sampled(trace), {stack: numbers[0] for stack, numbers in samples(ours).items()}
    return None if theirs and found == dict(theirs) else f"samples: ours are {found}, and the reference's {dict(theirs)}"


def compare_program(tool, binary, program, folder):
    trace, failures, nr_samples = folder / f"{program}.trace", 0, 0
    subprocess.run([binary, program, trace], check=True)
    for kind in PROFILES:
        theirs = of_reference(trace, kind, folder / "theirs.pb")
        nr_samples += len(theirs)
        found = difference(theirs, of_ours(tool, trace, kind, folder / "ours.pb.gz"))
        if found:
            failures += 1
            print(f"{program}, {kind}: {found}")
    return failures, nr_samples


def main():
    programs = PROGRAMS if "--all" in sys.argv else QUICK
    tool, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:] if argument != "--all")
    binary = compare.programs(folder)
    compared = [compare_program(tool, binary, program, folder) for program in programs]
    failures, nr_samples = (sum(numbers) for numbers in zip(*compared))
    wrong = compare_samples(tool, binary, folder)
    if wrong:
        failures += 1
        print(wrong)
    print(f"{len(programs)} programs, {len(PROFILES)} profiles of each, {nr_samples} samples, {failures} profiles differ")
    return 1 if failures or not nr_samples else 0


if __name__ == "__main__":
    sys.exit(main())
