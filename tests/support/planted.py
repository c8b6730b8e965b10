# SPDX-License-Identifier: MIT
"""Runs and judges the programs with planted faults, their correct twins and the healthy scenarios.

A fault is found if the report has a finding of its rule; its cause is named if that finding names every coroutine that
the program's own log says was affected, and one that caused the fault.
"""
import json
import pathlib
import subprocess
import tempfile

TIME_LIMIT = 120

# letter: (rule, scenario of the fibers, scenario of example-sync)
FAULTS = {
    "b": ("dropped-wake", "dropped-wake", "mailbox"),
    "c": ("lost-wakeup", "missed-notify", "request-ring"),
    "d": ("destroyed-while-suspended", "dead-waiter", "lock-queue"),
    "e": ("lost-wakeup", "private-list", "parking-lot"),
    "f": ("double-resume", "double-resume", "either-of"),
    "g": ("resume-after-destroy", "ghost-resume", "cancelled-nap"),
    "h": ("mutex-deadlock", "mutex-cycle", "philosophers"),
    "i": ("await-cycle", "await-cycle", "build-graph"),
    "j": ("stuck-worker", "private-slot", "next-slot"),
    "k": ("stuck-worker", "blocked-worker", "pipe-reader"),
    "l": ("self-wake-storm", "wake-storm", "device-poll"),
    "m": ("coroutine-leak", "leak", "request-audit"),
}
PROGRAMS = {"fibers": ("tests/workloads/fiber-scheduler/example-fibers", 1), "sync": ("tests/workloads/example-sync", 2)}
HEALTHY = {
    "fibers": ["mixed"],
    "sync": ["idle-server", "hangups", "idle-pool", "long-sleep", "producer-consumer", "mailboxes", "fan-out",
             "contention", "barriers", "broadcast", "yields", "timers", "generators", "cancellation", "scopes",
             "shutdown"],
}


def causes_of(log):
    """Returns the program's own log: {"coroutine": 3, "by": 1, ...} for each cause."""
    causes = []
    for line in log.read_text().splitlines() if log.exists() else []:
        words = line.split()
        if words and words[0] == "cause":
            pairs = dict(word.split("=", 1) for word in words[1:] if "=" in word)
            causes.append({key: int(pairs.get(key, 0)) for key in ("coroutine", "by")})
    return causes


def one_run(build, executable, arguments=()):
    """Runs a program under the tracer. Returns {"status": its exit status, "report": as JSON, "causes": by its log}."""
    with tempfile.TemporaryDirectory(prefix="corotracer-planted-") as folder:
        return record(build / "corotracer", build / executable, arguments, pathlib.Path(folder))


def record(corotracer, executable, arguments, folder):
    trace, log = folder / "run.ctrace", folder / "run.log"
    command = [str(corotracer), "run", "-o", str(trace), "--", str(executable), *arguments, "--log", str(log)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    report = subprocess.run([str(corotracer), "report", "--format", "json", str(trace)],
                            capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    return {"status": run.returncode, "report": json.loads(report.stdout), "causes": causes_of(log)}


def spoken_of(finding):
    return {member["id"] for member in finding["members"]} | {step["coroutine"] for step in finding["steps"]}


def names_cause(finding, causes):
    ids = spoken_of(finding)
    doers = {cause["by"] for cause in causes if cause["by"]}
    return bool(causes) and {cause["coroutine"] for cause in causes} <= ids and (not doers or bool(doers & ids))


def is_right(finding, rule, causes):
    """Returns whether what the finding says of these coroutines is true. A finding of another rule is not."""
    return finding["rule"] == rule and bool(spoken_of(finding) & {cause["coroutine"] for cause in causes})


def faulty_program(program, letter):
    return f"{PROGRAMS[program][0]}-fault-{letter}"


def twin_of(program, letter):
    """Returns the correct program in the scenario of that fault: (executable, arguments)."""
    path, column = PROGRAMS[program]
    return path, ["--scenario", FAULTS[letter][column]]


def findings_of(run, rule):
    return [finding for finding in run["report"]["findings"] if finding["rule"] == rule]


def is_named(run, rule):
    return any(names_cause(finding, run["causes"]) for finding in findings_of(run, rule))


def wrong_proven(run, rule):
    """Returns findings that are Proven, but not true."""
    return [finding for finding in run["report"]["findings"]
            if finding["grade"] == "proven" and not is_right(finding, rule, run["causes"])]
