"""Drafts: what Prolific is told about a study, as the body of a request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.prolific.service import minor
from manyjudges.connectors.registry import WRITE_ONLY, ConnectorOption
from manyjudges.exceptions import ProlificError
from manyjudges.study.addresses import is_web_address

if TYPE_CHECKING:
    from manyjudges.connectors.requests import Requests
    from manyjudges.study.config import Study

WHO = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
"""Where Prolific puts the names in, by which the study's page knows who comes."""

_DEVICES = ("desktop", "tablet", "mobile")
_MANUALLY, _AUTOMATICALLY = "MANUALLY_REVIEW", "AUTOMATICALLY_APPROVE"
_COMPLETE = "https://app.prolific.com/submissions/complete?cc="
_OPTIONAL = ("maximum_allowed_time", "project")
_COMPARED_FIELDS = ("name", "external_study_url", "reward", "total_available_places", "estimated_completion_time")
"""Fields in which a draft that is there already must be what is wanted now."""


@dataclass(frozen=True)
class StudyTerms:
    """What participants are offered. What is None is not known yet.

    Attributes
    ----------
    reward : str, int or Decimal
        For one participant, in units of the account's currency.
    places : int
        How many participants.
    minutes : int
        How long it takes, as participants read it.
    internal_name : str
        A name of your own, by which the study is found again.
    page : str
        The address of the study's page.
    code : str
        The completion code.
    description : str
        What participants read before they begin; plain text, whose paragraphs blank lines part.
    most_minutes : int
        How long it may take at most.
    devices : sequence of str
        On which it can be done: ``"desktop"``, ``"tablet"``, ``"mobile"``.
    approve : bool
        Whether whoever enters the code is approved and paid at once; otherwise you look first.
    filters : sequence of mapping
        Who may take part, as the service's filters.
    project : str
        The id of the project in which it is made; otherwise your default one.
    """

    reward: Any = None
    places: int | None = None
    minutes: int | None = None
    internal_name: str | None = None
    page: str | None = None
    code: str | None = None
    description: str | None = None
    most_minutes: int | None = None
    devices: Sequence[str] = _DEVICES
    approve: bool = False
    filters: Sequence[Mapping[str, Any]] = ()
    project: str | None = None


OFFER = {
    "reward": ConnectorOption("text", "What one participant gets, in units of the account's currency", on=WRITE_ONLY),
    "places": ConnectorOption(
        "whole number", "How many participants; by default as many as an object needs", on=WRITE_ONLY
    ),
    "minutes": ConnectorOption("whole number", "How long it takes, as participants read it", on=WRITE_ONLY),
    "internal_name": ConnectorOption("text", "A name of your own, by which the study is found again", on=WRITE_ONLY),
    "page": ConnectorOption("text", "The address of the study's page; by default that of the study", on=WRITE_ONLY),
    "code": ConnectorOption("text", "The completion code; by default that of the study", on=WRITE_ONLY),
    "description": ConnectorOption(
        "text", "What participants read before they begin; default: the welcome", on=WRITE_ONLY
    ),
    "most_minutes": ConnectorOption("whole number", "How long it may take at most", on=WRITE_ONLY),
    "devices": ConnectorOption(
        "text", "A device on which it can be done; by default all", several=True, choices=_DEVICES, on=WRITE_ONLY
    ),
    "approve": ConnectorOption(
        "yes or no", "Whether to approve and pay whoever enters the code at once; default: no", on=WRITE_ONLY
    ),
    "project": ConnectorOption("text", "The id of the project; by default your default one", on=WRITE_ONLY),
}
"""The terms of a draft that are plain values, as options; filters are not."""


def body_of(study: Study | Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a draft, with all that it needs."""
    if isinstance(study, Mapping):
        if options:
            raise ProlificError(
                f"the draft says it all; {list_names(options)} must stand in it.",
                value=next(iter(options)),
                column=next(iter(options)),
            )
        body = dict(study)
    else:
        check_entry(study)
        body = draft(study, terms_of(options), study)
    _check_complete(body)
    return body


def terms_of(options: Mapping[str, Any]) -> StudyTerms:
    """Terms by their names."""
    strange = [name for name in options if name not in StudyTerms.__dataclass_fields__]
    if strange:
        raise ProlificError(
            f"there is no option {list_names(strange)}; there are "
            f"{list_names(StudyTerms.__dataclass_fields__, limit=20)}.",
            value=strange[0],
            column=strange[0],
        )
    return StudyTerms(**options)


def draft(source: Study | Requests, study_terms: StudyTerms, study: Study | None = None) -> dict[str, Any]:
    """The body that makes a draft; None stands where something is not known.

    Parameters
    ----------
    source : Study or Requests
        Whose title and welcome participants read.
    study_terms : StudyTerms
    study : Study, optional
        That has the page and the code, unless the terms say them.
    """
    code = study_terms.code or (None if study is None else _code(study))
    page = study_terms.page or (None if study is None else study.server.address)
    action = _AUTOMATICALLY if study_terms.approve else _MANUALLY
    body = {
        "name": source.title,
        "internal_name": _text("internal_name", study_terms.internal_name),
        "description": _html(study_terms.description or source.welcome),
        "external_study_url": None if page is None else _with_names(page),
        "prolific_id_option": "url_parameters",
        "completion_codes": [{"code": code, "code_type": "COMPLETED", "actions": [{"action": action}]}],
        "total_available_places": _whole("places", study_terms.places),
        "estimated_completion_time": _whole("minutes", study_terms.minutes),
        "maximum_allowed_time": _whole("most_minutes", study_terms.most_minutes),
        "reward": None if study_terms.reward is None else minor(study_terms.reward, "reward"),
        "device_compatibility": _devices(study_terms.devices),
        "peripheral_requirements": [],
        "filters": [dict(filter_) for filter_ in study_terms.filters],
        "project": study_terms.project,
    }
    return {name: value for name, value in body.items() if value is not None or name not in _OPTIONAL}


def check_entry(study: Study) -> None:
    """Raise ProlificError where a study would not know who comes from Prolific."""
    if not study.entry.allows("prolific"):
        raise ProlificError(
            f"{study.place('entry', 'prolific')}: entry.prolific = false, so that the page would not know participants "
            "by their names at Prolific; set it to true, and start the server anew.",
            value=False,
            **study.located("entry", "prolific"),
        )


def _check_complete(body: Mapping[str, Any]) -> None:
    """Raise ProlificError where something in a body is not known, or money is not a whole number of cents."""
    options = {
        "reward": "reward",
        "total_available_places": "places",
        "estimated_completion_time": "minutes",
        "internal_name": "internal_name",
        "external_study_url": "page, or address under [server] in study.toml",
        "description": "description, or welcome in study.toml",
    }
    missing = [f"{name} ({option})" for name, option in options.items() if body.get(name) is None]
    codes = body.get("completion_codes") or [{}]
    if any(not isinstance(entry, Mapping) or not entry.get("code") for entry in codes):
        missing.append("completion_codes (completion_code under [entry] in study.toml)")
    if missing:
        raise ProlificError(
            f"Prolific needs more to make a draft: {'; '.join(missing)}.", column=missing[0].partition(" ")[0]
        )
    reward = body["reward"]
    if isinstance(reward, bool) or not isinstance(reward, int) or reward < 1:
        raise ProlificError(
            f"reward = {quote_value(reward)} in the draft must be a whole number of cents or pence, as 150.",
            value=reward,
            column="reward",
        )


def difference(body: Mapping[str, Any], there: Mapping[str, Any]) -> str:
    """In what a draft that is there differs from what is wanted, in words; empty where it does not."""
    differs = [name for name in _COMPARED_FIELDS if name in there and _compared(name, there) != _compared(name, body)]
    return "; ".join(
        f"{name} is {quote_value(there[name])} instead of {quote_value(body.get(name))}" for name in differs
    )


def _compared(name: str, body: Mapping[str, Any]) -> Any:
    """A field as it is compared; the query of an address may come back written in another way."""
    value = body.get(name)
    return urlsplit(value)[:3] if name == "external_study_url" and isinstance(value, str) else value


def _with_names(page: str) -> str:
    """The address of a page, such that it is told who comes.

    >>> _with_names("https://judge.example.org").split("&")[0]
    'https://judge.example.org/?PROLIFIC_PID={{%PROLIFIC_PID%}}'
    """
    if not isinstance(page, str) or not is_web_address(page) or "#" in page or "PROLIFIC_PID" in page:
        raise ProlificError(
            f"{quote_value(page)} is no address of a study's page: it must begin with https://, without "
            f"# and without the "
            "names that Prolific puts in, which are added here.",
            value=page,
            column="page",
        )
    parts = urlsplit(page)
    if parts.hostname in ("localhost", "127.0.0.1", "0.0.0.0", "::1"):  # noqa: S104 (refused)
        raise ProlificError(
            f"nobody but you can reach {page}; say how participants reach the page.", value=page, column="page"
        )
    if parts.query:
        return f"{page}&{WHO}"
    return f"{page.rstrip('?').rstrip('/')}/?{WHO}"


def _code(study: Study) -> str | None:
    """The code of a study, and of the address to which its judges are sent at the end, which must be the same."""
    entry = study.entry
    linked = parse_qs(urlsplit(entry.completion_address or "").query).get("cc", [None])[0]
    if entry.completion_code and linked and entry.completion_code != linked:
        raise ProlificError(
            f"{study.place('entry', 'completion_address')}: the address ends in the code {linked!r}, but "
            f"entry.completion_code is {entry.completion_code!r}; they must be the same: "
            f"{_COMPLETE}{entry.completion_code}",
            value=linked,
            **study.located("entry", "completion_address"),
        )
    return entry.completion_code or linked


def _html(text: str) -> str | None:
    """A text's paragraphs, in the few tags that Prolific knows."""
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return "".join(f"<p>{escape(part, quote=False)}</p>" for part in parts if part) or None


def _text(name: str, value: object) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise ProlificError(
            f"{name} = {quote_value(value)} must be a text that is not empty.", value=value, column=name
        )
    return value


def _whole(name: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ProlificError(
            f"{name} = {quote_value(value)} must be a whole number of 1 or more.", value=value, column=name
        )
    return value


def _devices(one_or_several: Sequence[str]) -> list[str]:
    devices = [one_or_several] if isinstance(one_or_several, str) else list(one_or_several)
    strange = [device for device in devices if device not in _DEVICES]
    if strange or not devices:
        raise ProlificError(
            f"devices = {quote_value(one_or_several)} must be some of {list_names(_DEVICES)}.",
            value=one_or_several,
            column="devices",
        )
    return devices
