"""Take the pictures of the README and the docs in a real browser: python docs/figures.py.

The plan of the demo's report, the app with the same essays, the page of a judge, and the page of a researcher in the
middle of a rehearsal.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from manyjudges.service.demo import run_demo
from manyjudges.service.password import set_password
from manyjudges.service.rehearsal import Judges, make_study
from manyjudges.service.study import open_study
from manyjudges.service.study_planner import plan_study

IMAGES = Path(__file__).parent / "images"
WIDTH, GAP = 980, 14
APP_WIDTH = 860
PLAIN = ("Who is outdoors?", "Who is wearing shorts?", "Who is wearing a dress?", "Who is wearing glasses?")
"""Questions whose answers a reader sees, too."""

SEEN = 15
"""Objects that are seen without scrolling."""

PASSWORD = "of this rehearsal"


def take_report(browser: Any, report: Path, target: Path) -> None:
    """The heading of a report, the plan in a sentence, and the numbers to expect."""
    page = browser.new_page(viewport={"width": WIDTH, "height": 900}, device_scale_factor=1.5)
    page.goto(report.as_uri())
    page.add_style_tag(content="nav { display: none; }")  # links that a picture cannot follow
    end = page.locator("section .tiles").first.bounding_box()
    area = {"x": 0, "y": 0, "width": WIDTH, "height": end["y"] + end["height"] + GAP}
    page.screenshot(path=target, clip=area, full_page=True)
    page.close()


def take_app(browser: Any, target: Path) -> None:
    """The app with its simulated essays: the curve with its slider, and the answer."""
    with said_by("app", "--no-browser") as address:
        size = {"width": APP_WIDTH, "height": 900}
        page = browser.new_page(viewport=size, device_scale_factor=1.5, reduced_motion="reduce")
        page.goto(address)
        page.click("text=Essays rated on a rubric")
        page.get_by_role("button", name="That is right").click()
        page.fill("#price", "$0.05")
        page.fill("#new", "1000")
        page.locator("#money").get_by_role("button", name="Plan").click()
        page.get_by_text("Open the report").wait_for()
        page.evaluate("document.querySelectorAll('#money, #curve details').forEach((each) => each.remove())")
        page.evaluate("window.scrollTo(0, 0)")
        start, end = page.locator("#step-4").bounding_box(), page.locator("#step-5 .sentence").bounding_box()
        height = end["y"] + end["height"] + GAP - start["y"]
        area = {"x": start["x"], "y": start["y"], "width": start["width"], "height": height}
        page.screenshot(path=target, clip=area, full_page=True)
        page.close()


def true_ones(folder: Path, judges: Judges) -> list[int]:
    """Positions in the batch that is out with the last worker for which the answer is yes."""
    with open_study(folder) as opened:
        batch = opened.store.lease(opened.store.workers()[-1].id)
    crowd = judges.crowds[0]
    known = crowd.values[batch.attribute] if batch else {}
    return [item.position for item in batch.items if known[item.object] > 0.5] if batch else []


def take_judging(browser: Any, address: str, ones: Callable[[], list[int]], target: Path) -> None:
    """A judge's first batch, ticked as it should be."""
    for _ in range(40):  # each judge begins with another question
        page = browser.new_page(viewport={"width": WIDTH, "height": 760}, device_scale_factor=1.5)
        page.goto(address)
        page.get_by_role("button").first.click()
        page.wait_for_selector("#work")
        if page.locator("#question").inner_text() in PLAIN:
            break
        page.click("text=Give this batch back")
        page.close()
    for position in ones():
        if position < SEEN:
            page.locator(f"label:has(#a-{position})").first.click()
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=target)
    page.click("text=Give this batch back")
    page.close()


def take_dashboard(browser: Any, address: str, target: Path) -> None:
    """What the researcher sees."""
    page = browser.new_page(viewport={"width": 1180, "height": 1035}, device_scale_factor=1.5)
    page.goto(f"{address}/admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button").first.click()
    page.wait_for_selector("text=Judgments against the plan")
    page.wait_for_timeout(2500)
    page.screenshot(path=target)
    page.close()


def rehearse(browser: Any, folder: Path) -> None:
    """Serve a study with simulated judges, and look at it when it has planned and goes on."""
    made, judges = make_study(folder, n_objects=150)
    with open_study(made) as opened:
        set_password(opened, PASSWORD)
    with served(made) as address:
        take_judging(browser, address, lambda: true_ones(made, judges), IMAGES / "judging.png")
    with open_study(made) as opened:
        crew = judges.work(opened, pace=0.004)
        planned = None
        while planned is None or planned.round is None:  # what a judge could not tell is asked again before a plan
            while not opened.store.idle:
                time.sleep(0.2)
            planned = plan_study(opened)
        crew.stop()
        crew = judges.work(opened, count=6, pace=0.02)
        time.sleep(6)
        crew.stop()
    with served(made) as address:
        take_dashboard(browser, address, IMAGES / "dashboard.png")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The study behind its own command."""
    with said_by("serve", str(folder), "--port", "0", line="judges:") as address:
        yield address.rstrip("/")


@contextmanager
def said_by(*arguments: str, line: str = "http") -> Iterator[str]:
    """The address that a command prints in some line, while it serves."""
    command = [sys.executable, "-u", "-m", "manyjudges", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield next(text for text in process.stdout or [] if line in text).split()[-1]
        finally:
            process.terminate()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        take_app(chromium, IMAGES / "app.png")
        rehearse(chromium, Path(scratch) / "study")
        demo = run_demo(Path(scratch) / "demo")
        assert demo.report is not None, "pip install '.[report]'"
        take_report(chromium, demo.report, IMAGES / "report.png")
        chromium.close()
