"""Judging: what a judge sees, what is taken of what they enter, and what never reaches their browser."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from manyjudges.study.questions import Attribute
from manyjudges.web.images import contents, look_at
from manyjudges.web.judge.form import draft_of, read_answers
from manyjudges.web.pages import contact
from tests.support.web import TEXTS, Session, client, draw_person, make_study, opened, token

BINARY, NUMBER, SCALE = {"muscular-name": 2}, {"inches-name": 2}, {"friendly-name": 2}


@pytest.fixture
def clock():
    return [time.time()]


@pytest.fixture
def start(tmp_path, clock):
    """Opens a study with some attribute ordered, and gives a judge who is in."""
    open_now = []

    def start(order=BINARY, n=4, **options):
        study = make_study(tmp_path, n=n, **options)
        context = opened(study, order=order, clock=lambda: clock[0])
        open_now.append(context)
        judge = Session(context.__enter__())
        judge.app = judge.client.app
        judge.enter()
        return judge

    yield start
    for context in open_now:
        context.__exit__(None, None, None)


def batch_of(judge):
    return re.search(r'name="batch" value="([^"]+)"', judge.page.text)[1]


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


def attribute(**values):
    return Attribute.model_validate({"name": "a", "question": "q", "kind": "binary", **values})


def test_an_answer_and_cant_tell_exclude_each_other():
    given = read_answers({"a-0": "5", "c-0": "1"}, attribute(kind="number"), [0])
    assert given.answers == {}
    assert "not both" in given.wrong[0]


def test_cant_tell_is_only_taken_where_it_is_offered():
    assert read_answers({"c-0": "1"}, attribute(), [0]).wrong
    assert read_answers({"c-0": "1"}, attribute(cant_tell=True), [0]).answers == {0: None}
    assert read_answers({"a-0": "cant"}, attribute(kind="number", cant_tell=False), [0]).wrong


def test_an_image_that_did_not_arrive_is_not_a_no():
    assert read_answers({"u-0": "1"}, attribute(), [0, 1]).answers == {0: None, 1: 0.0}
    assert read_answers({"u-0": "1", "a-0": "1"}, attribute(), [0]).answers == {0: 1.0}


def test_a_draft_keeps_only_what_was_answered():
    given = read_answers({"a-0": "1"}, attribute(), [0, 1], unseen=[2])
    assert draft_of(given, attribute()) == {0: 1.0, 2: None}


def test_a_pause_keeps_batch_and_answers(start):
    judge = start(NUMBER)
    batch = batch_of(judge)
    assert "Your answers so far are kept" in judge.hand_in("pause", a_0="70", a_1="bad", c_2="1").text
    judge.get("/judge")
    assert batch_of(judge) == batch
    assert 'value="70"' in judge.page.text
    assert re.search(r'name="c-2" value="1" checked', judge.page.text)
    assert judge.store.ledger().empty


def test_time_in_a_pause_does_not_count(start, monkeypatch):
    now = [time.time()]
    monkeypatch.setattr("manyjudges.web.judge.batch.time.time", lambda: now[0])
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


@pytest.mark.parametrize("name", ["../other.png", "/etc/hostname", "sub/../../other.png", "nul\0l.png", "loop.png"])
def test_no_path_leads_out_of_the_folder(tmp_path, name):
    folder = tmp_path / "study"
    folder.mkdir()
    (tmp_path / "other.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "loop.png").symlink_to("loop.png")
    assert look_at(folder.joinpath(name) if name.startswith("/") else folder / name, folder).problem


def test_what_is_no_image_is_not_sent(tmp_path):
    (tmp_path / "a.png").write_text("<svg onload=alert(1)>")
    assert "first bytes" in look_at(tmp_path / "a.png", tmp_path).problem
    assert look_at(tmp_path / "study.toml", tmp_path).problem


def test_a_damaged_image_is_said_once_and_the_rest_goes_on(start, tmp_path):
    judge = start()
    broken = tmp_path / "secret-file-2.png"
    broken.write_bytes(broken.read_bytes()[:-400])
    for _ in range(3):
        text = judge.get("/judge").text
    assert text.count('type="checkbox"') == 3
    assert text.count("No answer needed") == 1
    position = re.search(r"unseen\" id=\"item-(\d)", text)[1]
    assert "cannot be shown" in judge.get(f"/judge/{batch_of(judge)}/{position}/image").text
    problems = [event for event in judge.store.events() if event["what"] == "problem"]
    assert len(problems) == 1
    assert "line 4" in problems[0]["detail"]
    assert "it is damaged" in problems[0]["detail"]
    assert "<" not in problems[0]["detail"]
    judge.get("/judge")
    judge.hand_in()
    assert sorted(judge.store.ledger()["kind"]) == ["answer", "answer", "answer", "cant_tell"]
    assert "correct" not in judge.get("/judge/last").text


def test_an_image_that_is_mended_is_shown_again(start, tmp_path):
    judge = start(n=1)
    path = tmp_path / "secret-file-0.png"
    whole = path.read_bytes()
    path.write_bytes(whole[:500])
    assert "No answer needed" in judge.get("/judge").text
    path.write_bytes(whole)
    assert "No answer needed" not in judge.get("/judge").text


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


def test_texts_are_escaped(start):
    text = start(texts=True, n=8).page.text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &lt;b&gt;bold&lt;/b&gt;" in text
    assert TEXTS[1] in text
    assert text.count('class="text') == text.count('dir="auto"') - 1 - text.count('<p dir="auto"')


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


def test_how_long_a_batch_is_out_is_said_in_words(start):
    assert "30 minutes left" in start().page.text


def test_progress_and_pay_are_shown(start):
    judge = start({**BINARY, **NUMBER})
    assert "Your first batch" in judge.page.text
    judge.hand_in(**({"a_0": "1"} if "muscular?" in judge.page.text else {f"c_{p}": "1" for p in range(4)}))
    assert "<span>1 batch</span><span>4 judgments</span><span>0.04 USD</span>" in judge.page.text


@pytest.mark.parametrize(
    ("prepare", "heading", "comes"),
    [
        (lambda store: store.pause(), "A short break", True),
        (lambda store: store.shut(), "All is judged", False),
        (lambda store: store.block(1, "spam"), "That was all for you", False),
        (lambda store: None, "Just a moment", True),
        (lambda store: store.lease(store.enter("open", "other").id), "Nothing to do right now", True),
    ],
    ids=["paused", "closed", "blocked", "planning", "with others"],
)
def test_where_there_is_no_work_a_page_says_why(start, prepare, heading, comes):
    judge = start({"muscular-name": 1})
    judge.store.release(batch_of(judge), 1)
    if heading == "Just a moment":
        judge.store.order([])
    prepare(judge.store)
    text = judge.get("/judge").text
    assert f"<h1>{heading}</h1>" in text
    assert ('<meta http-equiv="refresh" content="15">' in text) == comes
    assert 'href="/done"' in text


def test_who_has_done_enough_is_thanked(start):
    judge = start(most=1)
    answer = judge.hand_in()
    assert "You have handed in 1 batch, which is the most for one person" in answer.text


def test_the_completion_code_is_stable_and_of_one_worker(start):
    judge = start()
    assert "completion code" not in judge.get("/done").text
    codes = []
    other = Session(judge.app)
    other.enter()
    judge.get("/judge")
    for session in (judge, other):
        session.hand_in()
        found = [re.search(r'class="code big">([^<]+)<', session.get("/done").text)[1] for _ in range(2)]
        assert found[0] == found[1]
        codes.append(found[0])
    assert len(set(codes)) == 2
    assert all(len(code) == 10 for code in codes)


def test_the_end_leads_to_where_the_study_says(start):
    end = 'completion_code = "C0DE"\ncompletion_address = "https://app.prolific.com/submissions/complete?cc=C0DE"'
    judge = start(completion=end)
    judge.hand_in()
    text = judge.get("/done").text
    assert 'class="code big">C0DE<' in text
    assert 'href="https://app.prolific.com/submissions/complete?cc=C0DE"' in text
    assert "4 judgments in 1 batch and earned <strong>0.04 USD</strong>" in text


def test_who_leaves_gives_back_what_is_out(start):
    judge = start({**BINARY, **NUMBER})
    judge.get("/done")
    assert "A batch is still with you" in judge.page.text
    judge.post("/done")
    assert "A batch is still with you" not in judge.page.text
    assert judge.store.spending()["out"] == 0


def test_an_object_that_is_gone_from_the_table_is_not_asked_about(start):
    judge = start(n=2)
    judge.app.state.records.pop("secret-object-1")
    assert "No answer needed" in judge.get("/judge").text
    judge.hand_in()
    assert sorted(judge.store.ledger()["kind"]) == ["answer", "cant_tell"]


def test_a_batch_that_is_no_more_is_said(start, monkeypatch):
    judge = start()
    monkeypatch.setattr(judge.store, "batch", lambda batch, worker: None)
    assert "could not be kept" in judge.hand_in().text
    assert "could not be kept" not in judge.get("/judge").text


def test_a_folder_swapped_for_a_link_shows_nothing_from_outside(tmp_path):
    (tmp_path / "in" / "pictures").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    draw_person(tmp_path / "in" / "pictures" / "a.png", 0)
    draw_person(tmp_path / "out" / "a.png", 1)
    picture = look_at(Path("pictures/a.png"), tmp_path / "in")
    assert contents(picture) == (tmp_path / "in" / "pictures" / "a.png").read_bytes()
    (tmp_path / "in" / "pictures").rename(tmp_path / "in" / "old")
    (tmp_path / "in" / "pictures").symlink_to(tmp_path / "out")
    with pytest.raises(OSError, match="was replaced"):
        contents(picture)


def test_an_address_to_write_to_is_a_link(start):
    text = start().get("/judge").text
    assert '<a href="mailto:study@example.org">study@example.org</a>' in text
    for odd in ("a@b.org?cc=c@d.org", 'x"onclick=1@b.org', "<b>@b.org", "Room 5, ask for Ann"):
        shown = contact(odd)
        assert "?" not in (re.findall(r'href="([^"]*)"', shown) or [""])[0]
        assert not re.search(r"<b>|onclick=1", shown.replace("&#34;onclick", ""))
