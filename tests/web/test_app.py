"""The application: what it says when something is not there, goes wrong or is lost, to people and to programs."""

from __future__ import annotations

import logging
import re

import pytest
from sqlalchemy.exc import OperationalError

from manyjudges.exceptions import StoreError
from manyjudges.web.app import _AGAIN, _SAID
from manyjudges.web.security import hash_password
from tests.support.web import Session, client, make_study, opened


@pytest.fixture
def app(tmp_path):
    with opened(make_study(tmp_path, n=4)) as app:
        yield app


@pytest.mark.parametrize(
    "error",
    [StoreError("the disk is full"), OperationalError("INSERT", {}, Exception("database or disk is full"))],
    ids=["store", "sqlalchemy"],
)
def test_a_lost_database_loses_nothing_that_was_entered(app, monkeypatch, caplog, error):
    judge = Session(app)
    judge.enter()
    batch = re.search(r'name="batch" value="([^"]+)"', judge.page.text)[1]
    store = app.state.store

    def broken(*_, **__):
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(store, "submit", broken)
        with caplog.at_level(logging.ERROR):
            answer = judge.hand_in(a_0="1")
    assert answer.status_code == 503
    assert "Nothing you handed in earlier is lost" in answer.text
    assert "disk is full" not in answer.text
    assert "disk is full" in caplog.text
    again = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', answer.text))
    assert again["batch"] == batch
    assert judge.client.post("/judge", data=again).status_code == 303
    assert sorted(store.judgments()["value"]) == [0.0, 0.0, 0.0, 1.0]


def test_a_fault_of_ours_is_a_friendly_page_and_is_logged(app, monkeypatch, caplog):
    def broken(*_, **__):
        raise ZeroDivisionError("a secret detail")

    judge = Session(app)
    judge.enter()
    monkeypatch.setattr(app.state.store, "lease", broken)
    with caplog.at_level(logging.ERROR):
        answer = judge.get("/judge")
    assert answer.status_code == 500
    assert "It is not your fault" in answer.text
    assert "a secret detail" not in answer.text
    assert "a secret detail" in caplog.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/nowhere", "/assets/../app.py", "/assets/judging.html.jinja", "/assets/%2e%2e%2fx"])
def test_there_is_nothing_elsewhere(app, path):
    answer = client(app).get(path)
    assert answer.status_code == 404
    assert "There is nothing here" in answer.text


def test_programs_get_documents_instead_of_pages(app):
    @app.get("/api/fails")
    def fails() -> None:
        raise ZeroDivisionError

    @app.get("/api/lost")
    def lost() -> None:
        raise StoreError("gone")

    browser = client(app)
    assert browser.get("/api/nowhere").json() == {"detail": "Not Found"}
    assert browser.get("/api/fails").status_code == 500
    assert "log" in browser.get("/api/fails").json()["detail"]
    assert browser.get("/api/lost").status_code == 503


def test_links_are_not_logged(app, monkeypatch, caplog):
    link = app.state.store.invite(1, days=1)[0]
    monkeypatch.setattr(app.state.store, "admit", lambda token: (_ for _ in ()).throw(StoreError("lost")))
    assert client(app).get(f"/w/{link}").status_code == 503
    monkeypatch.setattr(app.state.store, "admit", lambda token: 1 / 0)
    assert client(app).get(f"/w/{link}").status_code == 500
    assert "/w/…" in caplog.text
    assert link not in "".join(record.getMessage() for record in caplog.records)


def test_a_password_never_stands_in_a_page(app):
    app.state.store.set("password", hash_password("open sesame"))
    judge = Session(app)
    judge.get("/admin/login")
    for _ in range(20):
        judge.post("/admin/login", password="typed-secret")
        if judge.page.status_code == 429:
            break
        judge.get("/admin/login")
    assert judge.page.status_code == 429
    assert all("typed-secret" not in page.text for page in judge.seen)


def test_a_page_that_takes_another_method_says_that_nothing_is_there(app):
    answer = client(app).post("/manual")
    assert answer.status_code in (403, 404, 405)
    assert "There is nothing here" in answer.text or "Please open the page again" in answer.text


def test_an_address_that_cannot_be_read(app):
    @app.get("/number/{number}")
    def number(number: int) -> None:
        raise AssertionError(number)

    @app.get("/api/number/{number}")
    def number_of_a_program(number: int) -> None:
        raise AssertionError(number)

    browser = client(app)
    page, document = browser.get("/number/five"), browser.get("/api/number/five")
    assert (page.status_code, document.status_code) == (422, 422)
    assert "That could not be read" in page.text
    assert document.json()["detail"][0]["input"] == "five"


@pytest.mark.parametrize("status", sorted(_SAID))
def test_every_error_has_a_page_in_words_and_those_that_pass_say_so(app, status):
    from starlette.exceptions import HTTPException

    @app.get("/fails")
    def fails() -> None:
        raise HTTPException(status, "a secret detail", {"X-Kept": "yes"})

    answer = client(app).get("/fails")
    heading, _ = _SAID[status]
    assert answer.status_code == status
    assert heading in answer.text
    assert answer.headers["x-kept"] == "yes"
    assert "a secret detail" not in answer.text
    assert ('href="/fails"' in answer.text) == (status in _AGAIN)


def test_an_error_without_words_of_its_own_has_those_of_a_bad_request(app):
    from starlette.exceptions import HTTPException

    @app.get("/teapot")
    def teapot() -> None:
        raise HTTPException(418)

    answer = client(app).get("/teapot")
    assert answer.status_code == 418
    assert _SAID[400][0] in answer.text


def test_a_session_goes_on_after_the_server_started_again(tmp_path):
    study = make_study(tmp_path, n=4)
    with opened(study) as app:
        judge = Session(app)
        judge.enter()
        cookies = dict(judge.client.cookies)
    with opened(study) as app:
        page = client(app, cookies=cookies).get("/judge")
    assert page.status_code == 200
    assert 'name="batch"' in page.text
