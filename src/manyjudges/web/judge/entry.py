"""Entering: by a personal link, by the open link, or from Prolific and Mechanical Turk."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from manyjudges.web.pages import hidden, page, paragraphs
from manyjudges.web.security import MTURK, TOKEN, Form, address_of

if TYPE_CHECKING:
    from manyjudges.store.records import Worker

router = APIRouter(include_in_schema=False)


PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""What Mechanical Turk says of an assignment that nobody has accepted yet."""

SUBMIT = "/mturk/externalSubmit"
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_CODE = re.compile(f"[{ALPHABET}-]{{4,20}}")
"""For codes that people copy by hand: nothing that looks like something else."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class Arrival:
    """Somebody whom a marketplace sends, as its address says.

    Attributes
    ----------
    source : str
        ``"prolific"`` or ``"mturk"``.
    external : str
        The worker's name there; empty in a preview.
    details : dict
        What else came along.
    given : dict
        The parameters as they came, to hand them on.
    submit_to : str
        Where Mechanical Turk takes the finished assignment; empty elsewhere.
    """

    source: str
    external: str
    details: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    submit_to: str = ""


def arrival(given: Mapping[str, Any], *, prolific: bool, mturk: bool) -> Arrival | None:
    """Who arrives by an address or a form; None where no marketplace that is allowed sends them."""
    if prolific and "PROLIFIC_PID" in given:
        found = _named(given, "PROLIFIC_PID", {"STUDY_ID": "study", "SESSION_ID": "session"})
        return Arrival("prolific", found["PROLIFIC_PID"], _details(found, "STUDY_ID", "SESSION_ID"), found)
    if mturk and "assignmentId" in given:
        return _from_turk(given)
    return None


def _from_turk(given: Mapping[str, Any]) -> Arrival:
    preview = given.get("assignmentId") == PREVIEW
    found = _named(given, "assignmentId" if preview else "workerId", {"assignmentId": "", "hitId": "", "workerId": ""})
    address = str(given.get("turkSubmitTo", ""))
    if address:
        found["turkSubmitTo"] = address
    worker = "" if preview else found["workerId"]
    return Arrival("mturk", worker, _details(found, "assignmentId", "hitId"), found, submit_address(address))


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
    return origin + SUBMIT if origin in MTURK else ""


def _named(given: Mapping[str, Any], needed: str, also: Mapping[str, str]) -> dict[str, str]:
    """The parameters of these names, checked; 422 where one is not what a marketplace sends."""
    found = {name: str(given[name]) for name in (needed, *also) if given.get(name)}
    if needed not in found or not all(_NAME.fullmatch(value) for value in found.values()):
        raise HTTPException(422)
    return found


def _details(found: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: found[name] for name in names if name in found}


def new_code() -> str:
    """A code by which somebody from the open link comes back: unguessable, and easy to copy."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(4)) for _ in range(3))


def current(request: Request) -> Worker:
    """The worker of this session, who has agreed to what the study asks; otherwise on to the start."""
    worker = known(request)
    if worker is None or (_asks(request) and not worker.consented):
        raise HTTPException(303, headers={"Location": "/"})
    return worker


def known(request: Request) -> Worker | None:
    """The worker of this session, if there is one."""
    id_ = request.session.get("worker")
    found: Worker | None = request.app.state.store.worker(id_) if isinstance(id_, int) else None
    return found


def own_code(worker: Worker) -> str:
    """The code to come back with; only those from the open link have one."""
    return worker.external or "" if worker.source == "open" else ""


@router.get("/")
def start(request: Request) -> Response:
    """The page that everybody sees first."""
    came = _arrival(request, request.query_params)
    if came is not None and came.source == "mturk" and "tab" not in request.query_params:
        return _framed(request, came)
    worker = known(request)
    if worker is not None and (came is None or (came.source, came.external) == (worker.source, worker.external)):
        return _welcome(request, "back", "/agree", worker=worker)
    if request.app.state.store.state == "closed":
        return _welcome(request, "over", "")
    if came is not None:
        return _welcome(request, "start", "/enter", given=came.given)
    return _welcome(request, "start" if request.app.state.study.entry.open else "uninvited", "/enter")


@router.post("/enter")
def enter(request: Request, form: Form) -> Response:
    """Enter by the open link, or from a marketplace."""
    state = request.app.state
    state.limits.entering.check(address_of(request))
    came = _arrival(request, form)
    if came is not None and not came.external:
        raise HTTPException(422)
    if came is None and not state.study.entry.open:
        return _welcome(request, "uninvited", "/enter", status=403)
    if not _agreed(request, form):
        return _welcome(request, "start", "/enter", status=422, unticked=True, given=came.given if came else {})
    source, name, details = (came.source, came.external, came.details) if came else ("open", new_code(), {})
    return _let_in(request, state.store.enter(source, name, details=details, consented=_asks(request)))


@router.post("/agree")
def agree(request: Request, form: Form) -> Response:
    """Agree, for somebody who is in already."""
    worker = known(request)
    if worker is None:
        return RedirectResponse("/", 303)
    if not worker.consented and not _agreed(request, form):
        return _welcome(request, "back", "/agree", status=422, worker=worker, unticked=True)
    request.app.state.store.consent(worker.id)
    return RedirectResponse("/judge", 303)


@router.post("/return")
def come_back(request: Request, form: Form) -> Response:
    """Come back with the code of the open link, on another device."""
    state = request.app.state
    state.limits.entering.check(address_of(request))
    code = "".join(str(form.get("code", "")).upper().split())[:64]
    worker = state.store.find_worker(code) if _CODE.fullmatch(code) else None
    if worker is None or worker.source != "open" or worker.external != code:
        mode = "start" if state.study.entry.open else "uninvited"
        return _welcome(request, mode, "/enter", status=404, unknown_code=True)
    return _let_in(request, worker)


@router.post("/leave")
def leave(request: Request, form: Form) -> Response:
    """Forget who is at this device."""
    request.session.clear()
    return RedirectResponse("/", 303)


@router.get("/w/{token}")
def personal(request: Request, token: str) -> Response:
    """The page behind a personal link."""
    worker = _admitted(request, token)
    return _welcome(request, "start", f"/w/{token}", worker=worker) if worker else _not_admitted(request)


@router.post("/w/{token}")
def enter_personally(request: Request, token: str, form: Form) -> Response:
    """Enter by a personal link."""
    worker = _admitted(request, token)
    if worker is None:
        return _not_admitted(request)
    if not worker.consented:
        if not _agreed(request, form):
            return _welcome(request, "start", f"/w/{token}", status=422, worker=worker, unticked=True)
        if _asks(request):
            request.app.state.store.consent(worker.id)
    return _let_in(request, worker)


def _admitted(request: Request, token: str) -> Worker | None:
    request.app.state.limits.entering.check(address_of(request))
    found: Worker | None = request.app.state.store.admit(token if TOKEN.fullmatch(token) else "-")
    return found


def _not_admitted(request: Request) -> Response:
    """One answer for links that are unknown and for those that are over: neither says which it is."""
    return page(request, "unknown_link.html.jinja", 404)


def _let_in(request: Request, worker: Worker) -> Response:
    request.session.clear()  # with it goes the token of whoever was here before
    request.session["worker"] = worker.id
    return RedirectResponse("/judge", 303)


def _arrival(request: Request, given: Mapping[str, Any]) -> Arrival | None:
    entry = request.app.state.study.entry
    return arrival(given, prolific=entry.prolific, mturk=entry.mturk)


def _asks(request: Request) -> bool:
    return bool((request.app.state.study.consent or "").strip())


def _agreed(request: Request, form: FormData) -> bool:
    return not _asks(request) or form.get("agree") == "yes"


def _welcome(
    request: Request,
    mode: str,
    action: str,
    *,
    status: int = 200,
    worker: Worker | None = None,
    given: Mapping[str, str] | None = None,
    unticked: bool = False,
    unknown_code: bool = False,
) -> Response:
    study = request.app.state.study
    return page(
        request,
        "entry.html.jinja",
        status,
        mode=mode,
        action=action,
        welcome=paragraphs(study.welcome or ""),
        consent=[] if worker is not None and worker.consented else paragraphs(study.consent or ""),
        code=own_code(worker) if worker is not None else "",
        fields=[hidden(name, value) for name, value in (given or {}).items()],
        unticked=unticked,
        unknown_code=unknown_code,
    )


def _framed(request: Request, came: Arrival) -> Response:
    """What Mechanical Turk shows in its frame, where no cookie of ours comes along: the work opens in a tab."""
    request.state.framed = True
    return page(
        request,
        "turk.html.jinja",
        welcome=paragraphs(request.app.state.study.welcome or ""),
        preview=not came.external,
        tab="/?" + urlencode({**came.given, "tab": "1"}),
        submit_to=came.submit_to,
        assignment=came.given.get("assignmentId", ""),
    )
