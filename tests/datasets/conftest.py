"""Where datasets are kept and served from in tests: nothing is looked for at home, and there is no network."""

from __future__ import annotations

import functools
import http.server
import socket
import threading

import pytest


@pytest.fixture(autouse=True)
def no_network(monkeypatch, tmp_path):
    """Nothing is looked for at home, and nothing leaves this machine."""
    monkeypatch.setenv("MANYJUDGES_DATA", str(tmp_path / "home"))
    real = socket.socket.connect

    def connect(self, address):
        assert address[0] in ("127.0.0.1", "localhost"), address
        return real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def server(tmp_path):
    """A folder and the address that it is served at."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{httpd.server_address[1]}"
    httpd.shutdown()
    httpd.server_close()
