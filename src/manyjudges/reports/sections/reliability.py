"""Reliability: how far people agree on each attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.base.formatting import clean, fixed, number, plural
from manyjudges.reports.sections.section import PageSource, Section, SectionFigure
from manyjudges.summary import Reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _values(source: PageSource) -> dict[str, Any]:
    reliability = source.summary.reliability
    return {"reliability": reliability, "icc_rows": _rows(reliability, set(source.summary.answer.attributes))}


def _rows(reliability: Reliability, chosen: set[str]) -> list[dict[str, Any]]:
    """The most reliable first; those that are not known last."""
    order = np.argsort(-np.nan_to_num(np.asarray(reliability.icc1, dtype=float), nan=-np.inf), kind="stable")
    return [
        {
            "name": clean(reliability.attributes[i]),
            "chosen": reliability.attributes[i] in chosen,
            "objects": f"{int(reliability.n_objects[i]):,}",
            "k": number(reliability.k[i]),
            "object_variance": number(reliability.object_variance[i]),
            "noise_variance": number(reliability.noise_variance[i]),
            "worker_variance": number(reliability.worker_variance[i], 2),
            "icc1": fixed(reliability.icc1[i]),
            "limits": f"{fixed(reliability.icc1_low[i])} to {fixed(reliability.icc1_high[i])}"
            if np.isfinite(reliability.icc1[i])
            else "–",
            "icck": fixed(reliability.icck[i]),
            "needed": [number(n) for n in reliability.needed[i]],
            "projected": [fixed(icc) for icc in reliability.projected[i]],
        }
        for i in order
    ]


def _draw(source: PageSource, ax: Axes) -> Axes:
    from manyjudges import plots

    return plots.reliability(source.summary.reliability, ax, highlight=set(source.summary.answer.attributes))


def _finding(source: PageSource) -> str:
    """How reliable one judgment is, and how many attributes become reliable."""
    reliability = source.summary.reliability
    icc = np.asarray(reliability.icc1, dtype=float)
    estimable = np.flatnonzero(np.isfinite(icc))
    if not len(estimable):
        return "Of no attribute are there two judgments of one object, so that reliability cannot be known."
    best, worst = int(estimable[np.argmax(icc[estimable])]), int(estimable[np.argmin(icc[estimable])])
    text = f"A single judgment is most reliable of “{clean(reliability.attributes[best])}” (ICC {fixed(icc[best])})"
    if best != worst:
        text += f" and least of “{clean(reliability.attributes[worst])}” ({fixed(icc[worst])})"
    t = min(range(len(reliability.targets)), key=lambda i: abs(reliability.targets[i] - 0.8))
    within = int((np.asarray(reliability.needed)[estimable, t] <= 10).sum())
    many = plural(len(estimable), "attribute")
    return f"{text}. With 10 judgments or fewer, {within} of {many} reach a reliability of {reliability.targets[t]:g}."


SECTION = Section(
    "reliability",
    "Reliability",
    "Reliability",
    "reliability.html.jinja",
    _values,
    (
        SectionFigure(
            "reliability",
            "Reliability against the number of judgments",
            _draw,
            _finding,
            lambda source: (4.2, 4.0),
        ),
    ),
)
