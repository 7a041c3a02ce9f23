"""Grammar: what a cell of a table means, as data. Python and SQL both read it from here.

Three readers (memory, DuckDB, dask) must agree on every cell, so nothing else decides what is a number, a word or
white space. What words stand for is decided in ``answers``.
"""

from __future__ import annotations

__all__ = [
    "BLANK",
    "DECIMAL_COMMA",
    "NUMBER_PATTERN",
    "TYPED",
    "is_blank",
    "is_infinite",
    "is_missing",
    "points_sql",
    "read_number",
    "read_whole_number",
    "sql_text",
    "trimmed",
    "value_sql",
]

import math
import re
from dataclasses import dataclass

NUMBER_PATTERN = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?"
"""A number, in ASCII digits. Python's ``float`` would also take ``１２``, ``1_000`` and ``nan``."""

DECIMAL_COMMA = r"[-+]?[0-9]+,[0-9]+"
"""A number as spreadsheets write it where semicolons separate the cells."""

BLANK = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""White space, which is no part of a value. A name of nothing else is missing."""


@dataclass(frozen=True)
class TypedNumbers:
    """How numbers may be typed into a field, as regular expressions that Python and JavaScript read alike.

    Attributes
    ----------
    number : str
        A number of ``NUMBER_PATTERN``, with a point or a comma for decimals.
    thousands : str
        Those of them whose commas may separate thousands instead: ``1,234``.
    edges : str
        White space at both ends, which is no part of it.
    minus : str
        A sign that is typed for ``-``.
    """

    number: str = NUMBER_PATTERN.replace(r"\.", "[.,]")
    thousands: str = "[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+"
    edges: str = "^{0}+|{0}+$".format("[" + "".join(f"\\u{ord(character):04x}" for character in BLANK) + "]")
    minus: str = "\N{MINUS SIGN}"


TYPED = TypedNumbers()
"""The grammar of what people type; the judging page checks by it, too, before anything is sent."""

_MISSING_TYPES = ("NAType", "NaTType")
"""How pandas says that there is no value. By name, as what reads answers should not have to load pandas."""

_CAST_READS_TOO = ("_", "+-")
"""What DuckDB's cast to DOUBLE takes as parts of a number, besides ``NUMBER_PATTERN``: ``1_000`` and ``+-5``."""

_NUMBER = re.compile(NUMBER_PATTERN)
_DECIMAL_COMMA = re.compile(DECIMAL_COMMA)
_GROUPED = re.compile(r"[-+]?\d{1,3}([.,'’\s]\d{3})+([.,]\d+)?")
_WHOLE_NUMBER = re.compile(r"[-+]?[0-9]+")
_INFINITE = re.compile(r"[-+]?(inf|infinity)", re.IGNORECASE)


def read_number(text: object, *, decimal_comma: bool = False) -> float:
    """The number that a cell stands for; NaN where it stands for none, such as a word.

    A number too large for double precision is infinite, which no reader accepts.

    Parameters
    ----------
    text : object
        Usually text. Anything else is read as Python writes it.
    decimal_comma : bool
        Whether ``3,5`` is a number.

    Examples
    --------
    >>> read_number(" 3.5"), read_number("yes"), read_number("3,5", decimal_comma=True)
    (3.5, nan, 3.5)
    """
    cell = str(text).strip(BLANK)
    if _NUMBER.fullmatch(cell):
        return float(cell)
    if decimal_comma and _DECIMAL_COMMA.fullmatch(cell):
        return float(cell.replace(",", "."))
    return math.nan


def read_whole_number(text: object) -> int | None:
    """The whole number that a text stands for, with all its digits; None where it stands for none.

    >>> read_whole_number(" 12 "), read_whole_number("1_000"), read_whole_number("1.0")
    (12, None, None)
    """
    cell = str(text).strip(BLANK)
    return int(cell) if _WHOLE_NUMBER.fullmatch(cell) else None


def is_grouped(text: str) -> bool:
    """Whether a text may be a number with something between its thousands, which no reader takes for one.

    >>> is_grouped("1'234"), is_grouped("1.234,5"), is_grouped("1 234 567"), is_grouped("12 34")
    (True, True, True, False)
    """
    return _GROUPED.fullmatch(text.strip(BLANK)) is not None


def is_infinite(text: object) -> bool:
    """Whether somebody meant an infinite number, or one too large, which deserves a message of its own."""
    cell = str(text).strip(BLANK)
    return _INFINITE.fullmatch(cell) is not None or math.isinf(read_number(cell))


def is_blank(text: object) -> bool:
    """Whether a cell has nothing in it but white space."""
    return isinstance(text, str) and not text.strip(BLANK)


def is_missing(value: object) -> bool:
    """Whether there is no value at all; unlike pandas' own test, for lists, too."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return type(value).__name__ in _MISSING_TYPES and "pandas" in type(value).__module__


def value_sql(column: str) -> str:
    """SQL of the number that a column of text stands for; NULL where it is no plain number, or an infinite one.

    Parameters
    ----------
    column : str
        An expression of SQL that gives text, with points in decimals.
    """
    # A cast takes a third of the time of a match with the pattern, so what it reads too is taken away. A law holds
    # the rest.
    odd = " OR ".join(f"contains({column}, {sql_text(part)})" for part in _CAST_READS_TOO)
    number = f"CASE WHEN {odd} THEN NULL ELSE TRY_CAST({column} AS DOUBLE) END"
    return f"CASE WHEN isfinite({number}) THEN {number} END"


def points_sql(column: str) -> str:
    """SQL of a column of text in which numbers with a decimal comma have a point instead.

    Parameters
    ----------
    column : str
        An expression of SQL that gives text.
    """
    comma = f"regexp_full_match({trimmed(column)}, {sql_text(DECIMAL_COMMA)})"
    return f"CASE WHEN {comma} THEN replace({column}, ',', '.') ELSE {column} END"


def trimmed(column: str) -> str:
    """SQL of a text without white space at its ends."""
    return f"trim({column}, {sql_text(BLANK)})"


def sql_text(value: object) -> str:
    """A text of SQL.

    >>> sql_text("it's")
    "'it''s'"
    """
    return "'" + str(value).replace("'", "''") + "'"
