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
PLACE = ROOT / "tests/bench"
ECHO_PAIRS, ECHO_SECONDS = 9, 1

sys.path.insert(0, str(ROOT / "tests/conformance"))
import play  # noqa: E402


def build(name):
    """The program of a package; None where cargo or the crates are not to be had."""
    target = BUILD / "rust-release"
    done = subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path",
                           PLACE / name / "Cargo.toml", "--target-dir", target],
                          capture_output=True, text=True, check=False)
    return target / "release" / f"bench-{name.removeprefix('rust-')}" if done.returncode == 0 else None


def polls(program):
    """With nobody who drains: the program does that itself. Its engine only takes the segment."""
    name = f"corotracer-bench-{os.getpid()}"
    server = play.listen(name)
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, COROTRACER_SOCKET=name)) as run:
        os.close(play.take_descriptor(server))
        return json.loads(run.communicate()[0])


def echo_once(*command):
    """(requests a second, microseconds of processor time a request), with all processes that take part."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        told = float(run.stdout.read().split()[0])
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        sys.exit(f"run-probe: {command[0]} ended with {run.returncode}")
    return told, 1e6 * (used.ru_utime + used.ru_stime) / (told * ECHO_SECONDS)


def compare(plain, traced):
    """Runs of both in turn: medians, and of each pair's own ratio what is kept."""
    pairs = [(echo_once(*plain), echo_once(*traced)) for _ in range(ECHO_PAIRS)]

    def median(which, what):
        return round(statistics.median(pair[which][what] for pair in pairs), 2)

    return {"requests a second": {"untraced": median(0, 0), "traced": median(1, 0),
                                  "kept": round(statistics.median(b[0] / a[0] for a, b in pairs), 3)},
            "processor us a request": {"untraced": median(0, 1), "traced": median(1, 1)}}


def echo(program):
    """An echo server of which every task is traced; the same server with the other crate where that can be built. The
    clients stand in the server's process, on a thread of their own that nobody traces."""
    place = BUILD / "bench-echo"
    place.mkdir(exist_ok=True)
    own = [program, "--echo", str(ECHO_SECONDS)]
    told = {"corotracer": compare(own, [BUILD / "corotracer", "run", "--no-ledger", "-o", place / "own.ctrace", "--", *own])}
    other = build("rust-dial9")
    if other:
        words = [other, str(ECHO_SECONDS)]
        told["dial9-tokio-telemetry"] = compare(words, [*words, place / "other.bin"])
    shutil.rmtree(place)
    return told


def measure():
    program = build("rust") if shutil.which("cargo") else None
    if not program:
        return {"left out": "cargo, or the crates of tests/bench/rust, cannot be had"}
    return {**polls(program), "echo": echo(program)}


if __name__ == "__main__":
    json.dump(measure(), sys.stdout, indent=2)
    print()
