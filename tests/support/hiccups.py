# SPDX-License-Identifier: MIT
"""One run of the program that hiccups at a chosen moment, under the flight recorder, and what its dump says of it."""
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
    """Does the dump show the culprit running for so long, and one woken meanwhile that ran only after it?"""
    text = subprocess.run([COROTRACER, "dump", "--no-symbols", dump], capture_output=True, text=True, check=True).stdout
    began = ended = None
    woken, waited = set(), set()
    for line in text.splitlines():
        words = line.split()
        if len(words) < 3 or not words[0].endswith("s") or "." not in words[0]:
            continue
        time = float(words[0][:-1])
        if words[2] == "resume" and words[3] == f"c{culprit[0]}":
            began, ended = time, None
        elif words[2] == "suspend" and words[3] == f"c{culprit[0]}" and began is not None and ended is None:
            if time - began < 0.9 * length_ms / 1000:
                began = None
            else:
                ended = time
        elif words[2] == "wake" and began is not None and ended is None:
            woken |= set(re.findall(r"coroutine:(\d+)", line))
        elif words[2] == "resume" and ended is not None and words[3][1:] in woken:
            waited.add(words[3][1:])
    return ended is not None and len(waited) >= waiters
