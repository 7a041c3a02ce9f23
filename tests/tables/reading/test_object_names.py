from __future__ import annotations

import sys
from io import BytesIO, TextIOWrapper

import pandas as pd
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.files import write_table
from manyjudges.tables.reading.object_names import read_object_names
from manyjudges.tables.reading.options import ReadOptions
from tests.support.messages import refused

LISTS = {
    "heading.csv": ("photo\nann.png\nbob.png\n", ["ann.png", "bob.png"], "from the column 'photo'"),
    "any heading.csv": ("Foto (Datei)\nann.png\nbob.png\n", ["ann.png", "bob.png"], "from the column 'Foto (Datei)'"),
    "no heading.csv": ("photo 1\nphoto 2\nphoto 3\n", ["photo 1", "photo 2", "photo 3"], "without a heading"),
    "numbers.csv": ("id\n7\n8\n", [7, 8], "from the column 'id'"),
    "only numbers.csv": ("7\n8\n", [7, 8], "without a heading"),
    "lines.txt": ("Ann\nBob\n", ["Ann", "Bob"], "without a heading"),
    "lines with heading.txt": ("Name\nAnn\nBob\n", ["Ann", "Bob"], "from the column 'Name'"),
    "blank lines.csv": ("photo\n\nann.png\n\n", ["ann.png"], "from the column 'photo'"),
    "row numbers.csv": (",photo\n0,ann.png\n1,bob.png\n", ["ann.png", "bob.png"], "from the column 'photo'"),
    "more columns.csv": ("photo;url;width\na;http://x/1;3\nb;http://x/2;4\n", ["a", "b"], "from the column 'photo'"),
    "id beside a text.csv": ("id,text\n7,An essay\n8,Another one\n", [7, 8], "from the column 'id'"),
    "id and name.csv": ("Name;ID\na;1\nb;2\n", [1, 2], "from the column 'ID'"),
    "attributes of another plan.csv": ("object,height\na,3\nb,4\n", ["a", "b"], "from the column 'object'"),
}


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", LISTS)
def test_a_file_that_lists_objects_is_recognised(tmp_path, name):
    text, names, how = LISTS[name]
    found = read_object_names(written(tmp_path, name, text), attributes=["clarity"])
    assert found.names.tolist() == names
    assert (
        found.source == f"read from {name}: {len(names)} object{'s' * (len(names) != 1)} that nobody has judged, {how}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "object,attribute,value\na,clarity,3\n",
        "object,worker,value\na,ann,3\n",
        "Essay,Rater,clarity\na,ann,3\nb,ann,3\n",
        "essay,clarity,style\na,3,4\nb,4,5\n",
        "essay,clarity_1,clarity_2\na,3,4\nb,4,5\n",
        "a,b\n1,2\n",
        "id,clarity\n1,3\n2,4\n",
    ],
)
def test_a_table_of_judgments_is_no_list(tmp_path, text):
    assert read_object_names(written(tmp_path, "table.csv", text), attributes=["clarity"]) is None


def test_whoever_names_a_column_of_judgments_has_judgments(tmp_path):
    path = written(tmp_path, "table.csv", "photo\na\n")
    assert read_object_names(path, ReadOptions.of(value="photo")) is None
    assert read_object_names(path, ReadOptions.of(shape="long")) is None


def test_a_list_can_be_asked_for(tmp_path):
    path = written(tmp_path, "labels.csv", "object,value\na,3\nb,4\n")
    assert read_object_names(path) is None
    assert read_object_names(path, only_names=True).names.tolist() == ["a", "b"]
    named = ReadOptions.of(object="value")
    assert read_object_names(path, named, only_names=True).names.tolist() == [3, 4]
    lines = written(tmp_path, "lines.txt", "Smith, Ann\nDoe, Bob\n\n")
    assert read_object_names(lines, only_names=True).names.tolist() == ["Smith, Ann", "Doe, Bob"]


def test_which_column_names_the_objects_is_asked(tmp_path):
    path = written(tmp_path, "table.csv", "a,b\n1,2\n")
    with refused(JudgmentsError, column="object", file="table.csv"):
        read_object_names(path, only_names=True)
    with refused(JudgmentsError, value="c", column="object", file="table.csv"):
        read_object_names(path, ReadOptions.of(object="c"))


@pytest.mark.parametrize("text", ["photo\n", "photo\n\n \n"])
def test_a_list_without_names_is_refused(tmp_path, text):
    with refused(JudgmentsError, file="empty.csv"):
        read_object_names(written(tmp_path, "empty.csv", text))


@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".jsonl", ".tsv"])
def test_lists_are_read_from_every_format(tmp_path, ending):
    path = tmp_path / f"new{ending}"
    write_table(path, pd.DataFrame({"photo": ["a", "b", None]}))
    assert read_object_names(path).names.tolist() == ["a", "b"]


def test_standard_input_is_read_and_left_for_others(monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"object,attribute,value\na,clarity,3\n")))
    options = ReadOptions.of(format="csv")
    assert read_object_names("-", options) is None
    assert read_object_names("-", options, only_names=True).names.tolist() == ["a"]
