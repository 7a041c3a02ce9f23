"""A server on this machine that speaks the chat-completions protocol, checks what it is sent, and can misbehave."""

from __future__ import annotations

import base64
import email.utils
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PARAMETERS = {"model", "messages", "response_format", "temperature", "max_tokens", "max_completion_tokens", "seed"}

PASSING = ("429", "429 date", "429 ms", "408", "500", "503", "drop", "html", "page", "broken", "disguised")
"""Faults after which a call may be tried again."""

UNUSABLE = ("cut", "nonsense", "refusal", "content_filter", "empty", "null", "wrong types", "filtered")
"""Replies that hold no answer, and are mostly paid for all the same."""


@dataclass(frozen=True)
class Asked:
    """A request, taken apart."""

    model: str
    system: str
    text: str
    images: tuple[str, ...]
    form: str
    key: str
    body: dict[str, Any] = field(repr=False)


def yes(asked: Asked) -> object:
    return True


class ChatServer:
    """What is asked of it and what it does.

    ``script`` has the faults of the first requests, in their order ("" for none); after that one of ``faults`` happens
    by chance. A fault is a name, or (status, body, headers) of an error of its own. From request ``hold_after`` on,
    counted from 1, replies wait until ``hold`` is set.
    """

    def __init__(
        self,
        answer: Callable[[Asked], object] = yes,
        *,
        script: Sequence[Any] = (),
        chance: float = 0.0,
        faults: Sequence[str] = (*PASSING, *UNUSABLE),
        seed: int = 0,
        hold_after: int | None = None,
    ) -> None:
        self.answer, self.faults, self.chance, self.hold_after = answer, faults, chance, hold_after
        self.script = list(script)
        self.asked: list[Asked] = []
        self.complaints: list[str] = []
        self.happened: Counter[str] = Counter()
        self.usage: list[tuple[int, int]] = []
        self.address = ""
        self.now = self.most = 0
        self.hold = threading.Event()  # cleared by a test that wants replies to wait
        self.hold.set()
        self.closing = threading.Event()
        self._chance = random.Random(seed)
        self._lock = threading.Lock()

    @property
    def requests(self) -> int:
        return len(self.asked)

    def fault(self) -> Any:
        with self._lock:
            if self.script:
                return self.script.pop(0)
            return self._chance.choice(self.faults) if self._chance.random() < self.chance else ""

    def note(self, asked: Asked, complaints: list[str]) -> None:
        with self._lock:
            self.asked.append(asked)
            self.complaints += complaints
            if len(self.asked) == self.hold_after:
                self.hold.clear()

    def count(self, fault: Any, usage: tuple[int, int] | None) -> None:
        with self._lock:
            self.happened[str(fault)] += 1
            if usage is not None:
                self.usage.append(usage)

    @contextmanager
    def busy(self) -> Iterator[None]:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            yield
        finally:
            with self._lock:
                self.now -= 1


@contextmanager
def chat_server(*given: Any, **options: Any) -> Iterator[ChatServer]:
    """A server that listens until the end of the block."""
    chat = ChatServer(*given, **options)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.chat = chat
    chat.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield chat
    finally:
        chat.closing.set()
        chat.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    chat: ChatServer
    daemon_threads = True
    block_on_close = False
    request_queue_size = 200

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is none of our business."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *given: Any) -> None:
        pass

    def do_POST(self) -> None:
        with self.server.chat.busy():
            self._reply()

    def _reply(self) -> None:
        chat = self.server.chat
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        asked = taken_apart(body, key)
        chat.note(asked, list(complaints(self.path, body, key)))
        chat.hold.wait(timeout=20)
        fault = chat.fault()
        if isinstance(fault, tuple):
            chat.count(fault[0], None)
            return self._send(*fault)
        usage = (len(asked.text), 5)
        if fault in ("drop", "slow", "trickle"):
            chat.count(fault, None)
            return getattr(self, f"_{fault}")()
        if (error := error_of(fault)) is not None:
            chat.count(fault, None)
            return self._send(*error)
        completion = completion_of(fault, asked, chat.answer(asked), usage)
        chat.count(fault, usage if completion.get("usage") else None)
        return self._send(200, completion)

    def _send(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        html = isinstance(body, str) and body.startswith("<")
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if html else "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _drop(self) -> None:
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Le")

    def _slow(self) -> None:
        self.close_connection = True
        self.server.chat.closing.wait(timeout=20)

    def _trickle(self) -> None:
        """A byte now and then, and never an end."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        while not self.server.chat.closing.wait(timeout=0.01):
            self.wfile.write(b" ")
            self.wfile.flush()


def error_of(fault: str) -> tuple[int, object, dict[str, str]] | None:
    """A reply that is no chat completion."""
    if fault.startswith("429"):
        past = email.utils.formatdate(1000, usegmt=True)  # a clock that is late: there is nothing to wait for
        wait = {"429 date": {"Retry-After": past}, "429 ms": {"retry-after-ms": "2"}}.get(
            fault, {"Retry-After": "0.001"}
        )
        return 429, _error("Rate limit reached", "rate_limit_exceeded"), wait
    if fault in ("408", "500", "503"):
        return int(fault), _error("The server had an error", None), {}
    if fault == "filtered":
        return 400, _error("The prompt triggered the content filter", "content_filter"), {}
    pages = {
        "html": (502, "<html><body><h1>502 Bad Gateway</h1></body></html>"),
        "page": (200, "<!doctype html><html><body>Sign in</body></html>"),
        "broken": (200, '{"id": "x", "choices": [{"ind'),
        "disguised": (200, {"error": {"message": "Provider returned error", "code": 502}}),
    }
    return (*pages[fault], {}) if fault in pages else None


def completion_of(fault: str, asked: Asked, answer: object, usage: tuple[int, int]) -> dict[str, Any]:
    """A chat completion, with what is wrong with it."""
    said: Any = answer if asked.form == "text" else json.dumps({"answer": answer})
    said = {"cut": '{"ans', "nonsense": "I'd say 7, or maybe 9?", "null": None, "content_filter": ""}.get(fault, said)
    reason = {"cut": "length", "content_filter": "content_filter"}.get(fault, "stop")
    message: dict[str, Any] = {"role": "assistant", "content": said, "refusal": None}
    if fault == "refusal":
        message |= {"content": None, "refusal": "I can't help with that."}
    whole: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)},
    }
    if fault == "empty":
        whole["choices"] = []
    if fault == "no usage":
        del whole["usage"]
    if fault == "wrong types":
        whole |= {"choices": [{"message": {"content": {"answer": 1}}, "finish_reason": 3}], "id": 7, "created": "now"}
    return whole


def _error(message: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "error", "param": None, "code": code}}


def taken_apart(body: dict[str, Any], key: str) -> Asked:
    texts: dict[str, str] = {"system": "", "user": ""}
    images: list[str] = []
    for message in body["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        texts[message["role"]] = "".join(part["text"] for part in parts if part["type"] == "text")
        images += [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    form = body.get("response_format", {}).get("type", "text")
    return Asked(body["model"], texts["system"], texts["user"], tuple(images), form, key, body)


def complaints(path: str, body: dict[str, Any], key: str) -> Iterator[str]:
    """What the protocol does not allow about a request."""
    if path != "/v1/chat/completions":
        yield f"no such path: {path}"
    if not key:
        yield "no key"
    if body.keys() - PARAMETERS:
        yield f"unknown: {sorted(body.keys() - PARAMETERS)}"
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "no model"
    roles = [message.get("role") for message in body["messages"]]
    if roles not in (["user"], ["system", "user"]):
        yield f"roles: {roles}"
    for message in body["messages"]:
        yield from _wrong_content(message["content"])
    yield from _wrong_form(body)


def _wrong_content(content: object) -> Iterator[str]:
    if isinstance(content, str):
        if not content.strip():
            yield "an empty message"
        return
    for part in content:  # type: ignore[attr-defined]
        if part["type"] == "text" and part.keys() == {"type", "text"} and part["text"]:
            continue
        if part["type"] != "image_url" or part.keys() != {"type", "image_url"}:
            yield f"part: {sorted(part)}"
            continue
        url = part["image_url"]["url"]
        data = re.fullmatch(r"data:image/(png|jpeg|gif|webp);base64,(.+)", url)
        if data is None and not re.match(r"https?://", url):
            yield f"image: {url[:40]}"
        if data is not None:
            base64.b64decode(data[2], validate=True)


def _wrong_form(body: dict[str, Any]) -> Iterator[str]:
    form = body.get("response_format")
    if form is None:
        return
    if form.get("type") == "json_object":
        if "json" not in json.dumps(body["messages"]).lower():
            yield "json_object without the word JSON in the messages"
        return
    schema = form["json_schema"]["schema"]
    if form.keys() != {"type", "json_schema"} or form["json_schema"].keys() != {"name", "strict", "schema"}:
        yield f"response_format: {form}"
    if (
        not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", form["json_schema"]["name"])
        or form["json_schema"]["strict"] is not True
    ):
        yield "response_format: name or strict"
    if schema["type"] != "object" or schema["additionalProperties"] is not False:
        yield "schema: a strict one is a closed object"
    if schema["required"] != list(schema["properties"]):
        yield "schema: all properties are required"
    for answer in schema["properties"]["answer"].get("anyOf", [schema["properties"]["answer"]]):
        if answer.keys() - {"type", "enum", "description"} or not isinstance(answer["type"], str):
            yield f"schema: {answer}"
