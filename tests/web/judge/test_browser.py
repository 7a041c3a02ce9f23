"""The judging page in a real browser: by finger, by keyboard and without script, on a phone and on a desk.

What was seen is kept in ``build/screenshots``.
"""

from __future__ import annotations

import re

import pytest

from manyjudges.web.judge.form import read_answers
from tests.support.browser import accessibility_problems, picture
from tests.support.folders import ROOT
from tests.support.web import make_study, opened, served

SCREENSHOTS = ROOT / "build" / "screenshots"
PHONE, DESK = 375, 1280
MUSCULAR, TALL, FRIENDLY = "muscular-name", "inches-name", "friendly-name"
CHECKED = {
    *(f"pictures-{each}" for each in ("entry", "grid", "number-wrong", "scale", "turk", "unknown")),
    *(f"texts-{each}" for each in ("grid", "number", "number-blank", "paused", "wait", "again", "done")),
}
"""What axe looks at, which takes its time: each page once, some with pictures and some with texts."""
TURK = "/?assignmentId=A1&workerId=W1&hitId=H1&turkSubmitTo=https%3A%2F%2Fwww.mturk.com"


class Visit:
    """A judge's browser at a study."""

    def __init__(self, page, app, address):
        self.page, self.app, self.address, self.checked = page, app, address, False

    def go(self, path="/"):
        self.page.goto(self.address + path)

    def enter(self):
        self.go()
        self.page.check("#agree")
        self.page.click("text=Start judging")
        self.page.wait_for_selector("#work")
        self.page.wait_for_load_state("domcontentloaded")  # the page may be there before its script has run

    def hand_in(self):
        with self.page.expect_navigation():
            self.page.click(".bar .main")

    def values(self):
        return list(self.app.state.store.judgments()["value"])

    def ticked(self):
        return self.page.eval_on_selector_all(".strip input", "boxes => boxes.map(b => +b.checked)")

    def focused(self):
        return self.page.evaluate("document.activeElement.id || document.activeElement.name")

    def look(self, name):
        """Keep a picture, and hold the page against what every page must be."""
        width = self.page.viewport_size["width"]
        picture(self.page, SCREENSHOTS / f"{name}-{width}.png")
        if self.checked and name in CHECKED:
            assert accessibility_problems(self.page) == "", name
        assert self.page.evaluate("document.documentElement.scrollWidth") <= width, name
        small = self.page.evaluate(
            """[...document.querySelectorAll("button, a.button, .face-label, .step, .cant, .number, summary")]
            .filter(e => e.offsetParent && (e.offsetHeight < 44 || e.offsetWidth < 43.9))
            .map(e => e.outerHTML.slice(0, 90))"""
        )
        assert small == [], name


@pytest.fixture
def visit(browser, tmp_path):
    """Opens a study in a browser; anything that goes wrong there, or is asked of other hosts, is an error."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    closing, wrong = [], []

    def begin(width=DESK, order=None, n=12, damaged=False, study=None, **options):
        folder = tmp_path / str(len(closing))
        given = make_study(folder, n=n, **(study or {}))
        application = opened(given, order={MUSCULAR: 1} if order is None else order)
        app = application.__enter__()
        if damaged:
            (folder / "secret-file-2.png").write_bytes((folder / "secret-file-2.png").read_bytes()[:-400])
        server = served(app)
        address = server.__enter__()
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        context.set_default_timeout(5000)
        closing.extend([context.close, lambda: server.__exit__(None, None, None)])
        closing.append(lambda: application.__exit__(None, None, None))
        page = context.new_page()
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(address) else wrong.append(asked.url))
        return Visit(page, app, address)

    yield begin
    for close in closing:
        close()
    # A form that comes back with its errors is a page of status 422, which the browser's console remarks on.
    assert [each for each in wrong if not re.search("status of (404|422)", each)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "width", "scheme"),
    [("pictures", PHONE, "light"), ("pictures", DESK, "light"), ("texts", 320, "dark"), ("texts", DESK, "dark")],
)
def test_every_page_of_a_whole_visit(visit, kind, width, scheme):
    order = {MUSCULAR: 1, TALL: 1, FRIENDLY: 1}
    judge = visit(width, order, 16, kind == "pictures", {"texts": kind == "texts"}, color_scheme=scheme)
    page, judge.checked = judge.page, (kind, width) in {("pictures", PHONE), ("texts", DESK)}
    judge.go()
    judge.look(f"{kind}-entry")
    judge.enter()
    for _ in range(3):
        asked = page.get_attribute("#work", "data-widget")
        if asked == "tick":
            page.click(".tile:not(.unseen) >> nth=1 >> .strip")
            page.click(".tile:not(.unseen) >> nth=4 >> .face")
            page.evaluate("scrollTo(0, 0)")
            judge.look(f"{kind}-grid")
            page.click("text=Pause")
            judge.look(f"{kind}-paused")
            page.click("text=Go on judging")
            page.wait_for_selector(".tile")
            assert sum(judge.ticked()) == 2
        elif asked == "field":
            page.fill(".number >> nth=0", "70")
            judge.look(f"{kind}-number")
            page.evaluate("document.getElementById('work').noValidate = true")
            page.fill(".number >> nth=1", "7")
            judge.hand_in()
            judge.look(f"{kind}-number-wrong")
            assert judge.focused() == "problems"
            page.fill(".number >> nth=1", "71")
            judge.hand_in()
            judge.look(f"{kind}-number-blank")
            assert page.is_visible("text=Hand in 3 of 16" if kind == "pictures" else "text=Hand in 2 of 16")
        else:
            page.click(".card:has(.step) >> nth=0 >> .step:nth-child(3)")
            judge.look(f"{kind}-scale")
        if asked != "binary":
            page.eval_on_selector_all(".cant input", "all => all.forEach((each) => each.checked || each.click())")
        judge.hand_in()
    for path, name in (("/judge", "wait"), ("/judge/last", "again"), ("/done", "done"), (TURK, "turk")):
        judge.go(path)
        judge.look(f"{kind}-{name}")
    judge.go("/w/a-link-of-nobody")
    judge.look(f"{kind}-unknown")


def test_by_keyboard(visit):
    judge = visit(n=16)
    judge.enter()
    page = judge.page
    page.focus("#a-0")
    columns = page.evaluate(
        "[...document.querySelectorAll('.tile')].filter((t, i, all) => t.offsetTop === all[0].offsetTop).length"
    )
    assert 4 <= columns <= 9
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert judge.focused() == f"a-{columns + 1}"
    assert page.inner_text(f"#item-{columns + 1} .digit") == "2"
    page.keyboard.press("Space")
    page.keyboard.press("3")
    assert judge.focused() == f"a-{columns + 2}"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert judge.focused() == "a-0"
    expected = [int(i in (0, columns + 1, columns + 2)) for i in range(16)]
    assert judge.ticked() == expected
    assert page.inner_text("#count") == "3 ticked"
    page.keyboard.press("Control+z")
    page.click("#undo")
    assert sum(judge.ticked()) == 1
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert judge.ticked() == [0] * 16
    assert page.is_disabled("#undo")
    page.focus("#a-3")
    page.keyboard.press("1")
    page.keyboard.press("Enter")  # on a tile, it hands nothing in
    assert page.query_selector("#work") is not None
    assert judge.values() == []
    page.focus(".bar .main")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert sum(judge.values()) == 1
    assert len(judge.values()) == 16


def test_numbers_by_keyboard(visit):
    judge = visit(order={TALL: 1}, n=3)
    judge.enter()
    page = judge.page
    page.focus("#a-0")
    for typed in ("60", "61"):
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
    assert judge.focused() == "a-2"
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    assert judge.focused() == "a-2"  # the page itself says that it is out of range
    assert page.inner_text("#e-2") == "Please enter a number from 40 to 90, in inches."
    assert page.get_attribute("#a-2", "aria-invalid") == "true"
    page.check("[name=c-2]")
    assert page.input_value("#a-2") == ""
    assert page.query_selector("#e-2") is None
    judge.hand_in()
    assert sorted(judge.values()) == [60, 61]


TYPED = [
    *["60", " 60 ", "+60", "60.", "60,", "6e1", "6E+1", "600e-1", "6,0e1", "0060", "060.50", "4_0", "0x3C"],
    *["6 0", "sixty", ".5", ",5", "-.5", ".", ",", "-", "+", "e1", "1e", "5e1.0", "50e400", "1e-400", "-0"],
    *["Infinity", "NaN", "nan", "inf", "1,000", "-1,000", "1,000,000", "1,00", "01,000", "1,0000", "1.000,5"],
    *["1,000.5", "60,,5", "60..5", "60.5,5", "\u221260", "\u221260e\u22121", "600e\u22121", "6\u22120", "--60"],
    *["\u2212\u22125", "+-5", "\u221260,5", "\xa060\u2009", "\u300060", "\x1c60", "\x8560", "\ufeff60"],
    *["\u200b60", "60\u2028", "\ufeff", "\x1f", "\x0b60\x0c", "\uff16\uff10", "\u0666\u0660", "6\u0660", "\xbd"],
    *["60\xb2", "60\xa0000", "6\u202f0", "\U0001d7d4\U0001d7d8", "40", "90", "39.99999999999999"],
    *["39.999999999999999999", "90.00000000000001", "90.000000000000000000001", "60 inches", "60;", "60\u20ac"],
    *["6'0", "60%", "<b>60</b>", "true", "yes"],
]
"""What a field may hold: numbers, what looks like one, and what only one of two languages might take for one."""


@pytest.mark.parametrize("whole", [False, True])
def test_the_page_takes_just_the_numbers_that_the_server_takes(visit, tmp_path, whole):
    judge = visit(order={TALL: 1}, n=1, study={"texts": True})
    attribute = judge.app.state.study.attribute(TALL)
    if whole:
        attribute = attribute.model_copy(update={"whole": True})
        asked = tuple(attribute if each.name == TALL else each for each in judge.app.state.study.attributes)
        judge.app.state.study = judge.app.state.study.model_copy(update={"attributes": asked})
    judge.enter()
    # Handing in is what checks; an event of our own never leaves the page.
    complaints = judge.page.evaluate(
        """texts => texts.map((text) => {
            const field = document.getElementById("a-0");
            field.value = text;
            const fine = document.getElementById("work").dispatchEvent(new Event("submit", { cancelable: true }));
            const said = document.getElementById("e-0");
            return [field.value, fine ? "" : said.textContent];
        })""",
        TYPED,
    )
    assert [text for text, _ in complaints] == TYPED, "the browser changes nothing before it is checked"
    server = [read_answers({"a-0": text}, attribute, [0]).wrong.get(0, "") for text in TYPED]
    assert dict(zip(TYPED, [said for _, said in complaints], strict=True)) == dict(zip(TYPED, server, strict=True))
    assert sum(not said for said in server) > 10
    assert sum("thousands" in said for said in server) == 3


@pytest.mark.parametrize("scripted", [True, False])
def test_commas_are_never_dropped(visit, scripted):
    judge = visit(order={TALL: 1}, n=2, study={"texts": True}, java_script_enabled=scripted)
    judge.enter()
    page = judge.page
    for position, typed in enumerate(("61,5", "1,000")):
        page.focus(f"#a-{position}")
        page.keyboard.type(typed)
    if scripted:
        page.click(".bar .main")
        assert judge.focused() == "a-1"
    else:
        judge.hand_in()
    assert "thousands or decimals? Please write 1000" in page.inner_text("#e-1")
    assert judge.values() == []
    assert page.input_value("#a-1") == "1,000"
    page.fill("#a-1", "62.25")
    judge.hand_in()
    assert sorted(judge.values()) == [61.5, 62.25]


def test_keys_are_explained_only_where_there_may_be_some(visit):
    for options, seen in (({}, True), ({"has_touch": True, "is_mobile": True}, False)):
        judge = visit(PHONE, n=2, **options)
        judge.enter()
        judge.page.wait_for_selector("#keys", state="visible" if seen else "hidden")


def test_a_scale_by_keyboard_and_by_finger(visit):
    judge = visit(PHONE, {FRIENDLY: 1}, 4, has_touch=True)
    judge.enter()
    page = judge.page
    page.focus("#a-0")
    page.keyboard.press("5")
    page.keyboard.press("?")
    assert judge.focused() == "a-2"
    page.keyboard.press("ArrowRight")  # tries out, and stays
    page.wait_for_timeout(200)
    assert judge.focused().startswith("a-2")
    page.tap("#item-2 .step:nth-child(7)")
    page.wait_for_selector("#item-3 input:focus")
    page.tap("#item-3 .step:nth-child(1)")
    judge.hand_in()
    assert sorted(judge.values()) == [1, 5, 7]


def test_without_script(visit):
    judge = visit(PHONE, {MUSCULAR: 1, TALL: 1}, 6, java_script_enabled=False)
    judge.enter()
    page = judge.page
    for _ in range(2):
        if page.get_attribute("#work", "data-widget") == "tick":
            page.click("#item-1 .face")
            page.click("text=Pause")
            page.click("text=Go on judging")
            assert page.is_checked("#a-1")
        else:
            for position in range(5):
                page.fill(f"#a-{position}", "66")
            judge.hand_in()
            page.check("[name=c-5]")
        assert page.is_hidden("#undo")
        judge.hand_in()
    assert sorted(judge.values()) == [0] * 5 + [1] + [66] * 5
    page.click("text=Finish")
    assert "12 judgments" in page.inner_text("main")


def test_answers_are_kept_in_the_background(visit):
    judge = visit(n=4)
    judge.page.clock.install()
    judge.enter()
    judge.page.click("#item-2 .strip")
    with judge.page.expect_response("**/alive") as answer:
        judge.page.clock.run_for(21_000)
    assert answer.value.json() == {"left": 1800}
    judge.go("/judge")
    assert judge.ticked() == [0, 0, 1, 0]
    with judge.page.expect_response("**/alive"):  # that somebody looks is told once; silence is not
        judge.page.clock.run_for(21_000)
    judge.page.wait_for_timeout(100)
    judge.page.clock.fast_forward(31 * 60_000)
    judge.page.wait_for_selector("text=Time is up")


def test_an_image_that_does_not_arrive_is_no_answer(visit):
    judge = visit(n=4)
    lost = []
    judge.page.route("**/1/image*", lambda route: lost.append(route) or route.fulfill(status=404))
    judge.enter()
    judge.page.wait_for_selector("#item-1 .lost")
    judge.page.unroute("**/1/image*")
    judge.hand_in()
    assert len(judge.values()) == 3
    assert list(judge.app.state.store.ledger()["kind"]).count("cant_tell") == 1


def test_pictures_are_never_cropped_and_loaded_when_needed(visit):
    judge = visit(PHONE, n=40)
    asked = []
    judge.page.on("request", lambda request: asked.append(request.url) if request.url.endswith("image") else None)
    judge.enter()
    judge.page.wait_for_load_state("networkidle")
    fits = judge.page.eval_on_selector_all(
        ".tile img", "all => [...new Set(all.map(i => getComputedStyle(i).objectFit))]"
    )
    assert fits == ["contain"]
    assert 4 <= len(asked) < 40


def test_the_frame_of_mechanical_turk_leads_to_a_tab(visit):
    judge = visit(n=4)
    judge.go(TURK)
    with judge.page.context.expect_page() as opened_tab:
        judge.page.click("text=Open the work in a new tab")
    tab = opened_tab.value
    tab.check("#agree")
    tab.click("text=Start judging")
    tab.wait_for_selector("#work")
    assert judge.app.state.store.workers()[0].external == "W1"
