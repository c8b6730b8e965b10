# SPDX-License-Identifier: MIT
"""The traces of all cases, and what the page, `top`, the report and an assistant's tools say of each: for
test_same_answers.py.
"""
import concurrent.futures
import json
import re
import shutil
import subprocess

from support import BUILD, COROTRACER, SOURCE, check, run
from test_mcp import Server as Assistant
from test_reader import answers

SECTION = re.compile(r"^(PROVEN|LIKELY|SUSPECT)  (\S+)$", re.MULTILINE)


def spread(text):
    """Repeats the lines between `repeat 1 to 1200` and `repeat end` this often; see tests/cases/case_file.h."""
    def copies(found):
        return "".join(found[3].replace("{}", str(number)).replace("{+}", str(number + 1))
                       for number in range(int(found[1]), int(found[2]) + 1))
    return re.sub(r"^repeat (\d+) to (\d+)\n(.*?)^repeat end\n", copies, text, flags=re.MULTILINE | re.DOTALL)


def assembled(case, place):
    text = re.search(r"^--- trace\n(.*?)^---", case.read_text(errors="surrogateescape"), re.MULTILINE | re.DOTALL)
    (place / f"{case.stem}.txt").write_text(spread(text[1]), errors="surrogateescape")
    trace = place / f"{case.stem}.ctrace"
    run(COROTRACER, "assemble", place / f"{case.stem}.txt", "-o", trace)
    return trace


def at_once(ask, *lists):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(ask, *lists))


def by_page(traces):
    """Returns the report of the reader that a page holds, or of the server if there is no reader."""
    reader, asked = BUILD / "wasm/reader.wasm", ["report"]
    if reader.exists() and shutil.which("node"):
        told = answers(asked, "node", SOURCE / "tests/integration/reader.mjs", reader, *traces, times=len(traces))
    else:
        told = at_once(lambda trace: answers(asked, BUILD / "tests/unit/answer_lines", trace)[0], traces)
    return [json.loads(report) for ((_, report),) in told]


def by_top(traces):
    """Returns (header, headline, lines of each finding, or lines if there is none) of each trace, as `top` shows them."""
    told = subprocess.run([BUILD / "tests/unit/top_findings", *traces], capture_output=True, check=True).stdout.decode(errors="replace")
    for words in told.split("== trace\n")[1:]:
        words, _, nothing = words.partition("== nothing\n")
        first, *findings = words.split("== finding\n")
        yield *first.splitlines(), [finding.splitlines() for finding in findings], nothing.splitlines()


def by_report(trace):
    """Returns (the whole text, (grade, rule, what follows) of each finding) of the report, with lines joined."""
    told = run(COROTRACER, "report", trace).stdout
    parts = SECTION.split(told)[1:]
    return " ".join(told.split()), [(parts[i].lower(), parts[i + 1], " ".join(parts[i + 2].split())) for i in range(0, len(parts), 3)]


def by_assistant(traces):
    with Assistant() as server:
        server.initialize()
        for trace in traces:
            summary = server.call("open", path=str(trace))
            yield summary
            server.call("close", handle=summary["handle"])


def place_of(report, site):
    """Returns the text that the words of a place end in, or contain, in every interface."""
    told = report["sites"][site - 1]
    check(told["index"] == site, "sites are in order")
    return f"{told['file'].rsplit('/', 1)[-1]}:{told['line']}" if told["file"] else told["function"] or told["module"].rsplit("/", 1)[-1]


def check_finding(where, report, finding, top, words, assistant):
    grade, rule, text = words
    check(top[:2] == [f"{finding['grade']}: {finding['rule']}", finding["title"]], f"{where}: {top[:2]}, on the page {finding['title']}")
    check((grade, rule) == (finding["grade"], finding["rule"]) and text.startswith(" ".join(finding["title"].split())), f"{where}: {words}")
    check([assistant[each] for each in ("grade", "rule", "title")] == [finding[each] for each in ("grade", "rule", "title")], f"{where}: {assistant}")
    look = [line.removeprefix("Look first at ") for line in top if line.startswith("Look first at ")]
    check(bool(look) == bool(finding["look_first"]) == ("look_first_at" in assistant), f"{where}: {look}, {assistant}")
    if look:
        place = place_of(report, finding["look_first"])
        check(place in look[0] and place in assistant["look_first_at"], f"{where}: {look}, {assistant['look_first_at']}, not {place}")
        check(f"look first at {look[0]}" in text or f"waiting at {look[0]}" in text, f"{where}: {look} is not in {text[:600]}")
    waits = [line.split(" at ", 1) for line in top if re.match(r"[\d,]+ waits? at ", line)]
    said = finding["waits_at"] if len(finding["waits_at"]) > 1 else []
    check([f"{one['coroutines']:,} wait{'s' * (one['coroutines'] == 1)}" for one in said] == [number for number, _ in waits], f"{where}: {waits}")
    check(all(place_of(report, one["site"]) in place for one, (_, place) in zip(said, waits)), f"{where}: {waits}")
    told = " ".join(f"{number.split()[0]} at {place}" for number, place in waits)
    check(f"waiting at {told}" in text if told else True, f"{where}: '{told}' is not in {text[:600]}")


def check_story(where, finding, text):
    """The page's words about what happened, how sure that is and what to do are those of the report."""
    said = [step["text"] for step in finding["steps"]] + finding["evidence"] + finding["lowered_since"] + [finding["next_step"], finding["could_be_wrong_if"]]
    for one in said:
        check(" ".join(one.split()) in text, f"{where}: '{one}' is not in {text[:1500]}")


def check_nothing(where, report, told, words):
    """If nothing was found: how many rules could judge, what is doubtful, and where the time went."""
    judging = " ".join(report["judging"].split("; ")[0].split())
    if report["quality"]["coroutines"] and judging:
        check(any(one.strip().startswith(judging) for one in told) and judging in words, f"{where}: {judging} is not in {told}")
        numbers = [one.split()[0] for one in told if " judged over " in one]
        check(numbers == [f"{report['quality']['coroutines']:,}"], f"{where}: {numbers}")
    times = told[told.index("Where the time went") + 1:] if "Where the time went" in told else []
    check(all(" ".join(one.split()) in words for one in times), f"{where}: {times} are not in {words}")
    check(bool(times) == ("Where the time went" in words), f"{where}: {times}")


def check_trace(name, report, top, text, assistant):
    header, headline, findings, nothing = top
    words, sections = text
    standings = [one["text"] for one in report["standings"]]
    check(header.endswith("  ".join(standings)), f"{name}: top has {header}, the page {standings}")
    counts = [one["text"] for one in report["standings"] if one["what"] in ("events", "lost", "left-out", "left_out")]
    check(all(count in words.split("Data quality")[0] for count in counts), f"{name}: the report has {words[:200]}, the page {counts}")
    known = [report["quality"]["clock"]] + [one["how_it_ended"] for one in report["processes"][:1]]
    check(all(one in words for one in known), f"{name}: the page has {known}, the report {words[:900]}")
    check(headline == report["headline"] == assistant["verdict"], f"{name}: {headline}, {report['headline']}, {assistant['verdict']}")
    check(f" {headline[0].upper()}{headline[1:]}" in words, f"{name}: {headline} is not in {words[:400]}")
    check(len(report["findings"]) == len(findings) == len(sections), f"{name}: {len(findings)} and {len(sections)} findings")
    if not findings:
        check_nothing(name, report, nothing, words)
    for number, all_of_one in enumerate(zip(report["findings"], findings, sections, assistant.get("findings", []), strict=True), 1):
        check_finding(f"{name}, finding {number}", report, *all_of_one)
        check_story(f"{name}, finding {number}", all_of_one[0], all_of_one[2][2])


def check_cases(place):
    """For every case: the headline, the strip, and for each finding its title, grade, places and counts."""
    cases = sorted((SOURCE / "tests/cases").glob("*.case"))
    traces = at_once(lambda case: assembled(case, place), cases)
    doors = [by_page(traces), list(by_top(traces)), at_once(by_report, traces), list(by_assistant(traces))]
    for case, *told in zip(cases, *doors):
        check_trace(case.stem, *told)
    check(len(doors[1]) == len(cases) and sum(len(report["findings"]) for report in doors[0]) > len(cases) / 2, "most cases have findings")
