"""Pages: templates filled in for a request, with the form's token, and the styles and scripts that they link to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi import APIRouter
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from manyjudges.base.formatting import clean
from manyjudges.base.templates import rendered, resource
from manyjudges.web.security import FIELD, csrf_token

if TYPE_CHECKING:
    from manyjudges.study.arrivals import Marketplace

router = APIRouter(include_in_schema=False)

_MAIL = re.compile(r"[^\s@<>()\[\],;:\"\\]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def page(
    request: Request, template: str, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any
) -> HTMLResponse:
    """A page from a template of ``web/templates``.

    Every template knows ``study``, ``asset(name)`` (the address of a style or script), ``contact(text)`` (a link where
    that can be one) and ``csrf()`` (the hidden field that each form must have).
    """
    text = rendered(
        f"web/{template}",
        study=request.app.state.study,
        asset=asset,
        contact=contact,
        csrf=lambda: hidden(FIELD, csrf_token(request)),
        **values,
    )
    return HTMLResponse(text, status, headers=dict(headers or {}))


def allowed_marketplaces(request: Request) -> list[Marketplace]:
    """The marketplaces from which the study lets people in."""
    state = request.app.state
    return [marketplace for name, marketplace in state.marketplaces.items() if state.study.entry.allows(name)]


def hidden(name: str, value: str) -> Markup:
    """A hidden field of a form.

    >>> hidden("a", '"><script>')
    Markup('<input type="hidden" name="a" value="&#34;&gt;&lt;script&gt;">')
    """
    return Markup('<input type="hidden" name="{}" value="{}">').format(name, value)


def contact(text: str) -> Markup:
    """Whom to write to; a link where it is an e-mail address and nothing else.

    >>> contact("lab@example.org")
    Markup('<a href="mailto:lab@example.org">lab@example.org</a>')
    >>> contact("the <lab>")
    Markup('<bdi>the &lt;lab&gt;</bdi>')
    """
    if _MAIL.fullmatch(text):
        return Markup('<a href="mailto:{}">{}</a>').format(quote(text, safe="@"), clean(text))
    return Markup("<bdi>{}</bdi>").format(clean(text))


def paragraphs(text: str) -> list[str]:
    r"""A text's paragraphs, which blank lines part.

    >>> paragraphs("One.\n\nTwo,\nstill two.\n")
    ['One.', 'Two,\nstill two.']
    """
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


@cache
def _assets() -> dict[str, str]:
    """The names of all styles, scripts and drawings, with a mark that changes when they do."""
    folder = files("manyjudges.web") / "templates"
    names = [file.name for file in folder.iterdir() if file.name.endswith(tuple(_MEDIA_TYPES))]
    return {name: hashlib.sha256(resource(f"web/{name}").encode()).hexdigest()[:10] for name in names}


def asset(name: str) -> str:
    """The address of a style, script or drawing, which may be kept for ever."""
    return f"/assets/{name}?v={_assets()[name]}"


@router.get("/assets/{name}")
def show_asset(name: str) -> Response:
    """A style, script or drawing of this package."""
    if name not in _assets():
        raise HTTPException(404)
    kind = _MEDIA_TYPES[name[name.rindex(".") :]]
    keep = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(resource(f"web/{name}"), media_type=kind, headers=keep)
