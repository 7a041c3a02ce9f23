"""Serving a study: the web server, and somebody who plans again whenever a round is complete."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manyjudges.exceptions import StudyError
from manyjudges.service import study
from manyjudges.service.study import OpenStudy
from manyjudges.service.transfer import arrivals_of

if TYPE_CHECKING:
    from manyjudges.web import Hooks

PASSWORD = "password"  # noqa: S105  # the name of a setting
PASSWORD_VARIABLE = "MANYJUDGES_PASSWORD"  # noqa: S105  # the name of an environment variable
SHORTEST_PASSWORD = 8

LOOK = 1.0
"""Seconds between two looks at whether a round is complete."""

REST = 30.0
"""Seconds before planning is tried again that failed."""


class Overseer(threading.Thread):
    """Plans when a round is complete, in a process of its own, so that pages stay quick.

    When planning fails, the reason is noted in the store's log, where the researcher's page shows it, and planning is
    tried again after a while: more judgments, labels or money may have come.

    Parameters
    ----------
    opened : OpenStudy
    plan : callable, optional
        From whether to force to a started process; ``manyjudges replan`` unless told.
    """

    def __init__(self, opened: OpenStudy, plan: Callable[[bool], subprocess.Popen[str]] | None = None) -> None:
        super().__init__(name="overseer", daemon=True)
        self._opened, self._plan = opened, plan or self._replan
        self._wanted, self._ending = threading.Event(), threading.Event()
        self._running: subprocess.Popen[str] | None = None
        self._rest_until = 0.0

    def request(self) -> None:
        """Plan as soon as may be, even though the round is not complete."""
        self._wanted.set()

    def stop(self) -> None:
        """End, and do not wait for planning that is under way: nothing of it is written half."""
        self._ending.set()
        if self._running is not None:
            self._running.kill()
        self.join(timeout=10)

    def run(self) -> None:
        """Look, plan, and so on until stopped."""
        while not self._ending.wait(LOOK):
            try:
                self.look()
            except Exception as error:  # a lost database, no memory for a process: whatever it is, it may pass
                print(f"planning waits: {error}", file=sys.stderr)  # noqa: T201  # the server's log
                self._ending.wait(REST)

    def look(self) -> None:
        """Take back leases that ended, and plan if a round is complete or somebody asked for it."""
        store = self._opened.store
        store.expire()
        force = self._wanted.is_set()
        if store.being_planned or not (force or (time.monotonic() >= self._rest_until and due(self._opened))):
            return
        self._wanted.clear()
        self._running = self._plan(force)
        _, said = self._running.communicate()
        if self._running.returncode and not self._ending.is_set():
            reason = said.strip().splitlines()[-1] if said.strip() else f"exit code {self._running.returncode}"
            problem = f"planning failed: {reason.removeprefix('error: ')}"
            if problem not in [event["detail"] for event in store.events(1)]:  # once, not every time it is tried
                store.note("problem", problem)
            self._rest_until = time.monotonic() + REST

    def _replan(self, force: bool) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "manyjudges", "replan", str(self._opened.study.folder)]
        options: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([*command, *([] if force else ["--if-complete"])], **options)  # noqa: S603  # our own


def due(opened: OpenStudy) -> bool:
    """Whether a round is complete, and something is to be decided."""
    store = opened.store
    return store.state != "closed" and store.standing()["stage"] != "done" and store.idle


def hooks_of(opened: OpenStudy, overseer: Overseer) -> Hooks:
    """What the pages need of the mathematics."""
    from manyjudges.web import Hooks

    return Hooks(
        replan=overseer.request,
        workforce=lambda: study.workforce_of(opened).to_frame(),
        bonuses=lambda: study.bonuses_of(opened, external=True),
        export=lambda kind: study.exported_file(study.exported(opened), f".{kind}"),
        fit=lambda: fit_document(opened),
    )


def fit_document(opened: OpenStudy) -> dict[str, Any]:
    """The predictor so far, in numbers and words, with the model to download."""
    fitted = study.fit_study(opened)
    return {
        "formula": str(fitted.model),
        "loss": fitted.loss,
        "std_error": fitted.std_error,
        "label_variance": fitted.model.plan.label_variance,
        "predicted": len(fitted.predictions),
        "model": fitted.model.to_json(),
    }


def set_password(opened: OpenStudy, password: str) -> None:
    """Set the password of the researcher's page; only a hash of it is kept."""
    from manyjudges.web.security import hash_password

    if len(password) < SHORTEST_PASSWORD:
        raise StudyError(f"the password has {len(password)} letters; take {SHORTEST_PASSWORD} or more.")
    opened.store.set(PASSWORD, hash_password(password))


def first_password(opened: OpenStudy, ask: Callable[[], str | None]) -> str | None:
    """Set a password where there is none: from the environment, by asking, or made up; says a made-up one, once."""
    if opened.store.setting(PASSWORD) is not None:
        return None
    given = os.environ.get(PASSWORD_VARIABLE) or ask()
    if given is not None:
        set_password(opened, given)
        return None
    made = secrets.token_urlsafe(12)
    set_password(opened, made)
    return made


def serve(
    opened: OpenStudy,
    *,
    host: str | None = None,
    port: int | None = None,
    started: Callable[[str], None] = lambda site: None,
) -> None:
    """Serve a study until Ctrl-C.

    Parameters
    ----------
    opened : OpenStudy
    host, port : optional
        Instead of what the study's file says.
    started : callable
        Called with the server's address when it listens.
    """
    import uvicorn

    from manyjudges.web import create_app

    study.order_first_round(opened)
    overseer = Overseer(opened)
    app = create_app(opened.study, opened.objects, opened.store, hooks_of(opened, overseer), arrivals_of(opened.study))
    server = opened.study.server
    # Only where a web server stands before ours is there anybody to believe about who comes.
    behind = server.address is not None
    config = uvicorn.Config(
        app, log_level="warning", server_header=False, proxy_headers=behind, timeout_graceful_shutdown=5
    )
    with _listening(host or server.host, server.port if port is None else port) as listener:
        overseer.start()
        try:
            started(_address(listener))
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            overseer.stop()


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StudyError(
            f"cannot listen at {host}, port {port}: {reason}; take another one with --port or --host."
        ) from None


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def other_password(opened: OpenStudy) -> bool:
    """Whether the environment has another password than the one that was set."""
    from manyjudges.web.security import check_password

    given, kept = os.environ.get(PASSWORD_VARIABLE), opened.store.setting(PASSWORD)
    return bool(given and kept and not check_password(given, kept))


def study_folder(path: Path) -> bool:
    """Whether a path is a study's folder."""
    return path.is_dir() and (path / "study.toml").is_file()
