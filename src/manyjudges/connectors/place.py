"""Places: where a record stands in a file, in words for people and as data for programs."""

from __future__ import annotations

from typing import Any


class RecordPlace(str):
    """Words that say where something stands and go before a colon: ``"batch.csv, line 4"``.

    Attributes
    ----------
    file : str, optional
        The file's name.
    row : int or str, optional
        The line, counted from 1; or the number or name of the record, in files that have no lines.
    column : str, optional
        The column, field or control.

    Examples
    --------
    >>> place = RecordPlace("batch.csv, line 4", file="batch.csv", row=4)
    >>> str(place), place.row
    ('batch.csv, line 4', 4)
    """

    file: str | None
    row: int | str | None
    column: str | None

    def __new__(
        cls, words: str, *, file: str | None = None, row: int | str | None = None, column: str | None = None
    ) -> RecordPlace:
        """Make a place of its words."""
        place = super().__new__(cls, words)
        place.file, place.row, place.column = file, row, column
        return place


def within(place: str, words: str, column: str | None = None) -> RecordPlace:
    """A place inside another one.

    >>> inner = within(RecordPlace("batch.csv, line 4", file="batch.csv", row=4), "SubmitTime", "SubmitTime")
    >>> str(inner), located(inner)
    ('batch.csv, line 4, SubmitTime', {'file': 'batch.csv', 'row': 4, 'column': 'SubmitTime'})
    """
    fields = located(place)
    fields["column"] = column if column is not None else fields["column"]
    return RecordPlace(f"{place}, {words}", **fields)


def located(place: str, column: str | None = None) -> dict[str, Any]:
    """What an error about a place says to programs: its ``file``, ``row`` and ``column``, each None if not known.

    ``column`` is what to say where the place does not know its own.
    """
    fields = {name: getattr(place, name, None) for name in ("file", "row", "column")}
    return fields if column is None or fields["column"] is not None else fields | {"column": column}
