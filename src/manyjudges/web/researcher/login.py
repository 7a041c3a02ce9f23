"""Researcher: who may see the dashboard, by one password, for twelve hours."""

from __future__ import annotations

import hashlib
import time
from functools import cache
from typing import Any

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from manyjudges.web.pages import page
from manyjudges.web.security import Form, address_of, check_password, hash_password

router = APIRouter(prefix="/admin", include_in_schema=False)


_KEY = "researcher"
_HOURS = 12.0
_ENDED = "researcher_logged_out"
"""The setting that says when sessions were ended; those from before hold no more, wherever their cookie is."""

LONGEST_PASSWORD = 1000
"""Characters of a password; hashing more would only take time."""


def to(address: str) -> Response:
    """Go on elsewhere, after a form."""
    return RedirectResponse(address, 303)


def is_logged_in(request: Request) -> bool:
    """Whether this browser logged in, not too long ago, by the password that holds now."""
    session, hashed = request.session.get(_KEY), request.app.state.store.setting("password")
    if not isinstance(session, dict) or hashed is None or session.get("by") != _mark(hashed):
        return False
    ended = float(request.app.state.store.setting(_ENDED) or 0.0)
    return bool(ended < session["at"] and time.time() - session["at"] < _HOURS * 3600)


def required(request: Request) -> None:
    """Let nobody on who has not logged in."""
    if not is_logged_in(request):
        raise HTTPException(303, headers={"Location": "/admin/login"})


def _mark(hashed: str) -> str:
    """Which password a session was begun by, so that a new one ends it."""
    return hashlib.sha256(f"session {hashed}".encode()).hexdigest()[:16]


@cache
def _nobodys() -> str:
    """A hash to compare with where none is set, which takes as long."""
    return hash_password("nobody knows this one")


@router.get("/login")
def ask(request: Request) -> Response:
    """The page to log in."""
    return to("/admin") if is_logged_in(request) else _login(request)


@router.post("/login")
def log_in(request: Request, form: Form) -> Response:
    """Log in; the session begins anew, so that nobody can have prepared it."""
    request.app.state.limits.logging_in.check(address_of(request))
    hashed = request.app.state.store.setting("password")
    password = form.get("password")
    right = check_password(password[:LONGEST_PASSWORD] if isinstance(password, str) else "", hashed or _nobodys())
    if not right or hashed is None:
        request.app.state.store.note("login refused", f"from {address_of(request)}")
        return _login(request, 403, wrong=True)
    request.session.clear()
    request.session[_KEY] = {"at": time.time(), "by": _mark(hashed)}
    return to("/admin")


@router.post("/logout")
def log_out(request: Request, form: Form) -> Response:
    """End all sessions of the dashboard, on other machines, too."""
    if is_logged_in(request):
        request.app.state.store.set(_ENDED, repr(time.time()))
    request.session.clear()
    return to("/admin/login")


def _login(request: Request, status: int = 200, **values: Any) -> Response:
    is_set = request.app.state.store.setting("password") is not None
    return page(request, "login.html.jinja", status, **({"wrong": False, "is_set": is_set} | values))
