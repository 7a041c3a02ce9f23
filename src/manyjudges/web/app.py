"""The application: pages of judges and of the researcher and the interface for programs, in one server."""

from __future__ import annotations

__all__ = ["Hooks", "create_app"]

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exception_handlers import http_exception_handler, request_validation_exception_handler
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from manyjudges.exceptions import StoreError
from manyjudges.web import pages
from manyjudges.web.api import routes
from manyjudges.web.judge import batch as judging
from manyjudges.web.judge import entry, exit
from manyjudges.web.researcher import dashboard
from manyjudges.web.security import Guard, Limits, Policy, cookie_name, origins, without_token

if TYPE_CHECKING:
    import pandas as pd

    from manyjudges.store.store import Store
    from manyjudges.study.arrivals import Marketplace
    from manyjudges.study.config import Study
    from manyjudges.study.objects import Objects

logger = logging.getLogger("manyjudges.web")

_SESSION_SECONDS = 14 * 24 * 3600
_LOST = (StoreError, OperationalError, InterfaceError, PoolTimeoutError)
"""What is raised where the database is lost or the disk is full."""

_KEPT_SAFE = "Nothing you handed in earlier is lost."
_SAID: dict[int, tuple[str, str]] = {
    400: ("That could not be read", "Please go back and try again."),
    403: ("Please open the page again", "This page was open for too long, or your browser blocks cookies."),
    404: ("There is nothing here", "The address may be mistyped, or the page is gone."),
    405: ("There is nothing here", "The address may be mistyped, or the page is gone."),
    410: ("This is over", "What you are looking for is no longer there."),
    413: ("That was too much at once", "Please send less."),
    422: ("That could not be read", "Something in the address or the form is not as it should be."),
    429: ("A little slower, please", "There were too many requests in a short time. Please wait a moment."),
    500: ("Something went wrong here", f"It is not your fault. {_KEPT_SAFE} Please try again."),
    503: ("We cannot save anything right now", f"{_KEPT_SAFE} Please try again in a minute."),
}
_AGAIN = {429, 500, 503}


@dataclass(frozen=True)
class Hooks:
    """What the pages need of the mathematics, handed in.

    Attributes
    ----------
    replan : callable
        Asks for planning now, in the background.
    workforce : callable
        A frame with a row for each worker.
    bonuses : callable
        A frame of suggested bonuses.
    export : callable
        From ``"csv"`` or ``"parquet"`` to the contents of a file.
    fit : callable
        The predictor so far, in numbers.
    """

    replan: Callable[[], None]
    workforce: Callable[[], pd.DataFrame]
    bonuses: Callable[[], pd.DataFrame]
    export: Callable[[str], bytes]
    fit: Callable[[], dict[str, Any]]


def create_app(
    study: Study, objects: Objects, store: Store, hooks: Hooks, marketplaces: Sequence[Marketplace] = ()
) -> FastAPI:
    """The application for one study.

    Parameters
    ----------
    study : Study
    objects : Objects
    store : Store
    hooks : Hooks
    marketplaces : sequence of Marketplace
        All that there are; the study says which of them may send people here.

    Returns
    -------
    fastapi.FastAPI
        With all of these, and the ``limits``, as its ``state``.
    """
    app = FastAPI(title="ManyJudges", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.study, app.state.objects, app.state.store, app.state.hooks = study, objects, store, hooks
    app.state.marketplaces = {marketplace.name: marketplace for marketplace in marketplaces}
    app.state.limits, app.state.noted = Limits(), set()
    app.state.records = {record.name: record for record in objects.records}
    for router in _routers():
        app.include_router(router)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _unreadable)
    for lost in _LOST:
        app.add_exception_handler(lost, _lost)
    app.add_middleware(
        SessionMiddleware,
        secret_key=store.secret,
        session_cookie=cookie_name(store.secret),
        max_age=_SESSION_SECONDS,
        same_site="lax",
        https_only=str(study.server.address or "").lower().startswith("https://"),
    )
    policy = Policy(images=origins(record.address for record in objects.records))
    app.add_middleware(Guard, policy=policy, broken=_broken)  # added last, so it is the outermost
    return app


def _routers() -> list[Any]:
    return [module.router for module in (pages, entry, judging, exit, dashboard, routes)]


async def _refused(request: Request, error: Exception) -> Response:
    """A page, or a document for programs, about an error that was meant."""
    if not isinstance(error, HTTPException):  # pragma: no cover - the signature that starlette asks for
        raise error
    if error.status_code < 400:
        return Response(status_code=error.status_code, headers=error.headers)
    if _for_program(request):
        return await http_exception_handler(request, error)
    return _error_page(request, error.status_code, dict(error.headers or {}))


async def _unreadable(request: Request, error: Exception) -> Response:
    if _for_program(request) and isinstance(error, RequestValidationError):
        return await request_validation_exception_handler(request, error)
    return _error_page(request, 422)


async def _lost(request: Request, error: Exception) -> Response:
    """The database does not answer: the researcher finds why in the log, the judge keeps what was entered."""
    logger.error("%s %s: the database does not answer: %s", request.method, without_token(request.url.path), error)
    if _for_program(request):
        return JSONResponse({"detail": "The database does not answer; try again."}, 503, {"Retry-After": "15"})
    return _error_page(request, 503, {"Retry-After": "15"})


def _broken(request: Request) -> Response:
    if _for_program(request):
        return JSONResponse({"detail": "Something went wrong here; it is in the server's log."}, 500)
    return _error_page(request, 500)


def _for_program(request: Request) -> bool:
    return request.url.path.startswith("/api/")


def _error_page(request: Request, status: int, headers: dict[str, str] | None = None) -> Response:
    """A friendly page about an error; where trying again helps, it hands the same form in again."""
    heading, what_to_do = _SAID.get(status, _SAID[400])
    # Only what a judge entered is worth handing back; a password, say, is not to stand in a page.
    judging = request.url.path.startswith("/judge")
    form = getattr(request.state, "form", None) if judging and status in _AGAIN else None
    # The form's own token goes along: the page may have to do without a session.
    fields = [pages.hidden(name, value) for name, value in form.multi_items() if isinstance(value, str)] if form else []
    return pages.page(
        request,
        "error.html.jinja",
        status,
        headers,
        heading=heading,
        what_to_do=what_to_do,
        fields=fields,
        action=request.url.path,
        again=status in _AGAIN and request.method == "GET",
    )
