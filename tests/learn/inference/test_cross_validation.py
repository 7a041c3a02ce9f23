from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, simulate
from manyjudges.core.objective import explained
from manyjudges.exceptions import MomentsError
from manyjudges.learn.inference.cross_validation import Candidate, PlanCache, multiplied, simplest_good, validate
from manyjudges.learn.inference.fold_sums import FoldSums
from tests.support.messages import refused
from tests.support.plain import unbalanced_frame

SEEDS = st.integers(0, 1_000_000)


@given(seed=SEEDS)
def test_folds_are_put_together_from_sums(seed):
    rng = np.random.default_rng(seed)
    frame = unbalanced_frame(rng, n_objects=40, absent=0.05)
    judgments = Judgments.from_frame(frame)
    y = rng.normal(size=len(judgments.objects))
    parts = FoldSums.of(judgments, y, 8, (), np.random.default_rng(1))
    whole, direct = parts.moments(), Moments.estimate(judgments, y)
    np.testing.assert_allclose(whole.covariance, direct.covariance, rtol=1e-8, atol=1e-10)
    held = np.concatenate(parts.splits(4, rng))
    assert sorted(held.tolist()) == list(range(8))
    for fold in parts.folds(parts.splits(4, rng)):
        assert fold.training.n_objects + sum(test.n_objects for test in fold.tests) == len(y)


def test_a_fold_that_cannot_be_used_says_so():
    X = np.full((10, 2, 2), np.nan)
    X[:, :, 0] = np.arange(20).reshape(10, 2)
    X[0, :, 1] = 1.0  # the only object with a second judgment
    parts = FoldSums.of(Judgments.from_array(X), np.arange(10.0), 10, (), np.random.default_rng(0))
    with refused(MomentsError, column="x0"):
        _ = [fold.trained() for fold in parts.folds(parts.splits(5, np.random.default_rng(0)))]


def test_plans_of_all_budgets_come_from_one_path():
    crowd = simulate.gaussian(100, 8, random_state=0)
    moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    for method in ("full", "scoring", "exchange"):
        many = PlanCache(moments, [3, 20, 9]).plans(Candidate(method))
        alone = [PlanCache(moments, [budget]).plans(Candidate(method))[0] for budget in (3, 20, 9)]
        assert many == alone


def test_the_error_of_the_estimated_objective_falls_with_the_root_of_the_objects():
    """The paper's convergence: |obj estimated - obj| for a fixed plan, against the number of objects."""
    population = simulate.gaussian(4, 6, random_state=3)
    repeats = np.array([4, 1, 0, 6, 2, 3])
    sizes = np.array([100, 400, 1600])
    errors = []
    for n in sizes:
        at_n = []
        for _ in range(40):
            crowd = population.more(int(n))
            estimated = Moments.estimate(crowd.pilot(2), crowd.labels)
            at_n.append((explained(estimated, repeats) - explained(population.truth, repeats)) ** 2)
        errors.append(np.sqrt(np.mean(at_n)))
    rate = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert -0.65 < rate < -0.35, (rate, errors)


def test_progress_and_shape():
    crowd = simulate.gaussian(60, 5, random_state=0)
    judgments, y = crowd.pilot(2).match(crowd.labels)
    rng, seen = np.random.default_rng(0), []
    parts = FoldSums.of(judgments, y, 20, (), rng)
    candidates = [Candidate("full"), Candidate("full", predictor_ridge=0.1), Candidate("scoring")]
    options = {"cv": 5, "cv_repeats": 2, "rng": rng, "progress": lambda *at: seen.append(at)}
    found = validate(parts, candidates, [4, 8], **options)
    assert found.loss.shape == found.std_error.shape == found.promised.shape == found.loss_after_refit.shape == (3, 2)
    assert seen[-1] == (30, 30)
    assert (found.std_error > 0).all()
    assert (found.promised <= found.loss).all()


def test_the_plainest_of_nearly_equals():
    assert simplest_good(np.array([1.2, 1.005, 1.0])) == 1
    assert simplest_good(np.array([1.2, 1.05, 1.0])) == 2
    assert multiplied(np.array([0, 1, 3]), 0.5).tolist() == [0, 1, 2]


def test_with_costs_every_budget_has_its_own_plan():
    crowd = simulate.gaussian(150, 8, random_state=5)
    moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    costs = np.random.default_rng(0).integers(1, 7, 8).astype(float)
    for method in ("full", "scoring"):
        many = PlanCache(moments, [6, 13, 40], costs).plans(Candidate(method))
        assert many == [PlanCache(moments, [budget], costs).plans(Candidate(method))[0] for budget in (6, 13, 40)]


def test_a_fold_whose_labels_are_all_the_same_says_so():
    crowd = simulate.gaussian(20, 2, random_state=0)
    judgments, y = crowd.pilot(2)[:20], np.r_[1.0, np.zeros(19)]
    parts = FoldSums.of(judgments, y, 20, (), np.random.default_rng(0))
    with refused(MomentsError, value=0.0, column="label"):
        _ = [fold.trained() for fold in parts.folds(parts.splits(5, np.random.default_rng(0)))]
