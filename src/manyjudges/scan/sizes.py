"""Sizes: which files are so large that they are scanned, and what is counted meanwhile."""

from __future__ import annotations

__all__ = ["SCAN_FROM_BYTES", "is_large", "unit"]

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.paths import COMPRESSED, PARQUET, kind_of
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.sources import paths_in

SCAN_FROM_BYTES = 64 * 1024 * 1024
"""Bytes of text from which a table is scanned; below, it is read in no time."""

_BYTES_A_ROW = 25
"""About what a row has as text, where only rows are known: four short cells. It only decides who reads."""

_PACKED = 10
"""About how much larger a compressed file is than it looks."""


def is_large(source: Any, large: int = SCAN_FROM_BYTES, options: ReadOptions | None = None) -> bool:
    """Whether files are so large that they are scanned rather than read; what cannot be found is not."""
    try:
        paths = paths_in(source, options or ReadOptions())
    except DocumentError:
        return False
    return sum(_weight(file, large) for file in paths) >= large


def unit(source: Any, options: ReadOptions | None = None) -> str:
    """What is counted while a table is scanned."""
    try:
        kinds = {kind_of(file) for file in paths_in(source, options or ReadOptions())}
    except DocumentError:  # which will be said by those who read it
        kinds = set()
    return "%" if not kinds else "rows" if kinds <= {*PARQUET} else "bytes"


def _weight(path: Path, large: int) -> float:
    """About how many bytes a file has as plain text; what cannot be read is left to those who can say why."""
    try:
        if kind_of(path) in PARQUET:
            return _BYTES_A_ROW * int(pyarrow.parquet.read_metadata(path).num_rows)
        compressed = path.suffix.lower() in COMPRESSED
        return os.path.getsize(path) * (_PACKED if compressed else 1)
    except (OSError, pa.ArrowException):
        return large
