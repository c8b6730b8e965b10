# SPDX-License-Identifier: MIT
"""Tests `attach` with an address: a server in Go with net/http/pprof sends its trace, which is kept as it came and then
judged. What a server that dies, the limit, or an interruption leaves is kept and reported; an answer that is not a
trace is refused in one sentence."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess

import environment
from support import COROTRACER, SOURCE, check, folder, run, skip

CUT = 5  # status where only a part of a trace could be read
LOCAL = {**os.environ, "no_proxy": "127.0.0.1,localhost", "NO_PROXY": "127.0.0.1,localhost"}


def build(scratch):
    environment.require_go()
    target = scratch / "server"
    result = subprocess.run(["go", "build", "-o", target, "."], cwd=SOURCE / "tests/go/server", capture_output=True,
                            text=True, check=False, env={**os.environ, "GOFLAGS": "-buildvcs=false"})
    check(result.returncode == 0, f"the server cannot be built: {result.stderr}")
    return target


@contextlib.contextmanager
def served(binary, **environment):
    """Starts a server; returns its address. Generations are short, so that a short time contains several."""
    server = subprocess.Popen([binary], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env={**LOCAL, "GODEBUG": "traceadvanceperiod=20000000", **environment})
    try:
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def attach(*words, status=0):
    return run(COROTRACER, "attach", *words, status=status, env=LOCAL)


def check_whole(address, scratch):
    path = scratch / "whole.trace"
    result = attach("--duration", "300ms", "-o", path, address)
    check(path.read_bytes().startswith(b"go 1."), "what was kept is no trace of Go")
    check(re.search(r"\d events, 0 lost, \d+ coroutines, .*; trace in \S+whole.trace ", result.stderr), result.stderr)
    report = run(COROTRACER, "report", path).stdout
    check("0 lost, recorded to the end" in report, report)
    span = float(re.search(r"observed for ([0-9.]+) ms", report)[1])
    check(300 <= span, f"300 ms were asked for, and {span} ms observed")
    told = attach("--report", "-o", path, f"{address}/debug/pprof/trace?seconds=0.1").stdout
    check("Data quality" in told, told)
    piped = subprocess.run([COROTRACER, "attach", "-o", "-", f"{address}/debug/pprof/trace?seconds=0.1"], env=LOCAL,
                           check=True, capture_output=True, timeout=60)
    check(piped.stdout.startswith(b"go 1."), "standard output has no trace")


def check_kept(path, sentence, result):
    check(re.search(sentence, result.stderr), result.stderr)
    check(not list(path.parent.glob("*.partial")), "an unfinished file is left")
    done = run(COROTRACER, "report", path, status=None)
    said = " ".join(done.stdout.split())
    check("its end is missing" in said, said)
    # What came may end between two batches: then nothing that was begun is missing, only the rest.
    check(("bytes are not used" if done.returncode == CUT else "the trace ends without trace.Stop") in said, said)


def has_generation(path):
    """If the server gets little time, its first generation grows by what is traced meanwhile."""
    return bool(run(COROTRACER, "report", path, status=None).stdout)


def check_limit(address, scratch):
    path = scratch / "limited.trace"
    for mebibytes in (2, 8, 32):
        result = attach("--duration", "10min", "--limit", f"{mebibytes}MiB", "-o", path, address)
        check(path.stat().st_size == mebibytes << 20, f"{path.stat().st_size} bytes were taken")
        if has_generation(path):
            break
    check_kept(path, r"the trace is longer than [0-9.]+ MB \(--limit\): what came before is kept", result)


def check_interrupted(address, scratch):
    path = scratch / "interrupted.trace"
    with subprocess.Popen([COROTRACER, "attach", "--duration", "10min", "-o", path, address], env=LOCAL, text=True,
                          stderr=subprocess.PIPE) as attached:
        partial = pathlib.Path(f"{path}.partial")
        while not partial.exists() or partial.stat().st_size < 2_000_000 or not has_generation(partial):
            check(attached.poll() is None, "attach has ended")
        attached.send_signal(signal.SIGINT)
        said = attached.communicate(timeout=60)[1]
    check(attached.returncode == 0, f"{attached.returncode} {said}")
    check_kept(path, "interrupted: the [0-9.]+ [kM]B that had come are kept", subprocess.CompletedProcess([], 0, "", said))


def check_dying(address, scratch):
    path = scratch / "died.trace"
    result = attach("-o", path, f"{address}/dies", status=3)
    check(re.search(r"the connection ended before the trace did \(.*\): the [0-9.]+ kB that had come are kept", result.stderr),
          result.stderr)
    check(path.stat().st_size > 50_000, "what came was not kept")


def check_refused(address, scratch):
    path = scratch / "kept.trace"
    path.write_text("as it was")
    for operand, status, sentence in (
            (f"{address}/missing", 4, "the answer is 404: 404 page not found"),
            (f"{address}/debug/pprof/", 5, "the answer, which is called text/html; charset=utf-8 is no execution trace of Go"),
            (f"{address}/debug/pprof/heap", 5, "is no execution trace of Go"),
            (f"{address.replace('//', '//name:secret@')}/missing", 4, "404"),
            ("http://127.0.0.1:1/", 3, "connect"),
            ("http://", 2, "this is no address"),
            (f"{address}/debug/pprof/trace?seconds=1", 2, "the address says 'seconds=' already")):
        words = ["--duration", "1s"] if status == 2 else []
        said = attach(*words, "-o", path, operand, status=status).stderr
        check(sentence in said and said.count("\n") == 1 and "secret" not in said, f"{operand}: {said}")
        check(path.read_text() == "as it was", f"{operand}: the output was touched")
    said = attach("--flight", "10s", "-o", path, address, status=2).stderr
    check("'--flight' goes with a process" in said, said)
    said = attach("--limit", "1MiB", "1", status=2).stderr
    check("'--limit' goes with an address" in said, said)


def check_certificate(binary, scratch):
    with served(binary, TLS="1") as address:
        said = attach("-o", scratch / "secure.trace", address, status=3).stderr
        check("certificate" in said and said.count("\n") == 1, said)


def main():
    with folder() as name:
        scratch = pathlib.Path(name)
        binary = build(scratch)
        with served(binary) as address:
            if "without libcurl" in attach("-o", scratch / "whole.trace", address, status=None).stderr:
                skip("this build has no libcurl")
            check_whole(address, scratch)
            check_limit(address, scratch)
            check_interrupted(address, scratch)
            check_refused(address, scratch)
            check_dying(address, scratch)
        check_certificate(binary, scratch)


main()
