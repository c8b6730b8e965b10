# SPDX-License-Identifier: MIT
"""Tests exports of parts of a trace: each option leaves out what it says, in every kind of format, and says how much it
left out."""
import csv
import io
import json
import os
import pathlib
import pty
import select
import sqlite3
import subprocess
import sys

from support import COROTRACER, besides_replaced, check, folder, run, skip

TRACE = """trace run=00112233445566778899aabbccddeeff host=build-7 from=0 until=2s epoch_monotonic=5000000000
process 1 pid=100 program=/bin/server command="server" probe ledger
thread 1 process=1 tid=101 name=one
thread 2 process=1 tid=102 name=two
site 1 process=1 kind=source file=/src/server.cpp line=40 function=accept_loop
site 2 process=1 kind=source file=/src/server.cpp line=120 function=handle reason=AsyncRead
end 1 exited 0 at=2s
1ms    t1 create c1 0x11010 @1
1.1ms  t1 frame c1 0x11000 @2
1.2ms  t1 resume c1
1.5ms  t1 suspend c1 descriptor:7.3 @2 point=await
3.2ms  t1 resume c3
3.3ms  t1 switch c3 c4
4ms    t2 wake c0 frame:0x11000 outcome=queued
4.1ms  t1 suspend c4 descriptor:8.1 @1
4.2ms  t1 resume c1
4.3ms  t1 counter c1 17 @1
4.5ms  t1 suspend c1 descriptor:7.3 @2
4.6ms  t2 wake c0 coroutine:3 outcome=queued
"""

# The events that each option keeps, by the numbers of the events above.
PARTS = [(["--from", "1.2ms"], range(2, 12)), (["--to", "1.2ms"], [0, 1]), (["--until", "4ms"], range(6)),
         (["--from", "1.5ms", "--to", "4.2ms"], range(3, 8)), (["--kind", "wake,resume"], [2, 4, 6, 8, 11]),
         (["--coroutine", "1"], [0, 1, 2, 3, 6, 8, 9, 10]), (["--coroutine", "3"], [4, 5, 11]),
         (["--place", "handle"], [1, 3, 10]), (["--place", "server.cpp:40,AsyncRead"], [0, 1, 3, 7, 9, 10]),
         (["--coroutine", "1", "--kind", "suspend", "--from", "2ms"], [10])]
NR_EVENTS = 12


def export(trace, form, output, *more, status=0):
    return run(COROTRACER, "export", "--format", form, "-o", output, *more, trace, status=status)


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def check_told(said, left_out, of):
    check(besides_replaced(said.stderr) == f"corotracer: {left_out} of {of} rows were left out, as was asked for\n", said.stderr)


def check_rows(trace, place):
    """Rows equal those of the whole export: a part changes no number."""
    whole = read_csv(export(trace, "csv", "-").stdout)
    for words, numbers in PARTS:
        said = export(trace, "csv", "-", *words)
        expected = [row for row in whole if int(row["event"]) in numbers]
        check(read_csv(said.stdout) == expected, f"{words}: {said.stdout}")
        check_told(said, NR_EVENTS - len(numbers), NR_EVENTS)
        check(export(trace, "dataframe", "-", *words).stdout.count("\n") == len(expected) + 1, f"dataframe, {words}")
        check("left out, as was asked for" in export(trace, "sqlite", place / "part.sqlite", *words).stderr, f"sqlite, {words}")
        with sqlite3.connect(place / "part.sqlite") as database:
            seen = [number for number, in database.execute("SELECT event FROM events ORDER BY event")]
            check(seen == [int(row["event"]) for row in expected], f"sqlite, {words}: {seen}")
            check(database.execute("SELECT count(*) FROM sites").fetchone()[0] > 0, "places are missing")


def slices(trace, place, *words):
    """Returns name and time in us of the states and wakes of coroutines in a timeline."""
    said = export(trace, "chrome", place / "part.json", *words)
    events = json.loads((place / "part.json").read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    return said, [(event["name"], float(event["ts"])) for event in events
                  if event.get("cat") in ("state", "wake") and event["ph"] in "XBbin"]


def check_slices(trace, place):
    """A state that touches the interval is in the part as a whole."""
    said, whole = slices(trace, place)
    check(besides_replaced(said.stderr) == "" and len(whole) > 6, f"{said}, {whole}")
    said, early = slices(trace, place, "--to", "1.2ms")
    check("left out" in said.stderr and 0 < len(early) < len(whole), f"{early} of {whole}")
    check(set(early) == {one for one in whole if one[1] < 1200}, f"{early} of {whole}")
    said, waits = slices(trace, place, "--place", "handle")
    check({name for name, _ in waits} >= {"waiting"} and len(waits) < len(whole), f"{waits} of {whole}")
    said, one = slices(trace, place, "--coroutine", "4")
    check(0 < len(one) < len(whole) and set(one) < set(whole), f"{one} of {whole}")


def check_refusals(trace, place):
    for words, told in ((["--kind", "wakes"], "there is no kind of event 'wakes'"), (["--kind", ""], "no kind of event ''"),
                        (["--place", "nowhere"], "the trace has no place 'nowhere'"),
                        (["--from", "2s", "--to", "1s"], "ends before it begins"), (["--from", "soon"], "'--from'"),
                        (["--coroutine", "x"], "'--coroutine'")):
        said = export(trace, "csv", place / "refused", *words, status=2)
        check(told in said.stderr and said.stderr.count("\n") == 1 and not (place / "refused").exists(), f"{words}: {said}")
    for form in ("perfetto", "chrome", "otlp"):
        check("no rows of events" in export(trace, form, place / "refused", "--kind", "wake", status=2).stderr, form)


def check_progress(place):
    """A reader that begins late delays the export for more than a second: by then the export has printed a message."""
    trace = place / "long.txt"
    trace.write_text(TRACE + "".join(f"{number}ms t1 resume c1\n{number}ms t1 suspend c1 descriptor:7.3 @2\n"
                                     for number in range(5, 30000)))
    terminal, theirs = pty.openpty()
    with subprocess.Popen([COROTRACER, "export", "-o", "-", trace], stdout=subprocess.PIPE, stderr=theirs) as going:
        os.close(theirs)
        told = b""
        while told.count(b".") < 2 and select.select([terminal], [], [], 60)[0]:
            told += os.read(terminal, 4096)
        check(b"writing standard output" in told, f"{told}")
        going.stdout.read()
        while select.select([terminal], [], [], 60)[0]:
            try:
                told += os.read(terminal, 4096)
            except OSError:
                break
    os.close(terminal)
    check(going.returncode == 0 and b" of 60,0" in told and b" a second, " in told and b" left" in told, f"{told}")
    check(told.endswith(b"\x1b[K"), "the line stays")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        trace = place / "hand.txt"
        trace.write_text(TRACE)
        built = export(trace, "sqlite", place / "try.sqlite", status=None)
        if built.returncode == 7:
            skip("this build has no SQLite")
        check_rows(trace, place)
        check_slices(trace, place)
        check_refusals(trace, place)
        check_progress(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
