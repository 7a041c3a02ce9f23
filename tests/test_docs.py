"""Every Python example in the documentation runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parent.parent / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(block, page.name, "exec"), names)


def test_there_are_examples():
    assert sum("```python" in page.read_text(encoding="utf-8") for page in PAGES) >= 3
