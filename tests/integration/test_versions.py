# SPDX-License-Identifier: MIT
"""Tests what docs/versions.md promises: traces that were written by earlier versions of the program are read, and give the
findings that they gave; a probe of a later protocol is turned away with a sentence, and its program runs on.

tests/versions has the traces: one for each form of each version of the file. In all of them the same server lost five of
six readers. file-1-first.ctrace was written by the first program that wrote trace files.
"""
import json
import pathlib
import shutil

from support import COROTRACER, SOURCE, check, folder, run

TITLE = ("5 of 6 coroutines wait for descriptors that were closed under them at Reactor::on_hangup, examples/scheduler/reactor.cpp:200; "
         "they wait at co_await AsyncRead in Server::serve, examples/tcp-server/server.cpp:205")
EVENTS = {"file-1-first": 410, "file-1": None, "file-1-packed": None}
LATER = """
#include <corotracer/ctp_probe.h>
#include <stdio.h>
int main(void)
{
	ctp_attach();
	uint64_t coro = ctp_coro_new();
	ctp_create(coro, 0, CTP_SITE("start"));
	puts("the program ran to its end");
	return 7;
}
"""


def check_traces():
    traces = sorted((SOURCE / "tests/versions").glob("*.ctrace"))
    check({trace.stem for trace in traces} == set(EVENTS), f"tests/versions has {traces}")
    for trace in traces:
        run(COROTRACER, "verify", trace)
        report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
        findings = [(finding["rule"], finding["grade"], finding["title"]) for finding in report["findings"]]
        check(findings == [("waits-on-closed-descriptor", "proven", TITLE)], f"{trace.name}: {findings}")
        check(report["trace"]["is_complete"] and not report["quality"]["lost"], f"{trace.name}: is not whole")
        told = run(COROTRACER, "query", "--format", "csv", trace,
                   "SELECT count(*), (SELECT count(*) FROM coroutines) FROM events").stdout.split()[-1]
        events, coroutines = (int(number) for number in told.split(","))
        check(coroutines == 7 and events == (EVENTS[trace.stem] or events), f"{trace.name}: {events} events, {coroutines} coroutines")


def check_later_probe(place):
    """Compiles a probe whose headers are of a later protocol."""
    shutil.copytree(SOURCE / "include", place / "include")
    header = place / "include/corotracer/ctp.h"
    header.write_text(header.read_text().replace("#define CTP_VERSION 2u", "#define CTP_VERSION 3u"))
    (place / "later.c").write_text(LATER)
    run("cc", "-I", place / "include", "-o", place / "later", place / "later.c", SOURCE / "sdk/c/probe.c",
        SOURCE / "sdk/c/functions.c", "-pthread", "-D_GNU_SOURCE")
    told = run(COROTRACER, "run", "-o", place / "later.ctrace", "--", place / "later", status=7)
    check(told.stdout == "the program ran to its end\n", f"the program said {told.stdout}")
    for said in (told.stderr, run(COROTRACER, "report", place / "later.ctrace", status=None).stdout):
        words = " ".join(said.split())
        check("speaks version 3 of the protocol" in words and "versions 1 to 2" in words and "this corotracer's headers" in words,
              f"another version is not told: {said}")
    check("ledger" in told.stderr or "descriptor" in told.stderr, f"the ledger is not told: {told.stderr}")


def main():
    check_traces()
    with folder() as name:
        check_later_probe(pathlib.Path(name))


if __name__ == "__main__":
    main()
