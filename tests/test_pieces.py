from __future__ import annotations

import contextlib

import dask
import fsspec
import pandas as pd
import pytest
from clustered import scatter
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import DocumentError, JudgmentsError, pieces
from manyjudges.pieces import Block, heading_of, read_block

ROLES = ("object", "attribute", "value", "worker")
ASKED = dict.fromkeys(ROLES, "auto")
NAMES = {role: role for role in ROLES}
INPLACE = "ignore:The inplace keyword"  # of dask's reader of Parquet, as pandas 3.1 has it


def rows_of(source, **asked):
    with dask.config.set(scheduler="sync"):
        found = pieces.read(source, ASKED | asked).compute()
    return sorted(map(tuple, found[list(ROLES)].astype(str).to_numpy().tolist()))


def rows_in(frame):
    return sorted(map(tuple, frame[list(ROLES)].astype(str).to_numpy().tolist()))


@pytest.mark.filterwarnings(INPLACE)
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".parquet"])
def test_every_row_is_read_once(frame, tmp_path, ending, monkeypatch):
    monkeypatch.setattr(pieces, "SIZE", 40)
    options = {"sep": "\t"} if ending == ".tsv" else {}
    assert rows_of(scatter(frame, tmp_path, 2, ending, **options)) == rows_in(frame)


@given(st.integers(1, 300), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_wherever_blocks_end(size, newline, last, mark):
    lines = [f"jar {i},beans,{i * 1000},ann" for i in range(12)]
    text = newline.join(["object,attribute,value,worker", *lines]) + newline * last
    data = text.encode("utf-8-sig" if mark else "utf-8")
    with fsspec.open("memory://blocks.csv", "wb") as file:
        file.write(data)
    parts = [Block("memory://blocks.csv", start, size) for start in range(0, len(data), size)]
    found = pd.concat([read_block(part, NAMES) for part in parts])
    assert found["object"].tolist() == [f"jar {i}" for i in range(12)]
    assert found["value"].tolist() == [str(i * 1000) for i in range(12)]


def test_object_stores_are_read(frame):
    with fsspec.open("memory://store/part-0.csv", "w") as file:
        frame.to_csv(file, index=False)
    assert rows_of("memory://store/part-*.csv") == rows_in(frame)
    with pytest.raises(DocumentError, match=r"there is no file 'memory://other/part-\*.csv'"):
        rows_of("memory://other/part-*.csv")


def test_spreadsheets_with_semicolons(frame, tmp_path):
    frame["value"] = frame["value"].replace("10", "10,5")
    frame.to_csv(tmp_path / "a.csv", index=False, sep=";")
    frame["value"] = frame["value"].replace("10,5", "10.5")
    assert rows_of(tmp_path / "a.csv") == rows_in(frame)


def test_columns_are_found_by_name_in_every_file(frame, tmp_path):
    frame[:6].to_csv(tmp_path / "a.csv", index=False)
    frame[6:].to_csv(tmp_path / "b.csv", index=False, columns=["value", "worker", "attribute", "object"])
    assert rows_of(tmp_path / "*.csv") == rows_in(frame)
    frame.rename(columns={"object": "item", "value": "points"}).to_csv(tmp_path / "c.csv", index=False)
    assert rows_of(tmp_path / "c.csv", value="points") == rows_in(frame)
    with pytest.raises(JudgmentsError, match="no column for the value; the columns are 'item'"):
        rows_of(tmp_path / "c.csv")
    with pytest.raises(DocumentError, match=r"c.csv has no column 'object', 'value'; its columns are 'item', "):
        rows_of(tmp_path / "*.csv")


@pytest.mark.parametrize("size", range(30, 500, 37))
def test_lines_that_break_within_quotes(frame, tmp_path, monkeypatch, size):
    """They are read as they are, or refused; what is quoted is never taken for a row."""
    frame["worker"] = "ann\njar 9,beans,bob,7"
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert rows_of(tmp_path / "a.csv") == rows_in(frame)
    monkeypatch.setattr(pieces, "SIZE", size)
    with contextlib.suppress(DocumentError):
        assert rows_of(tmp_path / "a.csv") == rows_in(frame)


def test_a_line_that_breaks_where_two_blocks_meet(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text('object,attribute,value,worker\njar 1,beans,1,"ann\njar 9,beans,7,bob"\n')
    monkeypatch.setattr(pieces, "SIZE", 40)
    with pytest.raises(DocumentError, match=r"a.csv, from byte \d+: .* a line breaks.* more than 40 bytes"):
        rows_of(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty, or its first line is"),
        ("\n\n", "is empty, or its first line is"),
        ("object,object,value\n", "more than one column 'object'"),
        ("object,attribute,value\na,b,1,2\n", "from byte 0, cannot be read: .*Expected 3 columns, got 4"),
        ("object,attribute,value\na,b\n", "from byte 0, cannot be read: .*Expected 3 columns, got 2"),
        (b"\xff\xfeo\x00", "is UTF-16 text"),
        (b"object,attribute,value\n\xe9,b,1\n", "from byte 0, cannot be read: .*UTF8"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, content, message):
    path = tmp_path / "a.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DocumentError, match=message):
        rows_of(path, worker=None)


def test_files_that_are_not_there_or_of_another_kind(tmp_path):
    with pytest.raises(DocumentError, match="there is no file"):
        rows_of(tmp_path / "a.csv")
    (tmp_path / "a.xlsx").write_text("x")
    with pytest.raises(DocumentError, match=r"reads files whose names end in one of \.csv, \.tsv, \.tab, \.parquet"):
        rows_of(tmp_path / "a.xlsx")


def test_a_heading_alone_has_no_rows(tmp_path):
    path = tmp_path / "a.csv"
    for text in ("object,attribute,value,worker", "object,attribute,value,worker\r\n"):
        path.write_text(text)
        assert len(read_block(Block(str(path)), NAMES)) == 0
    assert heading_of(b'object,"a, b"\n', "x.csv") == (["object", "a, b"], ",")
