"""The sentences of errors: tests assert what a program can read of an error, and each sentence stands once, in a file.

``with refused(PlanError, value=-1):`` is ``pytest.raises`` for errors of this package. What the error says is compared
with ``tests/messages/``, which has a file for each file of tests. There the sentences of a test function stand in the
order in which they come, or, where it has cases that say different things, by case. ``make messages`` records them
again, so that a reworded sentence is a line in a diff and no work.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import currently_in_test_context

from manyjudges import ManyJudgesError
from tests.support.folders import ROOT

FOLDER = ROOT / "tests" / "messages"
FIELDS = ("value", "row", "column", "file")
"""What a program can read of every error."""

ANYTHING: Any = object()
"""Stands for a field of an error that a test does not look at."""

Recorded = list[str] | dict[str, list[str]]
"""Of a test function: what each of its cases says, or what is said by case."""

_ALONE = re.compile(r'\[\n\s+("(?:[^"\\]|\\.)*")\n\s+\]')
"""A sentence that is the only one: it stands on one line with its test or case."""

_SHORTEST_REASON = 6
"""Letters; shorter texts of other errors may be words of our own sentence."""

_VARYING = [
    (
        re.compile(rf"{re.escape(tempfile.gettempdir())}/(?:[\w.-]+/)*pytest-\d+/(?:popen-gw\d+/)?[^/\s'\",;:]+"),
        "<tmp>",
    ),
    (re.compile(rf"{re.escape(tempfile.gettempdir())}/[^\s'\",;:]+"), "<temp>"),
    (re.compile(re.escape(str(ROOT))), "<root>"),
    (re.compile(r"(?<=127\.0\.0\.1:)\d{4,5}"), "<port>"),
    (re.compile(r"(?<=localhost:)\d{4,5}"), "<port>"),
    (re.compile(r"0x[0-9a-f]{6,}"), "<address>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<hash>"),
    (re.compile(r"(?<=<port>)/test_\d+"), "/<database>"),
    (re.compile(r"(?<=cannot be used now: ).*", re.DOTALL), "<reason>"),
    (re.compile(r"(?<=DETAIL: ).*", re.DOTALL), "<detail>"),
]


ByCase = dict[str, dict[str, dict[str, list[str]]]]
"""Sentences by file of tests, function and case."""


def by_case() -> ByCase:
    return defaultdict(lambda: defaultdict(lambda: defaultdict(list)))


class Sentences:
    """What errors say, by file of tests, by test function and by case: as it was recorded, and as it comes."""

    def __init__(self, *, rewriting: bool) -> None:
        self.rewriting = rewriting
        self.new = by_case()
        self._recorded: dict[str, dict[str, Recorded]] = {}

    def check(self, sentence: str) -> None:
        """Compare a sentence with the one that stands in its place for the case that runs, or take it as it is."""
        module, function, case = split_id(os.environ["PYTEST_CURRENT_TEST"].rpartition(" (")[0])
        heard = self.new[module][function][case]
        heard.append(sentence)
        if not self.rewriting:
            known = of_case(self.recorded(module).get(function, []), case)
            place = len(heard)
            assert known[place - 1 : place] == [sentence], (
                f"sentence {place} of {function}{case} is reworded? 'make messages' records it; recorded: {known}"
            )

    def recorded(self, module: str) -> dict[str, Recorded]:
        """The sentences of a file of tests."""
        if module not in self._recorded:
            path = file_of(module)
            self._recorded[module] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return self._recorded[module]

    def write(self, module: str, sentences: Mapping[str, Recorded]) -> None:
        """Write the file of a file of tests; none where there is nothing to say."""
        path = file_of(module)
        content = {function: sentences[function] for function in sorted(sentences) if sentences[function]}
        if content:
            path.parent.mkdir(parents=True, exist_ok=True)
            text = _ALONE.sub(r"[\1]", json.dumps(content, indent=1, ensure_ascii=False))
            path.write_text(text + "\n", encoding="utf-8")
        else:
            path.unlink(missing_ok=True)


def of_case(sentences: Recorded, case: str) -> list[str]:
    """What is recorded for a case: a list is of every case."""
    return sentences if isinstance(sentences, list) else sentences.get(case[1:-1], [])


def as_recorded(cases: Mapping[str, list[str]]) -> Recorded:
    """What the cases of a function said, in the shortest form: one list where they all say the same."""
    first, *others = [*cases.values()] or [[]]
    return by_name(cases) if any(each != first for each in others) else first


def by_name(cases: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """What the cases of a function said, by case."""
    return {case[1:-1]: cases[case] for case in sorted(cases) if cases[case]}


def settled(sentence: str, error: BaseException | None = None) -> str:
    """A sentence without what differs between runs and machines: folders, ports, and what other libraries say."""
    while error is not None:
        if not isinstance(error, ManyJudgesError):
            for words in sorted({str(error), " ".join(str(error).split()), *map(str, error.args)}, key=len)[::-1]:
                if len(words) > _SHORTEST_REASON:
                    sentence = sentence.replace(words.rstrip("."), "<reason>")
        error = error.__cause__ or error.__context__
    for varying, name in _VARYING:
        sentence = varying.sub(name, sentence)
    return sentence


def varies(folder: str) -> None:
    """Folders of tests are made in this one."""
    _VARYING.insert(0, (re.compile(rf"{re.escape(folder)}/(?:popen-gw\d+/)?[^/\s'\",;:]+"), "<tmp>"))


def file_of(module: str) -> Path:
    """The file of sentences for a file of tests: ``tests/messages/core/plan.json`` for ``tests/core/test_plan.py``."""
    inside = Path(module).relative_to("tests")
    return FOLDER / inside.with_name(inside.stem.removeprefix("test_") + ".json")


def without_tests() -> list[str]:
    """Files of tests that there are no more, and of which sentences are recorded."""
    recorded = (path.relative_to(FOLDER) for path in FOLDER.rglob("*.json"))
    modules = [f"tests/{path.with_name(f'test_{path.stem}.py').as_posix()}" for path in recorded]
    return [module for module in modules if not (ROOT / module).exists()]


def split_id(nodeid: str) -> tuple[str, str, str]:
    """The file, the function and the case that a name of pytest's is of."""
    module, _, test = nodeid.partition("::")
    function, bracket, case = test.partition("[")
    return module, function, bracket + case


SENTENCES = Sentences(rewriting=False)
"""Of this process."""


@contextmanager
def refused(
    kind: type[BaseException],
    *,
    value: Any = ANYTHING,
    row: Any = ANYTHING,
    column: Any = ANYTHING,
    file: Any = ANYTHING,
    varying: str = "",
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """An error is raised, of this kind and about this; what it says is what was recorded.

    ``varying`` is a pattern of words that are others each time, such as which of several letters was the first.
    """
    with pytest.raises(kind) as caught:
        yield caught
    for name, expected in {"value": value, "row": row, "column": column, "file": file}.items():
        if expected is not ANYTHING:
            actual = getattr(caught.value, name)
            assert actual is expected or actual == expected, f"{name} is {actual!r}, not {expected!r}"
    # What other libraries say is theirs, and may name what differs; hypothesis draws other examples each time.
    if isinstance(caught.value, ManyJudgesError) and not currently_in_test_context():
        sentence = settled(caught.value.message, caught.value)
        SENTENCES.check(re.sub(varying, "<varying>", sentence) if varying else sentence)


def complaint_of(call: Callable[..., object], *arguments: Any, error: type[BaseException], **more: Any) -> str:
    """What the error of a call says; ``FIELDS`` are compared with those of the error, the rest is of the call."""
    fields = {name: more.pop(name) for name in FIELDS if name in more}
    with refused(error, **fields) as caught:
        call(*arguments, **more)
    return str(caught.value)


def said(text: object) -> str:
    """What a program said to its user, compared with what was recorded."""
    SENTENCES.check(settled(str(text)))
    return str(text)
