"""Gathering: groups of judgments, in order of their objects, made into cells and added up."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges import files
from manyjudges.accumulation import Accumulator
from manyjudges.cells import Cells, Floats, Integers
from manyjudges.exceptions import JudgmentsError, LabelsError, name_some
from manyjudges.labels import as_floats
from manyjudges.statements import BAD, UNLABELLED
from manyjudges.storage import block_slices
from manyjudges.sums import Sums

Groups = dict[str, Any]
"""Columns of groups: ``code`` of the object, ``at`` for the attribute, ``n``, ``mean``, ``variance``."""


@dataclass(frozen=True, eq=False)
class Known:
    """Objects that have a label, in order of their names, and the labels."""

    names: Any
    labels: Floats

    @classmethod
    def of(cls, given: Any) -> Known:
        """Labels by object: a file, a Series or a mapping."""
        if isinstance(given, str | os.PathLike):
            given = files.read_labels(given)
        if not isinstance(given, Mapping | pd.Series):
            raise LabelsError(
                f"labels must be by object: a file, a Series or a dict, not {type(given).__name__}; a table has no "
                "order of objects that an array could follow."
            )
        series = given if isinstance(given, pd.Series) else pd.Series(dict(given), dtype=object)
        if series.index.has_duplicates:
            twice = series.index[series.index.duplicated()].unique()
            raise LabelsError(f"{name_some(twice)} labelled more than once; keep one label each.")
        if not len(series):
            raise LabelsError("there are no labels.")
        order = _order(series.index)
        names = series.index.to_numpy()[order]
        return cls(names, as_floats(series.to_numpy()[order], names))


def _order(index: pd.Index[Any]) -> Integers:
    try:
        return np.asarray(index.argsort())
    except TypeError:  # numbers and texts have no order among each other
        return np.asarray(index.astype(str).argsort())


class Gathering:
    """Takes batches of groups, and adds up.

    Parameters
    ----------
    known : Known
    parts : array of int, optional
        The part of each labelled object; all are one part, unless given.
    workers, textual : bool
        Whether groups say something about their workers, and about the kinds of their values.
    """

    def __init__(self, known: Known, parts: Integers | None, *, workers: bool, textual: bool) -> None:
        self._known, self._parts = known, parts
        self._workers, self._textual = workers, textual
        pivot = float(np.mean(known.labels))
        self._accumulators = [Accumulator(pivot) for _ in range(1 if parts is None else int(parts.max()) + 1)]
        self._codes: dict[str, int] = {}
        self._kinds = np.zeros(0, dtype=np.uint8)
        self._seen = np.zeros(len(known.names), dtype=bool)
        self._histogram: dict[int, Integers] = {}
        self._suspects: list[tuple[Integers, Integers]] = []
        self._rest: Groups | None = None
        self.bad = self.unlabelled = self.judgments = 0

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names, in order."""
        return tuple(sorted(self._codes))

    @property
    def counts(self) -> dict[str, dict[int, int]]:
        """Of each attribute, how many objects have how many judgments."""
        return {
            name: {n: int(many[at]) for n, many in sorted(self._histogram.items()) if at < len(many) and many[at]}
            for name, at in sorted(self._codes.items())
        }

    @property
    def mixed(self) -> str | None:
        """The first attribute that is judged in more than one way."""
        several = np.bitwise_count(self._kinds) > 1
        return next((name for name in self.attributes if several[self._codes[name]]), None) if self._textual else None

    @property
    def suspects(self) -> pa.Table | None:
        """Pairs in which the same worker may stand twice; None where there are none."""
        if not self._suspects:
            return None
        codes, at = (np.concatenate(each) for each in zip(*self._suspects, strict=True))
        names = pa.DictionaryArray.from_arrays(pa.array(at.astype(np.int32)), pa.array(list(self._codes)))
        return pa.table({"code": codes.astype(np.int32), "attribute": names.dictionary_decode()})

    def take(self, batch: pa.RecordBatch) -> None:
        """Take groups that follow those before, in order of objects."""
        groups = self._read(batch)
        code = groups["code"]
        start = int(np.searchsorted(code, 0))
        self.bad += int(groups["n"][:start][code[:start] == BAD].sum())
        self.unlabelled += int(np.count_nonzero(code[:start] == UNLABELLED))
        groups = {name: column[start:] for name, column in groups.items()}
        if self._rest is not None:
            groups = {name: np.concatenate([self._rest[name], column]) for name, column in groups.items()}
        if not len(groups["code"]):
            return
        # The last object may go on in the next batch.
        end = int(np.searchsorted(groups["code"], groups["code"][-1]))
        self._rest = {name: column[end:] for name, column in groups.items()}
        self._add({name: column[:end] for name, column in groups.items()})

    def finish(self, unmatched: str) -> tuple[Sums, ...]:
        """The sums of each part, attributes in order of their names."""
        if self._rest is not None:
            self._add(self._rest)
        self._check_seen(unmatched)
        order = np.array([self._codes[name] for name in self.attributes], dtype=np.int64)
        every = [each.finish(len(order)) for each in self._accumulators if each.n_objects]
        return tuple(every if (np.diff(order) == 1).all() else [sums.only(order) for sums in every])

    def _read(self, batch: pa.RecordBatch) -> Groups:
        names = batch.column("attribute").dictionary_encode()
        at = self._positions(names.dictionary.to_pylist())[names.indices.to_numpy()]
        found = {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names[2:]}
        groups = {"code": batch.column("code").to_numpy(), "at": at, **found}
        counted = groups["code"] >= 0
        if self._workers:
            self._suspect(groups)
        if self._textual:
            self._kinds = np.pad(self._kinds, (0, len(self._codes) - len(self._kinds)))
            np.bitwise_or.at(self._kinds, at[counted], groups["kinds"][counted].astype(np.uint8))
        return {name: groups[name] for name in ("code", "at", "n", "mean", "variance")}

    def _positions(self, names: list[str]) -> Integers:
        found = [-1 if name == "" else self._codes.setdefault(name, len(self._codes)) for name in names]
        return np.array(found, dtype=np.int64)

    def _suspect(self, groups: Groups) -> None:
        at = np.flatnonzero(groups["suspect"] & (groups["code"] >= 0))
        if at.size:
            self._suspects.append((groups["code"][at], groups["at"][at]))

    def _add(self, groups: Groups) -> None:
        code = groups["code"]
        if not len(code):
            return
        starts = np.flatnonzero(np.diff(code, prepend=-1))
        things = code[starts]
        self._seen[things] = True
        self.judgments += int(groups["n"].sum())
        self._count(groups)
        bounds = np.append(starts, len(code))
        for part in block_slices(len(things), len(self._codes)):
            rows = slice(bounds[part.start], bounds[part.stop])
            cells = self._cells(
                {name: column[rows] for name, column in groups.items()}, bounds[part.start : part.stop + 1]
            )
            self._sort_in(cells, things[part])

    def _cells(self, groups: Groups, bounds: Integers) -> Cells:
        n, d = len(bounds) - 1, len(self._codes)
        cell = np.repeat(np.arange(n) * d, np.diff(bounds)) + groups["at"]
        mean = np.full(n * d, np.nan)
        mean[cell] = groups["mean"]
        count, scatter = np.zeros(n * d, dtype=np.int64), np.zeros(n * d)
        count[cell] = groups["n"]
        scatter[cell] = groups["variance"] * groups["n"]
        first = int(groups["n"][0])
        uniform = first if len(cell) == n * d and (groups["n"] == first).all() else None
        return Cells(count.reshape(n, d), mean.reshape(n, d), scatter.reshape(n, d), uniform)

    def _sort_in(self, cells: Cells, things: Integers) -> None:
        labels = self._known.labels[things]
        if self._parts is None:
            self._accumulators[0].add(cells, labels)
            return
        parts = self._parts[things]
        for part in np.unique(parts):
            at = np.flatnonzero(parts == part)
            mine = Cells(cells.count[at], cells.mean[at], cells.scatter[at], cells.uniform)
            self._accumulators[part].add(mine, labels[at])

    def _count(self, groups: Groups) -> None:
        for n in np.unique(groups["n"]).tolist():
            many = np.bincount(groups["at"][groups["n"] == n], minlength=len(self._codes))
            before = self._histogram.get(n, np.zeros(0, dtype=np.int64))
            self._histogram[n] = many + np.pad(before, (0, len(many) - len(before)))

    def _check_seen(self, unmatched: str) -> None:
        if not self._seen.any():
            raise JudgmentsError("there are no judgments of objects that have a label.")
        without = self._known.names[~self._seen].tolist()
        if len(without) and unmatched == "error":
            raise LabelsError(
                f"{len(without):,} labels are of objects without judgments: {name_some(without)}. Leave them out, or "
                "pass unmatched='drop' (--unmatched drop) to leave out what does not match."
            )
