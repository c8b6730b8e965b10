# SPDX-License-Identifier: MIT
"""Tests what a reader sees first of a finding, in a real browser at a wide and at a narrow width: what is wrong and why, the same in
all forms; a picture that fits; links that lead to something; the first range of the timeline."""
import pathlib
import re
import xml.etree.ElementTree

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import COROTRACER, check, folder, run
from test_page_screens import trace_of

SVG = "{http://www.w3.org/2000/svg}"
WIDTHS = ((390, 844), (1280, 860))
MANY = 450


def serve(trace):
    server = Server("serve", "--listen", ":0", trace)
    judged(server)
    return server


def standstill(place):
    """Many wait at one place; the last to stop waits at another one. No wake is recorded."""
    lines = ["trace from=0 until=6s", "process 1 pid=100 program=/bin/client probe", "thread 1 tid=101 name=worker-0", "thread 2 tid=100 name=main",
             "site 1 kind=source file=/src/client.cpp line=10 function=main", "site 2 kind=source file=/src/client.cpp line=55 function=call reason=Reply",
             "site 3 kind=source file=/src/client.cpp line=77 function=flush reason=Flushed", "1ms t2 park"]
    for i in range(1, MANY + 2):
        lines += [f"+1us t1 create c{i} @1", f"+1us t1 resume c{i} @1", f"+1us t1 suspend c{i} @{3 if i > MANY else 2}"]
    (place / "standstill.txt").write_text("\n".join(lines + ["+1us t1 park", ""]))
    return place / "standstill.txt"


def check_standstill(browser, server, trace):
    """The headline says what is wrong and why; the place to look at first is that of the advice; what to record is said on the page, too."""
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("svg.picture")
        head, lead = it.text("#finding-title"), it.text(".lead a")
        check("nothing recorded will wake them" in head and "the last one stopped at co_await Flushed" in head, head)
        check("client.cpp:77" in lead, f"the advice speaks of what stopped last, and the first place is {lead}")
        words = it.page.locator("svg.picture").text_content()
        check("no wakes recorded" in words and "no wake came" not in words, words)
        told = it.text(".to-judge")
        report = " ".join(run(COROTRACER, "report", trace).stdout.split())
        check("no wakes are recorded: call corotracer::wake()" in told.lower(), told)
        for line in it.page.locator(".to-judge li").all():
            plain = line.inner_text().rstrip(".").replace("`", "")
            check(plain[1:40] in report.replace("`", ""), f"{plain}: {report}")
        it.quiet()


def check_members(browser, server):
    """All members can be listed, also those that the report does not name; the picture's "more alike" leads to them."""
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("svg.picture .alike")
        it.page.locator("svg.picture .alike").click()
        it.until("document.querySelector('#members').getBoundingClientRect().top < innerHeight")
        more, rows = it.page.locator("[data-key=all-members]"), it.page.locator("#members ~ .scroll tbody tr")
        check(rows.count() == 10, f"{rows.count()} members at first")
        for wanted in (200, 400, MANY + 1):
            more.click()
            it.until(f"document.querySelectorAll('#members ~ .scroll tbody tr').length === {wanted}")
        check(not more.is_visible() and len({row.inner_text().split("\t")[0] for row in rows.all()}) == MANY + 1, "not each member once")
        it.quiet()


def check_first_screen(browser, server, culprit):
    """At the first look the headline, and what was done at the place to look at first, are on the screen; nothing is cut at the right."""
    for width, height in WIDTHS:
        with Page(browser, server, width, height) as it:
            it.open("findings")
            it.page.wait_for_selector("svg.picture")
            caption = it.page.locator("svg.picture > text.alarm").first
            check(culprit in " ".join(it.page.locator("svg.picture > text.alarm").all_text_contents()), f"{it.page.locator('svg.picture').text_content()}")
            box, picture = caption.bounding_box(), it.page.locator("svg.picture").bounding_box()
            check(box["y"] + box["height"] <= height, f"at {width} the picture's first words are at {box}")
            check(picture["x"] >= 0 and picture["x"] + picture["width"] <= width, f"at {width} the picture reaches from {picture['x']} over {picture['width']}")
            it.quiet()


def lanes_of(it):
    """The words of the timeline, from its copy."""
    it.page.evaluate("navigator.clipboard.writeText('')")
    it.page.locator("[data-copies='Copy as SVG']").last.click()
    it.until("navigator.clipboard.readText().then((text) => text.startsWith('<svg'))")
    picture = xml.etree.ElementTree.fromstring(it.page.evaluate("navigator.clipboard.readText()"))
    return [one.text or "" for one in picture.iter(SVG + "text")]


def check_range(browser, server, lanes):
    """The first range of the timeline has every step that happened, and a lane for everybody who takes part."""
    finding = server.tell("/api/v1/report")["findings"][0]
    over = max(member["until_ns"] for member in finding["members"])
    steps = [step["time_ns"] for step in finding["steps"] if step["time_ns"] is not None and step["time_ns"] < over]
    for width, height in WIDTHS:
        with Page(browser, server, width, height, permissions=["clipboard-read", "clipboard-write"]) as it:
            it.open("timeline")
            it.answered()
            it.until("location.hash.includes('until=')")
            first, last = (int(re.search(rf"{name}=(\d+)", it.page.url)[1]) for name in ("from", "until"))
            check(first <= min(steps) and last >= max(steps), f"at {width} from {first} until {last}: {steps}")
            words = lanes_of(it)
            for lane in lanes:
                check(any(word.startswith(lane) for word in words), f"at {width} {lane} has no lane: {words}")
            it.quiet()


def check_lead(browser, server):
    """The place to look at first leads to what happened there, also where nobody waits or begins to run."""
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector(".lead a")
        it.page.locator(".lead a").click()
        it.until("document.querySelectorAll('main.places .here-events tbody tr').length > 0")
        check("No row" not in it.text("main"), it.text("main"))
        it.quiet()


def check_head(browser, server):
    """At 390 pixels the head has two lines, and the main screens are in the first; the others come with one click."""
    with Page(browser, server, 390, 844) as it:
        it.open("findings")
        it.page.wait_for_selector("#screens a.rest", state="attached")
        seen = [re.match("[A-Za-z]+", link.inner_text())[0] for link in it.page.locator("#screens a").all() if link.is_visible()]
        check(seen == ["Findings", "Timeline", "Coroutines", "Overview"], f"{seen}")
        boxes = [link.bounding_box() for link in it.page.locator("#screens a:not(.rest), #more").all()]
        check(all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes) and len({round(box["y"] / 8) for box in boxes}) == 1, f"{boxes}")
        head = it.page.locator("header").bounding_box()
        check(head["height"] <= 72, f"the head is {head['height']} high")
        it.page.locator("#more").click()
        it.page.locator("#screens a", has_text="Quality").click()
        it.page.wait_for_selector("main.quality h2")
        check(it.page.locator("#screens a", has_text="Quality").is_visible() and not it.page.locator("#screens a", has_text="SQL").is_visible(), "the present screen is not in the head")
        it.quiet()


def check_held(browser, server):
    """A lock that is waited for and one that is held differ in colour, pattern or letter, in the legend and in the lanes."""
    with Page(browser, server, permissions=["clipboard-read", "clipboard-write"]) as it:
        it.open("timeline")
        it.answered()
        lock, held = (it.page.locator(f".legend .bar.{name}").first.evaluate("(one) => getComputedStyle(one).backgroundColor") for name in ("lock", "held"))
        check(lock != held and it.text(".legend .held >> xpath=..") == "held H", f"{lock} {held}")
        check({"L", "H"} <= set(lanes_of(it)), f"{lanes_of(it)}")
        it.quiet()


def check_html(place, trace):
    """The page without a script: the verdict and the finding come before the quality of the data, but losses before both."""
    html = run(COROTRACER, "report", "--format", "html", trace).stdout
    order = [html.find(words) for words in ("0 lost", "1 finding", "waits-on-closed-descriptor</h2>", "<h2>Data quality")]
    check(order == sorted(order) and order[0] > 0, f"{order}")
    check(html.count('class="picture narrow"') == 1, "no picture for a narrow screen")
    return place


def check_single(browser, place, trace):
    """In a page that is one file, on a narrow screen: the picture fits, and is there before the trace was read."""
    run(COROTRACER, "report", "--format", "page", "-o", place / "one.html", trace)
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"file://{place}/one.html")
    page.wait_for_selector("svg.picture.narrow")
    box = page.locator("svg.picture").bounding_box()
    check(box["x"] >= 0 and box["x"] + box["width"] <= 390, f"{box}")
    check(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen")
    context.close()


def check_saved(browser, place, server, trace):
    """The served page is saved as one file (H-26), which shows the same without a server; the command makes the same
    file."""
    with Page(browser, server, accept_downloads=True) as it:
        it.open("findings")
        it.page.wait_for_selector("svg.picture")
        title = it.text("#finding-title")
        with it.page.expect_download() as waiting:
            it.page.locator("[data-key=save]").click()
        check(waiting.value.suggested_filename == f"{trace.stem}.html", waiting.value.suggested_filename)
        waiting.value.save_as(place / "saved.html")
        it.quiet()
    run(COROTRACER, "report", "--format", "page", "-o", place / "one.html", trace)
    check((place / "saved.html").read_bytes() == (place / "one.html").read_bytes(), "the command makes another file")
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"file://{place}/saved.html#timeline")
    page.wait_for_selector("main.timeline .details a")
    check(title.lower() in page.locator(".details").inner_text().lower(), page.locator(".details").inner_text())
    # What was handed to the reader is not kept besides as a text, which is larger.
    kept = page.evaluate("['reader', 'trace'].map((id) => document.getElementById(id).content.textContent.length)")
    check(kept == [0, 0], f"the page keeps {kept} characters")
    context.close()


def with_server(trace, *parts):
    server = serve(trace)
    try:
        need_pages(server)
        for part in parts:
            part(server)
    finally:
        server.process.kill()


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name).resolve()
        still = standstill(place)
        with_server(still, lambda it: check_standstill(browser, it, still), lambda it: check_members(browser, it),
                    lambda it: check_first_screen(browser, it, f"coroutine {MANY + 1}"), lambda it: check_range(browser, it, [f"coroutine {MANY + 1}", f"coroutine {MANY}"]))
        with_server(trace_of(place, "0310-starvation"), lambda it: check_first_screen(browser, it, "ran for 8.01 ms"),
                    lambda it: check_range(browser, it, ["coroutine 1", "coroutine 2", "worker-0"]))
        with_server(trace_of(place, "0180-self-wake-storm"), lambda it: check_first_screen(browser, it, "woke itself, 1,200 times"),
                    lambda it: check_range(browser, it, ["coroutine 1"]))
        with_server(trace_of(place, "0212-check-then-suspend"), lambda it: check_range(browser, it, ["coroutine 1", "coroutine 2", "condition 0x6000"]))
        with_server(trace_of(place, "1680-notified-before-the-wait"), lambda it: check_first_screen(browser, it, "notified event 0x6000, and woke nobody"),
                    lambda it: check_range(browser, it, ["coroutine 1", "worker-1"]))
        with_server(trace_of(place, "0190-leak"), lambda it: check_first_screen(browser, it, "the first of 90"), lambda it: check_lead(browser, it),
                    lambda it: check_head(browser, it))
        with_server(trace_of(place, "0130-mutex-deadlock"), lambda it: check_held(browser, it))
        closed = trace_of(place, "0001-closed-under-waiters")
        with_server(closed, lambda it: check_lead(browser, it), lambda it: check_saved(browser, place, it, closed))
        check_html(place, closed)
        check_single(browser, place, closed)


if __name__ == "__main__":
    main()
