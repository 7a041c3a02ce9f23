"""Speed against peers, as ratios in one run: make bench.

Each row names what was measured, our time, the peer's, how many of our times fit into the peer's, and what is wanted.
Ours and the peer's runs alternate, and the best of each counts, so that a busy machine slows both alike; each
benchmark has a process of its own. Exit code 1 when a row misses what is wanted.
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression, orthogonal_mp_gram

from manyjudges import MultiSelectRegressor, select
from manyjudges.core.bound import upper_bound
from manyjudges.core.search.scoring import scoring_picks
from manyjudges.tables.reading.table import read_table

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.support.plain import plain_explained, plain_greedy, random_moments


@dataclass(frozen=True)
class Row:
    what: str
    peer: str
    ours: float
    theirs: float
    wanted: float  # least of theirs / ours
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def alternate(ours: Callable[[], Any], theirs: Callable[[], Any], times: int) -> tuple[float, float, Any, Any]:
    """Best time of each, run in turn, and what they last gave."""
    best = [np.inf, np.inf]
    results = [None, None]
    for _ in range(times):
        for i, function in enumerate((ours, theirs)):
            seconds, results[i] = timed(function)
            best[i] = min(best[i], seconds)
    return best[0], best[1], *results


def full_against_pseudo_inverses() -> Iterator[Row]:
    moments = random_moments(np.random.default_rng(0), 200, noiseless=0.1)
    ours = min(timed(lambda: select(moments, 50))[0] for _ in range(20))
    theirs, (repeats, _) = timed(lambda: plain_greedy(plain_explained, moments, 50))
    same = np.array_equal(select(moments, 50).to_array(), repeats)
    yield Row("Full, d = 200, B = 50", "B·d pseudo-inverses", ours, theirs, 1000, "same plan" if same else "OTHER PLAN")


def full_against_matching_pursuit() -> Iterator[Row]:
    moments = random_moments(np.random.default_rng(1), 2000, noiseless=0.1)
    support = len(select(moments, 500).repeats)
    ours, theirs, *_ = alternate(
        lambda: select(moments, 500),
        lambda: orthogonal_mp_gram(moments.covariance, moments.cross, n_nonzero_coefs=support),
        times=5,
    )
    tracemalloc.start()
    select(moments, 500)
    peak = tracemalloc.get_traced_memory()[1] / moments.covariance.nbytes
    tracemalloc.stop()
    note = f"{support} attributes each; memory {peak:.2f} × covariance"
    yield Row("Full, d = 2000, B = 500", "orthogonal_mp_gram", ours, theirs, 1, note)


def end_to_end() -> Iterator[Row]:
    rng = np.random.default_rng(2)
    n, d = 10_000, 1000
    truth = rng.normal(size=(n, d))
    X = 0.5 * truth[:, :, None] + rng.normal(size=(n, d, 2))  # noisy enough for negative eigenvalues
    y = truth[:, :50] @ rng.normal(size=50) + rng.normal(size=n)
    del truth
    means = X.mean(axis=2)

    def needed() -> None:
        product = means.T @ means
        np.linalg.eigh(product)

    ours, theirs, *_ = alternate(lambda: MultiSelectRegressor(200).fit(X, y), needed, times=5)
    note = f"ours is {ours / theirs:.2f} × the peer"
    yield Row("fit on 10,000 × 1000 × 2, B = 200", "one product, one eigh", ours, theirs, 1 / 3, note)


def against_abess() -> Iterator[Row]:
    from abess import LinearRegression as Abess

    sizes = [
        (1000, 200, 20),
        (1000, 500, 20),
        (1000, 2000, 20),
        (10_000, 200, 20),
        (10_000, 500, 50),
        (10_000, 1000, 50),
    ]
    for n, d, k in sizes:
        X, y, w = _sparse_regression(n, d, k)
        ours, theirs, mine, other = alternate(
            functools.partial(MultiSelectRegressor(k).fit, X, y),
            functools.partial(Abess(support_size=k).fit, X, y),
            times=20 if n * d < 3_000_000 else 5,
        )
        note = f"true columns found: ours {_found(mine.coef_ != 0, w)}, abess {_found(other.coef_ != 0, w)}"
        yield Row(f"0/1 without noise, {n:,} × {d}, B = {k}", "abess", ours, theirs, 1, note)


def against_forward_selection() -> Iterator[Row]:
    for n, d, k in [(1000, 200, 20), (1000, 500, 5)]:
        X, y, w = _sparse_regression(n, d, k)
        forward = SequentialFeatureSelector(LinearRegression(), n_features_to_select=k, cv=2)
        ours, mine = timed(functools.partial(MultiSelectRegressor(k).fit, X, y))
        theirs, other = timed(functools.partial(forward.fit, X, y))
        note = f"true columns found: ours {_found(mine.coef_ != 0, w)}, forward {_found(other.get_support(), w)}"
        what = f"0/1 without noise, {n:,} × {d}, B = {k}"
        yield Row(what, "SequentialFeatureSelector", ours, theirs, 1, note)


def _sparse_regression(n: int, d: int, k: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)) / np.sqrt(d))
    w = np.zeros(d)
    w[rng.choice(d, k, replace=False)] = rng.normal(size=k) + 2
    return X, X @ w + rng.normal(size=n), w


def _found(support: Any, w: Any) -> str:
    return f"{np.count_nonzero(w[support])}/{np.count_nonzero(w)}"


def scoring_by_the_million() -> Iterator[Row]:
    rng = np.random.default_rng(3)
    d = 1_000_000
    cross, noise, variance, costs = rng.normal(size=d), rng.uniform(0, 3, d), rng.uniform(0.5, 2, d), np.ones(d)

    def sort_all_first_gains() -> None:
        np.argsort(cross**2 / (variance + noise))

    ours, theirs, picks, _ = alternate(
        lambda: scoring_picks(cross, noise, variance, 1e6, costs), sort_all_first_gains, times=3
    )
    note = f"{ours:.2f} s, {len(picks):,} judgments; a few seconds are wanted"
    yield Row("Scoring, d = B = 1,000,000", "one argsort of d numbers", ours, theirs, 1 / 50, note)


def bound_against_eigenvalues() -> Iterator[Row]:
    d = 500
    for noiseless, budget in ((0.0, 20), (0.0, 100), (0.0, 1000), (0.2, 100)):
        moments = random_moments(np.random.default_rng(4), d, noiseless=noiseless)
        caps = np.full(d, np.inf)
        ours, theirs, *_ = alternate(
            functools.partial(upper_bound, moments, budget, np.ones(d), caps),
            functools.partial(np.linalg.eigh, moments.covariance),
            times=7,
        )
        note = f"ours is {ours / theirs:.1f} × the peer; {noiseless:.0%} without noise"
        yield Row(f"bound, d = {d}, B = {budget}", "one eigh", ours, theirs, 1 / 10, note)


def exact_against_a_minute() -> Iterator[Row]:
    for budget in (10, 20):
        seconds, proven = [], True
        for seed in range(8):
            moments = random_moments(np.random.default_rng(seed), 40, noiseless=0)
            took, plan = timed(functools.partial(select, moments, budget, method="exact"))
            seconds.append(took)
            proven = proven and plan.gap == 0
        note = "worst of 8 problems, all proven" if proven else "OTHER than proven"
        yield Row(f"exact, d = 40, B = {budget}", "a minute", max(seconds), 60.0, 1, note)


def start_against_numpy() -> Iterator[Row]:
    def started(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)

    for shown, wanted in ((["--version"], 1 / 3), (["--help"], 1 / 3), (["plan", "--help"], 1 / 5)):
        ours, theirs, *_ = alternate(
            functools.partial(started, "-m", "manyjudges", *shown),
            functools.partial(started, "-c", "import numpy"),
            times=15,
        )
        note = f"ours is {ours / theirs:.2f} × the peer"
        yield Row(f"manyjudges {' '.join(shown)}", "python -c 'import numpy'", ours, theirs, wanted, note)


def many_columns_against_few() -> Iterator[Row]:
    """Time grows about as the columns do: with those of a wide table, and with those beside a long one."""
    few, times = 1000, 16
    for name, table_of in (("wide by rater", _by_rater), ("wide by judgment", _by_judgment), ("long", _long)):
        many, part = table_of(few * times), table_of(few)
        ours, theirs, *_ = alternate(
            functools.partial(read_table, many),
            lambda part=part: [read_table(part) for _ in range(times)],
            times=3,
        )
        what, peer = f"read {few * times:,} columns, {name}", f"{few:,} columns, {times} times"
        yield Row(what, peer, ours, theirs, 2 / 3, f"of {len(many):,} rows")


def _by_rater(columns: int) -> pd.DataFrame:
    names = {"Essay": [f"e{at // 4}" for at in range(20)], "Rater": [f"r{at % 4}" for at in range(20)]}
    return pd.concat([pd.DataFrame(names), _answers([f"q{at}" for at in range(columns)])], axis=1)


def _by_judgment(columns: int) -> pd.DataFrame:
    names = {"Essay": [f"e{at}" for at in range(20)]}
    return pd.concat([pd.DataFrame(names), _answers([f"q{at // 5}_{at % 5 + 1}" for at in range(columns)])], axis=1)


def _long(columns: int) -> pd.DataFrame:
    names = {"object": [f"e{at}" for at in range(20)], "attribute": "clear", "value": range(20)}
    return pd.concat([pd.DataFrame(names), _answers([f"x{at}" for at in range(columns)])], axis=1)


def _answers(headings: list[str]) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).integers(1, 6, size=(20, len(headings))), columns=headings)


BENCHMARKS = (
    start_against_numpy,
    many_columns_against_few,
    bound_against_eigenvalues,
    exact_against_a_minute,
    full_against_pseudo_inverses,
    full_against_matching_pursuit,
    end_to_end,
    against_abess,
    against_forward_selection,
    scoring_by_the_million,
)


def _rows(benchmark: Callable[[], Iterator[Row]]) -> list[Row]:
    return list(benchmark())


def _in_its_own_process(benchmark: Callable[[], Iterator[Row]]) -> list[Row]:
    """A fresh process each, so that what one leaves in memory does not slow the next."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_rows, benchmark).result()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"which: {', '.join(b.__name__ for b in BENCHMARKS)}")
    names = parser.parse_args().names
    console = Console(width=None if sys.stdout.isatty() else 180)
    rows = []
    for benchmark in BENCHMARKS:
        if not names or benchmark.__name__ in names:
            with Console(stderr=True).status(benchmark.__name__.replace("_", " ")):
                rows += _in_its_own_process(benchmark)
    table = Table(box=None, pad_edge=False)
    for heading in ("what", "peer", "ours", "peer's", "peer/ours", "wanted", "", ""):
        table.add_column(heading, justify="left" if heading in ("what", "peer", "") else "right")
    for row in rows:
        met = "ok" if row.ratio >= row.wanted and "OTHER" not in row.note else "MISSED"
        times = (f"{row.ours * 1e3:,.1f} ms", f"{row.theirs * 1e3:,.1f} ms")
        table.add_row(row.what, row.peer, *times, f"{row.ratio:,.2f}", f"≥ {row.wanted:,.3g}", met, row.note)
    console.print(table, highlight=False)
    return int(any(row.ratio < row.wanted or "OTHER" in row.note for row in rows))


if __name__ == "__main__":
    sys.exit(main())
