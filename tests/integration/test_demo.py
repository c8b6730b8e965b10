# SPDX-License-Identifier: MIT
"""Tests the main task: a server that loses its readers is traced, and the report is compared with the server's log.

For each reader that its planted fault forgets, the server logs the coroutine, the descriptor and the worker that closed
it. The trace must name exactly these, in one finding, Proven, at the co_await line. The correct build under the same
resets must give no finding, however often it runs.
"""
import json
import pathlib
import re
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run

FAULTY = BUILD / "examples/example-tcp-server-fault-a"
CORRECT = BUILD / "examples/example-tcp-server"
CORRECT_RUNS = 20


def record(server, scratch, connections, resets, *options):
    trace, log = scratch / "demo.ctrace", scratch / "server.log"
    result = run(COROTRACER, "run", "-o", trace, *options, "--", server, "--self-load", f"{connections}:{resets}",
                 "--exit-after-idle", "1", "--log", log)
    report = run(COROTRACER, "report", trace, "--format", "json")
    return result, json.loads(report.stdout), log.read_text(), trace


def dropped_in(log):
    """Returns what the server logs: (coroutine, descriptor, worker) for each forgotten reader."""
    pattern = re.compile(r"^dropped coroutine=(\d+) fd=(\d+) worker=(\d+)$", re.MULTILINE)
    return {tuple(map(int, found)) for found in pattern.findall(log)}


def line_of_await():
    """Returns the line of the only place in the example that awaits AsyncRead."""
    lines = (SOURCE / "examples/tcp-server/server.cpp").read_text().splitlines()
    places = [number for number, line in enumerate(lines, 1) if re.search(r"co_await .*AsyncRead", line)]
    check(len(places) == 1, f"expected one co_await of AsyncRead, found {places}")
    return places[0]


def line_of_close():
    """Returns the line of the planted fault: the only close in the function that handles a hang-up."""
    text = (SOURCE / "examples/scheduler/reactor.cpp").read_text()
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if "::on_hangup" in line)
    return next(i for i in range(start, len(lines)) if re.search(r"\bclose\(", lines[i])) + 1


def check_site(report, index, file, line, what):
    site = next(site for site in report["sites"] if site["index"] == index)
    place = f"{pathlib.Path(site['file']).name}:{site['line']}"
    check(place == f"{file}:{line}", f"the {what} is at {file}:{line}, the report says {place}")


def check_faulty(connections, resets, *options):
    with folder() as name:
        result, report, log, trace = record(FAULTY, pathlib.Path(name), connections, resets, *options)
        text = run(COROTRACER, "report", trace).stdout
    expected = dropped_in(log)
    check(len(expected) == resets, f"the server forgot {len(expected)} readers, not {resets}: the test is wrong")
    check(len(report["findings"]) == 1, f"one finding expected: {[f['title'] for f in report['findings']]}")
    finding = report["findings"][0]
    check(finding["rule"] == "waits-on-closed-descriptor", finding["rule"])
    check(finding["grade"] == "proven", f"grade {finding['grade']}: {finding['lowered_since']}")
    check((finding["coroutines"], finding["peers"]) == (resets, connections), finding["title"])
    threads = {thread["index"]: thread["tid"] for thread in report["threads"]}
    told = {(member["id"], int(member["wait_object"], 16) & 0xffffffff, threads[member["cause"]["thread"]])
            for member in finding["members"]}
    check(told == expected, f"report and log differ:\nreport {sorted(told)}\nlog {sorted(expected)}")
    check_site(report, finding["wait_site"], "server.cpp", line_of_await(), "wait")
    check_site(report, finding["cause_site"], "reactor.cpp", line_of_close(), "close")
    check(report["quality"]["lost"] == 0, "events were lost")
    for words in (f"{resets} of {connections} coroutines", "co_await AsyncRead", "PROVEN", "closed"):
        check(words in text, f"the text report does not say '{words}':\n{text}")
    check(result.stderr.strip().splitlines()[-1].count("1 finding"), f"the closing line:\n{result.stderr}")


def check_correct():
    for number in range(CORRECT_RUNS):
        with folder() as name:
            _, report, log, _ = record(CORRECT, pathlib.Path(name), 50, 47)
        check(not dropped_in(log), "the correct server forgot readers: the test is wrong")
        check(not report["findings"], f"run {number}: {[f['title'] for f in report['findings']]}")
        check(report["quality"]["coroutines"] >= 50, "the correct server was not traced")


def main():
    check_faulty(50, 47)
    check_faulty(61, 23)
    check_correct()


if __name__ == "__main__":
    sys.exit(main())
