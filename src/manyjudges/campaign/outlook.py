"""Outlook: what a campaign will have cost, and when it will be through. Arithmetic on counts, no mathematics."""

from __future__ import annotations

__all__ = ["Forecast", "forecast", "later_cost"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HOUR = 3600.0

RECENT = 3
"""Hours that the pace is taken from: a convention, long enough to bridge a break, short enough to see a change."""


@dataclass(frozen=True)
class Forecast:
    """What is spent, what is to come, and when.

    Attributes
    ----------
    spent, out, open : float
        Units paid for, in judges' hands, and waiting to be handed out.
    later : float
        Units for what has not been asked for yet: the rest of the plan before there is one, objects without label.
    limit : float, optional
        Units that may be spent in all.
    bound : bool
        Whether ``later`` is the most it can be, since there is no plan yet, rather than what is to be expected.
    pace : float, optional
        Judgments per hour lately; None where none came.
    round_end, end : float, optional
        When this round and the whole will be through at that pace, in seconds since 1970.
    """

    spent: float
    out: float
    open: float
    later: float
    limit: float | None
    bound: bool
    pace: float | None
    round_end: float | None
    end: float | None

    @property
    def round_cost(self) -> float:
        """Units that this round still takes."""
        return self.out + self.open

    @property
    def whole(self) -> float:
        """Units in all, not above the limit."""
        total = self.spent + self.round_cost + self.later
        return total if self.limit is None else max(min(total, self.limit), self.spent)


def later_cost(
    position: Mapping[str, Any], plan_cost: float | None, budget: float, judge_unlabelled: bool
) -> tuple[float, bool]:
    """Units for what has not been asked for, and whether that is only the most it can be.

    >>> later_cost({"stage": "pilot", "objects": 12, "labelled": 10}, None, 5.0, True)
    (60.0, True)
    >>> later_cost({"stage": "plan", "objects": 12, "labelled": 10}, 4.0, 5.0, True)
    (8.0, False)
    """
    if position["stage"] in ("done", "unlabelled"):
        return 0.0, False
    unlabelled = (position["objects"] - position["labelled"]) if judge_unlabelled else 0
    if plan_cost is None:
        return budget * (position["labelled"] + unlabelled), True
    return plan_cost * unlabelled, False


def _recent_pace(arrivals: Sequence[tuple[float, int]], now: float, began: float | None = None) -> float | None:
    """Judgments per hour in the last three hours, or since the first of them in which any came, or since it began.

    >>> _recent_pace([(0.0, 0), (3600.0, 30), (7200.0, 15)], now=9000.0)
    30.0
    >>> _recent_pace([(0.0, 0), (3600.0, 0), (7200.0, 15)], now=9000.0, began=8100.0)
    60.0
    """
    last = [(start, count) for start, count in arrivals[-RECENT:] if start <= now]
    came = [start for start, count in last if count]
    if not came:
        return None
    since = came[0] if began is None else max(came[0], began)
    hours = max((now - since) / HOUR, 1 / 12)
    return sum(count for _, count in last) / hours


def forecast(
    spending: Mapping[str, float],
    waiting: int,
    later: tuple[float, bool],
    arrivals: Sequence[tuple[float, int]],
    now: float,
    limit: float | None = None,
    began: float | None = None,
) -> Forecast:
    """Put together what is known.

    Parameters
    ----------
    spending : mapping
        ``spent``, ``out`` and ``open``, in units.
    waiting : int
        Judgments that are out or open.
    later : tuple
        As :func:`later_cost` gives it.
    arrivals : list of tuple
        When an hour began, and how many judgments came in it; oldest first.
    now : float
    limit : float, optional
        Units that may be spent in all.
    began : float, optional
        When the first judgment came.
    """
    pace = _recent_pace(arrivals, now, began)
    so_far = Forecast(
        spending["spent"], spending["out"], spending["open"], *later[:1], limit, later[1], pace, None, None
    )
    if pace is None:
        return so_far
    round_end = now + waiting / pace * HOUR
    price = so_far.round_cost / waiting if waiting else 1.0  # of a judgment, as in this round
    rest = max(so_far.whole - so_far.spent, 0.0) / price if price > 0 else 0.0
    end = now + rest / pace * HOUR
    return Forecast(so_far.spent, so_far.out, so_far.open, so_far.later, limit, later[1], pace, round_end, end)
