"""What every public result must be: frozen, a table where that makes sense, and JSON that comes back the same."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

from manyjudges import (
    Campaign,
    Judgments,
    Moments,
    Plan,
    Predictor,
    choose,
    fit_predictor,
    projected_error,
    run_campaign,
    select,
    simulate,
)
from manyjudges.base.results import Result
from manyjudges.judges import by_judge, check_independence, panel_variance
from manyjudges.simulate import simulate_panel
from manyjudges.summary import summarize, summarize_workers


def ledger_of(frame):
    """A table of judgments as a store keeps it, one batch a worker and object."""
    rows = frame.assign(id=range(len(frame)), at=np.arange(len(frame), dtype=float), external=frame["worker"])
    batch = rows.groupby(["worker", "object"]).ngroup()
    return rows.assign(batch=batch, kind="number", cost=1.0, seconds=4.0)


@pytest.fixture(scope="module")
def results():
    """One of every public result, by the name of its class."""
    crowd = simulate.jelly_beans(n_objects=80, random_state=0)
    pilot = crowd.pilot(2)
    moments = Moments.estimate(pilot, crowd.labels)
    study = summarize(pilot, crowd.labels, 6, budgets=[3, 6], cv_repeats=1)
    campaign = run_campaign(
        crowd.judge, crowd.objects, crowd.labels, attributes=crowd.attributes, budget=6, random_state=0
    )
    frame = pilot.to_frame()
    frame["worker"] = "w" + (frame.groupby(["object", "attribute"]).cumcount()).astype(str)
    judged = Judgments.from_frame(frame)
    panel = simulate_panel(100, 2, random_state=0)
    made = [
        moments,
        select(moments, 6),
        fit_predictor(select(moments, 6), pilot, crowd.labels),
        projected_error(pilot, crowd.labels, [3, 6], cv_repeats=1, random_state=0),
        choose(pilot, crowd.labels, 6, cv_repeats=1),
        campaign,
        campaign.history[0],
        check_independence(judged),
        panel_variance(by_judge(panel.frame)),
        study,
        study.answer,
        study.curve,
        study.attribute_map,
        study.next_judgments,
        study.residuals,
        study.calibration,
        study.reliability,
        summarize_workers(ledger_of(frame)),
    ]
    return {type(result).__name__: result for result in made}


NAMES = [
    "Moments",
    "Plan",
    "Predictor",
    "ErrorCurve",
    "Choice",
    "CampaignResult",
    "Round",
    "Independence",
    "PanelVariance",
    "Summary",
    "Answer",
    "BudgetCurve",
    "AttributeMap",
    "NextJudgments",
    "Residuals",
    "IntervalCalibration",
    "Reliability",
    "Workforce",
]

SAVED = {"Plan": Plan, "Predictor": Predictor}
"""Results that are read back from what they wrote."""


@pytest.mark.parametrize("name", NAMES)
def test_results_are_frozen(results, name):
    result = results[name]
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)


@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_results_are_read_only(results, name):
    arrays = [getattr(results[name], field.name) for field in dataclasses.fields(results[name])]
    for array in (array for array in arrays if isinstance(array, np.ndarray)):
        assert not array.flags.writeable


@pytest.mark.parametrize("name", [name for name in NAMES if name != "Round"])
def test_results_have_a_table(results, name):
    table = results[name].to_frame()
    assert isinstance(table, pd.DataFrame)
    assert len(table.columns) > 0


@pytest.mark.parametrize("name", NAMES)
def test_json_of_a_result_is_its_document(results, name):
    result = results[name]
    if not hasattr(result, "to_json"):
        assert not isinstance(result, Result)
        return
    document = json.loads(result.to_json())
    assert document["format"].startswith("manyjudges.")
    assert document == json.loads(json.dumps(result.to_document()))
    assert "NaN" not in result.to_json()


@pytest.mark.parametrize("name", sorted(SAVED))
def test_what_was_saved_comes_back_the_same(results, name):
    text = results[name].to_json()
    assert SAVED[name].from_json(text).to_json() == text


def test_a_round_comes_back_the_same(results):
    document = results["Round"].to_document()
    assert type(results["Round"]).from_document(document).to_document() == document


def test_a_campaign_comes_back_the_same(results):
    saved = results["CampaignResult"].campaign.to_json()
    assert Campaign.from_json(saved, lambda judgments, outlook: results["Plan"]).to_json() == saved
