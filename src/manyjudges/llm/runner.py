"""Runner: calls are claimed, made and recorded, so many at a time, until nothing is left to ask."""

from __future__ import annotations

__all__ = ["Tally", "run"]

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from manyjudges.exceptions import CallError
from manyjudges.llm.call_queue import CallQueue
from manyjudges.store.records import Call, Reply

_GRACE = 5.0
"""Seconds that calls in flight are waited for when a run is to end: their answers are paid for."""

_FAILURES = 10
"""So many calls in a row that came to nothing end a run."""

STOPPED = "the run was stopped before an answer came"

T = TypeVar("T")


@dataclass(frozen=True)
class Tally:
    """What a run did so far.

    Attributes
    ----------
    answered, cant_tell, refused, unreadable : int
        Judgments that were recorded for good, by what became of them.
    failed : int
        Calls that no answer came to, however often they were tried; they are open again.
    tokens_in, tokens_out : int
        Of all calls, those that were asked again among them.
    paid : float
        For all calls, in the study's currency.
    uncounted : int
        Replies that did not say how many tokens they took; what a service refuses itself takes none.
    """

    answered: int = 0
    cant_tell: int = 0
    refused: int = 0
    unreadable: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    paid: float = 0.0
    uncounted: int = 0

    @property
    def recorded(self) -> int:
        """Judgments that were recorded for good, with a value or without."""
        return self.answered + self.cant_tell + self.refused + self.unreadable


async def run(
    queue: CallQueue,
    ask: Callable[[Call], Awaitable[Reply]],
    *,
    concurrency: int,
    max_calls_per_judgment: int,
    stop: asyncio.Event | None = None,
    progress: Callable[[Tally], object] | None = None,
    grace: float = _GRACE,
    failures: int = _FAILURES,
) -> Tally:
    """Make calls until the queue has none left, or the money is spent.

    When it is to end before that, no new calls are made, those in flight are waited for and recorded for as long as
    ``grace`` says, and the rest is given back: nothing stays claimed. A second cancellation ends the waiting.

    Parameters
    ----------
    queue : CallQueue
    ask : callable
        Makes one call, such as an :class:`Asker`. A :class:`CallError` puts the call back; any other error ends the
        run.
    concurrency : int
        The most calls in flight at a time.
    max_calls_per_judgment : int
        How often to ask about a judgment while the answer is a refusal or cannot be read.
    stop : asyncio.Event, optional
        Set it to end the run early, as if there were no more to do.
    progress : callable, optional
        Is given the tally after every reply.
    grace : float
        Seconds.
    failures : int
        So many calls in a row that came to nothing end the run.

    Returns
    -------
    Tally

    Raises
    ------
    CallError
        Where too many calls in a row came to nothing.
    asyncio.CancelledError
        Where it was cancelled, once everything is recorded or given back.
    """
    return await _Run(queue, ask, concurrency, max_calls_per_judgment, progress or (lambda tally: None), failures).go(
        stop, grace
    )


class _Run:
    """One run: who is in flight, what was done, and why it ends."""

    def __init__(
        self,
        queue: CallQueue,
        ask: Callable[[Call], Awaitable[Reply]],
        concurrency: int,
        max_calls_per_judgment: int,
        progress: Callable[[Tally], object],
        failures: int,
    ) -> None:
        self._queue = queue
        self._ask = ask
        self._concurrency = concurrency
        self._max_calls = max_calls_per_judgment
        self._progress = progress
        self._failures = failures
        self._tally = Tally()
        self._in_a_row = 0
        self._workers: set[asyncio.Task[None]] = set()
        self._ending = False
        self._error: Exception | None = None

    async def go(self, stop: asyncio.Event | None, grace: float) -> Tally:
        stop = asyncio.Event() if stop is None else stop
        stopped = asyncio.create_task(_until(stop))
        try:
            while not (self._ending or stop.is_set()) and await self._fly(stopped):
                pass
        except Exception as error:
            self._end(error)
        except asyncio.CancelledError:
            pass  # it is raised again below, when all is put away
        finally:
            stopped.cancel()
        self._ending = True
        await self._land(grace)
        if self._error is not None:
            raise self._error
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise asyncio.CancelledError
        return self._tally

    async def _fly(self, stopped: asyncio.Task[None]) -> bool:
        """Have as many calls in flight as are allowed, until one has landed; False where there are none left."""
        free = self._concurrency - len(self._workers)
        for call in await self._at_queue(partial(self._queue.claim, free)) if free > 0 else ():
            self._workers.add(asyncio.create_task(self._work(call)))
        if not self._workers:
            return False
        await asyncio.wait({*self._workers, stopped}, return_when=asyncio.FIRST_COMPLETED)
        self._workers = {worker for worker in self._workers if not worker.done()}
        return True

    async def _land(self, grace: float) -> None:
        """Wait for what is in flight; what takes longer is broken off, which gives it back."""
        if self._workers:
            with suppress(asyncio.CancelledError):  # the second time somebody says to end
                await asyncio.wait(self._workers, timeout=grace)
        for worker in self._workers:
            worker.cancel()
        while pending := [worker for worker in self._workers if not worker.done()]:
            with suppress(asyncio.CancelledError):
                await asyncio.wait(pending)

    async def _work(self, call: Call) -> None:
        """See one judgment through; errors end the run."""
        following: Call | None = call
        try:
            while following is not None:
                following = await self._once(following)
        except Exception as error:
            self._end(error)

    async def _once(self, call: Call) -> Call | None:
        """Make one call and record what came of it; gives the next one about the same judgment, where there is one."""
        if self._ending:
            await self._at_queue(partial(self._queue.failed, call, STOPPED))
            return None
        try:
            reply = await self._ask(call)
        except CallError as error:
            await self._at_queue(partial(self._queue.failed, call, str(error)))
            self._count_failure(error)
            return None
        except (Exception, asyncio.CancelledError) as error:
            reason = STOPPED if isinstance(error, asyncio.CancelledError) else str(error)
            await self._at_queue(partial(self._queue.failed, call, reason))
            raise
        return await self._record(call, reply)

    async def _record(self, call: Call, reply: Reply) -> Call | None:
        again = reply.outcome in ("refused", "unreadable") and call.attempt < self._max_calls
        following = await self._at_queue(
            partial(
                self._queue.replied,
                call,
                reply.outcome,
                value=reply.value,
                tokens_in=reply.tokens_in,
                tokens_out=reply.tokens_out,
                paid=reply.paid,
                text=reply.text,
                again=again,
            )
        )
        self._in_a_row = 0
        self._tally = _added(self._tally, reply, for_good=not again)
        self._progress(self._tally)
        return following

    def _count_failure(self, error: CallError) -> None:
        self._in_a_row += 1
        self._tally = replace(self._tally, failed=self._tally.failed + 1)
        self._progress(self._tally)
        if self._in_a_row >= self._failures:
            message = f"{self._in_a_row} calls in a row came to nothing, the last one so: {error}"
            self._end(
                CallError(f"{message} What was answered is kept; start again when the service is back.", **error.fields)
            )

    def _end(self, error: Exception) -> None:
        """Claim no more; the first error is the one that is told."""
        self._error = self._error or error
        self._ending = True

    async def _at_queue(self, work: Callable[[], T]) -> T:
        """Do something at the queue, in a thread, and see it through: what was claimed or recorded must be known.

        A cancellation meanwhile ends the run all the same.
        """
        future = asyncio.get_running_loop().run_in_executor(None, work)
        while not future.done():
            try:
                await asyncio.shield(future)
            except asyncio.CancelledError:
                self._ending = True
            except Exception:
                break  # of the queue; it is raised below
        return future.result()


async def _until(stop: asyncio.Event) -> None:
    await stop.wait()


def _added(tally: Tally, reply: Reply, *, for_good: bool) -> Tally:
    counts = {reply.outcome: getattr(tally, reply.outcome) + 1} if for_good else {}
    return replace(
        tally,
        **counts,
        tokens_in=tally.tokens_in + reply.tokens_in,
        tokens_out=tally.tokens_out + reply.tokens_out,
        paid=tally.paid + reply.paid,
        uncounted=tally.uncounted + (reply.tokens_in == 0 and reply.outcome != "refused"),
    )
