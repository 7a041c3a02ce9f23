"""What is special about one kind of label."""

from __future__ import annotations

__all__ = ["LabelKind"]

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.moments import Moments
from manyjudges.tables.labels import Encode


class HeldOutLosses(Protocol):
    """What a predictor with given weights loses on objects that had no part in them."""

    def __call__(self, parts: Sequence[Sums], trained: Moments, w: Floats, repeats: Integers) -> Floats:
        """Summed over the objects of each part: as if each had as many judgments as ``repeats`` says."""


@dataclass(frozen=True)
class LabelKind:
    """A kind of label: how it becomes numbers, and what a prediction of it loses.

    Attributes
    ----------
    name : str
    summary : str
        What such a label is, to go on after its name.
    error : str
        What its error is called in texts.
    encode : callable
        From labels as they were given, and the names of their objects, to numbers; a label that is none of this kind
        is a :class:`LabelsError` that names its object.
    held_out_losses : callable
        Without bias for numbers of judgments that were never collected; see ``number.held_out_losses``.
    """

    name: str
    summary: str
    error: str
    encode: Encode = field(repr=False)
    held_out_losses: HeldOutLosses = field(repr=False)
