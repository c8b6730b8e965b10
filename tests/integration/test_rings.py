# SPDX-License-Identifier: MIT
"""Tests the engine's orders to probes: the memory of their rings, what a full ring does, and the coarse clock.

The program stops its engine while it writes, so that its rings are certainly full. Whatever was ordered, every emitted
event is read or counted as lost (P-28).
"""
import re

from support import BUILD, COROTRACER, check, folder, run

COUNTED = BUILD / "tests/targets/counted"
EVENTS = 20000
SMALL = 4096  # records in 128 KiB


def record(place, options, threads):
    trace = f"{place}/rings.ctrace"
    run(COROTRACER, "run", "--no-ledger", "-o", trace, *options, "--", COUNTED, threads, EVENTS)
    return trace, run(COROTRACER, "info", trace).stdout


def number(told, pattern):
    found = re.search(pattern + r" +([\d,]+)", told, re.MULTILINE)
    return int(found[1].replace(",", "")) if found else 0


def check_balance(told, threads, reason):
    read, lost = number(told, "^  counter"), number(told, "^lost")
    check(read + lost == threads * EVENTS, f"emitted {threads * EVENTS}, read {read}, lost {lost}:\n{told}")
    check(number(told, "^  " + reason) == lost > 0, f"not all are lost for the reason '{reason}':\n{told}")
    check(0 < read <= threads * SMALL, f"{read} events fitted into 128 KiB a thread")


def counters(trace):
    """Returns by thread the numbers of the events that are in the trace."""
    numbers = {}
    for thread, value in re.findall(r" t\S+ counter c(\d+) (?:value=)?(\d+)", run(COROTRACER, "dump", trace).stdout):
        numbers.setdefault(thread, []).append(int(value))
    return numbers


def check_full_rings(place):
    for threads in (1, 8):
        trace, told = record(place, ["--ring-budget", "128KiB", "--when-full", "drop"], threads)
        check_balance(told, threads, "ring full")
        for thread, seen in counters(trace).items():
            check(seen[:2] == [1, 2] and seen == sorted(seen), f"thread {thread} dropped its oldest: {seen[:3]}")
        trace, told = record(place, ["--ring-budget", "128KiB", "--when-full", "overwrite"], threads)
        check_balance(told, threads, "overwritten")
        for thread, seen in counters(trace).items():
            check(seen[-1] == EVENTS and seen == sorted(seen), f"thread {thread} lost its newest: {seen[-3:]}")


def check_growth(place):
    """Rings grow if nothing else is ordered."""
    for options in ([], ["--when-full", "overwrite"]):
        told = record(place, options, 8)[1]
        check(number(told, "^  counter") == 8 * EVENTS and not number(told, "^lost"), f"lost for no reason:\n{told}")


def check_coarse(place):
    trace, told = record(place, ["--clock", "coarse=1ms"], 2)
    found = re.search(r"^clock +coarse, in steps of up to ([\d.]+) (ms|s)$", told, re.MULTILINE)
    check(found and float(found[1]) >= 1, f"the clock is not told of:\n{told}")
    check(number(told, "^  counter") == 2 * EVENTS, f"events are missing:\n{told}")
    # The engine was stopped meanwhile, and so was its clock.
    times = re.findall(r"^(\S+) t\S+ counter", run(COROTRACER, "dump", trace).stdout, re.MULTILINE)
    check(len(times) == 2 * EVENTS and len(set(times)) < 100, f"{len(set(times))} times for {len(times)} events")


def check_complaints():
    for option, value in (("--ring-budget", "64KiB"), ("--ring-budget", "17MiB"), ("--ring-budget", "1"),
                          ("--when-full", "wait"), ("--clock", "coarse=1ns"), ("--clock", "fine")):
        said = run(COROTRACER, "run", option, value, "--", "true", status=2).stderr
        check(option in said, f"{option} {value}: {said}")


def main():
    with folder() as place:
        check_full_rings(place)
        check_growth(place)
        check_coarse(place)
    check_complaints()


if __name__ == "__main__":
    main()
