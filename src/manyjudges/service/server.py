"""Serving a study: the web server, with the overseer who plans behind it."""

from __future__ import annotations

__all__ = ["serve"]

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from manyjudges.exceptions import StudyError
from manyjudges.service.export import exported, exported_file
from manyjudges.service.fit import fit_study
from manyjudges.service.planning_process import Overseer
from manyjudges.service.status import bonuses_of, workforce_of
from manyjudges.service.study_planner import order_first_round
from manyjudges.service.transfer import marketplaces

if TYPE_CHECKING:
    from manyjudges.service.study import OpenStudy
    from manyjudges.web import Hooks


def hooks_of(opened: OpenStudy, overseer: Overseer) -> Hooks:
    """What the pages need of the mathematics."""
    from manyjudges.web import Hooks

    return Hooks(
        replan=overseer.request,
        workforce=lambda: workforce_of(opened).to_frame(),
        bonuses=lambda: bonuses_of(opened, external=True),
        export=lambda kind: exported_file(exported(opened), f".{kind}"),
        fit=lambda: fit_document(opened),
    )


def fit_document(opened: OpenStudy) -> dict[str, Any]:
    """The predictor so far, in numbers and words, with the model to download."""
    fitted = fit_study(opened)
    return {
        "formula": str(fitted.model),
        "expectation": fitted.expectation,
        "explained": fitted.answer["explained"],
        "predicted": len(fitted.predictions),
        "model": fitted.model.to_json(),
    }


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

    order_first_round(opened)
    overseer = Overseer(opened)
    app = create_app(opened.study, opened.objects, opened.store, hooks_of(opened, overseer), marketplaces())
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
            f"cannot listen at {host}, port {port}: {reason}; take another one with --port or --host.",
            value=(host, port),
            column="port",
        ) from None


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
