# SPDX-License-Identifier: MIT
"""Tests that outputs for other tools are valid: SARIF, JUnit and Speedscope's files, by their published schemas."""
import json
import pathlib
import shutil
import subprocess

import environment
import schemas
from support import BUILD, COROTRACER, SOURCE, check, folder, run, skip
from test_profile import FIBERS, figures, profile

try:
    import jsonschema
except ImportError:
    environment.run_again_with("schema", __file__)

FAULTY = BUILD / "examples/example-tcp-server-fault-a"
CORRECT = BUILD / "examples/example-tcp-server"
LOAD = ("--self-load", "20:12", "--exit-after-idle", "0.5")
EVERY = 3  # one of this many cases is tested
# An assertion that holds, one that is broken, one that cannot be judged; and characters that may be a problem for
# markup and schemas.
ASSERTIONS = ("findings == 0", "lost < 1k", "region(<&\">).p99 < 1s", "wait(*).max < 1ns", "finding(waits-*) == 0")


def validator(name, of_draft):
    return of_draft(json.loads(schemas.require(name).read_text()), format_checker=jsonschema.FormatChecker())


def check_json(validator, page, what):
    wrong = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator.iter_errors(json.loads(page))]
    check(not wrong, f"{what}: {wrong[:3]}")


def check_sarif(validator, page, what):
    check_json(validator, page, f"SARIF of {what}")


def lint(page):
    return subprocess.run(["xmllint", "--noout", "--schema", schemas.require("junit-10.xsd"), "-"], input=page,
                          capture_output=True, text=True)


def check_junit(page, what):
    told = lint(page)
    check(told.returncode == 0, f"JUnit of {what}: {told.stderr}")


def check_speedscope(scratch):
    validator_of_files = validator("speedscope.json", jsonschema.Draft7Validator)
    trace = scratch / "speedscope.ctrace"
    run(COROTRACER, "run", "-o", trace, "--", FIBERS, "--scenario", "mixed")
    check(list(validator_of_files.iter_errors({"shared": {"frames": []}})), "a file without profiles is taken")
    for name in figures(trace):
        check_json(validator_of_files, profile(trace, name, "-f", "speedscope"), f"speedscope: {name}")


def check_can_fail(validator):
    """Checks that the schema rejects something: a schema that accepts anything would prove nothing."""
    check(list(validator.iter_errors({"version": "2.1.0", "runs": [{"results": []}]})), "a run without a tool is taken")
    check(lint("<testsuite><attic/></testsuite>").returncode != 0, "an attic is taken")


def check_commands(validator, scratch):
    """Both forms for both programs, from the command itself and from its trace."""
    for program in (FAULTY, CORRECT):
        trace = scratch / f"{program.name}.ctrace"
        words = (COROTRACER, "check", "--trace", trace, "--format", "sarif", *ASSERTIONS, "--", program, *LOAD)
        check_sarif(validator, run(*words, status=1).stdout, program.name)
        check_sarif(validator, run(COROTRACER, "report", "--format", "sarif", trace, status=None).stdout, trace.name)
        for assertions in (ASSERTIONS, ("lost < 1k",), ()):
            words = (COROTRACER, "check", "--format", "junit", trace, *assertions)
            check_junit(run(*words, status=None).stdout, f"{program.name} with {assertions}")


def traces():
    """Yields {name: text} of some cases; parts that only the cases' own reader knows are skipped."""
    for path in sorted((SOURCE / "tests/cases").glob("*.case"))[::EVERY]:
        text = path.read_text(encoding="utf-8").split("--- trace\n")[1].split("\n---")[0] + "\n"
        if "\nrepeat " not in text:
            yield path.stem, text


def check_cases(validator, scratch):
    """Checks findings of many rules."""
    rules = set()
    for name, text in traces():
        trace = scratch / f"{name}.txt"
        trace.write_text(text, encoding="utf-8")
        page = run(COROTRACER, "report", "--format", "sarif", trace).stdout
        check_sarif(validator, page, name)
        rules |= {result["ruleId"] for result in json.loads(page)["runs"][0]["results"]}
        check_junit(run(COROTRACER, "check", "--format", "junit", trace, *ASSERTIONS, status=None).stdout, name)
    check(len(rules) >= 10, f"only {sorted(rules)} were looked at")


def main():
    if not shutil.which("xmllint"):
        skip("there is no xmllint")
    of_sarif = validator("sarif-2.1.0.json", jsonschema.Draft4Validator)
    check_can_fail(of_sarif)
    with folder() as name:
        scratch = pathlib.Path(name)
        check_commands(of_sarif, scratch)
        check_cases(of_sarif, scratch)
        check_speedscope(scratch)


main()
