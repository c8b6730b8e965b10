# SPDX-License-Identifier: MIT
#
# Each adapter with its library: nothing above Suspect is said of the correct example, and of the one with a fault the
# fault, with its place. Arguments: the folder of the examples, and the engine's program.
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ENGINE = os.path.abspath(sys.argv.pop())
FOLDER = pathlib.Path(sys.argv.pop()).resolve()
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples/adapters"
LEFT_OUT = os.environ.get("ADAPTERS_LEFT_OUT", "").split()
PATIENCE_SECONDS = 100


def report_of(trace):
    done = subprocess.run([ENGINE, "report", "--format", "json", trace], capture_output=True, text=True, timeout=60,
                          check=False)
    return json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else {"findings": []}


def text_of(trace):
    """The report as it is read, on one line."""
    done = subprocess.run([ENGINE, "report", trace], capture_output=True, text=True, timeout=60, check=False)
    return " ".join(done.stdout.split())


def line_of(source, code):
    """Where the example has this code, as reports name it."""
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
        """The dump of a run that ends by itself."""
        subprocess.run(self.command(name, *arguments), capture_output=True, timeout=60, check=True)
        for finding in report_of(self.trace)["findings"]:
            self.assertEqual(finding["grade"], "suspect", finding["title"])
        return subprocess.run([ENGINE, "dump", self.trace], capture_output=True, text=True, timeout=60,
                              check=True).stdout

    def stuck(self, name, *arguments, rule="lost-wakeup"):
        """Ends the program once the growing trace shows a finding of that rule: the finding, and the whole report."""
        run = subprocess.Popen(self.command(name, *arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(self.kill_program, run)
        ends = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < ends:
            for finding in report_of(self.trace + ".partial")["findings"]:
                if finding["rule"] == rule and finding["grade"] != "suspect":
                    self.kill_program(run)
                    return finding, text_of(self.trace)
            time.sleep(0.2)
        self.fail(f"no {rule} in {PATIENCE_SECONDS} s")

    @staticmethod
    def kill_program(run):
        """A library may hold back other signals for as long as it waits. The engine ends with its program."""
        children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children")
        for child in children.read_text().split() if run.poll() is None else []:
            os.kill(int(child), signal.SIGKILL)
        run.wait()


class Asio(Adapter):
    def test_correct(self):
        events = self.healthy("example-asio-channel")
        self.assertIn("suspend", events)
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


class Stackful(Adapter):
    LIBRARIES = {"pth": "pth_mutex_acquire", "st": "st_mutex_lock"}

    def test_correct(self):
        for library in self.LIBRARIES:
            with self.subTest(library):
                events = self.healthy(f"example-{library}-jobs")
                for told in ("acquire", "notify", "point=yield", "condition:0x", "timer:", "deadline"):
                    self.assertIn(told, events)
                self.assertRegex(events, " wake c[0-9]+ coroutine:[0-9]+")

    def test_lost_wakeup(self):
        for library, wait in (("pth", "pth_cond_await"), ("st", "st_cond_wait")):
            with self.subTest(library):
                finding, text = self.stuck(f"example-{library}-jobs", "lose")
                self.assertEqual(finding["grade"], "proven")
                self.assertIn("20 coroutines", finding["title"])
                self.assertIn(f"{wait} in await_opening, examples/adapters/"
                              + line_of(f"{library}_jobs.c", f"{wait}("), finding["title"])
                self.assertIn("notify: the last change of condition", text)

    def test_locks_in_two_orders(self):
        for library, lock in self.LIBRARIES.items():
            with self.subTest(library):
                finding, text = self.stuck(f"example-{library}-jobs", "cross", rule="mutex-deadlock")
                self.assertEqual(finding["grade"], "proven")
                self.assertIn(f"{lock} in move_papers, examples/adapters/"
                              + line_of(f"{library}_jobs.c", f"{lock}(to"), finding["title"])
                self.assertIn("took lock 0x", text)


if __name__ == "__main__":
    unittest.main()
