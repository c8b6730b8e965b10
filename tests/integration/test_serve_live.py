# SPDX-License-Identifier: MIT
"""Tests a recording that is shown while it goes on: findings while the program hangs, no event lost because of readers,
controls (H-17 to H-19)."""
import collections
import json
import os
import pathlib
import re
import signal
import struct
import subprocess

from served import Reader, Server
from support import BUILD, COROTRACER, check, folder, run, turn

TARGETS = BUILD / "tests/targets"
OLDER = str(BUILD / "coroTracer")


def told(trace):
    return json.loads(run(COROTRACER, "report", "-f", "json", "--no-symbols", trace).stdout)


def until(reader, wanted):
    """Returns the first state for which `wanted` is true."""
    while event := reader.next():
        if event[0] == "state" and wanted(event[1]):
            return event[1]
    raise SystemExit("the events have ended")


def check_frozen(place, *options, program=COROTRACER, words=None):
    """Two coroutines wait for each other: the server finds that while the program still runs, in the words of the
    report."""
    trace = pathlib.Path(place, "frozen")
    words = words or ["run", "--serve-until-exit", "--listen", ":0", *options, "-o", trace, "--", TARGETS / "lock_circle"]
    server = Server(*words, program=program, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    reader = Reader(server)
    found = []
    while not found:
        name, data = reader.next()
        found = data["findings"] if name == "findings" else []
    check(found[0]["rule"] == "mutex-deadlock", f"{found}")
    check(server.process.poll() is None, "the program has ended")
    status, headers, copy = server.ask("/api/v1/trace")
    check(status == 200 and "attachment" in headers["Content-Disposition"], f"{status}")
    pathlib.Path(place, "copy.ctrace").write_bytes(copy)
    check(told(place + "/copy.ctrace")["findings"][0]["rule"] == "mutex-deadlock", "the copy tells something else")
    state = server.tell("/api/v1/state")
    check(state["recording"]["is_open"] and state["recording"]["has_probe"] and state["recording"]["nr_lost"] == 0, f"{state}")
    server.process.stdin.close()
    last = None
    while event := reader.next():
        last = event
    check(last == ("end", {}), f"{last}")
    check(server.process.wait(timeout=60) == 0, "the exit status is not the program's")
    return server


def check_nothing_lost(place):
    """With three readers, every event that the program published is in the trace."""
    counters, trace = place + "/counters", place + "/published.ctrace"
    server = Server("run", "--serve-until-exit", "--listen", ":0", "--no-ledger", "-o", trace, "--", TARGETS / "publisher", counters, 2, 3000)
    readers = [Reader(server) for _ in range(3)]
    for reader in readers:
        until(reader, lambda state: state["recording"]["nr_events"] > 100000)
    for reader in readers:
        while reader.next()[0] != "findings":
            pass
    words = struct.unpack("3Q", pathlib.Path(counters).read_bytes())
    os.kill(words[0], signal.SIGKILL)
    for reader in readers:
        while reader.next():
            pass
    server.process.wait(timeout=120)
    published = struct.unpack("3Q", pathlib.Path(counters).read_bytes())[1:]
    found = told(trace)
    check(found["quality"]["lost"] == 0, f"{found['quality']}")
    text = run(COROTRACER, "dump", "--no-symbols", trace).stdout
    events = collections.Counter(re.findall(r" counter (\S+)", text))
    for number, came in zip(sorted(published), sorted(events.values()), strict=True):
        # One more event may have been published than was counted.
        check(number <= came <= number + 1, f"{came} events of {number}")


def check_token(server):
    """Every order needs the token, in the header: H-7."""
    for headers in ({}, {"X_Corotracer_Token": "0" * 32}, {"X_Corotracer_Token": server.token[:-1]}):
        check(server.ask("/api/v1/control", method="POST", body="stop", **headers)[0] == 403, f"{headers}")
    check(server.ask(f"/api/v1/control?token={server.token}", method="POST", body="stop")[0] == 403, "in the address")
    check(server.ask("/api/v1/control", X_Corotracer_Token=server.token)[0] == 405, "an order by GET")
    foreign = server.ask("/api/v1/control", method="POST", body="stop", X_Corotracer_Token=server.token,
                         Origin="http://evil.example")[0]
    check(foreign == 403, f"an order from another page: {foreign}")
    check(server.tell("/api/v1/state")["recording"]["is_open"], "it was stopped all the same")


def check_refused_orders(server):
    """Unknown words, and orders that do not fit, are refused in one sentence, and nothing is changed: H-18."""
    for words in ("", "pause", "stop=1", "sample", "sample=0", "sample=x", "sample=1/99999999999", "no-category=scheduling",
                  "no-category=attic", "stop\n", "stop\0", "x" * 3000, "dump"):
        status, answer = server.order(words)
        check(status == 400 and len(answer["error"]) > 10, f"{words[:20]!r}: {status} {answer}")


def check_controls(place):
    """Stop, start, and categories that are left out from some moment on; the trace contains all of these: H-18."""
    end, trace = place + "/end", place + "/controlled.ctrace"
    server = Server("run", "--serve-until-exit", "--listen", ":0", "--no-ledger", "-o", trace, "--", TARGETS / "annotated", "until", end)
    reader = Reader(server)
    until(reader, lambda state: state["recording"]["nr_events"] > 0)
    check_token(server)
    check_refused_orders(server)
    check(server.order("stop")[0] == 200, "no stop")
    until(reader, lambda state: not state["recording"]["is_open"])
    check(server.order("start")[0] == 200, "no start")
    until(reader, lambda state: state["recording"]["is_open"])
    for words in ("no-category=counters,resources", "sample=1/10", "leave-out-site=nobody*,none.c:12", "leave-out-name=",
                  "leave-out-task=health*", "no-category=", "sample=1", "status"):
        status, answer = server.order(words)
        check(status == 200 and answer["recording"]["is_open"], f"{words}: {answer}")
    pathlib.Path(end).touch()
    said = server.process.communicate(timeout=60)[1]
    check(server.process.returncode == 7, f"{server.process.returncode} {said}")
    notes = [note["text"] for note in told(trace)["quality"]["notes"]]
    for words in ("recording was stopped by an order", "left out, as asked while it was recorded: category resources, category counters",
                  "all coroutines that are created but 1 in 10", "places 'nobody*'", "tasks 'health*'"):
        check(any(words in note for note in notes), f"no note tells '{words}': {notes}")


def check_dump(place):
    """The flight recorder's past is dumped on request; without a flight recorder, a sentence (above): H-19."""
    trace = pathlib.Path(place, "flight.ctrace")
    server = Server("run", "--serve-until-exit", "--listen", ":0", "--flight", "10s", "-o", trace, "--", TARGETS / "lock_circle",
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    check(server.ask("/api/v1/dump", method="POST", body="")[0] == 403, "a dump without the token")
    reader = Reader(server)
    while not reader.next()[1].get("nr_findings"):
        pass
    status, state = server.order("", path="/api/v1/dump")
    check(status == 200, f"{state}")
    dump = pathlib.Path(place, "flight.1.ctrace")
    check(dump.exists() and told(dump)["findings"][0]["rule"] == "mutex-deadlock", "the dump tells something else")
    server.process.stdin.close()
    server.process.wait(timeout=60)


def check_process(place):
    """A running process, by its id: recorded as `attach --serve` does, and left running when that ends."""
    with subprocess.Popen([TARGETS / "lock_circle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env={**os.environ, "COROTRACER_FLIGHT": ",1M"}) as program:
        program.stdout.readline()
        server = Server("serve", "--listen", ":0", program.pid, cwd=place)
        state = until(Reader(server), lambda state: state["recording"]["nr_events"] > 0)
        check(state["recording"]["target_pid"] == program.pid, f"{state}")
        check(run(COROTRACER, "control", program.pid, "status").stdout, "no orders are taken")
        status, said = server.stop()
        check(status == 0 and program.poll() is None, said)
        program.stdin.close()
    check(pathlib.Path(place, "corotracer.ctrace").exists(), said)


def check_cut_off(place):
    """A recording that ends before its program is judged as it ended, with its names, while the program runs on."""
    end, trace = pathlib.Path(place, "end-of-cut"), place + "/cut.ctrace"
    server = Server("run", "--serve-until-exit", "--listen", ":0", "--no-ledger", "--duration", "300ms", "-o", trace, "--",
                    TARGETS / "annotated", "serve-until", end)
    reader = Reader(server)
    while not os.path.exists(trace):
        check(reader.next(), "the events have ended")
    status, _, copy = server.ask("/api/v1/trace")
    check(status == 200 and copy == pathlib.Path(trace).read_bytes(), f"{status}")
    check(server.order("stop")[0] == 400, "an order to a recording that is over")
    end.touch()
    check(server.process.wait(timeout=60) == 0, "it did not end well")


def check_options(place):
    run(COROTRACER, "run", "--listen", ":0", "-o", place + "/x", "--", "true", status=2)
    run(COROTRACER, "run", "--open", "-o", place + "/x", "--", "true", status=2)
    said = run(COROTRACER, "run", "--serve-until-exit", "--listen", "x:y", "-o", place + "/x", "--", "touch", place + "/started", status=2)
    check("a port is a number" in said.stderr and not os.path.exists(place + "/started"), said.stderr)
    said = run(COROTRACER, "run", "--serve-until-exit", "--listen", "192.0.2.1:80", "-o", place + "/x", "--", "sh", "-c", "exit 5", status=5)
    check("the recording is not shown: cannot listen on port 80 of '192.0.2.1'" in said.stderr, said.stderr)


def main():
    with folder() as place:
        check_frozen(place)
        check_frozen(place, "--flight", "10s")
        with turn("port-8080"):
            server = check_frozen(place, program=OLDER, words=["-cmd", f"exec '{TARGETS}/lock_circle'", "-out", place + "/rows.jsonl"])
        check(server.port >= 8080, f"{server.port}")
        check_nothing_lost(place)
        check_controls(place)
        check_dump(place)
        check_process(place)
        check_cut_off(place)
        check_options(place)


if __name__ == "__main__":
    main()
