"""Files of studies for tests: written, and all that is wrong with them."""

from __future__ import annotations

import tomllib

from manyjudges.exceptions import StudyError
from manyjudges.study.config import read_study
from tests.support.messages import refused

TOP = 'title = "Jars"\n'
ATTRIBUTE = '[[attributes]]\nname = "round"\nquestion = "Is it round?"\nkind = "binary"\n'
SECTIONS = ("objects", "plan", "work", "entry", "server", "checks", "llm")


def write(folder, text):
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder


def problems(folder, text):
    """What is wrong with a file; what the error says of it is compared with what was recorded."""
    with refused(StudyError, file=str(folder / "study.toml")) as caught:
        read_study(write(folder, text))
    first, *others = caught.value.problems
    assert (caught.value.row, caught.value.column, caught.value.value) == (first.line, first.key, first.value)
    for problem in (first, *others):
        assert problem.file == str(folder / "study.toml")
        assert problem.message
    return [first, *others]


def is_value(value, text):
    """Whether a value is the one that a file has as ``text``, of the same type."""
    return repr(value) == repr(tomllib.loads(f"value = {text}")["value"])
