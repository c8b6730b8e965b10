# SPDX-License-Identifier: MIT
"""Filters for system calls, as containers have them; the numbers are those of x86-64."""
import ctypes
import os
import struct

EPERM, EINVAL, ENOSYS = 1, 22, 38
FCNTL, F_ADD_SEALS = 72, 1033
NUMBER, SECOND_ARGUMENT = 0, 24  # offsets in struct seccomp_data
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
REFUSE, ALLOW = 0x00050000, 0x7fff0000


def step(code, true, false, value):
    return struct.pack("HBBI", code, true, false, value)


def install(steps):
    """Installs a filter in the calling process and in all processes that it starts."""
    program = ctypes.create_string_buffer(b"".join(steps))
    filter_ = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(program))
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(38, 1, 0, 0, 0) or library.prctl(22, 2, ctypes.c_char_p(filter_)):
        os._exit(99)


def refuse_calls(errors):
    """Refuses each system call of a dictionary with the error that stands there."""
    steps = [step(LOAD, 0, 0, NUMBER)]
    for number, error in errors.items():
        steps += [step(IF_EQUAL, 0, 1, number), step(RETURN, 0, 0, REFUSE | error)]
    install([*steps, step(RETURN, 0, 0, ALLOW)])


def refuse_seals():
    """Memory without a name cannot be sealed, as where the kernel has no seals."""
    install([step(LOAD, 0, 0, NUMBER), step(IF_EQUAL, 0, 3, FCNTL), step(LOAD, 0, 0, SECOND_ARGUMENT),
             step(IF_EQUAL, 0, 1, F_ADD_SEALS), step(RETURN, 0, 0, REFUSE | EINVAL), step(RETURN, 0, 0, ALLOW)])
