"""Leaving: a pause, or the end with thanks, pay and a completion code."""

from __future__ import annotations

import re

from manyjudges.web.judge.entry import ALPHABET
from tests.support.web import BINARY, NUMBER, Session, batch_of, client, make_study, opened


def test_a_pause_keeps_batch_and_answers(start):
    judge = start(NUMBER)
    batch = batch_of(judge)
    assert "Your answers so far are kept" in judge.hand_in("pause", a_0="70", a_1="bad", c_2="1").text
    judge.get("/judge")
    assert batch_of(judge) == batch
    assert 'value="70"' in judge.page.text
    assert re.search(r'name="c-2" value="1" checked', judge.page.text)
    assert judge.store.ledger().empty


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


def test_who_only_looks_in_has_nothing_to_complete_and_nothing_to_give_back(start):
    judge = start()
    judge.store.release(batch_of(judge), 1)
    text = judge.get("/done").text
    assert "<form" not in text.split("<main")[1]
    assert 'class="code big"' not in text
    assert "Your answers so far are kept" not in judge.get("/pause").text
    judge.get("/judge")
    judge.post("/done")  # a batch, once more, that is given back
    assert judge.store.spending()["out"] == 0


def test_a_batch_whose_time_is_up_is_with_nobody(start, clock):
    clock[0] -= 3600  # leased an hour ago, for half an hour
    judge = start()
    assert "still with you" not in judge.get("/done").text
    assert "This batch stays yours" not in judge.get("/pause").text


def test_a_completion_code_is_not_to_be_guessed_from_the_worker(start, tmp_path):
    """The same worker has another code in another study."""
    codes = set()
    for name in ("one", "two"):
        with opened(make_study(tmp_path / name, n=1)) as app:
            judge = Session(app)
            judge.enter()
            judge.hand_in()
            codes.add(re.search(r'class="code big">([^<]+)<', judge.get("/done").text)[1])
    assert len(codes) == 2
    assert all(set(code) <= set(ALPHABET) for code in codes)


def test_pages_of_leaving_are_for_judges_who_are_in(start):
    visitor = client(start().app)
    for path in ("/pause", "/done"):
        assert visitor.get(path).headers["location"] == "/"
