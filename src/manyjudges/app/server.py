"""Server: opens the page for one person at this machine, until Ctrl-C."""

from __future__ import annotations

__all__ = ["run_app"]

import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from manyjudges.base.templates import missing_extra
from manyjudges.exceptions import ManyJudgesError

HOST = "127.0.0.1"


def run_app(
    *,
    port: int = 0,
    browser: bool = True,
    started: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve the page at this machine alone, until Ctrl-C.

    Parameters
    ----------
    port : int
        0 takes any free one.
    browser : bool
        Whether to open it in the browser.
    started : callable
        Called with the address, which has a token in it that lets people in.
    """
    _check_extra()
    import uvicorn

    from manyjudges.app.security import Keys
    from manyjudges.app.session import Session
    from manyjudges.app.site import create_site

    keys = Keys()
    with _listening(port) as listener, _session_folder() as folder:
        session = Session(folder)
        config = uvicorn.Config(
            create_site(session, keys),
            log_level="critical",  # what users should see in the terminal, the site prints itself
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        site = f"http://{HOST}:{listener.getsockname()[1]}/"
        try:
            started(f"{site}?token={keys.token}")
            if browser:
                _open(f"{site}?token={keys.for_opening()}")
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            session.close()


@contextmanager
def _session_folder() -> Iterator[Path]:
    """A folder for the user's files, which is removed however the app ends short of being killed."""

    def stop(number: int, frame: object) -> None:
        signal.raise_signal(signal.SIGINT)  # which the server knows to end by

    # A terminal that is closed would otherwise end the app at once, and leave the user's file behind.
    before = {name: signal.signal(name, stop) for name in _ENDING} if _in_main_thread() else {}
    try:
        with tempfile.TemporaryDirectory(prefix="manyjudges-app-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _open(address: str) -> None:
    import webbrowser

    # In a thread: a browser of the terminal would not come back before it is closed.
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise ManyJudgesError(
            f"cannot listen at port {port}: {error.strerror or error}. Choose another with --port, or leave it out.",
            value=port,
            column="port",
        ) from None


def _check_extra() -> None:
    """Say what to install where something is missing."""
    from importlib import import_module

    lacking = missing_extra()
    for name in ("starlette", "uvicorn", "python_multipart"):
        try:
            import_module(name)
        except ImportError:
            lacking = lacking or name
    if lacking:
        raise ManyJudgesError(
            f"the app needs {lacking}, which is not installed. Run: pip install 'manyjudges[serve]'.", value=lacking
        )
