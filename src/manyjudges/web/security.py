"""Security: who may send what, how much and how often, and what a browser may do with a page."""

from __future__ import annotations

__all__ = ["check_password", "hash_password"]

import base64
import binascii
import hashlib
import hmac
import logging
import math
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends
from starlette.datastructures import FormData, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger("manyjudges.web")

LARGEST_REQUEST = 1024 * 1024
"""Bytes of a request, at most."""

FIELD = "csrf"
"""The hidden field of every form."""

_SCRYPT = {"n": 2**14, "r": 8, "p": 1}
_KEPT = 10_000


class Limiter:
    """At most so many times in so many seconds for each key, in this process.

    A key that was quiet earns its tokens back evenly. The keys heard of last are kept, so memory is bounded.

    Parameters
    ----------
    rate : int
        How many times at once, and in every ``per_seconds``.
    per_seconds : float
    clock : callable, default=time.monotonic

    Examples
    --------
    >>> limiter = Limiter(2, 60)
    >>> [limiter.allow("ann"), limiter.allow("ann"), limiter.allow("ann"), limiter.allow("bob")]
    [True, True, False, True]
    """

    def __init__(self, rate: int, per_seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.per_seconds = rate, per_seconds
        self._clock = clock
        self._tokens: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allow(self, key: object) -> bool:
        """Whether this is allowed once more, which uses it up."""
        now, name = self._clock(), str(key)
        with self._lock:
            tokens, since = self._tokens.pop(name, (float(self.rate), now))
            tokens = min(self.rate, tokens + (now - since) * self.rate / self.per_seconds)
            allowed = tokens >= 1
            self._tokens[name] = (tokens - 1 if allowed else tokens, now)
            while len(self._tokens) > _KEPT:
                self._tokens.popitem(last=False)
        return allowed

    def check(self, key: object) -> None:
        """Raise 429, with the seconds to wait, where it is not allowed."""
        if not self.allow(key):
            wait = max(1, math.ceil(self.per_seconds / self.rate))
            raise HTTPException(429, "Too many requests in a short time.", headers={"Retry-After": str(wait)})


@dataclass(frozen=True)
class Limits:
    """How often what may be done.

    Attributes
    ----------
    entering : Limiter
        For each address; generous, since a whole class may sit behind one.
    logging_in : Limiter
        For each address.
    submitting : Limiter
        For each worker.
    api : Limiter
        For each program.
    """

    entering: Limiter = field(default_factory=lambda: Limiter(300, 60))
    logging_in: Limiter = field(default_factory=lambda: Limiter(10, 60))
    submitting: Limiter = field(default_factory=lambda: Limiter(120, 60))
    api: Limiter = field(default_factory=lambda: Limiter(1200, 60))


def without_token(path: str) -> str:
    """A path to log: whoever reads the log is not to get in by it.

    >>> without_token("/w/3rJk_secret"), without_token("/judge")
    ('/w/…', '/judge')
    """
    return "/w/…" if path.startswith("/w/") else path


def address_of(request: Request) -> str:
    """Where a request comes from, as the key of a limiter."""
    return request.client.host if request.client else "unknown"


def cookie_name(secret: str) -> str:
    """The session's cookie: its own for each study, since studies on other ports of a host share cookies."""
    return f"manyjudges_{hashlib.sha256(secret.encode()).hexdigest()[:8]}"


def csrf_token(request: Request) -> str:
    """The session's token for forms; made at first use."""
    token = request.session.get(FIELD)
    if not isinstance(token, str):
        token = request.session[FIELD] = secrets.token_urlsafe(24)
    return token


async def _check_form(request: Request) -> FormData:
    """The form that was sent; 403 where it does not carry this session's token.

    It is kept in ``request.state.form``, so that a page about an error can hand it back.
    """
    form = await request.form(max_files=0, max_fields=1000)
    token, expected = form.get(FIELD), request.session.get(FIELD)
    if not (isinstance(token, str) and isinstance(expected, str) and _same(token, expected)):
        raise HTTPException(403, "This page was open for too long, or cookies are blocked.")
    request.state.form = form
    return form


Form = Annotated[FormData, Depends(_check_form)]
"""A form that was sent with its session's token."""

TOKEN_PATTERN = re.compile(r"[A-Za-z0-9_-]{8,128}")
"""What a link's token looks like; nothing else is looked for."""


def _same(token: str, expected: str) -> bool:
    return hmac.compare_digest(token.encode(), expected.encode())


def hash_password(text: str) -> str:
    """A password as it may be kept.

    >>> check_password("secret", hash_password("secret"))
    True
    """
    salt = secrets.token_bytes(16)
    return f"scrypt${base64.b64encode(salt).decode()}${base64.b64encode(_scrypt(text, salt)).decode()}"


def check_password(text: str, hashed: str) -> bool:
    """Whether a password is the one that was kept; never where what was kept is damaged."""
    try:
        kind, salt, kept = hashed.split("$")
        salted, expected = base64.b64decode(salt, validate=True), base64.b64decode(kept, validate=True)
    except (ValueError, binascii.Error):
        return False
    return kind == "scrypt" and hmac.compare_digest(_scrypt(text, salted), expected)


def _scrypt(text: str, salt: bytes) -> bytes:
    return hashlib.scrypt(text.encode("utf-8", "surrogatepass"), salt=salt, dklen=32, **_SCRYPT)


def origins(addresses: Iterable[str | None]) -> tuple[str, ...]:
    """The hosts from which a study shows images, as a policy names them.

    >>> origins(["https://example.org/a.png", "https://example.org/b.png", None, "file:///etc/passwd"])
    ('https://example.org',)
    """
    parts = (urlsplit(address) for address in addresses if address)
    hosts = {f"{p.scheme}://{p.netloc}" for p in parts if p.scheme in {"http", "https"} and _plain(p.netloc)}
    return tuple(sorted(hosts))


def _plain(host: str) -> bool:
    # A host with a space, a semicolon or a quote would write policy of its own.
    return bool(host) and all(c.isalnum() or c in ".-:[]" for c in host) and host.isascii()


@dataclass(frozen=True)
class Policy:
    """What a browser may do with our pages.

    Attributes
    ----------
    images : tuple of str
        Other hosts that images may come from.
    """

    images: tuple[str, ...] = ()

    def header(self, *, frames: tuple[str, ...] = ()) -> str:
        """The value of Content-Security-Policy; ``frames`` are the hosts that may frame the page and get its form.

        >>> "frame-ancestors 'none'" in Policy().header()
        True
        """
        hosts = " ".join(frames)
        rules = {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": " ".join(("'self'", *self.images)),
            "connect-src": "'self'",
            "form-action": f"'self' {hosts}".strip(),
            "frame-ancestors": hosts or "'none'",
            "base-uri": "'none'",
        }
        return "; ".join(f"{name} {value}" for name, value in rules.items())


class Guard:
    """The outermost layer: limits what comes in, puts headers on what goes out, answers where the rest broke.

    A page that others may frame says by whom: ``request.state.frames`` is a tuple of hosts.

    Parameters
    ----------
    app : ASGI application
    policy : Policy
    broken : callable
        From a request to the response where the application raised something unforeseen.
    """

    def __init__(self, app: ASGIApp, policy: Policy, broken: Callable[[Request], Any]) -> None:
        self.app, self.policy, self.broken = app, policy, broken

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
                self._put_headers(MutableHeaders(scope=message), tuple(scope.get("state", {}).get("frames", ())))
            await send(message)

        try:
            await self.app(scope, _limited(scope, receive), guarded)
        except Exception:
            logger.exception("%s %s broke", scope["method"], without_token(scope["path"]))
            if started:
                raise
            await self.broken(Request(scope))(scope, receive, guarded)

    def _put_headers(self, headers: MutableHeaders, frames: tuple[str, ...]) -> None:
        headers.setdefault("Content-Security-Policy", self.policy.header(frames=frames))
        headers.setdefault("Cache-Control", "no-store")
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
        if not frames:
            headers["X-Frame-Options"] = "DENY"
        if "server" in headers:
            del headers["server"]


def _limited(scope: Scope, receive: Receive) -> Receive:
    """Receive a request up to the largest size; 413 is raised where the application reads on."""
    declared = dict(scope["headers"]).get(b"content-length", b"0")
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if max(size, int(declared) if declared.isdigit() else 0) > LARGEST_REQUEST:
            raise HTTPException(413, f"A request may have at most {LARGEST_REQUEST:,} bytes.")
        return message

    return limited
