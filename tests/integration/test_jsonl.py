# SPDX-License-Identifier: MIT
"""Tests JSON lines as a trace, through the real command line: good, damaged, piped, and as our own export writes
them."""
import json
import pathlib
import random
import re
import subprocess

from support import BUILD, COROTRACER, check, folder, run

GARBAGE = 2 ** 56
DAMAGE = 0.06
COROUTINES = 30
EVENTS = 60


def row(probe_id, tid, addr, seq, is_active, ts):
    return (f'{{"probe_id":{probe_id},"tid":{tid},"addr":"0x{addr:016x}","seq":{seq},'
            f'"is_active":{"true" if is_active else "false"},"ts":{ts}}}\n')


def one_run(chance, tids, start, damage=DAMAGE, step=1):
    """Makes a program's rows, in order; the share `damage` of them has an impossible time. Returns the rows, how many
    are damaged, and the last time."""
    rows, damaged, ts = [], 0, start
    seqs = dict.fromkeys(range(1, COROUTINES + 1), 0)
    while any(seq < EVENTS for seq in seqs.values()):
        coro = chance.choice([coro for coro, seq in seqs.items() if seq < EVENTS])
        seqs[coro] += 1
        ts += chance.randrange(500, 300_000)
        shown = ts
        if chance.random() < damage:
            damaged += 1
            shown = chance.choice((0, GARBAGE))
        is_active = seqs[coro] % 2 == 1
        rows.append(row(coro, chance.choice(tids), 0 if is_active else 0x7f0000000000 + coro * 512,
                        seqs[coro] * step, is_active, shown))
    return rows, damaged, ts


def report(path, *options, **more):
    return json.loads(run(COROTRACER, "report", "--format", "json", *options, path, **more).stdout)


def notes(told):
    return [note["text"] for note in told["quality"]["notes"]]


def check_suspects_only(told):
    check(all(finding["grade"] == "suspect" for finding in told["findings"]),
          f"without an end of observation something is graded above suspect: {told['findings']}")


def copies(path):
    """Converts the trace to the text form and to a trace file."""
    text, file = path.with_suffix(".txt"), path.with_suffix(".ctrace")
    run(COROTRACER, "dump", "-o", text, path)
    run(COROTRACER, "assemble", "-o", file, path)
    return text, file


def check_copies(path, told):
    """F-38, F-39: problems of the rows are reported for every form into which they are converted."""
    for copy in copies(path):
        quality = report(copy)["quality"]
        for key in ("notes", "impossible_events", "lost", "losses", "coroutines", "observed_until_ns", "has_no_end"):
            check(quality.get(key) == told["quality"].get(key), f"{copy.suffix}: {key} is {quality.get(key)}")


def test_three_runs(place):
    """R-4, R-5, R-8: three runs one after the other, ids that collide, 6 % of the rows impossible, no end."""
    for seed, gap in ((1, 3_000_000_000), (2, -400_000_000_000), (3, 50_000)):
        chance = random.Random(seed)
        rows, damaged, ts = one_run(chance, (100, 101), 900_000_000_000)
        more, more_damaged, ts = one_run(chance, (200, 201), ts + gap, step=2)
        last, last_damaged, _ = one_run(chance, (300, 301), ts + gap)
        path = place / f"three-{seed}.jsonl"
        path.write_text("".join(rows + more + last))
        told = report(path)
        quality, lines = told["quality"], notes(told)
        count = damaged + more_damaged + last_damaged
        check(len(told["processes"]) == 3, f"{len(told['processes'])} processes, not 3, for seed {seed}")
        check(quality["impossible_events"] == count, f"{quality['impossible_events']} impossible rows, not {count}")
        check(quality["coroutines"] == 3 * COROUTINES, f"{quality['coroutines']} coroutines: runs were mixed")
        check(quality["lost"] == 0, f"{quality['lost']} lost, and every row is there")
        check(quality["observed_until_ns"] < 3_000_000_000_000, "an impossible row decided the end of observation")
        check("does not record when observation ended" in lines[0], "the missing end is not said first")
        check(lines[1].startswith("3 runs stand in this file"), f"the runs are not told: {lines}")
        check(f"{COROUTINES} probe_ids are used by more than one run" in lines[2], f"the ids are not told: {lines}")
        check(f"{count:,} of {3 * COROUTINES * EVENTS:,} rows" in lines[3], f"the rows are not told: {lines}")
        check(told["findings"] == [], f"every coroutine was flagged, or every resume: {told['findings']}")
        check_suspects_only(told)
        check_copies(path, told)
        text = run(COROTRACER, "report", path).stdout
        check(text.index("does not record when") < text.index("runs stand in") < text.index("Nothing found"),
              "data quality does not come first")


def test_nothing_above_suspect(place):
    """R-8: what would be Proven in another trace. A coroutine that is resumed on two threads, with nothing missing."""
    path = place / "twice.jsonl"
    path.write_text(row(1, 100, 0, 1, True, 1_000_000) + row(1, 101, 0, 2, True, 2_000_000) +
                    row(1, 100, 1, 3, False, 3_000_000))
    told = report(path)
    check([finding["rule"] for finding in told["findings"]] == ["double-resume"], f"found {told['findings']}")
    check_suspects_only(told)
    for copy in copies(path):
        told = report(copy)
        check(len(told["findings"]) == 1, f"{copy.suffix} lost the finding")
        check_suspects_only(told)
    # If one row in between is missing, there is no contradiction.
    path.write_text(row(1, 100, 0, 1, True, 1_000_000) + row(1, 101, 0, 3, True, 2_000_000) +
                    row(1, 100, 1, 4, False, 3_000_000))
    told = report(path)
    check(told["findings"] == [], f"a gap in seq was taken for a fault: {told['findings']}")
    check(told["quality"]["lost"] == 1, "the gap was not counted")
    check(told["quality"]["losses"][0]["coroutine"] == 1, "the gap is not told by coroutine")


def test_damaged_lines(place):
    """R-2, R-3: bad lines are counted with their numbers, and are fatal only if no line is good."""
    path = place / "damaged.jsonl"
    path.write_text('oops\n' + row(1, 100, 0, 1, True, 1000).replace("}", ',"host":"a"}') + '{"probe_id":1}\n' +
                    row(1, 100, 1, 2, False, 2000) + '{"probe')
    lines = notes(json.loads(run(COROTRACER, "report", "--format", "json", path, status=5).stdout))
    check(any(line.startswith("2 lines are no rows and were left out (lines 1, 3)") for line in lines), str(lines))
    check(any("the last line (5) is cut short" in line for line in lines), str(lines))
    check(any("1 row has further keys (line 2)" in line and "'host'" in line for line in lines), str(lines))
    path.write_text('{"probe_id":1}\n{}\n')
    said = run(COROTRACER, "report", path, status=None)
    check(said.returncode != 0 and f"{path}:1: no line is a row of a trace" in said.stderr, said.stderr)


def test_everywhere(place):
    """R-11: report, dump, info, assemble; from a file, standard input and a pipe."""
    rows, _, _ = one_run(random.Random(4), (100, 101), 10 ** 12, damage=0)
    path = place / "plain.jsonl"
    path.write_text("".join(rows))
    whole = run(COROTRACER, "report", path).stdout
    check("ledger" not in whole, f"rows do not tell whether there was a ledger:\n{whole}")
    named = whole.replace(str(path), "FILE").split()
    check(run(COROTRACER, "report", "-", input=path.read_text()).stdout.split() == named, "standard input reads differently")
    piped = subprocess.run(["bash", "-c", f'"{COROTRACER}" report <(cat "{path}")'], capture_output=True, text=True,
                           timeout=60, check=False)
    check(re.sub("/dev/fd/[0-9]+", "FILE", piped.stdout).split() == named, f"a pipe reads differently: {piped.stderr}")
    dumped = run(COROTRACER, "dump", path).stdout
    check(dumped.count(" resume c") == COROUTINES * EVENTS // 2, "dump does not show every row")
    info = run(COROTRACER, "info", path).stdout
    check("its form does not record it" in info, "info does not say what is missing")
    check(re.search(r"^process +not known: ", info, re.MULTILINE), f"info makes up a process:\n{info}")
    said = run(COROTRACER, "report", "-", input="{}\n", status=None)
    check("standard input:1: no line is a row" in said.stderr, said.stderr)


def test_no_room(place):
    """One sentence, a status that is not 0, and no partial file: for failures of the input, and of the output."""
    rows, _, _ = one_run(random.Random(5), (100, 101), 10 ** 12, damage=0)
    path = place / "room.jsonl"
    path.write_text("".join(rows))
    limited = ("sh", "-c", 'ulimit -f 1; exec "$@"', "sh", COROTRACER)
    for words in (("dump", "-o"), ("assemble", "-o"), ("report", "--format", "html", "-o"), ("export", "-o")):
        said = run(*limited, *words, place / "small", path, status=3).stderr
        check("File too large" in said and said.count("\n") == 1, f"{words[0]} says: {said}")
        check(not (place / "small").exists(), f"{words[0]} left half a file")
    for words in (("dump",), ("report",), ("export", "-o", "-")):
        said = run("sh", "-c", 'exec "$@" >/dev/full', "sh", COROTRACER, *words, path, status=3).stderr
        check("No space left" in said and said.count("\n") == 1, f"{words[0]} says: {said}")
    piped = subprocess.run(["bash", "-c", 'cat "$1" | TMPDIR=/nowhere "$0" report -', COROTRACER, path],
                           capture_output=True, text=True, timeout=60, check=False)
    check(piped.returncode == 0, f"a small stream needs a file: {piped.stderr}")
    check(not list(place.rglob("*.partial")), "a half-written file was left behind")


def test_our_own_rows(place):
    """`report` reads what `run` writes."""
    path = place / "own.jsonl"
    run(COROTRACER, "run", "--format", "jsonl", "-o", path, "--", BUILD / "examples/example-tcp-server-fault-a",
        "--self-load", "6:3", "--exit-after-idle", "1", "--log", place / "server.log", status=None)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    told = report(path)
    check(len(rows) > 20, f"only {len(rows)} rows were written")
    check(len(told["processes"]) == 1, "one run was taken for several")
    check(told["quality"]["lost"] == 0 and told["quality"]["impossible_events"] == 0, "our rows are doubted")
    check(told["quality"]["coroutines"] == len({row["probe_id"] for row in rows}), "coroutines were mixed")
    dumped = run(COROTRACER, "dump", path).stdout
    check(dumped.count(" resume c") == sum(row["is_active"] for row in rows), "dump does not show our rows")
    check_suspects_only(told)


if __name__ == "__main__":
    with folder() as name:
        PLACE = pathlib.Path(name)
        for test in (test_three_runs, test_nothing_above_suspect, test_damaged_lines, test_everywhere, test_no_room,
                     test_our_own_rows):
            test(PLACE)
