# SPDX-License-Identifier: MIT
"""Tests that windows of a fleet are summed up: the figures are those of the traces; a finding reaches Prometheus with
the key of its trace; folders and buckets hold the same."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import bucket
from columnar_reader import need_packages, queried
from environment import require_package
from prometheus_server import Prometheus, find_prometheus
from served import Server
from support import SOURCE, check, folder

need_packages(__file__)
require_package()
from windowed import ENVIRONMENT, PAGE, TABLES, everything, ingest, make_store, opened, questions, rows, said  # noqa: E402
from corotracer import parts, stores  # noqa: E402


def check_figures(output, keys, broken):
    """What is kept of a window is what `query` says of its trace."""
    kept = {key: figures for key, *figures in rows(output, "windows", "trace, service, nr_events, nr_coroutines, delay_p99_ns, error")}
    check(sorted(kept) == sorted([*keys, broken]), f"{sorted(kept)}")
    for key, trace in keys.items():
        told = [key.split("/")[0], *queried(trace, "SELECT nr_events FROM trace")[0], *queried(trace, "SELECT count(*) FROM coroutines")[0],
                *queried(trace, "SELECT p99(duration_ns) FROM delays WHERE next = 'running'")[0], None]
        check(kept[key] == told, f"{key}: {kept[key]}, not {told}")
    check(kept[broken][2] is None and "not a trace" in kept[broken][4], f"{kept[broken]}")
    found = {key for key, _ in rows(output, "findings", "trace, rule", "WHERE rule = 'mutex-deadlock'")}
    check(found == {key for key in keys if key.startswith("billing/")}, f"{found}")
    for key, trace in keys.items():
        told = queried(trace, "SELECT count(*) FROM delays WHERE next = 'running'")[0][0]
        seen = rows(output, "histograms", "coalesce(sum(nr), 0)", f"WHERE trace = '{key}' AND kind = 'delay'")[0][0]
        check(seen == told, f"{key}: the histogram has {seen} delays, not {told}")
    spans = rows(output, "spans", "service, kind, name, nr_ended")
    check(spans == 4 * [("index", "region", "compaction", 1)], f"{spans}")
    most = queried(keys[next(key for key in keys if key.startswith("search/"))],
                   "SELECT max(nr) FROM (SELECT (SELECT count(*) FROM coroutines o WHERE o.created_ns <= c.created_ns AND "
                   "(o.destroyed_ns IS NULL OR o.destroyed_ns >= c.created_ns)) AS nr FROM coroutines c)")[0][0]
    check(rows(output, "windows", "max(nr_alive_most)")[0][0] == most, f"alive at once: not {most}")


def check_questions(output):
    """Each question of the page is answered by DuckDB."""
    asked = questions()
    check(len(asked) >= 8, f"the page has {len(asked)} questions")
    with opened(output) as database:
        answers = {words: database.sql(sql).fetchall() for words, sql in asked}
    found = next(rows for words, rows in answers.items() if words.startswith("What was found"))
    check(found and found[0][:2] == ("billing", "mutex-deadlock"), f"{found}")


def check_page(output):
    """The page lists the tables and their columns."""
    for table in TABLES:
        listed = re.findall(r"`(\w+)`", re.search(rf"^\| `{table}` \| (.*) \|$", PAGE, re.MULTILINE)[1])
        with opened(output) as database:
            seen = [name for name, *_ in database.sql(f"DESCRIBE {table}").fetchall()]
        check(seen == ["trace", "service", "host", "began", "part", *listed], f"{table}: {seen}, not {listed}")


def check_alert(prometheus, store, name, service, trace):
    """The text of the service's alert has the command that shows the trace; returns the report that it serves."""
    prometheus.until(f'ALERTS{{alertname="{name}",service="{service}",alertstate="firing"}}', bool)
    texts = [alert["annotations"]["description"] for alert in prometheus.get("alerts")["alerts"]
             if (alert["labels"]["alertname"], alert["labels"]["service"]) == (name, service)]
    commands = [re.search(r": corotracer serve STORE/(\S+)$", text) for text in texts]
    check(commands and all(commands), f"{texts}")
    key = max(command[1] for command in commands)
    check(key in trace, f"{name} leads to {key}, not to {trace}")
    server = Server("serve", f"{store}/{key}", "--listen", "localhost:0")
    while server.ask("/api/v1/report")[0] == 503:  # not judged yet
        os.sched_yield()
    report = server.tell("/api/v1/report")
    server.stop()
    return report


def check_alerts(prometheus, store, keys):
    """A finding, and delays that grew, raise alerts, each of which leads to the trace in one command."""
    firing = prometheus.until('ALERTS{alertname="WindowFinding",alertstate="firing"}', bool)
    alerts = {(alert["metric"]["service"], alert["metric"]["rule"]) for alert in firing}
    # A worker that keeps coroutines waiting for 0.8 s may be a finding of its own.
    check(alerts - {("index", "worker-hog")} == {("billing", "mutex-deadlock")}, f"{alerts}")
    report = check_alert(prometheus, store, "WindowFinding", "billing", [key for key in keys if key.startswith("billing/")])
    check("mutex-deadlock" in [finding["rule"] for finding in report["findings"]], f"{report['findings']}")
    late = max((key for key in keys if key.startswith("index/")), key=lambda key: key.split("/")[2:])
    report = check_alert(prometheus, store, "WindowDelaysGrew", "index", [late])
    check(report["statistics"]["delays"]["max_ns"] > 5e8, f"{report['statistics']['delays']}")


def check_dashboard(prometheus):
    """Prometheus answers each query of the dashboard over the fleet with something."""
    dashboard = json.loads((SOURCE / "docs/metrics/fleet-dashboard.json").read_text())
    check(len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"]), "ids")
    questions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    for question in questions:
        asked = question.replace("$service", ".*").replace("$__range", "2h").replace("[15m]", "[2h]").replace("[1d] offset 15m", "[1d]")
        check(prometheus.query(asked), f"no answer to {question}")
    prometheus.query(dashboard["annotations"]["list"][0]["expr"].replace("$service", ".*"))


def check_prometheus(store, place, keys):
    """Figures are in Prometheus, and alerts of them lead to traces; samples that come too late are counted."""
    program = find_prometheus() / "prometheus"
    config = "global:\n  evaluation_interval: 500ms\nrule_files: [alerts.yml]\n"
    rules = (SOURCE / "docs/metrics/windows.yml").read_text().replace('"proven|likely"}[15m]', '"proven|likely|suspect"}[2h]')
    prometheus = Prometheus(place / "prometheus", program, config, rules, "--web.enable-remote-write-receiver")
    url = f"http://127.0.0.1:{prometheus.port}/api/v1/write"
    try:
        prometheus.get("status/runtimeinfo")
        text = said(ingest(store, place / "remote", "--remote-write", url))
        check("13 windows ingested" in text and "refused" not in text, text)
        check_alerts(prometheus, store, keys)
        check_dashboard(prometheus)
        found = {result["metric"]["trace"] for result in prometheus.query("last_over_time(corotracer_window_findings[2h])")}
        wanted = {key for key, _ in rows(place / "remote", "findings", "trace, rule")}
        check(found == wanted and {key for key in keys if key.startswith("billing/")} <= found, f"{found}, not {wanted}")
        told = {result["metric"]["trace"] for result in prometheus.query("last_over_time(corotracer_window_info[2h])")}
        check(told == set(keys), f"{told}")
        key = max(key for key in keys if key.startswith("search/"))
        where = f'{{service="search",host="{key.split("/")[1]}",quantile="0.99"}}'
        seen = float(prometheus.query(f"last_over_time(corotracer_window_delay_seconds{where}[2h])")[0]["value"][1])
        wanted = queried(keys[key], "SELECT p99(duration_ns) FROM delays WHERE next = 'running'")[0][0] / 1e9
        check(abs(seen - wanted) < 1e-12, f"{seen}, not {wanted}")
        old = place / "old"
        (old / "search/host-0/20200101").mkdir(parents=True)
        shutil.copy(keys[key], old / f"search/host-0/20200101/000000-{0:032x}.ctrace")
        text = said(ingest(old, place / "late", "--remote-write", url))
        check("1 window ingested; 1 refused by the time series database" in text, text)
    finally:
        prometheus.stop()
    text = said(ingest(store, place / "nobody", "--remote-write", url), status=1)
    check("cannot be reached" in text, text)


def check_bucket(store, keys, whole):
    """Windows in a bucket, and what is kept of them in the same bucket: the same as in folders."""
    with bucket.served() as server:
        for key in keys:
            server.act("put", f"live/{key}", store / key)
        going = subprocess.Popen([sys.executable, "-m", "corotracer.ingest", server.address("live"), server.address("kept")],
                                 env={**ENVIRONMENT, **server.environment()}, stderr=subprocess.PIPE, text=True)
        check(f"{len(keys)} windows ingested\n" in said(going), "not all windows of the bucket")
        os.environ.update(server.environment())
        kept = parts.Summaries(server.address("kept"))
        for table in TABLES:
            seen = sorted(repr(tuple(row.values())) for row in kept.table(table).drop_columns("part").to_pylist())
            told = sorted(repr(row) for row in whole[table] if row[0] in keys)
            check(seen == told, f"{table}: {seen[:2]}, not {told[:2]}")
        check(kept.store.keys("claims") == [], f"{kept.store.keys('claims')}")
    for address in ("s3://", "s3://bucket?x", "s3://bucket?endpint=x", "gs://bucket"):
        text = said(ingest(store, address), status=1)
        check("is not s3://BUCKET/PREFIX" in text, text)


def main():
    with folder() as name:
        place = pathlib.Path(name)
        store, keys, broken = make_store(place)
        output = place / "output"
        text = said(ingest(store, output))
        check("13 windows ingested; 1 could not be read; 1 left out, for want of the key of a window" in text, text)
        check("0 windows ingested" in said(ingest(store, output)), "windows are done twice")
        check_figures(output, keys, broken)
        check_page(output)
        check_questions(output)
        check_prometheus(store, place, keys)
        check_bucket(store, keys, everything(output))


main()
