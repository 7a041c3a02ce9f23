"""Arrow: tables with types, as files (which Feather is another name of) or as streams."""

from __future__ import annotations

__all__: list[str] = []

import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.content import Content, Format, check_distinct
from manyjudges.tables.formats.parquet import typed_content
from manyjudges.tables.formats.paths import StrPath, file_name, opened

_ENDINGS = (".arrow", ".feather", ".ipc", ".arrows")
_STREAM = ".arrows"
_MARK = b"ARROW1"
_FIRST_FEATHER = b"FEA1"


def _read_arrow(path: StrPath, _skip: bool) -> Content:
    schema, batches = _batches(path)
    return typed_content(pa.Table.from_batches(batches, schema))


def _stream(path: StrPath, _skip: bool, columns: Sequence[str] | None) -> Iterator[Content]:
    done = 0
    schema, batches = _batches(path)
    for batch in batches:
        table = pa.Table.from_batches([batch], schema)
        table = table if columns is None else table.select(list(columns))
        yield typed_content(table, np.arange(done + 1, done + 1 + len(table)))
        done += len(table)


def _batches(path: StrPath) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The columns of a file, and its rows in pieces."""
    with opened(path) as stream:
        start = stream.read(len(_MARK))
    if start.startswith(_FIRST_FEATHER):
        name = file_name(path)
        raise DocumentError(
            f"{name} is a Feather file of version 1, which is no longer read; save it as Feather version 2 or Parquet.",
            file=name,
        )
    stream = opened(path)
    if start == _MARK:  # the columns are named at the end, so what is packed is unpacked first
        reader = pa.ipc.open_file(stream if stream.seekable() else pa.BufferReader(stream.read()))
        batches = (reader.get_batch(at) for at in range(reader.num_record_batches))
    else:
        reader = pa.ipc.open_stream(stream)
        batches = iter(reader)
    check_distinct(reader.schema.names, path)
    return reader.schema, batches


def _columns(path: StrPath) -> list[str]:
    return list(_batches(path)[0].names)


def _types(path: StrPath) -> dict[str, pa.DataType]:
    return {column.name: column.type for column in _batches(path)[0]}


def _write(frame: pd.DataFrame, ending: str) -> bytes:
    buffer = io.BytesIO()
    table: Any = pa.Table.from_pandas(frame, preserve_index=False)
    new_writer = pa.ipc.new_stream if ending == _STREAM else pa.ipc.new_file
    with new_writer(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def _sniff(start: bytes) -> bool:
    return start.startswith((_MARK, _FIRST_FEATHER, b"\xff\xff\xff\xff"))


FORMAT = Format(_ENDINGS, _read_arrow, _columns, _stream, _write, _types, sniff=_sniff, title="an Arrow file")
