# SPDX-License-Identifier: MIT
#
# Tests the scheduler of the guide: it ends as it should, there is no finding in its trace, and every line that the
# guide asks for is in the scheduler. Arguments: the program, and the engine's program.
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ENGINE = os.path.abspath(sys.argv.pop())
PROGRAM = os.path.abspath(sys.argv.pop())


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


class Traced(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="corotracer-guide-") as folder:
            trace = os.path.join(folder, "guide.ctrace")
            cls.said = run(ENGINE, "run", "-o", trace, "--", PROGRAM)
            cls.report = json.loads(run(ENGINE, "report", "--format", "json", trace))
            cls.lines = run(ENGINE, "dump", trace).splitlines()

    def has(self, *words):
        return any(all(word in line for word in words) for line in self.lines)

    def test_it_works(self):
        self.assertEqual(self.said, "sum 501000\n")

    def test_nothing_is_found(self):
        self.assertEqual(self.report["findings"], [])

    def test_what_was_told(self):
        for words in (("acquire", "lock"), ("notify", "channel"), ("park",), ("unpark",), ("suspend", "channel"),
                      ("suspend", "yield"), (" return ",), ("destroy",)):
            self.assertTrue(self.has(*words), f"no event with {words}")

    def test_wakes_name_their_wakers(self):
        wakes = [line for line in self.lines if " wake " in line]
        self.assertTrue(wakes)
        self.assertFalse([line for line in wakes if not re.search(r" wake c[1-9]", line)])


unittest.main()
