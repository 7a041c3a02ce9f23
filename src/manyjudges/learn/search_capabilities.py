"""What this room asks of a search, answered by what the registry of searches says that it can do."""

from __future__ import annotations

__all__ = ["ON_EVERY_CURVE"]

from manyjudges.base.methods import CURVE_SEARCHES
from manyjudges.core.search.registry import DEFAULT as DEFAULT
from manyjudges.core.search.registry import SEARCHES

TRIED_BY_AUTO = tuple(name for name, search in SEARCHES.items() if search.tried_by_auto)
"""Searches that ``"auto"`` chooses from, in the order of a tie."""

ON_EVERY_CURVE = CURVE_SEARCHES
"""The paper's two algorithms, which every error curve compares."""


def in_folds(method: str) -> str:
    """The search to repeat in every fold: a cheaper one that finds nearly the same, where there is one."""
    return (SEARCHES[method].in_folds or method) if can_repeat(method) else method


def is_nested(method: str) -> bool:
    """Whether, at equal prices, the plan of a smaller budget is the beginning of that of a larger one."""
    return can_repeat(method) and SEARCHES[method].nested


def uses_covariances(method: str) -> bool:
    """Whether shrinking the covariance towards its diagonal can change the plan."""
    return not can_repeat(method) or SEARCHES[method].uses_covariance


def for_calibration(method: str) -> str:
    """The search by which plans are made anew to see what a predictor's promise is worth.

    What exchange adds to Full does not show in the size of errors, and would take long.
    """
    return method if is_nested(method) else DEFAULT


def can_repeat(method: str) -> bool:
    """Whether a plan was made by a search, so that another one can be made in the same way."""
    return method in SEARCHES
