"""Comparison: the same folds, candidates and rule for whoever asks."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges import simulate
from manyjudges.base.seeds import generator
from manyjudges.exceptions import PlanError
from manyjudges.learn.choice import choose_from
from manyjudges.learn.comparison import AUTO, candidates, check_method, compare
from manyjudges.learn.inference.cross_validation import Candidate
from manyjudges.learn.preparation.trials import NOTHING, PreparationOptions
from manyjudges.learn.training_data import load_training_data, match_training_data
from tests.support.messages import refused


@pytest.fixture(scope="module")
def crowd():
    return simulate.gaussian(60, 6, random_state=2)


@pytest.fixture(scope="module")
def data(crowd):
    return match_training_data(crowd.pilot(2), crowd.labels)


def test_a_budget_is_compared_alike_alone_and_among_others(data):
    alone = compare(data, [6], cv_repeats=1)
    among = compare(data, [2, 6, 9], methods=("scoring", AUTO, "full", "exchange"), cv_repeats=1)
    assert among.choice(AUTO, 1).to_json() == alone.choice(AUTO, 0).to_json()
    assert among.baseline_loss == alone.baseline_loss
    full = compare(data, [6], methods=["full"], cv_repeats=1)
    assert among.choice("full", 1).to_json() == full.choice("full", 0).to_json()


def test_a_method_and_auto_share_candidates(data):
    compared = compare(data, [6], methods=(AUTO, "full"), cv_repeats=1, options=NOTHING)
    assert set(compared.ways["full"]) < set(compared.ways[AUTO])
    assert len(compared.validation.candidates) == len(compared.ways[AUTO])
    assert compared.candidate(AUTO, 0) in compared.validation.candidates


def test_a_method_by_its_name_sees_judgments_and_moments_as_they_are(data):
    compared = compare(data, [6], methods=(AUTO, "full"), cv_repeats=1)
    assert compared.prepared["full"].preparation.is_plain
    np.testing.assert_array_equal(compared.moments("full").covariance, data.moments.covariance)
    assert compared.prepared[AUTO].preparation.joint_moments
    assert set(compared.ways["full"]).isdisjoint(compared.ways[AUTO])
    asked = compare(data, [6], methods=["full"], cv_repeats=1, options=PreparationOptions(joint_moments=True))
    np.testing.assert_array_equal(asked.moments("full").covariance, compared.moments(AUTO).covariance)


def test_guessing_the_mean_is_a_plan_of_nothing(data):
    compared = compare(data, [0, 6], methods=["full"], shrinkage=0.0, cv_repeats=2)
    assert compared.baseline_loss == compared.validation.loss[0, 0]


def test_a_ridge_for_the_predictor_may_be_named(data):
    compared = compare(data, [6], predictor_ridge=0.2, cv_repeats=1)
    assert {way.predictor_ridge for way in compared.validation.candidates} == {0.2}
    with refused(PlanError, value=-1.0, column="predictor_ridge"):
        compare(data, [6], predictor_ridge=-1.0)


def test_folds_of_a_scanned_table_are_those_of_a_table_in_memory(crowd, tmp_path):
    path = tmp_path / "judgments.csv"
    crowd.pilot(2).to_frame().to_csv(path, index=False)
    whole = load_training_data(str(path), crowd.labels, rng=generator(3), whole=True)
    scanned = load_training_data(str(path), crowd.labels, rng=generator(3), scan_from=0)
    assert (scanned.table, whole.parts) == (None, None)
    choice, wanted = (choose_from(each, 6, random_state=3, cv_repeats=1) for each in (scanned, whole))
    assert choice.loss == pytest.approx(wanted.loss, rel=1e-9)
    assert choice.std_error == pytest.approx(wanted.std_error, rel=1e-9)


def test_the_simplest_comes_first():
    ways = candidates(AUTO, AUTO, 0.0)
    assert ways[0] == Candidate("full", 0.0, 0.0, 0.0)
    assert (np.diff([way.predictor_ridge for way in ways]) >= 0).all()
    assert [way.method for way in candidates("scoring", AUTO, 0.0, tame_predictor=False)] == ["scoring"]


def test_wrong_ways():
    with refused(PlanError, value="fool", column="method"):
        check_method("fool")
    with refused(PlanError, value="much", column="shrinkage"):
        candidates(AUTO, "much", 0.0)
    with refused(PlanError, value=-1, column="plan_ridge"):
        candidates(AUTO, 0.0, -1)


@pytest.mark.parametrize("n", [4, 7])
def test_few_objects_are_not_compared(n):
    crowd = simulate.gaussian(n, 2, random_state=0)
    with refused(PlanError, value=5, column="cv"):
        compare(match_training_data(crowd.pilot(2), crowd.labels), [4])
