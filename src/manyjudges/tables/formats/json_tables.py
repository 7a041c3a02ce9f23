"""JSON: a whole file is one value, in one of the ways in which programs write a table."""

from __future__ import annotations

__all__: list[str] = []

import json
import re
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.base.messages import list_names
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats import json_lines
from manyjudges.tables.formats.content import Content, check_distinct, whole_format
from manyjudges.tables.formats.paths import StrPath, file_name
from manyjudges.tables.formats.text import text_of

_TWO_LINES = re.compile(rb"\{[^\n]*\}[ \t\r]*\n\s*\{")
"""What a file with an object a line begins with, and no other."""

_BEGINNING = re.compile(rb'\{\s*("|\}\s*$)|\[\s*[\[{]')


def _tables(path: StrPath) -> list[Content]:
    text, notes = text_of(path)
    try:
        document = json.loads(text)
    except RecursionError:
        raise _refusal(path, "its values are nested too deeply") from None
    except ValueError as error:
        if str(error).startswith("Extra data"):  # an object a line, under the ending of this format
            return [json_lines.FORMAT.read(path, False)]
        raise _refusal(path, f"it is not JSON: {error}") from None
    return [Content(_frame(document, path), notes=notes)]


def _refusal(path: StrPath, why: str) -> DocumentError:
    name = file_name(path)
    return DocumentError(f"{name} cannot be read: {why}.", file=name)


def _frame(document: Any, path: StrPath) -> pd.DataFrame:
    """The table that a JSON value is."""
    if isinstance(document, dict):
        return _frame_of_fields(document, path)
    if not isinstance(document, list) or not document:
        raise _no_table(path)
    if all(isinstance(record, dict) for record in document):
        return _of_columns({name: [record.get(name) for record in document] for name in _fields(document)}, path)
    if all(isinstance(row, list) for row in document):
        return _of_rows(document[0], document[1:], path)
    odd = next((at for at, each in enumerate(document, start=1) if not isinstance(each, type(document[0]))), None)
    if odd is None:  # a list of numbers, say
        raise _no_table(path)
    raise _refusal(path, f"its entries are not all objects with named fields: see entry {odd:,}")


def _fields(records: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record))


def _frame_of_fields(document: dict[str, Any], path: StrPath) -> pd.DataFrame:
    if isinstance(document.get("columns"), list) and isinstance(document.get("data"), list):
        return _of_rows(document["columns"], document["data"], path)
    cells = list(document.values())
    if cells and all(isinstance(cell, list) and not any(isinstance(x, dict | list) for x in cell) for cell in cells):
        return _of_columns(document, path)
    if cells and all(isinstance(cell, dict) and _flat(cell.values()) for cell in cells):
        return _of_indexed(document, path)
    inside = {name: cell for name, cell in document.items() if _is_table(cell)}
    if len(inside) > 1 and "data" in inside:
        inside = {"data": inside["data"]}
    if len(inside) > 1:
        name = file_name(path)
        raise DocumentError(
            f"{name} has more than one table in it: {list_names(inside)}. Save the one with the judgments as a file of "
            "its own.",
            value=next(iter(inside)),
            file=name,
        )
    if not inside:
        raise _no_table(path)
    return _frame(next(iter(inside.values())), path)


def _flat(cells: Any) -> bool:
    return not any(isinstance(cell, dict | list) for cell in cells)


def _is_table(cell: Any) -> bool:
    return isinstance(cell, list) and bool(cell) and all(isinstance(each, dict) for each in cell)


def _of_columns(columns: dict[str, list[Any]], path: StrPath) -> pd.DataFrame:
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(set(lengths.values())) > 1:
        shortest, longest = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        raise _refusal(
            path,
            f"its columns differ in length: {shortest!r} has {lengths[shortest]:,} values, and {longest!r} has "
            f"{lengths[longest]:,}",
        )
    return pd.DataFrame({name: _objects(cells) for name, cells in columns.items()})


def _objects(cells: list[Any]) -> Any:
    column = np.empty(len(cells), dtype=object)
    for at, cell in enumerate(cells):  # numpy would make a table of lists of the same length
        column[at] = cell
    return column


def _of_rows(names: list[Any], rows: list[Any], path: StrPath) -> pd.DataFrame:
    """A table of rows, each a list of as many cells as there are names."""
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != len(names):
            cells = f"{len(row)} cells" if isinstance(row, list) else "no cells"
            name = file_name(path)
            raise DocumentError(
                f"row {number:,} of {name} has {cells}, and the heading has {len(names)}. Each row must have a cell "
                "for each column.",
                value=row,
                row=number,
                file=name,
            )
    texts = [str(name) for name in names]
    check_distinct(texts, path)
    return pd.DataFrame({name: _objects([row[at] for row in rows]) for at, name in enumerate(texts)})


def _of_indexed(document: dict[str, dict[str, Any]], path: StrPath) -> pd.DataFrame:
    """A table as pandas writes it: by column, and in each by row."""
    keys = dict.fromkeys(key for cells in document.values() for key in cells)
    return _of_columns({name: [cells.get(key) for key in keys] for name, cells in document.items()}, path)


def _no_table(path: StrPath) -> DocumentError:
    return _refusal(
        path,
        "there is no table in it. Tables in JSON are lists of objects with named fields, or an object with a list for "
        "each column",
    )


def _write(frame: pd.DataFrame, _ending: str) -> bytes:
    return (json.dumps(frame.astype(object).to_dict(orient="records"), ensure_ascii=False, indent=1) + "\n").encode()


def _sniff(start: bytes) -> bool:
    begun = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    return _BEGINNING.match(begun) is not None and not _TWO_LINES.match(begun)


FORMAT = whole_format((".json",), _tables, write=_write, sniff=_sniff, title="JSON")
