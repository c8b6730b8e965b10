# SPDX-License-Identifier: MIT
"""Tests that the program starts without the libraries that only some commands need, and that a command whose library is
not there says so in one sentence, which names the package."""
import os
import pathlib
import pty
import re
import subprocess

from support import COROTRACER, check, folder, run

# What only some commands need: a command, its library, and the package that the sentence names.
ON_DEMAND = [
    (("export", "--format", "postgresql", "-o", "postgresql://nowhere/"), "pq", "corotracer-servers"),
    (("export", "--format", "mysql", "-o", "mysql://nowhere/"), "mariadb", "corotracer-servers"),
    (("export", "--format", "otlp", "-o", "http://127.0.0.1:1/v1/traces"), "curl", "corotracer-servers"),
    (("attach", "http://127.0.0.1:1/debug/pprof/trace"), "curl", "corotracer-servers"),
    (("serve",), "microhttpd", "libmicrohttpd12"),
]
TRACE = """trace from=0 until=2s
process 1 pid=100 program=/bin/app probe
thread 1 tid=101
1ms t1 create c1
2ms t1 suspend c1
"""
MOST_LIBRARIES = 10


def check_start():
    told = run("ldd", COROTRACER).stdout
    linked = re.findall(r"^\s*(\S+) => ", told, re.MULTILINE)
    check(0 < len(linked) <= MOST_LIBRARIES, f"the program starts with {len(linked)} libraries: {told}")
    for _, library, _ in ON_DEMAND:
        check(f"lib{library}.so" not in told, f"the program starts with {library}: {told}")


def on_terminal(command, environment, typed):
    """Returns what a command writes to a terminal on which this was typed."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as started:
        os.close(theirs)
        os.write(ours, typed)
        written = b""
        try:
            while chunk := os.read(ours, 4096):
                written += chunk
        except OSError:  # the terminal's other end was closed
            pass
        os.close(ours)
        started.wait()
    return written.decode(errors="replace")


def main():
    check_start()
    with folder() as name:
        place = pathlib.Path(name)
        (place / "trace.txt").write_text(TRACE)
        for library in ("pq.so.5", "mariadb.so.3", "curl.so.4", "microhttpd.so.12", "edit.so.2", "ncursesw.so.6"):
            (place / f"lib{library}").touch()  # found first, and no library
        environment = {**os.environ, "LD_LIBRARY_PATH": name, "TERM": "xterm"}
        check("nothing" in run(COROTRACER, "report", place / "trace.txt", env=environment).stdout, "no report")
        for command, library, package in ON_DEMAND:
            words = command if command[0] == "attach" else (*command, place / "trace.txt")
            told = run(COROTRACER, *words, env=environment, status=None)
            if "this build is without" in told.stderr or "was built without" in told.stderr:
                continue
            check(told.returncode == 7 and told.stderr.count("\n") == 1 and f"lib{library}.so" in told.stderr
                  and f"the package {package} brings it" in told.stderr, f"{command} says: {told.returncode} {told.stderr}")
        shown = on_terminal([COROTRACER, "top", place / "trace.txt"], environment, b"")
        check("only '--once'" in shown and "libncursesw6" in shown or "was built without" in shown, f"top shows: {shown}")
        shown = on_terminal([COROTRACER, "query", place / "trace.txt"], environment, b"SELECT 20 + 22;\n.quit\n")
        check("42" in shown or "without SQLite" in shown, f"the shell of query shows: {shown}")


if __name__ == "__main__":
    main()
