"""The page step by step, without a script."""

from __future__ import annotations

import re

import pytest

from manyjudges.app.words import COLUMN_WORDS, SHAPE_WORDS
from manyjudges.tables.shapes.registry import SHAPES
from manyjudges.tables.shapes.sample import COLUMN_ROLES
from tests.support.folders import ROOT

FRONT = ROOT / "tests" / "fixtures" / "front"


def shown(page, role):
    """The column that the field of a role shows."""
    field = re.search(rf'<select id="role-{role}".*?</select>', page.text, re.DOTALL)[0]
    return re.search(r'<option value="([^"]*)" selected', field)[1]


def test_every_role_and_shape_has_words():
    assert set(COLUMN_WORDS) == set(COLUMN_ROLES)
    assert set(SHAPE_WORDS) == set(SHAPES)


def test_a_file_is_recognised_and_corrected(visitor):
    page = visitor.take(FRONT / "survey.csv")
    assert "survey.csv" in page.text
    assert (shown(page, "object"), shown(page, "worker"), shown(page, "label")) == ("Essay", "Rater", "auto")
    page = visitor.post("/columns", object="Essay", worker="Rater", label="Grade", shape="auto")
    assert shown(page, "label") == "Grade"
    page = visitor.post("/columns", object="Rater", worker="Rater", label="Grade", shape="auto")
    assert visitor.session.choices.columns == {"object": "Rater", "label": "Grade"}
    page = visitor.post("/clear")
    assert "Choose a table" in page.text
    assert list(visitor.session.folder.glob("*/")) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("empty.csv", "empty.csv"),
        ("only-headings.csv", "only-headings.csv"),
        ("report.xls", "report.xls"),
        ("archive.csv", "archive.csv"),
    ],
)
def test_a_bad_file_is_said_in_a_sentence(visitor, name, words):
    page = visitor.take(FRONT / name)
    alert = re.search(r'role="alert"><p>(.*?)</p>', page.text)
    assert alert, name
    assert words in alert[1]
    assert "Traceback" not in page.text
    assert "Use another table" in page.text


def test_addresses_that_are_none(visitor):
    assert visitor.client.get("/nothing").status_code == 404
    assert visitor.client.get("/assets/nothing.js").status_code == 404
    assert visitor.post("/nothing").status_code == 404
    assert visitor.client.get("/table").status_code == 405


def test_names_in_a_file_are_text_and_no_page(visitor, tmp_path):
    path = tmp_path / "<b>odd<b>.csv"
    path.write_text('object,worker,"<script>alert(1)</script>"\n"<img src=x>",ann,1\n"<i>",bob,2\n')
    page = visitor.take(path)
    assert not re.search(r"<script>|<img|<i>|<b>", page.text)
