"""What is taken of what a judge enters."""

from __future__ import annotations

from manyjudges.study.questions import Attribute
from manyjudges.web.judge.form import draft_of, read_answers


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
