"""Judges: who answers what a campaign asks."""

from __future__ import annotations

__all__ = ["Judge", "RecordedJudge", "drive"]

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Integers
from manyjudges.base.frames import table
from manyjudges.base.messages import list_names, quote_value
from manyjudges.base.seeds import generator
from manyjudges.exceptions import JudgmentsError

if TYPE_CHECKING:
    from manyjudges.campaign.campaign import Campaign
    from manyjudges.campaign.rounds import Status
    from manyjudges.tables.judgments import Judgments


class Judge(Protocol):
    """Anything that answers requests: a :class:`RecordedJudge`, a simulated crowd's ``judge``, a function of yours."""

    def __call__(self, requests: pd.DataFrame, /) -> Any:
        """Answer requests (``object``, ``attribute``, ``count``) with whatever :meth:`Campaign.tell` takes.

        What is missing in the answer cannot be had.
        """


class RecordedJudge:
    """A judge who gives recorded judgments, drawn at random without replacement, until a pair has no more.

    In which order the judgments of a pair are given depends only on the table and ``random_state``, and not on when
    and with what else they are asked for.

    Parameters
    ----------
    judgments : Judgments
        What was recorded.
    random_state : int, optional

    Examples
    --------
    >>> import pandas as pd
    >>> from manyjudges import Judgments
    >>> recorded = pd.DataFrame({"object": ["jar 1"] * 3, "attribute": ["round"] * 3, "value": [0, 0, 1]})
    >>> judge = RecordedJudge(Judgments.from_frame(recorded), random_state=0)
    >>> request = pd.DataFrame({"object": ["jar 1"], "attribute": ["round"], "count": [2]})
    >>> len(judge(request)), len(judge(request)), len(judge(request))
    (2, 1, 0)
    """

    def __init__(self, judgments: Judgments, random_state: int | None = None) -> None:
        if not hasattr(judgments, "cells"):
            raise JudgmentsError(
                f"a RecordedJudge needs Judgments, not {type(judgments).__name__}; use from_frame.",
                value=judgments,
                column="judgments",
            )
        self._objects, self._attributes = pd.Index(judgments.objects), pd.Index(judgments.attributes)
        self._count = np.asarray(judgments.cells().count, dtype=np.int64).ravel()
        self._start = np.cumsum(self._count) - self._count
        self._handed_out = np.zeros_like(self._count)
        # The frame is in order of pairs, and so it stays when each pair is shuffled.
        pair = np.repeat(np.arange(len(self._count)), self._count)
        chance = generator(random_state).random(len(pair))
        self._frame = judgments.to_frame().iloc[np.lexsort((chance, pair))]

    def __call__(self, requests: pd.DataFrame) -> pd.DataFrame:
        """Answer requests (``object``, ``attribute``, ``count``) with ``object``, ``attribute``, ``worker``, ``value``.

        Gives what is left where that is less; ``worker`` is there if workers are known.
        """
        counts = np.minimum(self._requested_counts(requests), self._count - self._handed_out)
        start = np.repeat(self._start + self._handed_out, counts)
        within = np.arange(len(start)) - np.repeat(np.cumsum(counts) - counts, counts)
        self._handed_out = self._handed_out + counts
        answer: pd.DataFrame = self._frame.iloc[start + within].reset_index(drop=True)
        return answer

    @property
    def remaining(self) -> pd.DataFrame:
        """What is left: ``object``, ``attribute``, ``count``."""
        remaining = self._count - self._handed_out
        pair = np.flatnonzero(remaining)
        rows, columns = np.divmod(pair, len(self._attributes))
        return table({"object": self._objects[rows], "attribute": self._attributes[columns], "count": remaining[pair]})

    def skip(self, judgments: Judgments) -> None:
        """Pass over as many judgments of each pair as there are in a table, such as what a resumed campaign has.

        A judge made anew from the same records and ``random_state`` then goes on where the other one stopped.
        """
        counts = judgments.cells().count
        rows, columns = np.nonzero(counts)
        self(
            table(
                {
                    "object": judgments.objects[rows],
                    "attribute": np.array(judgments.attributes, dtype=object)[columns],
                    "count": counts[rows, columns],
                }
            )
        )

    def _requested_counts(self, requests: pd.DataFrame) -> Integers:
        """How many of each pair are asked for, in however many rows."""
        if not isinstance(requests, pd.DataFrame) or not {"object", "attribute", "count"} <= set(requests.columns):
            raise JudgmentsError(
                f"requests must be a frame with the columns object, attribute and count, not {quote_value(requests)}.",
                value=requests,
                column="requests",
            )
        objects = _find(requests["object"], self._objects, "object")
        attributes = _find(requests["attribute"], self._attributes, "attribute")
        counts = np.zeros_like(self._count)
        np.add.at(counts, objects * len(self._attributes) + attributes, _as_counts(requests["count"]))
        return counts


def drive(campaign: Campaign, judge: Judge, *, progress: Callable[[Status], object] | None = None) -> None:
    """Run a campaign to its end: ask, let the judge answer, tell, and give up on what did not come.

    It can be interrupted at any time; the campaign can then be saved, or driven on. What is pending when it starts is
    put to the judge once more, because no answer to it was told.

    Parameters
    ----------
    campaign : Campaign
    judge : callable
        From requests to judgments; see :class:`Judge`.
    progress : callable, optional
        Called with the campaign's status after each round.

    Examples
    --------
    >>> from manyjudges import Moments, select, simulate
    >>> from manyjudges.campaign import Campaign, drive
    >>> crowd = simulate.jelly_beans(n_objects=100, random_state=0)
    >>> def planner(judgments, outlook):
    ...     return select(Moments.estimate(judgments, crowd.labels), budget=10)
    >>> campaign = Campaign(planner, crowd.objects, attributes=crowd.attributes, budget=10, spending_limit=1200)
    >>> drive(campaign, crowd.judge)
    >>> campaign.bought, campaign.reason
    (1200, 'the spending limit is reached')
    """
    while not campaign.done:
        requests = campaign.ask()
        if requests.empty:
            requests = campaign.pending
        if not requests.empty:
            campaign.tell(judge(requests))
        if not campaign.pending.empty:
            campaign.give_up()
        if progress is not None:
            progress(campaign.status())


def _find(names: Any, available: pd.Index[Any], what: str) -> Integers:
    at = np.asarray(available.get_indexer(pd.Index(names)), dtype=np.int64)
    if (at < 0).any():
        raise JudgmentsError(
            f"there are no records of the {what} {quote_value(np.asarray(names)[at < 0][0])}; "
            f"there are some of {list_names(available.tolist())}.",
            value=np.asarray(names)[at < 0][0],
            column=what,
        )
    return at


def _as_counts(counts: Any) -> Integers:
    array = np.asarray(counts)
    if len(array) and (array.dtype.kind not in "iu" or array.min() < 0):
        raise JudgmentsError(
            f"counts of requests must be whole numbers of 0 or more, not {quote_value(array.tolist())}.",
            value=array.tolist(),
            column="count",
        )
    return array.astype(np.int64)
