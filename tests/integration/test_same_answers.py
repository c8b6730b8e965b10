#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that one question has one answer: for all cases the words and numbers of the page, `top`, the report and an
assistant (same_words.py); and fourteen questions about a real run that hangs, in every interface: the report as JSON,
the words of `stats`, SQL, an assistant's tools, `check`, and the data of the page and of `top`. docs/design/view.md
says where each answer is made.
"""
import json
import pathlib
import re

from packed import Rows
from same_words import check_cases
from served import Server, judged
from support import BUILD, COROTRACER, check, folder, run
from test_mcp import Server as Assistant

FAULTY = BUILD / "examples/example-tcp-server-fault-a"
PLACE = "server.cpp:205"
# Each question, with the SQL that answers it; each interface below has its own answer under the same name.
QUESTIONS = {
    "events": "SELECT count(*) FROM events",
    "lost": "SELECT nr_lost FROM trace",
    "coroutines": "SELECT count(*) FROM coroutines",
    "findings": "SELECT count(*) FROM findings",
    "on another thread": "SELECT sum(nr_migrations) FROM coroutines",
    "p99 of all delays": "SELECT p99(duration_ns) FROM delays WHERE NOT is_open",
    "waiting there": "SELECT count(*) FROM waits WHERE is_open AND place LIKE :place",
    "longest that goes on there": "SELECT max(duration_ns) FROM waits WHERE is_open AND place LIKE :place",
    "ended there": "SELECT count(*) FROM waits WHERE NOT is_open AND place LIKE :place",
    "time of those": "SELECT sum(duration_ns) FROM waits WHERE NOT is_open AND place LIKE :place",
    "p99 of those": "SELECT p99(duration_ns) FROM waits WHERE NOT is_open AND place LIKE :place",
    "longest of those": "SELECT max(duration_ns) FROM waits WHERE NOT is_open AND place LIKE :place",
    "p99 delay behind those": "SELECT p99(duration_ns) FROM delays WHERE NOT is_open AND place LIKE :place",
    "longest run from there": "SELECT max(duration_ns) FROM runs WHERE NOT is_open AND place LIKE :place",
}
COUNTS = ("events", "lost", "coroutines", "findings", "on another thread", "waiting there", "ended there")


def by_sql(trace):
    answers = {}
    for question, sql in QUESTIONS.items():
        sql = sql.replace(":place", f"'%{PLACE}'")
        answers[question] = json.loads(run(COROTRACER, "query", "--format", "json", trace, sql).stdout)[0].popitem()[1]
    return answers


def by_report(trace):
    told = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
    sites = {site["index"]: site for site in told["sites"]}
    place = next(each for each in told["statistics"]["places"]
                 if f"{sites[each['site']]['file']}:{sites[each['site']]['line']}".endswith(PLACE))
    return {"events": told["quality"]["events"], "lost": told["quality"]["lost"], "coroutines": told["quality"]["coroutines"],
            "findings": len(told["findings"]), "on another thread": told["statistics"]["migrations"],
            "p99 of all delays": told["statistics"]["delays"]["p99_ns"], "waiting there": place["waiting"],
            "longest that goes on there": place["longest_waiting_ns"], "ended there": place["waits"]["count"],
            "time of those": place["waits"]["total_ns"], "p99 of those": place["waits"]["p99_ns"],
            "longest of those": place["waits"]["max_ns"], "p99 delay behind those": place["delays"]["p99_ns"],
            "longest run from there": place["runs"]["max_ns"]}


def by_page(trace):
    """Returns what the page requests from its server, as numbers."""
    server = Server("serve", "--listen", ":0", trace)
    judged(server)

    def select(columns, table, where=()):
        status, _, body = server.ask("/api/v1/view/select?" + "&".join(
            [f"table={table}", f"columns={columns}", *(f"where={each}" for each in where)]))
        check(status == 200, f"{table}: {status} {body}")
        return Rows(body)

    places = select("place,nr_waiting,nr_waits,ended_wait_ns,ended_wait_p99_ns,ended_wait_max_ns,delay_p99_ns,run_max_ns", "places")
    row = next(row for row in range(len(places.columns[0])) if places.text(0, row).endswith(PLACE))
    cells = [places.columns[column][row] for column in range(1, 8)]
    state = server.tell("/api/v1/state")
    findings = server.tell("/api/v1/findings")
    answers = {"events": select("time_ns", "events").matched, "coroutines": select("coroutine", "coroutines").matched,
               "findings": findings["nr_findings"], "lost": state["nr_lost_judged"],
               "waiting there": cells[0], "ended there": cells[1], "time of those": cells[2], "p99 of those": cells[3],
               "longest of those": cells[4], "p99 delay behind those": cells[5], "longest run from there": cells[6]}
    server.stop()
    return answers


CONDITIONS = {
    "events": "events > 0", "lost": "lost >= 0", "coroutines": "coroutines > 0", "findings": "findings >= suspect >= 0",
    "on another thread": "migrations >= 0", "p99 of all delays": "sched_latency.p99 > 0ns",
    "waiting there": f"waiting({PLACE}) >= 0", "longest that goes on there": f"waiting({PLACE}) >= 0ns",
    "ended there": f"wait({PLACE}).count >= 0", "time of those": f"wait({PLACE}).total >= 0ns",
    "p99 of those": f"wait({PLACE}).p99 >= 0ns", "longest of those": f"wait({PLACE}).max >= 0ns",
    "p99 delay behind those": f"delay({PLACE}).p99 >= 0ns", "longest run from there": f"run({PLACE}).max >= 0ns"}


def by_check(trace):
    """Returns in words what was measured for each condition."""
    told = json.loads(run(COROTRACER, "check", "--format", "json", trace, *CONDITIONS.values(), status=None).stdout)
    measured = {each["assertion"]: each["told"] for each in told["assertions"]}
    return {question: re.search(r" is ([0-9.]+( [a-z]+)?)", measured[condition]).group(1) for question, condition in CONDITIONS.items()}


def by_assistant(trace):
    """Returns the assistant's answers in words."""
    with Assistant() as server:
        server.initialize()
        summary = server.call("open", path=str(trace))
        told = server.call("stats", handle=summary["handle"], by="place")
        nr_findings = server.call("findings", handle=summary["handle"])["total"]
    row = next(row for row in told["rows"] if row["what"].endswith(PLACE))
    return {"events": summary["events"], "lost": summary["lost"], "coroutines": summary["coroutines"], "findings": nr_findings,
            "on another thread": told["all"]["migrations"], "p99 of all delays": told["all"]["delay_p99"],
            "waiting there": row["not_ended"], "longest that goes on there": row["not_ended_max"], "ended there": row["count"],
            "time of those": row["total"], "p99 of those": row["p99"], "longest of those": row["max"],
            "p99 delay behind those": row["delay_p99"], "longest run from there": row["run_max"]}


def row_of(text, title):
    """Returns the cells of the place's row, by their headings, in the table below the title."""
    lines = text[text.index(title):].splitlines()
    row = next(line for line in lines if PLACE in line)
    cells = re.split(r"\s{2,}", row.split(PLACE)[1].strip())
    return dict(zip(re.split(r"\s{2,}", lines[1].strip()), cells))


def by_stats(trace):
    """Returns in words what the tables' rows of that place say."""
    text = run(COROTRACER, "stats", trace).stdout
    waits, delays, runs = (row_of(text, title) for title in ("Waits, by where", "Scheduler latency (from", "Runs, by where"))
    return {"events": re.search("([0-9,]+) events, ", text).group(1), "lost": re.search("([0-9,]+) lost", text).group(1),
            "coroutines": re.search(r"at the end +([0-9,]+) coroutines", text).group(1),
            "on another thread": re.search("([0-9,]+) of them on another thread", text).group(1),
            "waiting there": waits["not ended"], "longest that goes on there": waits["longest so far"], "ended there": waits["ended"],
            "time of those": waits["total"], "p99 of those": waits["p99"], "longest of those": waits["max"],
            "p99 delay behind those": delays["p99"], "longest run from there": runs["max"]}


def main():
    with folder() as place:
        check_cases(pathlib.Path(place))
        trace = pathlib.Path(place, "run.ctrace")
        run(COROTRACER, "run", "-o", trace, "--", FAULTY, "--self-load", "50:47", "--exit-after-idle", "0.5")
        answers = by_sql(trace)
        check(all(answers.values()) or answers["lost"] == 0, f"a question is answered by nothing: {answers}")
        words = {question: str(answer) if question in COUNTS else
                 json.loads(run(COROTRACER, "query", "--format", "json", trace, f"SELECT duration({answer}) AS a").stdout)[0]["a"]
                 for question, answer in answers.items()}
        for door in (by_report, by_page):
            for question, answer in door(trace).items():
                check(answer == answers[question], f"{door.__name__}: {question}: {answer}, by SQL {answers[question]}")
        for door in (by_check, by_assistant, by_stats):
            for question, answer in door(trace).items():
                check(str(answer).replace(",", "") == words[question], f"{door.__name__}: {question}: {answer}, by SQL {words[question]}")


main()
