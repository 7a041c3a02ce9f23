"""Replies: what a model answered, or why that is no answer.

An answer is taken as it was given or not at all: it is never rounded, cut to the range, or looked for in a sentence.

- In JSON, the answer is the value of ``"answer"`` in an object; other keys beside it are passed over. It must be of the
  type that was asked for: true or false for yes and no (not 1, not ``"yes"``), a number for numbers and scales (not
  ``"7"``, not true; 7.0 is 7). A key that stands twice, NaN, Infinity and anything before or after the object make the
  reply unreadable; a fence of backticks around it does not, nor does thinking aloud in ``<think>`` before it.
- In plain text, the reply must be the bare value, perhaps in quotation marks or backticks.
- null in JSON, or the words "can't tell", is taken for that where the question allows it, and is unreadable elsewhere.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from manyjudges.base.formatting import clean
from manyjudges.exceptions import JudgmentsError
from manyjudges.store.records import CallOutcome, Reply
from manyjudges.tables.kinds import read_json, says_cant_tell

if TYPE_CHECKING:
    from manyjudges.llm.services import Completion
    from manyjudges.study.questions import Attribute

LONGEST_REPLY = 300
"""How much of an answer is kept to look at."""

_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```[A-Za-z]*\s*\n(.*)\n\s*```", re.DOTALL)
_MARKS = (("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"))


def read_reply(completion: Completion, attribute: Attribute, structured: str) -> Reply:
    """What a model answered.

    Parameters
    ----------
    completion : Completion
        What it wrote.
    attribute : Attribute
        What was asked.
    structured : str
        ``"schema"``, ``"json"`` or ``"text"``: how the answer was asked for.
    """
    tokens = completion.tokens_in, completion.tokens_out
    if completion.refusal is not None:
        return Reply("refused", None, brief(completion.refusal), *tokens)
    text = completion.text or ""
    excerpt = brief(text) or ("(no answer in it)" if completion.text is None else "(an empty answer)")
    outcome, value = ("unreadable", None) if completion.cut_off else read_answer(text, attribute, structured)
    return Reply(outcome, value, excerpt, *tokens)


def read_answer(text: str, attribute: Attribute, structured: str) -> tuple[CallOutcome, float | None]:
    """The outcome and the value that a text stands for, by how it was asked for."""
    thought = _THOUGHT.match(text)
    bare = text[thought.end() :].strip() if thought else text.strip()
    try:
        answer = _unquoted(bare) if structured == "text" else _answer_in(bare)
        if answer is None or says_cant_tell(answer):
            return ("cant_tell", None) if attribute.cant_tell else ("unreadable", None)
        kind = attribute.answer_kind
        return "answered", kind.read(answer) if structured == "text" else read_json(kind, answer)
    except (ValueError, RecursionError):  # JudgmentsError and JSONDecodeError are among the former
        return "unreadable", None


def brief(text: object) -> str:
    r"""What a model or a service wrote, on one line, without what a database cannot keep, and not too much of it.

    >>> brief("Seven,\n\n I would say\x00")
    'Seven, I would say'
    """
    line = clean(str(text)[: 4 * LONGEST_REPLY])
    return line if len(line) <= LONGEST_REPLY else f"{line[: LONGEST_REPLY - 1]}…"


def _answer_in(text: str) -> object:
    fenced = _FENCED.fullmatch(text)
    document = json.loads(fenced[1] if fenced else text, parse_constant=_refuse, object_pairs_hook=_once)
    if not isinstance(document, dict) or "answer" not in document:
        raise JudgmentsError("no answer in it", value=document, column="answer")
    return document["answer"]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise JudgmentsError("a key twice: which one is meant?", value=twice[0])
    return dict(pairs)


def _refuse(constant: str) -> float:
    raise JudgmentsError(f"{constant} is no number", value=constant)


def _unquoted(text: str) -> str:
    """A text without the marks around it."""
    bare = text
    for before, after in _MARKS * 3:  # three backticks, or quotation marks within them
        if len(bare) > 1 and bare.startswith(before) and bare.endswith(after):
            bare = bare[1:-1].strip()
    return bare
