"""MJ502: an attribute that is the same for every judge of an object and gives the label away."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from manyjudges.base.formatting import fixed, plural
from manyjudges.base.messages import LONGEST_VALUE, list_names, quote_value
from manyjudges.learn.checks.check import Check, CheckedData, CheckOutcome, Failed, NotApplicable, Passed
from manyjudges.learn.checks.label_likeness import LabelLikeness

LEAK = 0.995
"""Correlation with the label, either way, from which an attribute that never differs is taken for the label."""

_SHOWN = 3
"""How many attributes a message names, each with a sentence or an option."""


def _check_leaks(data: CheckedData) -> CheckOutcome:
    """Look for attributes that are the label, or as good as the label, under another name."""
    if (likenesses := data.label_likenesses) is None:
        return NotApplicable("These moments were given or regularized, and do not know what they came from.")
    leaks = [likeness for likeness in likenesses if abs(likeness.correlation) >= LEAK]
    if not leaks:
        return Passed(f"No sign of the label in {plural(len(data.attributes), 'attribute')}.")
    names = tuple(leak.attribute for leak in leaks)
    them = "it" if len(leaks) == 1 else "them"
    return Failed(
        " ".join([likeness_in_words(leak) for leak in leaks[:_SHOWN]] + _more(names[_SHOWN:])),
        "A plan would buy nothing else, and promise an error that no judgment of a new object can keep.",
        f"{leave_out(names)}, or name {them} with {_option('noiseless', names)} if you really know {them} for new "
        "objects.",
        {"attributes": names, "correlations": tuple(leak.correlation for leak in leaks)},
        value=names[0],
        column=names[0],
    )


def likeness_in_words(likeness: LabelLikeness) -> str:
    """A sentence: how an attribute goes with the label.

    >>> likeness_in_words(LabelLikeness("Grade", 1.0, equal=True))
    "'Grade' is the same for every judge of an object and equals the label."
    >>> likeness_in_words(LabelLikeness("Grade", -0.9971, equal=False))
    "'Grade' is the same for every judge of an object and tracks the label closely (correlation −0.997)."
    """
    same = " is the same for every judge of an object and" if likeness.repeated else ""
    closely = f"tracks the label closely (correlation {fixed(likeness.correlation, 3)})"
    how = "equals the label" if likeness.equal else closely
    return f"{quote_value(likeness.attribute)}{same} {how}."


def leave_out(names: Sequence[str]) -> str:
    """What to do about attributes, without a full stop.

    >>> leave_out(["Grade"]), leave_out(["Grade", "Mark 2"])
    ("Leave it out with --drop Grade (drop=['Grade'])", "Leave them out with --drop Grade --drop 'Mark 2' (drop=)")
    """
    return f"Leave {'them' if len(names) > 1 else 'it'} out with {_option('drop', names)}"


def _option(option: str, names: Sequence[str]) -> str:
    """An option as typed into a shell, once for each name, and the parameter of Python."""
    shown = " ".join(f"--{option} {shlex.quote(_typed(name))}" for name in names[:_SHOWN])
    many = " …" if len(names) > _SHOWN else ""
    return f"{shown}{many} ({option}={f'[{quote_value(_typed(names[0]))}]' if len(names) == 1 else ''})"


def _typed(name: str) -> str:
    """A name, or what stands for one that nobody could type."""
    return name if name.isprintable() and len(name) <= LONGEST_VALUE else "NAME"


def _more(names: Sequence[str]) -> list[str]:
    return [f"So {'does' if len(names) == 1 else 'do'} {list_names(names)}."] if names else []


CHECK = Check("MJ502", "stop", "Attributes that give the label away", _check_leaks, kind="leaks")
