# SPDX-License-Identifier: MIT
"""Tests --memory: the memory that a trace will take is reported before it is read, the bound is kept, and coroutines
for which there was no room are reported as a loss."""
import json
import os
import re
import subprocess

from served import Server, judged
from support import BUILD, COROTRACER, check, folder, run

COROUTINES = 60_000
LITTLE, ENOUGH = "2MiB", "256MiB"
AHEAD = (r"corotracer: 60,000 coroutines alive at once take 9\.00 MB to 51\.6 MB of memory, and 2\.10 MB are allowed: those that find no room "
         r"will be left out \('--memory' allows more\)\n")
HEAD = """trace from=0 until=2s
process 1 pid=100 program=/bin/server probe ledger
thread 1 tid=101 name=worker-0
thread 2 tid=102 name=reactor
site 1 kind=source file=/src/server.cpp line=40 function=accept_loop
site 2 kind=source file=/src/server.cpp line=120 function=handle reason=AsyncRead
1ms t1 resume c1
"""


def living(place, number=COROUTINES, wait="@2", nr_turns=0):
    """Makes a trace in which this many coroutines wait at its end, each after so many further turns."""
    text, trace = place + "/living.text", f"{place}/living-{number}-{nr_turns}.ctrace"
    with open(text, "w", encoding="utf-8") as lines:
        lines.write(HEAD)
        for coroutine in range(1, number + 1):
            lines.write(f"+1us t1 create c{coroutine} @1\n+1us t1 resume c{coroutine}\n+1us t1 suspend c{coroutine} {wait}\n")
        for i in range(number * nr_turns):
            coroutine = 1 + i % number
            lines.write(f"+1us t2 wake c0 coroutine:{coroutine}\n+1us t1 resume c{coroutine}\n+1us t1 suspend c{coroutine} {wait}\n")
    run(COROTRACER, "export", "-f", "ctrace", "-o", trace, text)
    return trace


def number(text):
    return int(text.replace(",", ""))


def asked(trace, memory, *command, status=0):
    return run(COROTRACER, command[0], "--memory", memory, *command[1:], trace, status=status)


def check_told_before(trace):
    """Commands that judge a trace report the memory; commands that only pass its events on do not."""
    for command, *operands in (("report",), ("stats",), ("check",), ("query", "select 1")):
        little = run(COROTRACER, command, "--memory", LITTLE, trace, *operands, status=None)
        check(re.match(AHEAD, little.stderr), f"{command}: {little.stderr}")
        enough = run(COROTRACER, command, "--memory", ENOUGH, trace, *operands, status=None)
        check(enough.stderr == "", f"{command} with {ENOUGH}: {enough.stderr}")
    said = asked(trace, LITTLE, "export", "-f", "csv", "-o", "/dev/null").stderr
    check("no memory" not in said and "alive at once" not in said, f"events alone take no memory: {said}")
    check(f"alive at once {COROUTINES:,} coroutines\n" in run(COROTRACER, "info", trace).stdout, "info does not tell how many")


def check_told_as_loss(trace, place):
    """Every interface reports the same number of events, and as many coroutines as found room."""
    report = json.loads(asked(trace, LITTLE, "report", "--format", "json").stdout)
    lost = report["quality"]["lost"]
    check(0 < lost < 3 * COROUTINES, f"lost: {lost}")
    check(f"{lost:,} events of further coroutines are in the trace" in asked(trace, LITTLE, "report").stdout, "the report does not tell")
    check(f", {lost:,} lost\n" in asked(trace, LITTLE, "check").stdout, "check does not tell")
    answer = run(COROTRACER, "query", "--memory", LITTLE, "--format", "csv", trace, "select count(*) from coroutines")
    here = number(answer.stdout.splitlines()[1])
    check(0 < here < COROUTINES and abs(3 * (COROUTINES - here) - lost) <= 3, f"{here} coroutines, and {lost} events lost")
    check(f"{lost:,} events are of coroutines that are missing in the answer" in answer.stderr, answer.stderr)
    rows = place + "/rows.csv"
    said = asked(trace, LITTLE, "export", "-f", "csv", "--table", "coroutines", "-o", rows).stderr
    with open(rows, encoding="utf-8") as lines:
        check(sum(1 for _ in lines) == here + 1, "the export has other coroutines than the answer")
    check(f"{lost:,} events are of coroutines that are missing in what was written" in said, said)
    once = asked(trace, LITTLE, "top", "--once", "--screen", "coroutines").stdout
    check(f"{lost:,} lost" in once, f"top does not tell: {once[:400]}")


def check_served(trace):
    server = Server("serve", "--listen", ":0", "--memory", LITTLE, trace)
    state = judged(server)
    check(state["nr_lost_judged"] > 0, f"the page does not tell: {state}")
    said = server.stop()[1]
    check(re.search(AHEAD, said), f"serve does not tell how much it takes: {said}")


def most_resident(command, memory, *operands):
    """Returns the largest memory of a command, and what it printed."""
    with subprocess.Popen([COROTRACER, command, "--memory", memory, *operands], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as process:
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss << 10, said


def check_kept(trace):
    """The memory for coroutines is bounded: at least the memory that the missing ones would take is saved."""
    spared = most_resident("report", ENOUGH, trace)[0] - most_resident("report", LITTLE, trace)[0]
    check(spared > COROUTINES * 150 // 2, f"{LITTLE} spare {spared} bytes of {ENOUGH}")


def check_ordinary(place):
    """A coroutine that was created, ran, and waits for a timer takes little memory (docs/costs.md; with fewer than a
    million, more of it is what they share)."""
    number = 200_000
    none, many = (most_resident("report", "1GiB", living(place, number, "timer:1"))[0] for number in (1, number))
    check(many - none < 260 * number, f"{(many - none) / number} bytes a coroutine")


def check_grown(place):
    """The bound is kept although coroutines grow after they were taken in."""
    trace = living(place, COROUTINES, "timer:1 @2", 2)
    at_rest = most_resident("report", "16MiB", living(place, 1))[0]
    for command, *operands in (("report",), ("query", "select count(*) from coroutines")):
        taken = most_resident(command, "16MiB", trace, *operands)[0] - at_rest
        check(taken < 24 << 20, f"{command} took {taken} bytes, and 16 MiB are allowed")
    said = asked(trace, "16MiB", "report").stdout
    check("of further coroutines are in the trace" in said, f"nothing is said of those left out: {said[:600]}")


def check_rows_in_file(place):
    """Rows for which there is no room in memory lie in a file: the answer is the same, and takes less memory."""
    trace = place + "/rows.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", BUILD / "tests/targets/crowd", "300000")
    for sql in ("select count(*), sum(duration_ns), sum(from_ns), min(state), max(coroutine) from states",
                "select coroutine, from_ns, duration_ns from states order by duration_ns desc, from_ns limit 50"):
        few, answer = most_resident("query", "12MiB", trace, sql)
        many, wanted = most_resident("query", "4GiB", trace, sql)
        check(answer == wanted and len(answer.splitlines()) > 1, f"{sql}: {answer[:300]} is not {wanted[:300]}")
        check(many - few > 4 << 20, f"{sql}: {many} bytes, and {few} with a bound")


def check_ended_make_room(place):
    """A few coroutines that are alive at a time lose nothing to the very many that ended before them."""
    trace = place + "/crowd.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", BUILD / "tests/targets/crowd", "20000")
    quality = json.loads(run(COROTRACER, "report", "--memory", "4MiB", "--format", "json", trace).stdout)["quality"]
    check(quality["lost"] * 1000 < quality["events"], f"with 4 MiB {quality['lost']} events of {quality['events']} are lost")


def check_not_judged(trace):
    """A question about a coroutine that found no room is answered so, and not by "there is no such coroutine"."""
    said = run(COROTRACER, "why", "--memory", LITTLE, trace, str(COROUTINES), status=None).stderr
    check("events are of coroutines that are missing in what was judged" in said, said)
    for command in ("check", "verify"):
        said = run(COROTRACER, command, "--memory", LITTLE, trace).stderr
        check("events are of coroutines that are missing in what was judged" in said, f"{command}: {said}")


def check_run(place):
    """The closing judgement of a recording keeps to the bound as well."""
    trace = place + "/run.ctrace"
    said = run(COROTRACER, "run", "--memory", "16KiB", "--report", "-o", trace, "--", BUILD / "tests/targets/crowd", "20000")
    check("of further coroutines are in the trace, and not in this report" in said.stdout, f"run --memory: {said.stdout[:600]}")
    check("coroutines alive at once take" in said.stderr, f"run does not tell before: {said.stderr}")


def main():
    with folder() as place:
        trace = living(place)
        check_told_before(trace)
        check_told_as_loss(trace, place)
        check_served(trace)
        check_kept(trace)
        check_ordinary(place)
        check_grown(place)
        check_not_judged(trace)
        check_rows_in_file(place)
        check_ended_make_room(place)
        check_run(place)


if __name__ == "__main__":
    main()
