"""Words: what roles and shapes are called on the page, for people who have never heard of either, and errors."""

from __future__ import annotations

from typing import Any, NamedTuple

from manyjudges.exceptions import ManyJudgesError


class Role(NamedTuple):
    """What a column can be.

    Attributes
    ----------
    name : str
        In a word, above a column.
    question : str
        Which column it is, as the page asks.
    nobody : str
        What it means that no column has it; empty where one must.
    long : bool
        Whether only tables with a row for each judgment have it.
    """

    name: str
    question: str
    nobody: str = ""
    long: bool = False


COLUMN_WORDS = {
    "object": Role("object", "What is judged"),
    "worker": Role("judge", "Who judged", "not in the table"),
    "attribute": Role("question", "The question", long=True),
    "value": Role("answer", "The answer", long=True),
    "label": Role("label", "The number to predict", "not in this table"),
    "time": Role("time", "When it was answered", "not in the table"),
}
"""The roles, in the order in which the page asks for them."""

SHAPE_WORDS = {
    "long": "A row for each judgment",
    "wide-by-rater": "A row for each judge and object, a column for each question",
    "wide-by-judgment": "A row for each object, several columns for each question",
    "sheets": "A sheet or file for each judge",
    "qualtrics": "Qualtrics",
    "sosci": "SoSci Survey",
    "google-forms": "Google Forms",
    "limesurvey": "LimeSurvey",
    "redcap": "REDCap",
}
"""The shapes of tables, by their names in ``tables.shapes``."""


SHAPE_QUESTION = "How the table is laid out"
"""The field of the shape."""

IN_HEADINGS = "named in the headings"
"""Where the objects are, or the judges, if no column has them."""

SURVEY_TOOLS = ("qualtrics", "sosci", "google-forms", "limesurvey", "redcap")
"""Shapes in which the headings may name the objects."""


def unset_words(role: str, shape: str, judges: int) -> str:
    """What the field of a role shows where no column has it.

    >>> unset_words("object", "", 0), unset_words("label", "long", 3)
    ('choose a column', 'not in this table')
    >>> unset_words("worker", "sheets", 3)
    'a sheet or file for each'
    """
    if role == "object" and shape:
        return IN_HEADINGS
    if role == "worker" and judges and shape in _JUDGES:
        return _JUDGES[shape]
    return COLUMN_WORDS[role].nobody or "choose a column"


_JUDGES = {"sheets": "a sheet or file for each", "wide-by-judgment": IN_HEADINGS}


def role_name(role: str) -> str:
    """The word above a column.

    >>> role_name("worker"), role_name("question"), role_name("left out")
    ('judge', 'question', 'left out')
    """
    return COLUMN_WORDS[role].name if role in COLUMN_WORDS else role


def error_document(error: ManyJudgesError) -> dict[str, Any]:
    """An error as plain data: its message and its fields."""
    fields = {name: None if value is None else str(value) for name, value in error.fields.items()}
    return {"message": error.message, "kind": type(error).__name__, **fields}
