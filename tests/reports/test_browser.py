"""The page in a real browser: what a reader sees and can do."""

from __future__ import annotations

import pytest

from manyjudges import simulate
from manyjudges.reports import explore, report
from tests.support.browser import accessibility_problems
from tests.support.components import missing

PANEL, SLIDER = ".mj-panel", "#budget-range"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A report with warnings, more attributes than rows, and a title that tries to break the page."""
    crowd = simulate.height_weight(150, random_state=1)
    path = tmp_path_factory.mktemp("report") / "report.html"
    report(
        crowd.pilot(2),
        crowd.labels,
        20,
        costs=crowd.costs,
        budgets=[2, 5, 10, 20, 40],
        shrinkage=0.1,
        cv_repeats=1,
        out=path,
        title="Heights of <b>people</b>",
        label_name="height in inches",
    )
    return path


@pytest.fixture
def opened(browser, page_file):
    """Opens the page, and closes it again; anything that goes wrong on it is an error."""
    contexts, wrong = [], []

    def opened(path=page_file, width=1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: None if request.url == path.as_uri() else wrong.append(request.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_nothing_is_wider_than_the_screen(opened, width):
    page = opened(width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shown = page.evaluate("[...document.querySelectorAll('.mj-stage')].filter((s) => s.offsetParent).length")
    assert shown == 6  # one width of each figure


def luminance(colour: str) -> float:
    channels = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_light_and_dark_also_in_figures(opened, scheme, dark):
    page = opened(color_scheme=scheme)
    style = "getComputedStyle(document.querySelector({}))"
    paper = luminance(page.evaluate(style.format("'body'") + ".backgroundColor"))
    assert (paper < 0.05) is dark
    for text in ("body", "figcaption", "#map-wide text", "#reliability-wide text"):
        what = "fill" if "text" in text else "color"
        ink = luminance(page.evaluate(style.format(f"'{text}'") + f".{what}"))
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= 4.5, text


def test_a_point_shows_its_plan_when_hovered_or_focused(opened):
    page = opened()
    page.locator(".mj-stage").first.scroll_into_view_if_needed()
    at_start = page.inner_text(PANEL)
    assert "Budget 20" in at_start
    dots = page.locator(".mj-stage[data-width=wide] .mj-dot")
    assert dots.count() == 15
    box = dots.nth(1).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    hovered = page.inner_text(PANEL)
    assert "Budget 5" in hovered
    assert hovered != at_start
    dots.nth(4).focus()
    assert "Budget 40" in page.inner_text(PANEL)
    page.keyboard.press("ArrowLeft")
    assert "Budget 20" in page.inner_text(PANEL)
    assert page.evaluate("document.activeElement.className") == "mj-dot"
    page.keyboard.press("ArrowDown")
    assert "“scoring”" in page.inner_text(PANEL)


def test_the_slider_and_the_methods_work_with_the_keyboard(opened):
    page = opened(width=360)
    page.locator(SLIDER).focus()
    page.keyboard.press("Home")
    first = page.inner_text(PANEL)
    assert "Budget 2" in first
    page.keyboard.press("ArrowRight")
    assert "Budget 5" in page.inner_text(PANEL)
    assert page.locator(SLIDER).get_attribute("aria-valuetext").startswith("budget 5, off by about")
    other = page.locator("input[type=radio]:not(:checked)").first
    other.check()
    assert page.locator("input[type=radio]:checked").count() == 1


def test_without_scripts_the_table_of_plans_is_there(opened):
    page = opened(java_script_enabled=False)
    rows = page.locator("#budget .mj-plans tbody tr")
    assert rows.count() == 15
    assert rows.first.is_visible()
    assert not page.locator(".mj-controls").is_visible()
    assert not page.locator(PANEL).is_visible()


def test_it_prints(opened):
    page = opened()
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 30_000
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") >= 4
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 673, "height": 900})  # A4 without its margins
    assert page.evaluate("document.documentElement.scrollWidth") <= 673
    assert not page.locator(".mj-controls").is_visible()
    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) == 1
    assert page.locator("#budget .mj-plans tbody tr").last.is_visible()  # what is folded is unfolded


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_stands_in_the_way_of_assistive_technology(opened, scheme, width):
    page = opened(width=width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert accessibility_problems(page) == ""


def test_what_stands_in_the_way_would_be_found(browser):
    context = browser.new_context()
    page = context.new_page()
    page.set_content("<p style='color:#ccc;background:#fff'>pale</p><img src='data:,'>")
    assert "image-alt" in accessibility_problems(page)
    context.close()


def test_without_a_browser_tests_are_skipped_but_not_where_all_must_run(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="chromium is not here"):
        missing("chromium")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="chromium is not here"):
        missing("chromium")


def test_the_keyboard_skips_to_the_answer(opened):
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0


def test_two_explorers_in_one_notebook_do_not_clash(opened, tmp_path):
    crowd = simulate.jelly_beans(n_objects=100, random_state=0)
    shown = explore(crowd.pilot(2), crowd.labels, [2, 5, 10], shrinkage=0, cv_repeats=1)
    path = tmp_path / "notebook.html"
    # A notebook puts the piece into the page first and runs its scripts afterwards.
    pieces = [shown._repr_html_(), shown._repr_html_()]
    path.write_text(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Notebook</title>"
        + "".join(f"<div class=cell><template>{piece}</template></div>" for piece in pieces)
        + """<script>for (const cell of document.querySelectorAll(".cell")) {
          cell.innerHTML = cell.querySelector("template").innerHTML;
          for (const old of cell.querySelectorAll("script")) {
            const copy = document.createElement("script");
            for (const each of old.attributes) copy.setAttribute(each.name, each.value);
            copy.textContent = old.textContent;
            old.replaceWith(copy);
          }
        }</script>""",
        encoding="utf-8",
    )
    page = opened(path)
    ranges, panels = page.locator("input[type=range]"), page.locator(PANEL)
    assert ranges.count() == panels.count() == 2
    ranges.nth(1).focus()
    page.keyboard.press("Home")
    assert "Budget 2" in panels.nth(1).inner_text()
    assert "Budget 5" in panels.nth(0).inner_text()
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))
