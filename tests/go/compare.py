#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py [--all | --real] EVENTS FOLDER: compares traces of Go programs as read by our reader and by
golang.org/x/exp/trace.

The programs of tests/go/programs run under several settings. Both readers print each trace; the events of each thread,
goroutine and processor must be the same in the same order, and all events together must be the same. Without an option
a few settings are tried; with --all every program, number of processors, setting, and Go release that can be had; with
--real also traces of three foreign programs. FOLDER keeps what is built. Exits 77, and says why, if Go or the oracle's
module cannot be had.
"""
import collections
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys

import wire_text

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration"))
import environment  # noqa: E402: the folder must be in the path first
from support import check, fail, skip  # noqa: E402: likewise

LINE = re.compile(r"^(\d+) (M=(-?\d+) P=(-?\d+) .*)$")
RESOURCE = re.compile(r" ((?:Goroutine|Proc) -?\d+) ")
QUICK = ["channels", "network", "syscalls", "gc", "cgo", "coroutines", "regions", "flight"]
SETTINGS = {"default": "", "often": "traceadvanceperiod=1000000", "always": "traceadvanceperiod=0",
            "no-preemption": "asyncpreemptoff=1", "experiments": "traceallocfree=1"}
RELEASES = ["go1.22.12", "go1.23.12", "go1.24.13", "go1.25.7"]


def go_environment(release):
    return os.environ | {"GOTOOLCHAIN": release, "GOFLAGS": "-buildvcs=false", "CGO_ENABLED": "1"}


def build(folder, program, release):
    """Returns the path of the built program, or None if this release, or the program's modules, cannot be had."""
    target = folder / f"{program}-{release}"
    result = subprocess.run(["go", "build", "-trimpath", "-o", target, "."], cwd=HERE / program, check=False,
                            env=go_environment(release), capture_output=True, text=True)
    if result.returncode:
        print(f"{program} with Go {release} cannot be built: {result.stderr.strip().splitlines()[-1:]}")
        return None
    return target


def programs(folder):
    """Makes the folder, and builds our own programs in it; skips the test if they cannot be had."""
    folder.mkdir(parents=True, exist_ok=True)
    environment.require_go()
    return build(folder, "programs", "local") or fail("the programs cannot be built")


def print_events(program, trace, path):
    """Both readers say why a trace ends early, each in its own words; only the first word is kept."""
    with open(path, "wb") as file:
        failed = subprocess.run([program, trace], check=False, stdout=file).returncode
    if failed:
        text = path.read_bytes()
        path.write_bytes(text[:text.rindex(b"error:") + len(b"error:")] + b"\n")


def canonical(lines):
    """Returns {owner of the sequence: [event without its time]}."""
    sequences = collections.defaultdict(list)
    for line in lines:
        match = LINE.match(line)
        event = match.group(2) if match else line
        sequences["all"].append(event)
        sequences[f"thread {match.group(3) if match else ''}"].append(event)
        resource = RESOURCE.search(event)
        if resource:
            sequences[resource.group(1)].append(event)
    sequences["all"].sort()
    return sequences


def difference(ours, theirs):
    """Returns a sentence about the first difference between two files of events, or None."""
    ours, theirs = (canonical(path.read_text(encoding="utf-8").splitlines()) for path in (ours, theirs))
    for whose in sorted(ours.keys() | theirs.keys()):
        for number, pair in enumerate(zip(ours[whose] + ["nothing"], theirs[whose] + ["nothing"])):
            if pair[0] != pair[1]:
                return f"event {number} of {whose}: {pair[0]}, and the oracle has {pair[1]}"
    return None


class Comparison:
    def __init__(self, events, oracle, folder):
        self.events, self.oracle, self.folder = events, oracle, folder
        self.traces = self.exact = self.total = self.failures = 0

    def compare(self, path, name):
        ours, theirs = self.folder / "ours.txt", self.folder / "theirs.txt"
        print_events(self.events, path, ours)
        print_events(self.oracle, path, theirs)
        is_exact = filecmp.cmp(ours, theirs, shallow=False)
        found = None if is_exact else difference(ours, theirs)
        self.traces += 1
        self.total += sum(1 for _ in open(theirs, "rb"))
        self.exact += is_exact
        if found or not theirs.stat().st_size:
            self.failures += 1
            kept = self.folder / f"differs-{self.failures}.trace"
            shutil.copy(path, kept)
            print(f"{name}: {found or 'no events'} (kept as {kept})")

    def run(self, binary, program, procs, setting):
        path = self.folder / "one.trace"
        path.unlink(missing_ok=True)
        environment = os.environ | {"GOMAXPROCS": str(procs), "GODEBUG": SETTINGS[setting]}
        result = subprocess.run([binary, program, path], env=environment, check=False, capture_output=True, text=True)
        if result.returncode or not path.exists():
            self.failures += 1
            print(f"{program} {procs} {setting}: the program failed: {result.stderr.strip()[:200]}")
            return
        self.compare(path, f"{binary.name} {program} GOMAXPROCS={procs} {setting}")

    def tell(self):
        print(f"{self.traces} traces, {self.total} events, {self.exact} the same to the nanosecond, {self.failures} differ")
        return 1 if self.failures or not self.traces else 0


def names_of(binary):
    return subprocess.run([binary], check=True, capture_output=True, text=True).stdout.split()


def quick(comparison):
    binary = build(comparison.folder, "programs", "local")
    check(binary, "the programs cannot be built")
    for number, program in enumerate(name for name in names_of(binary) if name in QUICK):
        comparison.run(binary, program, (1, 2, 8)[number % 3], list(SETTINGS)[number % 3])


def everything(comparison):
    """The newest Go under every setting; older releases with the default setting, and with many generations."""
    for release, settings in [("local", list(SETTINGS))] + [(release, ["default", "often"]) for release in RELEASES]:
        binary = build(comparison.folder, "programs", release)
        for program in names_of(binary) if binary else []:
            for procs in (1, 2, 8):
                for setting in settings:
                    comparison.run(binary, program, procs, setting)


def written(comparison):
    """The traces with which the oracle itself is tested, as text."""
    where = subprocess.run(["go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/exp"], cwd=HERE / "oracle", check=True,
                           env=go_environment("local"), capture_output=True, text=True).stdout.strip()
    for case in sorted(pathlib.Path(where, "trace/testdata/tests").glob("*.test")):
        path = comparison.folder / "written.trace"
        path.write_bytes(wire_text.assemble(case.read_text(encoding="utf-8").split("-- trace --\n")[1]))
        comparison.compare(path, case.name)


def real(comparison):
    """Tests of foreign modules, traced by `go test -trace`."""
    for module in ("github.com/nats-io/nuid@v1.0.1", "golang.org/x/sync@v0.10.0", "github.com/hashicorp/golang-lru/v2@v2.0.7"):
        source = subprocess.run(["go", "mod", "download", "-json", module], cwd=HERE / "programs", check=False,
                                env=go_environment("local"), capture_output=True, text=True)
        found = re.search(r'"Dir": "(.*)"', source.stdout)
        if not found:
            print(f"{module} cannot be had")
            continue
        copy = comparison.folder / "real"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(found.group(1), copy)
        subprocess.run(["chmod", "-R", "u+w", copy], check=True)
        packages = subprocess.run(["go", "list", "./..."], cwd=copy, check=False, env=go_environment("local"),
                                  capture_output=True, text=True).stdout.split()
        for package in packages:
            path = comparison.folder / "real.trace"
            path.unlink(missing_ok=True)
            subprocess.run(["go", "test", "-short", "-trace", path, package], cwd=copy, check=False,
                           env=go_environment("local"), capture_output=True)
            if path.exists() and path.stat().st_size:
                comparison.compare(path, f"{module} {package}")


def main():
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    events, folder = (pathlib.Path(argument) for argument in sys.argv[1:] if not argument.startswith("--"))
    environment.require_go()
    folder.mkdir(parents=True, exist_ok=True)
    oracle = build(folder, "oracle", "local")
    if not oracle:
        skip("go cannot fetch golang.org/x/exp/trace")
    comparison = Comparison(events, oracle, folder)
    written(comparison)
    if "--all" in options:
        everything(comparison)
    else:
        quick(comparison)
    if "--real" in options:
        real(comparison)
    return comparison.tell()


if __name__ == "__main__":
    sys.exit(main())
