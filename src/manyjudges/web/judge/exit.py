"""Exit: a pause, or the end with thanks, pay and a completion code."""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from manyjudges.web.judge import display
from manyjudges.web.judge.batch import CurrentWorker, about
from manyjudges.web.judge.entry import ALPHABET
from manyjudges.web.pages import page
from manyjudges.web.security import Form

if TYPE_CHECKING:
    from manyjudges.store.records import Batch, Worker

router = APIRouter(include_in_schema=False)


def _completion_code(request: Request, worker: Worker) -> str:
    """The study's code, or one of this worker alone: always the same, and not to be guessed."""
    state = request.app.state
    if state.study.entry.completion_code:
        return str(state.study.entry.completion_code)
    digest = hmac.new(state.store.secret.encode(), f"completion:{worker.name}".encode(), hashlib.sha256).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:10])


@router.get("/pause")
def pause(request: Request, worker: CurrentWorker) -> Response:
    """A page to rest on."""
    batch = _held(request, worker)
    return page(
        request,
        "pause.html.jinja",
        batch=batch,
        given_back="back" in request.query_params,
        left_in_words=display.minutes_left(batch.expires_at - time.time()) if batch else "",
        **about(request, worker),
    )


@router.get("/done")
def done(request: Request, worker: CurrentWorker) -> Response:
    """Thanks, pay and the way back to where the worker came from."""
    study = request.app.state.study
    marketplace = request.app.state.marketplaces.get(worker.source)
    return page(
        request,
        "done.html.jinja",
        batch=_held(request, worker),
        pay=display.money(study, worker.earned),
        completion=_completion_code(request, worker) if worker.judged else "",
        when_done=marketplace.when_done if marketplace is not None else "",
        address=study.entry.completion_address or "",
        **about(request, worker),
    )


@router.post("/done")
def finish(request: Request, worker: CurrentWorker, form: Form) -> Response:
    """Hand back what is out, since its judge leaves."""
    batch = _held(request, worker)
    if batch is not None:
        request.app.state.store.release(batch.id, worker.id)
    return RedirectResponse("/done", 303)


def _held(request: Request, worker: Worker) -> Batch | None:
    """The batch that this session saw last, where it is still out."""
    clock = request.session.get("clock")
    batch: Batch | None = request.app.state.store.batch(clock[0], worker.id) if clock else None
    return batch if batch is not None and batch.state == "out" and batch.expires_at > time.time() else None
