"""Names of objects that nobody has judged, from a list, a column or a table of one column."""

from __future__ import annotations

__all__ = ["object_names"]

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import PlanError

_NO_NAMES = ("None", "nan", "NaT", "<NA>")
"""How Python, numpy and pandas print that there is no value."""


def object_names(objects: Any) -> Any:
    """Names of objects, each once, in their order, as an array.

    Parameters
    ----------
    objects : sequence, array, Series, Index or frame with one column

    Examples
    --------
    >>> object_names(["photo 1", "photo 2", "photo 1"]).tolist()
    ['photo 1', 'photo 2']
    """
    names = list(dict.fromkeys(_listed(objects)))
    for row, name in enumerate(names, 1):
        if not name.strip() if isinstance(name, str) else str(name) in _NO_NAMES:
            raise PlanError(
                f"The name of object {row} is missing: {quote_value(name)}. Give each object a name.",
                value=name,
                row=row,
                column="objects",
            )
    result = np.empty(len(names), dtype=object)
    result[:] = names
    return result


def _listed(objects: Any) -> list[Any]:
    if isinstance(objects, str | bytes | Mapping) or not (isinstance(objects, Iterable) or hasattr(objects, "columns")):
        raise PlanError(
            f"missing needs a Judgments, or a list of names of objects, not {quote_value(objects)}.",
            value=objects,
            column="judgments",
        )
    if (columns := getattr(objects, "columns", None)) is not None:
        # Of pandas and polars these are names, of pyarrow the columns themselves.
        if len(columns) != 1:
            raise PlanError(
                f"This table has {len(columns)} columns. For objects that nobody has judged, pass only the column with "
                "their names; for judgments, make a Judgments with from_frame.",
                value=len(columns),
                column="judgments",
            )
        objects = columns[0] if hasattr(columns[0], "to_pylist") else objects[columns[0]]
    for method in ("to_pylist", "to_list", "tolist"):  # of pyarrow, polars and pandas, numpy
        if hasattr(objects, method):
            objects = getattr(objects, method)()
            break
    names = list(objects)
    if any(isinstance(name, list | tuple | dict | set) for name in names):
        raise PlanError(
            "The names of objects must be one list, with a text or a number for each object.",
            value=quote_value(names[0]),
            column="judgments",
        )
    return names
