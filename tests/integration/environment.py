# SPDX-License-Identifier: MIT
"""A Python with packages from PyPI, in a virtual environment in the build folder that is kept; and the project's own."""
import os
import shutil
import subprocess
import sys

from support import BUILD, SOURCE, check

PACKAGE = BUILD / "sdk/python"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def require_package():
    """Ends with 77 where the Python package could not be built."""
    if not (PACKAGE / "corotracer/_probe.abi3.so").exists():
        skip("the Python package is not built: the headers of Python are not installed")


def with_package(**more):
    """The environment in which the package is found, and leaves no files behind."""
    return {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1", **more}


def python_with(name, *packages):
    """The path of a Python that has these packages. None: they cannot be had."""
    place = BUILD / "tests" / name
    python = place / "bin/python"
    if not (place / "complete").exists():
        for command in ([sys.executable, "-m", "venv", "--clear", place],
                        [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages]):
            if subprocess.run(command, capture_output=True, check=False, timeout=240).returncode:
                return None
        (place / "complete").touch()
    return python


def build_wheel(place):
    """Makes the wheel of sdk/python in the folder; None: setuptools cannot be had."""
    python = python_with("wheel-packages", "setuptools", "wheel")
    if not python:
        return None
    subprocess.run([python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", place, SOURCE / "sdk/python"],
                   capture_output=True, check=True, timeout=240)
    return next(place.glob("corotracer-*.whl"))


ZIG = "0.17"  # the language changes with each of its versions


def zig():
    """The command of a Zig of that version: one that is installed, or the wheel's. None: neither can be had."""
    if shutil.which("zig"):
        version = subprocess.run(["zig", "version"], capture_output=True, text=True, check=False).stdout
        if version.startswith(ZIG):
            return ["zig"]
    python = python_with("zig-packages", f"ziglang=={ZIG}.*")
    return [python, "-m", "ziglang"] if python else None


def build_zig(source, program):
    """Compiles a program on sdk/zig, and returns its path; None where no Zig can be had."""
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
