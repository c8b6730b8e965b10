# SPDX-License-Identifier: MIT
"""Tests that the installed files work wherever they were moved to: the program finds the descriptor ledger; foreign
programs build against the library with pkg-config, and see only its public names, each of which has a man page. The
packages of Python and Lua lie where these look for them.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import sys

from support import BUILD, SOURCE, check, folder, run

sys.path.insert(0, str(SOURCE / "tools"))
import headers  # noqa: E402

# Records `true` through the library, and says why there was no ledger.
RECORDER = r"""
#include <corotracer/ct.h>
#include <stdio.h>
int main(void)
{
	char *const command[] = {"true", NULL};
	struct ct_record_options options = {.size = sizeof(options), .command = command};
	struct ct_record_stats stats;
	struct ct_record *record;
	if (ct_record_open(&options, &record, NULL))
		return 1;
	while (ct_record_step(record, 100, NULL) == CT_OK)
		continue;
	ct_record_stats(record, &stats);
	puts(stats.ledger_absence ? stats.ledger_absence : "with the ledger");
	return ct_record_close(record, NULL) != CT_OK;
}
"""
# Writes a trace as JSON lines, a row for every event.
WRITER = r"""
#include <corotracer/ct.h>
int main(int argc, char **argv)
{
	struct ct_write_options options = {.size = sizeof(options), .format = CT_FORMAT_JSONL, .all_kinds = true};
	struct ct_trace *trace;
	int status;
	if (argc != 2 || ct_trace_open(argv[1], NULL, &trace, NULL))
		return 1;
	status = ct_trace_write(trace, &options, "-", NULL);
	ct_trace_close(trace);
	return status;
}
"""
CASE = """trace from=0 until=2s
process 1 pid=100 program=/bin/app probe ledger
thread 1 tid=101
site 1 kind=source file=/src/app.c line=10 function=main
site 2 kind=instruction module=/bin/app offset=0x1234 address=0x401234
1ms t1 suspend c1 timer:1 @1
2ms t1 resume c1
3ms t1 suspend c1 timer:2 @1
4ms t1 crash 0xdead @2 argument=11
end 1 signaled 11 at=1s
"""


def only(root, pattern):
    """Returns the only file of this name below `root`."""
    found = list(root.rglob(pattern))
    check(len(found) == 1, f"{pattern}: {found}")
    return found[0]


def compile_and_run(root, source, *arguments):
    """Builds against the tree with pkg-config, and runs the program with the tree's library."""
    package = only(root, "corotracer.pc").parent
    environment = dict(os.environ, PKG_CONFIG_LIBDIR=str(package), PKG_CONFIG_SYSROOT_DIR=str(root))
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "corotracer", env=environment).stdout)
    program = source.with_suffix("")
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, *flags, "-o", program)
    return run(program, *arguments, env=dict(os.environ, LD_LIBRARY_PATH=str(package.parent))).stdout


def check_program(place, root):
    """The moved program finds the ledger; a copy that has no ledger beside it says where it looked."""
    program = only(root, "bin/corotracer")
    said = run(program, "run", "-o", place / "t.ctrace", "--", "true").stderr
    check("without the descriptor ledger" not in said and "ledger saw" in said, f"the moved program says: {said}")
    alone = place / "alone"
    alone.mkdir()
    shutil.copy(program, alone)
    said = run(alone / "corotracer", "run", "-o", place / "t.ctrace", "--", "true").stderr
    if "without the descriptor ledger" in said:  # otherwise the ledger is installed on this machine, too
        check(said.count("libcorotracer-ledger.so'") == 3 and str(alone) in said, f"places are not named: {said}")


def check_headers(place, root):
    """The headers for C++ are found with pkg-config, installed or not."""
    (place / "traced.cpp").write_text("#include <coroTracer.h>\nint main() { corotracer::InitTracer(); }\n")
    installed = {"PKG_CONFIG_LIBDIR": str(only(root, "corotracer-cpp.pc").parent), "PKG_CONFIG_SYSROOT_DIR": str(root)}
    for environment in (installed, {"PKG_CONFIG_LIBDIR": str(BUILD / "meson-uninstalled")}):
        flags = shlex.split(run("pkg-config", "--cflags", "corotracer-cpp", env=dict(os.environ, **environment)).stdout)
        run("c++", "-std=c++20", "-Werror", "-fsyntax-only", *flags, place / "traced.cpp")


def check_library(place, root):
    shutil.copy(SOURCE / "examples/own-analysis.c", place)
    (place / "case.txt").write_text(CASE)
    said = compile_and_run(root, place / "own-analysis.c", place / "case.txt")
    for line in ("/src/app.c:10: 1 ended waits, 99 of 100 within 1.000 ms; 1 go on",
                 "  coroutine 1 waits for timer 2 since 997.000 ms", "crash, proven: the program was ended by SIGSEGV"):
        check(line in said, said)
    (place / "recorder.c").write_text(RECORDER)
    said = compile_and_run(root, place / "recorder.c")
    check(said == "with the ledger\n", f"beside the library: {said}")
    (place / "writer.c").write_text(WRITER)
    rows = [json.loads(line) for line in compile_and_run(root, place / "writer.c", place / "case.txt").splitlines()]
    check([row.get("event") for row in rows] == [None, None, None, "crash"], f"rows of all kinds: {rows}")


def check_names(root):
    """Each library exports what its version script lists, under that version, and nothing else (tools/check-symbols)."""
    for library, script in (("libcorotracer", "src/lib/corotracer.map"), ("libcorotracer-probe", "sdk/c/probe.map")):
        lines = run("nm", "-D", "--defined-only", only(root, f"{library}.so.*.*")).stdout.splitlines()
        version = re.search(r"^(\w+) \{", (SOURCE / script).read_text(), re.MULTILINE)[1]
        exported = {line.split()[-1] for line in lines if " A " not in line}
        listed = {f"{name}@@{version}" for name in headers.symbols(SOURCE / script)}
        check(len(listed) > 50 and exported == listed,
              f"{script} and {library} differ in {sorted(exported ^ listed)}: what a script lists has to be there, and "
              "what a program may use has to be listed")


def check_manual(root):
    """`man` finds each function of the libraries, and the page says what its header does."""
    pages = only(root, "ct_trace_open.3").parent.parent
    groups = [*headers.library(), *headers.probe()]
    for name in (name for group in groups for name in group.names()):
        check((pages / f"man3/{name}.3").exists(), f"no man page is called {name}")
    if shutil.which("man"):
        said = run("man", "-M", pages, "ct_trace_close", env=dict(os.environ, MANWIDTH="80", LC_ALL="C")).stdout
        check("frees the trace and everything that was borrowed from it" in " ".join(said.split()), said)


def check_python(root):
    """The packages lie below the prefix, where the interpreter looks; otherwise in a place that meson names."""
    if not (BUILD / "sdk/python/corotracer/_probe.abi3.so").exists():
        return
    package = only(root, "_probe.abi3.so").parent
    prefix = pathlib.Path("/") / only(root, "bin/corotracer").parent.parent.relative_to(root)
    searched = run(sys.executable, SOURCE / "tools/find-site-packages", prefix).stdout.strip()
    check(searched in ("", f"/{package.parent.relative_to(root)}"), f"Python looks in {searched}, and {package} was installed")
    said = run(sys.executable, "-B", "-c", "import corotracer, corotracer.greenlets; corotracer.install(); print(corotracer.__file__)",
               env={**os.environ, "PYTHONPATH": str(package.parent)}).stdout
    check(said == f"{package}/__init__.py\n", f"another package is imported: {said}")
    run(sys.executable, "-B", "-m", "corotracer", "-h", env={**os.environ, "PYTHONPATH": str(package.parent)})


def check_lua(root):
    if not (BUILD / "sdk/lua/corotracer.so").exists():
        return
    module = only(root, "lua/5.4/corotracer.so")
    if not shutil.which("lua5.4"):
        return
    searched = run("lua5.4", "-e", "print(package.cpath)").stdout.strip().split(";")
    place = f"/{module.parent.relative_to(root)}/?.so"
    check(place in searched or not place.startswith("/usr/"), f"Lua looks in {searched}, and {module} was installed")
    run("lua5.4", "-e", "require('corotracer').install()", env={**os.environ, "LUA_CPATH": f"{root}{place}"})


def main():
    with folder() as name:
        place = pathlib.Path(name)
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--tags", "devel,runtime,man,python-runtime",
            "--destdir", place / "first")
        root = place / "second"
        (place / "first").rename(root)
        check_program(place, root)
        check_headers(place, root)
        check_library(place, root)
        check_names(root)
        check_manual(root)
        check_python(root)
        check_lua(root)


if __name__ == "__main__":
    main()
