"""Why a call got no answer, and how long the service asks to wait."""

from __future__ import annotations

import email.utils

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.exceptions import CallError, ManyJudgesError
from manyjudges.llm.errors import CallFailure, wait_of


@pytest.mark.parametrize("text", ["", "soon", "nan", "inf", "-inf", "Mon, 99 Foo 2020", "1e999"])
def test_a_wait_that_makes_no_sense_is_none(text):
    assert wait_of({"retry-after": text, "retry-after-ms": text}, 0.0) is None


@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_milliseconds_are_finer_than_seconds_and_count(milliseconds, seconds):
    headers = {"retry-after": repr(seconds), "retry-after-ms": repr(milliseconds)}
    assert wait_of(headers, 0.0) == milliseconds / 1000
    assert wait_of({"retry-after": repr(seconds)}, 0.0) == seconds


def test_nobody_waits_less_than_no_time():
    assert wait_of({"retry-after": "-5"}, 0.0) == 0.0
    assert wait_of({"retry-after": email.utils.formatdate(0, usegmt=True)}, 1e9) == 0.0


def test_a_call_that_failed_is_an_error_of_ours():
    assert issubclass(CallError, ManyJudgesError)
    assert (CallFailure("passing", "busy").wait, CallFailure("passing", "busy").advice) == (None, "")
