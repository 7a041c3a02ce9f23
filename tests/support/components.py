"""What tests need and a machine may lack: the one place that says what happens then."""

from __future__ import annotations

import os
import socket
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip, and say why; on the machine that is to test everything, fail instead."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is not here, and must be where CI is true")
    pytest.skip(f"{what} is not here")


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])
