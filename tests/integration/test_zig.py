# SPDX-License-Identifier: MIT
"""Tests a scheduler in Zig: the correct example has no finding, the fault is named with its places."""
import json
import pathlib
import sys

import environment
from support import COROTRACER, SOURCE, check, folder, run, skip

EXAMPLE = SOURCE / "examples/zig/mail.zig"


def findings(place, program, *arguments):
    trace = place / "mail.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", program, *arguments, status=None)
    check(" notify " in run(COROTRACER, "dump", trace).stdout, "the example told next to nothing")
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)
    return [finding for finding in report["findings"] if finding["grade"] != "suspect"]


def line_of(code):
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if code in line)


def main():
    with folder() as name:
        place = pathlib.Path(name)
        program = environment.build_zig(EXAMPLE, place / "mail")
        if not program:
            skip(f"no Zig is installed, and {environment.why_not('zig')}")
        said = [finding["title"] for finding in findings(place, program)]
        check(not said, f"the correct example: {said}")
        lost = [finding["title"] for finding in findings(place, program, "--fault") if finding["rule"] == "lost-wakeup"]
        waits, notifies = line_of('"a letter"'), line_of("corotracer.notify(")
        check(lost and f"in read, mail.zig:{waits}" in lost[0] and
              f"from write, mail.zig:{notifies} found nobody" in lost[0], f"the fault is not found: {lost}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
