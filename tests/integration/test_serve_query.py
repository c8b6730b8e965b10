# SPDX-License-Identifier: MIT
"""Tests SQL over HTTP with real clients: answers are those of `corotracer query`, failures say where, nothing is
written, the token is required, and a long statement delays nobody else, can be cancelled, and ends with the server:
H-21, H-22, H-23."""
import json
import threading

from served import Server, judged
from support import COROTRACER, check, folder, run, skip
from test_serve import trace_in

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def query(server, sql, number=0, **headers):
    """Returns (status, answer)."""
    headers = {"X_Corotracer_Token": server.token, **headers}
    status, _, body = server.ask(f"/api/v1/query?number={number}", method="POST", body=sql, **headers)
    return status, json.loads(body)


def check_answers(server, trace):
    for sql in ("SELECT coroutine, state, since_ns, wait_place FROM coroutines ORDER BY coroutine", "SELECT 1 AS one, NULL AS none, 2.5 AS real; \n",
                *(one["sql"] for one in server.tell("/api/v1/view/cookbook")["recipes"])):
        status, answer = query(server, sql)
        check(status == 200 and not answer["has_more"] and answer["took_ns"] > 0, f"{sql}: {status} {answer}")
        told = json.loads(run(COROTRACER, "query", "--format", "json", trace, sql).stdout)
        check([dict(zip(answer["columns"], row)) for row in answer["rows"]] == told, f"{sql}: {answer} and {told}")
    status, answer = query(server, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
    check(status == 200 and len(answer["rows"]) == 10000 and answer["has_more"], f"{status} {len(answer.get('rows', []))}")


def check_refusals(server):
    for sql, words, offset in (("SELECT x FROM waits", "no such column", 7), ("SELECT\n coroutine FRM waits", "syntax error", 22), ("", "no statement", None),
                               ("SELECT 1; SELECT 2", "one statement", 10), ("DELETE FROM waits", "may not be modified", None), ("ATTACH 'x' AS y", "reads", None),
                               ("SELECT load_extension('x')", "", None), ("SELECT 1\0", "zero bytes", None)):
        status, answer = query(server, sql)
        check(status == 400 and words in answer["error"], f"{sql!r}: {status} {answer}")
        check(offset is None or answer["offset"] == offset, f"{sql!r}: {answer}")
    for headers in ({"X_Corotracer_Token": None}, {"X_Corotracer_Token": "0" * 32}, {"Origin": "http://evil.example"}):
        status, answer = query(server, "SELECT 1", **headers)
        check(status == 403, f"{headers}: {status} {answer}")
    check(server.ask(f"/api/v1/query?token={server.token}", method="POST", body="SELECT 1")[0] == 403, "a token in the address")
    check(query(server, "SELECT 1 --" + "x" * 4096)[0] == 413, "a statement of any length")
    check(server.ask("/api/v1/query")[0] == 405, "a statement that is no body")


def begin(server, number):
    """Sends a statement without an end until there is room for it; its answer is added to the list."""
    answers = []

    def ask():
        try:
            while not answers or answers[-1][0] == 503:
                answers.append(query(server, ENDLESS, number))
        except OSError as failure:
            answers.append((0, {"error": str(failure)}))
    thread = threading.Thread(target=ask)
    thread.start()
    return thread, answers


def stop(server, number):
    return server.order(str(number), "/api/v1/query/stop")


def check_long(server):
    """Two statements go on, a third is refused, other requests are answered; the named statement is cancelled."""
    first, second = begin(server, 17), begin(server, 18)
    while query(server, "SELECT 1")[0] != 503:
        pass
    for _ in range(8):
        check(server.tell("/api/v1/state")["generation"], "a query keeps others waiting")
    for number, (thread, answers) in ((18, second), (17, first)):
        check(stop(server, 99) == (200, {"nr_stopped": 0}), "another one was broken off")
        check(stop(server, number) == (200, {"nr_stopped": 1}), f"{number} was not broken off")
        thread.join(timeout=60)
        check(answers and answers[-1] == (400, {"error": "interrupted"}), f"{answers[-1:]}")
    check(query(server, "SELECT 1")[0] == 200, "there is no room, though none goes on")
    check(stop(server, "x")[0] == 400, "a word is a number")


def check_end(server):
    """The server ends although two statements have not ended, and does not wait for them."""
    begun = [begin(server, 1), begin(server, 2)]
    while query(server, "SELECT 1")[0] != 503:
        pass
    check(server.stop()[0] == 0, "it did not end well")
    for thread, _ in begun:
        thread.join(timeout=60)
        check(not thread.is_alive(), "a client waits for an answer")


with folder() as place:
    the_trace = trace_in(place)
    the_server = Server("serve", "--listen", ":0", the_trace)
    judged(the_server)
    status_of_one, answer_of_one = query(the_server, "SELECT 1")
    if status_of_one == 501:
        skip("this build has no SQLite")
    check_answers(the_server, the_trace)
    check_refusals(the_server)
    check_long(the_server)
    check_end(the_server)
