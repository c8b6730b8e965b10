# SPDX-License-Identifier: MIT
#
# Tests each adapter with its library: the correct example has no finding above Suspect, and the example with a fault
# has the fault, with its place. Arguments: the folder of the examples, the engine's program, and adapter-attaches.
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ATTACHES = pathlib.Path(sys.argv.pop()).resolve()
ENGINE = os.path.abspath(sys.argv.pop())
FOLDER = pathlib.Path(sys.argv.pop()).resolve()
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples/adapters"
LEFT_OUT = os.environ.get("ADAPTERS_LEFT_OUT", "").split()
PATIENCE_SECONDS = 100


def report_of(trace):
    done = subprocess.run([ENGINE, "report", "--format", "json", trace], capture_output=True, text=True, timeout=60,
                          check=False)
    return json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else {"findings": []}


def text_of(trace, *options):
    """Returns the report as text, on one line."""
    done = subprocess.run([ENGINE, "report", *options, trace], capture_output=True, text=True, timeout=60, check=False)
    return " ".join(done.stdout.split())


def line_of(source, code):
    """Returns the place of this code in the example, as reports name it."""
    lines = (SOURCES / source).read_text(encoding="utf-8").splitlines()
    return f"{source}:{[code in line for line in lines].index(True) + 1}"


class Adapter(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="corotracer-adapter-")
        self.addCleanup(place.cleanup)
        self.trace = os.path.join(place.name, "run.ctrace")

    def command(self, name, *arguments):
        self.assertNotIn(name, LEFT_OUT, f"{name} does not compile here")
        if not (FOLDER / name).exists():
            self.skipTest(f"{name} is not built: its library is not installed")
        return [ENGINE, "run", "-o", self.trace, "--", FOLDER / name, *arguments]

    def healthy(self, name, *arguments):
        """Returns the dump of a run that ends by itself."""
        subprocess.run(self.command(name, *arguments), capture_output=True, timeout=60, check=True)
        for finding in report_of(self.trace)["findings"]:
            self.assertEqual(finding["grade"], "suspect", finding["title"])
        return subprocess.run([ENGINE, "dump", self.trace], capture_output=True, text=True, timeout=60,
                              check=True).stdout

    def stuck(self, name, *arguments, rule="lost-wakeup", grades=("likely", "proven")):
        """Ends the program once the growing trace has a finding of the rule and of such a grade; returns the finding,
        and the whole report."""
        run = subprocess.Popen(self.command(name, *arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(self.kill_program, run)
        ends = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < ends:
            for finding in report_of(self.trace + ".partial")["findings"]:
                if finding["rule"] == rule and finding["grade"] in grades:
                    self.kill_program(run)
                    return finding, text_of(self.trace)
            time.sleep(0.2)
        self.fail(f"no {rule} in {PATIENCE_SECONDS} s")

    @staticmethod
    def kill_program(run):
        """Kills the program by SIGKILL: a library may block other signals while it waits. The engine ends with its
        program."""
        children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children")
        for child in children.read_text().split() if run.poll() is None else []:
            os.kill(int(child), signal.SIGKILL)
        run.wait()


    def assert_created(self, events, number):
        """Checks that the program's own coroutines are recorded, and none that the library makes for itself."""
        self.assertEqual(events.count(" create "), number)


class Asio(Adapter):
    def test_correct(self):
        events = self.healthy("example-asio-channel")
        self.assert_created(events, 61)  # 60 senders and a reader
        self.assertIn("channel:0x", events)

    def test_senders_nobody_reads(self):
        for fault in ("close", "leave"):
            with self.subTest(fault):
                finding, text = self.stuck("example-asio-channel", fault)
                self.assertEqual(finding["grade"], "proven")
                self.assertIn("50 of 60 coroutines", finding["title"])
                self.assertIn("async_send in send", finding["title"])
                self.assertIn(line_of("asio_channel.cpp", "orders.async_send"), finding["title"])
                self.assertIn("at read, examples/adapters/" + line_of("asio_channel.cpp", "orders.async_receive"), text)


class BoostAsio(Adapter):
    def test_correct(self):
        events = self.healthy("example-boost-asio-gate")
        self.assert_created(events, 41)  # 20 visitors, the coroutine that shows each visitor's ticket, and a guard
        self.assertIn("point=await", events)

    def test_lost_wakeup(self):
        finding, text = self.stuck("example-boost-asio-gate", "lose")
        self.assertEqual(finding["grade"], "proven")
        self.assertIn("20 coroutines", finding["title"])
        self.assertIn("in visit, examples/adapters/" + line_of("boost_asio_gate.cpp", "co_await gate.async_opened"),
                      finding["title"])
        self.assertIn("at main, examples/adapters/" + line_of("boost_asio_gate.cpp", "co_spawn(context, visit"), text)


class BoostFiber(Adapter):
    def test_correct(self):
        events = self.healthy("example-fiber-mailbox")
        self.assertIn("acquire", events)
        self.assertIn("point=yield", events)

    def test_lost_wakeup(self):
        finding, text = self.stuck("example-fiber-mailbox", "lose")
        self.assertEqual(finding["grade"], "proven")
        self.assertIn("20 coroutines", finding["title"])
        self.assertIn("at read, examples/adapters/" + line_of("fiber_mailbox.cpp", "fiber_wait wait"), finding["title"])
        self.assertIn("to wait for condition 0x", text)
        self.assertIn("started at", text)
        self.assertIn("20 waiting, 1 done", text)  # the writer has come to its end

    def test_plain_mutex(self):
        """A mutex of the library's own is not named: the report says that locks are waited for, and how to name them."""
        events = self.healthy("example-fiber-transfers")
        self.assertIn("lock:0x0", events)
        finding, _ = self.stuck("example-fiber-transfers", "cross", grades=("suspect",))
        self.assertIn("2 coroutines wait", finding["title"])
        self.assertIn(line_of("fiber_transfers.cpp", "second.mutex.lock()"), finding["title"])
        text = text_of(self.trace, "--threshold", "standstill.time=100ms")
        self.assertIn("for a lock that is not named: declare the mutex as a `corotracer::traced_mutex`", text)


class Attachment(unittest.TestCase):
    """An adapter's header attaches before main, also if the program itself attaches; it does not attach forked
    children."""

    def test_with_engine(self):
        with tempfile.TemporaryDirectory(prefix="corotracer-adapter-") as place:
            done = subprocess.run([ENGINE, "run", "-o", os.path.join(place, "run.ctrace"), "--", ATTACHES],
                                  capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stdout.split(), ["main:1", "again:1", "child:0", "attached-child:1"])

    def test_without_engine(self):
        done = subprocess.run([ATTACHES], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stdout.split(), ["main:0", "again:0", "child:0", "attached-child:0"])
        self.assertEqual(done.stderr, "")


class Stackful:
    """Tests that hold for each C library of fibers: `library` names the example, `lock` and `wait` its calls."""

    def test_correct(self):
        events = self.healthy(f"example-{self.library}-jobs")
        for told in ("acquire", "notify", "point=yield", "condition:0x", "timer:", "deadline"):
            self.assertIn(told, events)
        self.assertRegex(events, " wake c[0-9]+ coroutine:[0-9]+")

    def test_lost_wakeup(self):
        finding, text = self.stuck(f"example-{self.library}-jobs", "lose")
        self.assertEqual(finding["grade"], "proven")
        self.assertIn("20 coroutines", finding["title"])
        self.assertIn(f"{self.wait} in await_opening, examples/adapters/"
                      + line_of(f"{self.library}_jobs.c", f"{self.wait}("), finding["title"])
        self.assertIn("and woke nobody: its last change", text)

    def test_locks_in_two_orders(self):
        finding, text = self.stuck(f"example-{self.library}-jobs", "cross", rule="mutex-deadlock")
        self.assertEqual(finding["grade"], "proven")
        self.assertIn(f"{self.lock} in move_papers, examples/adapters/"
                      + line_of(f"{self.library}_jobs.c", f"{self.lock}(to"), finding["title"])
        self.assertIn("took lock 0x", text)


class Pth(Stackful, Adapter):
    library, lock, wait = "pth", "pth_mutex_acquire", "pth_cond_await"


class StateThreads(Stackful, Adapter):
    library, lock, wait = "st", "st_mutex_lock", "st_cond_wait"


if __name__ == "__main__":
    unittest.main()
