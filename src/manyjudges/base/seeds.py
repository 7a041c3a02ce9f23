"""Seeds: random numbers from a seed that somebody gave."""

from __future__ import annotations

__all__ = ["generator"]

from typing import Any

import numpy as np

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import PlanError


def generator(random_state: Any) -> np.random.Generator:
    """A generator from a whole number, or None for one that nobody can repeat."""
    if random_state is not None and (
        isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0
    ):
        raise PlanError(
            f"random_state must be a whole number of 0 or more, or None, not {quote_value(random_state)}.",
            value=random_state,
            column="random_state",
        )
    return np.random.default_rng(random_state)
