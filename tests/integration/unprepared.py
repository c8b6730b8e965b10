# SPDX-License-Identifier: MIT
"""Programs without a probe, which say in one line of JSON what they are, and then wait to be looked at."""
import contextlib
import json
import subprocess

from support import SOURCE, run


def compiled(scratch, compiler, name, *options):
    """Returns the program of a file of tests/targets, which is compiled once for each compiler and its options."""
    program = scratch / f"{name}-{compiler}{''.join(options)}"
    if not program.exists():
        run(compiler, "-std=c++20", "-g", SOURCE / f"tests/targets/{name}.cpp", "-o", program, "-pthread", *options)
    return program


@contextlib.contextmanager
def running(*command, **options):
    """Starts the program; returns it, and what it says of itself."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options) as process:
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()
