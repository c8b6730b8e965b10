# SPDX-License-Identifier: MIT
"""`corotracer mcp` and the client library of the protocol's authors: each tool is listed, called, and keeps its schema.

The package comes from PyPI, into a virtual environment in the build folder that is kept; where that cannot be reached
the test is skipped.
"""
import pathlib
import subprocess
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run

PACKAGE = "mcp>=2.3,<3"
CLIENT = SOURCE / "tests/integration/mcp_client.py"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def has_package(python):
    return subprocess.run([python, "-c", "import mcp.client.client, jsonschema"], capture_output=True, check=False).returncode == 0


def python_with_package():
    """The path of a Python that has the package."""
    place = BUILD / "mcp-client"
    python = place / "bin/python"
    if has_package(sys.executable):
        return sys.executable
    if not python.exists() or not has_package(python):
        for command in ([sys.executable, "-m", "venv", place], [python, "-m", "pip", "install", "-q", PACKAGE]):
            result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
            if result.returncode:
                skip(f"no client of the protocol: {(result.stderr or result.stdout).strip().splitlines()[-1:]}")
    return python


def line_of_close():
    lines = (SOURCE / "examples/scheduler/reactor.cpp").read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if "::on_hangup" in line)
    return next(i for i in range(start, len(lines)) if "close(" in lines[i]) + 1


def main():
    if run(COROTRACER, "mcp", input="", status=None).returncode == 7:
        skip("built without json-c")
    python = python_with_package()
    server = BUILD / "examples/example-tcp-server-fault-a"
    with folder() as name:
        trace = pathlib.Path(name) / "demo.ctrace"
        run(COROTRACER, "run", "-o", trace, "--", server, "--self-load", "50:47", "--exit-after-idle", "1")
        said = run(python, CLIENT, COROTRACER, trace, name, server, "--self-load", "5:3", "--exit-after-idle", "0.3").stdout
    places = said.splitlines()
    check(len(places) == 2 and all(f"reactor.cpp:{line_of_close()} " in place for place in places),
          f"the closing line is not among {places}")


if __name__ == "__main__":
    main()
