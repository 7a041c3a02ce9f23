"""Kept: numbers that take time, made anew at most so often that making them is a tenth of the time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """A value that is made when it is asked for, and kept for ten times as long as that took.

    While one thread makes it anew, the others get the last one, so that no number of readers loads the database.

    Parameters
    ----------
    make : callable
    least : float
        Seconds that it is kept at least.
    factor : float
        How many times as long as it took to make.
    clock : callable

    Examples
    --------
    >>> made = []
    >>> kept = Kept(lambda: made.append(1) or len(made), least=60)
    >>> kept.get(), kept.get(), kept.forget(), kept.get()
    (1, 1, None, 2)
    """

    def __init__(
        self,
        make: Callable[[], T],
        *,
        least: float = 1.0,
        factor: float = 10.0,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._make, self._least, self._factor = make, least, factor
        self._clock = clock or time.monotonic
        self._until = -float("inf")
        self._found: list[T] = []
        self._lock = threading.Lock()

    def get(self) -> T:
        """The value, made anew where its time is over."""
        if self._found and self._clock() < self._until:
            return self._found[0]
        if not self._lock.acquire(blocking=not self._found):
            return self._found[0]
        try:
            if not self._found or self._clock() >= self._until:
                start = self._clock()
                self._found = [self._make()]
                now = self._clock()
                self._until = now + max(self._least, self._factor * (now - start))
            return self._found[0]
        finally:
            self._lock.release()

    def forget(self) -> None:
        """Make it anew the next time, since something was done that changes it."""
        self._until = -float("inf")
