# SPDX-License-Identifier: MIT
"""Tests what is said of programs without a probe: the coroutines of C++20 in the memory of a process, and in the core
dump that the kernel writes, against what the program says of itself (tests/targets/unprepared.cpp).
"""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys

from support import COROTRACER, check, folder, run, skip
from unprepared import compiled, running

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
WHERE = ("SELECT e.object, s.line FROM events e JOIN coroutines c USING (coroutine) JOIN sites s ON s.site = c.wait_site "
         "WHERE e.kind = 'frame' AND c.state = 'waiting'")


def places(subject, *options):
    """The frames that are found, each with its line, as the program itself would say them."""
    answer = run(COROTRACER, "query", "--format", "json", *options, subject, WHERE).stdout
    return {row["object"]: row["line"] for row in json.loads(answer)}


def check_places(found, said, what=""):
    wrong = {frame: (line, found.get(frame)) for frame, line in said["frames"].items() if found.get(frame) != line}
    check(not wrong, f"{what}{len(wrong)} of {len(said['frames'])} frames have another line: {list(wrong.items())[:5]}")


def test_lines(scratch):
    """Each coroutine that waits is found, with its line, with both compilers, optimised or not; no other one is."""
    for compiler in COMPILERS:
        for level in ("-O0", "-O1", "-O2"):
            with running(compiled(scratch, compiler, "unprepared", level)) as (process, said):
                found = places(process.pid, "--duration", "10ms")
                check_places(found, said, f"{compiler} {level}: ")
                check(set(found) == set(said["frames"]), f"{compiler} {level}: {set(found) - set(said['frames'])} too many")


def test_busy(scratch):
    """A program that resumes coroutines all the time loses none of those that wait."""
    for compiler in COMPILERS:
        with running(compiled(scratch, compiler, "unprepared", "-O2"), "busy") as (process, said):
            check_places(places(process.pid, "--duration", "10ms"), said)


def test_left_on_stack(scratch):
    """A thread that sleeps runs no coroutine, also if its stack has what one left there that it resumed before."""
    for compiler in COMPILERS:
        with running(compiled(scratch, compiler, "unprepared", "-O0"), "left") as (process, _):
            states = run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid,
                         "SELECT state, count(*) n FROM coroutines GROUP BY 1").stdout
            check({row["state"] for row in json.loads(states)} <= {"waiting", "unseen"}, f"{compiler}: {states}")


def test_computes(scratch):
    """A coroutine that computes without an end is told with its thread, and where that is; who waits for it is told, too."""
    asked = run(COROTRACER, "run", "--cpu-samples", "99", "-o", scratch / "asked.ctrace", "--", "true").stderr
    if "perf events" in asked:
        skip(asked.strip())
    for compiler in COMPILERS:
        for level in ("-O0", "-O2"):
            with running(compiled(scratch, compiler, "unprepared", level), "computes") as (process, _):
                report = json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "1200ms", process.pid).stdout)
            found = [finding for finding in report["findings"] if finding["rule"] == "endless-run"]
            check(len(found) == 1 and "compute" in found[0]["title"], f"{compiler} {level}: {report['findings']}")
            told = " ".join(found[0]["evidence"])
            check("samples meanwhile were in " in told and ("compute" in told or "count" in told), f"{compiler} {level}: {told}")
            check(report["quality"]["broken_transitions"] == 0, f"{compiler} {level}: {report['quality']}")


def test_polls(scratch):
    """A thread that computes may look for what makes a coroutine go on: then nothing stands still."""
    for compiler in COMPILERS:
        with running(compiled(scratch, compiler, "unprepared", "-O2"), "polls") as (process, _):
            report = json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "1200ms", process.pid).stdout)
        check("standstill" not in [finding["rule"] for finding in report["findings"]], f"{compiler}: {report['findings']}")


def test_ticks(scratch):
    """A coroutine that is at the same place at both looks has run between them: nothing says that it did not."""
    for compiler in COMPILERS:
        with running(compiled(scratch, compiler, "unprepared", "-O2"), "ticks") as (process, _):
            text = run(COROTRACER, "report", "--duration", "1200ms", process.pid).stdout
        check("standstill" not in text and "nothing has run" not in " ".join(text.split()), f"{compiler}: {text}")


def test_turns(scratch):
    """Coroutines that take turns on a thread all the time run without an end, but none of them does."""
    with running(compiled(scratch, COMPILERS[0], "unprepared", "-O2"), "busy") as (process, _):
        report = json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "1200ms", process.pid).stdout)
        check("endless-run" not in [finding["rule"] for finding in report["findings"]], f"{report['findings']}")


def test_missing_descriptor(scratch):
    """The 47 sessions wait for descriptors that the process does not have; one more never began."""
    with running(compiled(scratch, COMPILERS[0], "unprepared", "-O2")) as (process, said):
        report = json.loads(run(COROTRACER, "report", "--format", "json", process.pid).stdout)
        finding = report["findings"][0]
        check(finding["rule"] == "waits-on-missing-descriptor", f"{finding}")
        check(len(finding["members"]) == said["closed"], f"{len(finding['members'])} members")
        check("unprepared.cpp:" in finding["title"] and "co_await" in finding["title"], finding["title"])
        check(finding["grade"] == "suspect", f"{finding['grade']}")
        text = run(COROTRACER, "report", "--duration", "10ms", process.pid).stdout
        check("it has no probe: its coroutines were looked for in its memory" in " ".join(text.split()), text)


def test_chain(scratch):
    """A session waits for its read_line, which waits for its descriptor."""
    with running(compiled(scratch, COMPILERS[0], "unprepared", "-O2")) as (process, _):
        rows = json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid,
                              "SELECT coroutine FROM coroutines WHERE name LIKE '%session%' AND wait_object LIKE 'coroutine:%'").stdout)
        check(len(rows) == 47, f"{len(rows)} sessions wait for a coroutine")
        chain = run(COROTRACER, "why", "--duration", "10ms", process.pid, rows[0]["coroutine"]).stdout
        check("to wait for coroutine" in chain and "to wait for descriptor 9" in chain and "read_line" in chain, chain)


def test_held(scratch):
    """What the kernel gives back with an event leads to a coroutine: only those to which nothing leads are lost."""
    for compiler in COMPILERS:
        with running(compiled(scratch, compiler, "unprepared_held", "-O2")) as (process, said):
            report = json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "10ms", process.pid).stdout)
        lost = [finding for finding in report["findings"] if finding["rule"] == "lost-wakeup"]
        check([(finding["grade"], len(finding["members"])) for finding in lost] == [("suspect", said["each"])], f"{compiler}: {lost}")
        check("wait_for_nothing" in lost[0]["title"], lost[0]["title"])


def pairs_of(text):
    return dict(pair.split(" = ") for pair in re.split(r", (?=\w+ = )", text))


def arguments_told(subject, *options):
    """Of each coroutine, what it is told to have, by its number: {1: {"number": "-2", ...}}."""
    report = json.loads(run(COROTRACER, "report", "--format", "json", *options, subject).stdout)
    rows = json.loads(run(COROTRACER, "query", "--format", "json", *options, subject, "SELECT sight, coroutine FROM sights").stdout)
    sights = [(one["coroutine"], one["text"]) for one in report["sights"]]
    check(sights == [(row["coroutine"], row["sight"]) for row in rows], f"{sights} {rows}")
    check(all(text.startswith(("arguments: ", "locals: ", "awaits ")) for _, text in sights), f"{sights}")
    sights = [(coro, text) for coro, text in sights if text.startswith("arguments: ")]
    return {coro: pairs_of(text.split("; locals: ")[0].removeprefix("arguments: ")) for coro, text in sights}


ARGUMENTS = {"byte": "200", "share": "0.25", "pointer": "0x0", "large": str(1 << 40), "name": '"text"'}
TEXTS = {"view": '"a \\"view\\""', "behind": '"für alle, die hier auf ihre Bestellung ..."'}


def test_arguments(scratch):
    """Arguments that the frame keeps are told with their values: those of classes only if they are texts. A reference to what is
    no text is told as an address."""
    for compiler, level in [(name, level) for name in COMPILERS for level in ("-O0", "-O2") if (name, level) != ("clang++", "-O2")]:
        with running(compiled(scratch, compiler, "unprepared_arguments", level)) as (process, _):
            told = arguments_told(process.pid, "--duration", "10ms")
            texts = [told.pop(coroutine) for coroutine, values in list(told.items()) if "view" in values]
            check(len(texts) == 1 and all(texts[0].pop(name).startswith("0x") for name in ("gone", "other")) and texts[0] == TEXTS, f"{compiler} {level}: {texts}")
            told_of = sorted(told.values(), key=lambda values: values["number"])
            check([values["number"] for values in told_of] == ["-1", "-2", "0"], f"{compiler} {level}: {told}")
            check([values["mode"] for values in told_of] == ["loud", "quiet", "loud"], f"{compiler} {level}: {told}")
            check([values["done"] for values in told_of] == ["true", "false", "false"], f"{compiler} {level}: {told}")
            for values in told_of:
                rest = {name: values[name] for name in values if name not in ("number", "mode", "done")}
                check(rest == ARGUMENTS, f"{compiler} {level}: {rest}")
            coroutine = next(iter(told))
            why = " ".join(run(COROTRACER, "why", "--duration", "10ms", process.pid, coroutine).stdout.split())
            check(f"What they have coroutine {coroutine}: arguments: " in why and f"number = {told[coroutine]['number']}" in why, why)
            text = run(COROTRACER, "report", "--duration", "10ms", process.pid).stdout
            check("arguments: " not in text, text)


LOCALS = ("SELECT e.object AS frame, s.sight FROM events e JOIN coroutines c USING (coroutine) LEFT JOIN sights s "
          "ON s.coroutine = c.coroutine AND s.sight LIKE '%locals: %' WHERE e.kind = 'frame' AND c.state = 'waiting'")


def test_locals(scratch):
    """Local variables are told where they are in use, with their values, and nowhere else; of clang only if not optimised."""
    for compiler in COMPILERS:
        for level in ("-O0", "-O2"):
            with running(compiled(scratch, compiler, "unprepared_locals", level), stderr=subprocess.DEVNULL) as (process, said):
                rows = json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid, LOCALS).stdout)
                ended = json.loads(run(COROTRACER, "query", "--format", "json", "--duration", "10ms", process.pid,
                                       "SELECT count(*) AS n FROM coroutines WHERE state = 'done'").stdout)[0]["n"]
            # One more begins as an ended frame does; GCC's frames say where they are.
            check(len(said) - len(rows) <= ended <= len(said) - len(rows) + (compiler != "g++"),
                  f"{compiler} {level}: {ended} have ended, not {len(said) - len(rows)}")
            nr_right = nr_wanted = 0
            for row in rows:
                text = row["sight"] or ""
                found = pairs_of(text.split("locals: ")[1]) if "locals: " in text else {}
                wanted = said[row["frame"]]
                check(not found or found == wanted, f"{compiler} {level}: {found}, and the program says {wanted}")
                nr_right += len(found)
                nr_wanted += len(wanted)
            print(f"{compiler} {level}: {len(rows)} coroutines, {nr_right} of {nr_wanted} variables", flush=True)
            check(nr_wanted > 200, f"{compiler} {level}: {nr_wanted} variables")
            least = 0.95 if compiler == "g++" or level == "-O0" else 0
            check(nr_right >= least * nr_wanted, f"{compiler} {level}: {nr_right} of {nr_wanted}")


CHANNEL = {"mutex_.owner": "PID", "messages_.size": "200", "receivers_.size": "3", "senders_.size": "0", "closed_": "true",
           "last_.has_value": "true", "name_.size": "6", "spare_": "0x0", "limits_.room": "16", "limits_.kind": "wide"}


def values_of(text):
    """{"closed_": "true"} of "... : channel->closed_ = true"."""
    return {name.removeprefix("channel->"): value for name, value in (pair.split(" = ") for pair in text.split(": ")[-1].split(", "))}


def test_awaited(scratch):
    """What coroutines await is told with its members: of a channel that several lead to once, of each in its own words."""
    for compiler, level in [(name, level) for name in COMPILERS for level in ("-O0", "-O2") if (name, level) != ("clang++", "-O2")]:
        with running(compiled(scratch, compiler, "unprepared_awaited", level)) as (process, _):
            report = json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "10ms", process.pid).stdout)
        sights = [(one["coroutine"], one["text"]) for one in report["sights"] if not one["text"].startswith("arguments: ")]
        expected = {name: value.replace("PID", str(process.pid)) for name, value in CHANNEL.items()}
        together = [text for coro, text in sights if coro is None and "await the Channel<long" in text]
        check(len(together) == 1 and together[0].startswith("3 coroutines, one of them at ") and "unprepared_awaited.cpp:" in together[0],
              f"{compiler} {level}: {sights}")
        members, _, holder = together[0].partition("; ")
        check(values_of(members) == expected, f"{compiler} {level}: {members}")
        if compiler == "g++":
            check(holder.startswith("'lease' (Lease) of enter, which waits at ") and holder.endswith(", leads there, too"), f"{level}: {holder}")
        each = [values_of(text) for coro, text in sights if coro is not None and text.startswith("awaits Channel<long")]
        check(sorted(values.pop("attempts") for values in each) == ["0", "1", "2"], f"{compiler} {level}: {sights}")
        check(all(values.pop("channel").startswith("0x") and values == expected for values in each), f"{compiler} {level}: {each}")
        gates = [values_of(text) for coro, text in sights if coro is not None and text.startswith("awaits Gate")]
        if compiler == "g++":
            check(len(gates) == 1 and gates[0]["state"] == "3" and gates[0]["waiter"].endswith(" (in a frame of enter)"), f"{compiler} {level}: {sights}")


def dumped(program, scratch):
    """Lets the program abort; returns what it said, and its core dump, or None where the kernel hands dumps to a program."""
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    done = subprocess.run([program, "end"], cwd=scratch, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    check(done.returncode == -signal.SIGABRT, f"{done}")
    cores = [] if pattern.startswith("|") else [path for path in scratch.glob("*core*") if path.is_file()]
    return json.loads(done.stdout), cores[0] if cores else None


def check_core(core, program, said, scratch):
    found = places(core)
    check_places(found, said)
    check(set(found) == set(said["frames"]), f"{set(found) - set(said['frames'])} too many")
    text = run(COROTRACER, "report", core).stdout
    check("found in a core dump" in text and "unprepared.cpp" in text, text)

    moved = scratch / "moved"
    shutil.move(program, moved)
    refused = run(COROTRACER, "report", core, status=None)
    check(refused.returncode != 0 and f"'{program}'" in refused.stderr and "cannot be read now" in refused.stderr, refused.stderr)
    check_places(places(core, "--exe", moved), said)
    check_places(places(core, "--exe", os.path.relpath(moved)), said, "by a path from here: ")

    other = compiled(scratch, COMPILERS[0], "unprepared", "-O1")
    refused = run(COROTRACER, "report", "--exe", other, core, status=None)
    check(refused.returncode != 0 and "its build id is another" in refused.stderr, refused.stderr)

    cut = scratch / "cut"
    shutil.copy(core, cut)
    os.truncate(cut, core.stat().st_size // 2)
    said_of_cut = run(COROTRACER, "report", "--exe", moved, cut, status=None)
    check("ends before its memory does" in said_of_cut.stdout + said_of_cut.stderr, f"{said_of_cut}")
    os.truncate(cut, 100)
    said_of_cut = run(COROTRACER, "report", cut, status=None)
    check(said_of_cut.returncode != 0 and said_of_cut.stderr.count("\n") == 1 and "core dump" in said_of_cut.stderr,
          f"{said_of_cut}")


def test_core(scratch):
    """A core dump: as the process, also where the program has another name now; cut short, or another program's."""
    program = compiled(scratch, COMPILERS[0], "unprepared", "-O2", "-DCORE")
    inner = scratch / "core"
    inner.mkdir()
    said, core = dumped(program, inner)
    if core:
        check_core(core, program, said, scratch)
    else:
        print("the kernel hands core dumps to a program: not tested", file=sys.stderr)


def test_stripped(scratch):
    """Without symbols nothing can be told, and the advice is a probe: one sentence."""
    program = scratch / "stripped"
    shutil.copy(compiled(scratch, COMPILERS[0], "unprepared", "-O2"), program)
    run("strip", program)
    with running(program) as (process, _):
        refused = run(COROTRACER, "report", process.pid, status=None)
        check(refused.returncode != 0 and refused.stderr.count("\n") == 1 and "has no probe" in refused.stderr, refused.stderr)


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        test_lines(scratch)
        test_busy(scratch)
        test_left_on_stack(scratch)
        test_computes(scratch)
        test_polls(scratch)
        test_ticks(scratch)
        test_turns(scratch)
        test_awaited(scratch)
        test_missing_descriptor(scratch)
        test_chain(scratch)
        test_held(scratch)
        test_arguments(scratch)
        test_locals(scratch)
        test_core(scratch)
        test_stripped(scratch)


if __name__ == "__main__":
    main()
