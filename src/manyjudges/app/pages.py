"""Pages: the template filled in from a session, and the style, the script and the drawing that it links to."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from manyjudges.app.forms import shown_for
from manyjudges.app.remedies import in_page_words
from manyjudges.app.samples import SAMPLES
from manyjudges.app.security import LARGEST_UPLOAD, size_in_words, too_large
from manyjudges.app.session import Session
from manyjudges.app.words import (
    COLUMN_WORDS,
    IN_HEADINGS,
    SHAPE_QUESTION,
    SHAPE_WORDS,
    SURVEY_TOOLS,
    role_name,
    unset_words,
)
from manyjudges.base.templates import rendered, resource
from manyjudges.base.version import __version__

_MEDIA_TYPES = {"app.css": "text/css", "app.js": "text/javascript", "icon.svg": "image/svg+xml"}

_TITLES = {404: "There is nothing here", 413: "This file is too large", 403: "Not from here"}


def page(session: Session) -> HTMLResponse:
    """The page as the session stands."""
    session.settle()
    tables: dict[str, Any] = {
        "samples": SAMPLES,
        "roles": COLUMN_WORDS,
        "shapes": SHAPE_WORDS,
        "shape_question": SHAPE_QUESTION,
        "in_headings": IN_HEADINGS,
        "survey_tools": SURVEY_TOOLS,
        "largest": LARGEST_UPLOAD,
        "too_large": too_large(LARGEST_UPLOAD),
    }
    functions: dict[str, Any] = {
        "asset": _asset,
        "say": in_page_words,
        "shown_for": shown_for,
        "size": size_in_words,
        "role_name": role_name,
        "unset_words": unset_words,
    }
    return HTMLResponse(rendered("app/page.html.jinja", s=session, version=__version__, **tables, **functions))


def refusal(status: int, reason: str) -> HTMLResponse:
    """A page that says why a request is refused."""
    title = _TITLES.get(status, "That did not work")
    return HTMLResponse(rendered("app/refusal.html.jinja", title=title, reason=reason), status)


@cache
def _mark(name: str) -> str:
    return hashlib.sha256(resource(f"app/{name}").encode()).hexdigest()[:10]


def _asset(name: str) -> str:
    """The address of the style, the script or the drawing; another one when it has changed."""
    return f"/assets/{name}?v={_mark(name)}"


async def send_asset(request: Request) -> Response:
    """The style, the script or the drawing."""
    name = request.path_params["name"]
    if name not in _MEDIA_TYPES:
        raise HTTPException(404)
    keep = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(resource(f"app/{name}"), media_type=_MEDIA_TYPES[name], headers=keep)
