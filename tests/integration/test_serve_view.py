# SPDX-License-Identifier: MIT
"""Tests a page's requests to the view, over HTTP: answers agree with the report (V-11 to V-22, H-20), and invalid
requests are refused in words."""
import json
import urllib.parse

from packed import Rows
from support import COROTRACER, check, folder, run
from test_serve import Server, judged, trace_in


def ask(server, name, **arguments):
    where = arguments.pop("where", [])
    query = urllib.parse.urlencode([*arguments.items(), *(("where", one) for one in where)])
    return server.ask(f"/api/v1/view/{name}?{query}")


def rows(server, name, **arguments):
    status, headers, body = ask(server, name, **arguments)
    check(status == 200 and headers["Content-Type"] == "application/octet-stream", f"{name}: {status} {body[:200]}")
    return Rows(body)


def check_rows(server, report):
    """Conditions, order, pages and words: V-13."""
    finding = report["findings"][0]
    members = {member["id"]: member["since_ns"] for member in finding["members"]}
    waiting = rows(server, "select", table="coroutines", columns="coroutine,since_ns", where=["state=waiting", "since_ns<3000000"])
    check(dict(zip(*waiting.columns)) == members and waiting.matched == len(members), f"{waiting.columns}")
    newest = rows(server, "select", table="coroutines", columns="coroutine", order="-since_ns", limit=1, offset=1)
    everyone = rows(server, "select", table="coroutines", columns="coroutine", order="-since_ns")
    check(newest.columns[0] == everyone.columns[0][1:2] and newest.matched == 3, f"{newest.columns} {everyone.columns}")
    told = rows(server, "select", table="findings", columns="rule,title")
    check(told.text(0, 0) == finding["rule"] and told.text(1, 0) == finding["title"], "the finding is told in other words")
    orphans = rows(server, "select", table="coroutines", columns="parent", where=["parent="])
    check(orphans.matched == 3 and orphans.columns[0] == [None] * 3, f"{orphans.columns}")


def check_time(server, report):
    """Lanes and sums over time: V-14, V-15, V-16, V-17, V-20."""
    until = report["quality"]["observed_until_ns"]
    lanes = rows(server, "lanes", lanes="c1.3,t1", resolution=0)
    check(lanes.columns[7][-1] == 0 and 1 in lanes.columns[7], f"waited for {lanes.columns[7]}")
    ends = [end for lane, end in zip(lanes.columns[0], lanes.columns[2]) if lane == 0]
    check(ends and max(ends) == until, f"lane 0 ends at {ends}, and not at {until}")
    steps = rows(server, "overview", steps=20)
    check(len(steps.columns[0]) == 20 and sum(steps.columns[5]) == report["quality"]["events"], f"{steps.columns[5]}")
    check(steps.columns[11] == [0] * 20, f"{steps.columns[11]} delays are in no distribution")
    groups = rows(server, "groups", table="events", columns="process,coroutine", limit=2)
    check(len(groups.columns[0]) == 2 < groups.matched and groups.columns[2] == sorted(groups.columns[2], reverse=True), f"{groups.columns}")
    waits = rows(server, "select", table="waits", columns="coroutine")
    buckets = rows(server, "histogram", table="waits", column="duration_ns", parts=8)
    check(sum(buckets.columns[2]) == waits.matched, f"{buckets.columns} of {waits.matched} waits")


def check_texts(server, report, trace):
    """Answers that are JSON, and pictures: V-12, V-18, V-19, V-21 to V-23, V-25."""
    check(json.loads(ask(server, "report")[2]) == report, "another report")
    short = json.loads(ask(server, "report", members=1)[2])
    check([len(one["members"]) for one in short["findings"]] == [1] and short["findings"][0]["coroutines"] == 2, "not one member")
    status, headers, picture = ask(server, "picture", finding=1)
    check(status == 200 and headers["Content-Type"] == "image/svg+xml" and b"closed" in picture, f"{picture[:200]}")
    check(b".picture" in ask(server, "style")[2], "no style of pictures")
    tables = {table["name"]: table for table in json.loads(ask(server, "tables")[2])}
    everything = rows(server, "select", table="events", limit=1)
    check(len(everything.columns) == len(tables["events"]["columns"]), "not all columns")
    waits = json.loads(ask(server, "waits")[2])
    check(waits["nr_waiting"] == report["quality"]["coroutines_by_state"]["waiting"] and not waits["nr_circles"], f"{waits}")
    stacks = ask(server, "stacks", of="wait")[2].decode()
    check(stacks == run(COROTRACER, "profile", "--type", "wait", "--format", "folded", trace).stdout, f"{stacks}")
    check(ask(server, "stacks", of="nothing")[0] == 400, "a profile of nothing")
    facts = json.loads(ask(server, "facts", finding=1)[2])
    told = " ".join(run(COROTRACER, "report", trace).stdout.split())
    check(facts["events"] and all(f"{label} {words}" in told for label, words in facts["facts"]) and ask(server, "facts", finding=99)[0] == 404, f"{facts}")
    cookbook = json.loads(ask(server, "cookbook")[2])
    check(len(cookbook["recipes"]) > 20 and {"waits", "runs"} <= {table["name"] for table in cookbook["tables"]}, f"{cookbook}")
    told = {node["id"]: waits["nodes"][node["to"]]["words"] for node in waits["nodes"] if node["kind"] == "coroutine"}
    for member in report["findings"][0]["members"]:
        check(told.get(member["id"]) == member["waits_for"].split(" (")[0], f"{told}, and not {member}")
    why = json.loads(ask(server, "why", coroutine=1)[2])
    check("closed" in " ".join(step["text"] for step in why["why"]), f"{why}")


def check_refusals(server):
    for name, arguments, wanted, words in (
            ("nothing", {}, 404, "nothing at this address; there is /api/v1/state, "), ("selects", {}, 404, ", /api/v1/view/select, "), ("select", {}, 400, "'table' is missing"), ("select", {"table": "x"}, 400, "no table"),
            ("select", {"table": "events", "columns": "time_ns,x"}, 400, "no column 'x'"),
            ("select", {"table": "events", "where": ["kind"]}, 400, "a condition is"),
            ("select", {"table": "events", "where": ["kind=x"]}, 400, "'x' is no"),
            ("select", {"table": "events", "limit": 1000000}, 400, "1 to 65536 rows"),
            ("select", {"table": "events", "limit": "1e3"}, 400, "a whole number"), ("select", {"x": 1}, 400, "no argument 'x'"),
            ("lanes", {"lanes": "c1"}, 400, "a lane is"), ("groups", {"table": "events"}, 400, "1 to 4 columns"), ("overview", {"from": 9, "until": 9}, 400, "later"),
            ("overview", {"steps": 0}, 400, "steps"), ("histogram", {"table": "waits"}, 400, "no column ''"),
            ("picture", {"finding": 2}, 404, "no picture"), ("waits", {"fold": 0}, 400, "'fold' is 1 to 400"),
            ("select", {"table": "events", "where": ["kind~a*b*c*d*e*f*g*h*i*"]}, 400, "at most 8 stars, and not 9"),
            ("why", {"coroutine": 2 ** 64 - 1}, 404, "no such coroutine"), ("why", {"coroutine": 2 ** 64}, 400, "takes an id"),
            ("lanes", {"lanes": f"c1.{2 ** 64}"}, 400, "a lane is"), ("select", {"table": "events", "where": [f"coroutine={2 ** 64}"]}, 400, "is no coroutine"),
            ("why", {}, 400, "takes the id"), ("why", {"coroutine": 99}, 404, "no such coroutine")):
        status, _, body = ask(server, name, **arguments)
        check(status == wanted and words in json.loads(body)["error"], f"{name} {arguments}: {status} {body}")
    check(server.ask("/api/v1/view/overview?steps=2&steps=3")[0] == 400, "an argument came twice")


with folder() as place:
    the_trace = trace_in(place)
    the_server = Server("serve", "--listen", ":0", the_trace)
    judged(the_server)
    the_report = the_server.tell("/api/v1/report")
    check_rows(the_server, the_report)
    check_time(the_server, the_report)
    check_texts(the_server, the_report, the_trace)
    check_refusals(the_server)
    check(the_server.stop()[0] == 0, "it did not end well")
