"""Names: how the objects, attributes and judgments of a campaign are named, brought together and written down."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Integers
from manyjudges.base import documents
from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.tables.answers.no_answer import no_answer_mask
from manyjudges.tables.columns import take_columns
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.storage import LongStorage, Rows
from manyjudges.tables.values import locate_from_zero

_JUDGMENT_COLUMNS = {"object": "object", "attribute": "attribute", "value": "value", "worker": "worker"}


@dataclass(frozen=True, eq=False)
class Naming:
    """The objects and attributes of a campaign, in its order, and tables of them."""

    objects: Any
    attributes: tuple[str, ...]

    @classmethod
    def of(cls, objects: Iterable[Any], attributes: Iterable[str]) -> Naming:
        """Check names that somebody gave."""
        object_names, names = _as_names(objects, "object"), _as_names(attributes, "attribute")
        attribute_names = [str(name) for name in names.tolist()]
        for what, names_of_kind in (("object", object_names.tolist()), ("attribute", attribute_names)):
            if not names_of_kind:
                raise JudgmentsError(f"there are no {what}s; name at least one.", column=f"{what}s")
            if (twice := pd.Index(names_of_kind, dtype=object).duplicated()).any():
                raise JudgmentsError(
                    f"{what} {quote_value(names_of_kind[int(twice.argmax())])} is named twice; name each once.",
                    value=names_of_kind[int(twice.argmax())],
                    column=f"{what}s",
                )
        return cls(object_names, tuple(attribute_names))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of objects and of attributes."""
        return len(self.objects), len(self.attributes)

    def place(self, judgments: Any) -> Judgments | None:
        """A table of judgments, checked, with all objects and attributes in their order; None if it has no rows."""
        table = _as_judgments(judgments)
        if table is None or len(table) == 0:
            return None
        frame = table.to_frame()
        rows = Rows(
            self._positions(self._object_index, frame["object"], "object"),
            self._positions(self._attribute_index, frame["attribute"], "attribute"),
            None,
            frame["value"].to_numpy(dtype=float),
        )
        workers = _as_names(table.workers, "worker")
        if "worker" in frame:
            codes = np.asarray(pd.Index(table.workers).get_indexer(pd.Index(frame["worker"])), dtype=np.int64)
            rows = Rows(rows.objects, rows.attributes, codes, rows.values)
        return self._table(rows, workers)

    def columns(self, counts: Integers) -> dict[str, list[int]]:
        """Counts of every pair as a list for each attribute, in the order of the objects; none where all are 0."""
        return {name: counts[:, i].tolist() for i, name in enumerate(self.attributes) if counts[:, i].any()}

    def from_columns(self, columns: Mapping[str, Any], what: str) -> Integers:
        """Read what :meth:`columns` gave."""
        counts = np.zeros(self.shape, dtype=np.int64)
        for name, column in columns.items():
            if name not in self.attributes:
                raise DocumentError(
                    f"{what!r} has {name!r}, which is no attribute of the campaign.", value=name, column=what
                )
            counts[:, self.attributes.index(name)] = _wholes(column, f"{what!r} of {name!r}", len(counts), what)
        return counts

    def to_document(self, judgments: Judgments) -> dict[str, Any]:
        """Judgments as plain lists: how many each pair has, and their values and workers, pair by pair."""
        frame = judgments.to_frame()
        document: dict[str, Any] = {"counts": self.columns(judgments.cells().count)}
        if "worker" in frame:
            by = pd.Index(judgments.workers).get_indexer(pd.Index(frame["worker"]))
            document |= {"workers": judgments.workers.tolist(), "by": by.tolist()}
        return document | {"values": frame["value"].tolist()}

    def from_document(self, document: Mapping[str, Any]) -> Judgments:
        """Read what :meth:`to_document` gave."""
        counts = self.from_columns(documents.field(document, "counts", dict), "counts").ravel()
        values = _values(documents.field(document, "values", list), sum(counts.tolist()))
        pair = np.repeat(np.arange(len(counts)), counts)
        workers, codes = _as_names([], "worker"), None
        if "workers" in document:
            workers = _as_names(documents.field(document, "workers", list), "worker")
            codes = _wholes(document.get("by"), "'by'", len(pair), "by")
            if len(pair) and (codes.max() >= len(workers) or _repeats(pair * len(workers) + codes)):
                raise DocumentError(
                    "'by' names a worker that is not there, or one twice for the same pair.", column="by"
                )
        objects, attributes = np.divmod(pair, len(self.attributes))
        return self._table(Rows(objects, attributes, codes, values), workers)

    def _table(self, rows: Rows, workers: Any) -> Judgments:
        return Judgments(self.objects, self.attributes, workers, LongStorage.of(*self.shape, rows))

    @cached_property
    def _object_index(self) -> pd.Index[Any]:
        index: pd.Index[Any] = pd.Index(self.objects)
        return index

    @cached_property
    def _attribute_index(self) -> pd.Index[Any]:
        return pd.Index(self.attributes)

    def _positions(self, index: pd.Index[Any], names: Any, what: str) -> Integers:
        at = np.asarray(index.get_indexer(pd.Index(names)), dtype=np.int64)
        if (at < 0).any():
            unknown = pd.unique(names[at < 0]).tolist()
            near = suggest(unknown[0], self.attributes) if what == "attribute" else ""
            raise JudgmentsError(
                f"{int((at < 0).sum()):,} of the judgments are of {what}s that the campaign does not have: "
                f"{list_names(unknown)}; it has {list_names(index.tolist())}.{near} "
                "Correct the name or leave them out.",
                value=unknown[0],
                column=what,
            )
        return at


def _as_names(names: Iterable[Any], what: str) -> Any:
    """Names as an array that JSON gives back just so: text, finite numbers and booleans as they are.

    >>> _as_names([1, "b", True], "object").tolist()
    [1, 'b', True]
    """
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise JudgmentsError(
            f"{what}s must be a list of names, not {quote_value(names)}.", value=names, column=f"{what}s"
        )
    plain = [name.item() if hasattr(name, "item") else name for name in names]
    for name in plain:
        _check_name(name, what)
    kinds = {type(name) for name in plain}
    if kinds == {float} or (kinds == {int} and all(abs(name) < 1 << 63 for name in plain)):
        return np.array(plain)
    array = np.empty(len(plain), dtype=np.object_)
    array[:] = plain
    return array


def whole(document: Mapping[str, Any], name: str) -> int:
    """A field of a document that is a count."""
    value = documents.field(document, name, int)
    if value < 0:
        raise DocumentError(
            f"field {name!r} of the document is {value}; it must be 0 or more.", value=value, column=name
        )
    return int(value)


def _check_name(name: object, what: str) -> None:
    if isinstance(name, str):
        if not name.strip() or (not name.isascii() and any("\ud800" <= c <= "\udfff" for c in name)):
            raise JudgmentsError(
                f"the {what} {name!a} has no usable name: it is empty or no valid text; correct it.",
                value=name,
                column=f"{what}s",
            )
    elif not isinstance(name, int | float) or not np.isfinite(float(name) if isinstance(name, float) else 0):
        raise JudgmentsError(
            f"the {what} {quote_value(name)} has no usable name; use text, a finite number or a boolean.",
            value=name,
            column=f"{what}s",
        )


def _as_judgments(judgments: Any) -> Judgments | None:
    if isinstance(judgments, Judgments):
        return judgments
    if isinstance(judgments, pd.DataFrame) and judgments.empty:
        return None  # perhaps without columns: a table of no rows
    columns = take_columns(judgments, _JUDGMENT_COLUMNS, optional=("worker",))
    if len(columns["object"]) == 0:
        return None
    _check_answered(columns["value"])
    return Judgments.from_columns(columns, locate_from_zero)


def _check_answered(values: Any) -> None:
    """Refuse what was bought without an answer; it would be asked for and paid again."""
    without = np.flatnonzero(no_answer_mask(values))
    if without.size:
        place = locate_from_zero(int(without[0]))
        raise JudgmentsError(
            f"{place} has no value. Leave the row out, or say with give_up() that it cannot be had.",
            row=place.row,
            column="value",
        )


def _wholes(values: Any, what: str, length: int, field: str) -> Integers:
    if (
        not isinstance(values, list)
        or len(values) != length
        or not all(type(value) is int and 0 <= value < 1 << 63 for value in values)
    ):
        raise DocumentError(
            f"{what} in the document must be a list of {length:,} counts: {quote_value(values)}.",
            value=values,
            column=field,
        )
    return np.array(values, dtype=np.int64)


def _values(values: list[Any], length: int) -> Any:
    if len(values) != length or not all(
        type(value) in (int, float) and abs(value) <= sys.float_info.max for value in values
    ):
        raise DocumentError(
            f"'values' in the document must be a list of {length:,} finite numbers: {quote_value(values)}.",
            value=values,
            column="values",
        )
    return np.array(values, dtype=float)


def _repeats(keys: Integers) -> bool:
    return len(np.unique(keys)) < len(keys)
