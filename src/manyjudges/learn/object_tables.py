"""Object tables: judgments without labels, block after block of objects, in memory or not.

For what is asked of each object by itself: its prediction, or what it lacks of a plan.
"""

from __future__ import annotations

__all__ = ["ObjectTable", "missing_in"]

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.base.messages import list_names
from manyjudges.base.progress import Progress
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning
from manyjudges.learn.inference.answer_ranges import OutsideAnswers
from manyjudges.scan.objects import ObjectScan, in_table_order
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.sizes import is_large
from manyjudges.tables.columns import encode_names
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.reading.labels import without_label
from manyjudges.tables.reading.reading import InvalidRow, Reading
from manyjudges.tables.reading.sources import are_paths
from manyjudges.tables.reading.table import read_table
from manyjudges.tables.values import locate_from_zero

_NAMED = 8
"""Attributes that a warning names."""


class ObjectTable:
    """A table of judgments whose labels nobody needs.

    Parameters
    ----------
    source : path, list of paths, frame or mapping
    options : ScanOptions
        How to read it. A small table is read whole, unless a limit of memory is set.
    plan : Plan
        Answers stand for the same as in the judgments that it was made from.
    progress : callable, optional

    Attributes
    ----------
    reading : Reading
        What was understood of the table, once it has been read.
    invalid : tuple of InvalidRow
        Rows that were skipped.
    warnings : list of DataWarning
        What to tell the user, once it has been read.
    """

    def __init__(self, source: Any, options: ScanOptions, plan: Plan, *, progress: Progress | None = None) -> None:
        read = without_label(source, options.read).with_answers(plan.answers, plan.attributes)
        self._source, self._options, self._plan = source, replace(options, read=read), plan
        large = are_paths(source) and (options.memory_limit is not None or is_large(source, options=options.read))
        self._scan = ObjectScan(source, self._options, tuple(plan.repeats), progress=progress) if large else None
        self.reading: Reading | None = None
        self.invalid: tuple[InvalidRow, ...] = ()
        self.warnings: list[DataWarning] = []
        self._unjudged: Any = None

    def blocks(self) -> Iterator[Judgments]:
        """The judgments, each object's in one block."""
        outside = OutsideAnswers(self._plan, self._options.read.codings)
        if self._scan is None:
            read = read_table(self._source, self._options.read)
            self.reading, self.invalid, self._unjudged = read.reading, read.invalid, read.unjudged
            outside.add(read.judgments)
            yield read.judgments
        else:
            for block in self._scan.blocks():
                outside.add(block)
                yield block
            self.reading, self.invalid = self._scan.reading, self._scan.invalid
        if absent := self._absent():
            self.warnings.append(_absence(absent))
        self.warnings.extend(outside.warnings)

    def unjudged(self, judged: Any) -> Any:
        """Names of objects that are in the table and have no judgment; ``judged`` are all that the blocks have."""
        names = self._unjudged
        if self._scan is not None:
            there = set(judged.tolist())
            names = [name for name in self._scan.names().tolist() if name not in there]
        return np.array(names, dtype=np.object_)

    def in_order(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows in order of the column ``object``, whose names are then as a table in memory has them.

        Parameters
        ----------
        rows : DataFrame
            Those of an object are in their order.
        """
        if self._scan is None:
            names, ranks = encode_names(rows["object"].to_numpy(), "object", locate_from_zero)
        else:
            codes, objects = pd.factorize(rows["object"].to_numpy())
            names, order = in_table_order(objects)
            ranks = np.argsort(order)[codes]
        return rows.assign(object=names[ranks]).iloc[np.argsort(ranks, kind="stable")].reset_index(drop=True)

    def _absent(self) -> tuple[str, ...]:
        """Attributes that the plan asks for and the table does not have, once it has been read."""
        there = {} if self.reading is None else self.reading.codings
        return tuple(name for name in self._plan.repeats if name not in there)


def missing_in(table: ObjectTable, plan: Plan) -> pd.DataFrame:
    """What each object lacks of a plan, as :meth:`Plan.missing` says it.

    Parameters
    ----------
    table : ObjectTable
    plan : Plan
    """
    found, judged = [], []
    for block in table.blocks():
        found.append(plan.missing(block))
        judged.append(np.asarray(block.objects, dtype=np.object_))
    if len(unjudged := table.unjudged(np.concatenate(judged))):
        found.append(plan.missing(unjudged))
    return table.in_order(pd.concat(found, ignore_index=True))


def _absence(absent: tuple[str, ...]) -> DataWarning:
    return DataWarning(
        f"this table has no judgments of {list_names(absent, _NAMED)}, which the plan asks for",
        "absent_attributes",
        {"attributes": absent},
    )
