"""The one place that makes a data frame of a result."""

from __future__ import annotations

__all__ = ["table"]

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def table(
    columns: Mapping[str, Any], *, index: Sequence[Any] | None = None, index_name: str | None = None
) -> pd.DataFrame:
    """Make a pandas frame of labelled columns."""
    import pandas as pd  # here, so that the mathematics runs where there is none

    rows = None if index is None else pd.Index(list(index), name=index_name)
    return pd.DataFrame(dict(columns), index=rows)
