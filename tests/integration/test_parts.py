# SPDX-License-Identifier: MIT
"""Tests parts of a real recording: cut at every boundary, joined, recovered after a kill of the engine, and followed
live.

A server's readers wait on closed descriptors within the first second; another process writes events for some seconds
more, so that several generations follow. Each part after the fault must name the fault as the whole trace does: the
closing lies before the part, and only carried records mention it.
"""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

from support import BUILD, COROTRACER, check, fail, folder, run

SERVER = BUILD / "examples/example-tcp-server-fault-a"
PUBLISHER = BUILD / "tests/targets/publisher"
RULE = "waits-on-closed-descriptor"
CONNECTIONS, STUCK = 20, 17
SECONDS = 4
ENGINE_SEES = ("thread-state", "thread-time")


def record(scratch):
    trace = scratch / "whole.ctrace"
    script = (f"timeout -s KILL {SECONDS} '{PUBLISHER}' {scratch}/counters 1 20000 & "
              f"exec '{SERVER}' --self-load {CONNECTIONS}:{STUCK} --exit-after-idle {SECONDS - 1.5} --log {scratch}/log")
    run(COROTRACER, "run", "-o", trace, "--", "sh", "-c", script)
    return trace


def report_of(trace):
    return json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)


def check_named(name, report):
    found = [finding for finding in report["findings"] if finding["rule"] == RULE]
    check(len(found) == 1, f"{name}: {len(found)} findings of {RULE}, {report['findings']}")
    check(found[0]["grade"] == "proven", f"{name}: {found[0]['grade']}")
    members = found[0]["members"]
    check(len(members) == STUCK, f"{name}: {len(members)} members, not {STUCK}")
    return sorted(member["coroutine"]["id"] if "coroutine" in member else member["id"] for member in members)


def boundaries(trace):
    """Returns the seconds at which generations begin, except for the first."""
    last = report_of(trace)["trace"]["last_generation"]
    check(last >= 3, f"only {last} generations: the recording is too short")
    found, at, scratch = [], 0.0, trace.parent
    while True:
        words = run(COROTRACER, "cut", "--from", f"{at:.6f}s", "--to", f"{at:.6f}s", "-o", scratch / "one.ctrace",
                    trace).stderr
        part = report_of(scratch / "one.ctrace")
        check("wrote" in words, words)
        at = part["quality"]["observed_until_ns"] / 1e9
        if not part["trace"]["is_cut"]:
            return found
        found.append(at)
        at += 0.000001


def test_cut_and_merge(trace):
    scratch, whole = trace.parent, report_of(trace)
    ids = check_named("the whole", whole)
    text = run(COROTRACER, "dump", trace).stdout
    for at in boundaries(trace):
        left, right, joined = scratch / "left.ctrace", scratch / "right.ctrace", scratch / "joined.ctrace"
        run(COROTRACER, "cut", "--to", f"{at - 0.000001:.6f}s", "-o", left, trace)
        run(COROTRACER, "cut", "--from", f"{at + 0.000001:.6f}s", "-o", right, trace)
        part = report_of(right)
        check(part["trace"]["events_before"] == report_of(left)["quality"]["events"], f"cut at {at}: counts differ")
        check(check_named(f"from {at} s on", part) == ids, f"from {at} s on: other coroutines")
        check("a part of a recording" in run(COROTRACER, "report", right).stdout, "a part does not say that it is one")
        check("before them" in run(COROTRACER, "info", right).stdout, "info does not say where the part lies")
        run(COROTRACER, "merge", "-o", joined, right, left)
        check(run(COROTRACER, "dump", joined).stdout == text, f"cut at {at} s and joined: another trace")
    check_names(left, trace)
    words = run(COROTRACER, "merge", "-o", scratch / "no.ctrace", left, record_other(scratch), status=2).stderr
    check("are parts of different recordings" in words and words.count("\n") <= 2, words)


def check_names(part, trace):
    """Addresses have names in a part, too, without any file of the program: the names are written during the
    recording."""
    found, whole = ({line for line in run(COROTRACER, "dump", "--no-symbols", each).stdout.splitlines()
                     if line.startswith("site ")} for each in (part, trace))
    check(any("kind=address" in line and "function=" in line for line in found), f"no address has a name: {found}")
    check(found <= whole, f"places that only the whole trace knows: {found - whole}")


def record_other(scratch):
    run(COROTRACER, "run", "-o", scratch / "other.ctrace", "--", "true")
    return scratch / "other.ctrace"


def test_text_of_part(trace):
    """The text form of a part is complete, too."""
    scratch = trace.parent
    part, again = scratch / "right.ctrace", scratch / "again.ctrace"
    text = run(COROTRACER, "dump", part).stdout
    check(" carried\n" in text, "no event is marked as carried")
    run(COROTRACER, "assemble", "-o", again, "-", input=text)
    check(run(COROTRACER, "dump", again).stdout == text, "dump, assemble, dump: another text")
    check_named("assembled", report_of(again))


def test_packed(trace):
    scratch = trace.parent
    packed, text = scratch / "packed.ctrace", run(COROTRACER, "dump", trace).stdout
    result = run(COROTRACER, "merge", "--pack", "3", "-o", packed, trace, status=None)
    if result.returncode == 7:
        check("zstd" in result.stderr and result.stderr.count("\n") == 1, result.stderr)
        return
    check(result.returncode == 0, result.stderr)
    check(packed.stat().st_size < trace.stat().st_size, "packing did not help")
    check(run(COROTRACER, "dump", packed).stdout == text, "packed: another trace")
    check("yes, with zstd" in run(COROTRACER, "info", packed).stdout, "info does not say that it is packed")


def wait_for_bytes(path, nr_bytes, writer):
    while writer.poll() is None:
        if path.exists() and path.stat().st_size >= nr_bytes:
            return
        os.sched_yield()
    fail(f"who writes {path} ended before it had {nr_bytes} bytes")


def test_engine_killed(scratch):
    """What a killed engine leaves is recovered, with every event that could be read; the follower notices the end."""
    trace, counters = scratch / "killed.ctrace", scratch / "killed.counters"
    partial = pathlib.Path(f"{trace}.partial")
    with subprocess.Popen([COROTRACER, "run", "-o", trace, "--", PUBLISHER, counters, "1", "2000"],
                          stderr=subprocess.DEVNULL, start_new_session=True) as engine:
        wait_for_bytes(partial, 100000, engine)
        with open(scratch / "followed", "wb") as output, subprocess.Popen(
                [COROTRACER, "follow", trace], stdout=output, stderr=subprocess.PIPE, text=True) as follower:
            wait_for_bytes(scratch / "followed", 1, follower)
            engine.send_signal(signal.SIGKILL)
            engine.wait()
            words = follower.communicate(timeout=60)[1]
            os.killpg(engine.pid, signal.SIGKILL)
    dump = run(COROTRACER, "dump", "--no-symbols", partial, status=None)
    check(dump.returncode in (0, 5), f"status {dump.returncode}, neither whole nor cut within a block: {dump.stderr}")
    readable = dump.stdout
    events = [line for line in readable.splitlines() if re.match(r"-?[0-9.]+s t", line)]
    told = (scratch / "followed").read_text().splitlines()
    check(len(told) == len(events), f"{len(told)} events were followed, {len(events)} are in the file")
    check(words.count("\n") == 1 and "nobody writes it any more" in words, words)
    said = run(COROTRACER, "recover", partial).stderr
    check("its end was missing" in said, said)
    saved = scratch / "killed.recovered.ctrace"
    check(report_of(saved)["quality"]["events"] == len(events), "recover lost events")
    info = run(COROTRACER, "info", saved).stdout
    check("has its end   yes" in info and "complete" not in info and "its end was missing" in info, info)


def kinds_by_thread(text):
    """
    Returns the kinds of each thread's own events, and of the engine's observations of the thread, in their order. The
    order between the two may differ, because the whole trace is put in order, and a followed trace is not; and because
    clocks are compared until the recording ends, times that are printed earlier differ a little.
    """
    kinds = {}
    for line in text.splitlines():
        _, thread, kind = line.split()[:3]
        kinds.setdefault((thread, kind in ENGINE_SEES), []).append(kind)
    return kinds


def test_follow(scratch):
    """The events of a live recording are printed in order, each once, to the end."""
    trace, counters = scratch / "live.ctrace", scratch / "live.counters"
    with subprocess.Popen([COROTRACER, "run", "-o", trace, "--", "timeout", "-s", "KILL", "2", PUBLISHER, counters, "2",
                           "50000"], stderr=subprocess.DEVNULL) as engine:
        wait_for_bytes(pathlib.Path(f"{trace}.partial"), 1000, engine)
        followed = run(COROTRACER, "follow", trace)
        engine.wait()
    whole = run(COROTRACER, "dump", "--events", "0-999999999", "--no-symbols", trace).stdout
    check(followed.stderr == "", followed.stderr)
    number = re.compile(r"# event (\d+)")
    got, wanted = number.findall(followed.stdout), number.findall(whole)
    check(got == wanted, f"{len(got)} events were followed, {len(wanted)} are in the trace, or not in order")
    check(kinds_by_thread(followed.stdout) == kinds_by_thread(whole),
          "the events that were followed are others than those in the trace")


def run_publisher(scratch, output, **options):
    """Makes a short recording to an output that fails. Returns the messages; the target ends as usual."""
    command = [COROTRACER, "run", "-o", output, "--", "timeout", "-s", "TERM", "1", PUBLISHER, scratch / "c", "1", "200"]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60, check=False,
                          **options)


def check_failed_output(name, result, expected):
    lines = [line for line in result.stderr.splitlines() if expected in line]
    check(result.returncode == 124, f"{name}: the target ended with {result.returncode}: {result.stderr}")
    check(len(lines) == 1, f"{name}: not one sentence with '{expected}': {result.stderr}")


def check_same_losses(name, said, trace):
    """The file counts everything that the engine could not write, and has its end."""
    counted = re.search(r"([\d,]+) events, ([\d,]+) lost", said)
    events, lost = (int(number.replace(",", "")) for number in counted.groups())
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)
    quality = report["quality"]
    check(lost > 0 and events > 0, f"{name}: nothing was lost, or all of it: {said}")
    check((quality["events"], quality["lost"]) == (events, lost),
          f"{name}: the engine says {events} events and {lost} lost, the file {quality['events']} and {quality['lost']}")
    check(report["trace"]["is_complete"], f"{name}: the file lacks its end")


def test_limited_file(scratch):
    """A limit of the engine's process, which no file system knows of, and which does not apply to the target."""
    output = scratch / "limited.ctrace"
    script = f"ulimit -S -f unlimited; exec timeout -s TERM 1 '{PUBLISHER}' {scratch}/limited 1 200"
    result = subprocess.run([str(word) for word in (COROTRACER, "run", "-o", output, "--", "sh", "-c", script)],
                            capture_output=True, text=True, timeout=60, check=False,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400 << 10, resource.RLIM_INFINITY)))
    check_failed_output("limit", result, "File too large")
    check_same_losses("limit", result.stderr, output)


def test_full_disk(scratch):
    disk = scratch / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)], capture_output=True,
                             check=False).returncode == 0
    if not mounted:
        result = subprocess.run([COROTRACER, "run", "-o", "/dev/full", "--", "true"], capture_output=True, text=True,
                                check=False)
        check("No space left on device" in result.stderr and result.stderr.count("\n") == 1, result.stderr)
        return
    try:
        result = run_publisher(scratch, disk / "full.ctrace")
        check_failed_output("full disk", result, "No space left on device")
        check_same_losses("full disk", result.stderr, disk / "full.ctrace")
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def test_folder_vanishes(scratch):
    away = scratch / "away"
    away.mkdir()
    output = away / "gone.ctrace"
    with subprocess.Popen([COROTRACER, "run", "-o", output, "--", "timeout", "-s", "TERM", "1", PUBLISHER, scratch / "c2", "1",
                           "2000"], stderr=subprocess.PIPE, text=True) as engine:
        wait_for_bytes(pathlib.Path(f"{output}.partial"), 1000, engine)
        for path in away.iterdir():
            path.unlink()
        away.rmdir()
        words = engine.communicate(timeout=60)[1]
    sentences = [line for line in words.splitlines() if "was removed while it was written" in line]
    check(engine.returncode == 124 and len(sentences) == 1, f"{engine.returncode}: {words}")


def test_read_only(scratch):
    result = run(COROTRACER, "run", "-o", scratch / "missing" / "x.ctrace", "--", "touch", scratch / "started", status=None)
    check(result.returncode != 0 and result.stderr.count("\n") == 1 and not (scratch / "started").exists(), result.stderr)
    for command in (["recover"], ["cut", "--from", "0s"]):
        result = run(COROTRACER, *command, "-o", "/proc/x.ctrace", scratch / "whole.ctrace", status=None)
        check(result.returncode != 0 and result.stderr.count("\n") == 1, result.stderr)


def test_times(scratch):
    """A time without a unit, or before the beginning, is refused, and nothing is written."""
    for words in (["--from", "100"], ["--from=-5s"], ["--to", "1.5"], ["--to", "5d"], ["--to", "none"]):
        output = scratch / "times.ctrace"
        result = run(COROTRACER, "cut", *words, "-o", output, scratch / "whole.ctrace", status=2)
        check("takes a time since the beginning with its unit (ns, us, ms, s, min or h)" in result.stderr, result.stderr)
        check(not output.exists(), f"{words} wrote a trace")


def test_closed_pipe(scratch):
    command = [str(word) for word in (COROTRACER, "run", "-o", "-", "--", "timeout", "-s", "TERM", "1", PUBLISHER,
                                      scratch / "c3", "1", "200")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as engine:
        engine.stdout.read(1000)
        engine.stdout.close()
        words = engine.stderr.read().decode()
    sentences = [line for line in words.splitlines() if "Broken pipe" in line]
    check(engine.wait() == 124 and len(sentences) == 1, f"{engine.returncode}: {words}")


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        trace = record(scratch)
        test_cut_and_merge(trace)
        test_text_of_part(trace)
        test_packed(trace)
        test_read_only(scratch)
        test_engine_killed(scratch)
        test_follow(scratch)
        test_limited_file(scratch)
        test_full_disk(scratch)
        test_folder_vanishes(scratch)
        test_times(scratch)
        test_closed_pipe(scratch)


begun = time.monotonic()
main()
print(f"{time.monotonic() - begun:.1f} s")
