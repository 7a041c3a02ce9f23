"""Baselines: what people did before, to compare with (the paper's experiments)."""

from __future__ import annotations

__all__ = ["baseline"]

from dataclasses import replace
from typing import Any

import numpy as np

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import list_names, suggest
from manyjudges.core.budget import COST_TOLERANCE, as_budget, as_costs
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.core.search.greedy import search_full
from manyjudges.core.search.registry import as_plan
from manyjudges.core.search.result import SearchResult, explained_along
from manyjudges.exceptions import PlanError
from manyjudges.learn.training_data import TrainingData, load_training_data
from manyjudges.scan.options import ScanOptions

_KINDS = ("averages", "copies", "single")

_JUDGMENTS_EACH = 2
"""How many judgments of a pair the paper's baselines look at."""


def baseline(
    judgments: Any,
    labels: Any,
    budget: float,
    *,
    kind: str,
    costs: Any = None,
    attribute: str | None = None,
    unmatched: str = "error",
) -> Plan:
    """A plan made in one of the usual ways, for comparison.

    Parameters
    ----------
    judgments, labels
        As for :func:`answer`. The first two judgments of each pair are used.
    budget : float
        The most that one object's judgments may cost.
    kind : {"averages", "copies", "single"}
        ``"averages"``: greedy least squares on the mean of two judgments, two of each chosen attribute.
        ``"copies"``: greedy least squares with the first and the second judgment as separate attributes.
        ``"single"``: one attribute alone, as often as the budget allows.
    costs : mapping or array, optional
        As for :func:`select`.
    attribute : str
        Which attribute, for ``"single"``.
    unmatched : {"error", "drop"}
        As for :meth:`Moments.estimate`.

    Returns
    -------
    Plan
        What it explains is said by the same moments as for :func:`select`, so that plans can be compared.

    Examples
    --------
    >>> from manyjudges import baseline, simulate
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> pilot = crowd.pilot(2)
    >>> baseline(pilot, crowd.labels, 5, kind="averages").repeats
    {'number of beans': 2, 'round jar': 2}
    >>> baseline(pilot, crowd.labels, 5, kind="single", attribute="number of beans").repeats
    {'number of beans': 5}
    """
    if kind not in _KINDS:
        raise PlanError(
            f"there is no baseline {kind!r}; choose one of {', '.join(_KINDS)}.{suggest(kind, _KINDS)}",
            value=kind,
            column="kind",
        )
    if (attribute is not None) != (kind == "single"):
        raise PlanError(
            f"attribute={attribute!r} with kind={kind!r}: attribute= names the one attribute of kind='single', and "
            "goes with no other kind.",
            value=attribute,
            column="attribute",
        )
    data = load_training_data(judgments, labels, ScanOptions(unmatched=unmatched), whole=True)
    moments = data.moments
    limit, prices = as_budget(budget), as_costs(costs, moments.attributes)
    if kind == "single":
        picks = _single(str(attribute), moments.attributes, limit, prices)
    else:
        picks = {"averages": _averages, "copies": _copies}[kind](data, limit, prices)
    result = SearchResult(picks, explained_along(moments, picks))
    return as_plan(moments, result, limit, prices, np.full(len(prices), np.inf), kind).with_answers(data.answers)


def _single(attribute: str, attributes: tuple[str, ...], budget: float, costs: Floats) -> Integers:
    if attribute not in attributes:
        there = list_names(attributes, limit=8)
        raise PlanError(
            f"there is no attribute {attribute!r}; there are {there}.{suggest(attribute, attributes)}",
            value=attribute,
            column="attribute",
        )
    at = attributes.index(attribute)
    # The numeric estimate alone: B/4 judgments in the paper, where one costs 4.
    return np.full(int((budget * (1 + COST_TOLERANCE)) // costs[at]), at)


def _averages(data: TrainingData, budget: float, costs: Floats) -> Integers:
    # The paper's Averages: both judgments of an attribute or none, so that the price of an attribute is that of two.
    means = data.in_memory.means(_JUDGMENTS_EACH).to_numpy()
    picks = search_full(_without_noise(means, data), budget, _JUDGMENTS_EACH * costs).picks
    return np.repeat(picks, _JUDGMENTS_EACH)


def _copies(data: TrainingData, budget: float, costs: Floats) -> Integers:
    first = data.in_memory.means(1).to_numpy()
    # Twice the mean of two less the first is the second.
    second = _JUDGMENTS_EACH * data.in_memory.means(_JUDGMENTS_EACH).to_numpy() - first
    # The paper's Copies: 2 d attributes, and the repeats of an attribute are how many of its copies were chosen.
    picks = search_full(_without_noise(np.hstack([first, second]), data), budget, np.tile(costs, _JUDGMENTS_EACH)).picks
    return np.asarray(picks % len(costs))


def _without_noise(columns: Floats, data: TrainingData) -> Moments:
    """Moments of columns taken as they are, without noise: greedy search on them is forward least squares."""
    there = ~np.isnan(columns)
    if not there.any(axis=0).all():
        wrong = data.attributes[int(np.flatnonzero(~there.any(axis=0))[0]) % len(data.attributes)]
        raise PlanError(
            f"no object has {_JUDGMENTS_EACH} judgments of {wrong!r}; this baseline needs them.", column=wrong
        )
    sums = Sums.of(Cells(there.astype(np.int64), columns, np.zeros(columns.shape)), data.known_labels)
    # With v = 0 a gain is q²/C[i,i], the fall of the squared error when column i enters a regression.
    overlap = sums.objects if sums.overlap is None else np.maximum(sums.overlap, 1)
    plain = Moments.from_values(
        cross=sums.cross / sums.objects,
        noise=np.zeros(columns.shape[1]),
        covariance=sums.products.dense / overlap,
        label_variance=data.moments.label_variance,
    )
    return replace(plain, n_objects=sums.n_objects)
