"""The service of Mechanical Turk: its client, its questions and answers, its errors, and checks of what it is given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import pandas as pd

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import MechanicalTurkError
from manyjudges.study.addresses import is_web_address

if TYPE_CHECKING:
    from botocore.exceptions import BotoCoreError, ClientError

SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
_LIVE = "https://mturk-requester.us-east-1.amazonaws.com"
_REGION = "us-east-1"
"""The only region that has a Mechanical Turk."""

SCHEMA = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
LONGEST_TOKEN = 64

_MARKET = "The sandbox and the live market know nothing of each other: is live=True or live=False right?"
_AGAIN = "Wait a minute and call again; with the same token nothing is posted or paid twice within 24 hours."
_ADVICE = {
    "InsufficientFunds": "Put money into the account (requester.mturk.com, My Account); nothing was posted or paid.",
    "HITDoesNotExist": _MARKET,
    "AssignmentDoesNotExist": _MARKET,
    "InvalidAssignmentState": "Only an assignment that is submitted, and not decided yet, can be approved or rejected.",
    "ThrottlingException": f"Too many calls in a short time. {_AGAIN}",
    "ServiceFault": f"Mechanical Turk cannot answer now. {_AGAIN}",
}
"""What to do, by Amazon's word for what is wrong."""

_INVALID_KEY = (
    "Amazon does not accept the access key. Check it, and that it may use Mechanical Turk and the account is linked."
)
_SIGNED = re.compile(
    r"access|unrecognizedclient|signature|token(id)?$|authori[sz]|authfailure|optinrequired", re.IGNORECASE
)
"""Codes of errors that are about who calls. What Amazon says then is not shown: it may repeat parts of a key."""

_ANSWER = re.compile(r"<QuestionIdentifier>(.*?)</QuestionIdentifier>\s*<FreeText>(.*?)</FreeText>", re.DOTALL)
_ID = re.compile(r"\b[A-Z0-9]{20,64}\b")
_STAMP = re.compile(r"\s*\(\d{10,}( s)?\)\s*$")


def new_client(live: bool, profile: str | None = None) -> Any:
    """A client of boto3 for the sandbox or the live market."""
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise MechanicalTurkError(
            "the live Mechanical Turk needs boto3, which is not installed; install it: "
            "pip install 'manyjudges[mturk]'.",
            value="boto3",
        ) from None
    with translated_errors("begin"):
        return boto3.Session(profile_name=profile).client(
            "mturk",
            region_name=_REGION,
            endpoint_url=_LIVE if live else SANDBOX,
            config=Config(retries={"mode": "standard", "max_attempts": 5}),
        )


@contextmanager
def translated_errors(doing: str) -> Iterator[None]:
    """Say what of boto3 goes wrong as an error of ours, which says what to do."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        raise _refused(error, doing) from None
    except BotoCoreError as error:
        raise _unreached(error, doing) from None


def was_processed(error: MechanicalTurkError) -> bool:
    """Whether the service had done this already, for the same token."""
    return "already been processed" in error.detail or error.code.lower() in ("duplicaterequest", "alreadyexists")


def is_undecided(error: MechanicalTurkError) -> bool:
    """Whether the service refused because of what has been decided about an assignment."""
    return error.code == "InvalidAssignmentState" or "can be called with a status of" in error.detail


def hits_in(text: str) -> list[str]:
    """What looks like the name of a HIT in a text."""
    return _ID.findall(text)


def money(amount: object, name: str) -> str:
    """An amount in dollars as the service takes it.

    >>> money("0.5", "reward"), money(3, "reward")
    ('0.50', '3.00')
    """
    try:
        if isinstance(amount, bool) or not isinstance(amount, str | int | float | Decimal):
            raise InvalidOperation
        dollars = Decimal(str(amount).strip())
        if not dollars.is_finite() or dollars <= 0 or dollars != round(dollars, 2):
            raise InvalidOperation
    except InvalidOperation:
        raise MechanicalTurkError(
            f"{name} = {quote_value(amount)} is no amount in dollars: write a number greater than 0 with at most two "
            'decimals and nothing else, such as "0.50".',
            value=amount,
            column=name,
        ) from None
    return f"{dollars:.2f}"


def between(name: str, value: object, low: float, high: float, *, whole_number: bool = False) -> float:
    """A number, checked."""
    ok = isinstance(value, int) or (isinstance(value, float) and not whole_number)
    if isinstance(value, bool) or not ok or not low <= value <= high:  # type: ignore[operator]
        kind = "a whole number" if whole_number else "a number"
        raise MechanicalTurkError(
            f"{name} = {quote_value(value)} must be {kind} from {low:,g} to {high:,g}.", value=value, column=name
        )
    return float(value)  # type: ignore[arg-type]


def as_text(name: str, value: object, longest: int) -> str:
    """A text that is not empty, and not too long for the service."""
    if not isinstance(value, str) or not value.strip() or len(value) > longest:
        raise MechanicalTurkError(
            f"{name} = {quote_value(value)} must be a text of 1 to {longest} characters.", value=value, column=name
        )
    return value


def question(address: str, frame_height: int = 0) -> str:
    r"""The question of a HIT that shows a page of ours in its frame.

    >>> print(question("https://judge.example.org/?a=1&b=2").replace("><", ">\n<").split(".xsd")[1])
    ">
    <ExternalURL>https://judge.example.org/?a=1&amp;b=2</ExternalURL>
    <FrameHeight>0</FrameHeight>
    </ExternalQuestion>
    """
    if not isinstance(address, str) or not is_web_address(address) or urlsplit(address).scheme.lower() != "https":
        raise MechanicalTurkError(
            f"{quote_value(address)} is no address that Mechanical Turk can show: it must begin with "
            f"https://, and lead to "
            "the study's page as workers reach it.",
            value=address,
            column="address",
        )
    full = address if urlsplit(address).path or "?" in address else f"{address}/"
    return (
        f'<ExternalQuestion xmlns="{SCHEMA}"><ExternalURL>{escape(full)}</ExternalURL>'
        f"<FrameHeight>{frame_height}</FrameHeight></ExternalQuestion>"
    )


def table(assignments: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Assignments as the service gives them, as a table."""
    names = {"assignment": "AssignmentId", "worker": "WorkerId", "hit": "HITId", "status": "AssignmentStatus"}
    cells = {name: [assignment.get(key) for assignment in assignments] for name, key in names.items()}
    frame = pd.DataFrame(cells, dtype=object)
    for name, key in (("accepted", "AcceptTime"), ("submitted", "SubmitTime")):
        times = [assignment.get(key) for assignment in assignments]
        frame[name] = pd.to_datetime(pd.Series(times, dtype=object), utc=True)
    frame["seconds"] = (frame["submitted"] - frame["accepted"]).dt.total_seconds()
    codes = [_answers(assignment).get("completionCode", "") for assignment in assignments]
    frame["code"] = pd.Series(codes, dtype=object)
    return frame


def _answers(assignment: Mapping[str, Any]) -> dict[str, str]:
    """What a worker answered. The document is Amazon's and always of one form, which needs no reader of XML."""
    return {unescape(name): unescape(text) for name, text in _ANSWER.findall(assignment.get("Answer") or "")}


def _refused(error: ClientError, doing: str) -> MechanicalTurkError:
    response = error.response
    plain = str(response.get("Error", {}).get("Code", ""))
    code = str(response.get("TurkErrorCode") or plain).removeprefix("AWS.MechanicalTurk.").removeprefix("AWS.")
    if _SIGNED.search(plain) or _SIGNED.search(code):
        return MechanicalTurkError(f"cannot {doing}: {_INVALID_KEY} ({code})", code, value=code)
    message = _STAMP.sub("", str(response.get("Error", {}).get("Message", "")))
    advice = _ADVICE.get(code) or _ADVICE.get(plain) or ""
    return MechanicalTurkError(
        " ".join(f"cannot {doing}: {message} ({code}). {advice}".split()), code, message, value=code
    )


def _unreached(error: BotoCoreError, doing: str) -> MechanicalTurkError:
    name = type(error).__name__
    if "Credential" in name or "Token" in name or "Profile" in name or "Authorization" in name:
        return MechanicalTurkError(
            f"cannot {doing}: there are no credentials that boto3 can use ({name}). Put an access key into "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or into a profile by `aws configure`.",
            name,
            value=name,
        )
    if name == "ParamValidationError":
        return MechanicalTurkError(f"cannot {doing}: {error}", name, str(error), value=name)
    return MechanicalTurkError(
        f"cannot {doing}: Mechanical Turk cannot be reached ({name}: {error}). {_AGAIN}", name, value=name
    )
