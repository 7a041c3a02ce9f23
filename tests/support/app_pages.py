"""The app for tests: its session, a client that has the cookie, and the app behind a real port."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manyjudges.app.security import Keys
from manyjudges.app.session import Session
from manyjudges.app.site import create_site
from tests.support.web import TestClient

PORT = 8765
ADDRESS = f"http://127.0.0.1:{PORT}"


class Visitor:
    """Somebody at the page, with a browser that knows no script.

    Parameters
    ----------
    folder : Path
        Of the session.
    """

    def __init__(self, folder: Path, **options: Any) -> None:
        self.session, self.keys = Session(folder), Keys()
        site = create_site(self.session, self.keys, **options)
        self.client = TestClient(site, base_url=ADDRESS, follow_redirects=False)

    def enter(self) -> Any:
        """Come with the token; gives the page."""
        answer = self.client.get(f"/?token={self.keys.token}")
        assert answer.status_code == 303
        return self.page()

    def page(self) -> Any:
        """The page when the worker has done what it was told."""
        deadline = time.monotonic() + 120
        while True:
            answer = self.client.get("/")
            if 'data-busy="yes"' not in answer.text:
                return answer
            assert time.monotonic() < deadline, "the worker takes too long"
            time.sleep(0.02)

    def post(self, path: str, **fields: Any) -> Any:
        """Send a form, and give the page that comes of it; an error page as it is."""
        files = fields.pop("files", None)
        answer = self.client.post(path, data=fields, files=files, headers={"Origin": ADDRESS})
        return self.page() if answer.status_code == 303 else answer

    def take(self, *paths: Path) -> Any:
        """Send files as the table."""
        return self.post("/table", files=[("file", (path.name, path.read_bytes())) for path in paths])


@contextlib.contextmanager
def running_app(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command ``manyjudges app`` in a process of its own, and the address that it prints."""
    command = [sys.executable, "-u", "-m", "manyjudges", "app", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield process, line.split()[-1] if line else ""
        finally:
            process.terminate()
            process.communicate(timeout=30)
