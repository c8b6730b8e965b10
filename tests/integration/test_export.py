# SPDX-License-Identifier: MIT
"""Tests exports: each form is read by the tool that usually reads it, and compared with `dump` and `report`.

The lists of columns and tables in docs/exports.md are compared with those from which the program is made.
"""
import csv
import json
import pathlib
import re
import sqlite3
import subprocess
import sys

from page import Page
from support import BUILD, COROTRACER, SOURCE, besides_replaced, check, folder, run, skip

# Two threads, a switch, a loss, an unknown kind, numbers near 2^63, and names that need quoting.
TRACE = b"""\
trace run=00112233445566778899aabbccddeeff host=build-7 from=0 until=2s epoch_monotonic=5000000000
process 1 pid=100 program=/bin/server command="server \\"-x\\", y" probe ledger
process 2 pid=200 program=/bin/other
thread 1 process=1 tid=101 name="work,er \\"0\\"\\nbelow"
thread 2 process=1 tid=102 name="caf\xc3\xa9 \\xff"
site 1 process=1 kind=source file=/src/server.cpp line=40 function="accept_loop<int, char>(int)"
site 2 process=1 kind=source file=/src/server.cpp line=120 function=handle reason=AsyncRead
site 3 process=1 kind=source file=/src/reactor.cpp line=200 function=Reactor::on_hangup
site 4 process=1 kind=source file=/src/server.cpp line=50 reason=db.query
loss process=1 thread=2 reason="ring full" count=7 first=1s last=1.1s
end 1 exited 0 at=2s
1ms    t1 create c1 0x11010 @1
1.1ms  t1 frame c1 0x11000 @2
1.2ms  t1 resume c1
1.3ms  t2 descriptor-open descriptor:7.3
1.5ms  t1 suspend c1 descriptor:7.3 @2 point=await
2ms    t1 create c2 0x12010 @1
2.1ms  t1 frame c2 0x12000 @2
2.2ms  t1 resume c2
2.5ms  t1 suspend c2 descriptor:7.3 @2
3ms    t1 resume c3
3ms    t1 region-begin c3 @4
3ms    t1 region-end c3 @4
3ms    t1 counter c3 17 @4
3.1ms  t1 suspend c3
3.2ms  t1 resume c3
3.3ms  t1 switch c3 c4
3.4ms  t1 cancel c4
4ms    t2 descriptor-close descriptor:7.3 @3
4.1ms  t2 descriptor-io c-11 descriptor:8.1 argument=1
4.2ms  t2 wake c3 coroutine:9223372036854775 outcome=queued
4.3ms  t2 lost 12 first=4ms loss="ring full"
4.4ms  t0 p2 kind-200 c7 0x1234 argument=9 flags=0x3
4.5ms  t1 resume c9007199254740993
5ms    t2 park
1.9s   t2 unpark
"""
EVENT = re.compile(r"(?P<time>[\d.]+)s t(?P<thread>\d+)(?: p(?P<process>\d+))? (?P<kind>\S+)(?P<rest>.*)")


def dumped(trace):
    """The events as `dump` prints them, each as a dictionary."""
    lines = [EVENT.fullmatch(line) for line in run(COROTRACER, "dump", trace).stdout.splitlines()]
    events = [line.groupdict() for line in lines if line]
    for event in events:
        seconds, fraction = event["time"].split(".")
        event["time_ns"] = int(seconds + fraction)
    return events


def exported(trace, form, output, *more):
    result = run(COROTRACER, "export", "--format", form, "-o", output, *more, trace)
    check(result.stdout == "" and besides_replaced(result.stderr) == "", f"{form} says: {result.stdout}{result.stderr}")
    return output


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_rows_against_dump(rows, events):
    """Checks that there is a row for each event, in the same order and with the same words."""
    check([int(row["event"]) for row in rows] == list(range(len(events))), "the rows are not the events of the dump")
    for row in rows:
        event = events[int(row["event"])]
        words = event["rest"].split()
        place = f"event {row['event']}"
        check(int(row["time_ns"]) == event["time_ns"], f"{place}: another time")
        check(int(row["ts"]) == event["time_ns"] + 5000000000, f"{place}: ts is not CLOCK_MONOTONIC")
        check(row["kind"] == event["kind"], f"{place}: another kind")
        check((row["thread"] or "0") == event["thread"], f"{place}: another thread")
        check(not row["object"] or row["object"] in words, f"{place}: object {row['object']} is not in {words}")
        check(not row["site"] or "@" + row["site"] in words, f"{place}: site {row['site']} is not in {words}")
        check(not row["coroutine"] or "c" + row["coroutine"] in words, f"{place}: another coroutine")
        check(not row["argument"] or re.search(rf'="?{row["argument"]}"?( |$)', event["rest"]),
              f"{place}: argument {row['argument']} is not in {words}")
    objects = [event for event in events if re.search(r" (descriptor|coroutine|0x)", event["rest"])]
    with_object = {row["event"] for row in rows if row["object"]}
    check(len(with_object) >= len(objects) > 5, "objects are missing")


def check_older_keys(rows):
    """probe_id, tid, addr, seq, is_active: the fields of a JSON line, computed here by hand."""
    found = [tuple(row[key] for key in ("probe_id", "tid", "addr", "seq", "is_active"))
             for row in rows if row["probe_id"]]
    none, first, second = "0x0000000000000000", "0x0000000000011000", "0x0000000000012000"
    expected = [("1", "101", none, "1", "true"), ("1", "101", first, "2", "false"),
                ("2", "101", none, "1", "true"), ("2", "101", second, "2", "false"),
                ("3", "101", none, "1", "true"), ("3", "101", none, "2", "false"),
                ("3", "101", none, "3", "true"),
                ("3", "101", none, "4", "false"), ("4", "101", none, "1", "true"),  # the switch
                ("4", "101", none, "2", "true"),  # a suspension that did not take place
                ("9007199254740993", "101", none, "1", "true")]
    check(found == expected, f"the older keys are {found}")


def check_csv(trace, place):
    path = exported(trace, "csv", place / "rows.csv")
    rows = read_csv(path)
    check_rows_against_dump(rows, dumped(trace))
    halves = read_csv(exported(trace, "csv", place / "halves.csv", "--table", "coro_trace_events"))
    check_older_keys(halves)
    check([row for row in halves if row in rows] == rows and len(halves) == len(rows) + 1, "a switch has a second row there")
    by_kind = {row["kind"]: row for row in rows}
    check(by_kind["resume"]["thread_name"] == 'work,er "0"\nbelow', "quoting lost a name")
    check(by_kind["park"]["thread_name"] == "caf\u00e9 \ufffd", "a byte that is no UTF-8 was not replaced")
    check(by_kind["create"]["function"] == "accept_loop<int, char>(int)", "a function is missing")
    check(by_kind["descriptor-io"]["value"] == "-11" and by_kind["descriptor-io"]["coroutine"] == "",
          "a result is no value")
    check(by_kind["lost"]["value"] == "4000000" and by_kind["lost"]["object"] == "12", "a loss is not told")
    check(by_kind["kind-200"]["pid"] == "200" and by_kind["kind-200"]["tid"] == "", "no thread is a thread")
    raw = path.read_bytes()
    check(b"\r" not in raw and raw.endswith(b"\n"), "lines end otherwise")
    check(run(COROTRACER, "export", "-o", "-", trace).stdout == raw.decode(), "standard output differs")
    piped = subprocess.run([COROTRACER, "export", "-o", "-", "-"], input=trace.read_bytes(), check=True,
                           capture_output=True)
    check(piped.stdout == raw, "standard input differs")
    return rows


def check_data_frame(trace, place, rows):
    """A reader that guesses types finds one type for each column, and no gaps."""
    frame = read_csv(exported(trace, "dataframe", place / "frame.csv"))
    check(len(frame) == len(rows) and list(frame[0]) == list(rows[0]), "a data frame has other rows or columns")
    types = documented_columns()
    gaps = {"integer": "0", "boolean": "false", "text": ""}
    for of_frame, row in zip(frame, rows):
        for column, value in of_frame.items():
            check(value == (row[column] or gaps[types[column]]), f"{column} is '{value}', not '{row[column]}'")
            pattern = {"integer": r"-?\d+", "boolean": "true|false", "text": "(?s:.*)"}[types[column]]
            check(re.fullmatch(pattern, value), f"{column} holds '{value}'")


def check_hostile_names(place):
    """The names that a program gives its threads, functions and files stay text, in every form."""
    hostile = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1,1)", "\t=1", '"; DROP TABLE sites; --', "'); --",
               "a\r\nb,\"c\"", "<script>alert(1)</script>", "%s%n", "$(touch x)", "\\", "\u202e", "a = 1"]
    formulas = 5
    trace = place / "hostile.txt"

    def quoted(name):
        return '"' + "".join(c if c.isalnum() else "".join(f"\\x{byte:02x}" for byte in c.encode()) for c in name) + '"'

    lines = [f"process 1 pid=1 program={quoted(hostile[0])} command={quoted(hostile[5])} probe"]
    lines += [f"thread {number} process=1 tid={number} name={quoted(name)}" for number, name in enumerate(hostile, 1)]
    lines += [f"site {number} process=1 kind=source line=1 file={quoted(name)} function={quoted(name)} "
              f"reason={quoted(name)}" for number, name in enumerate(hostile, 1)]
    lines += [f"{number} t{number} resume c{2 ** 64 - number} @{number}" for number in range(1, len(hostile) + 1)]
    trace.write_text("\n".join(lines) + "\n")
    columns = ("thread_name", "function", "file", "reason")
    for form, mark in (("csv", "'"), ("dataframe", "")):
        rows = read_csv(exported(trace, form, place / f"hostile-{form}"))
        check(len(rows) == len(hostile), f"{form} has {len(rows)} rows")
        for number, (row, name) in enumerate(zip(rows, hostile)):
            shown = (mark if number < formulas else "") + name.replace("\r", "\ufffd")
            check([row[column] for column in columns] == [shown] * 4, f"{form}: {name!r} is {row['function']!r}")
            check(row["probe_id"] == str(-number - 1), f"{form}: an id beyond 2^63 is {row['probe_id']}")
    return trace, hostile


def check_hostile_in_sqlite(trace, place, hostile):
    with sqlite3.connect(exported(trace, "sqlite", place / "hostile.sqlite", "--events-table", hostile[5])) as database:
        found = database.execute("SELECT thread_name, function, file, reason FROM events ORDER BY event").fetchall()
        check(found == [(name,) * 4 for name in hostile], f"names in a database: {found}")
        check(database.execute("SELECT program, command_line FROM processes").fetchall() == [(hostile[0], hostile[5])],
              "a program's name")
        check(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the database is damaged")


def check_hostile_page(place):
    """Names that look like markup are read as they are, and the page refers to nothing outside itself."""
    evil = "</td></style><img src=x onerror=alert(1)>'\"&amp;<!--"
    quoted = '"' + evil.replace('"', '\\"') + '"'
    trace = place / "<img src=x onerror=alert(2)>.txt"
    text = TRACE.decode("latin-1")
    for name in ("reason=AsyncRead", "function=handle", "host=build-7", "program=/bin/server", 'name="caf\u00c3\u00a9 \\xff"',
                 "file=/src/server.cpp"):
        check(name in text, f"{name} is not in the trace")
        text = text.replace(name, name.split("=")[0] + "=" + quoted)
    trace.write_bytes(text.encode("latin-1"))
    plain = place / "plain.txt"
    plain.write_bytes(TRACE)
    page = run(COROTRACER, "report", "--format", "html", trace).stdout
    found, usual = Page(page), Page(run(COROTRACER, "report", "--format", "html", plain).stdout)
    check("section" in usual.elements, "the page has no finding")
    check(found.elements == usual.elements and found.attributes == usual.attributes, f"names became markup: {page}")
    check(not found.open and not found.outside, f"the page leads elsewhere: {found.outside}")
    check(not re.search(r"url\(|@import", page), "the style refers to something")
    check(evil in found.words, "a name cannot be read as it is")


def typed(row, types):
    """Returns a row of the csv as a database should have it."""
    def convert(column, value):
        if value == "":
            return None
        return {"integer": int, "text": str, "boolean": lambda word: int(word == "true")}[types[column]](value)
    return tuple(convert(column, value) for column, value in row.items())


def check_sqlite(trace, place, rows):
    with sqlite3.connect(exported(trace, "sqlite", place / "run.sqlite")) as database:
        check(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the database is damaged")
        types = documented_columns()
        expected = [typed(row, types) for row in rows]
        check(database.execute("SELECT * FROM events ORDER BY event").fetchall() == expected, "the view 'events' is not the csv")
        own = [row[1] for row in database.execute("PRAGMA table_info(coro_trace_events)")]
        check({"event", "probe_id", "tid", "addr", "seq", "is_active", "ts"} <= set(own), f"the table has {own}")
        check(database.execute("SELECT count(*) FROM coro_trace_events").fetchone()[0] == len(rows) + 1, "rows are missing")
        check(database.execute("SELECT program, command_line, ending, ending_value FROM processes").fetchall() ==
              [("/bin/server", 'server "-x", y', "exited", 0), ("/bin/other", None, "unknown", 0)],
              "processes differ")
        check_findings(trace, database)
        check_documented_queries(database)
    check_thresholds(trace, place)


def check_thresholds(trace, place):
    """A database contains findings, so thresholds and allowed places apply to it, and to no other form."""
    with sqlite3.connect(exported(trace, "sqlite", place / "allowed.sqlite", "--allow-site", "*")) as database:
        check(database.execute("SELECT count(*) FROM findings").fetchone() == (0,), "an allowed place has a finding")
    for form in ("csv", "dataframe"):
        done = run(COROTRACER, "export", "-f", form, "--threshold", "grace=1s", trace, status=2)
        check("holds no findings" in done.stderr, done.stderr)


SPAN_TIMES = ("total_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns", "open_ns", "unseen_ns",
              "ready_ns", "running_ns", "waiting_ns")


def check_findings(trace, database):
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
    check(report["findings"], "the trace has no finding to compare")
    found = database.execute("SELECT rule, grade, title, nr_coroutines FROM findings ORDER BY finding").fetchall()
    check(found == [(each["rule"], each["grade"], each["title"], len(each["members"])) for each in report["findings"]],
          f"findings differ: {found}")
    members = database.execute("SELECT finding, coroutine FROM finding_coroutines ORDER BY rowid").fetchall()
    check(members == [(number, member["id"]) for number, each in enumerate(report["findings"], 1)
                      for member in each["members"]], f"members differ: {members}")
    steps = database.execute("SELECT text FROM finding_steps ORDER BY finding, step").fetchall()
    check([text for text, in steps] == [step["text"] for each in report["findings"] for step in each["steps"]],
          f"steps differ: {steps}")
    told = [database.execute(f"SELECT {columns} FROM {table}").fetchall() for columns, table in
            ((f"kind, name, nr_ended, nr_open, {', '.join(SPAN_TIMES)}", "spans"), ("name, last, nr_values", "counters"))]
    check(told == [[(each["kind"], each["name"], each["ended"], each["open"], *(each[key] for key in SPAN_TIMES))
                    for each in report["spans"]],
                   [(each["name"], each["last"], each["values"]) for each in report["counters"]]] and all(told),
          f"spans and counters differ: {told}")
    lost, = database.execute("SELECT sum(nr_events) FROM losses").fetchone()
    check((lost,) == database.execute("SELECT nr_lost FROM trace").fetchone() and lost == 19, f"{lost} lost")


def check_documented_queries(database):
    text = (SOURCE / "docs/exports.md").read_text()
    queries = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    check(queries, "no query in the document")
    for query in queries:
        check(database.execute(query).fetchall(), f"a documented query finds nothing: {query}")


def documented_columns():
    """Returns {name: type} from the table in the document, which must be the list from which the program is made."""
    entry = re.compile(r'^X\(\w+, "(\w+)", (\w+), "[\w.]*", "(.*)"\)$', re.MULTILINE)
    columns = entry.findall((SOURCE / "src/export/columns.def").read_text())
    text = (SOURCE / "docs/exports.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (integer|text|boolean) \| (.*) \|$", text, re.MULTILINE)
    check(rows == [(name, kind.lower(), meaning) for name, kind, meaning in columns] and len(rows) > 15,
          "the columns in docs/exports.md are not those of export/columns.def")
    return {name: kind for name, kind, _ in rows}


def check_documented_forms():
    """The table of forms in docs/exports.md is that of exports.def."""
    forms = re.findall(r'^FORM\(\w+, \w+, \w+, \w+, "(\w+)", (?:ENDING\("([^"]+)"\))?.*?"((?:[^"\\]|\\.)*)"\)$',
                       (SOURCE / "include/corotracer/def/exports.def").read_text(), re.MULTILINE | re.DOTALL)
    check(len(forms) >= 12, f"the list of forms was not understood: {forms}")
    rows = "".join(f"| `{word}` | {f'`{ending}`' if ending else ''} | {meaning.replace(chr(92), '')} |\n" for word, ending, meaning in forms)
    check(f"|---|---|---|\n{rows}\n" in (SOURCE / "docs/exports.md").read_text(), f"docs/exports.md has no table of these rows:\n{rows}")


def tables_of(path):
    """Returns the names of tables and views in a database."""
    with sqlite3.connect(path) as database:
        found = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'packed_%'")}
    return found


def check_named_tables(trace, place):
    """The named tables are exported, and those to which they refer; nothing else."""
    referred = {"trace", "processes", "threads", "sites"}
    for words, wanted in ((["wakes"], {"wakes"}), (["waits", "tasks"], {"states", "waits", "runs", "delays", "tasks"}),
                          (["events"], {"events", "coro_trace_events"})):
        path = exported(trace, "sqlite", place / "named.sqlite", *(one for word in words for one in ("--table", word)))
        check(tables_of(path) == wanted | referred, f"--table {words}: {tables_of(path)}")
    with sqlite3.connect(path) as database:
        check(database.execute("SELECT count(function), count(ts) FROM events").fetchone()[1] > 0, "events lack their names")
    said = run(COROTRACER, "export", "-f", "sqlite", "--table", "event", "-o", place / "x.sqlite", trace, status=2).stderr
    check("there is no table 'event', but events, states" in said and not (place / "x.sqlite").exists(), said)


def check_one_table(trace, place):
    """A form with one table contains the named table; a form without tables accepts none."""
    coroutines = read_csv(exported(trace, "csv", place / "coroutines.csv", "--table", "coroutines"))
    check(coroutines and "created_ns" in coroutines[0], f"--table coroutines: {coroutines[:1]}")
    for words, wanted in ((["-f", "csv", "--table", "waits", "--table", "runs"], "this form has one table: 'waits' and 'runs'"),
                          (["-f", "chrome", "--table", "waits"], "this format has no tables"),
                          (["-f", "ctf", "--table", "events"], "this format has no tables"),
                          (["-f", "csv", "--events-table", "x"], "this format is no database")):
        said = run(COROTRACER, "export", *words, "-o", place / "refused", trace, status=2).stderr
        check(wanted in said and not (place / "refused").exists(), f"{words}: {said}")


def check_read_rows(place):
    """Rows of JSON lines have addresses and numbers of their own, also in a database."""
    trace = place / "rows.jsonl"
    trace.write_text("".join(
        json.dumps({"probe_id": probe_id, "tid": 7, "addr": f"0x{address:016x}", "seq": seq, "is_active": is_active, "ts": ts}) + "\n"
        for probe_id, address, seq, is_active, ts in (
            (1, 0, 2, True, 10), (1, 0x7f0000001000, 4, False, 20), (1, 0x99, 2, True, 30), (1, 0x7f0000001000, 4, False, 40),
            (2 ** 63 + 5, 0, 2, True, 45), (1, 0x7f0000002000, 9, False, 50), (2 ** 63 + 5, 2 ** 64 - 1, 2, False, 60))))
    rows = read_csv(exported(trace, "csv", place / "rows.csv"))
    check(len({row["addr"] for row in rows if row["probe_id"]}) == 5, f"{rows}")
    check_unfolded(trace, place, rows)


def check_unfolded(trace, place, rows):
    types = documented_columns()
    with sqlite3.connect(exported(trace, "sqlite", place / "unfolded.sqlite")) as database:
        told = database.execute("SELECT * FROM events ORDER BY event, is_active").fetchall()
        expected = [typed(row, types) for row in rows]
        check(sorted(told, key=str) == sorted(expected, key=str), f"{told}, not {expected}")


def check_real(place):
    """A real trace: the unfolded rows of the database are those of the csv; packed, the database takes at most 24 bytes
    for each event."""
    trace = place / "real.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", BUILD / "tests/targets/crowd", "10000")
    rows = read_csv(exported(trace, "csv", place / "real.csv"))
    check_unfolded(trace, place, rows)
    with sqlite3.connect(place / "unfolded.sqlite") as database:
        others = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'packed_%'").fetchall()
        for other, in others:
            database.execute(f"DROP TABLE {other}")
        database.commit()
        database.execute("VACUUM")
    nr_bytes = (place / "unfolded.sqlite").stat().st_size / len(rows)
    print(f"sqlite: {nr_bytes:.1f} bytes an event, of {len(rows):,}")
    check(len(rows) > 50000 and nr_bytes <= 24, f"events of a database have {nr_bytes} bytes each")


def check_names(trace, place):
    """Outputs without a name, and named tables."""
    runs = place / "runs.d"
    runs.mkdir()
    copy = runs / "a.b.txt"
    copy.write_bytes(trace.read_bytes())
    for form, name in (("csv", "a.b.csv"), ("dataframe", "a.b.dataframe.csv"), ("sqlite", "a.b.sqlite")):
        said = run(COROTRACER, "export", "--format", form, copy).stderr
        check((runs / name).exists() and said == f"corotracer: wrote '{runs / name}'\n", f"{form}: {said}")
    said = run("sh", "-c", 'exec "$0" export -', COROTRACER, input=trace.read_bytes().decode("latin-1"), cwd=place)
    check("wrote 'corotracer.csv'" in said.stderr and (place / "corotracer.csv").exists(), "standard input has no name")
    (runs / "noending").write_bytes(trace.read_bytes())
    run(COROTRACER, "export", runs / "noending")
    check((runs / "noending.csv").exists(), "a name without an ending")
    odd = 'we"ird table; --'
    with sqlite3.connect(exported(trace, "sqlite", place / "odd.sqlite", "--events-table", odd)) as database:
        rows = database.execute("SELECT count(*) FROM events").fetchone()
        check(database.execute("SELECT count(*) - 1 FROM \"we\"\"ird table; --\"").fetchone() == rows, "a table of another name")
    for name in ("file:odd?mode=memory#x", ":memory:", "-- ';\"%s\n"):
        run(COROTRACER, "export", "-f", "sqlite", f"--output={name}", trace, cwd=place)
        with sqlite3.connect(f"{place}/{name}") as database:
            check(database.execute("SELECT count(*) FROM events").fetchone() == rows, f"nothing is in '{name}'")


def check_refusals(trace, place):
    def refuse(status, words, *arguments, **options):
        result = run(COROTRACER, "export", *arguments, status=status, **options)
        check(result.stdout == "" and result.stderr.count("\n") == 1 and words in result.stderr,
              f"{arguments}: {result.stdout}{result.stderr}")

    before = (place / "run.sqlite").read_bytes()
    refuse(2, "name a file")
    refuse(2, "takes one of csv|dataframe|sqlite", "--format", "oracle", trace)
    refuse(2, "needs the name of a file", "-o", "", trace)
    refuse(2, "needs a name", "-f", "sqlite", "--table", "", trace)
    refuse(2, "a file of its own", "-f", "sqlite", "-o", "-", trace)
    refuse(2, "a file of its own", "-f", "sqlite", "-o", "/dev/null", trace)
    refuse(2, "is the trace itself", "-o", trace, trace)
    refuse(4, "No such file", place / "nothing")
    refuse(4, "nothing/x", "-o", place / "nothing/x", trace)
    refuse(4, "nothing/x", "-f", "sqlite", "-o", place / "nothing/x", trace)
    refuse(3, "already", "-f", "sqlite", "--events-table", "sites", "-o", place / "run.sqlite", trace)
    check((place / "run.sqlite").read_bytes() == before, "a failure touched what was there")
    full = run("sh", "-c", 'exec "$@" >/dev/full', "sh", COROTRACER, "export", "-o", "-", trace, status=3)
    check("No space left" in full.stderr, f"a full disk is not told: {full.stderr}")
    long = place / "long.txt"
    long.write_bytes(TRACE + b"6s t1 resume c1\n" * 2000)
    for form in ("csv", "sqlite"):
        result = run("sh", "-c", 'ulimit -f 1; exec "$@"', "sh", COROTRACER, "export", "-f", form,
                     "-o", place / "small", long, status=3)
        check(re.fullmatch(".*small.*(too large|I/O error)\n", result.stderr), f"{form}, no room: {result.stderr}")
        check(not (place / "small").exists(), f"{form}: half a file was left")
    # A reader that closes the pipe early has what it wanted.
    ends = subprocess.run(["bash", "-c", '"$0" export -o - "$1" | head -c 9; echo " ${PIPESTATUS[@]}"', COROTRACER, long],
                          capture_output=True, text=True, timeout=60, check=False)
    check(ends.stdout == "event,tim 0 0\n" and ends.stderr == "", f"a closed pipe: {ends.stdout}{ends.stderr}")
    check(not list(place.rglob("*.partial")), "a half-written file was left behind")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        trace = place / "trace.txt"
        trace.write_bytes(TRACE)
        documented_columns()
        rows = check_csv(trace, place)
        check_one_table(trace, place)
        check_documented_forms()
        check_data_frame(trace, place, rows)
        hostile = check_hostile_names(place)
        check_hostile_page(place)
        built = run(COROTRACER, "export", "-f", "sqlite", "-o", place / "try.sqlite", trace, status=None)
        if built.returncode == 7:
            check("libsqlite3-dev" in built.stderr, f"a build without SQLite says: {built.stderr}")
            skip("this build has no SQLite")
        check_sqlite(trace, place, rows)
        check_named_tables(trace, place)
        check_hostile_in_sqlite(hostile[0], place, hostile[1])
        check_read_rows(place)
        check_real(place)
        check_names(trace, place)
        check_refusals(trace, place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
