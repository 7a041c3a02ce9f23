"""What commands print of an answer."""

from __future__ import annotations

import shlex
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from manyjudges import answer, projected_error, simulate
from manyjudges.cli import answers
from manyjudges.exceptions import DataWarning, spelled_for_shell
from tests.support.scanned import call


@pytest.fixture(scope="module")
def crowd():
    return simulate.gaussian(60, 4, random_state=0)


@pytest.fixture(scope="module")
def found(crowd):
    return answer(crowd.pilot(2), crowd.labels, 6, cv_repeats=1)


def test_an_answer_in_words(found, capsys):
    answers.answer(found)
    shown = capsys.readouterr().out
    assert shown.startswith("480 judgments of 4 attributes on 60 objects with a label.\n")
    assert found.sentence in shown
    assert f"explain about {found.explained:.0%} of the label's variance" in shown
    assert found.bill.headline in shown
    assert f"Chosen by that error, of 28 ways: {found.choice}." in shown
    assert "no plan for this budget" not in shown


def test_a_bill_is_a_table_where_money_was_named(crowd, capsys):
    priced = answer(crowd.pilot(2), crowd.labels, "$0.60", price="$0.10", new=100, cv_repeats=1)
    answers.answer(priced, money=True)
    shown = capsys.readouterr().out
    assert "100 new" in shown
    assert "$60.00" in shown


def test_a_plan_is_proven_or_says_how_far_it_may_be_from_the_best(crowd, found, capsys):
    proven = answer(crowd.pilot(2), crowd.labels, 4, method="exact", shrinkage=0.0, cv_repeats=1)
    answers.answer(proven)
    assert "proven" in capsys.readouterr().out
    loose = replace(found, plan=replace(found.plan, proven_bound=found.plan.explained * 1.25))
    answers.answer(loose, bound=True)
    shown = capsys.readouterr().out
    assert "80.00%" in shown
    assert "proven" not in shown


def test_what_does_not_help_is_said(found, capsys):
    answers.answer(replace(found, error=9.0, low=8.0, high=10.0, baseline_error=5.0))
    shown = capsys.readouterr().out
    assert "As things stand, buy nothing" in shown
    assert "No better than guessing the mean" in shown
    assert "explain about" not in shown


def test_notes_name_options_as_the_command_line_does(found, capsys):
    note = "Find more judges, or limit the judgments of an attribute with --max-repeats (max_repeats=)."
    with spelled_for_shell():
        answers.answer(replace(found, notes=(note,)))
    assert "of an attribute with --max-repeats.\n" in capsys.readouterr().out


def said_next(out):
    """The commands after a plan, as words."""
    return [
        shlex.split(line) for line in out.partition("\nNext:\n")[2].splitlines() if line.startswith("  manyjudges ")
    ]


def test_the_next_steps_can_be_run_as_they_are_printed(tmp_path, monkeypatch):
    """Of a survey with its label in it, read with options that must be repeated."""
    monkeypatch.chdir(tmp_path)
    new = ["new essay 1", "new essay 2"]
    made = simulate.essays(n_objects=40, random_state=0)
    long = made.pilot(2).to_frame()
    wide = long.pivot(index=["object", "worker"], columns="attribute", values="value").reset_index()
    wide = wide.rename(columns={"object": "what was read", "worker": "Rater"})
    wide = wide.assign(Grade=made.labels.loc[wide["what was read"]].to_numpy())
    wide.to_csv("survey.csv", index=False)
    first = wide.drop(columns="Grade").head(4)
    first.assign(**{"what was read": np.repeat(new, 2)}).to_csv("new.csv", index=False)
    (tmp_path / "new-names.txt").write_text("\n".join(new), encoding="utf-8")
    options = ["--object", "what was read", "--label", "Grade", "--noiseless", "clarity"]
    way = ["--budget", 9, "--method", "full", "--shrinkage", 0, "--no-error"]
    out = call("plan", "survey.csv", *options, *way, "--out", "my plan.json")
    following = said_next(out)
    assert [words[1] for words in following] == ["missing", "missing", "fit", "predict"]
    assert "list the" in out
    assert "judgments that they lack" in out
    for words in following:
        call(*words[1:])
    asked = pd.read_csv("tobuy-new.csv")
    assert sorted(set(asked["object"])) == new
    assert sorted(pd.read_csv("predictions.csv")["object"]) == new
    assert set(pd.read_csv("tobuy.csv")["object"]) <= set(wide["what was read"])


def test_nothing_is_said_of_labelled_objects_that_lack_nothing(found, capsys):
    answers.next_steps("plan.json", tables=["a.csv"], labelled=["a.csv", "b.csv"], options=[], lacking=0)
    assert [words[1] for words in said_next("\n" + capsys.readouterr().out)] == ["missing", "fit", "predict"]


def test_errors_at_several_budgets(crowd, capsys):
    curve = projected_error(crowd.pilot(2), crowd.labels, [2, 6], methods=["auto", "full"], cv_repeats=1)
    answers.errors(curve, 0.05, 6)
    shown = capsys.readouterr().out
    row = curve.to_frame().iloc[1]
    assert f"auto: {row['searched']}" in shown
    assert f"{row['error']:.4g}" in shown
    assert f"Guessing the mean would be off by {curve.baseline_error:.4g}." in shown
    hopeless = replace(curve, loss=curve.loss * 0 + 2 * curve.baseline_loss)
    answers.errors(hopeless, 0.05, 6)
    assert "No better than guessing the mean: as things stand, buy nothing." in capsys.readouterr().out


def test_errors_for_machines_have_the_words_of_an_answer(crowd):
    curve = projected_error(crowd.pilot(2), crowd.labels, [2, 6], cv_repeats=1)
    document = answers.curve_document(curve)
    assert set(document["errors"][0]) == {
        *("method", "budget", "error", "low", "high", "explained", "in_sample_error", "searched", "shrinkage", "plan")
    }
    assert document["errors"][1]["plan"] == curve.plans[0][1].repeats


def test_what_stops_a_plan_is_said_where_something_else_goes_on(capsys):
    stop = DataWarning("-99 stands 3 times.", "missing_codes", {}, code="MJ501", severity="stop")
    answers.stops([DataWarning("few", "few_objects", {}, code="MJ101"), stop])
    assert capsys.readouterr().out == "\nplan, forecast and report stop here until that is settled: MJ501.\n"
    answers.stops([])
    assert capsys.readouterr().out == ""
