from __future__ import annotations

import pytest

from manyjudges import simulate
from manyjudges.learn.checks.check import CheckedData, Failed, HeldOutError, NotApplicable, Passed
from manyjudges.learn.checks.no_help import CHECK


def outcome(held_out):
    return CHECK.run(CheckedData.of(simulate.gaussian(10, 2, random_state=0).truth, held_out=held_out))


@pytest.mark.parametrize(
    ("loss", "error", "kind", "words"),
    [
        (5.0, 1.0, Passed, ""),
        (9.0, 0.4, Passed, ""),
        (9.0, 0.5, Failed, "may be no better"),
        (10.0, 0.1, Failed, "are no better"),
        (9.0, float("nan"), Passed, ""),
        (11.0, float("nan"), Failed, "are no better"),
    ],
)
def test_two_standard_errors_below_guessing_help(loss, error, kind, words):
    result = outcome(HeldOutError(loss, error, 10.0, 3))
    assert type(result) is kind
    assert kind is Passed or words in result.finding


def test_without_an_error_or_a_plan_there_is_nothing_to_compare():
    assert isinstance(outcome(None), NotApplicable)
    assert isinstance(outcome(HeldOutError(10.0, 1.0, 10.0, 0)), NotApplicable)
