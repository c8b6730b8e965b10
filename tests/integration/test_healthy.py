#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests healthy programs: idle servers, pools, timers, generators, cancellation, shutdown in the middle of work.

These programs end as they do untraced, and there is no finding above Suspect.
"""
import concurrent.futures
import os
import sys

from support import BUILD, SOURCE, check

sys.path.insert(0, str(SOURCE / "tests" / "support"))
import planted  # noqa: E402


def try_scenario(program, scenario):
    run = planted.one_run(BUILD, planted.PROGRAMS[program][0], ["--scenario", scenario])
    grave = [finding for finding in run["report"]["findings"] if finding["grade"] != "suspect"]
    if run["status"] or grave:
        return f"{program} {scenario}: ended with {run['status']}, {grave}"
    return None


def main():
    pairs = [(program, scenario) for program, scenarios in planted.HEALTHY.items() for scenario in scenarios]
    check(len(pairs) >= 10, f"only {len(pairs)} healthy programs")
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        wrong = [sentence for sentence in pool.map(lambda pair: try_scenario(*pair), pairs) if sentence]
    check(not wrong, "\n".join(wrong))


main()
