"""Images: files of the study's folder and of nowhere else, looked at before a judge is asked about them."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import Image

from manyjudges.study.pictures import MEDIA_KINDS, START, media_type

_LARGEST_PICTURE = 50 * 1024 * 1024
"""Bytes of an image, at most; more would not reach a judge in time."""


@dataclass(frozen=True)
class Picture:
    """What became of an image's file.

    Attributes
    ----------
    path : pathlib.Path
        With every link followed.
    kind : str
        As the first bytes say, such as ``"image/png"``; empty where there is a problem.
    problem : str
        Why it cannot be shown; empty where it can.
    """

    path: Path
    kind: str = ""
    problem: str = ""


def look_at(path: Path, folder: Path) -> Picture:
    """Whether an image can be shown: inside the folder once links are followed, whole, and an image.

    Parameters
    ----------
    path : pathlib.Path
        Relative to the folder, or absolute.
    folder : pathlib.Path
        The study's.
    """
    try:
        real, home = (folder / path).resolve(strict=True), folder.resolve(strict=True)
        if not real.is_relative_to(home):
            return Picture(real, problem="it lies outside the study's folder")
        status = os.stat(real)
    except (OSError, RuntimeError, ValueError) as error:
        return Picture(path, problem=f"it cannot be found ({type(error).__name__})")
    if status.st_size > _LARGEST_PICTURE:
        return Picture(real, problem=f"it has more than {_LARGEST_PICTURE:,} bytes")
    return _checked(real, status.st_mtime_ns, status.st_size)


def contents(picture: Picture) -> bytes:
    """The bytes of an image that was looked at; links that were put there since are not followed.

    Raises
    ------
    OSError
        Where the file, or a folder above it, is another one by now.
    """
    with open(os.open(picture.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
        opened = f"/proc/self/fd/{file.fileno()}"  # Linux says what was opened; elsewhere the last look must do
        if os.path.exists(opened) and os.path.realpath(opened) != str(picture.path):
            raise OSError(f"{picture.path} was replaced")
        return file.read(_LARGEST_PICTURE)


@lru_cache(maxsize=20_000)
def _checked(path: Path, changed: int, size: int) -> Picture:
    """Look into a file once for each time that it changes."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return Picture(path, problem=f"it cannot be read ({type(error).__name__})")
    kind = media_type(data[:START])
    if kind is None:
        return Picture(path, problem=f"it is not {MEDIA_KINDS} by its first bytes")
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.verify()
        with Image.open(io.BytesIO(data)) as image:  # after verify there is nothing left to load
            image.draft("RGB", (64, 64))  # JPEG: small is enough to find where a file was cut off
            image.load()
    except Exception as error:  # whatever a damaged file makes of Pillow
        message = str(error)  # which may show an object of Python in angle brackets
        return Picture(
            path, problem=f"it is damaged ({message})" if message and "<" not in message else "it is damaged"
        )
    return Picture(path, kind)
