from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Moments, MultiSelectRegressor, Predictor, fit_predictor, select, simulate
from manyjudges.base.methods import PREDICTOR_SUMMARIES
from manyjudges.exceptions import PlanError
from manyjudges.learn.predictors.registry import DEFAULT, PREDICTORS, predictor_named
from tests.support.folders import ROOT
from tests.support.messages import refused


@pytest.fixture(scope="module")
def crowd():
    return simulate.gaussian(120, 3, random_state=0)


@pytest.fixture(scope="module")
def judged(crowd):
    return crowd.pilot(8)


@pytest.fixture(scope="module")
def plan(crowd, judged):
    return select(Moments.estimate(judged, crowd.labels), 6)


def test_names_are_those_they_are_registered_by():
    assert {name: method.summary for name, method in PREDICTORS.items()} == PREDICTOR_SUMMARIES
    assert all(name == method.name and method.summary[0].islower() for name, method in PREDICTORS.items())
    assert DEFAULT in PREDICTORS
    with refused(PlanError, value="best_liner", column="predictor") as caught:
        predictor_named("best_liner")
    assert caught.value.value == "best_liner"


def test_docs_say_what_each_predictor_does():
    docstring = " ".join(fit_predictor.__doc__.split())
    table = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    for name, method in PREDICTORS.items():
        assert f'``"{name}"`` {method.summary}' in docstring
        assert f"| `{name}` | {method.summary} |" in table
        assert f'"{name}"' in MultiSelectRegressor.__doc__


@pytest.mark.parametrize("name", PREDICTORS)
def test_a_predictor_does_what_it_is_said_to_do(crowd, judged, plan, name):
    method = PREDICTORS[name]
    fitted = fit_predictor(plan, judged, crowd.labels, predictor=name)
    assert fitted.kind == name
    assert (fitted.moments is not None) == method.keeps_moments
    again = Predictor.from_json(fitted.to_json())
    new = crowd.more(20).follow(plan)
    np.testing.assert_array_equal(fitted.predict(new, return_std=True), again.predict(new, return_std=True))
    if method.takes_ridge:
        tamed = fit_predictor(plan, judged, crowd.labels, predictor=name, predictor_ridge=0.5)
        assert np.abs(tamed.coefficients).sum() < np.abs(fitted.coefficients).sum()
    else:
        with refused(PlanError, value=0.5, column="predictor_ridge") as caught:
            fit_predictor(plan, judged, crowd.labels, predictor=name, predictor_ridge=0.5)
        assert caught.value.value == 0.5
    assert MultiSelectRegressor(6, predictor=name)._allows_nan() != method.needs_planned_judgments
