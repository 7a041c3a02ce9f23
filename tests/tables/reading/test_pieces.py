"""Tables piece by piece: the same rows at the same places as in memory, wherever a piece ends."""

from __future__ import annotations

import gzip
import json
from contextlib import contextmanager, suppress

import numpy as np
import pandas as pd
import pytest

from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError
from manyjudges.tables.names import name_text
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.pieces import beginning_of, open_pieces, pieces_of_tables
from manyjudges.tables.reading.table import read_table
from manyjudges.tables.shapes.registry import ROWS_LOOKED_AT
from tests.support.front import cases, number
from tests.support.messages import refused

READ = [name for name, case in cases().items() if not case.error]
REFUSED = [name for name, case in cases().items() if case.error and case.error.get("type") != "LabelsError"]
MANY = 120_000
"""Rows that no format reads at once."""


def wide(n=MANY):
    at = np.arange(n)
    return pd.DataFrame({"essay": at // 2, "rater": at % 2, "clear": at % 7, "dull": at % 5})


def written(frame, folder, ending):
    path = folder / f"table{ending}"
    if ending == ".parquet":
        frame.to_parquet(path, row_group_size=max(len(frame) // 5, 1))
    elif ending == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif ending == ".csv.gz":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    elif ending == ".xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_csv(
            path, index=False, sep=";" if ending == ";.csv" else ",", encoding="utf-16" if ending == "16.csv" else None
        )
    return path


@contextmanager
def in_other_words(wanted):
    """Fails where an error says something else."""
    try:
        yield
    except ManyJudgesError as error:
        if (type(error), str(error)) != (type(wanted), str(wanted)):
            pytest.fail(f"{error} is not {wanted}")
        raise


def options_of(case):
    return ReadOptions.of(**case.reading)


def cells(rows):
    """Long rows as (object, attribute, worker, value)."""
    columns = rows.columns
    workers = columns.get("worker", [""] * len(rows))
    every = zip(columns["object"], columns["attribute"], workers, columns["value"], strict=True)
    return [(name_text(o), name_text(a), name_text(w), number(v)) for o, a, w, v in every]


def cells_of(frame):
    """The same of a wide frame, row by row."""
    rows = zip(*(frame[name].astype(str) for name in frame), strict=True)
    return [
        (essay, name, rater, value)
        for essay, rater, *both in rows
        for name, value in zip(frame.columns[2:], both, strict=True)
    ]


@pytest.mark.parametrize("name", READ)
def test_files_as_people_have_them(name):
    """What is understood of their layout from their beginning is what is understood of all of them."""
    case = cases()[name]
    table, reading = open_pieces(case.path, options_of(case)), read_table(case.path, **case.reading).reading
    assert (table.name, table.layout, table.notes) == (reading.name, reading.layout, reading.notes)
    n_cells = unanswered = 0
    for piece in table.pieces():
        answered, without = piece.rows.answered(table.options, table.layout.no_answer)
        n_cells += len(answered)
        unanswered += without
    assert unanswered == reading.unanswered
    assert n_cells > 0


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_cannot_be_read(name):
    """What is wrong with a file or its layout is said in the same words; cells are looked at by others."""
    case = cases()[name]
    with pytest.raises(ManyJudgesError) as wanted:
        read_table(case.path, **case.reading)
    with suppress(ManyJudgesError), in_other_words(wanted.value):
        for _ in open_pieces(case.path, options_of(case)).pieces():
            pass


@pytest.mark.parametrize("ending", [".csv", ";.csv", "16.csv", ".csv.gz", ".jsonl", ".parquet", ".xlsx"])
def test_rows_and_their_places(tmp_path, ending):
    n = 300 if ending == ".xlsx" else MANY
    frame = wide(n)
    path = written(frame, tmp_path, ending)
    table = open_pieces(path, ReadOptions.of(object="essay", worker="rater"))
    assert table.layout.shape == "wide-by-rater"
    assert (table.whole is not None) == (ending == ".xlsx")
    pieces, at, found = 0, 0, []
    for piece in table.pieces():
        n_rows = len(piece.rows) // 2
        for row in (0, n_rows - 1):
            for column, name in enumerate(["clear", "dull"]):
                place = piece.rows.locate(2 * row + column)
                assert (place.row, place.file) == (
                    at + row + 1 + (ending == ".xlsx"),
                    path.name,
                )  # a sheet's heading counts
                assert piece.rows.column_of(2 * row + column) == name
        found += cells(piece.rows)
        pieces, at = pieces + 1, at + n_rows
    assert at == n
    assert pieces > 1 or table.whole is not None
    wanted = frame.melt(["essay", "rater"], var_name="attribute", value_name="value")
    expected = [
        tuple(map(str, row)) for row in wanted[["essay", "attribute", "rater", "value"]].itertuples(index=False)
    ]
    assert sorted(found) == sorted(expected)


def test_files_one_after_the_other(tmp_path):
    frame = wide(100)
    for at, part in enumerate([frame[:60], frame[60:][[*reversed(frame.columns)]]]):
        part.to_csv(tmp_path / f"{at}.csv", index=False)
    table = open_pieces(tmp_path / "?.csv", ReadOptions.of(object="essay", worker="rater"))
    places = [piece.rows.locate(len(piece.rows) - 1) for piece in table.pieces()]
    assert [(place.file, place.row) for place in places] == [("0.csv", 60), ("1.csv", 40)]
    assert table.name == "?.csv (2 files)"
    again = [cell for piece in table.pieces() for cell in cells(piece.rows)]  # as often as wanted
    assert sorted(again) == sorted(cells_of(frame))
    frame.drop(columns="dull").to_csv(tmp_path / "2.csv", index=False)
    with refused(DocumentError, value="dull", file="2.csv"):
        open_pieces(tmp_path / "?.csv", ReadOptions())


def test_lines_that_cannot_be_read_are_counted(tmp_path):
    path = written(wide(10), tmp_path, ".csv")
    with path.open("a") as file:
        file.write("1,2\n7,0,5,6\n1,2,3,4,5\n")
    options = ReadOptions.of(object="essay", worker="rater", on_invalid="skip")
    pieces = list(open_pieces(path, options).pieces())
    assert sum(piece.unread for piece in pieces) == 2
    assert [piece.rows.locate(row).row for piece in pieces for row in range(0, len(piece.rows), 2)] == [
        *range(1, 11),
        12,
    ]
    with refused(DocumentError, row=11, file="table.csv"):
        list(open_pieces(path, ReadOptions.of(object="essay", worker="rater")).pieces())


def test_a_field_that_no_record_at_the_beginning_has(tmp_path):
    records = [{"essay": at, "rater": "a", "clear": 1} for at in range(70_000)]
    path = tmp_path / "table.jsonl"
    options = ReadOptions.of(object="essay", worker="rater")
    path.write_text("\n".join(map(json.dumps, records)))
    assert sum(len(piece.rows) for piece in open_pieces(path, options).pieces()) == len(records)
    path.write_text("\n".join(map(json.dumps, [*records, {"essay": 9, "rater": "b", "clear": 1, "dull": 2}])))
    with refused(DocumentError, value="dull", file="table.jsonl"):
        list(open_pieces(path, options).pieces())


def test_scales_of_the_file_come_with_the_rows(tmp_path):
    frame = wide(20)
    words = pd.Categorical(["low", "high"] * 10, ["low", "mid", "high"], ordered=True)
    path = written(frame.assign(clear=words), tmp_path, ".parquet")
    for piece in open_pieces(path, ReadOptions.of(object="essay", worker="rater")).pieces():
        assert piece.scales == {"clear": {"low": 1.0, "mid": 2.0, "high": 3.0}}


def test_the_beginning_of_files(tmp_path):
    frame = wide()
    for ending in (".csv", ".parquet", ".jsonl"):
        found = beginning_of(written(frame, tmp_path, ending), ReadOptions())
        assert ROWS_LOOKED_AT < len(found) <= len(frame)
        assert found["essay"].astype(int).tolist() == frame["essay"][: len(found)].tolist()
    few = beginning_of(written(frame[:3], tmp_path, ".csv"), ReadOptions())
    assert few.shape == (3, 4)
    none = beginning_of(written(frame[:0], tmp_path, ".csv"), ReadOptions())
    assert (len(none), list(none)) == (0, list(frame))


def test_tables_one_after_the_other():
    frame = wide(30)
    layout, pieces = pieces_of_tables([frame[:20], frame[20:]], ReadOptions.of(object="essay", worker="rater"))
    assert layout.shape == "wide-by-rater"
    first, second = pieces
    assert (len(first.rows), len(second.rows)) == (40, 20)
    assert sorted(cells(first.rows) + cells(second.rows)) == sorted(
        (str(row.essay), name, str(row.rater), str(getattr(row, name)))
        for row in frame.itertuples()
        for name in ("clear", "dull")
    )
    with refused(JudgmentsError, column="source"):
        pieces_of_tables([], ReadOptions())
