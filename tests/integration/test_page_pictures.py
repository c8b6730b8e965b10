# SPDX-License-Identifier: MIT
"""Tests in a real browser that the pictures of findings can be read, on a telephone as on a wide screen: nothing lies over a
name, a legend's shape stands at its words, each step has its number, and the room is used. Also the words and flags that
the other screens give a finding."""
import pathlib
import re

from browser import Page, open_browser
from support import COROTRACER, check, folder, run
from test_page_first import serve, standstill, with_server
from test_page_screens import HEALTHY, picture_of, trace_of
from test_page_timeline import SVG, Timeline

NARROW, WIDE, WIDEST = (390, 1400), (1280, 1000), (2560, 1440)
CASES = ("0001-closed-under-waiters", "0040-nobody-left", "0130-mutex-deadlock", "0180-self-wake-storm", "0190-leak", "0310-starvation")

# What lies over each name, from its left to its right, if that is not the ground that was put there for it.
OVER_NAMES = """[...document.querySelectorAll('svg.narrow text.strong.halo[x="24"]')].flatMap((name) => {
	const box = name.getBoundingClientRect(), over = new Set();
	for (let x = box.left + 1; x < box.right - 1; x += 1) {
		const found = document.elementsFromPoint(x, box.top + box.height / 2).filter((one) => one.closest('svg.picture') && one.localName !== 'svg');
		const first = found.find((one) => one !== name);
		if (first?.localName !== 'rect')
			over.add(`${name.textContent}: ${first?.outerHTML ?? 'nothing'}`);
	}
	return [...over];
})"""

# The legend: its words, how far the shape before each ends from them, and what lies over them.
LEGEND = """(() => {
	const picture = document.querySelector('svg.picture'), box = (one) => one.getBoundingClientRect(), scale = box(picture).width / picture.viewBox.baseVal.width;
	const shapes = [...picture.querySelectorAll(':scope > path, :scope > rect')];
	return [...picture.querySelectorAll(':scope > text.quiet:not(.halo, .alike, [text-anchor], [x="24"])')].map((one) => ({
		words: one.textContent, gap: (box(one).left - box(one.previousElementSibling).right) / scale, right: box(one).right - box(picture).right,
		covered: shapes.some((shape) => box(shape).left < box(one).right - 1 && box(shape).right > box(one).left + 1 &&
			box(shape).top < box(one).bottom - 2 && box(shape).bottom > box(one).top + 2) }));
})()"""

NUMBERS = """[...document.querySelectorAll('svg.picture g > circle.mark')].map((mark) => Number(mark.nextElementSibling.textContent)).sort()"""


def check_names(browser, server):
    """Arrows and folds pass behind the names of lanes."""
    with Page(browser, server, *NARROW) as it:
        it.open("findings")
        picture_of(it)
        check(it.page.locator('svg.narrow text.strong.halo[x="24"]').count() > 0, "no name of a lane")
        over = it.page.evaluate(OVER_NAMES)
        check(not over, f"over names: {over}")
        it.quiet()


def check_legend(browser, server, size, absent):
    """Each shape stands right before its words, and the legend has no shape that the picture has not."""
    with Page(browser, server, *size) as it:
        it.open("findings")
        picture_of(it)
        legend = it.page.evaluate(LEGEND)
        check(len(legend) > 1, f"{legend}")
        for one in legend:
            check(0 <= one["gap"] < 22 and not one["covered"] and one["right"] <= 0, f"at {size}: {one}")
            check(one["words"] not in absent, f"at {size} the legend says {one['words']}")
        it.quiet()


def check_numbers(browser, server, nr_steps):
    """A step that says what did not happen has no time, and its number stands at the open end; pointing at it lights its words."""
    with Page(browser, server, *WIDE) as it:
        it.open("findings")
        words = picture_of(it)
        check(it.page.evaluate(NUMBERS) == list(range(1, nr_steps + 1)), f"{it.page.evaluate(NUMBERS)}: {words}")
        it.page.locator("svg.picture g", has=it.page.locator("title", has_text="no wake for")).locator("text.strong").hover()
        it.until("document.querySelector('.steps .lit')?.textContent.includes('no wake for')")
        it.quiet()


def check_axis(browser, server):
    """Each length below the axis lies between two strokes."""
    with Page(browser, server, *WIDE) as it:
        it.open("findings")
        picture_of(it)
        strokes = it.page.evaluate("[...document.querySelectorAll('svg.picture > path.axis')].map((one) => one.getBBox()).filter((box) => box.width === 0).map((box) => box.x)")
        lengths = it.page.evaluate("[...document.querySelectorAll('svg.picture > text[text-anchor=middle]:not(.halo)')].filter((one) => / (ns|us|ms|s)\\b/.test(one.textContent)).map((one) => Number(one.getAttribute('x')))")
        check(len(strokes) > len(lengths) > 0, f"{strokes} {lengths}")
        for length in lengths:
            before, behind = max(x for x in strokes if x < length), min(x for x in strokes if x > length)
            check(abs((before + behind) / 2 - length) < 2, f"{length} is not in the middle of {before} and {behind}")


def check_title(browser, server):
    """A title leaves out folders at each width; the link below it has them."""
    with Page(browser, server, *NARROW) as it:
        it.open("findings")
        title = it.text("#finding-title")
        check(", server.cpp:" in title and "src/" not in title, title)
        it.page.set_viewport_size({"width": 1280, "height": 900})
        check(it.text("#finding-title") == title and "src/reactor.cpp:" in it.text(".lead a"), it.text("#finding-title"))


def check_widest(browser, server):
    """At 2560 the picture, and what to do now beside it, take the width."""
    with Page(browser, server, *WIDEST) as it:
        it.open("findings")
        picture_of(it)
        picture, advice = (it.page.locator(one).bounding_box() for one in ("svg.picture", ".advice"))
        check(picture["width"] > 1500 and advice["x"] >= picture["x"] + picture["width"] and advice["x"] + advice["width"] > 2500, f"{picture} {advice}")
        check(advice["y"] < 300, f"{advice}")
        check(it.page.locator(".members").evaluate("(table) => table.parentElement.scrollWidth <= table.parentElement.clientWidth"), "the members are cut")


def check_healthy(browser, server):
    with Page(browser, server, *WIDEST) as it:
        it.open("findings")
        it.page.locator("#longest-waits").wait_for()
        rows = {round(one.bounding_box()["y"]) for one in it.page.locator(".charts:not(.first) > section").all()}
        check(len(rows) == 1 and it.page.locator("#ran .meter.running").count() >= 1, f"the small charts lie in rows at {rows}")
        right = max(one.bounding_box()["x"] + one.bounding_box()["width"] for one in it.page.locator(".share").all())
        check(right > 2400, f"the bars end at {right}")
        it.until("/, \\d+ at most at a time/.test(document.querySelector('#most-at-a-time').textContent)")


def check_starvation(browser, server):
    """The timeline shows the whole delay, and the overview says what its flag is."""
    with Timeline(browser, server) as it:
        it.show("timeline")
        numbers = [one.text for one in it.picture().iter(SVG + "text") if one.text in ("1", "2", "3")]
        check({"1", "2", "3"} <= set(numbers), f"the timeline shows the steps {numbers}")
        it.open("overview")
        flags = it.page.locator("#flags li").all_inner_texts()
        check(len(flags) == 1 and flags[0].startswith("1 A coroutine that waits at receive") and flags[0].endswith("0.021080 s"), f"{flags}")
        it.page.locator("#flags a").click()
        picture_of(it)
        check("no coroutine" in it.page.locator("svg.picture > text.quiet").all_text_contents(), "the legend has no word for a thread between coroutines")


def check_quality(browser, server):
    """What rules lack is a list; the strip says in plain words how far was recorded."""
    with Page(browser, server, *WIDE) as it:
        it.open("quality")
        lacks = it.page.locator("#lacks li").all_inner_texts()
        check(len(lacks) > 2 and all(one.endswith(".") and ";" not in one for one in lacks), f"{lacks}")
        check("recorded to the end" in it.text("#state"), it.text("#state"))


def check_own_line(browser, server):
    """A storm by a function of a header leads to the program's own line, and the picture rings the wake in the header."""
    with Page(browser, server, *WIDE) as it:
        it.open("findings")
        picture_of(it)
        check("Look here first: co_await Yield in use, src/device.cpp:39" in it.text("main"), it.text("main"))
        check(it.page.locator("svg.picture circle.ring").count() == 1, "no step is ringed")


# Three take a lock each, wait for their turn, and then for the lock of the next: many moments, and a long name at the last one.
ROUND = "\n".join((
    "trace from=0 until=1318ms", "process 1 pid=100 program=/bin/table probe ledger", "thread 1 tid=100 name=main", "thread 2 tid=101 name=worker-0",
    "site 1 kind=source file=/src/table.cpp line=61 function=play", "site 2 kind=function file=/src/round_of_philosophers.cpp line=32 function=dine_at_a_round_table",
    "site 3 kind=source file=/src/round_of_philosophers.cpp line=48 function=dine reason=lock", "site 4 kind=source file=/src/turn.cpp line=45 function=dine reason=turn",
    *(f"{6656 + 3 * i}us t1 create c{i} 0x1{i}010 @1\n+1us t1 frame c{i} 0x1{i}000 @2" for i in (1, 2, 3)),
    *(f"{at}us t2 resume c{i}\n{at + run}us t2 acquire c{i} lock:0x7ffda6d96c{i}0 @4\n+1us t2 suspend c{i} event:0x5000 @4" for i, at, run in ((1, 6764, 46), (2, 6848, 0), (3, 6852, 3))),
    *(f"{at}us t2 wake coroutine:{i}\n+1us t2 resume c{i}\n+{run}us t2 suspend c{i} lock:0x7ffda6d96c{i % 3 + 1}0 @3" for i, at, run in ((3, 6868, 4), (1, 6874, 3), (2, 6879, 2))), ""))

# What stands in one line with the words at an open end, and closer to them than two words of a sentence.
READ_ON = """(() => {
	const boxes = [...document.querySelectorAll('svg.picture text')].map((one) => [one.textContent, one.getBoundingClientRect()]);
	return boxes.filter(([words]) => /^no wake/.test(words)).flatMap(([words, end]) => boxes
		.filter(([other, box]) => box.left < end.left && Math.abs(box.top - end.top) < 9 && box.right > end.left - 5).map(([other]) => `${other} ${words}`));
})()"""


def check_ends(browser, server):
    """The words of the last arrow do not read on as those at the open end behind it."""
    for size in (NARROW, WIDE):
        with Page(browser, server, *size) as it:
            it.open("findings")
            check(len(re.findall("no wake (came|was seen)", picture_of(it))) >= 3, it.text("main"))
            found = it.page.evaluate(READ_ON)
            check(not found, f"at {size}: {found}")
            names = it.page.locator("svg.picture text.halo.strong").all_text_contents()
            check(size == WIDE or any(re.match(r"coroutine 1 \(.*, …\w+\.cpp:32$", one) for one in names), f"{names}")
            it.quiet()


def check_file(browser, place, trace):
    """The page that is one file says so, and shows the same picture."""
    run(COROTRACER, "report", "--format", "page", "-o", place / "one.html", trace)
    page = browser.new_page(viewport={"width": NARROW[0], "height": NARROW[1]})
    page.goto((place / "one.html").as_uri())
    page.wait_for_selector("svg.picture")
    check("the whole trace is in this file" in page.locator("#state").inner_text(), page.locator("#state").inner_text())
    check(not page.evaluate(OVER_NAMES), "names are crossed in the file")
    page.close()


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name).resolve()
        traces = {case[:4]: trace_of(place, case) for case in CASES}
        for case in ("0001", "0130", "0190", "0310"):
            with_server(traces[case], lambda it: check_names(browser, it), lambda it: check_axis(browser, it))
        for case, absent in (("0190", ()), ("0180", ("not begun",)), ("0130", ("not begun",)), ("0310", ("outside",))):
            for size in (NARROW, WIDE):
                with_server(traces[case], lambda it, size=size, absent=absent: check_legend(browser, it, size, absent))
        with_server(traces["0040"], lambda it: check_numbers(browser, it, 3))
        with_server(traces["0001"], lambda it: check_title(browser, it), lambda it: check_widest(browser, it))
        with_server(trace_of(place, "1765-storm-in-a-header"), lambda it: check_own_line(browser, it))
        with_server(traces["0310"], lambda it: check_starvation(browser, it))
        with_server(standstill(place), lambda it: check_quality(browser, it))
        (place / "healthy.txt").write_text(HEALTHY, encoding="utf-8")
        server = serve(place / "healthy.txt")
        check_healthy(browser, server)
        server.stop()
        for name, text in (("round", ROUND), ("lossy", ROUND + "7ms t1 lost 1\n")):
            (place / f"{name}.txt").write_text(text, encoding="utf-8")
            with_server(place / f"{name}.txt", lambda it: check_ends(browser, it))
        check_file(browser, place, traces["0130"])


if __name__ == "__main__":
    main()
