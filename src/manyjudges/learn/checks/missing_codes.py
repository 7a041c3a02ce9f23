"""MJ501: a number among the judgments that looks like a code for "no answer"."""

from __future__ import annotations

from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names
from manyjudges.learn.checks.check import Check, CheckedData, CheckOutcome, Failed, NotApplicable, Passed
from manyjudges.tables.answers.codes import SuspiciousCode, suspicious_codes
from manyjudges.tables.answers.numbered import read_any_number

_SHOWN = 3
"""How many codes a message names, each with a sentence."""


def _check_codes(data: CheckedData) -> CheckOutcome:
    """Look for numbers such as -99 or 999, far outside the range of the other judgments."""
    if (counts := data.value_counts()) is None:
        return NotApplicable("It needs the judgments, of which only sums are at hand.")
    valid = {read_any_number(code) for code in data.valid}
    codes = [code for code in suspicious_codes(counts) if code.value not in valid]
    if not codes:
        return Passed(f"No codes for missing answers in {plural(len(counts), 'attribute')}.")
    numbers = ",".join(_number(code) for code in codes)
    mean, are = ("it means", "it is a real answer") if len(codes) == 1 else ("they mean", "they are real answers")
    return Failed(
        " ".join(map(_in_words, codes[:_SHOWN])) + (f" So do {len(codes) - _SHOWN:,} more." if codes[_SHOWN:] else ""),
        "Taken as answers, a few such codes outweigh all others, and a plan is made for the codes.",
        f"If {mean} no answer, add --missing {numbers} (missing=[{numbers}]); if {are}, add --valid {numbers} "
        f"(valid=[{numbers}]).",
        {
            "attributes": tuple(dict.fromkeys(name for code in codes for name in code.attributes)),
            "codes": {_number(code): code.count for code in codes},
        },
        value=codes[0].value,
        column=codes[0].attributes[0],
    )


def _in_words(code: SuspiciousCode) -> str:
    times = "once" if code.count == 1 else f"{code.count:,} times"
    where = list_names(code.attributes) if len(code.attributes) != 2 else " and ".join(map(repr, code.attributes))
    others = f"{code.low:.6g}" if code.low == code.high else f"between {code.low:.6g} and {code.high:.6g}"
    return f"{_number(code)} stands {times} in {where}, where all other answers are {others}."


def _number(code: SuspiciousCode) -> str:
    return f"{code.value:.15g}"


CHECK = Check("MJ501", "stop", "Numbers that look like codes for missing answers", _check_codes, kind="missing_codes")
