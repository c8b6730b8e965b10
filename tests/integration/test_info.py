# SPDX-License-Identifier: MIT
"""What `info` and the last lines of `run` say of a recording: nothing is left out silently, and nothing is
lamented that is in order.
"""
import re

from support import COROTRACER, check, folder, run

ROWS = 32  # of processes, and of notes


def check_many_processes(place):
    """More processes than there are rows for: as many as have none are counted."""
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
    """A program that ends at once and has nothing to tell lacks nothing."""
    trace = place + "/quiet.ctrace"
    said = run(COROTRACER, "run", "-o", trace, "--", "true").stderr
    told = run(COROTRACER, "info", trace).stdout
    check("note" not in told and "mappings" not in said, f"lamented without need:\n{said}{told}")


def main():
    with folder() as place:
        check_many_processes(place)
        for _ in range(20):
            check_quiet_program(place)


if __name__ == "__main__":
    main()
