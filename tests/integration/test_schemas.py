# SPDX-License-Identifier: MIT
"""What other tools read is what they were promised: SARIF and JUnit by their published schemas (tools/fetch-schemas)."""
import json
import pathlib
import shutil
import subprocess
import sys

from support import BUILD, COROTRACER, SOURCE, check, folder, run

SARIF = BUILD / "schemas/sarif-2.1.0.json"
JUNIT = BUILD / "schemas/junit-10.xsd"
SKIPPED = 77
FAULTY = BUILD / "examples/example-tcp-server-fault-a"
CORRECT = BUILD / "examples/example-tcp-server"
LOAD = ("--self-load", "20:12", "--exit-after-idle", "0.5")
EVERY = 3  # so many cases are passed over for one that is looked at
# One that holds, one that is broken, one that nothing is known of; and what markup and a schema could stumble over.
ASSERTIONS = ("findings == 0", "lost < 1k", "region(<&\">).p99 < 1s", "wait(*).max < 1ns", "finding(waits-*) == 0")


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def sarif_validator():
    try:
        import jsonschema
    except ImportError:
        skip("no Python module jsonschema; ./dev setup installs it")
    return jsonschema.Draft4Validator(json.loads(SARIF.read_text()), format_checker=jsonschema.FormatChecker())


def check_sarif(validator, page, what):
    wrong = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator.iter_errors(json.loads(page))]
    check(not wrong, f"SARIF of {what}: {wrong[:3]}")


def check_junit(page, what):
    told = subprocess.run(["xmllint", "--noout", "--schema", JUNIT, "-"], input=page, capture_output=True, text=True)
    check(told.returncode == 0, f"JUnit of {what}: {told.stderr}")


def check_can_fail(validator):
    """A schema that takes anything would prove nothing."""
    check(list(validator.iter_errors({"version": "2.1.0", "runs": [{"results": []}]})), "a run without a tool is taken")
    told = subprocess.run(["xmllint", "--noout", "--schema", JUNIT, "-"], input="<testsuite><attic/></testsuite>",
                          capture_output=True, text=True)
    check(told.returncode != 0, "an attic is taken")


def check_commands(validator, scratch):
    """Both forms of both programs, from the command itself and from its trace."""
    for program in (FAULTY, CORRECT):
        trace = scratch / f"{program.name}.ctrace"
        words = (COROTRACER, "check", "--trace", trace, "--format", "sarif", *ASSERTIONS, "--", program, *LOAD)
        check_sarif(validator, run(*words, status=1).stdout, program.name)
        check_sarif(validator, run(COROTRACER, "report", "--format", "sarif", trace, status=None).stdout, trace.name)
        for assertions in (ASSERTIONS, ("lost < 1k",), ()):
            words = (COROTRACER, "check", "--format", "junit", trace, *assertions)
            check_junit(run(*words, status=None).stdout, f"{program.name} with {assertions}")


def traces():
    """{name: text} of some cases; what only the cases' own reader knows is passed over."""
    for path in sorted((SOURCE / "tests/cases").glob("*.case"))[::EVERY]:
        text = path.read_text(encoding="utf-8").split("--- trace\n")[1].split("\n---")[0] + "\n"
        if "\nrepeat " not in text:
            yield path.stem, text


def check_cases(validator, scratch):
    """Findings of many rules."""
    rules = set()
    for name, text in traces():
        trace = scratch / f"{name}.txt"
        trace.write_text(text, encoding="utf-8")
        page = run(COROTRACER, "report", "--format", "sarif", trace).stdout
        check_sarif(validator, page, name)
        rules |= {result["ruleId"] for result in json.loads(page)["runs"][0]["results"]}
        check_junit(run(COROTRACER, "check", "--format", "junit", trace, *ASSERTIONS, status=1).stdout, name)
    check(len(rules) >= 10, f"only {sorted(rules)} were looked at")


def main():
    if not (SARIF.exists() and JUNIT.exists()):
        skip("no schemas; `./dev test` fetches them (tools/fetch-schemas)")
    if not shutil.which("xmllint"):
        skip("no xmllint; ./dev setup installs it")
    validator = sarif_validator()
    check_can_fail(validator)
    with folder() as name:
        check_commands(validator, pathlib.Path(name))
        check_cases(validator, pathlib.Path(name))


main()
