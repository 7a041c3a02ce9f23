"""Questions: what only the user knows about a table, each with the answers that ``app.decisions`` takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from manyjudges.base.formatting import plural
from manyjudges.exceptions import LabelsError
from manyjudges.learn.checks.check import Failed
from manyjudges.learn.checks.results import CheckResult
from manyjudges.tables.reading.reading import TableRead

_ROWS_SHOWN = 8

_VALUES_ASKED = 3
"""Different values that may mean no answer, at most."""


def about_invalid(read: TableRead, message: str) -> dict[str, Any]:
    """Rows that cannot be read; the message says why of one of them, and is shown where there is no list."""
    count = read.reading.skipped
    rows = [[str(row.row or ""), row.column, row.value, row.problem] for row in read.invalid[:_ROWS_SHOWN]]
    return _question(
        "invalid",
        f"{plural(count, 'row')} cannot be read. Skip {'it' if count == 1 else 'them'}, or correct the file and choose "
        f"it again?{'' if rows else f' {message}'}",
        [[("on_invalid=skip", f"Skip {plural(count, 'row')}")], *_no_answer(read)],
        heading=["row", "column", "value", "problem"],
        rows=rows,
    )


def _no_answer(read: TableRead) -> Iterator[list[tuple[str, str]]]:
    """What to answer where a value that cannot be read means that there is no answer."""
    measured = set(read.judgments.attributes)
    values = dict.fromkeys(row.value for row in read.invalid if row.value and row.column in measured)
    for value in list(values)[:_VALUES_ASKED]:
        yield [(f"missing={value}", f"“{value}” means no answer")]


def about_repeated(read: TableRead) -> dict[str, Any]:
    """Judgments that the same person gave twice."""
    count = read.reading.repeated
    return _question(
        "repeated",
        f"The same judge judged the same more than once: {plural(count, 'judgment')} too many. Plans assume "
        "independent judges. Which one counts?",
        [
            [
                ("repeated=first", "The first"),
                ("repeated=last", "The last"),
                ("repeated=mean", "Their mean"),
                ("worker=", "All: these are different people"),
            ]
        ],
    )


def about_unmatched(error: LabelsError) -> dict[str, Any]:
    """Objects without a label, or labels of objects that nobody judged."""
    return _question("unmatched", error.message, [[("unmatched=drop", "Use only objects that have both")]])


def about(result: CheckResult) -> Iterator[dict[str, Any]]:
    """What a check stops at: what each code means, or whether each attribute is known for new objects."""
    outcome = result.outcome
    if not isinstance(outcome, Failed):
        return
    text = f"{outcome.finding} {outcome.why}"
    if result.check.kind == "missing_codes":
        items = [
            [(f"missing={code}", f"{code} means no answer"), (f"valid={code}", f"{code} is a real answer")]
            for code in outcome.values["codes"]
        ]
        yield _question("codes", text, items)
    else:
        items = [
            [(f"drop={name}", f"Leave “{name}” out"), (f"noiseless={name}", f"I know “{name}” for new objects")]
            for name in outcome.values["attributes"]
        ]
        yield _question("leaks", text, items)


def about_doubtful(outcome: Failed) -> list[dict[str, str]]:
    """What to answer about attributes that are hardly judgments, if the user agrees."""
    return [_answer(f"drop={name}", f"Leave “{name}” out") for name in outcome.values["attributes"]]


def _answer(value: str, title: str) -> dict[str, str]:
    return {"value": value, "title": title}


def _question(name: str, text: str, items: Sequence[Sequence[tuple[str, str]]], **more: Any) -> dict[str, Any]:
    """A question as plain data: its text, and for each thing that it asks about, the answers that there are."""
    asked = [[_answer(value, title) for value, title in answers] for answers in items]
    return {"name": name, "text": text, "asked": asked} | more
