# SPDX-License-Identifier: MIT
"""Tests the server at its bounds: sizes (H-8), connections and those of one user (H-9), findings (H-12), the form of
every refusal (H-1, H-16), a state that is not known yet (H-2), a token for each start (H-7)."""
import contextlib
import http.client
import json
import pathlib
import select

from served import Reader, Server, judged
from support import COROTRACER, check, folder, run
from test_serve import raw, trace_in

BODY_BYTES = 4096
CONNECTIONS = 64
SOME = 8
FINDINGS = 50
TOKEN = "X-Corotracer-Token"


def check_bodies(server):
    """Up to 4,096 bytes are read, and one more is refused, whether or not the request announces its size."""
    for nr_bytes, wanted in ((BODY_BYTES, 409), (BODY_BYTES + 1, 413)):
        status, answer = server.order("x" * nr_bytes)
        check(status == wanted and answer["error"], f"a body of {nr_bytes} bytes: {status} {answer}")
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as client:
            pieces = (b"x" * min(100, nr_bytes - at) for at in range(0, nr_bytes, 100))
            client.request("POST", "/api/v1/control", body=pieces, encode_chunked=True,
                           headers={"Host": f"localhost:{server.port}", TOKEN: server.token, "Transfer-Encoding": "chunked"})
            answer = client.getresponse()
            check(answer.status == wanted and json.loads(answer.read())["error"], f"{nr_bytes} bytes in pieces: {answer.status}")


def check_headers(server):
    for nr_bytes, is_taken in ((24 << 10, True), (64 << 10, False)):
        host = f"Host: localhost:{server.port}\r\nConnection: close\r\n".encode()
        status = raw(server, b"GET /api/v1/state HTTP/1.1\r\n" + host + b"A: " + b"x" * nr_bytes + b"\r\n\r\n")[0]
        check((status == 200) == is_taken, f"headers of {nr_bytes} bytes: {status}")


def is_open(client):
    """Returns whether nothing was answered on the connection, and it was not closed."""
    return not select.select([client], [], [], 0)[0]


def until_one_closes(clients):
    closed = select.select(clients, [], [], 60)[0]
    check(closed and closed[0].recv(1) == b"", f"something was answered, or none closed: {closed}")


def answered(server, what):
    client = server.connect()
    client.sendall(f"GET /api/v1/state HTTP/1.1\r\nHost: localhost:{server.port}\r\nConnection: close\r\n\r\n".encode())
    check(client.recv(100).startswith(b"HTTP/1.1 200"), f"no answer beside {what}")
    client.close()


def crowd(server, number, begun=b""):
    """Returns this many connections, which have sent these bytes."""
    held = []
    for _ in range(number):
        client = server.connect()
        client.sendall(begun)
        held.append(client)
    return held


def check_connections(server):
    """Connections that send no request, or an incomplete one, delay nobody: the oldest of them are closed. Events go
    on."""
    reader = Reader(server)
    check(reader.next(), "no events")
    for number, begun in ((CONNECTIONS + SOME, b""), (3 * CONNECTIONS, b""), (CONNECTIONS + SOME, b"GET /api/v1/st"), (3 * CONNECTIONS, b"G")):
        held = crowd(server, number, begun)
        answered(server, f"{number} connections that have sent {begun}")
        # Three threads accept them, in any order: the number that stays open is certain, but not which ones.
        nr_open = sum(map(is_open, held))
        check(nr_open >= CONNECTIONS - SOME, f"of {number} that have sent {begun} only {nr_open} are open: more were closed than had to be")
        until_one_closes(held)
        for client in held:
            client.close()
    check(reader.next(), "the events have ended")
    reader.close()


def check_order(server):
    """A connection without any byte is closed before an older one with half a request."""
    begun = crowd(server, 1, b"GET /api/v1/st")[0]
    held = crowd(server, CONNECTIONS + SOME)
    until_one_closes(held)
    check(is_open(begun), "half a request was closed, and a silent connection stayed")
    begun.sendall(f"ate HTTP/1.1\r\nHost: localhost:{server.port}\r\nConnection: close\r\n\r\n".encode())
    check(begun.recv(100).startswith(b"HTTP/1.1 200"), "no answer to the rest")
    for client in (begun, *held):
        client.close()


def check_refusals(server):
    """Every refusal has a sentence, the policy, and the end of the connection."""
    for path, options in (("/api/v1/state", {"Host": "evil.example"}), ("/api/v1/state", {"Origin": "http://evil.example"}),
                          ("/api/v1/control", {"method": "POST", "body": "stop"}), ("/api/v1/nothing", {}), ("/nothing", {}),
                          ("/api/v1/state", {"method": "POST", "body": ""}), ("/api/v1/control", {"method": "POST", "body": "x" * 5000}),
                          ("/api/v1/view/select?table=none", {}), ("/api/v1/view/none", {}), ("/", {"method": "PUT", "body": "x"})):
        status, headers, body = server.ask(path, **options)
        check(status >= 400 and len(json.loads(body)["error"]) > 10, f"{path} {options}: {status} {body}")
        check(headers["Connection"] == "close" and "default-src 'none'" in headers["Content-Security-Policy"], f"{path}: {headers}")
        check(headers["X-Content-Type-Options"] == "nosniff" and "Access-Control-Allow-Origin" not in headers, f"{path}: {headers}")


def check_unknown(place):
    """As long as nothing can be judged: 503."""
    whole = pathlib.Path(place, "case.ctrace").read_bytes()
    partial = pathlib.Path(place, "begins.ctrace.partial")
    partial.write_bytes(whole[:40])  # less than a file's header
    server = Server("serve", "--listen", ":0", place + "/begins.ctrace")
    for path in ("report", "view/report", "view/select?table=waits"):
        status, _, body = server.ask(f"/api/v1/{path}")
        check(status == 503 and "again" in json.loads(body)["error"], f"{path}: {status} {body}")
    partial.write_bytes(whole)
    judged(server)
    check(server.ask("/api/v1/report")[0] == 200, "what is known is not told")
    server.stop()


def circles(number):
    """Yields a trace in which this many pairs wait for each other's lock, each pair at places of its own."""
    yield "trace from=0 until=2s\nprocess 1 pid=100 program=/bin/server probe ledger\nthread 1 tid=101 name=worker-0\n"
    for pair in range(1, number + 1):
        yield f"site {2 * pair - 1} kind=source file=/a.c line={pair} function=lock_{pair}\n"
        yield f"site {2 * pair} kind=source file=/b.c line={pair} function=wait_{pair}\n"
    yield "1ms t1 create c1 @1\n"
    for pair in range(1, number + 1):
        first, second, locks = 2 * pair - 1, 2 * pair, (2 * pair - 1, 2 * pair)
        for one, own, other in ((first, *locks), (second, *reversed(locks))):
            yield f"+1us t1 create c{one} @{2 * pair - 1}\n" if one > 1 else ""
            yield f"+1us t1 resume c{one}\n+1us t1 acquire c{one} lock:{own} @{2 * pair - 1}\n"
            yield f"+1us t1 suspend c{one} lock:{other} @{2 * pair}\n"


def check_many(place):
    """If there are more than fifty findings, the gravest fifty are sent, and the total number."""
    text = pathlib.Path(place, "many.txt")
    text.write_text("".join(circles(FINDINGS + 10)))
    run(COROTRACER, "assemble", "-o", place + "/many.ctrace", text)
    server = Server("serve", "--listen", ":0", place + "/many.ctrace")
    judged(server)
    told = server.tell("/api/v1/findings")
    check(told["nr_findings"] == FINDINGS + 10 and len(told["findings"]) == FINDINGS, f"{told['nr_findings']} {len(told['findings'])}")
    server.stop()


def main():
    with folder() as place:
        server = Server("serve", "--listen", ":0", trace_in(place))
        judged(server)
        check_bodies(server)
        check_headers(server)
        check_refusals(server)
        check_connections(server)
        check_order(server)
        other = Server("serve", "--listen", ":0", place + "/case.ctrace")
        check(other.token != server.token, "two starts have one token")
        check(other.ask("/api/v1/control", method="POST", body="status", X_Corotracer_Token=server.token)[0] == 403, "any token will do")
        for one in (server, other):
            check(one.stop()[0] == 0, "an orderly end is a failure")
        check_unknown(place)
        check_many(place)


if __name__ == "__main__":
    main()
