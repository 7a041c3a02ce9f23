from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.core import psd
from manyjudges.core.psd import make_psd, nearest_psd, symmetrize
from tests.support.plain import plain_nearest_psd


@pytest.fixture(params=["small", "large"])
def way(request):
    """Both ways to the same matrix."""
    return {"large": 2 if request.param == "large" else 10**6}


LARGE = {"large": 2}


def symmetric(rng, d, shift=0.0):
    """With eigenvalues on both sides of a number."""
    a = rng.normal(size=(d, d))
    return (a + a.T) / 2 + shift * np.eye(d)


@given(seed=st.integers(0, 10_000), d=st.integers(1, 12), shift=st.sampled_from([-9.0, -1.0, 0.0, 1.0]))
def test_both_ways_equal_the_plain_twin(seed, d, shift):
    rng = np.random.default_rng(seed)
    scale = rng.uniform(0.1, 10, size=d) * (rng.random(d) < 0.9)
    matrix = symmetric(rng, d, shift) * np.outer(scale, scale)
    plain, below = plain_nearest_psd(matrix, scale)
    for least in (2, 10**6):
        near = matrix.copy()
        removed = make_psd(near, scale, large=least)
        np.testing.assert_allclose(near, plain, atol=1e-11 * max(np.abs(matrix).max(), 1))
        np.testing.assert_allclose(removed, below, atol=1e-11)
        np.testing.assert_array_equal(near, near.T)
        assert (near[scale == 0] == 0).all()


@pytest.mark.parametrize("shift", [-15.0, -3.0, 3.0])  # few positive, few negative
def test_many_attributes(way, rng, shift):
    matrix, scale = symmetric(rng, 150, shift), rng.uniform(0.5, 2, size=150)
    plain, below = plain_nearest_psd(matrix, scale)
    assert 0 < len(below) < 150
    near = matrix.copy()
    removed = make_psd(near, scale, **way)
    np.testing.assert_allclose(near, plain, atol=1e-11)
    np.testing.assert_allclose(removed, below, atol=1e-11)
    unit = np.outer(scale, scale)
    assert np.linalg.eigvalsh(near / unit).min() > -1e-11


def test_the_default_way_of_a_large_one(rng):
    d = psd.STEPWISE_FROM
    matrix = symmetric(rng, d, 30.0)
    plain, below = plain_nearest_psd(matrix, np.ones(d))
    assert len(below) > 0
    np.testing.assert_allclose(nearest_psd(matrix, np.ones(d)), plain, atol=1e-9)


def test_none_is_positive(way, rng):
    near = -np.eye(5)
    assert make_psd(near, np.ones(5), **way).tolist() == [-1.0] * 5
    assert (near == 0).all()


def test_a_good_matrix_stays_as_it_is(way, rng):
    for rank in (3, 8):  # singular up to rounding, and definite
        root = rng.normal(size=(8, rank))
        matrix = root @ root.T
        near = matrix.copy()
        assert len(make_psd(near, np.sqrt(np.diag(matrix)), **way)) == 0
        np.testing.assert_array_equal(near, matrix)


@pytest.mark.parametrize("lies", [np.asfortranarray, lambda a: np.kron(a, np.ones((2, 2)))[::2, ::2]])
def test_it_matters_not_how_it_lies_in_memory(way, rng, lies):
    matrix = symmetric(rng, 9)
    near = lies(matrix)
    make_psd(near, np.ones(9), **way)
    np.testing.assert_allclose(near, plain_nearest_psd(matrix, np.ones(9))[0], atol=1e-12)


def test_the_argument_is_left_alone(way, rng):
    matrix = symmetric(rng, 6)
    before = matrix.copy()
    assert not np.array_equal(nearest_psd(matrix, np.ones(6), **way), matrix)
    np.testing.assert_array_equal(matrix, before)


def test_when_lapack_gives_up_all_eigenvectors_are_taken(rng, monkeypatch):
    def give_up(*_, **__):
        raise np.linalg.LinAlgError("did not converge")

    matrix = symmetric(rng, 7)
    monkeypatch.setattr(psd, "eigh_tridiagonal", give_up)
    np.testing.assert_allclose(
        nearest_psd(matrix, np.ones(7), **LARGE), plain_nearest_psd(matrix, np.ones(7))[0], atol=1e-12
    )


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("shift", "workspaces"), [(60.0, 1), (0.0, 2)])
def test_what_it_needs_beside_the_matrix(rng, shift, workspaces, order):
    matrix, scale = np.array(symmetric(rng, 600, shift), order=order), np.ones(600)
    tracemalloc.start()
    make_psd(matrix, scale, **LARGE)
    peak = tracemalloc.get_traced_memory()[1] / matrix.nbytes
    tracemalloc.stop()
    # The strips that are handled at once, and the columns that are brought back, are much of so small a matrix.
    assert workspaces <= peak < workspaces + 1.3


def test_what_is_nearly_symmetric_is_made_so(rng):
    matrix = symmetric(rng, 11) * (1 + 1e-10 * rng.normal(size=(11, 11)))
    expected = (matrix + matrix.T) / 2
    assert symmetrize(matrix, rows=4)
    np.testing.assert_array_equal(matrix, expected)
    matrix[9, 2] += 1e-6
    assert not symmetrize(matrix, rows=4)
