"""The page in the browser reads every file as all other entries do, or asks where they refuse.

The files and what is to be read from them are in ``tests/fixtures/front/``.
"""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from manyjudges.app.choices import Choices
from manyjudges.app.work.readings import look_at_table
from manyjudges.tables.formats.registry import find_tables
from tests.support.app_pages import Visitor
from tests.support.front import UNMATCHED, Case, by_name, cases, in_full

CASES = cases()
ROLES = ("object", "attribute", "value", "worker", "label", "time")
ASKED = {"--on-invalid": "invalid", "--repeated": "repeated", "--missing": "codes", "--drop Grade": "leaks"}
"""What the page asks where a command names this option."""

OPTION = re.compile(r"--[a-z]|\b[a-z_]+=(?:[\['\)]|None)")
"""An option of a command, or an argument of Python: people who use the page have seen neither."""

ROWS = ("survey-totals-row.csv", "survey-mixed.csv", "long-nul-bytes.csv", "long-truncated.csv")
"""Files with a few rows that cannot be read, whatever a command says of them: the page offers to skip these."""


def choices_of(case: Case) -> dict[str, Any]:
    """What somebody chooses on the page to say the same as the options."""
    options = case.options
    chosen = {name: tuple(value) for name, value in options.items() if name in ("drop", "missing", "valid")}
    chosen |= {name: options[name] for name in ("shape", "on_invalid", "repeated", UNMATCHED) if name in options}
    chosen |= {"scales": tuple(tuple(scale.split(",")) for scale in options["scales"])} if "scales" in options else {}
    return chosen | {"columns": {role: options[role] for role in ROLES if role in options}}


def question_of(case: Case) -> str:
    """The question that the page asks about a case, instead of an error."""
    words = [*(case.error or case.stop).get("words", ()), *(["--on-invalid"] if case.name in ROWS else [])]
    return next((asked for option, asked in ASKED.items() if option in words), "")


@pytest.mark.parametrize("name", CASES)
def test_a_table_is_looked_at(name):
    case = CASES[name]
    labels = [] if case.labels is None else [str(case.labels)]
    try:
        files = [str(path) for path in find_tables(case.path)]
    except ValueError:
        files = [str(case.path)]
    look = look_at_table(files, labels, Choices(**choices_of(case)))
    asked = {question["name"] for question in look.open}
    if question := question_of(case):
        assert asked == {question}
        return
    if case.error:
        problem = look.problem or look.label_problem
        for words in case.error["words"]:
            assert words in problem["message"]
        return
    assert not asked
    assert not look.problem
    known = case.expected.get("workers_known", True)
    if case.judgments is not None:
        assert in_full(look.read.judgments, workers=known) == case.judgments
    assert by_name(look.labels) == case.label_values
    assert look.read.reading.unanswered == case.expected.get("unanswered", 0)
    assert look.data is not None


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    """Somebody who looks at one file after the other."""
    made = Visitor(tmp_path_factory.mktemp("session"))
    made.enter()
    try:
        yield made
    finally:
        made.session.close()


@pytest.mark.parametrize("name", CASES)
def test_the_page_shows_it(name, visitor):
    case = CASES[name]
    files = sorted(case.path.parent.glob(case.path.name)) if not case.path.exists() else [case.path]
    files = sorted(files[0].iterdir()) if files[0].is_dir() else files
    visitor.take(*files)
    if case.labels is not None:
        visitor.post("/labels", files=[("file", (case.labels.name, case.labels.read_bytes()))])
    visitor.session.choose(**choices_of(case))
    page = visitor.page()
    assert page.status_code == 200
    assert "Traceback" not in page.text
    look, said = visitor.session.look, html.unescape(page.text)
    assert not OPTION.search(re.sub(r"<[^>]*>", "", said))
    if question := question_of(case):
        assert [each["name"] for each in look["questions"]] == [question]
    elif case.error:
        alerts = " ".join(re.findall(r'role="alert"><p>(.*?)</p>', said, re.DOTALL))
        for words in case.error["words"]:
            assert words in alerts or OPTION.match(words)
        assert not OPTION.search(alerts)
    else:
        assert 'role="alert"' not in page.text
        assert look["ready"]
        if case.judgments is not None:
            assert look["counts"]["judgments"] == sum(case.judgments.values())
        assert look["counts"]["unanswered"] == case.expected.get("unanswered", 0)
        assert look["counts"]["labels"] == len(case.label_values)
