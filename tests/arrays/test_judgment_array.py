from __future__ import annotations

import numpy as np
import pytest

from manyjudges.arrays.judgment_array import cells_of


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_chunks_make_no_difference(gaps, rng):
    values = rng.normal(size=(7, 3, 4))
    values[rng.random(values.shape) < gaps] = np.nan
    whole, chunked = cells_of(values, full=not gaps), cells_of(values, full=not gaps, chunk=10)
    for name in ("count", "mean", "scatter"):
        np.testing.assert_array_equal(getattr(chunked, name), getattr(whole, name))
