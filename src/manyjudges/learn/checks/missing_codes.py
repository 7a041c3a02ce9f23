"""MJ501: a number among the judgments or the labels that looks like a code for "no answer"."""

from __future__ import annotations

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names
from manyjudges.learn.checks.check import Check, CheckedData, CheckOutcome, Failed, NotApplicable, Passed
from manyjudges.tables.answers.codes import SuspiciousCode, suspicious_codes
from manyjudges.tables.answers.numbered import read_any_number

_SHOWN = 3
"""How many codes a message names, each with a sentence."""


def _check_codes(data: CheckedData) -> CheckOutcome:
    """Look for numbers such as -99 or 999, far outside the range of the other judgments, or of the other labels."""
    if (counts := data.value_counts()) is None:
        return NotApplicable("It needs the judgments, of which only sums are at hand.")
    valid = {read_any_number(code) for code in data.valid}
    judged = [code for code in suspicious_codes(counts) if code.value not in valid]
    labelled = [code for code in _codes_of_labels(data.labels) if code.value not in valid]
    if not judged and not labelled:
        return Passed(f"No codes for missing answers in {plural(len(counts), 'attribute')} and the labels.")
    found = [*((code, False) for code in judged), *((code, True) for code in labelled)]
    different = sorted({code.value for code, _ in found})
    numbers = ",".join(f"{value:.15g}" for value in different)
    mean, are = ("it means", "it is a real answer") if len(different) == 1 else ("they mean", "they are real answers")
    more = len(found) - _SHOWN
    return Failed(
        " ".join(_in_words(code, label=label) for code, label in found[:_SHOWN])
        + (f" So do {more:,} more." if more > 0 else ""),
        "Taken as answers, a few such codes outweigh all others, and a plan is made for the codes.",
        f"If {mean} no answer, add --missing {numbers} (missing=[{numbers}]); if {are}, add --valid {numbers} "
        f"(valid=[{numbers}]).",
        {
            "attributes": tuple(dict.fromkeys(name for code in judged for name in code.attributes)),
            "codes": {
                f"{value:.15g}": sum(code.count for code, _ in found if code.value == value) for value in different
            },
        },
        value=found[0][0].value,
        column=judged[0].attribute if judged else "label",
    )


def _codes_of_labels(labels: Floats | None) -> tuple[SuspiciousCode, ...]:
    if labels is None:
        return ()
    return suspicious_codes({"label": np.unique(labels, return_counts=True)})


def _in_words(code: SuspiciousCode, *, label: bool) -> str:
    times = "once" if code.count == 1 else f"{code.count:,} times"
    where = list_names(code.attributes) if len(code.attributes) != 2 else " and ".join(map(repr, code.attributes))
    others = f"{code.low:.6g}" if code.low == code.high else f"between {code.low:.6g} and {code.high:.6g}"
    if label:
        return f"{code.value:.15g} stands {times} among the labels, where all others are {others}."
    return f"{code.value:.15g} stands {times} in {where}, where all other answers are {others}."


CHECK = Check("MJ501", "stop", "Numbers that look like codes for missing answers", _check_codes, kind="missing_codes")
