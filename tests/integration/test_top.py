# SPDX-License-Identifier: MIT
"""Tests the screens of `top`, driven by keys in a real terminal (tmux), and its single frames as text (`--once`).

The test waits for whatever a screen should show, and assumes no time in which it is shown.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from support import BUILD, COROTRACER, SOURCE, check, fail, folder, run, skip
from unprepared import compiled, running

CASE = "0001-closed-under-waiters"
CLOCKS = "0079-ring-order"  # a case in which a delay is negative
UNSEEN = "no coroutine was seen, because no probe attached"
GIVE_UP = 60  # seconds after which the test no longer waits


class Terminal:
    """A shell in a terminal of a separate tmux server; `top` is typed into it."""

    def __init__(self, place, width=80, height=24, **environment):
        self.socket = str(pathlib.Path(place, f"tmux-{width}x{height}-{len(list(pathlib.Path(place).iterdir()))}"))
        environment = {**os.environ, "LC_ALL": "C.UTF-8", **environment}
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), "sh", environment=environment)
        self.wait_for(str.strip, "a shell")

    def tmux(self, *words, environment=None):
        result = subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *words], env=environment, check=False,
                                capture_output=True, text=True)
        check(result.returncode == 0, f"tmux {words}: {result.stderr}")
        return result.stdout

    def frame(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def wait_for(self, is_there, what):
        """Returns the frame in which the words are shown."""
        until = time.monotonic() + GIVE_UP
        while True:
            frame = self.frame()
            if is_there(frame):
                return frame
            check(time.monotonic() < until, f"{what} did not appear:\n{frame}")

    def until(self, *texts):
        return self.wait_for(lambda frame: all(text in frame for text in texts), texts)

    def top(self, *arguments):
        self.type(" ".join([f"clear; '{COROTRACER}' top", *map(str, arguments), "; echo left with $?"]))
        self.keys("Enter")

    def close(self):
        self.tmux("kill-server")


@contextlib.contextmanager
def terminal(place, **options):
    opened = Terminal(place, **options)
    try:
        yield opened
    finally:
        opened.close()


def trace_in(place, case=CASE):
    text = re.search(r"^--- trace\n(.*?)^--- ", (SOURCE / f"tests/cases/{case}.case").read_text(), re.MULTILINE | re.DOTALL)[1]
    pathlib.Path(place, "case.txt").write_text(text)
    trace = pathlib.Path(place, f"{case}.ctrace")
    run(COROTRACER, "assemble", "-o", trace, pathlib.Path(place, "case.txt"))
    return trace


# ---------------------------------------------------------------- one frame as text

ONCE_COROUTINES = """\
server (pid 100)  2.00 s  22 events  0 lost  recorded to the end
coroutines by LONGEST, the greatest first: 3 of 3
       ID  STATE                SINCE   LONGEST   RUNNING     READY    RESUMES  NAME                  WAITS FOR               PLACE
        1  waiting             2.00 s    2.00 s         -         -          0  accept_loop           descriptor 7            co_await AsyncRead in handle, src/server.cpp:120
        2  waiting             2.00 s    2.00 s         -         -          0  accept_loop           descriptor 8            co_await AsyncRead in handle, src/server.cpp:120
        3  waiting             1.99 s    1.99 s   10.0 us   10.0 us          1  accept_loop           descriptor 9            co_await AsyncRead in handle, src/server.cpp:120
"""


def once(trace, *options, status=0):
    return run(COROTRACER, "top", "--once", *options, trace, status=status)


def ids(trace, *options):
    """Returns the ids of the coroutines that a filter leaves, in their order."""
    rows = once(trace, "--screen", "coroutines", *options).stdout.splitlines()[3:]
    return [int(row.split()[0]) for row in rows]


def check_once(trace):
    check(once(trace, "--screen", "coroutines").stdout == ONCE_COROUTINES, once(trace, "--screen", "coroutines").stdout)
    found = once(trace).stdout
    check("1 of 1" in found and re.search(r"1  proven +2  waits-on-closed-descriptor +2 of 3 coroutines wait", found), found)
    check("worker-0 (101)" in once(trace, "-s", "workers").stdout, "no worker")
    check(re.search(r"^ +3 +1 +7\.00 ms", once(trace, "-s", "places").stdout, re.MULTILINE), "no place")
    check("descriptor 9" in once(trace, "-s", "resources").stdout, "no resource")


def check_nothing_taken(place):
    """A time that is 0 or negative is shown as a dash."""
    told = once(trace_in(place, CLOCKS), "-s", "coroutines").stdout
    check(re.search(r"^ +1  waiting +2\.00 s +2\.00 s +1\.00 ms +- ", told, re.MULTILINE) and " 0 ns" not in told, told)


def check_words(place):
    """A state has the words that reports and the page have for it."""
    text = pathlib.Path(place, "words.txt")
    text.write_text("trace from=0 until=2s\nprocess 1 pid=100 program=/bin/server probe\nthread 1 tid=101 name=worker-0\n"
                    "site 1 kind=source file=/src/server.c line=10 function=main\n1ms t1 create c7 @1\n")
    told = once(text, "-s", "coroutines").stdout
    check(re.search(r"^ +7  not begun +", told, re.MULTILINE) and "unseen" not in told, told)
    check("1 not begun" in run(COROTRACER, "report", text).stdout, "the report has other words")


def check_unseen(place):
    """If no coroutine was seen in a trace, this is said first, on a screen and as text."""
    trace = pathlib.Path(place, "unseen.ctrace")
    run(COROTRACER, "run", "-o", trace, "--", "true")
    told = once(trace).stdout.splitlines()
    check(told[1] == UNSEEN and told[2].startswith("findings by"), f"{told}")
    return trace


def check_filters(trace):
    check(ids(trace, "--sort", "-id") == [1, 2, 3], "sorted upwards")
    check(ids(trace, "--sort", "ID") == [3, 2, 1], "sorted downwards")
    check(ids(trace, "--sort", "since") == [1, 2, 3], "sorted by age")
    check(ids(trace, "-n", "2") == [1, 2], "two rows")
    for words, left in (("asyncread", [1, 2, 3]), ("nothing", []), ("state=waiting", [1, 2, 3]), ("state!=waiting", []),
                        ("running>5us", [3]), ("running<=5us", [1, 2]), ("since>=1995ms", [1, 2]), ("since<1.995s", [3]),
                        ("id>1 id<3", [2]), ("wait_object~*9", [3]), ("nr_resumes=1", [3]), ("name=accept_loop", [1, 2, 3]),
                        ("name=accept", []), ("name~ACCEPT", [1, 2, 3]), ("handle id=2", [2])):
        check(ids(trace, "--sort", "-id", "--filter", words) == left, f"{words}: {ids(trace, '--filter', words)}")
    for words, complaint in (("state=asleep", "'state' has no value 'asleep'"), ("nosuch=1", "no column 'nosuch' is in 'coroutines'"),
                             ("id=", "'id' is compared with nothing"), ("1 2 3 4 5 6 7 8 9", "more conditions")):
        result = once(trace, "-s", "coroutines", "--filter", words, status=2)
        check(complaint in result.stderr and not result.stdout, result.stderr)


def check_refusals(trace, place):
    for words, complaint in ((["top", trace, trace], "one process or trace at a time"), (["top", trace], "need a terminal"),
                             (["top", "--once", "--sort", "nosuch", trace], "'nosuch' is no column of findings"),
                             (["top", "--rows", "3", trace], "go with '--once'"), (["top", "-"], "standard input"),
                             (["top", "--once", "-s", "nosuch", trace], "--screen"),
                             (["top", "--once", "--filter", "x" * 200, trace], "too long")):
        result = run(COROTRACER, *words, status=None, stdin=subprocess.DEVNULL)
        check(result.returncode in (2, 7) and len(result.stderr.splitlines()) == 1, f"{words}: {result.returncode} {result.stderr}")
        check(complaint in result.stderr or "without its screens" in result.stderr, f"{words}: {result.stderr}")
    pathlib.Path(place, "no-trace").write_text("hello")
    check("no-trace" in run(COROTRACER, "top", pathlib.Path(place, "no-trace"), status=5).stderr, "no file is named")
    check("nobody" in run(COROTRACER, "top", pathlib.Path(place, "nobody"), status=4).stderr, "no file is named")


# ---------------------------------------------------------------- screens

def check_findings(place, trace):
    with terminal(place) as shown:
        shown.top(trace)
        frame = shown.until("What happened", "q quit")
        check(frame.splitlines()[0].startswith("server (pid 100)  2.00 s  22 events  0 lost"), frame)
        check("proven         2  2 of 3 coroutines wait for descriptors" in frame, frame)
        check("Reactor::on_hangup, src/reactor.cpp:200" in frame, frame)
        check(all(len(line) <= 80 for line in frame.splitlines()), frame)
        shown.keys("Enter")
        shown.until("proven: waits-on-closed-descriptor", "1 of 3")
        shown.keys("G")
        shown.until("Coroutines (Enter: one of them)", "2  waiting     2.00 s")
        shown.keys("Enter")
        shown.until("Coroutine 2  accept_loop", "the descriptor was closed: it can never become ready")
        shown.keys("G")
        frame = shown.until("Its time", "longest wait")
        check(re.search(r"^ *running +- +0%", frame, re.MULTILINE) and " 0 ns" not in frame, frame)
        shown.keys("Escape")
        shown.until("Coroutines (Enter: one of them)")
        shown.keys("Escape")
        shown.until("GRADE")
        shown.keys("q")
        shown.until("left with 0")


def check_unseen_screen(place, trace):
    with terminal(place) as shown:
        shown.top(trace)
        shown.until("1 findings", UNSEEN.capitalize())
        shown.keys("p")
        shown.until("ENDED99", UNSEEN)
        shown.keys("q")
        shown.until("left with 0")


def check_keys(place, trace):
    with terminal(place) as shown:
        shown.top(trace, "--screen", "coroutines")
        frame = shown.until("LONGEST▼", "1 of 3")
        check([line.split()[0] for line in frame.splitlines()[3:6]] == ["1", "2", "3"], frame)
        shown.keys("j")
        shown.until("2 of 3")
        shown.keys("G")
        shown.until("3 of 3")
        shown.keys("g", "w")
        shown.until("Why it does not run", "closed")
        shown.keys("BSpace")
        shown.until("LONGEST▼")
        shown.keys("h", "h", "h")
        frame = shown.until("ID▼")
        check(frame.splitlines()[3].split()[0] == "3", frame)
        shown.keys("i")
        frame = shown.until("ID▲")
        check(frame.splitlines()[3].split()[0] == "1", frame)
        shown.keys("/")
        shown.type("running>5us")
        shown.until("filter: running>5us")
        shown.keys("Enter")
        shown.until("1 of 1", "filter: running>5us  (Esc: all)")
        shown.keys("/")
        shown.type("x=")
        shown.keys("Enter")
        shown.until("has no value")
        shown.keys("Escape")
        shown.until("1 of 3")
        for key, text in (("p", "DELAY99"), ("r", "HELD BY"), ("o", "SCHED"), ("f", "GRADE"), ("?", "this help")):
            shown.keys(key)
            shown.until(text) if key != "p" else shown.until("WAITS", "ENDED99")
        shown.keys("?", "p")
        shown.until("ENDED99", "1 of 2")
        shown.keys("Enter")
        shown.until("state=waiting wait_site=", "1 of 3")
        shown.keys("Escape")
        shown.until("ENDED99", "1 of 2")
        shown.keys("q")
        shown.until("left with 0")


def check_sizes(place, trace):
    with terminal(place, width=200, height=60) as shown:
        shown.top(trace, "-s", "coroutines")
        frame = shown.until("WAITS FOR", "NAME", "READY")
        check("descriptor 7" in frame and len(frame.splitlines()) == 60, frame)
        shown.tmux("resize-window", "-x", "80", "-y", "24")
        frame = shown.wait_for(lambda frame: "LONGEST" in frame and "WAITS FOR" not in frame, "a narrower table")
        check("q quit" in frame.splitlines()[23], frame)
        shown.tmux("resize-window", "-x", "20", "-y", "4")
        shown.wait_for(lambda frame: "LONGEST" not in frame, "a tiny frame")
        shown.tmux("resize-window", "-x", "10", "-y", "2")
        shown.tmux("resize-window", "-x", "120", "-y", "30")
        shown.until("LONGEST", "q quit")
        shown.keys("q")
        shown.until("left with 0")


def write_many(path):
    """Makes a trace of a million coroutines, whose waits begin one microsecond after the other."""
    head = ("trace from=0 until=10s\nprocess 1 pid=100 program=/bin/server probe ledger\nthread 1 tid=101 name=worker-0\n"
            "site 1 kind=source file=/src/server.c line=1 function=read_all\n1ms t1 create c1 @1\n+1us t1 suspend c1 descriptor:7 @1\n")
    path.write_text(head + "".join(f"+1us t1 create c{coro} @1\n+1us t1 suspend c{coro} descriptor:7 @1\n" for coro in range(2, 1000001)))


def check_million(place):
    """A million coroutines: both ends of the table, its order, one of them, in a small terminal and in a large one."""
    text, trace = pathlib.Path(place, "many.txt"), pathlib.Path(place, "many.ctrace")
    write_many(text)
    run(COROTRACER, "assemble", "-o", trace, text)
    text.unlink()
    with terminal(place) as shown:
        shown.top(trace, "-s", "coroutines", "--sort", "id")
        shown.until("ID▼", "1 of 1,000,000")
        shown.keys("G")
        frame = shown.until("1,000,000 of 1,000,000")
        check(frame.splitlines()[22].split()[0] == "1", frame)
        shown.keys("i")
        shown.until("ID▲")
        shown.tmux("resize-window", "-x", "200", "-y", "60")
        shown.wait_for(lambda frame: len(frame.splitlines()) == 60 and "WAITS FOR" in frame and " 1000000 " in frame, "the larger terminal is filled")
        shown.keys("/")
        shown.type("id=765432")
        shown.keys("Enter")
        frame = shown.until("filter: id=765432  (Esc")
        check(" 765432  waiting" in frame and " 765433" not in frame, frame)
        shown.keys("Enter")
        shown.until("Coroutine 765432", "descriptor 7")
        shown.keys("q")
        shown.until("left with 0")


def check_plain(place, trace):
    """Only ASCII if the locale has no more, and no colours if none are wanted."""
    with terminal(place, LC_ALL="C", LANG="C") as shown:
        shown.top(trace, "-s", "workers")
        frame = shown.until("worker-0", "RUNv")
        check(frame.isascii() and "=...." in frame, frame)
        shown.keys("q")
        shown.until("left with 0")
    with terminal(place, NO_COLOR="1") as shown:
        shown.top(trace)
        shown.until("proven")
        check("\x1b[31m" not in shown.frame("-e") and "\x1b[1m" in shown.frame("-e"), shown.frame("-e"))
    with terminal(place) as shown:
        shown.top(trace)
        shown.until("proven")
        frame = shown.frame("-e")
        check(re.search(r"\x1b\[[0-9;]*31m", frame) and not re.search(r"\x1b\[[0-9;]*4[0-7]m", frame), frame)


def process_of(shown):
    """Returns the `top` in that terminal."""
    shell = shown.tmux("display-message", "-p", "#{pane_pid}").strip()
    children = pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
    check(len(children) == 1, f"{children} run in the terminal")
    return int(children[0])


def check_endings(place, trace):
    """Whatever ends `top`, the terminal is as before. A shell whose command dies of INT drops the rest of the line."""
    for how, status in ((signal.SIGTERM, 143), (signal.SIGINT, None), (signal.SIGHUP, 129), (signal.SIGSEGV, 139), (signal.SIGABRT, 134)):
        with terminal(place) as shown:
            shown.type("stty -a > before; echo kept")
            shown.keys("Enter")
            shown.until("kept\n")
            shown.top(trace)
            shown.until("What happened")
            os.kill(process_of(shown), how)
            if status:
                shown.until(f"left with {status}")
            shown.wait_for(lambda frame: "What happened" not in frame, f"the shell after signal {how}")
            shown.type("stty -a | cmp - before && echo as before")
            shown.keys("Enter")
            shown.until("as before\n")
            check(shown.tmux("display-message", "-p", "#{cursor_flag} #{mouse_any_flag}").split() == ["1", "0"], "the cursor")


# ---------------------------------------------------------------- a program that runs

@contextlib.contextmanager
def blocked(name=BUILD / "tests/targets/blocked"):
    """A program that hangs as soon as an engine attaches, started under this name; see tests/targets/blocked.c."""
    process = subprocess.Popen([name, "late"], executable=BUILD / "tests/targets/blocked", stdout=subprocess.PIPE, text=True)
    try:
        check(process.stdout.readline() == "ready\n", "nobody can attach to the target")
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def check_live(place):
    with blocked() as process, terminal(place, width=100, height=30, TMPDIR=place) as shown:
        shown.top(process.pid)
        shown.until("blocked", "s ago")
        shown.keys("t")
        shown.until("waiting", "of 9")
        shown.keys("Enter")
        shown.wait_for(lambda frame: "Why it does not run" in frame and "being followed" not in frame, "the chain")
        shown.keys("G")
        shown.until("Its last events", "suspend")
        shown.keys("Escape", "Space")
        frame = shown.until("paused, ")
        age = float(re.search(r"paused, ([0-9.]+) s ago", frame)[1])
        shown.wait_for(lambda frame: float(re.search(r"paused, ([0-9.]+) s ago", frame)[1]) > age + 1, "older data")
        shown.keys("Space")
        shown.wait_for(lambda frame: "paused" not in frame and re.search(r" [01]\.[0-9] s ago", frame), "newer data")
        process.kill()
        shown.until("recorded to the end")
        shown.keys("q")
        shown.until("left with 0")
        left = [path.name for path in pathlib.Path(place).glob("corotracer-*")]
        check(not left, f"{left} are left behind")


def check_memory(place):
    """A process without a probe: what is found in its memory, which leaves no file behind however the screens end."""
    scratch = pathlib.Path(place, "scratch")
    scratch.mkdir()
    with running(compiled(pathlib.Path(place), "g++", "unprepared_arguments")) as (process, _):
        for how, status in ((None, 0), (signal.SIGTERM, 143)):
            with terminal(place, width=100, TMPDIR=scratch) as shown:
                shown.top(process.pid)
                shown.until("5 coroutines wait", "unprepared_arguments.cpp")
                if how:
                    os.kill(process_of(shown), how)
                else:
                    shown.keys("q")
                shown.until(f"left with {status}")
            check(not list(scratch.iterdir()), f"{list(scratch.iterdir())} are left behind")


def check_growing(place):
    """A Go trace that is being written: screens show its complete generations, and in the end the whole trace."""
    data = (SOURCE / "tests/go/golden/go1.26-spin.trace").read_bytes()
    path = pathlib.Path(place, "growing.trace")
    with open(path, "wb") as writer, terminal(place, width=100) as shown:
        writer.write(data[:1000])
        writer.flush()
        shown.top(path)
        shown.until("reading")
        writer.write(data[1000:-1])
        writer.flush()
        shown.until("s ago")
        writer.write(data[-1:])
        writer.close()
        shown.until("recorded to the end")
        shown.keys("q")
        shown.until("left with 0")


@contextlib.contextmanager
def recorded(place):
    """The same program, recorded by another corotracer."""
    with blocked() as process:
        recording = subprocess.Popen([COROTRACER, "attach", "-o", pathlib.Path(place, "other.ctrace"), str(process.pid)],
                                     stderr=subprocess.DEVNULL)
        try:
            yield process, recording
        finally:
            recording.terminate()
            recording.wait()


def listed():
    result = run(COROTRACER, "top", "--once", status=None)
    check(result.returncode in (0, 9), f"{result}")
    return {int(line.split()[0]): line for line in result.stdout.splitlines()[1:]}


def wait_listed(pid, word):
    until = time.monotonic() + GIVE_UP
    while word not in listed().get(pid, ""):
        check(time.monotonic() < until, f"{pid} is not told as '{word}': {listed()}")
    return listed()[pid]


def check_list_once(place):
    """The screen lists processes that wait for a recording, and those that are being recorded; no others."""
    with blocked() as waiting, recorded(place) as (taken, recording):
        check(wait_listed(taken.pid, "recorded").split()[1:5] == ["recorded", "by", f"{recording.pid},", "other.ctrace.partial"],
              listed()[taken.pid])
        check("waits" in listed()[waiting.pid] and "targets/blocked late" in listed()[waiting.pid], f"{listed()}")
        check(os.getpid() not in listed() and recording.pid not in listed(), f"{listed()}")
        recording.kill()
        recording.wait()
        wait_listed(taken.pid, "waits")


def selected(shown):
    """Returns the process of the only line that is reversed, and those of all lines above it."""
    above = []
    for line in shown.frame("-e").splitlines()[3:-1]:
        words = re.sub(r"\x1b\[[0-9;]*m", "", line).split()
        if "\x1b[7m" in line or ";7m" in line:
            return int(words[0]), above
        above += [int(words[0])] if words else []
    return 0, above


def go_to(shown, pid):
    shown.until("Which process?", f" {pid}  ")
    present, above = selected(shown)
    while present != pid:
        shown.keys("k" if pid in above else "j")
        former = present
        shown.wait_for(lambda _, former=former: selected(shown)[0] not in (former, 0), "another line")
        present, above = selected(shown)


def check_choice(place):
    with recorded(place) as (taken, _), terminal(place, width=100, height=30, TMPDIR=place) as shown:
        # If there is no room, folders are left out, but not the program's name.
        with blocked("/" + "a-folder/" * 20 + "blocked") as process:
            shown.top()
            shown.until("Which process?", "waits", "blocked late")
            go_to(shown, process.pid)
            shown.keys("Enter")
            shown.until("blocked", "s ago")
            shown.keys("q")
            shown.until("left with 0")
        shown.top()
        shown.wait_for(lambda frame: "Which process?" in frame and f" {process.pid}  " not in frame, "a list without it")
        wait_listed(taken.pid, "recorded")
        go_to(shown, taken.pid)
        shown.keys("Enter")
        shown.until("blocked", "s ago")
        shown.keys("q")
        shown.until("left with 0")
        shown.top()
        shown.until("Which process?")
        shown.keys("q")
        shown.until("left with 0")


def check_live_refusals(place):
    with terminal(place) as shown:
        shown.top(os.getpid())
        shown.until("left with 9")
        shown.top(4194304 + 1)
        shown.until("left with 4")


def check_live_once():
    with blocked() as process:
        told = run(COROTRACER, "top", "--once", "--duration", "200ms", "-s", "coroutines", process.pid).stdout
        check("9 of 9" in told, told)
        check(process.poll() is None, "the program has ended")


def main():
    with folder() as place:
        trace = trace_in(place)
        check_once(trace)
        check_nothing_taken(place)
        check_words(place)
        check_filters(trace)
        unseen = check_unseen(place)
        check_refusals(trace, place)
        check_live_once()
        check_list_once(place)
        if not shutil.which("tmux"):
            skip("there is no tmux to drive the screens with")
        if "without its screens" in run(COROTRACER, "top", trace, status=None).stderr:
            skip("this build has no screens of top")
        os.chdir(place)
        check_findings(place, trace)
        check_unseen_screen(place, unseen)
        check_keys(place, trace)
        check_sizes(place, trace)
        check_million(place)
        check_plain(place, trace)
        check_endings(place, trace)
        check_live(place)
        check_memory(place)
        check_growing(place)
        check_choice(place)
        check_live_refusals(place)


if __name__ == "__main__":
    main()
