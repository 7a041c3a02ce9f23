"""The researcher's page: what it shows, what its buttons do."""

from __future__ import annotations

import re
import time

import pandas as pd
import pytest

from manyjudges.base.formatting import number
from manyjudges.exceptions import MomentsError
from manyjudges.store.database import StoreUnavailableError
from tests.support.researchers import log_in, press
from tests.support.web import TestClient


def test_the_page_shows_all_that_is_going_on(busy):
    with TestClient(busy.app()) as client:
        log_in(client)
        text = client.get("/admin").text
        for _ in range(100):  # what judges did is worked out in the background
            if "Being worked out" not in text:
                break
            time.sleep(0.1)
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


def test_the_page_shows_the_answer_of_the_latest_round(busy):
    answer = busy.store.rounds()[-1]["outlook"]["answer"]
    with TestClient(busy.app()) as client:
        log_in(client)
        text = client.get("/admin").text
    card = text[text.index('id="answer"') : text.index('id="progress"')]
    assert answer["sentence"] in card
    assert "Meanwhile" not in card
    tile = text[text.index('id="tile-error"') :].partition("</div>")[0]
    assert all(number(answer[name]) in tile for name in ("error", "low", "high"))


def settled(world, **answer):
    """A round with such an answer, which the study does not follow."""
    world.work(["ann", "bob", "cid"], 100)
    plan = {"cost": 3.0, "budget": 12.0, "repeats": dict.fromkeys(world.study.costs, 1)}
    other = plan | {"repeats": dict.fromkeys(list(world.study.costs)[:2], 1)}
    errors = {"error": 5.0, "low": 4.0, "high": 6.0, "baseline_error": 7.5, "explained": 0.556}
    whole = {"sentence": "For each object, buy 2.", "notes": ["Too <few>."], "plan": other} | errors | answer
    outlook = {"answer": whole, "curve": [], "checks": []}
    document = {"number": 1, "loss": 25.0, "std_error": 1.0, "note": "", "plan": plan, "outlook": outlook}
    state = {"round": 2, "asked": 1, "reason": "", "stage": "plan"}
    assert world.store.settle(world.store.standing(), state, [document], [])


@pytest.mark.parametrize(
    ("answer", "tile", "explained"),
    [
        ({}, "4 to 6; guessing the mean: 7.50", True),
        ({"baseline_error": 4.5, "explained": 0.0}, "4 to 6, no better than guessing the mean", False),
        ({"error": 0.0, "low": 0.0, "explained": 1.0}, "at most about 6; guessing the mean: 7.50", True),
    ],
    ids=["helps", "does not help", "cannot be told apart from zero"],
)
def test_what_is_expected_is_said(world, client, answer, tile, explained):
    settled(world, **answer)
    text = client.get("/admin").text
    card = text[text.index('id="answer"') : text.index('id="progress"')]
    assert "For each object, buy 2." in card
    assert "Too &lt;few&gt;." in card
    assert "Meanwhile, the study collects judgments for the plan of the latest round" in card
    assert ("predictions explain about" in card) == explained
    assert tile in text


def test_the_end_is_said(world, client):
    world.work(["ann", "bob", "cid"], 1)
    state = {"round": 1, "asked": 1, "reason": "the plan stands", "stage": "done"}
    assert world.store.settle(world.store.standing(), state, [], [])
    text = client.get("/admin").text
    assert "Everything is through." in text
    assert "any moment" not in text
    assert '<span class="flag running">Done</span>' in text
    assert "The plan stands." in text


def test_planning_that_failed_is_said_on_top(world, client):
    world.store.note("problem", "planning failed: there are too few <judgments>")
    assert 'id="failed"' not in client.get("/admin").text  # the pilot goes on
    world.store.give_up()  # what is open will not come, so that the round is complete
    assert world.store.position()["stage"] == "planning"
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


def test_fitting_shows_the_formula_and_gives_the_model(busy):
    with TestClient(busy.app()) as client:
        log_in(client)
        page = press(client, "fit").text
        assert "label ≈" in page
        assert "Expect to be off by about 2.1 (1.8 to 2.4)." in page
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
