"""Clients of the web application for tests."""

from __future__ import annotations

import re
import warnings
from typing import Any

with warnings.catch_warnings():
    # starlette asks for httpx2, which is httpx under a new name; both do for a test.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient


def client(app: Any, **options: Any) -> TestClient:
    """A client that follows no redirects by itself, and gets an error page as a judge does."""
    return TestClient(app, raise_server_exceptions=False, follow_redirects=False, **options)


def token(text: str) -> str:
    """The token in a page's forms."""
    return re.search(r'name="csrf" value="([^"]+)"', text)[1]
