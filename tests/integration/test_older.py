# SPDX-License-Identifier: MIT
"""coroTracer, the older spelling: every option, default names, messages and exit statuses.

The table of options in docs/older-coroTracer.md is compared with cli/options.def.
"""
import collections
import csv
import json
import pathlib
import re
import shlex
import sqlite3
import subprocess
import sys

from page import Page
from support import BUILD, COROTRACER, SOURCE, besides_replaced, check, folder, run

OLDER = str(BUILD / "coroTracer")
WRITER = shlex.quote(str(BUILD / "tests/targets/v1_writer"))
SERVER = str(BUILD / "examples/example-tcp-server-fault-a")
KEYS = ["probe_id", "tid", "addr", "seq", "is_active", "ts"]
FURTHER = ["waits_for", "site", "outcome", "from", "told", "lines", "end"]
SERVED = re.compile("the page is at http://localhost:[0-9]+/#token=|the recording is not shown")

TRACE = """\
trace run=00112233445566778899aabbccddeeff from=0 until=2s
process 1 pid=100 program=/bin/server probe ledger
thread 1 tid=101 name="<script>alert(1)</script>&amp;"
site 1 kind=source file=/src/server.cpp line=40 function=accept_loop
site 2 kind=source file=/src/server.cpp line=120 function="handle<int>" reason=AsyncRead
site 3 kind=source file=/src/reactor.cpp line=200 function=Reactor::on_hangup
end 1 exited 0 at=2s
1ms    t1 create c1 0x11010 @1
1.2ms  t1 resume c1
1.3ms  t1 descriptor-open descriptor:7.3
1.5ms  t1 suspend c1 descriptor:7.3 @2 point=await
4ms    t1 descriptor-close descriptor:7.3 @3
5ms    t1 park
1.9s   t1 unpark
"""


def refuse(status, words, *arguments, **options):
    """One sentence on standard error, and this exit status."""
    result = run(OLDER, *arguments, status=status, **options)
    check(result.stdout == "" and result.stderr.count("\n") == 1 and words in result.stderr,
          f"{arguments}: {result.stdout}{result.stderr}")


def options_of_the_list():
    entry = re.compile(r'^O\(OLDER, \w+, "([^"]+)", 0, "([^"]*)"', re.MULTILINE)
    return dict(entry.findall((SOURCE / "cli/options.def").read_text()))


def check_document():
    row = re.compile(r"^\| `-([\w-]+)` \| (?:`(\w+)`)? ?\|", re.MULTILINE)
    documented = row.findall((SOURCE / "docs/older-coroTracer.md").read_text())
    check(documented == list(options_of_the_list().items()) and len(documented) > 20,
          f"the options in docs/older-coroTracer.md are not those of options.def: {documented}")


def check_spelling(place):
    """Each option is accepted with one dash and with two, with its value as the next word and after '='."""
    values = {"N": "0x9", "PORT": "5432", "FORMAT": "csv", "HOW": "Lock"}
    trace = place / "t.txt"
    for option, argument in options_of_the_list().items():
        if option in ("cmd", "deepdive", "html", "export", "in", "out"):
            continue
        value = values.get(argument, "x")
        for words in ([f"-{option}", value], [f"--{option}={value}"]) if argument else ([f"-{option}"], [f"--{option}"]):
            output = place / "spelling.csv"
            run(OLDER, "-export", "csv", "-in", trace, *words, "-csv-out", output)
            check(output.exists(), f"{words} stops an export")
            output.unlink()


def rows_of(path):
    lines = path.read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    for line, row in zip(lines, rows):
        check(list(row)[:6] == KEYS and set(row) <= {*KEYS, *FURTHER}, f"the keys are {list(row)}")
        check(re.fullmatch(r"0x[0-9a-f]{16}", row["addr"]), f"an address that is none: {line}")
        check(not row["is_active"] or int(row["addr"], 16) == 0, f"a resume with an address: {line}")
        check(json.dumps(row, separators=(",", ":"), ensure_ascii=False) == line, f"blanks in a row: {line}")
    return [{key: row[key] for key in KEYS} for row in rows]


def check_record(place):
    output = place / "trace.jsonl"
    output.write_text("what was there before\n")
    for command in ("true", "no-such-program", "kill -9 $$"):
        said = run(OLDER, "-cmd", command, "-out", output, status=None).stderr
        check(output.read_text() == "what was there before\n", f"'{command}' replaced a trace")
        check(f"'{output}' stays the trace that it was" in said, f"'{command}': {said}")
    result = run(OLDER, "-n", "256", "-shm", place / "a.shm", "-sock", place / "a.sock", "-cmd",
                 f'"{SERVER}" --self-load 5:3 --exit-after-idle 0.3 >"{place}/log" 2>&1 && echo said; exit 9',
                 "-out", output, status=9)
    check(result.stdout == "said\n", f"the command did not go through sh: {result.stdout}")
    check(SERVED.search(result.stderr), f"nothing is said about the page: {result.stderr}")
    rows = rows_of(output)
    check(len({row["probe_id"] for row in rows}) >= 5, f"only {len(rows)} rows")
    times = [row["ts"] for row in rows]
    check(times == sorted(times), "rows are not in order of time")
    for coroutine in {row["probe_id"] for row in rows}:
        own = [row["seq"] for row in rows if row["probe_id"] == coroutine]
        check(own == list(range(1, len(own) + 1)), f"coroutine {coroutine} counts {own}")
    check(not list(place.glob("*.partial")), "a half-written file was left behind")
    check_rows_in_exports(place, output, rows)
    # A second run does not add to the output of the first.
    before = output.read_text()
    run(OLDER, "-cmd", f'"{SERVER}" --self-load 2:1 --exit-after-idle 0.1', "-out", output, status=None)
    check(0 < output.stat().st_size and before[:200] not in output.read_text(), "a second run was appended")


def check_rows_in_exports(place, trace, rows):
    """The recorded rows come out again: the six keys of each line, unchanged."""
    run(OLDER, "-export", "dataframe", "-in", trace)
    with open(place / "trace.csv", newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        found = list(reader)
    check(reader.fieldnames == KEYS, f"the columns are {reader.fieldnames}")
    convert = {"addr": str, "is_active": lambda word: word == "true"}
    check([{key: convert.get(key, int)(row[key]) for key in KEYS} for row in found] == rows,
          "an export has other rows than the trace")
    for action, name in (("-deepdive", "coro_report.md"), ("-html", "coro_dashboard.html")):
        run(OLDER, action, "-out", trace, cwd=place)
        check(f"{len({row['probe_id'] for row in rows})} coroutines" in (place / name).read_text(),
              f"{action} misses coroutines")
    if run(OLDER, "-export", "sqlite", "-in", trace, status=None).returncode == 7:
        return
    with sqlite3.connect(place / "trace.sqlite") as database:
        found = database.execute(f"SELECT id, {', '.join(KEYS)} FROM coro_trace_events ORDER BY id").fetchall()
        check(found == [(number, str(row["probe_id"]), *list(row.values())[1:]) for number, row in enumerate(rows, 1)],
              "a database has other rows than the trace")
        indexes = database.execute("SELECT count(*) FROM sqlite_master WHERE type = 'index'").fetchone()
        check(indexes == (3,), f"{indexes} indexes")


def check_told(place):
    """R-13: the older program's own way, from -cmd to -deepdive, proves the same as a trace file would."""
    output = place / "told.jsonl"

    def deepdive(path):
        run(OLDER, "-deepdive", "-out", path, cwd=place)
        return (place / "coro_report.md").read_text()

    run(OLDER, "-no-serve", "-cmd", f'"{SERVER}" --self-load 5:3 --exit-after-idle 0.3 >"{place}/log" 2>&1', "-out", output)
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    told = deepdive(output)
    check("### proven: waits-on-closed-descriptor" in told, f"fault (a) is not proven from its rows: {told}")
    check(any(row.get("waits_for", "").startswith("descriptor:") and "AsyncRead" in row["site"] for row in rows),
          "no row says what it waits for, and where")
    check(any(row.get("outcome") == "queued" for row in rows), "no row says how it was woken")
    check(rows[-1]["end"] == "exited 0" and not any("end" in row for row in rows[:-1]), "the end is not told once")
    check(rows[-1]["lines"] == sum(len(row.get("told", [])) for row in rows), "the lines are not counted")
    # If a row is missing, doubled, or followed by a foreign row, no more is concluded than the six keys allow.
    lines = output.read_text().splitlines(keepends=True)
    middle = next(number for number, row in enumerate(rows[20:], 20) if "told" in row)
    part = place / "part.jsonl"
    for kept in (lines[:-1], lines[:middle] + lines[middle + 1:], lines[1:], lines + lines, lines[:middle] + lines[middle - 1:]):
        part.write_text("".join(kept))
        check("proven" not in deepdive(part), f"{len(kept)} of {len(lines)} rows prove something")


def check_record_details(place):
    for words in (["-no-serve"], ["--no-serve"]):
        result = run(OLDER, "-cmd", "true", *words, cwd=place)
        check(not SERVED.search(result.stderr), f"{words} is not heeded: {result.stderr}")
    check((place / "trace_output.jsonl").exists(), "the default output is another")
    check(run(OLDER, "-cmd", "cat; echo $HOME", "-out", "x", cwd=place, input="read\n",
              env={"HOME": "/somewhere"}).stdout == "read\n/somewhere\n", "input or environment differ")
    run(OLDER, "-cmd", "no-such-program", "-out", place / "x", status=127)
    run(OLDER, "-cmd", "kill -TERM $$", "-out", place / "x", status=128 + 15)
    long = "true " + "x" * 20000
    run(OLDER, "-cmd", long, "-out", place / "x")
    refuse(4, "nothing/x", "-cmd", "true", "-no-serve", "-out", place / "nothing/x")


def check_version1(place):
    """-n, -shm and -sock reach the program; existing files are left alone."""
    tell = ('echo "$CTP_MAX_STATIONS"; echo "$CTP_SHM_PATH"; stat -L -c %s "$CTP_SHM_PATH"; '
            'echo "$CTP_SOCK_PATH"; stat -c "%a %F" "$CTP_SOCK_PATH"')

    def told(*words):
        lines = run(OLDER, "-no-serve", "-cmd", tell, "-out", place / "x", *words).stdout.splitlines()
        check(len(lines) == 5 and lines[4] == "600 socket", f"the program sees {lines}")
        number, shm, size, sock, _ = lines
        check(int(size) == 1024 * (1 + int(number)), f"{size} bytes for {number} coroutines")
        return number, shm, sock

    shm, sock = place / "v1.shm", place / "v1.sock"
    check(told("-n", "256", "-shm", shm, "-sock", sock) == ("256", str(shm), str(sock)), "the names are not heeded")
    check(not shm.exists() and not sock.exists(), "the files were left behind")
    check(told()[0] == "128", "another default")
    shm.write_text("of somebody else")
    sock.symlink_to(place / "elsewhere")
    number, other_shm, other_sock = told("-shm", shm, "-sock", sock)
    check(number == "128" and other_shm != str(shm) and other_sock != str(sock), "a name that is taken was taken")
    check(shm.read_text() == "of somebody else" and not (place / "elsewhere").exists(), "a stranger's file was touched")


def numbers_of(path):
    numbers = {}
    for row in rows_of(path):
        numbers.setdefault(row["probe_id"], []).append(row["seq"])
    return list(numbers.values())


def check_numbers(place):
    """-seq, and what a probe of version 1 does without it; rows that are numbered by locks are read correctly."""
    output = place / "numbers.jsonl"
    lock = [2 * (number // 8 + 1) for number in range(20)]
    count = list(range(1, 21))
    for discipline, words, expected in (("lock", (), lock), ("counter", (), count), ("counter", ("-seq", "lock"), lock),
                                        ("lock", ("-seq=count",), count), ("lock", ("-seq", "OWN"), count)):
        run(OLDER, "-no-serve", *words, "-cmd", f"{WRITER} {discipline} 3 20 paced", "-out", output)
        check(numbers_of(output) == [expected] * 3, f"{discipline} {words}: {numbers_of(output)}")
        told = json.loads(run(COROTRACER, "report", "--format", "json", output).stdout)["quality"]
        check((told["coroutines"], told["lost"], told["impossible_events"]) == (3, 0, 0), f"{words} is read as {told}")
        run(OLDER, "-export", "csv", "-in", output)
        with open(output.with_suffix(".csv"), newline="", encoding="utf-8") as file:
            exported = [[row["probe_id"], row["seq"]] for row in csv.DictReader(file)]
        check(exported == [[str(row["probe_id"]), str(row["seq"])] for row in rows_of(output)], f"{words}: other rows")


def check_seen_at_once(place):
    """Rows are in the file while the program runs: the program ends only after they were seen."""
    output = place / "seen.jsonl"
    with subprocess.Popen([OLDER, "-no-serve", "-cmd", f"{WRITER} lock 3 20 paced wait", "-out", output],
                          stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        while not output.exists() or output.read_bytes().count(b"\n") < 60:
            check(running.poll() is None, "the program ended before its rows were seen")
        said = run(OLDER, "-no-serve", "-cmd", "true", "-out", output, status=None).stderr
        check("another process is writing it" in said, f"two runs write one file: {said}")
        running.stdin.close()
    check(len(rows_of(output)) == 60 and not output.with_name("seen.jsonl.partial").exists(), "rows were added or lost")


def check_left_behind(place):
    """Three of 50 coroutines go on: the other 47 are listed separately, and only suspected."""
    output, numbers, rows, now = place / "behind.jsonl", collections.Counter(), [], 10 ** 12

    def step(coro):
        nonlocal now
        for is_active in (True, False):
            now += 20_000
            seq = 2 * (numbers[coro] // 8 + 1)
            numbers[coro] += 1
            rows.append(f'{{"probe_id":{coro},"tid":{100 + coro % 3},"addr":"0x{0:016x}","seq":{seq},'
                        f'"is_active":{"true" if is_active else "false"},"ts":{now}}}\n')

    for coro in [*range(1, 51)] * 10 + [1, 2, 3] * 10_000:
        step(coro)
    output.write_text("".join(rows))
    found = json.loads(run(COROTRACER, "report", "--format", "json", output).stdout)["findings"]
    check([finding["grade"] for finding in found] == ["suspect"], f"not one finding, or more than suspected: {found}")
    check(sorted(member["id"] for member in found[0]["members"]) == list(range(4, 51)), "not those 47")
    run(OLDER, "-deepdive", "-out", output, cwd=place)
    check("47 coroutines wait, ten times longer" in (place / "coro_report.md").read_text(), "-deepdive does not list them")


def check_sentences(place):
    """Too few stations, a name that is in use, and a name that was left behind."""
    output, shm, sock = place / "x", place / "said.shm", place / "said.sock"

    def said(*words):
        return run(OLDER, "-no-serve", "-cmd", f"{WRITER} lock 5 8 paced", "-out", output, *words).stderr

    check("is not in the trace, since all 2 stations were taken" in said("-n", "2") and "(3 times)" in said("-n", "2"),
          "nothing is said about too few stations")
    with subprocess.Popen([OLDER, "-no-serve", "-cmd", "echo ready; exec cat", "-out", place / "y", "-shm", shm, "-sock",
                           sock], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as other:
        other.stdout.readline()
        names = ("-shm", shm, "-sock", sock)
        check(said(*names).count("was taken already") == 2, f"names that are taken are not told: {said(*names)}")
        other.kill()
    check(said(*names).count("was left behind") == 2, f"what was left behind is not told: {said(*names)}")
    check("killed" not in said(*names), f"how an earlier recording ended is made up: {said(*names)}")
    shm.unlink()
    sock.unlink()
    check("left behind" not in said(*names) and "taken" not in said(*names), "names that are free are told")


def check_page(path, trace):
    text = path.read_text()
    check(text == run(COROTRACER, "report", "--format", "html", trace).stdout, "'report --format html' is another page")
    page = Page(text)
    check(not page.open and not page.outside, f"the page is not whole, or leads elsewhere: {page.open} {page.outside}")
    check("url(" not in text and "http:" not in text and "https:" not in text, "the page loads something")
    check("prefers-color-scheme: dark" in text and "default-src 'none'" in text, "no dark page, or no policy")
    words = page.words
    for piece in ("proven", "waits-on-closed-descriptor", "Reactor::on_hangup", "Data quality", "next step",
                  "<script>alert(1)</script>&amp;", "handle"):
        check(piece in words, f"the page does not show '{piece}'")
    check(words.index("0 lost") < words.index("waits-on-closed-descriptor") < words.index("Data quality"), "what is lost, the findings, and the data quality come in another order")
    brief = run(COROTRACER, "report", "--format", "html", "--brief", trace).stdout
    check(len(brief) < len(text) and "What happened" not in brief, "--brief is not heeded")


def check_reports(place):
    trace = place / "t.txt"
    for action, name, check_form in (("-deepdive", "coro_report.md", None), ("-html", "coro_dashboard.html", check_page)):
        output = place / name
        for words in (["-out", trace], ["-in", trace], ["-in", trace, "-out", "elsewhere"]):
            output.write_text("old")
            result = run(OLDER, action if len(words) > 2 else f"{action}=true", *words, cwd=place)
            check(result.stdout == "" and result.stderr == f"corotracer: wrote '{name}'\ncorotracer: '{name}' was there before, "
                  "and was replaced\n", f"{action}: {result.stderr}")
            if check_form:
                check_form(output, trace)
            else:
                check(output.read_text() == run(COROTRACER, "report", "--format", "md", trace).stdout, f"{action} differs")
        run(OLDER, action, "-in", trace, "-allow-site", "*", cwd=place)
        check("nothing found outside allowed places" in output.read_text(), f"{action} does not heed -allow-site")
        output.unlink()
        refuse(4, "trace_output.jsonl", action, cwd=place / "empty")
        refuse(4, "nothing", action, "-in", "nothing", "-out", trace, cwd=place / "empty")
        check(not list((place / "empty").iterdir()), f"{action} left something behind")
        (place / "empty" / name).write_text(TRACE)
        refuse(2, "is the trace itself", action, "-in", name, cwd=place / "empty")
        check((place / "empty" / name).read_text() == TRACE, f"{action} replaced its input")
        (place / "empty" / name).unlink()


def check_exports(place):
    trace = place / "t.txt"
    spellings = {"csv": ("-csv-out", "t.csv"), "dataframe": ("-csv-out", "t.csv"), "SQLite": ("-sqlite-out", "t.sqlite")}
    for form, (option, name) in spellings.items():
        wanted = place / ("wanted-" + name)
        if run(OLDER, "-export", form, option, wanted, "-in", trace, status=None).returncode == 7:
            continue  # this build is without SQLite; test_export.py says so
        for words in (["-out", trace], ["-in", trace]):
            said = besides_replaced(run(OLDER, "-export", form, *words).stderr)
            check(said == f"corotracer: wrote '{place / name}'\n", f"{form}: {said}")
            check((place / name).read_bytes() == wanted.read_bytes(), f"-export {form} differs by its name")
        said = run(OLDER, "-export", form, "-in", trace, option, place / "named").stderr
        check(besides_replaced(said) == "", "a given name is said")
        check((place / "named").read_bytes() == wanted.read_bytes(), f"{option} is not heeded")
        refuse(4, "trace_output.jsonl", "-export", form, cwd=place / "empty")
        refuse(2, "is the trace itself", "-export", form, "-in", trace, option, trace)
        if form == "SQLite":
            run(OLDER, "-export", form, "-in", trace, "-db-table", "mine", option, place / "named")
            with sqlite3.connect(place / "named") as database:
                check(database.execute("SELECT count(*) FROM mine").fetchone()[0] == 2, "-db-table is not heeded")
        else:
            check(wanted.read_text() == "probe_id,tid,addr,seq,is_active,ts\n1,101,0x0000000000000000,1,true,1200000\n"
                  "1,101,0x0000000000000000,2,false,1500000\n", f"-export {form}: {wanted.read_text()}")
    for form in ("mysql", "postgres", "postgresql"):
        # No server listens; test_databases.py tests what is loaded into a server.
        said = run(OLDER, "-export", form, "-in", trace, "-db-host", "127.0.0.1", "-db-port", "1", "-db-user", "u",
                   "-db-password", "secret", "-db-name", "coro_tracer", "-db-cli", "mysql", "-mysql-socket", "/nowhere/x",
                   "-pg-maintenance-db", "postgres", "-pg-sslmode", "disable", status=None)
        check(said.returncode in (3, 7) and said.stderr.count("\n") == 1 and "secret" not in said.stderr, f"{form}: {said}")


def check_older_database(place):
    """A database file made by the older program is replaced as a whole, and that is said."""
    trace, output = place / "t.txt", place / "theirs.sqlite"
    with sqlite3.connect(output) as database:
        database.execute("CREATE TABLE coro_trace_events (id INTEGER PRIMARY KEY AUTOINCREMENT, probe_id TEXT, tid INTEGER, "
                         "addr TEXT, seq INTEGER, is_active BOOLEAN, ts INTEGER)")
        database.execute("CREATE INDEX idx_probe ON coro_trace_events (probe_id)")
        database.execute("INSERT INTO coro_trace_events VALUES (1, '7', 8, '0x9', 10, 1, 11)")
    said = run(OLDER, "-export", "sqlite", "-in", trace, "-sqlite-out", output, status=None)
    if said.returncode == 7:
        return
    check(said.stderr == f"corotracer: '{output}' was there before, and was replaced\n", f"{said}")
    with sqlite3.connect(output) as database:
        rows = database.execute("SELECT probe_id, tid, seq FROM coro_trace_events ORDER BY id").fetchall()
    check(rows == [("1", 101, 1), ("1", 101, 2)], f"{rows}")


def check_left_out(place):
    """Rows that cannot be exported are counted by the export."""
    trace, shown = place / "left-out.jsonl", []

    def line(seq, ts):
        return (f'{{"probe_id":7,"tid":100,"addr":"0x{0:016x}","seq":{seq},"is_active":{"true" if seq % 2 else "false"},'
                f'"ts":{ts}}}\n')

    good = [line(seq, 10 ** 12 + 1000 * seq) for seq in range(1, 11)]
    trace.write_text("".join([*good[:5], line(6, 0), "nonsense\n", *good[5:], good[-1], line(12, 2 ** 56), good[0][:20]]))
    for form in ("csv", "sqlite"):
        said = run(OLDER, "-export", form, "-in", trace, status=None)
        if said.returncode == 7:
            continue
        shown.append([line for line in said.stderr.splitlines() if "wrote" not in line])
        for words in ("2 of 13 rows (15.4 %) cannot be true and are left out of everything: 1 has the time 0 (line 6), "
                      "1 does not fit", "1 line is no row and was left out (line 7)", "the last line (15) is cut short",
                      "1 row stands there once more, and counts once (line 13)"):
            check(words in said.stderr, f"'{words}' is not said: {said.stderr}")
    check(all(lines == shown[0] for lines in shown), f"the forms differ: {shown}")
    check(trace.with_suffix(".csv").read_text().count("\n") == 11, "other rows than those that are said to be there")
    trace.write_text("".join(good))
    said = besides_replaced(run(OLDER, "-export", "csv", "-in", trace).stderr)
    check(said == f"corotracer: wrote '{trace.with_suffix('.csv')}'\n", f"something is said of what is whole: {said}")


def check_mistakes(place):
    refuse(2, "give one of", "-n", "256")
    refuse(2, "give one of", "-deepdive", "-html", "-in", place / "t.txt")
    refuse(2, "give one of", "-cmd", "true", "-export", "csv")
    refuse(2, "behind '-cmd', in one word", "-cmd", "./app", "argument")
    refuse(2, "takes one of csv|dataframe|sqlite|mysql|postgres|postgresql", "-export", "xml")
    refuse(2, "whole number", "-n", "0", "-cmd", "true")
    refuse(2, "whole number", "-n", "many", "-cmd", "true")
    refuse(2, "needs a value: COMMAND", "-cmd")
    refuse(2, "is blank", "-cmd", " \t")
    refuse(2, "is true or false", "-deepdive=perhaps")
    refuse(2, "give one of", "-deepdive=false")
    refuse(2, "go with what judges", "-export", "sqlite", "-in", place / "t.txt", "-threshold", "grace=1s")
    refuse(2, "is empty", "-cmd", "true", "-out", "")
    refuse(2, "did you mean '-deepdive'", "-deepdrive")
    refuse(2, "go with what judges", "-export", "csv", "-in", place / "t.txt", "-threshold", "grace=1s")
    refuse(2, "go with what judges", "-cmd", "true", "-allow-site", "*")


def main():
    check_document()
    with folder() as name:
        place = pathlib.Path(name)
        (place / "t.txt").write_text(TRACE)
        (place / "empty").mkdir()
        check_spelling(place)
        check_record(place)
        check_told(place)
        check_record_details(place)
        check_version1(place)
        check_numbers(place)
        check_seen_at_once(place)
        check_left_behind(place)
        check_sentences(place)
        check_reports(place)
        check_exports(place)
        check_older_database(place)
        check_left_out(place)
        check_mistakes(place)


if __name__ == "__main__":
    sys.exit(main())
