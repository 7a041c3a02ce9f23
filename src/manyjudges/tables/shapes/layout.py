"""Layouts: which column of a table is what."""

from __future__ import annotations

__all__ = ["Layout"]

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from manyjudges.arrays.types import Integers
from manyjudges.base.messages import list_names

_ROLES = ("object", "attribute", "value", "worker", "label", "time")
_NAMES_SHOWN = 4
_LEFT_OUT_SHOWN = 3
_REASONS_SHOWN = 4


@dataclass(frozen=True)
class MeasuredColumn:
    """A column of a wide table that holds judgments.

    Attributes
    ----------
    column : str
        Its heading.
    attribute : str
    object : str, optional
        Where the heading names the object, as in a table with a row for each rater.
    worker : str, optional
        Where the heading names the rater, as in ``tall (ann)``, or numbers the judgment, as in ``tall_2``.
    """

    column: str
    attribute: str
    object: str | None = None
    worker: str | None = None


@dataclass(frozen=True)
class Layout:
    """Which column of a table is what.

    Attributes
    ----------
    shape : str
        The name of the shape in the registry.
    object, attribute, value, worker, label, time : str, optional
        The column of each role. Only long tables have columns for the attribute and the value.
    measured : tuple of MeasuredColumn
        The columns with judgments of a wide table.
    heading_rows : int
        How many rows at the start of the data belong to the heading, such as two in a file from Qualtrics.
    left_out : tuple of (str, str)
        Columns that hold no judgments, and why.
    workers_known : bool
        False where ``MeasuredColumn.worker`` only numbers the judgments, so that it names nobody.
    row_is_worker : bool
        Whether each row is one person's answers, and no column says whose.
    no_answer : tuple of str
        Codes by which the tool that wrote the table marks a question that was not answered.
    assumed : tuple of str
        What was decided although the table leaves it open, in words.
    """

    shape: str
    object: str | None = None
    attribute: str | None = None
    value: str | None = None
    worker: str | None = None
    label: str | None = None
    time: str | None = None
    measured: tuple[MeasuredColumn, ...] = ()
    heading_rows: int = 0
    left_out: tuple[tuple[str, str], ...] = ()
    workers_known: bool = True
    row_is_worker: bool = False
    no_answer: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

    @property
    def roles(self) -> dict[str, str]:
        """The column of each role that has one."""
        return {role: name for role in _ROLES if (name := getattr(self, role)) is not None}

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the columns of a wide table measure, each once."""
        return tuple(dict.fromkeys(column.attribute for column in self.measured))

    def describe(self) -> str:
        """What was recognised as what, in one line.

        >>> columns = (MeasuredColumn("clarity", "clarity"), MeasuredColumn("style", "style"))
        >>> print(Layout("wide-by-rater", object="Essay", worker="Rater", measured=columns).describe())
        wide by rater: object = 'Essay', worker = 'Rater', 2 questions ('clarity', 'style')
        """
        roles = ", ".join(f"{role} = {name!r}" for role, name in self.roles.items())
        parts = [", ".join(part for part in (roles, *self._headings()) if part), *self.assumed]
        if self.heading_rows:
            rows = "row belongs" if self.heading_rows == 1 else f"{self.heading_rows} rows belong"
            parts.append(f"the first {rows} to the heading")
        left_out = [pair for pair in self.left_out if pair[0] not in self.roles.values()]
        if left_out:
            parts.append(f"left out: {', '.join(_by_reason(left_out))}")
        return f"{_TITLES.get(self.shape, self.shape)}: {'; '.join(parts)}"

    def _headings(self) -> Iterator[str]:
        """What the headings of a wide table name."""
        if not self.measured:
            return
        yield _counted(self.attributes, "question")
        if objects := tuple(dict.fromkeys(column.object for column in self.measured if column.object is not None)):
            yield _counted(objects, "object")
        workers = tuple(dict.fromkeys(column.worker for column in self.measured if column.worker is not None))
        if workers and self.workers_known:
            yield _counted(workers, "rater")
        elif workers:
            yield f"up to {len(workers)} judgments of each"
        if self.row_is_worker:
            yield "a rater in each row"

    def to_document(self) -> dict[str, Any]:
        """The layout as plain data, without what is not set."""
        document = {name: value for name, value in asdict(self).items() if value not in (None, ())}
        document["measured"] = [
            {name: value for name, value in column.items() if value is not None}
            for column in document.get("measured", ())
        ]
        return document | {"left_out": [list(pair) for pair in self.left_out]}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The layout that :meth:`to_document` gave."""
        lists = {name: tuple(document.get(name, ())) for name in ("no_answer", "assumed")}
        measured = tuple(MeasuredColumn(**column) for column in document.get("measured", ()))
        left_out = tuple((str(name), str(why)) for name, why in document.get("left_out", ()))
        return cls(**{**document, **lists, "measured": measured, "left_out": left_out})


@dataclass(frozen=True, eq=False)
class LongRows:
    """A table as long rows, one for each cell that may hold a judgment.

    Attributes
    ----------
    columns : dict of str to array
        Arrays of objects by role: object, attribute and value, and worker where there are any.
    rows : array of int
        The position in the table of the row in which each cell stands.
    cells : tuple of str, optional
        The headings of the columns of values; None for a long table, which has only one.
    cell_codes : array of int, optional
        For each cell the position of its heading in ``cells``.
    """

    columns: dict[str, Any]
    rows: Integers
    cells: tuple[str, ...] | None = None
    cell_codes: Integers | None = None


_TITLES = {
    "long": "long (a row for each judgment)",
    "wide-by-rater": "wide by rater",
    "wide-by-judgment": "wide by judgment (a row for each object)",
    "sheets": "a sheet for each rater",
    "qualtrics": "Qualtrics",
    "sosci": "SoSci Survey",
    "google-forms": "Google Forms",
    "limesurvey": "LimeSurvey",
    "redcap": "REDCap",
}


def _counted(names: Sequence[str], noun: str) -> str:
    return f"{len(names)} {noun}{'s' if len(names) != 1 else ''} ({list_names(names, limit=_NAMES_SHOWN)})"


def _by_reason(left_out: Sequence[tuple[str, str]]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for name, reason in left_out:
        reasons.setdefault(reason, []).append(name)
    groups = list(reasons.items())
    for reason, names in groups[:_REASONS_SHOWN]:
        yield f"{list_names(names, limit=_LEFT_OUT_SHOWN)} ({reason})"
    if more := sum(len(names) for _, names in groups[_REASONS_SHOWN:]):
        yield f"{more} more"
