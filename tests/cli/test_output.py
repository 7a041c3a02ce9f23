"""What the command line prints, to whom, and in which letters."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from manyjudges.cli import output
from manyjudges.cli.output import say_json
from manyjudges.exceptions import DataWarning
from manyjudges.service.status import status_of
from manyjudges.store.imports import Intake


def test_brackets_in_names_are_no_markup(run, folder):
    frame = pd.read_csv(folder / "judgments.csv").replace({"male": "[/foo]", "tall": "[red]z", "female": "a\nb"})
    frame.to_csv(folder / "odd.csv", index=False)
    code, out, _ = run("describe", "odd.csv", "labels.csv")
    assert code == 0
    assert all(name in out for name in ("[/foo]", "[red]z", "a b"))
    code, out, _ = run("plan", "odd.csv", "labels.csv", "--budget", 12, "--out", "odd [red].json")
    assert code == 0
    assert "Written to odd [red].json." in out
    assert "60 labelled objects at hand still lack" in out
    assert "  manyjudges missing 'odd [red].json' odd.csv --out tobuy.csv\n" in out
    code, out, _ = run("fit", "odd [red].json", "odd.csv", "labels.csv")
    assert code == 0
    assert "·[red]z/" in out or "·[/foo]/" in out


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_outputs_of_any_encoding(folder, encoding):
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    for extra in ([], ["--json"]):
        command = [sys.executable, "-m", "manyjudges", "describe", "judgments.csv", "labels.csv", *extra]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr
    assert json.loads(done.stdout.decode(encoding))["n_objects"] == 60


def test_a_document_for_machines_is_json_whatever_numbers_are_in_it(capsys):
    say_json({"n": np.int64(3), "x": np.float32(0.5), "yes": np.bool_(True), "path": Path("a/b"), "name": "שלום"})
    assert json.loads(capsys.readouterr().out) == {"n": 3, "x": 0.5, "yes": True, "path": "a/b", "name": "שלום"}


def table_in(text):
    """The rows of a table of which every cell stands between two spaces or more."""
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if re.search(r"\S\s{2,}\S", line)]


def test_what_is_to_be_bought_is_summed_up_by_attribute(capsys):
    rows = [("p", "tall", 2, 8.0), ("q", "tall", 1, 4.0), ("q", "[male]", 3, 3.0)]
    output.missing(pd.DataFrame(rows, columns=["object", "attribute", "count", "cost"]))
    shown = capsys.readouterr().out
    cells = {row[0]: row[1:] for row in table_in(shown)[1:]}
    assert cells == {"tall": ["2", "3", "12"], "[male]": ["1", "3", "3"]}
    assert "6 judgments of 3 object-attribute pairs" in shown


@pytest.mark.parametrize(("most", "shown", "rest"), [(10, 10, "2"), (12, 12, ""), (0, 0, "12")])
def test_of_many_predictions_the_first_are_shown(capsys, most, shown, rest):
    table = pd.DataFrame({"object": [f"p{i}" for i in range(12)], "prediction": np.arange(12.0), "std": 1e6})
    output.predictions(table, most)
    text = capsys.readouterr().out
    assert len(re.findall(r"^p\d+ ", text, flags=re.MULTILINE)) == shown
    assert "12 predictions" in text
    assert (f", {rest} of them" in text) == bool(rest)
    assert "1,000,000" in text or not shown


def test_predictions_in_thousands_are_shown_in_digits(capsys):
    output.predictions(pd.DataFrame({"object": ["p", "q"], "prediction": [1386.4, -52_310.0], "std": [82.2, 0.051]}))
    cells = {row[0]: row[1:] for row in table_in(capsys.readouterr().out)[1:]}
    assert (cells["p"], cells["q"]) == (["1,386", "82.2"], ["−52,310", "0.0510"])


@pytest.mark.parametrize(("rows", "words"), [(0, ""), (1, "1 row "), (1200, "1,200 rows ")])
def test_rows_that_were_left_out_are_counted_if_there_are_any(capsys, rows, words):
    output.skipped(rows)
    assert capsys.readouterr().out.startswith(words)
    assert (rows == 0) == (words == "")


def test_warnings_are_said_apart_with_the_code_that_mutes_them(capsys):
    output.warn(
        [
            DataWarning("There are few.", "few_objects", {}, code="MJ101"),
            DataWarning("This is odd.", "odd", {}),
            DataWarning("Do not use it.", "bad", {}, code="MJ401", severity="serious"),
            DataWarning("First say what -99 means.", "codes", {}, code="MJ501", severity="stop"),
            DataWarning("By the way.", "aside", {}, code="MJ199", severity="note"),
        ]
    )
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == [
        "warning MJ101: There are few.",
        "warning: This is odd.",
        "warning MJ401 (serious): Do not use it.",
        "warning MJ501 (stop): First say what -99 means.",
        "note MJ199: By the way.",
    ]


def test_status_says_the_answer_so_far_and_whether_another_plan_is_followed(study, capsys):
    numbers = status_of(study[0])
    answer = {"sentence": "For each object, buy 2.", "notes": ["Few."], "plan": {"repeats": {"round jar": 2}}}
    output.status(numbers | {"answer": answer, "plan": {"round jar": 2}, "budget": 2.0})
    shown = capsys.readouterr().out
    assert "By the judgments so far: For each object, buy 2.\nFew.\n" in shown
    assert "Meanwhile" not in shown
    output.status(numbers | {"answer": answer, "plan": {"round jar": 1}, "budget": 2.0})
    assert "Meanwhile, the study collects judgments for the plan in the table" in capsys.readouterr().out


def test_what_became_of_judgments_is_said_and_what_did_not_happen_is_not(capsys):
    output.taken_in(Intake(added=1200, workers=1), Path("jars"))
    assert capsys.readouterr().out.strip() == "1,200 judgments put into jars, of 1 new worker."
    output.taken_in(Intake(repeated=3, corrected=1, refused=2), Path("jars"))
    (line,) = capsys.readouterr().out.splitlines()
    assert [int(number) for number in re.findall(r"\b\d+\b", line)] == [0, 0, 3, 1, 2]


def test_of_opinions_only_what_is_known_is_said(capsys):
    output.opinions(None)
    assert capsys.readouterr().out == ""
    shares = {"object": 0.5, "between": None, "prompt": None, "within": 0.5}
    output.opinions({"shares": shares, "attributes": [], "message": ""})
    shown = capsys.readouterr().out
    assert shown.count("50%") == 2
    assert "view" not in shown
    row = {"attribute": "tone", "calls": 4, "judges": 2, "models": 2, "opinions": None, "ceiling": 1.25}
    output.opinions({"shares": dict.fromkeys(shares), "attributes": [row], "message": "As far as is known."})
    shown = capsys.readouterr().out
    assert ["tone", "4", "2", "2", "–", "1.25"] in table_in(shown)
    assert "As far as is known." in shown
    assert "%" not in shown
