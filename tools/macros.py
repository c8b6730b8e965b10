# SPDX-License-Identifier: MIT
"""Reads the macros that a C compiler's own headers define: tools get the machine's numbers from these macros."""
import re
import subprocess
import sys


def macros(compiler, header, name=r"\w+", value=r".*"):
    """Returns [(name, value)] of the macros of `header` that match. Ends the tool with a sentence if the header cannot
    be read."""
    try:
        told = subprocess.run([*compiler, "-D_GNU_SOURCE", "-E", "-dM", "-x", "c", "-"], input=f"#include <{header}>\n",
                              capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"{sys.argv[0]}: {compiler[0]}: {error.strerror}")
    if told.returncode:
        sys.exit(f"{sys.argv[0]}: {compiler[0]} cannot read <{header}> (Debian: libc6-dev)\n{told.stderr.strip()}")
    return re.findall(rf"^#define ({name}) ({value})$", told.stdout, re.MULTILINE)
