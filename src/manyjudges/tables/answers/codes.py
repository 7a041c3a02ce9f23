"""Codes: numbers among the answers that look like codes for "no answer", such as -99, 99 or 9999.

They have the digits of a code, or stand several times so far outside all others that they cannot be of the same kind,
such as 12345678 or 1e12 among answers from 1 to 7.
"""

from __future__ import annotations

__all__ = ["MOST_FAR", "MOST_STEPS", "SuspiciousCode", "code_candidates", "codes_outside", "suspicious_codes"]

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product

import numpy as np

from manyjudges.arrays.types import Bools, Floats, Integers

_REPEATED_DIGIT = re.compile(r"7+|8+|9+")
_SERIES = re.compile(r"9+[5-8]")
"""Such as 96, 97, 98 or 996, 997, 998, which surveys have beside 99 and 999."""

_DIGITS = 12
"""Digits by which numbers are compared with codes."""

_FEWEST = 2
"""How often a code must be there: an answer that is there once is a slip or an outlier."""

_FEWEST_ABSENT = 10
"""How many answers must be lacking between a scale and a code of one digit.

Where neighbours on a scale are chosen equally often, this many are absent by chance once in e^10 = 22,000 times.
"""

_SMALL_CODES = 6
"""Codes from -1 to -6 are also steps of scales around 0, which need more than codes that repeat 7, 8 or 9."""

MOST_STEPS = 100
"""Steps of a scale beside which a code of one digit can be told; on a finer one, such a number is an answer."""

_FEWEST_STEPS = 4
"""A scale that has a code from -1 to -6 must have this many other steps; fewer may be half of one around 0."""

MOST_FAR = 3
"""How many different numbers far above the others, or far below them, may be codes whatever their digits are."""

_FEWEST_FAR = 3
"""How often each of them must be there."""

_FAR_FROM_SCALE, _FAR, _FAR_FROM_FEW = 10, 100, 10_000
"""How many times as far from the others as these lie apart: from the steps of a scale, from numbers of any kind, which
may be counts or amounts of which a few are large, and from so few different ones that they may be the small ones of
such counts.
"""

_COMMON = 0.05
"""Share of the answers that the last step of a scale must have; the last of counts that tail off has less."""


@dataclass(frozen=True)
class SuspiciousCode:
    """A number that looks like a code for "no answer".

    Attributes
    ----------
    value : float
    attributes : tuple of str
        The attributes that have it, in their order.
    count : int
        How many answers it is, in all of them together.
    low, high : float
        The range of the other answers for these attributes.
    """

    value: float
    attributes: tuple[str, ...]
    count: int
    low: float
    high: float

    @property
    def attribute(self) -> str:
        """The first attribute that has it."""
        return self.attributes[0]


def suspicious_codes(values: Mapping[str, tuple[Floats, Integers]]) -> tuple[SuspiciousCode, ...]:
    """Numbers that look like codes for "no answer": repeated, far outside the others' range, most with usual digits.

    A code with usual digits is -1 to -9, or has those of 99, 888, -77, 9999, 997 and the like. It must be above all
    other answers by more than their whole range, or be the only negative number where no other answer is negative.
    Codes of one digit need more, because scales end there, too. Whatever its digits, a number is suspicious that is
    there three times or more and lies more than 100 times as far from the others as these lie apart; beside a scale,
    10 times is enough.

    Parameters
    ----------
    values : mapping of str to tuple of arrays
        For each attribute the different values of its judgments, and how often each is there.

    Returns
    -------
    tuple of SuspiciousCode
        From the smallest to the largest.

    Examples
    --------
    >>> import numpy as np
    >>> values, counts = np.array([1.0, 2.0, 3.0, 4.0, 5.0, -99.0]), np.array([9, 20, 31, 18, 8, 3])
    >>> suspicious_codes({"warm": (values, counts)})
    (SuspiciousCode(value=-99.0, attributes=('warm',), count=3, low=1.0, high=5.0),)
    """
    found: dict[float, list[tuple[str, int, float, float]]] = defaultdict(list)
    for attribute, (distinct, counts) in values.items():
        table = {float(v): int(n) for v, n in zip(distinct, counts, strict=True) if math.isfinite(v) and n > 0}
        far = _far_from(table)
        codes = far | _codes_of({value: count for value, count in table.items() if value not in far})
        others = [value for value in table if value not in codes]
        for value in codes:
            found[value].append((attribute, table[value], min(others), max(others)))
    return tuple(
        SuspiciousCode(
            value=value,
            attributes=tuple(place[0] for place in places),
            count=sum(place[1] for place in places),
            low=min(place[2] for place in places),
            high=max(place[3] for place in places),
        )
        for value, places in sorted(found.items())
        if sum(place[1] for place in places) >= _FEWEST
    )


def codes_outside(values: Floats, limits: tuple[float, float]) -> Bools:
    """Which numbers look like codes for "no answer" beside answers that are all within limits.

    As the answers are known, a code need not be repeated. Codes from -1 to -6, and 7 to 9, are left to those who see
    how often each number is there.

    Parameters
    ----------
    values : array
    limits : tuple of float
        The lowest and the highest answer.

    Examples
    --------
    >>> codes_outside(np.array([3.0, -99.0, 6.0, 99.0, 60.0]), (1.0, 5.0))
    array([False,  True, False,  True, False])
    """
    low, high = limits
    distinct, at = np.unique(values, return_inverse=True)
    above = (distinct - high > high - low) & (distinct >= 10)
    below = (low - distinct > high - low) | (low >= 0)
    outside = above | (below & (distinct < min(low, -_SMALL_CODES)))
    outside[outside] = [_is_candidate(float(value)) for value in distinct[outside]]
    found: Bools = outside[at]
    return found


def _codes_of(table: Mapping[float, int]) -> set[float]:
    """The codes among the values of one attribute, with their counts."""
    others = {value: count for value, count in table.items() if not _is_candidate(value)}
    if not others:
        # All values are candidates, so these are answers, and what is far from them is not.
        others = {value: count for value, count in table.items() if abs(value) < 10 and value >= 0}
        if not others:
            return set()
    low, high = min(others), max(others)
    above = sorted(value for value in table if value > high and value not in others)
    below = sorted((value for value in table if value < low and value not in others), reverse=True)
    others |= {value: count for value, count in table.items() if low <= value <= high}
    return {*_above(above, others, table), *_below(below, others, table)}


def _far_from(table: Mapping[float, int]) -> set[float]:
    """Numbers of any digits that are repeated and lie far from all others; as many as there are."""
    steps = sorted(table)
    far: set[float] = set()
    for below, above in product(range(MOST_FAR + 1), repeat=2):
        low, high = steps[:below], steps[max(len(steps) - above, 0) :]
        outside = {*low, *high}
        if len(outside) <= len(far) or any(table[value] < _FEWEST_FAR for value in outside):
            continue
        others = steps[below : len(steps) - above]
        if len(others) > 1 and _are_far_below(low, others, table) and _are_far_above(high, others, table):
            far = outside
    return far


def _are_far_below(values: list[float], others: list[float], table: Mapping[float, int]) -> bool:
    return not values or others[0] - values[-1] > _distance(others, table, others[0])


def _are_far_above(values: list[float], others: list[float], table: Mapping[float, int]) -> bool:
    return not values or values[0] - others[-1] > _distance(others, table, others[-1])


def _distance(others: list[float], table: Mapping[float, int], end: float) -> float:
    """How far from the others, beyond one of their ends, no number is that is of the same kind."""
    apart = others[-1] - others[0]
    if len(others) < _FEWEST_STEPS:
        return _FAR_FROM_FEW * apart
    if len(others) > MOST_STEPS or any(after - before != 1 for before, after in pairwise(others)):
        return _FAR * apart
    is_scale = table[end] >= _COMMON * sum(table[value] for value in others)
    return (_FAR_FROM_SCALE if is_scale else _FAR) * apart


def _is_candidate(value: float) -> bool:
    """Whether a number has the digits of a code."""
    digits = f"{abs(value):.{_DIGITS}g}"
    if re.fullmatch(r"\d\d+\.9+", digits):
        digits = digits.replace(".", "")
    if _REPEATED_DIGIT.fullmatch(digits):
        return True
    if len(digits) > 1 and _SERIES.fullmatch(digits):
        return True
    return -_SMALL_CODES <= value <= -1 and value == int(value)


@cache
def code_candidates() -> Floats:
    """All numbers with the digits of a code, in order.

    >>> candidates = code_candidates()
    >>> bool(np.isin([-99, 99.9, 997, -3, 8888], candidates).all()), bool(np.isin([98.5, 50, 3], candidates).any())
    (True, False)
    """
    written = {digit * n for digit in "789" for n in range(1, _DIGITS + 1)}
    written |= {"9" * n + digit for digit in "5678" for n in range(1, _DIGITS)}
    written |= {f"{'9' * whole}.{'9' * part}" for whole in range(2, _DIGITS) for part in range(1, _DIGITS - whole + 1)}
    numbers = {float(sign + text) for text in written for sign in ("", "-")} | {
        -float(n) for n in range(1, _SMALL_CODES + 1)
    }
    return np.array(sorted(number for number in numbers if _is_candidate(number)))


def _above(candidates: list[float], others: Mapping[float, int], table: Mapping[float, int]) -> Iterator[float]:
    """Codes above the others. A candidate that is none is one of the others for the next."""
    seen = dict(others)
    digits: list[float] = []
    for value in candidates:
        if value < 10:
            absent = _absent(seen, value, table[value])
            if absent >= _FEWEST_ABSENT and max(seen) < value - 1:
                digits.append(value)
                continue
        elif len(seen) > 1 and value - max(seen) > max(seen) - min(seen):
            yield value
            continue
        seen |= {each: table[each] for each in [*digits, value]}
        digits = []
    # 7 and 8 are the codes of a scale only together with 9.
    if 9 in digits:
        yield from digits


def _below(candidates: list[float], others: Mapping[float, int], table: Mapping[float, int]) -> Iterator[float]:
    """Codes below the others, the same way down."""
    seen = dict(others)
    small = [value for value in candidates if -_SMALL_CODES <= value < 0]
    if _are_small_codes(small, seen):
        yield from small
        candidates = [value for value in candidates if value not in small]
    for value in candidates:
        if value >= 0:
            seen[value] = table[value]
        elif (value < -_SMALL_CODES and min(seen) >= 0) or _is_far_below(value, seen, table[value]):
            yield value
        else:
            seen[value] = table[value]


def _is_far_below(value: float, seen: Mapping[float, int], count: int) -> bool:
    if value > -10:
        return value < -_SMALL_CODES and _absent(seen, value, count) >= _FEWEST_ABSENT
    return len(seen) > 1 and min(seen) - value > max(seen) - min(seen)


def _are_small_codes(small: list[float], others: Mapping[float, int]) -> bool:
    """Whether -1 and its like are codes: few, below a scale that begins at 0 or 1 and has steps enough."""
    low, high = min(others), max(others)
    if not small or low < 0 or len(small) > 2 or len(others) < _FEWEST_STEPS or high <= -min(small):
        return False
    if any(value != int(value) for value in others):
        return True  # noise around 0 would not be whole
    # On whole numbers, only -1 may follow 0 immediately.
    return low > 0 or small == [-1.0]


def _absent(others: Mapping[float, int], value: float, count: int) -> float:
    """How many answers are absent between a scale and a number outside; 0 where the scale has gaps, or many steps."""
    steps = np.array(sorted(others))
    if not 2 <= len(steps) <= MOST_STEPS or not np.all(np.diff(steps) == 1):
        return 0.0
    end = steps[-1] if value > steps[-1] else steps[0]
    return float((abs(value - end) - 1) * min(others[float(end)], count))
