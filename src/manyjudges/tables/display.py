"""Display: what a table of judgments shows of itself, in a terminal and in a notebook."""

from __future__ import annotations

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
    n_workers, attributes = len(judgments.workers), judgments.attributes
    by = f" by {_number(n_workers, 'worker')}" if n_workers else ""
    head = (
        f"Judgments: {_number(len(judgments), 'judgment')} of {_number(len(attributes), 'attribute')} "
        f"on {_number(len(judgments.objects), 'object')}{by}"
    )
    count = np.asarray(judgments.cells().count).ravel()
    judged = count[count > 0]
    pairs = f"each pair judged {_span(judged)} times" if len(judged) else "no pair judged"
    if len(judged) < len(count):
        pairs += f"; {len(count) - len(judged):,} of {len(count):,} pairs not judged"
    skipped = [f"{_number(judgments.skipped, 'invalid row')} skipped"] if judgments.skipped else []
    rest = f" and {len(attributes) - _MOST_NAMES:,} more" if len(attributes) > _MOST_NAMES else ""
    named = f"attributes: {', '.join(attributes[:_MOST_NAMES])}{rest}"
    return [head, *([judgments.source] if judgments.source else []), *skipped, pairs, named]


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
