"""CT slices, the file: the file of CT slices, as UCI gives it away, whole or in part."""

from __future__ import annotations

__all__ = ["fetch_slice", "read_slice"]

import csv
import hashlib
import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv

from manyjudges.arrays.types import Floats
from manyjudges.base.messages import quote_value
from manyjudges.datasets.cache import DatasetSource, find, get_data_home, obtain
from manyjudges.datasets.ct_slices import N_BINS, Slices, named
from manyjudges.datasets.published_files import check_start, unzip
from manyjudges.exceptions import DatasetError
from manyjudges.tables.formats.paths import StrPath

SLICE_COLUMNS = ["patientId", *(f"value{i}" for i in range(N_BINS)), "reference"]
_FOLDER = "slice"
ZIP = "slice_localization_data.zip"
_FILE_NAMES = ("slice_localization_data.csv", ZIP, "relative+location+of+ct+slices+on+axial+axis.zip")
_LICENCE = "CC BY 4.0"
_CITATION = (
    "Graf, Kriegel, Schubert, Poelsterl and Cavallaro (2011), Relative location of CT slices on axial axis, "
    "UCI Machine Learning Repository"
)
SOURCE = DatasetSource(
    _FOLDER,
    {
        ZIP: (
            "https://archive.ics.uci.edu/ml/machine-learning-databases/00206/slice_localization_data.zip",
            "https://archive.ics.uci.edu/static/public/206/relative+location+of+ct+slices+on+axial+axis.zip",
        )
    },
    f"Relative location of CT slices on axial axis\nSource: https://archive.ics.uci.edu/dataset/206\n"
    f"Licence: {_LICENCE}\nPlease cite: {_CITATION}\n",
    check_start,
    also=(_FILE_NAMES[0], _FILE_NAMES[2]),
)


@dataclass(frozen=True)
class KnownFile:
    """What is known of a file of slices, and where it is to be had.

    Attributes
    ----------
    source : Source
    n_slices, n_patients : int
    n_lines : int
        Lines of data at its beginning that are known.
    lines : str
        SHA-256 of these, each ended by a line feed.
    """

    source: DatasetSource
    n_slices: int
    n_patients: int
    n_lines: int
    lines: str


WHOLE = KnownFile(SOURCE, 53_500, 97, 682, "0ac0f739e7ef5604aa7b98a3a520b08e9cb490c31b836e37a71bb2a594b8ff66")
"""UCI's file; more than its first 682 lines was not at hand."""


def fetch_slice(data_home: StrPath | None = None, *, download: bool = True, verify: bool = True) -> Slices:
    """CT slices: 53,500 slices through 97 patients, to tell where along the body each lies (Graf et al., 2011).

    Parameters
    ----------
    data_home : path, optional
        Where the file is looked for and kept, in the folder ``slice`` or directly, packed or unpacked; see
        :func:`get_data_home`.
    download : bool
        Whether to download it from UCI if it is not there.
    verify : bool
        Whether it must be complete and begin with the lines that are known.

    Returns
    -------
    Slices
    """
    return fetch_known(WHOLE, data_home, download=download, verify=verify)


def fetch_known(
    expected: KnownFile, data_home: StrPath | None = None, *, download: bool = True, verify: bool = True
) -> Slices:
    """Slices of a file of which these things are known; the parameters are those of :func:`fetch_slice`."""
    home = get_data_home(data_home)
    path = next(filter(None, (find(home, _FOLDER, name) for name in _FILE_NAMES)), None)
    if path is None:
        (path,) = obtain(home, expected.source, [ZIP], download=download)
    content = _content(path)
    slices = _parse(content, path)
    if verify:
        _check_complete(content, slices, path, expected)
    return slices


def read_slice(path: StrPath) -> Slices:
    """Read slices from a file in UCI's format, complete or a part of it, CSV or zip.

    Parameters
    ----------
    path : path
        Its columns are ``patientId``, ``value0`` to ``value383`` and ``reference``.

    Returns
    -------
    Slices
        In the order of the file.
    """
    if not isinstance(path, str | os.PathLike):
        raise DatasetError(
            f"slices are read from a file's path, not from {quote_value(path)}.", value=path, column="path"
        )
    return _parse(_content(Path(path)), Path(path))


def _first_lines(content: bytes, n_lines: int) -> str:
    """SHA-256 of the first lines after the heading, whichever way they end."""
    lines = content[: 4000 * (n_lines + 2)].replace(b"\r\n", b"\n").split(b"\n")[1 : n_lines + 1]
    return hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()


def _check_complete(content: bytes, slices: Slices, path: Path, expected: KnownFile) -> None:
    wrong = []
    if len(slices) != expected.n_slices:
        wrong.append(f"it has {len(slices):,} rows, not {expected.n_slices:,}")
    if (patients := len(np.unique(slices.patients))) != expected.n_patients:
        wrong.append(f"it has {patients} patients, not {expected.n_patients}")
    if (digest := _first_lines(content, expected.n_lines)) != expected.lines:
        wrong.append(
            f"the SHA-256 of its first {expected.n_lines} lines of data is {digest}, expected {expected.lines}"
        )
    if wrong:
        raise DatasetError(
            f"{os.fspath(path)!r} is not the whole file, or was changed: {'; '.join(wrong)}. Delete it to have it "
            "downloaded anew, read it as it is with read_slice, or say verify=False.",
            file=os.fspath(path),
        )


def _content(path: Path) -> bytes:
    """The text of the file; UCI's newer archive holds the older one."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DatasetError(
            f"cannot read {os.fspath(path)!r}: {error.strerror or error}.", file=os.fspath(path)
        ) from None
    if not zipfile.is_zipfile(path) and path.suffix.lower() != ".zip":
        return content
    for _ in range(2):
        content = unzip(io.BytesIO(content), path.name, lambda name: name.lower().endswith((".csv", ".zip")))
        if not content.startswith(b"PK"):
            break
    return content


def _parse(content: bytes, path: Path) -> Slices:
    _check_heading(content, path)
    options = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(SLICE_COLUMNS, pa.float64()), null_values=[], strings_can_be_null=False
    )
    try:
        table = pyarrow.csv.read_csv(pa.py_buffer(content), convert_options=options)
        numbers = table.to_pandas().to_numpy()
    except pa.ArrowInvalid:
        numbers = None
    if numbers is None or not np.isfinite(numbers).all():
        raise _what_is_wrong(content, path)
    if len(numbers) == 0:
        raise DatasetError(f"{path.name} has a heading but no rows.", file=path.name)
    patients = numbers[:, 0].astype(np.int64)
    if (odd := np.flatnonzero(patients != numbers[:, 0])).size:
        raise DatasetError(
            f"row {odd[0] + 1} of {path.name} (not counting the heading), column 'patientId': "
            f"{quote_value(numbers[odd[0], 0])} is no whole number.",
            value=numbers[odd[0], 0],
            row=int(odd[0]) + 1,
            column="patientId",
            file=path.name,
        )
    return _slices(numbers, patients, path)


def _slices(numbers: Floats, patients: Any, path: Path) -> Slices:
    labels = pd.Series(numbers[:, -1].copy(), index=named(len(numbers)), name="reference")
    values = np.ascontiguousarray(numbers[:, 1:-1])
    return Slices(values, labels, patients, simulated=False, source=f"read from {path.name}")


def _check_heading(content: bytes, path: Path) -> None:
    heading = content[: 1 << 14].decode("utf-8-sig", errors="replace").splitlines()[:1]
    names = [name.strip().strip('"') for name in heading[0].split(",")] if heading else []
    if names == SLICE_COLUMNS:
        return
    at = next(
        (i for i, (name, right) in enumerate(zip(names, SLICE_COLUMNS, strict=False)) if name != right), len(names)
    )
    actual = quote_value(names[at]) if at < len(names) else "missing"
    expected = quote_value(SLICE_COLUMNS[at]) if at < len(SLICE_COLUMNS) else "nothing more"
    raise DatasetError(
        f"{path.name} has another heading: column {at + 1} is {actual}, expected {expected}. The columns must be "
        "patientId, value0 to value383 and reference, separated by commas.",
        value=names[at] if at < len(names) else None,
        row=1,
        column=SLICE_COLUMNS[at] if at < len(SLICE_COLUMNS) else None,
        file=path.name,
    )


def _what_is_wrong(content: bytes, path: Path) -> DatasetError:
    """Look for the first value that is no number, slowly: this happens only once."""
    text = content.decode("utf-8-sig", errors="replace")
    for row, line in enumerate(csv.reader(io.StringIO(text, newline=""))):
        where = f"row {row} of {path.name} (not counting the heading)"
        if row == 0 or not line:
            continue
        if len(line) != len(SLICE_COLUMNS):
            problem = f"{where} has {len(line)} values, expected {len(SLICE_COLUMNS)}; the file may be cut off there."
            return DatasetError(problem, value=len(line), row=row, file=path.name)
        for name, value in zip(SLICE_COLUMNS, line, strict=True):
            if not _is_number(value):
                return DatasetError(
                    f"{where}, column {name!r}: {quote_value(value)} is no number; correct it, or leave the row out.",
                    value=value,
                    row=row,
                    column=name,
                    file=path.name,
                )
    return DatasetError(f"{path.name} cannot be read as a table of numbers.", file=path.name)


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
