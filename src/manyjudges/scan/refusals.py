"""Refusals: partitions that cannot be summed up, as results that travel like others.

Which of several errors dask would raise depends on what is done first; of refusals, all arrive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa

from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, ManyJudgesError
from manyjudges.scan.partitions import Partition, merge_partitions, summarize_partition
from manyjudges.tables.names import name_key, name_text


@dataclass(frozen=True)
class Refusal:
    """Why a partition cannot be summed up, and the objects and attributes in which a worker stands twice."""

    error: ManyJudgesError
    pairs: frozenset[tuple[str, str]] = frozenset()


def summarize_partition_or_refuse(part: Any, labels: Any, reading: Mapping[str, Any]) -> Partition | Refusal:
    """What a partition comes to, or why it cannot be summed up."""
    try:
        return summarize_partition(part, labels, **reading)
    except (JudgmentsError, LabelsError) as error:
        return Refusal(error, _twice(part) if error.column == "worker" else frozenset())


def merge_partitions_or_refuse(parts: list[Partition | Refusal]) -> Partition | Refusal:
    """What partitions come to together, or why one of them cannot be summed up."""
    refusals = [part for part in parts if isinstance(part, Refusal)]
    if refusals:
        first = min(refusals, key=lambda refusal: str(refusal.error))
        return Refusal(first.error, frozenset().union(*(refusal.pairs for refusal in refusals)))
    try:
        return merge_partitions(part for part in parts if isinstance(part, Partition))
    except JudgmentsError as error:
        return Refusal(error)


def _twice(part: pd.DataFrame) -> frozenset[tuple[str, str]]:
    """The objects and attributes in which a worker stands twice."""
    names = part[["object", "attribute", "worker"]]
    pairs = names[names.duplicated(keep=False)][["object", "attribute"]].drop_duplicates()
    return frozenset(
        (name_key(object_name), name_text(attribute)) for object_name, attribute in pairs.itertuples(index=False)
    )


@contextmanager
def cluster_errors(source: Any) -> Iterator[None]:
    """Say in one line what a worker of a cluster could not do."""
    from distributed import KilledWorker

    try:
        yield
    except ManyJudgesError:
        raise
    except KilledWorker as error:
        raise ManyJudgesError(
            f"workers of the cluster died again and again: {' '.join(str(error).split())} "
            "If it was for want of memory, give more partitions, or larger workers.",
            column="partitions",
        ) from None
    except (OSError, pa.ArrowException) as error:
        # Of files that are read here, it is known which; this is about a data frame that reads others.
        words = " ".join(str(error).split()).rstrip(".")
        raise DocumentError(
            f"a worker cannot read the {type(source).__name__}: {words}. All workers need the same files at the same "
            "place.",
            value=source,
            column="source",
        ) from None
