"""Messages: values and names as they stand in the text of an error."""

from __future__ import annotations

__all__ = ["LONGEST_VALUE", "list_names", "quote_path", "quote_value", "suggest"]

import difflib
import os
import re
from collections.abc import Iterable, Sequence

LONGEST_VALUE = 80
"""How much of a value a message shows."""

LONGEST_PATH = 4096
"""How much of a path: as much as Linux takes."""


_CREDENTIALS = re.compile(r"(:/{1,2}).*@", re.DOTALL)


def quote_value(value: object) -> str:
    """A value as a person wrote it, without numpy's wrapping.

    >>> import numpy as np
    >>> quote_value(np.float64(0.5)), quote_value("a")
    ('0.5', "'a'")
    """
    text = repr(value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def quote_path(path: object) -> str:
    """A path as a person wrote it, whole: its end is what tells files apart. Passwords of addresses are not shown.

    >>> quote_path("a/b.csv"), quote_path("postgresql://ann:secret@host/jars")
    ("'a/b.csv'", "'postgresql://…@host/jars'")
    """
    text = repr(os.fspath(path) if isinstance(path, os.PathLike) else path)
    text = _CREDENTIALS.sub(r"\1…@", text)
    return text if len(text) <= LONGEST_PATH else f"…{text[1 - LONGEST_PATH :]}"


def list_names(values: Iterable[object], limit: int = 3, *, total: int | None = None) -> str:
    """Name the first few of many values, for a message; ``total`` where not all of them are given.

    >>> list_names(["a", "b", "c", "d", "e"])
    "'a', 'b', 'c' and 2 more"
    """
    names = [quote_value(value) for value in values]
    rest = (len(names) if total is None else total) - limit
    if rest > 0:
        return f"{', '.join(names[:limit])} and {rest:,} more"
    return ", ".join(names)


def suggest(name: object, names: Sequence[str]) -> str:
    """Say which known name is nearest to one that is not known, or nothing.

    >>> suggest("hieght", ["height", "weight"])
    " Did you mean 'height'?"
    >>> suggest("Grade", ["Clarity", "Final grade"])
    " Did you mean 'Final grade'?"
    """
    known = [each.lower() for each in names]
    near = difflib.get_close_matches(str(name).lower(), known, n=1, cutoff=0.6) or _with_the_words_of(str(name), known)
    if len(near) != 1:
        return ""
    return f" Did you mean {next(k for k in names if k.lower() == near[0])!r}?"


def _with_the_words_of(name: str, known: Sequence[str]) -> list[str]:
    """Longer names, in small letters, that have all words of a name."""
    words = set(name.lower().split())
    return [each for each in known if words and words <= set(each.split())]
