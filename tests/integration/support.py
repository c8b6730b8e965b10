# SPDX-License-Identifier: MIT
"""Shared by the integration tests: where the binaries are, running them, and failing with a sentence."""
import contextlib
import fcntl
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ["COROTRACER_BUILD"])
SOURCE = pathlib.Path(os.environ["COROTRACER_SOURCE"])
COROTRACER = str(BUILD / "corotracer")

# A run in the background, or under nohup, ignores some signals, and children inherit that.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def fail(sentence):
    print(f"FAILED: {sentence}", file=sys.stderr)
    sys.exit(1)


def skip(reason):
    """Ends a test that cannot be run here; the end of `./dev test` prints the reason (tools/count-tests)."""
    print(f"skipped: {reason}", flush=True)
    sys.exit(77)


def check(condition, sentence):
    if not condition:
        fail(sentence)


def run(*command, status=0, timeout=120, **options):
    """Runs a command to its end; its exit status must be the one expected (None: any)."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            timeout=timeout, check=False, **options)
    if status is not None and result.returncode != status:
        fail(f"{' '.join(map(str, command))} ended with {result.returncode}, not {status}\n"
             f"{result.stdout}{result.stderr}")
    return result


def besides_replaced(stderr):
    """Returns a command's messages without the sentence that its output existed before: for tests that write the same
    output repeatedly."""
    return "".join(line for line in stderr.splitlines(True) if not line.endswith(" was there before, and was replaced\n"))


def folder():
    """Returns a new folder that is removed at the end: use it in a with statement."""
    return tempfile.TemporaryDirectory(prefix="corotracer-test-")


def preloading(library):
    """Returns the variables that preload a library. A blank in its path would end an entry of LD_PRELOAD."""
    return {"LD_PRELOAD": library.name, "LD_LIBRARY_PATH": str(library.parent)}


def seeded_chance():
    """Returns the random generator of a test. The seed is SEED of the environment, and is printed. If there is none,
    the seed is always the same; long runs (tests/soak) choose a new one."""
    seed = int(os.environ.get("SEED", "1"))
    print(f"SEED={seed}", flush=True)
    return random.Random(seed)


@contextlib.contextmanager
def turn(name):
    """Tests that need the same thing of the machine wait for each other, as long as the with statement lasts."""
    with open(BUILD / "tests" / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def contain(*parts):
    """Returns the words that start a program in a container with these parts, with the first rights that suffice; None:
    no rights suffice."""
    for rights in ((), ("--user", "--map-root-user")):
        words = ("unshare", *rights, *parts)
        if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
            return words
    return None


def keys_of(value):
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    return set(value).union(*map(keys_of, value.values())) if isinstance(value, dict) else set()


def check_documented(report):
    """Checks that every key of a report as JSON, at any depth, is in docs/spec/report-json.md."""
    documented = set(re.findall("`([a-z0-9_]+)`", (SOURCE / "docs/spec/report-json.md").read_text()))
    check(not keys_of(report) - documented, f"docs/spec/report-json.md lacks {keys_of(report) - documented}")
