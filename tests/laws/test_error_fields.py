"""Every error of the package says to programs what it is about, too: a value, a row, a column or a file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from manyjudges import exceptions
from tests.support.imports import package_modules

FIELDS = {"value", "row", "column", "file"}
ERRORS = {name for name in exceptions.__all__ if name.endswith("Error")}

ABOUT_NO_PART = {
    "campaign.campaign.Campaign._judged": "nothing was judged yet",
    "core.moments.Moments.__add__": "these moments have no sums",
    "core.moments.Moments.update": "these moments have no sums",
    "learn.planner.Planner.estimable": "nothing was judged twice",
    "learn.training_data.TrainingData.in_memory": "the table was scanned",
    "learn.training_data.TrainingData._parts": "the table lies in memory",
    "learn.training_data.TrainingData.known_labels": "the table was scanned",
    "scan.duckdb.errors.located": "a fault that is gone",
    "scan.faults.find_emptiness": "the table has no rows",
    "scan.partitions.Partition.emptiness": "the table has no valid rows",
    "scan.partitions.Partition.matched": "no object has a label",
    "service.fit.fit_study": "the study has no plan, or one that buys nothing",
    "service.round_planning._planned_round": "nothing was judged yet",
    "service.round_planning.plan_round": "somebody else is planning",
    "service.transfer.requests_of": "nothing is to be judged now",
    "store.store.Store._switch.work": "the study is closed",
    "scan.duckdb.objects.read_blocks": "a table that changed while it was read",
    "tables.reading.assembly.all_invalid": "the table has no valid rows",
    "tables.reading.assembly.assemble": "the table has no rows",
    "tables.reading.assembly.none_answered": "the table has no answers",
}
"""Functions with an error that is about the whole of something, and what that is."""


def names_in(module: str) -> Iterator[tuple[str, ast.Call]]:
    """Where a module makes errors of ours: the functions, with their classes, and the calls."""

    def inside(node: ast.AST, place: str) -> Iterator[tuple[str, ast.Call]]:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            place = f"{place}.{node.name}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ERRORS:
            yield place, node
        for child in ast.iter_child_nodes(node):
            yield from inside(child, place)

    text = package_modules()[module].read_text(encoding="utf-8")
    yield from inside(ast.parse(text), module.removeprefix("manyjudges."))


def has_fields(call: ast.Call) -> bool:
    """Whether a call passes a field, or all those of something else by ``**``."""
    return any(keyword.arg is None or keyword.arg in FIELDS for keyword in call.keywords)


@cache
def bare() -> dict[str, list[int]]:
    """Functions that make errors without a field, with the lines."""
    found: dict[str, list[int]] = {}
    for module in package_modules():
        for place, call in names_in(module):
            if not has_fields(call):
                found.setdefault(place, []).append(call.lineno)
    return found


def test_every_error_is_made_in_the_module_of_errors():
    classes = {
        f"{module}.{node.name}"
        for module, path in package_modules().items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} & ERRORS
    }
    assert {name.removeprefix("manyjudges.exceptions.") for name in classes} == ERRORS - {"ManyJudgesError"}


def test_errors_pass_what_they_are_about():
    lacking = {place: lines for place, lines in bare().items() if place not in ABOUT_NO_PART}
    assert lacking == {}, "pass value=, row=, column= or file=; or say in ABOUT_NO_PART why there is none"


@pytest.mark.parametrize("place", ABOUT_NO_PART)
def test_the_list_of_errors_about_nothing_in_particular_holds_nothing_else(place):
    assert place in bare()
