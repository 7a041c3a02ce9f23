"""The lines that do the same without the page."""

from __future__ import annotations

import ast
import shlex

from manyjudges.app.choices import Choices, Money
from manyjudges.app.commands import command_lines, python_lines

EVERYTHING = Choices(
    columns={"object": "The Essay", "worker": None, "label": "Grade"},
    shape="wide-by-rater",
    format="csv",
    drop=("a, b", "it's"),
    scales=(("never", "now and then", "always"),),
    missing=("-99", "none"),
    valid=("9",),
    on_invalid="skip",
    repeated="last",
    noiseless=("Age",),
    unmatched="drop",
)
PAID = Money("2", "", "$0.05", {"style": "0.10"}, "USD", "5000", {"style": "3"})


def test_everything_that_was_chosen_is_in_the_command_that_plans():
    plan, report, missing, fit, predict = (
        shlex.split(line) for line in command_lines(["my file.csv"], [], EVERYTHING, PAID)
    )
    assert plan == [
        "manyjudges", "plan", "my file.csv", "--label", "Grade", "--object", "The Essay", "--worker", "",
        "--shape", "wide-by-rater", "--format", "csv", "--drop", "a, b", "--drop", "it's",
        "--scale", "never,now and then,always", "--missing=-99,none", "--valid=9", "--on-invalid", "skip",
        "--repeated", "last", "--noiseless", "Age", "--unmatched", "drop", "--budget", "2", "--price", "$0.05",
        "--currency", "USD", "--new", "5000", "--cost", "style=0.10", "--max-repeats", "style=3",
        "--out", "plan.json",
    ]  # fmt: skip
    assert [line[1] for line in (report, missing, fit, predict)] == ["report", "missing", "fit", "predict"]
    assert "--budget" not in fit
    assert "--noiseless" not in predict


def test_the_lines_of_python_are_python():
    lines = python_lines(["my 'file'.csv", "b.csv"], ["labels.csv"], EVERYTHING, PAID)
    call = ast.parse(lines[2]).body[0].value
    assert ast.literal_eval(call.args[0]) == ["my 'file'.csv", "b.csv"]
    assert ast.literal_eval(call.args[1]) == "labels.csv"
    assert {each.arg: ast.literal_eval(each.value) for each in call.keywords} == {
        "budget": 2, "price": "$0.05", "costs": {"style": 0.10}, "currency": "USD", "new": 5000,
        "max_repeats": {"style": 3},
        "object": "The Essay", "worker": None, "label": "Grade", "shape": "wide-by-rater", "format": "csv",
        "drop": ["a, b", "it's"], "scales": [["never", "now and then", "always"]], "missing": ["-99", "none"],
        "valid": ["9"], "noiseless": ["Age"], "on_invalid": "skip", "repeated": "last", "unmatched": "drop",
    }  # fmt: skip
