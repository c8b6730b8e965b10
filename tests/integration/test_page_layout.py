# SPDX-License-Identifier: MIT
"""How the page uses its room in a real browser: wide screens, axes with round numbers, legends beside charts."""
import pathlib
import re
import xml.etree.ElementTree

from browser import Page, open_browser
from served import Server
from support import check, folder, skip
from test_page_screens import trace_of
from test_serve import judged

SVG = "{http://www.w3.org/2000/svg}"


def box_of(it, selector):
    return it.page.locator(selector).first.bounding_box()


def words_of(it, number):
    """What is written in a chart of the overview, as its copy has it."""
    it.page.evaluate("navigator.clipboard.writeText('')")
    it.page.locator("[data-copies='Copy as SVG']").nth(number).click()
    it.until("navigator.clipboard.readText().then((text) => text.startsWith('<svg'))")
    picture = xml.etree.ElementTree.fromstring(it.page.evaluate("navigator.clipboard.readText()"))
    return [one.text or "" for one in picture.iter(SVG + "text")]


def check_wide(browser, server):
    """On a screen of 2560 pixels what is to be done stands beside the picture, within the right half, and on a small one below what happened."""
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
    """Numbers beside the overview's charts are round, and their legends stand beside them, on a narrow screen below."""
    with Page(browser, server, permissions=["clipboard-read", "clipboard-write"]) as it:
        it.open("overview")
        it.answered()
        check([word for word in words_of(it, 0) if word.isdigit()][:3] == ["0", "2", "4"], f"{words_of(it, 0)}")
        rates = [word for word in words_of(it, 1) if word.endswith("/s")]
        check(rates == ["0/s", "500/s", "1 k/s", "1.5 k/s"], f"{rates}")
        check([word for word in words_of(it, 2) if re.fullmatch(r"\d+ (us|ms|s)", word)] == ["1 us", "100 us", "10 ms", "1 s"], f"{words_of(it, 2)}")
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


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name)
        server = Server("serve", "--listen", ":0", trace_of(place, "0130-mutex-deadlock"))
        try:
            judged(server)
            if "screens" not in server.ask("/")[2].decode():
                skip("this build has no pages (-Dpage)")
            for part in (check_wide, check_axes):
                part(browser, server)
        finally:
            server.process.kill()


if __name__ == "__main__":
    main()
