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
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# What asks registries over TLS believes whom this machine believes.
CERTIFICATES = pathlib.Path(os.environ.get("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt"))
PLACE_OF_CERTIFICATES = "etc/certificates-of-the-machine.crt"
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
               **{name: f"/{PLACE_OF_CERTIFICATES}" for name in ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CARGO_HTTP_CAINFO")
                  if CERTIFICATES.exists()},
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


def clone(folder):
    """Clones the repository's last commit, whoever owns it, so that files installed or built here are not copied."""
    with tempfile.NamedTemporaryFile("w", suffix=".gitconfig") as settings:
        settings.write("[safe]\n\tdirectory = *\n")
        settings.flush()
        told = [subprocess.run(["git", *words], capture_output=True, text=True, check=False,
                               env={**os.environ, "GIT_CONFIG_GLOBAL": settings.name})
                for words in (("-C", ROOT, "status", "--porcelain"), ("clone", "--quiet", "--no-hardlinks", ROOT, folder))]
    check(told[1].returncode == 0, "the repository cannot be cloned", told[1].stderr)
    if told[0].stdout:
        print(f"{NAME}: what is not committed is not tried", file=sys.stderr)


class System:
    """A Debian in a folder: empty, or a copy of another system, at the same state, without its project. Commands run in
    the folder `project` of the system."""

    def __init__(self, folder, mirror=(), like=None, project="project"):
        self.folder = pathlib.Path(folder)
        self.project = project
        self.environment = dict(ENVIRONMENT)
        self.enter = ENTER
        if like:
            subprocess.run(["cp", "-a", like.folder, self.folder], check=True)
            shutil.rmtree(self.folder / like.project, ignore_errors=True)
        else:
            self.make(mirror)
        (self.folder / project).parent.mkdir(parents=True, exist_ok=True)
        self.seconds = 0  # the duration of the last command

    def make(self, mirror):
        made = subprocess.run([*ALONE, "debootstrap", "--variant=minbase", "bookworm", self.folder, *mirror], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            raise Skipped(f"debootstrap made no system: {made.stdout.strip().rpartition(chr(10))[2]}")
        self.folder.chmod(0o755)  # readable for ordinary users, too
        if CERTIFICATES.exists():
            shutil.copy(CERTIFICATES, self.folder / PLACE_OF_CERTIFICATES)

    def run(self, command):
        """Returns what the command prints. Fails if the command fails."""
        print(f"{NAME}: {command}", file=sys.stderr, flush=True)
        begin = time.monotonic()
        done = subprocess.run([*self.enter, self.folder, "sh", "-ec", f"cd '/{self.project}'\n{command}"], env=self.environment, check=False,
                              text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        check(done.returncode == 0, f"'{command}' ended with {done.returncode}", done.stdout)
        self.seconds = time.monotonic() - begin
        print(f"{NAME}: ... {self.seconds:.0f} s", file=sys.stderr, flush=True)
        return done.stdout

    def size(self):
        """Returns the number of installed packages, and the megabytes on the disk without the project, including the
        packages that apt keeps."""
        told = self.run(f"dpkg-query -W | wc -l; du -sx --block-size=MB --exclude='/{self.project}' /")
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
