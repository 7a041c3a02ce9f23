"""The service of Prolific: calls of its API through httpx, its errors in our words, and its amounts.

The token is taken from the environment for each call, put into its header, and kept nowhere: not in an object, a
message, a log or a file.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from manyjudges.base.messages import quote_value
from manyjudges.connectors.prolific.errors import AGAIN, TOKEN_VARIABLE, HttpReply, check_token, refused, without_token
from manyjudges.exceptions import ProlificError
from manyjudges.study.addresses import is_web_address

if TYPE_CHECKING:
    import httpx

PROLIFIC_ADDRESS = "https://api.prolific.com/api/v1"
_LONGEST_WAIT = 60.0
"""The most seconds that we wait before we try again; where Prolific asks for more, a person should know."""

_PAGE = 200
"""How many results are asked for at a time."""


@dataclass(frozen=True)
class ProlificService:
    """Where Prolific is, and how patient we are with it.

    Attributes
    ----------
    address : str
    timeout : float
        The most seconds without a sign of life.
    tries : int
        How often to try what can be tried again.
    sleep : callable
        Waits for so many seconds before the next try.
    """

    address: str = PROLIFIC_ADDRESS
    timeout: float = 30.0
    tries: int = 4
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.address) if is_web_address(self.address) else None
        here = parts is not None and parts.hostname in ("127.0.0.1", "localhost", "::1")
        if parts is None or parts.query or parts.username or not (parts.scheme == "https" or here):
            raise ProlificError(
                f"{quote_value(self.address)} is no address of the service: it must begin with "
                f"https://, or the token could "
                f"be read on its way. Leave it out for {PROLIFIC_ADDRESS}.",
                value=self.address,
                column="address",
            )

    def get(self, path: str, doing: str, **parameters: Any) -> Any:
        """What is at a path."""
        return self._parsed(self._call("GET", path, None, parameters, "always"), doing)

    def post(
        self, path: str, body: Mapping[str, Any], doing: str, *, repeat: str = "refused", reads: bool = True
    ) -> Any:
        """What came of sending something.

        Parameters
        ----------
        path : str
        body : mapping
        doing : str
            For messages: ``"cannot {doing}: …"``.
        repeat : {"always", "refused", "never"}
            When to try again: whenever it did not succeed, which is for what may be done twice; only if Prolific
            refused because of too many calls; or never.
        reads : bool
            Whether the reply is read; where not, None comes back, as some replies are sentences.
        """
        reply = self._call("POST", path, body, {}, repeat)
        return self._parsed(reply, doing) if reads or reply.status // 100 != 2 else None

    def pages(self, path: str, doing: str) -> list[dict[str, Any]]:
        """All results of a list, whatever the number of its pages, each once."""
        by_id: dict[str, dict[str, Any]] = {}
        parameters: dict[str, Any] | None = {"limit": _PAGE, "offset": 0}
        total = 0
        while parameters is not None:
            page = self.get(path, doing, **parameters)
            before = len(by_id)
            by_id |= {str(result["id"]): result for result in _results(page, doing)}
            total = _count(page)
            parameters = _following(page, len(by_id), total) if len(by_id) > before else None
        if len(by_id) < total:
            raise ProlificError(
                f"cannot {doing}: Prolific says there are {total:,}, but gave {len(by_id):,}. {AGAIN}", value=len(by_id)
            )
        return list(by_id.values())

    def _call(self, method: str, path: str, body: Any, parameters: Mapping[str, Any], repeat: str) -> HttpReply:
        check_token()
        for attempt in range(max(self.tries, 1)):
            reply = self._once(method, path, body, parameters)
            again = reply.passing if repeat == "always" else repeat == "refused" and reply.status == 429
            pause = 2.0**attempt if reply.wait is None else reply.wait
            if not again or attempt + 1 >= self.tries or pause > _LONGEST_WAIT:
                break
            self.sleep(pause)
        return reply

    def _once(self, method: str, path: str, body: Any, parameters: Mapping[str, Any]) -> HttpReply:
        """One call. No error of httpx leaves it: those carry the request, and with it the token."""
        httpx = _httpx()
        try:
            with httpx.Client(timeout=self.timeout, auth=_signed, verify=_certificates()) as client:
                options = {} if body is None else {"json": body}
                answer = client.request(method, f"{self.address.rstrip('/')}{path}", params=parameters, **options)
                return HttpReply(
                    answer.status_code, without_token(answer.text), _wait(answer.headers.get("Retry-After", ""))
                )
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, httpx.PoolTimeout) as error:
            return HttpReply(0, type(error).__name__, reached=False)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            return HttpReply(0, type(error).__name__)

    def _parsed(self, reply: HttpReply, doing: str) -> Any:
        if reply.status // 100 != 2:
            raise refused(reply, doing)
        try:
            return json.loads(reply.text, parse_float=Decimal)
        except (ValueError, RecursionError):
            text = without_token(reply.text)
        raise ProlificError(
            f"cannot {doing}: {self.address} answered with {quote_value(text[:60])}, which is no JSON. "
            f"Is the address right, "
            f"and no page to sign in on the way? {AGAIN}",
            reply.status,
            uncertain=True,
            value=text,
        )


def minor(amount: object, name: str, *, row: str | None = None, column: str | None = None) -> int:
    """An amount of money in the smallest unit of its currency, as the service counts it.

    >>> minor("1.5", "reward"), minor(3, "reward")
    (150, 300)
    """
    number = _number(amount)
    if not number.is_finite() or number <= 0 or number != round(number, 2):
        raise ProlificError(
            f"{name} = {quote_value(amount)} is no amount of money: write a number greater than 0 with "
            f"at most two decimals "
            'and nothing else, such as "1.50".',
            value=amount,
            row=row,
            column=column or name,
        )
    return int(number * 100)


def units(cents: object) -> Decimal:
    """An amount of the service in units of the currency; 0 where there is none.

    >>> units(150), units(None)
    (Decimal('1.50'), Decimal('0.00'))
    """
    number = cents if isinstance(cents, int | Decimal) else 0
    return (Decimal(number) / 100).quantize(Decimal("0.01"))


def _number(amount: object) -> Decimal:
    if isinstance(amount, bool) or not isinstance(amount, str | int | float | Decimal):
        return Decimal("NaN")
    try:
        return Decimal(str(amount).strip())
    except InvalidOperation:
        return Decimal("NaN")


@cache
def _certificates() -> Any:
    """Whom to trust, read once: it takes longer than a call."""
    return _httpx().create_ssl_context()


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise ProlificError(
            "the live Prolific needs httpx, which is not installed; install it: pip install 'manyjudges[prolific]'.",
            value="httpx",
        ) from None
    return httpx


def _signed(request: httpx.Request) -> httpx.Request:
    request.headers["Authorization"] = f"Token {os.environ[TOKEN_VARIABLE].strip()}"
    return request


def _wait(text: str) -> float | None:
    """How long a reply asks to wait, in seconds or until a time."""
    try:
        return max(float(text), 0.0)
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(text)
        return max((until - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _results(page: object, doing: str) -> list[dict[str, Any]]:
    results = page.get("results") if isinstance(page, Mapping) else None
    if not isinstance(results, list) or not all(isinstance(result, Mapping) and result.get("id") for result in results):
        raise ProlificError(
            f"cannot {doing}: the reply is no list of results: {quote_value(without_token(str(page)))}.",
            column="results",
        )
    return results


def _count(page: Mapping[str, Any]) -> int:
    meta = page.get("meta")
    count = meta.get("count") if isinstance(meta, Mapping) else None
    return count if isinstance(count, int) else 0


def _following(page: Mapping[str, Any], have: int, total: int) -> dict[str, Any] | None:
    """What to ask for next; None at the end. Of a link only the query is taken: the token goes to no other host."""
    links = page.get("_links")
    following = links.get("next") if isinstance(links, Mapping) else None
    address = following.get("href") if isinstance(following, Mapping) else None
    if isinstance(address, str) and address:
        return dict(parse_qsl(urlsplit(address).query))
    return {"limit": _PAGE, "offset": have} if have < total else None
