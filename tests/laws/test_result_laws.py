"""What every result must be: frozen, a table where that makes sense, and JSON that comes back the same.

A result is a dataclass that can be shown as a table, or a public one that can be written as a document. Whoever adds
one adds an example below.
"""

from __future__ import annotations

import dataclasses
import importlib
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
from manyjudges.base.results import Result, plain
from manyjudges.judges import by_judge, check_independence, panel_variance
from manyjudges.learn import check_data
from manyjudges.learn.costs.bill import bill_of
from manyjudges.service.model_judges import ModelRun
from manyjudges.simulate import simulate_panel
from manyjudges.summary import summarize, summarize_workers
from tests.support import imports


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
    checks = check_data(moments, pilot)
    made = [
        moments,
        judged.reading,
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
        checks,
        checks.results[0],
        ModelRun(tallies={}, paid=0.0, limit=None),
        bill_of(study.answer.plan, {"judgments": 0, "cost": 0.0, "objects": 0}, new=10),
    ]
    return {type(result).__name__: result for result in made}


def kinds_of_results():
    """Every ``Result``, every dataclass that has a table, and every public one that has a document, by name."""
    kinds = {}
    rooms = [name for name, path in imports.package_modules().items() if path.name == "__init__.py"]
    public = {name for room in rooms for name in getattr(importlib.import_module(room), "__all__", ())}
    for module in imports.package_modules():
        if ".migrations" in module or module.endswith("__main__"):
            continue
        for name, kind in vars(importlib.import_module(module)).items():
            if not isinstance(kind, type) or kind.__module__ != module or kind is Result:
                continue
            shown = hasattr(kind, "to_frame") or (name in public and hasattr(kind, "to_document"))
            if issubclass(kind, Result) or (dataclasses.is_dataclass(kind) and shown):
                assert name not in kinds, f"two results are called {name}"
                kinds[name] = kind
    return kinds


KINDS = kinds_of_results()
EVERY = pytest.mark.parametrize("name", sorted(KINDS))


SAVED = {"Plan": Plan, "Predictor": Predictor}
"""Results that are read back from what they wrote."""


def test_every_result_has_an_example(results):
    assert sorted(KINDS.keys() - results.keys()) == [], "add one of each to the fixture of this file"
    assert sorted(results.keys() - KINDS.keys()) == [], "these are no results"


@EVERY
def test_results_are_frozen(results, name):
    result = results[name]
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)


@EVERY
def test_arrays_of_results_are_read_only(results, name):
    arrays = [getattr(results[name], field.name) for field in dataclasses.fields(results[name])]
    for array in (array for array in arrays if isinstance(array, np.ndarray)):
        assert not array.flags.writeable


@pytest.mark.parametrize("name", sorted(name for name, kind in KINDS.items() if hasattr(kind, "to_frame")))
def test_results_have_a_table(results, name):
    table = results[name].to_frame()
    assert isinstance(table, pd.DataFrame)
    assert len(table.columns) > 0


@EVERY
def test_json_of_a_result_is_its_document(results, name):
    result = results[name]
    if not hasattr(result, "to_document"):
        assert not isinstance(result, Result)
        return
    if not hasattr(result, "to_json"):  # a part of another document
        assert json.loads(json.dumps(result.to_document(), allow_nan=False)) == plain(result)
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
