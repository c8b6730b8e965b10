# SPDX-License-Identifier: MIT
"""A tour of the page: every screen of its navigation and what can be done there, by clicks."""
from support import check

TIMELINE_KEYS = ("0", "w", "w", "d", "a", "s", "n", "p", "ArrowDown", "ArrowDown", "ArrowRight", ".", ",", "f", "f", "Control+z", "Escape")


def visit_timeline(it):
    for grouping in it.page.locator("#grouping option").evaluate_all("(all) => all.map((one) => one.value)"):
        it.page.select_option("#grouping", grouping)
        it.page.wait_for_selector("div.timeline[aria-busy=false]")
        it.page.locator("#timeline-canvas").focus()
        for key in TIMELINE_KEYS:
            it.page.keyboard.press(key)
            it.page.wait_for_timeout(30)


def visit_table(it):
    """Sorts by each column, in both directions."""
    for number in range(it.page.locator("main button.sort").count()):
        for _ in range(2):
            it.page.locator("main button.sort").nth(number).click()
            it.answered()


def visit_coroutines(it):
    visit_table(it)
    it.page.fill("#text", "a")
    it.page.select_option("#of-state", "waiting")
    it.answered()
    it.page.fill("#text", "")
    it.answered()
    it.page.locator("main tbody a").first.click()
    it.page.wait_for_selector("main.coroutine .steps")
    visit_table(it)


VISITS = {"timeline": visit_timeline, "coroutines": visit_coroutines}


def take(it):
    """Makes the whole tour; the page has been opened."""
    it.page.wait_for_selector("#screens a")
    names = [name.split("?")[0] for name in it.page.locator("#screens a").evaluate_all("(all) => all.map((one) => one.hash.slice(1))")]
    check(len(names) >= 8, f"only {names} are in the head")
    for name in names:
        it.page.locator(f'#screens a[href="#{name}"]').click()
        it.page.wait_for_selector(f"main.{name} h2:visible, main.{name} canvas:visible")
        VISITS.get(name, visit_table)(it)
        it.answered()
