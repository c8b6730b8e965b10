# SPDX-License-Identifier: MIT
"""Tests probes of version 1 under both spellings: every event of a paced writer in order; for a writer at full speed
received + missing == emitted, exactly, for each coroutine; and in the end the files made for the probes are gone.
"""
import collections
import json
import os
import pathlib
import re
import socket
import subprocess

from support import BUILD, COROTRACER, check, folder, run

OLDER = str(BUILD / "coroTracer")
WRITERS = {"C": str(BUILD / "tests/targets/v1_writer"), "C++": str(BUILD / "tests/targets/v1_writer_cpp")}
NUMBERING = {"counter": "1", "lock": "2"}
FURTHER_ID = (1 << 47) + 1  # the id of the first coroutine whose probe id was in use before
EVENT = re.compile(r"^\S+s t\d+ (\w[\w-]*) c(\d+)(?: (\S+))?(.*)$")
LOST = re.compile(r"^\S+s t\d+ lost first=\S+ (\d+) loss=\"gap in seq\"$")


def emitted_of(output):
    """Returns {id: events}; if a probe id is used again, its second coroutine has an id of ours."""
    emitted = {}
    for line in output.splitlines():
        number, count = map(int, line.split())
        emitted[number if number not in emitted else FURTHER_ID] = count
    return emitted


def read_dump(trace):
    """Returns for each coroutine: its events in order, how many are missing, how its station counts."""
    events, missing, numbering = collections.defaultdict(list), collections.Counter(), {}
    gap = 0
    for line in run(COROTRACER, "dump", trace).stdout.splitlines():
        lost, event = LOST.match(line), EVENT.match(line)
        if lost:
            gap = int(lost[1])
        elif event and event[1] in ("suspend", "resume"):
            events[int(event[2])].append(event[1])
        elif event and "detail=missing" in event[4]:
            missing[int(event[2])] += gap
        elif event and "detail=numbering" in event[4]:
            numbering[int(event[2])] = event[3]
    return events, missing, numbering


def check_trace(place, language, discipline, pace):
    trace = place + "/t.ctrace"
    told = run(COROTRACER, "run", "-o", trace, "--", WRITERS[language], discipline, 16, 400, pace).stdout
    emitted = emitted_of(told)
    events, missing, numbering = read_dump(trace)
    check(len(emitted) == (17 if language == "C++" else 16), f"the writer told of {len(emitted)} coroutines")
    check(set(events) == set(emitted), f"{language} {discipline}: coroutines {sorted(events)}, not {sorted(emitted)}")
    for coro, count in emitted.items():
        got = len(events[coro])
        check(got + missing[coro] == count,
              f"{language} {discipline} {pace}: coroutine {coro}: {got} + {missing[coro]} of {count}")
        check(numbering[coro] == NUMBERING[discipline], f"coroutine {coro} counts as {numbering[coro]}")
        if pace == "paced":
            check(got == count, f"{language} {discipline}: coroutine {coro} has {got} of {count}, though paced")
            check(events[coro] == ["suspend", "resume"] * (count // 2), f"the events of {coro} are out of order")


def check_rows(place, language, discipline, pace):
    """The older spelling: six keys; seq goes up by one, or by one plus the number of missing rows."""
    rows = place + "/rows.jsonl"
    command = f"'{WRITERS[language]}' {discipline} 16 400 {pace}"
    told = run(OLDER, "-n", 64, "-shm", place + "/shm", "-sock", place + "/sock", "-out", rows, "-no-serve", "-seq=count",
               "-cmd", command).stdout
    emitted, last, received = emitted_of(told), {}, collections.Counter()
    for line in pathlib.Path(rows).read_text().splitlines():
        row = json.loads(line)
        coro, seq = row["probe_id"], row["seq"]
        check(seq > last.get(coro, 0), f"seq {seq} of {coro} does not rise")
        check(row["is_active"] == (seq % 2 == 0), f"row {seq} of {coro} is another event than that")
        check((int(row["addr"], 16) != 0) == (not row["is_active"]), f"the addr of row {seq} of {coro} is not the probe's")
        last[coro] = seq
        received[coro] += 1
    check(set(last) == set(emitted), f"rows of {sorted(last)}, not {sorted(emitted)}")
    check(last == emitted, f"{language} {discipline} {pace}: received and missing add up to {last}, not {emitted}")
    if pace == "paced":
        check(received == emitted, f"{language} {discipline}: rows {received}, not {emitted}")
    check(not os.path.lexists(place + "/shm") and not os.path.lexists(place + "/sock"), "a name was left behind")


def check_both_versions(place):
    trace = place + "/both.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", WRITERS["C"], "lock", 4, 8, "paced", "both")
    processes = [line for line in run(COROTRACER, "dump", trace).stdout.splitlines() if line.startswith("process ")]
    events, _, numbering = read_dump(trace)
    check(len(processes) == 1, f"{len(processes)} processes, not one")
    check(len(events) == 5 and len(numbering) == 4, f"coroutines {sorted(events)}: not four of version 1 and one of 2")


def check_too_many_coroutines(place):
    trace = place + "/many.ctrace"
    run(COROTRACER, "run", "--v1-stations", 3, "-o", trace, "--", WRITERS["C"], "counter", 8, 8, "paced")
    loss = [line for line in run(COROTRACER, "dump", trace).stdout.splitlines() if "no station" in line]
    check(len(loss) == 1 and re.search(r"\b5\b", loss[0]), f"five coroutines without a station, told as {loss}")


def check_station_that_serves_again(place):
    """The engine remembers as many of the probe's numbers as there are stations; further coroutines get numbers of
    ours."""
    for nr_stations, more in ((2, {FURTHER_ID, FURTHER_ID + 1, FURTHER_ID + 2}), (5, {5000, 5001, 5002})):
        trace = f"{place}/again-{nr_stations}.ctrace"
        run(COROTRACER, "run", "--v1-stations", nr_stations, "-o", trace, "--", WRITERS["C"], "lock", 2, 8, "paced",
            "again")
        events, _, _ = read_dump(trace)
        check(set(events) == {1000, 1001} | more, f"with {nr_stations} stations: coroutines {sorted(events)}")


def check_names_that_are_taken(place):
    """A file, a link to a file, a socket at the given names: none is touched, and the probe is served nevertheless."""
    victim = pathlib.Path(place, "victim")
    victim.write_text("untouched")
    os.symlink(victim, place + "/shm")
    with socket.socket(socket.AF_UNIX) as taken:
        taken.bind(place + "/sock")
        script = f'echo "$CTP_SHM_PATH"; stat -c %a "$(dirname "$CTP_SHM_PATH")"; "{WRITERS["C"]}" lock 2 8 paced'
        told = run(OLDER, "-shm", place + "/shm", "-sock", place + "/sock", "-out", place + "/taken.jsonl",
                   "-no-serve", "-cmd", script).stdout.splitlines()
        check(os.path.exists(place + "/sock"), "the other's socket is gone")
    check(told[0] != place + "/shm" and told[1] == "700", f"not in a private folder: {told[:2]}")
    check(told[2:] == ["1000 8", "1001 8"], f"the writer told {told[2:]}")
    check(victim.read_text() == "untouched" and os.readlink(place + "/shm") == str(victim), "the link was followed")
    check(not os.path.exists(os.path.dirname(told[0])), "the private folder was left behind")


def check_nothing_is_left_after_errors(place):
    environment = dict(os.environ, TMPDIR=place)
    environment.pop("XDG_RUNTIME_DIR", None)
    empty = set(os.listdir(place))
    run(COROTRACER, "run", "-o", place + "/no/such/folder", "--", "true", status=None, env=environment)
    run(COROTRACER, "run", "-o", place + "/e.ctrace", "--", "./no-such-program", status=127, env=environment)
    left = set(os.listdir(place)) - empty - {"e.ctrace"}
    check(not left, f"left behind: {left}")


def check_file_that_is_cut(place):
    """The engine outlives a killed program; what it had read is kept, and no coroutine is reported as destroyed."""
    trace = place + "/cut.ctrace"
    said = run(COROTRACER, "run", "-o", trace, "--", WRITERS["C"], "lock", 4, 16, "paced", "cut").stderr
    events, _, _ = read_dump(trace)
    check({coro: len(told) for coro, told in events.items()} == dict.fromkeys(range(1000, 1004), 16), f"read {events}")
    dump, info = run(COROTRACER, "dump", trace).stdout, run(COROTRACER, "info", trace).stdout
    check(" destroy " not in dump, "zeros were taken for the ends of coroutines")
    check("was shortened" in said, f"run says nothing of it:\n{said}")
    check("was shortened" in info and "corrupt" in info, f"not told of:\n{info}")


def start_waiting(place, name):
    """Starts a run under the older spelling whose program waits for the end of its standard input."""
    environment = dict(os.environ, TMPDIR=place)
    environment.pop("XDG_RUNTIME_DIR", None)
    engine = subprocess.Popen([OLDER, "-n", "64", "-shm", place + "/shm", "-sock", place + "/sock", "-out",
                               f"{place}/{name}.jsonl", "-no-serve", "-cmd", f"exec \"{WRITERS['C']}\" lock 2 8 paced wait"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    check([engine.stdout.readline() for _ in range(2)] == ["1000 8\n", "1001 8\n"], f"{name}: the writer was not traced")
    return engine


def check_what_a_signal_leaves(place):
    """SIGTERM leaves nothing. SIGKILL leaves names that do no harm, and the next run removes the private folder."""
    os.mkdir(place)
    engine = start_waiting(place, "terminated")
    check(os.path.exists(place + "/shm"), "the file is not under its name")
    engine.terminate()
    engine.wait(timeout=60)  # its standard input is still open
    engine.communicate()
    check(engine.returncode == 143, f"exit status {engine.returncode}")
    check(os.listdir(place) == ["terminated.jsonl"], f"SIGTERM leaves {os.listdir(place)}")
    for name in ("killed", "killed-again"):  # the second run finds the names taken
        engine = start_waiting(place, name)
        engine.kill()
        engine.communicate(timeout=60)
    left = [entry for entry in os.listdir(place) if entry.startswith("corotracer-")]
    check(len(left) == 1, f"private folders: {left}")
    engine = start_waiting(place, "next")
    check(not os.path.exists(f"{place}/{left[0]}"), "the folder of an engine that was killed is still there")
    engine.communicate(timeout=60)
    check(engine.returncode == 0, f"exit status {engine.returncode}")
    left = [entry for entry in os.listdir(place) if entry.startswith("corotracer-")]
    check(not left, f"left behind: {left}")


def check_version_1_can_be_off(place):
    environment = dict(os.environ, CTP_SHM_PATH="/outer", CTP_SOCK_PATH="/outer", CTP_MAX_STATIONS="1")
    told = run(COROTRACER, "run", "--no-v1", "-o", place + "/off.ctrace", "--", "sh", "-c",
               'echo "[$CTP_SHM_PATH$CTP_SOCK_PATH$CTP_MAX_STATIONS]"', env=environment).stdout
    check(told == "[]\n", f"the ways to an outer engine are still there: {told}")


def check_grades(place):
    """Coroutines are suspended for long, and no waker is known: version 1 cannot say more than that."""
    trace = place + "/stuck.ctrace"
    target = subprocess.Popen([COROTRACER, "run", "-o", trace, "--", WRITERS["C"], "lock", "4", "7", "paced", "wait"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for _ in range(4):
        target.stdout.readline()
    target.communicate(timeout=60)
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
    grades = [finding["grade"] for finding in report["findings"]]
    check(set(grades) <= {"suspect"}, f"graded {grades}")


def main():
    with folder() as place:
        for language in WRITERS:
            for discipline in NUMBERING:
                for pace in ("paced", "unpaced"):
                    check_trace(place, language, discipline, pace)
                    check_rows(place, language, discipline, pace)
        check_both_versions(place)
        check_too_many_coroutines(place)
        check_station_that_serves_again(place)
        check_names_that_are_taken(place)
        check_nothing_is_left_after_errors(place)
        check_file_that_is_cut(place)
        check_what_a_signal_leaves(place + "/signals")
        check_version_1_can_be_off(place)
        check_grades(place)


if __name__ == "__main__":
    main()
