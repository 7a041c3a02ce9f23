"""Surveys: what a plan needs to know of a table, whether it fits into the memory or not.

A small table is read as it is, so that its workers can be looked at, too. A large one is scanned, once: all that is
kept of it are sums over parts of its objects.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from manyjudges.base.seeds import generator
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning, DocumentError
from manyjudges.learn.cross_validation import PARTS_PER_FOLD, FoldSums
from manyjudges.learn.diagnosis import check_data
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.results import Scan
from manyjudges.tables import files
from manyjudges.tables.judgments import Judgments

LARGE = 64 * 1024 * 1024
"""Bytes of text from which a table is scanned; below, it is read in no time."""

BYTES_A_ROW = 25
"""About what a row has as text, where only rows are known."""

PACKED = 10
"""About how much larger a compressed file is than it looks."""

FOLDS = 5
"""Folds that a scanned table is prepared for."""


@dataclass(frozen=True, eq=False)
class TrainingData:
    """What there is to know about a table.

    Attributes
    ----------
    judgments : Judgments or FoldSums
        What :func:`choose` and :func:`projected_error` take.
    labels : array, optional
        Of the judgments' objects; None where sums know them.
    noiseless : tuple of str
    scan : Scan, optional
        Where the table was scanned.
    """

    judgments: Judgments | FoldSums
    labels: Any
    noiseless: tuple[str, ...]
    scan: Scan | None = None

    @cached_property
    def moments(self) -> Moments:
        """Moments of all objects."""
        if isinstance(self.judgments, Judgments):
            return Moments.estimate(self.judgments, self.labels, noiseless=self.noiseless)
        skipped = 0 if self.scan is None else self.scan.skipped
        return Moments.from_scan(self.judgments.attributes, self.judgments.sums, self.noiseless, skipped)

    @cached_property
    def warnings(self) -> tuple[DataWarning, ...]:
        """What speaks against relying on it; of workers only where the table is in memory."""
        return check_data(self.moments, self.judgments if isinstance(self.judgments, Judgments) else None)

    def lacking(self, plan: Plan) -> dict[str, Any]:
        """What the objects at hand lack of a plan: ``judgments``, their ``cost``; ``objects`` where that is known."""
        if isinstance(self.judgments, Judgments):
            missing = plan.missing(self.judgments)
            counts, objects = missing["count"].sum(), int(missing["object"].nunique())
            return {"judgments": int(counts), "objects": objects, "cost": float(missing["cost"].sum())}
        found = {} if self.scan is None else self.scan.lacking(plan.repeats)
        prices = dict(zip(plan.attributes, plan.costs.tolist(), strict=True))
        cost = sum(prices[name] * count for name, count in found.items())
        return {"judgments": sum(found.values()), "objects": None, "cost": float(cost)}

    @property
    def n_objects(self) -> int:
        """Objects that have judgments and a label."""
        return len(self.labels) if isinstance(self.judgments, Judgments) else self.judgments.n_objects


def load_training_data(
    source: str | Iterable[Any],
    labels: Any,
    terms: ScanOptions,
    *,
    noiseless: Collection[str] = (),
    cv: int = FOLDS,
    parts: bool = True,
    seed: int | None = 0,
    progress: Callable[[int, int], None] | None = None,
) -> TrainingData:
    """Look at a table of judgments.

    Parameters
    ----------
    source : str or iterable of tables
        A file, a folder or a pattern; or tables one after the other, which are always scanned.
    labels : Series
        By object.
    terms : ScanOptions
        How to scan; a small table is read whole, unless a limit of memory is set, or rows are to be skipped.
    noiseless : collection of str
    cv : int
        Folds that it is to be split into.
    parts : bool
        Whether it is to be split at all.
    seed : int, optional
        By which objects are sorted into parts.
    progress : callable, optional
    """
    plain = terms.memory_limit is None and terms.on_invalid == "error"
    if isinstance(source, str) and plain and not is_large(source):
        wanted: Mapping[str, Any] = terms.columns
        table = files.read_judgments(source, **wanted)
        matched, y = table.match(labels, unmatched=terms.unmatched)
        return TrainingData(matched, y, tuple(noiseless))
    n_parts = PARTS_PER_FOLD * cv if parts else 1
    summed, found = FoldSums.scan(source, labels, n_parts, noiseless, generator(seed), terms, progress)
    return TrainingData(summed, None, tuple(noiseless), found)


def is_large(path: str) -> bool:
    """Whether files are so large that they are scanned rather than read; what cannot be found is not."""
    try:
        paths = files.expand(path, folders=True)
    except DocumentError:
        return False
    return sum(map(_weight, paths)) >= LARGE


def unit(path: str) -> str:
    """What is counted while a table is scanned."""
    try:
        kinds = {files.kind_of(each) for each in files.expand(path, folders=True)}
    except DocumentError:  # which will be said by those who read it
        kinds = set()
    return "%" if not kinds else "rows" if kinds <= {*files.PARQUET} else "bytes"


def _weight(path: Path) -> float:
    """About how many bytes a file has as plain text; what cannot be read is left to those who can say why."""
    try:
        if files.kind_of(path) in files.PARQUET:
            return BYTES_A_ROW * int(pyarrow.parquet.read_metadata(path).num_rows)
        compressed = path.suffix.lower() in files.COMPRESSED
        return os.path.getsize(path) * (PACKED if compressed else 1)
    except (OSError, pa.ArrowException):
        return LARGE
