# SPDX-License-Identifier: MIT
"""Tests `query`: SQL over recorded programs gives the same as reports, `check` and an exported database, and as SQLite
itself over copies of the tables; the cookbook has answers; nothing can be written, and every statement ends.

QUERY_UPDATE=1 in the environment writes the tables and the cookbook of docs/query.md again.
"""
import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import random
import re
import select
import signal
import sqlite3
import shutil
import subprocess
import sys
import termios
import time

from support import BUILD, COROTRACER, SOURCE, check, folder, run

DOCUMENT = SOURCE / "docs/query.md"
MADE = "## Tables\n"
USAGE, SYSTEM, NO_MEMORY, NOT_FOUND, NO_PROBE, STOPPED = 2, 3, 3, 4, 9, 10
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
CTRL_C = "\x03"
HUGE = "SELECT count(*) FROM events a, events b, events c"

# A coroutine that never runs, and is woken without effect.
IDLER = """\
import ctypes, sys
probe = ctypes.CDLL(sys.argv[1])
probe.ctp_coro_new.restype = ctypes.c_uint64
probe.ctp_attach.restype = ctypes.c_bool
number, word = ctypes.c_uint64, ctypes.c_uint32
if not probe.ctp_attach():
    sys.exit(3)
never, coro = number(probe.ctp_coro_new()), number(probe.ctp_coro_new())
site = word(probe.ctp_intern(b"idler", word(5)))
for one in never, coro:
    probe.ctp_create(one, number(0x1000), site)
probe.ctp_resume(coro, word(0))
wake = number(coro.value | 7 << 56)
for _ in range(3):
    probe.ctp_wake(number(0), wake, site, word(0))
probe.ctp_suspend(coro, number(0), site, word(1))
"""


# One coroutine is ready while another keeps the thread: recorded programs need not have a longest delay.
BUSY = """\
trace from=0 until=20ms
process 1 pid=100 program=/bin/busy probe
thread 1 process=1 tid=101 name=worker
site 1 process=1 kind=source file=/src/busy.cpp line=10 function=compute reason=Step
1ms t1 create c1 0x11010 @1
1.1ms t1 create c2 0x12010 @1
1.2ms t1 resume c2
1.3ms t1 suspend c2 lock:0x7f00 @1
2ms t1 resume c1
3ms t1 wake c1 coroutine:2 @1 outcome=queued
9ms t1 suspend c1 lock:0x7f00 @1
9.1ms t1 resume c2
9.2ms t1 suspend c2 lock:0x7f00 @1
"""


def ask(trace, sql, *options, status=0):
    return run(COROTRACER, "query", *options, trace, sql, status=status)


def rows(trace, sql):
    return json.loads(ask(trace, sql, "--format", "json").stdout)


def cells(trace, sql):
    return [tuple(row.values()) for row in rows(trace, sql)]


def one(trace, sql):
    (row,) = cells(trace, sql)
    return row


# ---------------------------------------------------------------- documents

def made(trace):
    parts = [ask(trace, word, "--format", "markdown").stdout for word in (".tables", ".schema")]
    intro = ("\n## Cookbook\n\nEach of these is asked of recorded programs by a test; `.cookbook` lists them, and `.cookbook 7` "
             "asks one.\n")
    head = "\n<!-- Made by the program: QUERY_UPDATE=1 in front of the test 'query' writes it anew. -->\n"
    return MADE + head + "".join(parts) + intro + ask(trace, ".cookbook", "--format", "markdown").stdout


def check_document(trace):
    text = DOCUMENT.read_text(encoding="utf-8")
    wanted = text[:text.index(MADE)] + made(trace)
    if os.environ.get("QUERY_UPDATE"):
        DOCUMENT.write_text(wanted, encoding="utf-8")
    else:
        check(text == wanted, "docs/query.md does not say what the program says: QUERY_UPDATE=1 writes it")


def check_cookbook(traces):
    recipes = re.findall(r"^\d+\. (.*?)\n\n```sql\n(.*?);\n```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    check(len(recipes) >= 25, f"the cookbook has only {len(recipes)} questions")
    for question, sql in recipes:
        counts = [len(rows(trace, sql)) for trace in traces.values()]
        check(any(counts), f"no trace has an answer: {question}")


# ---------------------------------------------------------------- equal numbers

def check_places(trace):
    """The waits at a place add up to what reports say of the place."""
    told = {row["site"]: row for row in rows(trace, "SELECT * FROM places")}
    counted = rows(trace, "SELECT site, count(*) AS n, sum(duration_ns) AS total, p50(duration_ns) AS p50, p90(duration_ns) AS p90, "
                   "p99(duration_ns) AS p99, max(duration_ns) AS most FROM waits WHERE next IN ('ready', 'running') AND site IS NOT NULL GROUP BY site")
    for row in counted:
        place = told[row["site"]]
        check((row["n"], row["total"], row["p50"], row["p90"], row["p99"], row["most"]) ==
              (place["nr_waits"], place["ended_wait_ns"], place["ended_wait_p50_ns"], place["ended_wait_p90_ns"], place["ended_wait_p99_ns"],
               place["ended_wait_max_ns"]), f"{trace.name}: waits at {place['place']} are {row}, and places say {place}")
    return len(counted)


def check_statistics(trace):
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
    statistics = report["statistics"]
    sql = one(trace, "SELECT count(*), p50(duration_ns), p99(duration_ns), max(duration_ns) FROM delays "
              "WHERE next = 'running'")
    delays = statistics["delays"]
    check(sql == (delays["count"], delays["p50_ns"], delays["p99_ns"], delays["max_ns"]) or not delays["count"],
          f"{trace.name}: delays are {sql}, and the report says {delays}")
    if delays["count"]:
        run(COROTRACER, "check", trace, f"sched_latency.p99 == {sql[2]}ns", f"lost == {report['quality']['lost']}")
    check(one(trace, "SELECT count(*) FROM findings")[0] == len(report["findings"]), f"{trace.name}: findings differ")
    check(one(trace, "SELECT count(*) FROM events")[0] == report["quality"]["events"], f"{trace.name}: events differ")
    spans = cells(trace, "SELECT name, nr_ended, p50_ns, p90_ns, p95_ns, p99_ns, max_ns FROM spans WHERE kind = 'region' ORDER BY name")
    regions = cells(trace, "SELECT name, count(*), p50(duration_ns), p90(duration_ns), p95(duration_ns), p99(duration_ns), "
                    "max(duration_ns) FROM regions WHERE NOT is_open GROUP BY name ORDER BY name")
    check([row for row in spans if row[1]] == regions, f"{trace.name}: regions are {regions}, spans say {spans}")


def check_spelling(trace):
    """The resource of a wait has the same spelling in every table as in events."""
    for table in ("waits", "objects"):
        odd = cells(trace, f"SELECT DISTINCT object FROM {table} WHERE object NOT GLOB '*:[0-9]*' OR object GLOB '* *'")
        check(odd == [], f"{trace.name}: {table} spells {odd}")


def check_export(trace, place):
    """The same question to an exported database has the same answer."""
    database = place / (trace.stem + ".sqlite")
    run(COROTRACER, "export", "--format", "sqlite", "-o", database, trace)
    with sqlite3.connect(database) as exported:
        for table in ("processes", "threads", "sites", "losses", "findings", "finding_coroutines", "finding_steps", "spans",
                      "counters"):
            names = ", ".join(f'"{row[1]}"' for row in exported.execute(f"PRAGMA table_info({table})"))
            sql = f"SELECT {names} FROM {table}"
            check(cells(trace, sql) == exported.execute(sql).fetchall(), f"{trace.name}: {table} differs from the export's")
        sql = ("SELECT event, time_ns, kind, pid, thread_name, coroutine, object, argument, value, flags, function, file, line, "
               "reason, ts FROM events WHERE kind <> 'switch' ORDER BY event LIMIT 3000")
        for mine, theirs in zip(cells(trace, sql), exported.execute(sql).fetchall(), strict=True):
            check(mine == theirs, f"{trace.name}: an event is {mine}, and the export's {theirs}")


# ---------------------------------------------------------------- the same over copies

class Copies:
    """The tables of a trace in a database of Python's sqlite3, where no condition is passed on to the engine."""

    def __init__(self, trace, tables):
        self.database = sqlite3.connect(":memory:")
        self.columns = {}
        for table in tables:
            self.columns[table] = cells(trace, f"SELECT name, type FROM pragma_table_info('{table}')")
            declared = ", ".join(f'"{name}" {kind}' for name, kind in self.columns[table])
            self.database.execute(f"CREATE TABLE {table} ({declared})")
            marks = ", ".join("?" * len(self.columns[table]))
            self.database.executemany(f"INSERT INTO {table} VALUES ({marks})", cells(trace, f"SELECT * FROM {table}"))

    def value_of(self, rng, table, column):
        count = self.database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        found = self.database.execute(f'SELECT "{column}" FROM {table} LIMIT 1 OFFSET {rng.randrange(max(count, 1))}').fetchone()
        value = found[0] if found else None
        if isinstance(value, int):
            return rng.choice([str(value), str(value), f"{value}.5", f"'{value}'", "NULL", "0", "-1", "1e30", "'word'", "x'00'"])
        if isinstance(value, str):
            text = value.replace("'", "''")
            return rng.choice([f"'{text}'", f"'{text}'", f"'{text.upper()}'", "''", "7", "NULL", f"'{text[:4]}'"])
        return rng.choice(["NULL", "0", "'x'"])

    def condition(self, rng, table, alias=""):
        column, kind = rng.choice(self.columns[table])
        value = self.value_of(rng, table, column)
        name = f'{alias}"{column}"'
        if kind == "TEXT" and rng.random() < 0.4 and value.startswith("'"):
            inside = value[1:-1][:rng.randrange(1, 9)].rstrip("'")
            return rng.choice([f"{name} LIKE '%{inside}%'", f"{name} LIKE '{inside}_%'", f"{name} GLOB '*{inside}*'",
                               f"{name} NOT LIKE '{inside}%'"])
        return rng.choice([f"{name} {rng.choice(['=', '<', '<=', '>', '>=', '<>', 'IS', 'IS NOT'])} {value}",
                           f"{name} IS NULL", f"{name} IS NOT NULL", f"{name} IN ({value}, 1, 'waiting')",
                           f"{name} BETWEEN 5 AND {value}"])

    def query(self, rng):
        table = rng.choice(sorted(self.columns))
        column = rng.choice(self.columns[table])[0]
        terms = [self.condition(rng, table) for _ in range(rng.randrange(4))]
        where = rng.choice([" AND ", " AND ", " OR "]).join(terms)
        where = f" WHERE {where}" if where else ""
        if rng.random() < 0.3:
            limit = rng.choice([0, 1, 5, -1])
            return f'SELECT "{column}" FROM {table}{where} ORDER BY "{column}" {rng.choice(["", "DESC"])} LIMIT {limit} ' \
                   f"OFFSET {rng.randrange(4)}"
        return f'SELECT count(*), count("{column}"), min("{column}"), max("{column}") FROM {table}{where}'

    def join(self, rng):
        """Many look-ups, which keep rows."""
        table = rng.choice(["coroutines", "threads", "sites", "waits"])
        on = {"coroutines": "coroutine", "threads": "thread", "sites": "site", "waits": "coroutine"}[table]
        kind = rng.choice(["JOIN", "LEFT JOIN"])
        return (f"SELECT count(*), sum(a.from_ns), count(b.process) FROM states a {kind} {table} b ON b.{on} = a.{on} AND "
                f"{self.condition(rng, table, 'b.')} WHERE a.rowid % 3 = 0 OR a.coroutine = 3")


def check_same(trace, seed, nr_queries):
    rng = random.Random(seed)
    copies = Copies(trace, ("events", "states", "waits", "wakes", "coroutines", "places", "threads", "sites", "objects",
                            "regions", "tasks"))
    queries = [copies.query(rng) for _ in range(nr_queries)] + [copies.join(rng) for _ in range(nr_queries // 10)]
    answers = ask(trace, ";\n".join(queries), "--format", "jsonl").stdout.splitlines()
    for sql in queries:
        for row in copies.database.execute(sql.replace("a.rowid % 3 = 0 OR ", "(a.rowid - 1) % 3 = 0 OR ")):
            check(answers, f"{trace.name}, seed {seed}: no answer to {sql}")
            mine = tuple(json.loads(answers.pop(0)).values())
            check(mine == row, f"{trace.name}, seed {seed}: {sql}\n is {mine}, and over copies {row}")
    check(not answers, f"{trace.name}, seed {seed}: {len(answers)} rows too many")


# ---------------------------------------------------------------- the command

def check_forms(trace, place):
    sql = "SELECT 'a\"b' AS x, NULL AS y, 7 AS z, '=1+1' AS f, 'tab\tx' AS t"
    check(ask(trace, sql, "--format", "csv").stdout == '"x","y","z","f","t"\n"a""b",,7,"\'=1+1","tab\tx"\n', "csv")
    check(next(csv.reader(io.StringIO(ask(trace, sql, "--format", "csv", "--no-header").stdout))) ==
          ['a"b', "", "7", "'=1+1", "tab\tx"], "csv without a heading")
    check(ask(trace, sql, "--format", "tsv").stdout == 'x\ty\tz\tf\tt\na"b\t\t7\t=1+1\ttab x\n', "tsv")
    check(rows(trace, sql) == [{"x": 'a"b', "y": None, "z": 7, "f": "=1+1", "t": "tab\tx"}], "json")
    check(rows(trace, "SELECT 1124184569123456.0 AS sum, 0.1 AS part") == [{"sum": 1124184569123456.0, "part": 0.1}], "reals in json")
    check(rows(trace, "SELECT 1 WHERE 0") == [], "json of nothing")
    check(ask(trace, "SELECT 1 AS a, 'x' AS b UNION SELECT 100, 'yy'").stdout == "  a  b\n  1  x\n100  yy\n", "table")
    check(ask(trace, "SELECT char(27) || '[31m' AS a").stdout == "a\n?[31m\n", "control characters reach the terminal")
    check(ask(trace, "SELECT 'a|b' AS c", "--format", "markdown").stdout == "| c |\n|---|\n| a\\|b |\n", "markdown")
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1500) SELECT i FROM n"
    shown = ask(trace, many)
    check(len(shown.stdout.splitlines()) == 1001 and "more rows than the 1000" in shown.stderr, "the limit of a table is not said")
    check(len(ask(trace, many, "--all").stdout.splitlines()) == 1501, "--all")
    check(len(ask(trace, many, "--format", "csv").stdout.splitlines()) == 1501, "csv has all rows")
    output = place / "rows.csv"
    ask(trace, "SELECT 1 AS a", "--format", "csv", "-o", output)
    check(output.read_text() == '"a"\n1\n', "-o")
    ask(trace, "SELECT nonsense", "-o", output, status=USAGE)
    check(output.read_text() == '"a"\n1\n', "a failure replaced the output")


def check_sources(trace, place):
    sql = place / "question.sql"
    sql.write_text("-- a comment\nSELECT 1 AS a;\nSELECT 2 AS b;\n")
    wanted = '{"a":1}\n{"b":2}\n'
    for words, given in (([trace, "-f", sql], None), ([trace, "-"], sql.read_text()), ([trace], sql.read_text())):
        result = run(COROTRACER, "query", "--format", "jsonl", *words, input=given)
        check(result.stdout.replace(" ", "") == wanted, f"{words}: {result.stdout}")
    with open(trace, "rb") as stream:
        result = run(COROTRACER, "query", "--format", "csv", "-", "SELECT count(*) FROM events", stdin=stream)
    check(int(result.stdout.splitlines()[1]) == one(trace, "SELECT count(*) FROM events")[0], "a trace on standard input")


def check_default(trace, place):
    """If no trace is named, the folder's usual trace is read; SQL and the name of a trace are told apart."""
    here = place / "here"
    here.mkdir()
    result = run(COROTRACER, "query", "select 1 as a", status=USAGE, cwd=here)
    check("there is no corotracer.ctrace here" in result.stderr, result.stderr)
    shutil.copy(trace, here / "corotracer.ctrace")
    for words, given in ((["SELECT 1 AS a"], None), (["with x(a) AS (SELECT 1) SELECT a FROM x"], None), ([], "SELECT 1 AS a")):
        result = run(COROTRACER, "query", "--format", "csv", *words, input=given, cwd=here)
        check(result.stdout.splitlines() == ['"a"', "1"], f"{words}: {result}")
    check("events" in run(COROTRACER, "query", ".tables", cwd=here).stdout, "a command of the shell is no trace")
    run(COROTRACER, "query", "selected.ctrace", status=NOT_FOUND, cwd=here, input="SELECT 1")
    (here / "select 1").write_text("hello")
    run(COROTRACER, "query", "select 1", status=5, cwd=here, input="SELECT 1")


def check_refusals(trace, place):
    result = ask(trace, "SELECT 1;\nSELECT nonsense FROM events", status=USAGE)
    check("no such column: nonsense" in result.stderr and "\n  SELECT nonsense FROM events\n         ^\n" in result.stderr,
          f"the place of an error: {result.stderr}")
    for sql, meant in (("SELECT 1 FROM wait", "waits"), ("SELECT plaec FROM waits", "place"), ("SELECT w.duration FROM waits w", "duration_ns"),
                       ("SELECT x FROM waits", None), ("SELECT 1 FROM corutines", "coroutines")):
        told = ask(trace, sql, status=USAGE).stderr
        check(f"did you mean '{meant}'?" in told if meant else "did you mean" not in told, told)
    told = ask(trace, "SELECT waited_ns FROM waits", status=USAGE).stderr
    check("no such column: waited_ns; a column of that name is in table objects" in told, told)
    for sql in ("CREATE TABLE x(a)", "INSERT INTO events VALUES (1)", "DELETE FROM waits", "ATTACH '/tmp/x.db' AS x",
                "PRAGMA temp_store=FILE", "SELECT load_extension('x')", "DROP TABLE events", "VACUUM INTO '/tmp/x.db'",
                "CREATE TEMP TABLE x(a)"):
        result = ask(trace, sql, status=None)
        check(result.returncode in (USAGE,) and "corotracer:" in result.stderr, f"{sql} was not refused: {result}")
    run(COROTRACER, "query", place / "no.ctrace", "SELECT 1", status=NOT_FOUND)
    result = run(COROTRACER, "query", trace, "-f", place / "no.sql", status=NOT_FOUND)
    check("no.sql': No such file" in result.stderr, f"SQL that is not there: {result.stderr}")
    run(COROTRACER, "query", trace, "-f", place, status=SYSTEM)
    ask(trace, ".schema nothing", status=USAGE)
    ask(trace, ".nonsense", status=USAGE)
    ask(trace, ".tables", "-o", place / "tables", status=USAGE)
    ask(trace, "SELECT percentile(1, 7)", status=USAGE)


def check_hostile(trace):
    for sql in (ENDLESS, HUGE):
        result = ask(trace, sql, "--timeout", "200ms", status=STOPPED)
        check("not done in 200 ms" in result.stderr, f"--timeout said {result.stderr}")
    told = run(COROTRACER, "help", "query").stdout
    check(re.search(rf"^  {STOPPED} +a query was ended", told, re.MULTILINE), f"help does not list {STOPPED}: {told}")
    large = ENDLESS.replace("count(*) FROM n", "count(*) FROM (SELECT hex(zeroblob(1000)) AS h FROM n ORDER BY h)")
    check(ask(trace, large, "--memory", "64MiB", "--timeout", "60s", status=NO_MEMORY).stderr.count("64 MiB") == 1, "--memory")
    asking = subprocess.Popen([COROTRACER, "query", trace, ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        asking.communicate(timeout=1)
        check(False, "an endless query ended")
    except subprocess.TimeoutExpired:
        asking.send_signal(signal.SIGINT)
    asking.communicate(timeout=30)
    check(asking.returncode == -signal.SIGINT, f"Ctrl-C ended it with {asking.returncode}")


class Terminal:
    """The shell on a terminal."""

    def __init__(self, trace, place):
        self.seen = self.before = ""
        self.end, other = pty.openpty()
        self.process = subprocess.Popen([COROTRACER, "query", trace], stdin=other, stdout=other, stderr=other,
                                        env={**os.environ, "TERM": "dumb", "XDG_STATE_HOME": str(place)}, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(other)

    def type(self, text):
        os.write(self.end, text.encode())

    def has(self, mark, seconds):
        """Returns whether the mark was printed; removes what was printed up to the mark."""
        until = time.monotonic() + seconds
        while mark not in self.seen and time.monotonic() < until:
            if select.select([self.end], [], [], 0.1)[0]:
                self.seen += os.read(self.end, 65536).decode("utf-8", "replace").replace("\r", "")
        found = mark in self.seen
        if found:
            end = self.seen.find(mark) + len(mark)
            self.before, self.seen = self.seen[:end], self.seen[end:]
        return found

    def read(self, mark):
        """Returns what was printed, up to the mark."""
        check(self.has(mark, 60), f"the shell never said {mark!r}, but {self.seen!r}")
        return self.before


def give_up(shell):
    """Presses Ctrl-C until there is a new prompt: a Ctrl-C that comes just before the line is read has no effect."""
    until = time.monotonic() + 60
    shell.type(CTRL_C)
    while not shell.has("corotracer> ", 1):
        check(time.monotonic() < until, f"Ctrl-C gives no new prompt: {shell.seen}")
        shell.type(CTRL_C)


def check_shell(trace, place):
    shell = Terminal(trace, place)
    shell.read("corotracer> ")
    shell.type("SELECT 6 *\n")
    shell.read("...> ")
    shell.type("7 AS answer;\n")
    shell.read("42\n")
    shell.read("corotracer> ")
    for whole, half in (("", ""), ("", "SELECT 'th' || 'rown'"), ("SELECT 'th' ||\n", "'rown'")):
        shell.type(whole)
        shell.read("...> " if whole else "")
        shell.type(half)
        shell.read(half)
        give_up(shell)
    shell.type("SELECT 'once' || 'more';\n")
    check("thrown" not in shell.read("oncemore\n"), "Ctrl-C asked what was half typed")
    shell.type(".tables\n")
    shell.read("counter_values")
    shell.read("corotracer> ")
    shell.type(ENDLESS + ";\n")
    shell.read("FROM n;\n")
    # Nothing shows when the statement begins; a signal before that has no effect.
    until = time.monotonic() + 60
    while not shell.has("interrupted", 1):
        check(time.monotonic() < until, f"Ctrl-C does not end a statement: {shell.seen}")
        shell.process.send_signal(signal.SIGINT)
    shell.read("corotracer> ")
    shell.type("SELECT 'still' || 'here';\n")
    shell.read("stillhere\n")
    shell.type("help\n")
    shell.read(".cookbook [N]")
    shell.read("corotracer> ")
    shell.type(".quit\n")
    check(shell.process.wait(timeout=30) == 0, "the shell did not end well")
    # If lines can be edited, earlier lines are found again.
    kept = place / "corotracer/query-history"
    check(not kept.exists() or ".tables" in kept.read_text(), "the history lacks what was asked")


def check_words(trace, place):
    """Tests ways to leave, as in other shells."""
    for word in ("exit", "QUIT;", ".exit", " quit ;"):
        shell = Terminal(trace, place)
        shell.read("corotracer> ")
        shell.type(word + "\n")
        check(shell.process.wait(timeout=60) == 0, f"{word!r} did not end the shell well")
    check(".quit" in ask(trace, "help").stdout, "'help' as SQL tells nothing")
    ask(trace, "SELECT 1 AS quit; quit", status=USAGE)


def check_process(place):
    """A running process is recorded for a while, and queried."""
    stop = place / "stop"
    with subprocess.Popen([BUILD / "tests/targets/annotated", "until", stop], stdout=subprocess.DEVNULL) as program:
        until = time.monotonic() + 60
        # Its probe has to attach first.
        while (result := ask(program.pid, "SELECT pid FROM processes", "--format", "tsv", "--no-header", "--duration", "200ms",
                             status=None)).returncode == NO_PROBE and time.monotonic() < until:
            pass
        stop.touch()
        program.wait(timeout=60)
    check(result.stdout == f"{program.pid}\n", f"a process that runs was asked: {result}")


def check_process_stats(place):
    """The same for the tables of times."""
    stop = place / "stop-stats"
    with subprocess.Popen([BUILD / "tests/targets/annotated", "until", stop], stdout=subprocess.DEVNULL) as program:
        until = time.monotonic() + 60
        while (result := run(COROTRACER, "stats", "--duration", "200ms", program.pid, status=None)).returncode == NO_PROBE \
                and time.monotonic() < until:
            pass
        stop.touch()
        program.wait(timeout=60)
    check(result.returncode == 0 and f"pid {program.pid}" in result.stdout, f"{result}")


# ---------------------------------------------------------------- traces

def record(place, name, *command, options=()):
    trace = place / f"{name}.ctrace"
    run(COROTRACER, "run", *options, "-o", trace, "--", *command)
    return trace


def record_all(place):
    idler = place / "idler.py"
    idler.write_text(IDLER)
    busy = place / "busy.txt"
    busy.write_text(BUSY)
    targets = BUILD / "tests/targets"
    return {
        "server": record(place, "server", BUILD / "examples/example-tcp-server-fault-a", "--self-load", "12:9",
                         "--exit-after-idle", "0.5"),
        "fibers": record(place, "fibers", BUILD / "tests/workloads/fiber-scheduler/example-fibers", options=["--no-ledger"]),
        "serve": record(place, "serve", targets / "annotated", "serve", "20",
                        options=["--no-ledger", "--leave-out-name", "*health*"]),
        "idler": record(place, "idler", sys.executable, idler, BUILD / "sdk/c/libcorotracer-probe.so", options=["--no-ledger"]),
        "busy": busy,
        "crowd": record(place, "crowd", targets / "crowd", "300", options=["--no-ledger"]),
    }


def main():
    with folder() as name:
        place = pathlib.Path(name)
        traces = record_all(place)
        check_document(traces["idler"])
        check_cookbook(traces)
        nr_places = sum(check_places(trace) for trace in traces.values())
        check(nr_places > 5, f"only {nr_places} places compared")
        for trace in traces.values():
            check_statistics(trace)
            check_export(trace, place)
            check_spelling(trace)
        for seed, trace in enumerate(("server", "serve", "idler", "crowd"), 1):
            check_same(traces[trace], seed, 150)
        check_forms(traces["idler"], place)
        check_sources(traces["idler"], place)
        check_default(traces["idler"], place)
        check_refusals(traces["idler"], place)
        check_hostile(traces["crowd"])
        check_shell(traces["crowd"], place)
        check_words(traces["idler"], place)
        check_process(place)
        check_process_stats(place)


if __name__ == "__main__":
    sys.exit(main())
