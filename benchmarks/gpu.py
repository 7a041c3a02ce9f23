"""The mathematics on a GPU against NumPy on the processor, in one run.

    python benchmarks/gpu.py [--library torch] [--device cuda] [--small]

Measures moments of 20,000 × 2,000 × 2 judgments, the positive semi-definite step, and selection among 10,000
attributes with a budget of 2,000, each on the same numbers in both places, and says how many times as long NumPy takes
(the best of some runs each) and how far the results are apart. Without a GPU, PyTorch on the processor takes its place.
Of the package only the mathematics is needed, and of other packages NumPy, SciPy, array-api-compat, threadpoolctl and
the library.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

try:
    import manyjudges  # noqa: F401
except ImportError:  # a machine with little more than a GPU: the mathematics alone, without what the package gathers
    package = types.ModuleType("manyjudges")
    package.__path__ = [str(Path(__file__).parent.parent / "src" / "manyjudges")]
    sys.modules["manyjudges"] = package

from many import numbers

from manyjudges.arrays.libraries import to_numpy
from manyjudges.core.moments import Moments
from manyjudges.core.psd import make_psd
from manyjudges.core.search.registry import select

SIZES = {
    "moments": (20_000, 2_000, 2),
    "psd": 5_000,
    "selection": (10_000, 2_000),
}
SMALL = {"moments": (2_000, 300, 2), "psd": 1_200, "selection": (1_000, 200)}


class Place:
    """A library and a device of it."""

    def __init__(self, library: str, device: str) -> None:
        self.xp = importlib.import_module(library)
        self.library, self.device = library, device

    def bring(self, array: Any) -> Any:
        if self.library == "torch":
            return self.xp.asarray(array, device=self.device)
        return self.xp.asarray(array)

    def timed(self, function: Callable[[], Any]) -> tuple[float, Any]:
        self.wait()
        start = time.perf_counter()
        result = function()
        self.wait()
        return time.perf_counter() - start, result

    def wait(self) -> None:
        """Until the device has done what it was told."""
        if self.device.startswith("cuda"):
            self.xp.cuda.synchronize() if self.library == "torch" else self.xp.cuda.Device().synchronize()

    def __str__(self) -> str:
        version = f"{self.library} {self.xp.__version__}"
        if not self.device.startswith("cuda"):
            return f"{version} on {self.device}"
        if self.library == "torch":
            return f"{version} on {self.xp.cuda.get_device_name()}"
        return f"{version} on {self.xp.cuda.runtime.getDeviceProperties(0)['name'].decode()}"


def show(what: str, here: float, there: float, note: str) -> None:
    print(f"{what:<44} numpy {here:9.3f} s   there {there:9.3f} s   ratio {here / there:8.2f}   {note}", flush=True)


def best(place: Place, function: Callable[[], Any], times: int) -> tuple[float, Any]:
    runs = [place.timed(function) for _ in range(times)]
    return min(run[0] for run in runs), runs[-1][1]


def apart(one: Any, other: Any, unit: Any = None) -> float:
    """The largest difference, in units of the largest number or of those given."""
    one, other = to_numpy(one), to_numpy(other)
    return float(np.max(np.abs(one - other) / (np.abs(other).max() if unit is None else unit)))


def moments(here: Place, there: Place, size: tuple[int, int, int], times: int) -> None:
    n, d, k = size
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(n, d))
    X = 0.5 * truth[:, :, None] + rng.normal(size=size)
    y = truth[:, :50] @ rng.normal(size=50) + rng.normal(size=n)
    del truth
    what = f"moments of {n:,} × {d:,} × {k}"
    brought, (far_X, far_y) = there.timed(lambda: (there.bring(X), there.bring(y)))
    seconds, mine = best(here, lambda: Moments.from_array(X, y), times)
    others, theirs = best(there, lambda: Moments.from_array(far_X, far_y), times)
    unit = np.outer(mine.scale, mine.scale)
    note = f"apart by {apart(theirs.covariance, mine.covariance, unit):.1e} (covariance, standardized), "
    note += f"{apart(theirs.noise, mine.noise):.1e} (noise), {apart(theirs.cross, mine.cross):.1e} (cross); "
    show(what, seconds, others, note + f"{len(mine.removed)} eigenvalues negative; brought there in {brought:.3f} s")
    far_X = there.bring(X.astype(np.float32))
    others, single = best(there, lambda: Moments.from_array(far_X, far_y), times)
    off = apart(single.covariance, mine.covariance, unit)
    show("  the same, judgments in single precision", seconds, others, f"apart by {off:.1e} (covariance, standardized)")


def semidefinite(here: Place, there: Place, d: int, times: int) -> None:
    rng = np.random.default_rng(1)
    root = rng.normal(size=(d, 2 * d)) / np.sqrt(2 * d)
    matrix, scale = root @ root.T, np.ones(d)
    far_scale = there.bring(scale)
    del root
    for what, less in (("none negative", -0.1), ("some negative", 0.15), ("half negative", 0.9)):
        raw = matrix - less * np.eye(d)
        far = there.bring(raw)
        seconds, (near, removed) = best(here, lambda raw=raw: made(raw.copy(), scale), times)
        others, (theirs, _) = best(there, lambda far=far: made(copied(there, far), far_scale), times)
        note = f"apart by {apart(theirs, near):.1e}; {len(removed):,} negative"
        show(f"semi-definite step, d = {d:,}, {what}", seconds, others, note)


def made(matrix: Any, scale: Any) -> tuple[Any, Any]:
    return matrix, make_psd(matrix, scale)


def copied(place: Place, array: Any) -> Any:
    return array.clone() if place.library == "torch" else array.copy()


def selection(here: Place, there: Place, size: tuple[int, int], times: int) -> None:
    d, budget = size
    cross, noise, covariance, label_variance = numbers(d)
    told = [there.bring(each) for each in (cross, noise, covariance)]
    seconds, mine = best(here, lambda: Moments.from_values(cross, noise, covariance, label_variance), times)
    others, theirs = best(there, lambda: Moments.from_values(*told, label_variance), times)
    show(
        f"Moments.from_values, d = {d:,}", seconds, others, f"apart by {apart(theirs.covariance, mine.covariance):.1e}"
    )
    for method in ("full", "scoring"):
        seconds, plan = best(here, lambda m=method: select(mine, budget, method=m), times)
        others, other = best(there, lambda m=method: select(theirs, budget, method=m), times)
        same = int(np.argmin(np.append(plan.picks[: len(other.picks)] == other.picks[: len(plan.picks)], False)))
        off = apart(other.path_explained[:same], plan.path_explained[:same])
        note = f"the first {same:,} of {len(plan.picks):,} picks are the same; explained apart by {off:.1e}"
        show(f"{method}, d = {d:,}, B = {budget:,}", seconds, others, note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", choices=["torch", "cupy"], default="torch")
    parser.add_argument("--device", help="cuda, cuda:1, cpu, …; a GPU where there is one")
    parser.add_argument("--small", action="store_true", help="small sizes, to try it out")
    parser.add_argument("--times", type=int, default=2, help="runs, of which the best counts")
    parser.add_argument("--only", choices=[*SIZES], help="one of the measurements")
    options = parser.parse_args()
    device = options.device
    if device is None:
        torch = importlib.import_module(options.library)
        device = "cuda" if options.library == "cupy" or torch.cuda.is_available() else "cpu"
    here, there = Place("numpy", "cpu"), Place(options.library, device)
    print(f"{here}, {os.cpu_count()} processors ({platform.machine()}), against {there}", flush=True)
    for place in (here, there):  # what is only slow for the first time
        ones, matrix = place.bring(np.ones(50)), place.bring(np.eye(50) - 0.5)
        select(Moments.from_values(ones, ones, matrix, 100.0), 100)
    measurements = {"moments": moments, "psd": semidefinite, "selection": selection}
    for name, size in (SMALL if options.small else SIZES).items():
        if options.only in (None, name):
            measurements[name](here, there, size, options.times)


if __name__ == "__main__":
    main()
