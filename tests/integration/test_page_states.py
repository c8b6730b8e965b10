# SPDX-License-Identifier: MIT
"""Tests what the page says if there is nothing to show, or no longer: empty, loading, no probe, an error, a lost
connection, the end, no token, too many pages. In each of these states axe-core finds nothing, and nothing exceeds a
narrow window. Also tests the keyboard alone: it reaches each control of each screen, and the focus is visible. And the
controls of a recording, with the token and without it.
"""
import json
import pathlib
import signal
import subprocess

from browser import Page, open_browser
from served import Reader, Server, judged
from support import BUILD, check, folder
from test_serve import trace_in

TARGETS = BUILD / "tests/targets"
NARROW = (390, 844)
MOST_READERS = 16
PAUSE_US = 2000
NEEDS_TOKEN = "Open the address that corotracer printed when it started: it ends with the token that lets you in."
# The visible elements that Tab can reach.
REACHED = """() => [...document.querySelectorAll('a[href], button, select, input, textarea, [tabindex="0"]')]
    .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0).length"""
FOCUSED = """() => {
    const one = document.activeElement, style = getComputedStyle(one);
    one.dataset.visited = "yes";
    return {tag: one.tagName, html: one.outerHTML.slice(0, 150), outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0};
}"""


def check_state(browser, server, name, words, prepare=None, address="", colours=("light", "dark"), said=()):
    """The page says so, in a narrow window, light and dark; `prepare` is called with the page before the page is
    opened."""
    from axe_playwright_python.sync_playwright import Axe
    for scheme in colours:
        with Page(browser, server, *NARROW, color_scheme=scheme, bypass_csp=True) as it:
            go_on = prepare(it) if prepare else None
            it.page.goto(f"http://localhost:{server.port}/{address}")
            it.until(f"document.body.innerText.includes({json.dumps(words)})")
            over = it.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(over <= 0, f"{name} is {over} pixels too wide")
            response = Axe().run(it.page).response
            found = [(one["id"], one["nodes"][0]["html"][:200]) for one in response["violations"]]
            check(response["passes"] and not found, f"{name}, {scheme}: {found}")
            if go_on:
                go_on(it)
            unexpected = [line for line in it.said if not any(one in line for one in said)]
            check(not unexpected, f"{name}: the console says {unexpected}")


def check_empty(browser, place):
    pathlib.Path(place, "empty.txt").write_text("trace from=0 until=1s\nprocess 1 pid=100 program=/bin/server\n")
    server = Server("serve", "--listen", ":0", place + "/empty.txt")
    judged(server)
    check_state(browser, server, "empty", "No coroutine was seen")
    server.stop()


def check_loading(browser, server):
    """The answer is delayed, and the page says that it is loading until the answer comes."""
    held = []

    def hold(it):
        it.page.route("**/api/v1/view/report*", lambda route: held.append(route))
        return let_go

    def let_go(it):
        it.until("document.getElementById('screen').textContent.includes('loading')")
        held.pop().continue_()
        it.page.locator("#finding-title").wait_for()

    check_state(browser, server, "loading", "loading ...", hold)


def check_no_probe(browser, place):
    server = Server("run", "--serve-until-exit", "--listen", ":0", "-o", place + "/none.ctrace", "--", "cat", stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL)
    check_state(browser, server, "no probe", "no probe has attached: is it linked?")
    server.process.stdin.close()
    server.process.wait(timeout=60)


def check_error(browser, server, place):
    """A request that cannot be answered, and a trace that can no longer be read."""
    check_state(browser, server, "error", "no column", address="#coroutines?order=-nosuch", said=("400 (Bad Request)",))
    trace = pathlib.Path(place, "broken.ctrace")
    trace.write_bytes(pathlib.Path(place, "case.ctrace").read_bytes())
    other = Server("serve", "--listen", ":0", trace)
    judged(other)
    trace.write_bytes(b"no trace at all" * 100)
    while "trouble" not in other.tell("/api/v1/state"):
        pass
    check_state(browser, other, "trouble", other.tell("/api/v1/state")["trouble"])
    other.stop()


def check_lost(browser, place):
    """The server dies, and another server takes its place: what was shown stays, and is updated again."""
    server = Server("serve", "--listen", ":0", place + "/case.ctrace")

    def lose(it):
        it.page.locator("#finding-title").wait_for()
        server.process.kill()
        server.process.wait()
        it.until("document.getElementById('trouble').textContent.includes('connection is lost')")
        check(it.page.locator("#finding-title").count() == 1, "what was shown is gone")
        other = Server("serve", "--listen", f":{server.port}", place + "/case.ctrace")
        it.until("document.getElementById('trouble').hidden")
        it.page.locator('#screens a[href="#coroutines"]').click()
        it.page.locator("main.coroutines tbody tr").first.wait_for()
        other.stop()

    check_state(browser, server, "lost", "descriptors that were closed", lambda it: lose, colours=("light",), said=("ERR_",))


def hears_events(it):
    """Waits until the server sends the page its events: without them a page cannot tell a server that ended from one that
    does not answer. The state alone may have come by a request of its own."""
    it.until("document.documentElement.dataset.events === 'open'")


def check_stays(browser, place):
    """The program ends, and its page stays until Ctrl-C: with the judgement of the whole trace, and commands that name
    the trace."""
    server = Server("run", "--serve", "--listen", ":0", "-o", place + "/stays.ctrace", "--", TARGETS / "lock_circle", stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL)
    with Page(browser, server) as it:
        it.open("findings")
        it.page.locator("#finding-title").wait_for()
        it.until("document.querySelector('#state [data-what=engine]')")
        server.process.stdin.close()
        it.until("document.querySelector('#state [data-what=end]').textContent === 'recorded to the end'")
        check("ended by itself with exit status 0" in it.text("#state") and "alive" not in it.text("#state"), it.text("#state"))
        check(it.page.locator("#controls").inner_text().split("\n") == ["Copy link", "Download", "Save as one file"], it.text("#controls"))
        it.open("quality")
        check("yes: recorded to the end" in it.text("main"), it.text("main"))
        it.open("findings")
        check(f"corotracer report {place}/stays.ctrace" in it.text("main"), it.text("main"))
        check(server.order("stop")[0] == 409, "an order was taken")
        hears_events(it)
        server.process.send_signal(signal.SIGINT)
        it.until("document.getElementById('trouble').textContent.includes('The server has ended')")
        said = server.process.stderr.read()
        check(server.process.wait(timeout=60) == 0 and "Ctrl-C ends it" in said, said)
        it.quiet()


def check_finished(browser, place):
    server = Server("run", "--serve-until-exit", "--listen", ":0", "-o", place + "/ends.ctrace", "--", TARGETS / "lock_circle",
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def finish(it):
        it.page.locator("#finding-title").wait_for()
        hears_events(it)
        server.process.stdin.close()
        server.process.wait(timeout=60)
        it.until("document.getElementById('trouble').textContent.includes('The server has ended')")
        check(it.page.locator("#finding-title").count() == 1, "what was shown is gone")
        check("the server has ended" in it.text("#state") and "alive" not in it.text("#state"), it.text("#state"))

    check_state(browser, server, "finished", "each wait for a lock", lambda it: finish, colours=("light",), said=("ERR_",))


def check_refused(browser, place):
    """A server that others can reach: nothing without the token; everything with the token, which is removed from the
    address."""
    server = Server("serve", "--listen", "0.0.0.0:0", place + "/case.ctrace")
    check_state(browser, server, "refused", "The server refuses", said=("403 (Forbidden)",))
    with Page(browser, server) as it:
        it.page.goto(f"http://localhost:{server.port}/#token={server.token}")
        it.page.locator("#finding-title").wait_for()
        check(server.token not in it.page.url, it.page.url)
        it.page.reload()
        it.page.locator("#finding-title").wait_for()
        it.quiet()
    server.stop()


# ---------------------------------------------------------------- the controls of a recording

def recorded(place, end, *options):
    """A program that goes on until the file `end` exists, recorded and served."""
    server = Server("run", "--serve-until-exit", "--listen", ":0", *options, "-o", place + "/controlled.ctrace", "--", TARGETS / "annotated",
                    "serve-until", end, 100, PAUSE_US)
    while not server.tell("/api/v1/state")["recording"]["has_probe"]:
        pass
    return server


def controls(it):
    """Returns the buttons by their words, and whether they can be pressed."""
    it.page.locator("#controls a").first.wait_for(state="attached")
    if it.page.locator("#more[aria-expanded=false]").is_visible():
        it.page.locator("#more").click()
    return dict(it.page.locator("#controls button").evaluate_all("(all) => all.map((one) => [one.textContent, !one.disabled])"))


def until_state(server, name, wanted):
    while server.tell("/api/v1/state")["recording"][name] != wanted:
        pass


def check_locked(it):
    """Without the token the orders are disabled, under one sentence; controls that only read are enabled."""
    check(controls(it) == {"Hold still": True, "Start": False, "Stop": False, "Dump now": False, "Categories": False, "Copy link": True}, controls(it))
    check(it.page.locator("#needs-token:visible").inner_text() == NEEDS_TOKEN, it.text("header"))
    check(it.page.locator("#controls a[download]").all_inner_texts() == ["Download", "Save as one file"], it.text("#controls"))


def check_orders(it, server):
    """Each order reaches the recording; the page shows the categories as the recording has them, here after another
    client's order."""
    it.page.get_by_role("button", name="Stop").click()
    until_state(server, "is_open", False)
    it.page.get_by_role("button", name="Start").click()
    until_state(server, "is_open", True)
    check(server.order("no-category=counters")[0] == 200, "the order was refused")
    open_categories(it, {"counters"})
    it.page.get_by_label("logs").uncheck()
    it.page.get_by_role("button", name="Keep these").click()
    until_state(server, "categories_off", 1 << 5 | 1 << 6)
    open_categories(it, {"counters", "logs"})
    it.page.keyboard.press("Escape")
    it.page.locator("dialog").wait_for(state="detached")


def open_categories(it, off):
    """Waits until the newest state has come to the page, which shows the earlier state before."""
    for _ in range(100):
        it.page.get_by_role("button", name="Categories").click()
        found = set(it.page.locator("dialog input:not(:checked)").evaluate_all("(all) => all.map((one) => one.name)"))
        if found == off:
            return
        it.page.get_by_role("button", name="Cancel").click()
        it.page.locator("dialog").wait_for(state="detached")
    check(False, f"categories that are off: {found}, not {off}")


def check_stale_token(it, server):
    """The token of an earlier start is refused with the same sentence; the printed address, opened in the same tab,
    gives access."""
    it.page.goto(f"http://localhost:{server.port}/#token={'0' * 32}")
    it.page.locator("#controls button:enabled", has_text="Stop").wait_for(state="attached")
    controls(it)
    it.page.locator("#controls button:enabled", has_text="Stop").click()
    it.page.locator("#needs-token").wait_for()
    check_locked(it)
    check(server.tell("/api/v1/state")["recording"]["is_open"], "a wrong token stopped the recording")
    it.page.goto(f"http://localhost:{server.port}/#token={server.token}")
    it.page.locator("#controls button:enabled", has_text="Stop").wait_for(state="attached")
    check(controls(it) == {"Hold still": True, "Start": True, "Stop": True, "Dump now": False, "Categories": True, "Copy link": True}, controls(it))
    check(it.page.locator("#needs-token").is_hidden(), "the token is asked for again")


def check_controls(browser, place):
    end = pathlib.Path(place, "end")
    server = recorded(place, end)

    def use(it):
        check_locked(it)
        check_stale_token(it, server)
        check_orders(it, server)

    check_state(browser, server, "locked", NEEDS_TOKEN)
    check_state(browser, server, "controls", NEEDS_TOKEN, lambda it: use, colours=("light",), said=("403 (Forbidden)",))
    end.touch()
    server.process.wait(timeout=60)


def check_dump_now(browser, place):
    end = pathlib.Path(place, "end of flight")
    server = recorded(place, end, "--flight", "5s")
    with Page(browser, server, permissions=["clipboard-read", "clipboard-write"]) as it:
        it.page.goto(f"http://localhost:{server.port}/#token={server.token}")
        it.page.get_by_role("button", name="Dump now").click()
        until_state(server, "nr_dumps", 1)
        it.page.evaluate("navigator.clipboard.writeText('')")
        it.page.evaluate("document.querySelector('[data-copies=\"Copy link\"]').click()")
        it.until("navigator.clipboard.readText()")
        link = it.page.evaluate("navigator.clipboard.readText()")
        check(link == it.page.url and "token" not in link, link)
        with it.page.expect_download() as download:
            it.page.get_by_role("link", name="Download").click()
        check(pathlib.Path(download.value.path()).stat().st_size > 0, "an empty trace was downloaded")
        with it.page.expect_download() as download:
            it.page.get_by_role("link", name="Save as one file").click()
        check('id="trace"' in pathlib.Path(download.value.path()).read_text(encoding="utf-8"), "no page was made of what the recorder holds")
        it.quiet()
    check(pathlib.Path(place, "controlled.1.ctrace").exists(), "no dump")
    end.touch()
    server.process.wait(timeout=60)


def check_crowded(browser, server):
    """One page more than there is room for says so, and goes on once there is room."""
    readers = [Reader(server) for _ in range(MOST_READERS)]

    def make_room(it):
        for reader in readers:
            reader.close()
        it.page.locator("#finding-title").wait_for(timeout=60000)
        it.until("document.getElementById('trouble').hidden")

    check_state(browser, server, "crowded", str(MOST_READERS), lambda it: make_room, colours=("light",), said=("503 (Service Unavailable)",))


# ---------------------------------------------------------------- the keyboard alone

def walk(it, screen):
    """Tab goes from the first control to the last: each control is reached, and shows the focus."""
    it.page.evaluate("document.activeElement.blur()")
    expected, seen = it.page.evaluate(REACHED), 0
    for _ in range(2 * expected + 10):
        it.page.keyboard.press("Tab")
        focused = it.page.evaluate(FOCUSED)
        if focused["tag"] == "BODY":
            break
        check(focused["outline"], f"{screen}: nothing shows that {focused['html']} has the focus")
    seen = it.page.evaluate("document.querySelectorAll('[data-visited]:not(body)').length")
    check(seen >= expected, f"{screen}: Tab reaches {seen} of {expected} controls")


def check_keyboard(browser, server):
    with Page(browser, server) as it:
        it.open("findings")
        names = it.page.locator("#screens a").evaluate_all("(all) => all.map((one) => one.hash.slice(1))")
        for number, name in enumerate(names, 1):
            it.page.keyboard.press("Escape")
            it.page.evaluate("document.activeElement.blur()")
            it.page.keyboard.press(str(number))
            it.page.locator(f"main.{name} h2:visible, main.{name} canvas:visible").first.wait_for()
            it.answered()
            walk(it, name)
        it.quiet()


def check_path(browser, server):
    """From the finding to its line, a coroutine, its chain and the timeline, without a mouse."""
    with Page(browser, server) as it:
        it.open("findings")
        it.page.locator("#finding-title").wait_for()
        for selector, key, wanted in ((".lead a", "Enter", "main.places"), ("article tbody a", "w", "main.coroutine .steps li"),
                                      ("main.coroutine a.button", "Enter", "main.timeline canvas")):
            it.page.evaluate("document.activeElement.blur()")
            for _ in range(200):
                it.page.keyboard.press("Tab")
                if it.page.evaluate(f"document.activeElement.matches({json.dumps(selector)})"):
                    break
            it.page.keyboard.press(key)
            it.page.locator(wanted).first.wait_for()
            if wanted == "main.places":
                it.page.keyboard.press("1")
                it.page.locator("#finding-title").wait_for()
        it.quiet()


def main():
    with open_browser(__file__) as browser, folder() as place:
        server = Server("serve", "--listen", ":0", trace_in(place))
        judged(server)
        check_empty(browser, place)
        check_loading(browser, server)
        check_no_probe(browser, place)
        check_error(browser, server, place)
        check_lost(browser, place)
        check_finished(browser, place)
        check_stays(browser, place)
        check_refused(browser, place)
        check_controls(browser, place)
        check_dump_now(browser, place)
        check_crowded(browser, server)
        check_keyboard(browser, server)
        check_path(browser, server)
        server.stop()


if __name__ == "__main__":
    main()
