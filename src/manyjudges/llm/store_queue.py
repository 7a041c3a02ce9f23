"""The queue of one model's calls, kept in the store of its study."""

from __future__ import annotations

__all__ = ["StoreCallQueue"]

import threading
from typing import TYPE_CHECKING

from manyjudges.exceptions import StoreError
from manyjudges.store.records import Call, CallOutcome, Reply

if TYPE_CHECKING:
    from types import TracebackType

    from manyjudges.store.store import Store
    from manyjudges.study.config import Study
    from manyjudges.study.models import Model

_OUT = 90.0
"""Seconds after which a call that nobody is heard of about may be made again; until then, one says so."""


class StoreCallQueue:
    """Where one model's calls are claimed, and where their answers are put down. To be used as ``with``.

    While it is open, what it claimed stays claimed; after a crash it is open again when ``seconds`` have passed.

    Parameters
    ----------
    store : Store
    study : Study
    model : Model
    seconds : float
        After which a call that nobody is heard of about may be made again.
    """

    def __init__(self, store: Store, study: Study, model: Model, *, seconds: float = _OUT) -> None:
        self._call_log, self._limit, self._seconds = store.call_log, study.llm.spending_limit, seconds
        self._unit = study.work.pay_per_unit
        self._worker = store.enter("model", model.name).id
        self._in_flight: set[int] = set()
        self._guard, self._through = threading.Lock(), threading.Event()
        self._staying = threading.Thread(target=self._stay, daemon=True)

    def __enter__(self) -> StoreCallQueue:
        self._staying.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._through.set()
        self._staying.join()

    def claim(self, most: int) -> list[Call]:
        """Up to so many calls to make; none where nothing is open now, or the money is spent."""
        claimed = self._call_log.claim(self._worker, most, seconds=self._seconds, limit=self._limit)
        with self._guard:
            self._in_flight |= {call.id for call in claimed}
        return claimed

    def replied(
        self,
        call: Call,
        outcome: CallOutcome,
        *,
        value: float | None = None,
        tokens_in: int = 0,
        tokens_out: int = 0,
        paid: float = 0.0,
        text: str = "",
        again: bool = False,
    ) -> Call | None:
        """Record a reply, and what was paid for it, whatever it was."""
        reply = Reply(outcome, value, text, tokens_in, tokens_out, paid)
        with self._guard:
            self._in_flight.discard(call.id)
        seconds = self._seconds if again else None
        following = self._call_log.replied(call, reply, unit=self._unit, again=seconds, limit=self._limit)
        if following is not None:
            with self._guard:
                self._in_flight.add(following.id)
        return following

    def failed(self, call: Call, reason: str) -> None:
        """Put a call back that nothing came of."""
        with self._guard:
            self._in_flight.discard(call.id)
        self._call_log.failed(call, reason)

    def money(self) -> tuple[float, float | None]:
        """What was paid so far, and the limit; None where there is none."""
        return self._call_log.paid(), self._limit

    def _stay(self) -> None:
        while not self._through.wait(self._seconds / 4):
            with self._guard:
                mine = sorted(self._in_flight)
            try:
                self._call_log.keep(mine, self._seconds)
            except StoreError:  # the database is busy; there is time for some more tries
                continue
