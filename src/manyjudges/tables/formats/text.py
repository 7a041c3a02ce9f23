"""Text: the first lines of a file, compressed or not."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from manyjudges.exceptions import DocumentError

BEGINNING = 1 << 16
"""Bytes of a file that are looked at for what its columns are called."""


def first_line(path: Path) -> str:
    """The line that names the columns."""
    line = next(iter(_beginning(path).splitlines()), "")
    if not line.strip():
        raise DocumentError(
            f"{path.name} is empty, or its first line is: that line must name the columns.", file=path.name
        )
    return line


def _beginning(path: Path) -> str:
    """The first lines of a file of text, the last of which may be cut off."""
    with pa.input_stream(path, compression="detect") as stream:
        start = stream.read(BEGINNING)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError(f"{path.name} is UTF-16 text; save it as UTF-8.", file=path.name)
    return str(start.decode("utf-8-sig", errors="replace"))
