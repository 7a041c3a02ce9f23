"""SPSS and Stata: tables of numbers with labels, read through pyreadstat."""

from __future__ import annotations

__all__: list[str] = []

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.tables.answers.no_answer import is_no_answer
from manyjudges.tables.formats.content import Content, Format, check_distinct, whole_format
from manyjudges.tables.formats.extras import extra_needed, guarded_call
from manyjudges.tables.formats.paths import COMPRESSED, StrPath, file_name, kind_of, opened

_EXTRA = "spss"
_SPSS = (".sav", ".zsav")
_STATA = (".dta",)


def _read_spss(path: StrPath) -> list[Content]:
    return [_content("read_sav", path)]


def _read_stata(path: StrPath) -> list[Content]:
    return [_content("read_dta", path)]


def _content(reader: str, path: StrPath) -> Content:
    pyreadstat, name = extra_needed("pyreadstat", _EXTRA, path), file_name(path)
    program = "an SPSS" if reader == "read_sav" else "a Stata"
    with _plain_file(path) as plain:
        columns, about = guarded_call(
            lambda: getattr(pyreadstat, reader)(plain, output_format="dict"),
            f"{name} cannot be read: it is damaged, or is not {program} file.",
            path,
        )
    check_distinct(list(about.column_names), path)
    frame, scales = {}, {}
    for column, cells in columns.items():
        codes = {float(code): str(label).strip() for code, label in _codes(about, column).items()}
        words = _as_words(cells, codes)
        frame[column] = _numbers(_without_absent(cells, codes)) if words is None else words
        if words is not None and not (about.variable_measure.get(column) == "nominal" and len(codes) > 2):
            scales[column] = {codes[code]: code for code in sorted(codes)}
    return Content(pd.DataFrame(frame), scales=scales)


@contextmanager
def _plain_file(path: StrPath) -> Iterator[str]:
    """The path of a file, or of a copy of it that is not compressed."""
    address = os.fspath(path)
    if "://" not in address and not address.lower().endswith(COMPRESSED):
        with opened(path):  # says why, where it cannot be opened
            pass
        yield address
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, f"table{kind_of(path)}")
        with opened(path) as stream:
            copy.write_bytes(stream.read())
        yield str(copy)


def _codes(about: Any, column: str) -> Mapping[Any, Any]:
    """The labels of a column's codes; of the values of a text, labels are no more than explanations."""
    labels = about.variable_value_labels.get(column, {})
    return {code: label for code, label in labels.items() if isinstance(code, int | float) and str(label).strip()}


def _as_words(cells: Any, codes: Mapping[float, str]) -> Any:
    """A column with the label of each code; None where some code has none, or two have the same one."""
    values = list(cells)
    if not codes or len(set(codes.values())) < len(codes):
        return None
    if not all(value is None or (isinstance(value, int | float) and float(value) in codes) for value in values):
        return None
    words = [None if value is None else codes[float(value)] for value in values]
    return None if all(word is None for word in words) else np.array(words, dtype=object)


def _without_absent(cells: Any, codes: Mapping[float, str]) -> Any:
    """A column without codes whose label says that there is no answer, such as 99 = "refused"."""
    absent = {code for code, label in codes.items() if is_no_answer(label)}
    if not absent:
        return cells
    return [None if isinstance(cell, int | float) and float(cell) in absent else cell for cell in cells]


def _numbers(cells: Any) -> Any:
    """A column as it is; numbers that are all whole as whole numbers, and an empty text as nothing."""
    values = [None if isinstance(value, str) and not value.strip() else value for value in cells]
    if values and all(type(value) in (int, float) for value in values):
        array = np.array(values, dtype=float)
        whole = bool(np.isfinite(array).all() and (array == np.rint(array)).all() and (abs(array) < 2.0**53).all())
        return array.astype(np.int64) if whole else array
    return pd.Series(values, dtype=object).infer_objects()


def _sniff_spss(start: bytes) -> bool:
    return start.startswith((b"$FL2", b"$FL3"))


def _sniff_stata(start: bytes) -> bool:
    # From version 117 on with a name; before with its number, the order of the bytes, 1, and 0.
    old = start[:1] in (b"\x6e", b"\x6f", b"\x71", b"\x72", b"\x73") and start[1:2] in (b"\1", b"\2")
    return start.startswith(b"<stata_dta>") or (old and start[2:4] == b"\1\0")


SPSS: Format = whole_format(_SPSS, _read_spss, extra=_EXTRA, sniff=_sniff_spss, title="an SPSS file")
STATA: Format = whole_format(_STATA, _read_stata, extra=_EXTRA, sniff=_sniff_stata, title="a Stata file")
