"""Parquet: tables that know the types of their columns."""

from __future__ import annotations

__all__ = ["ordered_categories", "widened"]

import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from manyjudges.exceptions import DocumentError
from manyjudges.tables.column_types import is_text
from manyjudges.tables.formats.content import Content, Format, check_distinct
from manyjudges.tables.formats.paths import PARQUET, StrPath, file_name, opened


def _read_parquet(path: StrPath, _skip: bool) -> Content:
    with opened(path) as stream:
        table = pyarrow.parquet.read_table(stream)
    check_distinct(table.schema.names, path)
    return typed_content(table)


def typed_content(table: pa.Table, numbers: Any = None) -> Content:
    """The content of a table whose columns have types."""
    # Arrow trusts what it reads from a file; where that is damaged, it would fail later, or crash Python.
    table.validate(full=True)
    frame = widened(table).to_pandas(ignore_metadata=True, integer_object_nulls=True)
    return Content(frame, numbers=numbers, scales=ordered_categories(table))


def ordered_categories(table: pa.Table) -> dict[str, dict[str, float]]:
    """The words of columns whose categories have an order, numbered from 1."""
    return {
        name: {word: float(at) for at, word in enumerate(column.chunk(0).dictionary.to_pylist(), start=1)}
        for name, column in zip(table.column_names, table.columns, strict=True)
        if pa.types.is_dictionary(column.type) and column.type.ordered and column.num_chunks
        if is_text(column.type.value_type)
    }


def widened(table: pa.Table) -> pa.Table:
    """The table with columns of 16 bits, for which pandas has no index, as of 32."""
    for at, column in enumerate(table.schema):
        if pa.types.is_float16(column.type):
            table = table.set_column(at, column.name, table.column(at).cast(pa.float32()))
    return table


def _stream(path: StrPath, _skip: bool, columns: Sequence[str] | None) -> Iterator[Content]:
    done = 0
    with opened(path) as stream, pyarrow.parquet.ParquetFile(stream) as file:
        for group in range(file.num_row_groups):
            for batch in _row_group(file, group, path, columns):
                yield typed_content(batch, np.arange(done + 1, done + 1 + len(batch)))
                done += len(batch)


def _row_group(file: Any, group: int, path: StrPath, columns: Sequence[str] | None) -> Iterator[pa.Table]:
    """A row group, table by table, or an error that says that it cannot be read."""
    try:
        for batch in file.iter_batches(row_groups=[group], columns=None if columns is None else list(columns)):
            yield pa.Table.from_batches([batch])
    except (pa.ArrowException, OSError) as error:
        words, name = " ".join(str(error).split()).rstrip("."), file_name(path)
        raise DocumentError(f"{name}, row group {group}, cannot be read: {words}.", file=name) from None


def _columns(path: StrPath) -> list[str]:
    return list(_schema(path).names)


def _types(path: StrPath) -> dict[str, pa.DataType]:
    return {column.name: column.type for column in _schema(path)}


def _schema(path: StrPath) -> pa.Schema:
    with opened(path) as stream:
        schema = pyarrow.parquet.read_schema(stream)
    check_distinct(schema.names, path)
    return schema


def _write(frame: pd.DataFrame, _ending: str) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _sniff(start: bytes) -> bool:
    return start.startswith(b"PAR1")


FORMAT = Format(PARQUET, _read_parquet, _columns, _stream, _write, _types, sniff=_sniff, title="a Parquet file")
