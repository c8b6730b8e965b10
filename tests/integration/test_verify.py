# SPDX-License-Identifier: MIT
"""Tests `verify`: the events on which each proof is based, in real programs with planted faults, and its exit
status."""
import json
import pathlib
import re

from support import BUILD, COROTRACER, check, folder, run

SERVER = BUILD / "examples/example-tcp-server-fault-a"


def record(place):
    trace = place / "closed.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", SERVER, "--self-load", "6:4", "--exit-after-idle", "0.3", status=None)
    return trace


def check_claims(trace):
    """Each claim names events that dump has, as the claim says."""
    told = run(COROTRACER, "verify", trace).stdout
    check("waits-on-closed-descriptor" in told and "FAILS" not in told and "none was lowered" in told, told)
    suspends = re.findall(r"holds  event (\d+) is a suspend or switch of coroutine (\d+)", told)
    check(suspends, told)
    for event, coro in suspends:
        line = run(COROTRACER, "dump", "--events", event, trace).stdout
        check(re.search(rf"suspend\s+c{coro}\b", line), f"event {event} is\n{line}")


def check_json(trace):
    findings = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)["findings"]
    proven = [finding for finding in findings if finding["grade"] == "proven"]
    check(proven and all(finding["rests_on"] for finding in proven if finding["rule"] != "crash"), f"{findings}")
    check(all(claim["holds"] and claim["text"] for finding in proven for claim in finding["rests_on"]), f"{proven}")


def check_nothing(place):
    """A trace in which nothing is Proven."""
    text = place / "well.txt"
    text.write_text("trace from=0 until=1s\nprocess 1 pid=7 program=/bin/well probe\nthread 1 tid=7\n1ms t1 create c1\n")
    told = run(COROTRACER, "verify", text).stdout
    check(told == "no rule calls anything in this trace Proven\n", told)


def main():
    with folder() as name:
        place = pathlib.Path(name)
        trace = record(place)
        check_claims(trace)
        check_json(trace)
        check_nothing(place)


if __name__ == "__main__":
    main()
