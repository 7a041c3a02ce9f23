"""Who may send what, how much and how often, and what a browser may do with a page."""

from __future__ import annotations

import base64
import json
import re

import itsdangerous
import pytest
from fastapi import Request
from starlette.responses import PlainTextResponse

from manyjudges.study.config import read_study
from manyjudges.web.security import (
    LARGEST_REQUEST,
    Limiter,
    Policy,
    check_password,
    cookie_name,
    hash_password,
    origins,
)
from tests.support.web import Session, client, make_study, opened, token

TURK = "/?assignmentId=A1&workerId=W1&hitId=H1&turkSubmitTo=https%3A%2F%2Fwww.mturk.com"


@pytest.fixture
def app(tmp_path):
    with opened(make_study(tmp_path, n=4)) as app:
        yield app


def test_a_limiter_forgets_evenly():
    now = [0.0]
    limiter = Limiter(3, 60, clock=lambda: now[0])
    assert [limiter.allow("a") for _ in range(4)] == [True, True, True, False]
    now[0] = 19.0
    assert not limiter.allow("a")
    now[0] = 21.0
    assert limiter.allow("a")
    assert not limiter.allow("a")
    now[0] = 1000.0
    assert [limiter.allow("a") for _ in range(4)] == [True, True, True, False]


def test_a_limiter_keeps_a_bounded_number_of_keys():
    limiter = Limiter(1, 60)
    for key in range(10_050):
        limiter.allow(key)
    assert len(limiter._tokens) == 10_000
    assert not limiter.allow(10_049)


def test_passwords_are_hashed_with_salt():
    hashed = hash_password("correct horse")
    assert "correct" not in hashed
    assert hashed != hash_password("correct horse")
    assert check_password("correct horse", hashed)
    assert not check_password("Correct horse", hashed)


@pytest.mark.parametrize("damaged", ["", "x", "scrypt$$", "scrypt$!!$!!", "plain$YQ==$YQ==", "a$b$c$d"])
def test_a_damaged_hash_lets_nobody_in(damaged):
    assert not check_password("", damaged)


def session_cookie(app):
    return cookie_name(app.state.store.secret)


def signed(secret, **session):
    data = base64.b64encode(json.dumps(session).encode())
    return itsdangerous.TimestampSigner(secret).sign(data).decode()


def test_sessions_are_signed(app):
    worker = app.state.store.enter("open", "ann", consented=True)
    browser = client(app)
    browser.cookies.set(session_cookie(app), signed(app.state.store.secret, worker=worker.id))
    assert browser.get("/judge").status_code == 200
    for forged in (
        signed("another secret", worker=worker.id),
        signed(app.state.store.secret, worker=99)[:20] + signed(app.state.store.secret, worker=worker.id)[20:] + "x",
        base64.b64encode(json.dumps({"worker": worker.id}).encode()).decode(),
    ):
        browser = client(app)
        browser.cookies.set(session_cookie(app), forged)
        answer = browser.get("/judge")
        assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_a_session_of_nobody_is_sent_to_the_start(app):
    for worker in (12345, "1", None, [1]):
        browser = client(app)
        browser.cookies.set(session_cookie(app), signed(app.state.store.secret, worker=worker))
        assert browser.get("/judge").headers["location"] == "/"


@pytest.mark.parametrize(("server", "secure"), [("", False), ('[server]\naddress = "https://judge.example.org"', True)])
def test_cookies_are_not_for_scripts_nor_for_other_sites(tmp_path, server, secure):
    with opened(make_study(tmp_path, n=4, server=server)) as app:
        cookie = client(app).get("/").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert ("secure" in cookie) == secure


def forms_of(app):
    routers = [getattr(each, "original_router", None) for each in app.routes]
    every = [*app.routes, *(route for router in routers if router for route in router.routes)]
    routes = [route for route in every if "POST" in (getattr(route, "methods", None) or ())]
    paths = [route.path for route in routes if not route.path.startswith("/api/")]
    return [re.sub(r"\{[^}]+\}", "a-token-of-nobody", path) for path in paths]


def test_forms_without_their_token_are_refused(app):
    judge = Session(app)
    judge.enter()
    stranger = client(app)
    other = token(stranger.get("/").text)
    paths = forms_of(app)
    assert {"/enter", "/judge", "/done", "/leave", "/agree", "/return"} <= set(paths)
    for path in paths:
        for fields in ({}, {"csrf": ""}, {"csrf": other}, {"csrf": "é"}):
            answer = judge.client.post(path, data={"action": "submit", **fields})
            assert answer.status_code == 403, path
            assert "Traceback" not in answer.text
    assert judge.client.post("/judge", json={"csrf": token(judge.page.text)}).status_code == 403
    assert app.state.store.judgments().empty


def test_every_form_of_every_page_has_a_token(app):
    judge = Session(app)
    judge.enter()
    judge.get("/done")
    judge.get("/")
    pages = [page.text for page in judge.seen if page.status_code == 200]
    forms = [form for page in pages for form in re.findall(r"<form.*?</form>", page, re.DOTALL)]
    assert len(forms) >= 4
    assert all('name="csrf"' in form for form in forms)


def test_a_page_may_do_nothing_but_what_it_needs(app):
    answer = client(app).get("/")
    policy = dict(rule.split(" ", 1) for rule in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "img-src", "connect-src", "form-action")} == {"'self'"}
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"


def test_no_page_has_script_or_style_of_its_own(app):
    judge = Session(app)
    judge.enter()
    for path in ("/", "/judge", "/pause", "/done", "/nowhere", "/w/nobody-has-this"):
        judge.get(path)
    for page in judge.seen:
        assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:", page.text)


def test_only_the_page_for_mechanical_turk_may_be_framed_and_only_by_it(app):
    browser = client(app)
    framed = browser.get(TURK).headers
    hosts = "https://www.mturk.com https://workersandbox.mturk.com"
    assert f"frame-ancestors {hosts}" in framed["content-security-policy"]
    assert "x-frame-options" not in framed
    for path in ("/", TURK + "&tab=1", "/nowhere"):
        assert "frame-ancestors 'none'" in browser.get(path).headers["content-security-policy"]


def test_where_mechanical_turk_is_not_allowed_it_may_not_frame(tmp_path):
    study = make_study(tmp_path, n=4)
    text = (tmp_path / "study.toml").read_text().replace("mturk = true\n", "")
    (tmp_path / "study.toml").write_text(text)
    with opened(read_study(study.folder)) as app:
        headers = client(app).get(TURK).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"


def test_hosts_of_images_are_named_and_cannot_write_policy():
    given = ["https://a.org/1.png", "http://b.org:8080/2.png", "https://c.org; script-src *", "data:image/png,x", None]
    assert origins(given) == ("http://b.org:8080", "https://a.org")
    assert "img-src 'self' https://a.org;" in Policy(images=("https://a.org",)).header()


def test_large_requests_are_refused(app):
    judge = Session(app)
    judge.get("/")
    form = {"content-type": "application/x-www-form-urlencoded"}
    answer = judge.client.post("/enter", content=b"a" * (LARGEST_REQUEST + 1), headers=form)
    assert answer.status_code == 413
    assert "too much" in answer.text

    def parts():
        for _ in range(LARGEST_REQUEST // 1000 + 2):
            yield b"a" * 1000

    assert judge.client.post("/enter", content=parts(), headers=form).status_code == 413
    assert judge.client.post("/enter", content=b"a" * 1000, headers=form).status_code == 403


def test_files_are_not_taken(app):
    judge = Session(app)
    judge.get("/")
    answer = judge.client.post("/enter", data={"csrf": token(judge.page.text)}, files={"f": b"x"})
    assert answer.status_code == 400


def test_entering_too_often_is_refused_for_a_while(app):
    app.state.limits.entering.rate = 3
    judge = Session(app)
    for _ in range(3):
        assert judge.enter().status_code == 200
        judge.client.cookies.clear()
    judge.get("/")
    answer = judge.post("/enter", agree="yes")
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    assert len(app.state.store.workers()) == 3
    assert judge.get("/w/some-token-of-nobody").status_code == 429


def test_handing_in_too_often_is_refused_and_keeps_what_was_entered(app):
    app.state.limits.submitting.rate = 1
    judge = Session(app)
    judge.enter()
    judge.hand_in("pause", a_1="1")
    judge.get("/judge")
    answer = judge.hand_in(a_1="1", a_2="1")
    assert answer.status_code == 429
    assert '<input type="hidden" name="a-2" value="1">' in answer.text
    assert app.state.store.judgments().empty


def test_the_name_of_the_server_is_not_told(app):
    @app.get("/named")
    def named(request: Request) -> PlainTextResponse:
        return PlainTextResponse("", headers={"Server": "something 1.0"})

    assert "server" not in client(app).get("/named").headers


def test_a_class_behind_one_address_gets_in(app):
    for link in app.state.store.invite(60, days=1):
        judge = Session(app)
        assert judge.get(f"/w/{link}").status_code == 200
        assert judge.post(f"/w/{link}", agree="yes").status_code == 200


@pytest.mark.parametrize("code", ["A\x00B", "\x00", "x' OR '1'='1", "🂡" * 5, "-" * 60])
def test_codes_that_are_none_are_not_looked_for(app, code):
    judge = Session(app)
    judge.get("/")
    assert judge.post("/return", code=code).status_code == 404


def test_a_study_that_says_nothing_of_prolific_lets_nobody_in_by_it(tmp_path):
    study = make_study(tmp_path, n=4, open="false")
    text = (tmp_path / "study.toml").read_text().replace("prolific = true\nmturk = true\n", "")
    (tmp_path / "study.toml").write_text(text)
    with opened(read_study(study.folder)) as app:
        assert "personal link" in client(app).get("/?PROLIFIC_PID=5f0c0ffee0c0ffee0c0ffee0").text
        assert app.state.store.workers() == []
