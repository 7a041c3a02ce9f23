from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments
from manyjudges.tables import storage


def blocks_with_gaps(seed, n=7, d=3, k=4):
    rng = np.random.default_rng(seed)
    block = rng.normal(size=(n, d, k))
    block[rng.random(block.shape) < 0.3] = np.nan
    return block


@given(st.integers(0, 10_000))
def test_both_storages_give_the_same_cells(seed):
    judgments = Judgments.from_array(blocks_with_gaps(seed))
    if not len(judgments):
        return
    block = judgments._storage
    long = storage.LongStorage(*judgments.shape, block.rows())
    for name in ("count", "mean", "scatter"):
        np.testing.assert_allclose(getattr(block.cells(), name), getattr(long.cells(), name), atol=1e-12)
    assert len(block) == len(long)


@given(st.integers(0, 10_000))
def test_cells_are_count_mean_and_scatter(seed):
    values = blocks_with_gaps(seed)
    cells = Judgments.from_array(values).cells()
    for i, a in np.ndindex(values.shape[:2]):
        x = values[i, a][~np.isnan(values[i, a])]
        assert cells.count[i, a] == len(x)
        if len(x):
            assert cells.mean[i, a] == pytest.approx(x.mean(), abs=1e-12)
            assert cells.scatter[i, a] == pytest.approx(((x - x.mean()) ** 2).sum(), abs=1e-12)
        else:
            assert np.isnan(cells.mean[i, a])
            assert cells.scatter[i, a] == 0


@pytest.mark.parametrize("full", [True, False])
def test_agreement_is_exactly_zero_scatter(full):
    values = np.full((4, 2, 3), 0.1)
    if not full:
        values[0, 0, 0] = np.nan
    assert (Judgments.from_array(values).cells().scatter == 0).all()


@pytest.mark.parametrize("gaps", [False, True])
def test_blocks_are_the_cells_in_pieces(gaps):
    values = blocks_with_gaps(1) if gaps else np.random.default_rng(0).normal(size=(7, 3, 4))
    array = Judgments.from_array(values)
    for judgments in (array, Judgments.from_frame(array.to_frame())):
        pieces = list(judgments.blocks(6))  # two objects of three attributes
        assert len(pieces) == 4
        for name in ("count", "mean", "scatter"):
            whole = np.concatenate([getattr(piece, name) for piece in pieces])
            np.testing.assert_array_equal(whole, getattr(judgments.cells(), name))


@given(st.integers(0, 10_000))
def test_rows_are_in_order_of_object_attribute_and_worker(seed):
    rng = np.random.default_rng(seed)
    n, d, m = 4, 3, 5
    every = rng.permutation(n * d * m)[: rng.integers(1, n * d * m)]
    rows = storage.Rows(every // (d * m), every // m % d, every % m, rng.normal(size=len(every)))
    plain = rows.take(np.lexsort((rows.workers, rows.attributes, rows.objects)))
    for largest in (storage.LARGEST, 0):  # as one number, and where that would be too large
        found = storage.LongStorage.of(n, d, rows, largest=largest).rows()
        for name in ("objects", "attributes", "workers", "values"):
            np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))
