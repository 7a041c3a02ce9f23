"""What headings name besides a question."""

from __future__ import annotations

import pytest

from manyjudges.tables.shapes.headings import crossed, judgments_of, name_things, what_differs


def pairs(headings):
    return {heading: (parts.attribute, parts.worker, parts.named) for heading, parts in judgments_of(headings).items()}


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (["tall_1", "tall_2"], {"tall_1": ("tall", "1", False), "tall_2": ("tall", "2", False)}),
        (["tall.01", "tall.02"], {"tall.01": ("tall", "1", False), "tall.02": ("tall", "2", False)}),
        (["tall1", "tall2", "age"], {"tall1": ("tall", "1", False), "tall2": ("tall", "2", False)}),
        (["tall", "tall.1"], {"tall": ("tall", "0", False), "tall.1": ("tall", "1", False)}),
        (["tall", "tall_2"], {"tall": ("tall", "1", False), "tall_2": ("tall", "2", False)}),
        (["tall (1)", "tall (2)"], {"tall (1)": ("tall", "1", False), "tall (2)": ("tall", "2", False)}),
        (["tall [ann]", "tall [bob]"], {"tall [ann]": ("tall", "ann", True), "tall [bob]": ("tall", "bob", True)}),
        (
            ["tall (ann)", "tall (bob)", "old (ann)"],
            {
                "tall (ann)": ("tall", "ann", True),
                "tall (bob)": ("tall", "bob", True),
                "old (ann)": ("old", "ann", True),
            },
        ),
        (["rater 1", "rater 2"], {"rater 1": ("rating", "rater 1", True), "rater 2": ("rating", "rater 2", True)}),
        (["coderA", "coderB"], {"coderA": ("rating", "coderA", True), "coderB": ("rating", "coderB", True)}),
        (["r1_tall", "r2_tall"], {"r1_tall": ("tall", "r1", True), "r2_tall": ("tall", "r2", True)}),
        (
            ["tall_judge1", "tall_judge2"],
            {"tall_judge1": ("tall", "judge1", True), "tall_judge2": ("tall", "judge2", True)},
        ),
        (["Q1", "Q2", "Q3"], {}),
        (["item_1", "item_2"], {}),
        (["Frage 1", "Frage 2"], {}),
        (["width (cm)", "height (cm)"], {}),
        (["tall_1", "old_1"], {}),
        (["2019", "2020"], {}),
        (["gdp_2019", "gdp_2020"], {}),
        (["clarity_Q1", "clarity_Q2"], {}),
        (
            ["tall_1", "tall_2", "gdp_2019", "gdp_2020"],
            {"tall_1": ("tall", "1", False), "tall_2": ("tall", "2", False)},
        ),
        (["tall_0", "tall_1"], {"tall_0": ("tall", "0", False), "tall_1": ("tall", "1", False)}),
        ([], {}),
    ],
)
def test_several_judgments_of_an_attribute_are_found(headings, expected):
    assert pairs(headings) == expected


def test_headings_are_crossed_only_where_all_pairs_are_there():
    headings = ["tall_ann", "tall_bob", "kind_ann", "kind_bob"]
    assert list(crossed(headings).values()) == [("tall", "ann"), ("tall", "bob"), ("kind", "ann"), ("kind", "bob")]
    assert crossed(headings[:3]) == crossed([*headings, "age"]) == crossed(["tall_ann", "kind_ann"]) == {}


@pytest.mark.parametrize("between", ["_", ".", " - ", ": ", " | ", " by ", " – "])
def test_what_stands_between_question_and_rater(between):
    headings = [f"{question}{between}{rater}" for question in ("tall", "well kept") for rater in ("ann", "bob")]
    assert set(crossed(headings).values()) == {(a, b) for a in ("tall", "well kept") for b in ("ann", "bob")}


def test_things_of_a_kind_are_told_from_qualities():
    assert name_things(["E01", "E02"])
    assert not name_things(["photo 1"])
    assert not name_things(["photo 1", "essay 2"])
    assert not name_things(["fair", "unfair"])


def test_what_texts_differ_in_is_one_part_of_each():
    assert what_differs({"1": "Hamlet: how clear?", "2": "King Lear: how clear?"}) == {
        "1": "Hamlet:",
        "2": "King Lear:",
    }
    assert what_differs({"1": "Rate essay 1 now", "2": "Rate essay 2 now"}) == {"1": "essay 1", "2": "essay 2"}
    assert what_differs({"1": "How clear?", "2": "How clear?"}) == {}
    assert what_differs({"1": "How clear", "2": "How clear is it"}) == {}
    assert what_differs({"1": "only one"}) == {}
