# SPDX-License-Identifier: MIT
"""Tests the crate with the oldest tokio that it supports, and with the newest: with tokio's hooks, and without."""
import os
import re
import shutil
import subprocess
import sys

from support import BUILD, SOURCE, check, folder, skip

CRATE = SOURCE / "sdk/rust"


def promised(path, sentence):
    found = re.search(sentence, (CRATE / path).read_text(encoding="utf-8"))
    check(found, f"{path} does not name a version of tokio: {sentence}")
    return found.group(1)


def cargo(crate, *words, flags=""):
    environment = dict(os.environ, CARGO_BUILD_JOBS="1", RUSTFLAGS=flags)
    return subprocess.run(["cargo", *words, "--quiet", "--manifest-path", f"{crate}/Cargo.toml"], capture_output=True,
                          text=True, check=False, timeout=900, env=environment)


def check_version(crate, version, flags):
    """Builds with this version of tokio; None: the newest."""
    precise = ["--precise", f"{version}.0"] if version else []
    updated = cargo(crate, "update", "--package", "tokio", *precise)
    check(updated.returncode == 0, f"tokio {version}: {updated.stderr}")
    built = cargo(crate, "check", "--features", "tokio", "--target-dir", str(BUILD / "rust-versions"), flags=flags)
    check(built.returncode == 0, f"tokio {version or 'newest'} {flags}: {built.stderr}")


def main():
    if not shutil.which("cargo"):
        skip("there is no cargo")
    least = promised("Cargo.toml", r'tokio = \{ version = "(1\.\d+)"')
    least_with_hooks = promised("README.md", r"from tokio (1\.\d+) on")
    with folder() as place:
        crate = f"{place}/crate"
        shutil.copytree(CRATE, crate, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
        fetched = cargo(crate, "fetch")
        if fetched.returncode != 0:
            skip(f"cargo cannot fetch the crates: {fetched.stderr.strip().splitlines()[-1:]}")
        hooks = "--cfg tokio_unstable"
        for version, flags in ((least, ""), (least_with_hooks, hooks), (None, hooks), (None, "")):
            check_version(crate, version, flags)
    return 0


if __name__ == "__main__":
    sys.exit(main())
