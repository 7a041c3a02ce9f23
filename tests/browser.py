"""A real browser for tests: the one place that says what happens where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def missing(what: str) -> Any:
    """Skip, and say why; on the machine that is to test everything, fail instead."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is not here, and must be where CI is true")
    pytest.skip(f"{what} is not here")


@contextmanager
def chromium() -> Iterator[Any]:
    """A running Chromium, as playwright's Browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def accessibility_problems(page: Any) -> str:
    """What axe finds wrong on a page, in words; nothing where all is well."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        missing("axe-playwright-python")
    found = Axe().run(page)
    return found.generate_report() if found.violations_count else ""
