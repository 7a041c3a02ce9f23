"""Answers outside the range of those that a plan was made from are named, in memory and scanned, at every step."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from manyjudges import MultiSelectRegressor, Predictor, fit_predictor, select
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning, JudgmentsError
from manyjudges.learn.object_tables import ObjectTable, missing_in
from manyjudges.learn.training_data import load_training_data
from manyjudges.scan.options import ScanOptions
from tests.support.messages import refused
from tests.support.scanned import call

SCANNED = {"memory_limit": "1GB"}
COMMANDS = ([], ["--memory-limit=1GB"])


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A plan from ratings on a scale from 1 to 6 and counts of pages, and its predictor."""
    folder = tmp_path_factory.mktemp("rated")
    rng = np.random.default_rng(0)
    truth, noise = rng.normal(size=80), rng.normal(size=(80, 3))
    rows = [
        (f"e{at:02}", name, f"r{judge}", value)
        for at in range(80)
        for judge in range(3)
        for name, value in (
            ("clear", np.clip(np.round(3.5 + 1.4 * truth[at] + noise[at, judge]), 1, 6)),
            ("pages", np.round(40 + 9 * truth[at] + 9 * rng.normal())),
        )
    ]
    frame = pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"])
    labels = pd.DataFrame({"object": [f"e{at:02}" for at in range(80)], "label": 50 + 10 * truth})
    frame.to_csv(folder / "judgments.csv", index=False)
    labels.to_csv(folder / "labels.csv", index=False)
    data = load_training_data(folder / "judgments.csv", folder / "labels.csv")
    plan = Plan.from_json(select(data.moments, 6).with_answers(data.answers).to_json())
    assert set(plan.repeats) == {"clear", "pages"}
    (folder / "plan.json").write_text(plan.to_json(), encoding="utf-8")
    predictor = fit_predictor(plan, folder / "judgments.csv", folder / "labels.csv")
    (folder / "model.json").write_text(predictor.to_json(), encoding="utf-8")
    return folder, frame


def changed(planned, **values):
    """The table with other values in some rows of an attribute."""
    folder, frame = planned
    frame = frame.copy()
    for name, (count, value) in values.items():
        rows = frame.index[frame["attribute"] == name][9 : 9 + count]
        frame.loc[rows, "value"] = value
    frame.to_csv(folder / "new.csv", index=False)
    return folder, frame


def test_the_plan_knows_which_answers_are_steps_of_a_scale(planned):
    plan = Plan.from_json((planned[0] / "plan.json").read_text())
    assert (plan.answers["clear"]["steps"], plan.answers["pages"]["steps"]) == (6, None)
    assert plan.answers["clear"]["limits"] == {"lowest": 1.0, "highest": 6.0}


def test_a_plan_that_was_written_before_steps_were_kept(planned):
    folder, _ = changed(planned, clear=(1, 57.0))
    plan = Plan.from_json((folder / "plan.json").read_text().replace('"steps": 6', '"other": 6'))
    table = ObjectTable(folder / "new.csv", ScanOptions(), plan)
    missing_in(table, plan)
    assert [warning.kind for warning in table.warnings] == ["outside_answers"]


@pytest.mark.parametrize(
    ("values", "attributes"),
    [
        ({"clear": (1, 57.0)}, {"clear": {"count": 1, "value": 57.0, "low": 1.0, "high": 6.0}}),
        ({"clear": (3, 7.0)}, {"clear": {"count": 3, "value": 7.0, "low": 1.0, "high": 6.0}}),
        ({"clear": (2, 0.0)}, {"clear": {"count": 2, "value": 0.0, "low": 1.0, "high": 6.0}}),
        ({"pages": (2, 1900.0)}, {"pages": {"count": 2, "value": 1900.0}}),
        ({"pages": (4, 75.0)}, {}),  # a new record is normal
        ({}, {}),
    ],
    ids=str,
)
def test_what_is_said_of_new_objects(planned, values, attributes):
    folder, frame = changed(planned, **values)
    plan = Plan.from_json((folder / "plan.json").read_text())
    said = []
    for how in ({}, SCANNED):
        table = ObjectTable(folder / "new.csv", ScanOptions.of(**how), plan)
        missing_in(table, plan)
        said.append([str(warning) for warning in table.warnings])
        found = {} if not table.warnings else table.warnings[0].values["attributes"]
        assert {name: own | attributes[name] for name, own in found.items()} == found
        assert found.keys() == attributes.keys()
    assert said[0] == said[1]
    assert len(said[0]) == bool(attributes)
    if attributes:
        first = frame.index[frame["attribute"] == next(iter(attributes))][9]
        assert f"object '{frame['object'][first]}'" in said[0][0]


@pytest.mark.parametrize("how", COMMANDS, ids=["memory", "scan"])
def test_commands_say_so(planned, how):
    folder, _ = changed(planned, clear=(2, 57.0))
    where = "outside the range of those that the plan was made from, such as 57 for 'clear'"
    called = {
        "missing": ("missing", folder / "plan.json", folder / "new.csv"),
        "fit": ("fit", folder / "plan.json", folder / "new.csv", folder / "labels.csv"),
        "predict": ("predict", folder / "model.json", folder / "new.csv"),
    }
    for command in called.values():
        assert f"2 answers to 'clear' are {where}" in call(*command, *how)
        for option in ("--valid=57", "--missing=57"):
            assert "outside the range" not in call(*command, *how, option)


def test_python_says_so(planned):
    folder, frame = changed(planned, clear=(1, 57.0), pages=(1, -900.0))
    predictor = Predictor.from_json((folder / "model.json").read_text())
    labels = pd.read_csv(folder / "labels.csv", index_col="object")["label"]
    words = re.escape("2 answers to 'clear', 'pages' are outside")
    for source in (frame, folder / "new.csv"):
        with pytest.warns(DataWarning, match=words):
            predictor.predict(source)
        with pytest.warns(DataWarning, match=words):
            MultiSelectRegressor.from_json(predictor.to_json()).predict(source)
        with pytest.warns(DataWarning, match=words) as warned:
            fit_predictor(predictor.plan, source, labels)
        assert warned[0].filename == __file__
        fit_predictor(predictor.plan, source, labels, valid=[57, -900])


def test_words_that_a_scale_does_not_have_are_still_refused():
    """Numbers are no steps of a scale of words."""
    rng = np.random.default_rng(0)
    words = np.array(["never", "rarely", "sometimes", "often"])
    grade = rng.integers(0, 4, 60)
    frame = pd.DataFrame({"Essay": np.repeat(np.arange(60), 2), "clear": words[np.repeat(grade, 2)]})
    frame.loc[::3, "clear"] = "sometimes"
    model = MultiSelectRegressor(budget=2).fit(frame, dict(enumerate(grade + 0.1 * rng.normal(size=60))))
    frame["clear"] = frame["clear"].astype(object)
    frame.loc[4, "clear"] = 57
    with refused(JudgmentsError, value=57, column="clear", row=5):
        model.predict(frame)
