# SPDX-License-Identifier: MIT
"""Tests `check`: assertions about a real program's trace, in all forms, with the exit statuses that CI uses."""
import json
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree as xml

from support import BUILD, COROTRACER, SOURCE, check, folder, run

FAULTY = BUILD / "examples/example-tcp-server-fault-a"
CORRECT = BUILD / "examples/example-tcp-server"
LOAD = ("--self-load", "20:12", "--exit-after-idle", "0.5")
HOLDS, BROKEN, USAGE, NO_PROBE = 0, 1, 2, 9
WAIT = """trace from=0 until=1s
process 1 pid=100 program=/bin/app probe ledger
thread 1 tid=101 name=worker-0
site 1 kind=source file=FILE line=20 function=handle
1ms t1 create c1 0x11010 @1
1ms t1 resume c1
2ms t1 suspend c1 event:1 @1
3ms t1 wake coroutine:1 @1 outcome=queued
4ms t1 resume c1
5ms t1 suspend c1 point=final
"""
HANG = """trace from=0 until=3s
process 1 pid=100 program=/bin/app probe ledger
thread 1 tid=101 name=worker-0
site 1 kind=source file=app.c line=20 function=serve
site 2 kind=source file=app.c line=30 function=answer
site 3 kind=source file=app.c line=40 function=serve reason=query
1ms t1 create c1 0x11010 @1
1ms t1 create c2 0x22020 @1
1ms t1 create c3 0x33030 @1
1ms t1 resume c1
2ms t1 suspend c1 event:1 @1
3ms t1 wake coroutine:1 @1 outcome=queued
4ms t1 resume c1
5ms t1 suspend c1 point=final
1s t1 resume c2
1s t1 region-begin 0 @3
1s t1 suspend c2 event:2 @1
2s t1 resume c3
2s t1 suspend c3 event:3 @2
"""
UNSEEN = "no coroutine was seen, because no probe attached"
RUNS = int(os.environ.get("CHECK_RUNS", "3"))  # ./dev soak check: 50


def check_json(*words, status):
    return json.loads(run(COROTRACER, "check", "--format", "json", *words, status=status).stdout)


def closing_line():
    """Returns the line of the planted fault: the only close in the function that handles a hang-up."""
    lines = (SOURCE / "examples/scheduler/reactor.cpp").read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if "::on_hangup" in line)
    return next(i for i in range(start, len(lines)) if "close(" in lines[i]) + 1


def check_faulty(trace):
    """The command itself fails, and its JUnit and SARIF outputs name the place."""
    words = ("check", "--trace", trace, "--format")
    page = run(COROTRACER, *words, "junit", "--", FAULTY, *LOAD, status=BROKEN).stdout
    failures = [one.text for one in xml.fromstring(page).iter("failure")]
    check(len(failures) == 1 and f"reactor.cpp:{closing_line()}" in failures[0], page)
    page = run(COROTRACER, *words, "sarif", "--", FAULTY, *LOAD, status=BROKEN, cwd=SOURCE).stdout
    results = {result["ruleId"]: result for result in json.loads(page)["runs"][0]["results"]}
    place = results["waits-on-closed-descriptor"]["locations"][0]["physicalLocation"]
    check(place["region"]["startLine"] == closing_line(), f"{place}")
    check(place["artifactLocation"]["uri"] == "examples/scheduler/reactor.cpp", f"{place}")


def record_and_check(scratch):
    """The faulty server fails with the closing line named; the correct twin passes, however often it runs."""
    trace = scratch / "faulty.ctrace"
    told = run(COROTRACER, "check", "--trace", trace, "--", FAULTY, *LOAD, status=BROKEN).stdout
    check("broken   findings >= likely == 0" in told and "holds    exit_status == 0" in told, told)
    check(f"reactor.cpp:{closing_line()}" in told, f"the closing line is not named in {told}")
    for _ in range(RUNS):
        check_faulty(scratch / "again.ctrace")
        run(COROTRACER, "check", "--trace", scratch / "correct.ctrace", "--", CORRECT, *LOAD, status=HOLDS)
    return trace


def check_same_figures(trace):
    """Percentiles and counts are those of the report, to the nanosecond."""
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
    delays, quality = report["statistics"]["delays"], report["quality"]
    for assertion in (f"sched_latency.p99 == {delays['p99_ns']}ns", f"sched_latency.count == {delays['count']}",
                      f"sched_latency.p95 == {delays['p95_ns']}ns",
                      f"sched_latency.max <= {delays['max_ns']}ns", f"sched_latency.total == {delays['total_ns']}ns",
                      f"events == {quality['events']}", f"lost == {quality['lost']}",
                      f"coroutines == {quality['coroutines']}", f"findings == {len(report['findings'])}",
                      f"migrations == {report['statistics']['migrations']}"):
        run(COROTRACER, "check", trace, assertion, status=HOLDS)
    run(COROTRACER, "check", trace, f"sched_latency.p99 < {delays['p99_ns']}ns", status=BROKEN)


def check_places(trace):
    """An assertion holds only if each matching place keeps to it; if no place matches, that is not a success."""
    told = check_json(trace, "waiting(AsyncRead) == 0", "wait(AsyncRead).max < 1ns", "wait(no_such_place).p99 < 1h",
                      "waiting(no_such_place) == 0", "finding(waits-on-*) == 1", status=BROKEN)
    verdicts = [one["verdict"] for one in told["assertions"]]
    check(verdicts == ["broken", "broken", "unknown", "unknown", "holds"], f"{told}")
    check_worst(trace)
    check("server.cpp" in told["assertions"][0]["place"]["file"], f"no place: {told['assertions'][0]}")
    check(not told["holds"], "all of it holds")


def check_worst(trace):
    """Several places break the assertion: the place that breaks it most is reported."""
    places = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)["statistics"]["places"]
    longest = max(place["runs"]["max_ns"] for place in places)
    told = check_json(trace, "run(*).max < 1ns", f"run(*).max < {longest}ns", status=BROKEN)["assertions"]
    page = run(COROTRACER, "check", "-f", "text", trace, f"run(*).max < {longest * 1000 + 1}us").stdout
    check(all(one["verdict"] == "broken" for one in told) and "holds" in page, f"{told}")
    check(told[0]["place"] == told[1]["place"], f"another place is the worst: {told}")


def check_junit(trace):
    page = run(COROTRACER, "check", "--format", "junit", trace, "findings == 0", "lost < 1k", "region(<&\">).p99 < 1s",
               status=BROKEN).stdout
    suite = xml.fromstring(page).find("testsuite")
    check((suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1"), page)
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    check(f"reactor.cpp:{closing_line()}" in cases["findings == 0"].find("failure").text, page)
    check(len(cases["lost < 1k"]) == 0, "what holds has nothing in it")
    check(cases["region(<&\">).p99 < 1s"].find("error") is not None, "what was not measured is an error")


def check_sarif(trace):
    """The result is at the closing line, named relative to the present folder, with its story."""
    page = run(COROTRACER, "check", "--format", "sarif", trace, "findings == 0", status=BROKEN, cwd=SOURCE).stdout
    told = json.loads(page)["runs"][0]
    results = {result["ruleId"]: result for result in told["results"]}
    result = results["waits-on-closed-descriptor"]
    rules = [rule["id"] for rule in told["tool"]["driver"]["rules"]]
    check(rules[result["ruleIndex"]] == "waits-on-closed-descriptor", "its number is another rule's")
    place = result["locations"][0]["physicalLocation"]
    check(place["region"]["startLine"] == closing_line(), f"{place}")
    check(place["artifactLocation"]["uri"].endswith("examples/scheduler/reactor.cpp"), f"{place}")
    check(result["level"] == "error" and result["codeFlows"][0]["threadFlows"][0]["locations"], "no story")
    check("findings == 0" in results["assertion"]["message"]["text"], "the assertion is no result")
    check_anchored(trace)
    report = json.loads(run(COROTRACER, "report", "--format", "sarif", trace, cwd=SOURCE).stdout)["runs"][0]
    check([one["ruleId"] for one in report["results"]] == ["waits-on-closed-descriptor"], f"{report['results']}")


def check_anchored(trace):
    """Each result has a file, and a key of its own: a review tool accepts all results or none."""
    page = run(COROTRACER, "check", "--format", "sarif", trace, "events == 1", "lost == 1", "findings == 0", status=BROKEN,
               cwd=SOURCE).stdout
    results = json.loads(page)["runs"][0]["results"]
    check(len(results) == 4, f"{results}")
    for result in results:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        check(uri and not uri.startswith("../"), f"{result}")
    keys = [tuple(result["partialFingerprints"].items()) for result in results]
    check(len(set(keys)) == len(keys), f"two results share a key: {keys}")


def check_named_from_here(scratch):
    """Files below the present folder are named relative to it, wherever it is; others by their whole path."""
    here = scratch / "here"
    here.mkdir()
    trace = scratch / "places.txt"
    for file, uri in ((here / "src/my app.c", "src/my%20app.c"), ("../src/app.c", "src/app.c"), ("src/app.c", "src/app.c"),
                      (scratch / "hereafter/app.c", f"file://{scratch}/hereafter/app.c")):
        trace.write_text(WAIT.replace("FILE", f'"{file}"'))
        page = run(COROTRACER, "check", "--format", "sarif", trace, "wait(*).max < 1ns", status=BROKEN, cwd=here).stdout
        place = json.loads(page)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        check(place["artifactLocation"]["uri"] == uri and place["region"]["startLine"] == 20, f"{file}: {place}")
        check(("uriBaseId" in place["artifactLocation"]) == (not uri.startswith("file:")), f"{file}: {place}")


def check_going_on(scratch):
    """A wait that has not ended when the trace ends counts with its length so far: it breaks the limits that it
    exceeds, and is reported."""
    trace = scratch / "hang.txt"
    trace.write_text(HANG)
    expected = {"wait(serve).max < 1s": ("broken", "is at least 2.00 s, asked for was < 1.00 s"),
                "wait(serve).p99 <= 1s": ("broken", "is at least 1.00 s"),
                "wait(serve).p50 < 1s": ("holds", "is 1.00 ms"),
                "wait(serve).mean < 1s": ("broken", "is at least 1.00 s"),
                "wait(serve).total < 3s": ("holds", "is 1.00 ms"),
                "wait(serve).max < 3s": ("holds", "is 1.00 ms"),
                "wait(serve).max > 3s": ("broken", "is 1.00 ms"),
                "wait(serve).count == 1": ("holds", "is 1")}
    told = check_json(trace, *expected, status=BROKEN)["assertions"]
    for one, (verdict, words) in zip(told, expected.values()):
        check(one["verdict"] == verdict and words in one["told"], f"{one}")
        check("; 1 goes on, for 2.00 s" in one["told"], f"{one}")
    told = check_json(trace, "wait(answer).max < 500ms", "wait(answer).max < 2s", "wait(*).max < 1500ms",
                      "region(query).max < 1s", "life(serve).max < 1s", "life(serve).max < 4s", status=BROKEN)["assertions"]
    check([one["verdict"] for one in told] == ["broken", "unknown", "broken", "broken", "broken", "holds"], f"{told}")
    for one, words in zip(told, ("; 1 goes on, for 1.00 s", "; 1 goes on, for 1.00 s", "; 2 go on, the longest for 2.00 s",
                                 "; 1 goes on, for 2.00 s", "; 2 go on, the longest for 3.00 s", "; 2 go on, the longest for 3.00 s")):
        check(one["told"].endswith(words), f"{one}")


def check_ready_and_running(scratch):
    """A coroutine that is ready, or runs, when the trace ends counts with its time so far, however fast all others
    were."""
    trace = scratch / "runs-on.txt"
    trace.write_text(WAIT.replace("FILE", "app.c").replace("until=1s", "until=3s") + """6ms t1 create c2 0x22020 @1
6ms t1 resume c2
7ms t1 suspend c2 event:2 @1
8ms t1 create c3 0x33030 @1
8ms t1 resume c3
9ms t1 suspend c3 event:3 @1
10ms t1 wake coroutine:3 @1 outcome=queued
11ms t1 resume c3
1s t1 wake coroutine:2 @1 outcome=queued
""")
    for assertion, verdict, words in (("delay(handle).max < 1s", "broken", "is at least 2.00 s"),
                                      ("delay(handle).max < 4s", "holds", "1 goes on, for 2.00 s"),
                                      ("sched_latency.max < 1s", "broken", "is at least 2.00 s"),
                                      ("run(handle).max < 1s", "broken", "is at least 2.99 s"),
                                      ("run(handle).p50 < 1s", "holds", "1 goes on, for 2.99 s")):
        told = check_json(trace, assertion, status=HOLDS if verdict == "holds" else BROKEN)["assertions"][0]
        check(told["verdict"] == verdict and words in told["told"], f"{told}")


def bytes_read(*words):
    """
    Returns what a command reads from files, in all its threads, including the shell that starts it, as the kernel
    counts it. Only the superuser can read the count of a process that has ended; the process that waited for it has the
    count among its children's.
    """
    counted = subprocess.run(["sh", "-c", '"$@" >/dev/null; cat /proc/$$/io', "sh", *map(str, words)],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    return int(re.search(r"rchar: (\d+)", counted)[1]) if counted else None


def check_reads_once(trace):
    """Twenty assertions read the trace once: as many bytes as one assertion."""
    twenty = [f"{what} >= 0" for what in ("lost", "events", "coroutines", "migrations", "findings")] + ["utilisation >= 0%"]
    twenty += [f"{what}.{of} >= 0ns" for what in ("sched_latency", "wait(*)", "run(*)") for of in ("p50", "p90", "p99", "max")]
    twenty += ["waiting(*) >= 0", "alive(*) >= 0"]
    told = check_json(trace, *twenty, status=HOLDS)["assertions"]
    check(len(told) == 20, f"{told}")
    one = bytes_read(COROTRACER, "check", trace, twenty[0])
    check(one is None or one > trace.stat().st_size, f"only {one} bytes were read")
    check(bytes_read(COROTRACER, "check", trace, *twenty) == one, "twenty assertions read more than one does")


def check_files(trace, scratch):
    """Assertions from files, including the default file; an unreadable assertion is named by file and line."""
    assertions = scratch / "corotracer.checks"
    assertions.write_text("# of the server\n\n  lost < 1M  \nfindings == 1\n")
    told = check_json("--assertions", assertions, trace, status=HOLDS)
    check([one["assertion"] for one in told["assertions"]] == ["lost < 1M", "findings == 1"], f"{told}")
    check(told["assertions"][1]["origin"] == f"{assertions}:4", f"{told}")
    run(COROTRACER, "check", trace, status=HOLDS, cwd=scratch)
    assertions.write_text("lost == 0\nfindings = 1\n")
    complaint = run(COROTRACER, "check", trace, status=USAGE, cwd=scratch).stderr
    check("corotracer.checks:2" in complaint and "comparison is missing" in complaint, complaint)


def check_without_count(trace):
    """An assertion that lacks its '== 0' would hold because something was found: it is refused, with a suggestion."""
    for assertion, meant in (("findings >= likely", "findings >= likely == 0"), ("findings > suspect", "findings >= likely == 0"),
                             ("finding(waits-on-*) >= proven", "finding(waits-on-*) >= proven == 0")):
        complaint = run(COROTRACER, "check", trace, assertion, status=USAGE).stderr.splitlines()
        check(f"did you mean '{meant}'?" in complaint[0], f"{complaint}")
        check(complaint[-1].index("^") == complaint[-2].index(">"), f"it points elsewhere: {complaint}")
    run(COROTRACER, "check", trace, "findings >= likely > 0", "findings <= proven", status=HOLDS)


def check_bad_requests(trace, scratch):
    complaint = run(COROTRACER, "check", trace, "sched_latency.p99 <> 2ms", status=USAGE).stderr.splitlines()
    check(complaint[-1].index("^") == complaint[-2].index("> 2ms"), f"it points elsewhere: {complaint}")
    complaint = run(COROTRACER, "check", trace, "waiting(käse) = 0", status=USAGE).stderr.splitlines()
    check(complaint[-1].index("^") == complaint[-2].index("= 0"), f"it points elsewhere: {complaint}")
    check_without_count(trace)
    run(COROTRACER, "check", trace, "stalled > 2s", status=USAGE)
    run(COROTRACER, "check", "-o", trace, trace, "lost == 0", status=USAGE)
    run(COROTRACER, "check", trace, trace, status=USAGE)
    run(COROTRACER, "check", trace, "--", CORRECT, status=USAGE)
    run(COROTRACER, "check", "--", status=USAGE)
    run(COROTRACER, "check", scratch / "no.ctrace", "lost == 0", status=4)
    run(COROTRACER, "check", "--", scratch / "no-program", status=127)


def check_nothing_recorded(scratch):
    """An existing trace is not used for a command that recorded nothing, and is kept."""
    trace = scratch / "former.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", CORRECT, *LOAD)
    former = trace.read_bytes()
    told = run(COROTRACER, "check", "--trace", trace, "--", "false", status=NO_PROBE)
    check("nothing was recorded" in told.stderr, told.stderr)
    check(trace.read_bytes() == former, "the former trace is gone")
    for form in ("text", "json", "junit", "sarif"):
        told = run(COROTRACER, "check", "--trace", trace, "--format", form, "findings == 0", "exit_status == 0", "lost == 0",
                   "--", "false", status=NO_PROBE).stdout
        check("findings == 0" in told, f"{form} does not tell what was asked: {told}")
    results = scratch / "nothing.xml"
    run(COROTRACER, "check", "--trace", trace, "--format", "junit", "-o", results, "--", "false", status=NO_PROBE)
    suite = xml.parse(results).getroot()
    check([suite.get("tests"), suite.get("errors")] == ["2", "2"], f"errors in {results.read_text()}")


def check_nothing_seen(scratch):
    """Without a probe nothing is known of findings and coroutines, and that is not a success; what is known is
    reported."""
    trace = scratch / "unseen.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", "true")
    unknown = ("findings >= likely == 0", "finding(lost-wakeup) == 0", "findings < proven", "ready < 5", "live_coroutines == 0",
               "utilisation < 40%", "migrations == 0", "waiting(*) == 0")
    told = check_json(trace, *unknown, "exit_status == 0", "coroutines == 0", status=NO_PROBE)["assertions"]
    check([one["verdict"] for one in told] == ["unknown"] * len(unknown) + ["holds"] * 2, f"{told}")
    check(all(UNSEEN in one["told"] for one in told[:len(unknown)]), f"{told}")
    run(COROTRACER, "check", trace, "coroutines > 0", unknown[0], status=BROKEN)
    run(COROTRACER, "check", trace, "exit_status == 0", status=HOLDS)
    fresh = scratch / "fresh.ctrace"
    for _ in "first", "again":
        run(COROTRACER, "check", "--trace", fresh, "--", "true", status=NO_PROBE)
    log = json.loads(run(COROTRACER, "report", "--format", "sarif", trace).stdout)["runs"][0]["invocations"][0]
    check(log["toolExecutionNotifications"][0]["message"]["text"] == UNSEEN, f"{log}")
    check(UNSEEN in run(COROTRACER, "report", "--format", "svg", "-o", "-", trace).stdout, "the picture says that all is well")


def check_many(scratch):
    """All traces of a folder and of folders below are judged, each by itself, also beside one that cannot be read."""
    place = scratch / "windows"
    for number, name in enumerate(("a/1", "a/2", "b/1")):
        text = (HANG if number == 1 else WAIT).replace("app.c", f"{name}.c").replace("FILE", f"{name}.c")
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        run(COROTRACER, "assemble", "-o", place / f"{name}.ctrace", "-", input=text)
    words = ("wait(*).max < 1s", "lost == 0")
    told = run(COROTRACER, "check", place, *words, status=BROKEN).stdout
    check(told.count("corotracer check: ") == 3 and told.count("broken ") == 1 and "holds " not in told, told)
    check(told.endswith("3 traces: all assertions hold of 2\n") and f"{place}/a/2.ctrace, " in told, told)
    page = check_json(place, *words, status=BROKEN)
    check([one["holds"] for one in page["traces"]] == [True, False, True] and not page["holds"], f"{page}")
    check(check_json(place / "b", *words, status=HOLDS)["holds"], "what holds does not")
    root = xml.fromstring(run(COROTRACER, "check", "-f", "junit", place, *words, status=BROKEN).stdout)
    check((root.get("tests"), root.get("failures"), len(root.findall("testsuite"))) == ("6", "1", 3), f"{root.attrib}")
    runs = json.loads(run(COROTRACER, "check", "-f", "sarif", place, *words, status=BROKEN).stdout)["runs"]
    check([one["automationDetails"]["id"] for one in runs] == [str(place / f"{name}.ctrace") for name in ("a/1", "a/2", "b/1")], f"{runs}")
    (place / "b/0.ctrace").write_bytes(b"none")
    told = run(COROTRACER, "check", place / "b", *words, status=5)
    check("2 traces" not in told.stdout and "1 trace: all assertions hold of 1" in told.stdout and "0.ctrace" in told.stderr, f"{told}")
    run(COROTRACER, "check", place, *words, status=BROKEN)
    (scratch / "no").mkdir()
    check("has no trace" in run(COROTRACER, "check", scratch / "no", *words, status=4).stderr, "an empty folder")


def check_output(trace, scratch):
    """The output is complete or absent; if it cannot be written, the command behaves as if no output was asked for."""
    output = scratch / "results.xml"
    run(COROTRACER, "check", "--format", "junit", "-o", output, trace, "lost < 1M", status=HOLDS)
    xml.parse(output)
    check([name for name in os.listdir(scratch) if "partial" in name] == [], "something is left over")
    told = run(COROTRACER, "check", "-f", "json", "-t", scratch / "aside.ctrace", "--", CORRECT, *LOAD, status=HOLDS)
    check(json.loads(told.stdout)["holds"] and "listening" in told.stderr, "verdicts and what the program prints mix")
    told = json.loads(run(COROTRACER, "check", "-f", "json", "-", "lost == 0", stdin=open(trace, "rb")).stdout)
    check("example-tcp-server" in told["subject"], "standard input has no name of its own")
    run(COROTRACER, "check", "-o", scratch / "none/results", trace, "lost < 1M", status=4)


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        trace = record_and_check(scratch)
        check_same_figures(trace)
        check_places(trace)
        check_junit(trace)
        check_sarif(trace)
        check_named_from_here(scratch)
        check_going_on(scratch)
        check_ready_and_running(scratch)
        check_reads_once(trace)
        check_files(trace, scratch)
        check_bad_requests(trace, scratch)
        check_nothing_recorded(scratch)
        check_nothing_seen(scratch)
        check_many(scratch)
        check_output(trace, scratch)
    print(f"check: {RUNS} of {RUNS} runs of the correct server pass, {2 * RUNS} of {2 * RUNS} of the faulty one name the place")


main()
