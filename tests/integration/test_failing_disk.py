#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes each call of the trace's writer fail, at each place where it is made: engine and file report the same loss,
there is no finding above Suspect in what is left of a correct program, and if the output did not get its name, nothing
is said about the trace that had the name before.

docs/design/faults.md has the calls and the consequences of each.
"""
import concurrent.futures
import errno
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

from attach_target import PID, count_more, target
from support import BUILD, COROTRACER, check, folder, preloading, run

DISK = BUILD / "tests/targets/libfailing_disk.so"
FIBERS = [BUILD / "tests/workloads/fiber-scheduler/example-fibers", "--scenario", "mixed"]
CIRCLE = BUILD / "tests/targets/lock_circle"
HALF = 0
ERRORS = [errno.ENOSPC, errno.EIO, HALF, errno.EINTR, errno.EDQUOT, errno.EAGAIN, errno.EFBIG]
HARMLESS = [HALF, errno.EINTR, errno.EAGAIN]
# Calls whose failure leaves the output without its name, or keeps the recording from beginning.
NAMELESS = [("rename", 1, errno.EIO), ("rename", 1, errno.EACCES), ("close", 2, errno.EIO), ("close", 2, errno.ENOSPC)]
NEVER_BEGUN = [("open", 2, errno.EACCES), ("open", 2, errno.EMFILE), ("open", 2, errno.ENOSPC), ("flock", 1, errno.EAGAIN),
               ("ftruncate", 1, errno.EIO)]
# Calls that the writer can do without.
DISPENSABLE = [("flock", 1, errno.ENOLCK), ("ftruncate", 2, errno.EIO), ("lseek", 1, errno.ESPIPE),
               ("fallocate", 1, errno.EOPNOTSUPP), ("fallocate", 1, errno.ENOSPC), ("dup", 1, errno.EMFILE)]


def failing(name, call, nth, error, times=1):
    """Returns the environment in which the nth call for files of this name fails."""
    return dict(os.environ, **preloading(DISK), FAILING_NAME=name, FAILING_CALL=call, FAILING_FROM=str(nth),
                FAILING_TIMES=str(times), FAILING_ERRNO=str(error), FAILING_COUNTS=name + ".counts")


def counts(name):
    return {kind: int(number) for kind, number in
            (line.split() for line in pathlib.Path(name + ".counts").read_text().splitlines())}


def record(name, environment, status=0):
    """Records; returns what the engine says: events, lost events, and the whole text."""
    words = run(COROTRACER, "run", "-o", name, "--", *FIBERS, status=status, env=environment).stderr
    return (*engine_tells(words), words)


def engine_tells(words):
    """Returns the events and lost events of the last line; None: there is no such line."""
    told = re.search("^corotracer: ([0-9,]+) events?, ([0-9,]+) lost", words, re.M)
    return tuple(int(number.replace(",", "")) for number in told.groups()) if told else (None, None)


def file_tells(path):
    """Returns for a trace: its events, how many it says are lost, whether its end is missing, and the findings above
    Suspect."""
    report = json.loads(run(COROTRACER, "report", "--no-symbols", "--format", "json", path, status=None).stdout)
    quality = report["quality"]
    is_open = any("behind the last heartbeat" in loss["reason"] for loss in quality["losses"])
    grave = [finding["title"] for finding in report["findings"] if finding["grade"] != "suspect"]
    return quality["events"], quality["lost"], is_open, grave


def check_same(what, path, events, lost):
    """If the end is missing, the file says that the number of lost events is not known."""
    of_file = file_tells(path)
    check(not of_file[3], f"{what}: {of_file[3]}")
    check(of_file[2] or of_file[:2] == (events, lost),
          f"{what}: the engine tells {events} events, {lost} lost; the file {of_file[:2]}")


def try_write(name, nth, error, nr_writes):
    """After a failed write in the first half, more blocks of events would have come; the last blocks contain no
    events."""
    what = f"write {nth}, {error}"
    events, lost, words = record(name, failing(name, "write", nth, error))
    if counts(name)["write"] < nth:
        return False  # a shorter run
    is_told = "the trace is not complete" in words
    check(is_told != (error in HARMLESS), f"{what}: {words}")
    check(lost > 0 or error in HARMLESS or nth > nr_writes // 2, f"{what}: nothing is lost: {words}")
    check(lost == 0 or error not in HARMLESS, f"{what}: {lost} are lost: {words}")
    check_same(what, name, events, lost)
    return True


def try_for_ever(name, nth, error):
    """As on a disk that is full and stays full: the file has no end, or the end for which there was room."""
    events, lost, words = record(name, failing(name, "write", nth, error, 0))
    check("the trace is not complete" in words and lost > 0, f"all writes from {nth}: {words}")
    check_same(f"all writes from {nth}", name, events, lost)


def try_dispensable(name, call, nth, error):
    events, lost, words = record(name, failing(name, call, nth, error))
    check("not complete" not in words and lost == 0, f"{call} {nth}: {words}")
    check_same(f"{call} {nth}", name, events, lost)


def try_never_begun(name, call, nth, error):
    words = record(name, failing(name, call, nth, error), status=3)[2]
    check(f"cannot write '{name}': " in words, f"{call} {nth}: {words}")
    check(not pathlib.Path(name).exists(), f"{call} {nth}: there is a trace")


def try_nameless(name, former, call, nth, error):
    """The trace that had the name keeps it, and is not confused with the trace that got no name."""
    shutil.copy(former, name)
    events, lost, words = record(name, failing(name, call, nth, error))
    check(f"it is left as '{name}.partial'" in words, f"{call} {nth}: {words}")
    check("finding" not in words and "next: " not in words, f"{call} {nth}: the former trace is judged: {words}")
    check(pathlib.Path(name).read_bytes() == pathlib.Path(former).read_bytes(), f"{call} {nth}: the former trace is another")
    check_same(f"{call} {nth}", name + ".partial", events, lost)


def try_all(scratch):
    former = f"{scratch}/former"
    run(COROTRACER, "run", "-o", former, "--", CIRCLE, stdin=subprocess.DEVNULL)
    whole = f"{scratch}/whole"
    record(whole, failing(whole, "none", 1, 0))
    nr_writes = counts(whole)["write"]
    check(nr_writes > 20, f"only {nr_writes} writes: {counts(whole)}")
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        writes = [pool.submit(try_write, f"{scratch}/write-{nth}-{turn}", nth, ERRORS[(nth + 3 * turn) % len(ERRORS)], nr_writes)
                  for nth in range(2, nr_writes + 1) for turn in range(2)]
        others = [pool.submit(try_for_ever, f"{scratch}/ever-{nth}", nth, errno.ENOSPC) for nth in (2, 3, nr_writes // 2)]
        for i, each in enumerate(DISPENSABLE):
            others.append(pool.submit(try_dispensable, f"{scratch}/dispensable-{i}", *each))
        for i, each in enumerate(NEVER_BEGUN):
            others.append(pool.submit(try_never_begun, f"{scratch}/never-begun-{i}", *each))
        for i, each in enumerate(NAMELESS):
            others.append(pool.submit(try_nameless, f"{scratch}/nameless-{i}", former, *each))
        for each in others:
            each.result()
        nr_reached = sum(each.result() for each in writes)
    check(nr_reached >= 30, f"only {nr_reached} writes were made to fail")


def test_report_of_the_former(scratch):
    """`run --report` prints no report of the earlier trace."""
    name = f"{scratch}/asked"
    run(COROTRACER, "run", "-o", name, "--", CIRCLE, stdin=subprocess.DEVNULL)
    told = run(COROTRACER, "run", "--report", "-o", name, "--", *FIBERS, env=failing(name, "rename", 1, errno.EIO))
    check("mutex" not in told.stdout + told.stderr, told.stdout + told.stderr)


def test_check(scratch):
    """The program is correct (on a busy machine there are queues for its locks), and assertions hold for what is left:
    the exit status says that the trace is incomplete."""
    name = f"{scratch}/checked"
    for call, nth, times in (("write", 8, 0), ("write", 8, 1), ("rename", 1, 1)):
        told = run(COROTRACER, "check", "--trace", name, "findings >= likely == 0", "--", *FIBERS, status=3,
                   env=failing(name, call, nth, errno.EIO, times))
        check("findings >= likely == 0" in told.stdout, f"{call} {nth}: no verdict: {told.stdout}")
    run(COROTRACER, "check", "--trace", name, "events < 10", "--", *FIBERS, status=1,
        env=failing(name, "write", 8, errno.EIO))
    run(COROTRACER, "check", "--trace", name, "findings >= likely == 0", "--", *FIBERS)


def test_attach(scratch):
    """The process goes on and has no exit status yet, so the exit status of attach says whether the trace is
    complete."""
    for call, nth, status in (("none", 1, 0), ("write", 3, 3), ("rename", 1, 3), ("close", 1, 3)):
        name = f"{scratch}/{call}.ctrace"
        with target(pathlib.Path(scratch)) as started:
            engine = subprocess.Popen([COROTRACER, "attach", "-o", name, str(started[PID])], stderr=subprocess.PIPE, text=True,
                                      env=failing(name, call, nth, errno.EIO, 0))
            count_more(started, 100000)
            engine.send_signal(signal.SIGINT)
            words = engine.communicate(timeout=60)[1]
        check(engine.returncode == status, f"{call} {nth}: attach ended with {engine.returncode}: {words}")


def test_pipe_that_does_not_block(scratch):
    """Another process that shares the pipe may have made it non-blocking: the trace, which is larger than the pipe,
    waits for a reader that comes after the program has ended."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    path, done = pathlib.Path(scratch) / "piped", pathlib.Path(scratch) / "done"
    program = " ".join(map(str, FIBERS)) + f"; : > {done}"
    engine = subprocess.Popen([COROTRACER, "run", "-o", "-", "--", "sh", "-c", program], stdout=writer, stderr=subprocess.PIPE,
                              text=True)
    os.close(writer)
    while not done.exists() and engine.poll() is None:
        os.sched_yield()
    with open(path, "wb") as file, os.fdopen(reader, "rb") as pipe:
        shutil.copyfileobj(pipe, file)
    words = engine.communicate(timeout=60)[1]
    events, lost = engine_tells(words)
    check(events and "not complete" not in words, words)
    check_same("a pipe", path, events, lost)


def test_removed(scratch):
    """An output that was removed while it was written is reported as gone, and a file that another made in its place
    gets no name and is not touched."""
    name = pathlib.Path(scratch, "removed")
    partial = pathlib.Path(f"{name}.partial")
    for then in ("", f"; echo another >'{partial}'"):
        program = " ".join(map(str, FIBERS))
        words = run(COROTRACER, "run", "-o", name, "--", "sh", "-c", f"{program}; rm '{partial}'{then}; {program}").stderr
        check(f"the output '{name}' is gone: '{partial}' was removed while it was written" in words, words)
        check("left as" not in words and "next: " not in words, words)
        check(not name.exists() and partial.exists() == bool(then), f"after 'rm{then}' there is another file")
        check(not then or partial.read_text() == "another\n", "another's file was written")


def test_other_name(scratch):
    """An unfinished output that has a second name is another's file."""
    kept, name = pathlib.Path(scratch, "kept"), pathlib.Path(scratch, "linked")
    kept.write_text("kept")
    os.link(kept, f"{name}.partial")
    words = run(COROTRACER, "run", "-o", name, "--", "true", status=3).stderr
    check(f"cannot write '{name}': Too many links" in words, words)
    check(kept.read_text() == "kept", "the file of another name was written")


def main():
    with folder() as scratch:
        test_removed(scratch)
        test_other_name(scratch)
        try_all(scratch)
        test_report_of_the_former(scratch)
        test_check(scratch)
        test_attach(scratch)
        test_pipe_that_does_not_block(scratch)


main()
