"""Security: only the browser of the person who started the app gets in, and nothing comes from elsewhere."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_UPLOAD = 1024**3
"""Bytes of a file, at most."""

_FORM_ALLOWANCE = 1024**2
"""Bytes of a request beside the file in it."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a browser may do with our pages."""

_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)

_NAMES = ("127.0.0.1", "localhost")
"""Hosts by which this machine is addressed. Any other name that leads here was set up to get at the page."""

_USUAL_PORT = 80
"""The port that browsers leave out of the name of a host."""

_SAFE = ("GET", "HEAD")


@dataclass(frozen=True)
class Keys:
    """The secrets of one run of the app.

    Attributes
    ----------
    token : str
        In the address that is printed. Good as long as the app runs.
    session : str
        In the cookie of a browser that came with a token.
    opening : set of str
        In the address that the browser is started with. Other users of the machine can see the arguments of programs,
        so each of these is good once.
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    opening: set[str] = field(default_factory=set)

    def for_opening(self) -> str:
        """A token that is good once."""
        token = secrets.token_urlsafe(32)
        self.opening.add(token)
        return token

    def accepts(self, token: str) -> bool:
        """Whether a token from an address is good; one that is good once is used up."""
        if _same(token, self.token):
            return True
        used = next((each for each in self.opening if _same(token, each)), None)
        self.opening.discard(used or "")
        return used is not None


class AppGuard:
    """The outermost layer of the app: checks each request, and puts the policy on each response.

    A request must be addressed to this machine by one of its own names, and must have the cookie that a token was
    exchanged for. One that changes anything must come from the page itself.

    Parameters
    ----------
    app : ASGI application
    keys : Keys
    refusal : callable
        From a status and a reason to the page that says so.
    largest : int
        Bytes of a file, at most.
    """

    def __init__(
        self, app: ASGIApp, keys: Keys, refusal: Callable[[int, str], Response], largest: int = LARGEST_UPLOAD
    ) -> None:
        self.app, self.keys, self.refusal, self.largest = app, keys, refusal, largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        started = False

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                _put_headers(MutableHeaders(scope=message))
            await send(message)

        answer = self._answer(scope)
        if answer is not None:
            await answer(scope, receive, guarded)
            return
        try:
            await self.app(scope, self._limited(receive), guarded)
        except asyncio.CancelledError:  # the app ends while a file is on its way: no reason for a traceback
            if not started:
                await self.refusal(503, "The app has ended.")(scope, receive, guarded)

    def _answer(self, scope: Scope) -> Response | None:
        """What is answered without asking the application; None where it is asked."""
        headers, name = Headers(scope=scope), _cookie_name(scope)
        host = headers.get("host", "")
        if not _is_own(host, scope):
            return self.refusal(403, "This page is only for the machine that it runs on.")
        if token := parse_qs(scope["query_string"].decode("latin-1")).get("token"):
            return self._exchange(token[0], name)
        if not _same(Request(scope).cookies.get(name, ""), self.keys.session):
            return self.refusal(403, "Open the address that “manyjudges app” shows in the terminal.")
        if scope["method"] not in _SAFE and headers.get("origin") != f"http://{host}":
            return self.refusal(403, "This request did not come from the page itself.")
        if _declared_size(headers) > self.largest + _FORM_ALLOWANCE:
            return self.refusal(413, too_large(self.largest))
        return None

    def _exchange(self, token: str, name: str) -> Response:
        """The cookie for a token, and the address without the token."""
        if not self.keys.accepts(token):
            return self.refusal(
                403, "This address was used before, or is from an earlier run. Open the one in the terminal."
            )
        response = RedirectResponse("/", 303)
        response.set_cookie(name, self.keys.session, httponly=True, samesite="strict", path="/")
        return response

    def _limited(self, receive: Receive) -> Receive:
        """Receive a request up to the largest size; 413 is raised where the application reads on."""
        size = 0

        async def limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.largest + _FORM_ALLOWANCE:
                raise HTTPException(413, too_large(self.largest))
            return message

        return limited


def report_policy(page: str) -> str:
    """What a browser may do with a report: run the scripts in it, which are known by their sums, and nothing else.

    In the sandbox, it is a page of no site, so that even a script could not reach the app.
    """
    sums = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in _SCRIPT.findall(page)]
    allowed = " ".join(f"'sha256-{each}'" for each in sums) or "'none'"
    return (
        f"sandbox allow-scripts; default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def too_large(largest: int) -> str:
    """Why a file is refused.

    >>> too_large(1024**3)
    'This file is larger than 1 GB. Plan for it in the terminal, with “manyjudges plan”.'
    """
    return f"This file is larger than {size_in_words(largest)}. Plan for it in the terminal, with “manyjudges plan”."


def size_in_words(size: int) -> str:
    """Bytes, for people.

    >>> size_in_words(1024**3), size_in_words(20 * 1024**2), size_in_words(1000)
    ('1 GB', '20 MB', '1000 bytes')
    """
    unit, name = next(((unit, name) for unit, name in _UNITS if size >= unit), (1, "bytes"))
    return f"{size / unit:.4g} {name}"


_UNITS = ((1024**3, "GB"), (1024**2, "MB"))


def _cookie_name(scope: Scope) -> str:
    """The cookie of the app at this port: other ports of a host get the same cookies."""
    server = scope.get("server") or ("", 0)
    return f"manyjudges_app_{server[1]}"


def _is_own(host: str, scope: Scope) -> bool:
    """Whether the header Host names this machine and the port that the app listens at."""
    port = (scope.get("server") or ("", 0))[1]
    return host in {f"{name}:{port}" for name in _NAMES} or (port == _USUAL_PORT and host in _NAMES)


def _same(token: str, expected: str) -> bool:
    return hmac.compare_digest(token.encode(), expected.encode())


def _declared_size(headers: Headers) -> int:
    declared = headers.get("content-length", "0")
    return int(declared) if declared.isascii() and declared.isdigit() else 0


def _put_headers(headers: MutableHeaders) -> None:
    headers.setdefault("Content-Security-Policy", _POLICY)
    headers.setdefault("Cache-Control", "no-store")
    headers["X-Content-Type-Options"] = "nosniff"
    headers["X-Frame-Options"] = "DENY"
    # With "no-referrer", browsers would not say where a form comes from.
    headers["Referrer-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
