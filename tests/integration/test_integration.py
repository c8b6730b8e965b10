# SPDX-License-Identifier: MIT
"""Tests corotracer integration: what a program records, what it lacks, and which of its events cannot be true."""
from support import COROTRACER, check, run

HEAD = """trace from=0 until=2s
process 1 pid=100 program=/bin/server probe
thread 1 tid=101 name=worker-0
site 1 kind=source file=/src/server.c line=10 function=accept_one
site 2 kind=source file=/src/server.c line=55 function=answer reason=request
"""
LIFE = """1ms t1 create c1 0x11010 @1
2ms t1 resume c1 point=initial
3ms t1 suspend c1 @2
4ms t1 resume c1
5ms t1 suspend c1 channel:0x5000 @2
6ms t1 cancel c1
7ms t1 suspend c1 channel:0x5000 @2
8ms t1 resume c1
9ms t1 return c1
10ms t1 destroy c1 life=done
"""


def integration(events, status=0):
    return run(COROTRACER, "integration", "-", input=HEAD + events, status=status).stdout


def part(said, name):
    """Returns the lines under one of the headings."""
    lines = said.split(f"{name}\n", 1)
    return lines[1].split("\n\n")[0] if len(lines) == 2 else ""


def check_told():
    said = integration(LIFE)
    told, not_told = part(said, "Recorded"), part(said, "Not recorded")
    check("1  what a wait is for, of 2 waits" in told, f"waits are counted wrongly; one was taken back:\n{told}")
    check("1  that a coroutine is made" in told and "2  that it has come to its end" in told, told)
    check("call        ctp_wake\n" in not_told and "silent      dropped-wake" in not_told, not_told)
    check("ctp_create" not in not_told, "what is told is said to be missing")
    check("Contradictory" not in said, said)


def check_not_needed():
    """A run whose waits all name their resource needs no call for resources that nobody waited for."""
    said = integration(LIFE.replace("suspend c1 @2", "suspend c1 channel:0x5000 @2"))
    check("who holds a lock, a permit, an item: no wait was for a lock, semaphore\n" in part(said, "Not needed in this run"), said)
    check("ctp_acquire" not in said and "ctp_notify" in part(said, "Not recorded"), said)


def check_places():
    said = integration(LIFE)
    check(part(said, "Waits that do not record what for") .strip() == "1  request in answer, src/server.c:55", said)
    check("ctp_acquire" in part(said, "Not recorded"), f"a wait that is not told may be for a lock: {said}")


def check_languages():
    for ending, call in ((".rs", "call        Resource::notify"), (".py", "call        notify"), (".zig", "call        notify"), (".lua", "call        notify")):
        told = part(run(COROTRACER, "integration", "-", input=(HEAD + LIFE).replace(".c ", f"{ending} ")).stdout, "Not recorded")
        check(call in told and "ctp_" not in told, f"{ending}: {told}")


def check_no_finding():
    """A report without a finding says how many rules could not judge, and which events were missing; with wakes there
    are fewer."""
    def verdict(events):
        said = " ".join(run(COROTRACER, "report", "-", input=HEAD + events).stdout.partition("Nothing found; ")[2].split())
        return int(said.partition(" of ")[0]), said

    few, said = verdict(LIFE)
    check("rules, because the program does not record who makes a coroutine ready" in said, said)
    more, said = verdict(LIFE.replace("8ms", "7.5ms t1 wake coroutine:1 @2 outcome=queued\n8ms"))
    check(few < more and "who makes a coroutine ready" not in said, f"{few}, {more}: {said}")


def check_wakes_count():
    said = integration(LIFE + "11ms t1 wake coroutine:1 @2 outcome=queued\n")
    check("who makes a coroutine ready" in part(said, "Recorded") and "ctp_wake" not in part(said, "Not recorded"), said)


def check_contradictions():
    for event, words in (("20ms t1 park\n21ms t1 create c2 @1\n21ms t1 resume c2 point=initial", "is `unpark` recorded?"),
                         ("20ms t1 unpark", "is `park` recorded?"),
                         ("20ms t1 release c1 lock:0x7000 @2", "is `acquire` recorded?")):
        said = integration(LIFE + event + "\n", status=1)
        check(words in part(said, "Contradictory"), f"{event}: {said}")


def check_not_contradictory():
    """A resume takes a coroutine out of its queue, and a worker may be parked when the program is ended."""
    for events in ("20ms t1 park\n", "20ms t1 create c2 @1\n21ms t1 enqueue c2 queue:0\n22ms t1 resume c2 point=initial\n"):
        check("Contradictory" not in integration(LIFE + events), events)


def check_first_run():
    """A coroutine that runs as soon as it is made may record no first resume: README's own program does that."""
    made = "1ms t1 create c1 0x11010 @1\n"
    integration(made + "2ms t1 suspend c1 channel:0x5000 @2\n")
    said = integration(made, status=1)
    check("is `resume` recorded?" in part(said, "Contradictory"), said)


def check_refused():
    refused = run(COROTRACER, "integration", "-", input="no trace", status=5)
    check(refused.stdout == "" and refused.stderr.count("\n") == 1, f"{refused.stdout}{refused.stderr}")


check_told()
check_not_needed()
check_places()
check_languages()
check_no_finding()
check_wakes_count()
check_contradictions()
check_not_contradictory()
check_first_run()
check_refused()
