# SPDX-License-Identifier: MIT
"""Tests that the way in which a frozen program is ended does not change the reported cause.

Three programs (tests/targets/frozen.cpp) are ended in each of the ways in which people end programs: keys in a
terminal, `timeout`, signals to the program, to the engine, to all, both killed, and by the program itself. The finding
must be the same each time; also if main waits in something unrelated, and ends the program.

Some ways give the engine only a certain time to see the threads at rest. On a very busy machine this may be too short,
and less is reported: then the same is tried with a longer time.
"""
import concurrent.futures
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import time

from support import BUILD, COROTRACER, check, folder, run

FROZEN = BUILD / "tests/targets/frozen"
HELD_MUTEX = BUILD / "tests/targets/held_mutex"
AT_ONCE = 9
PROGRAMS = {  # the rule, words of the title, and the number of threads
    "never": ("lost-wakeup", "co_await Never", 1),
    "reply": ("lost-wakeup", "co_await Reply", 3),
    "reply-base": ("lost-wakeup", "co_await Reply", 3),
    "locks": ("mutex-deadlock", "co_await Lock", 3),
}
# These end by themselves: a thread of the program's own sleeps, and could have woken a coroutine.
BY_ITSELF = {"exit": 3, "abort": 128 + signal.SIGABRT, "assert": 128 + signal.SIGABRT}


def command(trace, program, *way):
    return [COROTRACER, "run", "-o", str(trace), "--", str(FROZEN), program, *way]


def partial(trace):
    return pathlib.Path(f"{trace}.partial")


def wait_until_looked(trace, program):
    """Waits until the file shows what the threads do after they froze: each of them is in a call without time-out."""
    nr_threads = PROGRAMS[program][2]
    states = []
    while len(states) < nr_threads or not all("argument=1" in line for line in states[-nr_threads:]):
        time.sleep(0.02)  # leaves the processor to other processes
        told = run(COROTRACER, "dump", partial(trace), status=None).stdout
        states = [line for line in told.splitlines() if " thread-state " in line]


def test_mutex_owner(scratch):
    """Of a thread that waits for a mutex of the C library, the engine records which thread has the mutex."""
    trace = scratch / "held.ctrace"
    with subprocess.Popen([COROTRACER, "run", "-o", trace, "--", HELD_MUTEX], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as engine:
        said = json.loads(engine.stdout.readline())
        looks = []
        while not looks:
            time.sleep(0.02)  # leaves the processor to other processes
            told = run(COROTRACER, "dump", partial(trace), status=None).stdout
            looks = [int(line.split()[4]) for line in told.splitlines()
                     if f" thread-state tid={said['waiter']} " in line and line.endswith(" flags=0x20")]
        engine.communicate(timeout=60)
    check(all(look >> 32 == said["holder"] for look in looks), f"{[look >> 32 for look in looks]}, not {said}")


def target_of(engine):
    return int(pathlib.Path(f"/proc/{engine.pid}/task/{engine.pid}/children").read_text().split()[0])


def end(engine):
    """Ends the target, which may be left: waiting for the engine's output would also wait for the target."""
    words = engine.communicate(timeout=60)[1]
    check("Traceback" not in words, words)


def by_signal(number, to):
    def way(trace, program, _):
        with subprocess.Popen(command(trace, program), stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as engine:
            wait_until_looked(trace, program)
            target = target_of(engine)
            if to == "group":
                os.killpg(engine.pid, number)
            else:
                os.kill(engine.pid if to == "engine" else target, number)
            if (to, number) == ("engine", signal.SIGKILL):
                engine.wait()
                os.kill(target, signal.SIGKILL)
            end(engine)
    return way


def under_shell(trace, program, _):
    """Only the engine gets the signal, and a shell stands between the engine and the program: both end by the
    signal."""
    words = command(trace, program)
    begin = words.index("--") + 1
    words[begin:] = ["sh", "-c", '"$@"; echo next', "sh", *words[begin:]]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as engine:
        wait_until_looked(trace, program)
        engine.terminate()
        said = engine.communicate(timeout=60)[0]
    check("next" not in said, "the shell went on")
    return wrong_ends(trace)


def under_timeout(trace, program, seconds):
    words = command(trace, program)
    begin = words.index("--") + 1
    words[begin:] = ["timeout", str(seconds), *words[begin:]]
    run(*words, status=124)
    return wrong_ends(trace)


def wrong_ends(trace):
    """The end of a process whose parent is not the engine is known if the kernel also reports it to other processes."""
    release = tuple(int(number) for number in os.uname().release.split("-")[0].split(".")[:2])
    processes = json.loads(run(COROTRACER, "report", "--format", "json", trace, status=None).stdout)["processes"]
    ends = [(process["ending"], process["ending_value"]) for process in processes if process["program"] == str(FROZEN)]
    return None if ends == [("signaled", signal.SIGTERM)] or release < (6, 15) else f"how the program ended: {ends}"


def by_timeout(trace, program, seconds):
    run("timeout", seconds, *command(trace, program), status=124)


def by_key(key):
    def way(trace, program, _):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(COROTRACER, command(trace, program))
        wait_until_looked(trace, program)
        os.write(terminal, key)
        try:
            while os.read(terminal, 4096):
                pass
        except OSError:  # the other end is closed
            pass
        os.waitpid(pid, 0)
        os.close(terminal)
    return way


def by_itself(how):
    def way(trace, program, seconds):
        run(*command(trace, program, how, str(seconds)), status=BY_ITSELF[how])
    return way


WAYS = {
    "control-c": by_key(b"\x03"),
    "control-backslash": by_key(b"\x1c"),
    "timeout": by_timeout,
    "timeout inside": under_timeout,
    "SIGTERM to the engine of a shell": under_shell,
    **{f"{name} to the {to}": by_signal(getattr(signal, name), to)
       for name in ("SIGTERM", "SIGINT", "SIGHUP") for to in ("group", "engine", "program")},
    **{f"{name} to the program": by_signal(getattr(signal, name), "program")
       for name in ("SIGQUIT", "SIGABRT", "SIGKILL")},
    "SIGKILL to the engine": by_signal(signal.SIGKILL, "engine"),
    **{how: by_itself(how) for how in BY_ITSELF},
}


def by_main(how):
    """The program ends with status 0, whatever main waited in until then. The thing that the coroutine waits for had
    been given."""
    def way(trace, program, seconds):
        with subprocess.Popen(command(trace, program, how, str(seconds)), stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as engine:
            if how == "key":
                wait_until_looked(trace, program)
            engine.communicate("\n", timeout=60)
            check(engine.returncode == 0, f"exit status {engine.returncode}")
    return way


MAINS = {f"the end of main, in {how}": by_main(how) for how in ("sleep", "timed", "join", "key")}


WHILES = (1, 5, 25)  # seconds


def judge_patiently(scratch, program, name):
    for seconds in WHILES:
        wrong = judge(scratch, program, name, seconds)
        if not wrong:
            return None
        for left in scratch.glob(f"{program} {name}.ctrace*"):
            left.unlink()
    return wrong


def judge(scratch, program, name, seconds):
    trace = scratch / f"{program} {name}.ctrace"
    wrong = (WAYS | MAINS)[name](trace, program, seconds)
    if wrong:
        return f"{program}, ended by {name}: {wrong}"
    told = run(COROTRACER, "report", "--format", "json", trace if trace.exists() else partial(trace), status=None).stdout
    findings = [finding for finding in json.loads(told)["findings"] if finding["rule"] != "crash"]
    rule, words, _ = PROGRAMS[program]
    is_outside = name in WAYS and (name not in BY_ITSELF or rule == "mutex-deadlock")
    grades = ("proven",) if is_outside else ("proven", "likely")
    if [finding["rule"] for finding in findings] != [rule] or findings[0]["grade"] not in grades:
        return f"{program}, ended by {name}: {[(f['rule'], f['grade'], f['title']) for f in findings]}"
    if words not in findings[0]["title"]:
        return f"{program}, ended by {name}: {findings[0]['title']}"
    return None


def main():
    with folder() as name, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        scratch = pathlib.Path(name)
        test_mutex_owner(scratch)
        verdicts = [pool.submit(judge_patiently, scratch, program, way) for way in WAYS for program in PROGRAMS
                    if program != "reply-base"]
        verdicts += [pool.submit(judge_patiently, scratch, program, way) for way in MAINS for program in PROGRAMS
                     if program != "never"]
        wrong = [verdict.result() for verdict in verdicts if verdict.result()]
    check(not wrong, "\n".join(["not the same verdict:", *wrong]))


if __name__ == "__main__":
    sys.exit(main())
