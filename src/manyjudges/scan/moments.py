"""Moments of judgments that need not fit into the memory: DuckDB scans them on this machine, or dask on a cluster."""

from __future__ import annotations

__all__ = ["scan_moments"]

import os
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any, Unpack

from manyjudges.base.messages import quote_value
from manyjudges.base.progress import Progress
from manyjudges.core.moments import Moments
from manyjudges.exceptions import PlanError
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.readers import READERS
from manyjudges.tables.reading.options import ReadKeywords


def scan_moments(
    source: Any,
    labels: Any = None,
    *,
    memory_limit: str | None = None,
    engine: str = "duckdb",
    address: str | None = None,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    threads: int | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadKeywords],
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
    engine : {"duckdb", "dask", "memory"}
        What reads the judgments: DuckDB on this machine; a cluster of Dask, from files that its workers can read
        (:doc:`/clusters` says more); or this process, which reads one file or data frame whole. The options for memory,
        threads and progress are for DuckDB.
    address : str, optional
        Of the cluster's scheduler, such as ``"tcp://10.0.0.1:8786"``; the current client's, unless given.
    noiseless, unmatched
        As for :meth:`Moments.estimate`.
    threads : int, optional
        How many DuckDB may use; as many as there are processors, unless given.
    temp_dir : path, optional
        Where to make a folder for what does not fit into the memory. That folder is always removed at the end.
    progress : callable, optional
        Called with how much was read, and how much there is: rows of Parquet files, bytes of others.
    **reading
        ``object``, ``attribute``, ``value``, ``worker``, ``label``, ``time``, ``shape``, ``drop``, ``scales``,
        ``missing``, ``valid``, ``on_invalid``, ``repeated`` and ``format``, as for :func:`manyjudges.read_judgments`.
        With ``worker=None`` nothing checks that a worker judged each pair only once.

    Examples
    --------
    >>> from manyjudges import scan_moments, simulate
    >>> crowd = simulate.jelly_beans(n_objects=200, random_state=0)
    >>> frame = crowd.pilot(2).to_frame()
    >>> scan_moments([frame[:500], frame[500:]], crowd.labels).n_objects
    200
    """
    engine_options = {"memory_limit": memory_limit, "threads": threads, "temp_dir": temp_dir, "progress": progress}
    engine_options |= {"address": address}
    _check_engine(engine, engine_options)
    entry = READERS[engine]
    own = {option.name: engine_options[option.name] for option in fields(entry.make) if option.name in engine_options}
    scanning = {"unmatched": unmatched, "memory_limit": memory_limit, "threads": threads, "temp_dir": temp_dir}
    options = ScanOptions.of(**scanning, **reading)
    result = entry.make(**own).scan(source, labels, options)
    return Moments.from_scan(result.attributes, result.sums, noiseless, result.skipped)


def _check_engine(engine: str, options: Mapping[str, Any]) -> None:
    """Raise PlanError where an engine is not known, or options are given that are another's."""
    if engine not in READERS:
        raise PlanError(
            f"engine must be {' or '.join(map(repr, READERS))}, not {quote_value(engine)}.",
            value=engine,
            column="engine",
        )
    for name, value in options.items():
        if value is not None and name not in READERS[engine].options:
            other = next(other for other, entry in READERS.items() if name in entry.options)
            store = (
                " For a campaign's store, pass Store.open(address).judgment_batches() as the source."
                if name == "address"
                else ""
            )
            raise PlanError(
                f"{name} is for engine={other!r}, and this is engine={engine!r}; leave it out.{store}",
                value=value,
                column=name,
            )
