# SPDX-License-Identifier: MIT
"""Builds the wheel: pyproject.toml, and the C module. One wheel serves Python 3.10 and all later versions (abi3).

If a compiler or headers are missing, one sentence says so before anything is compiled.
"""
import glob
import os
import shlex
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup

COMPILER = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")

# Beside a clone's package, and within the package of the sources alone.
HEADERS = "include" if os.path.isdir("include") else "../../include"


def is_compiled(program):
    flags = shlex.split(f"{os.environ.get('CPPFLAGS', '')} {os.environ.get('CFLAGS', '')}")
    folders = [word for name in ("include", "platinclude") for word in ("-I", sysconfig.get_path(name))]
    command = [*COMPILER, *flags, *folders, "-fsyntax-only", "-x", "c", "-"]
    try:
        return subprocess.run(command, input=program, text=True, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def what_is_missing():
    """Returns the name of what the C module cannot be built without; "" if nothing is missing."""
    if not is_compiled("int main(void) { return 0; }\n"):
        return f"a C compiler: '{shlex.join(COMPILER)}' compiles nothing (Debian: gcc)"
    if not is_compiled("#include <stdlib.h>\n"):
        return "the headers of the C library (Debian: libc6-dev)"
    if not is_compiled("#include <Python.h>\n"):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return f"the headers of Python {version}: no Python.h in {sysconfig.get_path('include')} (Debian: python3-dev)"
    return ""


if not {"egg_info", "dist_info", "sdist"} & set(sys.argv):
    missing = what_is_missing()
    if missing:
        sys.exit(f"corotracer cannot be built without {missing}")



def extension(name, folder, link_arguments):
    return Extension(
        f"corotracer.{name}",
        sorted(glob.glob(f"{folder}/*.c")),
        include_dirs=[HEADERS],
        define_macros=[("_GNU_SOURCE", None)],
        extra_compile_args=["-std=gnu11", "-fvisibility=hidden"],
        extra_link_args=link_arguments,
        py_limited_api=True,
    )


setup(
    ext_modules=[
        extension("_probe", "probe", ["-Wl,-z,nodelete"]),
        extension("_reader", "reader", []),
    ],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
