"""Errors of Prolific in our words, none of which shows the token."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from manyjudges.exceptions import ProlificError

TOKEN_VARIABLE = "PROLIFIC_TOKEN"  # noqa: S105 (the name of a variable)
"""The environment variable that has the API token."""

AGAIN = "Wait a minute and call again."
_ADVICE = {
    400: "Nothing was done; correct what it names.",
    403: "The token's account may not do this: check that it is a member of the workspace.",
    404: "There is no such study or submission, or the token's account may not see it.",
    429: f"Too many calls in a short time. {AGAIN}",
}
"""What to do, by the status of the reply."""


@dataclass(frozen=True)
class HttpReply:
    """What came back: a status and a text; or, with status 0, why nothing did."""

    status: int
    text: str
    wait: float | None = None
    reached: bool = True

    @property
    def passing(self) -> bool:
        """Whether the same call may well succeed later."""
        return self.status in (0, 408, 429) or self.status >= 500

    @property
    def uncertain(self) -> bool:
        """Whether Prolific may have done what was asked all the same."""
        return self.reached and (self.status in (0, 408) or self.status >= 500)


def check_token() -> None:
    """Raise ProlificError where the environment has no token. It is bound to no name, which traces could show."""
    if not os.environ.get(TOKEN_VARIABLE, "").strip():
        raise ProlificError(
            f"there is no API token: put one into the environment variable {TOKEN_VARIABLE}. Prolific makes it under "
            "Settings, API tokens.",
            column=TOKEN_VARIABLE,
        )
    if not _is_token(os.environ[TOKEN_VARIABLE].strip()):
        raise ProlificError(
            f"what the environment variable {TOKEN_VARIABLE} has is no API token: there are blanks, or letters "
            "that no token has, in it. It is the token alone, without the word Token.",
            column=TOKEN_VARIABLE,
        )


def without_token(text: str) -> str:
    """A text in which the token does not stand."""
    return text.replace(os.environ.get(TOKEN_VARIABLE, "").strip() or "\0", "…")


def _is_token(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


def refused(reply: HttpReply, doing: str) -> ProlificError:
    """What a reply that is no success says, as an error of ours, which says what to do."""
    if reply.status == 0:
        problem = f"Prolific cannot be reached ({reply.text}). {AGAIN}"
        return ProlificError(f"cannot {doing}: {problem}", 0, uncertain=reply.uncertain, value=0)
    if reply.status == 401:  # what it says may repeat the token
        return ProlificError(
            f"cannot {doing}: Prolific does not accept the token in {TOKEN_VARIABLE} (401). Make a new one under "
            "Settings, API tokens.",
            401,
            value=401,
            column=TOKEN_VARIABLE,
        )
    if reply.status // 100 == 3:
        return ProlificError(
            f"cannot {doing}: the address has moved ({reply.status}); is it right?", reply.status, value=reply.status
        )
    reason = _reason(reply.text)
    advice = f"Prolific cannot answer now. {AGAIN}" if reply.status >= 500 else _ADVICE.get(reply.status, "")
    message = " ".join(f"cannot {doing}: {reason} ({reply.status}). {advice}".split())
    return ProlificError(message, reply.status, reason, reply.uncertain, value=reply.status)


def _reason(text: str) -> str:
    """What an error says, without what is around it."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return "no reason given"
    error = tree.get("error", tree) if isinstance(tree, Mapping) else tree
    detail = (
        (error.get("detail") or error.get("title") or error.get("message")) if isinstance(error, Mapping) else error
    )
    return _words(detail).rstrip(".")[:1000] or "no reason given"


def _words(detail: object) -> str:
    """What is wrong with each field, as one sentence."""
    if isinstance(detail, Mapping):
        return "; ".join(f"{name}: {_words(part).rstrip('.')}" for name, part in detail.items())
    if isinstance(detail, list):
        return ", ".join(_words(part) for part in detail)
    return "" if detail is None else str(detail)
