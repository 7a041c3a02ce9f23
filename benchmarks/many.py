"""Selection among many attributes, against the memory traffic that it needs.

    python benchmarks/many.py [--attributes 10000] [--budget 2000]

A step of Full reads the d numbers that it has kept of each attribute bought so far: d × support. How long that takes at
the least is told by copying an array in the same run, which reads and writes as many bytes as it copies. Memory is in
multiples of the covariance, 800 MB for 10,000 attributes.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from manyjudges.core.moments import Moments
from manyjudges.core.search.registry import select

RANK = 400
"""What attributes have in common."""


def numbers(d: int) -> tuple[Any, Any, Any, float]:
    """Cross, noise, covariance and label variance: some common causes, something of its own for each attribute."""
    rng = np.random.default_rng(0)
    root = rng.normal(size=(d, RANK)) * rng.uniform(0.1, 3, size=(d, 1)) / np.sqrt(RANK)
    covariance = root @ root.T
    own = rng.uniform(0.1, 1, size=d) * np.diag(covariance)
    covariance[np.diag_indices(d)] += own
    noise = np.exp(rng.uniform(np.log(0.05), np.log(4), size=d)) * np.diag(covariance)
    w = rng.normal(size=d)
    cross = covariance @ w
    return cross, noise, covariance, float(w @ cross) * 1.5


def copy_bandwidth(size: int = 50_000_000) -> float:
    """Bytes a second that are read and written when an array is copied; the best of some."""
    source, target = np.ones(size), np.empty(size)
    return 2 * source.nbytes / min(timed(lambda: np.copyto(target, source))[0] for _ in range(10))


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def peak_of(function: Callable[[], Any]) -> int:
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def support_before(picks: Any) -> Any:
    """How many attributes had been bought before each step."""
    first = np.zeros(len(picks), dtype=int)
    first[np.unique(picks, return_index=True)[1]] = 1
    return np.cumsum(first) - first


def given(d: int) -> Moments:
    cross, noise, covariance, label_variance = numbers(d)

    def make() -> Moments:
        return Moments.from_values(cross, noise, covariance, label_variance)

    seconds, moments = timed(make)
    print(f"d = {d:,}: Moments.from_values (checks, copy, Cholesky) {seconds:.2f} s")
    print(f"  memory beside what was given: {peak_of(make) / covariance.nbytes:.2f} × covariance", flush=True)
    return moments


def selection(d: int, budget: int, times: int = 3) -> dict[str, float]:
    """Time of Full against that of the reads that it needs, and memory in multiples of the covariance."""
    moments = given(d)
    bandwidth = copy_bandwidth()
    runs = [timed(lambda: select(moments, budget)) for _ in range(times)]
    seconds, plan = min(runs, key=lambda run: run[0])
    needed = float(support_before(plan.picks).sum()) * d * 8
    at_least = needed / bandwidth
    memory = peak_of(lambda: select(moments, budget)) / moments.covariance.nbytes
    print(f"d = {d:,}, B = {budget:,}: Full {seconds:.2f} s for {len(plan.repeats):,} attributes")
    print(f"  reads of d × support: {needed / 1e9:.1f} GB, at {bandwidth / 1e9:.1f} GB/s of copying {at_least:.2f} s")
    print(f"  time over that of the reads: {seconds / at_least:.2f}")
    print(f"  memory: {memory:.2f} × covariance")
    return {"s": seconds, "reads, s": at_least, "ratio": seconds / at_least, "memory over covariance": memory}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attributes", type=int, default=10_000)
    parser.add_argument("--budget", type=int, default=2_000)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    selection(options.attributes, options.budget, options.times)


if __name__ == "__main__":
    main()
