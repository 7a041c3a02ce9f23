"""Extras: packages that only some formats need, which may be missing, and may fail in ways of their own."""

from __future__ import annotations

__all__: list[str] = []

import importlib
from collections.abc import Callable
from typing import Any, TypeVar

from manyjudges.exceptions import DocumentError, ManyJudgesError
from manyjudges.tables.formats.paths import StrPath, file_name

_Result = TypeVar("_Result")


def extra_needed(module: str, extra: str, path: StrPath) -> Any:
    """A package that comes with an extra, or an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = file_name(path)
        subject = f"{name} cannot be read" if name else "this kind of file cannot be written"
        raise DocumentError(
            f"{subject} without a further package. Install it with: pip install 'manyjudges[{extra}]'",
            value=extra,
            file=name or None,
        ) from None


def guarded_call(call: Callable[[], _Result], message: str, path: StrPath) -> _Result:
    """What a call into a compiled package gives, or an error with a message where the package gives up."""
    try:
        return call()
    except (ManyJudgesError, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic of a package in Rust is no Exception
        raise DocumentError(message, file=file_name(path)) from None
