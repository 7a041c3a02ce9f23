"""What only the user knows about a table is asked, and the answers are followed and can be taken back."""

from __future__ import annotations

import re

import pytest

from manyjudges.app.choices import Choices
from manyjudges.app.decisions import answered, decisions_in, undone
from tests.support.folders import ROOT

FRONT = ROOT / "tests" / "fixtures" / "front"


def answers_on(page):
    return re.findall(r'<button name="answer" value="([^"]*)"', page.text)


def confirmed(visitor, name, **columns):
    """The third step of a file, with the columns that a user names."""
    visitor.take(FRONT / name)
    visitor.post("/columns", shape="auto", **columns)
    return visitor.post("/confirm")


@pytest.mark.parametrize(
    "answer",
    ["missing=-99", "valid=a=b", "drop=Grade", "noiseless=Grade", "on_invalid=skip", "repeated=mean", "worker="],
)
def test_an_answer_can_be_taken_back(answer):
    choices = answered(Choices(), answer)
    assert choices != Choices()
    assert undone(choices, answer) == Choices()
    assert answered(choices, answer) == choices


def test_what_was_answered_is_listed_in_words():
    choices = Choices()
    assert decisions_in(choices) == []
    for answer in ("missing=-99", "valid=9", "noiseless=Age", "drop=Grade", "on_invalid=skip", "repeated=last"):
        choices = answered(choices, answer)
    assert [each["answer"] for each in decisions_in(choices)] == [
        "missing=-99", "valid=9", "noiseless=Age", "drop=Grade", "on_invalid=skip", "repeated=last",
    ]  # fmt: skip
    assert decisions_in(choices)[0]["text"] == "-99 means no answer."


def test_an_answer_to_nothing_changes_nothing():
    assert answered(Choices(), "nothing=1") == undone(Choices(), "nothing=1") == Choices()


def test_a_code_is_asked_about_and_both_answers_are_followed(visitor):
    page = confirmed(visitor, "survey-missing-minus-99.csv", label="Grade")
    assert answers_on(page) == ["missing=-99", "valid=-99"]
    assert "Prices and budget" not in page.text
    page = visitor.post("/answer", answer="missing=-99")
    assert answers_on(page) == []
    assert visitor.session.look["counts"]["unanswered"] == 4
    assert "Prices and budget" in page.text
    page = visitor.post("/answer", undo="missing=-99")
    assert answers_on(page) == ["missing=-99", "valid=-99"]
    page = visitor.post("/answer", answer="valid=-99")
    assert visitor.session.look["counts"]["unanswered"] == 0
    assert "Prices and budget" in page.text


def leaking(tmp_path):
    """A survey with a column that is the grade under another name."""
    text = (FRONT / "survey.csv").read_text()
    lines = [f"{line},{'Points' if at == 0 else line.rsplit(',', 1)[1]}" for at, line in enumerate(text.splitlines())]
    path = tmp_path / "leak.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("answer", ["drop=Points", "noiseless=Points"])
def test_a_leak_is_asked_about_and_both_answers_are_followed(visitor, tmp_path, answer):
    visitor.take(leaking(tmp_path))
    visitor.post("/columns", shape="auto", label="Grade")
    page = visitor.post("/confirm")
    assert answers_on(page) == ["drop=Points", "noiseless=Points"]
    assert "equals the label" in page.text
    page = visitor.post("/answer", answer=answer)
    assert answers_on(page) == []
    assert ("Points" in visitor.session.look["attributes"]) == (answer != "drop=Points")
    assert "Prices and budget" in page.text


def test_invalid_rows_are_listed_and_skipped_when_the_user_says_so(visitor):
    visitor.take(FRONT / "crowd-invalid.csv")
    visitor.post("/labels", files=[("file", ("heights.csv", (FRONT / "heights.csv").read_bytes()))])
    page = visitor.post("/confirm")
    assert answers_on(page) == ["on_invalid=skip", "missing=maybe?", "missing=12 or so"]
    assert "maybe?" in page.text
    assert "12 or so" in page.text
    page = visitor.post("/answer", answer="missing=maybe?")
    assert answers_on(page) == ["on_invalid=skip", "missing=12 or so"]
    assert visitor.session.look["counts"]["unanswered"] == 1
    page = visitor.post("/answer", undo="missing=maybe?")
    page = visitor.post("/answer", answer="on_invalid=skip")
    assert answers_on(page) == []
    assert visitor.session.look["counts"]["skipped"] == 2


@pytest.mark.parametrize(("answer", "judgments"), [("repeated=first", 108), ("repeated=mean", 108), ("worker=", 109)])
def test_repeated_judgments_are_asked_about(visitor, answer, judgments):
    visitor.take(FRONT / "crowd-repeated.csv")
    visitor.post("/labels", files=[("file", ("heights.csv", (FRONT / "heights.csv").read_bytes()))])
    page = visitor.post("/confirm")
    assert answers_on(page) == ["repeated=first", "repeated=last", "repeated=mean", "worker="]
    page = visitor.post("/answer", answer=answer)
    assert answers_on(page) == []
    assert visitor.session.look["counts"]["judgments"] == judgments


def test_objects_without_a_label_are_asked_about(visitor, tmp_path):
    visitor.take(FRONT / "long-comma.csv")
    lines = (FRONT / "grades.csv").read_text().splitlines()
    visitor.post("/labels", files=[("file", ("grades.csv", "\n".join(lines[:-1]).encode()))])
    page = visitor.post("/confirm")
    assert answers_on(page) == ["unmatched=drop"]
    page = visitor.post("/answer", answer="unmatched=drop")
    assert "Prices and budget" in page.text
