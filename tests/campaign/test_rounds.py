"""What a planner proposes, what became of each round, and where a campaign stands."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from manyjudges import Moments, Plan, select
from manyjudges.campaign.rounds import Proposal, Round, Status
from manyjudges.exceptions import DocumentError, PlanError
from tests.support.messages import refused


@pytest.fixture(scope="module")
def plan():
    moments = Moments.from_values([1.0, 0.5], [1.0, 1.0], np.eye(2), 3.0, attributes=["a", "b"])
    return select(moments, 3, costs={"b": 0.5})


@pytest.fixture
def entry(plan):
    return Round(
        number=2, asked=12, new=11, bought=30, spent=27.5, plan=plan, loss=0.25, std_error=0.01, note="by hand"
    )


def test_what_a_proposal_refuses(plan):
    for wrong in (float("nan"), "0.1", True):
        with refused(PlanError, value=wrong, column="loss"):
            Proposal(plan, loss=wrong)
    with refused(PlanError, column="note"):
        Proposal(plan, note=None)
    with refused(PlanError, value=3, column="details"):
        Proposal(plan, details=3)


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, [1.0], 1j, np.float32("nan")], ids=str)
@pytest.mark.parametrize("name", ["loss", "std_error"])
def test_an_error_that_is_no_number_is_named(plan, name, wrong):
    with refused(PlanError, value=wrong, column=name):
        Proposal(plan, **{name: wrong})


@pytest.mark.parametrize("loss", [1, np.float32(1), np.int8(1), -0.5])
def test_errors_are_plain_numbers_that_json_can_say(plan, loss):
    proposal = Proposal(plan, loss=loss, std_error=loss)
    assert type(proposal.loss) is type(proposal.std_error) is float
    assert json.loads(json.dumps(proposal.loss)) == loss


def test_a_round_comes_back_from_its_document(entry):
    document = json.loads(json.dumps(entry.to_document()))
    assert Round.from_document(document) == entry
    assert (document["number"], document["plan"]["repeats"]) == (2, entry.plan.repeats)
    unknown = replace(entry, loss=None, std_error=None, note="")
    assert Round.from_document(json.loads(json.dumps(unknown.to_document()))) == unknown


@pytest.mark.parametrize(
    "change",
    [
        {"number": -1},
        {"number": 1.5},
        {"number": True},
        {"asked": "12"},
        {"new": None},
        {"bought": -3},
        {"spent": "27"},
        {"spent": None},
        {"loss": "small"},
        {"std_error": [0.1]},
        {"note": None},
        {"plan": None},
        {"plan": {}},
        {"plan": []},
    ],
    ids=str,
)
def test_documents_that_are_no_round(entry, change):
    with pytest.raises((DocumentError, PlanError)):
        Round.from_document(entry.to_document() | change)


@pytest.mark.parametrize("document", [None, 3, [], "round"])
def test_what_is_no_document_of_a_round(document):
    with pytest.raises(DocumentError):
        Round.from_document(document)


@pytest.mark.parametrize("name", ["number", "asked", "new", "bought", "spent", "note", "plan"])
def test_a_round_that_lacks_something(entry, name):
    document = entry.to_document()
    del document[name]
    with refused(DocumentError, column=name):
        Round.from_document(document)


def test_a_round_in_words_says_what_an_object_costs_and_the_error_in_the_label_s_units(entry):
    words = str(entry)
    assert all(f"{n}×{name}" in words for name, n in entry.plan.repeats.items())
    assert f"costs {entry.plan.cost:g}" in words
    assert "0.5" in words.split("error")[1]
    for loss in (None, 0.0, -0.1):
        assert "error" not in str(replace(entry, loss=loss)), "no typical error can be 0"
    assert str(replace(entry, plan=entry.plan.at(0))).startswith("nothing")


def test_where_a_campaign_stands_in_words(plan):
    status = Status(2, 1200, 1234.5, 0, plan, None, None, False, "")
    assert str(status).splitlines() == ["round 2: 1,200 judgments bought for 1,234.5", repr(plan)]
    assert "1,000 pending" in str(replace(status, pending=1000))
    assert str(replace(status, loss=0.25, std_error=0.01)).endswith("on new objects: 0.5 (0.4795 to 0.5213)")
    assert str(replace(status, loss=0.25)).endswith("on new objects: 0.5")
    assert str(replace(status, loss=0.01, std_error=0.02)).endswith(": 0.1 (0.01237 to 0.3317)"), "no error is below 0"
    assert str(replace(status, done=True, reason="the plan stands")).endswith("done: the plan stands")
    assert len(str(replace(status, plan=None)).splitlines()) == 1


def test_a_plan_is_kept_whole(entry):
    again = Round.from_document(entry.to_document()).plan
    assert isinstance(again, Plan)
    assert again.path == entry.plan.path
    assert again.at(1).repeats == entry.plan.at(1).repeats
