# SPDX-License-Identifier: MIT
"""The C probe in older C++, and called as a library of plain functions from another language."""
import pathlib
import re
import shutil
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run

HEADERS = ("ctp_probe.h", "ctp_probe_events.h", "ctp_probe_annotate.h", "ctp_probe_runtime.h")
PARTS = {"thread_self", "stack_pointer", "present_pass", "time", "enter", "leave", "finish", "publish", "is_unwanted",
         "has_room", "emit_of", "emit_with_of", "site_hash", "site_lookup", "text_word", "fence",
         "time_of", "current_enter", "current_leave", "current_spawn", "current_spawned"}
SHARED = BUILD / "sdk/c/libcorotracer-probe.so"
LIFE = ["create", "resume", "suspend", "wake", "resume", "return", "destroy"]

CALLER = """\
import ctypes, sys
probe = ctypes.CDLL(sys.argv[1])
probe.ctp_coro_new.restype = ctypes.c_uint64
probe.ctp_attach.restype = ctypes.c_bool
number, word = ctypes.c_uint64, ctypes.c_uint32
if not probe.ctp_attach():
    sys.exit(3)
coro = number(probe.ctp_coro_new())
site = word(probe.ctp_intern(b"reply", word(5)))
probe.ctp_create(coro, number(0x1000), site)
probe.ctp_resume(coro, word(0))
probe.ctp_suspend(coro, number(0), site, word(1))
probe.ctp_wake(number(0), coro, site, word(0))
probe.ctp_resume(coro, word(1))
probe.ctp_return(coro)
probe.ctp_destroy(coro, word(0))
"""


def check_list():
    """Each call of the headers is in the list, with its parameters, and in the library."""
    calls = {}
    for header in HEADERS:
        text = (SOURCE / "include/corotracer" / header).read_text()
        for name, parameters in re.findall(r"^CTP_INLINE [^(]*?ctp_(\w+)\(([^{]*?)\)\s*{", text, re.MULTILINE):
            calls[name] = " ".join(parameters.split())
    text = (SOURCE / "include/corotracer/def/functions.def").read_text()
    listed = dict(re.findall(r"^X\([\w ]+, (\w+), \((.*?)\), \(", text, re.MULTILINE))
    wanted = {name: parameters for name, parameters in calls.items() if name not in PARTS}
    check(PARTS <= set(calls) and len(wanted) > 50, "the headers were not understood")
    check(listed == wanted, f"functions.def and the headers differ: {set(listed.items()) ^ set(wanted.items())}")
    symbols = set(re.findall(r" T ctp_(\w+)", run("nm", "-D", "--defined-only", SHARED).stdout))
    check(set(listed) <= symbols, f"the library lacks {set(listed) - symbols}")


def check_run(place, *command):
    trace = place / "t.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", *command)
    kinds = re.findall(r"^\S+ +t\d+ ([\w-]+)", run(COROTRACER, "dump", trace).stdout, re.MULTILINE)
    check([kind for kind in kinds if kind in LIFE] == LIFE, f"{command[0]} was recorded as {kinds}")


def check_older_cpp(place):
    source = SOURCE / "tests/targets/older_cpp.cpp"
    for compiler in ("g++", "clang++"):
        for standard in ("c++11", "c++14", "c++17") if shutil.which(compiler) else ():
            program = place / f"{compiler}-{standard}"
            run(compiler, f"-std={standard}", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", SOURCE / "include",
                source, BUILD / "sdk/c/libcorotracer-probe.a", "-o", program)
            check_run(place, program)


def main():
    check_list()
    with folder() as name:
        place = pathlib.Path(name)
        (place / "caller.py").write_text(CALLER)
        check_run(place, sys.executable, place / "caller.py", SHARED)
        check_older_cpp(place)


if __name__ == "__main__":
    main()
