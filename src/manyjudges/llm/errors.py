"""Errors of calls: why one got no answer, whether that may pass, and how long the service asks to wait."""

from __future__ import annotations

__all__ = ["CallFailure"]

import email.utils
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

NO_ANSWER_IN_TIME = "no answer came in time"


@dataclass(frozen=True)
class CallFailure:
    """Why a call got no answer.

    Attributes
    ----------
    kind : str
        ``"passing"``: worth another try. ``"crowded"``: too, but for all calls of the model. ``"refused"``: the service
        refuses what is in the call. ``"final"``: no call will get an answer until somebody changes something.
    message : str
        In words, without the key.
    wait : float, optional
        Seconds that the service asks to wait; None where it does not say.
    advice : str
        What to do, where it is final.
    """

    kind: Literal["passing", "crowded", "refused", "final"]
    message: str
    wait: float | None = None
    advice: str = ""


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
