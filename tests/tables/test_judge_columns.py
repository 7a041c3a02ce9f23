from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments
from manyjudges.exceptions import JudgmentsError
from manyjudges.judges import by_judge
from manyjudges.tables.judge_columns import AT, split
from tests.support.messages import refused

CALLS = {
    "object": ["e1", "e1", "e1", "e2"],
    "attribute": ["tone", "tone", "tone", "tone"],
    "worker": ["small", "small", "large", "small"],
    "value": [3, 4, 2, 5],
}


def calls(**changes):
    return pd.DataFrame(CALLS | changes)


def test_each_judge_has_a_column_whose_repeats_are_its_calls():
    found = by_judge(calls())
    assert found.attributes == ("tone @ large", "tone @ small")
    assert len(found.workers) == 0
    assert found.counts().to_numpy().tolist() == [[1, 2], [0, 1]]
    assert found.means().loc["e1", "tone @ small"] == 3.5


def test_columns_may_have_other_names_and_answers_may_be_words():
    frame = calls(value=["yes", "no", "yes", "no"])
    frame.columns = ["essay", "criterion", "model", "answer"]
    found = by_judge(frame, object="essay", attribute="criterion", worker="model", value="answer")
    assert found.means().loc["e1"].tolist() == [1, 0.5]
    with refused(JudgmentsError, value="object", column="object"):
        by_judge(frame)


def test_judgments_with_workers_are_taken_apart_too(frame):
    judgments = Judgments.from_frame(frame)
    found = by_judge(judgments)
    assert found.attributes == ("beans @ ann", "beans @ bob", "round @ ann", "round @ bob")
    assert len(found) == len(judgments)
    with refused(JudgmentsError, column="worker"):
        by_judge(Judgments.from_frame(frame, worker=None))


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3, st.integers(-5, 5)), min_size=1))
def test_no_judgment_is_lost_or_moved(rows):
    table = pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"])
    found = by_judge(table).to_frame()
    found[["attribute", "worker"]] = [split(column) for column in found["attribute"]]
    sort = ["object", "attribute", "worker", "value"]
    left, right = (sorted(each[sort].to_numpy().tolist()) for each in (found, table))
    assert left == right


@pytest.mark.parametrize(
    ("changes", "value", "row", "column"),
    [
        ({"worker": ["small", None, "large", "small"]}, None, 2, "judge"),
        ({"worker": ["small", "small", " ", "small"]}, None, 3, "judge"),
        ({"attribute": ["tone", "tone", "tone", np.nan]}, None, 4, "attribute"),
        ({"worker": ["a @ b", "x", "x", "x"]}, "a @ b", 1, "judge"),
        ({"attribute": ["t", "t @ s", "t", "t"]}, "t @ s", 2, "attribute"),
        ({"worker": [1, "1", 2, 2]}, "1", 2, "judge"),
        ({"value": [1, "x", 2, 3]}, "x", 2, "value"),
        ({"object": [None, "a", "b", "c"]}, None, 1, "object"),
        ({"worker": [["a"], ["a"], ["b"], ["b"]]}, ["a"], 1, "judge"),
    ],
)
def test_what_cannot_be_taken_apart_is_refused_by_its_row(changes, value, row, column):
    with refused(JudgmentsError, value=value, row=row, column=column):
        by_judge(calls(**changes))


def test_nothing_cannot_be_taken_apart():
    with refused(JudgmentsError):
        by_judge(calls().iloc[:0])
    with refused(JudgmentsError, value=7):
        by_judge(7)


def test_the_last_mark_counts():
    assert split(f"at home{AT}9 am{AT}small") == (f"at home{AT}9 am", "small")
