# SPDX-License-Identifier: MIT
"""Tests a program that freezes while its page is open: the finding becomes the first, its picture shows how it came
about, one click leads to the line, and W on a coroutine leads to its chain. For closed descriptors, a lost wakeup and a
circle of locks. Also tests that three pages of one program lose no event of its trace.

The time until the finding is on the page is printed; `./dev bench live` measures it.
"""
import contextlib
import json
import pathlib
import re
import subprocess
import time

from browser import GIVE_UP, Page, open_browser
from served import Server
from support import BUILD, COROTRACER, check, folder, run, skip

SYNC = BUILD / "tests/workloads/example-sync"
ANNOTATED = BUILD / "tests/targets/annotated"
PAUSE_US = 500  # a rate at which even a busy machine loses nothing
SERVER = BUILD / "examples/example-tcp-server-fault-a"

# The program; the words of the title, the picture, the line behind one click and the chain of a coroutine; the rule.
FROZEN = {
    "closed descriptors": ([SERVER, "--self-load", "50:47", "--exit-after-idle", "60"], "waits-on-closed-descriptor", {
        "title": "47 of 50 coroutines wait for descriptors that were closed under them",
        "picture": ("suspended, to wait for descriptor", "hung-up", "closed descriptor", "no wake came", "Server::serve)"),
        "line": ("Reactor::on_hangup", "reactor.cpp:"),
        "chain": ("suspended, to wait for descriptor", "the descriptor was closed: it can never become ready")}),
    "a lost wakeup": ([f"{SYNC}-fault-c", "--hold"], "lost-wakeup", {
        "title": "1 coroutine waits, though what is waited for is ready",
        "picture": ("suspended, to wait for channel", "notified channel", "and woke nobody", "no wake came", "(serve)"),
        "line": ("RingBuffer::give_now", "ring_buffer.cpp:"),
        "chain": ("(serve) suspended, to wait for channel", "notify, which found nobody")}),
    "a circle of locks": ([f"{SYNC}-fault-h", "--hold"], "mutex-deadlock", {
        "title": "3 coroutines wait in a circle for locks",
        "picture": ("took lock", "held by coroutine 1", "which coroutine 1 holds", "no wake came", "(dine)"),
        "line": ("Mutex::Lock", "scene_philosophers.cpp:"),
        "chain": ("(dine) took lock 0x", "that is a circle")}),
}


def frozen_since(server):
    """Returns the time of the last event of the finding, in seconds since the epoch."""
    report = server.tell("/api/v1/report")
    times = [step["time_ns"] for step in report["findings"][0]["steps"] if step["event"] is not None and step["time_ns"] is not None]
    return (int(report["trace"]["epoch_realtime_ns"]) + max(times)) / 1e9


def until_said(it, selector, words):
    """Waits for names, which come with the first or second judgement."""
    it.until(f"{json.dumps(words)}.every((one) => document.querySelector({json.dumps(selector)})?.textContent.includes(one))")


def check_finding(it, rule, said):
    """Returns the seconds from the freeze to the page. On a busy machine, an earlier finding may say that a worker had
    no processor."""
    it.page.wait_for_selector("#finding-title", timeout=60000)
    until_said(it, "#finding-title", [said["title"]])
    found = time.time()
    first = it.server.tell("/api/v1/report")["findings"][0]
    check(first["rule"] == rule, f"another finding is the first: {first}")
    check("alive" in it.text("#state"), it.text("#state"))
    until_said(it, "svg.picture", said["picture"])
    return found - frozen_since(it.server)


def check_links(it, said):
    """One click leads to the line; W on a member leads to its chain."""
    until_said(it, ".lead a", said["line"])
    it.page.locator(".lead a").click()
    it.page.locator("main.places").wait_for()
    until_said(it, "main", said["line"])
    it.page.go_back()
    it.page.locator("article tbody a").first.focus()
    it.page.keyboard.press("w")
    it.page.locator("main.coroutine .steps li").first.wait_for()
    until_said(it, "main.coroutine .steps", said["chain"])


def check_saved(browser, place, it, title):
    """A recording that goes on is saved as one file, which shows what is there so far."""
    with it.page.expect_download() as waiting:
        it.page.locator("[data-key=save]").click()
    waiting.value.save_as(f"{place}/saved.html")
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(f"file://{place}/saved.html")
        page.wait_for_selector("#finding-title", timeout=GIVE_UP * 1000)
        check(title in page.inner_text("#finding-title").lower(), page.inner_text("#finding-title"))


def check_frozen(browser, place, name):
    """Returns the seconds from the freeze to the page."""
    command, rule, said = FROZEN[name]
    server = Server("run", "--serve-until-exit", "--listen", ":0", "-o", f"{place}/live.ctrace", "--", *command, "--log", f"{place}/log",
                    stdout=subprocess.DEVNULL)
    with Page(browser, server) as it:
        it.page.goto(f"http://localhost:{server.port}/")
        took = check_finding(it, rule, said)
        check_links(it, said)
        if name == list(FROZEN)[0]:
            check_saved(browser, place, it, said["title"].lower())
        check(server.process.poll() is None, "the program has ended")
        it.quiet()
    server.stop()
    return took


def check_three_pages(browser, place):
    """Three pages of a program that counts its requests: no count is missing."""
    end, trace = pathlib.Path(place, "end"), f"{place}/counted.ctrace"
    server = Server("run", "--serve-until-exit", "--listen", ":0", "--no-ledger", "-o", trace, "--", ANNOTATED, "serve-until", end, 100, PAUSE_US)
    with contextlib.ExitStack() as stack:
        pages = [stack.enter_context(Page(browser, server)) for _ in range(3)]
        for it, screen in zip(pages, ("findings", "timeline?lanes=all", "overview")):
            it.open(screen)
        before = server.tell("/api/v1/state")
        while server.tell("/api/v1/state")["generation"] < before["generation"] + 3:
            pass
        for it in pages:
            it.until("/ 0 lost/.test(document.getElementById('state').textContent)")
            it.quiet()
        end.touch()
        server.process.wait(timeout=60)
    report = json.loads(run(COROTRACER, "report", "-f", "json", "--no-symbols", trace, status=None).stdout)
    check(report["quality"]["lost"] == 0, report["quality"])
    counts = [int(number) for number in re.findall(r" counter (\d+)", run(COROTRACER, "dump", "--no-symbols", trace).stdout)]
    check(len(counts) > 100 and counts == list(range(1, len(counts) + 1)), f"{len(counts)} counts, up to {counts[-1:]}")


def check_ten_tabs(browser, place):
    """Ten tabs of one browser, which keeps six connections to a server: all tabs show what is asked for, and go on when
    the first tab is closed."""
    end = pathlib.Path(place, "end")
    server = Server("run", "--serve-until-exit", "--listen", ":0", "--no-ledger", "-o", f"{place}/tabs.ctrace", "--", ANNOTATED, "serve-until", end,
                    100, PAUSE_US)
    with contextlib.closing(browser.new_context()) as context:
        tabs = [context.new_page() for _ in range(10)]
        for tab in tabs:
            tab.set_default_timeout(GIVE_UP * 1000)
            tab.goto(f"http://localhost:{server.port}/#findings")
            tab.wait_for_selector("main h2:visible")
        for _ in range(2):
            for tab in tabs:
                tab.bring_to_front()
                shown = tab.inner_text("#state")
                tab.wait_for_function("shown => document.getElementById('state').textContent !== shown", arg=shown)
            tabs.pop(0).close()
    end.touch()
    server.process.communicate(timeout=60)


def main():
    if not SERVER.exists():
        skip("this build has no examples")
    with open_browser(__file__) as browser:
        for name in FROZEN:
            with folder() as place:
                took = check_frozen(browser, place, name)
                print(f"{name}: the finding was on the page {took:.2f} s after the freeze")
        with folder() as place:
            check_three_pages(browser, place)
        with folder() as place:
            check_ten_tabs(browser, place)


if __name__ == "__main__":
    main()
