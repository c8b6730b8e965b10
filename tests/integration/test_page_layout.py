# SPDX-License-Identifier: MIT
"""Tests how the page uses its room in a real browser: wide and low screens, axes with round numbers, legends beside
charts, the reader's own colours, names in other scripts."""
import pathlib
import re
import xml.etree.ElementTree

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import check, folder
from test_page_screens import trace_of

SVG = "{http://www.w3.org/2000/svg}"


def box_of(it, selector):
    return it.page.locator(selector).first.bounding_box()


def words_of(it, number):
    """Returns the words in a chart of the overview, from the chart's copy."""
    it.page.evaluate("navigator.clipboard.writeText('')")
    it.page.locator("[data-copies='Copy as SVG']").nth(number).click()
    it.until("navigator.clipboard.readText().then((text) => text.startsWith('<svg'))")
    picture = xml.etree.ElementTree.fromstring(it.page.evaluate("navigator.clipboard.readText()"))
    return [one.text or "" for one in picture.iter(SVG + "text")]


def check_wide(browser, server):
    """On a screen of 2560 pixels the advice is beside the picture, within the right half; on a small screen it is below
    what happened."""
    for width, is_beside in ((2560, True), (1280, False)):
        with Page(browser, server, width, 1300) as it:
            it.open("findings")
            it.page.wait_for_selector("svg.picture")
            story, advice, steps = (box_of(it, one) for one in (".story", ".advice", ".steps"))
            check((advice["x"] >= story["x"] + story["width"]) == is_beside, f"{width}: {story} {advice}")
            check(is_beside or advice["y"] >= steps["y"] + steps["height"], f"{width}: {steps} {advice}")
            check(not is_beside or advice["x"] + advice["width"] > 0.95 * width, f"{width}: nothing stands at the right: {advice}")
            it.quiet()


def check_axes(browser, server):
    """Numbers beside the overview's charts are round; their legends are beside the charts, and on a narrow screen
    below."""
    with Page(browser, server, permissions=["clipboard-read", "clipboard-write"]) as it:
        it.open("overview")
        it.answered()
        check([word for word in words_of(it, 0) if word.isdigit()][:3] == ["0", "2", "4"], f"{words_of(it, 0)}")
        rates = [word for word in words_of(it, 1) if word.endswith("/s")]
        check(rates == ["0/s", "500/s", "1 k/s", "1.5 k/s"], f"{rates}")
        check({"0.5 s", "1.0 s", "1.5 s"} <= set(words_of(it, 0)), f"{words_of(it, 0)}")
        chart, aside = box_of(it, "canvas.chart"), box_of(it, ".charted .aside")
        check(aside["x"] >= chart["x"] + chart["width"] and abs(aside["y"] - chart["y"]) < 5, f"{chart} {aside}")
        check("waiting" in it.text(".charted .aside") and "not begun" in it.text(".charted .aside"), it.text(".charted .aside"))
        it.quiet()
    with Page(browser, server, 390, 844) as it:
        it.open("overview")
        chart, aside = box_of(it, "canvas.chart"), box_of(it, ".charted .aside")
        check(aside["y"] >= chart["y"] + chart["height"], f"{chart} {aside}")
        it.quiet()


def check_delays(browser, place):
    """Numbers beside the chart of delays are round."""
    server = Server("serve", "--listen", ":0", trace_of(place, "0310-starvation"))
    judged(server)
    with Page(browser, server, permissions=["clipboard-read", "clipboard-write"]) as it:
        it.open("overview")
        it.answered()
        check([word for word in words_of(it, 2) if re.fullmatch(r"\d+ (us|ms|s)", word)] == ["1 us", "100 us", "10 ms", "1 s"], f"{words_of(it, 2)}")
        it.quiet()
    server.stop()


def check_short(browser, server):
    """At a zoom of 200 % on a usual screen, the timeline has half of the height, and the head takes two lines."""
    with Page(browser, server, 640, 400) as it:
        it.open("timeline")
        it.answered()
        frame, head = box_of(it, "div.timeline"), box_of(it, "header")
        check(frame["y"] + 200 <= 400 and frame["height"] >= 200, f"the timeline begins at {frame}, below {head}")
        over = it.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        check(over <= 0, f"{over} pixels too wide")
        it.quiet()


def check_forced(browser, server):
    """If the reader's own colours replace the page's, legends keep theirs: each sample still has its own colour."""
    with Page(browser, server, forced_colors="active", color_scheme="dark") as it:
        for view, samples in (("timeline", ".legend .bar"), ("overview", ".charted .key")):
            it.open(view)
            it.page.wait_for_selector(samples)
            looks = it.page.locator(samples).evaluate_all("(all) => all.map((one) => { const look = getComputedStyle(one); return look.backgroundColor + look.backgroundImage; })")
            named = it.page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--state-running')")
            check(len(set(looks)) > 4 and any("69, 185, 124" in look for look in looks), f"{view}, {named}: {looks}")
        it.quiet()


NAMES = """\
trace from=0 until=1s
process 1 pid=100 program=/bin/server probe
thread 1 tid=101 name=عامل-1
site 1 kind=source file=/src/server.cpp line=40 function=处理请求
site 2 kind=source file=/src/server.cpp line=120 function=לטפל reason=Sleep
1ms t1 create c1 0x11010 @1
1ms t1 frame c1 0x11000 @1
2ms t1 resume c1
100ms t1 suspend c1 timer:9 @2
"""


def check_names(browser, place):
    """A name that is written from right to left does not reverse a number beside it; names in wide characters are
    complete."""
    (place / "names.txt").write_text(NAMES, encoding="utf-8")
    server = Server("serve", "--listen", ":0", place / "names.txt")
    judged(server)
    with Page(browser, server) as it:
        it.open("overview")
        it.page.wait_for_selector("tbody th")
        name = it.page.locator("tbody th").first
        check("عامل-1" in name.inner_text(), name.inner_text())
        # The position of the number from the left: after the name.
        places = name.evaluate("""(cell) => { const text = cell.firstChild, at = (word) => { const range = document.createRange(), begin = text.data.indexOf(word);
            range.setStart(text, begin); range.setEnd(text, begin + word.length); return range.getBoundingClientRect().left; }; return [at("عامل"), at("101")]; }""")
        check(places[0] < places[1], f"{places}")
        it.open("coroutines")
        it.page.wait_for_selector("tbody td")
        check("处理请求" in it.text("tbody"), it.text("tbody"))
        it.quiet()
    server.stop()


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name)
        server = Server("serve", "--listen", ":0", trace_of(place, "0130-mutex-deadlock"))
        try:
            judged(server)
            need_pages(server)
            for part in (check_wide, check_axes, check_short, check_forced):
                part(browser, server)
            check_delays(browser, place)
            check_names(browser, place)
        finally:
            server.process.kill()


if __name__ == "__main__":
    main()
