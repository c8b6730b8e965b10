# SPDX-License-Identifier: MIT
"""Tests programs of futures on tokio: faults that are named, their correct twins, and a load without a finding."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run, skip

PACKAGE = SOURCE / "tests/rust/Cargo.toml"
TARGET = BUILD / "rust"

# Each fault: the rule that names it, and words of the finding's title.
FAULTS = {
    "permit": ("granted-but-not-polled", r"1 coroutine waits at src/faults.rs:\d+, though semaphore 0x\w+ was handed"),
    "yield": ("stuck-worker", r"1 ready coroutine lies with thread tokio-rt-worker"),
    "slot": ("stuck-worker", r"1 ready coroutine lies with thread tokio-rt-worker"),
    "spawned": ("stuck-worker", r"1 ready coroutine lies with thread tokio-rt-worker"),
    "circle": ("mutex-deadlock", r"src/faults.rs:\d+"),
    "select": ("destroyed-while-suspended", r"destroyed while suspended at src/handoff.rs:\d+, and channel 0x\w+ was handed"),
}


# Each fault that makes its program hang, and whose correct twin, which ends normally, must have no finding: the rule,
# its grade, and words of the finding.
HANGS = {
    "notify": ("lost-wakeup", "proven", "suspended"),
    "upgrade": ("lost-wakeup", "proven", "suspended"),
    "handles": ("lost-wakeup", "proven", "suspended"),
    "unregistered": ("lost-waker", "proven", "taken and dropped in that run"),
    "never-taken": ("lost-waker", "suspect", "such as `pending()`"),
    "branch": ("woken-not-polled", "likely", "which is part of coroutine"),
    "pool": ("full-pool", "likely", "which may wait for it"),
    "panic": ("lost-wakeup", "proven", "ended by a panic"),
}


def build():
    """Returns the program; None, after printing the reason, if cargo or the required crates cannot be had."""
    if not shutil.which("cargo"):
        return None, "there is no cargo"
    command = ["cargo", "build", "--locked", "--quiet", "--manifest-path", PACKAGE, "--target-dir", TARGET]
    environment = dict(os.environ, CARGO_BUILD_JOBS="1")
    got = subprocess.run([*command[:1], "fetch", "--locked", "--quiet", "--manifest-path", PACKAGE], capture_output=True,
                         text=True, check=False, env=environment)
    if got.returncode != 0:
        return None, f"cargo cannot fetch the crates: {got.stderr.strip().splitlines()[-1:]}"
    run(*command, "--offline", env=environment, timeout=900)
    return TARGET / "debug/rust-programs", None


def check_own_tests():
    run("cargo", "test", "--lib", "--quiet", "--manifest-path", SOURCE / "sdk/rust/Cargo.toml", "--target-dir", TARGET,
        env=dict(os.environ, CARGO_BUILD_JOBS="1"), timeout=600)


def report_of(place, program, scene):
    trace = f"{place}/{scene}.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", program, scene)
    return trace, json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)


def graver(report):
    return [finding for finding in report["findings"] if finding["grade"] != "suspect"]


def check_faults(place, program):
    for scene, (rule, title) in FAULTS.items():
        _, report = report_of(place, program, scene)
        found = graver(report)
        check([finding["rule"] for finding in found] == [rule], f"{scene}: {found}")
        check(re.search(title, found[0]["title"]), f"{scene}: '{found[0]['title']}' is not '{title}'")
        _, report = report_of(place, program, f"{scene}-correct")
        check(not graver(report), f"{scene}-correct: {graver(report)}")


def report_of_hang(place, program, scene):
    """Returns the report of a program that says when it stands still, and is interrupted then."""
    trace = f"{place}/{scene}.ctrace"
    with subprocess.Popen([COROTRACER, "run", "-o", trace, "--", program, scene], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as recording:
        told = re.fullmatch(r"stands still (\S+)\n", recording.stdout.readline())
        check(told, f"{scene}: it does not stand still")
        # The thread that says so has to be asleep, because it could wake a task.
        while pathlib.Path(f"/proc/{told.group(1)}/stat").read_text(encoding="utf-8").rpartition(") ")[2][0] != "S":
            pass
        recording.send_signal(signal.SIGINT)
    return json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)


def check_hangs(place, program):
    for scene, (rule, grade, says) in HANGS.items():
        found = report_of_hang(place, program, scene)["findings"]
        told = [finding for finding in found if (finding["rule"], finding["grade"]) == (rule, grade)]
        check(told and says in json.dumps(told) and "src/waits.rs" in told[0]["title"], f"{scene}: {found}")
        _, report = report_of(place, program, f"{scene}-correct")
        check(not report["findings"], f"{scene}-correct: {report['findings']}")


def check_waits(place, program):
    """Each traced form of the things that tasks wait for: what it is, and that each wait ends by a recorded event."""
    trace, report = report_of(place, program, "waits")
    check(not report["findings"], f"waits: {report['findings']}")
    dumped = run(COROTRACER, "dump", trace).stdout
    for resource, least in (("semaphore", 2), ("channel", 3), ("event", 6), ("coroutine", 3), ("timer", 5)):
        told = re.findall(rf" suspend c\d+ {resource}:", dumped)
        check(len(told) >= least, f"waits: {len(told)} waits for a {resource}, not {least}")
    check(re.search(r" block-begin resource=lock:\w+", dumped), "waits: no thread is told to wait for a lock")


def check_load(place, program):
    """Ten thousand tasks: no finding above Suspect; who woke whom, where they wait."""
    trace, report = report_of(place, program, "load")
    check(not graver(report), f"load: {graver(report)}")
    check(report["trace"].get("lost", 0) == 0, "load: events were lost")
    dumped = run(COROTRACER, "dump", trace).stdout
    wakes = re.findall(r" t\d+ wake (c\d+ )?coroutine:\d+ ", dumped)
    check(len(wakes) > 10000 and sum(map(bool, wakes)) > 1000, "load: wakes, or their wakers, are missing")
    for resource in ("semaphore", "channel", "lock", "timer"):
        check(f" {resource}:" in dumped, f"load: nobody waited for a {resource}")
    told = run(COROTRACER, "stats", trace).stdout
    check("src/load.rs:" in told, "load: no place of a wait is told")


def check_spans(place, program):
    trace, _ = report_of(place, program, "spans")
    dumped = run(COROTRACER, "dump", trace).stdout
    for kind, count in (("task-begin", 5), ("task-end", 5), ("region-begin", 10), ("log", 5)):
        check(len(re.findall(rf" {kind}\b", dumped)) >= count, f"spans: fewer than {count} of {kind}")


# Each shape of a program on tokio: the number of coroutines, and what its trace has to contain, in this order.
SHAPES = {
    "current-thread": (4, [r" wake c\d+ coroutine:\d+ ", " destroy c1 life=done"]),
    "local-set": (4, [r"suspend c\d+ timer:0 ", r"wake c\d+ coroutine:\d+ outcome=queued", " destroy c4 life=done"]),
    "join": (5, ["detail c1 0x0 detail=resource", "await-done c1 c5", "await-done c1 c4", "await-done c1 c3"]),
    "at-once": (3, ["return c2", "await c1 c3", "await-done c1 c3"]),
    "timeouts": (4, ["await c1 c2", "suspend c1 coroutine:2 ", "detail c1 .*detail=deadline", "await-done c1 c2",
                     " destroy c3 life=suspended", "suspend c1 coroutine:4 ", "detail c1 .*detail=deadline",
                     " destroy c4 life=suspended"]),
    "cancellation": (4, [" destroy c2 life=unseen", " destroy c3 life=suspended", " destroy c1 life=done",
                         " destroy c4 life=suspended"]),
}


def check_shapes(place, program):
    for scene, (nr_coros, told) in SHAPES.items():
        trace, report = report_of(place, program, scene)
        check(not graver(report), f"{scene}: {graver(report)}")
        check(report["quality"]["broken_transitions"] == 0, f"{scene}: {report['quality']}")
        dumped = run(COROTRACER, "dump", trace).stdout
        check(len(re.findall(r" create c\d+ ", dumped)) == nr_coros, f"{scene}: not {nr_coros} coroutines")
        check(re.search(".*".join(told), dumped, re.DOTALL), f"{scene}: not {told}")


def build_unstable():
    target = BUILD / "rust-unstable"
    run("cargo", "build", "--locked", "--offline", "--quiet", "--manifest-path", PACKAGE, "--target-dir", target,
        env=dict(os.environ, CARGO_BUILD_JOBS="1", RUSTFLAGS="--cfg tokio_unstable"), timeout=900)
    return target / "debug/rust-programs"


def check_hooks(place, program):
    """Tokio's hooks, which tokio calls unstable: untraced tasks are recorded, and nothing after their ends."""
    trace, report = report_of(place, program, "hooks")
    check(not report["findings"], f"hooks: {report['findings']}")
    lives = {}
    for kind, coro in re.findall(r"^\S+ +t\d+ ([\w-]+) (c[1-9]\d*)\b", run(COROTRACER, "dump", trace).stdout, re.MULTILINE):
        lives.setdefault(coro, []).append(kind)
    tasks = [life for life in lives.values() if life[0] == "create"]
    check(len(tasks) == 50, f"hooks: {len(tasks)} tasks of 50 are told of")
    wrong = [life for life in lives.values() if life.index("destroy") != len(life) - 1]
    wrong += [life for life in tasks if life[1:4] != ["enqueue", "resume", "suspend"]]
    check(not wrong, f"hooks: {wrong}")


def check_once(place, program):
    """A task that is recorded by tokio's hooks and as a traced future is one in what is found."""
    for scene in ("notify", "handles", "panic"):
        found = report_of_hang(place, program, scene)["findings"]
        check([(finding["rule"], finding["grade"]) for finding in found] == [HANGS[scene][:2]], f"{scene}, hooks: {found}")


def check_hooks_circle(place, program):
    """What a task waits for is recorded, too, if only tokio's hooks record the task."""
    found = report_of_hang(place, program, "hooks-circle")["findings"]
    told = [(finding["rule"], finding["grade"]) for finding in found]
    check(told == [("mutex-deadlock", "suspect")] and "src/faults.rs" in found[0]["title"], f"hooks-circle: {found}")
    _, report = report_of(place, program, "hooks-circle-correct")
    check(not report["findings"], f"hooks-circle-correct: {report['findings']}")


def check_hooks_spawned(place, program):
    """A task that never ran, because the worker in whose slot it lies is blocked."""
    _, report = report_of(place, program, "hooks-spawned")
    found = [(finding["rule"], finding["grade"]) for finding in graver(report)]
    check(found == [("stuck-worker", "proven")], f"hooks-spawned: {report['findings']}")


def check_stolen(place, program):
    """The hook after a poll comes when another worker already polls the task: that is not a contradiction."""
    trace, report = report_of(place, program, "stolen")
    check(not report["findings"], f"stolen: {report['findings']}")
    quality = report["quality"]
    check(quality["late_ends"] > 0, "stolen: no end of a poll was told late")
    check(quality["broken_transitions"] == 0, f"stolen: {quality}")
    text = f"{place}/stolen.txt"
    run(COROTRACER, "dump", "-o", text, trace)
    run(COROTRACER, "assemble", "-o", f"{place}/again.ctrace", text)
    again = json.loads(run(COROTRACER, "report", "--format", "json", f"{place}/again.ctrace").stdout)
    check(again["quality"]["late_ends"] == quality["late_ends"], "stolen: dump and assemble lose what was told late")


def check_older(place, program):
    """The older crate's calls, and the program without an engine."""
    trace, report = report_of(place, program, "older")
    check(not graver(report), f"older: {graver(report)}")
    dumped = run(COROTRACER, "dump", trace).stdout
    kinds = re.findall(r"^\S+ +t\d+ ([\w-]+)", dumped, re.MULTILINE)
    check(kinds.count("create") >= 10 and kinds.count("destroy") == kinds.count("create"), "older: lives are not whole")
    run(program, "older")


def main():
    program, why = build()
    if not program:
        skip(why)
    check_own_tests()
    with folder() as place:
        check_faults(place, program)
        check_hangs(place, program)
        check_waits(place, program)
        report_of(place, program, "names")
        check_load(place, program)
        check_spans(place, program)
        check_shapes(place, program)
        unstable = build_unstable()
        check_hooks(place, unstable)
        check_once(place, unstable)
        check_hooks_circle(place, unstable)
        check_hooks_spawned(place, unstable)
        check_stolen(place, unstable)
        check_older(place, program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
