# SPDX-License-Identifier: MIT
"""Tests `why PID`: what one coroutine of a running program waits for, and what the kernel says of its threads and
descriptors.

The target hangs in known ways; see blocked.c.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import test_attach
from sampled import until
from support import BUILD, COROTRACER, check, check_documented, contain, folder, run

TARGET = BUILD / "tests/targets/blocked"
FROZEN = BUILD / "tests/targets/frozen"


def text_of(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ""


def are_calls_told():
    """Returns whether the kernel lets us read system calls; some containers do not allow that."""
    return bool(text_of("/proc/thread-self/syscall"))


@contextlib.contextmanager
def blocked(*arguments, **environment):
    """Starts the target; returns it and its output, once all its threads sleep."""
    process = subprocess.Popen([TARGET, *arguments], env=dict(os.environ, **environment), stdout=subprocess.PIPE, text=True)
    try:
        if "late" in arguments:
            check(process.stdout.readline() == "ready\n", "nobody can attach to the target")
        yield process, None if "late" in arguments else settled(process)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def settled(process):
    said = json.loads(process.stdout.readline())
    for name in ("reader", "sleeper", "reactor"):
        while ") S " not in text_of(f"/proc/{process.pid}/task/{said[name]}/stat"):
            check(process.poll() is None, "the target has ended")
            os.sched_yield()
    return said


def why(process, coro, *options, status=0):
    return run(COROTRACER, "why", "--duration", "20ms", *options, process.pid, coro, status=status)


def flat(told):
    return " ".join(told.split())


def inode(process, descriptor):
    return os.stat(f"/proc/{process.pid}/fd/{descriptor}").st_ino


def check_parts(told, *parts):
    for part in parts:
        check(part in flat(told), f"no '{part}' in\n{told}")


def check_chains(process, said):
    """The chain leads from the coroutine over the lock's owner to what the owner's worker does."""
    told = why(process, 3).stdout
    check_parts(told, "and what its flight recorder kept was read", "coroutine 3 suspended, to wait for coroutine 2",
                "coroutine 2 suspended, to wait for lock 0x40", "coroutine 1 took lock 0x",
                f"thread reader ({said['reader']}) sleeps (state S)", "coroutine 1 can wake it")
    if are_calls_told():
        check_parts(told, f", in read of descriptor {said['pipe']}, a pipe (inode {inode(process, said['pipe'])})")
        check_parts(why(process, 5).stdout, f"thread sleeper ({said['sleeper']}) sleeps (state S), in clock_nanosleep")
    all_threads = flat(told[told.index("What its threads do"):])
    for name in ("reader", "sleeper", "reactor"):
        check(f"thread {name} ({said[name]}) sleeps" in all_threads, told)
    graph = told[told.index("Who waits for whom"):]
    check([line.strip().split(" at ")[0].rstrip(",") for line in graph.splitlines()[1:4]] ==
          [f"coroutine 1 runs on thread reader ({said['reader']})", "coroutine 2 waits for lock 0x40",
           "coroutine 3 waits for coroutine 2"], graph)


def check_descriptors(process, said):
    """Says what a descriptor is, and which epoll instance has it."""
    armed = why(process, 6).stdout
    check_parts(armed, f"descriptor {said['armed']} is a socket (inode {inode(process, said['armed'])})",
                f"epoll instance {said['epoll']} has it armed readable")
    if are_calls_told():
        check_parts(armed, f"and waits in thread reactor ({said['reactor']})")
    check_parts(why(process, 7).stdout, f"epoll instance {said['epoll']} has it disarmed")
    alone = why(process, 8).stdout
    check_parts(alone, f"descriptor {said['alone']} is a socket", "no epoll instance has it")
    check("as far as the trace shows" not in flat(alone + armed), f"the kernel tells more:\n{alone}{armed}")
    gone = why(process, 9).stdout
    check_parts(gone, f"descriptor {said['gone']} is not open at the end", "it waits for a descriptor that is closed")
    check("could be woken from outside" not in flat(gone), f"nothing can reach it there:\n{gone}")
    check_parts(armed, "it could be woken by a thread that runs, or sleeps with a time-out: ",
                f"thread sleeper ({said['sleeper']})")


def check_forms(process, said):
    report = json.loads(why(process, "c2", "--format", "json").stdout)
    check_documented(report)
    check([node["id"] for node in report["awaits"]] == [1, 2, 3], f"{report['awaits']}")
    check([node["waits_for"] for node in report["awaits"]] == [None, 1, 2], f"{report['awaits']}")
    check(report["live"]["pid"] == process.pid and report["live"]["watched_ns"] > 0, f"{report['live']}")
    looks = {look["name"]: look for look in report["live"]["threads"]}
    check(looks["reader"]["tid"] == said["reader"] and looks["reader"]["state"] == "S", f"{looks}")
    if are_calls_told():
        check(looks["reader"]["call_name"] == "read" and looks["reader"]["descriptor"] == said["pipe"], f"{looks}")
        check(looks["reader"]["descriptor_kind"] == "pipe", f"{looks}")
    drawn = why(process, 2, "--format", "dot").stdout
    check_parts(drawn, "digraph awaits {", 'c2 -> c1 [label="lock 0x40"];', 'c3 -> c2 [label="coroutine 2"];')


def check_stranger(process, said):
    """For an unknown coroutine, the threads are described nevertheless."""
    done = why(process, 77, status=4)
    check_parts(done.stdout, f"thread reactor ({said['reactor']}) sleeps", f"thread reader ({said['reader']}) sleeps")
    check(f"no coroutine 77 is among those of process {process.pid}" in flat(done.stderr), done.stderr)
    check("COROTRACER_FLIGHT" not in done.stderr, f"a recorder was read: {done.stderr}")


def test_past():
    with blocked(COROTRACER_FLIGHT=",1M") as (process, said):
        check_chains(process, said)
        check_descriptors(process, said)
        check_forms(process, said)
        check_stranger(process, said)


def test_past_of_long_ago(scratch):
    """A program that froze a hundred seconds ago gives the same as one that froze just now; so does its recording."""
    with blocked("aged", COROTRACER_FLIGHT=",1M") as (process, said):
        check_chains(process, said)
        told = re.search(r"coroutine 2 suspended, to wait for lock 0x40; that is ([0-9.]+) min ago", flat(why(process, 2).stdout))
        check(told and float(told[1]) > 1.6, f"{told}")
        run(COROTRACER, "attach", "--duration", "20ms", "-o", scratch / "old.ctrace", process.pid)
        check_parts(run(COROTRACER, "report", "--duration", "20ms", process.pid).stdout, "waits-on-missing-descriptor",
                    "1 of 6 coroutines waits at wait in suspend_for", f"descriptor {said['gone']} was not open when the process was looked at")
    report = json.loads(run(COROTRACER, "report", "--format", "json", scratch / "old.ctrace").stdout)
    quality = report["quality"]
    check(quality["impossible_events"] == 0, f"{quality}")
    check(quality["observed_until_ns"] - quality["observed_from_ns"] > 95e9, f"{quality}")
    check(quality["coroutines"] == 9, f"{quality}")


def check_asked(process, said, told):
    """Checks the threads and what they do, as the kernel says."""
    check_parts(told, f"kernel asked of process {process.pid}: it was watched for",
                f"thread sleeper ({said['sleeper']}) sleeps", f"thread reader ({said['reader']}) sleeps")
    if are_calls_told():
        check_parts(told, f", in read of descriptor {said['pipe']}, a pipe", "in epoll_wait of descriptor")


def test_report(scratch):
    """`report PID`, and `attach --report` when its time is over, and when it is ended by a signal."""
    with blocked(COROTRACER_FLIGHT=",1M") as (process, said):
        check_asked(process, said, run(COROTRACER, "report", "--duration", "20ms", process.pid).stdout)
        report = json.loads(run(COROTRACER, "report", "--duration", "20ms", "--format", "json", process.pid).stdout)
        check_documented(report)
        check(report["live"]["pid"] == process.pid and len(report["live"]["threads"]) == 3, f"{report['live']}")
        check_asked(process, said, run(COROTRACER, "attach", "--report", "--duration", "20ms", "-o", scratch / "a.ctrace",
                                       process.pid).stdout)
        engine = subprocess.Popen([COROTRACER, "attach", "--report", "-o", scratch / "b.ctrace", str(process.pid)],
                                  stdout=subprocess.PIPE, text=True)
        while not (scratch / "b.ctrace.partial").exists():
            check(engine.poll() is None, "the engine has ended")
        engine.send_signal(signal.SIGINT)
        check_asked(process, said, engine.communicate(timeout=60)[0])
    check("kernel asked" not in run(COROTRACER, "report", scratch / "b.ctrace").stdout, "it was not asked now")


def test_past_in_file(scratch):
    """The same works for a recorder's file, to which no engine can attach."""
    with blocked(COROTRACER_FLIGHT=f"{scratch}/past,1M") as (process, said):
        check_stranger(process, said)
        check_parts(why(process, 5).stdout, "keeps in a file was read", "coroutine 4 took lock 0x",
                    f"thread sleeper ({said['sleeper']}) sleeps")
        check_parts(why(process, 6).stdout, "it could be woken by a thread that runs, or sleeps with a time-out: ",
                    f"thread sleeper ({said['sleeper']})")
        run(COROTRACER, "recover", "-o", scratch / "past.ctrace", scratch / "past")
        states = run(COROTRACER, "dump", scratch / "past.ctrace").stdout.count("thread-state")
        check(states == 3, f"{states} threads were looked at, not 3")


def ids_of(pid):
    """Returns the threads' ids outside of the container, by the threads' names."""
    return {text_of(task / "comm").strip(): int(task.name) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()}


def settled_in_container(starter, pid):
    names = {"reader", "sleeper", "reactor"}
    while not all(") S " in text_of(f"/proc/{pid}/task/{ids_of(pid).get(name)}/stat") for name in names):
        check(starter.poll() is None, "the target has ended")
        os.sched_yield()
    return ids_of(pid)


@contextlib.contextmanager
def contained(words, flight):
    """The target in a container: its id outside, and those of its threads."""
    starter = subprocess.Popen([*words, TARGET], env=dict(os.environ, COROTRACER_FLIGHT=flight), stdout=subprocess.PIPE,
                               text=True)
    try:
        check(json.loads(starter.stdout.readline())["reactor"] == 1, "it is not alone in there")
        pid = int(text_of(f"/proc/{starter.pid}/task/{starter.pid}/children"))
        yield pid, settled_in_container(starter, pid)
    finally:
        starter.kill()
        starter.wait()
        starter.stdout.close()


def check_contained(pid, ids):
    told = run(COROTRACER, "why", "--duration", "20ms", pid, 3).stdout
    check_parts(told, f"(pid {pid})", f"by coroutine 1 on thread reader ({ids['reader']})", f"on thread reactor ({pid})",
                f"seen at the end of the recording: thread reader ({ids['reader']}) sleeps")
    check_parts(run(COROTRACER, "why", "--duration", "20ms", pid, 6).stdout,
                f"it could be woken by a thread that runs, or sleeps with a time-out: thread sleeper ({ids['sleeper']})")
    if are_calls_told():
        check_parts(told, "in read of descriptor")
    threads = json.loads(run(COROTRACER, "why", "--duration", "20ms", "--format", "json", pid, 3).stdout)
    told_of = {thread["tid"]: thread["name"] for thread in threads["threads"]}
    check(told_of == {number: name for name, number in ids.items()}, f"{told_of}, not {ids}")


def test_contained(scratch):
    """From outside of a container: ids are those outside."""
    words = contain("--pid", "--fork", "--mount-proc", "--kill-child")
    if not words:
        print("no container can be made here", file=sys.stderr)
        return
    with contained(words, f"{scratch}/past,1M") as (pid, ids):
        check_contained(pid, ids)
    with contained(words, ",1M") as (pid, ids):
        check_contained(pid, ids)
        run(COROTRACER, "attach", "--duration", "20ms", "-o", scratch / "attached.ctrace", pid)
    check_parts(run(COROTRACER, "dump", scratch / "attached.ctrace").stdout, f"process 1 pid={pid} ",
                f"tid={ids['reader']} name=reader", f"tid={ids['sleeper']} name=sleeper")


def test_past_of_another(scratch):
    """A recorder's file that another process has open is not used as the past of this process."""
    with blocked(COROTRACER_FLIGHT=f"{scratch}/past,1M"), open(scratch / "past", "rb") as past:
        with subprocess.Popen(["sleep", "1000"], stdin=past) as other:
            done = why(other, 5, status=9)
            other.kill()
    check("has no probe that waits" in done.stderr and not done.stdout, done.stderr)


def test_no_past():
    """Without a past: what was observed, and what cannot be known. Ctrl-C ends the wait."""
    with blocked("late") as (process, _):
        asked = subprocess.Popen([COROTRACER, "why", "--duration", "1h", str(process.pid), "2"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        settled(process)
        asked.send_signal(signal.SIGINT)
        told, complaint = asked.communicate(timeout=60)
        check(asked.returncode == 0, complaint)
        check_parts(told, "what it did before is not known", "coroutine 1 took lock 0x", "thread reader (",
                    "what happened before the recording began is not known")
        done = why(process, 2, status=4)
        check_parts(done.stdout, "would record both", "thread sleeper (")
        check_parts(done.stderr, "ids are new each time somebody attaches", "COROTRACER_FLIGHT=,64M")


def test_death():
    """A process that ends meanwhile is described up to its end."""
    with blocked("late") as (process, _):
        asked = subprocess.Popen([COROTRACER, "why", "--duration", "1h", str(process.pid), "2"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        settled(process)
        process.kill()
        process.wait()
        told, complaint = asked.communicate(timeout=60)
        check(asked.returncode == 0, complaint)
        check_parts(told, "coroutine 1 took lock 0x", "the process ended before its threads were looked at")
        check("can wake it, and must" not in flat(told), told)


def test_refusals(scratch):
    """One sentence and one exit status for each failure, and nothing is left behind."""
    for words, status, sentence in (((2**22 + 1, 1), 4, "no process with the id"),
                                    ((0, 1), 2, "PID is the number of a process"),
                                    ((os.getpid(), 1), 9, "has no probe that waits"),
                                    (("--process", 3, os.getpid(), 1), 2, "'--process' goes with a trace"),
                                    (("--duration", "soon", os.getpid(), 1), 2, "'--duration' takes a time"),
                                    (("--duration", "1s", "./none", 1), 2, "goes with a process")):
        done = run(COROTRACER, "why", *words, status=status, env=dict(os.environ, TMPDIR=str(scratch)))
        check(sentence in done.stderr and not done.stdout, f"{words}: {done.stderr}")
    check(not list(scratch.glob("corotracer-*")), f"left: {list(scratch.iterdir())}")


def thread_group(tid):
    return int(re.search(r"^Tgid:\t(\d+)", text_of(f"/proc/{tid}/status"), re.M).group(1))


def test_of_another_engine(scratch):
    """A process that is recorded already is told by that recording as far as it is, and the recording goes on."""
    trace = scratch / "taken.ctrace"
    with subprocess.Popen([COROTRACER, "run", "-o", trace, "--", TARGET], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as engine:
        pid = thread_group(json.loads(engine.stdout.readline())["reader"])
        until(lambda: "took lock 0x40" in run(COROTRACER, "why", pid, 2, status=None).stdout, engine)
        told = run(COROTRACER, "report", pid).stdout
        check("another engine records it; that recording was read as far as it goes" in flat(told), told)
        check("what it did before" not in told, told)
        os.kill(pid, signal.SIGKILL)
        engine.communicate(timeout=60)
    check("recorded to the end" in run(COROTRACER, "report", trace).stdout, "the recording was disturbed")


def test_begun_late(scratch):
    """What came before a recording is told once: of a process in the row about it, of a trace in a row of its own."""
    trace, known = scratch / "late.ctrace", "that recording was read as far as it goes; what it did before is not known"
    with blocked("late") as (process, _):
        with subprocess.Popen([COROTRACER, "attach", "-o", trace, str(process.pid)], stderr=subprocess.PIPE, text=True) as engine:
            settled(process)
            until(lambda: known in flat(run(COROTRACER, "report", process.pid, status=None).stdout), engine)
            told = flat(run(COROTRACER, "report", process.pid).stdout)
            check("not recorded: coroutines" not in told, told)
            engine.send_signal(signal.SIGINT)
            engine.communicate(timeout=60)
    told = flat(run(COROTRACER, "report", "--threshold", "blocked-worker.time=1h", trace).stdout)  # however long this test took
    check("not recorded: coroutines that have done nothing" in told and "memory" not in told, told)


def test_before_the_look(scratch):
    """Coroutines of C++20 that wait since before anybody recorded the program are found in its memory, with their line."""
    with subprocess.Popen([FROZEN, "never", "key"], stdin=subprocess.PIPE) as process:
        told = {}

        def has_begun():
            told.update(json.loads(run(COROTRACER, "report", "--format", "json", "--duration", "20ms", process.pid, status=None).stdout or "{}"))
            return bool(told.get("findings"))

        until(has_begun, process)
        process.kill()
    found = [(one["rule"], one["grade"], one["coroutines"]) for one in told["findings"]]
    check(found == [("lost-wakeup", "suspect", 3)], f"{found}")
    check("frozen.cpp:" in told["findings"][0]["title"] and "wait_for_nothing" in told["findings"][0]["title"], told["findings"][0]["title"])


def test_file_of_a_number(scratch):
    """./123 is a file; 123 alone is a process id."""
    (scratch / "4194305").write_text("trace from=0 until=1s\nprocess 1 pid=1 program=/x probe\nthread 1 tid=1 name=w\n"
                                     "1ms t1 create c1\n2ms t1 suspend c1 lock:0x10\n")
    check_parts(run(COROTRACER, "why", "./4194305", 1, cwd=scratch).stdout, "to wait for lock 0x10")
    done = run(COROTRACER, "why", 4194305, 1, cwd=scratch, status=4)
    check("the file is './4194305'" in done.stderr, done.stderr)


def test_graph(scratch):
    """Each coroutine is in the chain once; a circle ends the chain; if many wait, some are named, and all are
    counted."""
    lines = ["trace from=0 until=1s", "process 1 pid=1 program=/x probe", "thread 1 tid=1 name=w"]
    lines += [f"1ms t1 create c{i}" for i in range(1, 1001)]
    lines += ["2ms t1 acquire c1 lock:0x10", "2ms t1 acquire c2 lock:0x20"]
    lines += ["3ms t1 suspend c1 lock:0x20", "3ms t1 suspend c2 lock:0x10"]
    lines += [f"4ms t1 suspend c{i} lock:0x20" for i in range(3, 1001)]
    (scratch / "many.txt").write_text("\n".join(lines) + "\n")
    nodes = json.loads(run(COROTRACER, "why", "--format", "json", scratch / "many.txt", 900).stdout)["awaits"]
    ids = [node["id"] for node in nodes]
    check(len(ids) == len(set(ids)) and {1, 2, 900} <= set(ids) and len(ids) < 100, f"{ids}")
    owner = next(node for node in nodes if node["id"] == 2)
    told = [node for node in nodes if node["waits_for"] == 2]
    check(owner["waiters"] == 999 and owner["left_out"] == 999 - len(told), f"{owner}, {len(told)} told")
    check_parts(run(COROTRACER, "why", scratch / "many.txt", 2).stdout, "coroutine 2 waits for lock 0x10",
                "coroutine 1 must be resumed first", f"{999 - 10} more wait for it")


def test_running(scratch):
    """A thread that the kernel reports as running is in no system call."""
    (scratch / "busy.txt").write_text("trace from=0 until=3s\nprocess 1 pid=100 program=/x probe\n"
                                      "thread 1 tid=101 name=w\n1ms t1 create c1\n1ms t1 resume c1\n"
                                      "1200ms t1 thread-state c101 0xffffffffffffff52\n")
    told = run(COROTRACER, "why", scratch / "busy.txt", 1).stdout
    check_parts(told, "its thread was seen in state R, in no system call")


def test_event_of_resume(scratch):
    """The step about the resume names its event, and the lock has the name that the program gave it."""
    (scratch / "held.txt").write_text(
        "trace from=0 until=3s\nprocess 1 pid=100 program=/x probe\nthread 1 tid=101 name=w\n"
        "site 1 kind=source file=/a.c line=1 function=f reason=table\nsite 2 kind=source file=/a.c line=2 function=f reason=keeper\n"
        "1ms t1 create c1\n1ms t1 name lock:0x10 @1\n1ms t1 name c1 @2\n2ms t1 resume c1\n3ms t1 acquire c1 lock:0x10\n"
        "3ms t1 create c2\n4ms t1 suspend c1 timer:1\n5ms t1 resume c2\n6ms t1 suspend c2 lock:0x10\n7ms t1 resume c1\n"
        "8ms t1 create c3\n1200ms t1 thread-state c101 0xffffffffffffff53\n")
    told = flat(run(COROTRACER, "why", scratch / "held.txt", 2).stdout)
    check("coroutine 2 suspended, to wait for lock 0x10 (table);" in told, told)
    check("coroutine 1 (keeper) took lock 0x10 (table)" in told and "coroutine 2 waits for lock 0x10 (table)" in told, told)
    event = told.split("coroutine 1 (keeper) was resumed, ")[1].split("event ")[1].split()[0]
    shown = run(COROTRACER, "dump", "--events", event, scratch / "held.txt").stdout
    check("resume c1" in shown, f"event {event} is {shown}")


def test_queued(scratch):
    """A coroutine that lies in a queue is ready, also before its first run; the workers keep it there."""
    (scratch / "queued.txt").write_text(
        "trace from=0 until=3s\nprocess 1 pid=100 program=/x probe\nthread 1 tid=101 name=main\nthread 2 tid=102 name=worker\n"
        "1ms t1 create c1\n2ms t1 create c2\n3ms t1 enqueue c1 queue:1\n4ms t2 dequeue c1 queue:1\n4ms t2 resume c1\n"
        "5ms t1 enqueue c2 queue:1\n6ms t1 block-begin -1 call=epoll_wait\n")
    told = flat(run(COROTRACER, "why", scratch / "queued.txt", 2).stdout)
    check("coroutine 2 of x (pid 100): ready" in told and "it is queued in queue 1," in told, told)
    check("coroutine 1 runs on thread worker (102)" in told and "epoll_wait" not in told, told)


def test_moments(scratch):
    """A state as young as the trace has no time."""
    (scratch / "now.txt").write_text("trace from=0 until=2ms\nprocess 1 pid=100 program=/x probe\nthread 1 tid=101 name=w\n"
                                     "1ms t1 create c1\n1ms t1 resume c1\n2ms t1 suspend c1 lock:0x10\n")
    check_parts(run(COROTRACER, "why", scratch / "now.txt", 1).stdout, "to wait for lock 0x10; right at the end of the observation")


def test_findings_on_the_chain(scratch):
    """Findings on the coroutine that it waits for are below the chain, after one blank line."""
    (scratch / "dropped.txt").write_text(
        "trace from=0 until=2s\nprocess 1 pid=100 program=/x probe ledger\nthread 1 tid=101 name=a\nthread 2 tid=102 name=b\n"
        "1ms t1 create c1\n1ms t1 create c2\n1ms t1 create c3\n1ms t1 resume c1\n1ms t2 resume c2\n"
        "1500us t1 acquire c1 lock:0x40\n2ms t1 suspend c1 channel:0x6000\n+5us t2 wake c2 coroutine:1 outcome=target-running\n"
        "3ms t2 return c2\n3ms t2 destroy c2\n4ms t1 resume c3\n5ms t1 suspend c3 lock:0x40\n"
        "10ms t1 park\n10ms t2 park\n900ms t1 unpark\n901ms t1 destroy c1 life=suspended\n")
    told = run(COROTRACER, "why", scratch / "dropped.txt", 3).stdout
    check_parts(told, "coroutine 1 took lock 0x", "PROVEN dropped-wake")
    check("\n\nPROVEN" in told and "\n\n\n" not in told, told)


def main():
    with folder() as name:
        for test in (test_past, test_past_of_long_ago, test_report, test_past_in_file, test_contained, test_past_of_another, test_no_past, test_death, test_refusals, test_of_another_engine, test_begun_late, test_before_the_look, test_file_of_a_number, test_graph,
                     test_running, test_event_of_resume, test_queued, test_moments, test_findings_on_the_chain):
            scratch = pathlib.Path(name) / test.__name__
            scratch.mkdir()
            test(scratch) if test.__code__.co_argcount else test()


if __name__ == "__main__":
    sys.exit(main())
