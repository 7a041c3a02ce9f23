"""Answers to a question, as forms of other tools offer them."""

from __future__ import annotations

import pytest

from manyjudges.connectors.choices import CANT_TELL_CHOICE, choices, coded_choices, instruction, steps
from manyjudges.study.questions import Attribute
from manyjudges.tables.kinds import CANT_TELL_TEXT

BINARY = {"kind": "binary"}
SCALE = {"kind": "scale", "range": (1, 3), "labels": ("low", "so so", "high")}
ENDS = {"kind": "scale", "range": (1, 3), "labels": ("low", "high")}
NUMBER = {"kind": "number", "range": (0, 9)}


def question(**more):
    return Attribute(name="a", question="How?", **more)


@pytest.mark.parametrize("kind", [BINARY, SCALE, ENDS])
@pytest.mark.parametrize("cant_tell", [True, False])
def test_a_way_out_comes_last_where_there_is_one(kind, cant_tell):
    asked = question(cant_tell=cant_tell, **kind)
    offered = choices(asked)
    assert (offered[-1] == CANT_TELL_TEXT) == cant_tell
    assert (coded_choices(asked)[-1] == CANT_TELL_CHOICE) == cant_tell
    assert len(offered) == len(coded_choices(asked)) == len(asked.answer_kind.options()) + cant_tell


def test_what_is_chosen_is_read_back():
    for kind in (BINARY, SCALE, ENDS):
        asked = question(cant_tell=False, **kind)
        for kept, _ in coded_choices(asked):
            assert asked.read(kept) in {option.value for option in asked.answer_kind.options()}


def test_nothing_is_chosen_where_a_number_is_typed():
    assert choices(question(**NUMBER)) == []
    assert steps(question(**NUMBER)) == ()


def test_only_a_scale_has_steps():
    assert [option.value for option in steps(question(**SCALE))] == [1.0, 2.0, 3.0]
    assert steps(question(**BINARY)) == ()


def test_labels_stand_behind_the_steps_where_they_are_wanted():
    plain, labelled = (
        choices(question(cant_tell=False, **SCALE)),
        choices(question(cant_tell=False, **SCALE), labels=True),
    )
    assert all(long.startswith(short) for short, long in zip(plain, labelled, strict=True))
    assert plain != labelled


@pytest.mark.parametrize("kind", [BINARY, SCALE, ENDS, NUMBER])
def test_an_instruction_is_a_sentence_without_its_full_stop(kind):
    words = instruction(question(**kind), labels=True)
    assert words[0].isupper()
    assert not words.endswith(".")
