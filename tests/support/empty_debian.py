# SPDX-License-Identifier: MIT
"""An empty Debian 12 in a folder, for tests of what a newcomer does: Debian's smallest system, and what the test puts
there. Making one takes root, debootstrap and Debian's archive."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
               **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}}
NAME = pathlib.Path(sys.argv[0]).name  # of the test, in what it says
# A process tree and mounts of its own, which end with the command.
ALONE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
ENTER = (*ALONE, "sh", "-c", 'mount -t proc proc "$1/proc" && root=$1 && shift && exec chroot "$root" "$@"', "sh")


class Failed(Exception):
    """A step does not do in an empty system what README says."""


class Skipped(Exception):
    """No empty system can be made here."""


def check(condition, sentence, told=""):
    """Shows the output if the condition does not hold."""
    if not condition:
        print(told, file=sys.stderr)
        raise Failed(sentence)


class System:
    """An empty Debian in a folder."""

    def __init__(self, folder, mirror):
        self.folder = pathlib.Path(folder)
        made = subprocess.run([*ALONE, "debootstrap", "--variant=minbase", "bookworm", folder, *mirror], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            raise Skipped(f"debootstrap made no system: {made.stdout.strip().rpartition(chr(10))[2]}")
        self.folder.chmod(0o755)  # readable for ordinary users, too
        self.seconds = 0  # the duration of the last command

    def run(self, command):
        """Returns what the command prints. Fails if the command fails."""
        print(f"{NAME}: {command}", file=sys.stderr, flush=True)
        begin = time.monotonic()
        done = subprocess.run([*ENTER, self.folder, "sh", "-ec", f"cd /project\n{command}"], env=ENVIRONMENT, check=False,
                              text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        check(done.returncode == 0, f"'{command}' ended with {done.returncode}", done.stdout)
        self.seconds = time.monotonic() - begin
        print(f"{NAME}: ... {self.seconds:.0f} s", file=sys.stderr, flush=True)
        return done.stdout

    def size(self):
        """Returns the number of installed packages, and the megabytes on the disk without the project, including the
        packages that apt keeps."""
        told = self.run("dpkg-query -W | wc -l; du -sx --block-size=MB --exclude=/project /")
        return [int(number) for number in re.findall(r"^\d+", told, re.MULTILINE)]


def run_test(test):
    """Runs a test, and ends the program: with 77 and the reason if no empty system can be made here."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        if os.geteuid() != 0 or not shutil.which("debootstrap") or not shutil.which("git"):
            raise Skipped("an empty Debian takes root, debootstrap and git")
        if subprocess.run([*ALONE, "true"], check=False).returncode:
            raise Skipped("mounts and processes of its own are refused")
        test()
    except Skipped as reason:
        print(f"{NAME}: skipped: {reason}", file=sys.stderr)
        sys.exit(77)
    except Failed as reason:
        print(f"{NAME}: failed: {reason}", file=sys.stderr)
        sys.exit(1)
