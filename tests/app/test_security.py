"""Only the browser of the person who started the app gets in, and nothing on the page comes from elsewhere."""

from __future__ import annotations

import re

import pytest

from manyjudges.app.security import Keys, too_large
from tests.support.app_pages import ADDRESS, PORT, Visitor

COOKIE = f"manyjudges_app_{PORT}"


@pytest.fixture
def stranger(tmp_path):
    return Visitor(tmp_path)


def test_without_the_token_nothing_is_shown(stranger):
    for path in ("/", "/assets/app.js", "/nothing", "/?token=", "/?token=x", "/?token=ü"):
        answer = stranger.client.get(path)
        assert answer.status_code == 403
        assert "id=" not in answer.text
    answer = stranger.client.post("/clear", headers={"Origin": ADDRESS})
    assert answer.status_code == 403


def test_the_token_becomes_a_cookie_that_no_script_reads_and_no_other_site_sends(stranger):
    answer = stranger.client.get(f"/?token={stranger.keys.token}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert f"{COOKIE}=" in cookie
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert stranger.keys.token.lower() not in cookie
    assert stranger.client.get("/").status_code == 200
    stranger.client.cookies.clear()
    assert stranger.client.get("/", headers={"Cookie": f"{COOKIE}={stranger.keys.token}"}).status_code == 403
    assert stranger.client.get("/", headers={"Cookie": f"{COOKIE}={stranger.keys.session}"}).status_code == 200


def test_the_address_that_the_browser_is_started_with_is_good_once(stranger):
    token = stranger.keys.for_opening()
    assert stranger.client.get(f"/?token={token}").status_code == 303
    assert stranger.client.get(f"/?token={token}").status_code == 403
    for _ in range(2):
        assert stranger.client.get(f"/?token={stranger.keys.token}").status_code == 303


def test_two_runs_have_other_keys():
    one, other = Keys(), Keys()
    assert len({one.token, other.token, one.session, other.session}) == 4
    assert not other.accepts(one.token)


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"localhost.evil.example:{PORT}", "", "[::1]",
     f"127.0.0.1:{PORT}@evil.example", f"evil@127.0.0.1:{PORT}", "127.0.0.1:x", "[", "127.0.0.1:99999999"],
)  # fmt: skip
def test_a_name_that_was_made_to_lead_here_gets_nothing(visitor, host):
    answer = visitor.client.get("/", headers={"Host": host})
    assert answer.status_code == 403
    assert "only for the machine" in answer.text


def test_this_machine_has_two_names(visitor):
    headers = {"Host": f"localhost:{PORT}", "Cookie": f"{COOKIE}={visitor.keys.session}"}
    assert visitor.client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "http://127.0.0.1:3000", f"https://127.0.0.1:{PORT}"]
)
def test_only_the_page_itself_changes_anything(visitor, origin):
    visitor.session.sample = "essays"
    headers = {} if origin is None else {"Origin": origin}
    assert visitor.client.post("/clear", headers=headers).status_code == 403
    assert visitor.session.sample


def test_nothing_is_inline_and_nothing_comes_from_elsewhere(visitor):
    for answer in (visitor.page(), visitor.post("/sample", sample="essays"), visitor.client.get("/nothing")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert not re.search(r"<style|<script>|\sstyle=|\son\w+=|https?://(?!127)", answer.text)


def test_a_file_has_a_largest_size_declared_or_not(tmp_path):
    visitor = Visitor(tmp_path, largest=1000)
    visitor.enter()
    big = b"x" * (2 * 1024 * 1024)
    answer = visitor.post("/table", files=[("file", ("big.csv", big))])
    assert answer.status_code == 413
    assert "larger than 1000 bytes" in answer.text

    def pieces():
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="big.csv"\r\n\r\n'
        for _ in range(64):
            yield b"x" * 65536

    kind = {"Origin": ADDRESS, "Content-Type": "multipart/form-data; boundary=b"}
    answer = visitor.client.post("/table", content=pieces(), headers=kind)
    assert answer.status_code == 413
    assert not list(tmp_path.rglob("*.csv"))
    assert "1 GB" in too_large(1024**3)
