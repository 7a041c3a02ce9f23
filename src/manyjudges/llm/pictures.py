"""Pictures as language models get them: the address of one on the web, the bytes of one in the study's folder."""

from __future__ import annotations

import base64
import os
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StudyError
from manyjudges.study.pictures import MEDIA_KINDS, START, media_type

if TYPE_CHECKING:
    from manyjudges.study.objects import ObjectRecord

_LARGEST_PICTURE = 20 * 1024 * 1024
"""Bytes of a picture, at most; services take no larger ones."""

_CACHE_SIZE = 128 * 1024 * 1024
"""Characters of pictures that are kept in memory, at most: an object is asked about many times in a row."""


class Pictures:
    """Reads pictures once, and keeps those that were asked for last; may be used from several threads.

    Parameters
    ----------
    cache_size : int
        Characters to keep, at most.
    largest : int
        Bytes of a picture, at most.
    """

    def __init__(self, cache_size: int = _CACHE_SIZE, largest: int = _LARGEST_PICTURE) -> None:
        self._cache_size, self._largest = cache_size, largest
        self._size = 0
        self._cache: OrderedDict[Path, str] = OrderedDict()
        self._lock = Lock()

    def address_of(self, record: ObjectRecord) -> str | None:
        """Where a model finds an object's picture: on the web, or in a ``data:`` address; None where there is none."""
        if record.image is None:
            return record.address
        with self._lock:
            if record.image in self._cache:
                self._cache.move_to_end(record.image)
                return self._cache[record.image]
        address = _data_address(record.image, record, self._largest)
        with self._lock:
            self._keep(record.image, address)
        return address

    def _keep(self, path: Path, address: str) -> None:
        if path in self._cache or len(address) > self._cache_size:
            return
        self._cache[path] = address
        self._size += len(address)
        while self._size > self._cache_size:
            _, dropped = self._cache.popitem(last=False)
            self._size -= len(dropped)


def _data_address(path: Path, record: ObjectRecord, largest: int = _LARGEST_PICTURE) -> str:
    place = f"the picture {str(path)!r} of object {quote_value(record.name)}"
    try:
        # It was found within the study's folder; a link that was put there since is not followed.
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            data = file.read(largest + 1)
    except OSError as error:
        raise StudyError(
            f"{place} cannot be read: {error.strerror or error}. Put it back, and start again.",
            row=record.name,
            column="image",
            file=str(path),
        ) from None
    if len(data) > largest:
        raise StudyError(
            f"{place} has more than {largest:,} bytes, which no service takes; make it smaller.",
            value=largest,
            row=record.name,
            column="image",
            file=str(path),
        )
    kind = media_type(data[:START])
    if kind is None:
        raise StudyError(
            f"{place} is not {MEDIA_KINDS} by its first bytes; save it anew as one of these.",
            row=record.name,
            column="image",
            file=str(path),
        )
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
