"""What this room asks of a search: the one place in it where searches are called by their names.

Whoever adds a search says here, or in the registry of searches, what it can do; all other modules ask these functions.
"""

from __future__ import annotations

from manyjudges.core.search.registry import METHODS

DEFAULT = "full"
"""The search that counts on attributes turning out as well as they look: what it buys shows whether they do, so that
campaigns begin with it, and it stands in where a plan was made by no search at all."""

TRIED_BY_AUTO = ("full", "scoring")
"""Searches that ``"auto"`` chooses from, in the order of a tie.

What ``"exchange"`` and ``"exact"`` add to Full is mostly chance where moments are estimates: among the candidates they
made the true loss no lower, on simulated crowds of 60 to 500 objects.
"""

ON_EVERY_CURVE = ("scoring", "full")
"""The paper's two algorithms, which every error curve compares."""

_IN_FOLDS = {"exact": "exchange"}
_NESTED = frozenset({"full", "scoring"})
_VARIANCES_ALONE = frozenset({"scoring"})


def in_folds(method: str) -> str:
    """The search to repeat in every fold: a cheaper one that finds nearly the same, where there is one."""
    return _IN_FOLDS.get(method, method)


def is_nested(method: str) -> bool:
    """Whether, at equal prices, the plan of a smaller budget is the beginning of that of a larger one."""
    return method in _NESTED


def uses_covariances(method: str) -> bool:
    """Whether shrinking the covariance towards its diagonal can change the plan."""
    return method not in _VARIANCES_ALONE


def for_calibration(method: str) -> str:
    """The search by which plans are made anew to see what a predictor's promise is worth.

    What exchange adds to Full does not show in the size of errors, and would take long.
    """
    return method if is_nested(method) else DEFAULT


def can_repeat(method: str) -> bool:
    """Whether a plan was made by a search, so that another one can be made in the same way."""
    return method in METHODS
