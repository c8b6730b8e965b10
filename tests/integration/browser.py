# SPDX-License-Identifier: MIT
"""A real browser, driven by Playwright, which is installed beside the build the first time."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

PACKAGES = ("playwright", "axe-playwright-python")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def run_again_with_packages(program):
    """Runs the program in an environment of its own, which has the packages; ends with 77 where there can be none."""
    place = pathlib.Path(os.environ["COROTRACER_BUILD"], "tests/page-packages").resolve()
    python = place / "bin/python"
    if not (place / "complete").exists():
        for command in ([sys.executable, "-m", "venv", "--clear", place], [python, "-m", "pip", "install", "-q", *PACKAGES]):
            if subprocess.run(command, capture_output=True, check=False).returncode:
                print("skipped: the packages of the browser's driver cannot be installed")
                sys.exit(77)
        (place / "complete").touch()
    os.execv(python, [str(python), str(program), *sys.argv[1:]])


@contextlib.contextmanager
def open_browser(program):
    """`program` is the caller's own file."""
    if not CHROMIUM:
        print("skipped: there is no Chromium")
        sys.exit(77)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        run_again_with_packages(program)
    with sync_playwright() as playwright:
        # Its sandbox needs what containers and the superuser do not have.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()
