"""A desk in memory, plain and obviously right: every call is claimed once, and comes back once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from manyjudges.store.records import Call


@dataclass(frozen=True)
class Recorded:
    """A judgment that was recorded for good."""

    column: str
    object: str
    outcome: str
    value: float | None
    text: str


class PlainDesk:
    """Orders of (column, object): count, for as much money as there is."""

    def __init__(self, orders: Mapping[tuple[str, str], int], limit: float | None = None) -> None:
        self.limit = limit
        self.open = [Call(0, column, thing, 1) for (column, thing), count in orders.items() for _ in range(count)]
        self.claimed: dict[int, Call] = {}
        self.recorded: list[Recorded] = []
        self.replies: list[dict[str, Any]] = []
        self.failures: list[str] = []
        self.paid = 0.0
        self.most = 0
        self._next = 0
        self._lock = threading.Lock()

    def claim(self, most: int) -> list[Call]:
        assert most > 0
        with self._lock:
            if self._spent():
                return []
            taken, self.open = self.open[:most], self.open[most:]
            return [self._claimed(call) for call in taken]

    def replied(
        self,
        call: Call,
        outcome: str,
        *,
        value: float | None = None,
        tokens_in: int = 0,
        tokens_out: int = 0,
        paid: float = 0.0,
        text: str = "",
        again: bool = False,
    ) -> Call | None:
        assert (value is not None) == (outcome == "answered")
        with self._lock:
            assert self.claimed.pop(call.id) == call, "not claimed, or not so"
            self.paid += paid
            self.replies.append({"outcome": outcome, "paid": paid, "tokens": (tokens_in, tokens_out), "call": call})
            if not again:
                self.recorded.append(Recorded(call.column, call.object, outcome, value, text))
                return None
            following = replace(call, attempt=call.attempt + 1)
            if self._spent():
                self.open.append(following)
                return None
            return self._claimed(following)

    def failed(self, call: Call, reason: str) -> None:
        with self._lock:
            assert self.claimed.pop(call.id) == call, "not claimed, or not so"
            self.failures.append(reason)
            self.open.append(call)

    def money(self) -> tuple[float, float | None]:
        return self.paid, self.limit

    def expire(self) -> None:
        """As if whoever claimed something never came back."""
        with self._lock:
            self.open += self.claimed.values()
            self.claimed.clear()

    def counts(self) -> Counter[tuple[str, str]]:
        """How often each pair was recorded."""
        return Counter((each.column, each.object) for each in self.recorded)

    def _spent(self) -> bool:
        return self.limit is not None and self.paid >= self.limit

    def _claimed(self, call: Call) -> Call:
        self._next += 1
        new = replace(call, id=self._next)
        self.claimed[new.id] = new
        self.most = max(self.most, len(self.claimed))
        return new
