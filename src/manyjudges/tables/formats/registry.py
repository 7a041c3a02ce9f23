"""All formats of tables, and how one is told: by the ending of the file's name.

To add one, write its module beside this one (``parquet`` is a good one to copy) and enter it in ``FORMATS``.
"""

from __future__ import annotations

__all__ = ["heading"]

from pathlib import Path

from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats import delimited, json_lines, parquet
from manyjudges.tables.formats.content import Content, Format, explained
from manyjudges.tables.formats.paths import kind_of, unknown_kind

FORMATS: tuple[Format, ...] = (delimited.FORMAT, json_lines.FORMAT, parquet.FORMAT)


def read_content(path: Path, *, skip: bool = False) -> Content:
    """What is in a file; with ``skip``, lines that are no rows are skipped and counted."""
    with explained(path):
        return _format_of(path).read(path, skip)


def heading(path: Path) -> list[str]:
    """The names of a file's columns."""
    with explained(path):
        return _format_of(path).columns(path)


def _format_of(path: Path) -> Format:
    kind = kind_of(path)
    for known in FORMATS:
        if kind in known.endings:
            return known
    raise DocumentError(unknown_kind(path), file=path.name)
