# SPDX-License-Identifier: MIT
"""Tests in a real browser what a critic saw in pictures of the page and of reports: what is cut, what wraps, what a length
or a colour says that the numbers do not say."""
import pathlib

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import COROTRACER, check, folder, run
from test_page_screens import SERVER, STANDSTILL, trace_of

HEALTHY = SERVER + """\
1ms t1 create c1 0x11010 @1
1ms t1 thread-time ran=1000000 0
1001us t1 resume c1
100ms t1 suspend c1 timer:9 @2
700ms t1 wake c1 coroutine:1 @2
720ms t1 resume c1
800ms t1 suspend c1 timer:10 @2
801ms t1 wake c1 coroutine:1 @2
802ms t1 resume c1
900ms t1 destroy c1
950ms t1 thread-time ran=100000000 800000000
"""


def serve(trace):
    server = Server("serve", "--listen", ":0", trace)
    judged(server)
    return server


def check_lengths(browser, place):
    """If nothing was found, lengths of bars are in proportion to their numbers; waits have the colour of waiting; what is
    doubtful about the recording is said there, too."""
    (place / "healthy.txt").write_text(HEALTHY, encoding="utf-8")
    server = serve(place / "healthy.txt")
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("#longest-waits")
        wide = it.page.locator("#delays .meter").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().width)")
        told = server.tell("/api/v1/report")["statistics"]["delays"]
        check(abs(wide[0] / wide[-1] - told["p50_ns"] / told["max_ns"]) < 0.02, f"{wide}, {told}")
        colours = it.page.evaluate("""[getComputedStyle(document.querySelector("#longest-waits .meter")).backgroundColor,
            getComputedStyle(document.querySelector(".key.waiting")).backgroundColor]""")
        check(colours[0] == colours[1], f"{colours}")
        check("had a processor for less than half of the time" in it.text("#doubts"), it.text("main"))
        it.quiet()
    server.stop()


def check_doubts(browser, place, trace):
    """Doubts about the recording stand beside how sure a finding is, in the report's words."""
    text = trace.with_suffix(".txt").read_text().replace("10ms t2", "9ms t1 thread-time ran=1000 0\n10ms t2", 1)
    (place / "doubtful.txt").write_text(text + "1900ms t1 thread-time ran=2000 1800000000\n", encoding="utf-8")
    server = serve(place / "doubtful.txt")
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("#doubts")
        said = it.text("#doubts").rstrip(".")
        check(said[1:60] in " ".join(run(COROTRACER, "report", place / "doubtful.txt").stdout.split()), said)
        it.quiet()
    server.stop()


def check_last_events(browser, server):
    """On wide screens no cell of the last events is wrapped, and no table is wider than its column."""
    for width in (1280, 1700, 2560):
        with Page(browser, server, width, 1300) as it:
            it.open("findings")
            it.page.wait_for_selector("#last-events table")
            seen = it.page.evaluate("""(() => { const frame = document.querySelector("#last-events .scroll"), line = parseFloat(getComputedStyle(frame).lineHeight);
                return [[...frame.querySelectorAll("td")].filter((one) => one.getBoundingClientRect().height > 1.9 * line).length, frame.scrollWidth - frame.clientWidth]; })()""")
            check(seen == [0, 0], f"at {width} {seen[0]} cells are wrapped, and the table is {seen[1]} pixels too wide")
            it.quiet()


def check_overview(browser, place):
    """Without any delay there is a sentence instead of an empty chart; headings stand over their numbers."""
    (place / "standstill.txt").write_text(STANDSTILL, encoding="utf-8")
    server = serve(place / "standstill.txt")
    with Page(browser, server) as it:
        it.open("overview")
        it.page.wait_for_selector("#no-delays")
        check(it.page.locator("canvas.chart").count() == 2, "an empty chart")
        edges = it.page.evaluate("""["thead tr", "tbody tr"].map((row) => [...document.querySelector(`main [aria-label=Workers] ${row}`).children].slice(1)
            .map((one) => getComputedStyle(one).textAlign))""")
        check(set(edges[0]) == set(edges[1]) == {"right"}, f"{edges}")
        it.quiet()
    server.stop()


def check_reports(browser, place, trace):
    """No picture of a report in HTML is cut at the right, and code in its sentences is code."""
    pages = {}
    for name, path in (("closed", trace), ("standstill", place / "standstill.txt")):
        pages[name] = place / f"{name}.html"
        run(COROTRACER, "report", "--format", "html", "-o", pages[name], path)
    for width in (390, 1000, 1130, 1280, 2560):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(pages["closed"].as_uri())
        over = page.evaluate("""[...document.querySelectorAll("figure")].filter((one) => one.checkVisibility()).map((one) => one.scrollWidth - one.clientWidth)""")
        check(over == [0], f"at {width} pictures are {over} pixels too wide")
        small = page.evaluate("""Math.min(...[...document.querySelectorAll("figure")].filter((one) => one.checkVisibility())
            .flatMap((one) => [...one.querySelectorAll("text")].map((text) => text.getBoundingClientRect().height)))""")
        check(width < 1000 or small >= 9, f"at {width} words are {small} pixels tall")
        page.close()
    page = browser.new_page()
    page.goto(pages["standstill"].as_uri())
    check("corotracer::wake()" in page.locator(".verdict code").all_inner_texts() and "`" not in page.inner_text("body"), page.inner_text("body")[:1500])
    page.close()


def check_members(browser, place):
    """On wide screens no cell of a member is cut, however long its name and its place: both are said once if there is one member."""
    trace = trace_of(place, "0180-self-wake-storm").with_suffix(".txt")
    sites = "site 4 kind=source file=/src/the_engine_of_the_device.c line=32 function=use_the_device_until_it_is_ready\n1ms t1 create c1"
    text = trace.read_text().replace("1ms t1 create c1", sites, 1).replace("1ms t1 resume c1", "1ms t1 frame c1 0x11000 @4\n1ms t1 resume c1", 1)
    (place / "named.txt").write_text(text.replace("engine.c line=55", "the_engine_of_the_device.c line=55"), encoding="utf-8")
    server = serve(place / "named.txt")
    for width in (1720, 2560):
        with Page(browser, server, width, 1300) as it:
            it.open("findings")
            it.page.wait_for_selector(".members")
            over = it.page.locator(".members").evaluate("(table) => table.parentElement.scrollWidth - table.parentElement.clientWidth")
            check(over <= 0, f"at {width} members are {over} pixels too wide")
            check(it.text("#in-common").startswith("use_the_device_until_it_is_ready, the_engine_of_the_device.c:32, at "), it.text("#in-common"))
            it.quiet()
    server.stop()


def check_one_missing(browser, place):
    """One event is missing, in the singular; a worker that was never in a call was there for no time."""
    (place / "one.txt").write_text(HEALTHY.replace("700ms t1 wake", "600ms t1 lost 1\n700ms t1 wake"), encoding="utf-8")
    server = serve(place / "one.txt")
    with Page(browser, server) as it:
        it.open("quality")
        it.page.wait_for_selector("#losses-picture")
        check(it.text("main .lead").startswith("1 of 13 events is missing."), it.text("main"))
        it.open("overview")
        it.page.wait_for_selector("main [aria-label=Workers] tbody td")
        cells = it.page.locator("main [aria-label=Workers] tbody td").all_inner_texts()
        check("-" in cells and not any(one.startswith("0 ns") for one in cells), f"{cells}")
        it.quiet()
    server.stop()


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name)
        trace = trace_of(place, "0001-closed-under-waiters")
        server = serve(trace)
        try:
            need_pages(server)
            check_last_events(browser, server)
        finally:
            server.process.kill()
        check_lengths(browser, place)
        check_members(browser, place)
        check_one_missing(browser, place)
        check_doubts(browser, place, trace)
        check_overview(browser, place)
        check_reports(browser, place, trace)


if __name__ == "__main__":
    main()
