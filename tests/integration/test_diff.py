# SPDX-License-Identifier: MIT
"""Tests `diff`: two versions of a real program, compared by their traces, with the exit statuses that CI uses."""
import json
import pathlib

from support import BUILD, COROTRACER, check, folder, run

STEPS = BUILD / "tests/targets/steps"
FAULTY = BUILD / "examples/example-tcp-server-fault-a"
CORRECT = BUILD / "examples/example-tcp-server"
LOAD = ("--self-load", "20:12", "--exit-after-idle", "0.5")
RUNS = 6
SAME, DIFFERS, USAGE, NOT_FOUND = 0, 1, 2, 4


def record(scratch, versions):
    """Runs all versions in turn, so that disturbances of the machine affect all of them. Returns {version: its
    folder}."""
    folders = {name: scratch / name for name in versions}
    for path in folders.values():
        path.mkdir()
    for number in range(RUNS):
        for name, words in versions.items():
            run(COROTRACER, "run", "-o", folders[name] / f"{number}.ctrace", "--", STEPS, *words)
    return folders


def diff(*words, status=SAME):
    return json.loads(run(COROTRACER, "diff", "--format", "json", *words, status=status).stdout)


def told(page):
    """Returns {(change, measure, name of the place)} of the changes."""
    return {(one["change"], one["measure"], (one["what"] or one["place"]).split(" ")[0])
            for one in page["differences"] if one["change"] != "none"}


def check_itself(folders):
    """A trace does not differ from itself, and runs of one program do not differ."""
    trace = folders["plain"] / "0.ctrace"
    check(told(diff("--fail-on", "any", trace, trace)) == set(), "a trace differs from itself")
    page = diff("--fail-on", "slower", "--fail-on", "new", folders["plain"], folders["plain"])
    check(page["is_tested"] and page["runs_before"] == page["runs_after"] == RUNS, f"{page}")
    check(told(page) == set(), f"a program differs from itself: {told(page)}")


def check_alike(folders):
    """Counts, which the machine's load cannot change, are equal in two versions that do the same."""
    page = diff("--fail-on", "new", folders["plain"], folders["slow"])
    check(not any(change in ("new", "gone") for change, _, _ in told(page)), f"{told(page)}")
    query = next(one for one in page["differences"] if one["measure"] == "wait" and one["place"].startswith("query"))
    check(query["before"]["count"] == query["after"]["count"] == RUNS * 60, f"{query}")


STEPS_WRITTEN = """trace from=0 until=3s
process 1 pid=100 program=/bin/app probe ledger
thread 1 tid=101 name=worker-0
site 1 kind=name reason=server
site 2 kind=name reason=read
site 3 kind=name reason=query
site 4 kind=name reason=db.query
"""
ROUNDS = 60


def write_runs(place, query_us):
    """Makes a folder of runs written by hand, whose times the machine's load cannot disturb: query waits this long, or
    a little longer."""
    place.mkdir()
    for number in range(RUNS):
        us, lines = 1000, ["1ms t1 create c1 0x10000 @1", "1ms t1 resume c1"]

        def wait_at(site, time):
            nonlocal us
            lines.append(f"{us}us t1 suspend c1 event:1 @{site}")
            us += time
            lines.extend((f"{us}us t1 wake coroutine:1 @1 outcome=queued", f"{us}us t1 resume c1"))
            us += 10

        for _ in range(ROUNDS):
            wait_at(2, 300 + number)
            lines.append(f"{us}us t1 region-begin c1 @4")
            wait_at(3, query_us * (100 + number) // 100)
            lines.append(f"{us}us t1 region-end c1 @4")
        lines.append(f"{us}us t1 suspend c1 point=final")
        (place / f"{number}.txt").write_text(STEPS_WRITTEN + "\n".join(lines) + "\n")
        run(COROTRACER, "assemble", "-o", place / f"{number}.ctrace", place / f"{number}.txt")
    return place


def check_slower(plain, slow):
    page = diff("--fail-on", "slower", plain, slow, status=DIFFERS)
    check(told(page) == {("slower", "wait", "query"), ("slower", "region", "db.query"), ("slower", "life", "server")}, f"{told(page)}")
    query = next(one for one in page["differences"] if one["measure"] == "wait" and one["place"].startswith("query"))
    check(query["before"]["count"] == query["after"]["count"] == RUNS * ROUNDS, f"{query}")
    check(abs(query["after"]["value"] / query["before"]["value"] - 4) < 0.2, f"four times as long, to the width of a histogram's bar: {query}")
    check(query["significance"] <= 0.05, f"{query}")
    back = told(diff("--fail-on", "slower", slow, plain))
    check(("faster", "wait", "query") in back, f"and back again: {back}")


def check_new(folders):
    page = diff("--fail-on", "new", folders["plain"], folders["audit"], status=DIFFERS)
    check(("new", "wait", "audit") in told(page), f"{told(page)}")
    check(("gone", "wait", "audit") in told(diff(folders["audit"], folders["plain"])), "nothing is gone")
    plain, stuck = (sorted(folders[name].glob("*.ctrace")) for name in ("plain", "stuck"))
    page = diff("--fail-on", "new", *plain, "--", *stuck, status=DIFFERS)
    check(("new", "wait", "answer") in told(page), f"a wait that never ends is one, too: {told(page)}")


HANG = """trace from=0 until=3s
process 1 pid=100 program=/bin/app probe ledger
thread 1 tid=101 name=worker-0
site 1 kind=source file=app.c line=20 function=serve
"""


def write_waits(path, nr_waits, ms, nr_stuck):
    """Writes a trace with this many waits at one place, each this long, and this many waits that do not end."""
    lines = [f"1ms t1 create c{i} 0x{i:x}0000 @1" for i in range(1, nr_waits + nr_stuck + 1)]
    for i in range(1, nr_waits + nr_stuck + 1):
        at = 10 * i
        lines += [f"{at}ms t1 resume c{i}", f"{at}ms t1 suspend c{i} event:{i} @1"]
        if i <= nr_waits:
            lines += [f"{at + ms}ms t1 wake coroutine:{i} @1 outcome=queued", f"{at + ms}ms t1 resume c{i}",
                      f"{at + ms}ms t1 suspend c{i} point=final"]
    path.write_text(HANG + "\n".join(lines) + "\n")
    return path


def check_going_on(scratch):
    """Waits that never end make no place faster, and their repair makes none slower; their number is reported."""
    good, hang = write_waits(scratch / "good.txt", 60, 8, 0), write_waits(scratch / "hang.txt", 20, 1, 40)
    page = diff("--fail-on", "faster", good, hang)
    check(("more", "waiting", "serve,") in told(page), f"{told(page)}")
    waiting = next(one for one in page["differences"] if one["measure"] == "waiting")
    check((waiting["before"]["value"], waiting["after"]["value"]) == (0, 40), f"{waiting}")
    page = diff("--fail-on", "slower", hang, good)
    check(("fewer", "waiting", "serve,") in told(page), f"{told(page)}")
    fast = write_waits(scratch / "fast.txt", 60, 1, 0)
    words = ("--fail-on", "slower", fast, good)
    check(("slower", "wait", "serve,") in told(diff(*words, status=DIFFERS)), "the same number goes on: compared")
    complaint = run(COROTRACER, "diff", *words, status=DIFFERS).stderr
    check("prove nothing" in complaint and "--fail-on slower" in complaint, complaint)
    check(run(COROTRACER, "diff", "--fail-on", "new", fast, fast).stderr == "", "a warning where no time is asked for")
    many = [[write_waits(scratch / f"{name}{i}.txt", 20, ms, stuck) for i in range(5)]
            for name, ms, stuck in (("good", 8, 0), ("hang", 1, 40))]
    page = diff("--fail-on", "faster", *many[0], "--", *many[1])
    check(page["is_tested"] and ("more", "waiting", "serve,") in told(page), f"{told(page)}")


def check_new_finding(scratch):
    """The server with a fault against its correct twin: one run of each, because a finding has its own evidence."""
    traces = [scratch / f"{name}.ctrace" for name in (CORRECT.name, FAULTY.name)]
    for trace, program in zip(traces, (CORRECT, FAULTY)):
        run(COROTRACER, "run", "-o", trace, "--", program, *LOAD)
    page = diff("--fail-on", "new-finding", *traces, status=DIFFERS)
    check(("new", "finding", "waits-on-closed-descriptor") in told(page), f"{told(page)}")
    diff("--fail-on", "new-finding", *reversed(traces))


def check_one_run(folders):
    """With one run nothing is significant, which is said; new places are reported nevertheless."""
    plain, audit = folders["plain"] / "0.ctrace", folders["audit"] / "0.ctrace"
    text = run(COROTRACER, "diff", plain, audit).stdout
    check("proves nothing" in text and "audit in serve" in text and "significance" not in text, text)
    page = diff(plain, audit)
    check(not page["is_tested"] and all(one["significance"] is None for one in page["differences"]), f"{page}")


def check_forms(plain, slow, scratch):
    output = scratch / "diff.md"
    run(COROTRACER, "diff", "--format", "md", "-o", output, plain, slow)
    page = output.read_text()
    check(page.startswith("## corotracer diff\n\n") and "| slower | wait |" in page, page)
    check("significance of 0.05" in page, page)


def check_bad_requests(folders, scratch):
    trace = folders["plain"] / "0.ctrace"
    (scratch / "empty").mkdir()
    for words in ((), (trace,), (trace, trace, trace), (trace, "--"), ("--", trace),
                  ("--fail-on", "luck", trace, trace), ("--significance", "1/1", trace, trace)):
        run(COROTRACER, "diff", *words, status=USAGE)
    run(COROTRACER, "diff", trace, scratch / "empty", status=NOT_FOUND)
    run(COROTRACER, "diff", trace, scratch / "none.ctrace", status=NOT_FOUND)
    run(COROTRACER, "diff", "-o", scratch / "none/diff", trace, trace, status=NOT_FOUND)


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        folders = record(scratch, {"plain": (), "slow": ("300",), "audit": ("0", "audit"), "stuck": ("0", "stuck")})
        check_itself(folders)
        check_alike(folders)
        plain, slow = write_runs(scratch / "written", 1000), write_runs(scratch / "written-slow", 4000)
        check_slower(plain, slow)
        check_new(folders)
        check_going_on(scratch)
        check_new_finding(scratch)
        check_one_run(folders)
        check_forms(plain, slow, scratch)
        check_bad_requests(folders, scratch)


main()
