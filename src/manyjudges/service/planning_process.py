"""Who plans while a study is served: a thread that looks whether a round is complete, and a process that plans it.

Planning is one function, :func:`manyjudges.service.study_planner.plan_study`, from a snapshot of the store to its next
orders, written in one transaction. It takes seconds to minutes of a processor, so that it runs in a process of its own:
pages stay quick, and a process that dies, or is killed, leaves nothing half done. Where it runs is decided here alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from manyjudges.exceptions import ManyJudgesError

if TYPE_CHECKING:
    from manyjudges.service.study import OpenStudy

_POLL_SECONDS = 1.0
"""Seconds between two looks at whether a round is complete."""

_REST = 30.0
"""Seconds before planning is tried again that failed."""

_FAILED = 2
"""Exit code of a planning process that said why it could not plan."""


class Overseer(threading.Thread):
    """Plans when a round is complete, in a process of its own, so that pages stay quick.

    When planning fails, the reason is noted in the store's log, where the researcher's page shows it, and planning is
    tried again after a while: more judgments, labels or money may have come.

    Parameters
    ----------
    opened : OpenStudy
    start_planning : callable, optional
        From whether to force to a started process, of which the last line of stderr says what went wrong; default:
        :func:`start_planning` in the study's folder.
    look, rest : float
        Seconds between two looks (default: 1), and before planning that failed is tried again (default: 30).
    """

    def __init__(
        self,
        opened: OpenStudy,
        start_planning: Callable[[bool], subprocess.Popen[str]] | None = None,
        *,
        look: float = _POLL_SECONDS,
        rest: float = _REST,
    ) -> None:
        super().__init__(name="overseer", daemon=True)
        self._opened, self._look, self._rest = opened, look, rest
        self._start_planning = start_planning or self._start_in_folder
        self._wanted, self._ending = threading.Event(), threading.Event()
        self._running: subprocess.Popen[str] | None = None
        self._rest_until = 0.0

    def request(self) -> None:
        """Plan as soon as possible, even though the round is not complete."""
        self._wanted.set()

    def stop(self) -> None:
        """End, and do not wait for planning that is under way: nothing of it is written half."""
        self._ending.set()
        if self._running is not None:
            self._running.kill()
        self.join(timeout=10)

    def run(self) -> None:
        """Look, plan, and so on until stopped."""
        while not self._ending.wait(self._look):
            try:
                self.look()
            except Exception as error:  # a lost database, no memory for a process: whatever it is, it may pass
                print(f"planning waits: {error}", file=sys.stderr)  # noqa: T201  # the server's log
                self._ending.wait(self._rest)

    def look(self) -> None:
        """Take back leases that ended, and plan if a round is complete or a person asked for it."""
        store = self._opened.store
        store.expire()
        force = self._wanted.is_set()
        if store.being_planned or not (force or (time.monotonic() >= self._rest_until and due(self._opened))):
            return
        self._wanted.clear()
        self._running = self._start_planning(force)
        _, messages = self._running.communicate()
        if self._running.returncode and not self._ending.is_set():
            self._note_failure(messages.strip().splitlines(), self._running.returncode)
            self._rest_until = time.monotonic() + self._rest

    def _note_failure(self, lines: list[str], code: int) -> None:
        problem = f"planning failed: {lines[-1] if lines else f'exit code {code}'}"
        store = self._opened.store
        if problem not in [event["detail"] for event in store.events(1)]:  # once, not every time it is tried
            store.note("problem", problem)

    def _start_in_folder(self, force: bool) -> subprocess.Popen[str]:
        return start_planning(self._opened.study.folder, force=force)


def due(opened: OpenStudy) -> bool:
    """Whether a round is complete, and something is to be decided."""
    store = opened.store
    return store.state != "closed" and store.standing()["stage"] != "done" and store.idle


def start_planning(folder: str | os.PathLike[str], *, force: bool = False) -> subprocess.Popen[str]:
    """Start a process that plans the study in a folder, and says on stderr why, where it cannot.

    Parameters
    ----------
    folder : path
    force : bool
        Plan even though the round is not complete.
    """
    # An interpreter of its own rather than a fork: the server's threads and its database stay where they are.
    command = [sys.executable, "-m", "manyjudges.service.planning_process", os.fspath(folder)]
    command += ["force"] if force else []
    pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, **pipes)  # noqa: S603  # our own


def run_planning(folder: str, *, force: bool = False) -> int:
    """Plan the study in a folder, in this process; gives the exit code."""
    from manyjudges.service.study import open_study
    from manyjudges.service.study_planner import plan_study

    try:
        with open_study(folder) as opened:
            plan_study(opened, force=force)
    except ManyJudgesError as error:
        print(error, file=sys.stderr)  # noqa: T201  # the overseer reads it
        return _FAILED
    return 0


if __name__ == "__main__":
    sys.exit(run_planning(sys.argv[1], force="force" in sys.argv[2:]))
