# SPDX-License-Identifier: MIT
"""Tests metrics with a real Prometheus: figures are the report's, alerts fire, the dashboard's queries are answered
(H-24)."""
import json
import pathlib
import re
import subprocess
import time

from prometheus_server import Prometheus, find_prometheus
from served import Server, judged
from support import BUILD, COROTRACER, SOURCE, check, folder, run

DOCS = SOURCE / "docs/metrics"
CASE = SOURCE / "tests/cases/0001-closed-under-waiters.case"


def samples_of(text):
    """Returns {(name, labels): value} of either text form."""
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*?)\})? (\S+)(?: # \{.*\} \S+(?: \S+)?)?", line).groups()
        check((name, labels) not in found, f"told twice: {line}")
        found[name, labels] = float(value)
    return found


def trace_in(place):
    text = re.search(r"^--- trace\n(.*?)^--- ", CASE.read_text(), re.MULTILINE | re.DOTALL)[1]
    pathlib.Path(place, "case.txt").write_text(text)
    run(COROTRACER, "assemble", "-o", place + "/case.ctrace", place + "/case.txt")
    return place + "/case.ctrace"


def check_figures(trace, promtool):
    """Both forms have the report's figures, and promtool's linter has no complaints."""
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
    delays = report["statistics"]["delays"]
    text = run(COROTRACER, "metrics", "--format", "text", trace).stdout
    linted = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    check(linted.returncode == 0, f"promtool: {linted.stdout}{linted.stderr}")
    for form in (text, run(COROTRACER, "metrics", trace).stdout):
        told = samples_of(form)
        check(told["corotracer_events_total", None] == report["quality"]["events"], "events")
        for state in ("unseen", "ready", "running", "waiting"):
            check(told["corotracer_coroutines", f'state="{state}"'] == report["quality"]["coroutines_by_state"][state], state)
        check(told["corotracer_scheduler_latency_seconds_count", None] == delays["count"], f"{delays}")
        check(abs(told["corotracer_scheduler_latency_seconds_sum", None] * 1e9 - delays["total_ns"]) < 1, f"{delays}")
        buckets = [value for (name, _), value in told.items() if name.endswith("_bucket")]
        check(buckets == sorted(buckets) and buckets[-1] == delays["count"], f"{buckets}")
        found = {(f["rule"], f["grade"]) for f in report["findings"]}
        for rule, grade in found:
            labels = f'rule="{rule}",grade="{grade}"'
            of_it = [f for f in report["findings"] if (f["rule"], f["grade"]) == (rule, grade)]
            check(told["corotracer_findings", labels] == len(of_it), labels)
            check(told["corotracer_finding_coroutines", labels] == sum(f["coroutines"] for f in of_it), labels)
        check(sum(value for (name, _), value in told.items() if name == "corotracer_findings") == len(report["findings"]), "more")
    check(f'# {{finding="{report["findings"][0]["address"]}"}} 1' in run(COROTRACER, "metrics", trace).stdout, "no exemplar")
    return report


def check_names():
    """The document lists exactly the families that exist."""
    table = (SOURCE / "include/corotracer/def/metric_families.def").read_text()
    page = (SOURCE / "docs/metrics.md").read_text()
    families = re.findall(r'^M\(\w+, \w+, "(\w+)"', table, re.MULTILINE)
    check(re.findall(r"^\| `(corotracer_\w+?)(?:_total|_info)?` ", page, re.MULTILINE) == families, f"{families}")


def check_hostile(place):
    """The names that a program gives cannot end a line, or a label."""
    name = '\\"}\\n# TYPE x\\\\'
    pathlib.Path(place, "hostile.txt").write_text(
        "trace from=0 until=1s\nprocess 1 pid=100 program=/bin/a probe\nthread 1 tid=101 name=w\n"
        f'site 1 kind=source file="/src/{name}.c" line=1 function="{name}"\n'
        f'site 2 kind=source file=/a.c line=2 reason="{name}"\n'
        f'1ms t1 counter 5 @2\n1ms t1 create c1 0x11010 @1\n1ms t1 resume c1\n2ms t1 suspend c1 lock:7 @1\n')
    run(COROTRACER, "assemble", "-o", place + "/hostile.ctrace", place + "/hostile.txt")
    told = run(COROTRACER, "metrics", "--format", "text", place + "/hostile.ctrace").stdout
    check(all(re.match(r"#|corotracer_\w+[ {]", line) for line in told.splitlines()), told)
    check(sum("# TYPE x" in line for line in told.splitlines()) == 2, told)


def start_prometheus(place, program, targets, *features):
    """A Prometheus that asks these servers every half second, with the rules that are shipped."""
    place = pathlib.Path(place, "prometheus-" + "-".join(features))
    config = (DOCS / "prometheus.yml").read_text().replace("15s", "500ms\n  scrape_timeout: 500ms\n  evaluation_interval: 500ms")
    config = config.replace('"localhost:8080"', ", ".join(f'"localhost:{port}"' for port in targets))
    rules = re.sub(r"for: \w+", "for: 0s", (DOCS / "alerts.yml").read_text())
    return Prometheus(place, program, config, rules, *(f"--enable-feature={feature}" for feature in features))


def check_questions(prometheus):
    """Prometheus understands each query of the dashboard."""
    dashboard = json.loads((DOCS / "dashboard.json").read_text())
    check(dashboard["schemaVersion"] >= 36 and len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"]), "ids")
    questions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    for question in questions:
        prometheus.query(question.replace("$instance", ".*").replace("$__rate_interval", "1m"))
    table = (SOURCE / "include/corotracer/def/metric_families.def").read_text()
    for name in re.findall(r"corotracer_\w+", " ".join(questions)):
        check(re.sub(r"_(total|bucket|info)$", "", name) in table, f"the dashboard asks for {name}, which is not told")


def check_scraped(prometheus, served, report):
    """Figures of a trace, queried in PromQL."""
    of = f'{{instance="localhost:{served}"}}'
    prometheus.until(f"up{of}", lambda result: result and result[0]["value"][1] == "1")
    prometheus.until(f"corotracer_judged_seconds{of}", bool)
    for words, wanted in ((f"corotracer_events_total{of}", report["quality"]["events"]),
                          (f"corotracer_coroutines{of[:-1]},state=\"waiting\"}}", report["quality"]["coroutines_by_state"]["waiting"]),
                          (f"sum(corotracer_coroutines_waiting{of})", sum(w["coroutines"] for w in report["waiting"])),
                          (f"sum(corotracer_findings{of})", len(report["findings"])),
                          (f"corotracer_scheduler_latency_seconds_count{of}", report["statistics"]["delays"]["count"])):
        result = prometheus.until(words, bool)
        check(float(result[0]["value"][1]) == wanted, f"{words}: {result}, not {wanted}")


def check_alert(prometheus, port):
    """A program that hangs raises an alert, with its rule."""
    firing = prometheus.until(f'ALERTS{{alertname="CoroutinesStuck",alertstate="firing",instance="localhost:{port}"}}', bool)
    check([alert["metric"]["rule"] for alert in firing] == ["mutex-deadlock"], f"{firing}")
    now = time.time()
    exemplars = prometheus.get("query_exemplars", query="corotracer_findings_found_total", start=now - 3600, end=now)
    found = [one["labels"]["finding"] for series in exemplars for one in series["exemplars"]]
    check(any(address.startswith("mutex-deadlock@") for address in found), f"{exemplars}")


def check_native(place, program, served, report):
    """The histogram of messages: the same count, and the median in the bucket in which the report's median lies."""
    prometheus = start_prometheus(place, program, [served], "native-histograms")
    delays = report["statistics"]["delays"]
    try:
        prometheus.until("corotracer_judged_seconds", bool)
        name = "corotracer_scheduler_latency_seconds"
        for words, wanted, share in ((f"histogram_count({name})", delays["count"], 0),
                                     (f"histogram_sum({name}) * 1e9", delays["total_ns"], 1e-6),
                                     (f"histogram_quantile(1, {name}) * 1e9", delays["max_ns"], 0.1)):
            told = float(prometheus.until(words, bool)[0]["value"][1])
            check(abs(told - wanted) <= share * wanted, f"{words}: {told}, not {wanted}")
    finally:
        prometheus.stop()


def check_rising(place):
    """While a program runs, no counter decreases, and nothing is counted twice."""
    trace = place + "/rising.ctrace"
    server = Server("run", "--serve-until-exit", "--listen", ":0", "-o", trace, "--", BUILD / "tests/targets/lock_circle", stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL)
    before, rounds = {}, 0
    while rounds < 3:
        status, headers, body = server.ask("/metrics", Accept="application/openmetrics-text; version=1.0.0")
        check(status == 200 and headers["Content-Type"].startswith("application/openmetrics-text"), f"{status} {headers}")
        check(body.endswith(b"# EOF\n"), "OpenMetrics has no end")
        now = samples_of(body.decode())
        for (name, labels), value in before.items():
            if name.endswith(("_total", "_bucket", "_count", "_sum")):
                check(now[name, labels] >= value, f"{name} {labels}: {value}, then {now[name, labels]}")
        rounds += now["corotracer_findings", 'rule="mutex-deadlock",grade="proven"'] == 1
        before = now
    check(before["corotracer_findings_found_total", 'rule="mutex-deadlock",grade="proven"'] == 1, "found more than once")
    check(server.ask("/metrics")[1]["Content-Type"].startswith("text/plain; version=0.0.4"), "another form")
    check(server.ask("/metrics", Host="evil.example")[0] == 421, "a stranger is answered")
    return server


def main():
    check_names()
    with folder() as place:
        check_hostile(place)
        programs = find_prometheus()
        trace = trace_in(place)
        report = check_figures(trace, programs / "promtool")
        run(programs / "promtool", "check", "rules", DOCS / "alerts.yml")
        run(programs / "promtool", "check", "config", DOCS / "prometheus.yml")
        live, served = check_rising(place), Server("serve", "--listen", ":0", trace)
        judged(served)
        prometheus = start_prometheus(place, programs / "prometheus", [live.port, served.port], "exemplar-storage")
        try:
            check_scraped(prometheus, served.port, report)
            check_alert(prometheus, live.port)
            check_questions(prometheus)
        finally:
            prometheus.stop()
        check_native(place, programs / "prometheus", served.port, report)
        live.process.stdin.close()
        check(live.process.wait(timeout=60) == 0, "the exit status is not the program's")
        served.stop()


if __name__ == "__main__":
    main()
