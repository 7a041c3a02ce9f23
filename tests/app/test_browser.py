"""The page in a real browser, from a file that is dropped to predictions; the lines that it shows give the same files.

What was seen is kept in ``build/screenshots``.
"""

from __future__ import annotations

import base64
import json
import re
import shlex

import pytest
from playwright.sync_api import expect

from manyjudges.app.samples import write_sample
from manyjudges.cli.main import app as command_line
from tests.support.app_pages import running_app
from tests.support.browser import accessibility_problems, picture
from tests.support.folders import ROOT

FRONT = ROOT / "tests" / "fixtures" / "front"
SCREENSHOTS = ROOT / "build" / "screenshots"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}

DROP = """([where, name, bytes]) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
    for (const kind of ["dragover", "drop"]) {
        document.querySelector(where).dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true}));
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


def sent(page, act):
    """Do what sends a form, and wait until the page shows what came of it."""
    with page.expect_response(lambda response: response.request.redirected_from is not None) as answer:
        act()
    answer.value.finished()
    page.evaluate("new Promise((done) => setTimeout(done, 50))")
    rest(page)


def drop(page, path, where="#drop"):
    """Drop a file on the page."""
    content = base64.b64encode(path.read_bytes()).decode()
    sent(page, lambda: page.evaluate(DROP, [where, path.name, content]))
    page.locator("#step-2").wait_for(timeout=120_000)


def choose(page, role, column):
    """Say which column is what."""
    sent(page, lambda: page.select_option(f"#role-{role}", column))


def press(page, name):
    """Click a button that sends a form."""
    sent(page, lambda: page.get_by_role("button", name=name).first.click())


def downloaded(page, name):
    """The bytes of a file that a link downloads."""
    with page.expect_download() as download:
        page.get_by_role("link", name=name).click()
    return download.value.path().read_bytes()


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
def test_from_a_dropped_file_to_predictions_that_the_lines_repeat(page, tmp_path, monkeypatch, capsys):
    seen(page, "1-table")
    path = with_codes(tmp_path)
    drop(page, path)
    page.get_by_text("Which number do you want to predict?").wait_for()
    choose(page, "label", "Grade")
    sent(page, lambda: page.get_by_label("Use handwriting").uncheck())
    seen(page, "2-columns")
    press(page, "That is right")
    page.get_by_text("-99 means no answer").wait_for()
    seen(page, "3-check")
    press(page, "-99 means no answer")
    page.fill("#price", "$0.05")
    page.fill("#new", "5,000")
    page.get_by_text("Some questions have another price").click()
    page.get_by_role("textbox", name="clarity Most judgments of one object").fill("2")
    seen(page, "4-money")
    press(page, "Plan")
    page.get_by_text("Open the report").wait_for(timeout=120_000)
    seen(page, "5-answer")

    stops, words = stops_of(page), page.locator("#stop-words").inner_text()
    page.locator("#stop").focus()
    sent(page, lambda: page.keyboard.press("ArrowLeft"))
    page.get_by_text("Open the report").wait_for(timeout=120_000)
    assert page.locator("#stop-words").inner_text() != words
    assert stops_of(page) == stops  # the slider has not moved away under the hand

    files = {name: downloaded(page, name) for name in ("plan.json", "tobuy.csv", "model.json")}
    plan = json.loads(files["plan.json"])
    assert "handwriting" not in plan["attributes"]
    assert plan["repeats"].get("clarity", 0) <= 2
    new = tmp_path / "new.csv"
    new.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    drop(page, new, "#new-file")
    page.get_by_text("Predictions of 150 objects").wait_for()
    seen(page, "6-predictions")
    files["predictions.csv"] = downloaded(page, "predictions.csv")
    lines = downloaded(page, "commands.txt").decode().splitlines()
    assert lines == page.locator("#command-lines").inner_text().splitlines()
    monkeypatch.chdir(tmp_path)
    run(lines)
    sentence = page.locator(".sentence").inner_text()
    assert sentence in capsys.readouterr().out
    assert {name: (tmp_path / name).read_bytes() for name in files} == files
    (tmp_path / "plan.json").unlink()
    exec(downloaded(page, "plan.py"), {})
    assert sentence in capsys.readouterr().out
    assert json.loads((tmp_path / "plan.json").read_text(encoding="utf-8")) == plan

    with page.context.expect_page() as opened:
        page.get_by_text("Open the report").click()
    report = opened.value
    report.get_by_role("heading", name="What to buy").wait_for()
    report.locator(".mj-panel").first.wait_for()  # its scripts run, in their sandbox
    assert report.evaluate("window.origin") == "null"
    report.close()


def stops_of(page):
    """The budgets of the slider."""
    return [point["budget"] for point in json.loads(page.locator("#stop").get_attribute("data-points"))]


def run(lines):
    """Run the lines for a terminal, but for the report, which takes long."""
    commands = [shlex.split(line) for line in lines]
    assert [parts[:2] for parts in commands] == [
        ["manyjudges", name] for name in ("plan", "report", "missing", "fit", "predict")
    ]
    for _, *arguments in commands:
        if arguments[0] != "report":
            with pytest.raises(SystemExit) as ended:
                command_line(arguments)
            assert ended.value.code == 0


@pytest.mark.slow
def test_labels_are_dropped_and_a_leak_is_asked_about_and_names_are_listed(page, tmp_path):
    drop(page, FRONT / "survey-leak.csv")
    drop(page, FRONT / "grades.csv", "#label-file")
    page.get_by_text("12 labels").wait_for()
    press(page, "That is right")
    page.get_by_text("equals the label").wait_for()
    press(page, "Leave “Grade” out")
    page.get_by_text("“Grade” is left out.").wait_for()
    seen(page, "warnings")
    press(page, "Plan")
    page.locator("#step-5").wait_for()
    names = tmp_path / "names.txt"
    names.write_text("E98\nE99\n")
    page.locator("#new-file").wait_for()
    drop(page, names, "#new-file")
    page.get_by_text("What to ask about 2 objects").wait_for()
    seen(page, "names")
    assert b"E99" in downloaded(page, "tobuy-new.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("survey-own-words.csv", "Put the answers in order"),
        ("survey-mixed.csv", "“good” means no answer"),
        ("sosci.csv", "named in the headings"),
    ],
)
def test_what_is_not_understood_is_asked_in_words_of_the_page(page, file, words):
    drop(page, FRONT / file)
    if page.locator("#role-label option[value=Grade]").count():
        choose(page, "label", "Grade")
    if page.get_by_role("button", name="That is right").count():
        press(page, "That is right")
    assert words in page.locator("main").inner_text()
    seen(page, file.partition(".")[0])


@pytest.mark.slow
def test_a_tab_that_shows_an_earlier_table_says_nothing_about_the_new_one(page):
    sent(page, lambda: page.click("text=Essays rated on a rubric"))
    other = page.context.new_page()
    other.goto(page.url)
    sent(other, lambda: other.click("text=Use another table"))
    sent(other, lambda: other.click("text=Beans in a jar"))
    press(page, "That is right")
    assert "jars.csv" in page.locator("#step-1").inner_text()
    assert page.locator("#step-3").count() == 0
    other.close()


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
    expect(page.locator("#announced")).to_have_text(re.compile("^(Copied|Selected: copy it with Ctrl-C)$"))


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
    press(page, "That is right")
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
