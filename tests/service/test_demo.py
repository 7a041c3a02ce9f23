from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from manyjudges.exceptions import PlanError
from manyjudges.service.demo import STEPS, run_demo
from tests.support.messages import refused


@pytest.mark.slow
def test_errors_are_those_of_the_predictions(tmp_path):
    steps = []
    demo = run_demo(tmp_path / "d", n_objects=9_900, n_new=300, random_state=1, progress=steps.append)
    assert len(steps) == STEPS
    table = pd.read_csv(tmp_path / "d" / "predictions.csv")
    error = np.sqrt(np.mean((table["prediction"] - table["truth"]) ** 2))  # names beyond 9999 sort before those below
    assert error == pytest.approx(demo.errors.loc["The plan", "error"])
    assert error == pytest.approx(demo.errors.loc["The plan", "expected"], rel=0.15)
    assert demo.errors["expected"].idxmin() == "Knowing the truth"
    labels = pd.read_csv(tmp_path / "d" / "labels.csv")
    assert len(labels) == 9_900


@pytest.mark.slow
def test_it_ends_with_a_report_on_the_same_plan(tmp_path, monkeypatch):
    demo = run_demo(tmp_path / "d", n_objects=60, n_new=20)
    assert demo.report == tmp_path / "d" / "report.html"
    assert demo.report.name in demo.files
    page = demo.report.read_text(encoding="utf-8")
    assert "simulated" in page
    for name in demo.plan.repeats:
        assert name in page
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert run_demo(tmp_path / "e", n_objects=60, n_new=20).report is None


def test_a_budget_that_buys_nothing_leaves_nothing(tmp_path):
    with refused(PlanError, value=0.5, column="budget"):
        run_demo(tmp_path / "d", budget=0.5, n_objects=20)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_small_budgets_leave_out_what_they_cannot_buy(tmp_path):
    demo = run_demo(tmp_path / "d", crowd="height", budget=3, n_objects=60, n_new=20)
    assert "Height (numerical) alone" not in demo.errors.index
    assert "All alike" not in demo.errors.index


@pytest.mark.slow
def test_the_usual_demo_shows_that_planning_helps(tmp_path):
    demo = run_demo(tmp_path / "d")
    assert sorted(demo.plan.repeats) == ["argument", "clarity", "evidence", "grammar"]
    assert max(demo.plan.repeats.values()) >= 3
    expected = demo.errors["expected"]
    order = ["Guessing the mean", "Argument alone", "All alike", "The plan", "Knowing the truth"]
    assert list(expected[order]) == sorted(expected[order], reverse=True)
    assert expected["The plan"] < 0.95 * expected["All alike"]
    assert demo.errors.loc["Guessing the mean", "error"] == pytest.approx(expected["Guessing the mean"], rel=0.1)
    assert demo.errors.loc["All alike", "attributes"] == 8
    assert demo.unit == "points"


@pytest.mark.slow
def test_ratings_are_written_as_people_keep_them(tmp_path):
    demo = run_demo(tmp_path / "d", n_objects=40, n_new=20)
    table = pd.read_csv(tmp_path / "d" / "ratings.csv")
    assert list(table.columns) == ["essay", "grader", *demo.crowd.attributes, "grade"]
    assert len(table) == 80
    assert (table.groupby("essay")["grader"].nunique() == 2).all()
    assert table.groupby("essay")["grade"].nunique().eq(1).all()
    labels = pd.read_csv(tmp_path / "d" / "labels.csv", index_col="object")["label"]
    assert (table.set_index("essay")["grade"] == labels.loc[table["essay"]].to_numpy()).all()
    judgments = pd.read_csv(tmp_path / "d" / "judgments.csv")
    pairs = judgments.groupby(["object", "worker", "attribute"])["value"].first()
    for name in demo.crowd.attributes:
        assert (
            pairs.loc[list(zip(table["essay"], table["grader"], [name] * 80, strict=True))] == list(table[name])
        ).all()


@pytest.mark.parametrize(
    ("options", "value", "column"),
    [
        ({"crowd": "jars"}, "jars", "crowd"),
        ({"label": "height"}, "height", "label"),
        ({"crowd": "height", "label": "grade"}, "grade", "label"),
    ],
)
def test_crowds_and_labels_that_there_are_not(tmp_path, options, value, column):
    with refused(PlanError, value=value, column=column):
        run_demo(tmp_path / "d", **options)
    assert list(tmp_path.iterdir()) == []
