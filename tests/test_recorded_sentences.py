"""Recorded sentences are held by case and by place, and those that nobody hears any more are found."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from tests.support import messages
from tests.support.messages import Sentences, as_recorded, by_name, of_case, split_id
from tests.support.recording import Recording

MODULE = "tests/core/test_of_nothing.py"


def config(*arguments, only_failed=False):
    return SimpleNamespace(args=[*arguments] or ["tests"], getoption=lambda name, default=None: only_failed)


@pytest.fixture
def recording(monkeypatch):
    """A run in which a function with two cases, another one and one that is left out were collected."""
    sentences = Sentences(rewriting=False)
    monkeypatch.setattr(messages, "SENTENCES", sentences)

    def make(recorded, *arguments, only_failed=False):
        sentences._recorded[MODULE] = recorded
        made = Recording(config(*arguments, only_failed=only_failed))
        made.collected[MODULE] |= {"f": {"[a]", "[b]"}, "g": {""}, "left_out": {""}}
        made.passed[MODULE] |= {"f": {"[a]", "[b]"}, "g": {""}}
        return made

    return make


def test_a_list_is_of_every_case_and_a_dictionary_of_its_own():
    assert of_case(["x"], "") == of_case(["x"], "[a]") == ["x"]
    assert of_case({"a": ["x"]}, "[a]") == ["x"]
    assert of_case({"a": ["x"]}, "[b]") == of_case({"a": ["x"]}, "") == []
    assert of_case({"": ["x"]}, "[]") == ["x"]


def test_cases_that_say_the_same_are_one_list():
    assert as_recorded({"[a]": ["x", "y"], "[b]": ["x", "y"]}) == ["x", "y"]
    assert as_recorded({"[b]": ["x"], "[a]": ["y"], "[c]": []}) == {"a": ["y"], "b": ["x"]}
    assert as_recorded({"[a]": ["x", "y"], "[b]": ["y", "x"]}) == by_name({"[a]": ["x", "y"], "[b]": ["y", "x"]})
    assert as_recorded({}) == []


def test_names_of_tests_are_taken_apart():
    assert split_id("tests/a.py::f") == ("tests/a.py", "f", "")
    assert split_id("tests/a.py::C::f[x[1]::y]") == ("tests/a.py", "C::f", "[x[1]::y]")


def test_a_sentence_is_compared_with_the_one_in_its_place(monkeypatch):
    sentences = Sentences(rewriting=False)
    sentences._recorded[MODULE] = {"f": {"a": ["x", "y"], "b": ["y"]}}
    monkeypatch.setenv("PYTEST_CURRENT_TEST", f"{MODULE}::f[a] (call)")
    sentences.check("x")
    sentences.check("y")
    with pytest.raises(AssertionError, match=r"sentence 3 of f\[a\]"):
        sentences.check("y")
    monkeypatch.setenv("PYTEST_CURRENT_TEST", f"{MODULE}::f[b] (call)")
    with pytest.raises(AssertionError, match=r"sentence 1 of f\[b\]"):
        sentences.check("x")  # which is another case's


def test_what_no_case_says_any_more_is_found(recording):
    made = recording({"f": ["x"], "g": ["u", "v"], "left_out": ["l"], "gone": ["z"]})
    made.heard[MODULE]["f"]["[a]"] = ["x"]
    made.heard[MODULE]["g"][""] = ["u"]
    made._settle(MODULE)
    assert sorted(made.stale) == [f"{MODULE}::f[b]: x", f"{MODULE}::g: v", f"{MODULE}::gone: z"]


def test_cases_that_are_gone_are_found(recording):
    made = recording({"f": {"a": ["x"], "old": ["y"]}})
    made.heard[MODULE]["f"]["[a]"] = ["x"]
    made._settle(MODULE)
    assert made.stale == [f"{MODULE}::f[old]: y"]


@pytest.mark.parametrize("how", [{"only_failed": True}, {}])
def test_where_single_tests_were_asked_for_nothing_else_is_gone(recording, how):
    arguments = () if how else (f"{MODULE}::f",)
    made = recording({"f": {"a": ["x"], "old": ["y"]}, "gone": ["z"]}, *arguments, **how)
    made.heard[MODULE]["f"]["[a]"] = ["x"]
    made._settle(MODULE)
    assert made.stale == []


def test_what_is_written_is_what_passed_and_what_was_there_of_the_others(recording, tmp_path, monkeypatch):
    monkeypatch.setattr(messages, "FOLDER", tmp_path)
    made = recording({"f": ["x"], "left_out": ["l"], "gone": ["z"]})
    messages.SENTENCES.rewriting = True
    made.heard[MODULE]["f"] |= {"[a]": ["x"], "[b]": ["new", 'with "marks"']}
    made._settle(MODULE)
    text = (tmp_path / "core" / "of_nothing.json").read_text(encoding="utf-8")
    assert json.loads(text) == {"f": {"a": ["x"], "b": ["new", 'with "marks"']}, "left_out": ["l"]}
    assert '"a": ["x"],' in text  # on one line


def test_a_process_that_died_leaves_everything_as_it_is(recording):
    made = recording({"gone": ["z"]})
    made.pytest_testnodedown(SimpleNamespace(workeroutput={"messages": ({}, {}, ())}), None)
    assert made.complete
    made.pytest_testnodedown(SimpleNamespace(), "crashed")
    assert not made.complete
