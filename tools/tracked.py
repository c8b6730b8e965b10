# SPDX-License-Identifier: MIT
"""The files of the project: those that git tracks, or, without git, all files that were not built."""
import fnmatch
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def walk():
    for folder, folders, names in os.walk(ROOT):
        here = pathlib.Path(folder)
        folders[:] = [name for name in folders if not name.startswith((".", "__pycache__")) and
                      not (here / name / "build.ninja").exists()]
        yield from (str((here / name).relative_to(ROOT)) for name in names)


def tracked(*patterns):
    """Returns the names of files below the project's folder; a pattern without a slash is compared with the last part
    of a name."""
    try:
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", *patterns], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        listed = None
    if listed and listed.returncode == 0 and listed.stdout:
        names = listed.stdout.split()
    else:
        names = [name for name in walk() if any(fnmatch.fnmatch(name, "*" + pattern.lstrip("*")) for pattern in patterns)]
    return sorted(name for name in names if (ROOT / name).exists())
