"""What messages say to do is said in words of the page, which has no options."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from manyjudges.app.remedies import in_page_words
from tests.support.messages import FOLDER

OPTION = re.compile(r"--[a-z]|\b[a-z_]+= ?[\)(]")
FILES = sorted((FOLDER / "tables").rglob("*.json")) + sorted((FOLDER / "learn").rglob("*.json"))
NOT_OF_THE_PAGE = re.compile(
    "how to read judgments from a path|kind='single'|predictor_ridge=|checks must be|label-object"
)
"""What is wrong with arguments that only Python or a command has."""


def sentences(recorded: Any) -> Iterator[str]:
    """All sentences in a file of recorded messages."""
    if isinstance(recorded, str):
        yield recorded
    else:
        for each in recorded.values() if isinstance(recorded, dict) else recorded:
            yield from sentences(each)


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_no_recorded_message_names_an_option(file):
    for message in sentences(json.loads(file.read_text(encoding="utf-8"))):
        words = in_page_words(message)
        if not NOT_OF_THE_PAGE.search(message):
            assert not OPTION.search(words), words
        assert words


COLUMNS = "What each shape lacks: long, no column for the value. The columns are 'a'. Say which column names the object"
GRID = "A row for each object, several columns for each question"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            f"a.csv: which column is what? {COLUMNS} with --object COLUMN (object=).",
            "a.csv: it is not clear which column is what. Choose the column that says what is judged. If each row is "
            "one judgment, choose the columns of the question and of the answer, too.",
        ),
        (
            "ratings.csv: 'Essay', 'Photo' could each be the object; say which with --object COLUMN (object=).",
            "ratings.csv: 'Essay', 'Photo' could each be the object; choose it in “What is judged”.",
        ),
        (
            "'Time (in s)' looks like a time. Leave it out with --drop 'Time (in s)' (drop=['Time (in s)']). Keep the "
            "others, and name what you really know of new objects in noiseless (--noiseless).",
            "'Time (in s)' looks like a time. Leave it out. Keep the others.",
        ),
        (
            "If they do, say --shape wide-by-judgment (shape='wide-by-judgment'); otherwise not.",
            f"If they do, choose “{GRID}” in “How the table is laid out”; otherwise not.",
        ),
        (
            "Find more judges, or limit the judgments of an attribute with --max-repeats (max_repeats=).",
            "Find more judges, or limit the judgments of a question in step 4.",
        ),
        (
            "labels like 'x'. Write each name in one way, or say which column of the labels has the names (--column "
            "label-object=NAME).",
            "Labels like 'x'. Write each name in one way.",
        ),
        ("the value (row 3, not counting) is missing.", "The value (row 3, not counting) is missing."),
    ],
)
def test_what_to_do_is_said_in_words_of_the_page(message, words):
    assert in_page_words(message) == words
