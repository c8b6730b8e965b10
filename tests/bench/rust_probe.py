# SPDX-License-Identifier: MIT
"""The Rust rows of run-probe: a poll of a traced future beside the floor and others, and the load of an echo server."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ["COROTRACER_BUILD"]).resolve()
PACKAGE = ROOT / "tests/bench/rust/Cargo.toml"
ECHO_PAIRS, ECHO_SECONDS = 9, 1

sys.path.insert(0, str(ROOT / "tests/conformance"))
import play  # noqa: E402


def build():
    """The program; None where cargo or the crates are not to be had."""
    target = BUILD / "rust-release"
    done = subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path", PACKAGE,
                           "--target-dir", target], capture_output=True, text=True, check=False)
    return target / "release/bench-rust" if done.returncode == 0 else None


def polls(program):
    """With nobody who drains: the program does that itself. Its engine only takes the segment."""
    name = f"corotracer-bench-{os.getpid()}"
    server = play.listen(name)
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, COROTRACER_SOCKET=name)) as run:
        os.close(play.take_descriptor(server))
        return json.loads(run.communicate()[0])


def echo_once(*command):
    told = subprocess.run([*command, "--echo", str(ECHO_SECONDS)], capture_output=True, text=True, check=True).stdout
    return float(told.split()[0])


def echo(program):
    """Requests a second, traced and not, in turn; kept is the median of the pairs' own ratios."""
    trace = BUILD / "bench-echo.ctrace"
    pairs = [(echo_once(program), echo_once(BUILD / "corotracer", "run", "--no-ledger", "-o", trace, "--", program))
             for _ in range(ECHO_PAIRS)]
    trace.unlink(missing_ok=True)
    untraced, traced = (statistics.median(pair[i] for pair in pairs) for i in (0, 1))
    return {"untraced": untraced, "traced": traced, "kept": round(statistics.median(b / a for a, b in pairs), 3)}


def measure():
    program = build() if shutil.which("cargo") else None
    if not program:
        return {"left out": "cargo, or the crates of tests/bench/rust, cannot be had"}
    return {**polls(program), "echo requests a second": echo(program)}


if __name__ == "__main__":
    json.dump(measure(), sys.stdout, indent=2)
    print()
