"""Files as people have them, and what is to be read from each: ``tests/fixtures/front/``, as objects.

What is expected is read with nothing but the standard library, so that it depends on no reader of the package.
"""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from manyjudges.tables.names import name_text
from tests.support.folders import ROOT

FOLDER = ROOT / "tests" / "fixtures" / "front"
"""The files, with ``expected.toml``."""

GRADES = "grades.csv"
"""The labels of the essays; other files with labels say the same in other words, or are listed in ``_LABELS``."""

UNMATCHED = "unmatched"
"""An option of what matches judgments and labels, and not of reading."""


@dataclass(frozen=True)
class Case:
    """A file, what the user says about it, and what must come of it.

    Attributes
    ----------
    name : str
    file : str
        Within the folder: a file, a folder or a pattern.
    options : dict
        What the user says, by the keywords of Python.
    labels : Path, optional
        A second file, with the labels.
    expected : dict
        Everything else that ``expected.toml`` says of the case.
    """

    name: str
    file: str
    options: dict[str, Any] = field(default_factory=dict)
    labels: Path | None = None
    expected: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The file, the folder or the pattern."""
        return FOLDER / self.file

    @property
    def reading(self) -> dict[str, Any]:
        """The options for reading."""
        return {name: value for name, value in self.options.items() if name != UNMATCHED}

    @property
    def error(self) -> dict[str, Any]:
        """The error that must come wherever the table is read."""
        found: dict[str, Any] = self.expected.get("error", {})
        return found

    @property
    def stop(self) -> dict[str, Any]:
        """The error that must come where a plan is made."""
        found: dict[str, Any] = self.expected.get("stop", {})
        return found

    @property
    def has_labels(self) -> bool:
        """Whether a plan can be made: labels come from the file or from another one."""
        return self.labels is not None or "label" in self.options

    @cached_property
    def judgments(self) -> Counter[tuple[str, ...]] | None:
        """All judgments as texts of (object, attribute, worker, value); None where only counts are known."""
        if "truth" not in self.expected:
            return None
        heading, rows = truth(self.expected["truth"])
        attributes = heading[2:]
        objects, workers = ([*dict.fromkeys(row[at] for row in rows)] for at in (0, 1))
        called = [
            dict(zip(old, self.expected.get(key, old), strict=True))
            for key, old in (("objects", objects), ("workers", workers), ("attributes", attributes))
        ]
        picked = self.expected.get("pick", range(len(attributes)))
        known = self.expected.get("workers_known", True)
        times = self.expected.get("times", 1)
        found = [
            (called[0][name], called[2][attributes[at]], called[1][worker] if known else "", number(cells[at], times))
            for name, worker, *cells in rows
            for at in picked
            if cells[at]
        ]
        if "plus" in self.expected:
            grades = labels_of(GRADES)
            found += [(name, self.expected["plus"], worker, number(grades[name])) for name, worker, *_ in rows]
        return Counter(found)

    @cached_property
    def label_values(self) -> dict[str, float] | None:
        """The label of each object, by its name in the file; None where there are no labels, or an error."""
        if self.error:
            return None
        if "label_values" in self.expected:
            return {name: float(value) for name, value in self.expected["label_values"].items()}
        if self.labels is not None:
            return labels_of(self.labels.name)
        labelled = self.expected.get("labelled")
        if not labelled:
            return None
        unit = 1.0 if labelled is True else float(labelled)
        grades = labels_of(GRADES)
        return {name: round(grade * unit, 6) for name, grade in grades.items() if name not in self.unlabelled}

    @property
    def unlabelled(self) -> list[str]:
        """Objects that have judgments and no label."""
        return list(self.expected.get("unlabelled", ()))


@lru_cache
def cases() -> dict[str, Case]:
    """All cases by their names, in the order in which they stand in ``expected.toml``."""
    found: dict[str, Case] = {}
    for each in tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))["case"]:
        file, options, labels = each.pop("file"), each.pop("options", {}), each.pop("labels", None)
        name = "-".join(filter(None, (file, each.pop("id", ""))))
        assert name not in found, f"two cases are called {name}"
        found[name] = Case(name, file, options, labels and FOLDER / labels, each)
    return found


@lru_cache
def truth(name: str) -> tuple[list[str], list[list[str]]]:
    """The heading and the rows of a table in ``truth/``."""
    with (FOLDER / "truth" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        heading, *rows = csv.reader(file)
    return heading, rows


@lru_cache
def labels_of(name: str) -> dict[str, float]:
    """The labels in a file of two columns: the objects, and the numbers."""
    with (FOLDER / name).open(encoding="utf-8-sig", newline="") as file:
        text = file.read()
    delimiter = ";" if ";" in text else ","
    _, *rows = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    return {name: float(label.replace(",", ".")) for name, label in rows}


def number(cell: object, times: float = 1) -> str:
    """A value as it is compared: 3 and 3.0 are the same."""
    return f"{float(str(cell)) * times:.12g}"


def in_full(judgments: Any, *, workers: bool = True) -> Counter[tuple[str, ...]]:
    """What a table of judgments says, to be compared with ``Case.judgments``."""
    frame = judgments.to_frame()
    named = frame["worker"].map(name_text) if workers and "worker" in frame else [""] * len(frame)
    rows = zip(frame["object"].map(name_text), frame["attribute"], named, frame["value"].map(number), strict=True)
    return Counter(rows)


def by_name(labels: Mapping[Any, Any]) -> dict[str, float]:
    """Labels to be compared with ``Case.label_values``."""
    return {name_text(name): round(float(value), 6) for name, value in labels.items()}


def arguments(options: Mapping[str, Any]) -> list[str]:
    """Options as they are typed on the command line."""
    typed: list[str] = []
    for name, value in options.items():
        option = f"--{'scale' if name == 'scales' else name.replace('_', '-')}"
        if name in ("missing", "valid"):
            typed.append(f"{option}={','.join(value)}")
        else:
            typed += [f"{option}={each}" for each in (value if isinstance(value, list) else [value])]
    return typed
