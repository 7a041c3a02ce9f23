"""Site: the requests that the page makes, each of which changes the session and shows the page again."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from manyjudges.app import forms, pages, samples
from manyjudges.app.choices import Choices
from manyjudges.app.security import LARGEST_UPLOAD, AppGuard, Keys, report_policy
from manyjudges.app.session import Session
from manyjudges.app.uploads import keep_files

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_MOST_FILES = 200
_MOST_FIELDS = 20_000

_REASONS = {404: "The address may be mistyped.", 405: "The address may be mistyped."}


def create_site(session: Session, keys: Keys, *, largest: int = LARGEST_UPLOAD) -> ASGIApp:
    """The page of a session, behind its guard.

    Parameters
    ----------
    session : Session
    keys : Keys
    largest : int
        Bytes of a file, at most.
    """
    routes = [
        Route("/", _show),
        Route("/assets/{name}", pages.send_asset),
        Route("/files/{name}", _send_file),
        *[Route(path, _posted(change), methods=["POST"]) for path, change in _CHANGES.items()],
    ]
    site = Starlette(routes=routes, exception_handlers={HTTPException: _refused, Exception: _broken})
    site.state.session = session
    return AppGuard(site, keys, pages.refusal, largest)


async def _show(request: Request) -> Response:
    return pages.page(request.app.state.session)


async def _send_file(request: Request) -> Response:
    """A file that was made; the report is shown, in a sandbox of its own, and everything else is downloaded."""
    name, session = request.path_params["name"], request.app.state.session
    if lines := session.lines(name):
        return PlainTextResponse(lines, headers={"Content-Disposition": f'attachment; filename="{name}"'})
    path = session.download(name)
    if path is None:
        raise HTTPException(404)
    if path.suffix != ".html" or "download" in request.query_params:
        return FileResponse(path, filename=name)
    text = await run_in_threadpool(path.read_text, encoding="utf-8")
    return HTMLResponse(text, headers={"Content-Security-Policy": report_policy(text)})


Change = Callable[[Session, Any], Awaitable[None]]


def _posted(change: Change) -> Callable[[Request], Awaitable[Response]]:
    """A route that changes the session by a form, and shows the page.

    What is said in one tab about a table that another tab has replaced is not said about the new one.
    """

    async def route(request: Request) -> Response:
        session: Session = request.app.state.session
        try:
            async with request.form(max_files=_MOST_FILES, max_fields=_MOST_FIELDS) as form:
                if change in _BEGINNINGS or form.get("table") in (None, str(session.number)):
                    await change(session, form)
        except ClientDisconnect:  # the tab was closed while a file was on its way
            return Response(status_code=400)
        except OSError as error:
            raise HTTPException(507, f"The file cannot be saved: {error.strerror or error}.") from None
        return RedirectResponse("/", 303)

    return route


async def _take_table(session: Session, form: Any) -> None:
    session.clear()
    kept = await keep_files(_files(form), session.folder / "table")
    if kept:
        session.take_table(kept)


async def _take_sample(session: Session, form: Any) -> None:
    name = str(form.get("sample"))
    if name not in samples.SAMPLES:
        raise HTTPException(404)
    session.clear()
    path, labels = await run_in_threadpool(samples.write_sample, name, session.folder / "table")
    session.choices = Choices(columns=samples.SAMPLES[name].columns)
    session.take_table([path], sample=name, labels=[labels] if labels else [])


async def _take_labels(session: Session, form: Any) -> None:
    kept = [] if form.get("none") else await keep_files(_files(form), session.folder / "labels")
    session.take_labels(kept[:1])


async def _choose_scale(session: Session, form: Any) -> None:
    session.choose(**forms.scale_from(form, session.choices))


async def _confirm(session: Session, form: Any) -> None:
    session.confirm()


async def _answer(session: Session, form: Any) -> None:
    undo = form.get("undo")
    session.answer(str(undo or form.get("answer")), undo=undo is not None)


async def _pay(session: Session, form: Any) -> None:
    if session.ready:
        money = forms.money_from(form, session.look, session.money)
        session.pay(money, same_budgets=bool(form.get("same_budgets")))


async def _predict(session: Session, form: Any) -> None:
    own = form.get("own") is not None  # objects of the first table that have no label
    kept = list(session.files) if own else await keep_files(_files(form), session.folder / "new")
    if kept and session.written:
        session.predict(kept)


async def _choose_columns(session: Session, form: Any) -> None:
    session.choose(**forms.columns_from(form, session.choices, session.look))


async def _cancel(session: Session, form: Any) -> None:
    session.cancel()


async def _clear(session: Session, form: Any) -> None:
    session.clear()


def _files(form: Any) -> list[UploadFile]:
    return [file for file in form.getlist("file") if isinstance(file, UploadFile)]


_BEGINNINGS: tuple[Change, ...] = (_take_table, _take_sample, _clear)
"""Changes that forget the table, whichever it is."""

_CHANGES: dict[str, Change] = {
    "/table": _take_table,
    "/sample": _take_sample,
    "/labels": _take_labels,
    "/columns": _choose_columns,
    "/scale": _choose_scale,
    "/confirm": _confirm,
    "/answer": _answer,
    "/money": _pay,
    "/predict": _predict,
    "/cancel": _cancel,
    "/clear": _clear,
}
"""What is posted where."""


async def _refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):  # pragma: no cover - the signature that starlette asks for
        raise error
    return pages.refusal(error.status_code, _REASONS.get(error.status_code, error.detail))


async def _broken(request: Request, error: Exception) -> Response:
    traceback.print_exception(error)
    return pages.refusal(500, "Something went wrong that should not have. The terminal shows what.")
