# SPDX-License-Identifier: MIT
"""A Python with packages from PyPI, in a virtual environment in the build folder that is kept; and the project's own."""
import os
import subprocess
import sys

from support import BUILD, SOURCE

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
