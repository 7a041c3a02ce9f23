"""Results of other rooms as plain numbers and tables."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments, fit_predictor, select
from manyjudges.exceptions import DataWarning
from manyjudges.learn.answers import plan_shares
from manyjudges.learn.training_data import match_training_data
from manyjudges.summary import plain


def test_an_overview_counts_what_there_is_and_begins_with_the_most_telling(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    found = plain.overview(match_training_data(pilot, crowd.labels), moments)
    assert (found["n_judgments"], found["n_objects"], found["n_attributes"]) == (len(pilot), 120, len(pilot.attributes))
    assert found["judgments_per_pair"] == {"least": 2, "most": 2}
    assert found["label_deviation"] == pytest.approx(np.std(crowd.labels))
    correlations = [abs(row["correlation"]) for row in found["attributes"]]
    assert correlations == sorted(correlations, reverse=True)
    json.dumps(found, allow_nan=False)


def test_no_correlation_is_above_one():
    rng = np.random.default_rng(2)
    true = rng.normal(size=12)
    noisy = Judgments.from_array(true[:, None, None] + 1.5 * rng.normal(size=(12, 1, 2)))
    moments = Moments.estimate(noisy, 4 * true)
    assert moments.to_frame()["correlation"].iloc[0] > 1, "or this test shows nothing"
    found = plain.overview(match_training_data(noisy, 4 * true), moments)
    assert found["attributes"][0]["correlation"] == 1
    assert found["attributes"][0]["correlation_per_sigma"] == pytest.approx(found["label_deviation"])


def test_an_attribute_that_never_changes_comes_last_and_has_no_correlation(rng):
    values = rng.normal(size=(20, 3, 1)) + 0.1 * rng.normal(size=(20, 3, 2))
    values[:, 1] = 5.0
    judgments = Judgments.from_array(values)
    data = match_training_data(judgments, rng.normal(size=20))
    found = plain.overview(data, data.moments)
    assert (found["attributes"][-1]["attribute"], found["attributes"][-1]["correlation"]) == ("x1", None)


@pytest.mark.parametrize("budget", [0, 4, 9])
def test_shares_add_up(beans, budget):
    crowd, pilot = beans
    shares = plan_shares(select(Moments.estimate(pilot, crowd.labels), budget))
    assert shares["share"].sum() == pytest.approx(float(budget > 0))
    assert (shares["gain"].diff().dropna() <= 0).all()


def test_predictions_are_by_object_with_their_error(beans):
    crowd, pilot = beans
    plan = select(Moments.estimate(pilot, crowd.labels), 4)
    predictor = fit_predictor(plan, pilot, crowd.labels)
    found = plain.predictions(predictor, pilot)
    assert list(found.columns) == ["object", "prediction", "std"]
    np.testing.assert_array_equal(found["prediction"], predictor.predict(pilot))
    assert (found["std"] > 0).all()


def test_warnings_are_plain():
    warning = DataWarning("too few", code="MJ101", kind="few_objects", values={"n": 3})
    (found,) = plain.warnings([warning])
    assert found == {
        "code": "MJ101",
        "kind": "few_objects",
        "severity": "warning",
        "message": "too few",
        "values": {"n": 3},
    }


def test_what_is_to_be_bought_adds_up():
    missing = pd.DataFrame(
        {
            "object": ["a", "b", "a"],
            "attribute": ["y", "x", "x"],
            "count": [1, 2, 3],
            "cost": [1.0, 4.0, 6.0],
        }
    )
    assert plain.purchase(missing) == {"n_judgments": 6, "n_pairs": 3, "n_objects": 2, "cost": 11.0}
    by_attribute = plain.purchase_by_attribute(missing)
    assert by_attribute.to_dict("index") == {
        "x": {"objects": 2, "judgments": 5, "cost": 10.0},
        "y": {"objects": 1, "judgments": 1, "cost": 1.0},
    }
    nothing = missing[:0]
    assert plain.purchase(nothing) == {"n_judgments": 0, "n_pairs": 0, "n_objects": 0, "cost": 0.0}
