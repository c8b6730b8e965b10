#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests what reports say of Go programs with a fault, and of their healthy twins (programs/broken.go; the twin's name
ends in -not). A finding names its rule, its places, and the callers of the place where a goroutine waits and where it
was started. A convoy forms only while the processors are free for the program: a fault is tried up to five times. Skips
if Go is missing. Arguments: the tool, a folder to write to."""
import json
import os
import pathlib
import signal
import subprocess
import sys

import compare

# program: environment, options of report, rule and grade, words that title and evidence must contain
FAULTS = {
    "leaks": ({}, [], ("coroutine-leak", "likely"),
              ["'chan send' in main.answer", "started at main.late", "was started in main.late", "called by main.requests"]),
    "forgets": ({}, ["--threshold", "wait-limit=100ms"], ("lost-wakeup", "suspect"),
                ["3 coroutines wait", "sync in main.(*store).put", "waits in main.(*store).put",
                 "called by main.forget.func1", "was started in main.forget"]),
    "crosses": ({}, ["--threshold", "wait-limit=100ms"], ("mutex-deadlock", "suspect"),
                ["2 coroutines wait for locks", "in main.both", "in main.back", "in a circle"]),
    "convoy": ({}, [], ("lock-convoy", "suspect"),
               ["coroutines queue for a lock", "sync in main.share.func1", "was started in main.share",
                "came from one that had queued there itself"]),
}


TRIES = 5
UNSUPPORTED = 7


class Programs:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.failures = tool, folder, 0
        self.binary = compare.programs(folder)

    def check(self, is_true, sentence):
        self.failures += not is_true
        print(("" if is_true else "FAILED: ") + sentence)

    def findings(self, program, environment, options):
        path = self.folder / f"{program}.trace"
        subprocess.run([self.binary, program, path], check=True, env=os.environ | environment)
        result = subprocess.run([self.tool, "report", "--format", "json", *options, path], check=False,
                                capture_output=True, text=True)
        return json.loads(result.stdout)["findings"]

    def text_of(self, program, environment, options, rule):
        """Returns the first finding of this rule and grade; "" if there is none."""
        for finding in self.findings(program, environment, options):
            if (finding["rule"], finding["grade"]) == rule:
                return " ".join([finding["title"], *finding["evidence"]])
        return ""

    def check_fault(self, program, environment, options, rule, words):
        tries = (self.text_of(program, environment, options, rule) for _ in range(TRIES))
        text = next(filter(None, tries), "")
        self.check(all(word in text for word in words), f"{program}: {rule[1]} {rule[0]}, and says {words}: {text}")

    def check_twin(self, program, environment, options):
        found = [f"{one['grade']} {one['rule']}: {one['title']}" for one in self.findings(program, environment, options)]
        self.check(not found, f"{program}: no finding {found}")

    def check_run(self):
        """`run` of a Go program as if it had a probe: the message says how to get a trace of it."""
        for command, is_go in ((self.binary, True), ("true", False)):
            said = subprocess.run([self.tool, "run", "-o", self.folder / "run.ctrace", "--", command], check=False,
                                  capture_output=True, text=True).stderr
            self.check(("written in Go" in said) == is_go and "no probe attached" in said, f"run says of {command}: {said}")

    def check_process(self):
        """A process of Go as if it had a probe: the same message."""
        with subprocess.Popen([self.binary, "idles-not", self.folder / "stopped.trace"]) as process:
            process.send_signal(signal.SIGSTOP)
            for command in ("report", "attach"):
                told = subprocess.run([self.tool, command, str(process.pid)], check=False, capture_output=True, text=True)
                self.check(told.returncode == UNSUPPORTED and "written in Go" in told.stderr, f"{command} says {told}")
            process.kill()


def main():
    folder = pathlib.Path(sys.argv[2])
    programs = Programs(sys.argv[1], folder)
    for program, (environment, options, rule, words) in FAULTS.items():
        programs.check_fault(program, environment, options, rule, words)
        programs.check_twin(program + "-not", environment, options)
    programs.check_twin("idles-not", {}, ["--threshold", "wait-limit=100ms"])
    programs.check_run()
    programs.check_process()
    return 1 if programs.failures else 0


if __name__ == "__main__":
    sys.exit(main())
