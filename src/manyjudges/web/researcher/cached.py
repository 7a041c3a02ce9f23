"""Numbers that take time, made again at most so often that making them is a tenth of the time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

logger = logging.getLogger("manyjudges.web")


class Cached(Generic[T]):
    """A value that is made when it is asked for, and kept for ten times as long as that took.

    While one thread makes it anew, the others get the last one, so that no number of readers loads the database.

    Parameters
    ----------
    make : callable
    least : float
        Seconds that it is kept at least.
    factor : float
        How many times as long as it took to make.
    clock : callable, default=time.monotonic

    Examples
    --------
    >>> made = []
    >>> count = Cached(lambda: made.append(1) or len(made), least=60)
    >>> count.get(), count.get(), count.forget(), count.get()
    (1, 1, None, 2)
    """

    def __init__(
        self,
        make: Callable[[], T],
        *,
        least: float = 1.0,
        factor: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make, self._least, self._factor, self._clock = make, least, factor, clock
        self._until = -float("inf")
        self._value: list[T] = []  # empty until it was made once
        self._lock = threading.Lock()

    @property
    def fresh(self) -> bool:
        """Whether the value's time is not over."""
        return self._clock() < self._until

    def get(self) -> T:
        """The value, made anew where its time is over."""
        if self._value and self.fresh:
            return self._value[0]
        if self._lock.acquire(blocking=not self._value):
            try:
                if not (self._value and self.fresh):
                    self._renew()
            finally:
                self._lock.release()
        return self._value[0]

    def soon(self, patience: float = 1.0) -> T | None:
        """The value, or the last one while it is made in the background; None where it is the first and takes long."""
        if not self.fresh:
            maker = threading.Thread(target=self._quietly, daemon=True)
            maker.start()
            maker.join(patience if not self._value else min(patience, 0.2))
        return self._value[0] if self._value else None

    def forget(self) -> None:
        """Make it anew the next time, since something was done that changes it."""
        self._until = -float("inf")

    def _renew(self) -> None:
        start = self._clock()
        try:
            self._value = [self._make()]
        finally:  # what breaks is not tried again at once, either
            now = self._clock()
            self._until = now + max(self._least, self._factor * (now - start))

    def _quietly(self) -> None:
        if self._lock.acquire(blocking=False):
            try:
                self._renew()
            except Exception:
                logger.exception("numbers of the researcher's page could not be made")
            finally:
                self._lock.release()
