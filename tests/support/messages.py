"""The sentences of errors: tests assert what a program can read of an error, and each sentence stands once, in a file.

``with refused(PlanError, value=-1):`` is ``pytest.raises`` for errors of this package. What the error says is compared
with ``tests/messages/``, which has a file for each file of tests, with the sentences by test. ``make messages`` writes
these files anew, so that a reworded sentence is a line in a diff and no work.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import currently_in_test_context

from manyjudges import ManyJudgesError
from tests.support.folders import ROOT

FOLDER = ROOT / "tests" / "messages"
ANYTHING: Any = object()
"""Stands for a field of an error that a test does not look at."""

_VARYING = (
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
)


class Sentences:
    """What errors say, by file of tests and by test: as it was recorded, and as it comes."""

    def __init__(self, *, rewriting: bool) -> None:
        self.rewriting = rewriting
        self.new: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._recorded: dict[str, dict[str, list[str]]] = {}

    def check(self, sentence: str) -> None:
        """Compare the next sentence of the test that runs, or take it as it is."""
        module, test = _running()
        said = self.new[module][test]
        said.append(settled(sentence))
        if self.rewriting:
            return
        expected = self.recorded(module).get(test, [])
        assert len(said) <= len(expected), f"no sentence is recorded for this error; 'make messages' does: {said[-1]}"
        assert said[-1] == expected[len(said) - 1], "reworded? 'make messages' records the new sentence"

    def recorded(self, module: str) -> dict[str, list[str]]:
        """The sentences of a file of tests."""
        if module not in self._recorded:
            path = file_of(module)
            self._recorded[module] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return self._recorded[module]

    def start(self, module: str, test: str) -> None:
        """Forget what a test said before: it runs again."""
        self.new[module].pop(test, None)

    def write(self, said: dict[str, dict[str, list[str]]], collected: dict[str, set[str]], *, complete: bool) -> None:
        """Write the files of the tests that ran; where all of a file ran, tests that are gone lose their sentences."""
        for module, tests in collected.items():
            recorded = self.recorded(module)
            before = {test: lines for test, lines in recorded.items() if test in tests or not complete}
            after = {test: lines for test, lines in sorted((before | said.get(module, {})).items()) if lines}
            path = file_of(module)
            if after:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(after, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            elif path.exists():
                path.unlink()


def settled(sentence: str) -> str:
    """A sentence without what differs from run to run: folders, ports, addresses in memory."""
    for varying, name in _VARYING:
        sentence = varying.sub(name, sentence)
    return sentence


def file_of(module: str) -> Path:
    """The file of sentences for a file of tests: ``tests/messages/core/plan.json`` for ``tests/core/test_plan.py``."""
    inside = Path(module).relative_to("tests")
    return FOLDER / inside.with_name(inside.stem.removeprefix("test_") + ".json")


def split_id(nodeid: str) -> tuple[str, str]:
    """The file and the test that a name of pytest's is of."""
    module, _, test = nodeid.partition("::")
    return module, test


def _running() -> tuple[str, str]:
    return split_id(os.environ["PYTEST_CURRENT_TEST"].rpartition(" (")[0])


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
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """An error is raised, of this kind and about this; what it says is what was recorded."""
    with pytest.raises(kind) as caught:
        yield caught
    for name, expected in {"value": value, "row": row, "column": column, "file": file}.items():
        if expected is not ANYTHING:
            actual = getattr(caught.value, name)
            assert actual == expected or actual is expected, f"{name} is {actual!r}, not {expected!r}"
    # What other libraries say is theirs, and may name what differs; hypothesis draws other examples each time.
    if isinstance(caught.value, ManyJudgesError) and not currently_in_test_context():
        SENTENCES.check(str(caught.value))


def said(text: object) -> str:
    """What a program said to its user, compared with what was recorded."""
    SENTENCES.check(str(text))
    return str(text)
