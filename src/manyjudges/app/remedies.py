"""Remedies: what a message says to do, in words of the page instead of options of a command.

Messages are written for the command line and for Python, and name the options of both. On the page there are fields and
buttons, and most of its users have never seen an option.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from manyjudges.app.words import COLUMN_WORDS, IN_HEADINGS, SHAPE_QUESTION, SHAPE_WORDS

_IN_BRACKETS = r"(?:[^()]|\([^()]*\))*?"
"""What stands in brackets, in which there may be other brackets."""

_ROLES = "|".join(COLUMN_WORDS)


def _field(match: re.Match[str]) -> str:
    """Where to choose the column of a role."""
    verb = "choose" if match[0][0].islower() else "Choose"
    return f"{verb} it in “{COLUMN_WORDS[match['role']].question}”"


def _layout(match: re.Match[str]) -> str:
    """Where to choose the shape."""
    return f"choose “{SHAPE_WORDS[match['shape']]}” in “{SHAPE_QUESTION}”"


_REPLACED: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    # No shape fits: what each lacks says nothing to people who do not know the shapes.
    (
        r"which column is what\? What each shape lacks: .*",
        "it is not clear which column is what. Choose the column that says what is judged. If each row is one "
        "judgment, choose the columns of the question and of the answer, too.",
    ),
    (
        rf"(?:Say|say) (?:so|which|which one|which column names the object) with --(?P<role>{_ROLES}) COLUMN \(\w+=\)",
        _field,
    ),
    (rf"(?:Say|say) which (?:it is )?with (?P<role>{_ROLES})= \({_IN_BRACKETS}\)", _field),
    (rf"(?:Say|say) which (?:it is )?with (?:\w+=,? )+\({_IN_BRACKETS}\)", "Choose them above"),
    (
        r"Name the column that holds the value to predict with --label COLUMN \(label=\)",
        f"Choose the number to predict in “{COLUMN_WORDS['label'].question}”",
    ),
    (r"say so with --column object= \(object=None\)", f"choose “{IN_HEADINGS}” there"),
    (rf"say --shape (?P<shape>[a-z-]+)(?: \(shape={_IN_BRACKETS}\))?", _layout),
    (r"If the name must stay, name the format, such as --format \w+\.", ""),
    (r", or name the format: --format \w+", ""),
    # What the buttons under the message do.
    (
        r"To (?:have such (?:rows|lines) skipped|leave such rows out and have them) (?:and )?counted: "
        r"on_invalid='skip'(?: \(--on-invalid skip\))?\.",
        "",
    ),
    (r", or pass unmatched='drop' \(--unmatched drop\) to leave out what does not match", ""),
    (r"If (\S.*?) means? that there is no answer, pass it to --missing \(missing=\)\.", ""),
    (rf", and name what you really know of new objects in noiseless \({_IN_BRACKETS}\)", ""),
    (rf"Leave (it|them) out with --drop {_IN_BRACKETS}\(drop={_IN_BRACKETS}\)", r"Leave \1 out"),
    (rf"(?:, )?or name (?:it|them) with --noiseless {_IN_BRACKETS}\(noiseless={_IN_BRACKETS}\)[^.]*", ""),
    (r"If it is measured without error, name it in noiseless \(--noiseless\); if not, find", "Find"),
    (r", or name it in noiseless=? \(--noiseless\) if it is measured without error", ""),
    (r", or (?:pass|say) worker=None \([^)]*\) if (?:workers are not known|these are different people)", ""),
    (r"Keep one with --repeated first, last or mean \(repeated=\)", "Keep one"),
    (r"If (?:it means|they mean) no answer, add --missing .*? \(valid=\[.*?\]\)\.", ""),
    (r"For a code that means no answer, add --missing .*? \(valid=\[.*?\]\)\.", ""),
    (r"If it means that there is no answer, add --missing .*? \(valid=\)\.", ""),
    (r", or use predictor='best_linear' \(--predictor best_linear\), which [^.]*", ""),
    (r" Use --predictor best_linear \(predictor='best_linear'\)\.", ""),
    (r" \(Plan\.missing lists them\)", ""),
    (r" 'manyjudges missing' \(Plan\.missing\) lists what to ask\.", ""),
    (r"Correct --drop \(drop=\)\.", ""),
    # Fields of the step about money.
    (r", with --price \(price=\)", ", in “Price of one judgment”"),
    (r"a budget per object, --budget \(budget=\), or a total for all objects, --total \(total=\)", "a budget"),
    (
        r"or limit the judgments of an attribute with --max-repeats \(max_repeats=\)",
        "or limit the judgments of a question in step 4",
    ),
    (r" Leave it out of --missing \(missing=\) or of --valid \(valid=\)\.", ""),
    (r", or say which column of the labels has the names \([^)]*\)", ""),
    (r" Labels without names can be given as an array, in the order of 'judgments\.objects'\.", ""),
    # Whatever else stands in brackets: the words before them say it, too.
    (rf" \((?={_IN_BRACKETS}(?:--[a-z]|\b[a-z_]+=\)|\b[a-z_]+=[\['])){_IN_BRACKETS}\)", ""),
]

_RULES = [(re.compile(pattern, re.DOTALL), words) for pattern, words in _REPLACED]


def in_page_words(message: str) -> str:
    """A message as the page says it.

    >>> in_page_words("x.csv: which column names the object? Say so with --object COLUMN (object=).")
    'x.csv: which column names the object? Choose it in “What is judged”.'
    >>> in_page_words("'Grade' equals the label. Leave it out with --drop Grade (drop=['Grade']).")
    "'Grade' equals the label. Leave it out."
    """
    for pattern, words in _RULES:
        message = pattern.sub(words, message)
    words = " ".join(message.split())
    return words if "." in words.partition(" ")[0] else words[:1].upper() + words[1:]
