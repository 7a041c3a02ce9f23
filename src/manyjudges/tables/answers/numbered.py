"""Numbered answers: a number with a word that says what it means, or with a unit, such as "4 - agree" or "5 stars"."""

from __future__ import annotations

__all__ = ["read_any_number", "read_numbered", "unit_of"]

import math
import re
from typing import NamedTuple

from manyjudges.tables.answers.languages.language import plain_key
from manyjudges.tables.grammar import BLANK, TYPED, read_number

_NUMBER = r"[-+\N{MINUS SIGN}]?\d+(?:[.,]\d+)?"
_BEHIND = re.compile(rf"(?P<plain>{_NUMBER})\s*[(\[](?P<label>[^()\[\]]*)[)\]]", re.DOTALL | re.ASCII)
_FIRST = re.compile(
    rf"(?:(?P<plain>{_NUMBER})\s*[-–—=:.)\]|>]+|[(\[](?P<bracketed>{_NUMBER})[)\]]\s*[-–—=:]?)\s*(?P<label>[^\d\s=:.)\]|>–—-].*)",
    re.DOTALL | re.ASCII,
)
_LAST = re.compile(
    rf"(?P<label>.*\S)(?:\s*[(\[](?P<bracketed>{_NUMBER})[)\]]|\s*[=:]\s*(?P<plain>{_NUMBER}))", re.DOTALL | re.ASCII
)
_UNIT = re.compile(rf"(?P<number>{_NUMBER})\s*(?P<unit>[^\d\s].*)", re.DOTALL | re.ASCII)

_UNITS = (
    ("%", "percent", "per cent", "prozent", "pour cent", "por ciento"),
    ("stars", "star", "sterne", "stern", "étoiles", "étoile", "estrellas", "estrella", "星", "颗星", "★", "⭐"),
    ("points", "point", "pts", "pt", "punkte", "punkt", "puntos", "punto", "分", "点"),
    ("€", "eur", "euro", "euros"),
    ("$", "usd", "us$", "dollar", "dollars"),
    ("£", "gbp", "pounds"),
    ("¥", "cny", "rmb", "元", "yen", "jpy"),
    ("min", "mins", "minute", "minutes", "minuten", "minuto", "minutos", "分钟"),
    ("s", "sec", "secs", "second", "seconds", "sekunde", "sekunden", "seconde", "secondes", "segundos", "秒"),
    ("h", "hour", "hours", "stunde", "stunden", "heure", "heures", "hora", "horas", "小时"),
    ("kg", "kilo", "kilos"),
    ("g", "gram", "grams", "gramm"),
    ("cm",),
    ("m", "meter", "metre", "meters", "metres"),
    ("km",),
)
_BEFORE = re.compile(rf"(?P<unit>us\$|[$€£¥]|usd|eur|gbp|cny)\s*(?P<number>{_NUMBER})", re.IGNORECASE | re.ASCII)
"""Currencies may also stand before the number."""

_OUT_OF = re.compile(r"(?:/|out of|of|von|sur|de|aus)\s*(\d+)")


class Numbered(NamedTuple):
    """A number, and the word that goes with it."""

    number: float
    label: str


def read_numbered(text: str) -> Numbered | None:
    """The number and the word of a cell; None where it has not both.

    >>> read_numbered("4 - agree"), read_numbered("Strongly agree (5)"), read_numbered("(3) sometimes")
    (Numbered(number=4.0, label='agree'), Numbered(number=5.0, label='Strongly agree'),
     Numbered(number=3.0, label='sometimes'))
    >>> read_numbered("1 (not at all)")
    Numbered(number=1.0, label='not at all')
    >>> read_numbered("3 - 5"), read_numbered("10:30"), read_numbered("agree"), read_numbered("12 minutes")
    (None, None, None, None)
    """
    cell = text.strip(BLANK)
    match = _BEHIND.fullmatch(cell) or _FIRST.fullmatch(cell) or _LAST.fullmatch(cell)
    if match is None or not any(map(str.isalpha, match["label"])):
        return None
    groups = match.groupdict()
    number = read_any_number(groups["plain"] or groups["bracketed"])
    return None if number is None else Numbered(number, match["label"].strip(BLANK))


def unit_of(text: str) -> tuple[float, str] | None:
    """The number of a cell and its unit, by the first of the unit's names; None where it has no unit that is known.

    >>> unit_of("4 stars"), unit_of("1 Stern"), unit_of("50%"), unit_of("7/10"), unit_of("3 apples")
    ((4.0, 'stars'), (1.0, 'stars'), (50.0, '%'), (7.0, '/10'), None)
    >>> unit_of("$12.50"), unit_of("5 EUR")
    ((12.5, '$'), (5.0, '€'))
    """
    match = _UNIT.fullmatch(text.strip(BLANK)) or _BEFORE.fullmatch(text.strip(BLANK))
    number = None if match is None else read_any_number(match["number"])
    if match is None or number is None:
        return None
    unit = plain_key(match["unit"])
    if out_of := _OUT_OF.fullmatch(unit):
        return number, f"/{out_of[1]}"
    return next(((number, names[0]) for names in _UNITS if unit.rstrip(".") in names), None)


def read_any_number(text: object) -> float | None:
    """The number that a cell stands for, with a point or a comma; None where it is a word."""
    number = read_number(str(text).strip(BLANK).replace(TYPED.minus, "-"), decimal_comma=True)
    return None if math.isnan(number) else number
