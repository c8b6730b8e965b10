# SPDX-License-Identifier: MIT
"""Tests workers that loop in `await_suspend`: the report names them and the line, whether others are ready or all stand
still."""
import json
import pathlib

from support import BUILD, COROTRACER, SOURCE, check, folder, run

SPINNING = BUILD / "tests/targets/spinning"
TEXT = (SOURCE / "tests/targets/spinning.cpp").read_text().splitlines()
LINE = next(number for number, line in enumerate(TEXT, 1) if line.endswith("// here"))


def check_found(place, number):
    """Returns how many coroutines are ready meanwhile, by the title; none if there is a worker for each."""
    trace = place / "run.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", SPINNING, str(number), status=3)
    findings = json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)["findings"]
    check([finding["rule"] for finding in findings] == ["spinning-worker"],
          f"{number}: {[(finding['rule'], finding['title']) for finding in findings]}")
    found = findings[0]
    check(found["grade"] == "suspect" and 1 <= len(found["members"]) <= 2, f"{number}: {found['grade']}, {found['members']}")
    check("suspended at co_await Lock in use, " in found["title"] and f"spinning.cpp:{LINE}" in found["title"],
          f"{number}: {found['title']}")
    check(("ready" in found["title"]) == (number > 2), f"{number}: {found['title']}")


def main():
    with folder() as place:
        for number in (8, 2):
            check_found(pathlib.Path(place), number)


main()
