# SPDX-License-Identifier: MIT
"""Tests the server with real clients: what it answers (H-11 to H-16), whom it refuses (H-5 to H-7), what bounds it (H-8
to H-10)."""
import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import time

from served import Reader, Server, judged
from support import COROTRACER, SOURCE, check, folder, run, turn

CASE = SOURCE / "tests/cases/0001-closed-under-waiters.case"


def trace_in(place):
    text = re.search(r"^--- trace\n(.*?)^--- ", CASE.read_text(), re.MULTILINE | re.DOTALL)[1]
    pathlib.Path(place, "case.txt").write_text(text)
    run(COROTRACER, "assemble", "-o", place + "/case.ctrace", place + "/case.txt")
    return place + "/case.ctrace"


def check_answers(server, trace):
    """The server's answers agree with what commands print: H-11, H-12, H-13, H-15, H-16."""
    state = judged(server)
    check(state["path"] == trace and "recording" not in state and "trouble" not in state, f"{state}")
    report = run(COROTRACER, "report", "--format", "json", trace).stdout
    status, headers, body = server.ask("/api/v1/report")
    check(status == 200 and body.decode() == report, "the report is not the one that is printed")
    check(headers["Content-Type"] == "application/json", f"{headers}")
    findings = server.tell("/api/v1/findings")
    titles = [finding["title"] for finding in json.loads(report)["findings"]]
    check([finding["title"] for finding in findings["findings"]] == titles, f"{findings}")
    check(findings["nr_findings"] == len(titles) == 1 and findings["findings"][0]["grade"] == "proven", f"{findings}")
    status, headers, body = server.ask("/api/v1/trace")
    check(body == pathlib.Path(trace).read_bytes() and "case.ctrace" in headers["Content-Disposition"], "another trace")
    for path in ("/", "/page.js", "/page.css", "/api/v1/state", "/nothing", "/../etc/passwd", "/api/v1/nothing"):
        status, headers, body = server.ask(path)
        check(status == (404 if "nothing" in path or ".." in path else 200), f"{path}: {status}")
        policy = headers["Content-Security-Policy"]
        check("default-src 'none'" in policy and "'unsafe-inline'" not in policy, f"{path}: {policy}")
        check(headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store", path)
        check("Access-Control-Allow-Origin" not in headers, path)
    nothing = json.loads(server.ask("/nothing")[2])["error"]
    check("the page is at '/'" in nothing and "/api/v1/" in nothing, nothing)
    status, _, body = server.ask("/", method="HEAD")
    check(status == 200 and not body, "HEAD has a body")
    page = server.ask("/")[2].decode()
    check(not re.search(r"<script(?![^>]*\bsrc=)|\bon\w+=|style=", page), "the page has something inline")


def check_refusals(server):
    """A foreign page's request, recognised by any of its signs, is refused in words and never answered: H-1, H-2, H-5,
    H-6."""
    for headers, wanted in (({"Host": "evil.example"}, 421), ({"Host": f"evil.example:{server.port}"}, 421),
                            ({"Host": f"localhost.evil.example:{server.port}"}, 421), ({"Host": None}, 421),
                            ({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403),
                            ({"Origin": f"http://localhost:{server.port + 1}"}, 403),
                            ({"Sec_Fetch_Site": "cross-site"}, 403), ({"Sec_Fetch_Site": "same-site"}, 403),
                            ({"Origin": f"http://localhost:{server.port}", "Sec_Fetch_Site": "same-origin"}, 200),
                            ({"Host": f"127.0.0.1:{server.port}"}, 200), ({"Host": "[::1]:1"}, 200)):
        if headers == {"Host": None}:
            status = raw(server, b"GET /api/v1/state HTTP/1.0\r\n\r\n")[0]
        else:
            status, answered, body = server.ask("/api/v1/state", **headers)
            check(status == 200 or (len(json.loads(body)["error"]) > 10 and answered["Connection"] == "close"), f"{body}")
        check(status == wanted, f"{headers}: {status}, not {wanted}")
    check(server.ask("/api/v1/state", method="POST", body="")[0] == 405, "a state was posted")
    check(server.ask("/", method="DELETE")[0] == 405, "the page was deleted")
    status, headers, body = server.ask("/<b>", Accept="text/html", Host="evil.example")
    check(status == 421 and headers["Content-Type"].startswith("text/html") and b"<h1>" in body, "no page says so")


def raw(server, sent):
    """Returns (status, everything) that one connection receives until it is closed."""
    with server.connect() as client:
        client.sendall(sent)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while part := client.recv(65536):
                answer += part
    return int(answer.split(b" ", 2)[1]) if answer else 0, answer


def check_bounds(server):
    """Too much, or not HTTP at all: the server refuses or closes the connection, and goes on: H-8."""
    host = f"Host: localhost:{server.port}\r\n".encode()
    status = server.ask("/api/v1/state", method="POST", body="x" * 5000)[0]
    check(status == 413, f"a body of 5000 bytes: {status}")
    for sent in (b"GET / HTTP/1.1\r\n" + host + b"A: " + b"x" * 100000 + b"\r\n\r\n",
                 b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\n" + host + b"\r\n",
                 b"\x16\x03\x01\x02\x00\x01" * 20 + b"\r\n\r\n",
                 b"GET / HTTP/1.1\r\n" + host + b"Content-Length: -1\r\n\r\n",
                 b"POST /api/v1/state HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"):
        status, _ = raw(server, sent)
        check(status == 0 or 400 <= status < 600, f"{sent[:40]}: {status}")
    check(server.ask("/")[0] == 200, "the server has gone")


def check_pipelining(server):
    """Requests that are sent before the answers of earlier ones: H-3."""
    request = "GET {} HTTP/1.1\r\nHost: localhost:{}\r\n{}\r\n"
    sent = "".join(request.format(path, server.port, "") for path in ("/page.css", "/api/v1/state", "/page.js"))
    sent += request.format("/", server.port, "Connection: close\r\n")
    answer = raw(server, sent.encode())[1]
    types = re.findall(rb"Content-Type: ([\w/]+)", answer)
    check(types == [b"text/css", b"application/json", b"text/javascript", b"text/html"], f"{types}")


def check_readers(server):
    """The first event of each kind comes at once; sixteen clients may read, one more is refused with a reason: H-10,
    H-14."""
    readers = [Reader(server) for _ in range(16)]
    for reader in readers:
        check({reader.next()[0], reader.next()[0]} == {"state", "findings"}, "the first events are others")
    late = Reader(server)
    check(late.status == 503 and b"16" in late.answer.read(), "a seventeenth reader")
    for reader in (*readers, late):
        reader.close()
    # The server notices that readers are gone when it sends them the next event.
    while True:
        reader = Reader(server)
        status = reader.status
        reader.close()
        if status == 200:
            return


def check_late(server):
    """
    Connections that send nothing, or a byte now and then, are closed, and delay nobody else meanwhile: H-9.
    """
    begun = time.monotonic()
    idle = [server.connect() for _ in range(15)]
    drip = server.connect()
    drip.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nA: ")
    check(server.ask("/api/v1/state")[0] == 200, "others are held up")
    is_open = True
    while is_open:
        # The loop waits for the end; each time-out of select sends the next byte.
        if select.select([drip], [], [], 0.5)[0]:
            with contextlib.suppress(ConnectionResetError):
                is_open = bool(drip.recv(100))
                continue
            is_open = False
        else:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                drip.sendall(b"x")
    check(time.monotonic() - begun > 9, "a slow request is not waited for")
    for client in idle:
        with contextlib.suppress(ConnectionResetError):
            check(client.recv(100) == b"", "a connection that says nothing is answered")
        client.close()
    drip.close()


def check_ports(trace):
    """If a port is taken: the next one if none was asked for, otherwise a sentence: H-4."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = run(COROTRACER, "serve", "--listen", f":{port}", trace, status=3)
        check(f"cannot listen on port {port}" in refused.stderr and len(refused.stderr.splitlines()) == 1, refused.stderr)
    with turn("port-8080"):
        first = Server("serve", trace)
        second = Server("serve", trace)
        check(8080 <= first.port < second.port < 8180 and "port 8080 is taken" in second.said, second.said)
        for server in (first, second):
            check(server.stop()[0] == 0, "an orderly end is a failure")
    run(COROTRACER, "serve", "--listen", "localhost:x", trace, status=2)
    run(COROTRACER, "serve", "--listen", "[::1", trace, status=2)


def check_others(trace):
    """An address that others can reach: nothing below /api without the token: H-7."""
    server = Server("serve", "--listen", "0.0.0.0:0", trace)
    check("other machines can connect" in server.said, server.said)
    check(server.ask("/")[0] == 200 and server.ask("/api/v1/state")[0] == 403, "no token is asked for")
    check(server.ask("/api/v1/state", X_Corotracer_Token="0" * 32)[0] == 403, "any token will do")
    check(server.ask("/api/v1/state", X_Corotracer_Token=server.token)[0] == 200, "the token will not do")
    check(server.ask(f"/api/v1/state?token={server.token}")[0] == 200, "the token will not do in the address")
    server.stop()


def check_growing(place, trace):
    """The file of a recording that does not exist yet: judged when there is something, and again when it is
    complete."""
    whole = pathlib.Path(trace).read_bytes()
    grows = pathlib.Path(place, "grows.ctrace")
    partial = pathlib.Path(place, "grows.ctrace.partial")
    partial.write_bytes(whole[: len(whole) // 2])
    server = Server("serve", "--listen", ":0", grows)
    server.tell("/api/v1/state")
    partial.write_bytes(whole)
    reader = Reader(server)
    while True:
        name, data = reader.next()
        if name == "findings" and data["nr_findings"] == 1:
            break
    before = data["generation"]
    partial.rename(grows)
    os.utime(grows)
    while data.get("generation") == before:
        data = reader.next()[1]
    server.process.send_signal(signal.SIGINT)
    last = None
    while event := reader.next():
        last = event
    check(last == ("end", {}), f"the last event is {last}")
    check(server.process.wait(timeout=60) == 0, "it did not end well")


def check_told_at_once(place, trace):
    """The state, whose number makes a page ask for a judgement, comes with the judgement: H-14."""
    copy = pathlib.Path(shutil.copy(trace, place + "/judged-again.ctrace"))
    server = Server("serve", "--listen", ":0", copy)
    reader, state = Reader(server), {"generation": 0}
    for round_ in range(1, 7):
        name, data = reader.next()
        while name != "findings" or data["generation"] < round_:
            state = data if name == "state" else state
            name, data = reader.next()
        check(state["generation"] == data["generation"], f"the state is of {state['generation']}, the findings of {data['generation']}")
        os.utime(copy, (round_, round_))
    server.stop()
    copy.unlink()


def check_operands(place, trace):
    """A file that is not a trace is reported before anything is served; of a folder the newest trace is served."""
    check("no such file" in run(COROTRACER, "serve", place + "/none.ctrace", status=4).stderr.lower(), "a missing file")
    pathlib.Path(place, "no.ctrace").write_text("no trace")
    os.utime(place + "/no.ctrace", (1, 1))
    run(COROTRACER, "serve", place + "/no.ctrace", status=5)
    run(COROTRACER, "serve", status=2)
    run(COROTRACER, "serve", "-", status=2)
    server = Server("serve", "--listen", ":0", place)
    check(judged(server)["path"] == trace, server.said)
    server.stop()


def check_damaged(place, trace):
    """Damage is reported before the address, because the server runs until the user ends it; the exit status shows it,
    too."""
    cut = pathlib.Path(place, "cut.ctrace")
    cut.write_bytes(pathlib.Path(trace).read_bytes()[:-10])
    server = Server("serve", "--listen", ":0", cut)
    status, said = server.stop()
    check(status == 5 and said.count("was cut short or is damaged") == 1, f"{status} {said}")
    check(said.index("was cut short") < said.index("the page is at"), said)
    cut.unlink()


def main():
    with folder() as place:
        trace = trace_in(place)
        server = Server("serve", "--listen", ":0", trace)
        check_answers(server, trace)
        check_refusals(server)
        check_bounds(server)
        check_pipelining(server)
        check_readers(server)
        check_late(server)
        check(server.stop()[0] == 0, "an orderly end is a failure")
        check_operands(place, trace)
        check_ports(trace)
        check_others(trace)
        check_damaged(place, trace)
        check_growing(place, trace)
        check_told_at_once(place, trace)


if __name__ == "__main__":
    main()
