"""Judging: what a judge sees, what is taken of what they enter, and what never reaches their browser."""

from __future__ import annotations

import re
import time
from html import unescape

import pytest

from manyjudges.tables.grammar import TYPED
from tests.support.web import BINARY, NUMBER, SCALE, Session, batch_of, client, make_study, opened, token


def values(judge):
    return list(judge.store.judgments()["value"])


def test_what_is_tapped_is_true_and_the_rest_is_not(start):
    judge = start()
    text = judge.page.text
    assert text.count('type="checkbox"') == 4
    assert text.count('loading="lazy"') == 4
    names = {item.position: item.object for item in judge.store.batch(batch_of(judge), 1).items}
    answer = judge.hand_in(a_1="1", a_2="1")
    assert "4 judgments counted, 0.04 USD earned." in answer.text
    frame = judge.store.judgments().set_index("object")["value"]
    assert {names[p]: float(p in (1, 2)) for p in names} == frame.to_dict()


def test_answers_about_what_was_not_asked_are_not_read(start):
    judge = start(n=2)
    judge.hand_in(a_0="1", a_7="1", a_x="1")
    assert sorted(values(judge)) == [0.0, 1.0]


def test_numbers_are_checked_and_come_back_as_entered(start):
    judge = start(NUMBER)
    assert 'data-low="40" data-high="90"' in judge.page.text
    form = re.search(r'<form [^>]*id="work"[^>]*>', judge.page.text)[0]
    for name in ("number", "thousands", "edges", "minus"):
        assert unescape(re.search(f'data-{name}="([^"]*)"', form)[1]) == getattr(TYPED, name)
    assert 'type="number"' not in judge.page.text  # where browsers drop commas
    answer = judge.hand_in(a_0="70,5", a_1="12", a_2="tall", c_3="1")
    assert answer.status_code == 422
    assert "2 answers need another look" in answer.text
    assert answer.text.count('aria-invalid="true"') == 2
    assert 'value="12"' in answer.text
    assert 'value="tall"' in answer.text
    assert 'value="70,5"' in answer.text
    assert "Please enter a number from 40 to 90, in inches." in answer.text
    assert judge.store.ledger().empty
    judge.hand_in(a_0="70,5", a_1="60", a_2="61", c_3="1")
    assert sorted(values(judge)) == [60.0, 61.0, 70.5]
    assert list(judge.store.ledger()["kind"]).count("cant_tell") == 1


def test_blanks_are_asked_about_once(start):
    judge = start(NUMBER)
    answer = judge.hand_in(a_0="70", a_1="71")
    assert answer.status_code == 422
    assert "2 objects have no answer yet" in answer.text
    assert "Hand in 2 of 4; the other 2 go back" in answer.text
    answer = judge.hand_in("incomplete", a_0="70", a_1="71")
    assert "2 objects went back" in answer.text
    assert sorted(values(judge)) == [70.0, 71.0]


def test_nothing_at_all_is_not_handed_in(start):
    judge = start(NUMBER)
    for action in ("submit", "incomplete"):
        answer = judge.hand_in(action)
        assert answer.status_code == 422
        assert "you can give the batch back" in answer.text
    assert judge.store.ledger().empty


def test_wrong_answers_are_not_handed_in_even_when_incomplete(start):
    judge = start(NUMBER)
    assert judge.hand_in("incomplete", a_0="70", a_1="900").status_code == 422
    assert judge.store.ledger().empty


def test_scales_have_their_steps_and_no_others(start):
    judge = start(SCALE, n=3)
    assert judge.page.text.count('type="radio"') == 3 * 8
    assert judge.hand_in(a_0="8", a_1="1", a_2="cant").status_code == 422
    assert "1 answer needs another look" in judge.page.text
    judge.hand_in(a_0="7", a_1="1", a_2="cant")
    assert sorted(values(judge)) == [1.0, 7.0]


def test_time_in_a_pause_does_not_count(start, monkeypatch):
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])
    judge = start()
    now[0] += 30
    judge.hand_in("pause")
    now[0] += 600
    judge.get("/judge")
    now[0] += 10
    judge.get("/judge")
    judge.hand_in()
    assert judge.store.ledger()["seconds"].iloc[0] == pytest.approx(40 / 4, abs=0.5)


def test_a_batch_can_be_given_back(start):
    judge = start()
    batch = batch_of(judge)
    assert "Others will judge these" in judge.hand_in("release").text
    assert judge.store.batch(batch, 1).state == "released"
    assert judge.store.spending()["out"] == 0


def test_the_last_batch_can_be_corrected(start):
    judge = start()
    judge.hand_in(a_0="1")
    judge.get("/judge/last")
    assert "Your last batch, once more" in judge.page.text
    assert re.search(r'name="a-0" value="1" checked', judge.page.text)
    assert "2 answers corrected." in judge.hand_in(a_1="1").text
    assert sum(values(judge)) == 1
    assert list(judge.store.ledger()["kind"]).count("correction") == 2


def test_there_is_no_last_batch_before_the_first(start):
    assert start().get("/judge/last").url.path == "/judge"


def test_handing_in_twice_counts_once(start):
    judge = start()
    batch = batch_of(judge)
    fields = {"csrf": token(judge.page.text), "batch": batch, "action": "submit", "a-0": "1"}
    for _ in range(2):
        assert judge.client.post("/judge", data=fields).status_code == 303
    assert len(judge.store.ledger()) == 4
    assert "We had these answers already" in judge.get("/judge").text


def test_late_answers_count_where_they_are_still_needed(start, clock):
    judge = start({"muscular-name": 1})
    page = judge.page
    clock[0] += 3600
    other = Session(judge.app)
    other.enter()
    other.hand_in("incomplete")  # takes all four
    judge.page = page
    answer = judge.hand_in(a_0="1")
    assert "4 answers came after the time was up" in answer.text
    assert len(judge.store.ledger()) == 4


def test_a_batch_of_somebody_else_is_not_to_be_had(start):
    judge = start()
    batch = batch_of(judge)
    other = Session(judge.app)
    other.enter()
    assert other.get(f"/judge/{batch}/0/image").status_code == 404
    fields = {"csrf": token(judge.page.text), "batch": batch, "action": "submit"}
    fields["csrf"] = token(other.get("/judge").text)
    assert other.client.post("/judge", data=fields).headers["location"] == "/judge"
    assert other.client.post(f"/judge/{batch}/alive", data=fields).json() == {"left": 0}
    assert judge.store.ledger().empty
    assert client(judge.app).get(f"/judge/{batch}/0/image").headers["location"] == "/"


def test_images_are_shown_for_a_position_and_no_other(start):
    judge = start()
    batch = batch_of(judge)
    answer = judge.get(f"/judge/{batch}/0/image")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["cache-control"].startswith("private")
    assert "sandbox" in answer.headers["content-security-policy"]
    for path in (f"{batch}/4", f"{batch}/-1", "nobody/0", "..%2f..%2fstudy.toml/0", f"{batch}/0%2f.."):
        assert judge.get(f"/judge/{path}/image").status_code == 404
    assert judge.get(f"/judge/{batch}/x/image").status_code == 422


def test_a_link_that_leads_out_of_the_folder_is_not_followed(start, tmp_path):
    judge = start(n=1)
    outside = tmp_path.parent / f"{tmp_path.name}-outside.png"
    image = tmp_path / "secret-file-0.png"
    outside.write_bytes(image.read_bytes())
    image.unlink()
    image.symlink_to(outside)
    answer = judge.get(f"/judge/{batch_of(judge)}/0/image")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "cannot be shown" in answer.text
    assert "outside the study's folder" in judge.store.events()[0]["detail"]


def test_images_of_other_hosts_come_from_there(tmp_path):
    make_study(tmp_path, n=1)
    (tmp_path / "objects.csv").write_text("id,label,image\nsecret,1,https://pictures.example.org/7.png\n")
    from manyjudges.study.config import read_study

    with opened(read_study(tmp_path)) as app:
        judge = Session(app)
        judge.enter()
        assert "img-src 'self' https://pictures.example.org;" in judge.page.headers["content-security-policy"]
        assert "pictures.example.org" not in judge.page.text
        answer = judge.client.get(f"/judge/{batch_of(judge)}/0/image")
        assert answer.headers["location"] == "https://pictures.example.org/7.png"


def test_labels_and_names_never_reach_a_browser(start):
    judge = start({**BINARY, **NUMBER, **SCALE}, n=3)
    judge.client.headers["accept"] = "application/json"
    for _ in range(3):
        text, batch = judge.page.text, batch_of(judge)
        for position in range(3):
            judge.get(f"/judge/{batch}/{position}/image")
        judge.get("/judge")
        judge.post(f"/judge/{batch}/alive", batch=batch)
        judge.get("/judge")
        answers = {"a_0": "1", "a_1": "1"} if "muscular?" in text else {"a_0": "1", "a_1": "cant"}
        answers = {"a_0": "60", "c_1": "1"} if "How tall is" in text else answers
        judge.hand_in("incomplete", **answers)
        judge.get("/judge/last")
        judge.get("/judge")
    for path in ("/", "/pause", "/done", "/nowhere", "/judge/x/0/image", "/api/openapi.json"):
        judge.get(path)
    assert len(judge.seen) > 30
    for answer in judge.seen:
        sent = (answer.content + str(answer.headers).encode()).decode("latin-1")
        assert not re.search(r"secret-object|secret-file|977\.125|978\.125|979\.125|-name", sent)


def test_a_judge_who_is_at_it_keeps_the_batch_and_the_answers(start, clock):
    judge = start()
    batch = batch_of(judge)
    for _ in range(4):
        clock[0] += 20 * 60
        answer = judge.client.post(f"/judge/{batch}/alive", data={"csrf": token(judge.page.text), "a-1": "1"})
        assert answer.json() == {"left": 1800}
    judge.get("/judge")
    assert batch_of(judge) == batch
    assert re.search(r'name="a-1" value="1" checked', judge.page.text)
    judge.hand_in()
    answer = judge.client.post(f"/judge/{batch}/alive", data={"csrf": token(judge.client.get("/judge/last").text)})
    assert answer.json() == {"left": 0}


def test_a_batch_that_is_no_more_is_said(start):
    judge = start()
    costs, labels = judge.store.costs(), judge.store.objects().to_numpy().tolist()
    for prices in ({"another": 1.0}, costs):  # another study, and this one again: nothing was bought
        judge.store.prepare(prices, labels)
    assert "could not be kept" in judge.hand_in().text
    assert "could not be kept" not in judge.get("/judge").text
