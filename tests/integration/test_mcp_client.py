# SPDX-License-Identifier: MIT
"""Tests `corotracer mcp` with the client library of the protocol's authors: each tool is listed, called, and keeps to
its schema."""
import pathlib

import environment
from support import BUILD, COROTRACER, SOURCE, check, folder, run, skip

CLIENT = SOURCE / "tests/integration/mcp_client.py"


def line_of_close():
    lines = (SOURCE / "examples/scheduler/reactor.cpp").read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if "::on_hangup" in line)
    return next(i for i in range(start, len(lines)) if "close(" in lines[i]) + 1


def main():
    if run(COROTRACER, "mcp", input="", status=None).returncode == 7:
        skip("this build has no json-c")
    python = environment.require_python_with("mcp")
    server = BUILD / "examples/example-tcp-server-fault-a"
    with folder() as name:
        trace = pathlib.Path(name) / "demo.ctrace"
        run(COROTRACER, "run", "-o", trace, "--", server, "--self-load", "50:47", "--exit-after-idle", "1")
        said = run(python, CLIENT, COROTRACER, trace, name, server, "--self-load", "5:3", "--exit-after-idle", "0.3").stdout
    places = said.splitlines()
    check(len(places) == 2 and all(place.endswith(f"reactor.cpp:{line_of_close()}") for place in places),
          f"the closing line is not among {places}")


if __name__ == "__main__":
    main()
