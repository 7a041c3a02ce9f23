"""Objects: the judgments of a table that need not fit into memory, some objects after the others.

Where the sums of a scan are not enough, as for predictions, or for what each object lacks of a plan, whoever needs the
judgments gets them in blocks of whole objects, each a table like any other.
"""

from __future__ import annotations

__all__ = ["ObjectScan", "in_table_order"]

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.base.progress import Progress
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.files import plain_names
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.reading.reading import InvalidRow, Reading

_ROWS_AT_ONCE = 1 << 20
"""Judgments of a block: some 50 MB, whatever the size of the table."""


class ObjectScan:
    """Reads a table of judgments, in blocks of whole objects.

    Parameters
    ----------
    source : path, list of paths, relation, table or iterable of tables
    options : ScanOptions
    attributes : sequence of str
        Those that the blocks are to have, in this order. All others are only checked.
    in_order : bool
        Whether the judgments of a pair must be in the order in which a table in memory has them. Without it, reading is
        faster where nobody knows the workers.
    progress : callable, optional
    rows_at_once : int
        About how many judgments a block has.

    Attributes
    ----------
    reading : Reading, optional
        What was understood of the table, once all blocks have been read.
    """

    def __init__(
        self,
        source: Any,
        options: ScanOptions,
        attributes: Sequence[str],
        *,
        in_order: bool = False,
        progress: Progress | None = None,
        rows_at_once: int = _ROWS_AT_ONCE,
    ) -> None:
        self._source, self._options = source, options
        self.attributes, self.in_order = tuple(attributes), in_order
        self.progress, self.rows_at_once = progress, rows_at_once
        self.reading: Reading | None = None
        self.invalid: tuple[InvalidRow, ...] = ()

    def blocks(self) -> Iterator[Judgments]:
        """The judgments, in order of the objects' names as text; each object in one block."""
        from manyjudges.scan.duckdb.objects import read_blocks

        return read_blocks(self._source, self._options, self)

    def names(self) -> Any:
        """All objects that the table names, judged or not, as text."""
        from manyjudges.scan.duckdb.objects import read_names

        return read_names(self._source, self._options)


def in_table_order(names: Any) -> tuple[Any, Any]:
    """Names of objects as a table in memory has them, and their positions in its order.

    Parameters
    ----------
    names : array
        As text, or as whole numbers.

    Examples
    --------
    >>> in_table_order(np.array(["10", "9"], dtype=object))
    (array([ 9, 10]), array([1, 0]))
    """
    plain = plain_names(np.asarray(names))
    try:
        order = np.argsort(plain, kind="stable")
    except TypeError:  # numbers and texts
        order = np.argsort(pd.Series(plain, dtype=object).astype(str).to_numpy(), kind="stable")
    return plain[order], order
