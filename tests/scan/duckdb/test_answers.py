"""What cells stand for that DuckDB reads: plain numbers by itself, and all else by what was decided in Python."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges.exceptions import JudgmentsError
from manyjudges.scan.duckdb.answers import CODED, NO_ANSWERS, OUTSIDE, answers_of_numbers, answers_of_texts
from manyjudges.tables.answers.coding import PLAIN, AnswerCoding
from manyjudges.tables.grammar import value_sql
from manyjudges.tables.reading.cell_rows import CellRows, is_wanted
from manyjudges.tables.reading.coding import AnswerTally, decide_codings
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.values import locate_from_zero

TEXTS = f"SELECT attribute, value, {value_sql('value')} AS number FROM cells"


@pytest.fixture
def connection():
    with duckdb.connect() as connected:
        yield connected


def decided(connection, cells, *, no_answer=(), given=None, **options):
    """What is decided on rows of attribute and value, with the tables that DuckDB is to look texts up in."""
    frame = pd.DataFrame(cells, columns=["attribute", "value"], dtype="str")
    connection.register("cells", frame)
    reading = ReadOptions.of(**options)
    answers = answers_of_texts(
        connection, TEXTS, reading, no_answer, given or {}, lambda name: is_wanted(name, reading)
    )
    return answers, coded(connection), {row[0] for row in connection.execute(f"FROM {NO_ANSWERS}").fetchall()}


def coded(connection):
    rows = connection.execute(f"SELECT coded_attribute, coded_text, coded_number FROM {CODED}").fetchall()
    assert len({row[:2] for row in rows}) == len(rows)  # else a row of judgments would come twice
    return {row[:2]: row[2] for row in rows}


def test_words_have_numbers_and_other_texts_none(connection):
    cells = [("a", "yes")] * 4 + [("a", "no"), ("a", "7"), ("b", "3"), ("b", "4.5"), ("b", " 4 "), ("b", "five")] * 2
    answers, found, nothing = decided(connection, cells, on_invalid="skip")
    assert found == {
        ("a", "yes"): 1.0,
        ("a", "no"): 0.0,
        ("a", "7"): None,
        ("b", "3"): 3.0,
        ("b", "4.5"): 4.5,
        ("b", " 4 "): 4.0,
        ("b", "five"): None,
    }
    assert answers.looked_up == ("a",)
    assert (answers.known, answers.coded, answers.no_answers, nothing) == (True, True, False, set())
    assert {name: coding.kind for name, coding in answers.codings.items()} == {"a": "binary", "b": "number"}


def test_numbers_of_attributes_without_words_are_not_counted(connection):
    answers, found, _ = decided(connection, [("a", "yes"), ("a", "no"), ("b", "1"), ("b", "2"), ("b", "+3")])
    assert set(found) == {("a", "yes"), ("a", "no")}
    assert set(answers.codings) == {"a"}


def test_what_means_that_there_is_no_answer(connection):
    cells = [("a", text) for text in ("1", "2", "n/a", "Don't know", "", " ", None, "-99", "-99.0", "x9")]
    cells += [("b", "none"), ("b", "some"), ("c", "."), ("c", "4")]
    answers, found, nothing = decided(connection, cells, missing=["-99", "x9"], scales="none,some", valid=".")
    assert nothing == {"n/a", "Don't know", " ", "x9"}
    assert answers.missing == (-99.0,)
    assert found == {("b", "none"): 1.0, ("b", "some"): 2.0}
    assert set(answers.errors) == {"c"}  # where a point is an answer
    _, _, by_tool = decided(connection, [("a", "1"), ("a", "skipped by tool")], no_answer=("skipped by tool",))
    assert by_tool == {"skipped by tool"}


def test_only_attributes_that_are_wanted_are_looked_at(connection):
    cells = [("a", "red"), ("a", "green"), ("a", "blue"), ("b", "yes"), ("", "maybe"), (" ", "maybe"), (None, "maybe")]
    answers, found, _ = decided(connection, cells, drop="a")
    assert (set(answers.codings), set(found), answers.errors) == ({"b"}, {("b", "yes")}, {})
    answers, _, _ = decided(connection, cells)
    assert set(answers.errors) == {"a"}
    assert isinstance(answers.errors["a"], JudgmentsError)


def test_what_a_plan_or_a_file_says(connection):
    known = {"a": AnswerCoding.of_words("scale", {"bad": 1.0, "good": 9.0}), "b": PLAIN}
    answers, found, _ = decided(connection, [("a", "good"), ("a", "5"), ("b", "5"), ("c", "red")], codings=known)
    assert found == {("a", "good"): 9.0, ("a", "5"): None}
    assert answers.codings == known
    assert answers.looked_up == ("a",)
    _, found, _ = decided(connection, [("a", "good"), ("a", "bad")], given={"a": {"bad": 3.0, "good": 4.0}})
    assert found == {("a", "good"): 4.0, ("a", "bad"): 3.0}


def test_a_word_among_very_many_numbers(connection):
    """They are not all looked up, and what is decided is what all of them say."""
    numbers = [("a", f"{number:.3f}") for number in np.linspace(0, 1, 3_000)]
    cells = [*numbers, ("a", "five"), ("b", "1"), ("b", "2"), ("b", "2 = good")]
    answers, found, _ = decided(connection, cells)
    assert (answers.codings["a"], answers.errors) == (PLAIN, {})
    assert found == {
        ("a", "0.000"): 0.0,
        ("a", "five"): None,
        ("b", "1"): 1.0,
        ("b", "2"): 2.0,
        ("b", "2 = good"): 2.0,
    }
    answers, _, _ = decided(connection, [*numbers, *[("a", "good"), ("a", "bad")] * 1_000])
    assert set(answers.errors) == {"a"}


def test_texts_that_are_words_of_a_scale_come_before_numbers(connection):
    answers, found, _ = decided(connection, [("a", "1"), ("a", "2"), ("a", "many")], scales="2,1,many")
    assert found == {("a", "1"): 2.0, ("a", "2"): 1.0, ("a", "many"): 3.0}
    assert answers.looked_up == ("a",)


def test_plain_numbers_need_no_look(connection):
    options = ReadOptions.of(missing="-99,x", valid="-1")
    answers = answers_of_numbers(connection, options, ("-1", "-2"), known=False)
    assert (answers.known, answers.missing, answers.coded, answers.outside) == (False, (-99.0, -2.0), False, False)


def test_codes_beside_the_answers_of_a_plan(connection):
    coding = AnswerCoding("number", limits=(1.0, 5.0))
    answers = answers_of_numbers(connection, ReadOptions(codings={"a": coding, "b": PLAIN}), (), known=True)
    assert answers.outside
    found = connection.execute(f"SELECT * FROM {OUTSIDE}").fetchall()
    assert {name for name, _ in found} == {"a"}
    assert {-99.0, 99.0, 999.0} <= {number for _, number in found}


WRITTEN = (
    "1|2|3|4|2.5|+3| 1|1e2|yes|no|Yes |ja|nein|never|often|always|n/a||NA|don't know|red|5 = very good|1 = bad"
    "|3 kg|4 kg|-99|1,5|inf|٣"
)
ANSWERS = st.sampled_from(WRITTEN.split("|"))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), ANSWERS), min_size=1, max_size=25),
    st.sampled_from([{}, {"missing": "-99"}, {"scales": "never,often,always"}, {"valid": "NA"}]),
    st.sampled_from(["error", "skip"]),
)
def test_what_is_decided_is_what_is_decided_in_memory(cells, reading, on_invalid):
    options = ReadOptions.of(**reading, on_invalid=on_invalid)
    columns = {
        "object": np.array([f"o{at}" for at in range(len(cells))], dtype=object),
        "attribute": np.array([cell[0] for cell in cells], dtype=object),
        "value": np.array([cell[1] for cell in cells], dtype=object),
    }
    rows, _ = CellRows(columns, locate_from_zero).answered(options)
    tally = AnswerTally()
    rows.tally(tally)
    codings, errors = decide_codings(tally, options)
    with duckdb.connect() as connection:
        answers, found, _ = decided(connection, cells, **reading, on_invalid=on_invalid)
    # Of attributes with nothing but numbers, nothing is said.
    assert answers.codings == {name: coding for name, coding in codings.items() if name in answers.codings}
    others = {name: coding for name, coding in codings.items() if name not in answers.codings}
    assert others == dict.fromkeys(others, replace(PLAIN, no_answer=options.missing))
    assert {name: str(error) for name, error in answers.errors.items()} == {n: str(e) for n, e in errors.items()}
    numbers = rows.numbers(codings)
    for at in range(len(rows)):
        name, text = rows.columns["attribute"][at], rows.columns["value"][at]
        if name in answers.codings:
            assert found[(name, text)] == (numbers[at] if np.isfinite(numbers[at]) else None), text
