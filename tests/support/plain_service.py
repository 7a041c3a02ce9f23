"""A second model service, in this process and with a protocol of its own: what tells the seam from one client's ways.

It does what a :class:`ChatServer` is told to do, without a connection: it takes the same faults, but raises errors of
its own for them and answers in objects of its own.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from manyjudges.exceptions import StudyError
from manyjudges.llm.errors import CallFailure
from manyjudges.llm.prompts import Prompt
from manyjudges.llm.services import Completion
from manyjudges.study.config import Study
from manyjudges.study.models import Model
from tests.support.chat_server import Asked, ChatServer, error_of

SECRET = "sk-secret-0123456789"
"""The key of every service that the laws are held against."""


FORMS = {"schema": "json_schema", "json": "json_object", "text": "text"}
"""What a :class:`ChatServer` calls the forms of replies."""


class PlainError(Exception):
    """What goes wrong at this service."""

    def __init__(self, kind: str, said: str, seconds: float | None = None) -> None:
        super().__init__(said)
        self.kind, self.said, self.seconds = kind, said, seconds


class PlainService:
    """One model of the service."""

    def __init__(self, study: Study, model: Model, chat: ChatServer) -> None:
        self._model, self._chat, self.closed = model, chat, False

    @property
    def name(self) -> str:
        return f"model {self._model.name!r} in this process"

    async def complete(self, prompt: Prompt) -> Completion:
        await asyncio.sleep(0)
        form = FORMS[prompt.structured]
        asked = Asked(self._model.called, prompt.instructions, prompt.text, prompt.pictures, form, SECRET, {})
        self._chat.note(asked, [] if (prompt.schema is not None) == (prompt.structured == "schema") else ["schema"])
        fault = self._chat.fault()
        if fault in ("slow", "trickle"):
            await asyncio.sleep(60)
        if fault == "drop":
            raise PlainError("lost", "nothing came back")
        _raise_error(fault if isinstance(fault, tuple) else error_of(fault))
        usage = (0, 0) if fault == "no usage" else (len(asked.text), 5)
        self._chat.count(fault, usage)
        return _completion(fault, asked.form, self._chat.answer(asked), usage)

    def failure(self, error: Exception, now: float) -> CallFailure:
        if not isinstance(error, PlainError):
            raise error
        said = str(error).replace(SECRET, "…")
        if error.kind == "busy":
            return CallFailure("crowded", said, error.seconds)
        if error.kind in ("lost", "broken"):
            return CallFailure("passing", said, error.seconds)
        if error.kind == "offended":
            return CallFailure("refused", said)
        return CallFailure("final", said, advice="Ask the people who run this service.")

    async def close(self) -> None:
        self.closed = True


def _raise_error(error: tuple[int, object, dict[str, str]] | tuple[Any, ...] | None) -> None:
    """Raise this service's error for what a web server would have replied, if that is one."""
    if error is None:
        return
    status, body, headers = (*error, {})[:3]
    said = body.get("error", {}) if isinstance(body, dict) else {"message": f"not an answer: {str(body)[:20]}"}
    code, message = said.get("code"), str(said.get("message"))
    seconds = float(headers["Retry-After"]) if headers.get("Retry-After", "").replace(".", "").isdigit() else None
    if code == "content_filter":
        raise PlainError("offended", message)
    if status in (401, 402, 403, 404) or code == "insufficient_quota" or (status == 200 and code == 401):
        raise PlainError("over", message)
    raise PlainError("busy" if status == 429 else "broken", message, seconds)


def _completion(fault: str, form: str, answer: object, usage: tuple[int, int]) -> Completion:
    text = answer if form == "text" else json.dumps({"answer": answer})
    if fault in ("refusal", "content_filter"):
        return Completion("", *usage, refusal="I can't help with that.")
    if fault in ("empty", "wrong types"):
        return Completion(None, *usage)
    if fault == "cut":
        return Completion('{"ans', *usage, cut_off=True)
    text = {"nonsense": "I'd say 7, or maybe 9?", "null": ""}.get(fault, str(text))
    return Completion(text, *usage)


def connect_to(chat: ChatServer, made: list[PlainService] | None = None) -> Any:
    """What an asker makes its services by."""

    def connect(study: Study, model: Model) -> PlainService:
        if model.temperature == 5.0:
            raise StudyError(f"model {model.name!r} is too hot for this service.")
        service = PlainService(study, model, chat)
        if made is not None:
            made.append(service)
        return service

    return connect
