"""Troubles: why a call got no answer, whether that may pass, and how long the service asks to wait."""

from __future__ import annotations

import email.utils
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from manyjudges.llm.services import Service

_PASSING = (408, 409, 429)
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance")
_FILTERED = ("content_filter", "content_policy_violation")


class NoCompletionError(Exception):
    """Something came that is no chat completion; some servers put an error of theirs into it.

    Parameters
    ----------
    said : str
    status : int
        What the error says about itself, or 200.
    body : mapping, optional
        The error.
    """

    def __init__(self, said: str, status: int = 200, body: Mapping[str, Any] | None = None) -> None:
        super().__init__(said)
        self.status_code = status
        self.body = body


@dataclass(frozen=True)
class CallFailure:
    """Why a call got no answer.

    Attributes
    ----------
    kind : str
        ``"passing"``: worth another try. ``"crowded"``: too, but for all calls of the model. ``"refused"``: the service
        refuses what is in the call. ``"final"``: no call will get an answer until somebody changes something.
    said : str
        In words, without the key.
    wait : float, optional
        Seconds that the service asks to wait; None where it does not say.
    advice : str
        What to do, where it is final.
    """

    kind: Literal["passing", "crowded", "refused", "final"]
    said: str
    wait: float | None = None
    advice: str = ""


def trouble_of(error: Exception, service: Service, now: float) -> CallFailure:
    """What an error of the client means.

    Parameters
    ----------
    error : Exception
    service : Service
    now : float
        Seconds since the epoch: services say until when to wait.
    """
    body = getattr(error, "body", None)
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return CallFailure("passing", _without_answer(error))
    said = service.without_key(_said(error, body))
    wait = wait_of(getattr(getattr(error, "response", None), "headers", None) or {}, now)
    codes = {_text(body, "code"), _text(body, "type")}
    if codes & {*_FILTERED} and status in (400, 403):
        return CallFailure("refused", said)
    if status == 402 or (status == 429 and codes & {*_NO_CREDIT}):
        return CallFailure(
            "final", said, advice=f"There is no credit left for the key in {service.variable}: add some."
        )
    if status == 429:
        return CallFailure("crowded", said, wait)
    if status < 300 or status in _PASSING or status >= 500:
        return CallFailure("passing", said, wait)
    return CallFailure("final", said, advice=_advice(status, said, _text(body, "param"), service))


def wait_of(headers: Mapping[str, str], now: float) -> float | None:
    """How many seconds the headers of a reply ask to wait; None where they do not say.

    >>> wait_of({"retry-after": "2"}, 0.0), wait_of({"retry-after-ms": "1500"}, 0.0), wait_of({}, 0.0)
    (2.0, 1.5, None)
    >>> wait_of({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 45.0)
    15.0
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return max(seconds / unit, 0.0)
    try:
        return max(email.utils.parsedate_to_datetime(headers["retry-after"]).timestamp() - now, 0.0)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _without_answer(error: Exception) -> str:
    """No reply at all came, or nothing that could be read."""
    cause = error.__cause__
    if isinstance(error, TimeoutError) or type(error).__name__ == "APITimeoutError":
        return "no answer came in time"
    if type(error).__name__ == "APIConnectionError":
        return f"no connection ({type(cause).__name__})" if cause is not None else "no connection"
    return f"what came is no chat completion ({type(error).__name__})"


def _said(error: Exception, body: object) -> str:
    """What the service says about it, on one line."""
    text = _text(body, "message") or (body if isinstance(body, str) else "") or str(error)
    words = "a page of HTML instead of an answer" if text.lstrip().startswith("<") else text
    status = getattr(error, "status_code", 200)
    return f"status {status}: {words}" if status != 200 else words


def _text(body: object, name: str) -> str:
    value = body.get(name) if isinstance(body, Mapping) else None
    return str(value) if isinstance(value, str | int) else ""


def _advice(status: int, said: str, param: str, service: Service) -> str:
    if status in (401, 403):
        unset = service.key == "none"
        held = f"No key was sent: set {service.variable}" if unset else f"Check the key in {service.variable}"
        named = ', and name it in study.toml, such as key = "MY_KEY" under [llm]' if unset else ""
        return f"{held}{named}; and whether it may use this model."
    if status == 404:
        return f"Check the name of the model, {service.model.called!r}, and the address, which mostly ends in /v1."
    words = f"{param} {said}".lower()
    if service.structured != "text" and any(
        part in words for part in ("response_format", "json_schema", "json_object")
    ):
        other = "json" if service.structured == "schema" else "text"
        return f'It may not know this form of answers: set structured = "{other}" under [llm] in study.toml.'
    if "max_tokens" in words or "max_completion_tokens" in words:
        return "It wants this limit by another name: remove max_tokens, and set the other under [models.options]."
    return "Check the model's table in study.toml, its options above all, and the object's text and picture."
