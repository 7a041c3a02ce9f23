"""How the objects, attributes and judgments of a campaign are named, brought together and written down."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments
from manyjudges.campaign.names import Naming
from manyjudges.exceptions import DocumentError, JudgmentsError
from tests.support.messages import refused

NAMES = st.one_of(
    st.text(min_size=1, max_size=5).filter(
        lambda name: name.strip() and not any("\ud800" <= c <= "\udfff" for c in name)
    ),
    st.integers(-(1 << 70), 1 << 70),
    st.floats(allow_nan=False, allow_infinity=False),
)


@pytest.fixture
def naming():
    return Naming.of(["z", "c", "y"], ["b", "a"])


def rows(*given, columns=("object", "attribute", "worker", "value")):
    return pd.DataFrame(list(given), columns=list(columns))


SOME = rows(("y", "a", "ann", 1.0), ("z", "b", "bob", 2.0), ("z", "b", "ann", 3.0))


def as_json(document):
    return json.loads(json.dumps(document))


def test_judgments_are_placed_in_the_order_of_the_campaign(naming):
    placed = naming.place(SOME)
    assert (placed.objects.tolist(), placed.attributes) == (["z", "c", "y"], ("b", "a"))
    assert placed.counts().to_numpy().tolist() == [[2, 0], [0, 0], [0, 1]]
    assert naming.shape == placed.shape == (3, 2)
    by = {(row.object, row.attribute, row.worker): row.value for row in placed.to_frame().itertuples()}
    assert by == {("y", "a", "ann"): 1.0, ("z", "b", "bob"): 2.0, ("z", "b", "ann"): 3.0}


@pytest.mark.parametrize("nothing", [pd.DataFrame(), SOME.iloc[:0], pa.Table.from_pandas(SOME[:0])], ids=type)
def test_a_table_of_no_rows_is_none(naming, nothing):
    assert naming.place(nothing) is None


@pytest.mark.parametrize(
    ("row", "value", "at", "column"),
    [
        (("x", "a", "ann", 1.0), "x", None, "object"),
        (("z", "A", "ann", 1.0), "A", None, "attribute"),
        (("z", "a", "ann", float("nan")), None, 4, "value"),
        (("z", "b", "ann", 4.0), "ann", 4, "worker"),
    ],
)
def test_rows_that_cannot_be_placed(naming, row, value, at, column):
    with refused(JudgmentsError, value=value, row=at, column=column):
        naming.place(pd.concat([SOME, rows(row)], ignore_index=True))


@given(objects=st.lists(NAMES, min_size=1, max_size=5, unique=True), data=st.data())
def test_whatever_objects_and_workers_are_called_json_gives_them_back(objects, data):
    naming = Naming.of(objects, ["a", "b"])
    workers = data.draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    pairs = [(o, a, w) for o in objects for a in ("a", "b") for w in workers]
    chosen = data.draw(st.lists(st.sampled_from(range(len(pairs))), min_size=1, unique=True))
    columns = zip(*(pairs[i] for i in chosen), strict=True)
    table = {
        name: pd.Series(column, dtype=object)
        for name, column in zip(("object", "attribute", "worker"), columns, strict=True)
    }
    placed = naming.place(pd.DataFrame(table).assign(value=[float(i) for i in chosen]))
    again = Naming.of(as_json(naming.objects.tolist()), as_json(list(naming.attributes)))
    assert [(type(name), name) for name in again.objects.tolist()] == [
        (type(name), name) for name in naming.objects.tolist()
    ]
    back = again.from_document(as_json(naming.to_document(placed)))
    assert back.to_frame().equals(placed.to_frame())
    assert back.workers.dtype == placed.workers.dtype


def test_judgments_without_workers_come_back_without_them(naming):
    placed = naming.place(SOME.drop(columns="worker"))
    document = as_json(naming.to_document(placed))
    assert set(document) == {"counts", "values"}
    assert naming.from_document(document).to_frame().equals(placed.to_frame())


def test_a_document_can_be_read_by_a_person(naming):
    document = naming.to_document(naming.place(SOME))
    assert document["counts"] == {"b": [2, 0, 0], "a": [0, 0, 1]}
    assert document["workers"] == ["ann", "bob"]
    assert dict(zip(document["values"], document["by"], strict=True)) == {1.0: 0, 2.0: 1, 3.0: 0}


def test_counts_of_all_pairs_and_back(naming):
    counts = np.array([[2, 0], [0, 0], [1, 0]])
    assert naming.columns(counts) == {"b": [2, 0, 1]}, "an attribute of which there is nothing is left out"
    assert naming.from_columns(naming.columns(counts), "pending").tolist() == counts.tolist()
    assert naming.from_columns({}, "pending").sum() == 0


@pytest.mark.parametrize(
    ("columns", "value"),
    [
        ({"c": [1, 1, 1]}, "c"),
        ({"a": [1, 1]}, [1, 1]),
        ({"a": [1, 1, -1]}, [1, 1, -1]),
        ({"a": [1, 1, 1.0]}, [1, 1, 1.0]),
        ({"a": [1, 1, True]}, [1, 1, True]),
        ({"a": [1, 1, 1 << 63]}, [1, 1, 9223372036854775808]),
        ({"a": "111"}, "111"),
        ({"a": None}, None),
    ],
)
def test_columns_that_are_no_counts(naming, columns, value):
    with refused(DocumentError, column="pending", value=value):
        naming.from_columns(columns, "pending")


@pytest.mark.parametrize(
    "change",
    [
        {"counts": None},
        {"counts": {"b": [9, 0, 0]}},
        {"values": [1.0, 2.0]},
        {"values": [1.0, 2.0, "3"]},
        {"values": [1.0, 2.0, True]},
        {"values": [1.0, 2.0, 10**400]},
        {"by": None},
        {"by": [0, 1]},
        {"by": [0, 0, 2]},
        {"by": [0, 0, 0]},
        {"workers": "ab"},
    ],
    ids=str,
)
def test_documents_that_are_no_judgments(naming, change):
    document = naming.to_document(naming.place(SOME))
    naming.from_document(document)
    with pytest.raises(DocumentError):
        naming.from_document(document | change)


@pytest.mark.parametrize("names", [3, "abc", b"abc", None])
def test_names_that_are_no_list(names):
    with refused(JudgmentsError, column="objects", value=names):
        Naming.of(names, ["a"])


@pytest.mark.parametrize(
    "name", ["", " \t", "\ud800", float("nan"), float("inf"), None, (1, 2), pd.Timestamp(0)], ids=ascii
)
def test_names_that_json_does_not_give_back(name):
    with refused(JudgmentsError, column="objects", value=name):
        Naming.of(["fine", name], ["a"])


@pytest.mark.parametrize(
    ("objects", "value"), [(["a", "a"], "a"), ([1, 1.0], 1.0), ([1, True], True), ([0, False], False)], ids=str
)
def test_names_that_are_equal_are_the_same(objects, value):
    with refused(JudgmentsError, column="objects", value=value):
        Naming.of(objects, ["a"])


def test_numbers_of_numpy_are_plain_numbers():
    naming = Naming.of(np.array([3, 4], dtype=np.uint8), pd.Index(["u", "v"]))
    assert [type(name) for name in naming.objects.tolist()] == [int, int]
    assert naming.attributes == ("u", "v")
    placed = naming.place(Judgments.from_frame(rows((3, "u", 7, 1.0), (4, "v", 8, 2.0))))
    assert placed.counts().to_numpy().tolist() == [[1, 0], [0, 1]]
