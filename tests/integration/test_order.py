#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests a correct program in which everything passes from thread to thread: there is no finding above Suspect, neither
with the recorded time-stamps nor with time-stamps that are made to lie before their events, as on some real machines
(F-71).
"""
import json
import pathlib
import random
import re

from support import BUILD, COROTRACER, check, folder, run

ROUNDS = 3
REACH_NS = 5000
# one event in this many: a search is bounded, and the events that it leaves unsettled are marked (docs/design/order.md)
MOST_UNSETTLED = 1000
FENCED = {"create", "wake", "dequeue", "acquire", "release", "hand-over", "notify"}
EVENT = re.compile(r"(\d+)\.(\d{9})s ((t\d+) (\S+).*)")


def hasten(text, chance):
    """Returns the same trace with early stamps, some in a row; each thread's own order stays."""
    head, events, early, last = [], [], {}, {}
    for line in text.splitlines():
        event = EVENT.fullmatch(line)
        if not event:
            head.append(line)
            continue
        seconds, ns, rest, thread, kind = event.groups()
        if chance.random() < 0.2:
            early[thread] = chance.randrange(REACH_NS)
        elif chance.random() < 0.5:
            early[thread] = 0
        stamp = int(seconds) * 10**9 + int(ns)
        stamp -= 0 if kind in FENCED or kind.startswith("thread-") else early.get(thread, 0)
        last[thread] = max(stamp, last.get(thread, 0))
        events.append((last[thread], len(events), rest))
    return "\n".join(head + [f"{stamp}ns {rest}" for stamp, _, rest in sorted(events)]) + "\n"


def check_report(trace, what):
    report = json.loads(run(COROTRACER, "report", "--no-symbols", "--format", "json", trace).stdout)
    grave = [finding for finding in report["findings"] if finding["grade"] != "suspect"]
    check(not grave, f"{what}: {grave}")
    quality = report["quality"]
    check(quality["broken_transitions"] * MOST_UNSETTLED <= quality["events"], f"{what}: {quality}")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        for number in range(ROUNDS):
            trace, text = place / f"{number}.ctrace", place / f"{number}.txt"
            run(COROTRACER, "run", "--no-ledger", "-o", trace, "--", BUILD / "tests/targets/crowd", "10000")
            info = run(COROTRACER, "info", trace).stdout
            check("before their events" in info or "counter" not in info, info)
            check_report(trace, "as it came")
            told = run(COROTRACER, "dump", trace).stdout
            text.write_text(hasten(told, random.Random(number)))
            check_report(text, f"with early stamps, {number}")


main()
