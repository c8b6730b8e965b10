# SPDX-License-Identifier: MIT
"""Tests in a real browser that words have room: the head at each width, boxes of the graph of waits, names of lanes;
and that code, numbers and words on the page are those of the report and of `top`."""
import pathlib
import re
import xml.etree.ElementTree

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import COROTRACER, check, folder, run
from test_page_screens import rows_of, trace_of
from test_page_timeline import SVG, Timeline

NARROW = (320, 360, 375, 390)

CROWD = "\n".join(
    ["trace from=0 until=2s", "process 1 pid=100 program=/bin/server probe ledger", "thread 1 tid=101 name=worker-0",
     "site 1 kind=source file=/src/server.cpp line=40 function=start",
     "site 2 kind=source file=/src/server.cpp line=120 function=answer_all_of_them reason=Channel::receive",
     "site 3 kind=source file=/src/server.cpp line=100 function=answer_all_of_them_within_the_time_that_is_given"]
    + [f"{i}ms t1 create c{i} 0x1{i}010 @1\n+1us t1 frame c{i} 0x1{i}000 @3\n+1us t1 resume c{i}\n+1us t1 suspend c{i} channel:{0x50 + i} @2" for i in range(1, 8)]) + "\n"

# The blocks of a file: of one in the middle some bytes are changed, so that the time before the next one is doubtful.
LONG = CROWD.replace("until=2s", "until=9s") + "\n".join(
    f"{1000 + i}ms t1 wake coroutine:1 @1\n+1us t1 resume c1\n+1us t1 suspend c1 channel:81 @2" for i in range(4000)) + "\n"


def made(place, name, text):
    (place / f"{name}.txt").write_text(text, encoding="utf-8")
    run(COROTRACER, "assemble", "-o", place / f"{name}.ctrace", place / f"{name}.txt")
    return place / f"{name}.ctrace"


def check_head(browser, server):
    """On narrow screens the button for the other screens is whole; on wider ones the buttons stand beside the name."""
    for width in NARROW:
        with Page(browser, server, width, 700) as it:
            it.open("findings")
            it.page.locator("#screens .badge").wait_for()
            more = it.page.locator("#more").bounding_box()
            check(more["x"] + more["width"] <= width, f"at {width}: {more}")
            check(it.page.evaluate("document.documentElement.scrollWidth") <= width, f"at {width} the page is wider")
            for link in it.page.locator("#screens a:visible").all():
                box = link.bounding_box()
                check(box["x"] + box["width"] <= more["x"], f"at {width}: {link.inner_text()} at {box}, {more}")
            it.quiet()
    with Page(browser, server, 768, 1024) as it:
        it.open("findings")
        name, controls, screens = (it.page.locator(one).bounding_box() for one in ("h1", "#controls", "#screens"))
        check(abs(name["y"] + name["height"] / 2 - controls["y"] - controls["height"] / 2) < 8 and screens["y"] > name["y"] + 10, f"{name} {controls} {screens}")
        it.quiet()


def check_waits(browser, server):
    """Boxes take the room that there is, so that places are whole; kinds of objects have their plural."""
    with Page(browser, server) as it:
        it.open("waits")
        it.page.wait_for_selector(".node")
        names = it.page.locator(".node strong").all_inner_texts()
        check(names == ["7 channels", "7 coroutines"], f"{names}")
        cut = it.page.locator(".node > *").evaluate_all("(all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)")
        check(not cut, f"cut: {cut}")
        check(it.page.locator("#waits-table th").all_inner_texts() == ["what", "state", "place", "waits for, or held by"], f"{rows_of(it, '#waits-table')}")
        it.quiet()


def check_lanes(browser, server):
    """A name of a lane that has no room ends in an ellipsis, and not within a number."""
    with Timeline(browser, server) as it:
        it.show("timeline")
        picture = it.picture()
        hints = [one for one in picture.iter(SVG + "text") if (one.text or "").startswith("answer_all_of")]
        check(len(hints) > 1, xml.etree.ElementTree.tostring(picture).decode()[:500])
        for one in hints:
            wide = it.page.evaluate(f"""(() => {{ const pen = document.createElement("canvas").getContext("2d"); pen.font = "12px system-ui, sans-serif";
                return pen.measureText({one.text!r}).width; }})()""")
            check(float(one.get("x")) + wide <= 244, f"{one.text} from {one.get('x')} is {wide} wide")
            check(one.text.endswith("…"), one.text)
        it.quiet()


def check_closed(browser, server):
    """On a narrow timeline the word at a cross lies over no other words."""
    closed = next(step["time_ns"] for step in server.tell("/api/v1/report")["findings"][0]["steps"] if step["text"].startswith("closed descriptor"))
    with Timeline(browser, server, width=375, height=812) as it:
        it.show(f"timeline?from={closed - 400000}&until={closed + 600000}")
        words = [(one.text or "", float(one.get("x")), float(one.get("y"))) for one in it.picture().iter(SVG + "text") if one.get("x")]
        wide = it.page.evaluate("""(words) => { const pen = document.createElement("canvas").getContext("2d"); pen.font = "11px system-ui, sans-serif";
            return words.map((one) => pen.measureText(one).width); }""", [word for word, _, _ in words])
        closed = [(x, y, width) for (word, x, y), width in zip(words, wide) if word == "closed"]
        check(len(closed) == 2, f"{words}")
        for x, y, width in closed:
            over = [word for (word, left, at), other in zip(words, wide) if word != "closed" and abs(at - y) < 8 and left < x + width and left + other > x]
            check(not over, f"closed at {x} lies over {over}")
        it.quiet()


# Three take a lock each, and wait for that of the next. Addresses of locks differ in their last digits alone.
CIRCLE = "\n".join((
    "trace from=0 until=2s", "process 1 pid=100 program=/bin/engine probe ledger", "thread 1 tid=101 name=worker-10", "thread 2 tid=102 name=worker-9",
    "site 1 kind=source file=/src/engine.c line=10 function=main", "site 2 kind=source file=/src/engine.c line=55 function=dine reason=lock",
    *(f"1ms t1 create c{i} 0x1{i}010 @1" for i in (1, 2, 3)),
    *(f"+1us t{i % 2 + 1} {what}" for i in (1, 2, 3) for what in (f"resume c{i}", f"acquire c{i} lock:0x7ffda6d96c{i}0 @2", f"suspend c{i} @2 point=yield", f"wake c{i}")),
    *(f"+1us t{i % 2 + 1} {what}" for i in (1, 2, 3) for what in (f"resume c{i}", f"suspend c{i} lock:0x7ffda6d96c{i % 3 + 1}0 @2")), ""))


def check_circle(browser, server):
    """A circle of three fits the graph at 1280 pixels, and names of locks differ also where they are cut; the timeline says that
    the waits go on, and where the steps are in the whole; workers stand in the order of their numbers."""
    with Page(browser, server) as it:
        it.open("waits")
        it.page.wait_for_selector(".node.object")
        frame = it.page.locator(".waits-picture").evaluate("(one) => [one.scrollWidth, one.clientWidth]")
        check(frame[0] <= frame[1], f"the graph is {frame[0]} wide in {frame[1]}")
        cut = it.page.locator(".node.object strong").evaluate_all("(all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)")
        names = it.page.locator(".node.object strong").all_inner_texts()
        check(not cut and len(set(names)) == 3 and all("\u2026" in name for name in names), f"{names}, cut: {cut}")
        it.quiet()
    with Timeline(browser, server) as it:
        it.show("timeline")
        words = it.words()
        check(sum(bool(re.fullmatch("\u2192 2.00 s, no wake", one)) for one in words) == 3, f"{words}")
        check(words.index("worker-9 (102)") < words.index("worker-10 (101)") and "worker" not in words, f"{words}")
        red = it.page.locator("canvas.minimap").evaluate("""(canvas) => { const pixels = canvas.getContext("2d").getImageData(0, 1, canvas.width, 1).data, found = [];
            for (let x = 0; x < canvas.width; x++) if (pixels[4 * x] > 150 && pixels[4 * x + 1] < 60) found.push(x);
            return found; }""")
        check(red and max(red) < 40, f"steps are marked at {red}")
        it.quiet()
    with Timeline(browser, server, width=390, height=844) as it:
        it.show("timeline")
        locks = [word for word in it.words() if word.startswith("lock 0x")]
        check(len(set(locks)) == len(locks) >= 2, f"{locks}")
        shown = [one.get_attribute("data-sample") for one in it.page.locator("[data-sample]").all() if one.is_visible()]
        check("lock" in shown and not {"timer", "descriptor", "channel"} & set(shown), f"the legend has {shown}")
        it.quiet()


def check_flags(browser, server):
    """Flags of findings at one moment stand below each other."""
    with Timeline(browser, server) as it:
        it.open("overview")
        it.answered()
        it.page.evaluate("navigator.clipboard.writeText('')")
        it.page.locator("[data-copies='Copy as SVG']").first.click()
        it.until("navigator.clipboard.readText().then((text) => text.startsWith('<svg'))")
        picture = xml.etree.ElementTree.fromstring(it.page.evaluate("navigator.clipboard.readText()"))
        flags = {one.text: (float(one.get("x")), float(one.get("y"))) for one in picture.iter(SVG + "text") if one.text in ("1", "2")}
        (x, y), (other_x, other_y) = flags["1"], flags["2"]
        check(abs(x - other_x) >= 16 or abs(y - other_y) >= 16, f"{flags}")
        it.quiet()


def check_advice(browser, server):
    """Code in an advice is set as code."""
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector(".advice")
        check("`" not in it.text(".advice") and "--cpu-samples 99" in it.page.locator(".advice code").all_inner_texts(), it.text(".advice"))
        it.quiet()


def check_numbers(browser, server, trace):
    """What did not happen has no time, as in `top`; shares have one digit behind the point, as in the report."""
    told = run(COROTRACER, "top", "--once", "--screen", "coroutines", trace).stdout.splitlines()[3].split()
    with Page(browser, server, 1800) as it:
        it.open("coroutines")
        it.page.wait_for_selector("tbody tr")
        heads, row = (it.page.locator(f".virtual {part} tr").first.locator("th, td").all_inner_texts() for part in ("thead", "tbody"))
        ready = dict(zip((head.split(" ▼")[0] for head in heads), row))["ready"]
        check("-" in told and ready == "-", f"{told}: {heads} {row}")
        it.open(f"coroutine?process=1&id={row[0]}")
        it.until("/it was ready\\s*-/.test(document.querySelector('main dl').innerText)")
        it.quiet()


def check_healthy(browser, place):
    trace = made(place, "healthy", "trace from=0 until=1s\nprocess 1 pid=100 program=/bin/server probe\nthread 1 tid=101 name=worker-0\n"
                 "site 1 kind=source file=/src/a.cpp line=4 function=start\n1ms t1 create c1 @1\n2ms t1 resume c1\n9ms t1 suspend c1 timer:1 @1\n"
                 "700ms t1 wake coroutine:1 @1\n+3ms t1 resume c1\n+1ms t1 return c1\n+1ms t1 park\n")
    server = Server("serve", "--listen", ":0", trace)
    judged(server)
    report = run(COROTRACER, "report", trace).stdout
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector(".shares")
        for one in it.page.locator(".shares").first.locator("span").all_inner_texts():
            check(one.split(", ")[-1] in report, f"{one}: {report}")
        check("99th percentile of the delay" in it.text(".tiles"), it.text(".tiles"))
        it.quiet()
    server.stop()


def check_damaged(browser, place):
    """The screen about quality has the report's words; a loss of which only the end is known is shaded up to there."""
    whole = made(place, "long", LONG).read_bytes()
    middle = len(whole) // 2
    (place / "damaged.ctrace").write_bytes(whole[:middle] + bytes(byte ^ 0x5a for byte in whole[middle:middle + 300]) + whole[middle + 300:])
    server = Server("serve", "--listen", ":0", place / "damaged.ctrace")
    judged(server)
    report = " ".join(run(COROTRACER, "report", place / "damaged.ctrace", status=None).stdout.split())
    losses = server.tell("/api/v1/report")["quality"]["losses"]
    check(any(loss["first_ns"] is None and loss["last_ns"] is not None for loss in losses), f"{losses}")
    with Timeline(browser, server) as it:
        it.open("quality")
        it.page.wait_for_selector("main dl")
        facts = dict(zip(it.page.locator("dt").all_inner_texts(), it.page.locator("dd").all_inner_texts()))
        check(facts["clock"] in report and facts["end"] in report, f"{facts}: {report}")
        doubts = it.page.locator("main ul li").all_inner_texts()
        check(any("bytes hold no whole block" in one and one[one.index(": ") + 2:-1] in report for one in doubts), f"{doubts}: {report}")
        check("" not in rows_of(it, "main table")[0], f"{rows_of(it, 'main table')}")
        it.show("timeline?lanes=all")
        check(any(word.startswith("lost: ") for word in it.words()), f"{it.words()}")
        it.quiet()
    server.stop()


def with_server(trace, *parts):
    server = Server("serve", "--listen", ":0", trace)
    judged(server)
    need_pages(server)
    for part in parts:
        part(server)
    server.stop()


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name)
        closed = trace_of(place, "0001-closed-under-waiters")
        with_server(closed, lambda it: check_head(browser, it), lambda it: check_numbers(browser, it, closed), lambda it: check_closed(browser, it))
        with_server(trace_of(place, "0028-two-causes"), lambda it: check_flags(browser, it))
        with_server(made(place, "crowd", CROWD), lambda it: check_waits(browser, it), lambda it: check_lanes(browser, it))
        with_server(made(place, "circle", CIRCLE), lambda it: check_circle(browser, it))
        with_server(trace_of(place, "0310-starvation"), lambda it: check_advice(browser, it))
        check_healthy(browser, place)
        check_damaged(browser, place)


if __name__ == "__main__":
    main()
