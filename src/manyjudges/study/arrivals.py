"""Arrivals: people whom a marketplace sends to a study's page, as the address says.

Connectors know marketplaces and pages let people in; neither knows the other, and both know this.
"""

from __future__ import annotations

__all__ = ["MARKETPLACES", "Arrival", "Marketplace", "read_names"]

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StudyError

MARKETPLACES = ("prolific", "mturk")
"""The names of all marketplaces: the settings under ``[entry]`` that let people from there in.

All else about a marketplace stands in the connector of this name; a law compares the two.
"""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What marketplaces call workers, studies and assignments."""


@dataclass(frozen=True)
class Arrival:
    """Somebody whom a marketplace sends.

    Attributes
    ----------
    source : str
        The name of the marketplace's connector.
    external : str
        The worker's name there; empty in a preview.
    details : dict
        What else the address says, to keep beside the worker.
    parameters : dict
        The parameters as they came, to hand them on to the next page.
    submit_to : str
        Where the marketplace takes the finished assignment; empty where it has no such address.
    submit_fields : dict
        What goes along with a finished assignment, by the names that the marketplace has for it.
    frames : tuple of str
        The hosts that show the page in a frame of theirs; empty where people come to the page itself.
    """

    source: str
    external: str
    details: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    submit_to: str = ""
    submit_fields: dict[str, str] = field(default_factory=dict)
    frames: tuple[str, ...] = ()


_FindArrival = Callable[[Mapping[str, Any]], Arrival | None]
"""From the parameters of an address or a form to who arrives; None where they are not this marketplace's."""


@dataclass(frozen=True)
class Marketplace:
    """A marketplace that sends people to a study's page, as far as pages have to know it.

    Attributes
    ----------
    name : str
        One of ``MARKETPLACES``; also the ``source`` of who arrives.
    title : str
        What people call it.
    find_arrival : callable
        From the parameters of an address or a form to who arrives, or None.
    query : str
        What follows the study's address in the address to give there: ``"?ID={{%ID%}}"``. May be empty.
    enter_as : str
        Where to enter that address, in words that go on after the title; may be empty.
    adds : tuple of str
        The parameters that it adds to the address by itself.
    task : str
        What it calls a piece of work.
    when_done : str
        What judges are to do with their completion code; empty where they follow the study's ``completion_address``.
    """

    name: str
    title: str
    find_arrival: _FindArrival
    query: str = ""
    enter_as: str = ""
    adds: tuple[str, ...] = ()
    task: str = "task"
    when_done: str = ""


def read_names(parameters: Mapping[str, Any], required: str, optional: Sequence[str] = ()) -> dict[str, str]:
    """The parameters with these names that are not empty.

    Raises
    ------
    StudyError
        Where the required one is missing, or one is no name that a marketplace would give.
    """
    names = {name: str(parameters[name]) for name in (required, *optional) if parameters.get(name)}
    if required not in names:
        raise StudyError(f"the address has no {required}.", column=required)
    for name, value in names.items():
        if not _NAME.fullmatch(value):
            raise StudyError(f"{name} is {quote_value(value)}, which is no name.", value=value, column=name)
    return names
