# SPDX-License-Identifier: MIT
"""Tests that a Go trace is accepted wherever a trace is: each command that reads a trace reads it, also from standard
input. For a trace that was cut, the commands first say so. A trace that is older, newer, or cut before its first
generation is refused in one sentence."""
import json
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "go"))
import wire_text
from served import Server
from support import BUILD, SOURCE, check, folder, run

GOLDEN = SOURCE / "tests/go/golden"
TRACE = GOLDEN / "go1.26-regions.trace"
GENERATIONS = GOLDEN / "go1.26-spin.trace"
TOOL = BUILD / "corotracer"


def told(*arguments, status=0):
    result = run(TOOL, *arguments, status=status)
    return result.stdout


def check_commands(scratch):
    report = json.loads(told("report", "--format", "json", TRACE))
    check(report["findings"] == [], "a healthy program has findings")
    check("request" in told("stats", TRACE), "stats does not tell the tasks")
    check("coroutine 1" in told("why", TRACE, "1"), "why does not know goroutine 1")
    rows = told("query", "--format", "csv", TRACE, "SELECT count(*) FROM coroutines WHERE state = 'destroyed'")
    check(rows.split()[-1] == "60", f"60 goroutines ended, not {rows}")
    told("check", TRACE, "findings >= likely == 0")
    told("profile", "-o", scratch / "waits.pb.gz", TRACE)
    told("export", "--format", "csv", "-o", scratch / "events.csv", TRACE)
    check("no difference" in told("diff", TRACE, TRACE), "a trace differs from itself")
    with open(TRACE, "rb") as file:
        result = subprocess.run([TOOL, "report", "-"], stdin=file, capture_output=True, text=True, check=True)
    check("events, 0 lost, recorded to the end" in result.stdout, "standard input is not read")


def check_all_programs():
    """None of the programs has a fault."""
    for path in sorted(GOLDEN.glob("go1.*.trace")):
        report = json.loads(told("report", "--format", "json", path))
        check(report["findings"] == [], f"{path.name}: {[finding['title'] for finding in report['findings']]}")


def words(text):
    """Joins lines, which end where they are full."""
    return " ".join(text.split())


def check_words():
    """What Go's runtime does for itself is not part of a program, and no report advises to add a line to a Go
    program."""
    for path in sorted(GOLDEN.glob("go1.*.trace")):
        report, stats = told("report", path), told("stats", path)
        check(report.startswith("corotracer report: a Go program, "), f"{path.name}: {report[:60]}")
        check(" of the runtime's own" in words(report), f"{path.name}: goroutines of the runtime are not told apart")
        check("to judge it" not in report, f"{path.name}: advice that no program in Go can take")
        check("ctp_" not in told("integration", path), f"{path.name}: calls that no program in Go can make")
        check("gopark" not in stats and "(daemon" not in stats, f"{path.name}: a place within the runtime is a wait")
        rows = told("query", "--format", "csv", path, "SELECT count(*) FROM coroutines WHERE name = ''")
        # Go 1.22 records no stack for waits that began before the trace.
        check(rows.split()[-1] == "0" or "go1.22" in path.name, f"{path.name}: {rows.split()[-1]} goroutines have no function")


def check_stacks():
    """A finding names the callers of the places where a goroutine waits and where it was started."""
    report = json.loads(told("report", "--threshold", "wait-limit=100ms", "--format", "json", GOLDEN / "broken-forgets.trace"))
    check(len(report["findings"]) == 1, "what waits for the lock is not found, or what waits for those that do is")
    check(any("sync.(*WaitGroup).Wait" in remark for remark in report["remarks"]), "nothing is said of whom they keep waiting")
    text = " ".join(report["findings"][0]["evidence"])
    for words in ("waits in main.(*store).put, corotracer.test/programs/broken.go:51; called by main.forget.func1",
                  "was started in main.forget, corotracer.test/programs/broken.go:70; called by main.init"):
        check(words in text, f"{words}: {text}")


def check_unstopped(scratch):
    """A trace that ends between two batches is not damaged: its program ended without trace.Stop."""
    path = scratch / "unstopped.trace"
    lines = wire_text.disassemble(GENERATIONS.read_bytes()).splitlines()
    batches = [i for i, line in enumerate(lines) if line.startswith("EventBatch")]
    last = next(i for i in batches if lines[i].split()[1] == lines[batches[-1]].split()[1])
    path.write_bytes(wire_text.assemble("\n".join(lines[:next(i for i in batches if i > last)])))
    text = told("report", path)
    check("ends without trace.Stop: what the program did after 0." in text, text)
    check("damaged" not in text and "the end of the trace is missing" in text, text)
    check(len(cut(scratch, "--from", "0s", trace=path)[1]) == 2, "cut finds other generations")


def check_damaged(scratch):
    cut = scratch / "cut.trace"
    cut.write_bytes(GENERATIONS.read_bytes()[:-40])
    text = told("report", cut, status=5)
    check("are not used: the file ends within the batch at offset" in text, "a cut trace does not tell so")
    check("its end is missing" in text, "a cut trace has an end")
    check_unstopped(scratch)
    for name, first, sentence in (("old", b"go 1.21 trace\0\0\0", "older than Go 1.22"),
                                  ("new", b"go 1.99 trace\0\0\0", "cannot read"),
                                  ("short", TRACE.read_bytes()[:100], "the file ends within the batch at offset")):
        path = scratch / name
        path.write_bytes(first)
        result = subprocess.run([TOOL, "report", path], capture_output=True, text=True, check=False)
        check(result.returncode == 5 and sentence in result.stderr and result.stderr.count("\n") == 1,
              f"{name}: {result.returncode} {result.stderr}")


def follow(path, **options):
    return subprocess.Popen([TOOL, "follow", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def events_of(path, status=0):
    return told("dump", "--events", "0-99999999", path, status=status).splitlines(keepends=True)


def as_older(trace, scratch):
    """Returns the trace as Go 1.25 would write it: no byte of its own ends a generation."""
    data = trace.read_bytes()
    whole = wire_text.disassemble(data).splitlines()
    path = scratch / "older.trace"
    path.write_bytes(wire_text.assemble("\n".join(["Trace Go1.25"] + [
        line for line in whole[1:] if not line.startswith("EndOfGeneration")])))
    return path


def check_grown(writer, follower, trace, scratch):
    """The trace grows: all but the last byte, without which the last generation is incomplete; then that byte, and the
    end."""
    (scratch / "begun").write_bytes(trace.read_bytes()[:-1])
    is_marked = trace == GENERATIONS  # then only the mark of the end is missing, and no byte of a batch
    events, begun = events_of(trace), events_of(scratch / "begun", status=0 if is_marked else 5)
    check(0 < len(begun) < len(events), f"{trace.name} has one generation")
    writer.write(trace.read_bytes()[:-1])
    writer.flush()
    first = [follower.stdout.readline() for _ in begun]
    check(first == begun, f"{trace.name}: whole generations are told otherwise while it grows")
    writer.write(trace.read_bytes()[-1:])
    writer.close()
    follower.stdin = None
    rest, said = follower.communicate(timeout=60)
    check(first + rest.splitlines(keepends=True) == events, f"{trace.name}: followed, it is told otherwise")
    check(follower.returncode == 0 and said == "", said)


def check_followed(scratch):
    for trace in (GENERATIONS, as_older(GENERATIONS, scratch)):
        growing = scratch / "growing.trace"
        with open(growing, "wb") as writer, follow(growing) as follower:
            check_grown(writer, follower, trace, scratch)
        with follow("-", stdin=subprocess.PIPE) as follower:
            check_grown(follower.stdin.buffer, follower, trace, scratch)
    result = run(TOOL, "follow", scratch / "begun")
    check(result.stdout == "".join(events_of(scratch / "begun", status=5)), "what was cut is told otherwise")
    check(re.search("its end is missing\n.*the last [0-9]+ bytes are not used: ", result.stderr), result.stderr)


def check_served(scratch):
    """Before a generation is complete there is nothing; then the content of the complete generations; in the end the
    whole trace."""
    growing, data = scratch / "served.trace", GENERATIONS.read_bytes()
    with open(growing, "wb") as writer:
        writer.write(data[:1000])
        writer.flush()
        server = Server("serve", "--listen", "127.0.0.1:0", growing)
        check("nr_events_judged" not in server.tell("/api/v1/state"), "a part of a generation was judged")
        writer.write(data[1000:-1])
        writer.flush()
        some = judged(server, lambda state: state.get("nr_events_judged", 0))
        writer.write(data[-1:])
    every = judged(server, lambda state: state.get("nr_events_judged", 0) > some["nr_events_judged"])
    check(every["nr_events_judged"] == json.loads(told("report", "--format", "json", GENERATIONS))["quality"]["events"],
          f"not all is judged in the end: {every}")
    server.stop()


def check_window():
    """A wait that began before a flight recorder's window goes on in it, and nothing is said of its past."""
    trace = GOLDEN / "go1.26-window.trace"
    report = json.loads(told("report", "--format", "json", trace))
    check(report["findings"] == [] and report["quality"]["broken_transitions"] == 0, "a window is told to be at fault")
    check(any("before the trace began is not known" in remark for remark in report["remarks"]), f"{report['remarks']}")
    check(report["spans"] == [], "a task whose beginning is not there has a duration")
    rows = told("query", "--format", "csv", trace, "SELECT count(*), count(spawn_place), max(created_ns) FROM coroutines "
                "WHERE mark IS NULL")
    check(rows.split()[-1] == "3,0,0", f"three goroutines were there before the window, started nobody knows where: {rows}")
    limited = json.loads(told("report", "--format", "json", "--threshold", "wait-limit=1ms", trace))
    check({finding["grade"] for finding in limited["findings"]} <= {"suspect"}, "a wait of unknown length proves something")
    result = run(TOOL, "check", trace, "task(request).max < 1h", status=1)
    check("unknown" in result.stdout, f"a task that has no duration is judged: {result.stdout}")


def cut(scratch, *words, trace=GENERATIONS, status=0):
    path = scratch / "part.trace"
    said = run(TOOL, "cut", *words, "-o", path, trace, status=status).stderr
    return path.read_bytes(), [int(number) for number in re.findall("generations? ([0-9]+)(?: to ([0-9]+))?", said)[0] if number]


def check_cut(scratch):
    """Parts are Go traces, whose generations are the same bytes as in the whole."""
    for trace in (GENERATIONS, as_older(GENERATIONS, scratch)):
        whole = trace.read_bytes()
        first, of_first = cut(scratch, "--to", "0s", trace=trace)
        rest, of_rest = cut(scratch, "--from", "50ms", trace=trace)
        check(len(of_first) == 1 and of_rest == [of_first[0] + 1, of_first[0] + 2], f"{of_first} {of_rest}")
        check(first + rest[16:] == whole and rest[:16] == whole[:16], "the parts are not the whole")
        check(cut(scratch, "--from", "0s", trace=trace)[0] == whole, "all of it is not the whole")
        for part in (first, rest):
            (scratch / "again.trace").write_bytes(part)
            check("0 lost, recorded to the end" in told("report", scratch / "again.trace"), "a part is not whole")
    (scratch / "damaged.trace").write_bytes(GENERATIONS.read_bytes()[:-2])
    damaged, of_damaged = cut(scratch, "--from", "0s", trace=scratch / "damaged.trace", status=5)
    check(len(of_damaged) == 2 and GENERATIONS.read_bytes().startswith(damaged), "a damaged trace is cut elsewhere")
    for words, sentence in ((("cut", "--from", "1h"), "it holds nothing of that time: it was observed until 0.0"),
                            (("cut", "--from", "1s", "--to", "0s"), "the interval ends before it begins"),
                            (("cut", "--pack", "1", "--to", "0s"), "whose form has no packed blocks"),
                            (("merge",), "nothing in it names its run"), (("recover",), "every command reads it")):
        result = run(TOOL, *words, "-o", scratch / "none", GENERATIONS, status=2)
        check(sentence in result.stderr and not (scratch / "none").exists(), result.stderr)
    (scratch / "named.out").write_bytes(GENERATIONS.read_bytes())
    run(TOOL, "cut", "--to", "0s", scratch / "named.out")
    check((scratch / "named.cut.out").exists(), "a part is named otherwise")


def check_copies(scratch):
    """A copy in corotracer's own format gives the same report as the trace."""
    for path in sorted(GOLDEN.glob("go1.*.trace")):
        run(TOOL, "export", "--format", "ctrace", "-o", scratch / "copy.ctrace", path)
        of_copy, of_trace = told("report", scratch / "copy.ctrace"), told("report", path)
        check(of_copy == of_trace, f"{path.name}: of the copy is told {of_copy}, and of the trace {of_trace}")
        (scratch / "copy.ctrace").unlink()


def judged(server, is_wanted):
    give_up = time.monotonic() + 60
    while not is_wanted(state := server.tell("/api/v1/state")):
        check(time.monotonic() < give_up, f"the trace was not judged again: {state}")
        time.sleep(0.05)
    return state


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        check_followed(scratch)
        check_served(scratch)
        check_cut(scratch)
        check_copies(scratch)
        check_window()
        check_commands(scratch)
        check_all_programs()
        check_words()
        check_stacks()
        check_damaged(scratch)


main()
