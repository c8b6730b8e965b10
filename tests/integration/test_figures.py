# SPDX-License-Identifier: MIT
"""Tests that there is one definition for every statistic: `report`, `stats`, `check`, `diff` and the SQLite export give
equal numbers for a trace.

The definition is compared with the durations themselves, computed here from the exported events: counts, totals and
maxima are exact; a percentile is at least the smallest duration that this share of all does not exceed, and at most
1/32 above it.
"""
import json
import math
import pathlib
import sqlite3

from support import BUILD, COROTRACER, check, folder, run

STEPS = BUILD / "tests/targets/steps"
PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}
IN_ASSERTIONS = {"p999": "p99.9", "p9999": "p99.99"}
IN_DIFF = ("p50", "p90", "p99")
HOLDS = 0


def told_by(command, trace, *words):
    return json.loads(run(COROTRACER, command, "--format", "json", *words, trace).stdout)


def durations(database):
    """Returns {(measure, name): every duration} of the only coroutine, by its events in their order."""
    rows = sqlite3.connect(database).execute(
        "SELECT kind, time_ns, coalesce(reason, '') FROM coro_trace_events LEFT JOIN sites USING (site) ORDER BY event")
    told, since, place = {}, {}, None
    for kind, time, name in rows:
        if kind == "create":
            place = name
        elif kind in ("suspend", "return"):
            told.setdefault(("run", place), []).append(time - since["resume"])
            place = name
        elif kind == "wake":
            told.setdefault(("wait", place), []).append(time - since["suspend"])
        elif kind == "resume" and "wake" in since:
            told.setdefault(("delay", place), []).append(time - since["wake"])
        elif kind == "region-end":
            told.setdefault(("region", name), []).append(time - since["region-begin"])
        since[kind] = time
    return told


def check_definition(what, distribution, all_of):
    ranked = sorted(all_of)
    check(distribution["count"] == len(ranked), f"{what}: {distribution['count']} are not {len(ranked)}")
    check(distribution["total_ns"] == sum(ranked), f"{what}: {distribution['total_ns']} is not {sum(ranked)}")
    check(distribution["max_ns"] == ranked[-1], f"{what}: {distribution['max_ns']} is not {ranked[-1]}")
    for name, share in PERCENTILES.items():
        least = ranked[math.ceil(share * len(ranked)) - 1]
        value = distribution[f"{name}_ns"]
        check(least <= value <= least * 33 / 32 + 1, f"{what}: {name} is {value}; {least} is what so many do not pass")


def distributions(report):
    """Returns {(measure, name): distribution}, as the report has them."""
    sites = {site["index"]: site["reason"] for site in report["sites"]}
    told = {}
    for place in report["statistics"]["places"]:
        for measure in ("wait", "delay", "run"):
            told[measure, sites[place["site"]]] = place[f"{measure}s"]
    for span in report["spans"]:
        told[span["kind"], span["name"]] = {**span, "count": span["ended"]}
    return told


def check_assertions(trace, told, delays):
    """`check` finds each number to be equal: more than twenty assertions of each measure, in one call."""
    assertions = [f"sched_latency.{name} == {delays[f'{name}_ns']}ns" for name in ("p50", "p90", "p95", "p99", "max", "total")]
    for (measure, name), distribution in told.items():
        asked = f"{measure}({name})"
        assertions += [f"{asked}.{IN_ASSERTIONS.get(one, one)} == {distribution[f'{one}_ns']}ns"
                       for one in (*PERCENTILES, "max", "total")]
        assertions.append(f"{asked}.mean == {distribution['total_ns'] // distribution['count']}ns")
        assertions.append(f"{asked}.count == {distribution['count']}")
    run(COROTRACER, "check", trace, *assertions, status=HOLDS)


def check_diff(trace, told):
    for statistic in (*IN_DIFF, "mean"):
        page = json.loads(run(COROTRACER, "diff", "--format", "json", "--statistic", statistic, trace, trace).stdout)
        seen = 0
        for one in page["differences"]:
            key = (one["measure"], one["what"] or one["place"].split(" ")[0])
            if key in told and one["before"]["value"] is not None:
                distribution = told[key]
                expected = [distribution[f"{statistic}_ns"]] if statistic in IN_DIFF else [
                    distribution["total_ns"] // distribution["count"], -(-distribution["total_ns"] // distribution["count"])]
                check(one["before"]["value"] in expected, f"diff, {key}: {statistic} is {one['before']}, not {expected}")
                seen += 1
        check(seen >= len(told) // 2, f"diff has {seen} of {len(told)} measures")


def check_database(database, report):
    """The columns of the export's table of spans are the keys of the report's JSON."""
    connection = sqlite3.connect(database)
    connection.row_factory = sqlite3.Row
    rows = [dict(row) for row in connection.execute("SELECT * FROM spans")]
    check(len(rows) == len(report["spans"]) > 0, f"{rows}")
    for row, span in zip(rows, report["spans"]):
        for column in ("name", "total_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns"):
            check(row[column] == span[column], f"the database has {column} {row[column]}, the report {span[column]}")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        trace, database = place / "steps.ctrace", place / "steps.sqlite"
        run(COROTRACER, "run", "-o", trace, "--", STEPS)
        run(COROTRACER, "export", "--format", "sqlite", "-o", database, trace)
        report, stats = told_by("report", trace), told_by("stats", trace)
        for part in ("statistics", "spans"):
            check(report[part] == stats[part], f"report and stats differ in {part}")
        by_hand, told = durations(database), distributions(report)
        for key, all_of in by_hand.items():
            check_definition(key, told[key], all_of)
        check(len(by_hand) >= 8, f"only {sorted(by_hand)} were compared")
        measured = {key: distribution for key, distribution in told.items() if distribution["count"]}
        check_assertions(trace, measured, report["statistics"]["delays"])
        check_diff(trace, measured)
        check_database(database, report)


main()
