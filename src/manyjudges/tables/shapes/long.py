"""Long: a row for each judgment, with columns for the object, the attribute and the value."""

from __future__ import annotations

from manyjudges.tables.columns import AUTO_COLUMN, SYNONYMS, choose_columns, columns_called
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.shapes.sample import Sample, Shape

_NEEDED = ("object", "attribute", "value")


def _recognise(sample: Sample) -> Layout | str:
    """A table is long where it has a column for the attribute and one for the value, whatever else it has."""
    lacks = [role for role in ("attribute", "value") if not _has(sample, role)]
    if lacks and not (sample.shape == "long" or sample.named("attribute") or _names_attributes(sample, lacks)):
        return f"no column for {' and '.join(f'the {role}' for role in lacks)}"
    if ignored := [role for role in _NEEDED if sample.ignores(role)]:
        return f"no column for {' and '.join(f'the {role}' for role in ignored)}, as you said"
    asked = {role: sample.asked.get(role, "auto") for role in SYNONYMS}
    taken = {sample.named("label"), sample.named("time")}
    columns = [heading for heading in sample.headings if heading not in taken]
    names = choose_columns(columns, SYNONYMS, asked, optional=("worker",))
    return Layout(
        "long",
        object=names["object"],
        attribute=names["attribute"],
        value=names["value"],
        worker=names.get("worker"),
        label=sample.named("label"),
        time=sample.find_time(),
    )


def _names_attributes(sample: Sample, lacks: list[str]) -> bool:
    """Whether a table has all that a long one has but a usual name for its values, so that one is misspelt."""
    if lacks != ["value"] or sample.ignores("value") or sample.shape != AUTO_COLUMN:
        return False
    called = columns_called(SYNONYMS["attribute"], sample.headings)
    if len(called) != 1 or sample.look(called[0]).numeric or not sample.look(called[0]).repeats:
        return False
    used = [*called, *(name for role in ("object", "worker") if (name := sample.find(role)) is not None)]
    return len([name for name in sample.headings if name not in used and sample.reason(name) is None]) == 1


def _has(sample: Sample, role: str) -> bool:
    if sample.named(role) is not None:
        return True
    names = (heading.strip().lower().replace(" ", "_") for heading in sample.headings)
    return not sample.ignores(role) and any(name in SYNONYMS[role] for name in names)


SHAPE = Shape("long", _recognise)
"""What the registry of shapes holds of it."""
