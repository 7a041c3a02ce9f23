"""The budget curve to move along, on a page or in a notebook."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from manyjudges.base.formatting import fixed
from manyjudges.exceptions import JudgmentsError, PlanError
from manyjudges.learn.budgets import budget_curve
from manyjudges.reports import Explorer, Report, explore
from manyjudges.reports.explorer import curve_digits
from manyjudges.summary import summarize
from tests.support.pages import EVIL, Page

FAST = {"shrinkage": 0, "cv_repeats": 1}


@pytest.mark.slow
def test_exploring(beans):
    crowd, pilot = beans
    shown = explore(pilot, crowd.labels, [2, 16, 4], label_name="beans", **FAST)
    assert shown.curve.budgets == (2.0, 4.0, 16.0)
    assert shown.curve.chosen_budget == 4
    assert shown.html("x") == shown.html("x")
    first, second = Page(shown._repr_html_()), Page(shown._repr_html_())
    assert first.open == []
    ids = [{a["id"] for _, a in each.tags if "id" in a} for each in (first, second)]
    assert not ids[0] & ids[1]
    assert "<style>" in shown.html()
    assert "<style>" not in shown.html(style=False)


def test_where_to_explore(beans):
    crowd, pilot = beans
    assert explore(pilot, crowd.labels, [2, 4], budget=3, **FAST).curve.budgets == (2.0, 3.0, 4.0)
    assert 20 in explore(pilot, crowd.labels, method="full", **FAST).curve.budgets
    assert explore(pilot, crowd.labels, 3, **FAST).curve.budgets == (3.0,)
    for wrong in ([], "2", -3, [-1]):
        with pytest.raises(PlanError):
            explore(pilot, crowd.labels, wrong, **FAST)
    with pytest.raises(JudgmentsError):
        explore(7, crowd.labels, [2])


@pytest.mark.slow
def test_the_explorer_and_the_report_are_of_one_piece(beans):
    crowd, pilot = beans
    study = summarize(pilot, crowd.labels, 4, budgets=[2, 4], **FAST)
    piece = Explorer(study.curve, "the label").html("budget", style=False)
    assert piece.strip() in Report.from_summary(study).html


@pytest.fixture(scope="module")
def curve(beans):
    crowd, pilot = beans
    return budget_curve(pilot, crowd.labels, 4, budgets=[2, 4, 16], shrinkage=0, cv_repeats=1)


def data_of(html):
    """What the script of an explorer is given."""
    return json.loads(next(text for text in Page(html).text["script"] if text.startswith("{")))


def test_the_script_has_the_words_of_the_table_and_a_place_for_each_of_them(curve):
    data = data_of(Explorer(curve).html())
    assert (data["methods"], data["budgets"]) == (list(curve.methods), ["2", "4", "16"])
    assert data["methods"][data["method"]] == curve.chosen_method
    assert data["budgets"][data["budget"]] == "4"
    for method, points in zip(curve.methods, data["points"], strict=True):
        assert [point["method"] for point in points] == [method] * 3
        for point, repeats in zip(points, curve.plans[method], strict=True):
            assert dict(point["plan"]) == repeats
            counts = [n for _, n in point["plan"]]
            assert counts == sorted(counts, reverse=True)
    chosen = [point for points in data["points"] for point in points if point["chosen"]]
    assert [(point["method"], point["budget"]) for point in chosen] == [(curve.chosen_method, "4")]
    for places in data["places"].values():
        assert len(places) == len(curve.methods) * 3
        assert all(0 <= x <= 100 and 0 <= y <= 100 for x, y in places)
        for start in range(0, len(places), 3):
            from_left = [x for x, _ in places[start : start + 3]]
            assert from_left == sorted(from_left)


def test_what_it_finds_is_said_at_both_ends_and_at_the_chosen_budget(curve):
    words = repr(Explorer(curve)).partition("; a notebook shows it. ")[2]
    m = curve.methods.index(curve.chosen_method)
    digits = curve_digits(curve)
    for k, where in ((0, "at a budget of 2"), (1, "at the chosen budget of 4"), (2, "at 16")):
        assert f"{fixed(curve.error[m, k], digits)} {where}" in words
    assert words in Explorer(curve).html().replace("&#39;", "'")


def test_another_method_is_named_only_where_it_would_do_better_by_one_per_cent(curve):
    m = curve.methods.index(curve.chosen_method)
    other = next(i for i in range(len(curve.methods)) if i != m)
    for share, named in ((0.95, True), (0.992, False), (1.05, False)):
        error = curve.error.copy()
        error[:, 1] = error[m, 1]
        error[other, 1] = share * error[m, 1]
        words = repr(Explorer(replace(curve, error=error)))
        assert (f"Planned by “{curve.methods[other]}” it would be" in words) == named


def test_errors_say_what_is_explained_or_that_it_is_no_better_than_guessing(curve):
    good, bad = (replace(curve, error=0 * curve.error + share * curve.baseline_error) for share in (0.0, 1.1))
    for shown, words in ((good, "100\u202f% of the variance explained"), (bad, "no better than guessing the mean")):
        html = Explorer(shown).html()
        assert "nan" not in html
        assert all(point["explained"] == words for points in data_of(html)["points"] for point in points)


def test_a_name_of_the_label_cannot_break_the_piece(curve):
    html = Explorer(curve, EVIL).html()
    assert EVIL not in html
    found = Page(html)
    assert found.open == []
    assert not found.all("img")
