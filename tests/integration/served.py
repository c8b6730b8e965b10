# SPDX-License-Identifier: MIT
"""A corotracer server, and readers of its events, for tests that use HTTP."""
import atexit
import contextlib
import http.client
import json
import re
import signal
import socket
import subprocess

from support import COROTRACER, check, skip


class Server:
    """`corotracer serve`, or a served recording, and its address."""

    def __init__(self, *command, program=COROTRACER, **options):
        self.process = subprocess.Popen([program, *map(str, command)], stderr=subprocess.PIPE, text=True, **options)
        atexit.register(self.process.kill)  # a test that fails leaves no server behind
        self.said = ""
        while "http://" not in self.said:
            line = self.process.stderr.readline()
            self.said += line
            if "built without its server" in line:
                self.process.kill()
                skip("this build has no server")
            check(line, f"no address was told: {self.said}")
        found = re.search(r"http://([^:/]+|\[[^]]*\]):(\d+)/#token=([0-9a-f]{32})", self.said)
        check(found, f"no address with a token: {self.said}")
        self.name, self.port, self.token = found[1], int(found[2]), found[3]

    def ask(self, path, method="GET", body=None, **headers):
        """Returns (status, headers, body) of one request on a connection of its own."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as client:
            headers = {"Host": f"localhost:{self.port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
            client.request(method, path, body=body, headers={name: value for name, value in headers.items() if value})
            answer = client.getresponse()
            return answer.status, answer.headers, answer.read()

    def tell(self, path):
        status, _, body = self.ask(path)
        check(status == 200, f"{path}: {status} {body}")
        return json.loads(body)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def order(self, words, path="/api/v1/control"):
        """Returns (status, answer) of an order to the recording."""
        status, _, body = self.ask(path, method="POST", body=words, X_Corotracer_Token=self.token)
        return status, json.loads(body)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        said = self.process.communicate(timeout=60)[1]
        return self.process.returncode, self.said + said


class Reader:
    """A reader of /api/v1/events."""

    def __init__(self, server, query=""):
        self.client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        self.client.request("GET", "/api/v1/events" + query, headers={"Host": f"localhost:{server.port}"})
        self.answer = self.client.getresponse()
        self.status = self.answer.status

    def next(self):
        """Returns (name, data) of the next event; None at the end."""
        name = self.answer.readline()
        if not name:
            return None
        data = self.answer.readline()
        self.answer.readline()
        return name[len("event: "):-1].decode(), json.loads(data[len("data: "):])

    def close(self):
        self.client.close()


def need_pages(server):
    """Skips the test if the build has no pages."""
    if "screens" not in server.ask("/")[2].decode():
        skip("this build has no pages (-Dpage)")


def judged(server):
    """Returns the state as soon as there is a judgement."""
    while True:
        state = server.tell("/api/v1/state")
        if state["generation"]:
            return state
