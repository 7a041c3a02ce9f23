from __future__ import annotations

from manyjudges import MultiSelectRegressor, fit_predictor
from manyjudges.exceptions import PlanError
from manyjudges.learn.predictors.registry import PREDICTORS, predictor_named
from tests.support.folders import ROOT
from tests.support.messages import refused


def test_a_predictor_that_is_not_there_is_named():
    with refused(PlanError, value="best_liner", column="predictor"):
        predictor_named("best_liner")


def test_docs_say_what_each_predictor_does():
    docstring = " ".join(fit_predictor.__doc__.split())
    table = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    for name, method in PREDICTORS.items():
        assert f'``"{name}"`` {method.summary}' in docstring
        assert f"| `{name}` | {method.summary} |" in table
        assert f'"{name}"' in MultiSelectRegressor.__doc__
