"""JSON lines: an object with named fields a line."""

from __future__ import annotations

__all__ = ["fields_of", "records_of"]

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.content import Content, Format
from manyjudges.tables.formats.paths import JSON_LINES, StrPath, file_name
from manyjudges.tables.formats.text import BEGINNING_BYTES, encoding_notes, encoding_of, first_line, opened_text

_LINES_AT_ONCE = 1 << 16
"""Lines of a part of a file."""


def _columns(path: StrPath) -> list[str]:
    with opened_text(path) as stream:
        return fields_of(stream.read(BEGINNING_BYTES), path)


def fields_of(start: bytes, path: StrPath) -> list[str]:
    """Names of the fields of the first records, of which each may lack some."""
    if not start.strip():
        raise _is_empty(path)
    first_line(path, start)
    lines = start.decode("utf-8-sig", errors="replace").split("\n")
    fields = dict.fromkeys(_record_of(lines[0], 1, path))
    for line in lines[1:]:
        with suppress(DocumentError):  # one that is cut off, or is none, says nothing here
            fields |= dict.fromkeys(_record_of(line, 0, path))
    return list(fields)


def _read_json_lines(path: StrPath, skip: bool) -> Content:
    encoding = encoding_of(path)
    with opened_text(path, encoding) as stream:
        records, numbers, unread = records_of(io.BufferedReader(stream), path, skip=skip)
    if not records:
        raise _is_empty(path)
    notes = encoding_notes(path, encoding)
    return Content(pd.DataFrame(records, dtype=object), unread, numbers=numbers, notes=notes)


def _stream(path: StrPath, skip: bool, _columns: Sequence[str] | None) -> Iterator[Content]:
    done, encoding = 0, encoding_of(path)
    notes = encoding_notes(path, encoding)
    with opened_text(path, encoding) as stream:
        every = io.BufferedReader(stream)
        while lines := list(islice(every, _LINES_AT_ONCE)):
            records, numbers, unread = records_of(lines, path, skip=skip, first=done + 1)
            done += len(lines)
            yield Content(pd.DataFrame(records, dtype=object), unread, numbers=numbers, notes=notes)
            notes = ()


def records_of(
    lines: Iterable[bytes], path: StrPath, *, skip: bool = False, first: int = 1
) -> tuple[list[dict[str, Any]], Any, int]:
    """What lines of JSON say, the number of each, and how many lines were skipped because they cannot be read.

    Parameters
    ----------
    lines : iterable of bytes
    path : path
        For errors.
    skip : bool
        Whether lines that cannot be read are skipped. Otherwise they are an error.
    first : int
        The number of the first of the lines.
    """
    records, numbers, unread = [], [], 0
    for number, line in enumerate(lines, start=first):
        if line.strip():
            try:
                records.append(_record_of(_decoded(line, number, path), number, path))
                numbers.append(number)
            except DocumentError:
                if not skip:
                    raise
                unread += 1
    return records, np.array(numbers, dtype=np.int64), unread


def _decoded(line: bytes, number: int, path: StrPath) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        text, name = line.decode(errors="replace").strip(), file_name(path)
        raise DocumentError(
            f"line {number} of {name} is not UTF-8 text: {quote_value(text)}. Save the file as UTF-8.",
            value=text,
            row=number,
            file=name,
        ) from None


def _record_of(line: str, number: int, path: StrPath) -> dict[str, Any]:
    """What a line of JSON says."""
    name = file_name(path)
    if not line.strip():
        raise _is_empty(path)
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DocumentError(
            f"line {number} of {name} is not JSON: {error}.", value=line.strip(), row=number, file=name
        ) from None
    if not isinstance(record, dict):
        raise DocumentError(
            f"line {number} of {name} is not an object with named fields: {line.strip()[:60]}",
            value=record,
            row=number,
            file=name,
        )
    return record


def _is_empty(path: StrPath) -> DocumentError:
    return DocumentError(f"{file_name(path)} is empty.", file=file_name(path))


def _write(frame: pd.DataFrame, _ending: str) -> bytes:
    records = frame.astype(object).to_dict(orient="records")  # plain numbers, which keep all their digits
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def _sniff(start: bytes) -> bool:
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


FORMAT = Format(JSON_LINES, _read_json_lines, _columns, _stream, _write, sniff=_sniff, title="JSON lines")
