"""The page in a real browser, from a file that is dropped to a plan; the command that it shows gives the same plan.

What was seen is kept in ``build/screenshots``.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from manyjudges.app.samples import write_sample
from tests.support.app_pages import running_app
from tests.support.browser import accessibility_problems, picture
from tests.support.folders import ROOT

FRONT = ROOT / "tests" / "fixtures" / "front"
SCREENSHOTS = ROOT / "build" / "screenshots"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}

DROP = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    for (const kind of ["dragover", "drop"]) {
        document.getElementById("drop").dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true}));
    }
}"""


@pytest.fixture(scope="module")
def app():
    """The app in a process of its own."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with running_app("--no-browser") as (_, address):
        yield address


@pytest.fixture
def page(browser, app):
    """A fresh browser at the page, which must complain of nothing."""
    context = browser.new_context(viewport=DESK, accept_downloads=True)
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(app)
    if page.locator("text=Use another table").count():
        page.click("text=Use another table")
    page.locator("#drop").wait_for()
    yield page
    context.close()
    assert complaints == []


def rest(page):
    """Until the worker rests."""
    page.locator("main[data-busy=no]").wait_for(timeout=120_000)


def drop(page, path, name=None):
    """Drop a file on the page."""
    page.evaluate(DROP, [name or path.name, path.read_text(encoding="utf-8")])
    page.locator("#step-2").wait_for(timeout=120_000)
    rest(page)


def choose(page, role, column):
    """Say which column is what."""
    with page.expect_response("**/columns"):
        page.select_option(f"#role-{role}", column)
    rest(page)


def seen(page, name):
    """What the page looks like on a desk, on a phone and in the dark; nothing may be wrong with it."""
    assert accessibility_problems(page) == ""
    picture(page, SCREENSHOTS / f"app-{name}.png", full_page=True)
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    picture(page, SCREENSHOTS / f"app-{name}-phone.png", full_page=True)
    page.emulate_media(color_scheme="dark")
    assert accessibility_problems(page) == ""
    picture(page, SCREENSHOTS / f"app-{name}-phone-dark.png", full_page=True)
    page.set_viewport_size(DESK)
    picture(page, SCREENSHOTS / f"app-{name}-dark.png", full_page=True)
    page.emulate_media(color_scheme="light")


def with_codes(tmp_path):
    """The sample of essays in numbers, with -99 for some answers that are missing."""
    path, _ = write_sample("essays", tmp_path)
    text = path.read_text(encoding="utf-8")
    words = ("strongly disagree", "slightly disagree", "disagree", "strongly agree", "slightly agree", "agree")
    for word, number in zip(words, "132645", strict=True):
        text = text.replace(word, number)
    lines = text.splitlines()
    for at in range(5, 300, 29):
        cells = lines[at].split(",")
        cells[4] = "-99"
        lines[at] = ",".join(cells)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.slow
def test_from_a_dropped_file_to_a_plan_that_the_command_repeats(page, tmp_path):
    seen(page, "1-table")
    path = with_codes(tmp_path)
    drop(page, path)
    page.get_by_text("Which number do you want to predict?").wait_for()
    choose(page, "label", "Grade")
    page.get_by_label("Use handwriting").uncheck()
    rest(page)
    seen(page, "2-columns")
    page.get_by_role("button", name="That is right").click()
    page.get_by_text("-99 means no answer").wait_for()
    seen(page, "3-check")
    page.get_by_role("button", name="-99 means no answer").click()
    page.locator("#step-4").wait_for()
    page.fill("#price", "$0.05")
    page.fill("#new", "5000")
    seen(page, "4-money")
    page.locator("#money").get_by_role("button", name="Plan").click()
    page.get_by_text("Open the report").wait_for(timeout=120_000)
    seen(page, "5-answer")

    before = page.locator("#stop-words").inner_text()
    page.locator("#stop").focus()
    page.keyboard.press("Home")
    assert page.locator("#stop-words").inner_text() != before
    command = page.locator("#command-lines").inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#command-lines")).not_to_have_text(command)
    page.get_by_text("Open the report").wait_for(timeout=120_000)
    rest(page)

    with page.expect_download() as download:
        page.get_by_role("link", name="plan.json").click()
    plan = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert "handwriting" not in plan["attributes"]
    command = page.locator("#command-lines").inner_text().splitlines()[0]
    parts = [sys.executable, "-m", *shlex.split(command)]
    subprocess.run(parts, cwd=tmp_path, check=True, capture_output=True)
    assert json.loads((tmp_path / "plan.json").read_text(encoding="utf-8")) == plan
    code = page.locator("#python-lines").inner_text() + '\nprint(found.plan.to_json(), file=open("again.json", "w"))\n'
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))["repeats"] == plan["repeats"]

    with page.context.expect_page() as opened:
        page.get_by_text("Open the report").click()
    report = opened.value
    report.get_by_role("heading", name="What to buy").wait_for()
    report.locator(".mj-panel").first.wait_for()  # its scripts run, in their sandbox
    assert report.evaluate("window.origin") == "null"
    report.close()


@pytest.mark.slow
def test_the_keyboard_is_enough(page):
    def tab_to(selector):
        for _ in range(60):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached")

    tab_to("button[value=essays]")
    page.keyboard.press("Enter")
    page.locator("#step-2").wait_for()
    rest(page)
    assert page.evaluate("document.activeElement.id") == "step-2-h"
    tab_to("form[action='/confirm'] button")
    page.keyboard.press("Enter")
    page.locator("#step-4").wait_for()
    tab_to("#price")
    page.keyboard.type("0.05")
    page.keyboard.press("Enter")
    page.locator("#step-5").wait_for(timeout=120_000)
    page.get_by_text("Open the report").wait_for(timeout=120_000)
    tab_to("#stop")
    page.keyboard.press("ArrowLeft")
    page.locator("#working-title").wait_for()
    rest(page)
    tab_to("button[data-copy=command-lines]")
    page.keyboard.press("Enter")
    assert page.locator("#announced").inner_text() in ("Copied", "Selected: copy it with Ctrl-C")


@pytest.mark.slow
def test_a_bad_file_can_be_followed_by_a_good_one(page):
    page.set_input_files("#file", FRONT / "report.xls")
    page.get_by_role("alert").get_by_text("save it as .xlsx or CSV").wait_for()
    seen(page, "bad-file")
    page.click("text=Use another table")
    page.locator("#drop").wait_for()
    drop(page, FRONT / "survey.csv")
    assert page.locator("#role-object").input_value() == "Essay"


@pytest.mark.slow
def test_what_takes_long_can_be_stopped(page, tmp_path):
    page.click("text=Essays rated on a rubric")
    page.get_by_role("button", name="That is right").click()
    page.locator("#step-4").wait_for()
    page.locator("#money").get_by_role("button", name="Plan").click()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("You stopped this.").wait_for()
    page.locator("#money").get_by_role("button", name="Plan").click()
    page.get_by_text("Open the report").wait_for(timeout=120_000)


@pytest.mark.slow
def test_without_a_script_the_page_works_too(browser, app, tmp_path):
    context = browser.new_context(java_script_enabled=False, viewport=DESK)
    page = context.new_page()
    page.goto(app)
    if page.locator("text=Use another table").count():
        page.click("text=Use another table")
    page.set_input_files("#file", FRONT / "survey.csv")
    page.get_by_role("button", name="Read it").click()
    page.locator("#step-2").wait_for(timeout=60_000)
    page.locator("main[data-busy=no]").wait_for(timeout=60_000)
    page.select_option("#role-label", "Grade")
    page.get_by_role("button", name="Read again").click()
    page.get_by_role("button", name="That is right").click(timeout=60_000)
    page.locator("#step-4").wait_for()
    page.get_by_role("button", name="Plan").click()
    page.locator("#step-5").wait_for(timeout=120_000)
    context.close()
