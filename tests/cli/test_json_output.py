"""What commands print with ``--json`` has the fields that the documentation lists, no more and no fewer."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from manyjudges import simulate
from tests.support.commands import call
from tests.support.folders import ROOT

PAGE = (ROOT / "docs" / "json-output.md").read_text(encoding="utf-8")
PLAN = ("--budget", "$0.30", "--price", "$0.05", "--new", "50")


def documented(page: str) -> dict[str, set[str]]:
    """The fields of each table of the page, by the headings above it, such as ``plan`` or ``forecast: errors``."""
    found: dict[str, set[str]] = {}
    section = ""
    for line in page.splitlines():
        if match := re.match(r"(##+) (?:Each of )?`([\w.-]+)`", line):
            level, name = match[1], match[2]
            section = name if level == "##" else f"{section.partition(':')[0]}: {name}"
        elif section and (row := re.match(r"\| (`[^|]*`) \|", line)):
            found.setdefault(section, set()).update(re.findall(r"`(\w+)`", row[1]))
    return found


FIELDS = documented(PAGE)


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> dict[str, Any]:
    """What each command prints of a crowd of workers who answer all questions about an object alike."""
    folder = tmp_path_factory.mktemp("json")
    crowd = simulate.gaussian(40, 12, random_state=0)
    crowd.pilot(2).to_frame().to_csv(folder / "j.csv", index=False)
    crowd.labels.to_csv(folder / "l.csv")
    (folder / "new.txt").write_text("one\ntwo\n")
    tables = (folder / "j.csv", folder / "l.csv")
    calls: dict[str, tuple[Any, ...]] = {
        "plan": ("plan", *tables, *PLAN, "--out", folder / "plan.json"),
        "forecast": ("forecast", *tables, "--budgets", "2,4"),
        "report": ("report", *tables, *PLAN, "--budgets", "0.1,0.3", "--out", folder / "report.html"),
        "describe": ("describe", *tables),
        "missing": ("missing", folder / "plan.json", folder / "new.txt"),
        "fit": ("fit", folder / "plan.json", *tables, "--out", folder / "model.json"),
        "predict": ("predict", folder / "model.json", folder / "j.csv"),
    }
    return {name: json.loads(call(*words, "--json"), parse_constant=pytest.fail) for name, words in calls.items()}


def test_every_command_has_its_section_and_every_section_is_checked(printed):
    assert set(printed) <= set(FIELDS)
    assert set(FIELDS) == {
        *printed,
        *("answer", "answer: answer.plan", "answer: answer.bill", "answer: answer.choice", "answer: warnings"),
        *("forecast: errors", "describe: attributes", "fit: model"),
    }


@pytest.mark.parametrize("name", ["plan", "forecast", "report", "describe", "missing", "fit", "predict"])
def test_a_command_prints_the_fields_that_are_listed(printed, name):
    document = printed[name]
    assert list(document)[:2] == ["format", "command"]
    assert (document["format"], document["command"]) == ("manyjudges.output/1", name)
    assert set(document) == FIELDS[name]


def test_an_answer_has_the_fields_that_are_listed(printed):
    answer = printed["plan"]["answer"]
    assert set(answer) == FIELDS["answer"]
    for part in ("plan", "bill", "choice"):
        assert set(answer[part]) == FIELDS[f"answer: answer.{part}"], part
    assert {name for step in answer["plan"]["path"] for name in step} == {
        *("attribute", "cost", "explained", "projected_loss")
    }
    assert {name for way in answer["choice"]["considered"] for name in way} == {
        *("method", "shrinkage", "predictor_ridge", "error")
    }
    assert {name for trial in answer["choice"]["trials"] for name in trial} == {
        *("step", "tried", "error", "kept", "note")
    }
    assert set(answer["plan"]["preparation"]) == {"rescalings", "worker_effects", "joint_moments", "curved"}
    for part in ("per_object", "labelled", "new", "total"):
        assert set(answer["bill"][part]) == {"objects", "judgments", "cost"}
    assert answer["warnings"], "or this test shows nothing"
    for document in printed.values():
        for warning in document.get("warnings", []) + document.get("answer", {}).get("warnings", []):
            assert set(warning) == FIELDS["answer: warnings"]


def test_rows_have_the_fields_that_are_listed(printed):
    for row in printed["forecast"]["errors"]:
        assert set(row) == FIELDS["forecast: errors"]
    for row in printed["describe"]["attributes"]:
        assert set(row) == FIELDS["describe: attributes"]
    assert set(printed["fit"]["model"]) == FIELDS["fit: model"]
    assert set(printed["missing"]["missing"][0]) == {"object", "attribute", "count", "cost"}
    assert set(printed["predict"]["predictions"][0]) == {"object", "prediction", "std"}
    assert set(printed["forecast"]["cheapest_within"]) == {"tolerance", "budget"}


def test_a_report_repeats_what_other_commands_print(printed):
    report = printed["report"]
    assert report["answer"] == printed["plan"]["answer"]
    described = {name: value for name, value in printed["describe"].items() if name in report["overview"]}
    assert report["overview"] == described
    assert set(report["predictor"]) == FIELDS["fit: model"]
