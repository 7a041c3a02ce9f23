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
    demo = run_demo(tmp_path / "d", budget=12, n_objects=9_900, n_new=300, random_state=1, progress=steps.append)
    assert len(steps) == STEPS
    table = pd.read_csv(tmp_path / "d" / "predictions.csv")
    error = np.sqrt(np.mean((table["prediction"] - table["truth"]) ** 2))  # names beyond 9999 sort before those below
    assert error == pytest.approx(demo.errors.loc["Full, best linear", "error"])
    assert error == pytest.approx(demo.errors.loc["Full, best linear", "expected"], rel=0.15)
    assert demo.errors["expected"].idxmin() == "Knowing the truth"
    labels = pd.read_csv(tmp_path / "d" / "labels.csv")
    assert len(labels) == 9_900


@pytest.mark.slow
def test_it_ends_with_a_report_on_the_same_plan(tmp_path, monkeypatch):
    demo = run_demo(tmp_path / "d", budget=12, n_objects=60, n_new=20)
    assert demo.report == tmp_path / "d" / "report.html"
    assert demo.report.name in demo.files
    page = demo.report.read_text(encoding="utf-8")
    assert "simulated" in page
    for name in demo.plan.repeats:
        assert name in page
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert run_demo(tmp_path / "e", budget=12, n_objects=60, n_new=20).report is None


def test_a_budget_that_buys_nothing_leaves_nothing(tmp_path):
    with refused(PlanError, value=0.5, column="budget"):
        run_demo(tmp_path / "d", budget=0.5, n_objects=20)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_small_budgets_leave_out_what_they_cannot_buy(tmp_path):
    demo = run_demo(tmp_path / "d", budget=3, n_objects=60, n_new=20)
    assert "Height estimate alone" not in demo.errors.index
