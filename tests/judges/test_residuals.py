from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments
from manyjudges.judges.residuals import Products, residuals_of, variance_of_square


def unbalanced(seed, *, n=10, d=3, workers=6):
    """Workers who each judged some attributes of some objects, and residuals in units of a noise of 1."""
    rng = np.random.default_rng(seed)
    at = np.argwhere(rng.random((n, d, workers)) < rng.uniform(0.3, 0.9))
    frame = pd.DataFrame(
        {
            "object": [f"o{i}" for i in at[:, 0]],
            "attribute": [f"a{i}" for i in at[:, 1]],
            "worker": [f"w{i}" for i in at[:, 2]],
            "value": rng.normal(size=len(at)),
        }
    )
    judgments = Judgments.from_frame(frame)
    return frame, residuals_of(judgments, np.ones(len(judgments.attributes)))


@given(st.integers(0, 10_000))
def test_products_equal_the_sum_over_sittings(seed):
    """Two judgments of one worker about one object make a product, one by one."""
    frame, residuals = unbalanced(seed)
    names = sorted(frame["attribute"].unique())
    total = np.zeros((len(names), len(names)))
    pairs = frame.groupby(["object", "attribute"])["value"]
    frame = frame.assign(away=frame["value"] - pairs.transform("mean"))[pairs.transform("size") > 1]
    for _, sitting in frame.groupby(["object", "worker"]):
        away = dict(zip(sitting["attribute"], sitting["away"], strict=True))
        for i, a in enumerate(names):
            for j, b in enumerate(names):
                total[i, j] += away.get(a, 0.0) * away.get(b, 0.0)
    np.testing.assert_allclose(Products.of(residuals).total, total, atol=1e-9)


@pytest.mark.parametrize("size", [1, 64, 1 << 21])
def test_blocks_do_not_matter(size):
    _, residuals = unbalanced(5)
    whole, blocks = Products.of(residuals), Products.of(residuals, size=size)
    for name in ("total", "count", "expected", "variance"):
        np.testing.assert_allclose(getattr(blocks, name), getattr(whole, name), rtol=1e-12, atol=1e-12)
    pull = np.ones((3, 3)) - np.eye(3)
    expected = variance_of_square(residuals, whole.mean, pull)
    assert expected > 0
    assert variance_of_square(residuals, whole.mean, pull, size=size) == pytest.approx(expected)
