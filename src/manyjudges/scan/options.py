"""Options: how to scan a table of judgments, whichever reader does."""

from __future__ import annotations

__all__ = ["ScanLimits", "ScanOptions"]

import os
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Self

from manyjudges.arrays.blocks import BLOCK
from manyjudges.arrays.types import Integers
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import PlanError
from manyjudges.tables.columns import AUTO_COLUMN
from manyjudges.tables.reading.options import ReadOptions

ROLES = ("object", "attribute", "worker", "value")
"""What columns of judgments can be."""

WORD_GROUP, UNANSWERED_GROUP, INVALID_GROUP, UNLABELLED_GROUP = -4, -3, -2, -1
"""Codes of rows with a text that was not looked up, without an answer, of invalid ones, and of objects without a label.

Objects with a label are counted from 0.
"""

PartOf = Callable[[int], Integers]
"""From the number of labels to the part of each, in order of the objects' names."""


@dataclass(frozen=True)
class ScanLimits:
    """How much is done at once. Results do not depend on it, only time and memory do.

    Attributes
    ----------
    batch_size : int
        Judgments that DuckDB hands over at once.
    block_size : int
        Pairs of an object and an attribute that are summed up at once.
    poll : float
        Seconds between two looks at how far DuckDB is.
    hash_bits : int
        Bits of a worker's hash that are compared. Where two workers agree in them, their names are compared.
    max_suspects : int
        Pairs in which a worker may stand twice that are kept. More would say nothing new.
    """

    batch_size: int = 1 << 18
    block_size: int = BLOCK
    poll: float = 0.1
    hash_bits: int = 32
    max_suspects: int = 100_000


@dataclass(frozen=True)
class ScanOptions:
    """How to scan.

    Attributes
    ----------
    read : ReadOptions
        Which column is what, what the answers stand for, and what to do about invalid and repeated ones.
    unmatched : str
        ``"error"`` or ``"drop"``.
    memory_limit : str, optional
        What DuckDB may use, such as ``"2GB"``.
    threads : int, optional
    temp_dir : path, optional
        Where to make the folder for what does not fit into the memory.
    limits : ScanLimits
        How much is done at once.
    """

    read: ReadOptions = field(default_factory=ReadOptions)
    unmatched: str = "error"
    memory_limit: str | None = None
    threads: int | None = None
    temp_dir: str | os.PathLike[str] | None = None
    limits: ScanLimits = field(default_factory=ScanLimits)

    @classmethod
    def of(cls, **options: Any) -> Self:
        """Options as users write them: those of a scan, and those of :meth:`ReadOptions.of`.

        >>> ScanOptions.of(object="Essay", missing=-99, memory_limit="2GB").read.missing
        ('-99',)
        """
        own = {each.name: options.pop(each.name) for each in fields(cls) if each.name in options}
        return cls(**{"read": ReadOptions.of(**options), **own})

    @property
    def columns(self) -> dict[str, str | None]:
        """The column that the user named for each role of a long table; ``"auto"`` where it is to be found."""
        return {role: self.read.columns.get(role, AUTO_COLUMN) for role in ROLES}

    def refuse_reading(self) -> None:
        """Refuse to be told how to read what has been read."""
        usual = ReadOptions()
        names = [each.name for each in fields(usual) if each.name not in ("columns", "valid")]
        chosen = {name: getattr(self.read, name) for name in names if getattr(self.read, name) != getattr(usual, name)}
        chosen |= {name: value for name in ("memory_limit", "temp_dir") if (value := getattr(self, name)) is not None}
        for name, value in (chosen | dict(self.read.columns)).items():
            if value != AUTO_COLUMN:
                raise PlanError(
                    f"{name}={quote_value(value)} says how to read judgments from a path, and these have been read; "
                    "leave it out, or give the path.",
                    value=value,
                    column=name,
                )
