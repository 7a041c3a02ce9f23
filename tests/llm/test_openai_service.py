"""How a prompt is written in the chat-completions protocol; the laws of services hold the rest."""

from __future__ import annotations

import pytest

from manyjudges.llm.openai_service import messages, response_format
from manyjudges.llm.prompts import Prompt, reply_schema, user_text
from manyjudges.study.models import PROMPT
from manyjudges.study.questions import Attribute
from tests.support.chat_server import complaints

BINARY = Attribute(name="polite", question="Is it polite?", kind="binary")
SCALE = Attribute(name="tone", question="How warm?", kind="scale", range=(1, 3), labels=("cold", "warm"))
NUMBER = Attribute(name="size", question="How tall?", kind="number", range=(0.5, 3), unit="metres", cant_tell=False)
ENDS = Attribute(name="size", question="How tall?", kind="number", range=(0.5, 3))
WHOLE = Attribute(name="words", question="How many?", kind="number", whole=True)


@pytest.mark.parametrize("structured", ["schema", "json", "text"])
@pytest.mark.parametrize("attribute", [BINARY, SCALE, NUMBER, ENDS, WHOLE])
@pytest.mark.parametrize("pictures", [(), ("https://example.org/d.png",), ("https://example.org/d.png",) * 2])
def test_what_is_sent_keeps_to_the_protocol(attribute, structured, pictures):
    text = user_text("T", attribute, PROMPT, "x", structured)
    prompt = Prompt("Be fair.", text, pictures, structured, reply_schema(attribute))
    body = {"model": "m", "messages": messages(prompt)}
    form = response_format(prompt)
    body |= {"response_format": form} if form else {}
    assert list(complaints("/v1/chat/completions", body, "k")) == []


def test_messages_hold_what_there_is_and_nothing_empty():
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/d.png"}}
    words = {"type": "text", "text": "Why?"}
    assert messages(Prompt("", "Why?")) == [{"role": "user", "content": "Why?"}]
    assert messages(Prompt("Be fair.", "Why?"))[0] == {"role": "system", "content": "Be fair."}
    assert messages(Prompt("", "Why?", ("https://example.org/d.png",))) == [
        {"role": "user", "content": [words, picture]}
    ]
    assert messages(Prompt("", "", ("https://example.org/d.png",))) == [{"role": "user", "content": [picture]}]


def test_each_form_of_replies():
    assert response_format(Prompt("", "Why?", structured="json")) == {"type": "json_object"}
    assert response_format(Prompt("", "Why?", structured="text")) is None
    form = response_format(Prompt("", "Why?", structured="schema", schema=reply_schema(SCALE)))
    assert form == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": reply_schema(SCALE)},
    }


@pytest.mark.parametrize("attribute", [NUMBER, ENDS])
def test_a_strict_schema_says_the_ends_of_a_range_in_words_alone(attribute):
    schema = reply_schema(attribute)
    form = response_format(Prompt("", "Why?", structured="schema", schema=schema))
    assert "minimum" in str(schema)
    assert "minimum" not in str(form)
    assert "maximum" not in str(form)
    assert "a number from 0.5 to 3" in str(form)
