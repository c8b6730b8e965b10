# SPDX-License-Identifier: MIT
"""A real Prometheus for tests."""
import json
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from support import BUILD, check, run, skip

SECONDS = 120


def find_prometheus():
    """Returns the folder with prometheus and promtool: the machine's, or Debian's package unpacked beside the build."""
    installed = shutil.which("prometheus")
    if installed and shutil.which("promtool"):
        return pathlib.Path(installed).parent
    place = BUILD / "tests/prometheus"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        got = subprocess.run(["apt-get", "download", "-q", "prometheus"], cwd=place, capture_output=True, check=False)
        packages = list(place.glob("prometheus_*.deb"))
        if got.returncode or not packages:
            skip("there is no prometheus here, and Debian's package cannot be had")
        run("dpkg", "-x", packages[0], place)
        packages[0].unlink()
        (place / "complete").touch()
    return place / "usr/bin"


class Prometheus:
    """A server that listens on a port of 127.0.0.1, with its files below `place`, which is made."""

    def __init__(self, place, program, config, rules, *options):
        place.mkdir()
        (place / "alerts.yml").write_text(rules)
        (place / "prometheus.yml").write_text(config)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [program, f"--config.file={place}/prometheus.yml", f"--storage.tsdb.path={place}/tsdb",
             f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=error", *options])

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)

    def get(self, path, **arguments):
        """Returns the data of an answer; asks again until the server is up."""
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(arguments)}"
        for _ in range(SECONDS * 10):
            check(self.process.poll() is None, "Prometheus has ended")
            try:
                with urllib.request.urlopen(url, timeout=30) as answer:
                    return json.load(answer)["data"]
            except urllib.error.HTTPError as refused:
                if refused.code != 503:
                    raise SystemExit(f"{arguments}: {refused.read().decode()}") from refused
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit("Prometheus does not answer")

    def query(self, words):
        return self.get("query", query=words)["result"]

    def until(self, words, wanted):
        """Returns the first result that meets the condition."""
        for _ in range(SECONDS * 5):
            result = self.query(words)
            if wanted(result):
                return result
            time.sleep(0.2)
        raise SystemExit(f"{words}: {result}")
