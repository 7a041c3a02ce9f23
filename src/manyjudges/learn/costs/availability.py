"""Availability: how many judgments of a pair can be had, from a recording or from the judges that there are."""

from __future__ import annotations

__all__ = ["never_varying", "recorded_caps", "too_few_judges"]

from typing import Any

import numpy as np

from manyjudges.base.formatting import listed
from manyjudges.base.messages import list_names
from manyjudges.base.results import on_one_line
from manyjudges.campaign.counts import reached_by_half
from manyjudges.core.budget import COST_TOLERANCE, as_max_repeats
from manyjudges.core.plan import Plan
from manyjudges.learn.training_data import TrainingData

_NAMED = 3
"""Attributes that a note names."""


def recorded_caps(data: TrainingData, max_repeats: Any = None) -> dict[str, int]:
    """Caps where no more can be had than was recorded, for ``max_repeats`` of a search.

    Of each attribute, the most judgments that at least half of the objects have, as in a campaign with a
    :class:`RecordedJudge`. A pilot is no recording: more judgments of its objects can be bought.

    Parameters
    ----------
    data : TrainingData
    max_repeats : mapping or array, optional
        The user's own caps, of which the lower ones hold.
    """
    if data.table is not None:
        most = reached_by_half(data.table.cells().count)
    else:
        most = np.array([_reached_by_half_of(data, name) for name in data.attributes], dtype=np.int64)
    caps = np.minimum(most, as_max_repeats(max_repeats, data.attributes))
    return {name: int(cap) for name, cap in zip(data.attributes, caps, strict=True)}


def too_few_judges(plan: Plan, data: TrainingData) -> str:
    """A note where a plan wants more judgments of a pair than there are different workers in the table, or nothing.

    Nothing where workers are not known, as in a table that was scanned.
    """
    available = 0 if data.table is None else len(data.table.workers)
    short = {name: count for name, count in plan.repeats.items() if count > available}
    if not available or not short:
        return ""
    needs = [f"{count:,} different judges of '{on_one_line(name)}'" for name, count in list(short.items())[:_NAMED]]
    if (more := len(short) - _NAMED) > 0:
        needs.append(f"as many of {more:,} more attributes")
    return (
        f"The plan needs {listed(needs)}; the table has {available:,}. Find more judges, or limit the judgments of an "
        "attribute with --max-repeats (max_repeats=)."
    )


def never_varying(plan: Plan, data: TrainingData) -> str:
    """A note where a plan buys nothing because all answers to each attribute are equal, or nothing."""
    if plan.repeats or plan.budget < min(plan.costs) * (1 - COST_TOLERANCE) or not (values := data.value_counts()):
        return ""
    if any(len(distinct) > 1 for distinct, _ in values.values()):
        return ""
    names = list_names([on_one_line(name) for name in values], limit=_NAMED)
    equal = f"All answers to {names} are equal" if len(values) == 1 else f"For each of {names}, all answers are equal"
    return (
        f"{equal}, so they say nothing about the label. "
        "Check the file, or ask questions to which the answers differ between objects."
    )


def _reached_by_half_of(data: TrainingData, name: str) -> int:
    """The same of one attribute of a table that was scanned, which knows how many objects have how many judgments."""
    counts = {} if data.scan is None else data.scan.counts.get(name, {})
    reached, wanted = 0, data.n_objects - data.n_objects // 2
    for count in sorted(counts, reverse=True):
        reached += counts[count]
        if reached >= wanted:
            return count
    return 0
