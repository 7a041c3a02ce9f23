"""Entry: by a personal link, by the open link, or from a marketplace."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from manyjudges.exceptions import StudyError
from manyjudges.web.pages import allowed_marketplaces, hidden, page, paragraphs
from manyjudges.web.security import TOKEN_PATTERN, Form, address_of

if TYPE_CHECKING:
    from manyjudges.store.records import Worker
    from manyjudges.study.arrivals import Arrival

router = APIRouter(include_in_schema=False)


ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_CODE = re.compile(f"[{ALPHABET}-]{{4,20}}")
"""For codes that people copy by hand: nothing that looks like something else."""


def new_code() -> str:
    """A code by which somebody from the open link comes back: unguessable, and easy to copy."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(4)) for _ in range(3))


def current(request: Request) -> Worker:
    """The worker of this session, who has agreed to what the study asks; otherwise on to the start."""
    worker = _current_worker(request)
    if worker is None or (_asks(request) and not worker.consented):
        raise HTTPException(303, headers={"Location": "/"})
    return worker


def _current_worker(request: Request) -> Worker | None:
    """The worker of this session, if there is one."""
    id_ = request.session.get("worker")
    worker: Worker | None = request.app.state.store.worker(id_) if isinstance(id_, int) else None
    return worker


def own_code(worker: Worker) -> str:
    """The code to come back with; only those from the open link have one."""
    return worker.external or "" if worker.source == "open" else ""


@router.get("/")
def start(request: Request) -> Response:
    """The page that everybody sees first."""
    came = _arrival(request, request.query_params)
    if came is not None and came.frames and "tab" not in request.query_params:
        return _framed(request, came)
    worker = _current_worker(request)
    if worker is not None and (came is None or (came.source, came.external) == (worker.source, worker.external)):
        return _welcome(request, "back", "/agree", worker=worker)
    if request.app.state.store.state == "closed":
        return _welcome(request, "over", "")
    if came is not None:
        return _welcome(request, "start", "/enter", parameters=came.parameters)
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
        return _welcome(
            request, "start", "/enter", status=422, unticked=True, parameters=came.parameters if came else {}
        )
    source, name, details = (came.source, came.external, came.details) if came else ("open", new_code(), {})
    return _let_in(request, state.store.enter(source, name, details=details, consented=_asks(request)))


@router.post("/agree")
def agree(request: Request, form: Form) -> Response:
    """Agree, for somebody who is in already."""
    worker = _current_worker(request)
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
    worker: Worker | None = request.app.state.store.admit(token if TOKEN_PATTERN.fullmatch(token) else "-")
    return worker


def _not_admitted(request: Request) -> Response:
    """One answer for links that are unknown and for those that are over: neither says which it is."""
    return page(request, "unknown_link.html.jinja", 404)


def _let_in(request: Request, worker: Worker) -> Response:
    request.session.clear()  # with it goes the token of whoever was here before
    request.session["worker"] = worker.id
    return RedirectResponse("/judge", 303)


def _arrival(request: Request, parameters: Mapping[str, Any]) -> Arrival | None:
    """Who arrives by an address or a form; None where no marketplace that the study allows sends them."""
    for marketplace in allowed_marketplaces(request):
        try:
            arrival = marketplace.find_arrival(parameters)
        except StudyError:
            raise HTTPException(422) from None
        if arrival is not None:
            return arrival
    return None


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
    parameters: Mapping[str, str] | None = None,
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
        fields=[hidden(name, value) for name, value in (parameters or {}).items()],
        unticked=unticked,
        unknown_code=unknown_code,
    )


def _framed(request: Request, came: Arrival) -> Response:
    """What a marketplace shows in its frame, where no cookie of ours comes along: the work opens in a tab."""
    request.state.frames = came.frames
    return page(
        request,
        "framed.html.jinja",
        welcome=paragraphs(request.app.state.study.welcome or ""),
        preview=not came.external,
        tab="/?" + urlencode({**came.parameters, "tab": "1"}),
        submit_to=came.submit_to,
        fields=[hidden(name, value) for name, value in came.submit_fields.items()],
        marketplace=request.app.state.marketplaces[came.source],
    )
