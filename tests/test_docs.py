"""Every Python example in the documentation runs, and shows what it says it shows."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.support.folders import ROOT

PAGES = sorted((*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "checks").glob("*.md")))


def examples(page):
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL))


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(examples(page), {}, page.name, str(page), 0)
    reports = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=reports.append)
    assert reports == [], "".join(reports)


def test_there_are_examples():
    assert sum(">>> " in examples(page) for page in PAGES) >= 3
