#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the minimum mutator utilisation of Go programs that collect all the time with that of `go tool trace`: for
each length of a window in a report, the worst window is as bad there, to a tenth of a thousandth.

Go's tool (1.26) counts a background worker twice from its second run on, and its curve ends where this count leaves
nothing. Therefore only traces whose curve goes to the end are compared (most traces on one P), and of these only the
windows whose worst one ends before a worker runs again. Windows longer than half of the trace are left out, because the
two traces do not begin at the same event. The two traces do not end at the same event either: a window that is worse by
no more than the part that the reference lacks may end in that part, and is not compared; fewer windows may be of that
kind than are compared. Skips if Go is missing. Arguments: the tool, a folder to write to."""
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
    """go tool trace, which answers on a port of its own choice while the with statement lasts."""

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
        """Returns the utilisation in the worst window, and when that window ends."""
        return min(((one["MutatorUtil"], one["Time"] + window) for one in self.ask(f"mode=details&window={window}")), default=(None, 0))


def curve(tool, trace):
    """Returns the length of the trace, its beginning, and the report's points for windows that are much shorter than
    the trace."""
    report = json.loads(subprocess.run([tool, "report", "--format", "json", trace], check=True, capture_output=True).stdout)
    length = report["quality"]["observed_until_ns"] - report["quality"]["observed_from_ns"]
    return length, int(report["trace"]["epoch_monotonic_ns"]), {
        row["window_ns"]: row["least"] for row in report["runtimes"][0]["least_utilization"] if row["window_ns"] < length / 2}


def second_run(tool, trace):
    """Returns when a background worker runs for the second time; infinite if that never happens."""
    told = subprocess.run([tool, "query", "--format", "json", trace, SECOND_RUN], check=True, capture_output=True).stdout
    return min((row["from_ns"] for row in json.loads(told)), default=math.inf)


class Comparison:
    """Returns how many points were compared, how many of them lie above 0, how many may lie beyond the reference, and
    what differs."""

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
    """Returns whether the reference has the whole curve, which is then compared."""
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
    """Returns how many traces were compared."""
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
