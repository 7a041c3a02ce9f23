"""A whole campaign in a real browser: simulated judges fill in pages until there is a predictor; its error is true.

Judges come with phones and at desks. What was seen is kept in ``build/screenshots``.
"""

from __future__ import annotations

import re

import pytest

from manyjudges.service.fit import fit_study
from manyjudges.service.password import set_password
from manyjudges.service.planning_process import Overseer, due
from manyjudges.service.server import hooks_of
from manyjudges.service.study import open_study
from manyjudges.service.study_planner import order_first_round
from manyjudges.web import create_app
from tests.support.browser import picture
from tests.support.collecting import beans_folder, value_of
from tests.support.folders import ROOT
from tests.support.web import served

SCREENSHOTS = ROOT / "build" / "screenshots"
PASSWORD = "open sesame"
SIZES = ({"width": 375, "height": 760}, {"width": 1280, "height": 900})


@pytest.fixture
def campaign(tmp_path):
    """A study of jars that is served, its crowd, and the one who plans."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    folder, crowd = beans_folder(
        tmp_path / "jars",
        n_objects=36,
        plan="budget = 6.0\npilot = 2\nmethod = 'full'",
        work="batch_size = 40\npay_per_unit = 0.02",
    )
    with open_study(folder) as opened:
        set_password(opened, PASSWORD)
        order_first_round(opened)
        overseer = Overseer(opened)
        app = create_app(opened.study, opened.objects, opened.store, hooks_of(opened, overseer))
        with served(app) as address:
            yield opened, crowd, overseer, address


class JudgeAtPage:
    """A simulated judge who looks at a page, and answers as the crowd does."""

    def __init__(self, browser, crowd, address, size):
        self.context = browser.new_context(viewport=size)
        self.page, self.crowd = self.context.new_page(), crowd
        self.page.goto(address)
        self.page.click("text=Start judging")

    def batch(self):
        """Answer what is on the page and hand it in; False where there is nothing."""
        page = self.page
        if not page.locator("#work").count():
            return False
        question = page.locator("#question").inner_text().removesuffix("?")
        shown = page.eval_on_selector_all("[id^=item-]", "all => all.map(each => each.innerText)")
        for position, text in enumerate(shown):
            jar = self.crowd.objects[int(re.search(r"A jar, number (\d+)", text)[1])]
            value = value_of(self.crowd, jar, question)
            if question == "number of beans":
                page.fill(f"#a-{position}", str(round(value)))
            elif value:
                page.locator(f"#a-{position}").check(force=True)
        with page.expect_navigation():
            page.click(".bar .main")
        return True

    def leave(self):
        self.context.close()


def judged(browser, crowd, address, store, names):
    """New judges, on phones and at desks in turn, until nothing is open; says how many there were."""
    hired = 0
    while not store.idle:
        judge = JudgeAtPage(browser, crowd, address, SIZES[(len(names) + hired) % 2])
        while judge.batch():
            pass
        judge.leave()
        hired += 1
        assert hired < 40, "no end of judges"
    names.extend(range(hired))
    return hired


@pytest.mark.slow
def test_a_pilot_plans_again_and_a_fit_from_the_pages_alone(browser, campaign):
    opened, crowd, overseer, address = campaign
    store, hired = opened.store, []
    desk = browser.new_page(viewport=SIZES[1])
    desk.goto(f"{address}/admin")
    desk.get_by_label("Password").fill(PASSWORD)
    desk.get_by_role("button").first.click()
    desk.wait_for_selector("text=Judgments against the plan")
    for _ in range(12):
        judged(browser, crowd, address, store, hired)
        if not due(opened):
            break
        overseer.look()  # plans in a process of its own, as the server does
        assert store.events(1)[0]["what"] == "planned", store.events(1)
    rounds = store.rounds()
    assert len(rounds) >= 2, "the plan was made again with what came"
    assert store.position()["stage"] == "done"
    assert store.discrepancies() == []
    wanted = rounds[-1]["plan"]["repeats"]
    have = store.counters().set_index(["object", "attribute"])["have"]
    assert all(have[thing, name] >= n for thing in crowd.objects for name, n in wanted.items())

    desk.get_by_text("the plan stands").first.wait_for(timeout=90_000)  # without reloading
    picture(desk, SCREENSHOTS / "campaign-dashboard.png", full_page=True)
    desk.click("text=Fit a predictor")
    desk.wait_for_selector("text=The predictor so far")
    picture(desk, SCREENSHOTS / "campaign-fitted.png")
    fitted = fit_study(opened)
    assert fitted.expectation in desk.inner_text("main")
    # The error that was promised against the error that is true, which the simulation knows.
    true = fitted.model.expected_loss(crowd.truth)
    assert fitted.answer["low"] ** 2 - 0.25 * true < true < fitted.answer["high"] ** 2 + 0.25 * true
    assert true < crowd.truth.label_variance
