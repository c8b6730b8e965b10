# SPDX-License-Identifier: MIT
"""Tests what `info`, the verdict of `report` and the last lines of `run` say of a recording: nothing is left out silently, and nothing that is
in order is reported as a problem.
"""
import re

from support import COROTRACER, check, folder, run

ROWS = 32  # for processes, and for notes


def check_many_processes(place):
    """More processes than there are rows for: the processes without a row are counted."""
    text, trace = place + "/many.txt", place + "/many.ctrace"
    for number in (ROWS, ROWS + 8):
        with open(text, "w", encoding="ascii") as file:
            file.write("trace run=37dc3390a32f2a4e309a8a89ec353e08 from=0.000000000s until=1.000000000s\n")
            for process in range(1, number + 1):
                file.write(f"process {process} pid={100 + process} program=/bin/p{process} attached=0.000000001s probe\n")
                file.write(f'note "trouble number {process}" count=1\n')
        run(COROTRACER, "assemble", text, "-o", trace)
        told = run(COROTRACER, "info", trace).stdout
        for label in ("process", "note"):
            rows = re.findall(rf"^{label} +(.*)$", told, re.MULTILINE)
            more = ["... and 8 more"] if number > ROWS else []
            check(len(rows) == ROWS + len(more) and rows[ROWS:] == more, f"{number}: {label} rows {rows}")


def check_quiet_program(place):
    """A program that ends at once and records nothing gets no warning."""
    trace = place + "/quiet.ctrace"
    said = run(COROTRACER, "run", "-o", trace, "--", "true").stderr
    told = run(COROTRACER, "info", trace).stdout
    check("note" not in told and "mappings" not in said, f"lamented without need:\n{said}{told}")


CRASH = """\
trace from=0 until=2s
process 1 pid=100 program=/bin/app probe ledger
thread 1 tid=101 name=worker-0
site 1 kind=source file=/src/app.cpp line=10 function=main
site 2 kind=source file=/src/app.cpp line=20 function=ask
end 1 signaled 6 at=1s
1ms t1 create c1 0x11010 @1
2ms t1 resume c1
3ms t1 suspend c1 descriptor:9 @2
4ms t1 create c2 0x12010 @1
5ms t1 resume c2
900ms t1 crash 0xdead @1 argument=6
"""


def check_crash_alone(place):
    """A crash that is the only finding: who waited then, and where, is all that there is to look at."""
    text, trace = place + "/crash.txt", place + "/crash.ctrace"
    with open(text, "w", encoding="ascii") as file:
        file.write(CRASH)
    run(COROTRACER, "assemble", text, "-o", trace)
    told = " ".join(run(COROTRACER, "report", trace).stdout.split())
    check("1 finding: 1 proven" in told, told)
    check("still waiting: 1 coroutine waits at the end; no finding is about it" in told and "1 at ask, src/app.cpp:20" in told, told)


def check_changed_program(place):
    """A program whose file has changed since gives no names, and that is said; each reason once."""
    text = place + "/changed.txt"
    with open(text, "w", encoding="ascii") as file:
        file.write("trace from=0 until=1s\nprocess 1 pid=100 program=/bin/p probe\n"
                   f'mapping 1 process=1 start=0x10000 end=0x20000 offset=0x1000 path="{COROTRACER}" build_id=aa\n'
                   "mapping 2 process=1 start=0x20000 end=0x30000 offset=0x1000 path=/nonexistent/p build_id=bb\n")
        for number, address in enumerate((0x10010, 0x10020, 0x20010), 1):
            file.write(f"site {number} process=1 kind=function address={address:#x}\n")
    told = " ".join(run(COROTRACER, "report", text).stdout.split())
    check(f"'{COROTRACER}' has changed since the recording: it has another build id (2 times)" in told, told)
    check("'/nonexistent/p' cannot be read now" in told, told)
    check("no name" not in run(COROTRACER, "report", "--no-symbols", text).stdout, "symbols were asked for")


def check_end(place):
    """A trace with its end may nevertheless lack events: info does not call it complete."""
    text = place + "/end.txt"
    for end, said in (("", "yes"), (" incomplete", "no")):
        with open(text, "w", encoding="ascii") as file:
            file.write(f"trace from=0 until=1s{end}\nprocess 1 pid=100 probe\nthread 1 tid=101\n"
                       "1ms t1 lost 12 first=0.5ms loss=\"no ring\"\n")
        told = run(COROTRACER, "info", text).stdout
        check(re.search(rf"^has its end +{said}$", told, re.MULTILINE) and "12 events" in told, told)
        check("complete" not in told, told)


def main():
    with folder() as place:
        check_changed_program(place)
        check_end(place)
        check_many_processes(place)
        for _ in range(20):
            check_quiet_program(place)
        check_crash_alone(place)


if __name__ == "__main__":
    main()
