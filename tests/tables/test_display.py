"""What a table of judgments says of itself."""

from __future__ import annotations

import pandas as pd
import pytest

from manyjudges import Judgments
from manyjudges.tables import display


@pytest.fixture
def table():
    frame = pd.DataFrame({"object": ["a", "a", "b"], "attribute": ["<x>", "<x>", "y"], "value": [1.0, 2.0, 3.0]})
    return Judgments.from_frame(frame)


def test_lines_count_what_there_is(table):
    lines = display.lines(table)
    assert lines[0].startswith("Judgments: 3 judgments of 2 attributes")
    assert lines[-1] == "attributes: <x>, y"
    assert repr(table) == "\n  ".join(lines)


def test_names_are_escaped_on_a_page(table):
    page = display.html(table)
    assert "&lt;x&gt;" in page
    assert "<x>" not in page
    assert table._repr_html_() == page
