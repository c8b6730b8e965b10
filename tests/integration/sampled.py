# SPDX-License-Identifier: MIT
"""What samplings leave, for tests: objects in a folder or a bucket, and files in a spool."""
import contextlib
import os
import pathlib
import subprocess

from support import COROTRACER, check, run

QUICK = ("--every", "150ms", "--for", "50ms", "--max-load", "99999%", "--max-cpu", "9999%")


def files(place):
    return sorted(str(path.relative_to(place)) for path in pathlib.Path(place).rglob("*") if path.is_file())


def until(condition, process=None):
    while not condition():
        check(process is None or process.poll() is None, "the sampling has ended too early")
        os.sched_yield()


@contextlib.contextmanager
def sampling(*words, **options):
    """Starts corotracer; whatever happens, it is gone at the end."""
    process = subprocess.Popen([COROTRACER, *map(str, words)], stderr=subprocess.PIPE, text=True, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def end(process, number, status=0, is_hastened=False):
    """Sends the signal, and returns what it said until it ended. Further signals end its waiting for what is not yet stored:
    only where the store is gone, and nothing else would end it."""
    process.send_signal(number)
    while True:
        try:
            words = process.communicate(timeout=1 if is_hastened else 100)[1]
            break
        except subprocess.TimeoutExpired:
            check(is_hastened, "the sampling does not end")
            process.send_signal(number)
    check(status is None or process.returncode == status, f"{process.returncode}: {words}")
    return words


def check_whole(path):
    """The trace opens, and has its end; returns its number of events."""
    told = run(COROTRACER, "info", path).stdout
    check("has its end   yes" in told, told)
    return told


def nr_events(path):
    return int(run(COROTRACER, "query", "--no-symbols", path, "--format", "tsv", "--no-header",
                   "SELECT count(*) FROM events WHERE kind = 'counter'").stdout)
