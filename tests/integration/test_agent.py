# SPDX-License-Identifier: MIT
"""Tests `agent`: it finds programs and names them by its rules, tells what it does in lines of JSON and over HTTP, keeps
to its ceilings, reads its configuration again, and ends in order. An outage of the store and kills lose nothing.

The rules name only programs of this test, because others that run at the same time have probes, too."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import threading

import bucket
from attach_target import COUNT, PID, target
from sampled import check_whole, files, until
from support import COROTRACER, SOURCE, check, folder, run, seeded_chance

KILLS = int(os.environ.get("KILLS", "4"))
QUICK = {"every": "150ms", "for": "50ms", "max-load": "99999%", "max-cpu": "9999%", "look-every": "50ms", "listen": "localhost:0",
         "others": "no"}


class Agent:
    """A running agent, and what it tells."""

    def __init__(self, path, env):
        self.process = subprocess.Popen([COROTRACER, "agent", "--config", path], stderr=subprocess.PIPE, text=True, env=env)
        self.events = []
        self.others = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            try:
                self.events.append(json.loads(line))
            except ValueError:
                self.others.append(line)

    def of(self, event, **members):
        return [told for told in list(self.events) if told["event"] == event
                and all(told.get(name) == value for name, value in members.items())]

    def until(self, condition):
        until(condition, self.process)

    def address(self):
        self.until(lambda: any(told.get("text", "").startswith("http://") for told in self.of("started")))
        return next(told["text"] for told in self.of("started") if told["text"].startswith("http://")).removeprefix("http://")

    def ask(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection(self.address(), timeout=60)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def metric(self, name):
        found = re.search(rf"^{re.escape(name)} (\d+)$", self.ask("/metrics")[1], re.MULTILINE)
        check(found, f"{name} is no metric")
        return int(found[1])

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        while True:
            try:
                status = self.process.wait(timeout=1)
                break
            except subprocess.TimeoutExpired:
                self.process.send_signal(number)
        self.reader.join()
        check(status == (0 if number == signal.SIGTERM else -number), f"the agent ended with {status}")
        check(not self.others, f"{self.others} is no JSON")


@contextlib.contextmanager
def agent(path, env=None):
    started = Agent(path, env)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.wait()
        started.reader.join()


def write(path, rules, **settings):
    lines = [f"{name.replace('_', '-')} = {value}" for name, value in {**QUICK, **settings}.items()]
    path.write_text("# of the test\n" + "\n".join([*lines, *rules]) + "\n")
    return path


def check_wrong(scratch):
    path = scratch / "wrong.conf"
    for text, sentence in (("every = 5m\nevry = 2s\n", ":2: 'evry' is no setting"),
                           ("every = often\n", ":1: 'every' takes a time with its unit, such as 5min or 2s"),
                           ("for = 2s # of each\n\nfor = 3s\n", ":3: 'for' was set before"),
                           ("service = a b: *\n", ":1: 'service' takes NAME: PATTERN"),
                           ("jitter = 1\n", ":1: 'jitter' takes yes or no"),
                           ("max-cpu = 2\n", ":1: 'max-cpu' takes a share, such as 2%"),
                           ("store\n", ":1: a line is NAME = VALUE"), ("store =\n", ":1: 'store' has no value"),
                           ("every = 1s\nfor = 2s\n", ": a window ('for') is longer than its period ('every')")):
        path.write_text(text)
        told = run(COROTRACER, "agent", "--config", path, status=2).stderr
        check(f"{path}{sentence}" in told and told.count("\n") == 1, told)
    check("reading" in run(COROTRACER, "agent", "--config", scratch / "none", status=4).stderr, "a missing file is not told")
    check("--config FILE" in run(COROTRACER, "agent", status=2).stderr, "no hint")


def check_http(started):
    check(started.ask("/healthz")[0] == 200, "it is not well")
    check(started.ask("/healthz")[1].startswith("ok: "), "it is not well")
    check(started.ask("/metrics", Host="example.com")[0] == 403, "another name may ask")
    check(started.ask("/metrics", method="POST")[0] == 405, "a POST is answered")
    check(started.ask("/")[0] == 404, "there is a page")
    text = started.ask("/metrics")[1]
    families = re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)
    check(len(families) == len(set(families)) and len(families) > 10, f"{families}")


def check_names(scratch):
    """Programs that are there and that come later, under the names of the rules; one is left out."""
    store, path = scratch / "store", scratch / "agent.conf"
    kinds = [scratch / name for name in ("first", "second", "third")]
    for kind in kinds:
        kind.mkdir()
    rules = [f"service = one: *{kinds[0]}*", f"leave-out = *{kinds[2]}*", f"service = rest: *{scratch}*"]
    settings = {"store": store, "spool": scratch / "spool", "host": "a host"}
    with target(kinds[0]) as first, target(kinds[2]) as third, agent(write(path, rules, **settings)) as started:
        started.until(lambda: started.of("stored"))
        with target(kinds[1]) as second:
            started.until(lambda: started.of("window", service="rest", pid=second[PID]))
        started.until(lambda: started.of("gone", service="rest", pid=second[PID]))
        check_http(started)
        check(not started.of("found", pid=third[PID]), "what is left out is sampled")
        path.write_text("no configuration")
        started.process.send_signal(signal.SIGHUP)
        started.until(lambda: started.of("refused"))
        check(f"{path}:1: a line is NAME = VALUE" in started.of("refused")[0]["text"], started.of("refused"))
        before = len(started.of("stored"))
        started.until(lambda: len(started.of("stored")) > before)
        write(path, ["service = renamed: *" + str(kinds[0]) + "*"], **settings)
        started.process.send_signal(signal.SIGHUP)
        started.until(lambda: started.of("window", service="renamed", pid=first[PID]))
        started.end()
    check(started.events[-1]["event"] == "ended", f"{started.events[-1]}")
    names = files(store)
    check({name.split("/")[0] for name in names} == {"one", "rest", "renamed"}, f"{names}")
    check(all(name.split("/")[1] == "a_host" for name in names), f"{names}")
    check(sorted(told["key"] for told in started.of("window")) == names, "what was told is not what is there")
    for name in names:
        check_whole(store / name)
    check(not files(scratch / "spool"), "something is left in the spool")


def check_ceilings(scratch):
    for setting, value, cause in (("max-bytes", "1KiB", "bytes"), ("max-cpu", "0.0001%", "processor"), ("max-load", "1%", "load")):
        place = scratch / cause
        place.mkdir()
        write(place / "agent.conf", [f"service = x: *{place}*"], store=place / "store", spool=place / "spool", **{setting: value})
        with target(place), agent(place / "agent.conf") as started:
            skipped = f'corotracer_agent_skipped_windows_total{{cause="{cause}"}}'
            started.until(lambda: started.metric(skipped) >= 2)  # pylint: disable=cell-var-from-loop
            check(started.of("skipped", service="x"), "it is not told")
            check(started.metric("corotracer_agent_windows_total") <= 1, "more windows than the ceiling allows")
            started.end()


def check_example(scratch):
    """The configuration of the examples is one that can be used."""
    text = (SOURCE / "examples/fleet/agent.conf").read_text().replace("/var/lib/corotracer", str(scratch / "example"))
    path = scratch / "example.conf"
    path.write_text(text.replace("localhost:9479", "localhost:0") + "\nothers = no\n")
    with agent(path) as started:
        check(started.ask("/healthz")[0] == 200, "it is not well")
        started.end()


def check_busy(scratch):
    """A process that another recording has."""
    place = scratch / "busy"
    place.mkdir()
    write(place / "agent.conf", [f"service = x: *{place}*"], store=place / "store", spool=place / "spool")
    with target(place) as started:
        with subprocess.Popen([COROTRACER, "attach", "-o", place / "own.ctrace", str(started[PID])], stderr=subprocess.PIPE) as other:
            started.until(lambda: started[COUNT])
            with agent(place / "agent.conf") as sampling:
                sampling.until(lambda: sampling.of("skipped", text="another recording has the process"))
                other.send_signal(signal.SIGINT)
                other.communicate()
                sampling.until(lambda: sampling.of("stored"))
                sampling.end()


def check_outage(server, scratch, chance):
    """The store goes away and comes back, and the agent is killed meanwhile: every window that was told arrives."""
    place, spool = scratch / "outage", scratch / "outage" / "spool"
    place.mkdir()
    path = write(place / "agent.conf", [f"service = x: *{place}*"], store=server.address("agent"), spool=spool)
    keys = []
    with target(place):
        for kill in range(KILLS):
            if kill == KILLS // 2:
                server.tell("down")
            with agent(path, server.environment()) as started:
                least = chance.choice((0, 1, 2, 3))
                started.until(lambda: len(started.of("window")) >= least)  # pylint: disable=cell-var-from-loop
                if kill == KILLS // 2:
                    started.until(lambda: started.of("waits"))  # pylint: disable=cell-var-from-loop
                    check("/agent/" in started.of("waits")[0]["text"], f"{started.of('waits')}")
                started.process.kill()
            keys += [told["key"] for told in started.of("window")]
            check(server.about["secret"] not in str(started.events) + str(started.others), "the secret was told")
        server.tell("up")
        with agent(path, server.environment()) as started:
            started.until(lambda: started.metric("corotracer_agent_windows_total") >= 1)
            started.until(lambda: started.metric("corotracer_agent_spool_windows") <= 1)
            check(started.metric('corotracer_agent_lost_windows_total{cause="spool full"}') == 0, "a window was dropped")
            started.end()
        keys += [told["key"] for told in started.of("window")]
    arrived = {key.removeprefix("agent/") for key in server.keys() if key.startswith("agent/")}
    check(not files(spool), f"{files(spool)} are left")
    check(set(keys) <= arrived, f"{set(keys) - arrived} did not arrive")
    check(len(keys) == len(set(keys)), "two windows have one key")


def main():
    chance = seeded_chance()
    with folder() as name:
        scratch = pathlib.Path(name)
        check_wrong(scratch)
        check_names(scratch)
        check_ceilings(scratch)
        check_example(scratch)
        check_busy(scratch)
        with bucket.served() as server:
            check_outage(server, scratch, chance)


if __name__ == "__main__":
    main()
