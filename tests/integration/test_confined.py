# SPDX-License-Identifier: MIT
"""Tests recordings where a container or an old kernel takes something away (docs/containers.md): a correct program is
recorded and has no finding, or one sentence says what is missing, and the program runs to its end in any case.
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run, skip

sys.path.insert(0, str(SOURCE / "tests/support"))
import seccomp  # noqa: E402

FIBERS = [str(BUILD / "tests/workloads/fiber-scheduler/example-fibers"), "--scenario", "mixed"]
# What Docker's default profile refuses to a process without capabilities, and, as it did before kernel 4.8, ptrace and
# process_vm_readv. clone3, whose flags a filter cannot see, is refused as unknown, so that the C library uses clone.
DOCKER = {number: seccomp.EPERM for number in (
    101, 103, 134, 135, 136, 139, 153, 154, 155, 156, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 172, 173, 174, 175,
    176, 177, 178, 179, 180, 212, 227, 237, 238, 239, 246, 248, 249, 250, 256, 272, 279, 298, 303, 304, 305, 308, 310, 311,
    312, 313, 320, 321, 323, 425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442)}
DOCKER[435] = seccomp.ENOSYS
REPORT = (COROTRACER, "report", "--no-symbols", "--format", "json")
ALONE = ("unshare", "--mount", "--propagation", "private", "sh", "-ec")


def recorded(place, command, inside=None):
    """Records the program, which has to end by itself. Returns what the engine says, and the number of events."""
    trace = place / "t.ctrace"
    trace.unlink(missing_ok=True)
    done = ended(command, inside)
    told = subprocess.run([*REPORT, trace], check=False, text=True, stdout=subprocess.PIPE)
    return done.stderr, events_of(command, told.stdout)


def ended(command, inside=None):
    """Runs the command, which has to end by itself with 0."""
    done = subprocess.run(command, check=False, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, preexec_fn=inside, timeout=90)
    check(done.returncode == 0, f"{command} ended with {done.returncode}: {done.stderr}")
    return done


def events_of(command, told):
    """The number of events in a report that has no finding, and nothing lost."""
    report = json.loads(told)
    grave = [finding["title"] for finding in report["findings"] if finding["grade"] != "suspect"]
    check(not grave and not report["quality"]["lost"], f"{command}: {grave}, {report['quality']['lost']} lost")
    return report["quality"]["events"]


def record(place):
    return [COROTRACER, "run", "-o", str(place / "t.ctrace"), "--", *FIBERS]


def check_filters(place):
    said, events = recorded(place, record(place), lambda: seccomp.refuse_calls(DOCKER))
    check(events > 100 and "without" not in said, f"under Docker's filter: {events} events, and {said}")
    for name, inside in (("memfd_create", lambda: seccomp.refuse_calls({319: seccomp.ENOSYS})),
                         ("F_ADD_SEALS", seccomp.refuse_seals)):
        said, events = recorded(place, record(place), inside)
        check(not events and f"({name})" in said, f"without {name}: {events} events, and {said}")
        told = run(COROTRACER, "report", place / "t.ctrace").stdout
        check(f"({name})" in " ".join(told.split()), f"without {name} the report says: {told}")


def check_memory():
    """A process without a probe, whose memory the engine may not read, as with kernel.yama.ptrace_scope 1."""
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            done = subprocess.run([COROTRACER, "report", str(process.pid)], check=False, text=True, capture_output=True, timeout=60,
                                  preexec_fn=lambda: seccomp.refuse_calls({310: seccomp.EPERM}))
        finally:
            process.kill()
    check(done.returncode and f"the process has no probe: the memory of process {process.pid} may not be read" in done.stderr
          and "ptrace_scope" in done.stderr, f"without process_vm_readv: {done.returncode}, {done.stderr}")


def check_places(place):
    """Without the superuser's rights; without /proc; with a system that cannot be written to."""
    words = shlex.join(map(str, record(place)))
    for name, script in {
            "no /proc": f"mount -t tmpfs none /proc; exec {words}",
            "a read-only system": f"mount --bind {place} {place}; mount -o remount,bind,ro /; mount -o remount,bind,rw {place}; "
                                  f"! touch /var/tmp/written 2>/dev/null; exec {words}",
            "no rights": "exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set=-all "
                         f"--inh-caps=-all {words}",
            "a namespace of an ordinary user": f"exec setpriv --reuid 65534 --regid 65534 --clear-groups unshare --user "
                                               f"--map-root-user {words}"}.items():
        said, events = recorded(place, [*ALONE, script])
        check(events > 100 and "without the descriptor ledger" not in said, f"{name}: {events} events, and {said}")


def check_gvisor(place):
    """In gVisor, if it is installed: a kernel written anew. What is written there is gone at its end."""
    gvisor = shutil.which("runsc")
    if not gvisor or os.geteuid() != 0:
        return "gVisor's runsc is not installed, or is no superuser's here"
    script = f"{' '.join(record(place))} >&2; {' '.join(map(str, REPORT))} {place}/t.ctrace"
    done = ended([gvisor, "--network=none", "--ignore-cgroups", "do", "--", "sh", "-c", script])
    events = events_of("gVisor", done.stdout)
    processes = json.loads(done.stdout)["processes"]
    check(events > 100 and "without" not in done.stderr, f"in gVisor: {events} events, and {done.stderr}")
    check(len(processes) == 1, f"in gVisor: {processes}")
    return None


def main():
    if os.uname().machine != "x86_64":
        skip("the numbers of system calls are those of x86-64")
    with folder() as name:
        place = pathlib.Path(name)
        os.chmod(place, 0o777)
        check_filters(place)
        check_memory()
        if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
            skip("namespaces take the superuser; filters were tried")
        check_places(place)
        lacking = check_gvisor(place)
        if lacking:
            print(lacking)


if __name__ == "__main__":
    main()
