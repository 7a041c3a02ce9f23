from __future__ import annotations

import numpy as np
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.reading.assembly import assemble
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.values import locate_from_zero
from tests.support.messages import refused


def assembled(rows, **options):
    names = ("object", "attribute", "worker", "value", "time")[: len(rows[0])]
    columns = {name: np.array([row[at] for row in rows], dtype=object) for at, name in enumerate(names)}
    return assemble(columns, locate_from_zero, ReadOptions.of(**options))


ROWS = [("o1", "a", "w1", "1"), ("o1", "a", "w2", "2"), ("o2", "a", "w1", "3"), ("o2", "b", "w1", "yes")]


def test_cells_become_codes_and_numbers():
    cells = assembled([*ROWS, ("o3", "b", "w1", "n/a"), (None, None, None, None)])
    assert cells.attributes == ("a", "b")
    assert cells.objects.tolist() == ["o1", "o2"]
    assert cells.unanswered == 1  # the last row is an empty one
    assert cells.unjudged.tolist() == ["o3"]
    assert cells.storage.rows().values.tolist() == [1, 2, 3, 1]
    assert {name: coding.kind for name, coding in cells.codings.items()} == {"a": "number", "b": "binary"}


@pytest.mark.parametrize("role", range(3))
def test_a_row_with_an_answer_needs_all_its_names(role):
    names = ("object", "attribute", "worker")
    bad = list(ROWS[0])
    bad[role] = " "
    with refused(JudgmentsError, row=5, column=names[role]):
        assembled([*ROWS, tuple(bad)])
    cells = assembled([*ROWS, tuple(bad)], on_invalid="skip")
    assert [(row.row, row.column) for row in cells.invalid] == [(5, names[role])]
    assert len(cells.storage) == 4


def test_the_first_row_is_named_and_all_are_listed():
    rows = [(f"o{at}", "a", "w", str(at)) for at in range(20)]
    rows[7:9] = [("o7", "a", "w", "seven"), ("o8", "a", "w", "eight")]
    with refused(JudgmentsError, value="seven", row=8, column="value"):
        assembled(rows)
    cells = assembled(rows, on_invalid="skip")
    assert [(row.row, row.column, row.value) for row in cells.invalid] == [(8, "a", "seven"), (9, "a", "eight")]
    with refused(JudgmentsError):
        assembled([("o", "a", "", "1")], on_invalid="skip")


def test_codes_of_the_user():
    assert assembled(ROWS, missing="2").unanswered == 1
    assert assembled([*ROWS, ("o3", "a", "w", "-99")], missing=[-99.0]).unanswered == 1
    scale = assembled([("o1", "q", "w", "none"), ("o2", "q", "w", "N/A")], scales="N/A,none")
    assert scale.unanswered == 0
    assert scale.storage.rows().values.tolist() == [2, 1]


def test_attributes_are_dropped():
    assert assembled(ROWS, drop=["b"]).attributes == ("a",)
    with refused(JudgmentsError, column="attribute"):
        assembled(ROWS, drop=["a", "b"])


def test_codings_of_a_plan_are_all_that_is_read():
    planned = {"b": AnswerCoding.of_words("binary", {"no": 1.0, "yes": 0.0}), "c": AnswerCoding("number")}
    columns = {
        name: np.array([row[at] for row in ROWS], dtype=object)
        for at, name in enumerate(("object", "attribute", "worker", "value"))
    }
    cells = assemble(columns, locate_from_zero, ReadOptions(codings=planned))
    assert cells.attributes == ("b",)
    assert cells.storage.rows().values.tolist() == [0]
    with refused(JudgmentsError, column="attribute"):
        assemble(columns, locate_from_zero, ReadOptions(codings={"z": AnswerCoding("number")}))


def test_repeated_judgments():
    rows = [("o", "a", "w", "1", "2026-01-02"), ("o", "a", "w", "4", "2026-01-01"), ("o", "a", "v", "2", "2026-01-03")]
    with refused(JudgmentsError, value="w", row=2, column="worker"):
        assembled(rows)
    for repeated, value in (("first", 4.0), ("last", 1.0), ("mean", 2.5)):
        cells = assembled(rows, repeated=repeated)
        assert cells.repeated == 1
        assert cells.storage.rows().values.tolist() == [2.0, value]


def test_nothing_at_all():
    with refused(JudgmentsError):
        assembled([("o", "a", "w", ""), ("p", "a", "w", "NA")])
