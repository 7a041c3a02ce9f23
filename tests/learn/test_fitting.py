"""From a plan and judgments with labels to a predictor, by what was decided along with the plan."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, MultiSelectRegressor, Plan, Predictor, answer, fit_predictor, select, simulate
from manyjudges.learn.fitting import fit
from manyjudges.learn.preparation.preparation import Preparation
from manyjudges.learn.training_data import match_training_data

CROWD, PILOT = (80, 5, 3), 3


@pytest.fixture(scope="module")
def data(crowd, pilot):
    return match_training_data(pilot, crowd.labels)


@pytest.mark.parametrize("predictor", ["least_squares", "best_linear"])
def test_a_method_by_its_name_is_the_paper_s_bit_for_bit(crowd, pilot, data, predictor):
    own = select(data.moments, 6, method="full", max_repeats=[3] * 5)
    wanted = fit_predictor(own, pilot, crowd.labels, predictor=predictor, moments=data.moments)
    way = {"method": "full", "shrinkage": 0.0, "predictor": predictor, "max_repeats": [3] * 5, "cv_repeats": 1}
    model = MultiSelectRegressor(6, **way).fit(pilot, crowd.labels)
    assert model.plan_.preparation is None
    assert model.plan_.repeats == own.repeats
    np.testing.assert_array_equal(model.predictor_.coefficients, wanted.coefficients)
    assert model.predictor_.bias == wanted.bias


def test_auto_is_what_was_decided_along_with_the_plan(data):
    plan = select(data.moments, 6)
    assert fit(plan, data).kind == "best_linear"
    curved = plan.with_preparation(Preparation(curved=True).to_document())
    assert fit(curved, data).kind == "curved"
    assert fit(curved, data, predictor="best_linear").kind == "best_linear"


@pytest.mark.parametrize("worker_effects", ["random", "fixed"])
def test_plans_and_models_keep_what_is_done_to_judgments(worker_effects):
    rng = np.random.default_rng(0)
    truth, bias = rng.normal(size=60), 2 * rng.normal(size=6)
    rows = [
        (f"o{o:02d}", "a", f"w{w}", np.exp(truth[o] + bias[w] + 0.2 * rng.normal()))
        for o in range(60)
        for w in rng.choice(6, 3, replace=False)
    ]
    judgments = Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"]))
    way = {"rescale": "log", "worker_effects": worker_effects, "method": "full", "shrinkage": 0.0, "cv_repeats": 1}
    found = answer(judgments, truth, 3, **way)
    plan = Plan.from_json(found.plan.to_json())
    assert plan.preparation == found.plan.preparation
    fitted = fit_predictor(plan, judgments, truth)
    assert str(fitted).startswith(f"{fitted.coefficients[0]:.3g}·log(a)")
    again = Predictor.from_json(fitted.to_json())
    np.testing.assert_array_equal(again.predict(judgments), fitted.predict(judgments))
    plain = fit_predictor(found.plan.with_preparation(None), judgments, truth)
    errors = [np.mean((model.predict(judgments) - truth) ** 2) for model in (fitted, plain)]
    assert errors[0] < 0.7 * errors[1]


def test_joint_moments_are_those_of_the_chosen_attributes_whoever_passes_them(data):
    plan = select(data.moments, 6).with_preparation(Preparation(joint_moments=True).to_document())
    prepared = data.prepared(Preparation(joint_moments=True))
    one, other = fit(plan, data), fit(plan, prepared, moments=prepared.moments)
    np.testing.assert_array_equal(one.coefficients, other.coefficients)


def test_quantiles_are_kept_where_judgments_lie_in_memory(data):
    fitted = fit(select(data.moments, 6), data)
    levels, reaches = zip(*fitted.quantiles, strict=True)
    assert levels == tuple(sorted(levels))
    assert reaches == tuple(sorted(reaches))
    few = simulate.gaussian(9, 2, random_state=0)
    small = match_training_data(few.pilot(2), few.labels)
    assert fit(select(small.moments, 2), small).quantiles == ()
