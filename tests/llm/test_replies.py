from __future__ import annotations

import json
import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.llm import replies
from manyjudges.llm.openai_service import read_completion
from manyjudges.llm.replies import LONGEST_REPLY, brief, read_answer
from manyjudges.store.records import Reply
from manyjudges.study.questions import Attribute

BINARY = Attribute(name="polite", question="Polite?", kind="binary")
UNSURE = Attribute(name="polite", question="Polite?", kind="binary", cant_tell=True)
SCALE = Attribute(name="tone", question="Tone?", kind="scale", range=(1, 7))
NUMBER = Attribute(name="height", question="Height?", kind="number", range=(0, 3))
ANY = Attribute(name="weight", question="Weight?", kind="number", cant_tell=False)
WHOLE = Attribute(name="words", question="Words?", kind="number", range=(0, 500), whole=True, cant_tell=False)
QUESTIONS = (BINARY, UNSURE, SCALE, NUMBER, ANY, WHOLE)
MODES = ("schema", "json", "text")


def read_reply(document, question, mode):
    """What a chat completion answers."""
    return replies.read_reply(read_completion(document), question, mode)


def completion(content, reason="stop", **message):
    return {
        "choices": [{"message": {"content": content, **message}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3},
    }


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (BINARY, '{"answer": true}', 1.0),
        (BINARY, '{"answer": false}', 0.0),
        (SCALE, '{"answer": 7}', 7.0),
        (SCALE, ' {"answer": 7.0}\n', 7.0),
        (NUMBER, '{"answer": 1.75}', 1.75),
        (NUMBER, '{"answer": 0}', 0.0),
        (ANY, '{"answer": -1e3}', -1000.0),
        (WHOLE, '{"reason": "I counted.", "answer": 12}', 12.0),
        (SCALE, '```json\n{"answer": 3}\n```', 3.0),
        (SCALE, '```\n{"answer": 3}\n```', 3.0),
        (SCALE, '<think>Is it 4?\nNo, {"answer": 5}.</think>\n{"answer": 3}', 3.0),
    ],
)
def test_json_that_answers(question, text, value):
    for mode in ("schema", "json"):
        assert read_answer(text, question, mode) == ("answered", value)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (BINARY, '{"answer": 1}'),
        (BINARY, '{"answer": "yes"}'),
        (BINARY, '{"answer": null}'),
        (SCALE, '{"answer": "7"}'),
        (SCALE, '{"answer": true}'),
        (SCALE, '{"answer": 8}'),
        (SCALE, '{"answer": 0}'),
        (SCALE, '{"answer": 3.5}'),
        (SCALE, '{"answer": 3, "answer": 4}'),
        (SCALE, '{"answer": [3]}'),
        (SCALE, '{"answer": {"answer": 3}}'),
        (SCALE, '{"Answer": 3}'),
        (SCALE, '{"answer": 3'),
        (SCALE, '{"answer": 3} I hope this helps.'),
        (SCALE, 'The answer: {"answer": 3}'),
        (SCALE, '[{"answer": 3}]'),
        (SCALE, "3"),
        (SCALE, ""),
        (SCALE, "{}"),
        (SCALE, "null"),
        (SCALE, "<think>3"),
        (NUMBER, '{"answer": NaN}'),
        (NUMBER, '{"answer": 3.0000001}'),
        (ANY, '{"answer": Infinity}'),
        (ANY, '{"answer": 1e999}'),
        (ANY, '{"answer": ' + "9" * 5000 + "}"),
        (ANY, '{"answer": ' + "9" * 400 + "}"),
        (ANY, '{"answer": null}'),
        (ANY, '{"answer": "can\'t tell"}'),
        (WHOLE, '{"answer": 12.5}'),
        (WHOLE, '{"answer": 501}'),
        (ANY, "[" * 100_000),
    ],
)
def test_json_that_does_not(question, text):
    for mode in ("schema", "json"):
        assert read_answer(text, question, mode) == ("unreadable", None)


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (BINARY, "Yes", 1.0),
        (BINARY, " no\n", 0.0),
        (BINARY, '"true"', 1.0),
        (SCALE, "7", 7.0),
        (SCALE, "`7`", 7.0),
        (SCALE, "```\n7\n```", 7.0),
        (SCALE, "“7”", 7.0),
        (NUMBER, "1.75", 1.75),
        (NUMBER, "<think>1 or 2?</think> 2", 2.0),
    ],
)
def test_plain_text_that_answers(question, text, value):
    assert read_answer(text, question, "text") == ("answered", value)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (BINARY, "Yes."),
        (BINARY, "Yes, it is"),
        (BINARY, "can't tell"),
        (SCALE, "I would say 7"),
        (SCALE, "7 out of 7"),
        (SCALE, "7 or 6"),
        (SCALE, "seven"),
        (SCALE, "8"),
        (SCALE, "6.5"),
        (SCALE, '{"answer": 7}'),
        (SCALE, "NaN"),
        (SCALE, "inf"),
        (SCALE, "1_0"),
        (SCALE, ""),
        (SCALE, "``````"),
        (ANY, "1,234"),
        (ANY, "5 kg"),
        (ANY, "can't tell"),
    ],
)
def test_plain_text_that_does_not(question, text):
    assert read_answer(text, question, "text") == ("unreadable", None)


@pytest.mark.parametrize("text", ["can't tell", "Can’t tell", "cannot tell", " `can't tell` ", '"cant tell"'])
def test_who_cannot_tell_says_so_where_that_is_allowed(text):
    assert read_answer(text, SCALE, "text") == ("cant_tell", None)
    assert read_answer(json.dumps({"answer": text.strip(' `"')}), UNSURE, "json") == ("cant_tell", None)
    assert read_answer('{"answer": null}', SCALE, "schema") == ("cant_tell", None)


def test_a_refusal_is_one_whatever_else_there_is():
    reply = read_reply(completion('{"answer": 3}', refusal="I can't do that."), SCALE, "schema")
    assert reply == Reply("refused", None, "I can't do that.", 11, 3)
    assert read_reply(completion("", reason="content_filter"), SCALE, "schema").text == "(content filter)"
    assert read_reply(completion('{"answer": 3}', reason="content_filter"), SCALE, "schema").outcome == "refused"
    parts = [{"type": "refusal", "refusal": "No."}]
    assert read_reply(completion(parts), SCALE, "schema") == Reply("refused", None, "No.", 11, 3)


def test_what_was_cut_off_is_no_answer_even_where_it_looks_like_one():
    assert read_reply(completion("12", reason="length"), WHOLE, "text") == Reply("unreadable", None, "12", 11, 3)
    assert read_reply(completion('{"ans', reason="length"), WHOLE, "json").outcome == "unreadable"


def test_content_may_come_in_parts():
    parts = [{"type": "text", "text": '{"answer"'}, {"type": "text", "text": ": 3}"}, {"type": "other"}, 7, None]
    assert read_reply(completion(parts), SCALE, "schema").value == 3.0


def test_objects_are_read_like_mappings():
    message = SimpleNamespace(content='{"answer": true}')  # no refusal: not every server has it
    choice = SimpleNamespace(message=message)
    assert read_reply(SimpleNamespace(choices=[choice]), BINARY, "schema") == Reply("answered", 1.0, '{"answer": true}')


@pytest.mark.parametrize("given", [None, "<html>", 7, {}, {"choices": None}, {"choices": []}, {"choices": {"a": 1}}])
def test_where_there_is_no_answer_that_is_said(given):
    assert read_reply(given, SCALE, "schema") == Reply("unreadable", None, "(no answer in it)")


def test_an_empty_answer_is_told_from_none():
    assert read_reply(completion(None), SCALE, "schema") == Reply("unreadable", None, "(an empty answer)", 11, 3)


@pytest.mark.parametrize("tokens", [None, "12", -1, True, math.nan, math.inf, 10**12, [1]])
def test_tokens_that_are_no_count_are_not_counted(tokens):
    given = completion('{"answer": 3}') | {"usage": {"prompt_tokens": tokens, "completion_tokens": 4}}
    reply = read_reply(given, SCALE, "schema")
    assert (reply.tokens_in, reply.tokens_out) == (0, 4)


def test_what_was_said_is_kept_on_one_line_and_short():
    said = read_reply(completion("Dear\x00 reader,\n\n" + "so " * 10_000 + "\ud800"), SCALE, "schema").text
    assert said.startswith("Dear reader, so so")
    assert len(said) == LONGEST_REPLY
    assert said.endswith("…")
    assert brief("a\ud800b") == "a b"


NAMES = ["choices", "message", "content", "refusal", "finish_reason", "usage", "prompt_tokens", "answer", "text"]
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=4),
    max_leaves=12,
)


def is_fine(reply, question):
    assert reply.tokens_in >= 0
    assert reply.tokens_out >= 0
    assert len(reply.text) <= LONGEST_REPLY
    assert (reply.value is not None) == (reply.outcome == "answered")
    assert question.cant_tell or reply.outcome != "cant_tell"
    if reply.value is not None:
        assert math.isfinite(reply.value)
        assert question.range is None or question.range[0] <= reply.value <= question.range[1]
        assert question.kind != "binary" or reply.value in (0.0, 1.0)
        assert not (question.whole or question.kind == "scale") or reply.value.is_integer()


@given(JSON, st.sampled_from(QUESTIONS), st.sampled_from(MODES))
def test_any_json_at_all_is_read_without_an_error(document, question, mode):
    is_fine(read_reply(document, question, mode), question)
    is_fine(read_reply({"choices": [{"message": document}], "usage": document}, question, mode), question)


@given(JSON | st.integers(-20, 520) | st.floats(-2, 9), st.sampled_from(QUESTIONS), st.sampled_from(MODES))
def test_any_answer_is_within_the_question_or_none(answer, question, mode):
    is_fine(read_reply(completion(json.dumps({"answer": answer})), question, mode), question)
    is_fine(read_reply(completion(json.dumps(answer)), question, mode), question)


@given(st.text() | st.from_regex(r"[`\"' ]*[-+]?[0-9]+[.,]?[0-9]*[`\"' ]*"), st.sampled_from(QUESTIONS))
def test_any_text_is_within_the_question_or_none(text, question):
    for mode in MODES:
        is_fine(read_reply(completion(text), question, mode), question)


@given(st.integers(-3, 12))
def test_a_number_is_taken_as_it_is_or_not_at_all(number):
    read = read_answer(json.dumps({"answer": number}), SCALE, "schema")
    assert read == (("answered", float(number)) if 1 <= number <= 7 else ("unreadable", None))
