"""The command ``manyjudges app``: it listens at this machine alone, and leaves nothing behind."""

from __future__ import annotations

import re
import signal
import socket
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar

import pytest

from manyjudges.app.server import HOST, run_app
from manyjudges.exceptions import ManyJudgesError
from tests.support.app_pages import running_app
from tests.support.components import free_port
from tests.support.messages import refused


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_leaves_nothing_behind(ending, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with running_app("--no-browser") as (process, address):
        assert re.fullmatch(rf"http://{HOST}:\d+/\?token=[\w-]{{43}}", address)
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        assert b"Choose a table" in browser.open(address).read()
        site = address.partition("?")[0]
        request = urllib.request.Request(f"{site}sample", data=b"sample=essays", headers={"Origin": site.rstrip("/")})
        assert b"essays.csv" in browser.open(request).read()
        assert list(tmp_path.glob("manyjudges-app-*/table/essays.csv"))
        process.send_signal(ending)
        _, err = process.communicate(timeout=30)
        assert "Traceback" not in err
        assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_it_listens_at_this_machine_alone():
    with running_app("--no-browser") as (_, address):
        port = int(address.split(":")[2].split("/")[0])
        others = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {HOST}
        for other in others:
            with pytest.raises(OSError, match="refused"), socket.create_connection((other, port), timeout=2):
                pass


def test_a_port_in_use_is_said_in_one_line():
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with refused(ManyJudgesError, value=port, column="port", varying=str(port)):
            run_app(port=port, browser=False)


def test_the_port_can_be_chosen():
    port = free_port()
    with running_app("--no-browser", "--port", str(port)) as (_, address):
        assert f":{port}/" in address


def test_the_browser_is_started_with_an_address_that_is_good_once(tmp_path, monkeypatch):
    script, seen = tmp_path / "browser", tmp_path / "seen"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}.part && mv {seen}.part {seen}\n')
    script.chmod(0o700)
    monkeypatch.setenv("BROWSER", str(script))
    with running_app() as (_, address):
        deadline = time.monotonic() + 30
        while not seen.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        opened = seen.read_text()
        assert opened.partition("?")[0] == address.partition("?")[0]
        assert opened != address
        for kept in (True, False):
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
            if kept:
                assert b"Choose a table" in browser.open(opened).read()
            else:
                with pytest.raises(urllib.error.HTTPError, match="403"):
                    browser.open(opened)
