"""Content: what is in a file, whatever its format."""

from __future__ import annotations

__all__ = ["Content", "check_distinct", "explained"]

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import DocumentError, ManyJudgesError
from manyjudges.tables.formats.paths import StrPath, file_name


@dataclass(frozen=True, eq=False)
class Content:
    """What is in a file, or in a part of it.

    Attributes
    ----------
    frame : pandas.DataFrame
        The cells as they are in the file: text in formats of text, and None or NaN where there is nothing.
    unread : int
        Lines that were skipped.
    decimal_comma : bool
        Whether decimals may have a comma.
    numbers : array of int, optional
        The number of each row in the file (default: from 1 without gaps).
    sheet : str
        The name of the sheet, in workbooks with several.
    scales : mapping of str to mapping of str to float
        The answers that a column may have, in order, each with its number, where the file says so.
    notes : tuple of str
        Sentences to show to the user, such as that an encoding was guessed.
    """

    frame: pd.DataFrame
    unread: int = 0
    decimal_comma: bool = False
    numbers: Any = None
    sheet: str = ""
    scales: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@contextmanager
def explained(path: StrPath) -> Iterator[None]:
    """Say in one line why a file cannot be read."""
    name = file_name(path)
    try:
        yield
    except ManyJudgesError:
        raise
    except (pa.ArrowException, UnicodeError, EOFError, zlib.error) as error:
        words = " ".join(str(error).split())
        remedy = " Its text is damaged; save it again as UTF-8." if "utf" in words.lower() else ""
        raise DocumentError(f"{name} cannot be read: {words.rstrip('.')}.{remedy}", file=name) from None
    except OSError as error:
        words = " ".join(str(error.strerror or error).split())
        raise DocumentError(f"{name} cannot be read: {words.rstrip('.')}.", file=name) from None


def check_distinct(names: Sequence[str], path: StrPath) -> None:
    """Refuse a file two of whose columns have the same name."""
    if twice := {name for name in names if names.count(name) > 1}:
        name = file_name(path)
        raise DocumentError(
            f"{name} has more than one column {list_names(sorted(twice))}; rename one.",
            value=sorted(twice)[0],
            file=name,
        )


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
    stream : callable
        The same content as ``read`` gives, in pieces one after the other, each with the numbers of its rows; perhaps of
        some columns only. A line that is no row is an error where it is reached.
    write : callable or None
        A table as the bytes of a file whose name has the ending that is given; None for a format that is only read.
    types : callable
        The types of a file's columns; none where all is text.
    sheets : callable or None
        All tables of a file, for formats that may have several in one file.
    extra : str
        The extra of the package that must be installed for it.
    sniff : callable
        Whether some first bytes are those of a file of this format; always false where that cannot be told.
    title : str
        What such a file is called in messages.
    in_pieces : bool
        Whether ``stream`` reads one piece after the other, and not the whole file at once.
    """

    endings: tuple[str, ...]
    read: Callable[[StrPath, bool], Content]
    columns: Callable[[StrPath], list[str]]
    stream: Callable[[StrPath, bool, Sequence[str] | None], Iterator[Content]]
    write: Callable[[pd.DataFrame, str], bytes] | None = None
    types: Callable[[StrPath], Mapping[str, pa.DataType]] = lambda _path: {}
    sheets: Callable[[StrPath], list[Content]] | None = None
    extra: str = ""
    sniff: Callable[[bytes], bool] = lambda _start: False
    title: str = ""
    in_pieces: bool = True


def whole_format(endings: tuple[str, ...], tables: Callable[[StrPath], list[Content]], **further: Any) -> Format:
    """A format of files that are read whole, whatever is wanted of them.

    Parameters
    ----------
    endings : tuple of str
    tables : callable
        All tables of a file, in order; at least one.
    **further
        Other attributes of the format.
    """

    def read(path: StrPath, _skip: bool) -> Content:
        return _together(tables(path), path)

    def columns(path: StrPath) -> list[str]:
        return list(dict.fromkeys(name for each in tables(path) for name in each.frame.columns))

    def stream(path: StrPath, _skip: bool, _columns: Sequence[str] | None) -> Iterator[Content]:
        content = _together(tables(path), path)
        numbers = np.arange(1, len(content.frame) + 1) if content.numbers is None else content.numbers
        yield replace(content, numbers=numbers)

    return Format(endings, read, columns, stream, in_pieces=False, **further)


def _together(contents: list[Content], path: StrPath) -> Content:
    """The tables of a file as one, if they have the same columns."""
    first = contents[0]
    if len(contents) == 1:
        return first
    if odd := [each for each in contents if set(each.frame.columns) != set(first.frame.columns)]:
        name = file_name(path)
        raise DocumentError(
            f"{name}: the sheets {quote_value(first.sheet)} and {quote_value(odd[0].sheet)} do not have the same "
            "columns. Save the sheet with the judgments as a file of its own.",
            value=odd[0].sheet,
            file=name,
        )
    return replace(
        first,
        frame=pd.concat([each.frame.astype(object) for each in contents], ignore_index=True).infer_objects(),
        numbers=np.concatenate([each.numbers for each in contents]),
        notes=tuple(dict.fromkeys(note for each in contents for note in each.notes)),
    )
