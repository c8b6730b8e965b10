# SPDX-License-Identifier: MIT
"""Tests that corotracer run records only what is wanted, counts what it leaves out, and says so first.

Categories, samples, places, names, tasks; windows by time and by the program's own marks.
"""
import json
import pathlib
import re

from support import BUILD, COROTRACER, check, folder, run

ANNOTATED = BUILD / "tests/targets/annotated"
REQUESTS = 40


def record(place, options, *command, status=0):
    """Records; returns the trace's path and the output on standard error."""
    trace = pathlib.Path(place, "t.ctrace")
    result = run(COROTRACER, "run", "--no-ledger", "-o", trace, *options, "--", ANNOTATED, *command,
                 status=status)
    return trace, result.stderr


def events(trace):
    """Returns the events as (kind, coroutine, rest), and the whole text."""
    text = run(COROTRACER, "dump", trace).stdout
    found = re.findall(r"^\S+\s+t\d+ (?:p\d+ )?(\S+)(?: c(\d+))?(.*)$", text, re.MULTILINE)
    return [(kind, int(coro or 0), rest) for kind, coro, rest in found], text


def count(found, kind):
    return sum(1 for event in found if event[0] == kind)


def report(trace):
    return json.loads(run(COROTRACER, "report", "-f", "json", trace, status=None).stdout)


def check_everything(place):
    trace, said = record(place, [], "serve", REQUESTS)
    found, _ = events(trace)
    for kind, number in (("task-begin", REQUESTS), ("task-end", REQUESTS), ("region-begin", REQUESTS),
                         ("region-end", REQUESTS), ("log", REQUESTS), ("counter", REQUESTS), ("name", 1)):
        check(count(found, kind) == number, f"{count(found, kind)} events {kind}, not {number}")
    check("left out" not in said, f"nothing was left out, and yet: {said}")
    told = report(trace)
    check(told["quality"]["left_out"] == 0, "the report counts what was left out of a whole trace")
    spans = {(span["kind"], span["name"]): span["ended"] for span in told["spans"]}
    check(spans == {("task", "request"): REQUESTS // 2, ("task", "health check"): REQUESTS // 2,
                    ("region", "db.query"): REQUESTS}, f"tasks and regions are told as: {spans}")
    check([(counter["name"], counter["last"], counter["values"]) for counter in told["counters"]]
          == [("requests", REQUESTS, REQUESTS)], f"counters are told as: {told['counters']}")
    lengths = [task["duration_ns"] for task in told["slowest_tasks"]]
    check(len(lengths) == 10 and lengths == sorted(lengths, reverse=True), f"the slowest tasks: {lengths}")
    text = run(COROTRACER, "dump", trace).stdout
    check('# "db.query"' in text and '# "/index.h"' in text, "dump does not show what annotations are called")
    for form, words in (("text", "The slowest tasks"), ("md", "### Counters"), ("html", "<h2>Tasks and regions</h2>")):
        check(words in run(COROTRACER, "report", "-f", form, trace).stdout, f"the report as {form} lacks '{words}'")
    rows = run(COROTRACER, "export", "-o", "-", trace).stdout
    check("region-begin" in rows and "db.query" in rows, "an export does not name regions")


def check_categories(place):
    trace, _ = record(place, ["--no-category", "logs,counters"], "serve", REQUESTS)
    found, _ = events(trace)
    check(count(found, "log") == 0 and count(found, "counter") == 0, "a category that is off is in the trace")
    check(not any("detail=text" in rest for _, _, rest in found), "a message's text is left, and the message is not")
    check(report(trace)["quality"]["losses"] == [], "messages that are off lower findings")
    check(count(found, "region-begin") == REQUESTS, "a category that is on is missing")
    text = run(COROTRACER, "report", trace).stdout
    check("category logs, category counters" in text, f"the report does not say what is off: {text}")
    trace, _ = record(place, ["--categories", "tasks"], "serve", REQUESTS)
    found, _ = events(trace)
    check({kind for kind, _, _ in found} >= {"task-begin", "suspend", "mark"}, "--categories leaves out too much")
    check(count(found, "region-begin") == 0 and count(found, "log") == 0, "--categories leaves out too little")
    losses = report(trace)["quality"]["losses"]
    check({loss["reason"] for loss in losses} == {"category off"},
          f"that resources and descriptors are off is no doubt of the report: {losses}")
    for words, option in (("there is no category 'nothing'", "nothing"), ("cannot be left out", "scheduling")):
        refused = run(COROTRACER, "run", "--no-category", option, "--", "true", status=2).stderr
        check(words in refused, f"--no-category {option} is refused with: {refused}")


def lives(found):
    """Returns the kinds of events of each coroutine, in order."""
    by_coro = {}
    for kind, coro, _ in found:
        if coro and kind != "wake":
            by_coro.setdefault(coro, []).append(kind)
    return by_coro


def check_sample(place):
    trace, _ = record(place, [], "serve", REQUESTS)
    whole = lives(events(trace)[0])
    trace, said = record(place, ["--sample", "1/4"], "serve", REQUESTS)
    found, _ = events(trace)
    sample = lives(found)
    check(0 < len(sample) < len(whole), f"{len(sample)} of {len(whole)} coroutines are in the sample")
    for coro, kinds in sample.items():
        check(kinds == whole[coro], f"coroutine {coro} is not whole: {kinds}, and without --sample {whole[coro]}")
    woken = {int(rest.split("coroutine:")[1].split()[0]) for kind, _, rest in found if kind == "wake"}
    check(woken <= set(sample), f"wakes of others are left: {woken - set(sample)}")
    check(all(coro in woken for coro, kinds in sample.items() if "return" in kinds), "a wake is missing")
    quality = report(trace)["quality"]
    check(quality["left_out"] > 0 and quality["lost"] == 0, f"the report counts: {quality}")
    check(f"{quality['left_out']:,} left out" in said, f"run does not say what was left out: {said}")
    check("not in the sample" in run(COROTRACER, "report", trace).stdout, "the report does not say why")
    trace, said = record(place, ["--sample", "1/4", "--categories", "tasks"], "serve", REQUESTS)
    left_out = report(trace)["quality"]["left_out"]
    check(f" {left_out:,} left out" in said, f"run does not say what the report does, {left_out}: {said}")
    run(COROTRACER, "run", "--sample", "4", "--", "true", status=2)


def check_left_out(place):
    for option, pattern in (("--leave-out-task", "health*"), ("--leave-out-name", "acceptor"),
                            ("--leave-out-site", "connection"), ("--leave-out-site", "annotated.c:*")):
        trace, _ = record(place, [option, pattern], "serve", REQUESTS)
        found, text = events(trace)
        quality = report(trace)["quality"]
        check(quality["left_out"] > 0 and quality["lost"] == 0, f"{option} {pattern}: {quality}")
        check(quality["broken_transitions"] == 0, f"{option} {pattern} breaks lives: {quality}")
        if pattern == "health*":
            check(count(found, "task-begin") == REQUESTS // 2, "health checks are left, or requests gone")
            check(count(found, "region-begin") == REQUESTS // 2, "what health checks do is left")
            check(sum("mark=left-out" in rest for _, _, rest in found) == REQUESTS // 2,
                  "who was left out is not marked")
        elif pattern == "annotated.c:*":
            check(count(found, "suspend") == 0 and count(found, "region-begin") == 0, "a place is left")
        else:
            check(count(found, "suspend") == REQUESTS, "the acceptor's suspends are left, or others gone")
        check(pattern in text or pattern in run(COROTRACER, "report", trace).stdout, "the pattern is not told")


def check_marks(place):
    trace, _ = record(place, [], "phases")
    found, _ = events(trace)
    check(count(found, "counter") == 20, f"{count(found, 'counter')} values between stop and start, not 20")
    lost = [rest for kind, _, rest in found if kind == "lost"]
    check(len(lost) == 1 and "10 loss=stopped" in lost[0], f"the gap is told as: {lost}")
    check(report(trace)["quality"]["left_out"] == 10, "the gap counts for something else than left out")
    trace, _ = record(place, ["--wait-for-start"], "late")
    found, text = events(trace)
    check(count(found, "counter") == 11, f"{count(found, 'counter')} values from the start on, not 10 and the last")
    check(count(found, "suspend") == 1 and count(found, "create") == 1, f"who waits at the start is not told: {text}")
    check("before recording was started" in run(COROTRACER, "report", trace).stdout, "what was before is not told")
    trace, said = record(place, ["--wait-for-start"], "serve", 3)
    check("nothing was recorded" in said, f"that recording never started is not said: {said}")
    check("create" not in {kind for kind, _, _ in events(trace)[0]}, "recording started by itself")


def check_duration(place):
    """The trace gets its name while the program still works: the program waits for that."""
    trace = pathlib.Path(place, "d.ctrace")
    result = run(COROTRACER, "run", "-o", trace, "--duration", "50ms", "--", ANNOTATED, "until", trace, status=7)
    quality = report(trace)["quality"]
    check(quality["lost"] == 0, f"{quality['lost']} events were lost, though recording only ended")
    text = run(COROTRACER, "report", trace).stdout
    check("the program runs on" in text, f"the report does not say that recording ended early: {text}")
    check("t.ctrace.partial" not in result.stderr and not pathlib.Path(str(trace) + ".partial").exists(),
          "an unfinished trace is left")
    run(COROTRACER, "run", "--duration", "10", "--", "true", status=2)


def check_start_after(place):
    """A program that ends before recording starts."""
    trace, said = record(place, ["--start-after", "1h"], "serve", 3)
    check("nothing was recorded" in said, f"that nothing was recorded is not said: {said}")
    check(count(events(trace)[0], "create") == 0, "events of before the start are in the trace")


def main():
    with folder() as place:
        check_everything(place)
        check_categories(place)
        check_sample(place)
        check_left_out(place)
        check_marks(place)
        check_duration(place)
        check_start_after(place)


if __name__ == "__main__":
    main()
