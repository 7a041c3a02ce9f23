"""Batches: a batch on a page, and what a judge does with it."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from manyjudges.base.templates import resource
from manyjudges.exceptions import UnknownBatchError
from manyjudges.store.records import Batch, Worker
from manyjudges.tables.grammar import TYPED
from manyjudges.web.images import contents, look_at
from manyjudges.web.judge import display
from manyjudges.web.judge.entry import current, own_code
from manyjudges.web.judge.form import FormAnswers, draft_of, entered_of, read_answers
from manyjudges.web.pages import page, paragraphs
from manyjudges.web.security import Form

router = APIRouter(include_in_schema=False)

CurrentWorker = Annotated[Worker, Depends(current)]

_PLACEHOLDER = "web/unseen.svg"
_ALONE = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


@router.get("/judge")
def judge(request: Request, worker: CurrentWorker) -> Response:
    """The worker's batch; a new one where none is out; why there is none where there is none."""
    state, work = request.app.state, request.app.state.study.work
    batch = state.store.lease(
        worker.id,
        size=work.batch_size,
        minutes=work.lease_minutes,
        most_judgments=work.most_judgments,
        most_batches=work.most_batches,
    )
    receipt = request.session.pop("receipt", None)
    sentences = display.receipt_in_words(state.study, receipt) if receipt else []
    if request.session.pop("gone", False):
        sentences.append("These answers could not be kept: the study was changed while you judged. We are sorry.")
    if batch is None:
        return _wait(request, worker, sentences)
    _start_clock(request, batch.id)
    entered = entered_of(batch.draft, state.study.attribute(batch.attribute))
    return _show(request, worker, batch, FormAnswers(entered=entered), sentences=sentences)


@router.get("/judge/last")
def look_again(request: Request, worker: CurrentWorker) -> Response:
    """The batch that was handed in last, to correct it."""
    batch = request.app.state.store.last_batch(worker.id)
    if batch is None or not display.open_items(batch):
        return RedirectResponse("/judge", 303)
    answers = {item.position: item.value for item in batch.items if item.answered}
    return _show(
        request,
        worker,
        batch,
        FormAnswers(entered=entered_of(answers, request.app.state.study.attribute(batch.attribute))),
    )


@router.post("/judge")
def hand_in(request: Request, worker: CurrentWorker, form: Form) -> Response:
    """Hand a batch in, pause, or hand it back."""
    store = request.app.state.store
    request.app.state.limits.submitting.check(worker.id)
    batch = store.batch(str(form.get("batch", ""))[:100], worker.id)
    if batch is None:
        request.session["gone"] = True
        return RedirectResponse("/judge", 303)
    action = form.get("action")
    if action == "release":
        store.release(batch.id, worker.id)
        return RedirectResponse("/pause?back=1", 303)
    form_answers = _read(request, batch, form)
    if action == "pause":
        _keep(request, worker, batch, form_answers)
        _stop_clock(request, batch.id)
        return RedirectResponse("/pause", 303)
    if form_answers.wrong or (form_answers.blank and (action != "incomplete" or not form_answers.answers)):
        return _show(request, worker, batch, form_answers, status=422)
    return _submit(request, worker, batch, form_answers)


def _submit(request: Request, worker: Worker, batch: Batch, form_answers: FormAnswers) -> Response:
    first = batch.state != "done"
    try:
        receipt = request.app.state.store.submit(
            batch.id, worker.id, form_answers.answers, seconds=_stop_clock(request, batch.id) if first else None
        )
    except UnknownBatchError:  # withdrawn in the meantime
        request.session["gone"] = True
        return RedirectResponse("/judge", 303)
    request.session["receipt"] = asdict(receipt)
    return RedirectResponse("/judge", 303)


@router.post("/judge/{batch_id}/alive")
def stay(request: Request, worker: CurrentWorker, batch_id: str, form: Form) -> Response:
    """The judge is still at it: keeps the answers so far, and the batch for longer."""
    request.app.state.limits.submitting.check(worker.id)
    batch = request.app.state.store.batch(batch_id[:100], worker.id)
    if batch is None or batch.state != "out":
        return JSONResponse({"left": 0})
    kept = _keep(request, worker, batch, _read(request, batch, form))
    return JSONResponse({"left": 60 * request.app.state.study.work.lease_minutes if kept else 0})


@router.get("/judge/{batch_id}/{position}/image")
def image(request: Request, worker: CurrentWorker, batch_id: str, position: int) -> Response:
    """The image of an object, for the worker whose batch it is in."""
    state = request.app.state
    batch = state.store.batch(batch_id[:100], worker.id)
    names = [item.object for item in batch.items if item.position == position] if batch is not None else []
    if not names:
        raise HTTPException(404)
    record = state.records.get(names[0])
    if display.problem_of(state, names[0]) or record is None:
        headers = {"Content-Security-Policy": _ALONE}
        return Response(resource(_PLACEHOLDER), media_type="image/svg+xml", headers=headers)
    if record.image is None:
        if not record.address:
            raise HTTPException(404)
        return RedirectResponse(record.address, 302, headers={"Cache-Control": "private, max-age=3600"})
    picture = look_at(record.image, state.study.folder)
    headers = {"Content-Security-Policy": _ALONE, "Cache-Control": "private, max-age=86400"}
    return Response(contents(picture), media_type=picture.kind, headers=headers)


def _read(request: Request, batch: Batch, form: FormData) -> FormAnswers:
    positions = [item.position for item in display.open_items(batch)]
    nothing = display.unseen(request.app.state, batch)
    return read_answers(form, request.app.state.study.attribute(batch.attribute), positions, nothing)


def _keep(request: Request, worker: Worker, batch: Batch, form_answers: FormAnswers) -> bool:
    """Keep answers as a draft, and the batch for its whole time from now."""
    state = request.app.state
    state.store.keep_draft(batch.id, worker.id, draft_of(form_answers, state.study.attribute(batch.attribute)))
    return bool(state.store.extend(batch.id, worker.id, state.study.work.lease_minutes))


def _show(
    request: Request,
    worker: Worker,
    batch: Batch,
    form_answers: FormAnswers,
    *,
    sentences: list[str] | None = None,
    status: int = 200,
) -> Response:
    state = request.app.state
    attribute = state.study.attribute(batch.attribute)
    items = display.shown_items(state, batch, form_answers.entered, form_answers.wrong)
    seconds_left = batch.expires_at - time.time()
    return page(
        request,
        "grid.html.jinja" if attribute.answer_kind.widget == "tick" else "list.html.jinja",
        status,
        attribute=attribute,
        widget=attribute.answer_kind.widget,
        options=attribute.answer_kind.options(),
        allowed=attribute.answer_kind.describe(),
        limits=attribute.answer_kind.limits(),
        typed=TYPED,
        help=paragraphs(attribute.help or ""),
        example=paragraphs(attribute.example or ""),
        batch=batch,
        again=batch.state == "done",
        items=items,
        wrong=[item for item in items if item.wrong],
        blank=[item for item in items if item.position in form_answers.blank],
        answered=len(form_answers.answers),
        notices=sentences or [],
        seconds_left=max(0, int(seconds_left)),
        left_in_words=display.minutes_left(seconds_left),
        **about(request, worker),
    )


def _wait(request: Request, worker: Worker, sentences: list[str]) -> Response:
    why = display.why_no_work(request.app.state.study, request.app.state.store, worker)
    return page(request, "wait.html.jinja", why=why, notices=sentences, **about(request, worker))


def about(request: Request, worker: Worker) -> dict[str, Any]:
    """What every page of a judge says about this judge."""
    return {"worker": worker, "account": display.account(request.app.state.study, worker), "code": own_code(worker)}


def _start_clock(request: Request, batch_id: str) -> None:
    """Count the time from when a batch is first seen; the session holds it, signed."""
    name, since, counted = request.session.get("clock") or ("", None, 0.0)
    if name != batch_id:
        request.session["clock"] = (batch_id, time.time(), 0.0)
    elif since is None:
        request.session["clock"] = (batch_id, time.time(), counted)


def _stop_clock(request: Request, batch_id: str) -> float | None:
    """Seconds that a batch took, pauses left out; None where this session never showed it."""
    name, since, counted = request.session.get("clock") or ("", None, 0.0)
    if name != batch_id:
        return None
    total = counted + (max(0.0, time.time() - since) if since is not None else 0.0)
    request.session["clock"] = (batch_id, None, total)
    return float(total)
