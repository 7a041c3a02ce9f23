"""Object tables: judgments without labels, block after block of objects, in memory or not.

For what is asked of each object by itself: its prediction, or what it lacks of a plan.
"""

from __future__ import annotations

__all__ = ["ObjectTable", "missing_in", "predictions_in"]

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.base.progress import Progress
from manyjudges.core.plan import Plan
from manyjudges.learn.predictor import Predictor, none_of_model
from manyjudges.scan.objects import ObjectScan, in_table_order
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.sizes import is_large
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.reading.labels import without_label
from manyjudges.tables.reading.reading import InvalidRow, Reading
from manyjudges.tables.reading.sources import are_paths
from manyjudges.tables.reading.table import read_table


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
    """

    def __init__(self, source: Any, options: ScanOptions, plan: Plan, *, progress: Progress | None = None) -> None:
        read = without_label(source, options.read).with_answers(plan.answers, plan.attributes)
        self._source, self._options, self._plan = source, replace(options, read=read), plan
        large = are_paths(source) and (options.memory_limit is not None or is_large(source, options=options.read))
        self._scan = ObjectScan(source, self._options, tuple(plan.repeats), progress=progress) if large else None
        self.reading: Reading | None = None
        self.invalid: tuple[InvalidRow, ...] = ()
        self._unjudged: Any = None

    def blocks(self) -> Iterator[Judgments]:
        """The judgments, each object's in one block."""
        if self._scan is None:
            read = read_table(self._source, self._options.read)
            self.reading, self.invalid, self._unjudged = read.reading, read.invalid, read.unjudged
            yield read.judgments
            return
        yield from self._scan.blocks()
        self.reading, self.invalid = self._scan.reading, self._scan.invalid

    def unjudged(self, judged: Any) -> Any:
        """Names of objects that are in the table and have no judgment; ``judged`` are all that the blocks have."""
        if self._scan is None:
            names = self._unjudged
        else:
            there = set(judged.tolist())
            names = np.array([name for name in self._scan.names().tolist() if name not in there], dtype=np.object_)
        return in_table_order(names)[0]

    @property
    def absent(self) -> tuple[str, ...]:
        """Attributes that the plan asks for and the table does not have, once it has been read."""
        there = {} if self.reading is None else self.reading.codings
        return tuple(name for name in self._plan.repeats if name not in there)

    @property
    def is_scanned(self) -> bool:
        """Whether it is read in many blocks, in order of the objects' names as text."""
        return self._scan is not None


def predictions_in(table: ObjectTable, predictor: Predictor) -> pd.DataFrame:
    """Prediction of each object, and standard deviation of its error: ``object``, ``prediction``, ``std``.

    Parameters
    ----------
    table : ObjectTable
    predictor : Predictor
    """
    found, n_judgments = [], 0
    for block in table.blocks():
        predicted, deviations = predictor.predict(block, return_std=True)
        found.append(pd.DataFrame({"object": block.objects, "prediction": predicted, "std": deviations}))
        n_judgments += len(block)
    if not n_judgments:
        raise none_of_model(predictor.attributes, ())
    rows = pd.concat(found, ignore_index=True)
    return _in_order(rows, rows["object"].to_numpy(), table)


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
    every = np.concatenate(judged)
    rows = _in_order(pd.concat(found, ignore_index=True), every, table)
    unjudged = table.unjudged(every)
    return pd.concat([rows, plan.missing(unjudged)], ignore_index=True) if len(unjudged) else rows


def _in_order(rows: pd.DataFrame, objects: Any, table: ObjectTable) -> pd.DataFrame:
    """Rows in the order in which a table in memory has its objects, which are named as there."""
    if not table.is_scanned:
        return rows
    names, order = in_table_order(objects)
    ranks = pd.Series(np.arange(len(names)), index=objects[order])[rows["object"].to_numpy()].to_numpy()
    return rows.assign(object=names[ranks]).iloc[np.argsort(ranks, kind="stable")].reset_index(drop=True)
