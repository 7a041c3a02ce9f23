"""The researcher's page: who gets in, what it shows, what its buttons do."""

from __future__ import annotations

import re
import time

import pandas as pd
import pytest

from manyjudges import Moments, simulate
from manyjudges.campaign import outlook as forecast
from manyjudges.exceptions import MomentsError, StoreUnavailableError
from manyjudges.learn import check_data
from manyjudges.web.researcher import charts, downloads, login, overview
from manyjudges.web.researcher.cached import Cached
from manyjudges.web.security import hash_password
from tests.support.researchers import PASSWORD, busy_world, csrf_of, log_in, make_world
from tests.support.web import TestClient

BUTTONS = ["pause", "resume", "replan", "close", "fit", "model.json", "export/csv", "export/parquet", "bonuses.csv"]
BUTTONS += ["invite", "links.csv", "programs", "programs/revoke", "workers/w1/block", "workers/w1/withdraw"]


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """A study in its third round; tests only read it."""
    world = busy_world(tmp_path_factory.mktemp("busy") / "study", n_objects=60)
    yield world
    world.store.close()


@pytest.fixture
def world(tmp_path):
    made = make_world(tmp_path / "study", n_objects=30)
    made.order_pilot()
    yield made
    made.store.close()


@pytest.fixture
def client(world):
    with TestClient(world.app()) as client:
        assert log_in(client).status_code == 303
        yield client


def press(client, action, **fields):
    token = csrf_of(client.get("/admin").text)
    return client.post(f"/admin/{action}", data={"csrf": token, **fields})


# ------------------------------------------------------------------------------------------------------ who gets in


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


def test_wrong_passwords_are_hashed_whatever_they_are(world, monkeypatch):
    hashed = []
    monkeypatch.setattr(login, "check_password", lambda given, kept: hashed.append((given, kept)) or False)
    with TestClient(world.app()) as client:
        log_in(client, "wrong")
        log_in(client, "x" * 5000)
        world.store.set("password", "")
    assert [len(given) for given, _ in hashed] == [5, login.LONGEST_PASSWORD]
    assert all(kept.startswith("scrypt$") for _, kept in hashed)


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
    monkeypatch.setattr(login.time, "time", lambda: later)
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


# --------------------------------------------------------------------------------------------------- what it shows


def test_the_page_shows_all_that_is_going_on(busy):
    with TestClient(busy.app()) as client:
        log_in(client)
        text = client.get("/admin").text
    plain = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))
    counts, spending = busy.store.progress(), busy.store.spending()
    unknown = int(counts["cant_tell"].sum())
    assert unknown > 0
    note = f"and {unknown:,} “can’t tell”, of {int(counts['wanted'].sum()):,} wanted by now"
    assert f"{int(counts['have'].sum()):,} {note}" in plain
    assert f"{spending['spent']:,.0f} units" in plain
    assert "Following the plan" in plain
    assert "Round 3" in plain
    for name in busy.study.costs:
        assert name in plain
    assert "much too fast" in plain
    assert "up by" in plain or "down by" in plain
    assert "2 rows of objects.csv cannot be used" in plain.replace(" </code>", "")
    assert plain.count("What this is") == text.count('class="why"') >= 14
    names = [w.name for w in busy.store.workers() if w.judged]
    assert all(name in plain for name in names)
    assert "5f3a" not in text  # the names that workers came with are not shown
    assert 'style="' not in text  # which the content security policy would not allow
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert client.get("/admin/live").text.strip().startswith('<div id="live"')


def test_before_anything_happened_the_page_says_what_will(client):
    text = client.get("/admin").text
    assert "There is no plan yet" in text
    assert "Nobody has judged yet" in text
    assert "The curve is drawn with the first plan" in text
    assert "≤" in text  # a forecast that is only a bound


def test_sections_are_named_in_their_order(client):
    text = client.get("/admin").text
    named = re.findall(r'<li><a href="#(\w+)">', text)
    assert sorted(named, key=lambda each: text.index(f' id="{each}"')) == named
    assert {"log", "links", "programs", "problems"} <= set(named)
    assert "2 rows of <code>objects.csv</code> cannot be used" in text[: text.index('id="state"')]


def test_a_plan_without_an_honest_error_says_why(world, client):
    world.work(["ann", "bob", "cid"], 100)
    seen = world.store.standing()
    plan = {"cost": 3.0, "budget": 12.0, "repeats": dict.fromkeys(world.study.costs, 1)}
    document = {"number": 1, "loss": None, "std_error": None, "note": "", "plan": plan, "outlook": None}
    state = {"round": 2, "asked": 1, "reason": "", "stage": "plan"}
    assert world.store.settle(seen, state, [document], [])
    text = client.get("/admin").text
    assert text.count("Too few labelled objects to set some aside") == 2
    assert "too few labelled objects" in text
    assert "There is no plan yet" not in text


def test_checks_of_the_latest_plan_are_shown(world, client):
    world.work(["ann", "bob", "cid"], 100)
    assert overview._checks(world.store.rounds()) is None
    crowd = simulate.gaussian(20, 3, random_state=0)
    results = check_data(Moments.estimate(crowd.pilot(2), crowd.labels), mute=["MJ301"])
    plan = {"cost": 3.0, "budget": 12.0, "repeats": dict.fromkeys(world.study.costs, 1)}
    outlook = {"label_variance": 4.0, "curve": [], "checks": results.to_document()["results"]}
    document = {"number": 1, "loss": None, "std_error": None, "note": "", "plan": plan, "outlook": outlook}
    state = {"round": 2, "asked": 1, "reason": "", "stage": "plan"}
    assert world.store.settle(world.store.standing(), state, [document], [])
    text = client.get("/admin").text
    assert "<strong>Too few objects</strong> (MJ101, warning)." in text
    assert results.failed[0].outcome.advice in text
    shown = dict(re.findall(r"<td>(MJ\d+)</td><td>[a-z]+</td><td>([a-z ]+)</td>", text))
    assert shown == {each.check.code: each.status for each in results if each.status != "failed"}
    assert "<td>MJ401</td><td>serious</td>" in text


def test_the_end_is_said(world, client):
    world.work(["ann", "bob", "cid"], 1)
    state = {"round": 1, "asked": 1, "reason": "the plan stands", "stage": "done"}
    assert world.store.settle(world.store.standing(), state, [], [])
    text = client.get("/admin").text
    assert "Everything is through." in text
    assert "any moment" not in text
    assert '<span class="flag running">Done</span>' in text
    assert "The plan stands." in text


def test_planning_that_failed_is_said_on_top(world, client, monkeypatch):
    world.store.note("problem", "planning failed: there are too few <judgments>")
    assert 'id="failed"' not in client.get("/admin").text  # the pilot goes on
    position = world.store.position() | {"stage": "planning"}
    monkeypatch.setattr(type(world.store), "position", lambda _: position)
    with TestClient(world.app()) as other:
        log_in(other)
        text = other.get("/admin").text
        assert "Planning failed: there are too few &lt;judgments&gt;." in text[: text.index('id="state"')]
        world.store.note("problem", "line 4 of the objects: the image cannot be shown")
        assert 'id="failed"' in other.get("/admin").text
        world.store.note("planned", "round 1")
        assert 'id="failed"' not in other.get("/admin").text


def test_addresses_for_marketplaces_are_shown(world, client):
    assert "Mechanical Turk" not in client.get("/admin").text
    entry = world.study.entry.model_copy(update={"mturk": True, "prolific": True})
    world.study = world.study.model_copy(update={"entry": entry})
    with TestClient(world.app()) as other:
        log_in(other)
        text = other.get("/admin").text
    assert "<code>turkSubmitTo</code>" in text
    assert "PROLIFIC_PID" in text


def test_what_others_wrote_is_escaped(world):
    nasty = "<script>alert(1)</script>"
    world.store.add_program(nasty)
    world.store.note(nasty, nasty)
    world.work(["ann"], 1)
    frame = world.hooks()["workforce"]().assign(reasons=nasty, suspicious=0.5)
    frame.index = pd.Index(["<b>w"], name="worker")
    with TestClient(world.app(workforce=lambda: frame)) as client:
        log_in(client)
        text = client.get("/admin").text
    assert nasty not in text
    assert "<b>w" not in text
    assert "&lt;script&gt;" in text


def test_polling_does_not_load_the_database(world):
    calls = []

    def slow():
        calls.append(1)
        time.sleep(0.05)
        return world.hooks()["workforce"]()

    with TestClient(world.app(workforce=slow)) as client:
        log_in(client)
        for _ in range(10):
            client.get("/admin/live")
    assert len(calls) == 1


def test_numbers_that_break_do_not_break_the_page(world):
    def broken():
        raise RuntimeError("no")

    with TestClient(world.app(workforce=broken)) as client:
        log_in(client)
        assert "Being worked out" in client.get("/admin").text


def test_a_lost_database_is_said(world, client, monkeypatch):
    def lost(*_):
        raise StoreUnavailableError("gone")

    monkeypatch.setattr(type(world.store), "pause", lost)
    assert press(client, "pause").status_code == 503


# ----------------------------------------------------------------------------------------------------- what it does


def test_pausing_resuming_and_replanning(world, client):
    assert "Paused" in press(client, "pause").text
    assert world.store.state == "paused"
    assert 'action="/admin/resume"' in client.get("/admin").text
    press(client, "resume")
    assert world.store.state == "running"
    assert "being worked out" in press(client, "replan").text
    assert world.calls == ["replan"]
    assert "being worked out. It appears" not in client.get("/admin").text  # said once


def test_a_pilot_is_cut_short_only_after_asking(world, client, busy):
    world.work(["ann"], 1)
    assert '<a class="button" href="/admin/replan"' in client.get("/admin").text
    counts = world.store.progress()
    came = int(counts["wanted"].sum() - counts["out"].sum() - counts["open"].sum())
    text = client.get("/admin/replan").text
    assert f"The pilot is not complete: {came:,} of {int(counts['wanted'].sum()):,} judgments came." in text
    assert "Plan with what came" in text
    assert world.calls == []
    with TestClient(busy.app()) as other:
        log_in(other)
        assert 'action="/admin/replan"' in other.get("/admin").text
        assert other.get("/admin/replan", follow_redirects=False).headers["location"] == "/admin"


def test_closing_asks_first_and_is_for_good(world, client):
    assert "for good?" in client.get("/admin/close").text
    assert world.store.state == "running"
    press(client, "close")
    assert world.store.state == "closed"
    assert 'action="/admin/pause"' not in client.get("/admin").text
    assert "That cannot be done" in press(client, "resume").text
    assert world.store.state == "closed"


def test_blocking_and_withdrawing_ask_first(world, client):
    world.work(["ann", "bob"], 2)
    ann, bob = (world.store.find_worker(name) for name in ("ann", "bob"))
    assert f"Block {ann.name}?" in client.get(f"/admin/workers/{ann.name}/block").text
    assert not world.store.worker(ann.id).blocked
    press(client, f"workers/{ann.name}/block")
    assert world.store.worker(ann.id).blocked
    assert f"Withdraw all judgments of {bob.name}?" in client.get(f"/admin/workers/{bob.name}/withdraw").text
    before = len(world.store.judgments())
    press(client, f"workers/{bob.name}/withdraw")
    assert len(world.store.judgments()) < before
    assert set(world.store.judgments()["worker"]) == {ann.name}
    for wrong in ("ann", "nobody", "%00"):  # only pseudonyms stand in addresses
        assert client.get(f"/admin/workers/{wrong}/block").status_code == 404
    assert client.get(f"/admin/workers/{ann.name}/praise").status_code == 422


def test_exports_are_files(client):
    for kind, media in (("csv", "text/csv"), ("parquet", "application/vnd.apache.parquet")):
        answer = press(client, f"export/{kind}")
        assert answer.content == f"object,{kind}\n".encode()
        assert answer.headers["content-type"].startswith(media)
        assert answer.headers["content-disposition"] == f'attachment; filename="judgments.{kind}"'
    assert press(client, "export/exe").status_code == 422


def test_bonuses_run_nothing_in_a_spreadsheet(world):
    paid = pd.DataFrame({"worker": ["w1"], "external": ["=HYPERLINK(1)"], "bonus": [-1.5], "note": [" +1"]})
    with TestClient(world.app(bonuses=lambda: paid)) as client:
        log_in(client)
        text = press(client, "bonuses.csv").text
    assert text.splitlines() == ["worker,external,bonus,note", "w1,'=HYPERLINK(1),-1.5,' +1"]


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@a", "\t=1", "\r=1", "  =1"])
def test_formulas_are_made_harmless(text):
    assert downloads.harmless(text) == f"'{text}"
    assert downloads.as_csv([text], [[text]]).decode().count("'") == 2


def test_fitting_shows_the_formula_and_gives_the_model(busy):
    with TestClient(busy.app()) as client:
        log_in(client)
        page = press(client, "fit").text
        assert "label ≈" in page
        assert "It is off by about" in page
        assert re.search(r" × <bdi>[^<]+</bdi> \(mean of \d+\)", page)
        assert "manyjudges fit study --predictions predictions.csv" in page
        model = press(client, "model.json")
    assert model.json()["format"].startswith("manyjudges.")
    assert model.headers["content-disposition"] == 'attachment; filename="model.json"'


def test_what_cannot_be_fitted_is_said(world):
    def fit():
        raise MomentsError("there are too few judgments: <2>")

    with TestClient(world.app(fit=fit)) as client:
        log_in(client)
        text = press(client, "fit").text
    assert "That cannot be done: there are too few judgments: &lt;2&gt;" in text


def test_personal_links_are_shown_once_and_let_in(world, client):
    page = press(client, "invite", count="3").text
    links = re.findall(r"<code>(http://testserver/w/[\w-]+)</code>", page)
    assert len(set(links)) == 3
    tokens = [link.rsplit("/", 1)[1] for link in links]
    assert all(world.store.admit(token) for token in tokens)
    assert not any(token in client.get("/admin").text for token in tokens)
    listed = press(client, "links.csv", token=[*tokens, "=1+1\n"]).text.splitlines()
    assert listed == ["number,link", *(f"{n},{link}" for n, link in enumerate(links, start=1))]


@pytest.mark.parametrize("count", ["0", "-1", "1001", "ten", "", "٣", "9" * 50])
def test_odd_numbers_of_links_are_refused(world, client, count):
    before = len(world.store.workers())
    assert "Ask for a whole number of links" in press(client, "invite", count=count).text
    assert len(world.store.workers()) == before


def test_a_programs_token_is_shown_once_and_can_be_revoked(world, client):
    page = press(client, "programs", name="  model   a ").text
    token = re.search(r'class="secret"><code>([^<]+)<', page).group(1)
    assert world.store.program(token) == "model a"
    text = client.get("/admin").text
    assert token not in text
    assert "model a" in text
    assert "That cannot be done" in press(client, "programs", name="model a").text
    assert "That cannot be done" in press(client, "programs", name="").text
    press(client, "programs/revoke", name="model a")
    assert world.store.program(token) is None
    assert {"program added", "program revoked"} <= {each["what"] for each in world.store.events()}


# ---------------------------------------------------------------------------------------------------- small pieces


def test_kept_values_last_ten_times_as_long_as_they_took():
    now, made = [0.0], []

    def make():
        now[0] += 3.0
        made.append(1)
        return len(made)

    kept = Cached(make, least=1.0, clock=lambda: now[0])
    assert kept.get() == 1
    now[0] += 29.9
    assert kept.get() == 1
    now[0] += 0.2
    assert kept.get() == 2


def test_kept_values_that_break_are_not_tried_again_at_once():
    tried = []

    def make():
        tried.append(1)
        raise RuntimeError

    kept = Cached(make, least=60.0)
    assert kept.soon() is None
    assert kept.soon() is None
    assert len(tried) == 1


def test_forecasts_add_up():
    spending = {"spent": 100.0, "out": 10.0, "open": 30.0}
    arrivals = [(0.0, 0), (3600.0, 0), (7200.0, 20)]
    found = forecast.forecast(spending, 20, (60.0, False), arrivals, now=9000.0)
    assert found.whole == 200.0
    assert found.pace == 40.0
    assert found.round_end == 9000.0 + 1800.0
    assert found.end == 9000.0 + 50 / 40 * 3600  # 100 units at 2 a judgment
    assert forecast.forecast(spending, 20, (60.0, False), arrivals, now=9000.0, limit=150.0).whole == 150.0
    assert forecast.forecast(spending, 20, (60.0, False), [(0.0, 0)], now=9000.0).end is None
    assert forecast.later_cost({"stage": "done", "objects": 9, "labelled": 1}, 3.0, 5.0, True) == (0.0, False)
    assert forecast.later_cost({"stage": "plan", "objects": 9, "labelled": 1}, 3.0, 5.0, False) == (0.0, False)


def test_charts_are_drawings_that_say_what_they_show():
    points = [charts.Point(1.0, 4.0, 3.0, 5.0), charts.Point(2.0, 3.0, 2.5, 3.5, chosen=True)]
    drawn = charts.errors(points, ["1", "2"], 'less than "4"', "units")
    assert drawn.count("<circle") == 2
    assert 'aria-label="less than &#34;4&#34;"' in drawn
    assert charts.errors(points[:1], ["1"], "one", "units").count("<circle") == 1
    assert charts.columns([0, 0], ["", ""], "none").count("<rect") == 2
    bar = charts.stacked([("in", 150.0), ("out", 50.0)], 100.0)  # more than the whole does not stick out
    assert re.findall(r'width="([\d.]+)" height="10" class="(?:in|out)"', bar) == ["100.00", "0.00"]


def test_times_are_read_easily():
    assert overview.duration(59) == "less than a minute"
    assert overview.duration(3600) == "60 minutes"
    assert overview.moment(float("nan")) == "–"


def test_an_error_that_cannot_be_is_not_shown():
    """Estimated without bias, a squared error from few objects can fall below 0."""
    outlook = {"label_variance": 4.0}
    rounds = [{"number": 1, "loss": 1.0, "std_error": 0.1, "outlook": outlook}]
    assert overview._errors(rounds)["rows"][-1]["last"]
    below = [*rounds, {"number": 2, "loss": -0.5, "std_error": 0.1, "outlook": outlook}]
    rows = overview._errors(below)["rows"]
    assert [row["number"] for row in rows] == [1]
    assert not any(row.get("last") for row in rows)
    document = {"model": "{}", "loss": -0.5, "std_error": 0.1, "label_variance": 4.0}
    assert overview.fitted(document)["error"] is None
