# SPDX-License-Identifier: MIT
"""Tests what `why` says of a run that kept its worker for long: how long, in which function, and how often other threads
took the processor; of a run that has ended, and of one that goes on."""
import json
import pathlib

from long_runs import text_of
from support import COROTRACER, check, folder, run

WHERE = "93 % of 100 samples meanwhile were in parse_json (src/json.cpp:40), 7 % in check_sum (src/sum.cpp:9)"
PREEMPTED = "other threads took the processor from it 3 times meanwhile, for 30.0 ms in all"


def why(trace, coroutine):
    """What `why` says, in one line, and its JSON."""
    told = run(COROTRACER, "why", trace, coroutine).stdout
    return " ".join(told.split()), json.loads(run(COROTRACER, "why", "--format", "json", trace, coroutine).stdout)


def check_run(run_of, goes_on):
    check(run_of["coroutine"] == 1 and run_of["thread"] == 1 and run_of["goes_on"] == goes_on, f"{run_of}")
    check(run_of["since_ns"] == 1001000 and run_of["duration_ns"] == (1998999000 if goes_on else 1300000000), f"{run_of}")
    samples = run_of["samples"]
    check([(one["function"], one["line"], one["samples"]) for one in samples["functions"]] == [("parse_json", 40, 93), ("check_sum", 9, 7)], f"{samples}")
    check((samples["count"], samples["preempted"], samples["preempted_ns"]) == (100, 3, 30000000), f"{samples}")


def check_long_runs(place):
    trace = place / "t.txt"
    trace.write_text(text_of(), encoding="utf-8")
    told, told_json = why(trace, 1)
    check(f"its longest run kept thread worker-0 (101) for 1.30 s: {WHERE}; {PREEMPTED}" in told, told)
    check_run(told_json["long_runs"][0], False)
    told, told_json = why(trace, 3)
    check("samples" not in told and told_json["long_runs"] == [], f"{told} {told_json['long_runs']}")
    trace.write_text(text_of(goes_on=True), encoding="utf-8")
    told, told_json = why(trace, 1)
    check(f"has run since then, for 2.00 s" in told and f"{WHERE}; {PREEMPTED}" in told, told)
    check_run(told_json["long_runs"][0], True)


def check_unsampled(place):
    """Without samples `why` says how to get them, if the run was so long that one would ask."""
    trace = place / "t.txt"
    trace.write_text("".join(line + "\n" for line in text_of().splitlines() if "sample" not in line and "thread-off" not in line), encoding="utf-8")
    told, _ = why(trace, 1)
    check("its longest run kept thread worker-0 (101) for 1.30 s: what took the time is not recorded: --cpu-samples 99 records it" in told, told)


def main():
    with folder() as name:
        check_long_runs(pathlib.Path(name))
        check_unsampled(pathlib.Path(name))


main()
