# SPDX-License-Identifier: MIT
"""Tests outputs: an output that is reported as written is complete, an output that cannot be written is named, and an
interrupted command leaves nothing half-written.
"""
import json
import os
import pathlib
import signal
import subprocess

from support import BUILD, COROTRACER, besides_replaced, check, folder, run

HICCUP = BUILD / "tests/targets/hiccup"


def rows_of(place, *options):
    """Returns the rows of a short run, and its last line."""
    path = place / "rows.jsonl"
    said = run(COROTRACER, "run", "-f", "jsonl", *options, "-o", path, "--", HICCUP, "200", "100", "5").stderr
    return [json.loads(line) for line in path.read_text().splitlines()], besides_replaced(said).splitlines()[-1]


def check_rows(place):
    """The last line counts the rows; --all adds the rows of the other kinds, and the reader accepts all of them."""
    rows, last = rows_of(place)
    check(len(rows) > 20 and f" {len(rows):,} rows written, of suspends and resumes only; " in last, last)
    check(not any("event" in row for row in rows), "rows of other kinds were not asked for")
    rows, last = rows_of(place, "--all")
    check(f" {len(rows):,} rows written; " in last, last)
    kinds = {row.get("event") for row in rows}
    check({None, "create", "wake"} <= kinds, f"--all wrote rows of {kinds}")
    keys = ["probe_id", "tid", "addr", "seq", "is_active", "ts"]
    check(all(list(row)[:6] == keys for row in rows), "the six keys do not come first")
    dumped = run(COROTRACER, "dump", place / "rows.jsonl").stdout
    check(" wake " in dumped and " create " in dumped, "rows of other kinds are not read")
    said = run(COROTRACER, "run", "--all", "--", "true", status=2).stderr
    check("'--all' goes with '--format jsonl'" in said, said)


def check_names(place):
    """An input is named once, by the name that the user gave."""
    said = run(COROTRACER, "report", "-", input="trace from=0\nprocess 1 pid=1\nnothing\n", status=5).stderr
    check(said.startswith("corotracer: standard input:3: "), said)
    check("/proc" not in said, said)
    trace = place / "small.txt"
    trace.write_text("trace from=0\nprocess 1 pid=1\nthread 1 tid=2\n1ms t1 resume c1\n")
    for words in (("dump",), ("report",), ("report", "-f", "json"), ("export", "-o", "-"), ("assemble", "-o", "-")):
        said = run("sh", "-c", 'exec "$@" >/dev/full', "sh", COROTRACER, *words, trace, status=3).stderr
        check(said.count("standard output") == 1 and "No space left" in said, f"{words}: {said}")


def break_off(number, output, *command):
    """Stops the command once its output has begun, and ends it. Returns whether the command was still at work."""
    partial = pathlib.Path(str(output) + ".partial")
    with subprocess.Popen([COROTRACER, *map(str, command)], stderr=subprocess.DEVNULL) as started:
        while not partial.exists() and started.poll() is None:
            os.sched_yield()
        if started.poll() is None:
            started.send_signal(signal.SIGSTOP)
            started.send_signal(number)
            started.send_signal(signal.SIGCONT)
        status = started.wait(timeout=120)
    check(status in (0, -number), f"{command} ended with {status}")
    check(not partial.exists(), f"{command} left its unfinished output")
    check(output.exists() == (status == 0), f"{command} ended with {status}, and its output is another")
    output.unlink(missing_ok=True)
    return status != 0


def check_breaking_off(place):
    lines = 20_000
    for number, words in ((signal.SIGINT, ("export", "-f", "csv")), (signal.SIGTERM, ("export", "-f", "sqlite")),
                          (signal.SIGHUP, ("dump",)), (signal.SIGINT, ("assemble",))):
        output = place / ("broken-" + words[-1])
        while True:
            trace = place / f"long-{lines}.txt"
            if not trace.exists():
                trace.write_text("trace from=0\nprocess 1 pid=1\nthread 1 tid=2\n" + "+1us t1 resume c1\n" * lines)
            if break_off(number, output, *words, "-o", output, trace):
                break
            lines *= 2  # the command had finished before the signal
    other = place / "other.csv.partial"
    with open(other, "w", encoding="ascii"):
        run(COROTRACER, "export", "-o", place / "another.csv", trace)
    check(other.exists(), "another's unfinished output is gone")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        check_rows(place)
        check_names(place)
        check_breaking_off(place)


if __name__ == "__main__":
    main()
