"""Asker: one call to a model, tried again while what is in the way may pass."""

from __future__ import annotations

__all__ = ["Asker", "Waits"]

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from manyjudges.base.formatting import plural
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import CallError, StudyError
from manyjudges.llm import registry
from manyjudges.llm.errors import NO_ANSWER_IN_TIME, CallFailure
from manyjudges.llm.prompts import Prompt, Prompts
from manyjudges.llm.replies import brief, read_reply
from manyjudges.llm.services import Completion, Connect, ModelService
from manyjudges.store.records import Call, Reply

if TYPE_CHECKING:
    from types import TracebackType

    from manyjudges.study.config import Study
    from manyjudges.study.models import Column, Model
    from manyjudges.study.objects import ObjectRecord


@dataclass(frozen=True)
class Waits:
    """How long to wait before a call is tried again, in seconds.

    Attributes
    ----------
    first : float
        Before the second try, at most; twice as many before each one after that.
    longest : float
        Between two tries, at most, where the service does not say.
    longest_pause : float
        That a service may ask for; after more it is better to start again later.
    spread : float
        Over which calls go on after a pause, so that they do not all come at once.
    """

    first: float = 0.5
    longest: float = 30.0
    longest_pause: float = 300.0
    spread: float = 0.5


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

    def __init__(self, clock: Clock, spread: float = Waits.spread) -> None:
        self._clock, self._spread = clock, spread
        self._opens = -math.inf

    def close(self, seconds: float) -> None:
        """Let nobody through for so long."""
        self._opens = max(self._opens, self._clock.passed() + seconds)

    async def passed(self) -> None:
        """Wait until it is open."""
        while (remaining := self._opens - self._clock.passed()) > 0:
            await self._clock.sleep(remaining + self._spread * self._clock.random())


@dataclass(frozen=True)
class _ModelClient:
    """A model, where it is asked, and the gate before it."""

    model: Model
    service: ModelService
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
    waits : Waits, optional
    troubled : callable, optional
        Is told in words what is in the way of a call, while it is tried again.
    connect : callable, optional
        Makes the :class:`ModelService` of a model; by default the one that the model names.

    Raises
    ------
    StudyError
        Where a model is not known or has no key, before anything is asked; later, where a service will answer no call:
        the key or the name of the model is wrong, the credit is used up, a request is not understood.
    CallError
        Where no answer came, however often the study allows to try.
    """

    def __init__(
        self,
        study: Study,
        records: Iterable[ObjectRecord],
        model: str | None = None,
        *,
        clock: Clock | None = None,
        waits: Waits | None = None,
        troubled: Callable[[str], object] | None = None,
        connect: Connect | None = None,
    ) -> None:
        self._study = study
        self._model = model
        self._connect = connect or registry.connect
        self._clock = Clock() if clock is None else clock
        self._waits = Waits() if waits is None else waits
        self._troubled = troubled or (lambda message: None)
        self._prompts = Prompts(study, records)
        self._columns = {column.name: column for column in study.columns}
        self._clients: dict[str, _ModelClient] = {}

    async def __aenter__(self) -> Asker:
        """Connect to all models: a key that is missing is noticed before anything is claimed."""
        judges = {column.judge for column in self._columns.values() if column.judge is not None}
        names = {self._model} if self._model is not None else judges
        try:
            for name in sorted(names):
                self._client(name)
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
        for client in self._clients.values():
            await client.service.close()
        self._clients.clear()

    async def __call__(self, call: Call) -> Reply:
        """Ask about one judgment."""
        column = self._column(call)
        client = self._client(self._judge(column))
        prompt = await asyncio.to_thread(self._prompts.of, column, client.model, call.object)
        about = f"{client.service.name}, asked for {column.attribute!r} of object {quote_value(call.object)}"
        completion = await self._tried(client, prompt, call, about)
        if isinstance(completion, CallFailure):
            return Reply("refused", text=brief(completion.message))
        reply = read_reply(completion, self._study.attribute(column.attribute), self._study.llm.structured)
        return replace(reply, paid=client.model.paid(reply.tokens_in, reply.tokens_out))

    async def _tried(self, client: _ModelClient, prompt: Prompt, call: Call, about: str) -> Completion | CallFailure:
        """What the model wrote, or by what failure the service refuses what is in the call."""
        failure = CallFailure("passing", "")
        for attempt in range(self._study.llm.max_retries + 1):
            await client.gate.passed()
            try:
                # A service's own limit is on each step; a server that sends a byte now and then would never reach it.
                async with asyncio.timeout(self._study.llm.timeout):
                    return await client.service.complete(prompt)
            except TimeoutError:
                failure = CallFailure("passing", NO_ANSWER_IN_TIME)
            except Exception as error:
                failure = client.service.failure(error, self._clock.now())
            if failure.kind == "refused":
                return failure
            if failure.kind == "final":
                raise StudyError(
                    f"{about}: {_sentence(failure.message)} {failure.advice}", row=call.object, column=call.column
                ) from None
            self._troubled(f"{brief(failure.message)}, {client.service.name}")
            await self._wait(failure, attempt, client, call, about)
        tries = plural(self._study.llm.max_retries + 1, "try", "tries")
        raise CallError(f"{about}: {_sentence(f'{failure.message} (in {tries})')}", row=call.object, column=call.column)

    async def _wait(self, failure: CallFailure, attempt: int, client: _ModelClient, call: Call, about: str) -> None:
        waits = self._waits
        if failure.wait is not None and failure.wait > waits.longest_pause:
            raise StudyError(
                f"{about}: {_sentence(failure.message)} The service asks to wait for {failure.wait:,.0f} seconds. What "
                "was answered is kept; start again then.",
                value=failure.wait,
                row=call.object,
                column=call.column,
            )
        most = min(waits.longest, waits.first * 2.0**attempt)
        seconds = self._clock.random() * most if failure.wait is None else failure.wait
        if failure.kind == "crowded":
            client.gate.close(seconds)
        elif attempt < self._study.llm.max_retries:  # after the last one there is nothing to wait for
            await self._clock.sleep(seconds)

    def _column(self, call: Call) -> Column:
        if call.column not in self._columns:
            raise StudyError(
                f"study.toml in {str(self._study.folder)!r} has no column {call.column!r}, which a judgment of object "
                f"{quote_value(call.object)} is ordered for; put the attribute or the model back, or "
                f"make the plan anew.",
                value=call.object,
                row=call.object,
                column=call.column,
            )
        return self._columns[call.column]

    def _judge(self, column: Column) -> str:
        name = column.judge or self._model
        if name is None:
            raise StudyError(f"no model was named to judge {column.name!r}; name one: --model NAME.", column="model")
        return name

    def _client(self, name: str) -> _ModelClient:
        if name not in self._clients:
            model = self._study.model(name)
            gate = Gate(self._clock, self._waits.spread)
            self._clients[name] = _ModelClient(model, self._connect(self._study, model), gate)
        return self._clients[name]


def _sentence(text: str) -> str:
    line = brief(text)
    return line if line.endswith((".", "!", "?")) else f"{line}."
