#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests traces of correct programs with several workers, of which a piece is missing.

Three programs are recorded. Each block of the traces is damaged, removed and cut at: what is left has no finding above
Suspect, and each command counts the same loss. An engine is killed while it records a server under load, and reports
are made of a growing trace: the same holds. ROUNDS (4) says how often.
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import time

from support import BUILD, COROTRACER, check, folder, run, seeded_chance

EXAMPLES = BUILD / "examples"
WORKLOADS = BUILD / "tests/workloads"
HEADER_BYTES, HEAD_BYTES = 64, 32
SCENARIOS = ["barriers", "contention", "producer-consumer"]


def report(path):
    """Returns what is lost, the findings above Suspect, and whether the end is open: how much came after it is not
    known."""
    told = json.loads(run(COROTRACER, "report", "--no-symbols", "--format", "json", path, status=None).stdout)
    grave = [finding["title"] for finding in told["findings"] if finding["grade"] != "suspect"]
    is_open = "behind the last heartbeat" in [loss["reason"] for loss in told["quality"]["losses"]]
    return told["quality"]["lost"], grave, is_open


def check_gap(path, what):
    lost, grave, is_open = report(path)
    check(lost > 0 or is_open, f"{what}: nothing is told to be missing")
    check(not grave, f"{what}: {grave}")
    return lost


def blocks_of(data):
    blocks, offset = [], HEADER_BYTES
    while offset < len(data):
        end = offset + HEAD_BYTES + struct.unpack_from("<I", data, offset + 12)[0]
        blocks.append(data[offset:end])
        offset = end
    return blocks


def damaged(block):
    return block[:-1] + bytes([block[-1] ^ 1])


def variants(blocks):
    """Yields for each block: its number, what was done to it, and the content of the file after that."""
    for i, block in enumerate(blocks):
        yield i, "damaged", blocks[:i] + [damaged(block)] + blocks[i + 1:]
        yield i, "taken out", blocks[:i] + blocks[i + 1:]
        if i:
            yield i, "cut at", blocks[:i] + [block[:len(block) // 2]]


def lost_by_info(path):
    match = re.search(r"^lost +([\d,]+) event", run(COROTRACER, "info", path, status=None).stdout, re.MULTILINE)
    return int(match[1].replace(",", ""))


def check_commands(scratch, path, lost, what):
    """The other commands count the same loss, and so do the files that they write."""
    check(lost_by_info(path) == lost, f"{what}: info counts {lost_by_info(path)}, report {lost}")
    saved, text, again = scratch / "saved.ctrace", scratch / "text", scratch / "again.ctrace"
    run(COROTRACER, "recover", path, "-o", saved)
    run(COROTRACER, "dump", path, "-o", text, status=0 if "taken out" in what else 5)
    run(COROTRACER, "assemble", text, "-o", again)
    for name in (saved, again):
        check(check_gap(name, f"{what}, {name.name}") == lost, f"{what}: {name.name} counts {report(name)[0]}, not {lost}")


def each_block(scratch, scenario):
    whole, path = scratch / "whole.ctrace", scratch / "block.ctrace"
    run(COROTRACER, "run", "-o", whole, "--", WORKLOADS / "example-sync", "--scenario", scenario)
    check(report(whole) == (0, [], False), f"{scenario}: {report(whole)}")
    data = whole.read_bytes()
    for i, deed, blocks in variants(blocks_of(data)):
        path.write_bytes(data[:HEADER_BYTES] + b"".join(blocks))
        lost = check_gap(path, f"{scenario}: block {i} {deed}")
        if i % 5 == 2:
            check_commands(scratch, path, lost, f"{scenario}: block {i} {deed}")


class Server:
    """A correct server with four workers, under load, as long as the with statement lasts."""

    def __init__(self, trace):
        self.engine = subprocess.Popen([COROTRACER, "run", "-o", trace, "--", EXAMPLES / "example-tcp-server",
                                        "--workers", "4", "--log", f"{trace}.log"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = re.search(r":(\d+)", self.engine.stdout.readline())[1]
        children = pathlib.Path(f"/proc/{self.engine.pid}/task/{self.engine.pid}/children").read_text().split()
        self.server = int(children[0])
        self.load = subprocess.Popen([EXAMPLES / "example-tcp-load", "--port", port, "--connections", "20",
                                      "--duration", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.server, 9)
        for child in (self.engine, self.load):
            child.kill()
            child.wait()
        self.engine.stdout.close()


def wait_for_bytes(path, count):
    while path.stat().st_size < count:
        time.sleep(0.001)


def killed_engine(scratch, chance):
    trace = scratch / "killed.ctrace"
    partial = scratch / "killed.ctrace.partial"
    with Server(trace) as server:
        wait_for_bytes(partial, chance.randrange(1, 600_000))
        server.engine.kill()
        server.engine.wait()
        check_gap(partial, "an engine was killed")
    partial.unlink()


def growing(scratch, chance, rounds):
    trace, copy = scratch / "growing.ctrace", scratch / "copy.ctrace"
    partial = scratch / "growing.ctrace.partial"
    with Server(trace):
        for _ in range(rounds):
            wait_for_bytes(partial, partial.stat().st_size + chance.randrange(1, 300_000))
            shutil.copyfile(partial, copy)
            check_gap(copy, "a trace that grows")


def main():
    rounds = int(os.environ.get("ROUNDS", "4"))
    chance = seeded_chance()
    with folder() as name:
        scratch = pathlib.Path(name)
        for scenario in SCENARIOS:
            each_block(scratch, scenario)
        for _ in range(rounds):
            killed_engine(scratch, chance)
        growing(scratch, chance, rounds)


if __name__ == "__main__":
    sys.exit(main())
