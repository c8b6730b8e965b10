# SPDX-License-Identifier: MIT
"""Tests that a served trace of many million events says what its end shows, seconds before the whole is judged; that
every screen says so; and that the judgement of the whole replaces it. A small trace is judged once.
"""
import pathlib

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import BUILD, COROTRACER, check, folder, run

LARGE = 136 << 20  # a generation has some 16 MiB, and one begins in the last quarter
EVENTS = 50_000_000  # three bytes each
PAUSE = 60


def record_crash(place, nr_events=EVENTS):
    """A busy machine loses some events: then more are recorded."""
    trace = pathlib.Path(place, "crashed.ctrace")
    for _ in range(3):
        run(COROTRACER, "run", "-o", trace, "--", BUILD / "tests/targets/flight_target", place + "/counters", 1, PAUSE,
            place + "/flight", nr_events, status=None)
        if nr_events < EVENTS or trace.stat().st_size >= LARGE:
            return trace
        nr_events *= 2
    return check(False, f"{trace} has only {trace.stat().st_size} bytes")


def standing(state, what):
    return [one["text"] for one in state["standings"] if one["what"] == what]


def is_whole(server):
    return not server.tell("/api/v1/state")["is_first_look"]


def titles(server):
    return [one["title"] for one in server.tell("/api/v1/findings")["findings"]]


def check_large(browser, trace):
    server = Server("serve", "--listen", ":0", trace)
    first = judged(server)
    need_pages(server)
    check(first["is_first_look"] and first["generation"] == 1, f"the first judgement is not of the end: {first}")
    check("the whole trace is being read" in standing(first, "part")[0], f"the strip does not say so: {first['standings']}")
    found = titles(server)
    check(found, "the end has no finding")
    with Page(browser, server) as it:
        it.page.goto(f"http://localhost:{server.port}/")
        it.page.locator("#finding-title").wait_for()
        said = it.page.locator("#state").inner_text()
        check("judged so far: the last" in said or is_whole(server), f"the page does not say that the end is judged: {said}")
        metrics = server.ask("/metrics")[2].decode()
        check('grade="proven"} 1' not in metrics or is_whole(server), "metrics have the figures of a part")
        it.until("!document.getElementById('state').textContent.includes('judged so far')")
        last = server.tell("/api/v1/state")
        check(last["generation"] == 2 and last["nr_events_judged"] > first["nr_events_judged"], f"the whole is not judged: {last}")
        check(not standing(last, "part"), f"the strip still says that a part is judged: {last['standings']}")
        check(set(found) <= set(titles(server)), f"the whole says something else: {titles(server)}, {found}")
        it.until(f"document.body.innerText.includes({found[0][1:40]!r})")
        check(not it.said, f"the console says {it.said}")
    server.stop()


def check_once(trace, why):
    server = Server("serve", "--listen", ":0", trace)
    state = judged(server)
    check(not state["is_first_look"] and state["generation"] == 1 and not standing(state, "part"), f"{why}: {state}")
    server.stop()


def main():
    with folder() as place, open_browser(__file__) as browser:
        check_large(browser, record_crash(place))
        check_once(record_crash(place, 100_000), "a small trace is judged once")
    print("what the end of a large trace shows is said first")


if __name__ == "__main__":
    main()
