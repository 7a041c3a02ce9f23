"""Interface for programs: lease a batch, hand it in, read how things stand. JSON, described by OpenAPI."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Body, Depends, Path
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from manyjudges.base.formatting import listed
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import JudgmentsError, StudyError
from manyjudges.web import images
from manyjudges.web.api.messages import (
    AnswersReceipt,
    Asked,
    AttributeStatus,
    BatchAnswers,
    CampaignStatus,
    ItemAnswer,
    LeasedBatch,
    LeasedItem,
    LeaseRequest,
    Problem,
    Question,
    Released,
)
from manyjudges.web.judge import display

if TYPE_CHECKING:
    from manyjudges.store.records import Batch, Worker
    from manyjudges.study.questions import Attribute

_RETRY = 30
"""Seconds after which there may be work again."""

_bearer = HTTPBearer(auto_error=False, description="The token that the researcher's page made for the program.")


def _problem(text: str, **headers: Any) -> dict[str, Any]:
    described = {
        name.replace("_", "-"): {"schema": {"type": "string"}, "description": d} for name, d in headers.items()
    }
    return {"model": Problem, "description": text} | ({"headers": described} if headers else {})


_ALWAYS: dict[int | str, dict[str, Any]] = {
    401: _problem("No token, or one that does not hold.", WWW_Authenticate="Bearer"),
    413: _problem("More than a request may have."),
    429: _problem("Too many requests in a short time.", Retry_After="Seconds to wait."),
    503: _problem("The database does not answer.", Retry_After="Seconds to wait."),
}
_NOT_FOUND: dict[int | str, dict[str, Any]] = {404: _problem("There is no such lease of this program's workers.")}
_UNREADABLE: dict[int | str, dict[str, Any]] = {400: _problem("The body is no text in UTF-8.")}
_FORBIDDEN: dict[int | str, dict[str, Any]] = {403: _problem("The researcher has blocked this worker.")}


def _program(request: Request, authorization: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> str:
    """The program whose token came along."""
    token = authorization.credentials if authorization is not None else ""
    name = request.app.state.store.program(token) if token and len(token) <= 200 and token.isascii() else None
    if name is None:
        text = "This takes a token: Authorization: Bearer TOKEN."
        raise HTTPException(401, text, headers={"WWW-Authenticate": 'Bearer realm="manyjudges"'})
    request.app.state.limits.api.check(name)
    return str(name)


Program = Annotated[str, Depends(_program)]
LeaseId = Annotated[
    str, Path(alias="id", description="Of a lease.", max_length=120, pattern=r"^[0-9]{1,15}-[A-Za-z0-9_-]{1,100}$")
]
Position = Annotated[int, Path(ge=0, le=10_000, description="Of an item in its batch.")]


class _Careful(APIRoute):
    """A route whose complaints repeat nothing that JSON cannot say, such as NaN or half a character."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with complaints put into words that can be sent."""
        handler = super().get_route_handler()

        async def careful(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestValidationError as error:
                problems = [{key: problem[key] for key in ("type", "loc", "msg")} for problem in error.errors()]
                text = json.dumps({"detail": problems})  # in ASCII, where everything can be written
                return Response(text, 422, media_type="application/json")

        return careful


router = APIRouter(prefix="/api/v1", tags=["programs"], responses=_ALWAYS, route_class=_Careful)


@router.post(
    "/leases",
    response_model=LeasedBatch,
    responses={204: {"description": "There is no work for this worker now.", "headers": {
        "Retry-After": {"schema": {"type": "string"}, "description": "Seconds to wait."}}},
        **_FORBIDDEN, **_UNREADABLE},
)  # fmt: skip
def lease(request: Request, program: Program, lease_request: LeaseRequest) -> Any:
    """Lease a batch: the worker's own that is still out, or a new one."""
    state = request.app.state
    if lease_request.attribute is not None:
        _check_attribute(request, lease_request.attribute)
    worker = state.store.enter("program", _prefix(program) + lease_request.worker, consented=True)
    if worker.blocked:
        raise HTTPException(403, "The researcher has blocked this worker.")
    work = state.study.work
    batch = state.store.lease(
        worker.id,
        size=lease_request.size or work.batch_size,
        minutes=work.lease_minutes,
        attribute=lease_request.attribute,
        most_judgments=work.most_judgments,
        most_batches=work.most_batches,
    )
    if batch is None:
        return Response(status_code=204, headers={"Retry-After": str(_RETRY)})
    return _batch_message(request, program, worker, batch)


@router.get("/leases/{id}", response_model=LeasedBatch, responses=_NOT_FOUND)
def look(request: Request, program: Program, lease_id: LeaseId) -> LeasedBatch:
    """A batch, with the answers that are there."""
    worker, batch = _own(request, program, lease_id)
    return _batch_message(request, program, worker, batch)


@router.post(
    "/leases/{id}/judgments", response_model=AnswersReceipt, responses={**_NOT_FOUND, **_FORBIDDEN, **_UNREADABLE}
)
def submit(request: Request, program: Program, lease_id: LeaseId, handed_in: Annotated[BatchAnswers, Body()]) -> Any:
    """Hand in answers. To hand in the same twice is harmless; other ones correct the earlier."""
    worker, batch = _own(request, program, lease_id)
    if worker.blocked:
        raise HTTPException(403, "The researcher has blocked this worker.")
    answers = _read(request, batch, handed_in.answers)
    receipt = request.app.state.store.submit(batch.id, worker.id, answers, seconds=handed_in.seconds)
    return AnswersReceipt(**{name: getattr(receipt, name) for name in AnswersReceipt.model_fields})


@router.delete("/leases/{id}", response_model=Released, responses=_NOT_FOUND)
def release(request: Request, program: Program, lease_id: LeaseId) -> Released:
    """Hand a batch back without answers."""
    worker, batch = _own(request, program, lease_id)
    return Released(released=request.app.state.store.release(batch.id, worker.id))


@router.get(
    "/leases/{id}/items/{position}/image",
    response_class=Response,
    responses={200: {"content": {"image/*": {}}, "description": "The picture."}, **_NOT_FOUND},
)  # fmt: skip
def show_image(request: Request, program: Program, lease_id: LeaseId, position: Position) -> Response:
    """The picture of an item."""
    _, batch = _own(request, program, lease_id)
    item = next((candidate for candidate in batch.items if candidate.position == position), None)
    record = request.app.state.records.get(item.object) if item is not None else None
    if record is None or record.image is None:
        raise HTTPException(404, "This item has no picture here.")
    picture = images.look_at(record.image, request.app.state.study.folder)
    if picture.problem:
        raise HTTPException(404, f"The picture cannot be shown: {picture.problem}.")
    return Response(images.contents(picture), media_type=picture.kind)


@router.get("/status", response_model=CampaignStatus)
def status(request: Request, program: Program) -> CampaignStatus:
    """How the campaign stands."""
    store = request.app.state.store
    position, counts = store.position(), store.progress()
    rows = [{str(key): value for key, value in row.items()} for row in counts.drop(columns="cost").to_dict("records")]
    return CampaignStatus(
        state=store.state,
        stage=position["stage"],
        round=position["round"],
        spent=store.spending()["spent"],
        attributes=[AttributeStatus(**row) for row in rows],
    )


@router.get("/attributes", response_model=list[Question])
def attributes(request: Request, program: Program) -> list[Question]:
    """The questions that are asked."""
    return [
        Question(name=attribute.name, cost=attribute.cost, **_question_fields(attribute))
        for attribute in request.app.state.study.attributes
    ]


def _question_fields(attribute: Attribute) -> dict[str, Any]:
    fields = {name: getattr(attribute, name) for name in Asked.model_fields}
    return fields | {"labels": list(attribute.labels)}


def _prefix(program: str) -> str:
    """What the names of a program's workers begin with; no other program's can."""
    return program.replace("%", "%25").replace(":", "%3A") + ":"


def _own(request: Request, program: str, lease_id: str) -> tuple[Worker, Batch]:
    """A batch and its worker; 404 where the worker is not one of this program's, as if there were no such batch."""
    who, _, batch_id = lease_id.partition("-")
    store = request.app.state.store
    worker: Worker | None = store.worker(int(who))
    mine = worker is not None and worker.source == "program" and (worker.external or "").startswith(_prefix(program))
    batch = store.batch(batch_id, int(who)) if mine else None
    if worker is None or batch is None:
        raise HTTPException(404, "There is no such lease of this program's workers.")
    return worker, batch


def _lease_id(batch: Batch) -> str:
    """The name of a lease, which says whose it is: only with both is a batch found."""
    return f"{batch.worker}-{batch.id}"


def _batch_message(request: Request, program: str, worker: Worker, batch: Batch) -> LeasedBatch:
    attribute = request.app.state.study.attribute(batch.attribute)
    return LeasedBatch(
        id=_lease_id(batch),
        worker=(worker.external or worker.name).removeprefix(_prefix(program)),
        attribute=batch.attribute,
        **_question_fields(attribute),
        state=batch.state,
        leased_at=batch.leased_at,
        expires_at=batch.expires_at,
        items=[_item(request, batch, item) for item in batch.items],
    )


def _item(request: Request, batch: Batch, item: Any) -> LeasedItem:
    record = request.app.state.records.get(item.object)
    image = record.address if record else None
    if record and record.image:
        image = f"/api/v1/leases/{_lease_id(batch)}/items/{item.position}/image"
    return LeasedItem(
        position=item.position,
        object=item.object,
        text=record.text if record else None,
        image=image,
        answered=item.answered,
        value=item.value,
    )


def _read(request: Request, batch: Batch, answers: list[ItemAnswer]) -> dict[int, float | None]:
    """Answers as the store takes them; 422 names every one that is none, in FastAPI's form."""
    attribute = request.app.state.study.attribute(batch.attribute)
    places = {item.position: item for item in batch.items}
    values: dict[int, float | None] = {}
    wrong = []
    for at, answer in enumerate(answers):
        try:
            if answer.position not in places:
                raise JudgmentsError(
                    f"there is no item {answer.position} in this batch of {len(places)}.",
                    value=answer.position,
                    column="position",
                )
            if answer.position in values:
                raise JudgmentsError(
                    f"item {answer.position} is answered twice.", value=answer.position, column="position"
                )
            if answer.cant_tell == (answer.value is not None):
                raise JudgmentsError("give either a value or cant_tell: true.", column="cant_tell")
            if answer.cant_tell and not _may_not_tell(request, attribute, places[answer.position].object):
                raise JudgmentsError(
                    f"{attribute.name!r} takes no cant_tell; give {attribute.answer_kind.describe()}, or leave it out.",
                    value=True,
                    column=attribute.name,
                )
            values[answer.position] = None if answer.cant_tell else attribute.read(answer.value)
        except JudgmentsError as error:
            message = f"position {answer.position}: {error}"
            wrong.append({"type": "value_error", "loc": ("body", "answers", at), "msg": message})
    if wrong:
        raise RequestValidationError(wrong)
    return values


def _may_not_tell(request: Request, attribute: Attribute, name: str) -> bool:
    """Whether "can't tell" is an answer here: where the study offers it, and where there is nothing to see."""
    return attribute.cant_tell or bool(display.problem_of(request.app.state, name))


def _check_attribute(request: Request, name: str) -> None:
    try:
        request.app.state.study.attribute(name)
    except StudyError:
        names = listed([repr(attribute.name) for attribute in request.app.state.study.attributes])
        message = f"there is no attribute {quote_value(name)}; the study has {names}."
        raise RequestValidationError([{"type": "value_error", "loc": ("body", "attribute"), "msg": message}]) from None
