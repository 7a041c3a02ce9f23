from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest

from manyjudges import simulate
from manyjudges.learn.inference.fold_sums import FoldSums, assign_parts


@pytest.fixture(scope="module")
def parts():
    crowd = simulate.gaussian(60, 4, random_state=0)
    judgments, y = crowd.pilot(2).match(crowd.labels)
    return FoldSums.of(judgments, y, 12, (), np.random.default_rng(0)), judgments, y


@pytest.mark.parametrize("cv", [2, 3, 5, 12])
def test_a_fold_is_the_sum_of_the_parts_that_are_not_held_out(parts, cv):
    sums, _, _ = parts
    splits = sums.splits(cv, np.random.default_rng(1))
    for held_out, fold in zip(splits, sums.folds(splits), strict=True):
        rest = [part for i, part in enumerate(sums.sums) if i not in held_out]
        direct = reduce(add, rest)
        assert fold.training.n_objects == direct.n_objects
        np.testing.assert_allclose(fold.training.products.dense, direct.products.dense, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(fold.training.means, direct.means, rtol=1e-12)
        assert [test.n_objects for test in fold.tests] == [sums.sums[i].n_objects for i in held_out]


def test_the_variance_of_labels_needs_no_moments(parts):
    sums, _, y = parts
    assert sums.label_variance == pytest.approx(y.var(), rel=1e-12)
    assert sums.label_variance == pytest.approx(sums.moments().label_variance, rel=1e-12)


def test_a_scanned_table_has_the_parts_of_one_in_memory(parts):
    sums, _, y = parts
    part = assign_parts(len(y), 12, np.random.default_rng(0))
    assert np.bincount(part).tolist() == [each.n_objects for each in sums.sums]
    means = [y[part == i].mean() for i in range(12)]
    np.testing.assert_allclose(means, [each.label_mean for each in sums.sums], rtol=1e-12)
