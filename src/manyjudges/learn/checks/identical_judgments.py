"""MJ201: of an attribute that takes many values, different judgments are always the same."""

from __future__ import annotations

import numpy as np

from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names
from manyjudges.learn.checks.check import Check, CheckOutcome, Failed, NotApplicable, Passed
from manyjudges.learn.training_data import TrainingData
from manyjudges.tables.judgments import Judgments

_ALIKE = 1e-5
"""Share of an attribute's variance below which its noise is none: what is left of it is rounding."""


def _check_copies(data: TrainingData) -> CheckOutcome:
    """Look for attributes with more than two values whose judgments never differ.

    Of a yes or no, all may well think the same; of a number, nobody guesses exactly what somebody else does.
    """
    moments, judgments = data.moments, data.table
    if judgments is None:
        return NotApplicable("It needs the judgments, of which only sums are at hand.")
    # Not where the attribute itself is the same for all objects: that everybody agrees on it says nothing.
    alike = (moments.noise <= _ALIKE * moments.variances) & (moments.variances > 0) & (moments.judgments > 0)
    names = [name for name, same in zip(moments.attributes, alike, strict=True) if same]
    names = [name for name in names if name not in moments.noiseless and name in judgments.attributes]
    if not (copies := _with_many_values(judgments, names)):
        return Passed(f"No sign of copies in {plural(len(moments.attributes), 'attribute')}.")
    return Failed(
        f"Different judgments of {list_names(copies)} are all but identical.",
        "They look like copies of one opinion; six copies are not six opinions, but a plan takes one of them for "
        "certain.",
        "If it is measured without error, name it in noiseless (--noiseless); if not, find out why nobody disagrees.",
        {"attributes": copies},
    )


def _with_many_values(judgments: Judgments, names: list[str]) -> tuple[str, ...]:
    """Those of these attributes that take more than two values."""
    if not names:
        return ()
    rows = judgments.only(names).rows()
    return tuple(name for i, name in enumerate(names) if len(np.unique(rows.values[rows.attributes == i])) > 2)


CHECK = Check("MJ201", "warning", "Judgments that look like copies", _check_copies, kind="identical_judgments")
