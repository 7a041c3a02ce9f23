"""JSON lines: an object with named fields a line."""

from __future__ import annotations

__all__ = ["fields_of", "record_of", "records_of"]

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.content import Content, Format
from manyjudges.tables.formats.paths import JSON_LINES
from manyjudges.tables.formats.text import BEGINNING, first_line


def _columns(path: Path) -> list[str]:
    first_line(path)
    with pa.input_stream(path, compression="detect") as stream:
        return fields_of(stream.read(BEGINNING), path)


def fields_of(start: bytes, path: Path) -> list[str]:
    """Names of the fields of the first records, of which each may lack some."""
    lines = start.decode("utf-8-sig", errors="replace").split("\n")
    fields = dict.fromkeys(record_of(lines[0], 1, path))
    for line in lines[1:]:
        with suppress(DocumentError):  # one that is cut off, or is none, says nothing here
            fields |= dict.fromkeys(record_of(line, 0, path))
    return list(fields)


def _read_json_lines(path: Path, skip: bool) -> Content:
    with pa.input_stream(path, compression="detect") as stream:
        records, unread = records_of(stream.read(), path, skip=skip)
    if not records:
        raise DocumentError(f"{path.name} is empty.", file=path.name)
    return Content(pd.DataFrame(records, dtype=object), unread)


def records_of(data: bytes, path: Path, *, skip: bool = False) -> tuple[list[dict[str, Any]], int]:
    """What lines of JSON say, and how many of them were skipped because they cannot be read."""
    records, unread = [], 0
    # splitlines() would also break at U+2028 in a text.
    for number, line in enumerate(data.decode("utf-8-sig").split("\n"), start=1):
        if line.strip():
            try:
                records.append(record_of(line, number, path))
            except DocumentError:
                if not skip:
                    raise
                unread += 1
    return records, unread


def record_of(line: str, number: int, path: Path) -> dict[str, Any]:
    """What a line of JSON says."""
    if not line.strip():
        raise DocumentError(f"{path.name} is empty.", file=path.name)
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DocumentError(
            f"line {number} of {path.name} is not JSON: {error}.", value=line.strip(), row=number, file=path.name
        ) from None
    if not isinstance(record, dict):
        raise DocumentError(
            f"line {number} of {path.name} is not an object with named fields: {line.strip()[:60]}",
            value=record,
            row=number,
            file=path.name,
        )
    return record


FORMAT = Format(JSON_LINES, _read_json_lines, _columns)
