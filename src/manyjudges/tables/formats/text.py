"""Text: the encodings and the beginnings of files of text, and their bytes as UTF-8."""

from __future__ import annotations

__all__ = ["BEGINNING_BYTES", "UTF8", "encoding_of"]

import codecs
import io
import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.paths import StrPath, file_name, opened

BEGINNING_BYTES = 1 << 16
"""Bytes of a file that are looked at for what its columns are called."""

UTF8 = "utf-8"
"""The encoding that texts are read as, where nothing speaks against it."""

_CP1252 = "cp1252"
_GB18030 = "gb18030"
_GUESSED = {_CP1252: "Windows-1252 (cp1252)", _GB18030: "Chinese (GB 18030)"}

_DECODERS = {UTF8: "utf-8-sig"}
"""How whole texts are decoded, where that is not what their encoding is called: a mark at the beginning is no text."""

_SHARE_OF_NUL = 0.2
"""Of the bytes of UTF-16 in an alphabet; of other text, none is."""

_SHARE_MISPLACED = 0.05
_PIECE_BYTES = 1 << 20

_UTF8_LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
"""Bytes that are no letters of Windows-1252; some are letters together with others in UTF-8."""

_CHINESE = re.compile(rb"(?<![A-Za-z\x80-\xff])(?:[\xa1-\xa9\xb0-\xf7][\xa1-\xfe])+(?![A-Za-z\x80-\xff])")
"""Two bytes for each letter, and no other letter beside them, as there is beside umlauts."""

_SHARE_CHINESE = 0.9
"""Of the bytes beyond ASCII of a Chinese text; the rest are letters that are rare."""

MARK = "\ufdd0"
"""Stands where bytes are no text. Unicode promises that no text has this character."""

_NUL = b"\0"
"""What programs leave in a file whose writing was cut short."""

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
    start = _first_bytes(path) if start is None else start
    encoding = _encoding_by_start(start)
    if encoding == UTF8 and not _is_utf8(start):
        encoding = encoding_of(path, start)
    return str(codecs.getincrementaldecoder(_DECODERS.get(encoding, encoding))("replace").decode(start))


def _first_bytes(path: StrPath) -> bytes:
    with opened(path) as stream:
        return bytes(stream.read(BEGINNING_BYTES))


def _encoding_by_start(start: bytes) -> str:
    """The encoding that the first bytes of a text tell: UTF-16 or UTF-8."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    at_even, at_odd = start[::2].count(0), start[1::2].count(0)
    nothing = at_even + at_odd
    if nothing < _SHARE_OF_NUL * len(start) or min(at_even, at_odd) > _SHARE_MISPLACED * nothing or not nothing:
        return UTF8
    return "utf-16-le" if at_odd > at_even else "utf-16-be"


def encoding_of(path: StrPath, start: bytes | None = None) -> str:
    """The encoding of a file of text: UTF-8, UTF-16, or else GB 18030 or Windows-1252, if all its bytes may be that.

    A file that is UTF-8 but for a few bytes is damaged, and stays UTF-8.
    """
    address = os.fspath(path)
    if "://" in address:  # far away, and so not read to its end for this
        start = _first_bytes(path) if start is None else start
        encoding = _encoding_by_start(start)
        return encoding if encoding != UTF8 or _is_utf8(start) else _encoding_of_pieces([start])
    state = os.stat(address)
    return _encoding_of_file(address, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _encoding_of_file(address: str, _modified: int, _size: int) -> str:
    encoding = _encoding_by_start(_first_bytes(address))
    if encoding != UTF8:
        return encoding
    decoder = codecs.getincrementaldecoder(UTF8)()
    with opened(address) as stream:
        try:
            for piece in _pieces(stream):
                decoder.decode(piece)
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            pass
        else:
            return UTF8
    with opened(address) as stream:
        return _encoding_of_pieces(_pieces(stream))


def _pieces(stream: Any) -> Iterator[bytes]:
    while piece := stream.read(_PIECE_BYTES):
        yield piece


def _encoding_of_pieces(pieces: Iterable[bytes]) -> str:
    """UTF-8, unless more bytes cannot be that than can; then GB 18030 if they are Chinese, and else Windows-1252."""
    letters = strange = beyond = chinese = 0
    for piece in pieces:
        beyond += len(_BEYOND_ASCII.findall(piece))
        chinese += sum(map(len, _CHINESE.findall(piece)))
        rest, found = _UTF8_LETTER.subn(b"", piece)
        if _NO_TEXT.search(rest):
            return UTF8
        letters += found
        strange += len(_BEYOND_ASCII.findall(rest))
    if strange <= letters:
        return UTF8
    return _GB18030 if chinese >= _SHARE_CHINESE * beyond else _CP1252


def _is_utf8(start: bytes) -> bool:
    """Whether bytes are UTF-8, of which the last letter may be cut off."""
    try:
        codecs.getincrementaldecoder(UTF8)().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def is_plain_text(start: bytes) -> bool:
    """Whether first bytes are those of a text."""
    if _encoding_by_start(start) != UTF8:
        return True
    return bool(start.strip()) and _NO_TEXT.search(_UTF8_LETTER.sub(b"", start)) is None


def opened_text(path: StrPath, encoding: str | None = None) -> Any:
    """The bytes of a file of text as a stream, in UTF-8 whatever the file has."""
    encoding = encoding or encoding_of(path)
    return opened(path) if encoding == UTF8 else io.BufferedReader(_Recoded(opened(path), encoding))


def text_of(path: StrPath) -> tuple[str, tuple[str, ...]]:
    """All the text of a file, and what to say about its encoding."""
    encoding = encoding_of(path)
    with opened(path) as stream:
        return str(stream.read().decode(_DECODERS.get(encoding, encoding))), encoding_notes(path, encoding)


def encoding_notes(path: StrPath, encoding: str) -> tuple[str, ...]:
    """What to say about the encoding of a file: nothing, unless it was guessed."""
    if encoding not in _GUESSED:
        return ()
    guess = f"{file_name(path)} is not UTF-8; it was read as {_GUESSED[encoding]}."
    return (f"{guess} If letters look wrong, save it as UTF-8.",)


class _Recoded(io.RawIOBase):
    """A stream of UTF-8 of the text of another stream, which has another encoding."""

    def __init__(self, stream: Any, encoding: str) -> None:
        self._stream, self._rest = stream, b""
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes; none at the end."""
        while not self._rest:
            data = bytes(self._stream.read(_PIECE_BYTES))
            self._rest = self._decoder.decode(data, not data).encode()
            if not data:
                break
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def close(self) -> None:
        """Close what is behind it."""
        self._stream.close()
        super().close()


class Utf8Stream:
    """A stream of bytes that are UTF-8 without NUL; a UnicodeDecodeError where those behind it are not.

    A parser of C++ should not be given others: it hands lines that it cannot read to Python, as text.

    Parameters
    ----------
    stream : file-like
    marking : bool
        Whether ``MARK`` is put where bytes are not UTF-8, or NUL. Otherwise that is an error.
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
                if (at := data.find(_NUL)) >= 0:
                    raise UnicodeDecodeError(UTF8, data, at, at + 1, "NUL is no part of a text")
                return data
            if text or not data:
                return text.replace("\0", MARK).encode()

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


_QUOTED = re.compile(rb'[^"]*(?:""[^"]*)*')
"""What stands after a quotation mark, up to the one that closes it; two within stand for one."""


def open_quotation(stream: Any, separator: str, start: int = 0) -> int | None:
    r"""The line, from 1, on which the quotation mark opens that nothing closes up to the end; None without one.

    Parameters
    ----------
    stream : file-like
        The bytes of a table.
    separator : str
    start : int
        Lines of the heading, which are left out.

    Examples
    --------
    >>> open_quotation(io.BytesIO(b'a,b\n1,"two"\n2,"three\n3,four\n'), ",")
    3
    """
    mark, opened_on = separator.encode(), 0
    for number, line in enumerate(_lines(stream), 1):
        if number > start and b'"' in line:
            within, opens = _quoting(line, mark, within=opened_on > 0)
            opened_on = (number if opens else opened_on) if within else 0
    return opened_on or None


def _lines(stream: Any) -> Iterator[bytes]:
    """The lines of a stream, however they end."""
    rest = b""
    while data := stream.read(BEGINNING_BYTES):
        *lines, rest = (rest + data).splitlines(keepends=True)
        yield from (line.rstrip(b"\r\n") for line in lines)
    yield rest.rstrip(b"\r\n")


def _quoting(line: bytes, mark: bytes, *, within: bool) -> tuple[bool, bool]:
    """Whether a line ends within quotation marks, and whether one opens in it. Only at the start of a cell it does."""
    at, begins, opens = 0, not within, False
    while at < len(line):
        if within:
            quoted = _QUOTED.match(line, at)
            at = len(line) if quoted is None else quoted.end()
            within = at == len(line)
            at += 1
        elif begins and line.startswith(b'"', at):
            within, opens, begins = True, True, False
            at += 1
        elif (found := line.find(mark, at)) < 0:
            break
        else:
            at, begins = found + len(mark), True
    return within, opens
