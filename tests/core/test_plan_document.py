"""Fields of a plan's document that are read by rules of their own."""

from __future__ import annotations

import pytest

from manyjudges.core.plan_document import answers_in, check_names, currency_in
from manyjudges.exceptions import DocumentError
from tests.support.messages import refused


@pytest.mark.parametrize("old", ["most", "ridge"])
def test_old_names_are_refused(old):
    check_names({"max_repeats": [], "plan_ridge": 0.0})
    with refused(DocumentError, value=old):
        check_names({old: 1})


def test_answers_are_of_attributes_of_the_plan():
    assert answers_in({}, ("a",)) is None
    assert answers_in({"answers": {"a": 1}}, ("a", "b")) == {"a": 1}
    with refused(DocumentError, value="z", column="answers"):
        answers_in({"answers": {"z": 1}}, ("a",))


def test_plans_without_a_currency_are_in_units():
    assert currency_in({}) == ""
    assert currency_in({"currency": "EUR"}) == currency_in({"currency": "EUR"})
    with refused(DocumentError, column="currency"):
        currency_in({"currency": 3})
