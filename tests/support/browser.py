"""A real browser for tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.components import missing

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Any]:
    """A running Chromium, as playwright's Browser."""
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        missing("playwright")
    expect.set_options(timeout=60_000)  # a busy machine is slow, not wrong
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def picture(page: Any, path: Any, **options: Any) -> None:
    """A picture of a page to look at; on a busy machine the browser may need another try."""
    from playwright.sync_api import Error

    for attempt in range(3):
        try:
            page.screenshot(path=path, **options)
            return
        except Error as error:
            if attempt == 2 or "Unable to capture screenshot" not in str(error):
                raise
            page.wait_for_timeout(500)


def accessibility_problems(page: Any) -> str:
    """What axe finds wrong on a page, in words; nothing where all is well."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        missing("axe-playwright-python")
    found = Axe().run(page)
    return found.generate_report() if found.violations_count else ""
