"""Files of studies for tests: written, and read with all that is wrong with them."""

from __future__ import annotations

import pytest

from manyjudges.exceptions import StudyError
from manyjudges.study.config import read_study

TOP = 'title = "Jars"\n'
ATTRIBUTE = '[[attributes]]\nname = "round"\nquestion = "Is it round?"\nkind = "binary"\n'
SECTIONS = ("objects", "plan", "work", "entry", "server", "checks", "llm")


def write(folder, text):
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder


def problems(folder, text):
    """What is wrong with a file, as (line, sentence)."""
    with pytest.raises(StudyError) as caught:
        read_study(write(folder, text))
    found = []
    for line in str(caught.value).split("\n"):
        prefix = f"{folder / 'study.toml'}, line "
        assert line.startswith(prefix), line
        number, sentence = line.removeprefix(prefix).split(": ", 1)
        found.append((int(number), sentence))
    return found
