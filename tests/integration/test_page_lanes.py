# SPDX-License-Identifier: MIT
"""The lanes of the page's timeline in a real browser: heads that stay, marks of time, grounds of lanes."""
import pathlib
import re

from browser import open_browser
from served import Server
from support import check, folder, skip
from test_page_timeline import LEAK, SVG, TRACE, Timeline
from test_serve import judged


def check_marks(browser, server):
    """Marks of time are round numbers in the unit that fits; every other lane is darker."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=300000000")
        marks = [word for word in it.words() if re.fullmatch(r"[\d.]+ [mun]?s", word)]
        check(marks == ["0 ms", "50 ms", "100 ms", "150 ms", "200 ms", "250 ms", "300 ms"], f"{marks}")
        it.show("timeline?lanes=all&from=20010000&until=20013000")
        marks = [word for word in it.words() if re.fullmatch(r"[\d.]+ [mun]?s", word)]
        check(marks[:3] == ["20.0100 ms", "20.0105 ms", "20.0110 ms"], f"{marks}")
        lanes = len(it.lanes())
        stripes = {round(float(one.get("y"))) for one in it.picture().iter(SVG + "rect") if one.get("opacity") == "0.5" and float(one.get("x")) == 0}
        check(lanes // 2 - 1 <= len(stripes) <= lanes // 2 + 1, f"{stripes} of {lanes} lanes")
        it.quiet()


def check_heads(browser, place):
    """The head of a group stays while its lanes are scrolled, and folds it from there."""
    pathlib.Path(place, "leak.txt").write_text(LEAK, encoding="utf-8")
    server = Server("serve", "--listen", ":0", place + "/leak.txt")
    judged(server)
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=finding")
        box = it.page.locator("#timeline-canvas").bounding_box()
        it.page.mouse.move(box["x"] + 400, box["y"] + 200)
        for _ in range(8):
            it.page.mouse.wheel(0, 100)
        it.settle()
        head = next(index for index, word in enumerate(it.words()) if word.startswith("coroutine "))
        check(any("coroutines wait" in word for word in it.words()[:head]), f"{it.words()}")
        it.page.mouse.click(box["x"] + 60, box["y"] + 40 + 13)
        it.address_has("fold=")
        check(not it.lanes() and any("coroutines wait" in word for word in it.words()), f"{it.words()}")
        it.quiet()
    server.stop()


def main():
    with open_browser(__file__) as browser, folder() as place:
        pathlib.Path(place, "causes.txt").write_text(TRACE)
        server = Server("serve", "--listen", ":0", place + "/causes.txt")
        try:
            judged(server)
            if "screens" not in server.ask("/")[2].decode():
                skip("this build has no pages (-Dpage)")
            check_marks(browser, server)
            check_heads(browser, place)
        finally:
            server.process.kill()


if __name__ == "__main__":
    main()
