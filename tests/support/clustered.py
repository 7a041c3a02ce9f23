"""Judgments divided over files, a real cluster of processes to compute on, and one who kills its workers."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import numpy as np
from distributed import LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin

# A worker is killed more than once, and its successor must have the time to start on a busy machine.
PATIENT = {"distributed.deploy.lost-worker-timeout": "10 minutes", "distributed.comm.timeouts.connect": "60s"}


def assert_same(left, right, rtol=1e-9):
    """Two moments are the same: counts to the last, all else to rounding."""
    assert left.attributes == right.attributes
    assert left.n_objects == right.n_objects
    np.testing.assert_array_equal(left.judgments, right.judgments)
    for name in ("cross", "noise", "covariance", "label_variance", "means", "label_mean", "scale"):
        np.testing.assert_allclose(getattr(left, name), getattr(right, name), rtol=rtol, atol=1e-11, err_msg=name)


def scatter(frame, folder, n_files, ending, **options):
    """Write rows into files, in an order that tears objects apart; the pattern that names the files."""
    mixed = frame.sample(frac=1, random_state=0)
    for i, rows in enumerate(np.array_split(np.arange(len(mixed)), n_files)):
        part, path = mixed.iloc[rows], folder / f"part-{i}{ending}"
        if ending == ".parquet":
            part.to_parquet(path, index=False)
        else:
            part.to_csv(path, index=False, **options)
    return str(folder / f"part-*{ending}")


@contextmanager
def cluster(n_workers: int = 2) -> Iterator[Any]:
    """Processes of their own on this machine, with a scheduler that has an address."""
    with (
        dask.config.set(PATIENT),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0") as up,
    ):
        yield up


class Killer(SchedulerPlugin):
    """Kills the process of a worker as soon as it has done the first task whose name begins so."""

    def __init__(self, running: Any, task: str) -> None:
        self.running, self.task = running, task
        self.killed: int | None = None

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        name = key[0] if isinstance(key, tuple) else key
        if self.killed is None and finish == "memory" and name.startswith(self.task):
            address = next(iter(self.running.scheduler.tasks[key].who_has)).address
            nanny = next(each for each in self.running.workers.values() if each.worker_address == address)
            self.killed = nanny.pid
            os.kill(nanny.pid, signal.SIGKILL)


@contextmanager
def killing(running: Any, task: str) -> Iterator[Killer]:
    """A worker is killed meanwhile."""
    killer = Killer(running, task)
    running.scheduler.add_plugin(killer, name="killer")
    try:
        yield killer
    finally:
        running.scheduler.remove_plugin("killer")
