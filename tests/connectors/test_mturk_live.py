"""The live Mechanical Turk, with a service that answers as Amazon's does and no network."""

from __future__ import annotations

import pickle
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from xml.etree import ElementTree

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError
from botocore.stub import ANY, Stubber
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import ManyJudgesError
from manyjudges.connectors import mturk
from manyjudges.connectors.mturk import live as mturk_live
from manyjudges.connectors.mturk import service as mturk_service
from manyjudges.connectors.mturk.live import Bonus, MechanicalTurk, Reviewed
from manyjudges.exceptions import MechanicalTurkError
from tests.support.messages import FIELDS, refused

HIT = "3HIT0000000000000000000000001A"
SECRET = "not-a-real-secret"
BEGUN = datetime(2026, 11, 17, 17, 0, tzinfo=UTC)
FOUND = {
    "HITId": HIT,
    "HITTypeId": "3TYPE",
    "HITGroupId": "3GROUP",
    "Title": "Judge jars",
    "Reward": "0.50",
    "MaxAssignments": 9,
    "Expiration": BEGUN + timedelta(days=7),
}
OPTIONS = {"title": "Judge jars", "description": "Look at jars.", "reward": "0.5", "assignments": 9, "token": "jars-1"}
ANSWER = (
    '<?xml version="1.0"?><QuestionFormAnswers xmlns="http://example.org/x.xsd"><Answer><QuestionIdentifier>completionCode'
    "</QuestionIdentifier>\n<FreeText>{code}</FreeText></Answer></QuestionFormAnswers>"
)


ANY_PARAMS = dict.fromkeys(("WorkerId", "AssignmentId", "BonusAmount", "Reason", "UniqueRequestToken"), ANY)


def bonuses(service, *paid):
    """Let the service say which bonuses were paid for the assignment 3A: worker, amount and reason of each."""
    names = ("WorkerId", "BonusAmount", "Reason")
    found = [dict(zip(names, each, strict=True)) | {"AssignmentId": "3A", "GrantTime": BEGUN} for each in paid]
    service.add_response(
        "list_bonus_payments", {"NumResults": len(paid), "BonusPayments": found}, {"AssignmentId": "3A"}
    )


@pytest.fixture
def client():
    return boto3.client(
        "mturk",
        region_name="us-east-1",
        endpoint_url=mturk_service.SANDBOX,
        aws_access_key_id="AKIANOTREAL",
        aws_secret_access_key=SECRET,
    )


@pytest.fixture
def service(client):
    """What the service answers, in order; all of it must have been asked for at the end."""
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


@pytest.fixture
def turk(client):
    return MechanicalTurk(client)


def refuse(service, method, code, message="no.", *, turk=True):
    """Let a call fail as the service does."""
    if turk:
        fields = {"TurkErrorCode": f"AWS.MechanicalTurk.{code}", "Message": message}
        service.add_client_error(method, "RequestError", f"{message} (1596835865828 s)", modeled_fields=fields)
    else:
        service.add_client_error(method, code, message)


def complaint(call, *arguments, **options):
    fields = {name: options.pop(name) for name in FIELDS if name in options}
    with refused(MechanicalTurkError, **fields) as caught:
        call(*arguments, **options)
    assert isinstance(caught.value, ManyJudgesError)
    assert SECRET not in str(caught.value)
    assert "AKIANOTREAL" not in str(caught.value)
    return str(caught.value)


def assignment(number, **changes):
    return {
        "AssignmentId": f"3ASSIGN{number}",
        "WorkerId": f"A{number}",
        "HITId": HIT,
        "AssignmentStatus": "Submitted",
        "AcceptTime": BEGUN,
        "SubmitTime": BEGUN + timedelta(seconds=number),
        "Answer": ANSWER.format(code=f"K{number}&amp;"),
    } | changes


class TestMarkets:
    def test_the_sandbox_unless_somebody_says_otherwise(self, monkeypatch):
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIANOTREAL")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        turk, live = MechanicalTurk(), MechanicalTurk(live=True)
        assert turk._client.meta.endpoint_url == "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
        assert live._client.meta.endpoint_url == "https://mturk-requester.us-east-1.amazonaws.com"
        assert repr(turk) == "MechanicalTurk(live=False)"

    def test_a_client_for_money_must_be_meant(self):
        client = boto3.client(
            "mturk", region_name="us-east-1", aws_access_key_id="AKIANOTREAL", aws_secret_access_key=SECRET
        )
        complaint(MechanicalTurk, client, value="https://mturk-requester.us-east-1.amazonaws.com", column="live")
        assert MechanicalTurk(client, live=True).live

    def test_a_profile_that_is_not_there(self, monkeypatch, tmp_path):
        monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
        complaint(MechanicalTurk, profile="nobody", value="ProfileNotFound")

    def test_without_boto3(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "boto3", None)
        complaint(MechanicalTurk, value="boto3")

    def test_the_balance(self, turk, service):
        service.add_response("get_account_balance", {"AvailableBalance": "10000.00"})
        assert turk.balance() == Decimal("10000.00")


class TestSending:
    def test_a_hit(self, turk, service):
        qualification = {"QualificationTypeId": "000", "Comparator": "GreaterThan", "IntegerValues": [95]}
        expected = {
            "Title": "Judge jars",
            "Description": "Look at jars.",
            "Keywords": "jars, beans",
            "Reward": "0.50",
            "MaxAssignments": 9,
            "AssignmentDurationInSeconds": 1800,
            "LifetimeInSeconds": 172_800,
            "QualificationRequirements": [qualification],
            "Question": ANY,
            "UniqueRequestToken": "jars-1",
        }
        service.add_response("create_hit", {"HIT": FOUND}, expected)
        found = turk.send(
            "https://judge.example.org",
            **OPTIONS,
            minutes=30,
            lifetime_days=2,
            keywords=["jars", "beans"],
            qualifications=[qualification],
        )
        assert (found.id, found.reward, found.assignments, found.live) == (HIT, "0.50", 9, False)
        assert found.expires == BEGUN + timedelta(days=7)
        assert found.preview == "https://workersandbox.mturk.com/mturk/preview?groupId=3GROUP"

    def test_by_a_function(self, client, service):
        service.add_response("create_hit", {"HIT": FOUND})
        service.add_response("list_assignments_for_hit", {"Assignments": [assignment(1)]})
        found = mturk.send("https://judge.example.org/", client=client, **OPTIONS)
        assert list(mturk.fetch(found, client=client)["worker"]) == ["A1"]

    @given(st.text(alphabet="abc<>&'\"%=?/#;", max_size=30))
    def test_the_address_is_escaped(self, rest):
        address = f"https://judge.example.org/{rest}"
        root = ElementTree.fromstring(mturk_service.question(address, 700))
        space = f"{{{mturk_service.SCHEMA}}}"
        assert root.tag == f"{space}ExternalQuestion"
        assert [(each.tag, each.text) for each in root] == [
            (f"{space}ExternalURL", address),
            (f"{space}FrameHeight", "700"),
        ]

    def test_the_page_has_a_path(self):
        assert "<ExternalURL>https://judge.example.org/</ExternalURL>" in mturk_service.question(
            "https://judge.example.org"
        )

    @pytest.mark.parametrize("address", ["http://judge.example.org/", "judge.example.org", "", None, "https://a b/"])
    def test_addresses_that_cannot_be_shown(self, turk, service, address):
        complaint(turk.send, address, **OPTIONS, value=address, column="address")

    def test_the_same_token_gives_the_same_hit(self, turk, service):
        refuse(service, "create_hit", "HitAlreadyExists", f"The HIT already exists: {HIT}")
        service.add_response("get_hit", {"HIT": FOUND}, {"HITId": HIT})
        assert turk.send("https://judge.example.org/", **OPTIONS).id == HIT

    def test_the_same_token_where_the_hit_is_not_named(self, turk, service):
        refuse(service, "create_hit", "X", 'The idempotency token "jars-1" has already been processed.')
        complaint(turk.send, "https://judge.example.org/", **OPTIONS, value="jars-1", column="token")

    @pytest.mark.parametrize(
        ("change", "fields"),
        [
            ({"reward": "0.005"}, {"value": '0.005', "column": 'reward'}),
            ({"reward": "$1"}, {"value": '$1', "column": 'reward'}),
            ({"reward": 0}, {"value": 0, "column": 'reward'}),
            ({"reward": "-1"}, {"value": '-1', "column": 'reward'}),
            ({"reward": "nan"}, {"value": 'nan', "column": 'reward'}),
            ({"reward": "1e400"}, {"value": '1e400', "column": 'reward'}),
            ({"reward": None}, {"column": 'reward'}),
            ({"reward": True}, {"value": True, "column": 'reward'}),
            ({"assignments": 0}, {"value": 0, "column": 'assignments'}),
            ({"assignments": 1.5}, {"value": 1.5, "column": 'assignments'}),
            ({"assignments": True}, {"value": True, "column": 'assignments'}),
            ({"minutes": 0.1}, {"value": 0.1, "column": 'minutes'}),
            ({"minutes": "30"}, {"value": '30', "column": 'minutes'}),
            ({"lifetime_days": 400}, {"value": 400, "column": 'lifetime_days'}),
            ({"lifetime_days": float("nan")}, {"column": 'lifetime_days'}),
            ({"frame_height": -1}, {"value": -1, "column": 'frame_height'}),
            ({"title": " "}, {"value": ' ', "column": 'title'}),
            ({"title": "x" * 129}, {"column": 'title'}),
            ({"description": None}, {"column": 'description'}),
            ({"token": ""}, {"value": '', "column": 'token'}),
            ({"keywords": ["jars", 3]}, {"value": 3, "column": 'keyword'}),
            ({"qualifications": ["Masters"]}, {"value": 'Masters', "column": 'qualification'}),
        ],
    )  # fmt: skip
    def test_mistakes_are_found_before_anything_is_sent(self, turk, service, change, fields):
        complaint(turk.send, "https://judge.example.org/", **OPTIONS | change, **fields)

    def test_a_qualification_that_says_too_little(self, turk):
        complaint(
            turk.send,
            "https://judge.example.org/",
            **OPTIONS,
            qualifications=[{"Comparator": "Exists"}],
            value="ParamValidationError",
        )


class TestFetching:
    def test_pages(self, turk, service):
        pages = [[assignment(1), assignment(2)], [assignment(3, AssignmentStatus="Approved")], []]
        tokens = [None, "next-1", "next-2", None]
        for at, page in enumerate(pages):
            expected = {"HITId": HIT} | ({"NextToken": tokens[at]} if tokens[at] else {})
            answer = {"Assignments": page} | ({"NextToken": tokens[at + 1]} if tokens[at + 1] else {})
            service.add_response("list_assignments_for_hit", answer, expected)
        found = turk.fetch(HIT)
        assert list(found["assignment"]) == ["3ASSIGN1", "3ASSIGN2", "3ASSIGN3"]
        assert list(found["status"]) == ["Submitted", "Submitted", "Approved"]
        assert list(found["seconds"]) == [1, 2, 3]
        assert list(found["code"]) == ["K1&", "K2&", "K3&"]
        assert found["submitted"][0] == BEGUN + timedelta(seconds=1)

    def test_nobody_yet(self, turk, service):
        service.add_response("list_assignments_for_hit", {"Assignments": []})
        found = turk.fetch(HIT)
        assert list(found) == ["assignment", "worker", "hit", "status", "accepted", "submitted", "seconds", "code"]
        assert found.empty

    def test_without_answers(self, turk, service):
        bare = {name: value for name, value in assignment(1).items() if name not in ("Answer", "SubmitTime")}
        service.add_response("list_assignments_for_hit", {"Assignments": [bare]})
        found = turk.fetch(HIT)
        assert found["code"][0] == ""
        assert found["seconds"].isna().all()

    def test_a_hit_that_is_not_there(self, turk, service):
        refuse(service, "list_assignments_for_hit", "HITDoesNotExist", f"Hit {HIT} does not exist.")
        said = complaint(turk.fetch, HIT, value="HITDoesNotExist")
        assert "1596835865828" not in said


class TestReviewing:
    def test_approving(self, turk, service):
        for name in ("3A", "3B"):
            expected = {"AssignmentId": name, "OverrideRejection": False, "RequesterFeedback": "Thank you."}
            service.add_response("approve_assignment", {}, expected)
        assert turk.approve(["3A", "3B"], feedback="Thank you.") == Reviewed(("3A", "3B"), ())

    def test_what_is_approved_already_is_fine(self, turk, service):
        refuse(service, "approve_assignment", "InvalidAssignmentState", "can be called with a status of: Submitted")
        service.add_response("get_assignment", {"Assignment": assignment(1, AssignmentStatus="Approved")})
        service.add_response("approve_assignment", {})
        assert turk.approve(["3A", "3B"]) == Reviewed(("3B",), ("3A",))

    def test_what_is_rejected_is_not_approved(self, turk, service):
        service.add_response("approve_assignment", {})
        refuse(service, "approve_assignment", "InvalidAssignmentState", "can be called with a status of: Submitted")
        service.add_response("get_assignment", {"Assignment": assignment(1, AssignmentStatus="Rejected")})
        complaint(turk.approve, ["3A", "3B"], value="InvalidAssignmentState")

    def test_overruling(self, turk, service):
        service.add_response("approve_assignment", {}, {"AssignmentId": "3A", "OverrideRejection": True})
        assert turk.approve("3A", override=True) == Reviewed(("3A",), ())

    def test_rejecting(self, turk, service):
        service.add_response("reject_assignment", {}, {"AssignmentId": "3A", "RequesterFeedback": "Empty."})
        refuse(service, "reject_assignment", "InvalidAssignmentState")
        service.add_response("get_assignment", {"Assignment": assignment(1, AssignmentStatus="Rejected")})
        assert turk.reject(["3A", "3B"], reason="Empty.") == Reviewed(("3A",), ("3B",))
        complaint(turk.reject, "3A", reason="", value="", column="reason")

    def test_a_bonus(self, turk, service):
        expected = {
            "WorkerId": "A1",
            "AssignmentId": "3A",
            "BonusAmount": "1.30",
            "Reason": "More batches.",
            "UniqueRequestToken": "t",
        }
        bonuses(service, ("A2", "1.30", "More batches."), ("A1", "0.30", "More batches."), ("A1", "1.30", "Thanks."))
        service.add_response("send_bonus", {}, expected)
        assert turk.bonus("A1", "3A", "1.3", reason="More batches.", token="t") == Bonus("A1", "3A", "1.30", "t")

    def test_a_bonus_that_was_paid_is_not_paid_again_however_long_ago(self, turk, service):
        bonuses(service, ("A1", "1.3", "More batches."))
        assert turk.bonus("A1", "3A", "1.30", reason="More batches.", token="another").already
        service.add_response("send_bonus", {}, ANY_PARAMS)
        assert not turk.bonus("A1", "3A", "1.30", reason="More batches.", token="one more", again=True).already

    def test_a_bonus_is_paid_once(self, turk, service):
        bonuses(service)
        refuse(service, "send_bonus", "X", 'The idempotency token "t" has already been processed.')
        assert turk.bonus("A1", "3A", 1, reason="More.", token="t").already

    def test_no_money(self, turk, service):
        bonuses(service)
        refuse(service, "send_bonus", "InsufficientFunds", "This Requester has insufficient funds in their account.")
        complaint(turk.bonus, "A1", "3A", 1, reason="More.", token="t", value="InsufficientFunds")

    def test_expiring(self, turk, service):
        expected = {"HITId": HIT, "ExpireAt": datetime(2015, 1, 1, tzinfo=UTC)}
        service.add_response("update_expiration_for_hit", {}, expected)
        refuse(service, "update_expiration_for_hit", "X", "The idempotency token has already been processed.")
        refuse(service, "update_expiration_for_hit", "HITDoesNotExist")
        turk.expire(HIT)
        turk.expire(HIT)
        complaint(turk.expire, HIT, value="HITDoesNotExist")


class TestTroubles:
    def test_too_many_calls(self, turk, service):
        refuse(service, "create_hit", "ThrottlingException", "Rate exceeded", turk=False)
        complaint(turk.send, "https://judge.example.org/", **OPTIONS, value="ThrottlingException")

    def test_a_fault_of_the_service(self, turk, service):
        refuse(service, "get_account_balance", "ServiceFault", "Internal.", turk=False)
        complaint(turk.balance, value="ServiceFault")

    def test_no_money_to_post(self, turk, service):
        refuse(service, "create_hit", "InsufficientFunds", "This Requester has insufficient funds.")
        with pytest.raises(MechanicalTurkError) as caught:
            turk.send("https://judge.example.org/", **OPTIONS)
        assert caught.value.code == "InsufficientFunds"

    @pytest.mark.parametrize(
        "code", ["AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException", "ExpiredToken"]
    )
    def test_keys_are_never_shown(self, turk, service, code):
        refuse(service, "get_account_balance", code, f"The key AKIANOTREAL with {SECRET} is wrong.", turk=False)
        complaint(turk.balance, value=code)

    @pytest.mark.parametrize(
        ("error", "fields"),
        [
            (NoCredentialsError(), {"value": "NoCredentialsError"}),
            (EndpointConnectionError(endpoint_url=mturk_service.SANDBOX), {"value": "EndpointConnectionError"}),
        ],
    )
    def test_what_boto_cannot_do(self, turk, monkeypatch, error, fields):
        def fail(**_):
            raise error

        monkeypatch.setattr(turk._client, "get_account_balance", fail, raising=False)
        complaint(turk.balance, **fields)

    def test_an_error_can_be_sent_on(self):
        error = pickle.loads(pickle.dumps(MechanicalTurkError("a", "b", "c")))
        assert (str(error), error.code, error.detail) == ("a", "b", "c")

    def test_what_is_public(self):
        assert mturk.MechanicalTurk is mturk_live.MechanicalTurk
