# SPDX-License-Identifier: MIT
"""Recordings of real schedulers, as long as a benchmark needs them."""
import os
import pathlib
import re
import signal
import subprocess

BUILD = pathlib.Path(os.environ["COROTRACER_BUILD"]).resolve()
COROTRACER = BUILD / "corotracer"
BENCH = BUILD / "tests/bench/bench_analyze"
LOAD_SECONDS = 2


def run(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True).stdout


def record_fibers(trace):
    run(COROTRACER, "run", "-o", trace, "--", BUILD / "tests/workloads/fiber-scheduler/example-fibers", "--scenario", "mixed")


def record_server(trace):
    command = [COROTRACER, "run", "-o", trace, "--", BUILD / "examples/example-tcp-server", "--port", "0"]
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True) as engine:
        port = re.search(r":(\d+)", engine.stdout.readline())[1]
        run(BUILD / "examples/example-tcp-load", "--port", port, "--connections", 200, "--duration", LOAD_SECONDS)
        children = pathlib.Path(f"/proc/{engine.pid}/task/{engine.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGTERM)
        engine.communicate()


def record_requests(trace):
    run(COROTRACER, "run", "-o", trace, "--", BUILD / "tests/workloads/example-sync", "--scenario", "request-audit")


def record_leaks(trace):
    """The same requests, each of which leaves a coroutine behind that is never woken: a finding."""
    run(COROTRACER, "run", "-o", trace, "--", BUILD / "tests/workloads/example-sync-fault-m")


PROGRAMS = {"fibers": record_fibers, "server": record_server, "requests": record_requests}


def repeat(recorded, nr_events, trace):
    """Repeats the recording, with later times and other coroutines, until it has this many events."""
    run(BENCH, "make", recorded, nr_events, trace)
