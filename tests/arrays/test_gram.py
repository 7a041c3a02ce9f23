from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, MultiSelectRegressor, select
from manyjudges.arrays.gram import Gram
from manyjudges.core.search.exchange import HELPS
from manyjudges.core.search.registry import SEARCHES


def both(rng, n=12, d=5):
    """The same matrix by its factor and as it is."""
    x = rng.normal(size=(n, d))
    return Gram(factor=x, divisor=n), Gram(x.T @ x / n)


def test_a_factor_gives_what_the_matrix_gives(rng):
    lazy, dense = both(rng)
    at = np.array([3, 0, 4])
    np.testing.assert_allclose(lazy.diagonal, dense.diagonal)
    np.testing.assert_allclose(lazy.rows(2), dense.rows(2))
    np.testing.assert_allclose(lazy.rows(at), dense.rows(at))
    np.testing.assert_allclose(lazy.block(at), dense.block(at))
    assert lazy.factor is not None  # nobody has asked for the whole
    np.testing.assert_allclose(lazy.dense, dense.dense)
    assert lazy.factor is None
    np.testing.assert_allclose(lazy.rows(at), dense.rows(at))


def test_what_is_saved_does_not_carry_the_table(rng):
    lazy, dense = both(rng, n=1000)
    saved = pickle.dumps(lazy)
    assert len(saved) < 1000
    np.testing.assert_allclose(pickle.loads(saved).dense, dense.dense)


def test_rows_lie_together(rng):
    _, dense = both(rng)
    other = Gram(np.asfortranarray(dense.dense))
    assert other.rows(2).flags.c_contiguous
    np.testing.assert_array_equal(other.dense, dense.dense)


def test_matrices_add_up(rng):
    (a, b), (c, d) = both(rng), both(rng)
    np.testing.assert_allclose((a + c).dense, b.dense + d.dense)


@pytest.mark.parametrize("method", [method for method in SEARCHES if method != "exact"])  # which writes all of it out
@given(seed=st.integers(0, 10_000), d=st.integers(1, 15), budget=st.integers(0, 20))
def test_plans_from_a_factor_are_plans_from_the_matrix(method, seed, d, budget):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(12, d)) * rng.uniform(0.1, 10, size=d)  # often fewer objects than attributes
    if d > 2:
        x[:, 1] = 0.7
    y = x @ rng.normal(size=d) + rng.normal(size=12)
    lazy = Moments.estimate(Judgments.from_array(x[:, :, None]), y, noiseless=[f"x{i}" for i in range(d)])
    assert lazy.matrix.factor is not None
    plan = select(lazy, budget, method=method)
    assert lazy.matrix.factor is not None
    dense = Moments.from_values(lazy.cross, lazy.noise, lazy.covariance, lazy.label_variance)
    same = select(dense, budget, method=method)
    # Plans that explain all there is are as good as each other, and rounding decides between them.
    everything = plan.explained >= lazy.label_variance * (1 - HELPS)
    assert same.explained == pytest.approx(plan.explained, rel=10 * HELPS)
    assert everything or plan.picks.tolist() == same.picks.tolist()


def test_fitting_a_wide_table_never_multiplies_it_out(rng):
    X = rng.normal(size=(30, 100))
    model = MultiSelectRegressor(5, method="full", shrinkage=0.0).fit(X, X[:, :5].sum(axis=1) + rng.normal(size=30))
    model.predict(X)
    assert model.moments_.matrix.factor is not None
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
