"""The demo from the command line: what it prints, the files that it leaves, and its usual numbers."""

from __future__ import annotations

import json
import re

import pytest

from manyjudges import Plan
from manyjudges.service.demo import CROWDS


@pytest.mark.slow
def test_demo(run, folder):
    code, out, _ = run("demo", "--objects", 40, "--budget", 8, "--out", "tried")
    assert code == 0
    assert "Knowing the truth" in out
    named = re.search(r"Files in tried/: (.*)", out).group(1).split(", ")
    assert sorted(p.name for p in (folder / "tried").iterdir()) == named
    assert not list(folder.glob(".tried*"))
    assert Plan.from_json((folder / "tried" / "plan.json").read_text()).cost <= 8
    assert "grade of essays" in out
    options = ("--crowd", "height", "--label", "weight", "--objects", 40, "--budget", 8, "--out", "tried", "--json")
    code, out, _ = run("demo", *options)
    assert code == 0
    assert {row["plan"] for row in json.loads(out)["errors"]} >= {"The plan", "Averages", "Copies"}


def test_the_demo_s_help_names_its_crowds_and_their_usual_numbers(run):
    code, out, _ = run("demo", "--help")
    words = " ".join(out.split())
    assert code == 0
    assert f"[{'|'.join(CROWDS)}]" in words
    first, second = CROWDS.values()
    assert f"[default: {first.budget:g} for {first.objects}, {second.budget:g} for {second.objects}]" in words
    assert f"[default: {first.n_objects} {first.objects} or {second.n_objects} {second.objects}]" in words
    assert f"[{'|'.join(second.units)}]" in words
