"""A server on this machine that answers as Prolific's API is documented to, and can misbehave."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "tok-3fW9xQ7LkZ0aVb2NcM5rTyU8"
"""What the server takes for the right one."""

REQUIRED = (
    "name",
    "description",
    "external_study_url",
    "prolific_id_option",
    "completion_codes",
    "total_available_places",
    "estimated_completion_time",
    "reward",
)


@dataclass
class Market:
    """All that the server knows, and how it misbehaves.

    ``script`` has what goes wrong with the next calls, in their order ("" for nothing): a status with a body and
    headers, or one of ``"drop"`` (nothing is done), ``"lost"`` (it is done, but no reply comes), ``"slow"`` (the same,
    too late), ``"broken"`` (it is done, and the reply is cut off).
    """

    page_size: int = 2
    links: bool = True
    studies: dict[str, dict[str, Any]] = field(default_factory=dict)
    submissions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    bonuses: dict[str, dict[str, Any]] = field(default_factory=dict)
    script: list[Any] = field(default_factory=list)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    payments: list[str] = field(default_factory=list)
    address: str = ""
    closing: threading.Event = field(default_factory=threading.Event)

    def calls(self, method: str, ending: str = "") -> list[Any]:
        """The bodies of the calls of a method whose path ends so."""
        return [body for verb, path, body in self.asked if verb == method and path.endswith(ending)]


class Refusal(Exception):
    """A reply that is none of success."""

    def __init__(self, status: int, detail: Any, title: str = "Bad request") -> None:
        self.status = status
        self.body = {"error": {"status": status, "error_code": status * 1000, "title": title, "detail": detail}}


def answer(market: Market, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
    """What Prolific does and says."""
    if method == "POST":
        return posted(market, path, body)
    match path.strip("/").split("/"):
        case ["studies"]:
            return 200, listed(market, list(market.studies.values()), path, query)
        case ["studies", name]:
            return 200, study(market, name)
        case ["studies", name, "submissions"] if study(market, name):
            return 200, listed(market, market.submissions.get(name, []), path, query)
    raise Refusal(404, "Not found.", "Not found")


def posted(market: Market, path: str, body: Any) -> tuple[int, Any]:
    match path.strip("/").split("/"):
        case ["studies"]:
            return 201, created(market, body)
        case ["studies", name, "transition"]:
            return 200, moved(study(market, name), body)
        case ["submissions", "bulk-approve"]:
            for each in body["submission_ids"]:
                submission(market, each)["status"] = "APPROVED"
            return 200, "Bulk approve in progress"
        case ["submissions", "bonus-payments"]:
            return 201, set_up(market, body)
        case ["submissions", name, "transition"]:
            submission(market, name)["status"] = {"APPROVE": "APPROVED"}[body["action"]]
            return 200, submission(market, name)
        case ["bulk-bonus-payments", name, "pay"]:
            pay(market, name)
            return 202, None
    raise Refusal(404, "Not found.", "Not found")


def listed(market: Market, rows: Sequence[Any], path: str, query: dict[str, str]) -> dict[str, Any]:
    begin, size = int(query.get("offset", 0)), min(int(query.get("limit", 20)), market.page_size)
    more = begin + size < len(rows)
    # the host of a link is another one here: nobody may follow it with a token
    following = f"http://elsewhere.invalid/api/v1{path}?limit={size}&offset={begin + size}" if more else None
    found: dict[str, Any] = {"results": rows[begin : begin + size], "meta": {"count": len(rows)}}
    if market.links:
        found["_links"] = {"next": {"href": following, "title": "Next"}}
    return found


def study(market: Market, name: str) -> dict[str, Any]:
    if name not in market.studies:
        raise Refusal(404, "Not found.", "Not found")
    return market.studies[name]


def submission(market: Market, name: str) -> dict[str, Any]:
    for rows in market.submissions.values():
        for each in rows:
            if each["id"] == name:
                return each
    raise Refusal(404, "Not found.", "Not found")


def created(market: Market, body: dict[str, Any]) -> dict[str, Any]:
    missing = {name: ["This field is required."] for name in REQUIRED if body.get(name) is None}
    if missing:
        raise Refusal(400, missing)
    if body["reward"] < 100:
        raise Refusal(400, {"reward": ["The reward is below the minimum."], "study": [{"name": ["Too short."]}]})
    name = f"64a{len(market.studies):021}"
    market.studies[name] = {
        **body,
        "id": name,
        "status": "UNPUBLISHED",
        "presentment_currency_code": "GBP",
        "total_cost": body["reward"] * body["total_available_places"] * 1.4,
    }
    return market.studies[name]


def moved(found: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    allowed = {
        "PUBLISH": (["UNPUBLISHED"], "ACTIVE"),
        "PAUSE": (["ACTIVE"], "PAUSED"),
        "START": (["PAUSED"], "ACTIVE"),
        "STOP": (["ACTIVE", "PAUSED"], "AWAITING REVIEW"),
    }
    before, after = allowed[body["action"]]
    if found["status"] not in before:
        raise Refusal(400, f"The study is {found['status']}.")
    found["status"] = after
    return found


def set_up(market: Market, body: dict[str, Any]) -> dict[str, Any]:
    rows = [line.split(",") for line in body["csv_bonuses"].strip().split("\n")]
    there = market.submissions[body["study_id"]]
    known = {name for each in there for name in (each["id"], each["participant_id"])}
    if strange := [who for who, _ in rows if who not in known]:
        raise Refusal(400, f"These ids did not take part: {strange}")
    name = f"b{len(market.bonuses)}"
    cents = {who: round(float(amount) * 100) for who, amount in rows}
    market.bonuses[name] = {"study": body["study_id"], "cents": cents}
    amount = sum(cents.values())
    return {"id": name, "study": body["study_id"], "amount": amount, "fees": amount * 0.3, "total_amount": amount * 1.3}


def pay(market: Market, name: str) -> None:
    """Pay, as often as it is asked for: this is what the real one does, too."""
    if name not in market.bonuses:
        raise Refusal(404, "Not found.", "Not found")
    market.payments.append(name)
    bonus = market.bonuses[name]
    for each in market.submissions[bonus["study"]]:
        for who in (each["id"], each["participant_id"]):
            if who in bonus["cents"]:
                each["bonus_payments"].append(bonus["cents"][who])


@contextmanager
def prolific_server(**options: Any) -> Iterator[Market]:
    """A server that listens until the end of the block."""
    market = Market(**options)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.market = market
    market.address = f"http://127.0.0.1:{server.server_address[1]}/api/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield market
    finally:
        market.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    market: Market
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is none of our business."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *given: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._reply("GET", None)

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._reply("POST", json.loads(data) if data else None)

    def _reply(self, method: str, body: Any) -> None:
        market = self.server.market
        parts = urlsplit(self.path)
        path = parts.path.removeprefix("/api/v1")
        market.asked.append((method, path, body))
        fault = market.script.pop(0) if market.script else ""
        if isinstance(fault, tuple):
            return self._send(*fault)
        if fault == "drop":
            self.close_connection = True
            return None
        given = self.headers.get("Authorization", "")
        if given != f"Token {TOKEN}":
            return self._send(401, {"detail": f"Invalid token: {given}"})
        try:
            status, found = answer(market, method, path, {k: v[0] for k, v in parse_qs(parts.query).items()}, body)
        except Refusal as refusal:
            status, found = refusal.status, refusal.body
        return self._late(fault) if fault in ("lost", "slow") else self._send(status, found, cut=fault == "broken")

    def _late(self, fault: str) -> None:
        self.close_connection = True
        if fault == "slow":
            self.server.market.closing.wait(timeout=20)

    def _send(self, status: int, body: Any, headers: dict[str, str] | None = None, *, cut: bool = False) -> None:
        data = body.encode() if isinstance(body, str) and body.startswith(("<", "{")) else json.dumps(body).encode()
        data = data[: len(data) // 2] if cut else data if body is not None else b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
