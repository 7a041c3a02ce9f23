"""Ways in: personal links, the open link, and the addresses of Prolific and Mechanical Turk."""

from __future__ import annotations

import re

import pytest

from manyjudges.web.judge.entry import new_code
from tests.support.web import Session, client, make_study, opened

PROLIFIC = "/?PROLIFIC_PID=5f0000000000000000000abc&STUDY_ID=s1&SESSION_ID=x1"
TURK = "/?assignmentId=A1&workerId=W1&hitId=H1&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"
PREVIEW = "/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1&turkSubmitTo=https%3A%2F%2Fwww.mturk.com"


@pytest.fixture
def clock():
    return [1_000_000.0]


@pytest.fixture
def app(tmp_path, clock):
    with opened(make_study(tmp_path, n=4), clock=lambda: clock[0]) as app:
        yield app


@pytest.fixture
def judge(app):
    return Session(app)


def fields_of(text):
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', text))


def test_the_open_link_lets_anybody_in_who_agrees(app, judge):
    page = judge.get("/")
    assert "Welcome to our study." in page.text
    assert "You are 18 or older." in page.text
    refused = judge.post("/enter")
    assert refused.status_code == 422
    assert "Please tick the box" in refused.text
    assert app.state.store.workers() == []
    assert "Is this person muscular?" in judge.post("/enter", agree="yes").text
    [worker] = app.state.store.workers()
    assert (worker.source, worker.consented) == ("open", True)
    assert re.fullmatch(r"(?:[2-9A-HJ-NP-Z]{4}-){2}[2-9A-HJ-NP-Z]{4}", worker.external)
    assert worker.external in judge.page.text


def test_what_researchers_write_is_escaped(judge):
    assert "<b>they</b>" not in judge.get("/").text
    assert "How tall are &lt;b&gt;they&lt;/b&gt;?" in judge.page.text


def test_without_a_text_to_agree_to_nobody_is_asked(tmp_path):
    study = make_study(tmp_path, n=4)
    path = tmp_path / "study.toml"
    path.write_text(re.sub("consent = .*", "", path.read_text(encoding="utf-8")), encoding="utf-8")
    from manyjudges.study.config import read_study

    study = read_study(tmp_path)
    with opened(study) as app:
        judge = Session(app)
        assert "agree" not in judge.get("/").text
        assert "muscular" in judge.post("/enter").text
        assert not app.state.store.workers()[0].consented


def test_codes_are_not_guessed():
    codes = {new_code() for _ in range(1000)}
    assert len(codes) == 1000


def test_the_same_worker_comes_back_on_another_device_by_the_code(app, judge):
    judge.enter()
    [worker] = app.state.store.workers()
    other = Session(app)
    other.get("/")
    assert "muscular" in other.post("/return", code=f"  {worker.external.lower()} ").text
    assert len(app.state.store.workers()) == 1
    batches = {re.search(r'name="batch" value="([^"]+)"', each.page.text)[1] for each in (judge, other)}
    assert len(batches) == 1


def test_only_codes_of_the_open_link_let_anybody_in(app, judge):
    app.state.store.enter("prolific", "5F00")
    ann = app.state.store.enter("open", "AAAA-AAAA-AAAA")
    for code in ("5F00", ann.name, "", "nobody", "%", "' OR 1=1 --"):
        judge.get("/")
        answer = judge.post("/return", code=code)
        assert answer.status_code == 404, code
        assert "We do not know this code" in answer.text
        assert judge.get("/judge").url.path == "/"


def test_who_is_in_goes_on_or_leaves(app, judge):
    judge.enter()
    assert "Go on judging" in judge.get("/").text
    assert "muscular" in judge.post("/agree").text
    judge.get("/")
    judge.post("/leave")
    assert "Start judging" in judge.page.text
    assert judge.get("/judge").url.path == "/"


def test_who_has_not_agreed_is_asked_before_any_work(app, judge):
    link = app.state.store.invite(1, days=1)[0]
    worker = app.state.store.admit(link)
    judge.get(f"/w/{link}")
    assert judge.post(f"/w/{link}").status_code == 422
    assert not app.state.store.worker(worker.id).consented
    assert "muscular" in judge.post(f"/w/{link}", agree="yes").text
    assert app.state.store.worker(worker.id).consented


def test_a_personal_link_lets_the_same_worker_in_again(app, judge):
    link = app.state.store.invite(2, days=1)[0]
    for session in (judge, Session(app)):
        session.get(f"/w/{link}")
        session.post(f"/w/{link}", agree="yes")
        assert "muscular" in session.page.text
    assert sum(worker.consented for worker in app.state.store.workers()) == 1


def test_personal_links_expire_and_are_not_guessed(app, judge, clock):
    link = app.state.store.invite(1, days=30)[0]
    assert len(link) >= 32
    assert judge.get(f"/w/{link}").status_code == 200
    clock[0] += 31 * 86400
    expired = judge.get(f"/w/{link}")
    unknown = judge.get(f"/w/{link[::-1]}")
    odd = judge.get("/w/%00%27")
    assert expired.status_code == unknown.status_code == odd.status_code == 404
    assert expired.text == unknown.text == odd.text
    assert "its time is over" in expired.text


def test_a_link_that_expires_while_its_page_is_open_lets_nobody_in(app, judge, clock):
    link = app.state.store.invite(1, days=30)[0]
    judge.get(f"/w/{link}")
    clock[0] += 31 * 86400
    assert judge.post(f"/w/{link}", agree="yes").status_code == 404


def test_where_the_open_link_is_closed_a_personal_one_is_needed(tmp_path):
    with opened(make_study(tmp_path, n=4, open="false")) as app:
        judge = Session(app)
        assert "You need a personal link" in judge.get("/").text
        judge.get(PROLIFIC)  # has a form, and so a token
        assert judge.post("/enter", agree="yes").status_code == 403
        assert app.state.store.workers() == []


def test_workers_come_from_prolific(app, judge):
    judge.get(PROLIFIC)
    fields = fields_of(judge.page.text)
    assert fields["PROLIFIC_PID"] == "5f0000000000000000000abc"
    fields.pop("csrf")
    assert "muscular" in judge.post("/enter", agree="yes", **fields).text
    [worker] = app.state.store.workers()
    assert (worker.source, worker.external) == ("prolific", "5f0000000000000000000abc")
    assert worker.details == {"STUDY_ID": "s1", "SESSION_ID": "x1"}
    assert "Go on judging" in judge.get(PROLIFIC).text
    assert "5f0000000000000000000abc" not in judge.get("/judge").text


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "<script>", "é", "a%00b", "../../etc"])
def test_odd_names_from_a_marketplace_are_refused(judge, name):
    answer = judge.get(f"/?PROLIFIC_PID={name}")
    assert answer.status_code == 422
    assert "<script>" not in answer.text


@pytest.mark.parametrize(("allowed", "address"), [("prolific", PROLIFIC), ("mturk", TURK + "&tab=1")])
def test_only_marketplaces_that_the_study_allows(tmp_path, allowed, address):
    make_study(tmp_path, n=4, open="false")
    path = tmp_path / "study.toml"
    path.write_text(re.sub(f"{allowed} = true", f"{allowed} = false", path.read_text(encoding="utf-8")))
    from manyjudges.study.config import read_study

    with opened(read_study(tmp_path)) as app:
        assert "You need a personal link" in Session(app).get(address).text


def test_a_preview_on_mechanical_turk_has_no_work(app, judge):
    page = judge.get(PREVIEW)
    assert "This is a preview" in page.text
    assert "<form" not in page.text
    judge.get("/")
    assert judge.post("/enter", agree="yes", assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE").status_code == 422
    assert app.state.store.workers() == []


def test_workers_come_from_mechanical_turk_in_a_tab_and_hand_their_code_in(app, judge):
    framed = judge.get(TURK).text
    assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in framed
    assert 'name="assignmentId" value="A1"' in framed
    tab = re.search(r'href="(/\?[^"]+)" target="_blank" rel="noopener"', framed)[1].replace("&amp;", "&")
    fields = fields_of(judge.get(tab).text)
    fields.pop("csrf")
    judge.post("/enter", agree="yes", **fields)
    [worker] = app.state.store.workers()
    assert (worker.source, worker.external, worker.details) == ("mturk", "W1", {"assignmentId": "A1", "hitId": "H1"})
    judge.hand_in()
    assert "go back to the tab with the HIT" in judge.get("/done").text


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example",
        "http://www.mturk.com",
        "https://www.mturk.com.evil.example",
        "https://www.mturk.com@evil.example",
        "https://www.mturk.com:99",
        "//www.mturk.com",
        "javascript:alert(1)",
        "https://[",
        "",
    ],
)
def test_assignments_are_handed_in_nowhere_but_at_amazon(app, address):
    answer = client(app).get("/", params={"assignmentId": "A1", "workerId": "W1", "turkSubmitTo": address})
    assert "<form" not in answer.text
    assert "evil" not in answer.headers["content-security-policy"]


def test_when_the_study_is_over_nobody_is_asked_in(app, judge):
    app.state.store.shut()
    assert "This study is over" in judge.get("/").text
    assert "<form" not in judge.page.text


def test_entering_gives_a_new_token(app, judge):
    before = re.search(r'name="csrf" value="([^"]+)"', judge.get("/").text)[1]
    judge.post("/enter", agree="yes")
    assert before not in judge.page.text
