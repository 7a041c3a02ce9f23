"""Training data: a table of judgments and its labels, read and matched in one place.

A small table is read as it is, so that its workers can be looked at, too. A large one is scanned, once: all that is
kept of it are sums over parts of its objects. Whatever learns from a table is given the same object in both cases.
"""

from __future__ import annotations

__all__ = ["TrainingData", "load_training_data", "match_training_data"]

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import list_names, quote_value
from manyjudges.base.progress import Progress
from manyjudges.base.seeds import generator
from manyjudges.core.joint import joint_moments
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.exceptions import JudgmentsError, LabelsError, ManyJudgesError, PlanError
from manyjudges.learn.inference.fold_sums import PARTS_PER_FOLD, FoldSums, assign_parts
from manyjudges.learn.labels.kind import LabelKind
from manyjudges.learn.labels.number import NUMBER
from manyjudges.learn.preparation.preparation import UNCHANGED, Preparation
from manyjudges.scan.collector import read_labels_by_object
from manyjudges.scan.objects import ObjectScan
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.readers import reader_of_large_tables
from manyjudges.scan.results import Scan
from manyjudges.scan.sizes import SCAN_FROM_BYTES, is_large
from manyjudges.scan.value_counts import value_counts
from manyjudges.tables.columns import AUTO_COLUMN
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.labels import label_values, match
from manyjudges.tables.names import match_names
from manyjudges.tables.reading.frames import is_table
from manyjudges.tables.reading.labels import labels_by_object, labels_of_column, locate_labels
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import InvalidRow, Reading, codings_to_document
from manyjudges.tables.reading.sources import are_paths
from manyjudges.tables.reading.table import read_table

_SCAN_FOLDS = 5
"""Folds that a scanned table is prepared for."""


ReadAgain = Callable[[tuple[str, ...], bool], Iterator[tuple[Judgments, Floats]]]
"""From attributes, and whether order matters, to judgments with the labels of their objects, block after block."""


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Judgments with their labels: a table in memory, or sums over parts of one that was scanned.

    Made by :func:`load_training_data`.

    Attributes
    ----------
    table : Judgments, optional
        In memory: the judgments of objects that have a label. None where the table was scanned.
    labels : array, optional
        Of the table's objects, in their order.
    parts : FoldSums, optional
        Of a scanned table: sums over parts of its objects.
    noiseless : frozenset of str
    scan : Scan, optional
        What the scan counted, and how it read the table.
    label_kind : LabelKind
        Numbers (default), or another kind.
    valid : tuple of str
        Codes that look as if they meant "no answer", and are real answers.
    read_invalid : tuple of InvalidRow
        Rows that were skipped when a table was read into memory.
    read_again : callable, optional
        Gives the judgments of a scanned table in blocks with their labels, from the attributes that are wanted and
        whether order matters. None of one that can be read only once.
    label_lines : tuple of str
        Where the labels were read from and what was recognised of them; nothing where they were in the table.
    preparation : Preparation
        What has been done to the judgments, and how moments are estimated from them.
    """

    table: Judgments | None
    labels: Floats | None
    parts: FoldSums | None
    noiseless: frozenset[str]
    scan: Scan | None = None
    label_kind: LabelKind = NUMBER
    valid: tuple[str, ...] = ()
    read_invalid: tuple[InvalidRow, ...] = ()
    label_lines: tuple[str, ...] = ()
    read_again: ReadAgain | None = None
    preparation: Preparation = UNCHANGED

    @cached_property
    def moments(self) -> Moments:
        """Moments of all objects."""
        # Of all objects at once: the number of folds must not change the last digits of a plan's moments.
        sums = (Sums.over(self.in_memory.blocks(), self.known_labels),) if self.parts is None else self.parts.sums
        moments = Moments.from_scan(self.attributes, sums, self.noiseless, self.skipped)
        return joint_moments(moments) if self.preparation.joint_moments else moments

    def prepared(self, preparation: Preparation) -> TrainingData:
        """The same objects with judgments as they are averaged; of a table that was scanned, only moments change."""
        if self.table is None:
            joint = preparation.joint_moments
            return replace(
                self, parts=replace(self._parts, joint=joint), preparation=replace(UNCHANGED, joint_moments=joint)
            )
        table, done = preparation.of_training(self.table)
        return replace(self, table=table, preparation=done)

    def fold_sums(self, cv: int, rng: np.random.Generator) -> FoldSums:
        """Sums over parts, for so many folds; those of a scanned table are what they are."""
        n_parts = PARTS_PER_FOLD * cv
        if self.parts is not None:
            # Sorted into parts when it was scanned. As many numbers are drawn as for a table in memory, so that the
            # folds which are drawn next are the same.
            assign_parts(self.n_objects, n_parts, rng)
            return self.parts
        joint = self.preparation.joint_moments
        return FoldSums.of(self.in_memory, self.known_labels, n_parts, self.noiseless, rng, self.label_kind, joint)

    def only(self, attributes: Collection[str]) -> TrainingData:
        """The same objects with some of the attributes."""
        if self.parts is not None:
            parts = self.parts.only(attributes)
            return replace(self, parts=parts, noiseless=parts.noiseless)
        table = self.in_memory.only(attributes)
        own = self.preparation.only(table.attributes)
        return replace(self, table=table, noiseless=self.noiseless & set(table.attributes), preparation=own)

    def blocks(self, *, in_order: bool = False) -> Iterator[tuple[Judgments, Floats]]:
        """The judgments with the labels of their objects, block after block; a table that was scanned is read again.

        Parameters
        ----------
        in_order : bool
            Whether the judgments of a pair must come in the order in which a table in memory has them.
        """
        if self.parts is None:
            yield self.in_memory, self.known_labels
        elif self.read_again is None:
            raise JudgmentsError(
                "these judgments came one table after the other, and can be read only once. Write them to files, and "
                "pass their path.",
                column="judgments",
            )
        else:
            yield from self.read_again(self.attributes, in_order)

    def with_noiseless(self, noiseless: Collection[str]) -> TrainingData:
        """The same with more attributes that are measured without error; those that it does not have are ignored."""
        return replace(self, noiseless=self.noiseless | (set(noiseless) & set(self.attributes)))

    def of_objects(self, positions: Any) -> TrainingData:
        """Some of the objects."""
        return replace(self, table=self.in_memory[positions], labels=self.known_labels[positions])

    def value_counts(self) -> Mapping[str, tuple[Floats, Integers]] | None:
        """Of each attribute the different values of its judgments and how often each is there.

        Of an attribute with very many values in a table that was scanned, only what tells codes for "no answer" from
        answers. None where it is not known.
        """
        if self.table is not None:
            return value_counts(self.table)
        return None if self.scan is None else self.scan.values

    def lacking(self, plan: Plan) -> dict[str, Any]:
        """What the objects at hand lack of a plan: ``judgments``, their ``cost``; ``objects`` where that is known.

        ``attributes`` has the judgments that are lacking of each attribute.
        """
        if self.table is not None:
            missing = plan.missing(self.table)
            counts, objects = missing.groupby("attribute")["count"].sum(), int(missing["object"].nunique())
            lacking = {str(name): int(count) for name, count in counts.items()}
        else:
            lacking, objects = {} if self.scan is None else self.scan.lacking(plan.repeats), None
        prices = dict(zip(plan.attributes, plan.costs.tolist(), strict=True))
        cost = sum(prices[name] * count for name, count in lacking.items())
        return {
            "judgments": sum(lacking.values()),
            "objects": objects,
            "cost": float(cost),
            "attributes": {name: count for name, count in lacking.items() if count},
        }

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names, in the order of the moments."""
        return self.in_memory.attributes if self.parts is None else self.parts.attributes

    @property
    def judged_once(self) -> tuple[str, ...]:
        """Attributes of which no object has a second judgment: how noisy they are cannot be estimated."""
        if self.scan is not None:
            return tuple(name for name in self.attributes if max(self.scan.counts.get(name, {}), default=0) < 2)
        highest = self.in_memory.cells().count.max(axis=0, initial=0)
        return tuple(name for name, n in zip(self.attributes, highest, strict=True) if n < 2)

    @property
    def pair_counts(self) -> dict[int, int]:
        """How many pairs of an object and an attribute have how many judgments."""
        if self.scan is None:
            times = np.bincount(np.asarray(self.in_memory.cells().count, dtype=np.int64).ravel())
            return {n: int(times[n]) for n in np.flatnonzero(times).tolist()}
        pairs: Counter[int] = Counter()
        for name in self.attributes:
            pairs.update(self.scan.counts.get(name, {}))
        none = self.n_objects * len(self.attributes) - pairs.total()
        return dict(sorted({**pairs, **({0: none} if none else {})}.items()))

    @property
    def n_objects(self) -> int:
        """Objects that have judgments and a label."""
        return len(self.known_labels) if self.parts is None else self.parts.n_objects

    @property
    def n_judgments(self) -> int:
        """Judgments of these objects."""
        if self.scan is not None:
            return self.scan.n_judgments
        return 0 if self.table is None else len(self.table)

    @property
    def skipped(self) -> int:
        """Invalid rows that were left out."""
        if self.scan is not None:
            return self.scan.skipped
        return 0 if self.table is None else self.table.skipped

    @property
    def invalid(self) -> tuple[InvalidRow, ...]:
        """The rows that were skipped, and why; of a table that was scanned, they are looked for now."""
        return self.read_invalid if self.scan is None else self.scan.invalid

    @property
    def source(self) -> str:
        """Where it was read from, and which columns were taken for what."""
        return (
            self.scan.source if self.scan is not None else self.table.source if self.table is not None else ""
        ) or ""

    @property
    def reading(self) -> Reading | None:
        """What was understood of the table; None of judgments from an array."""
        if self.table is not None:
            return self.table.reading
        return None if self.scan is None else self.scan.reading

    @cached_property
    def answers(self) -> dict[str, Any] | None:
        """What the answers stand for, for a plan to keep; None where that is not known."""
        if self.reading is None:
            return None
        return codings_to_document(self.reading.codings, self.value_counts())

    @property
    def reading_lines(self) -> tuple[str, ...]:
        """What was read, a line each."""
        lines = [self.source] if self.reading is None else self.reading.lines()
        return tuple(line for line in (*lines, *self.label_lines) if line)

    @property
    def _parts(self) -> FoldSums:
        if self.parts is None:
            raise JudgmentsError("this table lies in memory, and was not summed up in parts.")
        return self.parts

    @property
    def in_memory(self) -> Judgments:
        """The table, for what needs every judgment."""
        if self.table is None:
            raise JudgmentsError(
                "this table was scanned, and only sums of it are kept; read it with read_judgments, so that it lies in "
                "memory."
            )
        return self.table

    @property
    def known_labels(self) -> Floats:
        """The labels, for what needs each of them."""
        if self.labels is None:
            raise JudgmentsError("this table was scanned, and only sums of its labels are kept; read it whole.")
        return self.labels


def load_training_data(
    judgments: Any,
    labels: Any = None,
    options: ScanOptions | None = None,
    *,
    label_object: str = AUTO_COLUMN,
    noiseless: Collection[str] = (),
    cv: int = _SCAN_FOLDS,
    parts: bool = True,
    rng: np.random.Generator | None = None,
    scan_from: int = SCAN_FROM_BYTES,
    whole: bool = False,
    progress: Progress | None = None,
) -> TrainingData:
    """Read a table of judgments, or scan it, and match it with its labels.

    Parameters
    ----------
    judgments : Judgments, path, list of paths, frame, mapping, or iterator of tables
        A file, a folder or a pattern; any frame that narwhals reads; a dict with an array for each column; or tables
        one after the other, which are always scanned.
    labels : Series, mapping, array, path or name of a column
        By object; in the order of the objects of a Judgments, or of the rows of a frame; in a file; or in a column of
        the table. May be left out where ``options`` name the column.
    options : ScanOptions, optional
        How to read it. A small table is read whole, unless a limit of memory is set.
    label_object : str
        The column of a file of labels that names the object; default: found.
    noiseless : collection of str
        Attributes that are measured without error.
    cv : int
        Folds that a scanned table is to be split into.
    parts : bool
        Whether it is to be split at all.
    rng : numpy.random.Generator, optional
        By which objects are sorted into parts; the same ones each time, unless given.
    scan_from : int
        Bytes of text from which a table is scanned; 0 for a path that is always scanned.
    whole : bool
        Whether to read a path into memory however large it is, for what needs every judgment.
    progress : callable, optional

    Examples
    --------
    >>> from manyjudges import simulate
    >>> crowd = simulate.jelly_beans(n_objects=200, random_state=0)
    >>> data = load_training_data(crowd.pilot(2), crowd.labels)
    >>> data.n_objects, data.moments.n_objects
    (200, 200)
    """
    options = ScanOptions() if options is None else options
    _check_list(noiseless)  # before a table is read, which may take long
    _check_folder(options.temp_dir)
    terms: dict[str, Any] = {"unmatched": options.unmatched, "noiseless": noiseless}
    y: Any
    if isinstance(judgments, Judgments):
        options.refuse_reading()
        found = locate_labels(judgments, labels, options.read)
        y = labels_by_object(found.labels, options.read, label_object=label_object, objects=judgments.objects)
        return _with_lines(match_training_data(judgments, y, **terms), y, valid=options.read.valid)
    if isinstance(judgments, Iterator):
        return _scanned(judgments, labels, options, noiseless, PARTS_PER_FOLD * cv if parts else 1, rng, progress)
    if not (are_paths(judgments) or is_table(judgments)):
        raise JudgmentsError(
            f"judgments must be a Judgments, a path, a table or an iterator of tables, not {type(judgments).__name__}. "
            "Make a Judgments of an array with from_array.",
            value=judgments,
            column="judgments",
        )
    if isinstance(judgments, list | tuple) and len(judgments) == 1:
        [judgments] = judgments
    small = scan_from > 0 and options.memory_limit is None
    in_memory = not are_paths(judgments) or whole or (small and not is_large(judgments, scan_from, options.read))
    found = locate_labels(judgments, labels, options.read)
    apart: dict[str, Any] = {"label_object": label_object}
    if in_memory:
        read = read_table(found.table, found.options)
        y = read.labels
        if found.labels is not None:
            y = labels_by_object(found.labels, options.read, objects=read.judgments.objects, **apart)
        data = match_training_data(read.judgments, y, **terms)
        return _with_lines(data, y, valid=options.read.valid, read_invalid=read.invalid)
    y = labels_of_column(found.table, found.options) if found.labels is None else found.labels
    y = labels_by_object(y, options.read, **apart)
    n_parts = PARTS_PER_FOLD * cv if parts else 1
    data = _scanned(found.table, y, replace(options, read=found.options), noiseless, n_parts, rng, progress)
    return _with_lines(data, y, valid=options.read.valid)


def _with_lines(data: TrainingData, labels: Any, **more: Any) -> TrainingData:
    """The data with what is to be said of labels that were read from a file, and more."""
    attrs = getattr(labels, "attrs", {})
    lines = [attrs["source"]] if "source" in attrs else []
    if lines and attrs.get("note"):
        lines.append(f"labels: {attrs['note']}")
    return replace(data, label_lines=tuple(lines), **more)


def match_training_data(
    judgments: Judgments,
    labels: Any,
    *,
    unmatched: str = "error",
    noiseless: Collection[str] = (),
    label_kind: LabelKind = NUMBER,
) -> TrainingData:
    """A table in memory with its labels, for what needs every judgment.

    Parameters
    ----------
    judgments : Judgments
    labels : Series, mapping or array
        By object, or in the order of the objects.
    unmatched : {"error", "drop"}
        What to do about objects without a label and labels of unknown objects.
    noiseless : collection of str
        Attributes that are measured without error.
    label_kind : LabelKind
        What the labels are.
    """
    if not isinstance(judgments, Judgments):
        raise JudgmentsError(
            f"judgments must be a Judgments, not {type(judgments).__name__}; make one with from_frame or from_array.",
            value=judgments,
            column="judgments",
        )
    _check_list(noiseless)
    matched, y = judgments.match(labels, unmatched=unmatched, encode=label_kind.encode)
    _check_noiseless(noiseless, matched.attributes)
    return TrainingData(matched, y, None, frozenset(noiseless), label_kind=label_kind)


def match_labels(labels: Any, objects: Any) -> Floats:
    """The label of each object before any is judged, from labels that may be of others, too.

    Parameters
    ----------
    labels : Series, mapping, array or path
        By object, or in the order of the objects.
    objects : array
    """
    labelled, y = match(labels_by_object(labels, ReadOptions(), objects=objects), objects, unmatched="drop")
    if len(labelled) < len(objects):
        lacking = np.delete(objects, labelled)
        raise LabelsError(
            f"{len(lacking):,} of {len(objects):,} objects have no label: {list_names(lacking)}.",
            row=str(lacking[0]),
            column="labels",
        )
    return y


def _scanned(
    source: Any,
    labels: Any,
    options: ScanOptions,
    noiseless: Collection[str],
    n_parts: int,
    rng: np.random.Generator | None,
    progress: Progress | None,
) -> TrainingData:
    """Sum a table up in one pass that need not fit into the memory, objects in the same random order as in memory."""
    chance = generator(0) if rng is None else rng
    reader = reader_of_large_tables().make(progress=progress)
    result = reader.scan(source, labels, options, lambda n: assign_parts(n, n_parts, chance))
    _check_noiseless(noiseless, result.attributes)
    exact = frozenset(noiseless)
    again = None
    if not isinstance(source, Iterator):
        again = partial(_labelled_blocks, source, labels, options, progress)
    return TrainingData(None, None, FoldSums(result.attributes, result.sums, exact), exact, result, read_again=again)


def _labelled_blocks(
    source: Any,
    labels: Any,
    options: ScanOptions,
    progress: Progress | None,
    attributes: tuple[str, ...],
    in_order: bool,
) -> Iterator[tuple[Judgments, Floats]]:
    """The judgments of objects that have a label, block after block, in which a scan found nothing wrong."""
    series = read_labels_by_object(labels)
    for block in ObjectScan(source, options, attributes, in_order=in_order, progress=progress).blocks():
        at = match_names(series.index, block.objects)
        labelled = np.flatnonzero(at >= 0)
        if len(labelled):
            yield block[labelled], label_values(series, at[labelled])


def _check_list(noiseless: Any) -> None:
    if isinstance(noiseless, str):
        raise PlanError(
            f"noiseless must be a list of attributes, not {noiseless!r} alone.", value=noiseless, column="noiseless"
        )


def _check_folder(temp_dir: Any) -> None:
    """A small table needs no temporary folder, but whoever names one that is not there is told in any case."""
    if temp_dir is not None and not os.path.isdir(temp_dir):
        raise ManyJudgesError(f"there is no folder {quote_value(str(temp_dir))} for temporary files.", value=temp_dir)


def _check_noiseless(noiseless: Collection[str], attributes: tuple[str, ...]) -> None:
    if unknown := sorted(set(noiseless) - set(attributes)):
        raise JudgmentsError(
            f"noiseless names {list_names(unknown)}, which the judgments do not have.",
            value=unknown[0],
            column="noiseless",
        )
