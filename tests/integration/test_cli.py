# SPDX-License-Identifier: MIT
"""Tests the command line as people and scripts use it: help, mistakes, outputs that fail, colours, text and back.

Everything that is said of options is compared with cli/options.def, so that no option can be missing in help, man pages
or completions.
"""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess

from support import COROTRACER, SOURCE, BUILD, check, check_documented, fail, folder, run

OLDER = str(BUILD / "coroTracer")
ESCAPE = "\033["

TRACE = """\
trace run=00112233445566778899aabbccddeeff host=build-7 from=0 until=2s epoch_realtime=1700000000000000000
process 1 pid=100 program=/bin/server command="server -x" probe ledger
thread 1 tid=101 name=worker-0
thread 2 tid=102 name="work\\x1ber"
site 1 kind=source file=/src/server.cpp line=40 function=accept_loop
site 2 kind=source file=/src/server.cpp line=120 function=handle reason=AsyncRead
site 3 kind=source file=/src/reactor.cpp line=200 function=Reactor::on_hangup
0.5ms t1 create c3 0x13010 @1
+1us t1 frame c3 0x13000 @2
+1us t1 resume c3
+1us t1 suspend c3 timer:5 @1
+1us t2 wake c0 frame:0x13000 @3
+1us t1 resume c3
+1us t1 return c3
+1us t1 destroy c3 life=done
1ms t1 descriptor-open descriptor:7.1 @1
+1us t1 create c1 0x11010 @1
+1us t1 frame c1 0x11000 @2
+1us t1 descriptor-arm c7 descriptor:7.1 argument=1
+1us t1 suspend c1 descriptor:7 @2
2ms t1 descriptor-open descriptor:8.1 @1
+1us t1 create c2 0x12010 @1
+1us t1 frame c2 0x12000 @2
+1us t1 descriptor-arm c8 descriptor:8.1 argument=1
+1us t1 suspend c2 descriptor:8 @2
20ms t2 descriptor-close descriptor:7.1 @3
20.5ms t2 descriptor-close descriptor:8.1 @3
100ms t1 block-begin -1 call=epoll_wait
100ms t2 park
end 1 exited 0 at=1.9s
"""


def commands_and_options():
    """Returns {command: [option]} from the lists, as {"run": ["output", ...]}; options of several commands are in each
    of them."""
    entry = re.compile(r'^[CO]\((\w+), (\w+)?,? ?"([^"]*)"', re.MULTILINE)
    commands = {}
    for name, text in re.findall(r'^C\((\w+), "([^"]*)"', (SOURCE / "cli/commands.def").read_text(),
                                 re.MULTILINE):
        commands[name] = text
    options = {name: [] for name in commands}
    for owner, _, text in entry.findall((SOURCE / "cli/options.def").read_text()):
        for name in {"EVERY": commands, "RECORD": ["RUN", "ATTACH"], "SERVING": ["RUN", "ATTACH", "SERVE"],
                     "SHOWING": ["REPORT", "WHY", "STATS", "QUERY"],
                     "JUDGE": ["RUN", "ATTACH", "REPORT", "WHY"]}.get(owner, [owner]):
            options[name].append(text)
    check(len(commands) >= 7 and len(options["RUN"]) >= 4, "the lists of options were not understood")
    return {commands[name]: options[name] for name in commands}


def groups():
    """Returns {group: [command]} from the lists, as {"record": ["run", ...]}."""
    texts = dict(re.findall(r'^G\((\w+), "([^"]*)"', (SOURCE / "cli/groups.def").read_text(), re.MULTILINE))
    members = {text: [] for text in texts.values()}
    for command, group in re.findall(r'^C\(\w+, "([^"]*)", (\w+)', (SOURCE / "cli/commands.def").read_text(), re.MULTILINE):
        if command != "coroTracer":
            members[texts[group]].append(command)
    check(all(members.values()), f"the groups were not understood: {members}")
    return members


def check_screen(text, nr_lines, what):
    check(text.count("\n") <= nr_lines, f"{what} prints {text.count(chr(10))} lines, and not {nr_lines} at most")
    longest = max(text.splitlines(), key=len)
    check(len(longest) <= 80, f"{what} has a line of {len(longest)} columns: {longest}")


def check_first_words():
    """Without a command: all commands by name, in groups, on one screen; with --help a line on each."""
    alone = run(COROTRACER, status=2)
    whole = run(COROTRACER, "--help").stdout
    check(alone.stdout == "", f"corotracer alone prints on standard output: {alone.stdout}")
    check_screen(alone.stderr, 24, "corotracer alone")
    check_screen(whole, 40, "--help")
    for group, members in groups().items():
        check(re.search(rf"^{group}: .+\n  {' '.join(members)}$", alone.stderr, re.MULTILINE),
              f"corotracer alone does not list {members} below '{group}': {alone.stderr}")
        lines = "".join(rf"  {command} +\S.*\n" for command in members)
        check(re.search(rf"^{group}: .+\n{lines}(?! )", whole, re.MULTILINE),
              f"--help does not list {members} below '{group}': {whole}")
    check(whole == run(COROTRACER, "help").stdout, "'help' and '--help' differ")


def check_topics(lists):
    """Each topic is printed, and is named where users look for it."""
    topics = re.findall(r'^T\(\w+, "([^"]*)"', (SOURCE / "cli/topics.def").read_text(), re.MULTILINE)
    check({"thresholds", "conditions", "exit-codes"} <= set(topics), f"the topics were not understood: {topics}")
    named = [run(COROTRACER, *words).stdout for words in (("--help",), ("help", "help"), ("help", "--man", "help"))]
    for topic in topics:
        check_screen(run(COROTRACER, "help", topic).stdout, 1000, f"help {topic}")
        check(all(topic in text for text in named), f"help does not name the topic '{topic}'")
    codes = set(re.findall(r"^  (\S+) ", run(COROTRACER, "help", "exit-codes").stdout, re.MULTILINE))
    of_commands = {code for command in lists for code in re.findall(
        r"^  (\S+) ", run(COROTRACER, "help", command).stdout.split("Exit status:")[1], re.MULTILINE)}
    check(codes == of_commands and "127" in codes, f"help exit-codes lists {codes}, commands {of_commands}")


def check_examples(command, page):
    """Examples come after the usage and before everything else; each example shows the command."""
    usage, examples, rest = re.fullmatch(r"(.*?\n\nUsage: .*?\n)\nExamples:\n(.*?)\n\n(.*)", page, re.DOTALL).groups()
    check(usage.count("\n\n") == 1, f"help on '{command}' has more than its usage in front of its examples: {usage}")
    shown = re.findall(rf"^  (?! ).*\b{command}\b.*$", examples, re.MULTILINE)
    check(len(shown) > 1, f"help on '{command}' has too few examples of it: {examples}")
    longest = max(len(line) for line in (usage + rest).splitlines())
    check(longest <= 80, f"help on '{command}' has a line of {longest} columns")


def check_help(lists):
    for command, options in lists.items():
        dashes = "--?" if command == "coroTracer" else "--"
        pages = [run(COROTRACER, "help", command).stdout]
        if command == "coroTracer":
            pages.append(run(OLDER, "--help").stdout)
        else:
            pages.append(run(COROTRACER, command, "--help").stdout)
            pages.append(run(COROTRACER, command, "-h").stdout)
        check(len(set(pages)) == 1, f"help on '{command}' depends on how one asks")
        for option in options:
            check(re.search(rf"(^|[ ,]){dashes}{option}\b", pages[0], re.MULTILINE),
                  f"help on '{command}' does not explain {dashes}{option}")
        check_examples(command, pages[0])
        check("Exit status:" in pages[0], f"help on '{command}' is silent about exit statuses")


def check_values():
    """Help names each word that an option takes."""
    entries = re.findall(r'^O\((\w+), \w+, "([^"]*)", [^,]*, "[^"]*", "([^"]*\|[^"]*)",\s*((?:"[^"]*"\s*)+)\)',
                         (SOURCE / "cli/options.def").read_text(), re.MULTILINE)
    check({"by", "sort", "format"} <= {option for _, option, _, _ in entries}, f"the list was not understood: {entries}")
    for command, option, values, explained in entries:
        words = set(re.findall(r"[\w-]+", explained))
        check(explained == '""' or set(values.split("|")) <= words,
              f"help on --{option} of {command} does not name {set(values.split('|')) - words}")


def check_forms():
    """Help, completions and man page have each form of exports that the list has; each word is accepted, and no
    other."""
    forms = re.findall(r'^FORM\(\w+, \w+, \w+, \w+, "(\w+)", (?:ENDING\("([^"]+)"\))?.*?"((?:[^"\\]|\\.)*)"\)$',
                       (SOURCE / "include/corotracer/def/exports.def").read_text(), re.MULTILINE | re.DOTALL)
    check(len(forms) >= 12, f"the list of forms was not understood: {forms}")
    told = " ".join(run(COROTRACER, "help", "export").stdout.split())
    for word, ending, meaning in forms:
        named = f"{word} ({ending})" if ending else word
        meaning = meaning.replace('\\"', '"')
        check(f"{named}: {meaning}" in told, f"help on export does not say '{named}: {meaning}'")
    words = " ".join(word for word, _, _ in forms)
    check(words in run(COROTRACER, "help", "--completion", "bash").stdout, f"no completion of {words}")
    complaint = run(COROTRACER, "export", "--format", "nonsense", "x", status=2).stderr
    check(f"one of {words.replace(' ', '|')}, not" in complaint, complaint)
    check(all(word in run(COROTRACER, "help", "--man", "export").stdout for word, _, _ in forms), "the man page of export")


def check_version():
    version = re.search(r'VERSION_TEXT "(.*)"',
                        (SOURCE / "include/corotracer/version.h").read_text()).group(1)
    told = run(COROTRACER, "--version").stdout
    check(told.startswith(f"corotracer {version}\n"), f"--version says {told}")
    numbers = re.findall(r'^VERSION\(\w+, (\d+), (\d+), "(.*)"\)',
                         (SOURCE / "include/corotracer/def/versions.def").read_text(), re.MULTILINE)
    check(len(numbers) > 5 and told.count("\n") == len(numbers) + 1, f"--version says {told}")
    for number, oldest, what in numbers:
        check(re.search(rf"^  {re.escape(what)}: {number}(, and from {oldest} on)?$", told, re.MULTILINE), f"{what}: {told}")


SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "THRESHOLDS", "ASSERTIONS", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]


def check_sections(command, page):
    """Checks the order of sections in man pages."""
    sections = re.findall(r"^\.Sh (.*)$", page, re.MULTILINE)
    check(sections == [section for section in SECTIONS if section in sections],
          f"the man page of '{command or 'corotracer'}' has {sections}")
    check({"EXIT STATUS", "EXAMPLES"} <= set(sections), f"the man page of '{command or 'corotracer'}' has only {sections}")


def check_man_pages(lists):
    pages = {command: run(COROTRACER, "help", "--man", command).stdout for command in lists}
    pages[""] = run(COROTRACER, "help", "--man").stdout
    for command, options in lists.items():
        for option in options:
            dash = r"(\\-)?" if command == "coroTracer" else r"\\-"
            check(re.search(rf"^\.It .*Fl {dash}{option}( |$)", pages[command], re.MULTILINE),
                  f"the man page of '{command}' does not explain {option}")
        check_sections(command, pages[command])
    check_sections("", pages[""])
    for group, members in groups().items():
        listed = re.search(rf"^\.Ss {group}: .*\n((?:(?!\.S).*\n)*)", pages[""], re.MULTILINE)
        check(listed and re.findall(r"^\.It Cm (\S+)$", listed[1], re.MULTILINE) == members,
              f"corotracer(1) does not list {members} below '{group}'")
    ends = re.findall(r"(.)\nSee\n", pages[""])
    check(len(ends) > 5 and set(ends) == {"."}, f"a summary before its 'See' ends with one of {set(ends)}")
    if not shutil.which("mandoc"):
        print("mandoc is missing: the form of the man pages is not checked")
        return
    with folder() as place:
        for command, page in pages.items():
            path = pathlib.Path(place, f"corotracer-{command}.1")
            path.write_text(page)
            lint = subprocess.run(["mandoc", "-Tlint", "-Wstyle", path], capture_output=True, text=True,
                                  check=False)
            wrong = [line for line in lint.stdout.splitlines() if "referenced manual not found" not in line]
            check(not wrong, "mandoc on the man page of '" + command + "': " + "\n".join(wrong))


def check_script():
    """./dev refuses an unknown name before it needs any tool to build with."""
    with folder() as place:
        for tool in ("bash", "dirname", "nproc"):
            pathlib.Path(place, tool).symlink_to(shutil.which(tool))
        for command in ("bench", "soak"):
            said = run(shutil.which("bash"), SOURCE / "dev", command, "nothing", status=2, env={"PATH": place}).stderr
            check("named 'nothing'" in said and said.count("\n") == 1, f"./dev {command} nothing says: {said}")


def completed(script, *words):
    """Returns what bash offers for the last word."""
    call = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _corotracer; printf "%s\\n" "${COMPREPLY[@]}"'
    return run("bash", "-c", call, script, "corotracer", *words).stdout.split()


def check_completions(lists):
    with folder() as place:
        for shell in ("bash", "zsh", "fish"):
            text = run(COROTRACER, "help", "--completion", shell).stdout
            script = pathlib.Path(place, shell)
            script.write_text(text)
            if shutil.which(shell):
                run(shell, "-n", script)
            for command, options in lists.items():
                check(command == "coroTracer" or all(option in text for option in options),
                      f"the completion for {shell} lacks an option of '{command}'")
        bash = pathlib.Path(place, "bash")
        check(completed(bash, "rep") == ["report"], "bash does not complete 're'")
        check(completed(bash, "report", "--format", "m") == ["md"], "bash does not complete a format")
        check("--max-members" in completed(bash, "report", "--m"), "bash does not complete an option")
        check("dump" in completed(bash, "help", "d"), "bash does not complete a command behind help")
        check(completed(bash, "help", "ex") == ["export", "exit-codes"], "bash does not complete a topic behind help")
        zsh = pathlib.Path(place, "zsh").read_text()
        for group, members in groups().items():
            offered = re.search(rf"commands=\(((?:(?!commands=).)*)\)\n\t\t_describe -t {group} ", zsh, re.DOTALL)
            check(offered and re.findall(r"'(\w+):", offered[1]) == members, f"zsh does not offer {members} as '{group}'")


def check_mistake(status, pattern, *arguments, program=COROTRACER, **options):
    result = run(program, *arguments, status=status, **options)
    check(result.stdout == "", f"{arguments} prints on standard output: {result.stdout}")
    check(result.stderr.count("\n") == 1 and result.stderr.startswith("corotracer: "),
          f"{arguments} does not complain in one line: {result.stderr}")
    check(re.search(pattern, result.stderr), f"{arguments}: '{result.stderr}' lacks '{pattern}'")


def check_mistakes(place):
    garbage = pathlib.Path(place, "garbage")
    garbage.write_bytes(b"\x00\x01\x02 this is no trace\n" * 100)
    empty = pathlib.Path(place, "empty")
    empty.touch()
    check_mistake(2, "did you mean 'report'", "reprot")
    check_mistake(2, "did you mean 'report'", "rep")
    check_mistake(2, "there is no file './nonexist'", "./nonexist")
    check_mistake(2, "to run a program: corotracer run -- some-program", "some-program")
    check_mistake(2, "unknown option '--nothing'", "--nothing")
    for command in ("report", "dump", "info", "assemble"):
        check_mistake(2, "unknown option '--nothing'.*help " + command, command, "--nothing")
        check_mistake(2, "name a file", command, cwd=place)
        check_mistake(2, "one file at a time", command, garbage, garbage)
    check_mistake(2, "takes one of text|md|html|json", "report", "--format", "xml", garbage)
    check_mistake(2, "FIRST-LAST", "dump", "--events", "9-3", garbage)
    check_mistake(2, "no command or topic 'nothing'", "help", "nothing")
    check_mistake(2, "did you mean 'report'", "help", "reprot")
    check_mistake(2, "--output", "assemble", garbage)
    check_mistake(4, "No such file", "report", place + "/nothing")
    growing = pathlib.Path(place, "growing.ctrace.partial")
    growing.touch()
    check_mistake(4, "growing.ctrace.partial' is being recorded", "report", place + "/growing.ctrace")
    growing.unlink()
    check_mistake(5, "not a trace", "report", garbage)
    check_mistake(5, "empty", "info", empty)
    check_mistake(2, "which program", "run")
    check_mistake(2, "takes one of ctrace|jsonl", "run", "--format", "text", "--", "true")
    check_mistake(2, "needs a trace in a file", "run", "--report", "-f", "jsonl", "--", "true")


def check_thresholds(place, trace):
    """The table in help and man page is the same; options and a file change the findings, and the last setting
    counts."""
    table = run(COROTRACER, "help", "thresholds").stdout
    names = re.findall(r"^  ([a-z][\w.-]*) = \S+$", table, re.MULTILINE)
    check(len(names) > 10 and "wait-limit" in names, f"help thresholds lists {names}")
    check(max(map(len, table.splitlines())) <= 80, "help thresholds has a line that is too long")
    page = run(COROTRACER, "help", "--man", "report").stdout
    check(re.findall(r"^\.It Cm (\S+) No =", page, re.MULTILINE) == names, "the man page of report has other thresholds")
    found = lambda *options: run(COROTRACER, "report", *options, trace).stdout
    check("Nothing found" not in found(), "the trace holds no finding")
    settings = pathlib.Path(place, "thresholds")
    settings.write_text("# this program is meant to be so\nwait-limit = 1h\nallow-site = *\n")
    for options in (("--thresholds", settings), ("--allow-site", "*")):
        told = found(*options)
        check("Nothing found" in told and "at allowed places" in told, f"{options}: {told}")
    judged = json.loads(run(COROTRACER, "stats", "--format", "json", "--allow-site", "*", trace).stdout)
    check(not judged["findings"] and judged["quality"]["allowed"] > 0, f"{judged['findings']}")
    check_mistake(2, "'dump' judges nothing, and takes no option '--threshold'", "dump", "--threshold", "grace=1s", trace)
    settings.write_text("grace = 1s\nwait-limit = never\n")
    check_mistake(2, "thresholds:2: threshold 'wait-limit' takes a time", "report", "--thresholds", settings, trace)
    check_mistake(2, "there is no threshold 'nothing'", "why", "--threshold", "nothing=1", trace, "1")
    check_mistake(2, "takes a whole number from 1 to", "run", "--threshold", "worker-hog.factor=none", "--", "true")
    check_mistake(4, "No such file", "attach", "--thresholds", "/nowhere", "1")


def check_outputs(place, trace):
    """Each way in which writing can fail; a reader that closes the pipe is not a failure."""
    for command in (["report"], ["report", "--format", "json"], ["dump"], ["info"],
                    ["dump", "--events", "0-9"]):
        full = run("sh", "-c", '"$@" >/dev/full', "sh", COROTRACER, *command, trace, status=3)
        check("No space left" in full.stderr, f"{command} does not say that the disk is full: {full.stderr}")
        closed = run("sh", "-c", '"$@" >&-', "sh", COROTRACER, *command, trace, status=3)
        check("Bad file descriptor" in closed.stderr, f"{command} with output closed: {closed.stderr}")
        reader, writer = os.pipe()
        os.close(reader)
        gone = subprocess.run([COROTRACER, *command, str(trace)], stdout=writer, stderr=subprocess.PIPE,
                              check=False)
        os.close(writer)
        check(gone.returncode == 0 and gone.stderr == b"",
              f"{command} with its reader gone: {gone.returncode}, {gone.stderr}")
    check_mistake(4, "nothing", "report", "-o", place + "/nothing/x", trace)
    check_mistake(4, "nothing", "assemble", "-o", place + "/nothing/x", trace)
    check_mistake(3, "directory", "report", "-o", place, trace)
    written = pathlib.Path(place, "report.md")
    check(run(COROTRACER, "report", "-f", "md", "-o", written, trace).stdout == "", "-o prints as well")
    check(written.read_text() == run(COROTRACER, "report", "-f", "md", trace).stdout, "-o writes another report")
    check(not list(pathlib.Path(place).glob("*.partial")), "a half-written file was left behind")


def on_terminal(*command, **environment):
    """Returns what a command prints on a terminal."""
    primary, secondary = pty.openpty()
    with subprocess.Popen([str(word) for word in command], stdout=secondary, stdin=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm", **environment}):
        os.close(secondary)
        output = b""
        try:
            while piece := os.read(primary, 65536):
                output += piece
        except OSError:  # the other end was closed: EIO
            pass
    os.close(primary)
    return output.decode()


def check_colours(trace):
    report = [COROTRACER, "report", trace]
    check(ESCAPE not in run(*report).stdout, "a pipe gets colours")
    check(ESCAPE in run(*report, "--colour", "always").stdout, "--colour always does not colour")
    check(ESCAPE in run(*report, "--color=always").stdout, "--color is not --colour")
    check(ESCAPE in on_terminal(*report, NO_COLOR=""), "a terminal gets no colours")
    check(ESCAPE not in on_terminal(*report, NO_COLOR="1"), "NO_COLOR is not heeded")
    check(ESCAPE not in on_terminal(*report, TERM="dumb"), "a dumb terminal gets colours")
    check(ESCAPE not in on_terminal(*report, "--colour", "never"), "--colour never colours")
    check(ESCAPE in on_terminal(*report, "--colour", "always", NO_COLOR="1"), "NO_COLOR beats an option")
    plain = run(*report).stdout
    coloured = run(*report, "--colour", "always").stdout
    check(re.sub("\033\\[[0-9;]*m", "", coloured) == plain, "colour carries a meaning of its own")
    check("\033" not in plain, "a name from the trace reaches the terminal")


def check_progress(trace):
    """Long work shows its progress on a terminal, wipes the line, and is silent elsewhere."""
    primary, secondary = pty.openpty()
    with subprocess.Popen([COROTRACER, "report", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=secondary) as report:
        os.close(secondary)
        said = b""
        while b"reading standard input" not in said:
            check(select.select([primary], [], [], 60)[0], f"no sign of life, but: {said}")
            said += os.read(primary, 4096)
        report.stdin.write(trace.read_bytes())
        report.stdin.close()
        try:
            while piece := os.read(primary, 4096):
                said += piece
        except OSError:  # the other end was closed: EIO
            pass
        check(report.wait(timeout=60) == 0 and said.endswith(b"\r\033[K"), f"the line is not wiped: {said}")
    os.close(primary)


def check_report(trace):
    text = run(COROTRACER, "report", trace).stdout
    for words in ("PROVEN", "waits-on-closed-descriptor", "co_await AsyncRead", "server.cpp:120",
                  "Reactor::on_hangup", "reactor.cpp:200", "descriptor 7", "could be wrong", "next step",
                  "observed until", "lost nearby", "Last events of coroutine 1"):
        check(words in text, f"the report lacks '{words}':\n{text}")
    check(text.index("Data quality") < text.index("PROVEN"), "findings come before data quality")
    check(run(COROTRACER, "report", "-", input=trace.read_text()).stdout.split() == text.replace(str(trace), "FILE").split(),
          "standard input reads otherwise")
    brief = run(COROTRACER, "report", "--brief", trace).stdout
    check(len(brief.splitlines()) < 8 and "PROVEN" in brief, f"--brief is not brief: {brief}")
    one = run(COROTRACER, "report", "-n", "1", trace).stdout
    check("... and 1 more" in one, "--max-members does not bound the list")


def check_many_findings():
    """A report stays readable with any number of findings; --max-findings and --all print more, json all."""
    lines = ["trace from=0 until=100s", "process 1 pid=100 program=/bin/app probe", "thread 1 tid=101"]
    lines += [f"site {i} kind=source file=/src/app.cpp line={i} function=f{i}" for i in range(1, 31)]
    for i in range(1, 31):
        lines += [f"{i}ms t1 create c{i} {0x1000 * i} @1", "+1us t1 resume c" + str(i),
                  f"+1us t1 suspend c{i} channel:{i} @{i}"]
    text = "\n".join(lines + ["50s t1 park", "51s t1 thread-state c101 0xca53 argument=1", ""])
    for options, nr_shown in ((), 20), (("--max-findings", "29"), 29), (("--all",), 30), (("-m", "30"), 30):
        report = run(COROTRACER, "report", *options, "-", input=text).stdout
        check("30 findings: " in report, f"the findings are not counted: {report[:2000]}")
        check(report.count("How sure, and what next") == nr_shown, f"{options} do not print {nr_shown} findings")
        check((f"... and {30 - nr_shown} more: " in report) == (nr_shown < 30), f"{options}: the rest is not told")
        brief = run(COROTRACER, "report", "--brief", *options, "-", input=text).stdout
        check(brief.count("PROVEN  lost-wakeup\n") == nr_shown, f"--brief {options} does not print {nr_shown} headlines")
    findings = json.loads(run(COROTRACER, "report", "--format", "json", "-", input=text).stdout)["findings"]
    check(len(findings) == 30, "json has not all findings")


def check_json(trace):
    """Tests J-1, J-2, J-3, J-4, J-5, J-6 and J-8 of docs/spec/report-json.md."""
    report = json.loads(run(COROTRACER, "report", "--format", "json", trace).stdout)
    check_documented(report)
    check(report["format"] == "corotracer-report" and report["version"] == 1, "J-1: the form is not named")
    check(list(report).index("quality") < list(report).index("findings"), "J-8: findings come first")
    finding, = report["findings"]
    check([member["id"] for member in finding["members"]] == [1, 2], "the members are not complete")
    check(finding["members"][0]["destroyed_ns"] is None, "J-2: not known is not null")
    times = [value for key, value in finding["members"][0].items() if key.endswith("_ns") and value is not None]
    check(times and all(isinstance(value, int) for value in times), f"J-3: times are no whole numbers: {times}")
    check(finding["members"][0]["frame"] == "0x0000000000011000", "J-4: an address is no text")
    check(report["sites"][finding["wait_site"] - 1]["line"] == 120, "J-6: a site is not found by its index")
    check([entry["index"] for entry in report["sites"]] == [1, 2, 3], "J-6: indexes do not count from 1")
    evidence = run(COROTRACER, "dump", "--events",
                   f"{finding['first_event']}-{finding['last_event']}", trace).stdout
    check("suspend c1" in evidence and "descriptor-close" in evidence, "J-5: the evidence is not there")


def check_numbers_are_no_coroutines(scratch):
    """A transfer of 16 bytes is not an event of coroutine 16, and dump does not show it as one."""
    text = scratch / "numbers.txt"
    text.write_text("trace from=0 until=1s\nprocess 1 pid=100 probe\nthread 1 tid=101\n1ms t1 create c16 0x1000\n"
                    "2ms t1 descriptor-io result=16 descriptor:4.1 argument=1\n3ms t1 thread-time ran=16 5\n")
    whole = run(COROTRACER, "dump", text).stdout
    check("descriptor-io result=16 " in whole and "thread-time ran=16 " in whole, whole)
    lines = run(COROTRACER, "dump", "-c", 16, text).stdout.splitlines()
    check(len(lines) == 1 and "create c16" in lines[0], f"{lines}")


def check_dump(place, trace):
    assembled, again = pathlib.Path(place, "a.ctrace"), pathlib.Path(place, "b.ctrace")
    run(COROTRACER, "assemble", "-o", assembled, trace)
    first = run(COROTRACER, "dump", assembled).stdout
    run(COROTRACER, "assemble", "-o", again, "-", input=first)
    check(run(COROTRACER, "dump", again).stdout == first, "dump and assemble are not inverse")
    check(run(COROTRACER, "dump", "/dev/stdin", input=first).stdout == first, "a pipe with a name cannot be read")
    told, copied = (run(COROTRACER, "report", each).stdout.replace(str(each), "FILE").split() for each in (assembled, again))
    check(told == copied, "the report of a copy differs")
    lines = run(COROTRACER, "dump", "--events", "12", assembled).stdout.splitlines()
    check(len(lines) == 1 and "suspend c1" in lines[0] and "server.cpp:120" in lines[0],
          f"--events 12 prints {lines}")
    kept = assembled.read_bytes()
    for command in (["report"], ["report", "--format", "md"], ["dump"], ["dump", "--events", "12"], ["assemble"],
                    ["export"]):
        check_mistake(2, "is the trace itself", *command, "-o", assembled, assembled)
        check(assembled.read_bytes() == kept, f"{command} replaced the trace that it read")
    check_mistake(4, "there is no event 99", "dump", "--events", "99-100", assembled)
    check_mistake(4, "coroutine 77", "dump", "--coroutine", "77", assembled)
    check_mistake(4, "No such file", "dump", "--events", "12", "-o", place + "/nowhere/x", assembled)
    again.write_text("as before")
    check_mistake(4, "No such file", "dump", "--events", "12", "-o", again, place + "/nothing")
    check(again.read_text() == "as before", "dump emptied its output before it looked at the trace")
    life = run(COROTRACER, "dump", "--coroutine", "2", assembled).stdout
    check(re.findall(r"t\d (\S+)", life) == ["create", "frame", "suspend"], f"the life of coroutine 2 is {life}")
    life = run(COROTRACER, "dump", "--coroutine", "3", assembled).stdout
    check(re.findall(r"t\d (\S+)", life) == ["create", "frame", "resume", "suspend", "wake", "resume", "return",
                                             "destroy"], f"the life of coroutine 3 is {life}")
    info = run(COROTRACER, "info", assembled).stdout
    for words in ("00112233445566778899aabbccddeeff", "build-7", "2023-11-14 22:13:20 UTC", "/bin/server",
                  "exit status 0", "descriptor-close", "bytes an event", "2.00 s"):
        check(words in info, f"info lacks '{words}':\n{info}")


def check_default_trace(place, trace):
    """If no file is named, each command that reads a trace reads corotracer.ctrace; help says so."""
    default, empty = place / "corotracer.ctrace", place / "nothing-here"
    empty.mkdir()
    run(COROTRACER, "assemble", "-o", default, trace)
    for command in ("report", "stats", "dump", "info", "follow"):
        named = run(COROTRACER, command, default.name, cwd=place).stdout
        check(run(COROTRACER, command, cwd=place).stdout == named, f"{command} does not read {default.name}")
        check(f"Without FILE, {default.name} is read." in run(COROTRACER, "help", command).stdout, f"help {command}")
        check_mistake(2, f"there is no {default.name} here", command, cwd=empty)
    named = run(COROTRACER, "why", default.name, 1, cwd=place).stdout
    check(run(COROTRACER, "why", "c1", cwd=place).stdout == named, "why does not read corotracer.ctrace")
    for command, written in (("export", "corotracer.csv"), ("profile", "corotracer.pb.gz")):
        run(COROTRACER, command, cwd=place)
        check((place / written).exists(), f"{command} wrote no {written}")
    for command in ("assemble", "recover"):
        check_mistake(2, "which trace", command, cwd=place)


def check_older():
    """Tests that the older program is found by its name; test_older.py tests what it does."""
    check_mistake(2, "did you mean '-out'", "-oot", "x", program=OLDER)


def main():
    lists = commands_and_options()
    check_values()
    check_forms()
    check_first_words()
    check_topics(lists)
    check_help(lists)
    check_version()
    check_man_pages(lists)
    check_completions(lists)
    check_script()
    with folder() as place:
        trace = pathlib.Path(place, "trace.txt")
        trace.write_text(TRACE)
        check_mistakes(place)
        check_thresholds(place, trace)
        check_outputs(place, trace)
        check_colours(trace)
        check_progress(trace)
        check_report(trace)
        check_many_findings()
        check_json(trace)
        check_dump(place, trace)
        check_numbers_are_no_coroutines(pathlib.Path(place))
        check_default_trace(pathlib.Path(place), trace)
    check_older()


if __name__ == "__main__":
    try:
        main()
    except subprocess.TimeoutExpired as late:
        fail(str(late))
