"""Texts: cells as DuckDB and clusters compare them."""

from __future__ import annotations

__all__ = ["names_as_text", "values_as_text"]

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.tables.names import is_name, name_text, told_apart
from manyjudges.tables.reading.coding import texts_of_cells


def names_as_text(column: Any) -> pa.Array:
    """Names as text; null for what is none."""
    names = np.empty(len(column), dtype=np.object_)
    names[:] = [name if is_name(name) else None for name in column]
    codes, distinct = pd.factorize(told_apart(names))
    texts = [*map(name_text, distinct), None]
    return pa.array([texts[code] for code in codes], pa.string())


def values_as_text(column: Any) -> pa.Array:
    """Values as text; null where there is none."""
    array = np.asarray(column)
    if array.dtype.kind in "iuf":  # of few digits, 0.1 would be another number
        return pa.array(array.astype(float) if array.dtype.kind == "f" else array, from_pandas=True).cast(pa.string())
    codes, distinct = pd.factorize(texts_of_cells(column))
    # What is no valid text keeps its bytes, so that it is refused as what it is.
    texts = [text.encode("utf-8", "backslashreplace").decode() for text in distinct]
    return pa.array([*texts, None], pa.string()).take(pa.array(np.where(codes < 0, len(texts), codes)))
