# SPDX-License-Identifier: MIT
"""Tests the flight recorder: what triggers a dump, what a dump contains, and what bounds the window."""
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from support import BUILD, COROTRACER, check, folder, run

sys.path.insert(0, os.path.join(os.environ["COROTRACER_SOURCE"], "tests/support"))
import hiccups  # noqa: E402  pylint: disable=wrong-import-position


def check_condition(place, condition, then):
    """Makes one dump, which says why it was written. Returns whether it contains what was planted."""
    status, culprit, said = hiccups.run(place, 1600, 900, 240, "--flight", "2s,16MiB", "--on", condition, then=then)
    dumps = sorted(glob.glob(place + "/f.*.ctrace"))
    check(status == 0 and len(dumps) == 1, f"{condition}: status {status}, dumps {dumps}\n{said}")
    metric = condition.split(" ")[0]
    check(f"{metric} is " in said and "over the limit of" in said, f"{condition}: no reason\n{said}")
    holds = bool(then) or hiccups.holds_the_cause(dumps[0], culprit, 240)
    report = run(COROTRACER, "report", dumps[0]).stdout
    check(metric in report, f"{condition}: the report does not say why it was written\n{report}")
    os.unlink(dumps[0])
    return holds


def check_conditions(place):
    """
    A latency, a region and a standstill: each dump contains what led to it, and says why it was written.

    On a machine with more work than processors, a delay may occur before the planted one, and the dump is about that
    delay: then the run is repeated.
    """
    for condition, then in (("sched_latency.max > 120ms", ""), ("region(compaction).max > 120ms", ""),
                            ("stalled > 200ms", "stop")):
        check(any(check_condition(place, condition, then) for _ in range(5)), f"{condition}: the cause is in none of five dumps")


def check_reaches_its_events(dump):
    """A dump contains nothing after its end: no event is later than the last moment that was observed."""
    text = run(COROTRACER, "dump", "--no-symbols", dump).stdout
    until = float(re.search(r" until=([\d.]+)s", text)[1])
    last = max(float(time) for time in re.findall(r"^([\d.]+)s ", text, re.MULTILINE))
    check(last <= until, f"an event at {last} s lies behind the end, {until} s")


def check_standstill(place):
    """Two coroutines that wait for each other trigger dumps: by the lack of progress, by the length of a wait at a
    place, by a finding."""
    for condition, reason in (("no_progress > 200ms", "no_progress is "),
                              ("waiting(take the other*) > 200ms", "waiting(take the other*) is "),
                              ("waiting(lock_circle.c:*) > 200ms", "waiting(lock_circle.c:*) is "),
                              ("finding(mutex-deadlock) >= likely", "finding(mutex-deadlock) is ")):
        program = subprocess.Popen([COROTRACER, "run", "--flight", "5s", "--on", condition, "-o", place + "/c", "--",
                                    BUILD / "tests/targets/lock_circle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        check(program.stdout.readline() == "ready\n", condition)
        while not os.path.exists(place + "/c.1"):
            check(program.poll() is None, "it has ended")
        said = program.communicate(timeout=60)[1]
        check(program.returncode == 0 and reason in said, f"{condition}: {said}")
        report = run(COROTRACER, "report", place + "/c.1").stdout
        check("  mutex-deadlock\n" in report, report)
        os.unlink(place + "/c.1")


def check_other_reasons(place):
    """The program's own request and its crash trigger dumps; the engine's exit status stays the program's."""
    for then, expected, reason in (("dump", 0, "the program asked for it: after the hiccup"),
                                   ("crash", 134, "the program was ended by signal 6 (SIGABRT)")):
        status, culprit, said = hiccups.run(place, 600, 300, 20, "--flight", "2s", then=then)
        dump = place + "/f.1.ctrace"
        check(status == expected and reason in said, f"{then}: status {status}\n{said}")
        check(hiccups.holds_the_cause(dump, culprit, 20, 0), f"{then}: the past is not in the dump")
        if then == "crash":
            check_reaches_its_events(dump)
        os.unlink(dump)


def check_signal(place):
    """USR1 triggers a dump each time, also of a quiet program."""
    ready, marker = place + "/ready", place + "/dumped"
    program = subprocess.Popen([COROTRACER, "run", "--flight", "5s", "--exec", f'echo "$COROTRACER_DUMP" >>{marker}',
                                "-o", place + "/s", "--", "sh", "-c", f"mkfifo {ready}; echo up >{ready}; read line"],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not os.path.exists(ready):
        pass
    with open(ready, encoding="ascii") as fifo:
        fifo.read()
    for number in (1, 2):
        program.send_signal(signal.SIGUSR1)
        while not os.path.exists(f"{place}/s.{number}"):
            check(program.poll() is None, "it has ended")
    _, said = program.communicate("go\n", timeout=60)
    with open(marker, encoding="ascii") as file:
        told = file.read().split()
    check(program.returncode == 0 and said.count("signal USR1") == 2, said)
    check(sorted(told) == [place + "/s.1", place + "/s.2"], f"--exec saw {told}")


def check_end(place):
    """If a frozen program is ended by a signal to corotracer, its past and the state of its threads are written
    once."""
    for number, name in ((signal.SIGTERM, "TERM"), (signal.SIGINT, "INT")):
        program = subprocess.Popen([COROTRACER, "run", "--flight", "5s", "-o", place + f"/{name}", "--",
                                    BUILD / "tests/targets/blocked"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        threads = json.loads(program.stdout.readline())
        for thread in ("reader", "sleeper", "reactor"):
            while ") S " not in pathlib.Path(f"/proc/{threads[thread]}/stat").read_text():
                check(program.poll() is None, "it has ended")
        program.send_signal(number)
        _, said = program.communicate(timeout=60)
        check(program.returncode == 128 + number and said.count("asks to end") == 1, f"{program.returncode}: {said}")
        check(sorted(glob.glob(place + f"/{name}*")) == [place + f"/{name}.1"], f"{os.listdir(place)}")
        dump = run(COROTRACER, "dump", place + f"/{name}.1").stdout
        check(dump.count(" thread-state ") >= 3 and " suspend c9 " in dump, dump)


def check_commands(place):
    """A command that fails is reported; a command that does not end is named, reads none of the input, and goes on."""
    pipe = place + "/pipe"
    os.mkfifo(pipe)
    never_ends = f"cat; echo up >{pipe}; exec sleep 600 >/dev/null 2>&1"
    for command, said in ((f"echo up >{pipe}; exit 7", "ended with status 7"),
                          ("kill -KILL $$", r"was ended by signal 9 \(SIGKILL\)"),
                          (never_ends, r"still runs, as process (\d+)")):
        script = "kill -USR1 $PPID; read line; " + ("" if "kill" in command else f"cat {pipe}")
        done = run(COROTRACER, "run", "--flight", "5s", "--exec", command, "-o", place + "/c", "--", "sh", "-c", script,
                   input="go\n")
        told = re.search("the command after the dump '.*' " + said, done.stderr)
        check(told, f"{command}: {done.stderr}")
        if told.groups():
            os.kill(int(told[1]), signal.SIGKILL)


def check_names(place):
    """A dump that is written when the program crashes has names for its addresses without any file of the program."""
    run(COROTRACER, "run", "--flight", "5s", "-o", place + "/f.ctrace", "--", BUILD / "tests/targets/flight_target",
        place + "/counters", 1, 0, place + "/own", 30000, status=139)
    text = run(COROTRACER, "dump", "--no-symbols", place + "/f.1.ctrace").stdout
    check("function=launch" in text, f"the address of launch has no name:\n{text[:2000]}")


def check_names_of_the_short_lived(place):
    """A program that lives for milliseconds, and is gone when it is examined, has names for its addresses."""
    for _ in range(5):
        run(COROTRACER, "run", "-o", place + "/gone.ctrace", "--", "sh", "-c", '"$@" </dev/null; true', "sh",
            BUILD / "tests/targets/lock_circle")
        text = run(COROTRACER, "dump", "--no-symbols", place + "/gone.ctrace").stdout
        check("function=take_then_wait" in text, f"the address of take_then_wait has no name:\n{text[:2000]}")


def holds(process, path):
    """Returns whether the process has a file open whose name begins like this."""
    for number in os.listdir(f"/proc/{process.pid}/fd"):
        try:
            if os.readlink(f"/proc/{process.pid}/fd/{number}").startswith(path):
                return True
        except FileNotFoundError:
            pass
    return False


def check_names_of_the_removed(place):
    """A program whose file is removed before names are looked up has its names nevertheless."""
    path = os.path.realpath(place) + "/program"
    shutil.copy(BUILD / "tests/targets/lock_circle", path)
    program = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=dict(os.environ, COROTRACER_FLIGHT=",1M"))
    check(program.stdout.readline() == "ready\n", "it has ended")
    engine = subprocess.Popen([COROTRACER, "attach", "-o", place + "/removed.ctrace", str(program.pid)],
                              stderr=subprocess.PIPE, text=True)
    while not (holds(engine, path) and holds(engine, "/memfd:corotracer (")):
        check(engine.poll() is None, "the engine has ended")
    os.unlink(path)
    program.communicate(timeout=60)
    said = engine.communicate(timeout=60)[1]
    check(engine.returncode == 0, said)
    text = run(COROTRACER, "dump", "--no-symbols", place + "/removed.ctrace").stdout
    check("function=take_then_wait" in text, f"the address of take_then_wait has no name:\n{text[:2000]}")


def lets_go(place, window):
    """Makes one dump with this window, and returns whether older events were let go."""
    status, _, said = hiccups.run(place, 1600, 1500, 5, "--flight", window, then="dump")
    held = re.search(r"wrote the last [\d.]+ m?s to '.*' \(([\d.]+) (kB|B)(; more would not fit)?", said)
    check(status == 0 and held, said)
    if "KiB" in window:
        check(held[3] and float(held[1]) <= 96, f"{window}: {held[0]}")
    report = json.loads(run(COROTRACER, "report", "--format", "json", place + "/f.1.ctrace").stdout)
    check(not report["findings"], f"a part of a healthy run has findings: {report['findings']}")
    os.unlink(place + "/f.1.ctrace")
    return report["trace"]["events_before"] > 0


def check_bounds(place):
    """
    Events that are older than the window, or do not fit into it, are dropped; the length of the kept past is reported.

    A window lets go of whole generations. An engine that had no processor for a second has that second in one of them,
    whose end lies within the window: then the run is repeated.
    """
    for window in ("500ms,64MiB", "60s,48KiB"):
        check(any(lets_go(place, window) for _ in range(5)), f"{window}: in none of five runs was anything let go")


def check_too_many(place):
    """Conditions do not fill the disk: a dump that would come too soon after another is counted."""
    program = subprocess.Popen([COROTRACER, "run", "--flight", "1s", "--on", "live_coroutines > 3", "--on",
                                "region(compaction).max > 10ms", "-o", place + "/soon", "--", hiccups.HICCUP, "1200",
                                "300", "30", "line"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not os.path.exists(place + "/soon.1"):
        check(program.poll() is None, "it has ended")
    said = program.communicate("go\n", timeout=60)[1]
    check(program.returncode == 0 and "1 dump more would have come too soon" in said, said)


def check_complaints(place):
    """Meaningless options are refused in one sentence, and nothing is started."""
    mark = place + "/started"
    for options, sentence in (
            (["--flight", "soon"], "as in 10s,64MiB"),
            (["--flight", "1s", "--on", "sched_latency > 5ms"], "a statistic is missing"),
            (["--flight", "1s", "--on", "sched_latency.p98 > 5ms"], "this statistic is not known"),
            (["--flight", "1s", "--on", "sched_latency.p99 > 5"], "a time is a number with ns, us, ms, s, min or h"),
            (["--flight", "1s", "--on", "latency.p99 > 5ms"], "it begins with one of sched_latency, region"),
            (["--flight", "1s", "--on", "region.p99 > 5ms"], "a name in brackets is missing"),
            (["--flight", "1s", "--on", "live_coroutines 5"], "a comparison is missing"),
            (["--flight", "1s", "--on", "finding(lost) > likely"], "no rule has this name"),
            (["--flight", "1s", "--on", "finding(*) > 5"], "a grade is suspect, likely or proven"),
            (["--on", "live_coroutines > 5"], "go with '--flight'"),
            (["--flight", "1s", "-o", "-"], "writes traces into files"),
            (["--flight", "1s", "--format", "jsonl"], "writes traces into files"),
            (["--flight", "1s", "--report"], "needs the whole trace")):
        done = subprocess.run([COROTRACER, "run", *options, "--", "touch", mark], capture_output=True, text=True,
                              timeout=60, check=False)
        check(done.returncode == 2 and sentence in done.stderr, f"{options}: {done.returncode} {done.stderr}")
        check(not os.path.exists(mark), f"{options}: it was started all the same")
    done = subprocess.run([COROTRACER, "run", "--flight", "1s", "-o", f"{place}/none/f.ctrace", "--", "touch", mark],
                          capture_output=True, text=True, timeout=60, check=False)
    check(done.returncode != 0 and "cannot write into the folder" in done.stderr, f"no folder: {done.stderr}")
    check(not os.path.exists(mark), "where no dump can be written, it was started all the same")


def main():
    for step in (check_conditions, check_standstill, check_other_reasons, check_signal, check_end, check_commands,
                 check_names, check_names_of_the_short_lived, check_names_of_the_removed, check_bounds, check_too_many,
                 check_complaints):
        with folder() as place:
            step(place)


if __name__ == "__main__":
    main()
