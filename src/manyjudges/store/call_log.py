"""CallLog: the calls of a study's models, each of its methods one transaction of the study's store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from manyjudges.store import calls
from manyjudges.store.database import Database
from manyjudges.store.records import Call, Reply

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CallLog"]


class CallLog:
    """What models are called for, and what came of it; ``store.call_log`` is the one of a store.

    Any number of threads and processes may use the same at the same time. A reply that was taken is on disk.

    Examples
    --------
    >>> import tempfile
    >>> from manyjudges.store.store import Store
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = Store.open(f"sqlite:///{folder.name}/judgments.db")
    >>> store.prepare({"tone @ gpt": 1.0}, [("mail 1", 10.0)], judges={"tone @ gpt": "gpt"})
    >>> store.order([("mail 1", "tone @ gpt", 2)])
    >>> gpt = store.enter("model", "gpt")
    >>> for value in (3.0, 4.0):
    ...     call, = store.call_log.claim(gpt.id, 1, seconds=60)
    ...     store.call_log.replied(call, Reply("answered", value, paid=0.02), unit=0.01)
    >>> store.judgments()["worker"].tolist(), store.call_log.paid()
    (['gpt', 'gpt #2'], 0.04)
    >>> store.close()
    >>> folder.cleanup()
    """

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database, self._clock = database, clock

    def claim(self, worker_id: int, most: int, *, seconds: float, limit: float | None = None) -> list[Call]:
        """Up to so many calls that a model is to make now, out for so many seconds; none where there are none now.

        ``limit`` is what all calls may cost, in the study's currency: none is handed out that might exceed it, as far
        as can be told from those that were paid.
        """
        now = self._clock()
        return self._database.write(lambda c: calls.claim(c, worker_id, now, most=most, seconds=seconds, limit=limit))

    def replied(
        self, call: Call, reply: Reply, *, unit: float, again: float | None = None, limit: float | None = None
    ) -> Call | None:
        """Take what came of a call; when this returns it is on disk.

        With ``again``, the same judgment is called for once more, for so many seconds, unless ``limit`` is reached:
        then it goes back, and this returns None. ``unit`` is the price of a unit in the study's currency.
        """
        now = self._clock()
        return self._database.write(
            lambda c: calls.replied(c, call.id, reply, now, unit=unit, again=again, limit=limit)
        )

    def failed(self, call: Call, reason: str) -> None:
        """A call came to nothing, and nothing was paid for it: its judgment goes back."""
        self._database.write(lambda c: calls.failed(c, call.id, reason, self._clock()))

    def keep(self, ids: Sequence[int], seconds: float) -> None:
        """Somebody is still at these calls: so many seconds more from now."""
        until = self._clock() + seconds
        self._database.write(lambda c: calls.keep(c, ids, until))

    def count_in_flight(self, names: Sequence[str]) -> int:
        """How many calls of these models are out."""
        return self._database.read(lambda c: calls.count_in_flight(c, names))

    def paid(self) -> float:
        """What was paid for all calls, in the study's currency."""
        return self._database.read(calls.paid)

    def reprice(self) -> None:
        """Let attributes that are one model's cost what they came to so far."""
        self._database.write(calls.reprice)

    def to_frame(self) -> pd.DataFrame:
        """Every call that was made, with what came of it and what it cost."""
        return self._database.read(calls.everything)
