"""What every format of tables does: it gives back what was written, names its columns, and says what it cannot read."""

from __future__ import annotations

import bz2
import gzip
import json
import pathlib
from functools import partial

import numpy as np
import pandas as pd
import pytest

from manyjudges import scan_moments, simulate
from manyjudges.exceptions import DocumentError
from manyjudges.scan.readers import READERS
from manyjudges.tables.files import write_table
from manyjudges.tables.formats import json_lines, registry
from manyjudges.tables.formats.content import Content, Format
from manyjudges.tables.formats.paths import COMPRESSED, expand, kind_of
from manyjudges.tables.formats.registry import (
    FORMATS,
    find_tables,
    heading,
    read_content,
    read_contents,
    writable_endings,
)
from manyjudges.tables.formats.text import first_line
from manyjudges.tables.reading.table import read_judgments
from tests.support.messages import ANYTHING, refused

ENDINGS = writable_endings()
TABLE = pd.DataFrame({"object": ["a", "b, c", "ü\n"], "value": ["1", "0.5", "yes"]})


@pytest.fixture(params=ENDINGS)
def path(request, tmp_path):
    file = tmp_path / f"table{request.param}"
    write_table(file, TABLE)
    return file


def test_no_two_formats_claim_the_same_ending():
    assert len(set(ENDINGS)) == len(ENDINGS)


def test_a_table_comes_back_as_it_was_written(path):
    content = read_content(path)
    pd.testing.assert_frame_equal(content.frame.astype(object), TABLE.astype(object))
    assert (content.unread, content.decimal_comma) == (0, False)


def test_all_tables_of_a_file_are_one_where_it_has_one(path):
    (content,) = read_contents(path)
    pd.testing.assert_frame_equal(content.frame, read_content(path).frame)
    assert (dict(content.scales), content.notes) == ({}, ())
    assert content.sheet == ("Sheet1" if path.suffix in (".xlsx", ".xlsm") else "")


@pytest.mark.parametrize("named", ["csv", ".CSV"])
def test_a_format_that_is_named_comes_before_the_ending(tmp_path, named):
    file = tmp_path / "table.jsonl"
    file.write_text("object,value\na,1\n")
    assert heading(file, format=named) == ["object", "value"]
    assert read_contents(file, format=named)[0].frame["value"].tolist() == ["1"]


def test_an_unknown_format_is_refused(tmp_path):
    with refused(DocumentError, value="cvs", column="format"):
        read_contents(tmp_path / "table.csv", format="cvs")


def test_the_columns_are_named_from_the_beginning(path):
    assert heading(path) == list(TABLE.columns)


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_files_of_text_may_be_compressed(path, ending, pack):
    if path.suffix in (".parquet", ".pq"):
        return  # compressed within
    assert ending in COMPRESSED
    packed = path.with_name(path.name + ending)
    packed.write_bytes(pack(path.read_bytes()))
    assert kind_of(packed) == path.suffix
    pd.testing.assert_frame_equal(read_content(packed).frame.astype(object), TABLE.astype(object))
    assert heading(packed) == list(TABLE.columns)


def test_a_file_of_something_else_is_named(path):
    path.write_bytes(b"\x00\x01\x02 this is none of it")
    with refused(DocumentError, file=path.name):
        read_content(path)


def test_an_empty_file_is_named(path):
    path.write_bytes(b"")
    with refused(DocumentError, file=path.name):
        read_content(path)
    with refused(DocumentError, file=path.name):
        heading(path)


def test_an_ending_that_says_nothing(tmp_path):
    file = tmp_path / "table.doc"
    file.write_text("object,value\n")
    with refused(DocumentError, file="table.doc"):
        read_content(file)


def test_lines_that_are_no_rows_are_skipped_and_counted(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("object,value\na,1\nb\nc,2,3\nd,4\n")
    content = read_content(file, skip=True)
    assert content.frame["object"].tolist() == ["a", "d"]
    assert content.unread == 2
    lines = tmp_path / "table.jsonl"
    lines.write_text('{"object": "a"}\n[1]\n{"object": "b"}\n{"obj')
    content = read_content(lines, skip=True)
    assert content.frame["object"].tolist() == ["a", "b"]
    assert content.unread == 2


def test_semicolons_mean_decimal_commas(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("object;value\na;0,5\n")
    content = read_content(file)
    assert content.decimal_comma
    assert content.frame["value"].tolist() == ["0,5"]


def test_fields_of_later_records_are_columns_too():
    start = b'{"object": 1}\n{"value": 2, "object": 3}\n{"cut": "of'
    assert json_lines.fields_of(start, expand(__file__)[0]) == ["object", "value"]


def test_the_first_line_must_say_something(tmp_path):
    file = tmp_path / "table.csv"
    file.write_bytes("\ufeffobject,value\n".encode())
    assert first_line(file) == "object,value"
    file.write_text("\nobject,value\n")
    with refused(DocumentError, file="table.csv"):
        first_line(file)


@pytest.fixture
def further_format(monkeypatch):
    """A format that is entered in ``FORMATS``, and nowhere else: a JSON object of columns."""

    def frame_in(path):
        return pd.DataFrame(json.loads(pathlib.Path(path).read_text(encoding="utf-8")), dtype=object)

    def parts_of(path, _skip, _columns):
        frame = frame_in(path)
        yield Content(frame, numbers=np.arange(1, len(frame) + 1))

    columns_of_lists = Format(
        (".columns",),
        read=lambda path, _skip: Content(frame_in(path)),
        columns=lambda path: list(frame_in(path)),
        stream=parts_of,
        write=lambda frame, _ending: json.dumps(frame.to_dict(orient="list")).encode(),
    )
    monkeypatch.setattr(registry, "FORMATS", (*FORMATS, columns_of_lists))


@pytest.mark.usefixtures("further_format")
@pytest.mark.parametrize("engine", READERS)
def test_a_further_format_is_written_and_read(tmp_path, engine):
    """By every reader, of which DuckDB and dask know nothing of it: as a file, by a pattern, and in a folder."""
    crowd = simulate.gaussian(12, 1, random_state=0)
    frame = crowd.pilot(2).to_frame()
    (folder := tmp_path / "several").mkdir()
    write_table(tmp_path / "plain.csv", frame)
    write_table(tmp_path / "table.columns", frame)
    write_table(folder / "a.columns", frame[:10])
    write_table(folder / "b.columns", frame[10:])
    (folder / "notes.txt").write_text("no table")
    plain = scan_moments(tmp_path / "plain.csv", crowd.labels, engine=engine)
    for source in (tmp_path / "table.columns", folder / "*.columns", folder):
        further = scan_moments(source, crowd.labels, engine=engine)
        np.testing.assert_allclose(further.cross, plain.cross, rtol=1e-9)
        assert further.attributes == plain.attributes


@pytest.mark.usefixtures("further_format")
def test_a_further_format_is_found_in_a_folder_with_others(tmp_path):
    frame = simulate.gaussian(12, 1, random_state=0).pilot(2).to_frame()
    write_table(tmp_path / "a.csv", frame[:10])
    write_table(tmp_path / "b.columns", frame[10:])
    assert len(read_judgments(tmp_path)) == len(frame)
    assert find_tables(tmp_path) == [tmp_path / "a.csv", tmp_path / "b.columns"]


@pytest.mark.usefixtures("further_format")
def test_errors_name_the_ending_of_a_further_format(tmp_path):
    file = tmp_path / "table.doc"
    file.write_text("object,value\n")
    read = [read_judgments, *(partial(scan_moments, labels={"a": 1.0}, engine=engine) for engine in READERS)]
    for source in (file, tmp_path):  # a file of another kind, and a folder without a table
        for reader in read:
            with refused(DocumentError, file=ANYTHING) as caught:
                reader(source)
            assert ".columns" in str(caught.value)
    with refused(DocumentError, value=".doc", file=str(file)) as caught:
        write_table(file, TABLE)
    assert ".columns" in str(caught.value)


@pytest.mark.parametrize("line", ["sep=;", "SEP=;", '"sep=;"', "\ufeffsep=;"])
def test_a_line_that_tells_the_separator_belongs_to_the_heading(line, tmp_path):
    path = tmp_path / "of_excel.csv"
    path.write_text(f"{line}\nobject;value\na, b;1,5\n", encoding="utf-8")
    assert heading(path) == ["object", "value"]
    content = read_content(path)
    assert content.frame.to_numpy().tolist() == [["a, b", "1,5"]]
    assert content.decimal_comma


def test_rows_are_counted_after_a_line_that_tells_the_separator(tmp_path):
    path = tmp_path / "of_excel.csv"
    path.write_text("sep=;\nobject;value\na;1\nb;2;3\n")
    with refused(DocumentError, row=2, value="b;2;3", file="of_excel.csv"):
        read_content(path)


def test_several_columns_may_have_no_name(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("object,value,,\na,1,,\n")
    assert heading(path) == ["object", "value", "Unnamed: 2", "Unnamed: 3"]
    assert read_content(path).frame.shape == (1, 4)


def test_a_title_above_the_heading_is_told(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("Ratings of May\n\nobject,value\na,1\n")
    with refused(DocumentError, file="ratings.csv", row=1):
        read_content(path)


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".arrows"])
def test_text_that_is_not_valid_is_told_in_a_table_with_types(ending, tmp_path):
    """Arrow itself would fail later, or crash Python."""
    path = tmp_path / f"table{ending}"
    write_table(path, pd.DataFrame({"object": ["jar-of-jam"] * 3, "value": [1, 2, 3]}))
    path.write_bytes(path.read_bytes().replace(b"jar-of-jam", b"jar\xff\xffof-jam"))
    with refused(DocumentError, file=path.name):
        read_content(path)


def test_what_another_library_says_stands_on_one_line(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1" + b"\xff" * 60 + b"\x20\0\0\0PAR1")
    with refused(DocumentError, file="table.parquet") as caught:
        read_content(path)
    assert "\n" not in str(caught.value)
