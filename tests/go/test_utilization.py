#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The minimum mutator utilisation of Go programs that collect all the time, as `go tool trace` has it: for each length of a window
that a report tells, the worst window is as bad there, to a tenth of a thousandth.

Go's tool (1.26) counts a background worker twice from its second run on, and its curve ends where nothing is left by that count:
only traces whose curve goes to the end are compared, which most are on one P, and of those the windows whose worst one ends before
a worker runs again. Windows longer than half of the trace are left out, since the two do not begin at the same event. Nor do they
end at the same: a window that is worse by no more than what the reference lacks may end there, and is not compared; fewer may
be of that kind than are compared. Skips where Go is missing. Arguments: the tool, a folder to write to."""
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


class Comparison:
    """How many points were compared, how many of them lie above 0, how many may lie beyond the reference, and what differs."""

    def __init__(self):
        self.nr_points = self.nr_above = self.nr_beyond = 0
        self.wrong = []

    def add(self, window, least, theirs, lacking):
        if theirs is not None and theirs - lacking / window <= least < theirs - 1e-4:
            self.nr_beyond += 1
            return
        self.nr_points += 1
        self.nr_above += least > 0
        if theirs is None or abs(theirs - least) > 1e-4:
            self.wrong.append(f"in a window of {window} ns {least} is left, and the reference has {theirs}")


def compare_trace(tool, trace, comparison):
    """Whether the reference has the whole curve, which is compared then."""
    length, begun, ours = curve(tool, trace)
    sound_until = begun + second_run(tool, trace)
    with Reference(trace) as reference:
        if reference.length() < length * 0.9:
            return False
        for window, least in ours.items():
            theirs, end = reference.least(window)
            if end <= sound_until:
                comparison.add(window, least, theirs, length - reference.length())
    return True


def compare_some(tool, binary, folder, comparison):
    """How many traces were compared."""
    nr_traces = 0
    for number in range(TRIES):
        trace = folder / f"gc-{number}.trace"
        subprocess.run([binary, "gc", trace], check=True, env=os.environ | {"GOMAXPROCS": "1"})
        nr_traces += compare_trace(tool, trace, comparison)
        if nr_traces == TRACES:
            break
    return nr_traces


def main():
    tool, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    binary = compare.programs(folder)
    told = Comparison()
    nr_traces = compare_some(tool, binary, folder, told)
    if not nr_traces:
        compare.skip("the reference has the curve of no trace to its end")
    print(f"{nr_traces} traces, {told.nr_points} points, {told.nr_above} above 0, {told.nr_beyond} that may lie beyond "
          f"the reference, {len(told.wrong)} differ")
    print(*told.wrong, sep="\n")
    return 1 if told.wrong or not told.nr_above or told.nr_beyond >= told.nr_points else 0


if __name__ == "__main__":
    sys.exit(main())
