# SPDX-License-Identifier: MIT
"""Screens of the page beside findings and the timeline, in a real browser, over a small trace of which all is known."""
import pathlib
import re
import sys

from browser import Page, open_browser
from served import Server
from support import COROTRACER, SOURCE, check, folder, run
from test_serve import judged


def trace_of(place, case):
    """The trace of a case of tests/cases."""
    text = re.search(r"^--- trace\n(.*?)^---", (SOURCE / f"tests/cases/{case}.case").read_text(), re.MULTILINE | re.DOTALL)
    (place / f"{case}.txt").write_text(text[1])
    run(COROTRACER, "assemble", place / f"{case}.txt", "-o", place / f"{case}.ctrace")
    return place / f"{case}.ctrace"


def rows_of(it, selector):
    return [row.inner_text().split("\t") for row in it.page.locator(f"{selector} tbody tr").all()]


def check_waits(browser, server):
    """The circle of locks is marked in words, each node is a link, the table says the same, and an earlier moment has no circle."""
    with Page(browser, server) as it:
        it.open("waits")
        it.page.wait_for_selector("#waits-table")
        check("4 coroutines wait. 1 circle" in it.text("#waits-told"), it.text("#waits-told"))
        check(it.page.locator(".node").count() == 6 and it.page.locator(".node.circle .mark").count() == 4, "not six nodes, four of them in the circle")
        told = rows_of(it, "#waits-table")
        check(["lock 0xa000", "object", "", "held by coroutine 1", "circle 1"] in told, f"{told}")
        check(any(row[0] == "coroutine 4" and row[3:] == ["waits for coroutine 3", ""] for row in told), f"{told}")
        it.page.locator(".node", has_text="coroutine 4").focus()
        it.page.keyboard.press("Enter")
        it.page.wait_for_selector("main.coroutine .steps")
        it.open("waits?at=3500000")
        it.until("document.querySelector('#waits-told')?.textContent.includes('1 coroutine waits.')")
        check(it.page.locator(".node.circle").count() == 0, "a circle before it was closed")
        it.page.locator("#moment").focus()
        it.page.keyboard.press("End")
        it.until("document.querySelector('#waits-told').textContent.includes('1 circle') && location.hash.includes('at=2000000000')")
        it.page.locator(".node.object", has_text="lock 0xa000").click()
        it.page.wait_for_selector("main.objects tbody tr")
        it.until("document.querySelectorAll('main.objects tbody tr').length === 1")
        it.quiet()


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name)
        server = Server("serve", "--listen", ":0", trace_of(place, "0130-mutex-deadlock"))
        try:
            judged(server)
            if "screens" not in server.ask("/")[2].decode():
                sys.exit(77)
            for part in (check_waits,):
                part(browser, server)
        finally:
            server.process.kill()


if __name__ == "__main__":
    main()
