# SPDX-License-Identifier: MIT
"""What the page says where there is nothing to show, or no more: empty, loading, no probe, an error, a lost connection, the end, no
token, too many pages. In each of these axe-core finds nothing, and nothing sticks out of a narrow window. And the keyboard alone:
each control of each screen is reached by it, and shows that it has the focus.
"""
import json
import pathlib
import subprocess

from browser import Page, open_browser
from served import Reader, Server, judged
from support import BUILD, check, folder
from test_serve import trace_in

TARGETS = BUILD / "tests/targets"
NARROW = (390, 844)
MOST_READERS = 16
# What Tab can reach, of what is seen.
REACHED = """() => [...document.querySelectorAll('a[href], button, select, input, textarea, [tabindex="0"]')]
    .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0).length"""
FOCUSED = """() => {
    const one = document.activeElement, style = getComputedStyle(one);
    one.dataset.visited = "yes";
    return {tag: one.tagName, html: one.outerHTML.slice(0, 150), outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0};
}"""


def check_state(browser, server, name, words, prepare=None, address="", colours=("light", "dark"), said=()):
    """The page says so, in a narrow window, light and dark; `prepare` is called with the page before it is opened."""
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
    """The answer is held up, and the page says that it is loading until that comes."""
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
    server = Server("run", "--serve", "--listen", ":0", "-o", place + "/none.ctrace", "--", "cat", stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL)
    check_state(browser, server, "no probe", "no probe has attached: is it linked?")
    server.process.stdin.close()
    server.process.wait(timeout=60)


def check_error(browser, server, place):
    """A request that cannot be answered, and a trace that cannot be read any more."""
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
    """The server dies, and another one takes its place: what was shown stays, and goes on."""
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


def check_finished(browser, place):
    server = Server("run", "--serve", "--listen", ":0", "-o", place + "/ends.ctrace", "--", TARGETS / "lock_circle",
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)

    def finish(it):
        it.page.locator("#finding-title").wait_for()
        server.process.stdin.close()
        server.process.wait(timeout=60)
        it.until("document.getElementById('trouble').textContent.includes('The recording has ended')")
        check(it.page.locator("#finding-title").count() == 1, "what was shown is gone")
        check(it.text("#state") == "ended", it.text("#state"))

    check_state(browser, server, "finished", "in a circle", lambda it: finish, colours=("light",), said=("ERR_",))


def check_refused(browser, place):
    """Where others reach it: nothing without the token; with it all, and the token leaves the address."""
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


def check_crowded(browser, server):
    """One page more than there is room for says so, and goes on once there is."""
    readers = [Reader(server) for _ in range(MOST_READERS)]

    def make_room(it):
        for reader in readers:
            reader.close()
        it.page.locator("#finding-title").wait_for(timeout=60000)
        it.until("document.getElementById('trouble').hidden")

    check_state(browser, server, "crowded", str(MOST_READERS), lambda it: make_room, colours=("light",), said=("503 (Service Unavailable)",))


# ---------------------------------------------------------------- the keyboard alone

def walk(it, screen):
    """Tab from the first control to the last: each is reached, and shows it."""
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
            it.page.wait_for_timeout(300)
            walk(it, name)
        it.quiet()


def check_path(browser, server):
    """From the finding to its line, a coroutine, its chain and the timeline, with no mouse."""
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
        check_refused(browser, place)
        check_crowded(browser, server)
        check_keyboard(browser, server)
        check_path(browser, server)
        server.stop()


if __name__ == "__main__":
    main()
