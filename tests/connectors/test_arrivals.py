"""Who arrives by the address of a marketplace, and where a finished assignment goes."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from manyjudges.connectors.mturk.arrivals import HOSTS, submit_address
from manyjudges.connectors.registry import NAMES, connector
from manyjudges.exceptions import StudyError
from manyjudges.study.arrivals import MARKETPLACES

ADDRESSES = {
    "prolific": {"PROLIFIC_PID": "p1", "STUDY_ID": "s1", "SESSION_ID": "x1"},
    "mturk": {"assignmentId": "A1", "workerId": "W1", "hitId": "H1", "turkSubmitTo": HOSTS[1]},
}
FOUND = {name: connector(name).marketplace for name in NAMES if connector(name).marketplace is not None}


def arrival(name, parameters):
    return FOUND[name].find_arrival(parameters)


def test_every_marketplace_is_one_that_a_study_can_allow():
    assert set(FOUND) == set(MARKETPLACES) == set(ADDRESSES)
    for name, marketplace in FOUND.items():
        assert marketplace.name == name
        assert marketplace.title


def test_the_address_to_give_at_a_marketplace_is_one_that_it_is_known_by():
    for name, marketplace in FOUND.items():
        written = {parameter: "x1" for parameter, _ in parse_qsl(marketplace.query.removeprefix("?"))}
        came = arrival(name, written | dict.fromkeys(marketplace.adds, "x1"))
        assert (came.source, came.external) == (name, "x1")


@pytest.mark.parametrize("name", MARKETPLACES)
def test_each_knows_its_own_addresses_and_no_others(name):
    for source, parameters in ADDRESSES.items():
        found = arrival(name, parameters)
        assert (found is not None) == (source == name)
        if found is not None:
            assert (found.source, found.parameters) == (name, parameters)
    assert arrival(name, {}) is None


@pytest.mark.parametrize("name", MARKETPLACES)
@pytest.mark.parametrize("value", ["a b", "x" * 65, "<script>", "é", "a\x00b", "../../etc", ""])
def test_what_is_no_name_is_refused(name, value):
    key = next(iter(ADDRESSES[name])) if name == "prolific" else "workerId"
    with pytest.raises(StudyError) as caught:
        arrival(name, ADDRESSES[name] | {key: value})
    assert caught.value.column == key
    assert caught.value.value == (value or None)


def test_what_is_kept_of_each():
    prolific = arrival("prolific", ADDRESSES["prolific"])
    assert (prolific.external, prolific.details) == ("p1", {"STUDY_ID": "s1", "SESSION_ID": "x1"})
    assert (prolific.frames, prolific.submit_to, prolific.submit_fields) == ((), "", {})
    turk = arrival("mturk", ADDRESSES["mturk"])
    assert (turk.external, turk.details) == ("W1", {"assignmentId": "A1", "hitId": "H1"})
    assert (turk.frames, turk.submit_fields) == (HOSTS, {"assignmentId": "A1"})
    assert turk.submit_to == "https://workersandbox.mturk.com/mturk/externalSubmit"


def test_a_preview_has_no_worker():
    turk = arrival("mturk", {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "workerId": "W1"})
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
