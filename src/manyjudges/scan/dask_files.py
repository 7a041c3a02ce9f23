"""Files for dask: tables in files, read piece by piece, each by the worker of a cluster that comes to it."""

from __future__ import annotations

import csv
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from manyjudges.base.messages import list_names, quote_path
from manyjudges.exceptions import DocumentError, ManyJudgesError
from manyjudges.tables import files
from manyjudges.tables.columns import SYNONYMS, choose_columns
from manyjudges.tables.formats.delimited import parse_delimited
from manyjudges.tables.formats.json_lines import fields_of, records_of
from manyjudges.tables.formats.paths import COMPRESSED, JSON_LINES, PARQUET, SEPARATORS, expand, kind_of
from manyjudges.tables.grammar import BLANK, DECIMAL_COMMA

KINDS = (*SEPARATORS, *JSON_LINES, *PARQUET)
"""How names of files end that can be read."""

SIZE = 1 << 26
"""Bytes of a file that are read at once."""

LONGEST = 1 << 16
"""Bytes that a heading may have."""

AT_ONCE = 16
"""Headings that are asked for at the same time; a store that is far away answers each of them late."""

TEXT = pd.StringDtype("pyarrow")

TYPES: dict[pa.DataType, Any] = {pa.string(): TEXT} | {
    getattr(pa, name.lower())(): getattr(pd, f"{name}Dtype")()
    for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
}
"""How columns of Arrow become columns of pandas: whole numbers stay such where some are missing."""


class Block(NamedTuple):
    """Part of a file: the lines that begin in some bytes of a text, or some row groups of Parquet."""

    path: str
    start: int = 0
    length: int | None = None


class _File(NamedTuple):
    """What a file is known to have before it is read."""

    path: str
    columns: Mapping[str, pa.DataType]
    blocks: Sequence[Block]


class Heading(NamedTuple):
    """The first line of a text: names of columns, what separates them, and what ends the line."""

    names: list[str]
    separator: str
    newline: bytes = b"\n"


def read(
    source: str | os.PathLike[str], asked: Mapping[str, str | None], *, skip: bool = False, block_size: int = SIZE
) -> Any:
    """A data frame of dask with the columns object, attribute, value and, if known, worker.

    Parameters
    ----------
    source : path
        Of a file, of a folder of such, or a pattern, here or in an object store.
    asked : mapping
        Names of the columns, as for :func:`manyjudges.tables.columns.choose_columns`.
    skip : bool
        Whether lines that cannot be read become rows without names and values. Otherwise they are an error.
    block_size : int
        Bytes of a file that are read at once.
    """
    import dask.dataframe

    paths = _expand(source)
    _check_kinds(source, paths)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(partial(_look_at, block_size=block_size), paths))
    _check_same(found)
    names = choose_columns(list(found[0].columns), SYNONYMS, asked, optional=("worker",))
    # What is 7 in one file and '7' in another would be sent to different places.
    types = {role: _common(file.columns[name] for file in found) for role, name in names.items()}
    meta = _as_pandas(pa.schema(types).empty_table())
    blocks = [block for file in found for block in file.blocks]
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
    if _kind_of(block.path) in PARQUET:
        with _explained(block.path):
            return _as_pandas(_read_groups(block, names, types or {}))
    with _explained(block.path, f", from byte {block.start:,},"):
        if _kind_of(block.path) in JSON_LINES:
            return _as_pandas(_read_json_lines(block, names, skip))
        return _as_pandas(_read_lines(block, names, skip))


def _kind_of(path: str) -> str:
    """The ending of a file's name, compressed or not."""
    return kind_of(Path(path))


@contextmanager
def _explained(path: str, where: str = "") -> Iterator[None]:
    """Say in one line which file cannot be read, and why."""
    try:
        yield
    except ManyJudgesError:
        raise
    except FileNotFoundError:
        raise DocumentError(
            f"{path} is not there for a worker. All workers need the same files at the same place."
        ) from None
    except (OSError, EOFError, zlib.error, pa.ArrowException, UnicodeError) as error:
        words = " ".join(str(getattr(error, "strerror", None) or error).split()).rstrip(".")
        remedy = " It is not UTF-8 text; save it as UTF-8." if "utf" in words.lower() else ""
        raise DocumentError(f"{path}{where} cannot be read: {words}.{remedy}", file=path) from None


def _expand(source: str | os.PathLike[str]) -> list[str]:
    """The files that a path, a pattern or a folder names, as workers find them, who may be in another folder."""
    path = str(os.fspath(source))
    if "://" not in path:
        return [os.path.abspath(each) for each in expand(path, folders=True)]
    import fsspec

    try:
        opened = fsspec.open_files(path, "rb")
        system = opened.fs
        if not len(opened) or (len(opened) == 1 and not system.exists(opened[0].path)):
            raise DocumentError(f"there is no file {path!r}.")
        if len(opened) > 1 or not system.isdir(opened[0].path):
            return [file.full_name.removeprefix("file://") for file in opened]
        found = [system.unstrip_protocol(each) for each in system.find(opened[0].path)]
    except ManyJudgesError:
        raise
    except Exception as error:  # a store has errors of its own, and so has what must be installed for it
        words = " ".join(str(error).split()).rstrip(".")
        raise DocumentError(f"{path!r} cannot be read: {words or type(error).__name__}.") from None
    tables = [each for each in found if _kind_of(each) and not PurePosixPath(each).name.startswith((".", "_"))]
    if not tables:
        raise DocumentError(f"the folder {path!r} has no table in it.")
    return tables


def _check_kinds(source: Any, paths: list[str]) -> None:
    kinds = {_kind_of(path): path for path in paths}
    if wrong := [path for kind, path in kinds.items() if kind not in KINDS]:
        known = ", ".join(KINDS)
        raise DocumentError(f"{quote_path(wrong[0])}: a cluster reads files whose names end in one of {known}.")
    if len({(kind in PARQUET, kind in JSON_LINES) for kind in kinds}) > 1:
        raise DocumentError(
            f"{quote_path(source)} are files of several kinds, {', '.join(sorted(kinds))}; name those of one kind."
        )


def _check_same(found: list[_File]) -> None:
    first = found[0]
    for file in found:
        files.check_same_columns(Path(file.path), file.columns, Path(first.path), first.columns)
    # Other tools write a column into the names of folders, and not into the files.
    told = {part for file in found for part in PurePosixPath(file.path).parent.parts if "=" in part}
    for part in sorted(told):
        name = part.partition("=")[0]
        if sum(each.startswith(f"{name}=") for each in told) > 1 and name not in first.columns:
            raise DocumentError(
                f"{first.path}: the folders are named by the column {name!r} ({part!r}), which is not in the files. "
                "Write it into them, or give what dask.dataframe.read_parquet makes of the folder."
            )


def _look_at(path: str, block_size: int) -> _File:
    with _explained(path):
        if _kind_of(path) in PARQUET:
            with _opened(path) as stream:
                about = pyarrow.parquet.ParquetFile(stream)
                _check_distinct(about.schema_arrow.names, path)
                return _File(
                    path,
                    {each.name: each.type for each in about.schema_arrow},
                    _groups(path, about.metadata, block_size),
                )
        opened = _opened(path)
        with opened as stream:
            start = stream.read(LONGEST)
        lines = _kind_of(path) in JSON_LINES
        columns = fields_of(start, Path(path)) if lines else heading_of(start, path).names
        # What is compressed cannot be begun in the middle.
        size = 0 if path.lower().endswith(COMPRESSED) else int(opened.fs.size(opened.path))
        starts = range(0, size, block_size)
        blocks = [Block(path)] if size <= block_size else [Block(path, begin, block_size) for begin in starts]
        return _File(path, dict.fromkeys(columns, pa.string()), blocks)


def _groups(path: str, about: Any, block_size: int) -> list[Block]:
    """Row groups, as many at once as are no larger than a block."""
    blocks, start, size = [], 0, 0
    for i in range(about.num_row_groups):
        more = about.row_group(i).total_byte_size
        if i > start and size + more > block_size:
            blocks.append(Block(path, start, i - start))
            start, size = i, 0
        size += more
    return [*blocks, Block(path, start, about.num_row_groups - start)]


def _read_groups(block: Block, names: Mapping[str, str], types: Mapping[str, pa.DataType]) -> pa.Table:
    with _opened(block.path) as stream:
        file = pyarrow.parquet.ParquetFile(stream)
        end = file.metadata.num_row_groups if block.length is None else block.start + block.length
        table = file.read_row_groups(list(range(block.start, end)), columns=list(names.values()))
    return pa.table({role: _cast(table.column(name), types.get(role)) for role, name in names.items()})


def _cast(column: pa.ChunkedArray, to: pa.DataType | None) -> pa.ChunkedArray:
    if to is None or column.type == to:
        return column
    if pa.types.is_floating(column.type) and pa.types.is_string(to):  # what is missing has no name
        column = pyarrow.compute.if_else(pyarrow.compute.is_nan(column), pa.scalar(None, column.type), column)
    return column.cast(to)


def _common(types: Iterable[pa.DataType]) -> pa.DataType:
    """A type for columns of several: that of all, a number for numbers, and text for all else."""
    plain = {_plain(each) for each in types} - {pa.null()}
    if len(plain) == 1:
        return plain.pop()
    if plain and all(map(pa.types.is_integer, plain)):
        return pa.int64()
    if plain and all(pa.types.is_integer(each) or pa.types.is_floating(each) for each in plain):
        return pa.float64()
    return pa.string()


def _plain(kind: pa.DataType) -> pa.DataType:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) else kind


def _as_pandas(table: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas(types_mapper=TYPES.get, ignore_metadata=True)
    return frame


def _read_json_lines(block: Block, names: Mapping[str, str], skip: bool) -> pa.Table:
    from fsspec.utils import read_block as lines_of

    with _opened(block.path) as stream:
        data = stream.read() if block.length is None else lines_of(stream, block.start, block.length, b"\n")
    # Which line of the file a line of a block is, nobody knows.
    records, unread = records_of(data, Path(block.path), skip=skip)
    columns = {role: [_json_text(record.get(name)) for record in records] for role, name in names.items()}
    return _with_unread(pa.table({role: pa.array(column, pa.string()) for role, column in columns.items()}), unread)


def _json_text(value: Any) -> str | None:
    """What stands in JSON, as text."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, bool | list | dict) else str(value)


def _with_unread(table: pa.Table, unread: int) -> pa.Table:
    """Lines that cannot be read, as rows of nothing, which are skipped and counted where judgments are checked."""
    if not unread:
        return table
    return pa.concat_tables([table, pa.table({name: pa.nulls(unread, pa.string()) for name in table.column_names})])


def _read_lines(block: Block, names: Mapping[str, str], skip: bool) -> pa.Table:
    from fsspec.utils import read_block as lines_of

    with _opened(block.path) as stream:
        heading = heading_of(stream.read(LONGEST), block.path)
        stream.seek(0)
        data = stream.read() if block.length is None else lines_of(stream, block.start, block.length, heading.newline)
    if block.length is not None and data.count(b'"') % 2:
        # The block may end, and the next begin, within quotes; lines there could be taken for rows.
        raise DocumentError(
            f"{block.path}, from byte {block.start:,}: a quotation mark is alone, or a line breaks within quotes "
            f"where a block of {block.length:,} bytes ends. Write smaller files, or Parquet.",
            file=block.path,
        )
    where = f"{block.path}, from byte {block.start:,},"
    return _parsed(data, heading, names, where=where, first=block.start == 0, skip=skip)


def _parsed(
    data: bytes, heading: Heading, names: Mapping[str, str], *, where: str, first: bool, skip: bool
) -> pa.Table:
    if not data.strip() or (first and heading.newline not in data.strip()):
        return pa.table({role: pa.array([], pa.string()) for role in names})
    table, unread = parse_delimited(
        pa.BufferReader(data), heading.names, heading.separator, where, skip=skip, skip_rows=int(first)
    )
    columns = {role: table.column(name) for role, name in names.items()}
    if heading.separator == ";":  # where spreadsheets write 3,5
        trimmed = pyarrow.compute.utf8_trim(columns["value"], characters=BLANK)
        commas = pyarrow.compute.match_substring_regex(trimmed, f"^({DECIMAL_COMMA})$")
        points = pyarrow.compute.replace_substring(columns["value"], ",", ".")
        columns["value"] = pyarrow.compute.if_else(commas, points, columns["value"])
    return _with_unread(pa.table(columns), unread)


def heading_of(start: bytes, path: str) -> Heading:
    """What the first bytes of a file say about its columns."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError(f"{path} is UTF-16 text; save it as UTF-8.", file=path)
    line, newline, *_ = [*re.split(rb"(\r\n?|\n)", start, maxsplit=1), b"\n"]
    text = line.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise DocumentError(f"{path} is empty, or its first line is: that line must name the columns.")
    separator = SEPARATORS[_kind_of(path)]
    if separator == "," and "," not in text and ";" in text:
        separator = ";"
    names = next(csv.reader([text], delimiter=separator))
    _check_distinct(names, path)
    return Heading(names, separator, newline[-1:])


def _check_distinct(names: list[str], path: str) -> None:
    if twice := {name for name in names if names.count(name) > 1}:
        raise DocumentError(
            f"{path} has more than one column {list_names(sorted(twice))}; rename one.",
            value=sorted(twice)[0],
            file=path,
        )


def _opened(path: str) -> Any:
    import fsspec

    return fsspec.open(path, "rb", compression="infer")
