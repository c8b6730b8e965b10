# SPDX-License-Identifier: MIT
"""Tests the screens of the page other than findings and timeline, in a real browser, over small traces with known
content."""
import pathlib
import re
import shlex
import threading

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import COROTRACER, SOURCE, check, folder, run


def trace_of(place, case):
    """Makes the trace of a case of tests/cases."""
    text = re.search(r"^--- trace\n(.*?)^---", (SOURCE / f"tests/cases/{case}.case").read_text(), re.MULTILINE | re.DOTALL)
    trace = re.sub(r"^repeat (\d+) to (\d+)\n(.*?)^repeat end\n",
                   lambda it: "".join(it[3].replace("{}", str(i)) for i in range(int(it[1]), int(it[2]) + 1)), text[1], flags=re.MULTILINE | re.DOTALL)
    (place / f"{case}.txt").write_text(trace)
    run(COROTRACER, "assemble", place / f"{case}.txt", "-o", place / f"{case}.ctrace")
    return place / f"{case}.ctrace"


def rows_of(it, selector):
    return [row.inner_text().split("\t") for row in it.page.locator(f"{selector} tbody tr").all()]


def check_waits(browser, server):
    """The circle of locks is marked in words, each node is a link, the table says the same, and there is no circle at
    an earlier moment."""
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


def check_reading(browser, server):
    """While the first answer about a long trace is awaited, charts and tables say so; then they are not busy any more."""
    with Page(browser, server) as it:
        it.page.add_init_script("""const write = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (words, ...at) { this.canvas.dataset.words = words; return write.call(this, words, ...at); };""")
        held, is_over = [], threading.Event()

        def hold(route):
            """A request may come here after the page has said that it reads."""
            if is_over.is_set():
                route.continue_()
            else:
                held.append(route)

        it.page.route("**/api/v1/view/overview?*", hold)
        it.page.route(lambda url: "/view/select?" in url and "table=places" in url, hold)
        it.open("overview")
        it.until("[...document.querySelectorAll('.chart')].every((one) => one.dataset.words === 'reading ...' && one.ariaBusy === 'true')")
        it.page.evaluate("location.hash = '#places'")
        it.until("document.querySelector('main.places [role=status]')?.textContent === 'reading ...' && document.querySelector('.virtual').ariaBusy === 'true'")
        is_over.set()
        for route in held:
            route.continue_()
        it.until("/^\\d+ places?$/.test(document.querySelector('main.places [role=status]').textContent) && document.querySelector('.virtual').ariaBusy === 'false'")


def check_sql(browser, server):
    """A question of the cookbook is answered as a table and a plot; a mistake is marked where it is; without the token
    one sentence says what is missing."""
    with Page(browser, server) as it:
        it.page.goto(f"http://localhost:{server.port}/#token={server.token}")
        it.page.wait_for_selector("main h2:visible")
        it.page.locator("#screens a", has_text="SQL").click()
        it.page.wait_for_selector("#recipe option:nth-child(3)", state="attached")
        it.page.select_option("#recipe", label="How many events of each kind are there?")
        it.page.wait_for_selector("#answered, [role=alert]:visible")
        if "without SQLite" in it.text("main"):
            return
        check(["suspend", "4"] in rows_of(it, ".answer"), f"{rows_of(it, '.answer')}")
        it.page.locator("summary", has_text="Plot").click()
        check(it.page.locator("svg.plot rect").count() == len(rows_of(it, ".answer")), "not one bar a row")
        check(f"corotracer query {server.process.args[-1]} 'SELECT kind" in it.text("#sql-command") and "sql=SELECT" in it.page.url, it.page.url)
        it.page.fill("#sql", "SELECT 1500 AS longest_ns, 2000 AS waits, time_ns, duration_ns FROM events, waits ORDER BY time_ns, duration_ns DESC LIMIT 1")
        it.page.keyboard.press("Control+Enter")
        it.until("document.querySelector('.answer th')?.textContent === 'longest_ns'")
        told = rows_of(it, ".answer")[0]
        check(told[:2] == ["1.50 us", "2000"] and re.fullmatch(r"\d\.\d{6} s", told[2]) and re.fullmatch(r"[\d.]+ [mun]?s", told[3]), f"{told}")
        check(it.page.locator(".answer td").first.get_attribute("title") == "1500", "the number itself is lost")
        it.page.fill("#sql", "SELECT coroutine AS who, coroutine, process, event, time_ns, site, place, object FROM events WHERE kind = 'suspend' ORDER BY event")
        it.page.keyboard.press("Control+Enter")
        it.until("document.querySelector('.answer th')?.textContent === 'who'")
        row = it.page.locator(".answer tbody tr").first
        leads = [cell.locator("a").get_attribute("href") if cell.locator("a").count() else None for cell in row.locator("td").all()]
        event, site = row.locator("td").nth(3).inner_text(), row.locator("td").nth(5).inner_text()
        check(leads[:4] == [None, "#coroutine?process=1&id=1", None, f"#timeline?event={event}&lane=c1.1"], f"{leads}")
        check(re.fullmatch(r"#timeline\?at=\d+&lane=c1.1", leads[4]) and leads[5:] == [f"#places?site={site}"] * 2 + [None], f"{leads}")
        row.locator("td").nth(3).locator("a").click()
        it.page.wait_for_selector("main.timeline canvas")
        it.until("document.querySelector('.details').textContent.includes('suspend, event')")
        it.page.go_back()
        it.page.wait_for_selector("#run-sql")
        it.page.fill("#sql", "SELECT coroutine,\n  nothing FROM waits")
        it.page.keyboard.press("Control+Enter")
        it.page.wait_for_selector("main pre")
        check("line 2, column 3" in it.text("main [role=alert]") and it.page.locator("main pre").text_content() == "  nothing FROM waits\n  ^", it.text("main"))
        it.page.fill("#sql", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
        it.page.locator("#run-sql").click()
        it.page.locator("#cancel-sql").click()
        it.until("document.querySelector('main [role=alert]')?.textContent === 'interrupted'")
        check(not [line for line in it.said if "400" not in line], f"the console says {it.said}")
    with Page(browser, server) as it:
        it.open("sql")
        check("needs the token" in it.text("#sql-refused") and it.page.locator("#run-sql").count() == 0, it.text("main"))
        it.quiet()


def check_groups(browser, server):
    """Coroutines are counted by place and state; a group's link shows its coroutines, and age is a filter."""
    with Page(browser, server) as it:
        it.open("coroutines?group=wait_site")
        it.page.wait_for_selector("table.groups tbody tr")
        told = rows_of(it, "table.groups")
        check(["receive in consume, engine.c:55", "2", "2"] in told and sum(int(row[1]) for row in told) == 4, f"{told}")
        it.page.locator("table.groups a", has_text="receive in consume").click()
        it.until("document.querySelectorAll('main.coroutines .virtual tbody tr').length === 2")
        it.open("coroutines?age=1999.5")
        it.until("document.querySelector('[role=status].quiet').textContent.includes('No coroutine')")
        it.open("coroutines?age=1998.5")
        it.until("document.querySelectorAll('main.coroutines .virtual tbody tr').length === 4")
        it.quiet()


def check_places(browser, server):
    """Times at a place as bars; a range of time compared with the rest, and passed on to other screens."""
    with Page(browser, server) as it:
        it.open("places?site=2")
        it.page.wait_for_selector("svg.plot rect")
        check("How long coroutines wait here: 2 times" in it.text("main"), it.text("main"))
        longest = server.tell("/api/v1/report")["statistics"]["places"]
        longest = max(place["waits"]["max_ns"] for place in longest if place["site"] == 2)
        said = it.page.locator("svg.plot").first.text_content()
        check(f"{longest / 1e6:.3g}" in said, f"no bar says how long its longest wait was, {longest} ns: {said}")
        it.page.locator("summary", has_text="Compare a range").click()
        it.page.fill("#compare-from", "0")
        it.page.fill("#compare-until", "0.005")
        it.page.locator("#compare").click()
        it.page.wait_for_selector("table.groups tbody tr")
        check(["send in produce, engine.c:77", "1", "50.0 %", "0", "0.0 %", "+50.0"] in rows_of(it, "table.groups"), f"{rows_of(it, 'table.groups')}")
        check("until=5000000" in it.page.url, it.page.url)
        it.page.reload()
        it.page.wait_for_selector("table.groups tbody tr")
        it.until("document.querySelector('#screens a[data-key=nav-waits]').hash.includes('until=5000000')")
        it.quiet()


def charts_of(it):
    """Returns the words of each chart."""
    return it.page.evaluate("[...document.querySelectorAll('canvas.chart')].map((one) => one.toDataURL())")


def check_chosen(browser, server):
    """A drag over a chart chooses a range, which all charts show, links and the head pass on, and Esc takes back."""
    with Page(browser, server) as it:
        it.open("overview")
        it.answered()
        before, box = charts_of(it), it.page.locator("canvas.chart").first.bounding_box()
        left, wide, mouse = box["x"] + 74, box["width"] - 74, it.page.mouse
        for is_kept in (False, True):
            mouse.move(left + wide / 4, box["y"] + 50)
            mouse.down()
            mouse.move(left + wide / 2, box["y"] + 60, steps=3)
            if not is_kept:
                it.page.keyboard.press("Escape")
            mouse.up()
            check(is_kept or charts_of(it) == before and "from=" not in it.page.url, "a drag that was broken off chose a range")
        it.until("document.querySelector('#chosen')?.textContent.includes('Chosen: 0.500 s to 1.000 s: 500 ms')")
        it.until("document.querySelector('#chosen-sum').textContent.includes('waiting 2.00 s')")
        after = charts_of(it)
        check(len(after) == 2 and all(one != other for one, other in zip(before, after)), "a chart does not show the range")
        links = [link.get_attribute("href") for link in it.page.locator("#chosen a").all()]
        check([link.split("?")[0] for link in links] == ["#timeline", "#places", "#coroutines", "#overview"], f"{links}")
        check(it.page.locator("#screens a[data-key=nav-timeline]").get_attribute("href") == links[0], f"{links[0]} is not where the head leads to")
        it.page.locator("#chosen a").first.click()
        it.until("document.querySelector('.range')?.textContent.includes('500 ms')")
        it.page.go_back()
        it.page.wait_for_selector("#chosen")
        it.answered()
        it.page.keyboard.press("Escape")
        it.until("!document.querySelector('#chosen') && location.hash === '#overview'")
        it.answered()
        check(charts_of(it) == before, "charts are not as they were")
        it.quiet()


def check_uncounted(browser, server):
    """Delays that are in none of the answer's percentiles are reported; if there are none, nothing is said."""
    def hand_on(route):
        answer = route.fetch()
        body, column = bytearray(answer.body()), 32 + 24 * 11
        # Adds three to the number of each of the 300 steps: the numbers of a column are stored relative to its base.
        body[column + 8:column + 16] = (int.from_bytes(body[column + 8:column + 16], "little", signed=True) + 3).to_bytes(8, "little", signed=True)
        route.fulfill(response=answer, body=bytes(body))
    with Page(browser, server) as it:
        it.open("overview")
        it.answered()
        check(it.text("#uncounted") == "", it.text("#uncounted"))
        it.page.route("**/api/v1/view/overview?*", hand_on)
        it.open("overview")
        it.until("document.querySelector('#uncounted').textContent.includes('900 delays are not in the line')")
        it.quiet()


def check_losses(browser, server):
    """A loss is drawn at its time, beside its row in the table; light and dark, wide and narrow."""
    from axe_playwright_python.sync_playwright import Axe
    for width, scheme in ((1280, "light"), (390, "dark")):
        with Page(browser, server, width, color_scheme=scheme, bypass_csp=True) as it:
            it.open("quality")
            it.page.wait_for_selector("#losses-picture")
            check([row[:3] for row in rows_of(it, "[aria-label=Losses]")] == [["12", "ring full", "worker-1 (102)"]], f"{rows_of(it, '[aria-label=Losses]')}")
            bar = it.page.locator("#losses-picture rect")
            check(bar.count() == 1 and "12 events, ring full: 0.000050 s to 0.000100 s" in bar.text_content(), "no bar")
            check(149 < float(bar.get_attribute("x")) < 151 and "worker-1 (102)" in it.page.locator("#losses-picture").text_content(), "the bar is elsewhere")
            check(it.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"too wide for {width}")
            found = Axe().run(it.page).response["violations"]
            check(not found, f"{scheme}: {[(one['id'], one['nodes'][0]['html'][:200]) for one in found]}")
            it.quiet()


FAMILY = """trace from=0 until=1s
process 1 pid=100 program=/bin/engine probe ledger
thread 1 tid=101 name=worker-0
site 1 kind=source file=/src/engine.c line=10 function=main
site 2 kind=source file=/src/engine.c line=20 function=serve
site 3 kind=source file=/src/engine.c line=91 function=transfer reason=lock
1ms t1 create c1 0x11010 @1
1ms t1 resume c1
2ms t1 create c2 0x12010 @2
3ms t1 suspend c1 coroutine:2 @1
4ms t1 resume c2
5ms t1 acquire c2 lock:0xb000 @3
""" + "".join(f"6ms t1 create c{id} 0x{id + 256:x}010 @2\n" for id in range(3, 63)) + """10ms t1 suspend c2 lock:0xa000 @3
30ms t1 wake c2
40ms t1 resume c2
50ms t1 suspend c2 lock:0xa000 @3
60ms t1 resume c3
70ms t1 suspend c3 lock:0xb000 @3
80ms t1 park
"""


def copied(it, label, button):
    it.page.locator(f"div:has(> [aria-label='{label}'])").get_by_role("button", name=button).click()
    return it.page.evaluate("navigator.clipboard.readText()")


def check_coroutine(browser, server, trace):
    """One coroutine's tree, objects and peers, each with a copy of its rows and the command that prints them."""
    with Page(browser, server, permissions=["clipboard-read", "clipboard-write"]) as it:
        it.open("coroutine?id=2")
        it.until("document.querySelectorAll('main table.listed').length === 4")
        tree = rows_of(it, "[aria-label='Its tree']")
        check([row[0] for row in tree[:4]] == ["coroutine 1", "coroutine 2", "coroutine 3", "coroutine 4"] and len(tree) == 52, f"{tree}")
        check("A thread started coroutine 1. Coroutine 2 started 60 coroutines, the first 50 of them here." in it.text("main"), it.text("main"))
        waited = rows_of(it, "[aria-label='What it waited for']")
        check(waited == [["lock 0xa000", "lock in transfer, engine.c:91", "2", "980 ms", "950 ms", "yes"]], f"{waited}")
        holds = rows_of(it, "[aria-label='What it holds']")
        check(holds == [["lock 0xb000", "lock in transfer, engine.c:91", "0.005000 s", "995 ms", "1"]], f"{holds}")
        peers = rows_of(it, "[aria-label='Peers']")
        check(peers[0] == ["running", "16.0 ms", "-", "10.0 ms"] and peers[3][:3] == ["longest wait", "950 ms", "-"], f"{peers}")
        check("against its 60 peers" in it.text("main").lower(), it.text("main"))
        for label, rows, told in (("Its tree", 52, "serve, "), ("What it waited for", 1, "980 ms"), ("What it holds", 1, "0xb000"), ("Peers", 5, "16.0 ms")):
            check(len(copied(it, label, "Copy as TSV").splitlines()) == 1 + rows, label)
            command = shlex.split(copied(it, label, "Copy the command"))
            check(command[:3] == ["corotracer", "query", str(trace)], f"{command}")
            answer = run(COROTRACER, *command[1:], status=None)
            check(told in answer.stdout or "without SQLite" in answer.stderr, f"{answer}")
        it.page.locator("[aria-label='Its tree'] a", has_text="coroutine 1").first.click()
        it.until("document.querySelector('main h2').textContent.startsWith('Coroutine 1 ')")
        it.quiet()


def check_list(browser, place):
    """Findings are listed beside the chosen one, by rule; J and K step through them."""
    server = Server("serve", "--listen", ":0", trace_of(place, "0495-crash-woken-twice"))
    judged(server)
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("#finding-title")
        check(it.page.locator(".ranked .rule").all_inner_texts() == ["crash", "woken-and-destroyed"], it.text(".ranked"))
        ranked, article = (it.page.locator(one).bounding_box() for one in (".ranked", "article"))
        check(ranked["x"] + ranked["width"] <= article["x"], f"{ranked} {article}")
        for key, words in (("j", "on thread main (200)"), ("j", "destroyed before it ran"), ("j", "destroyed before it ran"), ("k", "on thread main (200)")):
            it.page.keyboard.press(key)
            it.until(f"document.querySelector('#finding-title').textContent.includes({words!r})")
        it.quiet()
    server.stop()


# A server with one worker, and the two places at which its coroutines are.
SERVER = """\
trace from=0 until=1s
process 1 pid=100 program=/bin/server probe
thread 1 tid=101 name=worker-0
site 1 kind=source file=/src/server.cpp line=40 function=accept_loop
site 2 kind=source file=/src/server.cpp line=120 function=handle reason=Sleep
"""

HEALTHY = SERVER + """\
1ms t1 create c1 0x11010 @1
2ms t1 resume c1
100ms t1 suspend c1 timer:9 @2
700ms t1 wake c1 coroutine:1 @2
720ms t1 resume c1
900ms t1 destroy c1
"""


def check_healthy(browser, place):
    """If nothing was found: what ran, where the time went, the use of workers, what took longest."""
    pathlib.Path(place, "healthy.txt").write_text(HEALTHY, encoding="utf-8")
    server = Server("serve", "--listen", ":0", place / "healthy.txt")
    judged(server)
    for width in (390, 1280):
        with Page(browser, server, width) as it:
            it.open("findings")
            it.page.locator("#longest-waits").wait_for()
            said = it.text("main")
            for words in ("Nothing found", "waiting 600 ms", "20.0 ms", "The longest waits", "600 ms", "handle, server.cpp:120", "ran coroutines", "timer 600 ms", "What ran longest", "half of all within this"):
                check(words in said, f"{words}: {said}")
            check("place not known" not in said and it.page.locator(".share .part").count() > 3, said)
            over = it.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(over <= 0, f"{over} pixels too wide")
            it.quiet()
    server.stop()


STANDSTILL = "\n".join((
    "trace from=0 until=8s", "process 1 pid=100 program=/usr/bin/client probe", "thread 1 tid=101 name=worker-0",
    "thread 2 tid=102 name=worker-1", "thread 3 tid=100 name=main", "site 1 kind=source file=/src/client.cpp line=10 function=main",
    "site 2 kind=source file=/src/client.cpp line=55 function=call reason=Reply", "site 3 kind=source file=/src/client.cpp line=77 function=flush reason=Flushed",
    *(f"{1000 + 10 * i}us t{1 + i % 2} create c{i} 0x{i:04}010 @1\n+3us t{1 + i % 2} resume c{i}\n+3us t{1 + i % 2} suspend c{i} @{2 if i % 100 else 3}" for i in range(1, 1501)),
    *(f"{at} t{i} thread-time ran={ran} 0" for at, ran in (("2s", 1000000), ("6s", 9000000)) for i in (1, 2)),
    "6s t1 thread-state c101 0xca53", "6s t2 thread-state c102 0xca53", "6s t3 thread-state c100 0xca53 argument=1", ""))


def picture_of(it):
    it.page.wait_for_selector("svg.picture")
    return it.page.locator("svg.picture").text_content()


def check_culprits(browser, place):
    """Pictures show which coroutines ran meanwhile, how often, and all places at which members wait; an actor may be
    one of the members."""
    pathlib.Path(place, "standstill.txt").write_text(STANDSTILL, encoding="utf-8")
    shown = {"0310-starvation": ("runs coroutine 1", "coroutine 1: running"), "0180-self-wake-storm": ("2,395 more",),
             "standstill": ("waiting at client.cpp:55", "waiting at client.cpp:77", "and 1,497 more alike")}
    said = {"0310-starvation": ("coroutine 1: ran for 8.01 ms; 120 runs that began here", "coroutine 2: was ready from here on"),
            "0180-self-wake-storm": ("2,001 times a second", "woke itself, 1,200 times"),
            "standstill": ("1,500 coroutines wait", "1,485 wait at co_await Reply in call, src/client.cpp:55; 15 at co_await Flushed")}
    for name, words in shown.items():
        server = Server("serve", "--listen", ":0", trace_of(place, name) if name[0] == "0" else place / f"{name}.txt")
        judged(server)
        with Page(browser, server) as it:
            it.open("findings")
            for one in words:
                it.until(f"document.querySelector('svg.picture')?.textContent.includes({one!r})")
            for one in said[name]:
                it.until(f"document.querySelector('article').innerText.includes({one!r})")
            if name == "standstill":
                it.until("document.querySelector('svg.picture')?.textContent.split('no wakes recorded').length > 3")
            it.quiet()
        server.stop()


def check_narrow(browser, server):
    """At 390 pixels the head takes one line and the strip one, and contains the name of the present screen; the picture
    comes before the words."""
    with Page(browser, server, 390, 844) as it:
        it.open("findings")
        picture_of(it)
        line, strip = (it.page.locator(one).bounding_box() for one in ("#screens", "#state"))
        check(line["y"] < strip["y"] < 60 and line["height"] < 40 and strip["height"] < 24, f"{line} {strip}")
        steps, picture = (it.page.locator(one).bounding_box() for one in (".steps", ".picture-frame"))
        check(picture["y"] + picture["height"] <= steps["y"], f"{steps} {picture}")
        it.open("sql")
        shown = it.page.locator("#screens a[aria-current]").bounding_box()
        check(0 <= shown["x"] and shown["x"] + shown["width"] <= 390, f"{shown}")
        it.quiet()


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name)
        server = Server("serve", "--listen", ":0", trace_of(place, "0130-mutex-deadlock"))
        lossy = Server("serve", "--listen", ":0", trace_of(place, "0009-closed-loss-elsewhere"))
        try:
            judged(server)
            judged(lossy)
            need_pages(server)
            for part in (check_waits, check_reading, check_sql, check_groups, check_places, check_chosen, check_uncounted, check_narrow):
                part(browser, server)
            check_losses(browser, lossy)
            check_list(browser, place)
            check_healthy(browser, place)
            check_culprits(browser, place)
        finally:
            server.process.kill()
            lossy.process.kill()
        (place / "family.txt").write_text(FAMILY)
        server = Server("serve", "--listen", ":0", place / "family.txt")
        try:
            check_coroutine(browser, server, place / "family.txt")
        finally:
            server.process.kill()


if __name__ == "__main__":
    main()
