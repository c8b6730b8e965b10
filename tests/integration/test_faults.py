#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that each planted fault is found in the real programs, and its cause named, and that the correct twins have no
finding.

The test cannot decide when two threads meet: a fault may take up to three runs. A false finding for a twin fails at
once. `./dev bench faults` counts over many runs.
"""
import concurrent.futures
import os
import sys

from support import BUILD, SOURCE, check

sys.path.insert(0, str(SOURCE / "tests" / "support"))
import planted  # noqa: E402

RUNS_AT_MOST = 3


def try_fault(program, letter):
    """Returns a sentence about what is wrong; None: nothing."""
    rule = planted.FAULTS[letter][0]
    name = f"fault {letter} of {program}"
    for _ in range(RUNS_AT_MOST):
        run = planted.one_run(BUILD, planted.faulty_program(program, letter))
        if planted.wrong_proven(run, rule):
            return f"{name}: proven and not true: {planted.wrong_proven(run, rule)}"
        if planted.is_named(run, rule):
            return None
    return f"{name}: no {rule} that names {run['causes']}, but {run['report']['findings']}"


def try_twin(program, letter):
    executable, arguments = planted.twin_of(program, letter)
    run = planted.one_run(BUILD, executable, arguments)
    if run["status"] or run["report"]["findings"]:
        return f"{executable} {arguments}: ended with {run['status']}, {run['report']['findings']}"
    return None


def main():
    pairs = [(program, letter) for program in planted.PROGRAMS for letter in planted.FAULTS]
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        tries = [pool.submit(each, *pair) for pair in pairs for each in (try_fault, try_twin)]
        wrong = [each.result() for each in tries if each.result()]
    check(not wrong, "\n".join(wrong))


main()
