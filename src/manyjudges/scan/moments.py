"""Moments of judgments that need not fit into the memory: DuckDB scans them on this machine, or dask on a cluster."""

from __future__ import annotations

__all__ = ["scan_moments"]

import os
from collections.abc import Callable, Collection, Mapping
from typing import Any

from manyjudges.base.messages import quote_value
from manyjudges.core.moments import Moments
from manyjudges.exceptions import PlanError
from manyjudges.scan.duckdb_scan import scan
from manyjudges.scan.options import ScanOptions

ENGINES = ("duckdb", "dask")


def scan_moments(
    source: Any,
    labels: Any,
    *,
    memory_limit: str | None = None,
    engine: str = "duckdb",
    address: str | None = None,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    on_invalid: str = "error",
    object: str = "auto",
    attribute: str = "auto",
    value: str = "auto",
    worker: str | None = "auto",
    threads: int | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Moments:
    """Estimate moments from judgments that need not fit into the memory, in one pass and in any order of rows.

    The result is that of :meth:`Moments.estimate`, to rounding. DuckDB brings the judgments of each object together.
    It writes to disk what does not fit into the memory.

    Parameters
    ----------
    source : path, relation, table or iterable of tables
        A file, a folder or a pattern such as ``"data/part-*.parquet"`` (CSV, TSV, Parquet or JSON lines); a relation of
        DuckDB; a data frame; or data frames one after the other. For a campaign's store, pass
        ``Store.open(address).judgment_batches()``.
    labels : path, Series or mapping
        By object. These, and sums over objects, are all that is kept in memory.
    memory_limit : str, optional
        What DuckDB may use, such as ``"2GB"``; most of the memory that there is, unless given.
    engine : {"duckdb", "dask"}
        What reads the judgments: DuckDB on this machine, or a cluster of Dask, from CSV or Parquet files that its
        workers can read; :doc:`/clusters` says more. The options for memory, threads and progress are for DuckDB.
    address : str, optional
        Of the cluster's scheduler, such as ``"tcp://10.0.0.1:8786"``; the current client's, unless given.
    noiseless, unmatched
        As for :meth:`Moments.estimate`.
    on_invalid : {"error", "skip"}
        Whether an invalid row is an error, or skipped and counted in ``skipped``.
    object, attribute, value, worker : str
        Names of the columns, as for :func:`manyjudges.read_judgments`. ``worker=None`` ignores the workers. Then there
        is no check that a worker judged each pair only once.
    threads : int, optional
        How many DuckDB may use; as many as there are processors, unless given.
    temp_dir : path, optional
        Where to make a folder for what does not fit into the memory. That folder is always removed at the end.
    progress : callable, optional
        Called with how much was read, and how much there is: rows of Parquet files, bytes of others.

    Examples
    --------
    >>> from manyjudges import scan_moments, simulate
    >>> crowd = simulate.jelly_beans(n_objects=200, random_state=0)
    >>> frame = crowd.pilot(2).to_frame()
    >>> scan_moments([frame[:500], frame[500:]], crowd.labels).n_objects
    200
    """
    columns: dict[str, Any] = {"object": object, "attribute": attribute, "value": value, "worker": worker}
    own = {"memory_limit": memory_limit, "threads": threads, "temp_dir": temp_dir, "progress": progress}
    _check_engine(engine, address, own)
    if engine == "dask":
        from manyjudges.scan.dask_scan import scan as scan_cluster

        rules: dict[str, Any] = {"noiseless": noiseless, "unmatched": unmatched, "on_invalid": on_invalid}
        return scan_cluster(source, labels, address=address, **columns, **rules)
    options = ScanOptions(columns, unmatched, on_invalid, memory_limit, threads, temp_dir)
    result = scan(source, labels, options, progress=progress)
    return Moments.from_scan(result.attributes, result.sums, noiseless, result.skipped)


def _check_engine(engine: str, address: str | None, own: Mapping[str, Any]) -> None:
    """Raise PlanError where an engine is not known, or options are given that are another's."""
    if engine not in ENGINES:
        raise PlanError(f"engine must be {' or '.join(map(repr, ENGINES))}, not {quote_value(engine)}.", value=engine)
    odd = [name for name, value in own.items() if value is not None] if engine == "dask" else []
    if odd:
        raise PlanError(f"{odd[0]} is for engine='duckdb', and this is engine={engine!r}; leave it out.", column=odd[0])
    if engine == "duckdb" and address is not None:
        raise PlanError(
            f"address is that of a cluster, for engine='dask', and this is engine={engine!r}; leave it out. For a "
            "campaign's store, pass Store.open(address).judgment_batches() as the source."
        )
