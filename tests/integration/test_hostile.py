#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that what a traced program says about itself is not trusted: in no form that a command prints or writes do
names move a terminal's cursor (the only control characters are tab and line feed, and no cell of a table for people
begins like a formula), and sums that overflow are reported as lower bounds.
"""
import csv
import pathlib
import re

from support import COROTRACER, check, folder, run

HOSTILE = r"""
trace from=0 until=2s
process 1 pid=100 program="/bin/ser\x1b[31mver" probe ledger
thread 1 tid=101 name="wo\x1b]0;x\x07r\x0dker"
thread 2 tid=102 name="=cmd|'x'!A0"
site 1 kind=source file="/a\x1b.c" line=1 function="lo\x9bck\x7f_1" reason="\xc2\x9b2Jwhy"
site 2 kind=source file="/b.c" line=2 function="+wait_1" reason="@sum"
1ms t1 create c1 @1
+1us t1 create c2 @1
+1us t1 resume c1
+1us t1 acquire c1 lock:1 @1
+1us t1 suspend c1 lock:2 @2
+1us t2 resume c2
+1us t2 acquire c2 lock:2 @1
+1us t2 suspend c2 lock:1 @2
"""
# A control character but tab and line feed, as ASCII or as UTF-8; a byte that is part of no character.
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\x80-\xf4])[\x80-\xbf]")
TABLES = ["events", "sites", "threads", "processes", "coroutines", "waits", "findings"]


def commands(trace):
    for form in ("text", "md", "html", "json", "sarif", "svg"):
        yield "report", "--format", form, trace
    for form in ("table", "csv", "tsv", "json", "jsonl", "markdown"):
        for table in TABLES:
            yield "query", "--format", form, trace, f"SELECT * FROM {table}"
    for form in ("csv", "dataframe"):
        for table in TABLES:
            yield "export", "--format", form, "--table", table, "-o", "-", trace
    yield "export", "--format", "chrome", "-o", "-", trace
    for form in ("text", "json", "junit", "sarif"):
        yield "check", "--format", form, trace, "findings == 0"
    for form in ("folded", "svg"):
        yield "profile", "--format", form, "-o", "-", trace
    for command in ("info", "dump", "stats", "integration", "verify", "metrics"):
        yield command, trace
    yield "why", trace, "1"
    yield "why", "--format", "json", trace, "1"
    yield "diff", trace, trace


def check_formulas(trace):
    for words in (("query", "--format", "csv", trace, "SELECT name FROM threads"),
                  ("export", "--format", "csv", "--table", "threads", "-o", "-", trace)):
        cells = [cell for row in csv.reader(run(COROTRACER, *words).stdout.splitlines()) for cell in row]
        check("'=cmd|'x'!A0" in cells, f"{words[0]}: {cells}")


def check_counts(place):
    text = pathlib.Path(place, "counts.txt")
    text.write_text("trace from=0 until=2s\nprocess 1 pid=100 probe\nthread 1 tid=101\n1ms t1 create c1\n"
                    "30ms t1 lost 18446744073709551615 first=25ms loss=\"ring full\"\n"
                    "31ms t1 lost 7 first=30ms loss=\"ring full\"\n")
    for command in ("report", "info", "stats"):
        told = run(COROTRACER, command, text).stdout
        check("at least 18,446,744,073,709,551,615" in told, f"{command}: {told}")
    told = run(COROTRACER, "query", "--format", "csv", text, "SELECT nr_events FROM losses UNION ALL SELECT nr_lost FROM trace").stdout
    check(told.split()[1:] == [str(2 ** 63 - 1)] * 2, f"SQL: {told}")


def main():
    with folder() as place:
        text, trace = pathlib.Path(place, "hostile.txt"), pathlib.Path(place, "hostile.ctrace")
        text.write_text(HOSTILE)
        run(COROTRACER, "assemble", "-o", trace, text)
        nr_named = 0
        for words in commands(trace):
            told = run(COROTRACER, *words, status=None, encoding="latin-1")
            check(told.returncode in (0, 1), f"{words} ended with {told.returncode}: {told.stderr}")
            for stream in (told.stdout, told.stderr):
                found = CONTROL.search(stream.encode("latin-1"))
                check(not found, f"{words}: {found}")
            nr_named += "31mver" in told.stdout or "2Jwhy" in told.stdout or "0;x" in told.stdout
        check(nr_named > 20, f"only {nr_named} outputs have the names at all")
        check_formulas(trace)
        check_counts(place)


main()
