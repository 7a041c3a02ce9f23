"""How far a long job has come, in a line now and then."""

from __future__ import annotations

from dataclasses import replace

from manyjudges.cli import progress
from manyjudges.llm import Tally
from manyjudges.service import model_judges


def test_the_line_that_is_shown_meanwhile(capsys):
    tallies = {"atlas": Tally(answered=5, refused=1, unreadable=2)}
    shown = model_judges.ModelRun(tallies, 0.01234, 0.005, wanted=1200, open=1192, stage="pilot")
    with progress.calls("EUR", quiet=0.0) as report:
        report(shown)
        report(replace(shown, limit=None, stage="waiting", trouble="status 500: down, model 'atlas' at OpenAI"))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "pilot: 8 of 1,200 judgments, 3 without a usable answer, 0.0123 of 0.005 EUR"
    assert second.startswith("waiting for calls that another run made")
    assert second.endswith("0.0123 EUR; trying again: status 500: down, model 'atlas' at OpenAI")
