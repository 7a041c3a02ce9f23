"""Types of columns: which can be names or judgments, in files whose columns have types. Every reader asks here."""

from __future__ import annotations

__all__ = ["check_types", "is_text", "type_class"]

from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyarrow import types

from manyjudges.exceptions import JudgmentsError

_CLASSES = {
    "text": (types.is_string, types.is_large_string, types.is_string_view),
    "Booleans": (types.is_boolean,),
    "whole numbers": (types.is_integer,),
    "decimals": (types.is_decimal,),
    "fractions": (types.is_floating,),
    "dates": (types.is_date,),
    "times": (types.is_timestamp,),
    "nothing": (types.is_null,),
}
"""What a column may hold, and how Arrow's types of it are told."""

_NOT_VALUES = ("dates", "times")
"""What may be a name and cannot be a judgment."""


def type_class(kind: pa.DataType) -> str:
    """What a column of a type holds, such as "text" or "whole numbers"; "" for what is neither name nor judgment.

    >>> type_class(pa.int8()), type_class(pa.binary())
    ('whole numbers', '')
    """
    kind = kind.value_type if types.is_dictionary(kind) else kind
    return next((name for name, tests in _CLASSES.items() if any(test(kind) for test in tests)), "")


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of a type holds text."""
    return type_class(kind) == "text"


def check_types(types_by_file: Sequence[tuple[str, Mapping[str, pa.DataType]]], names: Mapping[str, str]) -> None:
    """Refuse columns of types that can be no names or judgments.

    Parameters
    ----------
    types_by_file : sequence of (str, mapping)
        Names of files, and the types of their columns; no types where a file is text.
    names : mapping
        The columns' names by role.
    """
    for role, column in names.items():
        for file, kinds in types_by_file:
            if column in kinds and not _suits(role, type_class(kinds[column])):
                wanted = "judgments must be numbers, Booleans or text"
                wanted = wanted if role == "value" else f"use text or numbers to name each {role}"
                raise JudgmentsError(
                    f"{file}: the column {column!r} is of the type {kinds[column]}; {wanted}.", column=role, file=file
                )
    if "value" in names:
        _check_alike(types_by_file, names["value"])


def _suits(role: str, type_name: str) -> bool:
    return bool(type_name) and not (role == "value" and type_name in _NOT_VALUES)


def _check_alike(types_by_file: Sequence[tuple[str, Mapping[str, pa.DataType]]], column: str) -> None:
    """Refuse true/false in one file and numbers in another: they are no judgments of one kind."""
    held = [(file, type_class(kinds[column])) for file, kinds in types_by_file if column in kinds]
    first = next((file for file, type_name in held if type_name == "Booleans"), None)
    for file, type_name in held:
        if first is not None and type_name in ("whole numbers", "fractions", "decimals"):
            raise JudgmentsError(
                f"the column {column!r} holds Booleans in {first} and numbers in {file}; write all of them in the same "
                "way.",
                column="value",
                file=file,
            )
