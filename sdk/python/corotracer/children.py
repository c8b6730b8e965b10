# SPDX-License-Identifier: MIT
"""Records the processes that a program makes of itself, as servers with several workers do: by os.fork, and by
multiprocessing's method spawn. Those of its fork server are not recorded."""
import multiprocessing.spawn
import os

import corotracer
from . import _probe

_BEGIN = """\
try:
    import corotracer.children
    corotracer.children.begin()
except ImportError:
    pass
"""

_is_followed = False
_command_line = multiprocessing.spawn.get_command_line


def begin():
    """In such a process: records its tasks, and the processes that it makes."""
    corotracer.install()
    follow()


def follow():
    """Records the processes that are made from now on. May be called again."""
    global _is_followed
    if _is_followed:
        return
    _is_followed = True
    multiprocessing.spawn.get_command_line = traced_command_line
    os.register_at_fork(after_in_child=_probe.attach)


def traced_command_line(**arguments):
    """The command line by which multiprocessing starts a process, which begins to record before all else."""
    command = _command_line(**arguments)
    if "-c" in command:
        place = command.index("-c") + 1
        command[place] = _BEGIN + command[place]
    return command
