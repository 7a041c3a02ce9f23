"""Documents: the JSON files that plans and models are kept in.

A document is a JSON object whose ``format`` says what it is and which version, such as ``manyjudges.plan/1``.
"""

from __future__ import annotations

__all__ = ["HTML", "JSON", "check_target", "dumps", "field", "loads", "number", "read", "write", "write_folder"]

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from manyjudges.base.messages import quote_path
from manyjudges.exceptions import DocumentError


def dumps(document: Mapping[str, Any]) -> str:
    """Write a document as JSON that a person can read."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def loads(text: str | bytes, kind: str, *, remedy: str = "") -> dict[str, Any]:
    """Read a document of a kind (``"manyjudges.plan/1"``) from JSON.

    Parameters
    ----------
    text : str or bytes
    kind : str
        The format, with its version.
    remedy : str
        Where such a document comes from, in a sentence, for those who give something else.

    >>> loads('{"format": "manyjudges.plan/1"}', "manyjudges.plan/1")
    {'format': 'manyjudges.plan/1'}
    """
    after = f" {remedy}" if remedy else ""
    try:
        document = json.loads(text, parse_constant=_refuse)
    except (ValueError, TypeError, RecursionError) as error:
        raise DocumentError(
            f"not JSON: {error}. Expected a document of the format {kind!r}.{after}", column="format"
        ) from None
    if not isinstance(document, dict) or document.get("format") != kind:
        stated = document.get("format") if isinstance(document, dict) else None
        raise DocumentError(
            f"expected a document of the format {kind!r}, found {stated!r}.{after}", value=stated, column="format"
        )
    return document


def field(document: Mapping[str, Any], name: str, kind: type | tuple[type, ...]) -> Any:
    """One field of a document, or an error that names it."""
    value = document.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise DocumentError(f"field {name!r} of the document is missing or wrong: {value!r}.", value=value, column=name)
    return value


def number(document: Mapping[str, Any], name: str) -> float:
    """A field that is a finite number."""
    value = field(document, name, (int, float))
    if not abs(value) <= sys.float_info.max:
        raise DocumentError(f"field {name!r} of the document is too large for a number.", value=value, column=name)
    return float(value)


JSON, HTML = (".json",), (".html", ".htm")
"""Endings of files with a document, and of those with a page."""


_OF_FILES = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".zip", ".html")
"""Endings that the name of a folder would not have by intention."""


def check_target(path: str | os.PathLike[str], endings: Sequence[str] = ()) -> None:
    """Refuse what no file can be written to, before anything takes time.

    Parameters
    ----------
    path : path
    endings : sequence of str
        What the name may end in, if it has an ending: another one would promise a format that the file does not have.
    """
    name, target = os.fspath(path), Path(os.path.realpath(path))
    ending = Path(name).suffix.lower()
    if ending and endings and ending not in endings:
        content = endings[0].removeprefix(".").upper()
        raise DocumentError(
            f"cannot write {name!r}: it is {content} that is written, not {ending}; name a file that ends in "
            f"{endings[0]}.",
            value=ending,
            file=name,
        )
    if target.is_dir():
        raise DocumentError(f"cannot write {name!r}: it is a folder; name a file in it.", file=name)
    if not target.parent.is_dir():
        folder = os.path.dirname(name) or str(target.parent)
        raise DocumentError(f"cannot write {name!r}: there is no folder {folder!r}; make it first.", file=name)
    if not os.access(target if target.exists() and not target.is_file() else target.parent, os.W_OK):
        raise DocumentError(f"cannot write {name!r}: its folder cannot be written to.", file=name)


def write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file whole or not at all; a link is followed, and a device or pipe is written to as it is."""
    target = Path(os.path.realpath(path))
    data = content.encode() if isinstance(content, str) else content
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise DocumentError(
            f"cannot write {os.fspath(path)!r}: {error.strerror or error}.", file=os.fspath(path)
        ) from None


def write_folder(path: str | os.PathLike[str], files: Mapping[str, str | bytes]) -> None:
    """Write the files of a folder: all of them, or nothing.

    Parameters
    ----------
    path : path
        A folder that is not there yet, or is empty.
    files : mapping of str to str or bytes
        By their names, which may have folders in them: ``"data/a.csv"``.
    """
    folder = Path(path)
    if (ending := folder.suffix.lower()) in _OF_FILES and not folder.is_dir():
        raise DocumentError(
            f"cannot write {str(folder)!r}: it is a folder that is written, not a {ending} file; name a folder.",
            value=ending,
            file=str(folder),
        )
    if folder.is_dir() and any(folder.iterdir()):
        raise DocumentError(f"the folder {str(folder)!r} is not empty; name a new one.", file=str(folder))
    if folder.exists() and not folder.is_dir():
        raise DocumentError(f"{str(folder)!r} is there already and is no folder; name a new one.", file=str(folder))
    try:
        with tempfile.TemporaryDirectory(dir=folder.absolute().parent, prefix=f".{folder.name}.") as scratch:
            made = Path(scratch) / "made"
            made.mkdir()
            for name, content in files.items():
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                (made / name).write_bytes(content.encode() if isinstance(content, str) else content)
            if folder.is_dir():
                folder.rmdir()
            os.rename(made, folder)
    except OSError as error:
        raise DocumentError(f"cannot write {str(folder)!r}: {error.strerror or error}.", file=str(folder)) from None


def read(path: str | os.PathLike[str]) -> str:
    """Read a file, or say in one line why not."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise DocumentError(
            f"cannot read {quote_path(path)}: {error.strerror or error}.", file=quote_path(path)[1:-1]
        ) from None
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"cannot read {quote_path(path)}: not UTF-8 text ({error.reason}).", file=quote_path(path)[1:-1]
        ) from None


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no number that JSON knows")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
