#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the pictures of all cases' findings: test_pictures.py DRAW_CASE

Each picture is well-formed XML that refers to nothing outside and contains no script, says in words what it shows, and
stays within its own edges. Each sequence diagram has only lines that mermaid knows. The pictures of a few rules are
compared with the files in `pictures`, which PICTURES_UPDATE=1 writes again: look at them in a browser then. The names
of a hostile program change nothing.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = ["0001-closed-under-waiters", "0044-ready-no-wake", "0110-double-resume", "0130-mutex-deadlock",
            "0160-granted-not-polled", "0180-self-wake-storm", "0300-worker-hog"]
DIAGRAM = re.compile(r"sequenceDiagram|  participant L\d as \S.*|  L\d->>L\d: \d+\. .*|  L\d--xL\d: [a-z ]+"
                     r"|  Note over L\d(,L\d)?: .+")
HOSTILE = ("</text></svg><script>alert(1)</script>", "]]>&amp;<!--", "\u202egnp.exe", "end", "a\"'`{};#b", "\x1b[2J",
           "漢字" * 40, "x" * 300)


def fail(sentence):
    sys.exit(f"FAILED: {sentence}")


def check(condition, sentence):
    if not condition:
        fail(sentence)


def drawn(program, cases):
    """Returns {(form, case, number): picture} of these cases; narrow pictures are for test_page_words.py."""
    told = subprocess.run([program, *cases], capture_output=True, check=True).stdout.decode()
    parts = re.split(r"^== (svg|narrow|mermaid) (.+) (\d+)\n", told, flags=re.MULTILINE)[1:]
    return {(parts[i], pathlib.Path(parts[i + 1]).stem, int(parts[i + 2])): parts[i + 3] for i in range(0, len(parts), 4) if parts[i] != "narrow"}


def check_svg(name, picture):
    try:
        root = xml.fromstring(picture)
    except xml.ParseError as error:
        fail(f"the picture of {name} is no XML: {error}")
    tags = {one.tag.removeprefix(SVG) for one in root.iter()}
    check(tags <= {"svg", "title", "desc", "style", "rect", "text", "g", "path", "circle"}, f"{name} has {tags}")
    check(root.get("role") == "img", f"{name} is no image to a screen reader")
    labels = [one.text for one in root if one.get("id") in root.get("aria-labelledby").split()]
    check(len(labels) == 2 and all(labels), f"{name} is not told in words")
    check(not re.search(r"\b(href|src|onload|onclick)=|url\(|@import", picture), f"{name} refers to something")
    check_edges(name, root)


def check_edges(name, root):
    """Nothing begins outside of the picture, and the picture is not larger than a page."""
    width, height = int(root.get("width")), int(root.get("height"))
    check(width <= 3000 and height <= 2000, f"{name} is {width} x {height}")
    inner = next(one for one in root if one.tag == SVG + "svg")
    check(int(inner.get("x")) + int(inner.get("width")) <= width, f"{name} is wider than its file")
    for one in inner.iter():
        for key, most in (("x", int(inner.get("width"))), ("cx", width), ("y", height), ("cy", height)):
            check(0 <= int(one.get(key, "0")) <= most, f"{name}: {one.tag} has {key} {one.get(key)}")
        check(int(one.get("width", "0").rstrip("%")) >= 0, f"{name}: {one.tag} has width {one.get('width')}")


def check_diagram(name, picture):
    for line in picture.splitlines():
        check(DIAGRAM.fullmatch(line), f"the diagram of {name} has the line '{line}'")
    check(1 <= picture.count("participant ") <= 8, f"the diagram of {name} has no lanes, or too many")


def check_expected(pictures):
    for case in EXPECTED:
        path = HERE / "pictures" / (case + ".svg")
        picture = pictures[("svg", case, 1)]
        if os.environ.get("PICTURES_UPDATE"):
            path.write_text(picture, encoding="utf-8")
        check(path.read_text(encoding="utf-8") == picture, f"{case} is drawn in another way than {path} is")


def check_others(pictures):
    """A coroutine that waits as well, and is no member, has an open end, too: not in the colour of what is wrong."""
    ends = re.findall(r'class="never( other)?"', pictures[("svg", "1472-asked-and-waits", 1)])
    check(ends.count("") == 1 and ends.count(" other") == 1, f"the open ends are {ends}")
    past = pictures[("svg", "0310-starvation", 1)]
    check("never" not in past.partition("</style>")[2], "a finding about the past has an open end")


def words_of(picture):
    return [one.text or "" for one in xml.fromstring(picture).iter(SVG + "text")]


def check_subject(pictures):
    """What a finding about the past is about is not folded, however long; a great number of states is a band; to be
    destroyed after the return is no alarm."""
    for case, span in (("0310-starvation", "8.00 ms"), ("0180-self-wake-storm", "599 ms")):
        words = words_of(pictures[("svg", case, 1)])
        check(span in words and any(one.startswith("\u22ef ") for one in words), f"{case} has {words}")
    check('class="left-out dense"' in pictures[("svg", "0180-self-wake-storm", 1)], "2,395 states are a line of dots")
    plain = pictures[("svg", "0101-dropped-wake-idle", 1)]
    check('class="cross plain"' in plain and 'class="cross"' not in plain, "a plain end is drawn as an alarm")
    words = words_of(plain)
    check("ended" in words and "destroyed" not in words, f"to be destroyed after the return has not the word of all screens: {words}")


def check_calls(pictures):
    """A coroutine that sits in a call with its thread does not run, and the call did not return."""
    picture = pictures[("svg", "0170-stuck-private", 1)]
    words = words_of(picture)
    check('<rect class="call"' in picture and "in read" in words and "did not return" in words, f"the call is not drawn: {words}")


def check_longest(pictures):
    """No fold lies on the longest stretch: for so long nothing came. Strokes on the axis say that it is longer than drawn."""
    for case, span in (("0001-closed-under-waiters", "1.90 s"), ("0130-mutex-deadlock", "2.00 s")):
        picture = pictures[("svg", case, 1)]
        at = int(re.search(rf'x="(\d+)" y="\d+">{span}<', picture).group(1))
        check(f'd="M{at - 4} ' not in picture, f"a fold lies on the {span} of {case}")
        check(f'<path class="axis" d="M{at - 5} ' in picture, f"the {span} of {case} look as if they were to scale")


def check_subject_narrow(program):
    """On a telephone, too, the stretch that a starvation is about is the one with room, not the states that are left out."""
    told = subprocess.run([program, str(HERE / "0310-starvation.case")], capture_output=True, check=True).stdout.decode()
    narrow = told.partition("== narrow ")[2].partition("\n== ")[0]
    check("1.06 s \u22ef" in narrow, "the 1.06 s of states that are left out are not folded")


def check_unknown(pictures):
    """What may have come without being recorded is drawn in another way than what did not come."""
    picture = pictures[("svg", "0047-long-wait", 1)]
    check('"never unknown"' in picture and ">?</text>" in picture and '"alarm halo"' not in picture, f"{words_of(picture)}")


def check_circle(program):
    """The ring is at the step that closes the circle; each bar of a wait names its lock, also where its address has no room."""
    text = (HERE / "0130-mutex-deadlock.case").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="corotracer-test-") as place:
        path = pathlib.Path(place) / "circle.case"
        path.write_text(re.sub(r"(?<=suspend c\d lock:0x[ab]000 )@\d", "@2", text.replace("lock:0x", "lock:0x7ffda6d9")), encoding="utf-8")
        picture = drawn(program, [str(path)])[("svg", "circle", 1)]
    words = words_of(picture)
    ringed = re.findall(r'class="ring"[^>]*/>\s*<circle class="mark cause"[^>]*/>\s*<text[^>]*>(\d)<', picture)
    check(ringed == ["4"] and any("suspended" in one for one in words[:8]), f"the ring is at {ringed}: {picture}")
    for lock in ("a000", "b000"):
        check(sum(one.startswith(("waiting for lock", "for lock")) and lock in one for one in words) == 1, f"{words}")


def quoted(name):
    plain = name.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " else f"\\x{ord(c):02x}" for c in plain) + '"'


def check_hostile(program):
    """A program with hostile names of files, functions and threads is drawn like any other, with these names as
    text."""
    case = (HERE / "0001-closed-under-waiters.case").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="corotracer-test-") as place:
        for name in HOSTILE:
            path = pathlib.Path(place) / "hostile.case"
            text = re.sub(r"(?<=name=)worker-\d|(?<=function=)\S+|(?<=file=)\S+|(?<=reason=)\S+", lambda _: quoted(name), case)
            path.write_text(text, encoding="utf-8")
            pictures = drawn(program, [str(path)])
            check(("svg", "hostile", 1) in pictures, f"there is no picture with the name {name!r}")
            check_svg(repr(name), pictures[("svg", "hostile", 1)])
            check_diagram(repr(name), pictures[("mermaid", "hostile", 1)])
            check(not re.search(r"\bend\b", pictures[("mermaid", "hostile", 1)], re.IGNORECASE) or name != "end",
                  "a coroutine named 'end' would close the diagram")


def main():
    program = sys.argv[1]
    pictures = drawn(program, sorted(map(str, HERE.glob("*.case"))))
    for (form, case, number), picture in pictures.items():
        (check_svg if form == "svg" else check_diagram)(f"finding {number} of {case}", picture)
    check(len(pictures) > 400, f"only {len(pictures)} pictures were drawn")
    check_expected(pictures)
    check_others(pictures)
    check_subject(pictures)
    check_calls(pictures)
    check_longest(pictures)
    check_unknown(pictures)
    check_subject_narrow(program)
    check_circle(program)
    check_hostile(program)
    print(f"{len(pictures)} pictures")


if __name__ == "__main__":
    main()
