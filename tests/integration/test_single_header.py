# SPDX-License-Identifier: MIT
"""Tests the probe as one header: programs that have that file and nothing else are traced, in C, C++11 and C++20, with gcc
and clang."""
import pathlib
import re
import shutil

from support import COROTRACER, SOURCE, check, folder, run

CPP = """#include "coroTracer.h"
struct Task {
	struct promise_type : corotracer::PromiseMixin {
		Task get_return_object() noexcept { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() noexcept {}
		void unhandled_exception() noexcept {}
	};
};
Task wait()
{
	co_await std::suspend_always{};
}
uint64_t other();
int main()
{
	corotracer::InitTracer();
	wait();
	return other() != 0;
}
"""
OTHER = """#include "coroTracer.h"
uint64_t other();
uint64_t other() { return corotracer::current_id(); }
"""
STATE = """#define _GNU_SOURCE
#define CTP_PROBE_IMPLEMENTATION
#include "ctp_probe.h"
"""
C = """#include "ctp_probe.h"
int main(void)
{
	uint64_t coro;
	ctp_attach();
	coro = ctp_coro_new();
	ctp_create(coro, 0, CTP_SITE("made"));
	ctp_resume(coro, CTP_POINT_INITIAL);
	ctp_suspend(coro, 0, CTP_SITE("waits"), CTP_POINT_AWAIT);
	return 0;
}
"""
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def check_traced(place, program):
    """The program's one coroutine is recorded up to its suspension."""
    run(COROTRACER, "run", "-o", place / "run.ctrace", "--", program)
    lines = run(COROTRACER, "dump", "--no-symbols", place / "run.ctrace").stdout.splitlines()
    kinds = [line.split()[2] for line in lines if line[:1].isdigit()]
    check("create" in kinds and kinds[-1] == "suspend", f"{program}: {kinds}")


def main():
    with folder() as name:
        place = pathlib.Path(name)
        for language, header in (("cpp", "coroTracer.h"), ("c", "ctp_probe.h")):
            run(SOURCE / "tools/make-single-header", language, "-o", place / header)
            text = (place / header).read_text()
            check(not re.search(r'^\s*#\s*include\s+"', text, re.MULTILINE) and "Permission is hereby granted" in text, f"{header} is not alone")
        for file, text in (("main.cpp", CPP), ("other.cpp", OTHER), ("state.c", STATE), ("main.c", C), ("eleven.cpp", C)):
            (place / file).write_text(text)
        for c, cpp in (("gcc", "g++"), ("clang", "clang++")):
            if not shutil.which(c):
                continue
            run(cpp, "-std=c++20", *WARNINGS, "main.cpp", "other.cpp", "-o", "twenty", cwd=place)
            run(c, *WARNINGS, "-c", "state.c", cwd=place)
            run(c, *WARNINGS, "main.c", "state.o", "-pthread", "-o", "plain", cwd=place)
            run(cpp, "-std=c++11", *WARNINGS, "eleven.cpp", "state.o", "-pthread", "-o", "eleven", cwd=place)
            for program in ("twenty", "plain", "eleven"):
                check_traced(place, place / program)


main()
