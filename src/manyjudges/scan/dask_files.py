"""Files for dask: tables in files, read piece by piece, each by the worker of a cluster that comes to it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError
from manyjudges.scan.options import ROLES
from manyjudges.scan.texts import names_as_text, values_as_text
from manyjudges.tables import files
from manyjudges.tables.column_types import is_text, type_class
from manyjudges.tables.columns import SYNONYMS, choose_columns
from manyjudges.tables.formats.content import check_distinct, explained
from manyjudges.tables.formats.delimited import decimal_points, heading_of, parse_delimited
from manyjudges.tables.formats.json_lines import fields_of, records_of
from manyjudges.tables.formats.parquet import widened
from manyjudges.tables.formats.paths import (
    COMPRESSED,
    JSON_LINES,
    PARQUET,
    SEPARATORS,
    file_name,
    kind_of,
    opened,
)
from manyjudges.tables.formats.registry import (
    check_content,
    endings,
    find_tables,
    heading,
    stream_content,
    unknown_ending,
)
from manyjudges.tables.formats.text import BEGINNING_BYTES, UTF8, encoding_of
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.pieces import PiecedTable, pieces_of_files

_IN_BLOCKS = (*SEPARATORS, *JSON_LINES, *PARQUET)
"""How names of files end that can be read in blocks; others are read whole."""

BLOCK_BYTES = 1 << 26
"""Bytes of a file that are read at once."""

_LONGEST_HEADING = BEGINNING_BYTES
"""Bytes that a heading may have."""

_NAME_CLASSES = {"text", "whole numbers", "fractions"}
"""What names may be for a cluster to send them around; others are made text, by the one rule for names."""

_UNREAD = "\N{REPLACEMENT CHARACTER}"
"""The value of a line that cannot be read; any text would do that is an answer."""

_HEADINGS_AT_ONCE = 16
"""Headings that are asked for at the same time; a store that is far away answers each of them late."""

_TEXT = pd.StringDtype("pyarrow")

_PANDAS_TYPES: dict[pa.DataType, Any] = {pa.string(): _TEXT} | {
    getattr(pa, name.lower())(): getattr(pd, f"{name}Dtype")()
    for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
}
"""How columns of Arrow become columns of pandas: whole numbers stay such where some are missing."""


class Block(NamedTuple):
    """Part of a file: the lines that begin in some bytes of a text, or some row groups of Parquet.

    A file that is not in UTF-8 is one block, and marked: nothing of it can be read before its beginning is.
    """

    path: str
    start: int = 0
    length: int | None = None
    recoded: bool = False


class File(NamedTuple):
    """What a file is known to have before it is read; types of its columns, where these are in the file."""

    path: str
    columns: Mapping[str, pa.DataType]
    blocks: Sequence[Block]

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """Of columns, where the file has types."""
        return self.columns if kind_of(self.path) in PARQUET else {}


def look_at(source: str | os.PathLike[str], block_size: int = BLOCK_BYTES) -> list[File]:
    """What is known of files before they are read; they have the same columns."""
    paths = _expand(source)
    _check_kinds(paths)
    with ThreadPoolExecutor(_HEADINGS_AT_ONCE) as pool:
        table_files = list(pool.map(partial(_look_at, block_size=block_size), paths))
    _check_same(table_files)
    return table_files


def names_in(table_files: Sequence[File], options: ReadOptions, source: Any) -> tuple[dict[str, str], PiecedTable]:
    """Which column of files is what, and the same files piece by piece."""
    paths = [file.path for file in table_files]
    table = pieces_of_files(paths, options, file_name(paths[0]) if len(paths) == 1 else file_name(source))
    layout = table.layout
    if layout.shape != "long":
        raise JudgmentsError(
            f"{table.name} is {layout.describe().partition(':')[0]}, and a cluster only reads tables with a row for "
            "each judgment. Read it on one machine (engine='duckdb'), or write it with a row for each judgment first.",
            value=layout.shape,
            column="shape",
        )
    return {role: name for role, name in layout.roles.items() if role in ROLES}, table


def frame_of(table_files: Sequence[File], names: Mapping[str, str], *, skip: bool = False) -> Any:
    """The data frame of some files, of which it is known which column is what."""
    import dask.dataframe

    # What is 7 in one file and '7' in another would be sent to different places.
    types = {role: _common(role, [file.columns[name] for file in table_files]) for role, name in names.items()}
    meta = _as_pandas(pa.schema(types).empty_table())
    blocks = [block for file in table_files for block in file.blocks]
    reading = partial(read_block, names=names, types=types, skip=skip)
    return dask.dataframe.from_map(reading, blocks, meta=meta, enforce_metadata=False)


def chosen(frame: Any, asked: Mapping[str, str | None]) -> Any:
    """The columns of a data frame of dask that were asked for, or have usual names, named by what they are."""
    names = choose_columns([str(name) for name in frame.columns], SYNONYMS, asked, optional=("worker",))
    return frame[list(names.values())].rename(columns={name: role for role, name in names.items()})


def read_block(
    block: Block,
    names: Mapping[str, str],
    types: Mapping[str, pa.DataType] | None = None,
    *,
    skip: bool = False,
) -> pd.DataFrame:
    """Some rows of a file. Those of a text are text: what is a number, a name or a yes is decided later."""
    with _explained(block.path):
        if block.recoded or kind_of(block.path) not in _IN_BLOCKS:
            return _as_pandas(_read_whole(block, names, skip))
        if kind_of(block.path) in PARQUET:
            return _as_pandas(_read_groups(block, names, types or {}))
        if kind_of(block.path) in JSON_LINES:
            return _as_pandas(_read_json_lines(block, names, skip))
        return _as_pandas(_read_lines(block, names, skip))


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Say in one line which file cannot be read, and why."""
    with explained(path):
        try:
            yield
        except FileNotFoundError:
            raise DocumentError(
                f"{path} is not there for a worker. All workers need the same files at the same place.",
                file=file_name(path),
            ) from None


def _expand(source: str | os.PathLike[str]) -> list[str]:
    """The files that a path, a pattern or a folder names, as workers find them, who may be in another folder."""
    path = str(os.fspath(source))
    if "://" not in path:
        return [os.path.abspath(file_path) for file_path in find_tables(path)]
    import fsspec

    try:
        opened = fsspec.open_files(path, "rb")
        system = opened.fs
        if not len(opened) or (len(opened) == 1 and not system.exists(opened[0].path)):
            raise DocumentError(f"there is no file {path!r}.", file=path)
        if len(opened) > 1 or not system.isdir(opened[0].path):
            return [file.full_name.removeprefix("file://") for file in opened]
        paths = [system.unstrip_protocol(file_path) for file_path in system.find(opened[0].path)]
    except ManyJudgesError:
        raise
    except Exception as error:  # a store has errors of its own, and so has what must be installed for it
        words = " ".join(str(error).split()).rstrip(".")
        raise DocumentError(f"{path!r} cannot be read: {words or type(error).__name__}.", file=path) from None
    tables = [
        file_path
        for file_path in paths
        if kind_of(file_path) and not PurePosixPath(file_path).name.startswith((".", "_"))
    ]
    if not tables:
        raise DocumentError(f"the folder {path!r} has no table in it.", file=path)
    return tables


def _check_kinds(paths: list[str]) -> None:
    if wrong := [path for path in paths if kind_of(path) not in endings()]:
        raise unknown_ending(wrong[0])


def _check_same(table_files: list[File]) -> None:
    first = table_files[0]
    for file in table_files:
        files.check_same_columns(file.path, file.columns, first.path, first.columns)
    # Other tools write a column into the names of folders, and not into the files.
    folders = {part for file in table_files for part in PurePosixPath(file.path).parent.parts if "=" in part}
    for part in sorted(folders):
        name = part.partition("=")[0]
        if sum(folder.startswith(f"{name}=") for folder in folders) > 1 and name not in first.columns:
            raise DocumentError(
                f"{first.path}: the folders are named by the column {name!r} ({part!r}), which is not in the files. "
                "Write it into them, or give what dask.dataframe.read_parquet makes of the folder.",
                value=part,
                column=name,
            )


def _look_at(path: str, block_size: int) -> File:
    if kind_of(path) not in _IN_BLOCKS:
        return File(path, dict.fromkeys(heading(path), pa.string()), [Block(path)])
    with explained(path):
        if kind_of(path) in PARQUET:
            with opened(path) as stream:
                parquet_file = pyarrow.parquet.ParquetFile(stream)
                check_distinct(parquet_file.schema_arrow.names, path)
                types = {column.name: column.type for column in parquet_file.schema_arrow}
                return File(path, types, _groups(path, parquet_file.metadata, block_size))
        with opened(path) as stream:
            start = stream.read(_LONGEST_HEADING)
        check_content(path, start)
        if encoding_of(path, start) != UTF8:
            return File(path, dict.fromkeys(heading(path), pa.string()), [Block(path, recoded=True)])
        columns = fields_of(start, path) if kind_of(path) in JSON_LINES else heading_of(path, start).names
        # What is compressed cannot be begun in the middle.
        size = 0 if path.lower().endswith(COMPRESSED) else _size(path)
        starts = range(0, size, block_size)
        blocks = [Block(path)] if size <= block_size else [Block(path, begin, block_size) for begin in starts]
        return File(path, dict.fromkeys(columns, pa.string()), blocks)


def _size(path: str) -> int:
    import fsspec

    where = fsspec.open(path, "rb")
    return int(where.fs.size(where.path))


def _groups(path: str, metadata: Any, block_size: int) -> list[Block]:
    """Row groups, as many at once as are no larger than a block."""
    blocks, start, size = [], 0, 0
    for i in range(metadata.num_row_groups):
        more = metadata.row_group(i).total_byte_size
        if i > start and size + more > block_size:
            blocks.append(Block(path, start, i - start))
            start, size = i, 0
        size += more
    return [*blocks, Block(path, start, metadata.num_row_groups - start)]


def _read_groups(block: Block, names: Mapping[str, str], types: Mapping[str, pa.DataType]) -> pa.Table:
    with opened(block.path) as stream:
        file = pyarrow.parquet.ParquetFile(stream)
        end = file.metadata.num_row_groups if block.length is None else block.start + block.length
        table = widened(file.read_row_groups(list(range(block.start, end)), columns=list(names.values())))
    return pa.table({role: _cast(role, table.column(name), types.get(role)) for role, name in names.items()})


def _cast(role: str, column: pa.ChunkedArray, to: pa.DataType | None) -> pa.ChunkedArray:
    if to is None or column.type == to:
        return column
    if role == "value" or not pa.types.is_string(to) or is_text(column.type):
        return column.cast(to)
    return pa.chunked_array([pa.array(names_as_text(column.to_pandas(integer_object_nulls=True)), pa.string())])


def _common(role: str, types: Sequence[pa.DataType]) -> pa.DataType:
    """A type for columns of several: that of all, a number for numbers, and text for all else."""
    plain = {_plain(kind) for kind in types} - {pa.null()}
    held = {type_class(kind) for kind in plain}
    if len(plain) == 1 and (role == "value" or held <= _NAME_CLASSES):
        return plain.pop()
    if plain and held == {"whole numbers"}:
        return pa.int64()
    if plain and held <= ({"whole numbers", "fractions", "decimals"} if role == "value" else _NAME_CLASSES - {"text"}):
        return pa.float64()
    return pa.string()


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type of a column without its packing."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    kind = pa.float32() if pa.types.is_float16(kind) else kind
    return pa.string() if is_text(kind) else kind


def _as_pandas(table: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas(types_mapper=_PANDAS_TYPES.get, ignore_metadata=True)
    return frame


def _read_whole(block: Block, names: Mapping[str, str], skip: bool) -> pa.Table:
    """A file of a format that is only read from its beginning, as text."""
    tables, unread = [pa.table({role: pa.nulls(0, pa.string()) for role in names})], 0
    for content in stream_content(block.path, skip=skip, columns=list(dict.fromkeys(names.values()))):
        unread += content.unread
        cells = content.frame.reindex(columns=list(dict.fromkeys(names.values())))
        texts = {
            role: values_as_text(cells[name].to_numpy()) if role == "value" else names_as_text(cells[name].to_numpy())
            for role, name in names.items()
        }
        tables.append(pa.table(texts | ({"value": decimal_points(texts["value"])} if content.decimal_comma else {})))
    return _with_unread(pa.concat_tables(tables), unread)


def _read_json_lines(block: Block, names: Mapping[str, str], skip: bool) -> pa.Table:
    with opened(block.path) as stream:
        data = _bytes_of(stream, block, b"\n")
    # Which line of the file a line of a block is, nobody knows. Lines do not end at U+2028.
    records, _, unread = records_of(data.split(b"\n"), block.path, skip=skip, first=1 if block.start == 0 else 2)
    columns = {}
    for role, name in names.items():
        cells = [record.get(name) for record in records]
        columns[role] = values_as_text(_objects(cells)) if role == "value" else names_as_text(cells)
    return _with_unread(pa.table(columns), unread)


def _bytes_of(stream: Any, block: Block, newline: bytes) -> bytes:
    """The lines that begin in a block, whole."""
    from fsspec.utils import read_block as lines_of

    if block.length is None:
        return bytes(stream.read())
    return bytes(lines_of(stream, block.start, block.length, newline))


def _with_unread(table: pa.Table, unread: int) -> pa.Table:
    """Lines that cannot be read, as rows of nothing that is a name, which are skipped and counted with invalid rows."""
    if not unread:
        return table
    columns = {name: pa.nulls(unread, pa.string()) for name in table.column_names}
    return pa.concat_tables([table, pa.table(columns | {"value": pa.array([_UNREAD] * unread, pa.string())})])


def _objects(cells: list[Any]) -> Any:
    """Cells of any type as an array."""
    array = np.empty(len(cells), dtype=np.object_)
    array[:] = cells
    return array


def _read_lines(block: Block, names: Mapping[str, str], skip: bool) -> pa.Table:
    with opened(block.path) as stream:
        heading = heading_of(block.path, stream.read(_LONGEST_HEADING))
    with opened(block.path) as stream:
        data = _bytes_of(stream, block, heading.newline)
    if block.length is not None and data.count(b'"') % 2:
        # The block may end, and the next begin, within quotes; lines there could be taken for rows.
        raise DocumentError(
            f"{file_name(block.path)}, from byte {block.start:,}: a quotation mark is alone, or a line breaks within "
            f"quotes where a block of {block.length:,} bytes ends. Write smaller files, or Parquet.",
            file=file_name(block.path),
        )
    table, unread = parse_delimited(data, heading, file_name(block.path), skip=skip, first=block.start == 0)
    columns = {role: table.column(name) for role, name in names.items()}
    if heading.separator == ";":  # where spreadsheets write 3,5
        columns["value"] = decimal_points(columns["value"])
    return _with_unread(pa.table(columns), unread)
