# SPDX-License-Identifier: MIT
"""Tests in a real browser that all parts of a finding agree: the title, the bars and arrows of its picture, the table of
members and the timeline say the same, at each width."""
import json
import pathlib
import re

from browser import open_browser
from served import Server, judged, need_pages
from support import COROTRACER, check, folder, run
from test_page_screens import STANDSTILL, picture_of, rows_of, trace_of
from test_page_timeline import SVG, Timeline

NARROW = {"width": 390, "height": 844}
ALARM = "#b3261e"
# Keeps the words that canvases were given, because the page's pixels cannot be read as words.
RECORD = """
const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (words, ...at) {
	this.canvas.dataset.words = `${this.canvas.dataset.words ?? ""}${words}\\n`;
	return write.call(this, words, ...at);
};
"""


def check_storm(browser, server, trace):
    """A coroutine that wakes itself never waits; arrows lead back to it, and its time is that of the storm."""
    with Timeline(browser, server) as it:
        it.open("findings")
        words = picture_of(it)
        check(words.count("woke itself") >= 2 and "waiting" not in words and "ready" in words, words)
        loops = it.page.locator("svg.picture path.arrow").count()
        check(loops == 2 and it.page.locator("svg.picture path.left-out").count() == 1, f"{loops} arrows")
        it.open("overview")
        check("not begun" in it.text(".tiles") and "unseen" not in it.text("main"), it.text("main"))
        it.open("coroutine?process=1&id=2")
        it.until("document.querySelector('main dl')?.textContent.includes('not begun, since')")
        it.open("findings")
        it.page.wait_for_selector(".members")
        check(rows_of(it, ".members")[0][:3] == ["1", "done", "600 ms until 0.600997 s"], f"{rows_of(it, '.members')}")
        it.quiet()
    check("from            0.001497 s; for 600 ms\n" in run(COROTRACER, "report", trace).stdout, "the report has another time")


def check_facts(browser, server, trace):
    """The page says where members wait, where they were started and what they did last, as the report does."""
    report = " ".join(run(COROTRACER, "report", trace).stdout.split())
    with Timeline(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("#last-events table")
        facts = dict(zip(it.page.locator("#facts dt").all_inner_texts(), it.page.locator("#facts dd").all_inner_texts()))
        check({"waiting at", "how many"} < set(facts) and all(f"{label} {words}" in report for label, words in facts.items()), f"{facts}")
        check(it.page.locator("#facts dd a.place").count() >= 2, "the places are no links")
        events = rows_of(it, "#last-events table")
        check(len(events) > 2 and all(" ".join(" ".join(row).split()) in report for row in events), f"{events}")
        said = it.page.locator("#waits-at").all_inner_texts()
        check(facts["waiting at"] == facts["look first at"] or said[0].endswith(facts["waiting at"]), f"{said}, and not {facts['waiting at']}")
        wait = facts["waiting at"]
        check(wait.split(", ")[0] in it.text(".members") or wait.split("/")[-1] in it.text("#in-common"), f"members wait elsewhere: {it.text('.members')}")
        it.quiet()


def check_starvation(browser, server, trace):
    """The time of a member is that of its delay, not of all that followed; the coroutine that ran meanwhile is where to
    look first, and a title without room ends in an ellipsis."""
    with Timeline(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector(".members")
        check(rows_of(it, ".members")[0][:3] == ["2", "waiting", "8.01 ms until 0.029100 s"], f"{rows_of(it, '.members')}")
        it.show("timeline")
        words = it.words()
        check(words[words.index("look here first") + 2] == "coroutine 1" and "also took part" not in words, f"{words}")
        check(any(one.startswith("A coroutine that waits at receive in consume") and one.endswith("…") for one in words), f"{words}")
        check_room(it)
        it.quiet()
    check("ready from      0.021090 s; for 8.01 ms\n" in run(COROTRACER, "report", trace).stdout, "the report has another time")


def check_room(it):
    """All words of the timeline end within it."""
    picture = it.picture()
    for one in picture.iter(SVG + "text"):
        if one.get("text-anchor") or float(one.get("x")) > 30:
            continue
        wide = it.page.evaluate(f"""(() => {{ const pen = document.createElement("canvas").getContext("2d");
            pen.font = "{one.get('font-weight', '')} {one.get('font-size')}px system-ui, sans-serif"; return pen.measureText({one.text!r}).width; }})()""")
        check(float(one.get("x")) + wide <= float(picture.get("width")), f"{one.text} is cut")


def check_circle(browser, server, _):
    """Nobody completes anything in a circle; the title of a group says only once how many there are."""
    with Timeline(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("#finding-title")
        title = it.text("#finding-title")
        check("completed" not in title and "and at send in produce, engine.c:77; 2 more wait behind them" in title, title)
        it.show("timeline")
        words = it.words()
        told = next((at for at, one in enumerate(words) if len(one) > 40 and title.startswith(one.removesuffix("…").rstrip())), 0)
        check(told and words[told - 1] not in ("2", "2 "), f"{words}")
        it.quiet()


def check_closed(browser, server, _):
    """The title says who waits where, and where the descriptors were closed; the timeline has their lanes, with a cross at
    the close; what is the same for all members is said once."""
    with Timeline(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector(".members")
        check(it.text("#finding-title") == "2 of 3 coroutines wait for descriptors that were closed under them at Reactor::on_hangup, "
              "reactor.cpp:200; they wait at co_await AsyncRead in handle, server.cpp:120", it.text("#finding-title"))
        check("accept_loop" in it.text("#in-common") and "AsyncRead in handle, server.cpp:120" in it.text("#in-common"), it.text("#in-common"))
        check(all(len(row) == 4 for row in rows_of(it, ".members")), f"{rows_of(it, '.members')}")
        it.show("timeline")
        words = it.words()
        check(not any("generation 1" in word for word in words), f"{words}")
        head = words.index("descriptors")
        check({"descriptor 7", "descriptor 8"} <= set(words[head + 1:head + 11]) and words.count("closed") == 2, f"{words}")
        crosses = [one for one in it.picture().iter(SVG + "path") if one.get("stroke") == ALARM and one.get("stroke-width") == "2" and not one.get("stroke-dasharray")]
        check(len(crosses) == 4, f"{len(crosses)} strokes of crosses")
        steps = server.tell("/api/v1/report")["findings"][0]["steps"]
        closed = next(step["time_ns"] for step in steps if step["text"].startswith("closed descriptor 7"))
        it.show(f"timeline?from={closed + 1000000}&until=100000000")
        check(any(word.startswith("◂ closed at 0.0") for word in it.words()), f"{it.words()}")
        it.quiet()


def check_standstill(browser, server, _):
    """The first range contains the whole standstill, and the coroutine that stopped last comes first."""
    with Timeline(browser, server) as it:
        it.page.add_init_script(RECORD)
        it.show("timeline")
        it.range_is("0.00 s to 8.00 s")
        words = it.words()
        lanes = [word for word in words if word.startswith("coroutine ")]
        check(lanes[:2] == ["coroutine 1500", "coroutine 1499"] and "also took part" not in words, f"{words}")
        minimap = it.page.locator("canvas.minimap").get_attribute("data-words").splitlines()
        check({"0 s", "4 s", "8 s"} <= set(minimap), f"the axis of the minimap has {minimap}")
        it.quiet()


def check_end(browser, server, _):
    """A step at the end of the recording has its whole line and its number within the timeline."""
    with Timeline(browser, server) as it:
        it.show(f"timeline?from=0&until={server.tell('/api/v1/report')['quality']['observed_until_ns']}")
        picture = it.picture()
        width = float(picture.get("width"))
        lines = [float(re.match(r"M([\d.]+) 36L", one.get("d"))[1]) for one in picture.iter(SVG + "path") if re.match(r"M[\d.]+ 36L", one.get("d") or "")]
        check(len(lines) == 2 and all(x <= width - 1 for x in lines), f"{lines}, {width} wide")
        it.quiet()


def check_names(browser, server, _):
    """At 390 pixels no arrow is drawn over the name of a lane."""
    with Timeline(browser, server, **NARROW) as it:
        it.open("findings")
        picture_of(it)
        over = it.page.evaluate("""(() => {
            const all = [...document.querySelectorAll("svg.picture.narrow *")], order = new Map(all.map((one, index) => [one, index]));
            const names = all.filter((one) => one.matches("text.strong.halo") && /^(coroutine|thread|descriptor|lock) /.test(one.textContent));
            return { names: names.length, over: names.filter((name) => all.some((one) => one.matches("path.arrow, path.wish, path.tip") && order.get(one) > order.get(name))).length };
        })()""")
        check(over["names"] >= 2 and not over["over"], f"{over}")
        it.quiet()


CASES = (("0180-self-wake-storm", check_storm), ("0189-storm-and-resumed", check_facts), ("0001-closed-under-waiters", check_facts), ("0310-starvation", check_starvation), ("0130-mutex-deadlock", check_circle),
         ("0001-closed-under-waiters", check_closed), ("0040-nobody-left", check_end), ("0310-starvation", check_names), ("0130-mutex-deadlock", check_names),
         ("standstill", check_standstill))


MEMORY = """trace from=0 until=3ms{flag}
process 1 pid=100 program=/bin/server
thread 1 tid=101 name=worker-0
site 1 kind=source file=/src/a.cpp line=4 function=start
1ms t1 create c1 @1
2ms t1 suspend c1 @1
"""


def check_memory(browser, place):
    """The file keeps that there was no recording, but a look into memory: the page that is one file says as much as the report."""
    for flag, has_judging in ((" from-memory", False), ("", True)):
        (place / "memory.txt").write_text(MEMORY.format(flag=flag), encoding="utf-8")
        run(COROTRACER, "assemble", place / "memory.txt", "-o", place / "memory.ctrace")
        report = json.loads(run(COROTRACER, "report", "--format", "json", place / "memory.ctrace", status=None).stdout)
        check(report["trace"]["is_from_memory"] is not has_judging, f"{report['trace']}")
        run(COROTRACER, "report", "--format", "page", "-o", place / "memory.html", place / "memory.ctrace")
        page = browser.new_page()
        page.goto((place / "memory.html").as_uri())
        said = page.locator("#judging").inner_text()
        check(("could judge" in said) == has_judging, f"with{flag}: {said}")
        page.close()


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name)
        (place / "standstill.txt").write_text(STANDSTILL, encoding="utf-8")
        for case, part in CASES:
            trace = place / "standstill.txt" if case == "standstill" else trace_of(place, case)
            server = Server("serve", "--listen", ":0", trace)
            try:
                judged(server)
                need_pages(server)
                part(browser, server, trace)
            finally:
                server.process.kill()
        check_memory(browser, place)


if __name__ == "__main__":
    main()
