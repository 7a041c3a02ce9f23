"""Parquet: tables that know the types of their columns."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet

from manyjudges.tables.formats.content import Content, Format
from manyjudges.tables.formats.paths import PARQUET


def _read_parquet(path: Path, _skip: bool) -> Content:
    table = pyarrow.parquet.read_table(path)
    return Content(table.to_pandas(ignore_metadata=True, integer_object_nulls=True))


def _columns(path: Path) -> list[str]:
    return list(pyarrow.parquet.read_schema(path).names)


FORMAT = Format(PARQUET, _read_parquet, _columns)
