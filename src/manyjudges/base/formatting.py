"""Formatting: numbers and findings as a person says them, with as many digits as they deserve."""

from __future__ import annotations

__all__ = [
    "NONE",
    "clean",
    "decimals_for",
    "error_digits",
    "fixed",
    "in_units",
    "listed",
    "number",
    "percent",
    "plural",
    "small_percent",
]

import math
import unicodedata
from collections.abc import Iterable
from typing import Any

NONE = "–"
"""Where there is no number."""


def number(value: Any, digits: int = 3) -> str:
    """A number with so many significant digits, and all of those before the point.

    >>> number(0.012345), number(-1234.5), number(17), number(None), number(float("inf"))
    ('0.0123', '−1,234', '17', '–', '∞')
    """
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(float(value))
    if size and not 1e-4 <= size < 1e9:
        text = f"{size:.{digits - 1}e}"
    else:
        decimals = max(digits - 1 - math.floor(math.log10(size)), 0) if size else 0
        text = f"{size:,.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text and float(size) == round(float(size)) else text
    return f"−{text}" if value < 0 and any(c in "123456789" for c in text) else text


def fixed(value: Any, decimals: int = 2) -> str:
    """A number with so many decimals, for a column.

    >>> fixed(0.5), fixed(-0.123), fixed(float("nan"))
    ('0.50', '−0.12', '–')
    """
    if value is None or not math.isfinite(value):
        return NONE
    text = f"{abs(value):,.{decimals}f}"
    return f"−{text}" if value < 0 and any(c in "123456789" for c in text) else text


def percent(value: Any, decimals: int = 0) -> str:
    """A share in per cent.

    >>> percent(0.254), percent(0.00254, 2), percent(None)
    ('25\u202f%', '0.25\u202f%', '–')
    """
    if value is None or not math.isfinite(value):
        return NONE
    return f"{fixed(100 * value, decimals)}\u202f%"


def small_percent(value: Any) -> str:
    """A share in per cent with two significant digits, however small; nothing where it is next to nothing.

    >>> small_percent(0.00254), small_percent(0.254), small_percent(1e-9)
    ('0.25\u202f%', '25\u202f%', '0\u202f%')
    """
    if value is None or not math.isfinite(value):
        return NONE
    if abs(value) < 5e-7:
        return "0\u202f%"
    decimals = max(1 - math.floor(math.log10(abs(100 * value))), 0)
    return percent(value, decimals)


def decimals_for(*reaches: float) -> int:
    """Decimals that show the smallest of these, which are half-widths of intervals, with one digit.

    >>> decimals_for(0.21), decimals_for(8.0), decimals_for(0.0)
    (1, 0, 2)
    """
    least = min((reach for reach in reaches if reach > 0), default=0.05)
    return max(0, min(-math.floor(math.log10(least)), 9))


def error_digits(low: float, high: float, scale: float) -> int:
    """Decimals for errors whose limits these are, of a label that deviates so much."""
    return decimals_for((high - low) / 2, scale / 10, high / 10)


def in_units(loss: Any) -> float:
    """A squared error as a typical one, in the label's units."""
    return math.sqrt(max(float(loss), 0.0))


def clean(text: object) -> str:
    r"""What somebody wrote, on one line, without what HTML cannot hold.

    >>> clean("a\nb\x07")
    'a b'
    """
    kept = "".join(" " if unicodedata.category(c) in {"Cc", "Cs", "Cn"} else c for c in str(text))
    return " ".join(kept.split())


def listed(parts: Iterable[str]) -> str:
    """A list in words.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    words = list(parts)
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def plural(many: int, one: str, more: str | None = None) -> str:
    """A number with its noun.

    >>> plural(1, "object"), plural(1200, "object")
    ('1 object', '1,200 objects')
    """
    return f"{many:,} {one if many == 1 else more or one + 's'}"
