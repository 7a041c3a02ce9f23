from __future__ import annotations

import pytest

from manyjudges.app.uploads import safe_name


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("ratings.csv", "ratings.csv"),
        ("../../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\Umfrage März.xlsx", "Umfrage März.xlsx"),
        ("a*b?[c].csv", "a_b__c_.csv"),
        ("..", "table"),
        ("-", "table"),
        ("", "table"),
        (".csv", "csv"),
        ("x" * 500 + ".parquet", "x" * 120 + ".parquet"),
        ("a\nb\0.csv", "a_b_.csv"),
    ],
)
def test_a_name_cannot_lead_out_of_the_folder(name, kept):
    assert safe_name(name) == kept


def test_two_files_of_one_name_are_both_kept(visitor):
    visitor.post("/table", files=[("file", ("a.csv", b"x,y\n1,2\n")), ("file", ("a.csv", b"x,y\n3,4\n"))])
    assert [path.name for path in visitor.session.files] == ["a.csv", "2-a.csv"]
    assert [path.read_text() for path in visitor.session.files] == ["x,y\n1,2\n", "x,y\n3,4\n"]


def test_a_form_without_a_file_changes_nothing(visitor):
    page = visitor.post("/table", files=[("file", ("", b""))])
    assert "Choose a table" in page.text
    assert visitor.session.files == ()
