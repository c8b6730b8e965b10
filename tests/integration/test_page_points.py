# SPDX-License-Identifier: MIT
"""Tests in a real browser of what the page promises about a program that is stopped or killed, about a recording that goes
on, about places that are not known, and beside connections that send nothing."""
import os
import pathlib
import signal
import subprocess

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import BUILD, check, folder
from test_page_standing import SCREENS, recorded, standings
from test_serve_bounds import crowd

IDLE = 80  # connections
TOO_LATE_MS = 5000  # for an answer beside idle connections


def check_killed(browser, place):
    """The program is killed: its page stays, with the finding, and all screens say how the program ended."""
    server = Server("run", "--serve", "--listen", ":0", "-o", place / "killed.ctrace", "--", BUILD / "tests/targets/lock_circle", stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL)
    judged(server)
    with Page(browser, server) as it:
        it.open("findings")
        it.page.locator("#finding-title").wait_for()
        os.kill(server.tell("/api/v1/state")["recording"]["target_pid"], signal.SIGKILL)
        it.until("document.getElementById('state').textContent.includes('ended by SIGKILL')")
        for screen in SCREENS:
            it.open(screen)
            it.until("document.getElementById('state').textContent.includes('ended by SIGKILL')")
            check("alive" not in it.text("#state"), f"{screen}: {it.text('#state')}")
        it.open("findings")
        it.page.locator("#finding-title").wait_for()
        check(server.process.poll() is None, "the server is gone")
        it.quiet()
    server.process.send_signal(signal.SIGINT)
    server.process.communicate(timeout=60)


def check_stopped(browser, place):
    """While the program is stopped, and the recording goes on, all screens say so; nothing is lost, and all screens agree on that."""
    end = place / "end"
    server = recorded(place, end)
    target = server.tell("/api/v1/state")["recording"]["target_pid"]
    with Page(browser, server) as it:
        os.kill(target, signal.SIGSTOP)
        for screen in SCREENS:
            it.open(screen)
            it.until("document.querySelector('#state [data-what=program]')?.textContent.includes('the program is stopped')")
            check(standings(it)["lost"] == ["0 lost", False], f"{screen}: {standings(it)}")
            if screen == "overview":
                it.until("/\\b0\\s*events lost/.test(document.querySelector('.tiles').innerText)")
            if screen == "quality":
                check(it.text("main .lead").startswith("Nothing is missing."), it.text("main"))
        os.kill(target, signal.SIGCONT)
        it.until("!document.querySelector('#state [data-what=program]')")
        it.quiet()
    end.touch()
    server.process.communicate(timeout=60)


# Nobody ended, and the last event is long ago; most wait at a place that is not known.
WAITING = "\n".join((
    "trace from=0 until=4s", "process 1 pid=100 program=/bin/server probe", "thread 1 tid=101 name=worker-0",
    "site 1 kind=source file=/src/server.cpp line=40 function=start", "site 2 kind=source file=/src/server.cpp line=120 function=handle reason=Reply",
    *(f"{i}ms t1 create c{i} 0x{i:02}010 @1\n+1us t1 resume c{i}\n+1us t1 suspend c{i}{' @2' if i % 5 == 0 else ''}" for i in range(1, 42)), "50ms t1 park", ""))


def check_places(browser, server):
    """A place that is not known is not what to look at first while another one is known."""
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("svg.picture")
        check("handle, src/server.cpp:120" in it.text(".lead a") and "place not known" not in it.text(".lead"), it.text("main"))
        it.quiet()


def check_last_bin(browser, server):
    """What goes on at the end fills the charts to their right edge."""
    with Page(browser, server) as it:
        for view, chart in (("overview", "canvas.chart"), ("timeline", "canvas.minimap")):
            it.open(view)
            it.answered()
            colours = it.page.locator(chart).first.evaluate("""(canvas) => { const { data } = canvas.getContext("2d").getImageData(0, Math.round(0.5 * canvas.height), canvas.width, 1);
                return [0.6, 1].map((share) => 4 * (Math.round(share * canvas.width) - 4)).map((at) => data.slice(at, at + 4).join()); }""")
            check(colours[0] == colours[1] and not colours[0].endswith(",0"), f"{view}: {colours}")
        it.quiet()


def check_idle(browser, server):
    """Beside idle connections, no answer comes late."""
    held = crowd(server, IDLE)
    with Page(browser, server) as it:
        for screen in ("findings", "coroutines", "overview"):
            it.open(screen)
            it.answered()
        late = it.page.evaluate("performance.getEntriesByType('resource').filter((one) => !one.name.includes('/events')).map((one) => one.duration)")
        check(len(late) > 2 and max(late) < TOO_LATE_MS, f"{late} ms")
        it.quiet()
    for client in held:
        client.close()


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name)
        (place / "waiting.txt").write_text(WAITING, encoding="utf-8")
        server = Server("serve", "--listen", ":0", place / "waiting.txt")
        try:
            judged(server)
            need_pages(server)
            for part in (check_places, check_last_bin, check_idle):
                part(browser, server)
        finally:
            server.process.kill()
        check_killed(browser, place)
        check_stopped(browser, place)


if __name__ == "__main__":
    main()
