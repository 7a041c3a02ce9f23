"""Pieces: tables in files, read piece by piece, each by the worker of a cluster that comes to it."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

from manyjudges.exceptions import DocumentError, name_some, shown
from manyjudges.files import COMPRESSED, PARQUET, SEPARATORS, SYNONYMS, choose_columns

SIZE = 1 << 26
"""Bytes of a file of text that are read at once."""

LONGEST = 1 << 16
"""Bytes that a heading may have."""

TEXT = pd.StringDtype("pyarrow")


class Block(NamedTuple):
    """Some bytes of a file: the lines that begin in them."""

    path: str
    start: int = 0
    length: int | None = None


def read(source: str | os.PathLike[str], asked: Mapping[str, str | None]) -> Any:
    """A data frame of dask with the columns object, attribute, value and, if known, worker.

    Parameters
    ----------
    source : path
        Of a file or a pattern, here or in an object store.
    asked : mapping
        Names of the columns, as for :func:`manyjudges.files.choose_columns`.
    """
    path = str(os.fspath(source))
    path = path if "://" in path else os.path.abspath(path)  # workers may be in another folder
    filesystem, paths = _expand(path)
    kind = kind_of(paths[0])
    if kind in PARQUET:
        import dask.dataframe

        return chosen(dask.dataframe.read_parquet(path, index=False), asked)
    if kind not in SEPARATORS:
        known = ", ".join([*SEPARATORS, *PARQUET])
        raise DocumentError(f"{shown(source)}: a cluster reads files whose names end in one of {known}.")
    return _read_text(filesystem, paths, asked)


def chosen(frame: Any, asked: Mapping[str, str | None]) -> Any:
    """The columns of a data frame of dask that were asked for, or have usual names, named by what they are."""
    names = choose_columns([str(name) for name in frame.columns], SYNONYMS, asked, optional=("worker",))
    return frame[list(names.values())].rename(columns={name: role for role, name in names.items()})


def kind_of(path: str) -> str:
    """The ending of a file's name, compressed or not."""
    suffixes = [suffix.lower() for suffix in PurePosixPath(path).suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in COMPRESSED), "")


def _expand(path: str) -> tuple[Any, list[str]]:
    import fsspec

    opened = fsspec.open_files(path, "rb")
    if not len(opened) or (len(opened) == 1 and not opened.fs.exists(opened[0].path)):
        raise DocumentError(f"there is no file {path!r}.")
    return opened.fs, [file.full_name.removeprefix("file://") for file in opened]


def _read_text(filesystem: Any, paths: list[str], asked: Mapping[str, str | None]) -> Any:
    import dask.dataframe

    with _opened(paths[0]) as stream:
        heading, _ = heading_of(stream.readline(LONGEST), paths[0])
    names = choose_columns(heading, SYNONYMS, asked, optional=("worker",))
    blocks = [block for path in paths for block in _blocks(path, filesystem)]
    meta = pd.DataFrame({role: pd.Series([], dtype=TEXT) for role in names})
    return dask.dataframe.from_map(partial(read_block, names=names), blocks, meta=meta, enforce_metadata=False)


def _blocks(path: str, filesystem: Any) -> list[Block]:
    if path.lower().endswith(COMPRESSED):
        return [Block(path)]  # cannot be begun in the middle
    size = int(filesystem.size(path))
    return [Block(path)] if size <= SIZE else [Block(path, start, SIZE) for start in range(0, size, SIZE)]


def read_block(block: Block, names: Mapping[str, str]) -> pd.DataFrame:
    """Some lines of a file, all as text: what is a number, a name or a yes is decided later."""
    from fsspec.utils import read_block as lines_of

    with _opened(block.path) as stream:
        heading, separator = heading_of(stream.readline(LONGEST), block.path)
        stream.seek(0)
        data = stream.read() if block.length is None else lines_of(stream, block.start, block.length, b"\n")
    if missing := [name for name in names.values() if name not in heading]:
        raise DocumentError(
            f"{block.path} has no column {name_some(missing)}; its columns are {name_some(heading, most=10)}. "
            "All files must have the same."
        )
    if block.length is not None and data.count(b'"') % 2:
        # The block may end, and the next begin, within quotes; lines there could be taken for rows.
        raise DocumentError(
            f"{block.path}, from byte {block.start:,}: a quotation mark is alone, or a line breaks within quotes. "
            f"Files of more than {SIZE:,} bytes must not have that; write smaller files, or Parquet."
        )
    try:
        table = _parsed(data, heading, separator, names, first=block.start == 0)
    except (pa.ArrowException, UnicodeError) as error:
        words = " ".join(str(error).split()).rstrip(".")
        raise DocumentError(f"{block.path}, from byte {block.start:,}, cannot be read: {words}.") from None
    frame: pd.DataFrame = table.to_pandas(types_mapper={pa.string(): TEXT}.get)
    return frame


def _parsed(data: bytes, heading: list[str], separator: str, names: Mapping[str, str], *, first: bool) -> pa.Table:
    if not data.strip() or (first and b"\n" not in data.strip()):
        return pa.table({role: pa.array([], pa.string()) for role in names})
    table = pyarrow.csv.read_csv(
        pa.BufferReader(data),
        read_options=pyarrow.csv.ReadOptions(column_names=heading, skip_rows=int(first)),
        parse_options=pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(heading, pa.string()),
            strings_can_be_null=False,
            include_columns=list(names.values()),
        ),
    )
    columns = {role: table.column(name) for role, name in names.items()}
    if separator == ";":  # where spreadsheets write 3,5
        columns["value"] = pyarrow.compute.replace_substring(columns["value"], ",", ".")
    return pa.table(columns)


def heading_of(line: bytes, path: str) -> tuple[list[str], str]:
    """Names of a file's columns, and what separates them."""
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError(f"{path} is UTF-16 text; save it as UTF-8.")
    text = line.decode("utf-8-sig", errors="replace").strip("\r\n")
    if not text.strip():
        raise DocumentError(f"{path} is empty, or its first line is: that line must name the columns.")
    separator = SEPARATORS[kind_of(path)]
    if separator == "," and "," not in text and ";" in text:
        separator = ";"
    names = next(csv.reader([text], delimiter=separator))
    if twice := {name for name in names if names.count(name) > 1}:
        raise DocumentError(f"{path} has more than one column {name_some(sorted(twice))}; rename one.")
    return names, separator


def _opened(path: str) -> Any:
    import fsspec

    return fsspec.open(path, "rb", compression="infer")
