"""Asking: one call to a model, tried again while what is in the way may pass."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from manyjudges.base.formatting import plural
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StudyError
from manyjudges.llm.call_queue import Call, CallError
from manyjudges.llm.errors import CallFailure, NoCompletionError, trouble_of
from manyjudges.llm.prompts import Prompt, Prompts
from manyjudges.llm.replies import brief, read_reply
from manyjudges.llm.services import Service, client_of, request_of, service_of
from manyjudges.store.records import Reply

if TYPE_CHECKING:
    from types import TracebackType

    from openai import AsyncOpenAI

    from manyjudges.study.config import Study
    from manyjudges.study.models import Column
    from manyjudges.study.objects import ObjectRecord

FIRST_WAIT = 0.5
"""Seconds before the second try, at most; twice as many before each one after that."""

LONGEST_WAIT = 30.0
"""Seconds between two tries, at most, where the service does not say."""

LONGEST_PAUSE = 300.0
"""Seconds that a service may ask to wait; after more it is better to start again later."""

SPREAD = 0.5
"""Seconds over which calls go on after a pause, so that they do not all come at once."""


@dataclass(frozen=True)
class Clock:
    """Time and chance; tests have their own.

    Attributes
    ----------
    sleep : callable
        Waits for so many seconds.
    random : callable
        A number from 0 to 1.
    passed : callable
        Seconds since some moment.
    now : callable
        Seconds since the epoch.
    """

    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    random: Callable[[], float] = random.random
    passed: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time


class Gate:
    """Where all calls of a model wait while the service asks for a pause."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._opens = -math.inf

    def close(self, seconds: float) -> None:
        """Let nobody through for so long."""
        self._opens = max(self._opens, self._clock.passed() + seconds)

    async def passed(self) -> None:
        """Wait until it is open."""
        while (left := self._opens - self._clock.passed()) > 0:
            await self._clock.sleep(left + SPREAD * self._clock.random())


@dataclass(frozen=True)
class _ModelClient:
    """What is needed to reach a model."""

    service: Service
    client: AsyncOpenAI
    gate: Gate


class Asker:
    """Asks the models of a study: ``await ask(call)`` gives a :class:`Reply`. To be used as ``async with``.

    Parameters
    ----------
    study : Study
    records : iterable of ObjectRecord
    model : str, optional
        Who judges the columns that belong to no model in particular.
    clock : Clock, optional
    troubled : callable, optional
        Is told in words what is in the way of a call, while it is tried again.

    Raises
    ------
    StudyError
        Where a model is not known or has no key, before anything is asked; later, where a service will answer no call:
        the key or the name of the model is wrong, the credit is used up, a request is not understood.
    CallError
        Where no answer came in as many tries as the study has.
    """

    def __init__(
        self,
        study: Study,
        records: Iterable[ObjectRecord],
        model: str | None = None,
        *,
        clock: Clock | None = None,
        troubled: Callable[[str], object] | None = None,
    ) -> None:
        self._study = study
        self._model = model
        self._clock = Clock() if clock is None else clock
        self._troubled = troubled or (lambda said: None)
        self._prompts = Prompts(study, records)
        self._columns = {column.name: column for column in study.columns}
        self._lines: dict[str, _ModelClient] = {}

    async def __aenter__(self) -> Asker:
        """Open the lines: a key that is missing is found out before anything is claimed."""
        judges = {column.judge for column in self._columns.values() if column.judge is not None}
        wanted = {self._model} if self._model is not None else judges
        try:
            for name in sorted(wanted):
                self._line(name)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        for line in self._lines.values():
            await line.client.close()
        self._lines.clear()

    async def __call__(self, call: Call) -> Reply:
        """Ask about one judgment."""
        column = self._column(call)
        line = self._line(self._judge(column))
        prompt = await asyncio.to_thread(self._prompts.of, column, line.service.model, call.object)
        about = f"{line.service.name}, asked for {column.attribute!r} of object {quote_value(call.object)}"
        found = await self._tried(line, prompt, about)
        if isinstance(found, CallFailure):
            return Reply("refused", said=brief(found.said))
        reply = read_reply(found, self._study.attribute(column.attribute), self._study.llm.structured)
        return replace(reply, paid=line.service.model.paid(reply.tokens_in, reply.tokens_out))

    async def _tried(self, line: _ModelClient, prompt: Prompt, about: str) -> object:
        """A chat completion, or the trouble that the service takes offence at the call."""
        trouble = CallFailure("passing", "")
        for attempt in range(1, self._study.llm.tries + 1):
            await line.gate.passed()
            try:
                return await self._once(line, prompt)
            except Exception as error:
                trouble = self._trouble(error, line)
            if trouble.kind == "refused":
                return trouble
            if trouble.kind == "final":
                raise StudyError(f"{about}: {_sentence(trouble.said)} {trouble.advice}") from None
            self._troubled(f"{brief(trouble.said)}, {line.service.name}")
            await self._wait(trouble, attempt, line, about)
        tries = plural(self._study.llm.tries, "try", "tries")
        raise CallError(f"{about}: {_sentence(f'{trouble.said} (in {tries})')}")

    async def _once(self, line: _ModelClient, prompt: Prompt) -> object:
        # The client's own limit is on each step; a server that sends a byte now and then would never reach it.
        async with asyncio.timeout(self._study.llm.timeout):
            completion: Any = await line.client.chat.completions.create(**request_of(line.service, prompt))
        _check_completion(completion)
        return completion

    def _trouble(self, error: Exception, line: _ModelClient) -> CallFailure:
        from openai import OpenAIError

        # ValueError: JSON that is none. Anything else is a fault of ours, and is not to be tried again.
        if not isinstance(error, OpenAIError | NoCompletionError | TimeoutError | ValueError | RecursionError):
            raise error
        return trouble_of(error, line.service, self._clock.now())

    async def _wait(self, trouble: CallFailure, attempt: int, line: _ModelClient, about: str) -> None:
        if trouble.wait is not None and trouble.wait > LONGEST_PAUSE:
            raise StudyError(
                f"{about}: {_sentence(trouble.said)} The service asks to wait for {trouble.wait:,.0f} seconds. What "
                "was answered is kept; start again then."
            )
        most = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (attempt - 1))
        seconds = self._clock.random() * most if trouble.wait is None else trouble.wait
        if trouble.kind == "crowded":
            line.gate.close(seconds)
        elif attempt < self._study.llm.tries:
            await self._clock.sleep(seconds)

    def _column(self, call: Call) -> Column:
        if call.column not in self._columns:
            raise StudyError(
                f"study.toml in {str(self._study.folder)!r} has no column {call.column!r}, which a judgment of object "
                f"{quote_value(call.object)} is ordered for; put the attribute or the model back, or "
                f"make the plan anew."
            )
        return self._columns[call.column]

    def _judge(self, column: Column) -> str:
        name = column.judge or self._model
        if name is None:
            raise StudyError(f"no model was named to judge {column.name!r}; name one: --model NAME.")
        return name

    def _line(self, name: str) -> _ModelClient:
        if name not in self._lines:
            service = service_of(self._study, self._study.model(name))
            self._lines[name] = _ModelClient(service, client_of(service, self._study.llm.timeout), Gate(self._clock))
        return self._lines[name]


def _check_completion(completion: object) -> None:
    """Raise NoCompletionError where a page came instead, or an error in the clothes of an answer."""
    if isinstance(completion, str) or completion is None:
        raise NoCompletionError(str(completion or "nothing"))
    error = getattr(completion, "error", None)
    if isinstance(error, Mapping) and not getattr(completion, "choices", None):
        code = error.get("code")
        status = code if isinstance(code, int) and 400 <= code < 600 else 200
        raise NoCompletionError("an error instead of an answer", status, error)


def _sentence(said: str) -> str:
    line = brief(said)
    return line if line.endswith((".", "!", "?")) else f"{line}."
