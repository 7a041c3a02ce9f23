"""Rows: judgments as a connector finds them, each with words for where it stands, and the table they make."""

from __future__ import annotations

__all__ = ["OpenQuestions"]

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from manyjudges.base.messages import quote_value
from manyjudges.connectors.place import located
from manyjudges.exceptions import DocumentError, InvalidAnswerError, JudgmentsError
from manyjudges.tables import grammar
from manyjudges.tables.formats.paths import StrPath
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.kinds import find_label
from manyjudges.tables.values import Place

if TYPE_CHECKING:
    from manyjudges.study.questions import Attribute

Questions = Mapping[str, "Attribute"]
"""The questions that were asked, by the names of their attributes."""


_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
"""What an answer may be, besides a number, where nobody knows the question."""


class OpenQuestions(dict[str, "Attribute"]):
    """Questions of a study beside which a file may answer any other: what it says there is taken unread.

    A connector that is given these finds the names of all that a file holds, whatever the answers look like.
    """

    def __contains__(self, name: object) -> bool:
        return True


class Row(NamedTuple):
    """One judgment of a file.

    Attributes
    ----------
    object, attribute, worker : str
    value : float
    place : str
        Where it stands, in words that go before a colon: ``"batch.csv, line 4"``, ``"export.json, task 12"``.
    """

    object: str
    attribute: str
    worker: str
    value: float
    place: str


def paths_of(path: StrPath | Sequence[StrPath]) -> list[Path]:
    """One path or several, as a list."""
    return [Path(path)] if isinstance(path, str | os.PathLike) else [Path(name) for name in path]


def judgments_of(rows: Iterable[Row], source: str) -> Judgments:
    """The table of some rows.

    Parameters
    ----------
    rows : iterable of Row
    source : str
        Where they come from, such as the names of files; for messages, and to show.

    Raises
    ------
    JudgmentsError
        Where there are none, a name is empty, or somebody judged the same twice; the message says where.
    """
    kept = list(rows)
    if not kept:
        raise JudgmentsError(f"{source}: there are no judgments in it.", file=source)
    _check_once(kept)
    columns = {name: _names([getattr(row, name) for row in kept]) for name in ("object", "attribute", "worker")}
    numbers = np.array([row.value for row in kept], dtype=float)
    return Judgments.from_columns(
        columns | {"value": numbers}, lambda at: _table_place(kept[at].place), source=f"read from {source}"
    )


def value_of(written: object, attribute: str, place: str, questions: Questions | None = None) -> float:
    """The number that an answer stands for.

    Parameters
    ----------
    given : str, bool, int or float
        As the file has it: a number, true/false, yes/no, or, where the question is known, the label of a step.
    attribute : str
    place : str
        Where it stands, for the message.
    questions : mapping, optional
        The questions that were asked. Where the attribute is among them, the answer is checked against its kind and
        range.

    Raises
    ------
    JudgmentsError
        Where this is no answer.
    """
    question = None if questions is None else questions.get(attribute)
    if question is None and isinstance(questions, OpenQuestions):
        return 0.0
    if question is None:
        number = _plain_number(written)
        if not math.isfinite(number):
            raise JudgmentsError(
                f"{place}: {quote_value(written)}, a judgment of {attribute!r}, is not a number, true/false or yes/no. "
                "Correct it; or name the study whose questions were asked (--study), which knows the labels of its "
                "scales.",
                value=written,
                **located(place, attribute),
            )
        return number
    if isinstance(written, str) and (option := find_label(question.answer_kind.options(), written)) is not None:
        return option.value
    try:
        return question.read(written)
    except InvalidAnswerError as error:
        raise InvalidAnswerError(
            f"{place}: {error}",
            allowed=error.allowed,
            problem=error.problem,
            value=written,
            **located(place) | {"column": attribute},
        ) from None


def _plain_number(written: object) -> float:
    """The number of an answer to a question that is not known; NaN where it has none."""
    number = _WORDS.get(str(written).strip(grammar.BLANK).lower())
    return grammar.read_number(written) if number is None else number


def check_known(rows: Iterable[Row], questions: Questions | None) -> Iterable[Row]:
    """Pass rows on, and say where one is of an attribute that the study does not ask about."""
    for row in rows:
        if questions is not None and row.attribute not in questions:
            names = ", ".join(repr(name) for name in questions)
            raise DocumentError(
                f"{row.place}: the study has no attribute {row.attribute!r}; its attributes are {names}. Rename it in "
                "the file, or say what it is called here (--rename).",
                value=row.attribute,
                **located(row.place, "attribute"),
            )
        yield row


def _table_place(place: str) -> Place:
    """The place of a record as tables say it, where only lines have numbers."""
    fields = located(place)
    return Place(str(place), fields["row"] if isinstance(fields["row"], int) else None, fields["file"])


def _check_once(rows: Iterable[Row]) -> None:
    seen: dict[tuple[str, str, str], str] = {}
    for row in rows:
        before = seen.setdefault(row[:3], row.place)
        if before is not row.place:
            raise JudgmentsError(
                f"worker {quote_value(row.worker)} judged {row.attribute!r} of object "
                f"{quote_value(row.object)} twice, in {before} "
                f"and {row.place}. A plan counts on separate opinions: keep one of them, or, if these are different "
                "people, give them different names.",
                **located(row.place),
                value=row.worker,
            )


def _names(names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    array = np.empty(len(names), dtype=np.object_)
    array[:] = names
    return array
