"""The worker's own process: reads orders, does them one after the other, and says how far it is."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from manyjudges.app.words import error_document
from manyjudges.base.results import plain
from manyjudges.exceptions import ManyJudgesError

_OFTEN = 0.1
"""Seconds between two messages about progress."""


class _Cancelled(BaseException):
    """The job was cancelled. Not an Exception, so that nothing on the way takes it for a failure."""


class _Orders:
    """_Orders that come in while others are done, and which of them were cancelled since.

    Parameters
    ----------
    stream : text file
        A line for each order. When it ends, so does this process.
    """

    def __init__(self, stream: TextIO) -> None:
        self._queue: queue.Queue[dict[str, Any]] = queue.Queue()
        self._cancelled: set[int] = set()
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            yield self._queue.get()

    def is_cancelled(self, number: int) -> bool:
        """Whether a job was cancelled."""
        return number in self._cancelled

    def _read(self, stream: TextIO) -> None:
        for line in stream:
            order = json.loads(line)
            if "cancel" in order:
                self._cancelled.add(order["cancel"])
            else:
                self._queue.put(order)
        os._exit(0)  # the app is gone, and nobody waits for what is still done here


def _run(folder: Path) -> None:
    """Do what is ordered on standard input, and answer on standard output."""
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not come between the answers
    orders = _Orders(sys.stdin)

    def say(number: int, **message: Any) -> None:
        channel.write(json.dumps({"job": number} | message) + "\n")
        channel.flush()

    from manyjudges.app.work.tasks import Desk  # a second or two, while the first order is on its way

    desk = Desk(folder)
    for order in orders:
        number = order["job"]
        try:
            result = desk.do(order["task"], order["options"], _progress(orders, number, say))
            say(number, result=plain(result))
        except _Cancelled:
            say(number, cancelled=True)
        except ManyJudgesError as error:
            say(number, error=error_document(error))
        except Exception as error:
            traceback.print_exc()
            words = f"{type(error).__name__}: {error}"
            say(number, error={"message": f"Something went wrong that should not have. {words}"})


def _progress(orders: _Orders, number: int, say: Any) -> Any:
    """What a task calls with how much is done, and of how much; raises where the job was cancelled."""
    last = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal last
        if orders.is_cancelled(number):
            raise _Cancelled
        now = time.monotonic()
        if now - last >= _OFTEN:
            last = now
            say(number, progress=round(min(done / total, 1.0), 3) if total else None)

    return progress


if __name__ == "__main__":
    _run(Path(sys.argv[1]))
