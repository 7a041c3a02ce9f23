"""Leaving: a pause, or the end with thanks, pay and a completion code."""

from __future__ import annotations

import re

from tests.support.web import BINARY, NUMBER, Session, batch_of


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
