"""Arrivals from Prolific, which puts the names of participant, study and session into the address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyjudges.study.arrivals import Arrival, Marketplace, read_names


def arrival(parameters: Mapping[str, Any]) -> Arrival | None:
    """Who arrives by an address with a ``PROLIFIC_PID``."""
    if "PROLIFIC_PID" not in parameters:
        return None
    names = read_names(parameters, "PROLIFIC_PID", ("STUDY_ID", "SESSION_ID"))
    details = {name: value for name, value in names.items() if name != "PROLIFIC_PID"}
    return Arrival("prolific", names["PROLIFIC_PID"], details=details, parameters=names)


MARKETPLACE = Marketplace(
    "prolific",
    "Prolific",
    arrival,
    query="?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
)
"""What pages know of Prolific, which puts the names in place of what stands in braces."""
