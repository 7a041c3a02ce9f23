"""Text: the beginnings of files of text, and bytes of which it is known that they are UTF-8."""

from __future__ import annotations

__all__ = ["BEGINNING_BYTES"]

import codecs
from typing import Any

from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.paths import StrPath, file_name, opened

BEGINNING_BYTES = 1 << 16
"""Bytes of a file that are looked at for what its columns are called."""

MARK = "\ufdd0"
"""Stands where bytes are not UTF-8. Unicode promises that no text has this character."""

_MARKING = "manyjudges.mark"
codecs.register_error(_MARKING, lambda error: (MARK, error.end))  # type: ignore[attr-defined]


def first_line(path: StrPath, start: bytes | None = None) -> str:
    """The line that names the columns."""
    text = beginning(path, start)
    line = text[: min(at if (at := text.find(end)) >= 0 else len(text) for end in "\r\n")]
    if not line.strip():
        name = file_name(path)
        raise DocumentError(f"{name} is empty, or its first line is: that line must name the columns.", file=name)
    return line


def beginning(path: StrPath, start: bytes | None = None) -> str:
    """The first lines of a file of text, the last of which may be cut off; ``start`` where they have been read."""
    if start is None:
        with opened(path) as stream:
            start = stream.read(BEGINNING_BYTES)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        name = file_name(path)
        raise DocumentError(f"{name} is UTF-16 text; save it as UTF-8.", file=name)
    return str(start.decode("utf-8-sig", errors="replace"))


class Utf8Stream:
    """A stream of bytes that are UTF-8; a UnicodeDecodeError where those behind it are not.

    A parser of C++ should not be given others: it hands lines that it cannot read to Python, as text.

    Parameters
    ----------
    stream : file-like
    marking : bool
        Whether ``MARK`` is put where bytes are not UTF-8. Otherwise that is an error.
    """

    closed = False

    def __init__(self, stream: Any, *, marking: bool = False) -> None:
        self._stream, self._marking = stream, marking
        self._decoder = codecs.getincrementaldecoder("utf-8")(_MARKING if marking else "strict")

    def read(self, size: int = -1) -> bytes:
        """The next bytes; none at the end. With marks, there may be some more or fewer than asked for."""
        while True:
            data: bytes = self._stream.read(size)
            text = self._decoder.decode(data, not data)
            if not self._marking:
                return data
            if text or not data:
                return text.encode()

    def readable(self) -> bool:
        """Always."""
        return True

    def writable(self) -> bool:
        """Never."""
        return False

    def seekable(self) -> bool:
        """Never."""
        return False

    def close(self) -> None:
        """Close what is behind it."""
        self.closed = True
        self._stream.close()
