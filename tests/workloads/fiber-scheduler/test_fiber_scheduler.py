# SPDX-License-Identifier: MIT
#
# Tests the fiber scheduler: every scenario in the correct builds, where nothing may be stuck, and every planted fault,
# for which the program's own log must say exactly what is expected; untraced, and recorded by the engine, whose trace
# must say the same. Arguments: the folder that holds the programs, and the engine's program.
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import unittest

ENGINE = os.path.abspath(sys.argv.pop())
PROGRAMS = os.path.abspath(sys.argv.pop())
PATIENCE_SECONDS = 60
AT_ONCE = 6  # they mostly wait

SCENARIOS = [
    "mixed", "dropped-wake", "missed-notify", "dead-waiter", "private-list", "double-resume",
    "ghost-resume", "mutex-cycle", "await-cycle", "private-slot", "blocked-worker", "wake-storm", "leak",
]
# Coroutines that are destroyed while they wait even if everything is right.
DESTROYED_BY_DESIGN = {"mixed": ["cancelled"], "dead-waiter": ["victim"], "ghost-resume": ["sleeper"]}


class Fault:
    """What the log of a faulty build must say: names of fibers, and the states of those that are stuck."""

    def __init__(self, name, stuck=None, destroyed=(), victim=None, culprit=None, count=1):
        self.name = name
        self.stuck = stuck or {}
        self.destroyed = list(destroyed)
        self.victim = victim
        self.culprit = culprit
        self.count = count


FAULTS = {
    "b": Fault("dropped-wake", {"other": "waiting"}, ["holder"], "holder", "sender"),
    "c": Fault("missed-notify", {"consumer": "waiting"}, victim="consumer"),
    "d": Fault("dead-waiter", {"heir": "waiting"}, ["victim"], "victim", "holder"),
    "e": Fault("private-list", {"waiter-2": "waiting"}, victim="waiter-2", culprit="releaser-1"),
    "f": Fault("double-resume", victim="target"),
    "g": Fault("ghost-resume", destroyed=["sleeper"], victim="sleeper"),
    "h": Fault("mutex-cycle", {"forward": "waiting", "backward": "waiting"},
               victim="backward", culprit="forward"),
    "i": Fault("await-cycle", {"first": "waiting", "second": "waiting", "third": "waiting"},
               victim="first", culprit="third"),
    "j": Fault("private-slot", {"answerer": "ready", "asker": "running"},
               victim="answerer", culprit="asker"),
    "k": Fault("blocked-worker", {"reader": "running", "writer": "ready", "bystander-1": "ready",
                                  "bystander-2": "ready"}, victim="reader"),
    "l": Fault("wake-storm", victim="poller", culprit="poller"),
    "m": Fault("leak", {"auditor": "waiting"}, victim="auditor", culprit="server", count=100),
}


class Log:
    """The program's own log, by the first word of each line."""

    def __init__(self, text):
        self.lines = {}
        for line in text.splitlines():
            word, *pairs = line.split()
            self.lines.setdefault(word, []).append(dict(pair.split("=", 1) for pair in pairs))

    def all(self, word):
        return self.lines.get(word, [])

    def names(self, word):
        return sorted(line["name"] for line in self.all(word))

    def ids(self, name):
        """Returns the ids of all fibers of that name, in order of their creation."""
        return [int(line["coroutine"]) for line in self.all("fiber") if line["name"] == name]

    def name_of(self, coroutine):
        return next(line["name"] for line in self.all("fiber") if line["coroutine"] == coroutine)


def play(program, *arguments, engine=()):
    """Runs a program to its end; returns its log, and its output on standard error."""
    with tempfile.NamedTemporaryFile("r", prefix="fibers-", suffix=".log") as log:
        result = subprocess.run(
            [*engine, os.path.join(PROGRAMS, program), "--log", log.name, *arguments],
            capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
        if result.returncode != 0:
            raise AssertionError(f"{program} {arguments}: status {result.returncode}\n{result.stderr}")
        return Log(log.read()), result.stderr


class Event:
    """One line of `corotracer dump`: time, thread, kind, coroutine, object, and the rest by name."""

    PATTERN = re.compile(r"([0-9.]+)s t(\d+) (\S+)(?: c(\d+))?(?: ([^@\s=]+(?=\s|$)))?(.*)")

    def __init__(self, line):
        match = self.PATTERN.fullmatch(line)
        self.line = line
        self.thread = int(match[2])
        self.kind = match[3]
        self.coroutine = int(match[4] or 0)
        self.object = match[5] or ""
        self.values = dict(word.split("=", 1) for word in match[6].split() if "=" in word)

    def is_wake_of(self, coroutine):
        return self.kind == "wake" and self.object == f"coroutine:{coroutine}"

    def enters(self, coroutine):
        return ((self.kind == "resume" and self.coroutine == coroutine)
                or (self.kind == "switch" and self.object == f"c{coroutine}"))

    def leaves(self, coroutine):
        return self.kind in ("switch", "suspend") and self.coroutine == coroutine


def record(program, *arguments):
    """Runs a program under the engine; returns its log and the trace's events."""
    with tempfile.TemporaryDirectory(prefix="fibers-") as folder:
        trace = os.path.join(folder, "x.ctrace")
        log, _ = play(program, *arguments, engine=[ENGINE, "run", "-o", trace, "--"])
        text = subprocess.run([ENGINE, "dump", "--no-symbols", trace], capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS, check=True).stdout
    return log, [Event(line) for line in text.splitlines() if re.match(r"[0-9.]+s t\d", line)]


def places(events, condition):
    return [place for place, event in enumerate(events) if condition(event)]


def play_all(plays):
    """Plays [(program, arguments ...)], some at the same time; returns each with the result of play()."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        yield from zip(plays, pool.map(lambda one: play(*one), plays))


class Untraced(unittest.TestCase):
    def test_correct(self):
        builds = ("example-fibers", "example-fibers-ucontext", "example-fibers-address", "example-fibers-thread")
        plays = [(program, "--scenario", scenario) for program in builds for scenario in SCENARIOS]
        plays += [("example-fibers", "--scenario", "mixed", "--workers", workers) for workers in ("1", "2", "3", "8")]
        for one, (log, said) in play_all(plays):
            with self.subTest(play=one):
                self.assertEqual(said, "")
                self.assertEqual(log.all("cause"), [])
                self.assertEqual(log.all("stuck"), [])
                self.assertEqual(log.names("destroyed"), DESTROYED_BY_DESIGN.get(one[2], []))
                self.assertEqual(len(log.all("end")), 1)

    def test_faults(self):
        plays = [("example-fibers-fault-" + letter,) for letter in FAULTS]
        for fault, (_, (log, said)) in zip(FAULTS.values(), play_all(plays)):
            with self.subTest(fault=fault.name):
                check_fault(self, log, fault)
                stuck = len(log.all("stuck"))
                self.assertEqual(said, f"{stuck} fibers are stuck\n" if stuck else "")


def check_fault(test, log, fault):
    test.assertEqual({line["name"]: line["state"] for line in log.all("stuck")}, fault.stuck)
    test.assertEqual(len(log.all("stuck")), len(fault.stuck) * fault.count)
    test.assertEqual(log.names("destroyed"), fault.destroyed)
    causes = log.all("cause")
    test.assertEqual([line["what"] for line in causes], [fault.name] * fault.count)


class Traced(unittest.TestCase):
    """The trace must contain what the rules have to find."""

    @classmethod
    def setUpClass(cls):
        wanted = [("example-fibers-fault-" + letter,) for letter in FAULTS]
        wanted += [("example-fibers", "--scenario", scenario) for scenario in SCENARIOS]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            cls.recorded = dict(zip(wanted, pool.map(lambda one: record(*one), wanted)))

    def recorded_scenario(self, name):
        return self.recorded["example-fibers", "--scenario", name]

    def check_ids(self, log, events):
        """Each fiber of the log was created once; fibers that ended were destroyed, the others were not."""
        ids = [int(line["coroutine"]) for line in log.all("fiber")]
        self.assertEqual(len(set(ids)), len(ids))
        self.assertNotIn(0, ids)
        created = [event.coroutine for event in events if event.kind == "create"]
        self.assertEqual(sorted(created), sorted(ids))
        destroyed = {event.coroutine: event.values["life"] for event in events if event.kind == "destroy"}
        stuck = {int(line["coroutine"]) for line in log.all("stuck")}
        self.assertEqual(set(destroyed), set(ids) - stuck)
        for line in log.all("destroyed"):
            self.assertEqual(destroyed.pop(int(line["coroutine"])), "suspended")
        self.assertLessEqual(set(destroyed.values()), {"done"})

    def record_fault(self, letter):
        fault = FAULTS[letter]
        log, events = self.recorded["example-fibers-fault-" + letter,]
        check_fault(self, log, fault)
        self.check_ids(log, events)
        for cause in log.all("cause"):
            self.assertEqual(log.name_of(cause["coroutine"]), fault.victim)
            if fault.culprit:
                self.assertEqual(log.name_of(cause["by"]), fault.culprit)
        return log, events

    def test_correct(self):
        for scenario in SCENARIOS:
            with self.subTest(scenario=scenario):
                log, events = self.recorded_scenario(scenario)
                self.assertEqual(log.all("stuck"), [])
                self.check_ids(log, events)
                self.check_threads(events)

    def check_threads(self, events):
        """The fiber that leaves a thread is the fiber that ran on it: each record lies in the ring of the thread that
        wrote it."""
        runs = {}
        for event in events:
            if event.kind in ("switch", "suspend"):
                self.assertEqual(runs.get(event.thread, 0), event.coroutine, event.line)
                entered = event.object[1:] if event.kind == "switch" else ""
                runs[event.thread] = int(entered or 0)
            elif event.kind == "resume":
                self.assertEqual(runs.get(event.thread, 0), 0, event.line)
                runs[event.thread] = event.coroutine

    def test_fibers_migrate(self):
        _, events = self.recorded_scenario("mixed")
        threads = {}
        for event in events:
            if event.kind == "switch" and event.object not in ("", "c0"):
                threads.setdefault(event.object, set()).add(event.thread)
        self.assertTrue(any(len(each) > 1 for each in threads.values()))

    def test_dropped_wake(self):
        log, events = self.record_fault("b")
        [holder], [other] = log.ids("holder"), log.ids("other")
        left = places(events, lambda event: event.leaves(holder))[-1]
        wakes = [event for event in events[left:] if event.is_wake_of(holder)]
        self.assertEqual([event.values["outcome"] for event in wakes], ["target-running"])
        self.assertFalse(any(event.enters(holder) for event in events[left:]))
        self.assertTrue(events[places(events, lambda event: event.leaves(other))[-1]])

    def test_missed_notify(self):
        log, events = self.record_fault("c")
        [consumer] = log.ids("consumer")
        left = places(events, lambda event: event.leaves(consumer))[-1]
        channel = events[left + 1]
        self.assertEqual((channel.kind, channel.values["detail"]), ("detail", "resource"))
        notified = [event for event in events if event.kind == "notify"
                    and event.object.startswith("channel:")]
        self.assertEqual(len(notified), 3)
        self.assertTrue(all(event.values.get("argument", "0") == "0" for event in notified))
        self.assertLess(events.index(notified[-1]), left)

    def test_dead_waiter(self):
        log, events = self.record_fault("d")
        [victim] = log.ids("victim")
        destroyed = places(events, lambda event: event.kind == "destroy"
                           and event.coroutine == victim)[0]
        handed = places(events, lambda event: event.kind == "hand-over")[-1]
        self.assertLess(destroyed, handed)
        self.assertEqual(events[handed + 1].values["detail"], "receiver")
        self.assertIn(str(victim), events[handed + 1].object)
        wakes = [event for event in events[handed:] if event.is_wake_of(victim)]
        self.assertEqual([event.values["outcome"] for event in wakes], ["no-target"])

    def test_private_list(self):
        log, events = self.record_fault("e")
        [waiter], [releaser] = log.ids("waiter-2"), log.ids("releaser-2")
        left = places(events, lambda event: event.leaves(waiter))[-1]
        notified = [event for event in events[left:]
                    if event.kind == "notify" and event.coroutine == releaser]
        self.assertEqual([event.values.get("argument", "0") for event in notified], ["0"])

    def test_double_resume(self):
        log, events = self.record_fault("f")
        [target] = log.ids("target")
        moves = [event for event in events if event.enters(target) or event.leaves(target)]
        twice = [first.thread != second.thread for first, second in zip(moves, moves[1:])
                 if first.enters(target) and second.enters(target)]
        self.assertEqual(twice, [True])

    def test_ghost_resume(self):
        log, events = self.record_fault("g")
        [sleeper] = log.ids("sleeper")
        destroyed = places(events, lambda event: event.kind == "destroy"
                           and event.coroutine == sleeper)[0]
        after = [event for event in events[destroyed + 1:]
                 if event.is_wake_of(sleeper) or event.enters(sleeper)]
        self.assertEqual([event.kind for event in after], ["wake", "resume"])

    def test_mutex_cycle(self):
        log, events = self.record_fault("h")
        locks = {}
        for name in ("forward", "backward"):
            [fiber] = log.ids(name)
            taken = [event.object for event in events
                     if event.kind == "acquire" and event.coroutine == fiber]
            self.assertEqual(len(taken), 1)
            locks[name] = taken[0]
        self.assertNotEqual(locks["forward"], locks["backward"])

    def test_await_cycle(self):
        log, events = self.record_fault("i")
        awaits = {event.coroutine: event.object for event in events if event.kind == "await"}
        first, second, third = (log.ids(name)[0] for name in ("first", "second", "third"))
        self.assertEqual(
            awaits, {first: f"c{second}", second: f"c{third}", third: f"c{first}"})
        self.assertFalse([event for event in events if event.kind == "await-done"])

    def test_private_slot(self):
        log, events = self.record_fault("j")
        [answerer] = log.ids("answerer")
        queued = [event for event in events if event.kind in ("enqueue", "dequeue")
                  and event.coroutine == answerer]
        self.assertEqual(queued[-1].kind, "enqueue")
        self.assertEqual(queued[-1].values["flags"], "0x1")

    def test_blocked_worker(self):
        log, events = self.record_fault("k")
        [reader], [writer] = log.ids("reader"), log.ids("writer")
        self.assertFalse([event for event in events if event.leaves(reader)])
        self.assertFalse([event for event in events if event.enters(writer)])

    def test_wake_storm(self):
        log, events = self.record_fault("l")
        [poller] = log.ids("poller")
        wakes = [event for event in events if event.is_wake_of(poller)]
        own = [event for event in wakes if event.coroutine == poller]
        self.assertGreater(len(own), 1000)
        self.assertGreater(2 * len(own), len(wakes))

    def test_leak(self):
        log, events = self.record_fault("m")
        self.assertEqual(len(log.ids("auditor")), 200)
        sites = {event.line.split("@")[1] for event in events
                 if event.kind == "create" and event.coroutine in log.ids("auditor")}
        self.assertEqual(len(sites), 1)


if __name__ == "__main__":
    unittest.main()
