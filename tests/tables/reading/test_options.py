from __future__ import annotations

import pytest

from manyjudges.exceptions import ManyJudgesError, PlanError
from manyjudges.tables.reading.options import ReadOptions
from tests.support.messages import ANYTHING, refused


def test_lists_may_be_written_in_several_ways():
    for missing in ("-99,-1", ["-99", "-1"], [-99, -1.0], ("-99", "-1", "-99")):
        assert ReadOptions.of(missing=missing).missing == ("-99", "-1")
    assert ReadOptions.of(missing=-99, valid=None, drop="Grade, final").drop == ("Grade, final",)


@pytest.mark.parametrize(
    "scales", ["never,often", ["never,often"], [["never", "often"]], ["never", "often"], (("never", "often"),)]
)
def test_scales_may_be_written_in_several_ways(scales):
    assert ReadOptions.of(scales=scales).scales == (("never", "often"),)


@pytest.mark.parametrize("scales", ["never", "never,,often", "never,never", [["never"]]])
def test_scales_that_are_none(scales):
    with refused(PlanError, value=ANYTHING, column="scales"):
        ReadOptions.of(scales=scales)


def test_columns_are_those_that_were_named():
    options = ReadOptions.of(object="Essay", worker=None, attribute="auto", value=5)
    assert options.columns == {"object": "Essay", "worker": None, "value": "5"}


@pytest.mark.parametrize(
    ("options", "column"),
    [({"repeated": "frist"}, "repeated"), ({"on_invalid": "drop"}, "on_invalid"), ({"object": ["a"]}, "object")],
)
def test_what_cannot_be_said_of_a_table(options, column):
    (value,) = options.values()
    with refused(PlanError, value=value, column=column):
        ReadOptions.of(**options)


def test_unknown_options_are_refused():
    with refused(ManyJudgesError, value="labels", column="labels"):
        ReadOptions.of(labels="Grade")


def test_a_code_is_no_answer_or_a_real_one():
    with refused(PlanError, value="-99", column="missing"):
        ReadOptions.of(missing=[-99, -1], valid=-99)
