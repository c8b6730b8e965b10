# SPDX-License-Identifier: MIT
"""Tests `overhead`: pairs of runs of a real program, the report on them, and an interrupted measurement."""
import json
import os
import pathlib
import signal
import subprocess
import sys

from support import BUILD, COROTRACER, check, folder, run

PROGRAM = (BUILD / "tests/workloads/example-sync", "--scenario", "contention")
PRINTS = "import sys; sys.stdout.write('x' * 3000000 + '\\nrate: 3 a second\\nrate: 12.5 a second\\np99: 7 ms\\n')"


def told(*words, status=0, **options):
    return json.loads(run(COROTRACER, "overhead", "--format", "json", *words, status=status, **options).stdout)


def check_figures():
    figures = told("-n", "6", "--", *PROGRAM)
    check(figures["pairs"] == 6 and figures["has_probe"], f"{figures}")
    check(figures["events"] > 0 and figures["trace_bytes"] > 0 and figures["engine_cpu_seconds"] >= 0, f"{figures}")
    for name in ("wall", "cpu"):
        one = figures[name]
        check(one["untraced"] >= 0 and one["traced"] >= 0, f"{name}: {one}")
        check(one["low"] <= one["ratio"] <= one["high"] and one["coverage"] >= 0.95, f"{name}: {one}")
    check("throughput" not in figures, "nobody asked for it")
    text = run(COROTRACER, "overhead", "-n", "1", "--", *PROGRAM).stdout
    check("1 pair of runs" in text and "interval" not in text, f"one pair has no interval: {text}")


def check_patterns():
    """The figures that the program prints are found, however much it prints before; a program without a probe is
    reported as such."""
    figures = told("-n", "1", "--throughput", "rate: ([0-9.]+)", "--latency", "p99: ([0-9]+)", "--", sys.executable, "-c",
                   PRINTS)
    check(figures["throughput"]["traced"] == 12.5 and figures["latency"]["untraced"] == 7, f"{figures}")
    check(not figures["has_probe"], "it has no probe")
    complaint = run(COROTRACER, "overhead", "--latency", "p50: ([0-9]+)", "--", sys.executable, "-c", PRINTS, status=4)
    check("--latency" in complaint.stderr and not complaint.stdout, complaint.stderr)


def check_what_is_odd():
    """An undefined ratio is not a number in JSON, a missing figure is reported as not found, and a command that fails
    is reported."""
    preloaded = "test -z \"$LD_PRELOAD\"; echo rate: $?"
    figures = told("-n", "1", "--throughput", "rate: (.*)", "--", "sh", "-c", preloaded)
    check(figures["throughput"]["untraced"] == 0 and figures["throughput"]["ratio"] is None, f"{figures}")
    run(COROTRACER, "overhead", "-n", "1", "--latency", "p99: (.*)", "--", "echo", "p99: inf", status=4)
    text = run(COROTRACER, "overhead", "-n", "1", "--", "sh", "-c", "exit 4").stdout
    check("ended with 4" in text and "flight recorder" not in text, f"{text}")
    check(told("-n", "1", "--", "sh", "-c", "exit 4")["exit_status"] == 4, "its exit status is not told")


def check_bad_requests():
    for words, status in ((("--",), 2), (("--latency", "(", "--", "true"), 2), (("--latency", "p99", "--", "true"), 2),
                          (("--pairs", "1001", "--", "true"), 2), (("--", "/no/such/program"), 127)):
        run(COROTRACER, "overhead", *words, status=status)


def check_interrupt(place):
    """The pairs measured so far are reported, the command is ended, and nothing is left behind."""
    runs = pathlib.Path(place) / "runs"
    ready, told_ready = os.pipe()
    script = f"echo x >> {runs}; [ $(wc -l < {runs}) -lt 9 ] || {{ echo >&{told_ready}; exec sleep 1000; }}"
    process = subprocess.Popen([COROTRACER, "overhead", "--", "sh", "-c", script], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, pass_fds=(told_ready,),
                               env={**os.environ, "TMPDIR": place}, start_new_session=True)
    os.read(ready, 1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    check(process.returncode == 128 + signal.SIGINT, f"{process.returncode}: {err}")
    check("3 pairs of runs" in out, f"{out}{err}")
    check(os.listdir(place) == ["runs"], f"left behind: {os.listdir(place)}")


def main():
    check_figures()
    check_patterns()
    check_what_is_odd()
    check_bad_requests()
    with folder() as place:
        check_interrupt(place)


main()
