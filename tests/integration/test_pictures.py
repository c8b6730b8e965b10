# SPDX-License-Identifier: MIT
"""Tests pictures from the command line: of the gravest finding or of a chosen finding, alone, in a page, in
Markdown."""
import pathlib
import sys
import xml.etree.ElementTree as xml

from support import COROTRACER, SOURCE, check, folder, run

USAGE, NOT_FOUND = 2, 4


def trace_of(case, place):
    text = (SOURCE / "tests/cases" / (case + ".case")).read_text(encoding="utf-8")
    path = place / (case + ".txt")
    path.write_text(text.split("--- trace\n", 1)[1].split("\n--- ", 1)[0] + "\n", encoding="utf-8")
    return path


def title(svg):
    return xml.fromstring(svg)[0].text


def check_alone(trace, place):
    gravest = run(COROTRACER, "report", "--format", "svg", trace).stdout
    check("coroutine 1 kept thread worker-0" in title(gravest), f"the gravest is drawn as '{title(gravest)}'")
    check(run(COROTRACER, "report", "-f", "svg", "--finding", "1", trace).stdout == gravest, "the first is another one")
    run(COROTRACER, "report", "-f", "svg", "--finding", "2", "-o", place / "second.svg", trace)
    second = (place / "second.svg").read_text(encoding="utf-8")
    check("nothing has run" in title(second), f"the second is drawn as '{title(second)}'")


def check_refused(trace, place):
    """A refusal is one sentence, and nothing is written."""
    for status, words, sentence in (
            (NOT_FOUND, ("-f", "svg", "--finding", "3"), "there is no finding 3: the report has 2"),
            (USAGE, ("--finding", "1"), "'--finding' goes with '--format svg'"),
            (USAGE, ("-f", "svg", "--finding", "0"), "'0'")):
        refused = run(COROTRACER, "report", *words, "-o", place / "none.svg", trace, status=None)
        check(refused.returncode == status and sentence in refused.stderr,
              f"{words}: status {refused.returncode}, not {status}: {refused.stderr}")
        check(not (place / "none.svg").exists(), f"{words} wrote a file all the same")


def check_page(trace):
    page = run(COROTRACER, "report", "--format", "html", trace).stdout
    check(page.count('class="picture" role="img"') == page.count('class="picture narrow" role="img"') == 2, "the page has not one picture for each finding")
    markdown = run(COROTRACER, "report", "--format", "md", trace).stdout
    check(markdown.count("```mermaid\nsequenceDiagram\n") == 2, "Markdown has not one diagram for each finding")
    check("sequenceDiagram" not in run(COROTRACER, "report", trace).stdout, "a terminal cannot draw")


def check_nothing(place):
    """A picture has the form that was asked for, also for a report without findings."""
    picture = run(COROTRACER, "report", "-f", "svg", trace_of("0009-closed-loss-elsewhere", place), status=None)
    check(picture.returncode == 0, picture.stderr)
    calm = run(COROTRACER, "report", "-f", "svg", trace_of("0161-granted-and-run", place)).stdout
    check("Nothing was found" in title(calm), f"a report without findings is drawn as '{title(calm)}'")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        trace = trace_of("0300-worker-hog", place)
        check_alone(trace, place)
        check_refused(trace, place)
        check_page(trace)
        check_nothing(place)


if __name__ == "__main__":
    sys.exit(main())
