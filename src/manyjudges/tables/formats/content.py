"""Content: what is in a file, whatever its format."""

from __future__ import annotations

__all__ = ["explained"]

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from manyjudges.exceptions import DocumentError, ManyJudgesError


class Content(NamedTuple):
    """What is in a file: its rows, how many lines were skipped, and whether decimals may have a comma."""

    frame: pd.DataFrame
    unread: int = 0
    decimal_comma: bool = False


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say in one line why a file cannot be read."""
    try:
        yield
    except ManyJudgesError:
        raise
    except (pa.ArrowException, UnicodeError, EOFError) as error:
        words = " ".join(str(error).split())
        remedy = " It is not UTF-8 text; save it as UTF-8." if "utf" in words.lower() else ""
        raise DocumentError(f"{path.name} cannot be read: {words.rstrip('.')}.{remedy}", file=path.name) from None
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read: {error.strerror or error}.", file=path.name) from None


@dataclass(frozen=True)
class Format:
    """A kind of file that tables are read from.

    Attributes
    ----------
    endings : tuple of str
        Of names of such files, without that of a compression.
    read : callable
        The content of a file; with ``True``, lines that are no rows are skipped and counted.
    columns : callable
        The names of a file's columns, from its beginning.
    """

    endings: tuple[str, ...]
    read: Callable[[Path, bool], Content]
    columns: Callable[[Path], list[str]]
