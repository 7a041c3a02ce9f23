"""Texts: cells as DuckDB and clusters compare them."""

from __future__ import annotations

__all__ = ["names_as_text", "values_as_text"]

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.tables.names import is_name, name_text
from manyjudges.tables.reading.coding import texts_of_cells


def names_as_text(column: Any) -> pa.Array:
    """Names as text; null for what is none."""
    codes, distinct = pd.factorize(pd.Series([name if is_name(name) else None for name in column], dtype=object))
    texts = [*map(name_text, distinct), None]
    return pa.array([texts[code] for code in codes], pa.string())


def values_as_text(column: Any) -> pa.Array:
    """Values as text; null where there is none."""
    if np.asarray(column).dtype.kind in "iuf":
        return pa.array(column, from_pandas=True).cast(pa.string())
    codes, distinct = pd.factorize(texts_of_cells(column))
    # What is no valid text keeps its bytes, so that it is refused as what it is.
    texts = [text.encode("utf-8", "backslashreplace").decode() for text in distinct]
    return pa.array([*texts, None], pa.string()).take(pa.array(np.where(codes < 0, len(texts), codes)))
