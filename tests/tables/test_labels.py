"""Labels by object: how they are matched with judgments, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges.exceptions import LabelsError
from manyjudges.tables.labels import check_matched, match
from tests.support.messages import refused


@pytest.fixture
def names():
    return np.array(["a", "b", "c"], dtype=object)


def test_labels_are_matched_by_name_in_the_order_of_the_objects(names):
    at, y = match(pd.Series([3.0, 1.0, 2.0], index=["c", "a", "b"]), names, unmatched="error")
    assert at.tolist() == [0, 1, 2]
    assert y.tolist() == [1.0, 2.0, 3.0]


def test_objects_without_label_are_refused_or_dropped(names):
    labels = {"a": 1.0, "c": 3.0}
    with refused(LabelsError, row="b", column="object"):
        match(labels, names, unmatched="error")
    at, y = match(labels, names, unmatched="drop")
    assert (at.tolist(), y.tolist()) == ([0, 2], [1.0, 3.0])


def test_arrays_are_in_the_order_of_the_objects(names):
    assert match(np.array([1.0, 2.0, 4.0]), names, unmatched="error")[1].tolist() == [1.0, 2.0, 4.0]
    with refused(LabelsError, value=(2,), column="labels"):
        match(np.array([1.0, 2.0]), names, unmatched="error")


def test_one_object_has_one_label(names):
    with refused(LabelsError, row="a", value=4.0, column="labels"):
        match(pd.Series([1.0, 2.0, 3.0, 4.0], index=["a", "b", "c", "a"]), names, unmatched="error")


def test_names_that_differ_in_case_or_spaces_alone_are_said_to():
    with refused(LabelsError, row="E01"):
        check_matched(np.array(["E01", "E02"]), pd.Index(["e01 ", "e02"]), 2)
