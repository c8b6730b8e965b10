# SPDX-License-Identifier: MIT
"""Tests the page's timeline in a real browser: every key in the help, the mouse, lanes in groups that are pinned,
hidden, reordered and folded, causes of waits, arrows of a selection, copies, and the way from a step of a finding to
its moment and back. The content of the canvas is read from the copy of the picture, which the same code draws."""
import pathlib
import re
import subprocess
import xml.etree.ElementTree

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import COROTRACER, check, folder
from test_serve import trace_in

# Coroutine 2 wakes 3, which wakes 4: each waits for another resource, and 4 still waits for a resource that 3 holds.
TRACE = """\
trace from=0 until=1s
process 1 pid=100 program=/bin/server probe
thread 1 tid=101 name=worker-0
thread 2 tid=102 name=worker-1
site 1 kind=source file=/src/server.cpp line=40 function=accept_loop
site 2 kind=source file=/src/server.cpp line=120 function=handle reason=Mutex::lock
site 3 kind=source file=/src/server.cpp line=130 function=handle reason=Channel::receive
site 4 kind=source file=/src/server.cpp line=140 function=handle reason=Sleep
site 5 kind=source file=/src/server.cpp line=50 function=start
1ms t1 create c1 0x11010 @1
+1us t1 frame c1 0x11000 @1
+10us t1 resume c1
+10us t1 create c2 0x12010 @5
+1us t1 frame c2 0x12000 @5
+10us t1 create c3 0x13010 @5
+1us t1 frame c3 0x13000 @5
+10us t1 create c4 0x14010 @5
+1us t1 frame c4 0x14000 @5
10ms t1 suspend c1 channel:0x51 @3
20ms t1 resume c2
30ms t1 acquire c2 lock:0x77 @2
40ms t1 suspend c2 timer:9 @4
50ms t2 resume c3
60ms t2 suspend c3 lock:0x77 @2
70ms t2 resume c4
80ms t2 suspend c4 channel:0x50 @3
200ms t1 wake c0 frame:0x12000 @4
210ms t1 resume c2
220ms t1 release c2 lock:0x77 @2
221ms t1 wake c2 frame:0x13000 @2
230ms t1 suspend c2 timer:10 @4
240ms t2 resume c3
250ms t2 wake c3 frame:0x14000 @3
260ms t2 acquire c3 lock:0x77 @2
270ms t2 suspend c3 timer:11 @4
280ms t1 resume c4
290ms t1 suspend c4 lock:0x77 @2
900ms t1 park
900ms t2 park
"""
SVG = "{http://www.w3.org/2000/svg}"

# The world is stopped from 10 to 30 ms, marking goes on up to 60 ms; coroutine 1 assists, and is in a region.
COLLECTING = """\
trace from=0 until=100ms
process 1 pid=100 program=/bin/service probe
thread 1 tid=101 name=m1
site 1 kind=source file=/src/main.go line=10 function=main.main
site 2 kind=name reason="GC sweep termination"
site 3 kind=name reason=parse
1ms t1 create c1 @1
1ms t1 resume c1
5ms t1 region-begin c1 @3
10ms t1 range-begin c1 @2 range=pause
30ms t1 range-end c1 range=pause
30ms t1 range-begin range=gc-mark
40ms t1 range-begin c1 range=gc-assist
50ms t1 range-end c1 range=gc-assist
60ms t1 range-end range=gc-mark
80ms t1 region-end c1 @3
90ms t1 suspend c1
"""


class Timeline(Page):
    """A page whose copies can be read."""

    def __init__(self, browser, server, **options):
        super().__init__(browser, server, permissions=["clipboard-read", "clipboard-write"], **options)

    def show(self, view):
        self.open(view)
        self.page.wait_for_selector("div.timeline[aria-busy=false]")
        self.page.locator("#timeline-canvas").focus()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def range_is(self, words):
        self.until(f"document.querySelector('.range').textContent.includes({words!r})")

    def told(self, words):
        self.until(f"document.querySelector('.details').textContent.includes({words!r})")

    def address_has(self, words):
        self.until(f"decodeURIComponent(location.hash).includes({words!r})")

    def copy(self, name):
        self.page.evaluate("navigator.clipboard.writeText('')")
        self.page.locator(f"[data-copies='{name}']:visible").click()
        self.until("navigator.clipboard.readText().then((text) => text !== '')")
        self.page.locator("#timeline-canvas").focus()
        return self.page.evaluate("navigator.clipboard.readText()")

    def picture(self):
        self.settle()
        return xml.etree.ElementTree.fromstring(self.copy("Copy as SVG"))

    def words(self):
        """Returns all words in the picture, from top to bottom."""
        found = [(float(one.get("y")), one.text or "") for one in self.picture().iter(SVG + "text")]
        return [text for _, text in sorted(found, key=lambda one: one[0])]

    def lanes(self):
        return [text.removeprefix("◆ ") for text in self.words() if re.match(r"(◆ )?(coroutine|worker)[ -]\d+", text)]

    def settle(self):
        self.page.wait_for_selector("div.timeline[aria-busy=false]")

    def choose(self, words):
        """Returns the state of the lane that has these words."""
        self.settle()
        self.press(*["ArrowLeft"] * 9)
        for _ in range(9):
            if words in self.text(".details"):
                return
            self.press("ArrowRight")
        check(False, f"no state is {words}: {self.text('.details')}")

    def select(self, lane, key="ArrowDown"):
        """Goes to a lane by its name, with the keyboard."""
        for _ in range(30):
            if f"{lane}:" in self.text(".details .actions"):
                return
            self.press(key)
        check(False, f"no lane {lane}: {self.text('.details')}")


def check_moving(browser, server):
    """W S A D 0 F Ctrl+Z, also with the keyboard focus on the page itself."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all")
        it.press("0")
        it.range_is("0.00 s to 1.00 s: 1.00 s")
        for key, words in (("w", ": 500 ms"), ("w", ": 250 ms"), ("s", ": 500 ms"), ("a", "0.100 s to 0.600 s"), ("d", "0.250 s to 0.750 s"),
                           ("Control+z", "0.100 s to 0.600 s"), ("Control+z", "0.250 s to 0.750 s"), ("Control+z", ": 250 ms")):
            it.press(key)
            it.range_is(words)
        it.page.evaluate("document.activeElement.blur()")
        it.press("W")
        it.range_is(": 125 ms")
        it.page.locator("#timeline-canvas").focus()
        it.press("0")
        it.select("coroutine 3")
        it.choose("running for 30.0 ms")
        it.press("w", "w", "f")
        it.range_is("0.130 s to 0.380 s")
        it.press("f")
        it.range_is("0.2355 s to 0.2745 s: 39.0 ms")
        it.quiet()


def check_asking(browser, server):
    """G, R and / with Enter, Shift+Enter and Esc; if the input is not a time, a sentence says so."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=100000000")
        it.press("g")
        it.page.fill("#prompt", "soon")
        it.press("Enter")
        it.until("document.querySelector('.wrong').textContent.includes('is no time')")
        it.page.fill("#prompt", "600 ms")
        it.press("Enter")
        it.range_is("0.550 s to 0.650 s")
        it.press("r")
        it.page.fill("#prompt", "300ms to 200ms")
        it.press("Enter")
        it.until("document.querySelector('.wrong').textContent.includes('ends before')")
        it.page.fill("#prompt", "0.2 s to 0.3 s")
        it.press("Enter")
        it.range_is("0.200 s to 0.300 s")
        it.press("r", "Escape")
        it.until("!document.querySelector('#prompt') && document.activeElement.id === 'timeline-canvas'")
        it.press("/")
        it.until("document.activeElement.id === 'text'")
        it.page.keyboard.type("Mutex")
        for key, words in (("Enter", "2 of 2: coroutine 4"), ("Enter", "1 of 2: coroutine 3"), ("Shift+Enter", "2 of 2: coroutine 4")):
            it.press(key)
            it.until(f"document.querySelector('#found').textContent.includes({words!r})")
        it.told("waiting for 710 ms")
        it.page.fill("#text", "nobody")
        it.press("Enter")
        it.until("document.querySelector('#found').textContent.includes(\"fit 'nobody'\")")
        it.page.fill("#text", "2")
        it.press("Enter")
        it.until("document.querySelector('#found').textContent.includes('1 of 1: coroutine 2')")
        it.press("Escape")
        it.until("document.activeElement.id === 'timeline-canvas'")
        it.quiet()


def check_events(browser, server):
    """. and , go from event to event of the lane; the address contains the event, and Esc leaves it."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=1000000000")
        it.select("coroutine 3")
        it.choose("waiting for 161 ms")
        for key, words in ((".", "suspend, event"), (".", "resume, event"), (",", "suspend, event"), (",", "resume, event"), (".", "suspend, event"),
                           (".", "resume, event"), (".", "wake, event")):
            it.press(key)
            it.told(words)
        it.address_has("event=")
        check("wake" in it.words(), f"{it.words()}")
        address = it.page.url.split("#")[1]
        it.show(address)
        it.told("wake, event")
        it.press("Escape")
        it.until("!location.hash.includes('event=')")
        it.told("No state is selected")
        it.quiet()


def check_mouse(browser, server):
    """Ctrl+wheel, Shift+wheel, the wheel; a drag over the axis chooses a range; a click selects; words at the pointer
    say what is under it."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=1000000000")
        box = it.page.locator("#timeline-canvas").bounding_box()
        mouse, left, top = it.page.mouse, box["x"] + 250, box["y"]
        mouse.move(left + (box["width"] - 250) / 4, top + 100)
        it.page.keyboard.down("Control")
        mouse.wheel(0, -208)
        it.page.keyboard.up("Control")
        it.range_is("0.125 s to 0.625 s: 500 ms")
        it.page.keyboard.down("Shift")
        mouse.wheel(0, 160)
        it.page.keyboard.up("Shift")
        it.range_is("0.225 s to 0.725 s")
        it.press("Control+z", "Control+z")
        it.range_is(": 1.00 s")
        mouse.move(left, top + 10)
        mouse.down()
        mouse.move(left + (box["width"] - 250) / 2, top + 10, steps=4)
        mouse.up()
        it.range_is("0.000 s to 0.500 s")
        row = it.lanes().index("coroutine 3")
        y = top + 40 + 26 * (row + 6) + 13
        it.until("document.querySelector('div.timeline').getAttribute('aria-busy') === 'false'")
        mouse.move(left + (box["width"] - 250) * 0.3, y)
        it.until("document.querySelector('.tip').textContent.includes('coroutine 3: waiting for a lock, 161 ms')")
        it.until("document.querySelector('.tip').innerText.includes('Held by coroutine 2. Ended by coroutine 2 on worker-0 (101)')")
        tip = it.page.locator(".tip").bounding_box()
        check(it.page.locator("#timeline-canvas").bounding_box() == box and it.page.locator("text=161 ms").count() == 1, "words below repeat the tip, or move the lanes")
        check(0 < tip["x"] - left - (box["width"] - 250) * 0.3 < 40 and abs(tip["y"] - y) < 120, f"the tip is at {tip}, the pointer at {y}")
        mouse.move(left - 200, top - 20)
        it.until("document.querySelector('.tip').hidden")
        mouse.click(left + (box["width"] - 250) * 0.3, y)
        it.told("For lock 0x77. Held by coroutine 2. Ended by coroutine 2 on worker-0 (101)")
        now = it.page.locator("#timeline-canvas").bounding_box()
        check((now["y"], now["height"]) == (box["y"], box["height"]), f"a click moves the lanes from {box} to {now}")
        it.quiet()


def check_groups(browser, server):
    """Lanes by each grouping; a group folds, and the address contains the fold."""
    wanted = {
        "start": ("workers", "accept_loop, src/server.cpp:40", "start, src/server.cpp:50"), "worker": ("worker-0 (101)", "worker-1 (102)"),
        "parent": ("workers", "started by coroutine 1", "started by a thread"), "task": ("workers", "work for no task"), "workers": ("workers",),
        "waiting": ("workers", "coroutines, the longest wait first"), "finding": ("workers", "coroutines, as they came"),
    }
    with Timeline(browser, server) as it:
        it.show("timeline")
        for name, titles in wanted.items():
            it.page.select_option("#grouping", name)
            it.address_has(f"lanes={name}")
            it.settle()
            words = it.words()
            check(all(any(title in one for one in words) for title in titles), f"{name}: {words}")
            check((name == "workers") == ("coroutine 4" not in words), f"{name}: {words}")
        it.show("timeline?lanes=worker")
        check(it.lanes()[:3] == ["worker-0 (101)", "coroutine 1", "coroutine 2"] or "coroutine 1" in it.lanes(), f"{it.lanes()}")
        before = it.lanes()
        it.select("worker-0 (101)")
        it.press("Enter")
        it.address_has("fold=w:1")
        after = it.lanes()
        check(len(after) < len(before) and "coroutine 3" in after and "coroutine 1" not in after, f"{before} {after}")
        it.show(it.page.url.split("#")[1])
        check(it.lanes() == after, f"{it.lanes()}, and not {after}")
        it.quiet()


def check_order(browser, server):
    """Lanes are pinned, moved and hidden, by keys, by buttons and by the mouse; another page at the address shows the
    same."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all")
        it.select("coroutine 3")
        it.press("t")
        it.select("coroutine 1")
        it.press("t")
        it.address_has("pin=c1.3+c1.1")
        check(it.lanes()[:2] == ["coroutine 3", "coroutine 1"], f"{it.lanes()}")
        it.press("Shift+ArrowUp")
        it.address_has("pin=c1.1+c1.3")
        it.press("Shift+ArrowDown")
        it.address_has("pin=c1.3+c1.1")
        it.select("worker-0 (101)")
        it.page.locator(".details").get_by_role("button", name="hide", exact=True).click()
        it.address_has("hide=t1")
        check("worker-0 (101)" not in it.lanes(), f"{it.lanes()}")
        it.page.locator("#timeline-canvas").focus()
        it.select("coroutine 2")
        it.press("x")
        it.address_has("hide=t1+c1.2")
        address, lanes = it.page.url.split("#")[1], it.lanes()
        check("coroutine 2" not in lanes and "coroutine 4" in lanes, f"{lanes}")
        it.show(address)
        check(it.lanes() == lanes, f"{it.lanes()}, and not {lanes}")
        it.press("Shift+X")
        it.until("!location.hash.includes('hide=')")
        check("coroutine 2" in it.lanes(), f"{it.lanes()}")
        box, rows = it.page.locator("#timeline-canvas").bounding_box(), it.lanes()
        y = box["y"] + 40 + 26 * (rows.index("coroutine 4") + 7) + 13
        it.page.mouse.move(box["x"] + 40, y)
        it.page.mouse.down()
        it.page.mouse.move(box["x"] + 40, box["y"] + 40 + 26 + 5, steps=5)
        it.page.mouse.up()
        it.address_has("pin=c1.4+c1.3+c1.1")
        it.press("t")
        it.address_has("pin=c1.3+c1.1")
        it.quiet()


def check_causes(browser, server):
    """A wait has the letter of its cause; a selection's arrows go back link by link, at most four links."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=1000000000")
        letters = [word for word in it.words() if word in ("L", "C", "D", "T", "A")]
        check({"L", "C", "T"} <= set(letters) and "D" not in letters, f"{letters}")
        check({"lock 0x77 held by coroutine 3", "channel 0x51"} <= set(it.words()), f"{it.words()}")
        legend = it.text(".legend")
        check(all(name in legend for name in ("lock L", "channel C", "descriptor D", "timer T", "other")), legend)
        arrows = lambda: sum("L" in one.get("d", "") and one.get("fill") != "none" and one.get("d").count("L") == 2 for one in it.picture().iter(SVG + "path"))
        heads = arrows()
        it.select("coroutine 4")
        it.choose("running for 10.0 ms, from 0.28")
        it.answered()
        check(arrows() - heads == 3, f"{arrows()} tips, and {heads} before: 3 woke 4, 2 woke 3, a worker woke 2")
        it.press("ArrowRight")
        it.told("Held by coroutine 3")
        it.told("goes on at the end")
        it.answered()
        check(arrows() - heads == 1, f"{arrows()} tips for who holds the lock")
        it.page.get_by_text("What happened in this range").click()
        it.until("document.querySelectorAll('.in-range tbody tr').length >= 5")
        it.until("document.querySelector('#in-range').textContent.includes('All coroutines together')")
        check("of coroutine 4" in it.text(".in-range summary"), it.text(".in-range"))
        cells = {row.locator("td").nth(3).inner_text() for row in it.page.locator(".in-range tbody tr").all()}
        check(cells == {"4"}, f"events of {cells}")
        it.press("Escape")
        it.page.locator("#timeline-canvas").focus()
        it.press("Escape")
        it.until("document.querySelectorAll('.in-range tbody tr').length >= 7 && !document.querySelector('.in-range summary').textContent.includes('coroutine')")
        it.quiet()


def check_copies(browser, server):
    """The copied table has the visible states; the copied command prints the same in a terminal."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=1000000000")
        lines = [line.split("\t") for line in it.copy("Copy as TSV").splitlines()]
        check(lines[0][:4] == ["lane", "name", "from_ns", "until_ns"] and all(len(line) == len(lines[0]) for line in lines), f"{lines[:2]}")
        check(["c1.3", "60000000", "221000000", "waiting"] in [[line[0], *line[2:5]] for line in lines], f"{lines}")
        it.select("coroutine 3")
        command = it.copy("Copy the command")
        told = subprocess.run(["bash", "-c", command.replace("corotracer", str(COROTRACER), 1)],
                              capture_output=True, text=True, check=False)
        check(told.returncode == 0 and "221000000" in told.stdout and told.stdout.count("waiting") == 2, f"{command}: {told}")
        it.quiet()


def check_other_copies(browser, server):
    """Copies: a chart of the overview as a picture; a table as the command that prints the same rows."""
    with Timeline(browser, server) as it:
        it.open("overview")
        it.answered()
        it.page.get_by_role("button", name="Copy as SVG").first.click()
        it.until("navigator.clipboard.readText().then((text) => text.startsWith('<svg'))")
        picture = xml.etree.ElementTree.fromstring(it.page.evaluate("navigator.clipboard.readText()"))
        check(len(list(picture.iter(SVG + "rect"))) > 10 and "Coroutines by state" in picture.findtext(SVG + "title"), "no chart")
        it.open("coroutines?state=waiting&text=accept&order=coroutine")
        it.page.wait_for_selector("tbody tr")
        it.page.get_by_role("button", name="Copy the command").click()
        it.until("navigator.clipboard.readText().then((text) => text.startsWith('corotracer'))")
        command = it.page.evaluate("navigator.clipboard.readText()")
        told = subprocess.run(["bash", "-c", command.replace("corotracer", str(COROTRACER), 1)],
                              capture_output=True, text=True, check=False)
        check(told.returncode == 0 and len(re.findall(r"\bwaiting\b", told.stdout)) == it.page.locator("tbody tr").count(), f"{command}: {told}")
        it.quiet()


def check_help(browser, server):
    """The help lists all keys."""
    with Timeline(browser, server) as it:
        it.show("timeline")
        it.press("?")
        said = it.text("dialog")
        told = [key.inner_text() for key in it.page.locator("dialog kbd").all()]
        for key in ("W", "S", "A", "D", "F", "0", ".", ",", "N", "P", "/", "G", "R", "Esc", "?", "Ctrl+Z", "Ctrl+wheel", "Shift+wheel", "T", "X"):
            check(key in told, f"'{key}' is not told: {told}")
        check("Shift+Enter" in said, said)
        top = it.page.evaluate("[document.activeElement.id, document.querySelector('dialog').scrollTop]")
        check(top == ["help-title", 0], f"the help begins at {top}")
        it.press("Escape")
        it.page.wait_for_selector("dialog", state="detached")
        it.quiet()


def check_besides(browser, server):
    """Pauses and marking lie on the axis, and a pause lies across all lanes; a coroutine's assist and region lie below
    its bar; the words at the pointer name them."""
    with Timeline(browser, server) as it:
        it.show("timeline?lanes=all&from=0&until=100000000")
        picture = it.picture()
        shaded = [one for one in picture.iter(SVG + "rect") if one.get("opacity") == "0.16"]
        check(len(shaded) == 1, f"{len(shaded)} pauses are shaded")
        begin, per_ms = float(shaded[0].get("x")), float(shaded[0].get("width")) / 20
        spans = {}
        for path in picture.iter(SVG + "path"):
            found = re.fullmatch(r"M([\d.]+) ([\d.]+)L([\d.]+) \2", path.get("d").strip())
            if found and path.get("stroke-width") == "3":
                times = tuple(round(10 + (float(found[one]) - begin) / per_ms) for one in (1, 3))
                spans.setdefault(float(found[2]), []).append((*times, bool(path.get("stroke-dasharray"))))
        told = [sorted(spans[y]) for y in sorted(spans)]
        check(told == [[(10, 30, False), (30, 60, False)], [(5, 80, True), (40, 50, False)]], f"{told}")
        box = it.page.locator("#timeline-canvas").bounding_box()
        it.page.mouse.move(box["x"] + begin + 10 * per_ms, box["y"] + 30)
        it.until("document.querySelector('.tip').textContent === 'pause GC sweep termination, 20.0 ms'")
        it.page.mouse.move(box["x"] + begin + 35 * per_ms, box["y"] + float(sorted(spans)[1]) - 8)
        it.until("document.querySelector('.tip p').textContent.endsWith('; gc-assist, 10.0 ms')")
        it.quiet()


def check_finding(browser, server):
    """A step of a finding highlights its event in the picture, and vice versa; a click leads to the moment, a link
    leads back."""
    with Timeline(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("svg.picture [data-step='2']")
        it.page.locator(".steps li").nth(1).hover()
        it.until("document.querySelector('svg .lit')?.dataset.step === '2'")
        it.page.locator(".steps li").nth(0).locator("a").first.focus()
        it.until("document.querySelector('svg .lit')?.dataset.step === '1'")
        it.page.locator("svg [data-step='2'] text").last.hover()
        it.until("document.querySelector('.steps .lit')?.dataset.step === '2'")
        it.page.locator("svg [data-step='2'] text").last.click()
        it.page.wait_for_selector("main.timeline canvas")
        it.told("Step 2: closed descriptor 7")
        it.until("/from=1\\d{7}&until=2\\d{7}/.test(location.hash)")
        it.page.locator("#timeline-canvas").focus()
        it.press("n")
        it.until("!location.hash.includes('step=')")
        it.press("p", "Control+z")
        it.page.locator(".details a", has_text="Finding 1 of 1").click()
        it.page.wait_for_selector("#finding-title")
        it.page.go_back()
        it.told("Finding 1 of 1")
        it.quiet()


# A coroutine is started every 20 ms, and waits for something that never comes; twelve workers run other coroutines.
LEAK = "\n".join((
    "trace from=0 until=2s", "process 1 pid=100 program=/bin/engine probe", *(f"thread {i} tid={100 + i} name=worker-{i}" for i in range(1, 13)),
    "site 1 kind=source file=/src/engine.c line=10 function=main", "site 2 kind=source file=/src/engine.c line=55 function=consume reason=receive",
    *(line for i in range(1, 13) for line in (f"{i}ms t{i} create c{900 + i} 0x9{i:02}0010 @1", f"+1us t{i} resume c{900 + i}", f"+1us t{i} destroy c{900 + i}")),
    *(line for i in range(1, 91) for line in (f"+20ms t1 create c{i} 0x{i:02}0010 @1", f"+10us t1 resume c{i}", f"+10us t1 suspend c{i} channel:{i} @2")), ""))


def check_first(browser, place):
    """The first view contains all members of a finding, and has room for them beside many workers, of which only the
    one that took part is shown; lanes that begin later say so."""
    pathlib.Path(place, "leak.txt").write_text(LEAK, encoding="utf-8")
    server = Server("serve", "--listen", ":0", place + "/leak.txt")
    judged(server)
    with Timeline(browser, server) as it:
        it.show("timeline")
        it.range_is("0.00 s to 2.00 s")
        lanes = it.lanes()
        check(any(lane.startswith("coroutine") for lane in lanes) and sum(lane.startswith("worker") for lane in lanes) == 1, lanes)
        it.show("timeline?from=0&until=100000000")
        check(any(words.startswith("begins at 0.1") for words in it.words()), it.words())
        it.show("timeline?from=20020000&until=100000000")
        check("2" in it.words(), it.words())
        edge = [float(one.get("cx") or 0) for one in it.picture().iter(SVG + "circle")]
        check(all(left - 8 >= 0 for left in edge), edge)
        it.quiet()
    server.stop()


def main():
    with open_browser(__file__) as browser, folder() as place:
        pathlib.Path(place, "causes.txt").write_text(TRACE)
        server = Server("serve", "--listen", ":0", place + "/causes.txt")
        other = Server("serve", "--listen", ":0", trace_in(place))
        pathlib.Path(place, "collecting.txt").write_text(COLLECTING)
        third = Server("serve", "--listen", ":0", place + "/collecting.txt")
        try:
            for one in (server, other, third):
                judged(one)
            need_pages(server)
            for part in (check_moving, check_asking, check_events, check_mouse, check_groups, check_order, check_causes, check_help):
                part(browser, server)
            check_copies(browser, server)
            check_other_copies(browser, server)
            check_finding(browser, other)
            check_besides(browser, third)
            check_first(browser, place)
        finally:
            server.process.kill()
            other.process.kill()
            third.process.kill()


if __name__ == "__main__":
    main()
