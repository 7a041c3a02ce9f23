"""Choices: all that the user says on the page, as plain data that goes from the page to the worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from manyjudges.tables.reading.options import ReadOptions

_LISTS = ("drop", "missing", "valid", "noiseless")
_LATER = ("noiseless", "unmatched")
"""What is not about reading."""


@dataclass(frozen=True)
class Choices:
    """How to read the table, under the names of :class:`ReadOptions`.

    Attributes
    ----------
    columns : mapping of str to str or None
        The column for each role; None where no column has it. A role that is not in it is to be found.
    shape, format : str
        ``"auto"`` where they are to be found.
    drop : tuple of str
    scales : tuple of tuple of str
    missing, valid : tuple of str
    on_invalid : str
        ``"error"`` until the user agrees to skip invalid rows.
    repeated : str
        ``"error"`` until the user says which of repeated judgments counts.
    noiseless : tuple of str
        Attributes that are known for new objects, although they look like the label.
    unmatched : str
        ``"error"`` until the user agrees to use only objects that have judgments and a label.
    """

    columns: Mapping[str, str | None] = field(default_factory=dict)
    shape: str = "auto"
    format: str = "auto"
    drop: tuple[str, ...] = ()
    scales: tuple[tuple[str, ...], ...] = ()
    missing: tuple[str, ...] = ()
    valid: tuple[str, ...] = ()
    on_invalid: str = "error"
    repeated: str = "error"
    noiseless: tuple[str, ...] = ()
    unmatched: str = "error"

    def read_options(self, **other: Any) -> ReadOptions:
        """The same for the reader, with some of them replaced."""
        from manyjudges.tables.reading.options import ReadOptions

        named = asdict(self) | other
        return ReadOptions.of(
            **named.pop("columns"), **{name: value for name, value in named.items() if name not in _LATER}
        )

    def to_document(self) -> dict[str, Any]:
        """The choices as plain JSON."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """What :meth:`to_document` gave, perhaps as it comes out of JSON."""
        lists = {name: tuple(document[name]) for name in _LISTS}
        return cls(**{**document, **lists, "scales": tuple(tuple(scale) for scale in document["scales"])})


@dataclass(frozen=True)
class Money:
    """What judgments cost, and what there is to spend, as the user wrote it.

    Attributes
    ----------
    budget, total : str
        Per object, or for all objects. One of them is empty; both are, until the user says what there is to spend.
    price : str
        Of one judgment; empty for 1.
    costs : mapping of str to str
        Of one judgment of an attribute, where it is not ``price``.
    currency : str
        Empty where amounts say it, or are just numbers.
    new : str
        How many objects are to be judged beside those at hand.
    max_repeats : mapping of str to str
        Judgments of an attribute that one object can get, where there is a limit.
    """

    budget: str = ""
    total: str = ""
    price: str = ""
    costs: Mapping[str, str] = field(default_factory=dict)
    currency: str = ""
    new: str = ""
    max_repeats: Mapping[str, str] = field(default_factory=dict)

    def to_document(self) -> dict[str, Any]:
        """The money as plain JSON."""
        return asdict(self)
