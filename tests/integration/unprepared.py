# SPDX-License-Identifier: MIT
"""Programs without a probe, which say in one line of JSON what they are, and then wait to be looked at."""
import contextlib
import json
import os
import shutil
import struct
import subprocess

from support import BUILD, SOURCE, run

PACKAGE = SOURCE / "tests/rust-unprepared/Cargo.toml"
TARGET = BUILD / "rust-unprepared"


def compiled(scratch, compiler, name, *options):
    """Returns the program of a file of tests/targets, which is compiled once for each compiler and its options."""
    program = scratch / f"{name}-{compiler}{''.join(options)}"
    if not program.exists():
        run(compiler, "-std=c++20", "-g", SOURCE / f"tests/targets/{name}.cpp", "-o", program, "-pthread", *options)
    return program


def as_by_debugger(core, path):
    """A copy of the kernel's core dump as gdb writes one: what no process wrote to is not even listed. Returns its path."""
    image = bytearray(core.read_bytes())
    first, = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    left_out = 0
    for at in range(first, first + size * count, size):
        kind, = struct.unpack_from("<I", image, at)
        in_file, = struct.unpack_from("<Q", image, at + 32)
        if kind == 1 and in_file == 0:
            struct.pack_into("<I", image, at, 0)
            left_out += 1
    assert left_out, "the core dump lists nothing that it leaves out"
    path.write_bytes(image)
    return path


def built(name):
    """Returns the program of tests/rust-unprepared in both profiles; None, and the reason, if cargo or the crates cannot be
    had."""
    if not shutil.which("cargo"):
        return None, "there is no cargo"
    environment = {**os.environ, "CARGO_BUILD_JOBS": "1"}
    got = subprocess.run(["cargo", "fetch", "--locked", "--quiet", "--manifest-path", PACKAGE], capture_output=True, text=True,
                         env=environment)
    if got.returncode != 0:
        return None, f"cargo cannot fetch the crates: {got.stderr.strip().splitlines()[-1:]}"
    for profile in ((), ("--release",)):
        run("cargo", "build", "--locked", "--offline", "--quiet", *profile, "--manifest-path", PACKAGE, "--target-dir", TARGET,
            env=environment, timeout=900)
    return [TARGET / profile / name for profile in ("debug", "release")], None


@contextlib.contextmanager
def running(*command, **options):
    """Starts the program; returns it, and what it says of itself."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options) as process:
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()
