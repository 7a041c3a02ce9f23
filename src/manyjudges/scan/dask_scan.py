"""Clusters: moments of judgments that lie on many machines, or are too many for one, with dask.

Judgments are read in blocks, moved so that all of an object come together, and summed up where they are then; the sums
travel, in a tree, and are added up. Every step is a function of its input alone. So when a worker dies, dask repeats
what was lost with it, and nothing is counted twice.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.base.messages import quote_value
from manyjudges.core.moments import Moments
from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError, PlanError
from manyjudges.scan import dask_files
from manyjudges.scan.partitions import Partition, as_text, merge_partitions, summarize_partition
from manyjudges.tables import labels as labelling
from manyjudges.tables.files import AUTO, read_labels
from manyjudges.tables.values import check_on_invalid

AT_ONCE = 8
"""Partitions that are merged in one step."""

WAIT = 30.0
"""Seconds within which a cluster must have a worker."""


def scan(
    source: Any,
    labels: Any,
    *,
    address: str | None = None,
    client: Any = None,
    object: str = AUTO,
    attribute: str = AUTO,
    value: str = AUTO,
    worker: str | None = AUTO,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    on_invalid: str = "error",
    partitions: int | None = None,
) -> Moments:
    """Estimate the moments from judgments that no single machine need hold.

    Needs dask: ``pip install 'manyjudges[dask]'``. The result is that of :meth:`Moments.estimate`, to rounding, with
    attributes in order of their names.

    Parameters
    ----------
    source : str, path or dask.dataframe.DataFrame
        CSV or TSV (perhaps compressed, ``.gz``) or Parquet, by the name's ending; a folder, or a pattern such as
        ``"data/part-*.parquet"``, for several files of the same columns. All workers must be able to read it: on more
        than one machine, from a shared folder or an object store (``"s3://…"``). The judgments of an object may be
        spread over files.
    labels : Series, mapping or path
        By object. They travel to every worker.
    address : str, optional
        Of the cluster's scheduler, such as ``"tcp://10.0.0.1:8786"``.
    client : distributed.Client, optional
        Instead of an address. Without either, the current client is used, if there is one, and otherwise threads of
        this process.
    object, attribute, value, worker : str
        Names of the columns, as for :func:`read_judgments`.
    noiseless, unmatched
        As for :meth:`Moments.estimate`.
    on_invalid : {"error", "skip"}
        Whether a row that is no judgment is an error, or left out and counted in the moments' ``skipped``.
    partitions : int, optional
        How many to divide the objects into; as many as blocks were read, unless given. The judgments of a partition
        must fit into a worker's memory.
    """
    check_extra()
    labelling.check_unmatched(unmatched)
    check_on_invalid(on_invalid)
    _check_partitions(partitions)
    known = labelling.by_object(read_labels(labels) if isinstance(labels, str | os.PathLike) else labels)
    frame = judged(source, {"object": object, "attribute": attribute, "value": value, "worker": worker})
    with _at_work(address, client) as scheduler, _explained(source):
        total = _compute(frame, known, partitions, on_invalid, scheduler)
    return total.moments(known, noiseless=noiseless, unmatched=unmatched)


def check_extra() -> None:
    """Say what to install where dask is missing."""
    for name in ("dask.dataframe", "distributed"):
        try:
            import_module(name)
        except ImportError:
            words = f"a cluster needs {name}, which is not here: pip install 'manyjudges[dask]'."
            raise ManyJudgesError(words) from None


def _check_partitions(partitions: object) -> None:
    whole = isinstance(partitions, int | np.integer) and not isinstance(partitions, bool) and partitions >= 1
    if partitions is not None and not whole:
        raise PlanError(f"partitions must be a whole number of 1 or more, not {quote_value(partitions)}.")


def judged(source: Any, asked: Mapping[str, str | None]) -> Any:
    """A data frame of dask with the columns object, attribute, value and, if known, worker."""
    if isinstance(source, str | os.PathLike):
        return dask_files.read(source, asked)
    if not (hasattr(source, "to_delayed") and hasattr(source, "columns")):
        raise JudgmentsError(
            f"{type(source).__name__} is no table that a cluster can read; give a path, or a dask.dataframe.DataFrame."
        )
    return dask_files.chosen(source, asked)


def _compute(frame: Any, known: pd.Series[Any], partitions: int | None, on_invalid: str, scheduler: Any) -> Partition:
    import dask

    numbers = pd.api.types.is_numeric_dtype(frame.dtypes["object"])
    if not numbers:
        frame = frame.assign(object=frame["object"].astype("string"))
        known = known.set_axis(as_text(known.index))  # here, once, and not in every task
    # By tasks, which can be repeated one by one; a shuffle among workers would begin anew when one of them dies.
    method = dask.config.get("dataframe.shuffle.method", None) or "tasks"
    whole = frame.shuffle("object", npartitions=partitions, shuffle_method=method)
    labels = dask.delayed(known)
    nodes = [dask.delayed(summarize_partition)(part, labels, on_invalid=on_invalid) for part in whole.to_delayed()]
    merging = dask.delayed(merge_partitions)
    while len(nodes) > 1:
        nodes = [merging(nodes[i : i + AT_ONCE]) for i in range(0, len(nodes), AT_ONCE)]
    # The labels are in the graph, once: what is scattered to workers is lost with them, and a warning would mislead.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
        (total,) = dask.compute(nodes[0], scheduler=scheduler)
    return cast(Partition, total)


@contextmanager
def _at_work(address: str | None, client: Any) -> Iterator[Any]:
    """Whoever computes; None for dask's own choice."""
    if address is not None and client is not None:
        raise PlanError("give an address or a client of the cluster, not both.")
    import dask
    from distributed import Client

    if client is not None and not isinstance(client, Client):
        raise PlanError(
            f"client must be a distributed.Client, not {quote_value(client)}; an address goes in as "
            f"address=, and without "
            "either, dask computes here."
        )
    if address is None:
        current = client or getattr(dask.base.get_scheduler(), "__self__", None)
        if isinstance(current, Client):
            _check_workers(current)
        yield client
        return
    with connected(address) as own:
        yield own


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the cluster at an address, which is closed in the end."""
    from distributed import Client

    _check_address(address)
    try:
        own = Client(address, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
        raise PlanError(f"there is no cluster at {quote_value(address)}: {' '.join(str(error).split())}.") from None
    with own:
        _check_workers(own)
        yield own


def _check_workers(client: Any) -> None:
    """Refuse a cluster without workers, which would never answer."""
    waiting = client.submit(len, (), pure=False)  # some clusters start workers when there is something to do
    try:
        client.wait_for_workers(1, timeout=WAIT)
    except TimeoutError:
        address = client.scheduler.address
        raise PlanError(
            f"the cluster at {quote_value(address)} has no workers, and none came within {WAIT:g} seconds. Start some: "
            f"dask worker {address}"
        ) from None
    finally:
        waiting.release()


def _check_address(address: str) -> None:
    """Refuse what is no address: a client for it would be left half made, and Python would wait for it in the end."""
    from distributed.comm import parse_address, parse_host_port
    from distributed.comm.registry import backends
    from distributed.security import Security

    try:
        protocol, place = parse_address(address)
        if protocol not in backends:
            raise ValueError(f"the protocol {protocol!r} is none of {', '.join(sorted(backends))}")
        if protocol != "inproc":  # which is this process, and has no ports
            host, port = parse_host_port(place)
            if not host or not 0 < port < 1 << 16:
                raise ValueError(f"it must name a host, and a port from 1 to {(1 << 16) - 1:,}")
        if protocol in ("tls", "wss") and not Security().get_connection_args("client").get("ssl_context"):
            raise ValueError("it needs certificates, which dask's settings name under distributed.comm.tls")
    except (ValueError, TypeError) as error:
        raise PlanError(
            f"there is no cluster at {quote_value(address)}: {error}. Give the address that its scheduler says when it "
            "starts, such as 'tcp://10.0.0.1:8786'."
        ) from None


@contextmanager
def _explained(source: Any) -> Iterator[None]:
    """What a worker could not do, in one line."""
    from distributed import KilledWorker

    try:
        yield
    except ManyJudgesError:
        raise
    except KilledWorker as error:
        raise ManyJudgesError(
            f"workers of the cluster died again and again: {' '.join(str(error).split())} "
            "If it was for want of memory, give more partitions, or larger workers."
        ) from None
    except (OSError, pa.ArrowException) as error:
        # Of files that are read here, it is known which; this is about a data frame that reads others.
        words = " ".join(str(error).split()).rstrip(".")
        raise DocumentError(
            f"a worker cannot read the {type(source).__name__}: {words}. All workers need the same files at the same "
            "place."
        ) from None
