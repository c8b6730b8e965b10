# SPDX-License-Identifier: MIT
"""`stats`: where the time of a real scheduler went."""
import json
import pathlib
import resource
import sqlite3

from support import BUILD, COROTRACER, check, check_documented, fail, folder, run

STATES = ("unseen_ns", "ready_ns", "running_ns", "waiting_ns", "syscall_ns")


def statistics(trace):
    report = json.loads(run(COROTRACER, "stats", "--format", "json", trace).stdout)
    return report, report["statistics"]


def check_sums(report, told):
    """J-9: each worker's times add up to the time in which it was observed; all parts add up to their totals."""
    check(told["workers"], "no worker")
    for worker in told["workers"]:
        parts = sum(worker[key] for key in ("running_ns", "scheduling_ns", "blocked_ns", "idle_ns"))
        check(parts == worker["until_ns"] - worker["from_ns"], f"{worker} adds up to {parts}")
    check(sum(worker["resumes"] for worker in told["workers"]) == told["resumes"], "resumes of workers")
    check(sum(place["delays"]["count"] for place in told["places"]) == told["delays"]["count"], "delays of places")
    check(sum(place["delays"]["total_ns"] for place in told["places"]) == told["delays"]["total_ns"], "their times")
    check(sum(one["started"] for one in told["spawnings"]) == report["quality"]["coroutines"], "started")
    for coro in told["busiest"]:
        life = sum(coro[state] for state in STATES)
        check(0 < coro["running_ns"] <= life, f"{coro}")
    check(told["running_ns"] >= sum(coro["running_ns"] for coro in told["busiest"]), "all run as long as some")


def site_of(report, place):
    site = report["sites"][place["site"] - 1]
    return f"{site['function']} {site['reason']}"


def check_places(report, told):
    """The example waits at its channels and its mutex; the coroutine at the other side wakes there."""
    waits = {site_of(report, place): place for place in told["places"] if place["site"] and place["waits"]["count"]}
    lock = next(place for name, place in waits.items() if "fiber_mutex_lock" in name)
    check(lock["delays"]["count"] == lock["waits"]["count"], f"each wait for the lock ended by a wake: {lock}")
    woken = [place["delays_caused"] for place in told["places"]
             if place["site"] and "fiber_mutex_unlock" in site_of(report, place)]
    # A coroutine that was still on its way to sleep when the lock came is woken once more, by the scheduler.
    check(lock["delays"]["count"] / 2 < sum(caused["count"] for caused in woken) <= lock["delays"]["count"],
          f"who unlocked woke those that waited: {woken} {lock}")
    check(sum(caused["total_ns"] for caused in woken) <= lock["delays"]["total_ns"], "and they were as late")


def check_texts(trace):
    told = run(COROTRACER, "stats", trace).stdout
    for title in ("Data quality", "All coroutines", "Workers", "Waits, by where they waited", "Scheduler latency, by",
                  "Runs, by where", "Started", "Coroutines that ran for the longest time"):
        check(title in told, f"no '{title}' in\n{told}")
    page = run(COROTRACER, "stats", "--format", "md", trace).stdout
    check(page.startswith("## corotracer stats\n\n") and "### Workers" in page, f"Markdown: {page}")
    program = told.split("corotracer stats: ")[1].split(" ")[0]
    check(program in page.splitlines()[2], f"{program} is not named in {page.splitlines()[2]}")
    few = run(COROTRACER, "stats", "--rows", "1", trace).stdout
    check(len(few.splitlines()) < len(told.splitlines()), few)


def span(report, name):
    return next(one for one in report["spans"] if one["name"] == name)


def check_spans(report):
    """J-10: the times of a region's coroutines add up to the time for which it was open, and the kinds of waits add up
    to the wait."""
    batch, region = span(report, "batch"), span(report, "sum")
    check((batch["kind"], batch["ended"], batch["open"]) == ("task", 80, 0), f"{batch}")
    check((region["kind"], region["ended"], region["open"]) == ("region", 8000, 0), f"{region}")
    for one in (batch, region):
        check(abs(sum(one[state] for state in STATES) - one["total_ns"]) <= 1000 * one["ended"], f"{one}")
        check(sum(wait["ns"] for wait in one["waits"]) == one["waiting_ns"], f"{one}")
        check(one["mean_ns"] == one["total_ns"] // one["ended"], f"{one}")
        check(one["p50_ns"] <= one["p90_ns"] <= one["p99_ns"] <= one["p999_ns"] <= one["p9999_ns"] <= one["max_ns"],
              f"{one}")
    check(region["waits"][0]["for"] == "lock", f"{region['waits']}")
    # Whether a batch meets an empty channel depends on the schedule.
    check({wait["for"] for wait in batch["waits"]} <= {"lock", "channel", "nothing"}, f"{batch['waits']}")


def check_path(trace, report):
    """J-11: the stretches of the slowest batch follow each other, and add up to its duration."""
    slowest = report["slowest_tasks"][0]
    told = json.loads(run(COROTRACER, "stats", "--task", "batch", "--format", "json", trace).stdout)
    check_documented(told)
    path = told["path"]
    check((path["id"], path["duration_ns"]) == (slowest["id"], slowest["duration_ns"]), f"{path['id']} {slowest}")
    time = path["begun_ns"]
    for stretch in path["stretches"]:
        if stretch["depth"] == 0:
            check(stretch["from_ns"] == time, f"{stretch} does not begin at {time}")
            time = stretch["until_ns"]
    check(time == path["begun_ns"] + path["duration_ns"], f"the path ends at {time}")
    check(sum(part["total_ns"] for part in path["parts"]) == path["duration_ns"], "its parts")
    told = run(COROTRACER, "stats", "--task", str(path["id"]), trace).stdout
    check(f"batch {path['id']}" in told and "The critical path" in told and "Workers" not in told, told)
    done = run(COROTRACER, "stats", "--task", "no such", trace, status=4)
    check("no task 'no such'" in done.stderr, done.stderr)


def check_ready(told):
    ready = told["ready"]
    check(0 < ready["mean"] <= ready["max"] and ready["p50"] <= ready["p99"] <= ready["max"], f"{ready}")


def check_run_queues(trace, told):
    """The scheduler records its queues: a slot and a ring of each worker, and one global queue."""
    queues = told["run_queues"]
    check(len(queues) >= 2 and len({queue["queue"] for queue in queues}) == len(queues), f"{queues}")
    check([queue["lengths"]["mean"] for queue in queues] ==
          sorted((queue["lengths"]["mean"] for queue in queues), reverse=True), "the longest comes first")
    for queue in queues:
        lengths = queue["lengths"]
        check(queue["entered"] > 0 and lengths["p50"] <= lengths["p99"] <= lengths["max"], f"{queue}")
        check(0 <= lengths["mean"] <= lengths["max"] and lengths["observed_ns"] > 0, f"{queue}")
        check(queue["name"].startswith("queue "), f"{queue}")
    check("Queues of ready coroutines" in run(COROTRACER, "stats", trace).stdout, "their table")
    told = run(COROTRACER, "report", trace).stdout
    check("ready at once" in told and "longest queue" in told, told)


TIMES_AND_COUNTS = (*STATES, "resumes", "migrations")


def check_breakdown(trace, whole, by, sort, rows):
    """J-13: the rows, the greatest first, and "others" add up to the whole, however many rows are shown."""
    options = ("--by", by, "--sort", sort, "--rows", rows)
    told = json.loads(run(COROTRACER, "stats", *options, "--format", "json", trace).stdout)
    check_documented(told)
    told = told["breakdown"]
    check((told["by"], told["sort"]) == (by, sort), f"{options}: {told['by']} {told['sort']}")
    check(0 < len(told["rows"]) <= rows, f"{options}: {len(told['rows'])} rows")
    shares = told["rows"] + [told["others"]]
    for key in TIMES_AND_COUNTS:
        check(sum(share[key] for share in shares) == whole[key], f"{options}: {key} is not that of all")
    for share in shares:
        # If clocks disagree, a part may be negative, and is in no list.
        check(0 <= sum(wait["ns"] for wait in share["waits"]) - share["waiting_ns"] < 100_000, f"{options}: {share}")
        check(share["runs"]["total_ns"] - share["running_ns"] < 100_000, f"{options}: {share}")
    check(sum(share["delays"]["count"] for share in shares) == whole["delays"]["count"], f"{options}: delays")
    check(sum(share["delays"]["total_ns"] for share in shares) == whole["delays"]["total_ns"], f"{options}: latency")
    amount = {"life": lambda share: sum(share[state] for state in STATES),
              "running": lambda share: share["running_ns"], "ready": lambda share: share["ready_ns"],
              "waiting": lambda share: share["waiting_ns"]}.get(sort, lambda share: share[sort])
    amounts = [amount(share) for share in told["rows"]]
    check(amounts == sorted(amounts, reverse=True), f"{options}: {amounts}")
    text = run(COROTRACER, "stats", *options, trace).stdout
    check((f"({told['other_rows']} other" in text) == (told["other_rows"] > 0), f"{options}: {text}")
    return told


def check_breakdowns(trace, report, whole):
    for by in ("coroutine", "function", "site"):
        for sort, rows in (("running", 1), ("ready", 3), ("waiting", 1000), ("life", 2), ("resumes", 2),
                           ("migrations", 2), ("events", 2), ("coroutines", 2)):
            told = check_breakdown(trace, whole, by, sort, rows)
        nr_coros = sum(share["coroutines"] for share in told["rows"] + [told["others"]])
        check(nr_coros == report["quality"]["coroutines"], f"{by}: {nr_coros} coroutines")
    for by, title in (("place", "Waits, by where they waited"), ("waker", "by where they were woken"),
                      ("worker", "Workers"), ("task", "The slowest tasks"), ("region", "region  sum"),
                      ("site", "What they waited for")):
        text = run(COROTRACER, "stats", "--by", by, trace).stdout
        check(title in text and ("Workers" in text) == (by == "worker"), f"--by {by}: {text}")
        check("## " in run(COROTRACER, "stats", "--by", by, "--format", "md", trace).stdout, f"--by {by} in Markdown")
    for words, sentence in ((("--sort", "ready"), "goes with"), (("--by", "worker", "--sort", "ready"), "goes with"),
                            (("--by", "site", "--task", "batch"), "give one of"), (("--by", "day"), "takes one of")):
        done = run(COROTRACER, "stats", *words, trace, status=2)
        check(sentence in done.stderr, f"{words}: {done.stderr}")


# One coroutine waits for 1 ms and is woken; then three wait elsewhere until the end.
GOES_ON = """\
trace from=0 until=100ms
process 1 pid=100 probe ledger
thread 1 tid=101 name=a
site 1 kind=source file=a.c line=10 function=main
site 2 kind=source file=a.c line=20 function=take reason=brief
site 3 kind=source file=a.c line=30 function=give reason=lasting
1ms t1 create c1 0x1010 @1
2ms t1 resume c1
3ms t1 suspend c1 channel:5 @2
4ms t1 wake c0 coroutine:1 @3
5ms t1 resume c1
10ms t1 suspend c1 channel:6 @3
10ms t1 create c2 0x2010 @1
10ms t1 resume c2
20ms t1 suspend c2 channel:6 @3
20ms t1 create c3 0x3010 @1
20ms t1 resume c3
30ms t1 suspend c3 channel:6 @3
"""


def check_what_goes_on(place):
    """J-12: waits that go on at the end count for the places with most waiting, and add up with the others."""
    trace = place / "goes-on.txt"
    trace.write_text(GOES_ON)
    _, told = statistics(trace)
    check([(one["waits"]["count"], one["waiting"], one["waiting_ns"]) for one in told["places"]][:2] ==
          [(0, 3, 240_000_000), (1, 0, 0)], f"{told['places']}")
    waited = sum(one["waits"]["total_ns"] + one["waiting_ns"] for one in told["places"])
    check(waited == told["waiting_ns"] == 241_000_000, f"{waited} of {told['waiting_ns']}")
    text = run(COROTRACER, "report", trace).stdout
    check("240 ms in 3 waits (3 go on) at" in text, text)
    check("of its time, and was in system calls for 0.0 %; no sleep of it is recorded" in " ".join(text.split()), text)
    rows = run(COROTRACER, "stats", trace).stdout.split("Waits, by where", 1)[1].splitlines()
    lasting, brief = (next(line for line in rows if word in line).split() for word in ("lasting", "brief"))
    check(" ".join(lasting).endswith(" 3 240 ms 90.0 ms") and "not ended" in rows[1] + rows[2], "\n".join(rows))
    check("1 1.00 ms 1.00 ms" in " ".join(brief), "\n".join(rows))


# A flight recorder covers the time before anybody observed: a coroutine ran, waited, and was woken then.
BEFORE = """\
trace from=50ms until=150ms
process 1 pid=100 probe ledger
thread 1 tid=101 name=a
site 1 kind=source file=a.c line=10 function=main
site 2 kind=source file=a.c line=20 function=take reason=get
1ms t1 create c1 0x1010 @1
2ms t1 resume c1
3ms t1 suspend c1 channel:5 @2
4ms t1 wake coroutine:1 @2
5ms t1 resume c1
6ms t1 suspend c1 channel:5 @2
70ms t1 create c2 0x2010 @1
"""


def check_before(place):
    """Times that nobody observed are reported as such: no distribution counts them as 0 ns."""
    trace = place / "before.txt"
    trace.write_text(BEFORE)
    _, told = statistics(trace)
    check(told["changes_before"] == 5, f"{told['changes_before']} changes before")
    check(told["delays"]["count"] == 0 and told["waiting_ns"] == 100_000_000, f"{told}")
    check(not any(place["runs"]["count"] + place["waits"]["count"] for place in told["places"]), f"{told['places']}")
    check([(one["started"], one["per_second"]) for one in told["spawnings"]] == [(2, 10)], f"{told['spawnings']}")
    text = run(COROTRACER, "stats", trace).stdout
    check("5 changes of state, recorded of the time before the observation" in text and "p99" not in text, text)
    check("before that" in run(COROTRACER, "report", trace).stdout, "the report, too")
    trace.write_text(BEFORE.replace("from=50ms", "from=0"))
    _, told = statistics(trace)
    check(told["changes_before"] == 0 and told["delays"]["count"] == 1, f"{told}")


# What a runtime does besides running coroutines: P-100 to P-103.
RUNTIME = """\
trace from=0 until=100ms
process 1 pid=100 program=/bin/service probe
thread 1 tid=101 name=m1
thread 2 tid=102 name=m2
site 1 kind=source file=/src/main.go line=10 function=main.main reason=request
site 2 kind=source file=/src/main.go line=30 function=main.alloc
site 3 kind=name reason="GC sweep termination"
site 4 kind=name reason="read mem stats"
0      t1 processor processor:0 state=running
0      t2 processor processor:1 state=running
1ms    t1 create c1 @1
1ms    t1 resume c1
3ms    t1 task-begin c1 7 @1
10ms   t1 range-begin c1 @3 range=pause
11ms   t1 range-end c1 range=pause
11ms   t1 range-begin range=gc-mark
20ms   t1 range-begin c1 @2 range=gc-assist
25ms   t1 suspend c1 channel:0 @2
25ms   t1 create c2 @1
30ms   t2 wake coroutine:1 @1
40ms   t1 resume c1
45ms   t1 range-end c1 range=gc-assist
45ms   t1 task-end 7
60ms   t1 suspend c1 channel:0 @2
60ms   t1 processor processor:0 state=idle
60ms   t2 range-begin processor:1 @2 range=gc-sweep
62ms   t2 range-end processor:1 range=gc-sweep
62ms   t2 detail 4096 detail=swept
62ms   t2 detail 1024 detail=reclaimed
70ms   t2 wake coroutine:1 @1
80ms   t1 processor processor:0 state=running
80ms   t1 resume c1
85ms   t2 range-begin @4 range=pause
89ms   t2 range-end range=pause
90ms   t2 processor processor:1 state=gone
"""


def check_utilization(runtime):
    """Half of two processors for 10 ms and for 2 ms, both for 1 ms: compared with figures that were computed by
    hand."""
    check(abs(runtime["utilization"] - (1 - 7 / 100)) < 1e-9, f"{runtime['utilization']}")
    least = {one["window_ns"]: one["least"] for one in runtime["least_utilization"]}
    check(least[1000] == 0 and least[1_000_000] == 0, f"{least}")
    check(abs(least[10_000_000] - 7.5 / 10) < 1e-9, f"{least}")
    check(list(least.values()) == sorted(least.values()), f"{least}")


def check_ranges_exported(trace, place):
    """A SQLite database has the rows of a query."""
    columns = "process, kind, name, coroutine, thread, from_ns, until_ns, duration_ns, is_open, site"
    told = json.loads(run(COROTRACER, "query", "--format", "json", trace, f"SELECT {columns} FROM ranges").stdout)
    run(COROTRACER, "export", "-f", "sqlite", "-o", place / "ranges.sqlite", trace)
    rows = sqlite3.connect(place / "ranges.sqlite").execute(f"SELECT {columns} FROM ranges").fetchall()
    told = sorted(repr(tuple(cell or None for cell in row.values())) for row in told)
    check(sorted(repr(tuple(cell or None for cell in row)) for row in rows) == told and len(told) == 5, f"{rows} {told}")


def check_ranges(trace):
    """The same figures as rows of a query, and as slices of a timeline."""
    told = run(COROTRACER, "query", "--format", "csv", trace, "SELECT kind, name, duration_ns, is_open FROM ranges").stdout
    told = told.replace('"', "")
    check("pause,read mem stats,4000000,0" in told, told)
    check("gc-mark,,89000000,1" in told and "gc-assist,,25000000,0" in told, told)
    slices = json.loads(run(COROTRACER, "export", "-f", "chrome", "-o", "-", trace).stdout)["traceEvents"]
    named = {one["name"] for one in slices if one.get("cat") == "range"}
    check(named == {"pause", "gc-mark", "gc-sweep", "gc-assist"}, f"{named}")


def check_runtime(place):
    """Processors, pauses and collection, and the task that they prolonged."""
    trace = place / "runtime.txt"
    trace.write_text(RUNTIME)
    report, _ = statistics(trace)
    runtime, = report["runtimes"]
    check(runtime["paused_ns"] == 5_000_000 and runtime["assisted_ns"] == 10_000_000, f"{runtime}")
    check(runtime["idle_ready_ns"] == runtime["short_ns"] == 10_000_000, f"{runtime}")
    check(runtime["processors_ns"] == 190_000_000 and runtime["coroutines_most"] == 2, f"{runtime}")
    check(runtime["swept_bytes"] == 4096 and runtime["reclaimed_bytes"] == 1024, f"{runtime}")
    check([(one["number"], one["running_ns"], one["idle_ns"], one["taken"]) for one in runtime["processors"]] ==
          [(0, 80_000_000, 20_000_000, 2), (1, 90_000_000, 0, 1)], f"{runtime['processors']}")
    check([(one["kind"], one["name"], one["durations"]["count"], one["open"]) for one in runtime["ranges"]] ==
          [("gc-mark", "", 0, 1), ("gc-assist", "", 1, 0), ("pause", "read mem stats", 1, 0), ("gc-sweep", "", 1, 0),
           ("pause", "GC sweep termination", 1, 0)], f"{runtime['ranges']}")
    task, = runtime["met_tasks"]
    check((task["id"], task["paused_ns"], task["assisted_ns"]) == (7, 1_000_000, 10_000_000), f"{task}")
    check_utilization(runtime)
    check_ranges(trace)
    check_ranges_exported(trace, place)
    text = run(COROTRACER, "stats", trace).stdout
    check("2 pauses, 5.00 ms together (5.00 % of the time), the longest 4.00 ms" in text, text)
    check("processors stood idle for 10.0 ms together while coroutines were ready" in text, text)


def check_ten_most(place):
    """If many rows are asked for, the heading and the help say that a list of coroutines has only ten."""
    trace = place / "many.txt"
    lives = [f"{number}ms t1 create c{number} 0x{number:x}000\n{number}ms t1 resume c{number}\n{number}.5ms t1 return c{number}\n"
             for number in range(1, 13)]
    trace.write_text("trace from=0 until=100ms\nprocess 1 pid=100 probe\nthread 1 tid=101\n" + "".join(lives))
    text = run(COROTRACER, "stats", "-n", 50, trace).stdout.split("ran for the longest time (at most ten)")[1]
    rows = [line for line in text.split("\n\n")[0].splitlines() if line.split()[:1] and line.split()[0].isdigit()]
    check(len(rows) == 10 and len(statistics(trace)[1]["busiest"]) == 10, text)
    told = " ".join(run(COROTRACER, "help", "stats").stdout.split())
    check("Lists of coroutines have the ten most of each, json, too" in told, told)


def check_none(place):
    """If there is nothing to distinguish, that is said."""
    trace = place / "none.txt"
    trace.write_text("trace from=0 until=9ms\nprocess 1 pid=100 probe\nthread 1 tid=101\n1ms t1 create c1 0x1000\n1ms t1 resume c1\n")
    for by in ("task", "region"):
        for form in ("text", "md"):
            told = run(COROTRACER, "stats", "--by", by, "--format", form, trace).stdout
            check(f"the trace has no {by}\n" in told.replace(" |", ""), told)
    for by in ("worker", "coroutine"):
        check("the trace has no" not in run(COROTRACER, "stats", "--by", by, trace).stdout, f"there is one {by}")


def check_complaints(place):
    for words, status, sentence in (((f"{place}/none.ctrace",), 4, "No such file"), ((), 2, "stats")):
        done = run(COROTRACER, "stats", *words, status=status)
        check(sentence in done.stderr and not done.stdout, f"{words}: {done.stderr}")


def record(trace):
    """Records a run in which a coroutine waits for the lock: if the workers run one after the other, none may."""
    program = BUILD / "tests/workloads/fiber-scheduler/example-fibers"
    for _ in range(50):
        run(COROTRACER, "run", "-o", trace, "--", program, "--scenario", "mixed")
        report, told = statistics(trace)
        if span(report, "sum")["waits"] and any("fiber_mutex_lock" in site_of(report, place) and place["waits"]["count"]
                                                for place in told["places"] if place["site"]):
            return report, told
    fail("in 50 runs nobody waited for the lock")


MANY_PLACES = 20000
MOST_KIBIBYTES = 500 << 10  # a seventh of it suffices, except where a sanitizer keeps freed memory


def check_many_places(folder_path):
    """Times at very many places take bounded memory, and places without room are reported."""
    text, trace = folder_path / "places.txt", folder_path / "places.ctrace"
    lines = ["trace from=0 until=2s", "process 1 pid=1 program=/bin/p probe", "thread 1 tid=1"]
    lines += [f"site {i} kind=source file=p line={i} function=p" for i in range(1, MANY_PLACES + 1)]
    for i in range(1, MANY_PLACES + 1):
        lines.append(f"{i}us t1 create c{i} @{i}")
        lines += 2 * [f"{i}us t1 resume c{i}", f"{i}us t1 suspend c{i} channel:1 @{i}",
                      f"{i}us t1 wake coroutine:{i} @{i} outcome=queued"]
    text.write_text("\n".join(lines) + "\n")
    run(COROTRACER, "assemble", text, "-o", trace)
    _, told = statistics(trace)
    check(told["refused"] > 0, "all places had room")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    check(used < MOST_KIBIBYTES, f"the largest command took {used} KiB")


def main():
    with folder() as place:
        trace = f"{place}/mixed.ctrace"
        report, told = record(trace)
        check_sums(report, told)
        check_places(report, told)
        check_spans(report)
        check_path(trace, report)
        check_ready(told)
        check_run_queues(trace, told)
        check_breakdowns(trace, report, told)
        check_texts(trace)
        check("Where the time went" in run(COROTRACER, "report", trace).stdout, "the report tells the most of it")
        check_what_goes_on(pathlib.Path(place))
        check_before(pathlib.Path(place))
        check_none(pathlib.Path(place))
        check_ten_most(pathlib.Path(place))
        check_runtime(pathlib.Path(place))
        check_complaints(place)
        check_many_places(pathlib.Path(place))


if __name__ == "__main__":
    main()
