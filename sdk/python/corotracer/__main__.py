# SPDX-License-Identifier: MIT
"""python -m corotracer PROGRAM.py [ARGUMENTS]: runs the program and records its tasks, and those of the processes
that it makes of itself. With -m MODULE instead, runs a module."""
import os
import runpy
import sys

from corotracer import children


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments == ["-m"] or arguments[0] in ("-h", "--help"):
        print(__doc__, file=sys.stdout if arguments[:1] in (["-h"], ["--help"]) else sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    children.begin()
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return 0
    if not os.path.exists(arguments[0]):
        print(f"corotracer: there is no '{arguments[0]}'", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
