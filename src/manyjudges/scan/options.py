"""Options: how to scan a table of judgments, whichever reader does."""

from __future__ import annotations

__all__ = ["ScanLimits", "ScanOptions"]

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from manyjudges.arrays.blocks import BLOCK
from manyjudges.arrays.types import Integers
from manyjudges.tables.columns import AUTO_COLUMN

ROLES = ("object", "attribute", "worker", "value")
"""What columns of judgments can be."""

BAD, UNLABELLED_GROUP = -2, -1
"""Codes of invalid rows and of objects without a label; objects with one are counted from 0."""

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
    columns : dict of str to str or None
        Names of the columns by role; ``"auto"`` where they are to be found, None for a worker that is ignored.
    unmatched : str
        ``"error"`` or ``"drop"``.
    on_invalid : str
        ``"error"`` or ``"skip"``.
    memory_limit : str, optional
        What DuckDB may use, such as ``"2GB"``.
    threads : int, optional
    temp_dir : path, optional
        Where to make the folder for what does not fit into the memory.
    limits : ScanLimits
        How much is done at once.
    """

    columns: Mapping[str, str | None] = field(default_factory=lambda: dict.fromkeys(ROLES, AUTO_COLUMN))
    unmatched: str = "error"
    on_invalid: str = "error"
    memory_limit: str | None = None
    threads: int | None = None
    temp_dir: str | os.PathLike[str] | None = None
    limits: ScanLimits = field(default_factory=ScanLimits)
