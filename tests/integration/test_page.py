# SPDX-License-Identifier: MIT
"""Tests the page in a real browser: a finding and its picture, from there to the closing line and to the moment on the
timeline, tables, keys, states of the page, every width light and dark; nothing violates the policy, and axe-core has no
complaints."""
import csv
import pathlib
import re
import subprocess

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import COROTRACER, check, folder
from test_serve import trace_in

SCREENS = ("findings", "timeline", "coroutines", "coroutine?process=1&id=1", "overview", "waits", "places", "tasks", "quality", "sql", "objects")
SIZES = ((390, 844), (1280, 860), (2560, 1440))


def check_finding(browser, server):
    """The first screen says what is wrong; one click leads to the line, another to the moment."""
    with Page(browser, server) as it:
        it.open("")
        it.page.wait_for_selector("svg.picture")
        check("2 of 3 coroutines wait for descriptors that were closed" in it.text("#finding-title"), it.text("#finding-title"))
        picture = it.page.locator("svg.picture").text_content()
        check("closed" in picture and "no wake came" in picture, picture)
        check("proven" in it.text("article .grade"), it.text("article"))
        check(it.page.locator(".members tbody tr").count() == 2, "not two members")
        steps = it.page.locator(".steps").inner_text()
        check(re.search(r"(coroutine|thread) .*: closed descriptor 7", steps), steps)
        it.page.locator(".steps a", has_text="closed descriptor 7").click()
        it.page.wait_for_selector("main.timeline canvas")
        it.until("location.hash.startsWith('#timeline') && location.hash.includes('from=')")
        it.page.go_back()
        it.page.locator(".lead a").click()
        it.page.wait_for_selector("main.places")
        check("Reactor::on_hangup" in it.text("main"), it.text("main"))
        it.quiet()


def check_timeline(browser, server):
    """Keys move, zoom, select; the address contains the view, and another page at the address shows the same."""
    with Page(browser, server) as it:
        it.open("timeline?lanes=all")
        canvas = it.page.locator("#timeline-canvas")
        canvas.focus()
        it.page.keyboard.press("0")
        it.until("document.querySelector('.range').textContent.includes('2.00 s')")
        for key, words in (("w", "1.00 s"), ("w", "500 ms"), ("s", "1.00 s"), ("Control+z", "500 ms")):
            it.page.keyboard.press(key)
            it.until(f"document.querySelector('.range').textContent.includes(': {words}')")
        it.page.keyboard.press("0")
        it.answered()
        it.page.keyboard.press("ArrowDown")
        it.page.keyboard.press("ArrowDown")
        it.until("/waiting|running|not begun/.test(document.querySelector('.details')?.textContent)")
        before, address = it.text(".details"), it.page.url
        check("lane=c1." in address and "selected=" in address, address)
        it.open(address.split("#")[1])
        it.until("/waiting|running|not begun/.test(document.querySelector('.details')?.textContent)")
        check(it.text(".details").split("\n")[0] == before.split("\n")[0], f"{it.text('.details')}, and not {before}")
        it.page.locator("#timeline-canvas").focus()
        it.page.keyboard.press("Enter")
        it.page.wait_for_selector("main.coroutine .steps")
        check("closed" in it.text("main.coroutine .steps"), it.text("main"))
        it.page.wait_for_selector("[aria-label=Events] tbody tr")
        kinds = it.page.locator("[aria-label=Events] tbody tr td:nth-child(3)").all_inner_texts()
        check({"create", "suspend"} <= set(kinds), f"events of the coroutine: {kinds}")
        it.page.locator("[aria-label=Events] tbody tr", has_text="suspend").first.locator("a").first.click()
        it.until("document.querySelector('.details')?.textContent.includes('suspend, event')")
        it.quiet()


def check_tables(browser, server):
    """Sorting and conditions are kept in the address."""
    with Page(browser, server) as it:
        it.open("coroutines")
        it.page.wait_for_selector("tbody tr")
        it.page.get_by_role("button", name="coroutine", exact=True).click()
        it.until("document.querySelector('tbody td').textContent === '3'")
        it.page.select_option("#of-state", "waiting")
        it.page.fill("#least", "1990")
        it.until("document.querySelector('[role=status].quiet').textContent.includes('2 coroutines')")
        it.until("document.querySelectorAll('tbody tr').length === 2")
        check("order=-coroutine" in it.page.url and "least=1990" in it.page.url, it.page.url)
        it.page.reload()
        it.until("document.querySelectorAll('tbody tr').length === 2")
        it.quiet()


def check_keys(browser, server):
    """All screens and the help are reached by keys alone."""
    with Page(browser, server) as it:
        it.open("findings")
        for key, screen in (("3", "coroutines"), ("4", "overview"), ("5", "waits"), ("6", "places"), ("8", "quality"), ("1", "findings")):
            it.page.keyboard.press(key)
            it.page.wait_for_selector(f"main.{screen} h2:visible")
        it.page.keyboard.press("?")
        check("zoom in" in it.text("dialog"), "no keys are told")
        it.page.keyboard.press("Escape")
        it.page.wait_for_selector("dialog", state="detached")
        it.page.locator("article tbody a").first.focus()
        it.page.keyboard.press("w")
        it.page.wait_for_selector("main.coroutine .steps")
        it.page.keyboard.press("/")
        it.until("document.activeElement.id === 'text'")
        it.quiet()


def check_looks(browser, server):
    """Each screen at each width, light and dark: nothing exceeds the window, and axe-core finds nothing."""
    from axe_playwright_python.sync_playwright import Axe
    axe = Axe()
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            with Page(browser, server, width, height, color_scheme=scheme, bypass_csp=True) as it:
                for screen in SCREENS:
                    it.open(screen)
                    it.answered() if screen != "findings" else it.page.wait_for_selector("svg.picture")
                    over = it.page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    check(over <= 0, f"{screen} at {width} is {over} pixels too wide")
                    if screen == "findings" and width != 1280:
                        hints = it.page.get_by_text("scroll it sideways").locator("visible=true").count()
                        check(not hints, f"{hints} hints at {width} pixels that the picture is wider than the page")
                    if width == 1280 or screen == "findings":
                        response = axe.run(it.page).response
                        found = response["violations"]
                        check(response["passes"] and not found, f"{screen}, {scheme}: {[(one['id'], one['nodes'][0]['html'][:200]) for one in found]}")


def check_states(browser, place, server):
    """The states of the page: connection lost, request refused, empty trace, unreadable trace."""
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("#finding-title")
        server.process.terminate()
        it.page.wait_for_selector("#trouble:not([hidden])")
        check(re.search("ended|lost", it.text("#trouble")), it.text("#trouble"))
        check(it.page.locator("#finding-title").count() == 1, "what was shown is gone")
    server.process.wait()
    pathlib.Path(place, "empty.txt").write_text("trace from=0 until=1s\nprocess 1 pid=100 program=/bin/server\n")
    for name, words in (("empty.txt", "No coroutine was seen"),):
        other = Server("serve", "--listen", ":0", place + "/" + name)
        with Page(browser, other) as it:
            it.open("findings")
            it.until(f"document.querySelector('main').textContent.includes('{words}')")
        other.stop()


def cells(row):
    """Numbers as numbers: a page shows 0.0 as 0."""
    return [float(cell) if re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", cell) else cell.replace("\n", " ") for cell in row]


def check_statements(it, page, trace):
    """Each question of the cookbook has in the page the answer of `corotracer query`; a mistake is marked where it is;
    a statement without an end is ended. A page without SQLite says so."""
    it.page.goto(f"{page.as_uri()}#sql")
    it.page.wait_for_selector("#recipe option:nth-child(3)", state="attached")
    it.page.evaluate("window.copied = []; navigator.clipboard.writeText = (text) => { copied.push(text); return Promise.resolve(); }; 0")
    it.page.fill("#sql", "SELECT 1 AS one")
    it.page.keyboard.press("Control+Enter")
    it.page.wait_for_selector("#answered, #sql-refused")
    if it.page.locator("#sql-refused").count():
        check("without SQLite's source" in it.text("#sql-refused") and not it.page.locator("#run-sql").is_visible(), it.text("main"))
        return
    for recipe in range(it.page.locator("#recipe option").count() - 1):
        it.page.select_option("#recipe", value=str(recipe))
        sql = it.page.locator("#sql").input_value()
        told = subprocess.run([COROTRACER, "query", "--format", "csv", trace, sql], capture_output=True, text=True, check=True).stdout
        wanted = [cells(row) for row in csv.reader(told.splitlines(keepends=True))]
        it.page.get_by_role("button", name="Copy as TSV").click()
        it.until("copied.length > 0")
        found = [cells(line.split("\t")) for line in it.page.evaluate("copied.splice(0)")[-1].split("\n")]
        check(found == wanted, f"{sql}: {found} and {wanted}")
    it.page.fill("#sql", "SELECT coroutine,\n  nothing FROM waits")
    it.page.keyboard.press("Control+Enter")
    it.page.wait_for_selector("main pre")
    check("line 2, column 3" in it.text("main [role=alert]"), it.text("main"))
    it.page.fill("#sql", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    it.page.locator("#run-sql").click()
    it.until("document.querySelector('main [role=alert]')?.textContent.startsWith('not done in 10')")


def check_file(browser, place):
    """The same page as a single file from the disk: the finding, the timeline, and no request to any network."""
    page = pathlib.Path(place, "page.html")
    trace = next(pathlib.Path(place).glob("*.ctrace"))
    told = subprocess.run([COROTRACER, "report", "--format", "page", "-o", page, trace], capture_output=True, text=True, check=False)
    if told.returncode == 7:
        print("this build has no pages that are one file")
        return
    check(told.returncode == 0 and not told.stderr, told.stderr)
    with Page(browser, None) as it:
        asked = []
        it.page.on("request", lambda request: asked.append(request.url))
        it.page.goto(page.as_uri())
        it.page.wait_for_selector("#finding-title")
        check("that were closed under them at Reactor::on_hangup" in it.text("#finding-title"), it.text("#finding-title"))
        it.until("document.getElementById('state').textContent.includes('the whole trace is in this file')")
        check(f"corotracer report {trace.name}" in it.text("main"), it.text("main"))
        it.page.goto(f"{page.as_uri()}#timeline")
        it.page.wait_for_selector("#timeline-canvas")
        check_statements(it, page, trace)
        check(all(url.startswith(("file:", "data:", "blob:")) for url in asked), asked)
        it.quiet()


def main():
    with open_browser(__file__) as browser, folder() as place:
        server = Server("serve", "--listen", ":0", trace_in(place))
        try:
            judged(server)
            need_pages(server)
            for part in (check_finding, check_timeline, check_tables, check_keys, check_looks):
                part(browser, server)
            check_states(browser, place, server)
            check_file(browser, place)
        finally:
            server.process.kill()


if __name__ == "__main__":
    main()
