"""Arrivals from Mechanical Turk: its workers see the study's page in a frame, and judge in a tab of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from manyjudges.study.arrivals import Arrival, Marketplace, read_names

HOSTS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
"""The two addresses of Mechanical Turk that show our page in a frame and take a finished assignment."""

_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""What Mechanical Turk says of an assignment that nobody has accepted yet."""

_SUBMIT = "/mturk/externalSubmit"


def arrival(parameters: Mapping[str, Any]) -> Arrival | None:
    """Who arrives by an address with an ``assignmentId``."""
    if "assignmentId" not in parameters:
        return None
    preview = parameters.get("assignmentId") == _PREVIEW
    names = read_names(parameters, "assignmentId" if preview else "workerId", ("assignmentId", "hitId", "workerId"))
    address = str(parameters.get("turkSubmitTo", ""))
    return Arrival(
        "mturk",
        "" if preview else names["workerId"],
        details={name: names[name] for name in ("assignmentId", "hitId") if name in names},
        parameters=names | ({"turkSubmitTo": address} if address else {}),
        submit_to=submit_address(address),
        submit_fields={"assignmentId": names["assignmentId"]} if "assignmentId" in names else {},
        frames=HOSTS,
    )


def submit_address(address: str) -> str:
    """Where an assignment is handed in, where the address is one of Amazon's two; otherwise nothing.

    >>> submit_address("https://workersandbox.mturk.com"), submit_address("https://example.org")
    ('https://workersandbox.mturk.com/mturk/externalSubmit', '')
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    origin = f"{parts.scheme}://{parts.netloc}"  # with a user or a port it is neither of the two
    return origin + _SUBMIT if origin in HOSTS else ""


MARKETPLACE = Marketplace(
    "mturk",
    "Mechanical Turk",
    arrival,
    enter_as="as the address of an external question",
    adds=("workerId", "assignmentId", "hitId", "turkSubmitTo"),
    task="HIT",
    when_done="Copy it, go back to the tab with the HIT, enter it there and submit.",
)
"""What pages know of Mechanical Turk."""
