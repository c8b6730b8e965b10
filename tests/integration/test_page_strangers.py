# SPDX-License-Identifier: MIT
"""Tests pages of other servers in the same browser, which try to read what is served and to give orders: by a script's
request, a form, a script, a picture, a frame, events. Also tests a script that is injected into the page itself: the
page's policy lets no such script run (H-5 to H-7, H-16)."""
import http.server
import pathlib
import subprocess
import threading

from browser import Page, open_browser
from served import Server, judged
from support import BUILD, COROTRACER, check, folder, run

TRIES = """async (server) => {
    const outcome = {}, element = (tag, properties) => new Promise((done) => {
        const one = Object.assign(document.createElement(tag), properties, {onload: () => done("loaded"), onerror: () => done("refused")});
        document.body.append(one);
        setTimeout(() => done("nothing"), 2000);
    });
    for (const [name, options] of [["read", {}], ["opaque", {mode: "no-cors"}], ["order", {method: "POST", body: "stop"}],
        ["token", {method: "POST", body: "stop", headers: {"X-Corotracer-Token": "0".repeat(32)}}]])
        outcome[name] = await fetch(server + (name === "read" || name === "opaque" ? "/api/v1/report" : "/api/v1/control"), options)
            .then((answer) => answer.text()).catch(() => "refused");
    outcome.script = await element("script", {src: server + "/api/v1/report"});
    outcome.image = await element("img", {src: server + "/api/v1/trace"});
    outcome.events = await new Promise((done) => {
        const events = new EventSource(server + "/api/v1/events");
        events.addEventListener("state", () => done("told"));
        events.onerror = () => done("refused");
    });
    const frame = Object.assign(document.createElement("iframe"), {src: server + "/"});
    document.body.append(frame);
    await new Promise((done) => { frame.onload = done; });
    outcome.frame = frame.contentDocument ? "read" : "refused";
    return outcome;
}"""


def other_server():
    """A server that returns an empty page, at another port of this machine."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>stranger</title><p>stranger")

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def check_stranger(browser, server, address):
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    check(page.text_content("p") == "stranger", "the other page is not there")
    for name, came in page.evaluate(TRIES, f"http://localhost:{server.port}").items():
        check(came in ("refused", ""), f"{name} of a page at {address}: {came}")
    page.evaluate("""(server) => { const form = Object.assign(document.createElement("form"), {method: "post", enctype: "text/plain",
        action: server + "/api/v1/control"}); document.body.append(form); form.submit(); }""", f"http://localhost:{server.port}")
    page.get_by_text("not of this server").wait_for()
    context.close()
    check(server.tell("/api/v1/state")["recording"]["is_open"], "a stranger has stopped the recording")


def check_inline(browser, server):
    """Scripts, handlers and styles that are injected into the page do nothing."""
    with Page(browser, server) as it:
        it.open("findings")
        it.page.evaluate("""() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            const image = document.createElement("div");
            image.innerHTML = "<img src='data:,' onerror='window.ran = true'><p style='position: fixed' id=styled>x</p>";
            document.body.append(script, image);
            document.body.append(Object.assign(document.createElement("script"), {src: "data:text/javascript,window.ran = true"}));
        }""")
        it.page.wait_for_timeout(500)
        check(it.page.evaluate("window.ran") is None, "a script was run")
        check(it.page.evaluate("getComputedStyle(document.getElementById('styled')).position") == "static", "a style was taken")
        check(any("Content Security Policy" in line for line in it.said), f"{it.said}")


# A name that reverses the text after it, so that one button of a browser seems to be another.
TURNED = """\
trace from=0 until=2s
process 1 pid=100 program=/bin/server probe
thread 1 tid=101 name="work\u202eer"
site 1 kind=source file=/src/a.cpp line=4 function="run\u202eme\u2066"
1ms t1 create c1 0x11010 @1
2ms t1 resume c1
3ms t1 suspend c1 lock:0x77 @1
4ms t1 park
"""


def check_turned(browser, place):
    """In names, characters that change direction are shown as escapes, on all screens, served and as a single file."""
    trace, page = pathlib.Path(place, "turned.ctrace"), pathlib.Path(place, "turned.html")
    pathlib.Path(place, "turned.txt").write_text(TURNED, encoding="utf-8")
    run(COROTRACER, "assemble", "-o", trace, place + "/turned.txt")
    server = Server("serve", "--listen", ":0", trace)
    judged(server)
    addresses = [f"http://localhost:{server.port}/"]
    if run(COROTRACER, "report", "-f", "page", "-o", page, trace, status=None).returncode == 0:
        addresses.append(page.as_uri())
    for address in addresses:
        with Page(browser, server) as it:
            for screen in ("findings", "coroutines", "coroutine?process=1&id=1", "places", "overview", "waits", "quality"):
                it.page.goto("about:blank")
                it.page.goto(f"{address}#{screen}")
                it.page.locator("main h2:visible").first.wait_for()
                it.answered()
                said = it.page.evaluate("document.documentElement.outerHTML.replace(/<script type=.text\\/plain[^]*?<\\/script>/g, '')")
                check("\u202e" not in said and "\u2066" not in said, f"{screen} of {address} holds characters that change direction")
            it.page.goto(f"{address}#coroutines")
            it.until("document.querySelector('main').textContent.includes('run\\\\u{202e}me')")
            it.quiet()
    server.stop()


def check_numbers(browser, place):
    """A numeric argument of the address that is not a number is ignored."""
    server = Server("serve", "--listen", ":0", place + "/turned.ctrace")
    judged(server)
    with Page(browser, server) as it:
        for screen in ("timeline", "overview", "waits", "places"):
            it.open(f"{screen}?from=abc&until=&at=x")
            it.answered()
            check("NaN" not in it.page.inner_text("body"), f"{screen}: {it.text('main')}")
        it.quiet()
    server.stop()


def main():
    with open_browser(__file__) as browser, folder() as place:
        server = Server("run", "--serve-until-exit", "--listen", ":0", "-o", place + "/frozen.ctrace", "--", BUILD / "tests/targets/lock_circle",
                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        judged(server)
        check_turned(browser, place)
        check_numbers(browser, place)
        stranger = other_server()
        for name in ("localhost", "127.0.0.1"):  # of the same site, and of another site
            check_stranger(browser, server, f"http://{name}:{stranger.server_port}/")
        check_inline(browser, server)
        server.process.stdin.close()
        server.process.wait(timeout=60)


if __name__ == "__main__":
    main()
