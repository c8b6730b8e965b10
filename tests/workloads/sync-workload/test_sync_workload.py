# SPDX-License-Identifier: MIT
"""Tests the workloads by themselves, untraced: built correctly every scenario ends, and each planted fault happens.

The only argument is the folder that holds the programs. Other tests compare reports with the log of a program with a
fault; this test checks that the log names the fault every time, and that the program ends by itself.
"""
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(sys.argv.pop())
PATIENCE_SECONDS = 60
FAULT_RUNS = 3
AT_ONCE = 4  # they mostly wait

# For each fault: the number of coroutines that are stuck in the end, and how often the log names each thing.
FAULTS = {
    "b": ("dropped-wake", 2, {"cause": 1, "destroyed": 1}),
    "c": ("missed-notify", 2, {"cause": 1}),
    "d": ("dead-waiter", 1, {"cause": 1, "destroyed": 1}),
    "e": ("private-list", 2, {"cause": 2}),
    "f": ("double-resume", 0, {"cause": 1, "refused": 1}),
    "g": ("ghost-resume", 0, {"cause": 1, "destroyed": 1, "refused": 1}),
    "h": ("mutex-cycle", 3, {"cause": 3}),
    "i": ("await-cycle", 5, {"cause": 3}),
    "j": ("private-slot", 2, {"cause": 1}),
    "k": ("blocked-worker", 6, {"cause": 1}),
    "l": ("wake-storm", 0, {"cause": 1}),
    "m": ("leak", 300, {"cause": 300}),
}


def run(name, *arguments):
    # A stuck coroutine's frame is never freed: that is the planted fault, and not a failure of this test.
    options = os.environ.get("ASAN_OPTIONS", "")
    return subprocess.run([PROGRAMS / name, *arguments], capture_output=True, text=True, check=False,
                          timeout=PATIENCE_SECONDS, env={**os.environ, "ASAN_OPTIONS": options})


def scenarios():
    return [line.split()[0] for line in run("example-sync", "--list").stdout.splitlines()]


def play(test, program, *arguments):
    """Runs a program with a log; returns its output, and the log's lines, by their first word."""
    with tempfile.TemporaryDirectory(prefix="sync-workload-") as folder:
        log = pathlib.Path(folder) / "log"
        result = run(program, "--log", str(log), *arguments)
        test.assertEqual(result.returncode, 0, f"{program} {arguments}: {result.stdout}{result.stderr}")
        lines = collections.defaultdict(list)
        for word, *pairs in map(str.split, log.read_text().splitlines()):
            lines[word].append(dict(pair.split("=", 1) for pair in pairs))
        return result.stderr, lines


def play_all(test, plays):
    """Plays [(program, arguments ...)], some at the same time; returns each with the result of play()."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        yield from zip(plays, pool.map(lambda one: play(test, *one), plays))


class Correct(unittest.TestCase):
    def test_every_scenario_ends(self):
        names = scenarios()
        self.assertGreaterEqual(len(names), 28)
        plays = [("example-sync", "--scenario", name, "--workers", workers) for name in names for workers in ("2", "4", "7")
                 if (name, workers) != ("philosophers", "2")]
        for (_, _, name, _, workers), (said, log) in play_all(self, plays):
            with self.subTest(scenario=name, workers=workers):
                self.assertEqual(said, f"{name}: all coroutines have ended\n")
                self.assertLessEqual(set(log), {"scenario", "destroyed", "end"})
                self.assertEqual((log["scenario"][0]["name"], log["scenario"][0]["fault"]), (name, "-"))
                self.assertEqual(log["end"], [{"stuck": "0"}])


class Faults(unittest.TestCase):
    def test_each_happens_every_time(self):
        plays = [(f"example-sync-fault-{letter}",) for letter in FAULTS for _ in range(FAULT_RUNS)]
        for (program,), (said, log) in play_all(self, plays):
            letter = program[-1]
            name, stuck, expected = FAULTS[letter]
            with self.subTest(fault=letter):
                self.assertEqual([line["fault"] for line in log.pop("scenario")], [letter])
                self.assertEqual(log.pop("end"), [{"stuck": str(stuck)}], said)
                self.assertEqual(len(log.pop("stuck", [])), stuck, said)
                self.assertEqual({word: len(lines) for word, lines in log.items()}, expected, said)
                self.assertEqual({line["what"] for line in log["cause"]}, {name})
                words = f"{stuck} coroutines are stuck" if stuck else "all coroutines have ended"
                self.assertIn(words, said)


class Options(unittest.TestCase):
    def test_what_makes_no_sense_is_refused(self):
        for arguments in (("--scenario", "none"), ("--workers", "1"), ("--workers", "many"), ("word",)):
            with self.subTest(arguments=arguments):
                refused = run("example-sync", *arguments)
                self.assertEqual(refused.returncode, 2)
                self.assertNotEqual(refused.stderr, "")

    def test_log_that_can_not_be_made(self):
        refused = run("example-sync", "--log", "/no/such/folder/log")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("/no/such/folder/log", refused.stderr)


if __name__ == "__main__":
    unittest.main()
