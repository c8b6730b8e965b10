# SPDX-License-Identifier: MIT
"""Tests sanitised copies: they contain none of a program's names, paths, messages and values, and a report says the
same of them.

`test_sanitised.py all` tests all cases of tests/cases, instead of one in eight.
"""
import json
import pathlib
import re
import sys

from support import COROTRACER, SOURCE, check, folder, run

TRACE = """trace run=00112233445566778899aabbccddeeff host=secret-host from=0 until=2s epoch_monotonic=5000000000 reason="secret reason"
process 1 pid=100 program=/secret/folder/secret.d command="secret --password=secret" probe ledger
thread 1 process=1 tid=101 name=secret-thread
site 1 process=1 kind=source file=/secret/../secret/server.cpp line=40 function="secret::accept<int, Secret>(Secret const&)" reason=secret::Awaiter
site 2 process=1 kind=source reason="secret {} of alice"
site 3 process=1 kind=source reason="secret counter"
site 4 process=1 kind=source reason="warm-up of secret"
site 5 process=1 kind=source file=/secret/b.rs line=7 function=secret::accept callers="Secret::inline\\t/secret/c.hpp\\t12"
mapping 1 process=1 start=0x1000 end=0x2000 offset=0x0 path=/secret/libsecret.so build_id=5ec2e75ec2e7
note "secret note" count=2
end 1 exited 0 at=2s
1ms    t1 mark mark=phase @4
1.1ms  t1 create c1 0x11010 @5
1.2ms  t1 resume c1
1.3ms  t1 log c1 123456789 @2 flags=2049
1.3ms  t1 detail c1 0x746572636573 detail=text
1.4ms  t1 log c1 123456789 @2 flags=1
1.5ms  t1 counter c1 17 @3
1.6ms  t1 suspend c1 descriptor:7.3 @1
"""
SECRET = re.compile(rb"(?i)secret|alice|password|accept|awaiter|server|5ec2e7")
TOKEN = re.compile(r"\b(?:(warm|shut)-)?((?:file|word|name)\d+)\b")


def sanitised(trace, output):
    said = run(COROTRACER, "export", "--format", "ctrace", "--sanitise", "-o", output, trace)
    lines = said.stderr.splitlines()
    check(said.stdout == "" and len(lines) > 5, f"{said}")
    told = [line for line in lines if not line.endswith(" was there before, and was replaced")]
    check(all(re.match("corotracer: (replaced by tokens|what remains): ", line) for line in told), said.stderr)
    return output


def check_replaced(place):
    trace = place / "secret.txt"
    trace.write_text(TRACE)
    parsed = run(COROTRACER, "dump", trace, status=None)
    check(parsed.returncode == 0, parsed.stderr)
    copy = sanitised(trace, place / "copy.ctrace")
    dump = run(COROTRACER, "dump", copy).stdout
    found = SECRET.search(copy.read_bytes()) or SECRET.search(dump.encode())
    check(not found, f"{found} in {dump}")
    for number in ("123456789", "128009156552051"):
        check(number not in dump, f"{number} in {dump}")
    for words in (r"file=/file\d+/file\d+\.cpp line=40", r'function="word\d+::word\d+<int, word\d+>\(word\d+ const&\)"',
                  r"reason=\"?name\d+\{\}name\d+", r"reason=word\d+::word\d+", r"reason=warm-name\d+", r"\.rs line=7", r"\.hpp\\t12"):
        check(re.search(words, dump), f"no {words} in {dump}")
    numbers = re.findall(r"log c1 (\d+)", dump)
    check(len(numbers) == 2 and numbers[0] == numbers[1], f"a number has two tokens: {numbers}")
    check("counter c1 17" in dump, f"a counter's value changed: {dump}")
    twice = sanitised(trace, place / "twice.ctrace")
    check(run(COROTRACER, "dump", twice).stdout == dump, "tokens differ from copy to copy")


def check_fields():
    """Each text of the tables is in the list, including texts that were added later."""
    header = (SOURCE / "include/corotracer/event.h").read_text()
    listed = set(re.findall(r"^FIELD\((\w+), (\w+), \w+\)$", (SOURCE / "src/stages/sanitised.def").read_text(), re.MULTILINE))
    texts = set()
    for name, body in re.findall(r"^struct ct_(\w+) \{\n(.*?)^\};", header, re.MULTILINE | re.DOTALL):
        texts |= {(name, field) for field in re.findall(r"^\tconst char \*(\w+);", body, re.MULTILINE)}
    texts -= {("caller", "function"), ("caller", "file")}  # part of the text `callers`
    texts = {(name, field) for name, field in texts if name != "attaching"}  # corotracer's own text
    check(len(texts) > 10 and texts == listed, f"in the header or the list alone: {texts ^ listed}")


# The rules of these cases depend on names, of a program, of functions, of a type's methods and of the collector's phases,
# which a copy does not have.
BY_NAME = ("0941-collection.case", "0997-never-attached-python.case", "1134-blocked-in-place.case",
           "1703-lock-asked-for-in-hook.case", "1955-lock-last-in-first-out.case", "1959-pool-within-a-pool.case",
           "1971-own-line-first.case", "2055-overtaken-at-a-lock.case", "2064-consequence-of-a-send.case",
           "2100-sleep-that-lasts-longer.case")


def template(text):
    """A token stands for any text, for the same text each time; asterisks stand for any bytes."""
    pattern, at, seen = "", 0, set()
    for token in TOKEN.finditer(text):
        name = token[2]
        pattern += re.escape(text[at:token.start()]) + (token[1] or "") + (f"(?P={name})" if name in seen else f"(?P<{name}>.*?)")
        seen.add(name)
        at = token.end()
    return re.sub(r"(\\\*)+", ".+?", pattern + re.escape(text[at:]))


def difference(one, other, place=""):
    """Returns where two reports differ by more than tokens; None: nowhere."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = [(one[key], other[key], f"{place}/{key}") for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(*both, f"{place}/{number}") for number, both in enumerate(zip(one, other))]
    elif one == other or (isinstance(one, str) and isinstance(other, str) and re.fullmatch(template(other), one, re.DOTALL)):
        return None
    else:
        return f"{place}: {one!r} and {other!r}"
    return next((found for pair in pairs if (found := difference(*pair))), None)


def expanded(text):
    def repeated(match):
        return "".join(match[3].replace("{}", str(number)).replace("{+}", str(number + 1))
                       for number in range(int(match[1]), int(match[2]) + 1))
    return re.sub(r"^repeat (\d+) to (\d+)\n(.*?)^repeat end\n", repeated, text, flags=re.MULTILINE | re.DOTALL)


def check_case(case, place):
    text = case.read_text(errors="surrogateescape").split("--- trace\n", 1)[1]
    trace = place / "trace.txt"
    trace.write_text(expanded(re.split(r"^--- ", text, maxsplit=1, flags=re.MULTILINE)[0]), errors="surrogateescape")
    run(COROTRACER, "export", "--format", "ctrace", "-o", place / "plain.ctrace", trace)
    sanitised(trace, place / "copy.ctrace")
    reports = [json.loads(run(COROTRACER, "report", "--format", "json", place / f"{name}.ctrace").stdout)
               for name in ("plain", "copy")]
    found = difference(*reports)
    check(not found, f"{case.name}: {found}")
    return len(reports[0]["findings"])


def main():
    cases = sorted(set((SOURCE / "tests/cases").glob("*.case")) - {SOURCE / "tests/cases" / name for name in BY_NAME})
    with folder() as name:
        place = pathlib.Path(name)
        check_replaced(place)
        check_fields()
        wrong = run(COROTRACER, "export", "--sanitise", place / "secret.txt", status=2).stderr
        check("--format ctrace" in wrong, wrong)
        wrong = run(COROTRACER, "export", "-f", "ctrace", "--from", "1s", place / "secret.txt", status=2).stderr
        check("corotracer cut" in wrong, wrong)
        taken = [case for case in cases if sys.argv[1:] == ["all"] or int(case.name[:4]) % 8 == 1]
        nr_findings = sum(check_case(case, place) for case in taken)
        check(nr_findings > 10, "hardly a finding was compared")
    print(f"{len(taken)} cases, {nr_findings} findings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
