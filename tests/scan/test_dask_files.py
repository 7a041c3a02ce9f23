from __future__ import annotations

import contextlib
import gzip

import dask
import fsspec
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.scan import dask_files
from manyjudges.scan.dask_files import Block, read_block
from manyjudges.tables.formats.delimited import heading_of
from manyjudges.tables.reading.options import ReadOptions
from tests.support.clustered import scatter
from tests.support.messages import refused

ROLES = ("object", "attribute", "value", "worker")
NAMES = {role: role for role in ROLES}


def read(source, *, block_size=dask_files.BLOCK_BYTES, **reading):
    """Files as a frame of dask."""
    files = dask_files.look_at(source, block_size)
    names, _ = dask_files.names_in(files, ReadOptions.of(**reading), source)
    return dask_files.frame_of(files, names)


def rows_of(source, *, block_size=dask_files.BLOCK_BYTES, **reading):
    with dask.config.set(scheduler="sync"):
        found = read(source, block_size=block_size, **reading).compute()
    return sorted(map(tuple, found[list(ROLES)].astype(str).to_numpy().tolist()))


def rows_in(frame):
    return sorted(map(tuple, frame[list(ROLES)].astype(str).to_numpy().tolist()))


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".parquet"])
def test_every_row_is_read_once(frame, tmp_path, ending):
    options = {"sep": "\t"} if ending == ".tsv" else {}
    assert rows_of(scatter(frame, tmp_path, 2, ending, **options), block_size=40) == rows_in(frame)


def test_json_lines_are_read_in_blocks(frame, tmp_path):
    path = tmp_path / "a.jsonl"
    frame.to_json(path, orient="records", lines=True)
    assert rows_of(path, block_size=40) == rows_of(path) == rows_in(frame)


@given(st.integers(1, 300), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.booleans())
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
    with refused(DocumentError, file="memory://other/part-*.csv"):
        rows_of("memory://other/part-*.csv")


def test_spreadsheets_with_semicolons(frame, tmp_path):
    frame["value"] = frame["value"].replace("10", "10,5")
    frame.to_csv(tmp_path / "a.csv", index=False, sep=";")
    frame["value"] = frame["value"].replace("10,5", "10.5")
    assert rows_of(tmp_path / "a.csv") == rows_in(frame)


@pytest.mark.parametrize(
    ("written", "read"),
    [("3,5", "3.5"), (" -3,5 ", " -3.5 "), ("1,234,5", "1,234,5"), ("1,5e3", "1,5e3"), (",5", ",5"), ("a,b", "a,b")],
)
def test_a_comma_is_a_point_in_a_decimal_alone(tmp_path, written, read):
    (tmp_path / "a.csv").write_text(f"object;attribute;value;worker\njar 1;beans;{written};ann\n")
    assert rows_of(tmp_path / "a.csv") == [("jar 1", "beans", read, "ann")]


def test_columns_are_found_by_name_in_every_file(frame, tmp_path):
    frame[:6].to_csv(tmp_path / "a.csv", index=False)
    frame[6:].to_csv(tmp_path / "b.csv", index=False, columns=["value", "worker", "attribute", "object"])
    assert rows_of(tmp_path / "*.csv") == rows_in(frame)
    frame.rename(columns={"object": "item", "value": "points"}).to_csv(tmp_path / "c.csv", index=False)
    assert rows_of(tmp_path / "c.csv", value="points") == rows_in(frame)
    with refused(JudgmentsError, column="value"):
        rows_of(tmp_path / "c.csv")


@pytest.mark.parametrize("size", range(30, 500, 37))
def test_lines_that_break_within_quotes(frame, tmp_path, size):
    """They are read as they are, or refused; what is quoted is never taken for a row."""
    frame["worker"] = "ann\njar 9,beans,bob,7"
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert rows_of(tmp_path / "a.csv") == rows_in(frame)
    with contextlib.suppress(DocumentError):
        assert rows_of(tmp_path / "a.csv", block_size=size) == rows_in(frame)


def test_a_line_that_breaks_where_two_blocks_meet(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('object,attribute,value,worker\njar 1,beans,1,"ann\njar 9,beans,7,bob"\n')
    with refused(DocumentError, file="a.csv"):
        rows_of(path, block_size=40)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n\n",
        "object,object,value\n",
        "object,attribute,value\na,b,1,2\n",
        "object,attribute,value\na,b\n",
        "object,attribute,value\na,b,1\n".encode("utf-16")[:-1],
        "object,attribute,value\nä,ü,1\n".encode() + b"\xe9,b,1\n",
    ],
)
def test_files_that_cannot_be_read(tmp_path, content):
    path = tmp_path / "a.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with refused(DocumentError, file="a.csv"):
        rows_of(path, worker=None)


def test_files_that_are_not_there_or_of_another_kind(tmp_path):
    with refused(DocumentError, file=str(tmp_path / "a.csv")):
        rows_of(tmp_path / "a.csv")
    (tmp_path / "a.xlsx").write_text("x")
    with refused(DocumentError, file="a.xlsx"):
        rows_of(tmp_path / "a.xlsx")


def test_a_heading_alone_has_no_rows(tmp_path):
    path = tmp_path / "a.csv"
    for text in ("object,attribute,value,worker", "object,attribute,value,worker\r\n"):
        path.write_text(text)
        assert len(read_block(Block(str(path)), NAMES)) == 0
    assert heading_of("x.csv", b'object,"a, b"\n')[:4] == (["object", "a, b"], ",", 1, b"\n")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("first", [0, 1])
def test_a_column_that_only_some_files_have(frame, tmp_path, ending, first):
    """Who judged twice would slip through where the first file names nobody."""
    for i, part in enumerate([frame, frame.drop(columns="worker")]):
        scatter(part, tmp_path, 1, ending)
        (tmp_path / f"part-0{ending}").rename(tmp_path / f"p{(i + first) % 2}{ending}")
    with refused(DocumentError, value="worker"):
        rows_of(tmp_path / f"p*{ending}")


def test_parquet_is_read_by_row_groups(frame, tmp_path):
    path = tmp_path / "a.parquet"
    frame.to_parquet(path, index=False, row_group_size=3)
    size = pyarrow.parquet.read_metadata(path).row_group(0).total_byte_size
    for limit, n_blocks in ((1, 4), (2 * size + 10, 2), (1 << 20, 1)):
        assert read(path, block_size=limit).npartitions == n_blocks
        assert rows_of(path, block_size=limit) == rows_in(frame)
    frame[:0].to_parquet(path, index=False)
    assert rows_of(path) == []


def test_whole_numbers_of_parquet_stay_such_where_one_is_missing(tmp_path):
    names = pa.array([2**60 + 1, None], pa.int64())
    for metadata in (None, {"other": "tool"}):
        table = pa.table({"object": names, "attribute": names, "value": [1.0, 2.0], "worker": names})
        pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), tmp_path / "a.parquet")
        found = read(tmp_path / "a.parquet").compute(scheduler="sync")
        assert [found[role].iloc[0] for role in NAMES] == [2**60 + 1, 2**60 + 1, 1.0, 2**60 + 1]
        assert found["object"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("types", "dtype", "values"),
    [
        ([pa.int64(), pa.string()], "string", ["7", "7"]),
        ([pa.string(), pa.float64()], "string", ["7", "7"]),
        ([pa.int32(), pa.uint8()], "Int64", [7, 7]),
        ([pa.int64(), pa.float64()], "float64", [7.0, 7.0]),
        ([pa.null(), pa.int64()], "Int64", [None, 7]),
        ([pa.dictionary(pa.int32(), pa.string()), pa.large_string()], "string", ["7", "7"]),
        ([pa.null(), pa.null()], "string", [None, None]),
    ],
)
def test_a_name_is_of_one_kind_in_all_files(tmp_path, types, dtype, values):
    for i, kind in enumerate(types):
        name = None if kind == pa.null() else 7
        column = pa.array([name]).cast(pa.string()) if "string" in str(kind) else pa.array([name])
        table = pa.table({"object": column.cast(kind), "attribute": ["a"], "value": [1.0], "worker": ["w"]})
        pyarrow.parquet.write_table(table, tmp_path / f"p{i}.parquet")
    frame = read(tmp_path / "*.parquet")
    assert frame.dtypes["object"] == dtype
    found = [None if pd.isna(name) else name for name in frame["object"].compute(scheduler="sync")]
    assert found == values


def test_what_is_missing_is_not_named_nan(tmp_path):
    for i, names in enumerate([[7.0, float("nan")], ["7", "8"]]):
        frame = pd.DataFrame({"object": names, "attribute": "a", "value": 1.0, "worker": "w"})
        frame.to_parquet(tmp_path / f"p{i}.parquet", index=False)
    found = read(tmp_path / "*.parquet")["object"].compute(scheduler="sync")
    assert found.isna().sum() == 1
    assert found.dropna().tolist() == ["7", "7", "8"]


def test_numbers_that_floats_do_not_have(tmp_path):
    for i, name in enumerate([2**60 + 1, 0.5]):
        frame = pd.DataFrame({"object": [name], "attribute": "a", "value": 1.0, "worker": "w"})
        frame.to_parquet(tmp_path / f"p{i}.parquet", index=False)
    with refused(DocumentError, file="p0.parquet"):
        rows_of(tmp_path / "*.parquet")


def test_folders(frame, tmp_path):
    folder = tmp_path / "x.parquet"
    folder.mkdir()
    scatter(frame, folder, 3, ".parquet")
    (folder / "_SUCCESS").touch()
    assert rows_of(folder) == rows_in(frame)
    assert rows_of(f"file://{folder}") == rows_in(frame)
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", f"file://{tmp_path / 'empty'}"):
        with refused(DocumentError):
            rows_of(path)


def test_folders_that_are_named_by_a_column(frame, tmp_path):
    for name, rows in frame.groupby("attribute"):
        (tmp_path / f"attribute={name}").mkdir()
        rows.to_parquet(tmp_path / f"attribute={name}" / "a.parquet", index=False)
    assert rows_of(tmp_path) == rows_in(frame)
    for name, rows in frame.groupby("attribute"):
        rows.drop(columns="attribute").to_parquet(tmp_path / f"attribute={name}" / "a.parquet", index=False)
    with refused(DocumentError, value="attribute=beans", column="attribute"):
        rows_of(tmp_path)


def test_files_of_several_kinds(frame, tmp_path):
    scatter(frame, tmp_path, 1, ".csv")
    scatter(frame, tmp_path, 1, ".parquet")
    assert len(rows_of(tmp_path / "part-*")) == 2 * len(frame)


@pytest.mark.parametrize("n", [0, 1])
def test_a_damaged_file_is_named(frame, tmp_path, n):
    """Whether it is the first, whose columns are looked at, or another."""
    whole = frame.to_csv(index=False).encode()
    damaged = {
        ".csv.gz": [gzip.compress(whole)[:-50], whole],
        ".parquet": [b"", b"PAR1", b"PAR1" + b"x" * 100 + b"PAR1"],
    }
    for ending, contents in damaged.items():
        for content in contents:
            scatter(frame, tmp_path, 2, ending)
            (tmp_path / f"part-{n}{ending}").write_bytes(content)
            with refused(DocumentError):
                rows_of(tmp_path / f"part-*{ending}")


def test_a_file_that_is_damaged_in_the_middle_is_named(frame, tmp_path):
    scatter(frame, tmp_path, 2, ".parquet")
    path = tmp_path / "part-1.parquet"
    content = bytearray(path.read_bytes())
    content[10:200] = b"\xff" * 190
    path.write_bytes(content)
    with refused(DocumentError, file="part-1.parquet"):
        rows_of(tmp_path / "*.parquet")


@pytest.mark.parametrize("store", ["nonsense://bucket/x.csv", "hdfs://nowhere/x.csv"])
def test_stores_that_cannot_be_read(store):
    with refused(DocumentError, file=store):
        rows_of(store)
