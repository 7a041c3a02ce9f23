"""Cell rows: long rows, the numbers that their cells stand for, and what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges.tables.reading.cell_rows import CellRows, error_of_coding
from manyjudges.tables.reading.coding import AnswerTally, decide_codings
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.values import locate_from_zero


def rows(values, attributes=None, first=0):
    columns = {
        "object": np.array([f"o{at}" for at in range(len(values))], dtype=object),
        "attribute": np.array(attributes or ["a"] * len(values), dtype=object),
        "value": np.array(values, dtype=object),
    }
    return CellRows(columns, lambda row: locate_from_zero(first + row))


def test_rows_in_pieces_stand_for_the_same_numbers_as_in_one():
    values, options = ["never", "often", "n/a", "sometimes", "often"], ReadOptions()
    pieces = [rows(values[:2]), rows(values[2:])]
    whole = [rows(values)]
    found = []
    for parts in (pieces, whole):
        kept = [part.answered(options)[0] for part in parts]
        tally = AnswerTally()
        for part in kept:
            part.tally(tally)
        codings, errors = decide_codings(tally, options)
        assert not errors
        found.append(np.concatenate([part.numbers(codings) for part in kept]).tolist())
    assert found[0] == found[1] == [1, 3, 2, 3]
    assert sum(part.answered(options)[1] for part in pieces) == 1


@pytest.mark.parametrize("cut", range(1, 6))
def test_the_first_word_of_what_cannot_be_read_is_named_wherever_the_table_is_cut(cut):
    values = ["1", "2", "cold", "3", "mild", "4"]
    pieces = [rows(values[:cut]), rows(values[cut:], first=cut)]
    tally = AnswerTally()
    for part in pieces:
        part.tally(tally)
    _, errors = decide_codings(tally, ReadOptions())
    error = error_of_coding(errors, pieces)
    assert (error.value, error.row, error.column) == ("cold", 3, "value")


def test_rows_of_other_attributes_are_left_out_and_those_without_one_are_not():
    kept = rows(["1", "2", "3"], ["a", "b", ""]).of_attributes(ReadOptions(drop=("a",)))
    assert kept.columns["value"].tolist() == ["2", "3"]
    assert kept.locate(0).row == 2
    assert kept.attributes[0].tolist() == [0, -1]
