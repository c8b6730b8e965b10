# SPDX-License-Identifier: MIT
"""A bucket for tests: moto's server from PyPI in a process of its own (tests/support/bucket_server.py)."""
import contextlib
import json
import os
import subprocess

import environment
from support import BUILD, SOURCE, check, skip


class Bucket:
    def __init__(self, process):
        self.process = process
        self.about = json.loads(process.stdout.readline())

    def address(self, prefix=""):
        return f"s3://{self.about['bucket']}/{prefix}?endpoint={self.about['endpoint']}"

    def environment(self, **more):
        """Returns the environment of a program that may use the bucket."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return {**kept, "AWS_ACCESS_KEY_ID": self.about["id"], "AWS_SECRET_ACCESS_KEY": self.about["secret"],
                "AWS_REGION": self.about["region"], "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1", **more}

    def tell(self, line):
        """Sends an order, and returns the answer."""
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def act(self, *words, status=0, **more):
        """Runs objects_do.c on the bucket."""
        return act(self.address(), *words, status=status, env=self.environment(**more))

    def keys(self):
        return {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in self.act("list").splitlines()}


def act(place, *words, status=0, env=None):
    """Returns what the program prints, or its complaint where a status is expected."""
    done = subprocess.run([BUILD / "tests/integration/objects_do", place, *map(str, words)], capture_output=True, text=True,
                          check=False, env=env, timeout=120)
    check(status is None or done.returncode == status, f"{place} {words}: {done.returncode}, not {status}: {done.stderr}")
    return done.stderr if status != 0 else done.stdout


@contextlib.contextmanager
def served():
    """Starts the server; the test is skipped if its packages cannot be had, or corotracer cannot use it."""
    if "without libcurl" in act("s3://traces", "list", status=None, env={}):
        skip("this build has no libcurl")
    python = environment.require_python_with("bucket")
    with subprocess.Popen([python, SOURCE / "tests/support/bucket_server.py"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Bucket(process)
        finally:
            process.kill()
