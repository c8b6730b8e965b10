# SPDX-License-Identifier: MIT
"""Tests the page of a fleet in a real browser: services in the order of what was found, delays over time, what cannot be
read, windows that come while it is open, and the way to a window's own page; and before a server for S3, which goes away."""
import pathlib
import re
import subprocess

import bucket
from browser import Page, open_browser
from sampled import until
from served import Server
from support import COROTRACER, SOURCE, check, folder, run

HEALTHY = """trace from=0 until=1s
process 1 pid=100 program=/bin/app probe
thread 1 tid=101 name=worker-0
site 1 kind=source file=app.c line=20 function=handle
1ms t1 create c1 @1
1ms t1 resume c1
2ms t1 suspend c1 event:1 @1
3ms t1 wake coroutine:1 @1 outcome=queued
%dus t1 resume c1
900ms t1 suspend c1 point=final
"""
DAY = "20260102"


def closed():
    case = (SOURCE / "tests/cases/0001-closed-under-waiters.case").read_text()
    return case.split("--- trace\n")[1].split("\n---")[0] + "\n"


def store(place, key, text):
    path = place / f"{key}.ctrace"
    path.parent.mkdir(parents=True, exist_ok=True)
    run(COROTRACER, "assemble", "-o", path, "-", input=text)
    return path


def fleet_in(place):
    """Two services and two hosts; one window has a finding, one cannot be read, one file has no window's key."""
    for hour in range(3):
        for host in "web-1", "web-2":
            store(place, f"billing/{host}/{DAY}/{hour:02}0000-{hour + 1}", HEALTHY % (3100 + 100 * hour))
    store(place, f"shop/<b>host/{DAY}/010000-7", closed())
    store(place, f"shop/<b>host/{DAY}/000000-6", HEALTHY % 3100)
    (place / f"shop/<b>host/{DAY}/020000-8.ctrace").write_bytes(b"nothing")
    store(place, "shop/odd", HEALTHY % 3100)


def judged(server):
    def is_judged():
        fleet = server.tell("/api/v1/fleet")
        return fleet["is_listed"] and not fleet["nr_waiting"]
    until(is_judged)
    return server.tell("/api/v1/fleet")


def check_answer(server):
    """H-27: the services and their windows, as the traces have them."""
    fleet = judged(server)
    check([one["service"] for one in fleet["services"]] == ["shop", "billing"], "the gravest is not the first")
    check((fleet["nr_windows"], fleet["nr_judged"], fleet["nr_strange"], fleet["nr_older"]) == (9, 9, 1, 0), f"{fleet}")
    shop, billing = fleet["services"]
    check([one["grade"] for one in shop["windows"]] == ["none", "proven", None], f"{shop}")
    check("closed under them" in shop["windows"][1]["title"] and "not a trace" in shop["windows"][2]["error"], f"{shop}")
    check([one["delay_p99_ns"] for one in billing["windows"]] == [100_000] * 2 + [200_000] * 2 + [300_000] * 2, f"{billing}")
    check([one["began"] - billing["windows"][0]["began"] for one in billing["windows"]] == [0, 0, 3600, 3600, 7200, 7200], f"{billing}")


def check_access(server):
    """H-28: a window is opened with the token, once, and nothing else is; H-5."""
    trace = server.tell("/api/v1/fleet")["services"][0]["windows"][0]["trace"]
    check(server.ask("/api/v1/fleet/open", "POST", trace)[0] == 403, "a window is opened without the token")
    check(server.order("/etc/passwd", "/api/v1/fleet/open")[0] == 404, "a file that is no window is opened")
    check(server.ask("/api/v1/fleet", Host="evil.example")[0] == 421, "another name is answered")
    check(server.ask("/api/v1/report")[0] == 404, "a fleet has a report")
    told = [server.order(trace, "/api/v1/fleet/open") for _ in range(2)]
    check(told[0] == told[1] and told[0][0] == 200, f"one window has two servers: {told}")


def check_page(browser, server, place):
    with Page(browser, server, width=1280) as it:
        it.page.goto(f"http://localhost:{server.port}/#token={server.token}")
        it.page.wait_for_selector(".service .verdict")
        check(it.page.locator(".service h2").all_inner_texts() == ["shop", "billing"], "services")
        check("proven: 2 of 3 coroutines" in it.text(".service .verdict a"), it.text(".service .verdict a"))
        check("1 cannot be read" in it.text(".service .told"), it.text(".service .told"))
        check("<b>host" in it.text(".service .verdict"), "a host's name is not shown as it is")
        check(it.page.locator(".delays").nth(1).locator("circle").count() == 6, "a dot for each window")
        check(it.page.locator(".delays").nth(1).locator("polyline").count() == 2, "a line for each host")
        check("300 us at most" in it.page.locator("figcaption").nth(1).inner_text(), it.page.locator("figcaption").nth(1).inner_text())
        it.page.locator(".service details").first.locator("summary").click()
        rows = it.page.locator(".service table tr").all_inner_texts()
        check("cannot be read" in rows[1] and "proven" in rows[2] and "nothing found" in rows[3], f"{rows}")
        store(place, f"billing/web-1/{DAY}/040000-9", closed())
        it.page.wait_for_function("document.querySelectorAll('.service .verdict').length === 2")
        check(it.page.locator(".service details").nth(1).get_attribute("open") is not None or
              it.page.locator(".service details").first.get_attribute("open") is not None, "the open table was closed")
        it.page.locator(".service .verdict a").first.click()
        it.page.wait_for_selector("#finding-title")
        check("closed under them" in it.text("#finding-title"), it.text("#finding-title"))
        it.page.go_back()
        it.page.wait_for_selector(".service .verdict")
        it.quiet()


def check_widths(browser, server):
    for width in 390, 2560:
        with Page(browser, server, width=width) as it:
            it.page.goto(f"http://localhost:{server.port}/#token={server.token}")
            it.page.wait_for_selector(".service .verdict")
            check(it.page.evaluate("document.documentElement.scrollWidth") <= width, f"the page is wider than {width}")


def check_bucket(place):
    """A prefix of a bucket is a fleet, too; while the server for S3 is away, what is known stays, and the reason is told."""
    with bucket.served() as store_of:
        for path in place.rglob("*.ctrace"):
            store_of.act("put", f"prod/{path.relative_to(place)}", path)
        server = Server("serve", "--listen", ":0", store_of.address("prod/"), env=store_of.environment())
        fleet = judged(server)
        check(fleet["place"] == "s3://traces/prod/" and fleet["nr_judged"] == 10, f"{fleet['place']} {fleet['nr_judged']}")
        trace = fleet["services"][0]["windows"][0]["trace"]
        url = server.order(trace, "/api/v1/fleet/open")[1]["url"]
        check(re.fullmatch(r"http://localhost:\d+/#token=[0-9a-f]{32}", url), url)
        check(server.stop()[0] == 0, "the server did not end well")


def check_nothing(place):
    (place / "empty").mkdir()
    told = subprocess.run([COROTRACER, "serve", place / "empty"], capture_output=True, text=True, check=False, timeout=60)
    check(told.returncode == 4 and "has no trace" in told.stderr, f"{told}")


def main():
    with folder() as name, open_browser(__file__) as browser:
        place = pathlib.Path(name) / "windows"
        fleet_in(place)
        server = Server("serve", "--listen", ":0", place)
        check_answer(server)
        check_access(server)
        check_page(browser, server, place)
        check_widths(browser, server)
        check(server.stop()[0] == 0, "the server did not end well")
        check_bucket(place)
        check_nothing(pathlib.Path(name))
    print("page_fleet: services, delays, windows and the way to each, of a folder and of a bucket")


main()
