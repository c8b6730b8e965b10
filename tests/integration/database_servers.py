# SPDX-License-Identifier: MIT
"""Database servers that the test starts: in a temporary folder, by a user without rights, on a free port of this
machine."""
import contextlib
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import time

NOBODY = "nobody"


def find(program):
    """Returns the newest version of a program, wherever Debian keeps it; None: not installed."""
    places = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), reverse=True)
    return str(places[0]) if places else shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def as_user():
    """Servers refuse to run as the superuser."""
    return {"user": NOBODY, "group": pwd.getpwnam(NOBODY).pw_gid, "extra_groups": []} if os.getuid() == 0 else {}


def do(*words, **options):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=120, **options)
    if result.returncode:
        raise RuntimeError(f"{words[0]}: {result.stderr or result.stdout}")
    return result.stdout


def give(folder):
    folder.mkdir()
    if os.getuid() == 0:
        shutil.chown(folder, NOBODY)
    for one in folder.parents:
        if str(one).startswith("/tmp/"):
            one.chmod(0o755)
    return folder


class PostgreSQL:
    def __init__(self, place):
        self.place, self.port = give(place), free_port()
        self.data = self.place / "data"
        do(find("initdb"), "-D", self.data, "-U", "tester", "-A", "trust", "--no-sync", "--no-instructions", "-E", "UTF8",
           "--locale", "C", cwd="/", **as_user())
        with open(self.data / "pg_hba.conf", "w", encoding="utf-8") as rules:
            rules.write("local all all trust\nhost all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n")
        self.start()

    def control(self, what):
        do(find("pg_ctl"), "-D", self.data, "-w", "-t", "60", "-m", "fast", "-l", self.place / "log", "-o",
           f"-k {self.place} -p {self.port} -c listen_addresses=127.0.0.1 -c fsync=off", what, cwd="/", **as_user())

    def start(self):
        self.control("start")

    def ask(self, sql, database="coro_tracer"):
        return do(find("psql"), "-X", "-At", "-h", self.place, "-p", self.port, "-U", "tester", "-d", database, "-c", sql).strip()

    def address(self, user="tester", database="coro_tracer", more=""):
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}{more}"


class MariaDB:
    def __init__(self, place):
        self.place, self.port = give(place), free_port()
        self.socket = self.place / "socket"
        do(find("mariadb-install-db"), "--no-defaults", f"--datadir={self.place / 'data'}", "--skip-test-db",
           "--auth-root-authentication-method=normal", cwd="/", **as_user())
        self.start()

    def start(self):
        self.server = subprocess.Popen(
            [find("mariadbd"), "--no-defaults", f"--datadir={self.place / 'data'}", f"--socket={self.socket}",
             f"--port={self.port}", "--bind-address=127.0.0.1", f"--pid-file={self.place / 'pid'}", "--skip-name-resolve",
             "--innodb-flush-log-at-trx-commit=0", "--innodb-log-file-size=16M", f"--tmpdir={self.place}"],
            cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **as_user())
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.server.poll() is None:
            with contextlib.suppress(RuntimeError):
                self.ask("SELECT 1", "mysql")
                return
            time.sleep(0.05)
        raise RuntimeError("mariadbd does not answer")

    def control(self, what):
        self.server.terminate()
        self.server.wait(60)
        if what == "restart":
            self.start()

    def ask(self, sql, database="coro_tracer"):
        return do(find("mariadb"), "--no-defaults", "-N", "-B", f"--socket={self.socket}", "-u", "root", database, "-e", sql).strip()

    def address(self, user="root", database="coro_tracer", more=""):
        return f"mysql://{user}@127.0.0.1:{self.port}/{database}{more}"


@contextlib.contextmanager
def server(kind, place):
    one = kind(place)
    try:
        yield one
    finally:
        one.control("stop")
