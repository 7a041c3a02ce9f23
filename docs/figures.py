"""Take the picture of the README: the top of the demo's report, in a real browser. python docs/figures.py."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from manyjudges.demo import REPORT, run_demo

IMAGES = Path(__file__).parent / "images"
WIDTH, MARGIN = 980, 40


def take(report: Path, target: Path) -> None:
    """The first section of a report, with the heading above it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, device_scale_factor=1.5)
        page.goto(report.as_uri())
        end = page.locator("section").nth(0).bounding_box()
        area = {"x": 0, "y": 0, "width": WIDTH, "height": end["y"] + end["height"] + MARGIN}
        page.screenshot(path=target, clip=area, full_page=True)
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        run_demo(Path(folder) / "demo")
        take(Path(folder) / "demo" / REPORT, IMAGES / "report.png")
