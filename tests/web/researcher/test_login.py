"""Who gets in, for how long, and what ends it."""

from __future__ import annotations

import time

import pytest

from manyjudges.web.researcher import login
from manyjudges.web.security import hash_password
from tests.support.researchers import PASSWORD, csrf_of, log_in, make_world, press
from tests.support.web import TestClient

BUTTONS = ["pause", "resume", "replan", "close", "fit", "model.json", "export/csv", "export/parquet", "bonuses.csv"]
BUTTONS += ["invite", "links.csv", "programs", "programs/revoke", "workers/w1/block", "workers/w1/withdraw"]


def test_nobody_gets_in_without_the_password(world):
    with TestClient(world.app()) as client:
        for address in ("/admin", "/admin/close", "/admin/workers/w1/block"):
            answer = client.get(address, follow_redirects=False)
            assert (answer.status_code, answer.headers["location"]) == (303, "/admin/login")
        assert client.get("/admin/live", follow_redirects=False).status_code == 403
        token = csrf_of(client.get("/admin/login").text)
        for action in BUTTONS:
            answer = client.post(f"/admin/{action}", data={"csrf": token}, follow_redirects=False)
            assert (answer.status_code, answer.headers["location"]) == (303, "/admin/login"), action
        assert world.store.state == "running"
        assert "How tall" not in log_in(client, "wrong").headers.get("location", "")


def test_the_right_password_opens_the_page_and_a_wrong_one_does_not(world):
    with TestClient(world.app()) as client:
        refused = log_in(client, "wrong")
        assert refused.status_code == 403
        assert "That is not the password" in refused.text
        assert client.get("/admin", follow_redirects=False).status_code == 303
        assert log_in(client).headers["location"] == "/admin"
        assert "How tall are they?" in client.get("/admin").text
        assert client.get("/admin/login", follow_redirects=False).headers["location"] == "/admin"
    assert "login refused" in {each["what"] for each in world.store.events()}


def test_without_a_password_set_nothing_opens(tmp_path):
    world = make_world(tmp_path / "study", password=False)
    with TestClient(world.app()) as client:
        page = client.get("/admin/login").text
        assert "No password is set" in page
        token = "x"
        assert client.post("/admin/login", data={"password": "", "csrf": token}).status_code == 403
    world.store.close()


def test_guessing_is_slowed_down(world):
    with TestClient(world.app()) as client:
        token = csrf_of(client.get("/admin/login").text)
        answers = [client.post("/admin/login", data={"password": f"{n}", "csrf": token}) for n in range(11)]
        assert [each.status_code for each in answers[:10]] == [403] * 10
        assert answers[10].status_code == 429
        assert int(answers[10].headers["retry-after"]) > 0


def test_no_more_of_a_password_is_hashed_than_a_thousand_letters(world):
    world.store.set("password", hash_password("x" * login.LONGEST_PASSWORD))
    with TestClient(world.app()) as client:
        assert log_in(client, "x" * (login.LONGEST_PASSWORD - 1)).status_code == 403
        assert log_in(client, "x" * 5000).status_code == 303


@pytest.mark.parametrize("kept", ["", "no hash", "scrypt$1$2$3$4$5"])
def test_a_password_that_was_kept_wrongly_lets_nobody_in(world, kept):
    world.store.set("password", kept)
    with TestClient(world.app()) as client:
        assert log_in(client, "").status_code == 403
        assert log_in(client, kept).status_code == 403


def test_a_session_that_was_there_before_is_gone_after_the_login(world):
    with TestClient(world.app()) as client:
        before = csrf_of(client.get("/admin/login").text)
        client.post("/admin/login", data={"password": PASSWORD, "csrf": before})
        assert csrf_of(client.get("/admin").text) != before
        assert client.post("/admin/pause", data={"csrf": before}).status_code == 403
        assert world.store.state == "running"


def test_a_session_ends_after_twelve_hours(client, monkeypatch):
    assert client.get("/admin", follow_redirects=False).status_code == 200
    later = time.time() + 12 * 3600 + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert client.get("/admin", follow_redirects=False).status_code == 303


def test_logging_out_ends_the_session_even_of_a_copied_cookie(world, client):
    cookies = dict(client.cookies)
    press(client, "logout")
    assert client.get("/admin", follow_redirects=False).status_code == 303
    with TestClient(world.app(), cookies=cookies) as thief:
        assert thief.get("/admin", follow_redirects=False).status_code == 303
    time.sleep(0.01)
    log_in(client)
    assert client.get("/admin", follow_redirects=False).status_code == 200


def test_a_new_password_ends_all_sessions(world, client):
    world.store.set("password", hash_password("another"))
    assert client.get("/admin", follow_redirects=False).status_code == 303


@pytest.mark.parametrize("action", BUTTONS)
def test_every_button_takes_the_forms_token(client, action):
    assert client.post(f"/admin/{action}", data={}).status_code == 403
    assert client.post(f"/admin/{action}", data={"csrf": "wrong"}).status_code == 403
