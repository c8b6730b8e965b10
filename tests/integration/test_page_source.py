# SPDX-License-Identifier: MIT
"""Tests what the page says of a program in addition to its trace, in a real browser: source beside a place, what to do
if nothing was seen, and the order in which all forms say this."""
import json
import os
import pathlib

from browser import Page, open_browser
from served import Server, judged, need_pages
from support import COROTRACER, check, folder, run


SILENT = """\
trace from=0 until=5s
process 1 pid=100 program=/bin/server probe
thread 1 tid=100 name=main
"""


def check_silent(browser, place):
    """For a program with a probe that has recorded nothing, the page says what to do, in the words of the report."""
    (place / "silent.txt").write_text(SILENT, encoding="utf-8")
    server = Server("serve", "--listen", ":0", place / "silent.txt")
    judged(server)
    need_pages(server)
    with Page(browser, server) as it:
        it.open("findings")
        it.page.wait_for_selector("#why-unseen")
        said = it.text("#why-unseen")
        check("PromiseMixin" in said and "ctp_create" in said, said)
        report = run(COROTRACER, "report", place / "silent.txt").stdout
        check(" ".join(said[1:-1].split()) in " ".join(report.split()), f"{said}: {report}")
        it.quiet()
    server.stop()


def check_order(browser, place):
    """What is missing is said before the verdict, in text, in HTML, and on the page; HTML has the rest of the quality last."""
    (place / "quality.txt").write_text(SILENT + "1ms t1 create c1 0x11010\n2ms t1 resume c1\n3ms t1 suspend c1\n", encoding="utf-8")
    text, html = (run(COROTRACER, "report", "--format", form, place / "quality.txt").stdout for form in ("text", "html"))
    server = Server("serve", "--listen", ":0", place / "quality.txt")
    judged(server)
    with Page(browser, server) as it:
        it.open("findings")
        it.until("document.querySelector('#state').textContent.includes('0 lost')")
        strip, head = (it.page.locator(one).first.bounding_box() for one in ("#state", "main h2:visible"))
        check(strip["y"] < head["y"], f"{strip} {head}")
        check(0 < text.find("Data quality") < text.find("1 finding: 1 suspect"), text)
        check(0 < html.find("0 lost") < html.find("1 finding: 1 suspect") < html.find("Data quality"), html)
        it.quiet()
    server.stop()


def check_source(browser, place):
    """The source beside a place (H-25), if it is a regular text file; path:line is copied, an editor opens the file; a
    link shows the source at once."""
    lines = [f"line {i}" for i in range(1, 31)]
    (place / "engine.c").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (place / "link.c").symlink_to(place / "engine.c")
    (place / "src").mkdir()
    (place / "src/near.c").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (place / "binary.c").write_bytes(b"a\0b\n" * 40)
    os.mkfifo(place / "pipe.c")
    files = ("engine.c", "link.c", "binary.c", "pipe.c", "missing.c", "src/near.c")
    (place / "source.txt").write_text("\n".join((
        "trace from=0 until=2s", f"process 1 pid=100 program={place}/build/bin/engine probe", "thread 1 tid=101 name=worker-0",
        *(f"site {i} kind=source file={f'../{name}' if name == 'src/near.c' else f'{place}/{name}'} line=12 function=consume" for i, name in enumerate(files, 1)),
        *(f"{i}ms t1 create c{i} 0x{i}1010 @{i}\n+1us t1 resume c{i}\n+1us t1 suspend c{i} channel:5 @{i}" for i in range(1, 7)), "")), encoding="utf-8")
    server = Server("serve", "--listen", ":0", place / "source.txt")
    judged(server)
    numbers = {name: i for i, name in enumerate(files, 1)}
    ask = lambda site, token=server.token: server.ask(f"/api/v1/source?site={site}", X_Corotracer_Token=token)
    check(ask(numbers["engine.c"], None)[0] == 403, "read without the token")
    status, _, body = ask(numbers["engine.c"])
    told = json.loads(body)
    check(status == 200 and told["first"] == 6 and told["lines"] == lines[5:18] and told["line"] == 12, f"{status} {told}")
    # A relative name is as seen from the folder of the build, which is below that of the source.
    near = json.loads(ask(numbers["src/near.c"])[2])
    check(near["path"] == f"{place}/src/near.c" and near["lines"] == lines[5:18], f"{near}")
    for name in files[1:5]:
        check(ask(numbers[name])[0] == 404, f"{name} was read: {ask(numbers[name])}")
    for site in ("0", "99", "-1", "x", "18446744073709551615"):
        check(ask(site)[0] == 404, site)
    with Page(browser, server, permissions=["clipboard-read", "clipboard-write"]) as it:
        it.page.goto(f"http://localhost:{server.port}/#token={server.token}")
        it.page.wait_for_selector("main h2:visible")
        it.page.evaluate(f"location.hash = '#places?site={numbers['engine.c']}'")
        it.page.wait_for_selector(".source .here")
        it.until("document.querySelector('main [role=status]').textContent === '1 place'")
        check(it.text(".source .here") == "12line 12" and it.page.locator(".source > span").count() == 13, it.text(".source"))
        it.page.get_by_role("button", name="Copy path:line").click()
        it.until(f"navigator.clipboard.readText().then((text) => text === '{place}/engine.c:12')")
        check(it.page.locator("#open-editor").get_attribute("href") == f"vscode://file{place}/engine.c:12", it.text("main"))
        it.page.locator(".editor summary").click()
        for template, wanted in (("javascript:alert(1)", None), ("emacs://open?url=file://{path}&line={line}", f"emacs://open?url=file://{place}/engine.c&line=12")):
            it.page.fill("#editor", template)
            it.page.keyboard.press("Enter")
            it.until(f"document.querySelector('#open-editor').hidden === {str(wanted is None).lower()}")
            check(wanted is None or it.page.locator("#open-editor").get_attribute("href") == wanted, "another address")
        it.page.evaluate("location.hash = '#coroutine?id=1'")
        it.page.wait_for_selector("main.coroutine dl a.place")
        it.answered()
        link = it.page.locator("main.coroutine dl a.place").first
        link.hover()
        it.page.wait_for_selector("#card .here")
        it.page.evaluate("document.dispatchEvent(new Event('scroll'))")
        check(it.page.locator("#card").is_hidden(), "the card stays while the page scrolls")
        link.hover(position={"x": 3, "y": 3})
        it.page.wait_for_selector("#card .here")
        check("line 12" in it.text("#card"), it.text("#card"))
        it.page.evaluate(f"location.hash = '#places?site={numbers['missing.c']}'")
        it.page.wait_for_selector("#no-source")
        check(f"found no text file {place}/missing.c that it can read" in it.text("#no-source"), it.text("#no-source"))
        it.page.evaluate("location.hash = '#findings'")
        it.page.wait_for_selector("main.findings")
        it.until("document.querySelector('#card').hidden")
        check(not [line for line in it.said if "404" not in line], f"the console says {it.said}")
    server.stop()
    server = Server("serve", "--listen", ":0", place / "source.txt", cwd=place / "src")
    judged(server)
    near = json.loads(server.ask(f"/api/v1/source?site={numbers['src/near.c']}", X_Corotracer_Token=server.token)[2])
    check(near["path"] == f"{place}/src/near.c", f"the path is as seen from the server: {near['path']}")
    server.stop()


def main():
    with open_browser(__file__) as browser, folder() as name:
        place = pathlib.Path(name).resolve()
        check_silent(browser, place)
        check_order(browser, place)
        check_source(browser, place)


if __name__ == "__main__":
    main()
