"""Display: what a table of judgments shows of itself, in a terminal and in a notebook."""

from __future__ import annotations

__all__ = ["lines_of"]

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from manyjudges.tables.judgments import Judgments

_MOST_NAMES = 8
"""Attributes that are named."""


def lines(judgments: Judgments) -> list[str]:
    """What there is, where it is from, how often pairs were judged, and attributes."""
    times = np.bincount(np.asarray(judgments.cells().count, dtype=np.int64).ravel())
    pairs = {n: int(times[n]) for n in np.flatnonzero(times).tolist()}
    return lines_of(
        judgments.attributes, pairs, len(judgments.workers), source=judgments.source, skipped=judgments.skipped
    )


def lines_of(
    attributes: Sequence[str], pairs: Mapping[int, int], n_workers: int = 0, *, source: str = "", skipped: int = 0
) -> list[str]:
    """The same of a table of which this much is known.

    Parameters
    ----------
    attributes : sequence of str
    pairs : mapping of int to int
        How many pairs of an object and an attribute have how many judgments.
    n_workers : int
        0 where they are not known.
    source : str
    skipped : int
        Invalid rows.
    """
    n_pairs, n_judgments = sum(pairs.values()), sum(n * many for n, many in pairs.items())
    by = f" by {_number(n_workers, 'worker')}" if n_workers else ""
    head = (
        f"Judgments: {_number(n_judgments, 'judgment')} of {_number(len(attributes), 'attribute')} "
        f"on {_number(n_pairs // max(len(attributes), 1), 'object')}{by}"
    )
    judged = np.array([n for n in pairs if n], dtype=np.int64)
    times = f"each pair judged {_span(judged)} times" if len(judged) else "no pair judged"
    if pairs.get(0):
        times += f"; {pairs[0]:,} of {n_pairs:,} pairs not judged"
    left_out = [f"{_number(skipped, 'invalid row')} skipped"] if skipped else []
    rest = f" and {len(attributes) - _MOST_NAMES:,} more" if len(attributes) > _MOST_NAMES else ""
    named = f"attributes: {', '.join(attributes[:_MOST_NAMES])}{rest}"
    return [head, *([source] if source else []), *left_out, times, named]


def html(judgments: Judgments) -> str:
    """The same with a table of attributes."""
    head, *rest = (escape(line) for line in lines(judgments))
    cells, attributes = judgments.cells(), judgments.attributes
    seen = cells.count > 0
    per_pair = [_span(cells.count[seen[:, i], i]) for i in range(len(attributes))]
    means = [float(np.mean(cells.mean[seen[:, i], i])) if seen[:, i].any() else np.nan for i in range(len(per_pair))]
    columns = {"judgments": cells.count.sum(axis=0), "a pair": per_pair, "objects": seen.sum(axis=0), "mean": means}
    table = pd.DataFrame(columns, index=pd.Index(attributes, name="attribute"))
    notes = "<br>".join(rest[:-1])
    return f"<p><b>{head}</b><br>{notes}</p>{table.to_html(float_format='{:.3g}'.format, max_rows=20)}"


def _number(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def _span(counts: Any) -> str:
    if len(counts) == 0:
        return "0"
    low, high = int(counts.min()), int(counts.max())
    return str(low) if low == high else f"{low} to {high}"
