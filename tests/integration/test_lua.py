# SPDX-License-Identifier: MIT
"""Tests coroutines of Lua: the library's functions behave as before, the correct example has no finding, the fault is
named."""
import json
import os
import pathlib
import re
import shutil
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run, skip

EXAMPLE = SOURCE / "examples/lua/mail.lua"
MODULE = BUILD / "sdk/lua/corotracer.so"
ENVIRONMENT = {**os.environ, "LUA_CPATH": str(MODULE.parent / "?.so")}

# Prints the same with the module and without.
LIBRARY = """\
if arg[1] == "traced" then require("corotracer").install() end
local function show(...) print(select("#", ...), ...) end
local adds = coroutine.wrap(function(a) local b = coroutine.yield(a + 1); error("boom" .. b) end)
show(adds(1))
show(pcall(adds, 5))
show(pcall(function() adds() end))
local co = coroutine.create(function(...) return ... end)
show(coroutine.resume(co, 1, nil, 3))
show(coroutine.resume(co))
local waits = coroutine.create(function() coroutine.yield() end)
coroutine.resume(waits)
show(coroutine.close(waits), coroutine.status(waits))
show(coroutine.resume((coroutine.running())))
show(pcall(coroutine.wrap, 1))
for i in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do show(i) end
local inner = coroutine.wrap(function() coroutine.wrap(function() coroutine.yield() end)(); coroutine.yield("outer") end)
show(inner())
for _ = 1, 5 do coroutine.resume(coroutine.create(function() coroutine.yield() end)) end
collectgarbage()
"""

# Whatever call or return of the resuming thread a hook's error comes through, the coroutine has left afterwards. The
# interpreter raises such an error at Ctrl-C.
INTERRUPTED = """\
require("corotracer").install()
local function interrupt(event, nth)
	local co = coroutine.create(function() coroutine.yield() coroutine.yield() end)
	for _ = 1, 2 do
		local count = 0
		local function hook()
			count = count + 1
			if count == nth then debug.sethook() error("interrupted!", 0) end
		end
		print(event, nth, pcall(function()
			debug.sethook(hook, event)
			coroutine.resume(co)
			debug.sethook()
		end))
	end
	while coroutine.status(co) == "suspended" do coroutine.resume(co) end
end
for nth = 1, 6 do interrupt("c", nth) interrupt("r", nth) end
"""

# One coroutine fails, in a function that it calls; one comes to its end, and one is interrupted, as Ctrl-C does.
FAILED = """\
require("corotracer").install()
local function stamp(letter)
	if letter == 2 then error("a damaged letter") end
	coroutine.yield()
end
local sorts = coroutine.create(function() stamp(1) stamp(2) end)
coroutine.resume(sorts)
print(coroutine.resume(sorts))
print(coroutine.resume(coroutine.create(function() return 1 end)))
print(coroutine.resume(coroutine.create(function() error("interrupted!") end)))
"""


def check_library(place):
    program = place / "library.lua"
    program.write_text(LIBRARY)
    trace = place / "library.ctrace"
    plain = run("lua5.4", program, "plain", env=ENVIRONMENT).stdout
    traced = run(COROTRACER, "run", "-o", trace, "--", "lua5.4", program, "traced", env=ENVIRONMENT).stdout
    check(plain == traced, f"the library does\n{plain}and traced\n{traced}")
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)
    grave = [finding["title"] for finding in report["findings"] if finding["grade"] != "suspect"]
    check(not grave, f"{grave}")
    check("life=suspended" in run(COROTRACER, "dump", trace).stdout, "nothing is said of what was collected")


def check_interrupted(place):
    program = place / "interrupted.lua"
    program.write_text(INTERRUPTED)
    trace = place / "interrupted.ctrace"
    said = run(COROTRACER, "run", "-o", trace, "--", "lua5.4", program, env=ENVIRONMENT).stdout
    check(said.count("false\tinterrupted!") > 8, f"nothing was interrupted: {said}")
    told = run(COROTRACER, "report", trace, status=None).stdout
    check("not fit" not in told and "Nothing found" in told, told)
    events = [line.split()[2] for line in run(COROTRACER, "dump", trace).stdout.splitlines() if line]
    check(events.count("resume") == events.count("suspend") + events.count("return"), f"not every run has an end: {events}")


def check_failed(place):
    program = place / "failed.lua"
    program.write_text(FAILED)
    trace = place / "failed.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", "lua5.4", program, env=ENVIRONMENT)
    dump = run(COROTRACER, "dump", trace).stdout.splitlines()
    ends = [line.split()[3:] for line in dump if line.split()[2:3] == ["return"]]
    check(len(ends) == 3 and [end[0] for end in ends] == ["c1", "c2", "c3"], f"other ends: {ends}")
    check(all(len(end) == 1 for end in ends[1:]), f"what ended well, or by Ctrl-C, failed: {ends}")
    check("flags=0x1" in ends[0], f"the error is not recorded: {ends}")
    site = next(line for line in dump if line.startswith(f"site {ends[0][1][1:]} "))
    check("failed.lua line=3 function=stamp reason=error" in site, f"it is said to have failed at {site}")


def check_by_hand(place):
    """The README's command makes a module that Lua finds in the present folder."""
    command, = re.findall(r"^```console\n(.*)\n```", (SOURCE / "sdk/lua/README.md").read_text(), re.MULTILINE)
    for name in ("sdk", "include"):
        (place / name).symlink_to(SOURCE / name)
    run("bash", "-c", command, cwd=place)
    said = run("lua5.4", "-e", "require('corotracer').install() print(package.searchpath('corotracer', package.cpath))", cwd=place)
    check(said.stdout == "./corotracer.so\n", f"another module is found: {said.stdout}")


def record(place, *arguments):
    trace = place / "mail.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", "lua5.4", EXAMPLE, *arguments, env=ENVIRONMENT, status=None)
    return json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)["findings"]


def main():
    if not MODULE.exists() or not shutil.which("lua5.4"):
        skip("Lua 5.4, or its headers, are not installed")
    with folder() as name:
        place = pathlib.Path(name)
        check_library(place)
        check_interrupted(place)
        check_failed(place)
        check_by_hand(place)
        grave = [finding["title"] for finding in record(place) if finding["grade"] != "suspect"]
        check(not grave, f"the correct example: {grave}")
        found = [finding["title"] for finding in record(place, "--fault")
                 if finding["rule"] == "lost-wakeup" and finding["grade"] in ("likely", "proven")]
        lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
        waits = next(number for number, line in enumerate(lines, 1) if "waits_for" in line) + 1
        notifies = next(number for number, line in enumerate(lines, 1) if "corotracer.notify" in line)
        check(found and f"in read, examples/lua/mail.lua:{waits}" in found[0] and
              f"in write, examples/lua/mail.lua:{notifies} found nobody" in found[0], f"the fault is not found: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
