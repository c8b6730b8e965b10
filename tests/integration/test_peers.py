# SPDX-License-Identifier: MIT
"""Tests which probes are accepted, and how long their memory is kept: programs that exec, and foreign processes."""
import os
import re
import shutil
import subprocess
import sys

from support import BUILD, COROTRACER, check, folder, run

NOBODY = 65534


def test_images(place):
    """A process that becomes one program after the other: each program is recorded, and none keeps resources."""
    done = run(COROTRACER, "run", "-o", place + "/chain.ctrace", "--", BUILD / "tests/targets/exec_chain", 300)
    check("turned away" not in done.stderr and " 0 lost" in done.stderr, done.stderr)
    dump = run(COROTRACER, "dump", "--no-symbols", place + "/chain.ctrace").stdout
    told = [int(value) for value in re.findall(r" counter (\d+) ", dump)]
    check(told == list(range(300, 0, -1)), f"{len(told)} programs told of themselves: {told[:5]} ...")


def target_of(place):
    """Copies a program to a place where another user may enter: the build may lie elsewhere."""
    os.chmod(place, 0o755)
    return shutil.copy(BUILD / "tests/targets/lock_circle", place)


def may_others_run_it(place):
    return os.geteuid() == 0 and subprocess.run([target_of(place)], user=NOBODY, input="", capture_output=True, text=True, check=False,
                                                env=dict(os.environ, COROTRACER_FLIGHT=",1M")).returncode == 0


def run_beside(place, options, user):
    """A recording by the superuser, and a program of another user that knows its socket."""
    engine = subprocess.Popen([COROTRACER, "run", "-o", place + "/peers.ctrace", *options, "--", "sh", "-c",
                               'echo "$COROTRACER_SOCKET"; read line'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    name = engine.stdout.readline().strip()
    stranger = subprocess.Popen([target_of(place)], user=user, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                env=dict(os.environ, COROTRACER_SOCKET=name))
    check(stranger.stdout.readline() == "ready\n", "the stranger cannot run")
    said = engine.communicate("\n", timeout=60)[1]
    stranger.communicate(timeout=60)
    return said


def test_strangers(place):
    said = run_beside(place, [], NOBODY)
    check("does not descend from the program" in said and said.startswith("corotracer: ") and " 0 coroutines" in said,
          said)
    check(" 2 coroutines" in run_beside(place, ["--peers", "all"], NOBODY), "all are not taken in")
    check(" 2 coroutines" in run_beside(place, [], 0), "a program of the same user is not taken in")


def test_descendants(place):
    """A process of another user that the target started is accepted. The test ends once that shows."""
    engine = subprocess.Popen([COROTRACER, "run", "--flight", "5s", "--on", "live_coroutines > 1", "-o", place + "/d",
                               "--", "sh", "-c", f"setpriv --reuid {NOBODY} --clear-groups {target_of(place)}; exit 7"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not os.path.exists(place + "/d.1"):
        check(engine.poll() is None, "the engine has ended")
    said = engine.communicate("", timeout=60)[1]
    check(engine.returncode == 7 and "turned away" not in said, said)


def main():
    with folder() as place:
        test_images(place)
        if may_others_run_it(place):
            test_strangers(place)
            test_descendants(place)


if __name__ == "__main__":
    sys.exit(main())
