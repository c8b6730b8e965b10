# SPDX-License-Identifier: MIT
"""A program freezes while its page is open: the finding stands first, its picture tells how that came about, one click leads to the
line, and W on a coroutine to its chain. So for closed descriptors, a lost wakeup and a circle of locks.

How soon the finding is on the page is printed, and measured by `./dev bench live`.
"""
import json
import subprocess
import sys
import time

from browser import Page, open_browser
from served import Server
from support import BUILD, check, folder

SYNC = BUILD / "tests/workloads/example-sync"
SERVER = BUILD / "examples/example-tcp-server-fault-a"

# The program; what the title, the picture, the line behind one click and the chain of a coroutine say; the rule.
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
        "title": "3 coroutines wait in a circle of 3 for locks",
        "picture": ("took lock", "held by coroutine 1", "which coroutine 1 holds", "no wake came", "(dine)"),
        "line": ("Mutex::Lock", "scene_philosophers.cpp:"),
        "chain": ("(dine) took it", "that is a circle")}),
}


def frozen_since(server):
    """Seconds since the epoch: the last event that the finding tells of."""
    report = server.tell("/api/v1/report")
    times = [step["time_ns"] for step in report["findings"][0]["steps"] if step["event"] is not None and step["time_ns"] is not None]
    return (int(report["trace"]["epoch_realtime_ns"]) + max(times)) / 1e9


def until_said(it, selector, words):
    """Names come with a judgement or two: what is shown has them then."""
    it.until(f"{json.dumps(words)}.every((one) => document.querySelector({json.dumps(selector)})?.textContent.includes(one))")


def check_finding(it, rule, said):
    """Seconds from the freeze to the page."""
    it.page.wait_for_selector("#finding-title", timeout=60000)
    found = time.time()
    check(it.server.tell("/api/v1/report")["findings"][0]["rule"] == rule, "another finding is the first")
    check(said["title"] in it.text("#finding-title"), it.text("#finding-title"))
    check("alive" in it.text("#state"), it.text("#state"))
    until_said(it, "svg.picture", said["picture"])
    return found - frozen_since(it.server)


def check_links(it, said):
    """One click to the line; W on a member to its chain."""
    until_said(it, ".lead a", said["line"])
    it.page.locator(".lead a").click()
    it.page.locator("main.places").wait_for()
    until_said(it, "main", said["line"])
    it.page.go_back()
    it.page.locator("article tbody a").first.focus()
    it.page.keyboard.press("w")
    it.page.locator("main.coroutine .steps li").first.wait_for()
    until_said(it, "main.coroutine .steps", said["chain"])


def check_frozen(browser, place, name):
    command, rule, said = FROZEN[name]
    server = Server("run", "--serve", "--listen", ":0", "-o", f"{place}/live.ctrace", "--", *command, "--log", f"{place}/log",
                    stdout=subprocess.DEVNULL)
    with Page(browser, server) as it:
        it.page.goto(f"http://localhost:{server.port}/")
        took = check_finding(it, rule, said)
        check_links(it, said)
        check(server.process.poll() is None, "the program has ended")
        it.quiet()
    server.stop()
    print(f"{name}: the finding was on the page {took:.2f} s after the freeze")


def main():
    if not SERVER.exists():
        print("skipped: this build has no examples")
        sys.exit(77)
    with open_browser(__file__) as browser:
        for name in FROZEN:
            with folder() as place:
                check_frozen(browser, place, name)


if __name__ == "__main__":
    main()
