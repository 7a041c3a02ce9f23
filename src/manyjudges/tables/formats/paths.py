"""Paths: which files a path names, and what the ending of a name says of a file."""

from __future__ import annotations

__all__ = [
    "COMPRESSED",
    "JSON_LINES",
    "PARQUET",
    "SEPARATORS",
    "StrPath",
    "expand",
    "file_name",
    "kind_of",
    "opened",
]

import glob
import os
import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

import pyarrow as pa

from manyjudges.base.messages import quote_path, quote_value, suggest
from manyjudges.exceptions import DocumentError

StrPath = str | os.PathLike[str]
"""A path, or a pattern of paths."""

COMPRESSED = (".gz", ".bz2")
"""Endings of compressed files; what is in them is told by the ending before."""

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
"""Endings of tables of text, with what separates their cells, unless their first lines show something else."""

JSON_LINES = (".jsonl", ".ndjson")
"""Endings of files with a JSON object a line."""

PARQUET = (".parquet", ".pq")
"""Endings of Parquet files."""


_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")


def _check_no_address(path: StrPath) -> None:
    """Refuse an address, such as that of a database. Only its beginning is shown: there may be a password in it."""
    if (address := _ADDRESS.match(str(os.fspath(path)))) is not None and not os.path.exists(path):
        raise DocumentError(
            f"an address, such as '{address[1]}://…', is not read here; give a file. On the command line, 'plan' and "
            "'forecast' read the store of a campaign, and 'export' writes its judgments into a file; in Python, use "
            "Store.open(address).judgments(), or judgment_batches() where they do not fit into memory.",
            value=address[1],
            column="path",
        )


def expand(path: StrPath, *, tables: Collection[str] = ()) -> list[Path]:
    """The files that a path or a pattern names, in order; of a folder, those with one of the endings ``tables``."""
    if not isinstance(path, str | os.PathLike):
        raise DocumentError(f"a path is wanted, not {quote_value(path)}.", value=path)
    _check_no_address(path)
    text = str(os.fspath(path))
    if os.path.isdir(text) and tables:
        return _within(Path(text), tables)
    if os.path.isdir(text):
        raise DocumentError(
            f"{text!r} is a folder; name the files in it, such as {os.path.join(text, '*.csv')!r}.", file=text
        )
    if os.path.exists(text):
        return [Path(text)]
    folder, name = os.path.split(text)
    pattern = os.path.join(glob.escape(folder), name) if os.path.isdir(folder) else text  # brackets in a folder's name
    matches = sorted(p for p in glob.glob(pattern, recursive=True) if not os.path.isdir(p))
    if not matches:
        there = sorted(os.listdir(folder or ".")) if os.path.isdir(folder or ".") else []
        raise DocumentError(f"there is no file {quote_path(text)}.{suggest(name, there)}", file=quote_path(text)[1:-1])
    return [Path(name) for name in matches]


def _within(folder: Path, tables: Collection[str]) -> list[Path]:
    """All tables in a folder, and in those within it; hidden files and marks of other tools are none."""
    every = sorted(p for p in folder.rglob("*") if not _hidden(p.relative_to(folder)))
    matches = [p for p in every if kind_of(p) in tables and not p.is_dir()]
    if not matches:
        raise DocumentError(
            f"the folder {str(folder)!r} has no table in it: no {', '.join(sorted(tables))}.", file=str(folder)
        )
    return matches


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def opened(path: StrPath) -> Any:
    """The bytes of a file, unpacked, as a stream; of one in an object store, too."""
    address = os.fspath(path)
    if "://" not in address:
        return pa.input_stream(address, compression="detect")
    import fsspec

    return fsspec.open(address, "rb", compression="infer").open()


def file_name(path: StrPath) -> str:
    """What a file is called in messages and errors: its name without the folders."""
    return PurePath(path).name


def kind_of(path: StrPath) -> str:
    """What a file's name says it is, compressed or not."""
    return _kind_by_name(os.fspath(path))


@lru_cache(maxsize=256)  # the same name is asked about several times for each piece of a file
def _kind_by_name(name: str) -> str:
    return next((s for s in reversed([s.lower() for s in PurePath(name).suffixes]) if s not in COMPRESSED), "")


def unknown_kind(path: StrPath, known: Collection[str]) -> str:
    """What to say about a file whose name has none of the ``known`` endings."""
    wanted = ", ".join(known)
    return (
        f"{file_name(path)}: the ending does not say what kind of file this is; it should be one of {wanted}. If the "
        "name must stay, name the format, such as --format csv."
    )
