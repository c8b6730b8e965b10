# SPDX-License-Identifier: MIT
"""A real browser, driven by Playwright, which is installed beside the build the first time."""
import contextlib
import shutil
import time

from environment import run_again_with
from support import check, skip

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
GIVE_UP = 60  # seconds; a busy machine takes ten times as long as a free one


@contextlib.contextmanager
def open_browser(program):
    """`program` is the caller's own file."""
    if not CHROMIUM:
        skip("there is no Chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        run_again_with("page", program)
    with sync_playwright() as playwright:
        # Its sandbox needs rights that containers and the superuser do not have.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Page:
    """A page of the browser, with all messages of its console."""

    def __init__(self, browser, server, width=1280, height=860, **options):
        self.server = server
        self.context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **options)
        self.page = self.context.new_page()
        self.said = []
        self.page.set_default_timeout(GIVE_UP * 1000)
        self.nr_asked = self.nr_frames = 0
        self.page.on("request", lambda request: self.count(request, 1))
        self.page.on("requestfinished", lambda request: self.count(request, -1))
        self.page.on("requestfailed", lambda request: self.count(request, -1))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def open(self, view):
        self.page.goto("about:blank")
        self.page.goto(f"http://localhost:{self.server.port}/#{view}")
        self.page.wait_for_selector("main h2:visible, main canvas:visible")

    def count(self, request, by):
        if "/api/v1/events" not in request.url:  # the stream of events, which never ends
            self.nr_asked += by
            self.nr_frames = 0

    def answered(self):
        """Waits until the page sends no more requests for some frames, because an answer may lead to the next
        request."""
        end = time.monotonic() + GIVE_UP
        self.nr_frames = 0
        while self.nr_frames < 4:
            self.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
            self.nr_frames += not self.nr_asked
            check(time.monotonic() < end, f"{self.page.url} asks without end")

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def until(self, expression):
        """Waits until a condition is true in the page, whose policy does not allow a script of ours to wait there."""
        end = time.monotonic() + GIVE_UP
        while not self.page.evaluate(expression):
            check(time.monotonic() < end, f"never true: {expression}; {self.page.url}: {self.text('main')[:500]}")
            self.page.wait_for_timeout(20)

    def quiet(self):
        check(not self.said, f"the console says {self.said}")
