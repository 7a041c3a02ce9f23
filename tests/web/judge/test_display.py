"""A batch, a worker's account and a receipt as a judge sees them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from manyjudges.store.records import Worker
from manyjudges.web.judge.display import account, money, open_items, receipt_in_words, shown_items, why_no_work
from tests.support.web import BINARY, NUMBER, TEXTS, batch_of, make_study


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


def test_texts_are_escaped(start):
    text = start(texts=True, n=8).page.text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &lt;b&gt;bold&lt;/b&gt;" in text
    assert TEXTS[1] in text
    assert text.count('class="text') == text.count('dir="auto"') - 1 - text.count('<p dir="auto"')


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


def test_an_object_that_is_gone_from_the_table_is_not_asked_about(start):
    judge = start(n=2)
    judge.app.state.records.pop("secret-object-1")
    assert "No answer needed" in judge.get("/judge").text
    judge.hand_in()
    assert sorted(judge.store.ledger()["kind"]) == ["answer", "cant_tell"]


def test_an_address_to_write_to_is_a_link(start):
    text = start().get("/judge").text
    assert '<a href="mailto:study@example.org">study@example.org</a>' in text


@pytest.fixture
def paid(tmp_path):
    """A study that pays a cent for a judgment."""
    return make_study(tmp_path, n=1)


@pytest.fixture
def unpaid(paid):
    return paid.model_copy(update={"work": paid.work.model_copy(update={"pay_per_unit": 0.0})})


WORKER = Worker(id=1, name="wann", source="open", external="ann", details={}, judged=1, batches=2, earned=150.0)


@pytest.mark.parametrize(
    ("receipt", "numbers"),
    [
        ({"accepted": 1, "earned": 1.0}, ["1 judgment ", "0.01 USD"]),
        ({"accepted": 1200, "earned": 2500.0}, ["1,200 judgments ", "25.00 USD"]),
        ({"corrected": 1}, ["1 answer "]),
        ({"returned": 2, "late": 1}, ["2 objects ", "1 answer "]),
        ({"accepted": 3, "earned": 3.0, "corrected": 2, "returned": 1, "late": 4}, ["3 j", "2 a", "1 o", "4 a"]),
        ({"repeated": 5}, ["already"]),
        ({}, ["already"]),
    ],
)
def test_each_thing_that_became_of_answers_is_a_sentence(paid, receipt, numbers):
    said = receipt_in_words(paid, receipt)
    assert all(sentence.endswith(".") for sentence in said)
    assert all(number in " ".join(said) for number in numbers)
    assert len(said) == max(1, len(receipt.keys() - {"earned", "repeated"}))


def test_where_nothing_is_paid_no_money_is_mentioned(paid, unpaid):
    receipt = {"accepted": 2, "earned": 2.0}
    assert "USD" in receipt_in_words(paid, receipt)[0]
    assert "USD" not in receipt_in_words(unpaid, receipt)[0]
    assert account(paid, WORKER) == ["2 batches", "1 judgment", "1.50 USD"]
    assert account(unpaid, WORKER) == ["2 batches", "1 judgment"]
    assert (money(paid, 1e6), money(unpaid, 1e6)) == ("10,000.00 USD", "")


def test_every_limit_that_was_reached_is_named(paid, start):
    judge = start()
    work = paid.work.model_copy(update={"most_judgments": 1, "most_batches": 3})
    limited = paid.model_copy(update={"work": work})
    for batches, reached in ((2, ["1 judgment"]), (3, ["1 judgment", "3 batches"])):
        said = why_no_work(limited, judge.store, replace(WORKER, batches=batches))
        assert not said.may_come
        assert [words for words in ("1 judgment", "3 batches") if words in said.text] == reached


def test_of_a_batch_that_was_handed_in_only_answers_are_asked_about_again(start):
    judge = start(NUMBER)
    before = judge.store.batch(batch_of(judge), 1)
    assert open_items(before) == before.items
    judge.hand_in("incomplete", a_1="60", c_2="1")
    after = judge.store.batch(before.id, 1)
    assert [item.position for item in open_items(after)] == [1, 2]
    things = shown_items(judge.app.state, after, {1: "60"}, {2: "say which"})
    assert [(thing.position, thing.number) for thing in things] == [(1, 1), (2, 2)], "counted anew on the page"
    assert [(thing.entered, thing.wrong) for thing in things] == [("60", ""), ("", "say which")]
    assert [thing.called for thing in things] == ["Picture 1", "Picture 2"]


def test_an_object_has_no_name_on_the_page_and_a_text_no_image(start):
    judge = start(texts=True, n=2)
    batch = judge.store.batch(batch_of(judge), 1)
    things = shown_items(judge.app.state, batch, {})
    assert {thing.text for thing in things} == set(TEXTS[:2])
    assert [thing.called for thing in things] == ["Text 1", "Text 2"]
    assert all(thing.image == "" and not thing.problem for thing in things)
    assert "secret" not in str(things)
