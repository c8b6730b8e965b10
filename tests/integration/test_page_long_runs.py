# SPDX-License-Identifier: MIT
"""Tests what the page says of a long run, in a real browser: the panel of a coroutine has the functions in which samples
found its thread, as `why` has them."""
import pathlib

from browser import Page, open_browser
from long_runs import text_of
from served import Server, judged, need_pages
from support import check, folder


def check_panel(browser, place):
    (place / "t.txt").write_text(text_of(), encoding="utf-8")
    server = Server("serve", "--listen", ":0", place / "t.txt")
    judged(server)
    need_pages(server)
    with Page(browser, server) as it:
        it.open("coroutine?process=1&id=1")
        it.page.wait_for_selector("details.long-run table")
        check("Its longest run kept thread worker-0 (101) for 1.30 s" in it.text("details.long-run summary"), it.text("details.long-run"))
        rows = it.page.locator("details.long-run tbody tr").evaluate_all("(all) => all.map((row) => [...row.cells].map((cell) => cell.textContent))")
        check(rows == [["93.0 %", "93", "parse_json", "json.cpp:40"], ["7.0 %", "7", "check_sum", "sum.cpp:9"]], f"{rows}")
        check("#places" in it.page.locator("details.long-run td a").first.get_attribute("href"), "no link to the place")
        it.quiet()
    server.stop()


def main():
    with open_browser(__file__) as browser, folder() as name:
        check_panel(browser, pathlib.Path(name))


if __name__ == "__main__":
    main()
