# SPDX-License-Identifier: MIT
"""Tests samples of where threads run, which the kernel takes for the engine: the report of a long run names the function
that took its time, with frame pointers or without; where the kernel refuses, one sentence says so, and all else is
recorded."""
import contextlib
import json
import os
import pathlib
import subprocess
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run, skip

sys.path.insert(0, str(SOURCE / "tests/support"))
import seccomp  # noqa: E402

TARGETS = BUILD / "tests/targets"
TEXT = (SOURCE / "tests/targets/long_run.cpp").read_text().splitlines()
HOT = next(number for number, line in enumerate(TEXT, 1) if line.endswith("// hot"))
RUNS_LONG = 4  # the coroutine of long_run that does
REFUSED = "the kernel does not allow perf events here"
BLIND = "samples have no time that threads spent in the kernel"
PERF_EVENT_OPEN = 298


def record(place, *words, target="long_run", inside=None):
    """Records the target. Returns what the engine said, and the report."""
    trace = place / "t.ctrace"
    trace.unlink(missing_ok=True)
    done = subprocess.run([COROTRACER, "run", "--cpu-samples", "99", "-o", trace, "--", TARGETS / target, *words], check=False,
                          text=True, capture_output=True, preexec_fn=inside, timeout=90)
    check(done.returncode == 0, f"{target} {words} ended with {done.returncode}: {done.stderr}")
    return done.stderr, json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)


def check_hot(finding, rule):
    """The finding is of this rule, and names the function that took nine tenths of the time, at its line."""
    check(finding["rule"] == rule, f"{finding['rule']}, not {rule}: {finding['title']}")
    hot = finding["samples"]["functions"][0]
    check(finding["samples"]["count"] >= 20, f"{finding['samples']}")
    check(hot["function"].startswith("(anonymous namespace)::parse_json(") and hot["file"].endswith("long_run.cpp"), f"{hot}")
    check(abs(hot["line"] - HOT) <= 1 and hot["samples"] * 2 > finding["samples"]["count"], f"{hot}, not line {HOT}")
    check("% of it in parse_json" in finding["title"], finding["title"])
    check(any("samples meanwhile were in parse_json" in fact for fact in finding["evidence"]), f"{finding['evidence']}")


def check_query(trace, finding):
    """SQL joins samples to the coroutine that ran; preemptions by the busy threads of this machine are told alike."""
    coroutine = finding["members"][0]["id"]
    rows = json.loads(run(COROTRACER, "query", "--format", "json", trace,
                          "SELECT s.function, count(*) AS n FROM samples JOIN sites s USING (site) "
                          f"WHERE coroutine = {coroutine} GROUP BY 1 ORDER BY n DESC LIMIT 1").stdout)
    check(rows and "parse_json" in rows[0]["function"] and rows[0]["n"] >= 20, f"{rows}")
    offs = json.loads(run(COROTRACER, "query", "--format", "json", trace,
                          "SELECT count(*) AS n FROM events WHERE kind = 'thread-off' AND argument = 1").stdout)
    check(offs[0]["n"] >= finding["samples"]["preempted"], f"{offs}, {finding['samples']['preempted']}")


def check_why(trace, finding):
    """`why` has of the run what the finding has."""
    told = json.loads(run(COROTRACER, "why", "--format", "json", trace, finding["members"][0]["id"]).stdout)
    longest = told["long_runs"][0]
    check(longest["samples"] == finding["samples"], f"{longest}, not {finding['samples']}")
    check("its longest run kept" in longest["text"] and "in parse_json" in longest["text"], longest["text"])
    check(any(step["text"] == longest["text"] for step in told["why"]), f"{told['why']}")


def record_long_run(place, target, length_ms):
    """Returns the report. Where others took the processor from the target, as the kernel counts it, the rule may be
    silent: then the target is recorded again."""
    trace = place / "t.ctrace"
    for _ in range(20):
        trace.unlink(missing_ok=True)
        told = run(COROTRACER, "run", "--cpu-samples", "99", "-o", trace, "--", TARGETS / target, length_ms).stdout
        report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
        starved_ns = int(next(line for line in told.splitlines() if line.startswith("starved ")).split()[1])
        if report["findings"] or starved_ns < length_ms * 100000:
            break
    return report


def check_named(place, target):
    report = record_long_run(place, target, 600)
    check(len(report["findings"]) == 1, f"{[finding['title'] for finding in report['findings']]}")
    check_hot(report["findings"][0], "worker-hog")
    folded = run(COROTRACER, "profile", "--type", "samples", "--format", "folded", place / "t.ctrace").stdout
    check("parse_json" in folded, folded)
    cpu = run(COROTRACER, "profile", "--type", "cpu", "--format", "folded", place / "t.ctrace").stdout
    hot_ns = sum(int(line.rsplit(" ", 1)[1]) for line in cpu.splitlines() if line.startswith("serve (") and "parse_json" in line)
    check(hot_ns >= 400000000, f"{hot_ns} ns of some 540 ms: {cpu}")
    check_query(place / "t.ctrace", report["findings"][0])
    check_why(place / "t.ctrace", report["findings"][0])
    return folded


def check_blocked(place):
    """A long run that computes and then blocks: the report says how long it waited, and off-cpu has the stack."""
    _, report = record(place, "300", "blocked")
    check(len(report["findings"]) == 1, f"{[finding['title'] for finding in report['findings']]}")
    finding = report["findings"][0]
    samples = finding["samples"]
    check(finding["rule"] == "stuck-worker" and samples["waits"] >= 1 and samples["waited_ns"] >= 1400000000, f"{finding['title']}: {samples}")
    check("it waited in the kernel" in " ".join(finding["evidence"]), f"{finding['evidence']}")
    check(samples["waited_in"] and "read" in samples["waited_in"][0]["function"], f"{samples}")
    check(samples["waited_in"][0]["waited_ns"] >= 1400000000, f"{samples}")
    check("% of that in " in " ".join(finding["evidence"]), f"{finding['evidence']}")
    folded = run(COROTRACER, "profile", "--type", "off-cpu", "--format", "folded", place / "t.ctrace").stdout
    waits = [line for line in folded.splitlines() if "[waits in the kernel]" in line and "read" in line]
    check(any(line.startswith("serve (") and int(line.rsplit(" ", 1)[1]) >= 1400000000 for line in waits), folded)
    rows = json.loads(run(COROTRACER, "query", "--format", "json", place / "t.ctrace",
                          "SELECT sum(duration_ns) AS ns, count(*) - sum(goes_on) AS n FROM off_cpu "
                          f"WHERE NOT is_preempted AND coroutine = {RUNS_LONG}").stdout)
    check(rows[0]["ns"] >= samples["waited_ns"] and rows[0]["n"] >= samples["waits"], f"{rows}, {samples}")


@contextlib.contextmanager
def crowded():
    """All that the body starts has one processor, together with two programs that never give it away."""
    all_of_them = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(all_of_them)})
    with contextlib.ExitStack() as ends:
        for _ in range(2):
            busy = ends.enter_context(subprocess.Popen([sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=subprocess.PIPE))
            ends.callback(busy.kill)
            busy.stdout.readline()
        try:
            yield
        finally:
            os.sched_setaffinity(0, all_of_them)


def check_crowded(place, *words):
    """A run is long because others had the processor: told as the kernel itself counts it, with samples and without."""
    with crowded():
        trace = place / "t.ctrace"
        trace.unlink(missing_ok=True)
        done = run(COROTRACER, "run", *words, "-o", trace, "--", TARGETS / "long_run", "300")
    starved_ns = next(int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("starved "))
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
    check([finding["rule"] for finding in report["findings"]] == ["worker-hog"], f"{report['findings']}")
    finding = report["findings"][0]
    samples = finding["samples"]
    check(starved_ns * 8 // 10 - 200000000 <= samples["starved_ns"] <= starved_ns * 11 // 10, f"{samples}, not {starved_ns}")
    check("it had no processor for " in finding["title"], finding["title"])
    check(report["quality"]["starved_workers"] >= 1, f"{report['quality']}")
    check(max(worker["starved_ns"] for worker in report["statistics"]["workers"]) >= samples["starved_ns"], f"{report['statistics']['workers']}")
    rows = json.loads(run(COROTRACER, "query", "--format", "json", trace, "SELECT nr_preempted, preempted_ns, duration_ns FROM runs "
                          f"WHERE coroutine = {RUNS_LONG} ORDER BY duration_ns DESC LIMIT 1").stdout)
    check(rows[0]["preempted_ns"] == samples["preempted_ns"] and rows[0]["nr_preempted"] == samples["preempted"], f"{rows}, {samples}")
    if words:
        check(starved_ns * 8 // 10 <= samples["preempted_ns"] <= starved_ns * 11 // 10, f"{samples}, not {starved_ns}")
        check("other threads took the processor from it" in " ".join(finding["evidence"]), f"{finding['evidence']}")
    else:
        check("it could run and had no processor for at least" in " ".join(finding["evidence"]), f"{finding['evidence']}")


def check_faults(place):
    """A long run that reads pages of a file: they are told, with the time that was waited for them, the function and the file."""
    file = place / "index.bin"
    with file.open("wb") as out:
        out.write(os.urandom(4096 * 1200))
        out.flush()
        os.fsync(out.fileno())
        os.posix_fadvise(out.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    trace = place / "t.ctrace"
    trace.unlink(missing_ok=True)
    done = run(COROTRACER, "run", "--cpu-samples", "99", "-o", trace, "--", TARGETS / "long_run", "100", file)
    nr_faults = next(int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("faults "))
    if nr_faults < 1000:
        return  # the file is in memory whatever was asked: on a tmpfs
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
    samples = report["findings"][0]["samples"]
    check(nr_faults // 2 <= samples["page_faults"] <= nr_faults + 2, f"{samples}, not {nr_faults}, {report['quality']['notes']}")
    check(samples["faulted_file"] == str(file), f"{samples}")
    check(samples["faulted_in"][0]["function"].startswith("(anonymous namespace)::look_up("), f"{samples['faulted_in']}")
    check(samples["faulted_ns"] > 0, f"{samples}")
    check(any("had to be read from" in fact and "index.bin" in fact for fact in report["findings"][0]["evidence"]), f"{report['findings'][0]['evidence']}")
    rows = json.loads(run(COROTRACER, "query", "--format", "json", trace, "SELECT count(*) AS n, sum(duration_ns) AS ns FROM page_faults "
                          f"WHERE coroutine = {RUNS_LONG} AND of_file = '{file}'").stdout)
    check(nr_faults // 2 <= rows[0]["n"] <= samples["page_faults"] and rows[0]["ns"] == samples["faulted_ns"], f"{rows}, {samples}")


def check_refused(place):
    """The program runs as ever, and its finding says less."""
    said, report = record(place, "300", inside=lambda: seccomp.refuse_calls({PERF_EVENT_OPEN: seccomp.EPERM}))
    check(REFUSED in said, said)
    check(any(REFUSED in note["text"] for note in report["quality"]["notes"]), f"{report['quality']['notes']}")
    check([finding["rule"] for finding in report["findings"]] == ["worker-hog"], f"{report['findings']}")
    check(not report["findings"][0]["samples"]["count"], f"{report['findings'][0]}")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        check_refused(place)
        said, report = record(place, "0")
        if REFUSED in said:
            skip("the kernel does not allow perf events here")
        check(len(report["findings"]) == 1, f"{[finding['title'] for finding in report['findings']]}")
        check_hot(report["findings"][0], "stuck-worker")
        folded = check_named(place, "long_run")
        check("work (" in folded and ";parse_json" in folded, f"no callers: {folded}")
        check_named(place, "long_run_bare")
        check_faults(place)
        check_crowded(place)
        check_crowded(place, "--cpu-samples", "99")
        if BLIND not in said:
            check_blocked(place)


main()
