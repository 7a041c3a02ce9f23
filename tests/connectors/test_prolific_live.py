"""The live Prolific, with a server on this machine that answers as Prolific does."""

from __future__ import annotations

import email.utils
import json
import logging
import pickle
import sys
import traceback
from datetime import UTC, datetime
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import ManyJudgesError
from manyjudges.connectors import prolific
from manyjudges.connectors.prolific import live
from manyjudges.connectors.prolific.drafts import WHO
from manyjudges.connectors.prolific.errors import without_token
from manyjudges.connectors.prolific.live import Bonuses, Prolific
from manyjudges.connectors.prolific.replies import Approved
from manyjudges.connectors.prolific.service import ProlificService, minor, units
from manyjudges.exceptions import ProlificError
from manyjudges.study.config import read_study
from tests.support.messages import FIELDS, refused
from tests.support.prolific_server import TOKEN, prolific_server
from tests.support.study_files import ATTRIBUTE, write

STUDY = """
title = "Jars"
welcome = "Look at drawings of jars."
[entry]
prolific = true
completion_code = "JARS2026"
[server]
address = "https://judge.example.org"
"""
TERMS = {"reward": "1.50", "places": 20, "minutes": 8, "internal_name": "jars 1"}
BUSY = (429, {"error": {"status": 429, "detail": "Too many requests."}}, {"Retry-After": "3"})
DOWN = (503, "<html>Service Unavailable</html>")


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)


@pytest.fixture
def waits():
    """How long we would have waited, each time."""
    return []


@pytest.fixture
def market():
    with prolific_server() as found:
        yield found


@pytest.fixture
def service(market, waits):
    return Prolific(market.address, timeout=20, sleep=waits.append)


@pytest.fixture
def study(tmp_path):
    return read_study(write(tmp_path, STUDY + ATTRIBUTE))


def came(number, status="AWAITING REVIEW", **changes):
    return {
        "id": f"60d9aadeb86739de712f{number:04}",
        "participant_id": f"5e9088a8a4b6ed018b45{number:04}",
        "status": status,
        "started_at": "2026-11-17T17:00:00.000000Z",
        "completed_at": "2026-11-17T17:10:00.000000Z",
        "is_complete": True,
        "time_taken": 600,
        "reward": 150,
        "study_code": "JARS2026",
        "bonus_payments": [],
    } | changes


@pytest.fixture
def posted(market, service, study):
    """A study that five people took."""
    found = service.publish(service.create(study, **TERMS))
    market.submissions[found.id] = [
        came(1),
        came(2, "APPROVED", bonus_payments=[30, 20]),
        came(3, "RETURNED", completed_at=None, time_taken=None, study_code=None),
        came(4),
        came(5, study_code="NOCODE"),
    ]
    market.asked.clear()
    return found


def ids(*numbers):
    return [f"60d9aadeb86739de712f{number:04}" for number in numbers]


def people(*numbers):
    return [f"5e9088a8a4b6ed018b45{number:04}" for number in numbers]


def complaint(call, *arguments, **options):
    """What an error says; it has nothing of the token in it, wherever one looks."""
    fields = {name: options.pop(name) for name in FIELDS if name in options}
    with refused(ProlificError, **fields) as caught:
        call(*arguments, **options)
    error = caught.value
    assert isinstance(error, ManyJudgesError)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert TOKEN not in str(error) + repr(error) + error.detail
    assert TOKEN.encode() not in pickle.dumps(error)
    with_locals = traceback.TracebackException.from_exception(error, capture_locals=True)
    ours = [frame for frame in with_locals.stack if "/src/" in frame.filename]
    assert ours
    assert TOKEN not in repr([frame.locals for frame in ours])
    return error


class TestCreating:
    def test_a_draft(self, market, service, study):
        found = service.create(study, **TERMS)
        assert (found.status, found.reward, found.places) == ("UNPUBLISHED", Decimal("1.50"), 20)
        assert (found.name, found.internal_name, found.currency) == ("Jars", "jars 1", "GBP")
        assert found.cost == Decimal("42.00")
        assert not found.already
        assert found.page == f"https://app.prolific.com/researcher/workspaces/studies/{found.id}"
        (body,) = market.calls("POST", "/studies/")
        assert body["reward"] == 150
        assert body["external_study_url"] == f"https://judge.example.org/?{WHO}"
        assert body["completion_codes"][0]["code"] == "JARS2026"

    def test_again_makes_nothing(self, market, service, study):
        first = service.create(study, **TERMS)
        again = service.create(study, **TERMS)
        assert again.id == first.id
        assert again.already
        assert len(market.studies) == 1
        service.publish(first)
        assert service.create(study, **TERMS).status == "ACTIVE"
        assert service.create(study, **TERMS | {"internal_name": "jars 2"}).id != first.id

    def test_it_is_found_on_a_later_page(self, market, service, study):
        made = [service.create(study, **TERMS | {"internal_name": f"jars {i}"}).id for i in range(5)]
        assert service.find("jars 4").id == made[4]
        assert service.find("jars 9") is None
        assert service.study(made[2]).internal_name == "jars 2"

    def test_another_draft_of_that_name(self, service, study):
        service.create(study, **TERMS)
        complaint(
            service.create,
            study,
            **TERMS | {"reward": "2.50"},
            value="64a000000000000000000000",
            column="internal_name",
        )

    def test_another_page(self, market, service, study):
        found = service.create(study, **TERMS)
        market.studies[found.id]["external_study_url"] = f"https://judge.example.org/?{WHO.replace('%', '%25')}"
        assert service.create(study, **TERMS).already
        complaint(
            service.create,
            study,
            **TERMS,
            page="https://other.example.org",
            value="64a000000000000000000000",
            column="internal_name",
        )

    def test_two_of_one_name(self, market, service, study):
        found = service.create(study, **TERMS)
        market.studies["other"] = market.studies[found.id] | {"id": "other"}
        complaint(service.create, study, **TERMS, value="jars 1", column="internal_name")

    def test_what_was_written_is_what_is_made(self, market, service, study, tmp_path):
        prolific.write(study, tmp_path / "draft.json", **TERMS)
        body = json.loads((tmp_path / "draft.json").read_text())
        service.create(body)
        assert market.calls("POST", "/studies/") == [body]
        assert service.create(study, **TERMS).already
        complaint(service.create, body, reward="2", value="reward", column="reward")

    @pytest.mark.parametrize(
        ("terms", "fields"),
        [
            ({"reward": None}, {"column": "reward"}),
            ({"places": None, "minutes": None}, {"column": "total_available_places"}),
            ({"internal_name": None}, {"column": "internal_name"}),
            ({"reward": "a lot"}, {"value": "a lot", "column": "reward"}),
            ({"pages": "x"}, {"value": "pages", "column": "pages"}),
        ],
    )
    def test_what_is_missing_is_said_before_anything_is_asked(self, market, service, study, terms, fields):
        complaint(service.create, study, **TERMS | terms, **fields)
        assert market.asked == []

    @pytest.mark.parametrize(
        ("old", "new", "fields"),
        [
            ('completion_code = "JARS2026"', "", {"column": "completion_codes"}),
            ('address = "https://judge.example.org"', "", {"column": "external_study_url"}),
            ('welcome = "Look at drawings of jars."', "", {"column": "description"}),
            ("prolific = true", "", {"value": False, "row": 4, "column": "entry.prolific"}),
        ],
    )
    def test_a_study_that_says_too_little(self, market, service, tmp_path, old, new, fields):
        study = read_study(write(tmp_path, STUDY.replace(old, new) + ATTRIBUTE))
        complaint(service.create, study, **TERMS, **fields)
        assert market.asked == []

    @pytest.mark.parametrize("reward", [1.5, True, 0, "150"])
    def test_a_body_with_a_strange_reward(self, service, study, tmp_path, reward):
        prolific.write(study, tmp_path / "draft.json", **TERMS)
        body = json.loads((tmp_path / "draft.json").read_text()) | {"reward": reward}
        complaint(service.create, body, value=reward, column="reward")

    def test_what_prolific_finds_wrong(self, service, study):
        error = complaint(service.create, study, **TERMS | {"reward": "0.05"}, value=400)
        assert error.status == 400
        assert str(error) == (
            "cannot make a draft of the study 'jars 1': reward: The reward is below the minimum; study: name: Too "
            "short (400). Nothing was done; correct what it names."
        )

    @pytest.mark.parametrize("fault", ["lost", "broken"])
    def test_a_reply_that_does_not_come_makes_no_second_one(self, market, service, study, fault):
        market.script = ["", fault]
        found = service.create(study, **TERMS)
        assert len(market.studies) == 1
        assert found.id in market.studies
        assert len(market.calls("POST")) == 1

    def test_a_call_that_does_not_arrive(self, market, service, study):
        market.script = ["", "drop"]
        error = complaint(service.create, study, **TERMS, value=0)
        assert error.uncertain
        assert market.studies == {}
        assert len(market.calls("POST")) == 1

    def test_by_functions(self, market, service, study):
        found = prolific.send(study, prolific=service, **TERMS)
        assert found.status == "UNPUBLISHED"
        assert prolific.send(study, prolific=service, publish=True, **TERMS).status == "ACTIVE"
        market.submissions[found.id] = [came(1)]
        assert list(prolific.fetch(found, prolific=service)["submission"]) == ids(1)


class TestMoving:
    def test_published_once(self, market, service, study):
        draft = service.create(study, **TERMS)
        assert service.publish(draft).status == "ACTIVE"
        again = service.publish(draft.id)
        assert (again.status, again.already) == ("ACTIVE", True)
        assert market.calls("POST", "/transition/") == [{"action": "PUBLISH"}]

    def test_paused_started_stopped(self, market, service, posted):
        assert service.pause(posted).status == "PAUSED"
        assert service.pause(posted).already
        assert service.publish(posted).status == "PAUSED"
        assert service.start(posted).status == "ACTIVE"
        assert service.start(posted).already
        assert service.stop(posted).status == "AWAITING REVIEW"
        assert service.stop(posted).already
        assert [each["action"] for each in market.calls("POST")] == ["PAUSE", "START", "STOP"]

    def test_what_cannot_be(self, service, study):
        draft = service.create(study, **TERMS)
        complaint(service.pause, draft, value=400)

    def test_a_lost_reply_is_looked_after(self, market, service, study):
        draft = service.create(study, **TERMS)
        market.script = ["", "lost"]
        assert service.publish(draft).status == "ACTIVE"
        assert len(market.calls("POST", "/transition/")) == 1

    def test_a_call_that_did_not_arrive(self, market, service, study):
        draft = service.create(study, **TERMS)
        market.script = ["", "drop"]
        assert complaint(service.publish, draft, value=0).uncertain
        assert market.studies[draft.id]["status"] == "UNPUBLISHED"

    @pytest.mark.parametrize("name", ["", "a/b", "../users/me", None, "x" * 65])
    def test_what_is_no_id(self, market, service, name):
        complaint(service.publish, name, value=name, column="study")
        assert market.asked == []


class TestSubmissions:
    @pytest.mark.parametrize("links", [True, False])
    @pytest.mark.parametrize("size", [1, 2, 5, 100])
    def test_all_pages(self, market, service, posted, links, size):
        market.links, market.page_size = links, size
        found = service.submissions(posted)
        assert list(found["submission"]) == ids(1, 2, 3, 4, 5)
        assert list(found["status"][:3]) == ["AWAITING REVIEW", "APPROVED", "RETURNED"]
        assert found["started"][0] == datetime(2026, 11, 17, 17, tzinfo=UTC)
        assert found["completed"].isna().tolist() == [False, False, True, False, False]
        assert found["seconds"][0] == 600
        assert pd.isna(found["seconds"][2])
        assert list(found["code"]) == ["JARS2026", "JARS2026", "", "JARS2026", "NOCODE"]
        assert found["bonus"][1] == Decimal("0.50")

    def test_nobody_yet(self, service, study):
        found = service.submissions(service.create(study, **TERMS))
        assert len(found) == 0
        assert "bonus" in found.columns

    def test_pages_that_do_not_end(self, market, service, posted):
        page = (200, {"results": [came(1)], "meta": {"count": 7}, "_links": {"next": {"href": "http://x/?offset=0"}}})
        market.script = [page] * 9
        complaint(service.submissions, posted, value=1)
        assert len(market.asked) == 2

    @pytest.mark.parametrize("page", [[], {}, {"results": [{}]}, {"results": "x"}, {"results": [None]}])
    def test_what_is_no_list(self, market, service, posted, page):
        market.script = [(200, page)]
        complaint(service.submissions, posted, column="results")

    def test_joined_with_judgments(self, service, posted):
        ours = pd.DataFrame({"object": ["a"], "attribute": ["round"], "worker": people(1), "value": [1.0]})
        found = prolific.joined(service.submissions(posted), ours, code="JARS2026").set_index("participant")
        assert found.loc[people(1)[0], "remark"] == ""
        assert found.loc[people(4)[0], "remark"] == "submitted, but judged nothing"


class TestApproving:
    def test_one(self, market, service, posted):
        assert service.approve(posted, ids(1)[0]) == Approved(tuple(ids(1)), ())
        assert market.submissions[posted.id][0]["status"] == "APPROVED"
        assert market.calls("POST", f"/submissions/{ids(1)[0]}/transition/") == [{"action": "APPROVE"}]

    def test_many_and_again(self, market, service, posted):
        assert service.approve(posted, ids(1, 2, 4, 1)) == Approved(tuple(ids(1, 4)), tuple(ids(2)))
        assert market.calls("POST") == [{"submission_ids": ids(1, 4)}]
        assert service.approve(posted, ids(1, 2, 4)) == Approved((), tuple(ids(1, 2, 4)))
        assert len(market.calls("POST")) == 1
        assert service.approve(posted, []) == Approved((), ())

    def test_very_many(self, market, service, posted):
        market.page_size = 200
        market.submissions[posted.id] = [came(i) for i in range(250)]
        assert len(service.approve(posted, ids(*range(250))).done) == 250
        assert [len(body["submission_ids"]) for body in market.calls("POST")] == [100, 100, 50]

    @pytest.mark.parametrize(
        ("name", "fields"),
        [
            (ids(3)[0], {"value": "RETURNED", "row": "60d9aadeb86739de712f0003", "column": "status"}),
            (people(1)[0], {"value": "5e9088a8a4b6ed018b450001", "column": "submission"}),
        ],
    )
    def test_nothing_is_approved_where_one_cannot_be(self, market, service, posted, name, fields):
        complaint(service.approve, posted, [*ids(1), name], **fields)
        assert market.calls("POST") == []

    @pytest.mark.parametrize("fault", ["lost", "drop", BUSY, DOWN])
    def test_it_is_tried_again_as_twice_is_harmless(self, market, service, posted, waits, fault):
        market.page_size = 100
        market.script = ["", fault]
        assert service.approve(posted, ids(1, 4)).done == tuple(ids(1, 4))
        assert len(market.calls("POST")) == 2
        assert len(waits) == 1


class TestBonuses:
    def test_set_up_and_paid(self, market, service, posted):
        bonus = service.bonus(posted, {people(1)[0]: "0.30", people(4)[0]: 1})
        assert bonus.amounts == {people(1)[0]: Decimal("0.30"), people(4)[0]: Decimal("1.00")}
        assert bonus.total == Decimal("1.69")
        assert not bonus.paid
        assert market.payments == []
        assert market.calls("POST") == [
            {"study_id": posted.id, "csv_bonuses": f"{people(1)[0]},0.30\n{people(4)[0]},1.00"}
        ]
        assert service.pay(bonus).paid
        assert market.payments == [bonus.id]
        assert list(service.submissions(posted)["bonus"][[0, 3]]) == [Decimal("0.30"), Decimal("1.00")]

    def test_a_script_that_runs_again_pays_nothing(self, market, posted):
        for _ in range(3):
            service = Prolific(market.address)
            service.pay(service.bonus(posted, {people(1)[0]: "0.30", people(2)[0]: "0.10"}))
        assert market.payments == ["b0"]
        assert service.bonus(posted, {people(1)[0]: "0.30"}).already == tuple(people(1))
        assert service.bonus(posted, {people(1)[0]: "0.30"}).id == ""

    def test_somebody_who_had_one_on_request(self, market, service, posted):
        bonus = service.bonus(posted, pd.Series({people(2)[0]: 0.1}), again=True)
        assert service.pay(bonus).paid
        assert market.submissions[posted.id][1]["bonus_payments"] == [30, 20, 10]

    def test_by_submissions(self, service, posted):
        bonus = service.bonus(posted, dict.fromkeys(ids(1, 2), "0.30"))
        assert bonus.already == tuple(ids(2))
        assert list(bonus.amounts) == ids(1)

    def test_the_same_is_not_paid_twice(self, market, service, posted):
        bonus = service.bonus(posted, {people(1)[0]: "0.30"})
        paid = service.pay(bonus)
        assert service.pay(paid).paid
        complaint(service.pay, bonus, value="b0")
        complaint(Prolific(market.address).pay, bonus, value="5e9088a8a4b6ed018b450001")
        assert market.payments == [bonus.id]

    def test_what_prolific_does_not_show_yet(self, market, service, posted):
        service.pay(service.bonus(posted, {people(1)[0]: "0.30"}))
        market.submissions[posted.id][0]["bonus_payments"] = []
        assert service.bonus(posted, {people(1)[0]: "0.30"}).already == tuple(people(1))

    @pytest.mark.parametrize("fault", ["lost", "drop", "slow", DOWN])
    def test_without_a_reply_it_is_not_tried_again(self, market, service, posted, waits, fault):
        market.page_size = 100
        bonus = service.bonus(posted, {people(1)[0]: "0.30"})
        service = Prolific(market.address, timeout=0.3 if fault == "slow" else 20, sleep=waits.append)
        market.script = ["", fault]
        error = complaint(service.pay, bonus, value="b0")
        assert error.uncertain
        assert "It is not known whether it was paid. Do not pay again yet" in str(error)
        assert "the column 'bonus' of submissions(study)" in str(error)
        assert "call again" not in str(error)
        assert len(market.payments) == (1 if fault in ("lost", "slow") else 0)
        assert len(market.calls("POST", "/pay/")) == 1
        assert waits == []
        assert complaint(service.pay, bonus, value="b0").uncertain
        assert len(market.calls("POST", "/pay/")) == 1

    @pytest.mark.parametrize(
        ("fault", "words"),
        [
            (BUSY, "Too many calls in a short time"),
            ((400, {"error": {"detail": "Not enough balance."}}), "Not enough balance (400)"),
        ],
    )
    def test_a_refusal_pays_nothing_and_can_be_repeated(self, market, service, posted, fault, words):
        market.page_size = 100
        bonus = service.bonus(posted, {people(1)[0]: "0.30"})
        market.script = ["", fault]
        error = complaint(service.pay, bonus, value="b0")
        assert words in str(error)
        assert str(error).endswith("Nothing was paid.")
        assert not error.uncertain
        assert service.pay(bonus).paid
        assert market.payments == [bonus.id]

    @pytest.mark.parametrize(
        ("amounts", "fields"),
        [
            ({people(1)[0]: "30p"}, {"value": "30p", "row": "5e9088a8a4b6ed018b450001"}),
            ({people(1)[0]: -1}, {"value": -1, "row": "5e9088a8a4b6ed018b450001"}),
            ({people(1)[0]: 0.125}, {"value": 0.125, "row": "5e9088a8a4b6ed018b450001"}),
            ({people(9)[0]: 1}, {"value": "5e9088a8a4b6ed018b450009"}),
            ({people(1)[0]: 1, ids(1)[0]: 1}, {"value": ["5e9088a8a4b6ed018b450001", "60d9aadeb86739de712f0001"]}),
        ],
    )
    def test_amounts_that_make_no_sense(self, market, service, posted, amounts, fields):
        complaint(service.bonus, posted, amounts, column="amounts", **fields)
        assert market.calls("POST") == []

    def test_a_set_up_without_a_reply(self, market, service, posted):
        market.page_size = 100
        market.script = ["", "lost"]
        complaint(service.bonus, posted, {people(1)[0]: "0.30"}, value=0)
        assert market.payments == []

    def test_a_set_up_whose_reply_has_no_id(self, market, service, posted):
        market.page_size = 100
        market.script = ["", (201, {"total_amount": 3})]
        complaint(service.bonus, posted, {people(1)[0]: "0.30"}, column="id")

    @given(st.integers(1, 10**7))
    def test_money_comes_back(self, cents):
        assert minor(str(units(cents)), "amount") == cents
        assert minor(units(cents), "amount") == cents


class TestErrors:
    def test_a_token_that_is_not_accepted(self, market, service, posted, monkeypatch):
        monkeypatch.setenv("PROLIFIC_TOKEN", "another-secret-token")
        error = complaint(service.submissions, posted, value=401, column="PROLIFIC_TOKEN")
        assert error.status == 401
        assert "does not accept the token in PROLIFIC_TOKEN" in str(error)
        assert "another-secret-token" not in str(error) + error.detail + repr(error.args)
        assert len(market.asked) == 1

    @pytest.mark.parametrize("value", ["", "  ", None])
    def test_no_token(self, market, service, monkeypatch, value):
        monkeypatch.delenv("PROLIFIC_TOKEN")
        if value is not None:
            monkeypatch.setenv("PROLIFIC_TOKEN", value)
        complaint(service.find, "x", column="PROLIFIC_TOKEN")
        assert market.asked == []

    @pytest.mark.parametrize("value", [f"Token {TOKEN}", f"{TOKEN}\u00e9", f"a\n{TOKEN}"])
    def test_what_is_no_token(self, market, service, monkeypatch, value):
        monkeypatch.setenv("PROLIFIC_TOKEN", value)
        complaint(service.find, "x", column="PROLIFIC_TOKEN")
        assert market.asked == []

    def test_what_is_not_there(self, service):
        error = complaint(service.submissions, "nothing", value=404)
        assert error.status == 404
        assert str(error).startswith("cannot list the submissions of the study 'nothing': Not found (404). There is no")

    def test_may_not(self, market, service, posted):
        market.script = [(403, {"message": "Forbidden", "detail": "No permission."})]
        complaint(service.study, posted, value=403)

    @pytest.mark.parametrize(
        "body",
        [
            "<html>oops</html>",
            [],
            {"error": {"title": "Bad request"}},
            {"error": "As it is."},
            {"detail": ["a", {"b": ["c", "d"]}]},
        ],
    )
    def test_what_an_error_says(self, market, service, posted, body):
        market.script = [(418, body)]
        complaint(service.study, posted, value=418)

    def test_a_wait_that_is_asked_for(self, market, service, posted, waits):
        soon = email.utils.formatdate(1000, usegmt=True)  # a clock that is late: there is nothing to wait for
        market.script = [BUSY, (429, {}, {"Retry-After": soon}), (429, {}, {"Retry-After": "soon"})]
        assert service.study(posted).id == posted.id
        assert waits == [3.0, 0.0, 4.0]

    def test_too_long_a_wait_is_for_a_person(self, market, service, posted, waits):
        market.script = [(429, {}, {"Retry-After": "3600"})]
        error = complaint(service.study, posted, value=429)
        assert error.status == 429
        assert waits == []

    def test_patience_ends(self, market, service, posted, waits):
        market.script = [DOWN] * 9
        complaint(service.study, posted, value=503)
        assert waits == [1.0, 2.0, 4.0]
        assert len(market.asked) == 4

    @pytest.mark.parametrize("fault", ["drop", "lost", DOWN, BUSY])
    def test_what_passes(self, market, service, posted, fault):
        market.script = [fault]
        assert service.study(posted).id == posted.id

    def test_a_server_that_is_silent(self, market, posted, waits):
        market.script = ["slow"] * 2
        error = complaint(Prolific(market.address, timeout=0.2, tries=2, sleep=waits.append).study, posted, value=0)
        assert "Prolific cannot be reached (ReadTimeout)" in str(error)
        assert error.status == 0

    def test_nobody_there(self, service, study):
        with prolific_server() as gone:
            address = gone.address
        error = complaint(Prolific(address, tries=1).create, study, **TERMS, value=0)
        assert "cannot be reached (ConnectError)" in str(error)
        assert not error.uncertain

    def test_broken_replies(self, market, service, posted):
        market.script = ["broken"]
        complaint(service.study, posted)
        market.script = [(200, "<!doctype html><p>Sign in</p>")]
        complaint(service.study, posted, value="<!doctype html><p>Sign in</p>")

    def test_a_redirect_is_not_followed(self, market, service, posted):
        market.script = [(302, {}, {"Location": "http://elsewhere.invalid/"})]
        complaint(service.study, posted, value=302)
        assert len(market.asked) == 1

    @pytest.mark.parametrize(
        "address", ["http://api.example.org", "api.example.org", "https://a@b.org", "https://x/?a=1"]
    )
    def test_an_address_that_would_show_the_token(self, address):
        complaint(ProlificService, address, value=address, column="address")

    def test_without_httpx(self, service, posted, monkeypatch):
        monkeypatch.setitem(sys.modules, "httpx", None)
        with refused(ProlificError, value="httpx"):
            service.study(posted)

    def test_an_error_can_be_sent_on(self):
        error = pickle.loads(pickle.dumps(ProlificError("a", 400, "b", True)))
        assert (str(error), error.status, error.detail, error.uncertain) == ("a", 400, "b", True)


class TestSecrecy:
    """The token is nowhere but in the header of a call."""

    def test_not_in_a_log_even_where_all_is_logged(self, market, service, posted, study, caplog, capfd):
        caplog.set_level(logging.DEBUG)
        logging.getLogger("httpx").setLevel(logging.DEBUG)
        logging.getLogger("httpcore").setLevel(logging.DEBUG)
        market.script = ["", (500, {"detail": "x"}), "", "drop"]
        service.create(study, **TERMS)
        service.approve(posted, ids(1, 4))
        service.pay(service.bonus(posted, {people(1)[0]: "0.30"}))
        assert any("HTTP Request" in record.getMessage() for record in caplog.records)
        assert TOKEN not in caplog.text
        assert TOKEN not in "".join(repr(record.__dict__) for record in caplog.records)
        shown = capfd.readouterr()
        assert TOKEN not in shown.out + shown.err

    def test_not_in_an_object_or_its_pickle(self, service, posted):
        service.submissions(posted)
        for each in (service, posted, service._service, ProlificService()):
            assert TOKEN not in repr(each) + repr(vars(each))
            assert TOKEN.encode() not in pickle.dumps(each)
        copy = pickle.loads(pickle.dumps(service))
        assert copy.study(posted).id == posted.id
        assert repr(copy) == f"Prolific('{service._service.address}')"

    def test_not_in_a_file(self, service, posted, study, tmp_path):
        prolific.write(study, tmp_path / "draft.json", **TERMS)
        service.submissions(posted).to_csv(tmp_path / "submissions.csv")
        for path in tmp_path.rglob("*"):
            assert path.is_dir() or TOKEN.encode() not in path.read_bytes()

    @pytest.mark.parametrize("status", [200, 400, 403, 404, 500])
    @pytest.mark.parametrize("body", [TOKEN, f"<p>{TOKEN}</p>", {"error": {"detail": TOKEN * 9}}, {"id": [TOKEN]}])
    def test_not_where_prolific_repeats_it(self, market, service, posted, status, body):
        market.script = [(status, body)] * 4
        complaint(service.study, posted)

    def test_without_a_token_a_text_stays(self, monkeypatch):
        monkeypatch.delenv("PROLIFIC_TOKEN")
        assert without_token("a text") == "a text"

    def test_what_is_public(self):
        assert prolific.Prolific is live.Prolific
        assert Bonuses("", "s", {}, Decimal()).paid is False
