# SPDX-License-Identifier: MIT
"""Tests `profile`: pprof, folded text and a flame graph of a real program, whose sums are those of `stats`.

The reader of profile.proto below uses the published field numbers:
https://github.com/google/pprof/blob/main/proto/profile.proto
"""
import gzip
import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree as xml

from support import BUILD, COROTRACER, check, folder, run

SERVER = BUILD / "examples/example-tcp-server"
LOAD = BUILD / "examples/example-tcp-load"
FIBERS = BUILD / "tests/workloads/fiber-scheduler/example-fibers"
SYNC = {"lock", "condition", "channel", "semaphore", "queue", "event"}
PROFILE_STRINGS, SAMPLE_TYPE, SAMPLE, LOCATION, FUNCTION, COMMENT = 6, 1, 2, 4, 5, 13
USAGE = 2
SVG = "{http://www.w3.org/2000/svg}"

# Two coroutines that await, one that waits for a descriptor and reads from it; names that contain characters of stacks
# and markup.
CHAIN = r"""trace from=0 until=1s
process 1 pid=100 program=/bin/engine probe ledger
thread 1 tid=101 name=worker-0
site 1 kind=source file=/src/engine.c line=10 function=main
site 2 kind=source file=/src/engine.c line=20 function="outer;one"
site 3 kind=source file=/src/engine.c line=30 function="<b>&middle"
site 4 kind=source file=/src/engine.c line=40 function=leaf callers="wrap\t/src/engine.c\t50\n"
1ms t1 create c1 0x11010 @1
1ms t1 resume c1
2ms t1 create c2 0x12010 @1
2ms t1 await c1 c2
2ms t1 suspend c1 coroutine:2 @2
3ms t1 resume c2
4ms t1 create c3 0x13010 @1
4ms t1 await c2 c3
4ms t1 suspend c2 coroutine:3 @3
5ms t1 resume c3
6ms t1 suspend c3 descriptor:7.1 @4
100ms t1 wake coroutine:3 @1 outcome=queued
101ms t1 resume c3
102ms t1 block-begin -1 call=read
152ms t1 block-end 5
160ms t1 suspend c3 point=final
"""
OUTER, MIDDLE = "outer,one (src/engine.c:20)", "<b>&middle (src/engine.c:30)"
LEAF = f"{OUTER};{MIDDLE};wrap (src/engine.c:50);leaf (src/engine.c:40)"
MS = 1000000
FOLDED = {
    "wait": {OUTER: 998 * MS, f"{OUTER};{MIDDLE}": 996 * MS, LEAF: 94 * MS},
    "network": {LEAF: 94 * MS},
    "sync": {},
    "syscall": {f"{LEAF};read": 50 * MS},
    "ready": {LEAF: 1 * MS},
    "running": {"main (src/engine.c:10)": 1 * MS, f"{OUTER};main (src/engine.c:10)": 1 * MS,
                f"{OUTER};{MIDDLE};main (src/engine.c:10)": 1 * MS, LEAF: 59 * MS},
}

# Call stacks: waits and system calls have their own stack, ready coroutines the stack of the waker; without a waker,
# their own.
CALLS = r"""trace from=0 until=1s
process 1 pid=100 program=/bin/service probe
thread 1 tid=101 name=m1
site 1 kind=source file=/go/main.go line=10 function=main.main
site 2 kind=source file=/go/main.go line=20 function=main.work
site 3 kind=source file=/go/chan.go line=500 function=runtime.chanrecv1
site 4 kind=source file=/go/main.go line=20 function=main.work reason="chan receive" stack=3
site 5 kind=source file=/go/main.go line=10 function=main.main stack=1
site 6 kind=source file=/go/main.go line=20 function=main.work reason=read stack=2
stack 1 site=1
stack 2 site=2 caller=1
stack 3 site=3 caller=2
1ms t1 create c1 @5
2ms t1 resume c1
10ms t1 suspend c1 channel:0 @4
30ms t1 wake coroutine:1 @5 outcome=queued
35ms t1 resume c1
40ms t1 syscall-begin c1 @6
60ms t1 syscall-end c1 flags=1
67ms t1 resume c1
70ms t1 suspend c1 network:0 @4
73ms t1 wake coroutine:1
74ms t1 resume c1
80ms t1 suspend c1 @6 point=preempted
82ms t1 resume c1
90ms t1 return c1
90ms t1 destroy c1
"""
ROOT, WORK = "main.main (go/main.go:10)", "main.work (go/main.go:20)"
RECEIVE = f"{ROOT};{WORK};runtime.chanrecv1 (go/chan.go:500)"
OF_CALLS = {
    "sync": {RECEIVE: 20 * MS},
    "network": {RECEIVE: 3 * MS},
    "syscall": {f"{ROOT};{WORK}": 20 * MS},
    "ready": {ROOT: 5 * MS, f"{ROOT};{WORK}": (7 + 2) * MS, RECEIVE: 1 * MS},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """Yields (number, value) of a message's fields: an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        check(key & 7 in (0, 2), f"wire type {key & 7}")
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def message(data):
    """Returns {number: values} of a message."""
    told = {}
    for number, value in fields(data):
        told.setdefault(number, []).append(value)
    return told


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value - (1 << 64) if value >> 63 else value)
    return values


def read_pprof(data):
    """Returns ([(stack of function names, innermost first, count, ns)], names of sample types)."""
    told = message(gzip.decompress(data))
    strings = [one.decode() for one in told[PROFILE_STRINGS]]
    check(strings[0] == "", "the first string is empty")
    functions = {one[1][0]: strings[one[2][0]] for one in map(message, told.get(FUNCTION, []))}
    locations = {one[1][0]: [functions[message(line)[1][0]] for line in one[4]] for one in map(message, told.get(LOCATION, []))}
    types = [(strings[one[1][0]], strings[one[2][0]]) for one in map(message, told[SAMPLE_TYPE])]
    samples = []
    for sample in map(message, told.get(SAMPLE, [])):
        stack = [name for number in packed(sample[1][0]) for name in locations[number]]
        samples.append((stack, *packed(sample[2][0])))
    return samples, types


def profile(trace, name, *words):
    command = (COROTRACER, "profile", "--type", name, "-o", "-", *words, trace)
    told = subprocess.run(list(map(str, command)), capture_output=True)
    check(told.returncode == 0, f"{command}: {told.stderr.decode()}")
    return told.stdout


def figures(trace):
    """Returns the figures of `stats` for each profile, in nanoseconds."""
    told = json.loads(run(COROTRACER, "stats", "--by", "site", "-n", "10000", "--format", "json", trace).stdout)
    statistics = told["statistics"]
    waits = [wait for row in told["breakdown"]["rows"] for wait in row["waits"]]
    return {
        "wait": statistics["waiting_ns"],
        "network": sum(wait["ns"] for wait in waits if wait["for"] == "descriptor"),
        "sync": sum(wait["ns"] for wait in waits if wait["for"] in SYNC),
        "syscall": sum(worker["blocked_ns"] for worker in statistics["workers"]),
        "ready": statistics["ready_ns"],
        "running": statistics["running_ns"],
    }


def check_sums(trace):
    """Samples add up to the figures of `stats`, with chains and without; folded text has the same samples."""
    for name, total in figures(trace).items():
        for words in ((), ("--by", "place")):
            samples, types = read_pprof(profile(trace, name, *words))
            check(types == [("count", "count"), (name, "nanoseconds")], f"{types}")
            check(sum(ns for _, _, ns in samples) == total, f"{name} {words}: {samples} is not {total}")
        folded = [line.rsplit(" ", 1) for line in profile(trace, name, "-f", "folded").decode().splitlines()]
        positive = sum(max(ns, 0) for _, _, ns in read_pprof(profile(trace, name))[0])
        check(sum(int(ns) for _, ns in folded) == positive, f"{name}: {folded}")
        check_speedscope(json.loads(profile(trace, name, "-f", "speedscope")), name, folded)


def check_speedscope(told, name, folded):
    """The same stacks as folded text, innermost last; test_schemas.py checks the published schema."""
    one, = told["profiles"]
    frames = [frame["name"] for frame in told["shared"]["frames"]]
    stacks = [[frames[number] for number in sample] for sample in one["samples"]]
    check(one["name"] == name and one["weights"] == [int(ns) for _, ns in folded] and one["endValue"] == sum(one["weights"]),
          f"speedscope: {one}")
    check([len(stack) for stack in stacks] == [stack.count(";") + 1 for stack, _ in folded], f"speedscope: {stacks}")
    check(all(line.split(";")[-1].startswith(stack[-1].replace(";", ",")) for stack, (line, _) in zip(stacks, folded)),
          f"speedscope: {stacks} are not {folded}")


def check_places(trace):
    """Counts are those of `stats`: waits that have ended, waits that go on, and waits that the coroutine's end cut
    short."""
    told = json.loads(run(COROTRACER, "stats", "--format", "json", trace).stdout)
    places = told["statistics"]["places"]
    samples, _ = read_pprof(profile(trace, "wait", "--by", "place"))
    total = sum(place["waits"]["count"] + place["waiting"] for place in places) + told["quality"]["destroyed_waiting"]
    check(sum(count for _, count, _ in samples) == total, f"{samples} are not {total}")
    samples, _ = read_pprof(profile(trace, "ready", "--by", "place"))
    check(sum(count for _, count, _ in samples) == told["statistics"]["delays"]["count"], f"{samples}")


def check_chains(trace):
    """Fibers that are joined are on top of the fiber that joins them."""
    samples, _ = read_pprof(profile(trace, "wait"))
    flat, _ = read_pprof(profile(trace, "wait", "--by", "place"))
    check(any(len(stack) > 1 for stack, _, _ in samples), f"nobody is awaited in {samples}")
    check(all(len(stack) == 1 for stack, _, _ in flat), f"{flat}")


def check_written(place):
    """A trace written by hand: each stack, to the nanosecond, in all forms."""
    trace = place / "chain.txt"
    trace.write_text(CHAIN)
    check_sums(trace)
    for name, stacks in FOLDED.items():
        told = [line.rsplit(" ", 1) for line in profile(trace, name, "-f", "folded").decode().splitlines()]
        check({stack: int(ns) for stack, ns in told} == stacks, f"{name}: {told}")
    samples, _ = read_pprof(profile(trace, "network"))
    check(samples == [(["leaf", "wrap", "<b>&middle", "outer;one"], 1, 94 * MS)], f"{samples}")
    picture = xml.fromstring(profile(trace, "network", "-f", "svg"))
    titles = [one.text for one in picture.iter(f"{SVG}title")][1:]
    check(len(titles) == 4 and any("<b>&middle" in title for title in titles), f"{titles}")


def check_calls(place):
    """The text form gives the same profile as a trace file."""
    text, trace = place / "calls.txt", place / "calls.ctrace"
    text.write_text(CALLS)
    run(COROTRACER, "assemble", text, "-o", trace)
    for of in (text, trace):
        for name, stacks in OF_CALLS.items():
            told = [line.rsplit(" ", 1) for line in profile(of, name, "-f", "folded").decode().splitlines()]
            check({stack: int(ns) for stack, ns in told} == stacks, f"{name}: {told}")
    samples, _ = read_pprof(profile(trace, "sync"))
    check(samples == [(["runtime.chanrecv1", "main.work", "main.main"], 1, 20 * MS)], f"{samples}")
    samples, _ = read_pprof(profile(trace, "sync", "--by", "place"))
    check(samples == [(["main.work"], 1, 20 * MS)], f"{samples}")


def check_picture(trace):
    """One file that parses, refers to nothing, and has a box for each stack that is not too narrow."""
    page = profile(trace, "wait", "-f", "svg").decode()
    picture = xml.fromstring(page)
    boxes = [one for one in picture.iter(f"{SVG}svg") if one.get("class") == "box"]
    titles = [one.find(f"{SVG}title").text for one in boxes]
    check(boxes and all(": " in title and title.endswith("%") for title in titles), f"{titles}")
    bottom = max(int(one.get("y")) for one in boxes)
    width = sum(float(one.get("width")[:-1]) for one in boxes if int(one.get("y")) == bottom)
    check(99 < width < 100.1, f"the lowest boxes take {width} %")
    check(page.count("http") == 1 and "href" not in page, "it refers to something outside itself")


def check_process(place):
    """A running process is profiled, and runs on."""
    with subprocess.Popen([SERVER, "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        port = re.search(r":(\d+)", server.stdout.readline())[1]
        with subprocess.Popen([LOAD, "--port", port, "--connections", "4", "--duration", "100"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as load:
            told = b""
            while b"Server::serve" not in told:  # the load may begin late
                check(load.poll() is None, "the load has ended")
                told = profile(server.pid, "wait", "-f", "folded", "--duration", "50ms")
            samples, _ = read_pprof(profile(server.pid, "running", "--duration", "50ms"))
            load.kill()
        check(any("Server::serve" in stack for stack, _, _ in samples), f"{samples}")
        check(server.poll() is None, "the server has ended")
        server.kill()
    told = run(COROTRACER, "profile", server.pid, status=4, cwd=place).stderr
    check(f"no process with the id {server.pid}" in told, told)
    check(not (place / "corotracer.pb.gz").exists(), "a profile of nothing was written")


def check_outputs(trace, place):
    run(COROTRACER, "profile", "--duration", "1s", trace, status=USAGE)
    told = run(COROTRACER, "profile", trace, cwd=place)
    check("wrote 'corotracer.pb.gz'" in told.stderr and (place / "corotracer.pb.gz").exists(), told.stderr)
    told = run(COROTRACER, "profile", "-f", "svg", "-t", "ready", trace, cwd=place)
    check((place / "corotracer.svg").read_text().startswith("<svg"), told.stderr)
    run(COROTRACER, "profile", "-o", trace, trace, status=USAGE)
    run(COROTRACER, "profile", "--type", "gpu", trace, status=USAGE)
    run(COROTRACER, "profile", status=USAGE)
    run(COROTRACER, "profile", place / "no.ctrace", status=4)


def main():
    with folder() as name:
        place = pathlib.Path(name)
        trace = place / "mixed.ctrace"
        run(COROTRACER, "run", "-o", trace, "--", FIBERS, "--scenario", "mixed")
        check_sums(trace)
        check_places(trace)
        check_chains(trace)
        check_written(place)
        check_calls(place)
        check_picture(trace)
        check_process(place)
        check_outputs(trace, place)


if __name__ == "__main__":
    main()
