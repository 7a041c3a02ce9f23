"""Pictures: files of a study that judges may see, and no others."""

from __future__ import annotations

__all__ = ["MEDIA_KINDS", "START", "media_type"]

import os
import stat
from collections.abc import Callable
from pathlib import Path

from manyjudges.base.messages import quote_path
from manyjudges.exceptions import StudyError

START = 512
"""How many bytes of a file tell what it is."""

MEDIA_KINDS = "PNG, JPEG, GIF, WebP, AVIF or BMP"
"""Pictures that browsers and models can show, in words."""

_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_BMP_HEADERS = (12, 40, 52, 56, 64, 108, 124)


def media_type(start: bytes) -> str | None:
    r"""What kind of picture a file is that starts so; None where browsers do not show it, or it is none.

    >>> media_type(b"GIF89a\x01\x00"), media_type(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    ('image/gif', None)
    """
    for beginning, kind in _BEGINNINGS.items():
        if start.startswith(beginning):
            return kind
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "image/webp"
    if {b"avif", b"avis"} & _brands(start):
        return "image/avif"
    # Two letters are little to go by, so the sizes behind them must make sense, too.
    if start[:2] == b"BM" and start[6:10] == bytes(4) and int.from_bytes(start[14:18], "little") in _BMP_HEADERS:
        return "image/bmp"
    return None


def find_picture(folder: Path, relative_path: str, *, resolve: Callable[[str], str] = os.path.realpath) -> Path:
    """The picture of this name in a study's folder.

    Parameters
    ----------
    folder : Path
        The study's.
    relative_path : str
        Relative to it.
    resolve : callable
        Follows the links in a folder's path; who looks for thousands of pictures at once may keep what it gave.

    Returns
    -------
    Path
        Absolute, with links followed: a file within the folder that starts like a picture.

    Raises
    ------
    StudyError
        Where there is none: the message names it and what to do.
    """
    path = _within(resolve(str(folder)), relative_path, resolve)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for ever
            raise StudyError(
                f"the image {quote_path(relative_path)} is not a file.", value=relative_path, column="image"
            )
        with open(path, "rb", buffering=0) as file:
            start = file.read(START)
    except (FileNotFoundError, NotADirectoryError):
        raise StudyError(
            f"the image {quote_path(relative_path)} is not in the study's folder.", value=relative_path, column="image"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StudyError(
            f"the image {quote_path(relative_path)} cannot be read: {reason}.", value=relative_path, column="image"
        ) from None
    if media_type(start) is None:
        raise StudyError(
            f"the image {quote_path(relative_path)} {_why_not(start)}", value=relative_path, column="image"
        )
    return Path(path)


def _within(root: str, relative_path: str, resolve: Callable[[str], str]) -> str:
    """The real path of a file, which must lie in the folder, whatever links and dots lead to."""
    written = relative_path.replace("\\", "/")
    if ".." in written.split("/"):
        raise StudyError(
            f"the image {quote_path(relative_path)} leads out of its folder by '..'; write the path without it.",
            value=relative_path,
            column="image",
        )
    try:
        directory, name = os.path.split(os.path.join(root, written))
        path = os.path.join(resolve(directory), name)
        path = os.path.realpath(path) if os.path.islink(path) else path
    except ValueError:  # a character that no path can have
        raise StudyError(
            f"the image {quote_path(relative_path)} is no name of a file.", value=relative_path, column="image"
        ) from None
    if not path.startswith(root.rstrip(os.sep) + os.sep):
        raise StudyError(
            f"the image {quote_path(relative_path)} lies outside of the study's folder; copy it into the folder.",
            value=relative_path,
            column="image",
        )
    return path


def _brands(start: bytes) -> set[bytes]:
    if start[4:8] != b"ftyp":
        return set()
    box = start[8 : int.from_bytes(start[:4], "big")]
    return {box[i : i + 4] for i in range(0, len(box) - 3, 4) if i != 4}  # after the first comes its version


def _why_not(start: bytes) -> str:
    if not start:
        return "is an empty file."
    if b"<svg" in start.lower():
        return f"is SVG, which can hold scripts; save it as {MEDIA_KINDS}."
    if _brands(start) & {b"heic", b"heix", b"hevc", b"mif1"}:
        return "is HEIC, which most browsers do not show; save it as JPEG."
    if start[:4] in (b"II*\x00", b"MM\x00*"):
        return "is TIFF, which most browsers do not show; save it as PNG."
    return f"is not {MEDIA_KINDS} by its first bytes; save it anew as one of these."
