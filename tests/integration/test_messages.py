# SPDX-License-Identifier: MIT
"""Tests the messages for a wrong file, a file that never comes, a truncated file, and a file of an unknown form."""
import json
import os
import pathlib
import pty
import sqlite3
import struct
import subprocess

from support import BUILD, COROTRACER, check, folder, run

HEADER_BYTES, HEAD_BYTES = 64, 32

TRACE = """\
trace from=0 until=2s
process 1 pid=100 program=/bin/server probe ledger
thread 1 tid=101 name=worker-0
thread 2 tid=102 name=worker-1
site 1 kind=source file=sdk/c/../../src/server.cpp line=40 function=accept_loop
site 2 kind=source file=src/server.cpp line=120 function=handle reason=AsyncRead
site 3 kind=source file=./src//reactor.cpp line=200 function=Reactor::on_hangup
1ms t1 descriptor-open descriptor:7.1 @1
+1us t1 create c1 0x11010 @1
+1us t1 frame c1 0x11000 @1
+1us t1 descriptor-arm c7 descriptor:7.1 argument=1
+1us t1 suspend c1 descriptor:7 @2
2ms t1 descriptor-open descriptor:8.1 @1
+1us t1 create c2 0x12010 @1
+1us t1 frame c2 0x12000 @1
+1us t1 descriptor-arm c8 descriptor:8.1 argument=1
+1us t1 suspend c2 descriptor:8 @2
20ms t1 descriptor-close descriptor:7.1 @3
20.5ms t2 descriptor-close descriptor:8.1 @3
100ms t1 block-begin -1 call=epoll_wait
100ms t2 park
"""

# The content of a file that is not a trace, and words that say what it is, or what to do with it.
STRANGERS = (
    (b"#include <cstdio>\nvoid run()\n{\n\tputs(\"x\");\n}\n", ("text, not a trace", "'corotracer run' writes")),
    (b"static const struct form forms[] =\n{\n{\"csv\", 1},\n};\n", ("text, not a trace",)),
    (b"{\n  \"name\": 1\n}\n", ("JSON, but no lines of a trace",)),
    (b"[1, 2]\n", ("JSON, but no lines of a trace",)),
    (b"#!/bin/sh\n# runs it\nexec ./server\n", ("a script", "corotracer run --")),
    (b"SQLite format 3\0" + bytes(100), ("an SQLite database",)),
    (b"\x1f\x8b\x08\0" + bytes(20), ("gzip", "unpack it first")),
    (b"\x28\xb5\x2f\xfd" + bytes(20), ("zstd", "unpack it first")),
    (b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<H", 4) + bytes(60), ("a core dump", "without its list of memory")),
    (bytes(range(1, 200)), ("of no form that is known",)),
)


def check_said(done, *words):
    check(done.stdout == "" and done.stderr.count("\n") == 1, f"{done.args}: {done.stdout}{done.stderr}")
    for part in words:
        check(part in done.stderr, f"{done.args}: no '{part}' in {done.stderr}")


def check_strangers(place):
    """The message says in one sentence what the file is, and never that a row of it is wrong."""
    path = place / "stranger"
    for data, words in STRANGERS:
        path.write_bytes(data)
        for command in ("report", "info", "export"):
            done = run(COROTRACER, command, path, status=5)
            check_said(done, f"'{path}': ", *words)
            check(" row" not in done.stderr, done.stderr)
    check_said(run(COROTRACER, "report", "/bin/sh", status=5), "a program", "corotracer run -- PROGRAM")


def check_said_of_fifo(fifo, data, *command):
    """Commands that read parts of a recording say the same."""
    with subprocess.Popen([COROTRACER, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as going:
        said = going.stderr.readline()
        check(f" {fifo}, a FIFO: that waits until" in said, f"{command}: {said}")
        fifo.write_bytes(data)
        _, more = going.communicate()
    check(going.returncode == 0, f"{command}: {more}")


def check_fifo(place, trace):
    """A pipe that nobody writes to is reported, and is read as soon as somebody writes to it."""
    fifo, whole = place / "fifo", place / "fifo.ctrace"
    os.mkfifo(fifo)
    run(COROTRACER, "assemble", "-o", whole, trace)
    data = whole.read_bytes()
    check_said_of_fifo(fifo, data, "cut", "--from", "0s", "-o", place / "fifo.cut", fifo)
    check_said_of_fifo(fifo, data, "merge", "-o", place / "fifo.merged", whole, fifo)
    check_said_of_fifo(fifo, data, "recover", "-o", place / "fifo.recovered", fifo)
    check_said(run(COROTRACER, "serve", fifo, status=2), "a FIFO cannot be read twice")
    with subprocess.Popen([COROTRACER, "report", fifo], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as going:
        said = going.stderr.readline()
        check(f"reading {fifo}, a FIFO: that waits until" in said, said)
        fifo.write_text(TRACE)
        told, more = going.communicate()
    whole = run(COROTRACER, "report", trace).stdout.replace(f" {trace}", f" {fifo}")
    check(going.returncode == 0 and told.split() == whole.split() and not more, told + more)


def check_terminal():
    """Input typed at a terminal would be read: the command says so."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([COROTRACER, "report", "-"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as going:
        os.close(theirs)
        said = going.stderr.readline()
        check("standard input, a terminal" in said and "Ctrl-D" in said, said)
        os.write(ours, b"\x04")
        _, more = going.communicate()
    os.close(ours)
    check(going.returncode == 5 and "the file is empty" in more, f"{going.returncode} {more}")


def check_forms(place, trace):
    """The output's name decides the form; if the name does not, the command says which form it chose."""
    for name, form in (("a.sqlite", "sqlite"), ("a.csv", "csv"), ("a.dataframe.csv", "dataframe"), ("a.json", "chrome"),
                       ("a.perfetto-trace", "perfetto"), ("a.ctrace", "ctrace"), ("a", "csv"), ("b.otlp.json", "otlp"),
                       ("b.otlp.txt", "otlp"), ("b.otlp.csv", "csv"), ("otlp.csv", "csv")):
        said = run(COROTRACER, "export", "-o", place / name, trace).stderr
        check(f"wrote '{place / name}' as {form}; --format has other forms" in said, said)
        run(COROTRACER, "export", "--format", form, "-o", place / "same", trace)
        if form == "sqlite":
            with sqlite3.connect(place / name) as database:
                check(database.execute("SELECT count(*) FROM events").fetchone()[0] > 0, "no event is in the database")
        else:
            check((place / name).read_bytes() == (place / "same").read_bytes(), f"{name} is not of the form {form}")
    said = run(COROTRACER, "export", "--format", "csv", "-o", place / "b.sqlite", trace).stderr
    check(said == "", said)
    said = run(COROTRACER, "export", trace).stderr
    check("as csv; --format has other forms" in said, said)


def check_password(trace):
    """An address's password is in no message, whatever is wrong; an address of a database server decides the form."""
    for scheme in ("postgresql", "mysql", "http", "nothing"):
        for format_ in ((), ("--format", "csv")):
            done = run(COROTRACER, "export", "-o", f"{scheme}://me:sesame@127.0.0.1:1/base", *format_, trace, status=None)
            check("sesame" not in done.stderr and done.stderr.count("\n") == 1, f"{done.args}: {done.stderr}")
            check(format_ or "cannot write" not in done.stderr, f"taken for a file: {done.stderr}")
    check_said(run(COROTRACER, "export", "-o", "nothing://host/base", trace, status=2), "address that no form goes to")
    check_said(run(COROTRACER, "report", "-o", "x://me:ses@me@host/b", trace, status=None), "'x://me:***@host/b'")
    check_said(run(COROTRACER, "report", "-o", "/none/host=h password=sesame user=me", trace, status=None),
               "password=*** user=me")


def check_links(output, trace):
    """A link, to a file or to nothing, is replaced, and its target stays; a link to a device is written through."""
    named = output.with_name("named")
    named.write_text("kept")
    for target in (named, output.with_name("nothing")):
        for command in (("stats", trace), ("run", "--", BUILD / "tests/targets/annotated", "serve", 2)):
            output.unlink(missing_ok=True)
            output.symlink_to(target)
            told = run(COROTRACER, command[0], "-o", output, *command[1:]).stderr
            check(f"'{output}' was a link, and was replaced; what it names is as it was" in told, f"{command}: {told}")
            check(not output.is_symlink() and output.is_file(), f"{command}: no file")
    check(named.read_text() == "kept" and not output.with_name("nothing").exists(), "the link was followed")
    output.unlink()
    output.symlink_to("/dev/null")
    told = run(COROTRACER, "stats", "-o", output, trace).stderr
    check(output.is_symlink() and "replaced" not in told, f"a device: {told}")
    output.unlink()


def check_replaced(place, trace):
    """Each command replaces an existing file, and says so."""
    output = place / "again"
    for command in (("export", "--format", "csv"), ("export", "--format", "sqlite"), ("profile",), ("report",),
                    ("report", "--format", "page"), ("stats",), ("dump",), ("dump", "--events", "1-2"), ("assemble",),
                    ("metrics",)):
        first = run(COROTRACER, *command, "-o", output, trace, status=None)
        if first.returncode == 7:  # this build lacks what the command needs
            continue
        check("was there before" not in first.stderr, f"{command}: {first.stderr}")
        again = run(COROTRACER, *command, "-o", output, trace)
        check(f"'{output}' was there before, and was replaced" in again.stderr, f"{command}: {again.stderr}")
        output.unlink()
    for _ in range(2):
        done = run(COROTRACER, "run", "-o", output, "--", BUILD / "tests/targets/annotated", "serve", 2)
    check(f"'{output}' was there before, and was replaced" in done.stderr, done.stderr)
    check_links(output, trace)
    done = run(COROTRACER, "report", "-o", output, place / "none", status=4)
    check("was there before" not in done.stderr, done.stderr)


def check_why(place, trace):
    """What is missing is named; for an id that does not exist, the existing ids are named."""
    empty = place / "empty"
    empty.mkdir()
    check_said(run(COROTRACER, "why", "1", cwd=empty, status=2), "there is no corotracer.ctrace here")
    check_said(run(COROTRACER, "report", cwd=empty, status=2), "name a file, the id of a process, or '-'")
    for words in ((), (trace,)):
        check_said(run(COROTRACER, "why", *words, cwd=empty, status=2), "which coroutine?")
    check_said(run(COROTRACER, "why", trace, 1025, status=4), "no coroutine 1025 is in the trace, "
               "which has 2 coroutines, with ids from 1 to 2; the first finding is about 1, 2\n")
    told = run(COROTRACER, "why", trace, 2).stdout
    check("proven, see waits-on-closed-descriptor" in " ".join(told.split()) and "could be woken" not in told, told)
    check(run(COROTRACER, "why", 2, trace).stdout == told, "the id first, then the file: another answer")
    named = place / "named.txt"
    named.write_text(TRACE.replace("2ms t1 descriptor-open", "1.5ms t1 name c1 @4\n+1us t1 name c2 @5\n+1us t1 name c3 @5\n"
                                   "2ms t1 descriptor-open").replace(
        "1ms t1", "site 4 kind=name reason=\"first reader\"\nsite 5 kind=name reason=others\n1ms t1", 1))
    told = run(COROTRACER, "why", named, 1).stdout
    check("coroutine 1" in told and run(COROTRACER, "why", named, "first reader").stdout == told, told)
    check_said(run(COROTRACER, "why", named, "others", status=2), "'others' is the name of coroutine 2, and of others")
    check_said(run(COROTRACER, "why", named, "nobody", status=4), "no coroutine is called 'nobody'")


def block_ends(data):
    offset = HEADER_BYTES
    while offset < len(data):
        offset += HEAD_BYTES + struct.unpack_from("<I", data, offset + 12)[0]
        yield offset


def check_cut_at_once(place, data):
    """If a trace has events, but no heartbeat vouches for any of them, the report does not ask whether the probe is
    linked."""
    early, told = place / "early.ctrace", []
    for end in block_ends(data):
        early.write_bytes(data[:end - 1])
        told.append(run(COROTRACER, "report", early, status=5).stdout)
    unjudged = [report for report in told if "cut before its first heartbeat" in " ".join(report.split())]
    check(unjudged and "is it linked" not in "".join(unjudged), "\n".join(told))


def check_damage(place, trace):
    """What can be read is written; the exit status says that the input was incomplete. A missing end alone is not
    damage."""
    whole, cut, killed = place / "whole.ctrace", place / "cut.ctrace", place / "killed.ctrace"
    run(COROTRACER, "assemble", "-o", whole, trace)
    data = whole.read_bytes()
    cut.write_bytes(data[:-10])
    killed.write_bytes(data[:list(block_ends(data))[-2]])
    for command in (("report",), ("report", "-f", "json"), ("stats",), ("info",), ("dump",), ("metrics",),
                    ("export", "-o", "-"), ("profile", "--format", "folded", "-o", "-"), ("query",), ("why",),
                    ("check",), ("integration",)):
        behind = {"query": ("SELECT count(*) FROM events",), "why": (1,), "check": ("events > 0",)}.get(command[0], ())
        status = None if command[0] == "integration" else 0
        for path in (whole, killed):
            done = run(COROTRACER, *command, path, *behind, status=status)
            check("cut short" not in done.stderr, f"{command}: {done.stderr}")
        done = run(COROTRACER, *command, cut, *behind, status=None)
        check(done.returncode == 5 or (status is None and done.returncode == 1), f"{command}: {done.returncode}")
        check(done.stdout and f"'{cut}' was cut short or is damaged" in done.stderr,
              f"{command}: {done.stdout}{done.stderr}")
    run(COROTRACER, "check", cut, "events == 0", status=1)
    check_cut_at_once(place, data)
    saved = place / "saved.ctrace"
    run(COROTRACER, "recover", "-o", saved, cut)
    run(COROTRACER, "report", saved)
    told = " ".join(run(COROTRACER, "help", "--man", "report").stdout.split())
    check("a trace is cut short or damaged" in told, "the man page does not tell")


def check_damage_of_parts(place):
    """A part of a damaged trace contains what can be read of the interval; the exit status says that it was
    incomplete."""
    whole, cut, killed = place / "whole.ctrace", place / "cut.ctrace", place / "killed.ctrace"
    output = place / "part.ctrace"
    for command in (("cut", "--from", "0s"), ("merge",)):
        for path in (whole, killed):
            done = run(COROTRACER, *command, "-o", output, path)
            check("cut short" not in done.stderr, f"{command}: {done.stderr}")
        done = run(COROTRACER, *command, "-o", output, cut, status=5)
        check(f"'{cut}' was cut short or is damaged" in done.stderr, f"{command}: {done.stderr}")
        check(" suspend c2 " in run(COROTRACER, "dump", output).stdout, f"{command}: events are gone")
    done = run(COROTRACER, "merge", "-o", output, whole, cut, status=5)
    check(f"'{cut}' was cut short or is damaged" in done.stderr, done.stderr)


def check_damage_of_sides(place):
    """Damage is reported whichever side of a comparison has it, also among the traces of a folder."""
    whole, cut, side = place / "whole.ctrace", place / "cut.ctrace", place / "side"
    side.mkdir()
    (side / "b.ctrace").write_bytes(cut.read_bytes())
    for sides, damaged in (((cut, whole), cut), ((whole, cut), cut), ((side, whole), side / "b.ctrace")):
        done = run(COROTRACER, "diff", *sides, status=5)
        check(f"'{damaged}' was cut short or is damaged" in done.stderr, done.stderr)


def check_damage_of_lines(place):
    """Rows of JSON lines: a line that is not a row, and a last row that is incomplete."""
    path = place / "rows.jsonl"
    row = '{"probe_id":1,"tid":9,"addr":"0x0","seq":%d,"is_active":true,"ts":%d}\n'
    for rows, status in ((row % (1, 1000) + row % (2, 2000), 0), (row % (1, 1000) + "oops\n" + row % (2, 2000), 5),
                         (row % (1, 1000) + '{"probe', 5)):
        path.write_text(rows)
        done = run(COROTRACER, "report", path, status=status)
        check((f"'{path}' was cut short or is damaged" in done.stderr) == (status == 5), done.stderr)


def check_caller(place):
    """For a creator that a killed engine had no time to name, the file and the offset in it are reported, and no wrong
    place."""
    path, module = place / "caller.txt", pathlib.Path("/bin/true").resolve()
    path.write_text(TRACE.replace("1ms t1", f"site 4 process=1 kind=caller address=0x5500001234\n"
                                  f"mapping 1 process=1 start=0x5500000000 end=0x5500009000 path={module}\n1ms t1", 1))
    told = run(COROTRACER, "dump", path).stdout
    line = next(line for line in told.splitlines() if "kind=caller" in line)
    check(f"module={module}" in line and "offset=0x1234" in line and "function=" not in line, line)


def check_one_spelling(trace):
    """A file has one name in a report, whatever names the compiler used."""
    report = run(COROTRACER, "report", "--format", "json", trace).stdout
    check("/../" not in report and "./src" not in report and "src//" not in report, report)
    check("src/server.cpp" in report and "src/reactor.cpp" in report, report)
    json.loads(report)


def check_short(trace):
    """The same fact is reported once: closes at one place, and what a coroutine did last."""
    told = " ".join(run(COROTRACER, "report", trace).stdout.split())
    check(told.count("closed descriptor") == 1 and "the first of 2; the last 500 us later; by 2 threads" in told, told)
    check(told.count("Last events of coroutine") == 1, told)


def main():
    with folder() as scratch:
        place = pathlib.Path(scratch)
        trace = place / "trace.txt"
        trace.write_text(TRACE)
        check_strangers(place)
        check_fifo(place, trace)
        check_terminal()
        check_forms(place, trace)
        check_password(trace)
        check_replaced(place, trace)
        check_why(place, trace)
        check_damage(place, trace)
        check_damage_of_parts(place)
        check_damage_of_sides(place)
        check_damage_of_lines(place)
        check_caller(place)
        check_one_spelling(trace)
        check_short(trace)


if __name__ == "__main__":
    main()
