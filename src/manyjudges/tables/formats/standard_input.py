"""Standard input: what is piped into a program, as a file that may be read as often as is needed."""

from __future__ import annotations

__all__: list[str] = []

import atexit
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.paths import COMPRESSED, StrPath, opened

_STANDARD_INPUT = "-"
_STEM = "standard-input"
_PACKED = {b"\x1f\x8b": ".gz", b"BZh": ".bz2"}

_spooled: list[tuple[Any, Path]] = []
"""The last stream that was read, and the file with what it gave."""


def is_standard_input(path: StrPath) -> bool:
    """Whether a path stands for standard input."""
    return str(path) == _STANDARD_INPUT


def standard_input(ending: str, tell: Callable[[bytes], str]) -> Path:
    """A file with what comes from standard input, which is read the first time.

    Parameters
    ----------
    ending : str
        What its name is to end in; ``""`` where that is told from its first bytes.
    tell : callable
        The ending that the first bytes tell; ``""`` where they do not.
    """
    if not _spooled or _spooled[0][0] is not sys.stdin:
        _spooled[:] = [(sys.stdin, _spool(sys.stdin))]
    plain = _spooled[0][1]
    if not ending:
        with opened(plain) as stream:
            ending = tell(stream.read(1 << 16))
    if not ending:
        raise DocumentError(
            "standard input does not show what kind of file it is. Name the format, such as --format csv.",
            column="format",
            file=plain.name,
        )
    packed = plain.suffix if plain.suffix in COMPRESSED else ""
    named = plain.with_name(f"{_STEM}{ending}{packed}")
    if not named.exists():
        named.hardlink_to(plain)
    return named


def _spool(stdin: Any) -> Path:
    """All of a stream in a file, which is gone when the program ends."""
    if stdin is None or stdin.isatty():
        raise DocumentError(
            "nothing comes from standard input. Pipe a table into the command, or give a file instead of '-'.",
            value=_STANDARD_INPUT,
        )
    folder = Path(tempfile.mkdtemp(prefix="manyjudges-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = folder / _STEM
    with file.open("wb") as copy:
        shutil.copyfileobj(getattr(stdin, "buffer", stdin), copy)
    with file.open("rb") as copy:
        start = copy.read(4)
    packed = next((ending for mark, ending in _PACKED.items() if start.startswith(mark)), "")
    return file.rename(folder / f"{_STEM}{packed}") if packed else file
