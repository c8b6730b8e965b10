#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The minimum mutator utilisation of Go programs that collect all the time, as `go tool trace` has it: for each length of a window
that a report tells, the worst window is as bad there, to a tenth of a thousandth.

Go's tool (1.26) counts a background worker twice from its second run on, and its curve ends where nothing is left by that count:
only traces whose curve goes to the end are compared, which most are on one P, and of those the windows whose worst one ends before
a worker runs again. Windows longer than half of the trace are left out, since the two do not begin at the same event. Skips where Go is missing. Arguments: the tool, a folder to write to."""
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import urllib.request

import compare

TRACES, TRIES = 3, 15
WHAT = "flags=stw|background|assist|sweep"
SECOND_RUN = """SELECT from_ns FROM (SELECT from_ns, row_number() OVER (PARTITION BY coroutine ORDER BY from_ns) AS run
                FROM ranges WHERE kind IN ('gc-worker', 'gc-idle-worker')) WHERE run = 2"""


class Reference:
    """go tool trace, which answers on a port of its own choice while this goes on."""

    def __init__(self, trace):
        self.process = subprocess.Popen(["go", "tool", "trace", "-http=localhost:0", trace], stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.STDOUT, env=os.environ | {"BROWSER": "true"}, start_new_session=True)
        self.address = next(found[0] for line in self.process.stdout if (found := re.search(r"http://\S+:\d+", line)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def ask(self, what):
        with urllib.request.urlopen(f"{self.address}/mmu?{what}&{WHAT}") as answer:
            return json.load(answer)

    def length(self):
        return self.ask("mode=plot")["xMax"]

    def least(self, window):
        """What is left in the worst window, and when that ends."""
        return min(((one["MutatorUtil"], one["Time"] + window) for one in self.ask(f"mode=details&window={window}")), default=(None, 0))


def curve(tool, trace):
    """The length of the trace, when it begins, and the report's points of windows that are much shorter."""
    report = json.loads(subprocess.run([tool, "report", "--format", "json", trace], check=True, capture_output=True).stdout)
    length = report["quality"]["observed_until_ns"] - report["quality"]["observed_from_ns"]
    return length, int(report["trace"]["epoch_monotonic_ns"]), {
        row["window_ns"]: row["least"] for row in report["runtimes"][0]["least_utilization"] if row["window_ns"] < length / 2}


def second_run(tool, trace):
    """When a background worker runs for the second time; never: infinite."""
    told = subprocess.run([tool, "query", "--format", "json", trace, SECOND_RUN], check=True, capture_output=True).stdout
    return min((row["from_ns"] for row in json.loads(told)), default=math.inf)


def compare_trace(tool, trace):
    """How many points above 0 were compared, and sentences about those that differ; None where the reference has a part only."""
    (length, begun, ours), wrong, nr_points = curve(tool, trace), [], 0
    sound_until = begun + second_run(tool, trace)
    with Reference(trace) as reference:
        if reference.length() < length * 0.9:
            return None
        for window, least in ours.items():
            theirs, end = reference.least(window)
            if end > sound_until:
                continue
            nr_points += least > 0
            if theirs is None or abs(theirs - least) > 1e-4:
                wrong.append(f"in a window of {window} ns {least} is left, and the reference has {theirs}")
    return nr_points, wrong


def compare_some(tool, binary, folder):
    """What became of each trace whose curve both have to the end."""
    compared = []
    for number in range(TRIES):
        trace = folder / f"gc-{number}.trace"
        subprocess.run([binary, "gc", trace], check=True, env=os.environ | {"GOMAXPROCS": "1"})
        found = compare_trace(tool, trace)
        compared += [found] if found else []
        if len(compared) == TRACES:
            break
    return compared


def main():
    tool, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    binary = compare.programs(folder)
    compared = compare_some(tool, binary, folder)
    if not compared:
        compare.skip("the reference has the curve of no trace to its end")
    nr_points, wrong = sum(points for points, _ in compared), [sentence for _, found in compared for sentence in found]
    print(f"{len(compared)} traces, {nr_points} points above 0, {len(wrong)} differ")
    for sentence in wrong:
        print(sentence)
    return 1 if wrong or not nr_points else 0


if __name__ == "__main__":
    sys.exit(main())
