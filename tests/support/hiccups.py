# SPDX-License-Identifier: MIT
"""Makes one run of the program that hiccups at a chosen moment, under the flight recorder, and reads its dump."""
import os
import re
import subprocess

BUILD = os.environ["COROTRACER_BUILD"]
COROTRACER = os.path.join(BUILD, "corotracer")
HICCUP = os.path.join(BUILD, "tests/targets/hiccup")


def run(place, duration_ms, moment_ms, length_ms, *options, then=""):
    """Returns (exit status, the culprit's (id, from, until), what corotracer said)."""
    done = subprocess.run([COROTRACER, "run", "-o", os.path.join(place, "f.ctrace"), *options, "--", HICCUP,
                           str(duration_ms), str(moment_ms), str(length_ms)] + ([then] if then else []),
                          capture_output=True, text=True, timeout=duration_ms / 1000 + 60, check=False)
    culprit = re.search(r"^culprit (\d+) (\d+) (\d+)$", done.stdout, re.MULTILINE)
    return done.returncode, tuple(map(int, culprit.groups())) if culprit else None, done.stderr


def holds_the_cause(dump, culprit, length_ms, waiters=1):
    """Returns whether the dump shows the culprit running for this long, and a coroutine that was ready meanwhile and
    ran only after it."""
    text = subprocess.run([COROTRACER, "dump", "--no-symbols", dump], capture_output=True, text=True, check=True).stdout
    began = ended = None
    ready, waited = set(), set()
    for line in text.splitlines():
        words = line.split()
        if len(words) < 3 or not words[0].endswith("s") or "." not in words[0]:
            continue
        time, kind, coro = float(words[0][:-1]), words[2], words[3][1:]
        if kind == "wake":
            ready |= set(re.findall(r"coroutine:(\d+)", line))
        elif kind == "resume" and coro == str(culprit[0]):
            began, ended = time, None
        elif kind == "suspend" and coro == str(culprit[0]) and began is not None:
            ended = time if time - began >= 0.9 * length_ms / 1000 else None
        elif kind == "resume":
            if ended is not None and coro in ready:
                waited.add(coro)
            ready.discard(coro)
    return ended is not None and len(waited) >= waiters
