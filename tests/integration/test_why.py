# SPDX-License-Identifier: MIT
"""Tests `why`: the chain from a coroutine to the coroutines that could resume it, in real programs with planted
faults."""
import json
import pathlib
import re

from support import BUILD, COROTRACER, check, fail, folder, run

ATTEMPTS = 100


def record(place, program, *arguments):
    program = BUILD / program
    trace = f"{place}/{program.name}.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", program, *arguments, status=None)
    return trace


def members(trace, rule):
    findings = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)["findings"]
    return next(([member["id"] for member in finding["members"]] for finding in findings if finding["rule"] == rule), [])


def record_circle(place):
    """Records until the locks are taken in a circle, which happens only if the two workers interleave."""
    for _ in range(ATTEMPTS):
        trace = record(place, "tests/workloads/example-sync-fault-h")
        circle = members(trace, "mutex-deadlock")
        if circle:
            return trace, circle
    fail(f"no circle in {ATTEMPTS} runs")
    return None


def check_closed_descriptor(place):
    """Each stuck reader leads to the close, the place of the close, and the finding."""
    trace = record(place, "examples/example-tcp-server-fault-a", "--self-load", "6:4", "--exit-after-idle", "0.3")
    readers = members(trace, "waits-on-closed-descriptor")
    check(readers, "no finding")
    for coro in readers:
        told = run(COROTRACER, "why", trace, coro).stdout
        check(told.startswith(f"coroutine {coro} of "), told)
        for part in ("suspended, to wait for descriptor", "server.cpp:", "the descriptor was closed", "reactor.cpp:",
                     "that is proven, see waits-on-closed-descriptor"):
            check(part in " ".join(told.split()), f"coroutine {coro}: no '{part}' in\n{told}")
    chain = json.loads(run(COROTRACER, "why", "--format", "json", trace, f"c{readers[0]}").stdout)["why"]
    check(len(chain) >= 3 and all(step["text"] for step in chain), f"JSON has {chain}")


def check_circle(place):
    """A circle of locks is followed once, and reported as a circle."""
    trace, circle = record_circle(place)
    told = run(COROTRACER, "why", trace, circle[0]).stdout
    walked = re.findall(r"coroutine (\d+) \(dine\) suspended, to wait for lock", " ".join(told.split()))
    check(sorted(map(int, walked)) == sorted(circle), f"walked {walked}, not {circle}\n{told}")
    check(f"that is a circle: coroutine {circle[0]} is waited for" in told, told)
    taken = re.findall(r"coroutine (\d+) \(dine\) took (lock 0x[0-9a-f]+)", " ".join(told.split()))
    check(sorted(int(coro) for coro, _ in taken) == sorted(circle), f"taken: {taken}\n{told}")
    check(len({lock for _, lock in taken}) == len(circle), f"not each lock is named: {taken}")


AT_A_YIELD = """trace from=0 until=2s
process 1 pid=100 program=/bin/engine probe
thread 1 tid=101 name=worker-0
site 1 kind=source file=/src/engine.c line=55 function=consume reason=receive
site 2 kind=source file=/src/engine.c line=77 function=produce reason=yield
1ms t1 create c1 0x11010 @1
1ms t1 create c2 0x12010 @1
1ms t1 resume c1
2ms t1 suspend c1 @2 point=yield
2ms t1 resume c2
3ms t1 notify c2 channel:0x6000 argument=1 @2
4ms t1 notify c2 channel:0x6000 @2
5ms t1 suspend c2 channel:0x6000 @1
"""


def check_yield(place):
    """A coroutine that only yields has no waker; for a channel the last notification that found a waiter is reported,
    too."""
    trace = place + "/yield.txt"
    pathlib.Path(trace).write_text(AT_A_YIELD)
    told = run(COROTRACER, "why", trace, "1").stdout
    check("at a yield" in told and "waits for nothing but its turn" in told, told)
    check("could be woken" not in told and "not told" not in told, f"somebody is to wake it: {told}")
    told = run(COROTRACER, "why", trace, "2").stdout
    check(told.index("0.003000 s      the last notify of it that woke somebody")
          < told.index("0.004000 s      the last change to it: notify, which found nobody"), told)


def check_complaints(place):
    trace = record(place, "tests/workloads/example-sync-fault-h")
    for words, status, sentence in (((trace, "999999"), 4, "no coroutine 999999 is in the trace, which has 6 coroutines"),
                                    ((trace, "first"), 4, "no coroutine is called 'first', and it is no id, which is a whole number"),
                                    ((trace,), 2, "which coroutine? its id is a number"),
                                    (("--process", "1", trace, "1"), 4, "no process 1 is in the trace"),
                                    ((place + "/none.ctrace", "1"), 4, "No such file")):
        done = run(COROTRACER, "why", *words, status=status)
        check(sentence in done.stderr and not done.stdout, f"{words}: {done.stderr}")


def main():
    with folder() as place:
        check_closed_descriptor(place)
        check_circle(place)
        check_yield(place)
        check_complaints(place)


if __name__ == "__main__":
    main()
