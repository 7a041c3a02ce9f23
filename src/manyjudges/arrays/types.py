"""Types of arrays as annotations write them."""

from __future__ import annotations

__all__ = ["Bools", "Floats", "Integers"]

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Real numbers. The mathematics also takes arrays of other libraries in its place, see :mod:`.libraries`."""

Integers = NDArray[np.int64]
"""Counts, codes and positions."""

Bools = NDArray[np.bool_]
"""Masks."""
