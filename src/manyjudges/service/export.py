"""A study's judgments as a table, and as the contents of a file."""

from __future__ import annotations

__all__ = ["exported", "exported_file"]

from typing import TYPE_CHECKING

import pandas as pd

from manyjudges.tables.formats.paths import PARQUET
from manyjudges.tables.formats.registry import encode_content

if TYPE_CHECKING:
    from manyjudges.service.study import OpenStudy


def exported(opened: OpenStudy, *, worker_ids: bool = False, everything: bool = False) -> pd.DataFrame:
    """The judgments of a study as a table.

    Parameters
    ----------
    opened : OpenStudy
    worker_ids : bool
        Add the names that workers have where they came from; pseudonyms only, unless asked for.
    everything : bool
        All rows of the ledger, "can't tell", corrected and withdrawn ones among them; else those that count.
    """
    from manyjudges.store.queries import worker_label

    rows = opened.store.ledger()
    replaced = rows["id"].isin(rows["replaces"].dropna())
    withdrawn = rows["external"].isna() if everything else pd.Series(False, index=rows.index)
    rows["value"] = rows["value"].mask(withdrawn)  # a withdrawn answer is not shown to anyone
    if not everything:
        rows = rows[~replaced & rows["value"].notna()]
    rows["worker"] = [worker_label(*name_and_turn) for name_and_turn in zip(rows["worker"], rows["turn"], strict=True)]
    rows = rows.assign(
        at=pd.to_datetime((rows["at"] * 1000).round(), unit="ms", utc=True).astype("datetime64[ms, UTC]")
    )
    columns = ["object", "attribute", "worker", "value", "at", "batch", "cost"]
    if worker_ids:
        columns.insert(3, "external")
    if everything:
        columns = ["id", *columns, "kind", "replaces", "seconds"]
    return rows[columns].reset_index(drop=True)


def exported_file(rows: pd.DataFrame, kind: str) -> bytes:
    """What was exported, as the contents of a file: ``".csv"``, ``".parquet"`` or another kind of table."""
    if kind not in PARQUET:  # the others know no times
        rows = rows.assign(at=[at.isoformat(timespec="milliseconds") for at in rows["at"]])
    return encode_content(rows, kind)
