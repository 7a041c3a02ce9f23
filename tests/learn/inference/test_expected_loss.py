"""From held-out losses of many candidates to the error of the one that is taken."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Moments, select, simulate
from manyjudges.base.seeds import generator
from manyjudges.core.objective import expected_loss, weights
from manyjudges.learn.inference.cross_validation import Candidate, Validation, validate
from manyjudges.learn.inference.expected_loss import expected_loss_of
from manyjudges.learn.training_data import match_training_data


def validation_of(losses, promised=None, size=10):
    """Candidates by parts at one budget; losses are those of one object."""
    losses = np.asarray(losses, dtype=float)
    ways = tuple(Candidate("full", 0.0, 0.0, float(i)) for i in range(len(losses)))
    sizes = np.full(losses.shape[1], size)
    promised = losses.mean(axis=1) if promised is None else np.asarray(promised, dtype=float)
    return Validation(ways, (8.0,), sizes, (losses * size)[:, None, :], promised[:, None], 2 * losses[0] * size)


def expected(validation, *candidates, cv=5, after_refit=False):
    return expected_loss_of(validation, np.array(candidates), 0, after_refit=after_refit, cv=cv)


def test_one_candidate_that_promises_what_it_loses_loses_that():
    losses = np.random.default_rng(0).uniform(1, 2, size=(1, 20))
    loss, std_error = expected(validation_of(losses), 0)
    assert loss == pytest.approx(losses.mean())
    assert std_error == pytest.approx(losses.std(ddof=1) / np.sqrt(20))


def test_candidates_that_are_alike_are_as_good_as_one():
    losses = np.repeat(np.random.default_rng(0).uniform(1, 2, size=(1, 20)), 5, axis=0)
    validation = validation_of(losses)
    assert expected(validation, *range(5)) == expected(validation, 0)


def test_the_best_of_many_that_are_equally_good_loses_what_they_all_do():
    """Whose losses differ by chance alone: the lowest is 12 % too low."""
    found, lowest = [], []
    for seed in range(40):
        losses = np.random.default_rng(seed).exponential(size=(20, 40))
        found.append(expected(validation_of(losses, np.ones(20) * 9), *range(20))[0])
        lowest.append(losses.mean(axis=1).min())
    assert np.mean(lowest) < 0.75
    assert np.mean(found) == pytest.approx(1.0, abs=0.05)


def test_one_that_is_clearly_best_is_taken_as_it_is():
    losses = np.random.default_rng(0).uniform(1, 1.1, size=(6, 20)) + np.arange(6)[:, None]
    assert expected(validation_of(losses), *range(6))[0] == pytest.approx(losses[0].mean())


def test_folds_learn_from_fewer_objects():
    """Half of what is lost beyond the promise is the excess of the model; that of folds is 5/4 of it."""
    losses = np.full((1, 20), 2.0)
    loss, std_error = expected(validation_of(losses, [1.0]), 0)
    assert loss == pytest.approx(2 - 0.5 / 5)
    assert std_error == pytest.approx(0.7 * 0.5 * 0.8)
    assert expected(validation_of(losses, [1.0]), 0, cv=20)[0] > loss
    assert expected(validation_of(losses, [3.0]), 0)[0] == 2.0, "a promise that is kept has no excess"


def test_no_loss_is_below_zero():
    losses = np.full((1, 20), -0.1)
    assert expected(validation_of(losses, [-1.0]), 0)[0] == 0


def test_units_do_not_matter():
    losses = np.random.default_rng(0).exponential(size=(5, 20))
    one = expected(validation_of(losses, np.full(5, 0.5)), *range(5), after_refit=True)
    other = expected(validation_of(losses * 2.54**2, np.full(5, 0.5 * 2.54**2)), *range(5), after_refit=True)
    np.testing.assert_allclose(other, np.array(one) * 2.54**2)


@pytest.mark.slow
def test_it_is_nearer_to_the_truth_than_the_lowest_loss():
    """True losses on the population of what is taken, on small samples with much to choose from."""
    ways = [Candidate(method, 0.0, 0.0, ridge) for ridge in (0.0, 0.1, 0.5) for method in ("full", "scoring")]
    away, naive = [], []
    for seed in range(10):
        crowd = simulate.gaussian(60, 15, random_state=seed)
        pilot = crowd.pilot(2)
        data, rng = match_training_data(pilot, crowd.labels), generator(seed)
        parts = data.fold_sums(5, rng)
        seen = validate(parts, ways, [20.0], costs=None, max_repeats=None, cv=5, cv_repeats=2, rng=rng)
        loss, _ = expected(seen, *range(len(ways)))
        taken = int(seen.loss[:, 0].argmin())
        moments = Moments.estimate(pilot, crowd.labels)
        repeats = select(moments, 20, method=ways[taken].method).to_array()
        w = weights(moments.regularized(ridge=ways[taken].predictor_ridge), repeats)
        truth = expected_loss(crowd.truth, w, repeats, bias=moments.label_mean - w @ moments.means)
        away.append(loss / truth - 1)
        naive.append(seen.loss[taken, 0] / truth - 1)
    assert np.mean(naive) < -0.05
    assert abs(np.mean(away)) < 0.08
    assert np.mean(np.square(away)) < np.mean(np.square(naive))
