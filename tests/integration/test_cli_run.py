# SPDX-License-Identifier: MIT
"""Tests that corotracer run before a command does not change what the command does.

Exit statuses, signals, standard streams, ignored signals and closed descriptors; what cannot be started or written; and
the line at the end.
"""
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys

from support import BUILD, COROTRACER, SOURCE, check, fail, folder, preloading, run

# Says "ready", counts SIGINT, and at SIGTERM prints how many came.
COUNTER = r"""
import signal, sys
awaited = {signal.SIGINT, signal.SIGTERM}
signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
print("ready", flush=True)
count = 0
while signal.sigwait(awaited) == signal.SIGINT:
    count += 1
    print("interrupted", flush=True)
print("count", count, flush=True)
sys.exit(42)
"""

# Says "ready", and the name of the first signal.
TELLER = r"""
import signal, sys
awaited = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}
signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
print("ready", flush=True)
number = signal.sigwait(awaited)
print(signal.Signals(number).name, flush=True)
sys.exit(number)
"""

LAST_LINE = (r"corotracer: [\d,]+ events?, [\d,]+ lost, [\d,]+ coroutines?, [\d,]+ findings?( \(.*\))?; "
             r"trace in (\S+) \([\d.]+ \S+\); next: corotracer report \2(; no probe attached: .*)?")


def fresh(place):
    """Returns a name that no other trace has, because a trace without events would not replace an existing one."""
    trace = pathlib.Path(place, "t.ctrace")
    trace.unlink(missing_ok=True)
    return trace


def traced(place, *command, status=0, **options):
    return run(COROTRACER, "run", "-o", fresh(place), "--", *command, status=status, **options)


def check_exit_statuses(place):
    for status in (0, 1, 2, 42, 126, 127, 255):
        traced(place, "sh", "-c", f"exit {status}", status=status)
    for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM, signal.SIGPIPE):
        traced(place, "sh", "-c", f"ulimit -c 0; kill -{int(number)} $$", status=128 + number)
    traced(place, "sh", "-c", 'exit "$1"', "sh", "3", status=3)


def check_raised_signal(place):
    """A signal that the program sends to itself has no address, and hits no coroutine if none runs."""
    traced(place, "sh", "-c", "ulimit -c 0; kill -SEGV $$", status=128 + signal.SIGSEGV)
    told = run(COROTRACER, "report", place + "/t.ctrace").stdout
    check("SIGSEGV, sent by the program itself" in told and "who called abort, raise or kill" in told, told)
    check("address 0x0" not in told and "the coroutine's last events" not in told, told)


def check_commands_that_can_not_start(place):
    plain = pathlib.Path(place, "plain")
    plain.write_text("not a program\n")
    plain.chmod(0o644)
    for command, status, words in (("no-such-command-here", 127, "PATH"), ("./nothing", 127, "no command"),
                                   ("", 127, "no command"), (str(plain), 126, "Permission denied"),
                                   (place, 126, "directory")):
        result = traced(place, command, status=status)
        check(words in result.stderr and result.stderr.count("\n") == 1,
              f"'{command}' is refused with: {result.stderr}")
        check(not pathlib.Path(place, "t.ctrace").exists(), f"'{command}' left a trace")


def check_outputs_that_can_not_be_written(place):
    mark = pathlib.Path(place, "started")
    for output in (place + "/nothing/t.ctrace", place):
        result = run(COROTRACER, "run", "-o", output, "--", "touch", mark, status=None)
        check(result.returncode in (3, 4) and result.stderr.count("\n") == 1,
              f"-o {output}: {result.returncode}, {result.stderr}")
        check(not mark.exists(), f"the program was started though '{output}' cannot be written")


def check_full_disk(place):
    """The output fails after the start: the program runs on, and its status is ours."""
    command = 'ulimit -f 1; exec "$0" run -o "$1" -- sh -c "trap : XFSZ; cat /etc/passwd /etc/passwd; exit 5"'
    result = run("sh", "-c", command, COROTRACER, place + "/small.ctrace", status=None)
    check(result.returncode in (3, 5), f"with no room for the trace: {result.returncode}, {result.stderr}")


def check_network(place):
    """A warning for each kind of disk that writes over a network, and for no other."""
    def said(magic):
        environment = dict(os.environ, DISK_MAGIC=magic,
                           **preloading(BUILD / "tests/targets/libother_disk.so"))
        return traced(place, "true", env=environment).stderr
    kinds = re.findall(r'^X\("([^"]+)", (0x\w+)\)', (SOURCE / "cli/network.def").read_text(), re.MULTILINE)
    check(len(kinds) > 10, f"the list of networks: {kinds}")
    for name, magic in kinds:
        check(f"over the network ({name})" in said(magic), f"{name} is not told")
    for magic in ("ef53", "01021994", "58465342"):  # ext4, tmpfs, XFS
        check("over the network" not in said(magic), f"0x{magic} is no network's")


def check_folder_with_a_blank(place):
    """The ledger is preloaded from wherever the tracer lies."""
    lies = pathlib.Path(place, "with a blank")
    ledger = lies / "sdk/preload/libcorotracer-ledger.so"
    ledger.parent.mkdir(parents=True)
    shutil.copy(COROTRACER, lies / "corotracer")
    shutil.copy(BUILD / "sdk/preload" / ledger.name, ledger)
    trace = fresh(place)
    said = run(lies / "corotracer", "run", "-o", trace, "--", BUILD / "examples/example-tcp-server", "--self-load",
               "5:3", "--exit-after-idle", "0.2").stderr
    check("without" not in said, f"from '{lies}': {said}")
    check(" descriptor-open " in run(COROTRACER, "dump", trace).stdout, f"from '{lies}' the ledger saw nothing")
    path = run(lies / "corotracer", "run", "-o", fresh(place), "--", "printenv", "LD_LIBRARY_PATH",
               env=dict(os.environ, LD_LIBRARY_PATH="/before")).stdout
    check(path == f"{ledger.parent}:/before\n", f"the path of libraries is {path}")


def check_streams(place):
    result = traced(place, "sh", "-c", "cat; echo wrong >&2", input="through\n")
    check(result.stdout == "through\n", "standard input or output does not reach the program")
    check(result.stderr.startswith("wrong\n"), "standard error does not reach the user")
    last = result.stderr.splitlines()[-1]
    check(re.fullmatch(LAST_LINE, last), f"the last line is: {last}")
    rows = run(COROTRACER, "run", "-f", "jsonl", "-o", "-", "--", "true")
    check(rows.stdout == "", f"a program without coroutines has rows: {rows.stdout}")
    result = run(COROTRACER, "run", "true", cwd=place)
    check(pathlib.Path(place, "corotracer.ctrace").exists(), "the default output is another")
    check("no probe attached" in result.stderr, "nothing is said to a program without a probe")
    check(result.stderr.count("\n") == 1, f"no single line: {result.stderr}")
    result = run(COROTRACER, "run", "--report", "-o", fresh(place), "--", "echo", "first")
    check(result.stdout.startswith("first\ncorotracer report"), "--report does not follow the program's output")


def check_language(place):
    """A program without a probe gets a hint for its own language, whoever started its interpreter; help names all
    hints."""
    table = (SOURCE / "include/corotracer/def/attaching.def").read_text()
    interpreters = dict(re.findall(r'^INTERPRETED\("\w+", "(\w+)", "(.*?)(?<!\\)"', table, re.MULTILINE))
    calls = [*re.findall(r'^COMPILED\(".*?", "(.*?)"\)', table, re.MULTILINE), *interpreters.values()]
    check(len(interpreters) == 2 and len(calls) == 6, f"the table is not understood: {calls}")
    for name, program in (("python", (sys.executable, "-c", "pass")), ("lua", ("lua5.4", "-e", ""))):
        if not shutil.which(program[0]):
            continue
        for command in (program, ("sh", "-c", '"$@"; exit', "sh", *program)):
            trace = fresh(place)
            said = run(COROTRACER, "run", "-o", trace, "--", *command).stderr
            said += run(COROTRACER, "report", trace).stdout
            call = interpreters[name].replace("\\", "")
            asked = f"does the program call {call}"
            check(said.count(asked) >= 2 and "is it attached: " + asked in " ".join(said.split()), f"{call} is not asked for:\n{said}")
            check(command != program or "InitTracer" not in said, f"{name} is asked for C++:\n{said}")
    for command in ("run", "attach"):
        said = " ".join(run(COROTRACER, "help", command).stdout.split())
        missing = [call for call in calls if call.replace("\\", "") not in said]
        check(not missing, f"help {command} does not name {missing}")


def check_inheritance(place):
    """Ignored and blocked signals and open descriptors are the same with and without the tracer."""
    states = ["grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"]
    tracer = [COROTRACER, "run", "-o", place + "/t.ctrace", "--"]
    for before in ("", 'trap "" HUP INT; '):
        alone = run("sh", "-c", before + 'exec "$@"', "sh", *states).stdout
        under = run("sh", "-c", before + 'exec "$@"', "sh", *tracer, *states).stdout
        check(alone == under, f"signals differ:\n{alone}{under}")
    closed = 'for n in 0 1 2; do [ -e /proc/$$/fd/$n ] && echo $n open >>"$1"; done; exit 0'
    told = pathlib.Path(place, "open")
    run("sh", "-c", '"$0" run -o "$1" -- sh -c "$2" sh "$3" <&- >&-', COROTRACER, place + "/t.ctrace", closed,
        told)
    check(told.read_text() == "2 open\n", f"closed streams were opened for the program: {told.read_text()}")


def started(place, program, **options):
    return subprocess.Popen([COROTRACER, "run", "-o", str(fresh(place)), "--", "python3", "-c", program],
                            stderr=subprocess.PIPE, text=True, **options)


def check_signals(place):
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"):
        number = getattr(signal, name)
        with started(place, TELLER, stdout=subprocess.PIPE, start_new_session=True) as tracer:
            check(tracer.stdout.readline() == "ready\n", "the program did not start")
            tracer.send_signal(number)
            check(tracer.stdout.readline() == name + "\n", f"{name} was not passed on")
            tracer.communicate(timeout=60)
            check(tracer.returncode == number, f"after {name} the exit status is {tracer.returncode}")


def check_many_signals(place):
    """One signal, and a second one, do not end the tracer: the program decides."""
    with started(place, COUNTER, stdout=subprocess.PIPE, start_new_session=True) as tracer:
        check(tracer.stdout.readline() == "ready\n", "the program did not start")
        for _ in range(3):
            tracer.send_signal(signal.SIGINT)
            check(tracer.stdout.readline() == "interrupted\n", "an interrupt was not passed on")
        tracer.send_signal(signal.SIGTERM)
        output, errors = tracer.communicate(timeout=60)
        check(output == "count 3\n" and tracer.returncode == 42, f"{output} {errors}")
        check(re.search(LAST_LINE, errors), f"no last line after signals: {errors}")


def is_pending(status, number):
    """Returns whether a process has this signal pending, by its /proc/PID/status."""
    masks = re.findall(r"^(?:Sig|Shd)Pnd:\s*(\w+)$", status, re.MULTILINE)
    return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)


def have_taken(group, number):
    """Returns whether no process of this process group has the signal pending any more: neither the tracer nor the
    witness."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(entry.name)) == group and is_pending((entry / "status").read_text(), number):
                return False
        except (ProcessLookupError, FileNotFoundError):
            pass
    return True


def interrupt(tracer, send):
    """Sends the program an interrupt, and waits until the tracer has handled it, because the kernel merges two signals
    that are pending at the same time."""
    send(tracer.pid, signal.SIGINT)
    check(tracer.stdout.readline() == "interrupted\n", "an interrupt did not reach the program")
    while not have_taken(tracer.pid, signal.SIGINT):
        check(tracer.poll() is None, "the tracer has ended")


def check_group(place):
    """A signal to the group reaches the program once; if the program has left the group, the signal is passed on."""
    for program in (COUNTER, "import os; os.setpgid(0, 0)\n" + COUNTER):
        for sends in ([os.killpg], [os.killpg, os.kill], [os.kill, os.killpg]):
            with started(place, program, stdout=subprocess.PIPE, start_new_session=True) as tracer:
                check(tracer.stdout.readline() == "ready\n", "the program did not start")
                for send in sends:
                    interrupt(tracer, send)
                tracer.send_signal(signal.SIGTERM)
                output, _ = tracer.communicate(timeout=60)
                check(output == f"count {len(sends)}\n", f"{sends}, and the program saw: {output}")


class Terminal:
    """A controlling terminal for a process: what is typed there goes to the whole foreground group."""

    def __init__(self):
        self.primary, self.secondary = pty.openpty()
        self.pending = b""

    def take(self):
        os.setsid()
        os.close(os.open(os.ttyname(self.secondary), os.O_RDWR))

    def read_line(self):
        while b"\n" not in self.pending:
            self.pending += os.read(self.primary, 4096)
        line, self.pending = self.pending.split(b"\n", 1)
        return line.replace(b"\r", b"").replace(b"^C", b"").decode()


def check_terminal(place):
    """Ctrl-C reaches the program once, from the terminal, and not a second time from the tracer."""
    terminal = Terminal()
    with started(place, COUNTER, stdin=terminal.secondary, stdout=terminal.secondary,
                 preexec_fn=terminal.take) as tracer:
        check(terminal.read_line() == "ready", "the program did not start on a terminal")
        os.write(terminal.primary, b"\x03")
        check(terminal.read_line() == "interrupted", "Ctrl-C did not reach the program")
        tracer.send_signal(signal.SIGTERM)
        line = terminal.read_line()
        check(line == "count 1", f"Ctrl-C once, and the program saw: {line}")
        check(tracer.wait(timeout=60) == 42, f"the exit status is {tracer.returncode}")
    refused = subprocess.run([COROTRACER, "run", "-o", "-", "--", "true"], stdout=terminal.secondary,
                             stderr=subprocess.PIPE, check=False)
    check(refused.returncode == 2 and b"terminal" in refused.stderr, "a trace is written to a terminal")


def main():
    with folder() as place:
        check_commands_that_can_not_start(place)
        check_outputs_that_can_not_be_written(place)
        check_exit_statuses(place)
        check_raised_signal(place)
        check_full_disk(place)
        check_network(place)
        check_folder_with_a_blank(place)
        check_streams(place)
        check_language(place)
        check_inheritance(place)
        check_signals(place)
        check_many_signals(place)
        check_group(place)
        check_terminal(place)


if __name__ == "__main__":
    try:
        main()
    except subprocess.TimeoutExpired as late:
        fail(str(late))
