# SPDX-License-Identifier: MIT
"""Tests that every screen says how far a trace can be trusted, however the page is shown: served, as a single file, in
the terminal, and during the recording. Damaged, cut and lossy traces; a program that is stopped; an engine that is
stopped, or killed.
"""
import pathlib
import re
import signal
import subprocess

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import BUILD, COROTRACER, check, folder, run
from test_page_screens import SERVER
from test_page_timeline import Timeline
from unprepared import compiled, running

ANNOTATED = BUILD / "tests/targets/annotated"
PAUSE_US = 2000
SCREENS = ("findings", "timeline", "coroutines", "overview", "waits", "places", "tasks", "quality", "sql")

# The trace itself is in order: 7 events, and 62 are missing.
LOSSY = SERVER + """\
1ms t1 create c1 0x11010 @1
2ms t1 resume c1
200ms t1 lost 62
500ms t1 suspend c1 timer:9 @2
510ms t1 wake c1 coroutine:1 @2
520ms t1 resume c1
900ms t1 destroy c1
"""
DOUBT = "62 of 69 events are missing"


def made(place, name, text):
    pathlib.Path(place, name + ".txt").write_text(text)
    trace = pathlib.Path(place, name + ".ctrace")
    run(COROTRACER, "assemble", "-o", trace, pathlib.Path(place, name + ".txt"))
    return trace


def standings(it):
    """Returns {kind: (words, whether it is a doubt)}."""
    return dict(it.page.locator("#state [data-what]").evaluate_all(
        "(all) => all.map((one) => [one.dataset.what, [one.textContent, one.className === 'doubt']])"))


def check_screens(it, wanted, kinds=("events",)):
    """Every screen says so; `wanted` contains the doubts, by their kind."""
    for screen in SCREENS:
        it.page.goto(re.sub("#.*", "", it.page.url) + f"#{screen}")
        it.page.locator(f"main.{screen}").wait_for()
        it.until("document.querySelector('#state [data-what=events]')")
        found = standings(it)
        check(all(words in found.get(kind, ("",))[0] and found[kind][1] for kind, words in wanted.items()), f"{screen}: {found}")
        check(set(kinds) <= set(found), f"{screen}: {found}")


def check_file(browser, place, trace, wanted):
    page = pathlib.Path(place, trace.stem + ".html")
    if subprocess.run([COROTRACER, "report", "--format", "page", "-o", page, trace], check=False, capture_output=True).returncode == 7:
        print("this build has no pages that are one file")
        return
    with Page(browser, None) as it:
        it.page.goto(page.as_uri())
        check_screens(it, wanted)
        it.quiet()


def check_lossy(browser, place):
    """The heading says what is missing, and the timeline shows where; so do the report and the terminal."""
    trace = made(place, "lossy", LOSSY)
    server = Server("serve", "--listen", ":0", trace)
    judged(server)
    with Timeline(browser, server) as it:
        it.open("findings")
        check(it.text("main h2") == f"Nothing found, but {DOUBT}", it.text("main"))
        check_screens(it, {"lost": "62 lost"}, ("events", "end"))
        check("judged" not in standings(it), "a trace that has ended says how long ago it was judged")
        it.show("timeline?lanes=all")
        check("lost: 62 events (ring full)" in it.words(), it.words())
        it.quiet()
    server.stop()
    check_file(browser, place, trace, {"lost": "62 lost"})
    for form in ("text", "md", "html"):
        check(f"nothing found, but {DOUBT}" in " ".join(run(COROTRACER, "report", "-f", form, trace).stdout.split()).replace("N", "n"), f"{form} tells of no doubt")
    told = run(COROTRACER, "top", "--once", trace).stdout.splitlines()
    check("  62 lost  " in told[0] and told[1] == f"nothing found, but {DOUBT}", told)


def check_damaged(browser, place):
    """A file with bytes that cannot be read, and a file that was cut."""
    whole = made(place, "whole", LOSSY.replace("200ms t1 lost 62\n", "")).read_bytes()
    for name, data, wanted in (("damaged", whole[:-300] + bytes(byte ^ 0x5a for byte in whole[-300:-100]) + whole[-100:], {"damage": "damaged"}),
                               ("cut", whole[:-60], {"end": "cut short"})):
        trace = pathlib.Path(place, name + ".ctrace")
        trace.write_bytes(data)
        server = Server("serve", "--listen", ":0", trace)
        judged(server)
        with Page(browser, server) as it:
            it.open("quality")
            check_screens(it, wanted)
            it.open("findings")
            check("Nothing found, but " in it.text("main h2"), it.text("main h2"))
            it.quiet()
        server.stop()
        check_file(browser, place, trace, wanted)


def recorded(place, end):
    server = Server("run", "--serve-until-exit", "--listen", ":0", "--no-ledger", "-o", f"{place}/live.ctrace", "--", ANNOTATED, "serve-until", end, 100,
                    PAUSE_US)
    judged(server)
    return server


def until_standing(it, kind, words, is_doubt):
    it.until(f"""[...document.querySelectorAll('#state [data-what={kind}]')].some((one) =>
        one.textContent.includes({words!r}) && (one.className === 'doubt') === {str(is_doubt).lower()})""")


def never_alive(it):
    check("alive" not in it.text("#state"), it.text("#state"))


def check_stopped(browser, place):
    """A program that is stopped by a signal; and an engine that is stopped, continues, and is killed: no screen says
    that they are alive."""
    server = recorded(place, pathlib.Path(place, "never"))
    target = server.tell("/api/v1/state")["recording"]["target_pid"]
    with Page(browser, server) as it:
        it.open("overview")
        until_standing(it, "engine", "engine alive", False)
        check(set(standings(it)) >= {"events", "lost", "end", "engine", "judged"}, standings(it))
        pathlib.Path(f"/proc/{target}/stat").read_text(encoding="ascii")
        run("kill", "-STOP", str(target))
        until_standing(it, "program", "the program is stopped", True)
        run("kill", "-CONT", str(target))
        it.until("!document.querySelector('#state [data-what=program]')")
        server.process.send_signal(signal.SIGSTOP)
        until_standing(it, "engine", "no word from corotracer", True)
        never_alive(it)
        server.process.send_signal(signal.SIGCONT)
        until_standing(it, "engine", "engine alive", False)
        server.process.kill()
        until_standing(it, "engine", "corotracer does not answer", True)
        never_alive(it)
    run("kill", "-KILL", str(target), status=None)


def check_memory(browser, place):
    """The screen of a coroutine that was found in the memory of a process says what is in its variables."""
    with running(compiled(pathlib.Path(place), "g++", "unprepared_arguments")) as (process, _):
        server = Server("serve", "--listen", ":0", process.pid)
        judged(server)
        with Page(browser, server) as it:
            it.open("coroutine?process=1&id=1")
            it.page.wait_for_selector("main.coroutine dl")
            check("arguments: " in it.text("main.coroutine dl"), it.text("main.coroutine"))
            it.quiet()
        server.stop()


def main():
    with open_browser(__file__) as browser, folder() as place:
        server = Server("serve", "--listen", ":0", made(place, "first", LOSSY))
        need_pages(server)
        server.stop()
        check_lossy(browser, place)
        check_damaged(browser, place)
        check_stopped(browser, place)
        check_memory(browser, place)


if __name__ == "__main__":
    main()
