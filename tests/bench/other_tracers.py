# SPDX-License-Identifier: MIT
"""Measures what an event costs with other tracers on the same machine: LTTng-UST and uftrace, as Debian has them.

A tracer that cannot be had is null, with the reason. The events for these tracers are compiled here, because the
project itself needs neither of them.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EVENTS, ROUNDS = 2000, 501


class Absent(Exception):
    """The reason why a tracer was not measured."""


def call(*command, **options):
    try:
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120,
                                check=False, **options)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Absent(f"{command[0]}: {problem}") from problem
    if result.returncode:
        raise Absent(f"{' '.join(map(str, command[:2]))}: {(result.stderr or result.stdout).strip()[-200:]}")
    return result


def need(program):
    if not shutil.which(program):
        raise Absent(f"{program} is not installed")


def lttng_ust(folder):
    """Measures one tracepoint with three words, into the buffers of a session that writes a trace."""
    need("lttng")
    need("lttng-sessiond")
    program = f"{folder}/other_lttng"
    call("cc", "-O2", "-I", HERE, "-o", program, HERE / "other_lttng.c", "-llttng-ust", "-ldl")
    environment = {**os.environ, "LTTNG_HOME": folder, "HOME": folder}
    run = lambda *words: call("lttng", "--no-sessiond", *words, env=environment)
    with subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as daemon:
        try:
            wait_for_daemon(daemon, environment)
            run("create", "bench", f"--output={folder}/lttng")
            run("enable-event", "--userspace", "corotracer_bench:event")
            run("start", "bench")
            cost = float(call(program, EVENTS, ROUNDS, env=environment).stdout)
            run("destroy", "bench")
        finally:
            daemon.terminate()
    return {"ns_per_event": cost, "version": call("lttng", "--version").stdout.split("-")[0].strip()}


def wait_for_daemon(daemon, environment):
    """Waits until the session daemon answers; asking takes a while each time."""
    for _ in range(200):
        if daemon.poll() is not None:
            raise Absent("lttng-sessiond ended at once; another one may be running")
        try:
            call("lttng", "--no-sessiond", "list", env=environment)
            return
        except Absent as problem:
            last = problem
    raise last


def uftrace(folder):
    """Measures a call of an empty function, which is two events: half of the additional cost compared with no
    tracer."""
    need("uftrace")
    program = f"{folder}/other_uftrace"
    call("cc", "-O2", "-pg", "-o", program, HERE / "other_uftrace.c")
    plain = float(call(program, EVENTS, ROUNDS, cwd=folder).stderr)
    recorded = call("uftrace", "record", "-d", f"{folder}/uftrace", "--no-pager", "-F", "called", program, EVENTS, ROUNDS)
    traced = float(recorded.stderr.strip().splitlines()[0])
    return {"ns_per_event": round((traced - plain) / 2, 2), "version": call("uftrace", "--version").stdout.split()[1]}


def measure():
    results = {}
    for name, one in (("lttng_ust", lttng_ust), ("uftrace", uftrace)):
        with tempfile.TemporaryDirectory(prefix="corotracer-bench-") as folder:
            try:
                results[name] = one(folder)
            except Absent as reason:
                results[name] = None
                results[f"{name}_reason"] = str(reason)
    return results
