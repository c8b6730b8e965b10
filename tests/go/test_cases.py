#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests Go traces written by hand (cases.txt), and recorded traces that are changed without changing their meaning:
taken apart and put together again, with the batches of threads in another order, with all times equal, with times that
go back from thread to thread. Arguments: the program that prints events, a folder to write to."""
import pathlib
import random
import re
import subprocess
import sys

import compare
import wire_text

HERE = pathlib.Path(__file__).resolve().parent
CASE = re.compile(r"^== (.*)\n(Trace [\s\S]*?)^-- (events|error)\n([\s\S]*?)(?=^== |\Z)", re.MULTILINE)


class Reader:
    def __init__(self, program, folder):
        self.program, self.path, self.failures, self.checked = program, folder / "case.trace", 0, 0

    def lines(self, data):
        self.path.write_bytes(data)
        result = subprocess.run([self.program, self.path], check=False, capture_output=True, text=True)
        return result.stdout.splitlines()

    def check(self, is_true, sentence):
        self.checked += 1
        if not is_true:
            self.failures += 1
            print(sentence)


def stands_in_order(parts, lines):
    rest = iter(lines)
    return all(any(part in line for line in rest) for part in parts)


def check_cases(reader):
    for title, text, what, expected in CASE.findall((HERE / "cases.txt").read_text(encoding="utf-8")):
        lines = reader.lines(wire_text.assemble(text))
        parts = [line for line in expected.splitlines() if line]
        ended = bool(lines) and lines[-1].startswith("error: ")
        reader.check(stands_in_order(parts, lines) and ended == (what == "error"), f"{title}: {lines}")


def join(header, batches):
    out = bytearray(header)
    for kind, values, payload in batches:
        if kind == wire_text.END:
            out.append(kind)
            continue
        out += bytes([kind] + ([values["exp"]] if "exp" in values else []))
        out += wire_text.numbers(wire_text.HEAD, values) + wire_text.number(len(payload)) + payload
    return bytes(out)


def generations(batches):
    """Returns lists of batches of one generation, each with the marker after it, if there is one."""
    found, last = [], None
    for batch in batches:
        if batch[0] != wire_text.END and batch[1]["gen"] != last:
            found.append([])
            last = batch[1]["gen"]
        found[-1].append(batch)
    return found


def shuffled(batches, chance):
    """Puts the threads of each generation into another order; each thread's batches keep their order."""
    out = []
    for generation in generations(batches):
        markers = [batch for batch in generation if batch[0] == wire_text.END]
        rest = [batch for batch in generation if batch[0] != wire_text.END]
        threads = list({batch[1]["m"] for batch in rest})
        chance.shuffle(threads)
        out += [batch for thread in threads for batch in rest if batch[1]["m"] == thread] + markers
    return out


def is_events(batch):
    return batch[0] == wire_text.BATCH and batch[2] and batch[2][0] not in (2, 4, 6, 8, 50)


def at_times(batches, time_of):
    """Lets batches of events begin at other times; everything else stays."""
    return [(kind, values | {"time": time_of(values)}, payload) if is_events((kind, values, payload))
            else (kind, values, payload) for kind, values, payload in batches]


def without_times(lines):
    """Returns sequences of threads, goroutines and processors. Events that belong to no thread, and samples, are left
    out, because their place between other events is arbitrary."""
    found = compare.canonical([line for line in lines if " Sync " not in line and " Sample" not in line])
    return {key: value for key, value in found.items() if key != "all"}


def check_changed(reader, path, chance):
    data = path.read_bytes()
    batches, lines = list(wire_text.batches(data)), reader.lines(data)
    again = wire_text.assemble(wire_text.disassemble(data))
    reader.check(reader.lines(again) == lines, f"{path.name}: taken apart and put together, it is another trace")
    changed = {
        "threads in another order": shuffled(batches, chance),
        "times shifted": at_times(batches, lambda values: max(0, values["time"] + hash(values["m"]) % 40000 - 20000)),
        "all batches at one time": at_times(batches, lambda values: 1000),
        "times that go back": at_times(batches, lambda values: 10**9 - values["m"] % 10**6),
    }
    if "cgo" in path.name: # ids of goroutines that serve C threads are reused, and only times say in which order
        changed = {what: batches for what, batches in changed.items() if what == "threads in another order"}
    for what, batches in changed.items():
        found = without_times(reader.lines(join(data[:16], batches)))
        reader.check(found == without_times(lines), f"{path.name}: {what}: events are in another order")


def main():
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    reader = Reader(sys.argv[1], folder)
    check_cases(reader)
    for path in sorted((HERE / "golden").glob("*.trace")):
        check_changed(reader, path, random.Random(1))
    print(f"{reader.checked} checks, {reader.failures} failed")
    return 1 if reader.failures or not reader.checked else 0


if __name__ == "__main__":
    sys.exit(main())
