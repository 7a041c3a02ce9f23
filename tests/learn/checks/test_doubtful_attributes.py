from __future__ import annotations

import numpy as np
import pytest

from manyjudges.learn.checks.check import CheckedData, Failed, Passed
from manyjudges.learn.checks.doubtful_attributes import CHECK
from manyjudges.learn.checks.registry import raise_stops
from tests.support.checks import JARS, training_with

NEAR = JARS.labels + np.random.default_rng(0).normal(size=len(JARS.labels)) * JARS.labels.std() * 0.15


def said(**facts):
    return CHECK.run(CheckedData.of(training_with(**facts)))


def test_a_fact_that_is_nearly_the_label_is_a_warning_and_no_stop():
    outcome = said(near=NEAR)
    assert isinstance(outcome, Failed)
    assert outcome.values["attributes"] == ("near",)
    assert 0.95 <= outcome.values["correlations"]["near"] < 0.995
    raise_stops(training_with(near=NEAR))


def test_a_leak_is_not_said_twice():
    assert isinstance(said(Grade=JARS.labels), Passed)


@pytest.mark.parametrize(
    "name",
    [
        "Duration (in seconds)",
        "duration",
        "Response Time",
        "reaction_time",
        "Q1_Page Submit",
        "TIME_SUM",
        "time taken",
        "interviewtime",
        "Bearbeitungsdauer",
        "seconds",
        "How long did it take (s)",
        "How long did you take?",
        "how_long_did_it_take",
        "how long have you spent on this?",
        "How long did it take you to answer? [ms]",
        "how_long_did_you_take_s",
    ],
)
def test_times_that_tools_record_are_named(name):
    outcome = said(**{name: np.abs(NEAR - JARS.labels)})
    assert isinstance(outcome, Failed)
    assert outcome.values["attributes"] == (name,)


@pytest.mark.parametrize(
    "name",
    [
        "timeless",
        "time pressure",
        "second impression",
        "overtime",
        "response quality",
        "how long is the tail",
        "How long does it take to bake?",
        "How long did it take to build?",
    ],
)
def test_other_names_are_fine(name):
    assert isinstance(said(**{name: np.abs(NEAR - JARS.labels)}), Passed)


def test_what_was_named_noiseless_is_never_doubted():
    data = training_with(noiseless=["duration", "near"], duration=NEAR - JARS.labels, near=NEAR)
    assert isinstance(CHECK.run(CheckedData.of(data)), Passed)


def test_both_are_said_in_one_message():
    outcome = said(near=NEAR, duration=NEAR - JARS.labels)
    assert outcome.values["attributes"] == ("near", "duration")
    assert "'near'" in outcome.finding
    assert "'duration'" in outcome.finding
