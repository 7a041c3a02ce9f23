"""What other values of the searches' constants would bring: what plans explain, and how long they take.

    python benchmarks/constants.py [exchange] [exact] [--problems 20]

Each constant is set to several values, the shipped one among them. What exchange explains is a share of what is proven
to be the most; times are multiples of that of the shipped value, in the same run. Docstrings of the constants quote
this table.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from manyjudges import Moments, select, simulate
from manyjudges.core.search import box_bounds, exchange

EXCHANGE = {
    "RICH_START": (1.0, 1.5, 2.0, 2.5, 4.0, 8.0),
    "PAIRS": (0, 10, 30, 100),
    "FIRSTS": (1, 2, 4),
    "CANDIDATES": (0, 3, 12, 40),
    "STALE": (5, 50, 500),
}
EXACT = {"MAX_GAIN_SHARE": (0.01, 0.03, 0.1, 0.3, 1.0)}
BUDGETS = (5, 10, 20)


def problem(seed: int) -> tuple[Moments, dict[str, float]]:
    """Moments of 40 attributes; prices of 1 to 6 for every second problem."""
    moments = simulate.gaussian(4, 40, random_state=seed).truth
    rng = np.random.default_rng(seed)
    prices = rng.integers(1, 7, 40) if seed % 2 else np.ones(40)
    return moments, dict(zip(moments.attributes, prices.astype(float).tolist(), strict=True))


def best_known(problems: int) -> dict[tuple[int, int], float]:
    """What the proven best plan of each problem and budget explains, or the best found in a minute."""
    best = {}
    for seed in range(problems):
        moments, costs = problem(seed)
        for budget in BUDGETS:
            best[seed, budget] = select(moments, budget, method="exact", costs=costs, time_limit=60).explained
    return best


def measure(method: str, problems: int) -> tuple[dict[tuple[int, int], float], float]:
    """What plans explain, and the seconds that all of them took."""
    explained, began = {}, time.perf_counter()
    for seed in range(problems):
        moments, costs = problem(seed)
        for budget in BUDGETS:
            explained[seed, budget] = select(moments, budget, method=method, costs=costs).explained
    return explained, time.perf_counter() - began


def try_exchange(problems: int) -> None:
    best = best_known(problems)
    measure("exchange", 2)  # what is slow only the first time
    for name, values in EXCHANGE.items():
        shipped = getattr(exchange, name)
        rows = {}
        for value in values:
            setattr(exchange, name, value)
            explained, seconds = measure("exchange", problems)
            shares = np.array([explained[key] / best[key] for key in best])
            rows[value] = (shares.min(), shares.mean(), (shares > 1 - 1e-6).mean(), seconds)
        setattr(exchange, name, shipped)
        print(f"{name}: value | share of the best: worst, mean, found it | time")
        for value, (worst, mean, best_found, seconds) in rows.items():
            mark = "*" if value == shipped else " "
            print(f" {mark} {value:5} | {worst:.2%} {mean:.3%} {best_found:.0%} | {seconds / rows[shipped][3]:.2f}")


def try_exact(problems: int) -> None:
    for name, values in EXACT.items():
        shipped = getattr(box_bounds, name)
        seconds = {}
        for value in values:
            setattr(box_bounds, name, value)
            seconds[value] = measure("exact", problems)[1]
        setattr(box_bounds, name, shipped)
        print(f"{name}: value | time")
        for value, took in seconds.items():
            print(f" {'*' if value == shipped else ' '} {value:5} | {took / seconds[shipped]:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["exchange", "exact"])
    parser.add_argument("--problems", type=int, default=20)
    options = parser.parse_args()
    if "exchange" in options.what:
        try_exchange(options.problems)
    if "exact" in options.what:
        try_exact(options.problems)


if __name__ == "__main__":
    main()
