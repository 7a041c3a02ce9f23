"""Downloads: tables as files that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    import pandas as pd

_DANGEROUS = ("=", "+", "-", "@", "\t", "\r")
"""What a text must not begin with, or a spreadsheet takes it for a formula."""


def harmless(value: object) -> object:
    """A cell that no spreadsheet runs: a text that looks like a formula gets an apostrophe.

    >>> harmless("=1+1"), harmless("ann"), harmless(-1.5), harmless(float("nan"))
    ("'=1+1", 'ann', -1.5, '')
    """
    if isinstance(value, str):
        return f"'{value}" if value.lstrip(" ").startswith(_DANGEROUS) else value
    return "" if value is None or value != value else value


def as_csv(names: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    """A table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([harmless(name) for name in names])
    writer.writerows([harmless(value) for value in row] for row in rows)
    return text.getvalue().encode()


def frame_as_csv(frame: pd.DataFrame) -> bytes:
    """A data frame as CSV, without its index."""
    return as_csv([str(name) for name in frame.columns], frame.itertuples(index=False, name=None))


def attached(content: bytes, name: str, kind: str) -> Response:
    """A file to keep."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
