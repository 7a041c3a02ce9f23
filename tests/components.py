"""What tests need and a machine may lack: the one place that says what happens then."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip, and say why; on the machine that is to test everything, fail instead."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is not here, and must be where CI is true")
    pytest.skip(f"{what} is not here")
