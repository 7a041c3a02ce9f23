"""Uploads: files from the browser, kept in a folder until the user takes another file or the app ends."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

_LONGEST_NAME = 120
_SPECIAL = frozenset('*?[]<>:"|\\/')
"""Characters that stand for others in a pattern of files, or that some system does not allow in names."""


async def keep_files(files: Sequence[UploadFile], folder: Path) -> list[Path]:
    """Write files to a folder, which is made, under their own names; empty fields of a form are none."""
    named = [file for file in files if file.filename]
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for file in named:
        path = _unused(folder / safe_name(file.filename or ""))
        await run_in_threadpool(_copy, file, path)
        paths.append(path)
    return paths


def safe_name(name: str) -> str:
    """A name as a file in our folder may have it.

    >>> safe_name("../../etc/passwd"), safe_name("-"), safe_name("what*.csv"), safe_name("Umfrage (2).csv")
    ('passwd', 'table', 'what_.csv', 'Umfrage (2).csv')
    """
    base = name.replace("\\\\", "/").replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join("_" if c in _SPECIAL or unicodedata.category(c)[0] == "C" else c for c in base).strip(" .-")
    stem, dot, ending = kept.rpartition(".")
    return f"{stem[:_LONGEST_NAME]}{dot}{ending[:10]}" if stem else kept[:_LONGEST_NAME] or "table"


def _unused(path: Path) -> Path:
    """The path, or one like it where there is such a file."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{number}-{path.name}")
    return free


def _copy(file: UploadFile, path: Path) -> None:
    file.file.seek(0)
    with path.open("wb") as target:
        shutil.copyfileobj(file.file, target, 1024 * 1024)
