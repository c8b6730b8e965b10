# SPDX-License-Identifier: MIT
"""Tests corotracer control: orders to a running recording from a command line, what each order does, and who may give
orders."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile

from support import BUILD, COROTRACER, check, folder, run

ANNOTATED = BUILD / "tests/targets/annotated"


class Recording:
    """A program that serves requests until it is told to end, recorded."""

    def __init__(self, place, *options):
        self.end = pathlib.Path(place, "end")
        self.end.unlink(missing_ok=True)
        self.trace = pathlib.Path(place, "controlled.ctrace")
        self.engine = subprocess.Popen([COROTRACER, "run", "--no-ledger", *options, "-o", self.trace, "--",
                                        ANNOTATED, "serve-until", self.end], stderr=subprocess.PIPE, text=True)
        self.pid = self.engine.pid

    def control(self, *orders, status=0, pid=None):
        return run(COROTRACER, "control", pid or self.pid, *orders, status=status)

    def state(self, pid=None):
        lines = self.control("status", pid=pid).stdout.splitlines()
        return {key: int(value) for key, value in (line.split() for line in lines)}

    def until(self, wanted):
        """Returns the first state for which `wanted` is true."""
        while not wanted(state := self.state()):
            check(self.engine.poll() is None, "the recording has ended")
        return state

    def more(self, events=2000):
        """Waits until this many more events were recorded."""
        begun = self.state()["nr_events"]
        return self.until(lambda state: state["nr_events"] > begun + events)

    def finish(self):
        """Ends the program; returns the report and the events, as lines."""
        self.end.touch()
        said = self.engine.communicate(timeout=120)[1]
        check(self.engine.returncode == 0, said)
        report = json.loads(run(COROTRACER, "report", "-f", "json", "--no-symbols", self.trace, status=None).stdout)
        return report, run(COROTRACER, "dump", "--no-symbols", self.trace).stdout


def connected(recording):
    """Waits until the recording is open: orders are accepted from then on."""
    while run(COROTRACER, "control", recording.pid, "status", status=None).returncode == 4:
        check(recording.engine.poll() is None, "the recording has ended")
    recording.until(lambda state: state["nr_events"] > 0)
    return recording


def sorts(text):
    """Returns the kinds of events, in order."""
    return re.findall(r"^\S+\s+t\d+ (?:p\d+ )?([a-z-]+)", text, re.MULTILINE)


def check_window(place):
    """While stopped, events are counted as left out, and the trace has the gap; after a start, events are recorded
    again."""
    recording = connected(Recording(place))
    state = recording.state()
    check(state["is_open"] == 1 and state["has_probe"] == 1 and state["nr_lost"] == 0, f"{state}")
    check(recording.state(pid=state["target_pid"])["target_pid"] == state["target_pid"], "the program's number is another's")
    recording.control("stop")
    stopped = recording.state()
    later = recording.until(lambda state: state["nr_left_out"] > stopped["nr_left_out"] + 1000)
    check(later["is_open"] == 0 and later["nr_events"] == stopped["nr_events"], f"{stopped} {later}")
    recording.control("stop", "start", "start")
    recording.more()
    report, _ = recording.finish()
    reasons = {loss["reason"]: loss for loss in report["quality"]["losses"]}
    check("stopped" in reasons and reasons["stopped"]["first_ns"] < reasons["stopped"]["last_ns"], f"{report['quality']['losses']}")
    check(report["quality"]["left_out"] > 1000 and report["quality"]["lost"] == 0, f"{report['quality']}")
    check(not [finding for finding in report["findings"] if finding["grade"] == "proven"], f"{report['findings']}")


def check_categories(place):
    """Categories are switched off and on again."""
    recording = connected(Recording(place))
    recording.more()
    recording.control("no-category=logs,regions")
    recording.more(5000)
    middle = recording.state()["nr_events"]
    recording.control("categories=")
    recording.more(5000)
    recording.control("no-category=")
    recording.more(5000)
    report, text = recording.finish()
    kinds = sorts(text)
    runs = [kind for kind in kinds if kind in ("log", "counter", "task-begin", "region-begin")]
    check({"log", "counter", "task-begin", "region-begin"} <= set(runs[:100]) and set(runs[-100:]) >= {"log", "counter"}, "ends")
    thin = "".join({"log": "l", "counter": "c", "task-begin": "t", "region-begin": "r"}[kind] for kind in runs)
    check(re.search("[ct]{300}", thin), f"logs and regions did not go ({middle})")
    notes = " ".join(note["text"] for note in report["quality"]["notes"])
    for words in ("category logs", "category regions", "nothing"):
        check(f"as asked while it was recorded: {words}" in notes or words in notes, notes)


def check_lives(place):
    """A sample and a pattern apply to coroutines that are created afterwards, and to their whole lives."""
    recording = connected(Recording(place))
    recording.more()
    recording.control("sample=1/10")
    recording.until(lambda state: state["nr_left_out"] > 5000)
    recording.control("sample=1", "leave-out-task=health*")
    recording.more(5000)
    report, text = recording.finish()
    lives = {}
    for kind, coro in re.findall(r"^\S+\s+t\d+ (create|destroy|resume|return) c(\d+)", text, re.MULTILINE):
        lives.setdefault(coro, []).append(kind)
    broken = [kinds for kinds in lives.values() if "create" in kinds and kinds != ["create", "resume", "return", "destroy"]
              and kinds.count("resume") < 2 and kinds != ["create", "resume"]]
    check(not broken, f"lives with a hole: {broken[:3]}")
    tail = text[-40000:]
    check("request" in tail and '# "health check"' not in tail, "health checks are recorded")
    reasons = {loss["reason"] for loss in report["quality"]["losses"]}
    check({"not in the sample", "left out"} <= reasons, f"{reasons}")


def check_dump(place):
    recording = connected(Recording(place, "--flight", "5s"))
    check(recording.state()["is_flight"] == 1, "no flight recorder")
    recording.control("dump")
    check(pathlib.Path(place, "controlled.1.ctrace").exists() and recording.state()["nr_dumps"] == 1, "no dump")
    recording.end.touch()
    said = recording.engine.communicate(timeout=60)[1]
    check("asked for by an order" in said, said)


def check_refusals(place):
    """Unknown words, processes that are not recorded, and other users are refused."""
    recording = connected(Recording(place))
    for orders in (("halt",), ("sample=0",), ("status", "halt"), ("no-category=scheduling",), ("dump",), ("stop=1",), ("x" * 5000,),
                   ("stop\nstart",), ("",)):
        said = recording.control(*orders, status=2).stderr
        check(len(said.splitlines()) == 1 and "error" not in said, f"{orders}: {said}")
    run(COROTRACER, "control", status=2)
    run(COROTRACER, "control", recording.pid, status=2)
    run(COROTRACER, "control", "server", "status", status=2)
    run(COROTRACER, "control", os.getpid(), "status", status=4)
    if os.geteuid() == 0:
        os.chmod(place, 0o755)
        with tempfile.TemporaryDirectory() as other:
            os.chown(other, 65534, 65534)
            # The build may lie in a folder that another user cannot enter.
            said = subprocess.run([shutil.copy(COROTRACER, other), "control", str(recording.pid), "stop"], capture_output=True, text=True, check=False,
                                  cwd=other, user=65534, group=65534, extra_groups=[])
        check(said.returncode == 6 or "Permission denied" in said.stderr, f"another user's order: {said}")
    check_rude(recording)
    check(recording.state()["is_open"] == 1, "something was stopped all the same")
    recording.finish()


def check_rude(recording):
    """Peers that send nothing, too much, or no valid words delay others by no more than two seconds."""
    namespace = os.stat("/proc/self/ns/pid").st_ino
    address = f"\0corotracer-control.{namespace}.{recording.pid}"
    for sent in (b"", b"sto", b"stop\0\n", b"x" * 100000, b"\xff" * 100 + b"\n", b"\n"):
        with socket.socket(socket.AF_UNIX) as peer, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            peer.connect(address)
            peer.settimeout(30)
            peer.sendall(sent)
            answer = peer.recv(1000)
            check(not answer or answer.startswith(b"error "), f"{sent[:10]}: {answer}")


def main():
    with folder() as place:
        check_window(place)
        check_categories(place)
        check_lives(place)
        check_dump(place)
        check_refusals(place)


if __name__ == "__main__":
    main()
