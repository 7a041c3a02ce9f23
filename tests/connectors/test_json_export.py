"""JSON that other tools export, and its parts."""

from __future__ import annotations

import pytest

from manyjudges.connectors.json_export import part, read_tree
from manyjudges.connectors.place import RecordPlace
from manyjudges.exceptions import DocumentError
from tests.support.messages import refused

TREE = {"list": [1], "object": {}, "text": "a", "whole": 3, "true": True, "null": None, "real": 0.5}
HERE = RecordPlace("a.json, task 7", file="a.json", row=7)


def test_a_tree_is_what_the_file_holds(tmp_path):
    (tmp_path / "a.json").write_text('\ufeff{"a": [1, "ä"]}', encoding="utf-8")
    assert read_tree(tmp_path / "a.json") == read_tree(str(tmp_path / "a.json")) == {"a": [1, "ä"]}


@pytest.mark.parametrize(("text", "row"), [("", 1), ("{\n,", 2), ("[" * 100_000, None)], ids=["empty", "cut", "deep"])
def test_what_is_no_json_is_named_with_its_line(tmp_path, text, row):
    (tmp_path / "a.json").write_text(text)
    with refused(DocumentError, file="a.json", row=row):
        read_tree(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("name", "kind"), [("list", list), ("object", dict), ("text", str), ("whole", int), ("true", bool)]
)
def test_parts_are_of_their_kind(name, kind):
    assert part(TREE, name, kind, HERE) is TREE[name]


@pytest.mark.parametrize(
    ("tree", "name", "kind"),
    [
        (TREE, "list", dict),
        (TREE, "true", int),
        (TREE, "null", str),
        (TREE, "other", list),
        ([], "list", list),
        (TREE, "real", int),
    ],
    ids=["list", "boolean", "null", "missing", "no object", "real"],
)
def test_a_part_of_another_kind_is_named_with_its_place(tree, name, kind):
    value = tree.get(name) if isinstance(tree, dict) else None
    with refused(DocumentError, value=value, row=7, file="a.json"):
        part(tree, name, kind, HERE)
