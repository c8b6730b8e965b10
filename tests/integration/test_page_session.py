# SPDX-License-Identifier: MIT
"""Records a session in the served page, and sends its requests again to the reader in the page that is a single file:
the answers are the same, byte for byte.

Every request that the page's screens make on a tour is recorded with its answer. The file's own reader and its own
trace are extracted, so that only the file answers; this trace is served, too. The trace of which the file was made has
the same report, except for its clock (times in the file have been converted to nanoseconds already) and the number of
generations (a recording on a busy machine begins a new one now and then).
"""
import base64
import gzip
import json
import pathlib
import re
import shutil
import subprocess

import tour
from browser import Page, open_browser
from served import Server, judged
from support import BUILD, COROTRACER, SOURCE, check, folder, run, skip
from test_serve import trace_in

VIEW = "/api/v1/view/"
LEAK = BUILD / "tests/workloads/example-sync-fault-m"


def part_of(page, name):
    """Returns what the page holds under this id."""
    found = re.search(rf'<template id="{name}">([^<]*)</template>', page)
    check(found, f"the page has no {name}")
    return gzip.decompress(base64.b64decode(found[1]))


def session(browser, server):
    """Returns {request: (status, body)} of all requests of the page to the view."""
    answers = []
    with Page(browser, server) as it:
        it.page.on("requestfinished", lambda request: answers.append(request) if VIEW in request.url else None)
        it.page.goto(f"http://localhost:{server.port}/")
        it.page.wait_for_selector("main.findings h2:visible")
        tour.take(it)
        told = {}
        for request in answers:
            answer = request.response()
            line = request.url.split(VIEW, 1)[1]
            body = answer.body()
            check(told.setdefault(line, (answer.status, body)) == (answer.status, body), f"{line} was answered in two ways")
        it.quiet()
    return told


def answers(lines, reader, trace):
    """Returns (status, bytes) of each line."""
    said = subprocess.run(["node", SOURCE / "tests/integration/reader.mjs", reader, trace], input="\n".join(lines).encode() + b"\n",
                          stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for _ in lines:
        head = re.compile(rb"(-?\d+) (\d+)\n").match(said, at)
        check(head, f"no answer at byte {at}")
        at = head.end() + int(head[2])
        yield int(head[1]), said[head.end():at]
    check(at == len(said), "there is more than was asked for")


def compare(told, reader, trace):
    """Returns how many of the requests had an answer, and how many a refusal."""
    nr_refused = 0
    for (line, (status, body)), (refused, other) in zip(told.items(), answers(list(told), reader, trace)):
        if status == 200:
            check(not refused and other == body, f"{line}: {len(body)} bytes served, {len(other)} in the file ({refused})")
        else:
            nr_refused += 1
            check(refused and json.loads(body)["error"] == other.decode(), f"{line}: {body} served, {other} in the file")
    return len(told) - nr_refused, nr_refused


def check_same_report(trace, held):
    told = [json.loads(run(COROTRACER, "report", "-f", "json", path).stdout) for path in (trace, held)]
    for report in told:
        del report["trace"]["clock"], report["trace"]["clock_hz"], report["trace"]["last_generation"], report["quality"]["clock"]
    differ = [f"{part}: {told[0][part]} and {told[1].get(part)}"[:600] for part in told[0] if told[0][part] != told[1].get(part)]
    check(told[0] == told[1], f"what the file holds is judged in another way: {differ}")


def check_first(told, page):
    """The answers that the file holds are the answers of the server."""
    found = re.findall(r'<script type="text/plain" data-request="([^"]*)">([^<]*)</script>', page)
    lines = [line.replace("&amp;", "&") for line, _ in found]
    check({line.split("?")[0] for line in lines} == {"report", "select", "style", "overview", "facts", "picture"}, f"the file has answers to {lines}")
    for line, (_, packed) in zip(lines, found):
        if line.startswith(("facts", "picture")) and line not in told:
            continue  # only the facts and pictures of findings that were opened were requested
        check(told[line][1] == gzip.decompress(base64.b64decode(packed)),
              f"the file answers {line} in another way")


def check_session(browser, place, trace):
    page, reader, held = place / "page.html", place / "reader.wasm", place / "held.ctrace"
    run(COROTRACER, "report", "--format", "page", "-o", page, trace)
    text = page.read_text()
    reader.write_bytes(part_of(text, "reader"))
    held.write_bytes(part_of(text, "trace"))
    check_same_report(trace, held)
    server = Server("serve", "--listen", ":0", held)
    judged(server)
    told = session(browser, server)
    server.stop()
    names = {line.split("?")[0] for line in told}
    check({"report", "select", "lanes", "overview", "why"} <= names, f"the tour asked for {names} alone")
    check_first(told, text)
    nr_answered, nr_refused = compare(told, reader, held)
    print(f"{trace}: {nr_answered} answers and {nr_refused} refusals are the same, of {sorted(names)}")
    check(nr_answered > 50, f"only {nr_answered} requests were answered")


def main():
    if not (BUILD / "wasm/reader.wasm").exists() or not shutil.which("node"):
        skip("this build has no pages (-Dpage), or there is no node")
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name)
        trace = place / "leak.ctrace" if LEAK.exists() else trace_in(name)
        if LEAK.exists():
            run(COROTRACER, "run", "-o", trace, "--", LEAK)
        check_session(browser, place, trace)


if __name__ == "__main__":
    main()
