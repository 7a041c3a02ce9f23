"""The queue of calls: where calls to language models are claimed, and where their answers are put down."""

from __future__ import annotations

from typing import Protocol

from manyjudges.store.records import Call, CallOutcome

__all__ = ["CallQueue"]


class CallQueue(Protocol):
    """What a store offers to those who ask language models: thread-safe, each method one transaction on disk."""

    def claim(self, most: int) -> list[Call]:
        """Up to so many calls to make; none where nothing is open now, or the money is spent."""

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
        """Record a reply, and what was paid for it, whatever it was.

        Parameters
        ----------
        call : Call
        outcome : str
            ``"answered"``, ``"cant_tell"``, ``"refused"`` or ``"unreadable"``.
        value : float, optional
            The answer, where there is one.
        tokens_in, tokens_out : int
        paid : float
            In the study's currency.
        text : str
            What the model wrote, shortened.
        again : bool
            Ask once more about the same judgment. Otherwise it is recorded for good: a value, or none.

        Returns
        -------
        Call or None
            The next call about the same judgment; None where it is not asked again, or the money is spent: the
            judgment then goes back.
        """

    def failed(self, call: Call, reason: str) -> None:
        """Put a call back that nothing came of and, as far as is known, nothing was paid for."""

    def money(self) -> tuple[float, float | None]:
        """What was paid so far, and the limit; None where there is none."""
