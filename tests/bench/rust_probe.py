# SPDX-License-Identifier: MIT
"""The Rust rows of run-probe: a poll of a traced future beside the floor and other crates, and the load of an echo
server."""
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
ECHO_PAIRS, ECHO_SECONDS = 40, 0.25

sys.path.insert(0, str(ROOT / "tests/conformance"))
import play  # noqa: E402


def build(name):
    """Builds the program of a package, and returns its path; None if cargo or the crates cannot be had."""
    target = BUILD / "rust-release"
    done = subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path",
                           PLACE / name / "Cargo.toml", "--target-dir", target],
                          capture_output=True, text=True, check=False)
    return target / "release" / f"bench-{name.removeprefix('rust-')}" if done.returncode == 0 else None


def polls(program):
    """Runs the benchmark with an engine that only takes the segment: the program drains its rings itself."""
    name = f"corotracer-bench-{os.getpid()}"
    server = play.listen(name)
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, COROTRACER_SOCKET=name)) as run:
        os.close(play.take_descriptor(server))
        return json.loads(run.communicate()[0])


def echo_once(asker, *command):
    """Returns requests per second, and microseconds of processor time per request: of the server alone, and of the
    server with its tracer."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        port = run.stdout.readline().strip()
        asked = subprocess.run([asker, "--ask", port, str(ECHO_SECONDS)], capture_output=True, text=True, check=True)
        run.stdin.close()
        own = run.stdout.readline()
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        sys.exit(f"run-probe: {command[0]} ended with {run.returncode}")
    told = float(asked.stdout)
    return {"requests a second": told, "server us": int(own) / 1000 / (told * ECHO_SECONDS),
            "all us": 1e6 * (used.ru_utime + used.ru_stime) / (told * ECHO_SECONDS)}


def median_of(values):
    """Returns the median, and the interval in which the median of all such runs lies with a probability of 95 %."""
    values = sorted(values)
    reach = int(0.98 * len(values) ** 0.5)
    low, high = len(values) // 2 - 1 - reach, (len(values) + 1) // 2 + reach
    return {"median": round(statistics.median(values), 3),
            "between": [round(values[max(low, 0)], 3), round(values[min(high, len(values) - 1)], 3)]}


def compare(asker, plain, traced):
    """Makes short runs of both in turn, and changes the order within each pair. Returns medians, and from the pairs'
    own ratios the share that is kept. The processor time of the server is steadier than the rate if the machine also
    does other work."""
    pairs = []
    for turn in range(ECHO_PAIRS):
        both = [echo_once(asker, *command) for command in ((plain, traced), (traced, plain))[turn % 2]]
        pairs.append(both if turn % 2 == 0 else both[::-1])

    def rows(what):
        return {name: round(statistics.median(pair[index][what] for pair in pairs), 3)
                for index, name in enumerate(("untraced", "traced"))}

    def kept(what):
        return median_of(b[what] / a[what] for a, b in pairs)

    return {"pairs": ECHO_PAIRS,
            "requests a second": {**rows("requests a second"), "kept": kept("requests a second")},
            "processor us a request, of the server": {**rows("server us"), "times": kept("server us")},
            "processor us a request, of all": rows("all us")}


def echo(program):
    """Measures an echo server whose every task is traced, and the same server with the other crate if that crate can be
    built. The clients are a separate, untraced process."""
    place = BUILD / "bench-echo"
    place.mkdir(exist_ok=True)
    own = [program, "--serve"]
    told = {"corotracer": compare(program, own, [BUILD / "corotracer", "run", "--no-ledger", "-o", place / "own.ctrace",
                                                 "--", *own])}
    other = build("rust-dial9")
    if other:
        told["dial9-tokio-telemetry"] = compare(program, [other], [other, place / "other.bin"])
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
