"""Names in the address by which a marketplace sends people."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from manyjudges.exceptions import StudyError
from manyjudges.study.arrivals import Arrival, read_names
from tests.support.messages import refused


def test_names_are_read_and_nothing_else():
    parameters = {"PID": "5f_00-aB", "STUDY_ID": "s1", "tab": "1", "SESSION_ID": ""}
    assert read_names(parameters, "PID", ["STUDY_ID", "SESSION_ID"]) == {"PID": "5f_00-aB", "STUDY_ID": "s1"}
    assert read_names(parameters, "PID") == {"PID": "5f_00-aB"}


@pytest.mark.parametrize("parameters", [{}, {"PID": ""}, {"PID": None}, {"pid": "a"}, {"STUDY_ID": "s1"}])
def test_the_name_of_the_worker_must_be_there(parameters):
    with refused(StudyError, column="PID") as caught:
        read_names(parameters, "PID", ["STUDY_ID"])
    assert caught.value.column == "PID"


@pytest.mark.parametrize(
    "value", ["a b", "x" * 65, "<script>", "é", "a\x00b", "../../etc", "a\n", " a", "a%20b", ["a", "b"]]
)
@pytest.mark.parametrize("column", ["PID", "STUDY_ID"])
def test_what_no_marketplace_would_call_anybody_is_refused_wherever_it_stands(value, column):
    with refused(StudyError, column=column) as caught:
        read_names({"PID": "p1", "STUDY_ID": "s1", column: value}, "PID", ["STUDY_ID"])
    assert (caught.value.column, caught.value.value) == (column, str(value))


def test_the_longest_name_that_there_may_be():
    assert read_names({"PID": "x" * 64}, "PID") == {"PID": "x" * 64}


def test_a_number_is_a_name_too():
    assert read_names({"PID": 17}, "PID") == {"PID": "17"}


def test_somebody_who_arrives_has_nothing_but_a_name_unless_the_address_says_more():
    one, other = (Arrival("prolific", name) for name in ("p1", "p2"))
    assert (one.details, one.parameters, one.submit_to, one.submit_fields, one.frames) == ({}, {}, "", {}, ())
    one.details["STUDY_ID"] = "s1"
    assert other.details == {}, "nobody shares them with anybody else"
    with pytest.raises(FrozenInstanceError):
        one.external = "p3"
