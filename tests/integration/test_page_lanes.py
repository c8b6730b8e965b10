# SPDX-License-Identifier: MIT
"""Tests the lanes of the page's timeline in a real browser: heads that stay, marks of time, backgrounds of lanes."""
import pathlib
import re
import subprocess

from browser import open_browser
from served import Server, judged, need_pages
from support import COROTRACER, check, folder
from test_page_screens import trace_of
from test_page_timeline import LEAK, SVG, TRACE, Timeline


def check_marks(browser, server):
    """Marks of time are round numbers in a unit that fits; every other lane is darker."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=300000000")
        marks = [word for word in it.words() if re.fullmatch(r"[\d.]+ [mun]?s", word)]
        check(marks == ["0 ms", "50 ms", "100 ms", "150 ms", "200 ms", "250 ms", "300 ms"], f"{marks}")
        it.show("timeline?lanes=all&from=20010000&until=20013000")
        marks = [word for word in it.words() if re.fullmatch(r"[\d.]+ [mun]?s", word)]
        check(marks[:3] == ["20.0100 ms", "20.0105 ms", "20.0110 ms"], f"{marks}")
        stripes = {round(float(one.get("y"))) for one in it.picture().iter(SVG + "rect") if one.get("opacity") == "0.5" and float(one.get("x")) == 0}
        check(3 <= len(stripes) <= 6, f"{stripes} of nine lanes")
        it.quiet()


def check_objects(browser, server):
    """Locks and channels are lanes, which show who has a lock, and how many coroutines wait; the words at the pointer,
    a click and the copies show the same."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=400000000")
        words = it.words()
        for wanted in ("locks and channels", "lock 0x77", "channel 0x50", "held by coroutine 2, 1 waiter", "held by coroutine 3, 1 waiter", "1 waiter"):
            check(wanted in words, f"{wanted}: {words}")
        it.select("lock 0x77")
        it.press("ArrowRight")
        it.told("held by coroutine 2 for 30.0 ms")
        it.press("ArrowRight")
        it.told("held by coroutine 2, 1 waiter for 160 ms")
        check(it.page.locator(".details a", has_text="coroutine 2").count() == 1, it.text(".details"))
        lines = [line.split("\t") for line in it.copy("Copy as TSV").splitlines()]
        held = [line[2:6] for line in lines if line[1] == "lock 0x77"]
        check([line[0] for line in held] == ["30000000", "60000000", "220000000", "260000000", "290000000"] and held[1][2:] == ["running", "2"] and held[2][2] == "waiting",
              f"{held}")
        command = it.copy("Copy the command")
        told = subprocess.run(["bash", "-c", command.replace("corotracer", str(COROTRACER), 1)], capture_output=True, text=True, check=False)
        check("without SQLite" in told.stderr or (told.returncode == 0 and "190000000" in told.stdout), f"{command}: {told}")
        it.page.get_by_text("What happened in this range").click()
        it.until("document.querySelectorAll('.in-range tbody tr').length === 5")
        it.page.locator("#timeline-canvas").focus()
        it.press("t")
        it.address_has("pin=o1.144115188075855991")
        it.show(it.page.url.split("#")[1])
        it.told("held by coroutine 2, 1 waiter")
        it.press("Enter")
        it.page.wait_for_selector("main.objects tbody tr")
        it.quiet()


def areas_of(it):
    return [[cell.inner_text() for cell in row.locator("td").all()] for row in it.page.locator(".area tbody tr").all()]


def check_area(browser, server):
    """A drag with Shift chooses an area, and shows the sums of its coroutines, and of their places (V-24); the address
    contains the area, and the command prints the same."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=400000000")
        box, rows = it.page.locator("#timeline-canvas").bounding_box(), it.lanes()
        left, wide = box["x"] + 250, box["width"] - 250
        y = box["y"] + 40 + 13 + 26 * (rows.index("coroutine 3") + 6)
        mouse = it.page.mouse
        it.page.keyboard.down("Shift")
        mouse.move(left + wide / 4, y)
        mouse.down()
        mouse.move(left + wide * 3 / 4, y + 26, steps=5)
        mouse.up()
        it.page.keyboard.up("Shift")
        it.until("document.querySelectorAll('.area tbody tr').length === 2")
        check("2 lanes" in it.text(".area") and ": 200 ms" in it.text(".area"), it.text(".area"))
        check(areas_of(it) == [["coroutine 4", "10.0 ms", "1", "160 ms", "2", "30.0 ms", "1"],
                               ["coroutine 3", "30.0 ms", "1", "151 ms", "2", "19.0 ms", "1"]], f"{areas_of(it)}")
        it.address_has("area=100000000+300000000+c1.3+c1.4")
        it.page.locator(".area").get_by_role("button", name="Copy the command").click()
        it.until("navigator.clipboard.readText().then((text) => text.includes('GROUP BY'))")
        command = it.page.evaluate("navigator.clipboard.readText()")
        told = subprocess.run(["bash", "-c", command.replace("corotracer", str(COROTRACER), 1)], capture_output=True, text=True, check=False)
        check("without SQLite" in told.stderr or re.search(r"4 +10000000 +1 +160000000 +2 +30000000 +1", told.stdout), f"{command}: {told}")
        it.show(it.page.url.split("#")[1])
        it.until("document.querySelectorAll('.area tbody tr').length === 2")
        it.page.select_option("#area-by", "site")
        it.until("document.querySelector('.area th').textContent === 'place'")
        places = {row[0]: row[1:] for row in areas_of(it)}
        check(places["co_await Mutex::lock in handle, server.cpp:120"][2:4] == ["131 ms", "2"], f"{places}")
        it.page.locator(".area").get_by_role("button", name="zoom to it").click()
        it.range_is("0.100 s to 0.300 s")
        it.page.locator("#timeline-canvas").focus()
        it.press("Escape")
        it.until("document.querySelector('.area').hidden && !location.hash.includes('area=')")
        it.press("m")
        it.until("document.querySelector('.area')?.innerText.includes('all coroutines')")
        check("area=" in it.page.url, it.page.url)
        it.quiet()


def check_pointer(browser, server):
    """The state under the pointer has the arrows of what woke it, as a selected state has; the arrows follow the
    pointer."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=400000000")
        box, rows = it.page.locator("#timeline-canvas").bounding_box(), it.lanes()
        pixels = lambda: it.page.evaluate("document.querySelector('#timeline-canvas').toDataURL()")
        it.page.mouse.move(box["x"] + 600, box["y"] + box["height"] - 5)
        it.answered()
        before = pixels()
        y = box["y"] + 40 + 13 + 26 * (rows.index("coroutine 4") + 6)
        it.page.mouse.move(box["x"] + 250 + (box["width"] - 250) * 0.6, y)
        it.until("document.querySelector('.tip').innerText.includes('Ended by coroutine 3')")
        it.answered()
        check(pixels() != before, "no arrow at the pointer")
        it.page.mouse.move(box["x"] + 600, box["y"] + box["height"] - 5)
        it.until("document.querySelector('.tip').hidden")
        it.answered()
        check(pixels() == before, "the arrows stay when the pointer has gone")
        it.quiet()


def check_heads(browser, place):
    """The head of a group stays visible while its lanes are scrolled, and folds the group from there."""
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


def check_calls(browser, place):
    """A coroutine that sits in a call with its thread is shown in it, and so is the thread; it had run before."""
    server = Server("serve", "--listen", ":0", trace_of(pathlib.Path(place), "0170-stuck-private"))
    judged(server)
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=3000000000")
        check(it.words().count("in read") == 2, f"{it.words()}")
        it.select("coroutine 2")
        it.told("running for 4.00 ms")
        it.press("ArrowRight")
        it.told("in read, with its thread for 2.99 s")
        it.quiet()
    server.stop()


def main():
    with open_browser(__file__) as browser, folder() as place:
        pathlib.Path(place, "causes.txt").write_text(TRACE)
        server = Server("serve", "--listen", ":0", place + "/causes.txt")
        try:
            judged(server)
            need_pages(server)
            for part in (check_marks, check_objects, check_area, check_pointer):
                part(browser, server)
            check_heads(browser, place)
            check_calls(browser, place)
        finally:
            server.process.kill()


if __name__ == "__main__":
    main()
