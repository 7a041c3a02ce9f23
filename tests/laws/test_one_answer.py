"""Whoever asks what to buy is told the same: commands, Python, reports, estimators, error curves and a study's page.

A study is run for one round, its judgments are exported, and every entry is asked with the study's budget, prices,
method and seed.
"""

from __future__ import annotations

import html
import json
from typing import Any

import pandas as pd
import pytest

from manyjudges import (
    Judgments,
    MultiSelectRegressor,
    Plan,
    Predictor,
    answer,
    projected_error,
    read_judgments,
    report,
    summarize,
)
from manyjudges.learn import budget_curve
from manyjudges.service.fit import fit_study
from manyjudges.service.server import hooks_of
from manyjudges.service.status import status_of
from manyjudges.service.study import labels_of, open_study
from manyjudges.service.study_planner import order_first_round, plan_study
from manyjudges.service.transfer import marketplaces
from manyjudges.web import create_app
from manyjudges.web.security import hash_password
from tests.support.collecting import beans_folder, work
from tests.support.commands import call
from tests.support.researchers import PASSWORD, log_in
from tests.support.web import TestClient

ERRORS = ("error", "low", "high", "baseline_error")
COSTS = {"number of beans": 2.0}
BUDGET = 6.0


class Study:
    """A study after its first round, and all that was asked about its judgments."""

    def __init__(self, folder: Any, method: str, seed: int) -> None:
        plan = f"budget = {BUDGET}\nmethod = '{method}'\nseed = {seed}"
        study, crowd = beans_folder(folder / "study", n_objects=60, unlabelled=20, seed=3, plan=plan)
        with open_study(study) as opened:
            order_first_round(opened)
            work(opened, crowd)
            plan_study(opened)
            self.told = opened.store.rounds()[-1]["outlook"]
            self.status = status_of(opened)
            self.fitted = fit_study(opened)
            labels_of(opened.store).rename_axis("object").rename("beans").to_csv(folder / "labels.csv")
            self.page = self._page(opened)
        call("export", study, "--out", folder / "judgments.csv")
        self.tables = (folder / "judgments.csv", folder / "labels.csv")
        self.labels = pd.read_csv(folder / "labels.csv").set_index("object")["beans"]
        self.judgments: Judgments = read_judgments(folder / "judgments.csv")
        self.way = {"method": method, "random_state": seed}
        self.answer = answer(self.judgments, self.labels, BUDGET, costs=COSTS, new=20, **self.way)
        self.options = ["--method", method, "--seed", seed, "--cost", "number of beans=2"]

    @staticmethod
    def _page(opened: Any) -> str:
        """What the page for researchers shows."""
        opened.store.set("password", hash_password(PASSWORD))
        app = create_app(opened.study, opened.objects, opened.store, hooks_of(opened, Overseer()), marketplaces())
        with TestClient(app) as client:
            log_in(client)
            return html.unescape(client.get("/admin").text)


class Overseer:
    """Stands where the thread that plans would be."""

    def request(self) -> None:
        """Is not asked here."""
        raise AssertionError


@pytest.fixture(scope="module", params=[("auto", 0), ("full", 0), ("scoring", 7)], ids=str)
def study(request, tmp_path_factory):
    return Study(tmp_path_factory.mktemp("study"), *request.param)


APART = {"reading", "answers"}
"""What depends on where a table was read from: a study has numbers, whatever its judges saw."""


def same(found: Any, wanted: Any) -> bool:
    """Whether two documents say the same, but for rounding and for where a table was read from."""
    if isinstance(wanted, dict):
        kept = set(wanted) - APART
        return set(found) - APART == kept and all(same(found[name], wanted[name]) for name in kept)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    return found == (pytest.approx(wanted, rel=1e-9) if isinstance(wanted, float) else wanted)


def test_there_is_something_to_agree_on(study):
    found = study.answer
    assert found.plan.repeats
    assert 0 < found.low < found.error < found.high
    assert found.bill.new.judgments > 0
    assert str(found.plan.repeats["number of beans"]) in found.sentence


def test_the_study_s_page(study):
    wanted = json.loads(study.answer.to_json())
    assert same(study.told["answer"], wanted)
    assert same(study.status["answer"], wanted)
    assert study.answer.sentence in study.page
    assert study.answer.sentence in call("plan", *study.tables, "--budget", BUDGET, *study.options)


def test_the_command(study):
    printed = json.loads(call("plan", *study.tables, "--budget", BUDGET, "--new", 20, *study.options, "--json"))
    assert same(printed["answer"], json.loads(study.answer.to_json()))


@pytest.mark.slow
def test_reports(study, tmp_path):
    wanted = json.loads(study.answer.to_json())
    made = summarize(study.judgments, study.labels, BUDGET, costs=COSTS, new=20, budgets=[2, 9], **study.way)
    assert same(json.loads(made.answer.to_json()), wanted)
    words = ("--budgets", "2,9", "--out", tmp_path / "r.html", "--plan-out", tmp_path / "plan.json")
    printed = json.loads(
        call("report", *study.tables, "--budget", BUDGET, "--new", 20, *words, *study.options, "--json")
    )
    assert same(printed["answer"], wanted)
    assert study.answer.sentence in html.unescape((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert Plan.from_json((tmp_path / "plan.json").read_text()) == study.answer.plan
    page = report(study.judgments, study.labels, BUDGET, costs=COSTS, budgets=[2], **study.way)
    assert study.answer.sentence in html.unescape(page.html)


def test_curves(study):
    curve = projected_error(study.judgments, study.labels, [2, BUDGET, 9], costs=COSTS, **methods(study))
    around = budget_curve(study.judgments, study.labels, BUDGET, budgets=[3, 9], costs=COSTS, **study.way)
    [kept] = [point for point in study.told["curve"] if point["budget"] == BUDGET]
    printed = json.loads(call("forecast", *study.tables, "--budgets", f"2,{BUDGET},9", *study.options, "--json"))
    [row] = [row for row in printed["errors"] if row["budget"] == BUDGET]
    for name in (*ERRORS[:3], "explained"):
        wanted = pytest.approx(getattr(study.answer, name), rel=1e-9)
        assert getattr(curve, name)[0, 1] == wanted
        assert getattr(around, name)[around.chosen] == wanted
        assert kept[name] == wanted
        assert row[name] == wanted
    baseline = pytest.approx(study.answer.baseline_error, rel=1e-9)
    assert curve.baseline_error == around.baseline_error == printed["baseline_error"] == baseline
    assert curve.plans[0][1].repeats == row["plan"] == study.answer.plan.repeats
    assert around.plans[study.way["method"]][around.chosen[1]] == study.answer.plan.repeats


def methods(study: Study) -> dict[str, Any]:
    return {"methods": [study.way["method"]], "random_state": study.way["random_state"]}


def test_estimators(study):
    model = MultiSelectRegressor(BUDGET, costs=COSTS, **study.way).fit(study.judgments, study.labels)
    assert model.plan_ == study.answer.plan
    for name in ERRORS:
        assert getattr(model.answer_, name) == pytest.approx(getattr(study.answer, name), rel=1e-9)
    assert (model.error_, model.answer_.sentence) == (model.answer_.error, study.answer.sentence)


def test_predictors(study, tmp_path):
    """The predictor that the error belongs to is the one that fit makes of the plan, wherever it is called."""
    model = MultiSelectRegressor(BUDGET, costs=COSTS, **study.way).fit(study.judgments, study.labels)
    plan, made = tmp_path / "plan.json", tmp_path / "model.json"
    call("plan", *study.tables, "--budget", BUDGET, *study.options, "--out", plan)
    call("fit", plan, *study.tables, "--out", made)
    fitted = Predictor.from_json(made.read_text())
    assert fitted.coefficients == pytest.approx(model.predictor_.coefficients, rel=1e-9)
    assert study.fitted.model.coefficients == pytest.approx(model.predictor_.coefficients, rel=1e-9)
    assert study.fitted.expectation in study.answer.sentence


def test_another_seed_is_another_answer(study):
    """Or agreeing would be no proof of anything."""
    other = answer(study.judgments, study.labels, BUDGET, costs=COSTS, **study.way | {"random_state": 99})
    assert other.error != study.answer.error
