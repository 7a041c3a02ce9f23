from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Moments, select
from manyjudges.base.money import read_amount
from manyjudges.learn.costs.bill import bill_of
from manyjudges.summary.bills import bill_columns

MOMENTS = Moments.from_values([1.0, 0.5], [1.0, 0.8], np.diag([2.0, 1.0]), 3.0, attributes=["tall", "old"])
LACKING = {"judgments": 3, "cost": 0.4, "objects": 2, "attributes": {"tall": 2, "old": 1}}


def test_a_bill_has_a_row_for_each_question_and_one_for_all():
    bill = bill_of(select(MOMENTS, 0.5, costs=[0.1, 0.2]), LACKING, currency="EUR", new=1000)
    columns = bill_columns(bill)
    assert list(columns) == ["question", "judgments", "price", "an object", "still missing", "1,000 new"]
    assert columns["question"] == [*bill.attributes, "in all"]
    for heading in ("an object", "still missing", "1,000 new"):
        amounts = [read_amount(cell).value for cell in columns[heading]]
        assert sum(amounts[:-1]) == pytest.approx(amounts[-1])


def test_columns_without_anything_in_them_are_left_out():
    bill = bill_of(select(MOMENTS, 3), {"judgments": 0, "cost": 0.0, "objects": 0})
    assert bill_columns(bill) == {
        "question": ["tall", "old", "in all"],
        "judgments": ["2", "1", "3"],
        "price": ["1", "1", ""],
        "an object": ["2", "1", "3"],
    }


def test_a_bill_of_nothing_has_no_questions():
    bill = bill_of(select(MOMENTS, 0), {"judgments": 0, "cost": 0.0, "objects": 0})
    assert bill_columns(bill)["question"] == ["in all"]
    assert bill.headline == "The plan buys no judgments, so it costs nothing."
