"""Looks: what the cells of a column look like, and whether they can be answers at all."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from manyjudges.tables.answers.no_answer import is_no_answer
from manyjudges.tables.answers.numbered import unit_of
from manyjudges.tables.grammar import is_grouped, is_missing, read_number
from manyjudges.tables.names import name_text

EMPTY = "empty"
NAMES_OR_FREE_TEXT = "each text is different: a name or free text"
NUMBERS_OF_ROWS = "it numbers the rows"
_NESTED = "lists, and not single values"
NO_HEADING = "it has no heading"
IDENTIFIER = "an identifier"

FEWEST_DISTINCT = 8
"""So many different texts, none of them twice, are names or free text rather than the words of a scale."""

_LONG_TEXT = 60
_DAY = r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}))"
_ZONE = r"( ?(Z|UTC|GMT|MEZ|CET|[+-]\d{2}:?\d{2}|(UTC|GMT)[+-]\d{1,2}))?"
_TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[APap]\.?[Mm]\.?)?" + _ZONE
_PATTERNS = {
    "a date or time": re.compile(rf"{_DAY}([T ,]+{_TIME})?|{_TIME}"),
    "an e-mail address": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "an IP address": re.compile(r"(\d{1,3}\.){3}[\d*x]{1,3}|([0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}"),
    "a web address": re.compile(r"https?://\S+"),
}
"""What is never an answer, by the words for it."""

_HEADINGS = {
    "a duration": (
        r"(.* )?duration( .*)?|(total |elapsed |work |response |reaction )time|(time |total )?seconds|"
        r"time (spent|taken|elapsed|sum|rsi)|elapsed|(.*[ .])?rt( ms| s)?|interviewtime|worktimeinseconds|"
        r"(dauer|bearbeitungszeit|durée|duración)( .*)?|duration ms|(time )?in seconds|lead time"
    ),
    "a date or time": (
        r"(start|end|recorded|submit|submitted|created|updated|completed|accept|finish)( ?)(date|time|at)|timestamp|"
        r"time ?stamp|date ?time|datum|zeitstempel|horodateur|fecha|marca temporal"
    ),
    "a place": r"(location ?)?(latitude|longitude)|lat|lon|lng|geo ?location",
    "an IP address": r"ip|ip ?addr(ess)?|ip adresse",
    "an e-mail address": r"e ?mail( ?address)?|e mail adresse|adresse e mail|correo( electrónico)?",
    "progress": r"progress|percent complete|fortschritt",
    "browser": r"user ?agent|browser( .*)?|operating system|screen resolution",
}
_HEADING_PATTERNS = {reason: re.compile(pattern) for reason, pattern in _HEADINGS.items()}
_COMMENTS = re.compile(
    r"((any|other|further|additional|your|general|final|open|weitere|sonstige|autres|otros) )*"
    r"(comments?|remarks?|notes?|feedback|anmerkung(en)?|kommentare?|commentaires?|comentarios?)( .{0,20})?"
)
_CONSENT = re.compile(
    r"\b(i|you) (agree|consent) to (take part|participate)|^consent\b|consent$|\bconsent (form|to)|einverständnis|"
    r"einwilligung|datenschutz|einverstanden.*(teil|studie)|consentement|consentimiento informado|知情同意",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"(yes,? ?)?(i (have read.*)?(agree|consent|accept)|(ja,? ?)?ich (stimme zu|willige|bin (damit )?einverstanden)|"
    r"j.accepte|acepto|我同意).*",
    re.IGNORECASE | re.DOTALL,
)
_NUMBERING = {"", "index", "row", "row number", "no", "no.", "nr", "nr.", "#", "nummer", "lfd", "unnamed: 0"}
_UNNAMED = re.compile(r"|Unnamed: \d+|column [A-Z]{1,3}")
_INDEX_LEVEL = re.compile(r"__index_level_\d+__")
"""What pandas calls its index in files whose columns all have names."""
_ID = re.compile(r"(.*[\s_.\-])?(id|uuid|guid)|.*[a-z](Id|ID)|id[\s_.\-].*", re.DOTALL)
"""Headings of identifiers, such as ``annotation_id`` or ``AssignmentId``. Words such as "valid" are none."""


@dataclass(frozen=True)
class Look:
    """What the cells of a column look like.

    Attributes
    ----------
    cells : tuple of str
        The texts in the first rows, without those that say that there is no answer.
    dated : bool
        Whether the cells are typed as dates, times or durations.
    nested : bool
        Whether they are lists and the like.
    """

    cells: tuple[str, ...]
    dated: bool = False
    nested: bool = False

    @property
    def filled(self) -> int:
        """How many cells there are."""
        return len(self.cells)

    @cached_property
    def distinct(self) -> tuple[str, ...]:
        """The different texts, in the order in which they come."""
        return tuple(dict.fromkeys(self.cells))

    @cached_property
    def numeric(self) -> bool:
        """Whether each of them is a number."""
        return all(not math.isnan(read_number(text, decimal_comma=True)) for text in self.distinct)

    @cached_property
    def _is_mostly_numeric(self) -> bool:
        """Whether more than half of the texts are numbers, so that the others may well be slips among answers."""
        numbers = sum(not math.isnan(read_number(text, decimal_comma=True)) for text in self.distinct)
        return numbers * 2 > len(self.distinct)

    @property
    def repeats(self) -> bool:
        """Whether a text comes more than once."""
        return len(self.distinct) < self.filled

    @cached_property
    def names_each_row(self) -> bool:
        """Whether each text is different, and they are too many to be the words of a scale."""
        return not self.repeats and self.filled >= FEWEST_DISTINCT and not self._is_mostly_numeric

    @cached_property
    def measures(self) -> bool:
        """Whether each text is a number, some of them with a unit or with something between their thousands."""
        return all(
            is_grouped(text) or unit_of(text) is not None or not math.isnan(read_number(text, decimal_comma=True))
            for text in self.distinct
        )

    @cached_property
    def is_free_text(self) -> bool:
        """Whether people wrote sentences."""
        if self.numeric or len(self.distinct) * 2 < self.filled:
            return False
        return sum(map(len, self.distinct)) > _LONG_TEXT * len(self.distinct)

    @cached_property
    def numbers_rows(self) -> bool:
        """Whether the cells count from 0 or 1, row by row."""
        if self.filled < 2 or not (self.cells[0] in ("0", "1") and self.cells[1].isdigit()):
            return False
        first = int(self.cells[0])
        return self.cells == tuple(str(number) for number in range(first, first + self.filled))


def look_at(column: pd.Series[Any]) -> Look:
    """What the cells of a column look like."""
    cells = column.tolist()
    if column.dtype.kind not in "iub":  # which have a number in each row
        cells = [cell for cell in cells if not is_missing(cell)]
    dated = bool(cells) and all(isinstance(cell, datetime.date | datetime.time | datetime.timedelta) for cell in cells)
    nested = bool(cells) and all(not isinstance(cell, Hashable) for cell in cells)
    texts = _texts_of(cells)
    nothing = {text for text in set(texts) if is_no_answer(text)}
    return Look(tuple(text for text in texts if text not in nothing) if nothing else tuple(texts), dated, nested)


def _texts_of(cells: Sequence[Any]) -> list[str]:
    """Cells as texts; whole numbers and texts that come again are looked at once."""
    if not {*map(type, cells)} <= {str, int}:
        return [name_text(cell).strip() for cell in cells]
    texts = {cell: name_text(cell).strip() for cell in {*cells}}  # no text is equal to a number
    return [texts[cell] for cell in cells]


def plain_heading(heading: str) -> str:
    """A heading in small letters, its words apart by one space, by which usual ones are known.

    >>> plain_heading("Duration (in seconds)"), plain_heading("response_time"), plain_heading("E-Mail")
    ('duration in seconds', 'response time', 'e mail')
    """
    return " ".join(re.sub(r"[\s_\-()\[\]/?!:*]+", " ", heading).casefold().split())


def is_unnamed(heading: str) -> bool:
    """Whether a column has no heading, for which ``Unnamed: 3`` or, in a workbook, ``column D`` may stand.

    >>> is_unnamed(""), is_unnamed("Unnamed: 3"), is_unnamed("column D"), is_unnamed("column height")
    (True, True, True, False)
    """
    return _UNNAMED.fullmatch(heading.strip()) is not None


def reason_to_leave_out(heading: str, look: Look) -> str | None:
    """Why a column holds no judgments, in words; None where it may hold them.

    >>> reason_to_leave_out("StartDate", Look(("2024-03-01 12:30:00",)))
    'a date or time'
    >>> reason_to_leave_out("clarity", Look(("4", "5", "4"))) is None
    True
    """
    if not look.filled:
        return EMPTY
    if look.nested:
        return _NESTED
    if (by_heading := reason_of_heading(heading)) is not None:
        return by_heading
    if look.dated:
        return "a date or time"
    name = plain_heading(heading)
    if look.numeric:
        if _numbers_rows(name, look) or _INDEX_LEVEL.fullmatch(heading):
            return NUMBERS_OF_ROWS
        if is_unnamed(heading):
            return NO_HEADING
        return IDENTIFIER if _is_identifier(heading, look) else None
    if is_unnamed(heading) or _names_most_rows(heading, look):
        return _reason_of_text(name, look) or (NO_HEADING if is_unnamed(heading) else IDENTIFIER)
    return _reason_of_text(name, look)


def reason_of_heading(heading: str) -> str | None:
    """Why a column holds no judgments, as far as its heading says so.

    >>> reason_of_heading("Duration (in seconds)"), reason_of_heading("clarity") is None
    ('a duration', True)
    """
    if _CONSENT.search(heading):
        return "consent"
    name = plain_heading(heading)
    return next((why for why, pattern in _HEADING_PATTERNS.items() if pattern.fullmatch(name)), None)


def _numbers_rows(name: str, look: Look) -> bool:
    return (name in _NUMBERING and not look.repeats) or (look.filled >= FEWEST_DISTINCT and look.numbers_rows)


def _is_identifier(heading: str, look: Look) -> bool:
    """Whether whole numbers, each another one, stand under a heading that says what they are."""
    if look.repeats or look.filled < FEWEST_DISTINCT or not _ID.fullmatch(heading.strip()):
        return False
    return all(text.removeprefix("-").isdigit() for text in look.distinct)


def _names_most_rows(heading: str, look: Look) -> bool:
    """Whether most texts are different, under a heading that says that they are identifiers."""
    enough = look.filled >= FEWEST_DISTINCT and len(look.distinct) * 2 > look.filled
    return enough and _ID.fullmatch(heading.strip()) is not None


def _reason_of_text(name: str, look: Look) -> str | None:
    if (pattern := next((why for why, each in _PATTERNS.items() if _all_match(each, look.distinct)), None)) is not None:
        return pattern
    if _all_match(_AGREES, look.distinct) and len(look.distinct) == 1:
        return "consent"
    if look.measures:
        return None
    if look.names_each_row:
        return NAMES_OR_FREE_TEXT
    if look.is_free_text or _COMMENTS.fullmatch(name):
        return "free text"
    return None


def _all_match(pattern: re.Pattern[str], texts: Sequence[str]) -> bool:
    return all(pattern.fullmatch(text) for text in texts)
