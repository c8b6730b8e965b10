#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests a scheduler that sleeps in its own epoll: nobody outside can wake it through an eventfd, timer or pipe of its
own.

P-33 in a real program: the ledger records what each descriptor is, and the report proves a lost wakeup only if none of
the descriptors can become ready from outside, by a timer, or by a signal handler.
"""
import concurrent.futures
import json

from support import BUILD, COROTRACER, check, folder, run

TARGET = BUILD / "tests/targets/own_poll"
PROVEN = (["event"], ["timer"], ["pipe"], ["event", "timer", "pipe"], ["pipe", "orphans"])
SILENT = (["event", "set"], ["event", "socket"])
STANDING = (["event", "handler"], ["pipe", "handler"])  # a signal may still come, although nothing says that one will


def findings_of(scratch, words):
    """Returns grades and rules of the findings on the target, and the trace as text."""
    trace = scratch + "/" + "-".join(words) + ".ctrace"
    run(COROTRACER, "run", "-o", trace, "--", TARGET, *words, status=None)
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
    return [(finding["grade"], finding["rule"]) for finding in report["findings"]], run(COROTRACER, "dump", trace).stdout


def main():
    with folder() as scratch, concurrent.futures.ThreadPoolExecutor(8) as pool:
        tries = {words: pool.submit(findings_of, scratch, words.split()) for words in map(" ".join, PROVEN + SILENT + STANDING)}
        for words, each in tries.items():
            findings, dump = each.result()
            check("function=ctp_" not in dump, f"{words}: the probe's own descriptors are told:\n{dump}")
            check("thread-state" in dump, f"{words}: the engine did not look:\n{dump}")
            wanted = [("proven", "lost-wakeup")] if words.split() in PROVEN else []
            if words.split() in STANDING:
                wanted = [("suspect", "standstill")]
            check(findings == wanted, f"{words}: {findings}, not {wanted}\n{dump}")
    check("type=epoll" in dump and "type=pipe flags=0x100" in dump, f"the dump names no types:\n{dump}")


main()
