"""Who arrives by the address of a marketplace, and where a finished assignment goes."""

from __future__ import annotations

import pytest

from manyjudges.connectors.mturk.arrivals import HOSTS, submit_address
from manyjudges.connectors.registry import NAMES, connector
from manyjudges.exceptions import StudyError

ADDRESSES = {
    "prolific": {"PROLIFIC_PID": "p1", "STUDY_ID": "s1", "SESSION_ID": "x1"},
    "mturk": {"assignmentId": "A1", "workerId": "W1", "hitId": "H1", "turkSubmitTo": HOSTS[1]},
}
MARKETPLACES = [name for name in NAMES if connector(name).arrival is not None]


def test_the_marketplaces():
    assert set(MARKETPLACES) == set(ADDRESSES)


@pytest.mark.parametrize("name", MARKETPLACES)
def test_each_knows_its_own_addresses_and_no_others(name):
    for source, parameters in ADDRESSES.items():
        arrival = connector(name).arrival(parameters)
        assert (arrival is not None) == (source == name)
        if arrival is not None:
            assert (arrival.source, arrival.parameters) == (name, parameters)
    assert connector(name).arrival({}) is None


@pytest.mark.parametrize("name", MARKETPLACES)
@pytest.mark.parametrize("value", ["a b", "x" * 65, "<script>", "é", "a\x00b", "../../etc", ""])
def test_what_is_no_name_is_refused(name, value):
    key = next(iter(ADDRESSES[name])) if name == "prolific" else "workerId"
    with pytest.raises(StudyError) as caught:
        connector(name).arrival(ADDRESSES[name] | {key: value})
    assert caught.value.column == key
    assert caught.value.value == (value or None)


def test_what_is_kept_of_each():
    prolific = connector("prolific").arrival(ADDRESSES["prolific"])
    assert (prolific.external, prolific.details) == ("p1", {"STUDY_ID": "s1", "SESSION_ID": "x1"})
    assert (prolific.frames, prolific.submit_to, prolific.assignment) == ((), "", "")
    turk = connector("mturk").arrival(ADDRESSES["mturk"])
    assert (turk.external, turk.details) == ("W1", {"assignmentId": "A1", "hitId": "H1"})
    assert (turk.frames, turk.assignment) == (HOSTS, "A1")
    assert turk.submit_to == "https://workersandbox.mturk.com/mturk/externalSubmit"


def test_a_preview_has_no_worker():
    turk = connector("mturk").arrival({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "workerId": "W1"})
    assert turk.external == ""


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example",
        "http://www.mturk.com",
        "https://www.mturk.com.evil.example",
        "https://www.mturk.com@evil.example",
        "https://www.mturk.com:99",
        "//www.mturk.com",
        "javascript:alert(1)",
        "https://[",
        "",
    ],
)
def test_an_assignment_is_handed_in_nowhere_but_at_amazon(address):
    assert submit_address(address) == ""
