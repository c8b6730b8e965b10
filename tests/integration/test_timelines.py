# SPDX-License-Identifier: MIT
"""Tests that timelines contain what the view contains: states, runs, wakes, tasks, regions, counters, logs, losses and
findings, to the nanosecond, in both forms; for a trace written by hand, and for a real program."""
import collections
import json
import pathlib
import sys

import environment
from support import BUILD, COROTRACER, check, folder, run
import timeline_reader

try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2  # noqa: F401
except ImportError:
    environment.run_again_with("timeline", __file__)

EPOCH = 5000000000
# A run within a run, calls and sleep, names that need quoting, a run that overlaps another one where events are
# missing.
TRACE = rb"""trace run=00112233445566778899aabbccddeeff host=build-7 from=0 until=2s epoch_monotonic=5000000000 epoch_realtime=1700000000000000000
process 1 pid=100 program=/bin/server command="server \"-x\", y" probe ledger
thread 1 process=1 tid=101 name="work,er \"0\"\nbelow \xff"
thread 2 process=1 tid=102 name="caf\xc3\xa9"
site 1 process=1 kind=source file=/src/server.cpp line=40 function="accept_loop<int, char>(int)"
site 2 process=1 kind=source file=/src/server.cpp line=120 function=handle reason=AsyncRead
site 3 process=1 kind=source file=/src/reactor.cpp line=200 function=Reactor::on_hangup
site 4 process=1 kind=source file=/src/server.cpp line=50 reason=db.query
site 5 process=1 kind=source file=/src/server.cpp line=51 reason="GET \"/\xff\"\n=1+1"
site 6 process=1 kind=source reason="queue depth"
site 7 process=1 kind=source reason="100% done\\"
loss process=1 thread=2 reason="ring full" count=7 first=1s last=1.1s
end 1 exited 0 at=2s
1ms    t1 create c1 0x11010 @1
1.1ms  t1 frame c1 0x11000 @2
1.2ms  t1 resume c1
1.25ms t1 task-begin c1 77 @5
1.3ms  t1 counter c1 17 @6
1.4ms  t1 region-begin c1 @4
1.5ms  t1 suspend c1 descriptor:7.3 @2 point=await
2ms    t1 create c2 0x12010 @1
2.2ms  t1 resume c2
2.3ms  t1 block-begin c2 500 argument=1
2.4ms  t1 block-end c2 1
2.5ms  t1 log c2 @7
3ms    t2 wake c0 coroutine:1 outcome=queued @3
4ms    t2 resume c1
4.5ms  t2 region-end c1 @4
4.6ms  t2 task-end c1 77
4.7ms  t2 counter c1 -3 @6
5ms    t2 suspend c1
5.5ms  t1 suspend c2
6ms    t1 resume c9223372036854775000
6.5ms  t1 resume c3
7ms    t1 suspend c9223372036854775000
7.5ms  t1 suspend c3
8ms    t2 park
1.9s   t2 unpark
"""


def rows(trace, sql):
    told = json.loads(run(COROTRACER, "query", "--format", "json", trace, sql).stdout)
    return [tuple(row.values()) if isinstance(row, dict) else tuple(row) for row in (told["rows"] if isinstance(told, dict) else told)]


def exported(trace, form, path):
    said = run(COROTRACER, "export", "--format", form, "-o", path, trace)
    check(not said.stdout and not said.stderr, f"{form} says {said}")
    return timeline_reader.read_perfetto(path, EPOCH if trace.suffix == ".txt" else epoch_of(trace)) \
        if form == "perfetto" else timeline_reader.read_chrome(path)


def epoch_of(trace):
    return rows(trace, "SELECT epoch_monotonic_ns FROM trace")[0][0]


def sums(pairs):
    total = collections.Counter()
    for key, ns in pairs:
        total[key] += ns
    return dict(total)


def count_of(trace, table):
    return rows(trace, f"SELECT count(*) FROM {table}")[0][0]


def check_against_view(trace, timeline, form):
    """Each figure computed from the timeline is that of a query."""
    told = sums(((name, state), ns) for name, state, ns in rows(
        trace, "SELECT coroutine, state, until_ns - from_ns FROM states"))
    seen = sums(((int(timeline.tracks[one.track][0].split()[1]), one.name), one.end - one.start)
                for one in timeline.of("state"))
    check(seen == told and seen, f"{form}: states {seen}, not {told}")
    told = sums(rows(trace, "SELECT coroutine, until_ns - from_ns FROM runs WHERE thread > 0"))
    seen = sums((int(one.arguments["coroutine"]), one.end - one.start) for one in timeline.of("run"))
    check(seen == told, f"{form}: runs {seen}, not {told}")
    for category, table in (("wake", "wakes"), ("task", "tasks"), ("region", "regions")):
        check(len(timeline.of(category)) == count_of(trace, table), f"{form}: another number of {table}")
    told = sorted(rows(trace, "SELECT time_ns, value FROM counter_values"))
    check(sorted(sum(timeline.counters.values(), [])) == told, f"{form}: counters {timeline.counters}, not {told}")
    check(len(timeline.of("finding")) == count_of(trace, "findings"), f"{form}: another number of findings")
    check(sum(one.arguments["events"] for one in timeline.of("loss")) == rows(
        trace, "SELECT coalesce(sum(nr_events), 0) FROM losses")[0][0], f"{form}: other losses")


def check_arrows(trace, timeline, form):
    """From each wake that made a coroutine ready, an arrow leads to its delay and on to its run."""
    told = rows(trace, """SELECT count(*) FROM delays WHERE waker_thread > 0 AND NOT is_open AND (process, coroutine, from_ns)
                          IN (SELECT process, coroutine, time_ns FROM wakes)""")[0][0]
    starts = {(one.track, one.time) for one in timeline.of("wake")}
    runs = {(one.track, one.start) for one in timeline.of("run")}
    delays = {(one.track, one.start) for one in timeline.of("state") if one.name == "ready"}
    first = [arrow for arrow in timeline.arrows if arrow[0] in starts and arrow[1] in delays]
    second = [arrow for arrow in timeline.arrows if arrow[0] in delays and arrow[1] in runs]
    check(len(first) >= told and len(second) >= told and told > 0, f"{form}: {len(first)} and {len(second)} arrows of {told} wakes")


def check_nesting(timeline, form):
    """On each track, slices are disjoint or nested."""
    by_track = collections.defaultdict(list)
    for one in timeline.slices:
        if one.category in ("state", "run", "block", "park"):
            by_track[one.track].append((one.start, -one.end))
    for spans in by_track.values():
        ends = []
        for start, end in sorted(spans):
            while ends and ends[-1] <= start:
                ends.pop()
            check(not ends or -end <= ends[-1], f"{form}: slices cut each other")
            ends.append(-end)


def check_words(timeline, form):
    """The trace written by hand: unchanged names, places, calls, sleep, and a run that does not nest."""
    names = {name for name, _ in timeline.tracks.values()}
    check({'work,er "0"\nbelow \ufffd', "caf\u00e9", "coroutine 1 (handle)", "at the same time"} <= names, f"{form}: tracks {names}")
    task, region = timeline.of("task")[0], timeline.of("region")[0]
    check((task.name, task.start, task.end) == ('GET "/\ufffd"\n=1+1', 1250000, 4600000), f"{form}: {task}")
    check((region.name, region.start, region.end) == ("db.query", 1400000, 4500000), f"{form}: {region}")
    log, wake = timeline.of("log")[0], timeline.of("wake")[0]
    check((log.name, log.time) == ("100% done\\", 2500000), f"{form}: {log}")
    check(wake.site == ("Reactor::on_hangup", "/src/reactor.cpp", 200), f"{form}: {wake}")
    block, park = timeline.of("block")[0], timeline.of("park")[0]
    check((block.start, block.end, park.start, park.end) == (2300000, 2400000, 8000000, 1900000000), f"{form}: {block} {park}")
    waiting = next(one for one in timeline.of("state") if one.name == "waiting" and one.start == 1500000)
    check(waiting.arguments["object"].startswith("descriptor 7") and "AsyncRead" in waiting.arguments["place"],
          f"{form}: {waiting}")
    large = {str(one.arguments["coroutine"]) for one in timeline.of("run")}
    check("9223372036854775000" in large, f"{form}: large ids are not exact: {large}")


def check_trace(trace, place, is_by_hand):
    for form in ("perfetto", "chrome"):
        timeline = exported(trace, form, place / f"{trace.stem}.{form}")
        check_against_view(trace, timeline, form)
        check_arrows(trace, timeline, form)
        check_nesting(timeline, form)
        if is_by_hand:
            check_words(timeline, form)


def check_output(trace, place):
    """'-' is standard output; the default name is derived from the trace's name."""
    piped = run(COROTRACER, "export", "--format", "chrome", "-o", "-", trace)
    named = run(COROTRACER, "export", "--format", "chrome", trace, cwd=place)
    check(piped.stdout == trace.with_suffix(".trace.json").read_text(), "standard output differs")
    check(".trace.json" in named.stderr, f"nothing says where it went: {named}")
    run(COROTRACER, "export", "--format", "perfetto", trace, cwd=place)
    check(trace.with_suffix(".perfetto-trace").exists(), "the trace has another name")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        by_hand = place / "hand.txt"
        by_hand.write_bytes(TRACE)
        check_trace(by_hand, place, True)
        check_output(by_hand, place)
        real = place / "real.ctrace"
        run(COROTRACER, "run", "-o", real, "--", BUILD / "tests/targets/crowd", "200")
        check_trace(real, place, False)


main()
sys.exit(0)
