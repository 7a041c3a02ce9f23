"""Judgments: the validated table that everything starts from."""

from __future__ import annotations

__all__ = ["Judgments", "not_judged"]

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from manyjudges.arrays.blocks import BLOCK, ranks_within
from manyjudges.arrays.cells import Cells
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import list_names, suggest
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables import display
from manyjudges.tables import labels as labelling
from manyjudges.tables.blocks import as_names, check_names, checked_block
from manyjudges.tables.columns import AUTO_COLUMN
from manyjudges.tables.files import with_points
from manyjudges.tables.judge_columns import columns_by_judge
from manyjudges.tables.reading.assembly import assemble
from manyjudges.tables.reading.cells import CellsRead, read_cells
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import Reading
from manyjudges.tables.repetitions import check_once
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.storage import BlockStorage, LongStorage, Rows, Storage
from manyjudges.tables.values import Locate, Place, locate_from_zero


class Judgments:
    """Who judged what about which object, and how.

    Made by :meth:`from_frame`, :meth:`from_array` or :func:`read_judgments`, which check everything once. Objects and
    attributes are in sorted order (of :meth:`from_array`, in the order given), and so are the judgments of a pair, by
    worker; the order of rows then does not matter. Only where workers are not known, the judgments of a pair stay in
    the order given. A table never changes; ``a + b`` is the table of both, with new objects and attributes at the end.

    ``len(judgments)`` counts judgments; ``judgments.shape`` is (objects, attributes), and indexing, such as
    ``judgments[:10]`` or ``judgments[mask]``, takes objects by position, which lets scikit-learn split the table.

    Attributes
    ----------
    objects : array
    attributes : tuple of str
    workers : array
        Empty when nobody is named.
    source : str
        Where the table was read from and which columns were taken for what; empty when it was not read.
    skipped : int
        Invalid rows that were left out when the table was made, with ``on_invalid="skip"``.
    reading : Reading, optional
        What was understood of the table: its shape, which column is what, and what the answers stand for. None where it
        was made from an array.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({
    ...     "object": ["jar 1", "jar 1", "jar 2", "jar 2"],
    ...     "attribute": ["round"] * 4,
    ...     "worker": ["ann", "bob", "ann", "bob"],
    ...     "value": ["yes", "no", "yes", "yes"],
    ... })
    >>> judgments = Judgments.from_frame(frame)
    >>> judgments
    Judgments: 4 judgments of 1 attribute on 2 objects by 2 workers
      each pair judged 2 times
      attributes: round
    >>> judgments.means()
    attribute  round
    object
    jar 1        0.5
    jar 2        1.0
    """

    def __init__(
        self,
        objects: Any,
        attributes: tuple[str, ...],
        workers: Any,
        storage: Storage,
        *,
        source: str = "",
        skipped: int = 0,
        reading: Reading | None = None,
    ) -> None:
        self.objects = _frozen(objects)
        self.attributes = attributes
        self.workers = _frozen(workers)
        self.source = source
        self.skipped = skipped
        self.reading = reading
        self._storage = storage

    @classmethod
    def from_frame(cls, frame: Any, **options: Any) -> Judgments:
        """Take judgments from a table, whatever its shape.

        Parameters
        ----------
        frame : pandas, polars, pyarrow or duckdb table, or dict of arrays
            Anything that narwhals reads, long (a row for each judgment) or wide.
        **options
            As for :func:`read_judgments`: the columns ``object``, ``attribute``, ``value``, ``worker``, ``label`` and
            ``time``, ``shape``, ``drop``, ``scales``, ``missing``, ``valid``, ``on_invalid`` and ``repeated``.
            ``worker=None`` ignores the workers. Ordered categories are scales.
        """
        return cls.of_cells(read_cells(frame, ReadOptions.of(**options)))

    @classmethod
    def from_wide(cls, frame: Any, **options: Any) -> Judgments:
        """Take judgments from a wide table: a column for each question, or for each judgment of one.

        Parameters
        ----------
        frame : pandas, polars, pyarrow or duckdb table, or dict of arrays
        **options
            As for :meth:`from_frame`. Unless ``shape`` is named, the table is never taken for a long one, whatever its
            columns are called.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"photo": ["a", "b"], "tall_1": [3, 5], "tall_2": [4, 5], "smiles_1": ["yes", "no"]})
        >>> print(Judgments.from_wide(frame, object="photo").to_frame())
          object attribute  value
        0      a    smiles    1.0
        1      a      tall    3.0
        2      a      tall    4.0
        3      b    smiles    0.0
        4      b      tall    5.0
        5      b      tall    5.0
        """
        asked = ReadOptions.of(**options)
        if asked.shape == AUTO_COLUMN:
            # No column is the attribute or the value of a row; by that, no table is long.
            asked = replace(asked, columns={**asked.columns, "attribute": None, "value": None})
        return cls.of_cells(read_cells(frame, asked))

    @classmethod
    def of_cells(cls, read: CellsRead) -> Judgments:
        """The judgments of a table that has been read."""
        cells, reading = read.cells, read.reading
        return cls(
            cells.objects,
            cells.attributes,
            cells.workers,
            cells.storage,
            source=reading.source,
            skipped=reading.skipped,
            reading=reading,
        )

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Any],
        locate: Locate,
        *,
        source: str = "",
        on_invalid: str = "error",
        decimal_comma: bool = False,
        remedy: str = "",
    ) -> Judgments:
        """Take judgments from arrays named object, attribute, value and perhaps worker; ``locate`` names a row."""
        options = ReadOptions.of(on_invalid=on_invalid)
        if decimal_comma:
            columns = {**columns, "value": with_points(pd.Series(columns["value"], dtype=object)).to_numpy()}
        cells = assemble(columns, locate, options, remedy=remedy)
        return cls(
            cells.objects,
            cells.attributes,
            cells.workers,
            cells.storage,
            source=source,
            skipped=len(cells.invalid),
            reading=Reading("", Layout("long"), cells.codings, unanswered=cells.unanswered, skipped=len(cells.invalid)),
        )

    @classmethod
    def from_array(
        cls,
        X: ArrayLike,
        *,
        attributes: Iterable[str] | None = None,
        objects: Iterable[Any] | None = None,
        copy: bool = True,
        allow_empty: bool = False,
    ) -> Judgments:
        """Take judgments from an array of (objects, attributes, judgments), NaN where not collected.

        Parameters
        ----------
        X : array of three dimensions
        attributes : sequence of str, optional
            Names along the second axis; ``x0``, ``x1``, … unless given.
        objects : sequence, optional
            Names along the first axis; 0, 1, … unless given.
        copy : bool
            Whether to copy an array of floats. If not, it must not be changed afterwards.
        allow_empty : bool
            Whether an array that is all NaN is fine.
        """
        names, object_names, values, full = checked_block(X, attributes, objects, copy=copy, allow_empty=allow_empty)
        return cls(object_names, names, np.array([], dtype=np.object_), BlockStorage(values, full))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of objects and of attributes."""
        return len(self.objects), len(self.attributes)

    def __len__(self) -> int:
        return len(self._storage)

    def cells(self, columns: Integers | None = None) -> Cells:
        """Count, mean and scatter of each pair's judgments, as arrays, perhaps of some attributes only."""
        return self._storage.cells(columns)

    def blocks(self, size: int = BLOCK) -> Iterator[Cells]:
        """The same in blocks of about ``size`` pairs, for tables whose cells would fill the memory."""
        return self._storage.blocks(size)

    def rows(self) -> Rows:
        """Judgments one by one, as codes: positions in ``objects``, ``attributes`` and ``workers``, and the value."""
        return self._storage.rows()

    def counts(self) -> pd.DataFrame:
        """How many judgments each pair has: a row an object, a column an attribute."""
        return self._wide(np.array(self.cells().count))

    def means(self, repeats: int | Mapping[str, int] | None = None) -> pd.DataFrame:
        """Mean judgment of each pair: a row an object, a column an attribute.

        Parameters
        ----------
        repeats : int or mapping, optional
            Average only the first so many judgments of a pair (in the order of their workers' names, where those are
            known), by attribute if a mapping, which then also says which attributes to give. Pairs with fewer are NaN.
            Without it, all judgments are averaged.
        """
        if repeats is None:
            return self._wide(self.cells().mean.copy())
        wanted = repeats if isinstance(repeats, Mapping) else dict.fromkeys(self.attributes, repeats)
        if wrong := {name: n for name, n in wanted.items() if not _is_count(n)}:
            name, n = next(iter(wrong.items()))
            raise JudgmentsError(
                f"repeats of {name!r} must be a whole number of 1 or more, not {n!r}.",
                value=n,
                row=name,
                column="repeats",
            )
        limits = np.array([wanted.get(name, 0) for name in self.attributes])
        cells = self._first(limits).cells()
        means = self._wide(np.where(cells.count == limits, cells.mean, np.nan))
        return means.reindex(columns=pd.Index(list(wanted), name="attribute"))

    def first(self, repeats: Mapping[str, int]) -> Judgments:
        """The first so many judgments of each pair, by attribute, as :meth:`means` takes them."""
        limits = np.array([repeats.get(name, 0) for name in self.attributes], dtype=np.int64)
        return self._of(self.objects, self.attributes, self._first(limits))

    def subset(self, objects: Iterable[Any]) -> Judgments:
        """The judgments of some objects, in the order given."""
        wanted = as_names(objects)
        at = pd.Index(self.objects).get_indexer(pd.Index(wanted))
        if (at < 0).any():
            unknown = wanted[at < 0]
            raise JudgmentsError(
                f"{len(unknown):,} objects are not in the table: {list_names(unknown)}; "
                f"it has objects such as {list_names(self.objects[:2])}.",
                value=unknown[0],
                column="object",
            )
        check_names(wanted.tolist(), len(wanted), "objects")
        return self._take(np.asarray(at))

    def only(self, attributes: Iterable[str]) -> Judgments:
        """The judgments of some attributes, in the order given; objects without any of them stay, unjudged."""
        names = [str(name) for name in as_names(attributes)]
        position = {name: i for i, name in enumerate(self.attributes)}
        if unknown := [name for name in names if name not in position]:
            raise not_judged(unknown, self.attributes)
        check_names(names, len(names), "attributes")
        at = np.array([position[name] for name in names], dtype=np.int64)
        return self._of(self.objects, tuple(names), self._storage.take_attributes(at))

    def with_values(self, values: Floats) -> Judgments:
        """The same judgments with other values, in the order of :meth:`rows`."""
        return self._of(self.objects, self.attributes, self._storage.with_values(np.asarray(values, dtype=float)))

    def by_judge(self) -> Judgments:
        """The same judgments taken apart by who gave them: a column ``"attribute @ worker"`` for each worker.

        A table in which a worker judges a pair several times is read by :func:`manyjudges.judges.by_judge`.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({
        ...     "object": ["essay 1", "essay 1", "essay 2"],
        ...     "attribute": "tone",
        ...     "worker": ["ann", "bob", "ann"],
        ...     "value": [3, 4, 2],
        ... })
        >>> Judgments.from_frame(frame).by_judge().attributes
        ('tone @ ann', 'tone @ bob')
        """
        if not len(self.workers):
            raise JudgmentsError(
                "these judgments do not say who gave them, so they cannot be taken apart by judge; read them again "
                "with the column of workers, or pass the table itself to manyjudges.judges.by_judge.",
                column="worker",
            )
        rows = self.to_frame()
        columns = columns_by_judge({role: rows[role].to_numpy() for role in rows.columns}, locate_from_zero)
        return Judgments.from_columns(columns, locate_from_zero, source=self.source)

    def __getitem__(self, positions: Any) -> Judgments:
        if isinstance(positions, tuple) and len(positions) == 2 and positions[1] is Ellipsis:
            positions = positions[0]  # scikit-learn indexes as array[rows, ...]
        at = np.atleast_1d(np.arange(len(self.objects))[positions])
        if len(np.unique(at)) < len(at):
            raise JudgmentsError("the same object was taken twice; a table has each object once.", value=positions)
        return self._take(at)

    def match(
        self, labels: Any, *, unmatched: str = "error", encode: labelling.Encode | None = None
    ) -> tuple[Judgments, Floats]:
        """Bring judgments and labels together.

        Parameters
        ----------
        labels : Series, mapping or array
            By object, or an array in the order of ``objects``.
        unmatched : {"error", "drop"}
            What to do about objects without a label and labels of unknown objects.
        encode : callable, optional
            How labels become numbers, from labels and the names of their objects; default: they are numbers already.

        Returns
        -------
        judgments : Judgments
            Of the objects that have a label. Attributes that only the others are judged in are left out with them.
        labels : array
            Their labels, in the order of ``judgments.objects``.
        """
        positions, y = labelling.match(labels, self.objects, unmatched=unmatched, encode=encode)
        if len(positions) == len(self.objects):
            return self, y
        matched = self._take(positions)
        gone = (self._n_judgments() > 0) & (matched._n_judgments() == 0)
        return (matched.only(np.array(self.attributes, dtype=np.object_)[~gone]) if gone.any() else matched), y

    def _n_judgments(self) -> Integers:
        """How many judgments there are of each attribute."""
        return np.asarray(sum(block.count.sum(axis=0) for block in self.blocks()), dtype=np.int64)

    def __add__(self, other: object) -> Judgments:
        if not isinstance(other, Judgments):
            return NotImplemented
        if (len(self.workers) > 0) != (len(other.workers) > 0):
            raise JudgmentsError(
                "one table names its workers and the other does not; name them in both or in neither.", column="worker"
            )
        first = len(self)
        mine, theirs = self._storage.rows(), other._storage.rows()
        objects, object_codes = _joined(self.objects, other.objects)
        names, attribute_codes = _joined(np.array(self.attributes, dtype=np.object_), other.attributes)
        workers, worker_codes = _joined(self.workers, other.workers)
        rows = Rows(
            np.concatenate([mine.objects, object_codes[theirs.objects]]),
            np.concatenate([mine.attributes, attribute_codes[theirs.attributes]]),
            None,
            np.concatenate([mine.values, theirs.values]),
        )
        if mine.workers is not None and theirs.workers is not None:
            rows = replace(rows, workers=np.concatenate([mine.workers, worker_codes[theirs.workers]]))

        def locate(row: int) -> Place:
            at, which = (row, "first") if row < first else (row - first, "second")
            return Place(f"row {at} of the {which} table", int(at) + 1)

        attributes = tuple(names.tolist())
        storage = LongStorage.of(len(objects), len(attributes), rows)
        check_once(rows, storage.coded, objects, attributes, workers, locate)
        return Judgments(
            objects,
            attributes,
            workers,
            storage,
            source=self.source,
            skipped=self.skipped + other.skipped,
            reading=other.reading if self.reading is None else self.reading.joined(other.reading),
        )

    def to_frame(self) -> pd.DataFrame:
        """The long table: ``object``, ``attribute``, ``worker`` if known, ``value``."""
        rows = self._storage.rows()
        columns = {
            "object": self.objects[rows.objects],
            "attribute": np.array(self.attributes, dtype=np.object_)[rows.attributes],
        }
        if rows.workers is not None:
            columns["worker"] = self.workers[rows.workers]
        return pd.DataFrame(columns | {"value": rows.values})

    def __repr__(self) -> str:
        return "\n  ".join(display.lines(self))

    def _repr_html_(self) -> str:
        return display.html(self)

    def _wide(self, values: Any) -> pd.DataFrame:
        columns = pd.Index(list(self.attributes), name="attribute")
        return pd.DataFrame(values, index=pd.Index(self.objects, name="object"), columns=columns)

    def _take(self, positions: Integers) -> Judgments:
        return self._of(self.objects[positions], self.attributes, self._storage.take(positions))

    def _of(self, objects: Any, attributes: tuple[str, ...], storage: Storage) -> Judgments:
        """A part of this table, with those workers who judged it."""
        workers = self.workers
        if len(workers) and (rows := storage.rows()).workers is not None:
            seen, codes = np.unique(rows.workers, return_inverse=True)
            workers = workers[seen]
            storage = LongStorage(len(objects), len(attributes), replace(rows, workers=codes))
        return Judgments(
            objects,
            attributes,
            workers,
            storage,
            source=self.source,
            skipped=self.skipped,
            reading=self.reading,
        )

    def _first(self, limits: Integers) -> Storage:
        """The first so many judgments of each pair, by attribute."""
        rows = self._storage.rows()
        cell = rows.objects * len(self.attributes) + rows.attributes
        kept = ranks_within(cell) < limits[rows.attributes]
        return LongStorage(*self.shape, rows.take(kept))


def _joined(first: Any, second: Any) -> tuple[Any, Integers]:
    """Names of both, the first's before what the second adds, and where the second's are among them."""
    own = pd.Index(first)
    both = own.append(pd.Index(list(second), dtype=own.dtype if len(second) == 0 else None).difference(own, sort=False))
    return both.to_numpy(), np.asarray(both.get_indexer(pd.Index(list(second))), dtype=np.int64)


def _frozen(array: Any) -> Any:
    view = array.view()
    view.flags.writeable = False
    return view


def _is_count(n: object) -> bool:
    return isinstance(n, int | np.integer) and not isinstance(n, bool) and bool(n >= 1)


def not_judged(unknown: Sequence[str], attributes: Sequence[str]) -> JudgmentsError:
    """What to say where attributes are asked for that a table does not have; ``attributes`` are those that it has."""
    return JudgmentsError(
        f"nobody has judged {list_names(unknown)}; there are judgments of {list_names(attributes, limit=8)}."
        f"{suggest(unknown[0], attributes)}",
        value=unknown[0],
        column="attribute",
    )
