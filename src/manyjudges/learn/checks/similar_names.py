"""MJ504: names of objects, judges or attributes that differ only in case or spaces."""

from __future__ import annotations

from collections.abc import Iterable

from manyjudges.base.formatting import plural
from manyjudges.base.messages import quote_value
from manyjudges.learn.checks.check import Check, CheckOutcome, Failed, NotApplicable, Passed
from manyjudges.learn.training_data import TrainingData
from manyjudges.tables.names import loose_key


def _check_names(data: TrainingData) -> CheckOutcome:
    """Look for names that people may have meant to be the same."""
    table = data.table
    if table is None:
        return NotApplicable("It needs the judgments, of which only sums are at hand.")
    named = {"object": table.objects.tolist(), "judge": table.workers.tolist(), "attribute": list(table.attributes)}
    alike = {what: found for what, names in named.items() if (found := _alike(names))}
    if not alike:
        return Passed(f"No names that differ only in case or spaces in {plural(len(named['object']), 'object')}.")
    return Failed(
        " ".join(
            f"{plural(sum(map(len, found)), what)} have names that differ only in case or spaces, such as "
            f"{' and '.join(map(quote_value, found[0][:2]))}."
            for what, found in alike.items()
        ),
        "They are taken for different ones, so that the judgments of one and the same are split up.",
        "If they are the same, write each name in one way.",
        {f"{what}s": tuple(name for group in found for name in group) for what, found in alike.items()},
    )


def _alike(names: Iterable[object]) -> list[list[str]]:
    """Groups of names that differ only in case or spaces."""
    groups: dict[str, list[str]] = {}
    for name in names:
        if isinstance(name, str):
            groups.setdefault(loose_key(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


CHECK = Check("MJ504", "warning", "Names that may be the same", _check_names, kind="similar_names")
