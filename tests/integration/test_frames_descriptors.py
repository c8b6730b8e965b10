# SPDX-License-Identifier: MIT
"""Tests what is said of the descriptors that coroutines of a program without a probe wait for: a server that hangs in
known ways (tests/targets/unprepared_server.cpp), and the same one in good health.
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

from support import COROTRACER, SOURCE, check, folder, run

PROGRAM = SOURCE / "tests/targets/unprepared_server.cpp"
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
SESSIONS = 47
GIVE_UP = 60  # seconds after which the test no longer waits
# Where sessions wait for which descriptors.
NUMBERS = ("SELECT s.line line, count(*) n, count(DISTINCT c.wait_object) numbers FROM coroutines c JOIN sites s ON s.site = c.wait_site "
           "WHERE c.name = 'serve' AND c.wait_object LIKE 'descriptor:%' GROUP BY 1")
# Whoever waits for another coroutine: not the one whose handle is in the other's promise for another reason.
CIRCLE = "SELECT name FROM coroutines WHERE wait_object LIKE 'coroutine:%'"


def built(scratch, compiler):
    program = scratch / f"unprepared-server-{compiler}"
    if not program.exists():
        run(compiler, "-std=c++20", "-g", "-O2", PROGRAM, "-o", program)
    return program


class Clients:
    """47 sessions that wait, and one more that gives orders."""

    def __init__(self, port):
        self.all = [socket.create_connection(("127.0.0.1", port)) for _ in range(SESSIONS + 1)]
        for client in self.all:
            self.ask(client, b"hello\n", b"hello\n")

    def ask(self, client, text, answer):
        client.sendall(text)
        check(client.recv(64) == answer, f"another answer to {text}")

    def order(self, word):
        self.ask(self.all[-1], word + b"\n", b"done\n")

    def close(self):
        for client in self.all:
            client.close()


@contextlib.contextmanager
def serving(*command):
    """Starts the server; returns its process, what it says of itself, and its clients."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    clients = None
    try:
        said = json.loads(process.stdout.readline())
        clients = Clients(said["port"])
        yield process, said, clients
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        if clients:
            clients.close()


def report_of(subject, *options):
    return json.loads(run(COROTRACER, "report", "--format", "json", *options, subject).stdout)


def check_finding(report, rule, said, words, what):
    check([finding["rule"] for finding in report["findings"]] == [rule], f"{what}{report['findings']}")
    finding = report["findings"][0]
    check(finding["grade"] == "suspect" and len(finding["members"]) == SESSIONS, f"{what}{finding}")
    for word in (f"{SESSIONS} of {SESSIONS + 1} coroutines wait", "AsyncRead", f"unprepared_server.cpp:{said['read']}", words):
        check(word in finding["title"], f"{what}no '{word}' in {finding['title']}")


def test_healthy(scratch):
    """Nothing is found in a server whose clients are silent."""
    for compiler in COMPILERS:
        with serving(built(scratch, compiler)) as (process, _, clients):
            report = report_of(process.pid, "--duration", "200ms")
            check(not report["findings"], f"{compiler}: {report['findings']}")
            rows = json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid, CIRCLE).stdout)
            check([row["name"] for row in rows] == ["watch_signals"], f"{compiler}: {rows}")
            clients.ask(clients.all[0], b"still\n", b"still\n")


def test_closed(scratch):
    """The story of the 47 from the live process alone."""
    for compiler in COMPILERS:
        with serving(built(scratch, compiler)) as (process, said, clients):
            clients.order(b"close")
            report = report_of(process.pid, "--duration", "200ms")
            check_finding(report, "waits-on-missing-descriptor", said, "descriptors that the process does not have", compiler)


def test_forgotten(scratch):
    """47 open descriptors that are in no interest list."""
    for compiler in COMPILERS:
        with serving(built(scratch, compiler)) as (process, said, clients):
            clients.order(b"forget")
            report = report_of(process.pid, "--duration", "200ms")
            check_finding(report, "waits-on-unattended-descriptor", said, "that no poll of the process watches", compiler)


def test_unread(scratch):
    """Bytes for 47 sessions that the server was told of, and does not read; why says how many."""
    with serving(built(scratch, COMPILERS[0])) as (process, said, clients):
        clients.order(b"deaf")
        for client in clients.all[:-1]:
            client.sendall(b"more\n")
        clients.ask(clients.all[-1], b"ping\n", b"ping\n")
        report = report_of(process.pid, "--duration", "200ms")
        check_finding(report, "waits-on-unattended-descriptor", said, "from which nobody reads what has arrived", "")
        member = report["findings"][0]["members"][0]["id"]
        told = " ".join(run(COROTRACER, "why", "--duration", "200ms", process.pid, member).stdout.split())
        check("5 bytes are there that nobody has read" in told, told)


def shared_memory_of(pid):
    line = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("RssShmem"))
    return int(line.split()[1])


def report_with_close(pid):
    """On a busy machine the engine writes the close later than somebody asks."""
    end = time.monotonic() + GIVE_UP
    while True:
        report = report_of(pid, "--duration", "200ms")
        if time.monotonic() > end or [finding["rule"] for finding in report["findings"]] != ["waits-on-missing-descriptor"]:
            return report


def check_joined(pid, said, clients):
    """The close has its place and its thread; the look costs the process no memory."""
    before = shared_memory_of(pid)
    report = report_with_close(pid)
    check(shared_memory_of(pid) < before + 1024, "the look made the process larger")
    check_finding(report, "waits-on-closed-descriptor", said, f"closed at drop_idle, tests/targets/unprepared_server.cpp:{said['close']}", "")
    steps = [step["text"] for step in report["findings"][0]["steps"]]
    check(any("closed descriptor" in text and f"first of {SESSIONS}" in text for text in steps), f"{steps}")
    check(any(text.startswith("found in memory, waiting for descriptor") for text in steps), f"{steps}")
    told = " ".join(run(COROTRACER, "report", "--duration", "200ms", pid).stdout.split())
    check("which descriptor the wait is for was guessed" in told, told)
    clients.ask(clients.all[-1], b"still\n", b"still\n")


def test_ledger(scratch):
    """The story of the 47 from the live process with the ledger, which an engine records: who closed them, and where."""
    trace = scratch / "ledger.ctrace"
    with serving(COROTRACER, "run", "-o", trace, "--", built(scratch, COMPILERS[0])) as (engine, said, clients):
        pid = int(pathlib.Path(f"/proc/{engine.pid}/task/{engine.pid}/children").read_text().split()[0])
        try:
            check(not report_of(pid, "--duration", "200ms")["findings"], "something is found in a healthy server")
            clients.order(b"close")
            check_joined(pid, said, clients)
        finally:
            os.kill(pid, signal.SIGKILL)
            engine.wait()


def test_core(scratch):
    """The story of the 47 from a core dump alone: the line and the numbers. That they are closed is not in it, nor said."""
    if pathlib.Path("/proc/sys/kernel/core_pattern").read_text().startswith("|"):
        print("the kernel hands core dumps to a program: not tested", file=sys.stderr)
        return
    inner = scratch / "core"
    inner.mkdir()
    with serving("sh", "-c", f"ulimit -c unlimited; cd {inner}; exec {built(scratch, COMPILERS[0])}") as (process, said, clients):
        clients.order(b"close")
        clients.all[-1].sendall(b"end\n")
        check(process.wait() == -signal.SIGABRT, f"{process.returncode}")
    cores = [path for path in inner.glob("*core*") if path.is_file()]
    if not cores:
        return
    rows = json.loads(run(COROTRACER, "query", "--format", "json", cores[0], NUMBERS).stdout)
    # The session that aborts may have left no trace of that on the stack.
    check(len(rows) == 1 and rows[0]["line"] == said["read"] and rows[0]["n"] == rows[0]["numbers"], f"{rows}")
    check(rows[0]["n"] in (SESSIONS, SESSIONS + 1), f"{rows}")
    check([finding["rule"] for finding in report_of(cores[0])["findings"]] == ["crash"], "more is found than a core dump knows")


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        test_healthy(scratch)
        test_closed(scratch)
        test_forgotten(scratch)
        test_unread(scratch)
        test_ledger(scratch)
        test_core(scratch)


if __name__ == "__main__":
    main()
