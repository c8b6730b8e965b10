# SPDX-License-Identifier: MIT
"""Tests run and attach with --every: windows of a program that counts what it publishes while events are wanted, stored
in a folder or in a bucket of a server that goes down, with corotracer killed in between, and the spool full. Every
window arrives once, or is counted. KILLS is how often corotracer is killed (tests/soak/sampling kills more often)."""
import os
import pathlib
import re
import signal

import bucket
from attach_target import COUNT, ENGINE, PID, TARGET, target
from sampled import QUICK, check_whole, end, files, nr_events, sampling, until
from support import COROTRACER, check, folder, run, seeded_chance

KEY = re.compile(r"[\w.-]+/[\w.-]+/\d{8}/\d{6}-\d+-\d{6}\.ctrace")
KILLS = int(os.environ.get("KILLS", "6"))


def check_usage(scratch):
    for words, sentence in (
            (("--upload", "x", "1"), "'--upload' goes with '--every'"),
            (("--every", "1s", "--report", "1"), "'--report' goes with one recording, and not with '--every'"),
            (("--every", "1s", "--for", "2s", "1"), "a window (--for, 2s) cannot be longer than its period"),
            (("--every", "1s", "1"), "a window (--for, 2s) cannot be longer than its period"),
            (("--every", "5m", "a"), "which process?"),
            (("--every", "5m", "--max-cpu", "2", "1"), "a share such as 2% or 0.5%"),
            (("--every", "5m", "--upload", "s3://X", "1"), "this is no bucket")):
        told = run(COROTRACER, "attach", "--spool", scratch / "spool", *words, status=2).stderr
        check(sentence in told, told)
    told = run(COROTRACER, "attach", *QUICK, "--spool", scratch / "spool", "4194305", status=4).stderr
    check("there is no process" in told, told)
    told = run(COROTRACER, "run", *QUICK, "--spool", scratch / "spool", "no-such-command", status=127).stderr
    check("there is no command 'no-such-command'" in told, told)


def check_run(scratch):
    """A program without a probe has no windows, and its exit status is kept. Signals are passed on to one with a probe."""
    place = scratch / "run"
    told = run(COROTRACER, "run", *QUICK, "--upload", place, "--spool", scratch / "spool", "--", "sh", "-c", "exit 7", status=7)
    check("0 windows" in told.stderr, told.stderr)
    with sampling("run", *QUICK, "--upload", place, "--service", "a service", "--spool", scratch / "spool", "--", TARGET,
                  scratch / "counters") as process:
        until(lambda: place.exists() and len(files(place)) >= 2, process)
        told = end(process, signal.SIGTERM, status=128 + signal.SIGTERM)
    names = files(place)
    check(all(KEY.fullmatch(name) and name.startswith("a_service/") for name in names), f"{names}")
    check(f"{len(names)} windows" in told and f"{len(names)} stored in {place}" in told, told)
    for name in names:
        check_whole(place / name)
    check(not files(scratch / "spool"), "something is left in the spool")


def check_between(scratch):
    """Between windows the target counts nothing: its probe does not write."""
    place = scratch / "attached"
    with target(scratch) as started:
        with sampling("attach", *QUICK, "--upload", place, "--spool", scratch / "spool", started[PID]) as process:
            until(lambda: place.exists() and len(files(place)) >= 3, process)
            told = end(process, signal.SIGINT)
        started.until(lambda: started[ENGINE] == 0)
        counted = started[COUNT]
        recorded = sum(nr_events(place / name) for name in files(place))
        check(0 < recorded <= counted, f"{counted} were published, and {recorded} recorded")
        check(re.search(r" of [\d,]+ events, 0 lost; ", told), told)
        started.pause()
        check(started[COUNT] == counted, "an event was counted while nobody wanted it")
        started.go_on()


def check_process_ends(scratch):
    place = scratch / "ends"
    with target(scratch) as started:
        with sampling("attach", *QUICK, "--upload", place, "--spool", scratch / "spool", started[PID]) as process:
            until(lambda: place.exists() and files(place), process)
            os.kill(started[PID], signal.SIGKILL)
            words = process.communicate(timeout=60)[1]
            check(process.returncode == 0 and "stored in" in words, words)


def check_past(scratch):
    """A program that keeps its past in a file: each window is what the file holds."""
    place = scratch / "past"
    with target(scratch, COROTRACER_FLIGHT=str(scratch / "own.flight")) as started:
        with sampling("attach", *QUICK, "--upload", place, "--spool", scratch / "spool", started[PID]) as process:
            until(lambda: place.exists() and len(files(place)) >= 2, process)
            end(process, signal.SIGINT)
    check("kept its own past" in check_whole(place / files(place)[0]) or files(place), "the past is not told")


# ---------------------------------------------------------------- a bucket


def puts_of(server, prefix):
    return {key: count for key, count in server.tell("puts").items() if key.startswith(prefix)}


def attach_to(server, started, prefix, spool, *more):
    return sampling("attach", *QUICK, *more, "--service", "checkout", "--upload", server.address(prefix), "--spool", spool,
                    started[PID], env=server.environment())


def check_arrived(server, prefix, scratch, nr_windows=None):
    """Every window arrived once, and opens."""
    puts, keys = puts_of(server, prefix), [key for key in server.keys() if key.startswith(prefix)]
    check(set(puts) == set(keys) and set(puts.values()) == {1}, f"{puts}, {keys}")
    check(nr_windows in (None, len(keys)), f"{nr_windows} windows were recorded, and {len(keys)} arrived")
    for key in keys:
        check(KEY.fullmatch(key.removeprefix(f"{prefix}/")), key)
        server.act("get", key, scratch / "back.ctrace")
        check_whole(scratch / "back.ctrace")


def check_outage(server, scratch):
    """Windows of an outage wait in the spool, also over a restart, and arrive once."""
    with target(scratch) as started:
        with attach_to(server, started, "outage", scratch / "outage") as process:
            until(lambda: len(puts_of(server, "outage")) >= 1, process)
            server.tell("down")
            until(lambda: len([name for name in files(scratch / "outage") if "/ready/" in name]) >= 3, process)
            told = end(process, signal.SIGINT, is_hastened=True)
        check(re.search(r"[1-9]\d* left in", told), told)
        check(server.about["secret"] not in told, "the secret was told")
        nr_windows = int(re.search(r"(\d+) windows?", told)[1])
        server.tell("up")
        with attach_to(server, started, "outage", scratch / "outage") as process:
            until(lambda: len(puts_of(server, "outage")) > nr_windows, process)
            told = end(process, signal.SIGINT)
        nr_windows += int(re.search(r"(\d+) windows?", told)[1])
        check(not files(scratch / "outage"), f"{files(scratch / 'outage')} are left")
        check_arrived(server, "outage", scratch, nr_windows)


def check_full(server, scratch):
    server.tell("down")
    with target(scratch) as started, attach_to(server, started, "full", scratch / "full", "--spool-size", "100KiB") as process:
        told = ""
        while "the spool is full" not in told:
            told += process.stderr.readline()
        rest = end(process, signal.SIGINT, is_hastened=True)
        check(re.search(r"[1-9]\d* dropped", rest), rest)
    check(sum((scratch / "full" / name).stat().st_size for name in files(scratch / "full")) <= 100 << 10, "the bound is passed")
    server.tell("up")


def check_kills(server, scratch, chance):
    """corotracer is killed at random instants. What it left arrives by the next one; nothing is left, nothing twice."""
    spool = scratch / "kills"
    with target(scratch) as started:
        for _ in range(KILLS):
            begun = started[COUNT]
            with attach_to(server, started, "kills", spool) as process:
                more = chance.choice((1, 1000, 100000, 400000))
                until(lambda: started[COUNT] > begun + more, process)  # pylint: disable=cell-var-from-loop
                process.kill()
                process.wait()
        with attach_to(server, started, "kills", spool) as process:
            before = len(puts_of(server, "kills"))
            until(lambda: len(puts_of(server, "kills")) > before + 1, process)
            told = end(process, signal.SIGINT)
    check(not files(spool), f"{files(spool)} are left: {told}")
    puts, keys = puts_of(server, "kills"), [key for key in server.keys() if key.startswith("kills")]
    check(set(puts) == set(keys), f"{puts} {keys}")  # once more if the spool's remover was killed: under the same key
    for key in keys:
        server.act("get", key, scratch / "back.ctrace")
        run(COROTRACER, "info", scratch / "back.ctrace")


def main():
    chance = seeded_chance()
    with folder() as name:
        scratch = pathlib.Path(name)
        check_usage(scratch)
        check_run(scratch)
        check_between(scratch)
        check_process_ends(scratch)
        check_past(scratch)
        with bucket.served() as server:
            check_outage(server, scratch)
            check_full(server, scratch)
            check_kills(server, scratch, chance)


if __name__ == "__main__":
    main()
