"""Site: the requests that the page makes, each of which changes the session and shows the page again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from manyjudges.app import forms, pages, samples
from manyjudges.app.security import LARGEST_UPLOAD, AppGuard, Keys
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
        *[Route(path, _posted(change), methods=["POST"]) for path, change in _CHANGES.items()],
    ]
    site = Starlette(routes=routes, exception_handlers={HTTPException: _refused, Exception: _broken})
    site.state.session = session
    return AppGuard(site, keys, pages.refusal, largest)


async def _show(request: Request) -> Response:
    return pages.page(request.app.state.session)


Change = Callable[[Session, Any], Awaitable[None]]


def _posted(change: Change) -> Callable[[Request], Awaitable[Response]]:
    """A route that changes the session by a form, and shows the page."""

    async def route(request: Request) -> Response:
        async with request.form(max_files=_MOST_FILES, max_fields=_MOST_FIELDS) as form:
            await change(request.app.state.session, form)
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
    path, _ = await run_in_threadpool(samples.write_sample, name, session.folder / "table")
    session.take_table([path], sample=name)


async def _choose_columns(session: Session, form: Any) -> None:
    session.choose(**forms.columns_from(form, session.choices, session.look))


async def _cancel(session: Session, form: Any) -> None:
    session.cancel()


async def _clear(session: Session, form: Any) -> None:
    session.clear()


def _files(form: Any) -> list[UploadFile]:
    return [file for file in form.getlist("file") if isinstance(file, UploadFile)]


_CHANGES: dict[str, Change] = {
    "/table": _take_table,
    "/sample": _take_sample,
    "/columns": _choose_columns,
    "/cancel": _cancel,
    "/clear": _clear,
}
"""What is posted where."""


async def _refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):  # pragma: no cover - the signature that starlette asks for
        raise error
    return pages.refusal(error.status_code, _REASONS.get(error.status_code, error.detail))


async def _broken(request: Request, error: Exception) -> Response:
    return pages.refusal(500, "Something went wrong that should not have. The terminal shows what.")
