"""What other values of the constants of searches, bounds and predictors would bring, and how long they take.

    python benchmarks/constants.py [exchange] [exact] [bound] [psd] [predictors] [calibration] [--problems 20]

Each constant is set to several values, the shipped one among them (marked by a star). What exchange explains is a share
of what is proven to be the most; times are multiples of that of the shipped value, in the same run, and of the
processor, so that a busy machine does not count. Docstrings of the constants quote this table.
"""

from __future__ import annotations

import argparse
import contextlib
import time
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from manyjudges import Judgments, Moments, choose, fit_predictor, select, simulate
from manyjudges.core import bound
from manyjudges.core.objective import expected_loss, weights
from manyjudges.core.psd import nearest_psd
from manyjudges.core.search import box_bounds, branch_and_bound, exchange
from manyjudges.learn import comparison, load_training_data
from manyjudges.learn.inference import calibration, cross_validation

EXCHANGE = {
    (exchange, "_RICH_START"): (1.0, 1.5, 2.0, 2.5, 4.0, 8.0),
    (exchange, "_PAIRS"): (0, 10, 30, 100),
    (exchange, "_FIRSTS"): (1, 2, 4),
    (exchange, "_CANDIDATES"): (0, 3, 12, 40),
    (exchange, "_STALE"): (5, 50, 500),
}
EXACT = {
    (box_bounds, "MAX_GAIN_SHARE"): (0.01, 0.03, 0.1, 0.3, 1.0),
    (box_bounds, "_MAX_NEWTON_STEPS"): (5, 10, 20, 40, 80),
    (box_bounds, "_FIRST_PRICE"): (1e-5, 1e-4, 1e-3, 1e-2, 0.1),
    (box_bounds, "_CENTRING"): (0.01, 0.03, 0.1, 0.3),
    (box_bounds, "_SIDE_SHARE"): (0.5, 0.8, 0.95, 0.99),
    (branch_and_bound, "_TOGETHER"): (1, 4, 16, 64),
}
BOUND = {
    (bound, "_FIRST"): (1, 10, 30, 100, 400),
    (bound, "_JOINT_REPAIRS"): (1, 5, 10, 40, 100),
    (bound, "_NEAR"): (1e-3, 1e-4, 1e-5, 1e-6),
    (bound, "_EVERY"): (1, 3, 10, 30),
    (bound, "_MOST_UPDATES"): (4_000, 40_000, 400_000),
    (bound, "_MOST_ROUNDS"): (3, 10, 30, 100),
    (bound, "_IDLE"): (1, 3, 10),
    (bound, "_RIDGE"): (1e-12, 1e-10, 1e-8, 1e-6),
}
PREDICTORS = {
    (comparison, "_SHRINKAGES"): ((0.0,), (0.0, 0.1, 0.4), (0.0, 0.05, 0.1, 0.2, 0.4, 0.7)),
    (cross_validation, "RIDGES"): (
        (0.0,),
        (0.0, 0.1),
        (0.0, 0.03, 0.1, 0.3),
        (0.0, 0.01, 0.02, 0.03, 0.06, 0.1, 0.2, 0.3, 0.6, 1.0),
    ),
    (cross_validation, "_NEARLY_AS_GOOD"): (0.0, 0.01, 0.03, 0.1),
}
CALIBRATION = {(cross_validation, "MULTIPLES"): ((1.0,), (0.5, 1.0, 2.0, 4.0), (0.25, 0.5, 1.0, 2.0, 4.0, 8.0))}
TRIED = EXCHANGE | EXACT | BOUND | PREDICTORS | CALIBRATION
BUDGETS = (5, 10, 20)


@contextlib.contextmanager
def changed(module: ModuleType, name: str, value: Any) -> Iterator[None]:
    """A constant with another value for a while."""
    shipped = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, shipped)


def mark(module: ModuleType, name: str, value: Any) -> str:
    return "*" if value == getattr(module, name) else " "


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
    explained, began = {}, time.process_time()
    for seed in range(problems):
        moments, costs = problem(seed)
        for budget in BUDGETS:
            explained[seed, budget] = select(moments, budget, method=method, costs=costs).explained
    return explained, time.process_time() - began


def try_exchange(problems: int) -> None:
    best = best_known(problems)
    measure("exchange", 2)  # what is slow only the first time
    for (_, name), values in EXCHANGE.items():
        rows = {}
        for value in values:
            with changed(exchange, name, value):
                explained, seconds = measure("exchange", problems)
            shares = np.array([explained[key] / best[key] for key in best])
            rows[value] = (shares.min(), shares.mean(), (shares > 1 - 1e-6).mean(), seconds)
        print(f"{name}: value | share of the best: worst, mean, found it | time")
        for value, (worst, mean, best_found, seconds) in rows.items():
            relative = seconds / rows[getattr(exchange, name)][3]
            print(
                f" {mark(exchange, name, value)} {value:5} | {worst:.2%} {mean:.3%} {best_found:.0%} | {relative:.2f}"
            )


def try_exact(problems: int) -> None:
    measure("exact", 1)
    for (module, name), values in EXACT.items():
        seconds = {}
        for value in values:
            with changed(module, name, value):
                seconds[value] = measure("exact", problems)[1]
        print(f"{name}: value | time", flush=True)
        for value, took in seconds.items():
            print(f" {mark(module, name, value)} {value:7} | {took / seconds[getattr(module, name)]:.2f}", flush=True)


def bound_problems(problems: int) -> list[tuple[Moments, float, Any, Any]]:
    """Moments with budgets, prices and caps: of unlike attributes, and of many that are nearly the same."""
    made = []
    for seed in range(problems):
        rng = np.random.default_rng(seed)
        d = (40, 200, 500)[seed % 3]
        root = rng.normal(size=(d, (d // 3, 3)[seed % 2]))
        covariance = root @ root.T + np.diag(rng.uniform(1e-6, (1.0, 1e-3)[seed % 2], d))
        covariance /= np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
        cross = covariance @ rng.normal(size=d)
        noise = np.exp(rng.uniform(np.log(0.05), np.log(4), d))
        label_variance = 1.5 * float(cross @ np.linalg.solve(covariance, cross))
        moments = Moments.from_values(cross, noise, covariance, label_variance)
        costs = np.ones(d) if seed % 4 < 2 else rng.uniform(0.5, 2, d)
        caps = np.full(d, np.inf) if seed % 3 else rng.integers(1, 4, d).astype(float)
        made += [(moments, float(budget), costs, caps) for budget in (5, 50, 500)]
    return made


def try_bound(problems: int) -> None:
    made = bound_problems(problems)

    def bounds() -> tuple[Any, float]:
        began = time.process_time()
        values = np.array([bound.upper_bound(*one) for one in made])
        return values, time.process_time() - began

    bounds()
    shipped, _ = bounds()
    for (_, name), values in BOUND.items():
        rows = {}
        for value in values:
            with changed(bound, name, value):
                rows[value] = bounds()
        print(f"{name}: value | bounds above the shipped ones: mean, most | time")
        for value, (found, seconds) in rows.items():
            looser = found / shipped - 1
            relative = seconds / rows[getattr(bound, name)][1]
            print(f" {mark(bound, name, value)} {value:8} | {looser.mean():.1e} {looser.max():.1e} | {relative:.2f}")


def try_psd(problems: int) -> None:
    print(
        "LARGE: attributes | all eigenvectors, in multiples of LAPACK's steps one by one; definite, some negative, half"
    )
    for d in (100, 200, 400, 700, 1000, 1500):
        row = []
        for ratio in (0.1, 2.0, 100.0):
            rng = np.random.default_rng(0)
            root = rng.normal(size=(d, 2 * d))
            error = rng.normal(size=(d, d))
            matrix = root @ root.T / (2 * d) + ratio * (error + error.T) / np.sqrt(8 * d)
            scale, best = np.ones(d), [np.inf, np.inf]
            for _ in range(max(2, min(problems, 2_000 // d))):
                for i, large in enumerate((d + 1, 1)):
                    began = time.process_time()
                    nearest_psd(matrix, scale, large=large)
                    best[i] = min(best[i], time.process_time() - began)
            row.append(best[0] / best[1])
        print(f"   {d:5} | " + " ".join(f"{ratio:.2f}" for ratio in row), flush=True)


CROWDS = {"60 objects": (60, (0.3, 3.0)), "200 objects": (200, (0.3, 3.0)), "100, noisy": (100, (2.0, 10.0))}


def chosen_loss(n: int, noise: tuple[float, float], seed: int) -> float:
    """True loss of what is chosen among methods, amounts of shrinkage and ridges: a share of the label's variance."""
    people = simulate.gaussian(n, 20, noise=noise, random_state=seed)
    pilot, y = people.pilot(2), people.labels
    chosen = choose(pilot, y, 30, random_state=seed)
    moments = Moments.estimate(pilot, y)
    plan = select(moments, 30, method=chosen.method, shrinkage=chosen.shrinkage)
    w = weights(moments.regularized(ridge=chosen.predictor_ridge), plan.to_array())
    bias = moments.label_mean - w @ moments.means
    return expected_loss(people.truth, w, plan.to_array(), bias=bias) / people.truth.label_variance


def try_predictors(problems: int) -> None:
    for (module, name), values in PREDICTORS.items():
        print(f"{name}: value | true loss of what is chosen with {', '.join(CROWDS)}")
        for value in values:
            with contextlib.ExitStack() as stack:
                for user in {module, comparison} if hasattr(comparison, name) else {module}:
                    stack.enter_context(changed(user, name, value))
                losses = [
                    np.mean([chosen_loss(n, noise, seed) for seed in range(problems)]) for n, noise in CROWDS.values()
                ]
            print(f" {mark(module, name, value)} {value} | " + ", ".join(f"{x:.4f}" for x in losses), flush=True)


def try_calibration(problems: int) -> None:
    """What a predictor promises of new objects with fewer and more judgments, against its true loss."""
    asked = (0.5, 1.0, 1.5, 3.0, 6.0)
    print(f"MULTIPLES: value | promised error variance over the true one, at {asked} times the plan: medians")
    for value in CALIBRATION[cross_validation, "MULTIPLES"]:
        rows = []
        with changed(cross_validation, "MULTIPLES", value), changed(calibration, "MULTIPLES", value):
            for seed in range(problems):
                people = simulate.gaussian(100, 15, random_state=seed)
                pilot = people.pilot(2)
                plan = select(Moments.estimate(pilot, people.labels), 24)
                missing = plan.missing(pilot)
                bought = pilot + Judgments.from_frame(people.judge(missing)) if len(missing) else pilot
                fitted = fit_predictor(plan, bought, people.labels)
                row = []
                for many in asked:
                    repeats = {name: max(1, round(count * many)) for name, count in plan.repeats.items()}
                    new = people.more(1000)
                    judged, y = new.follow(repeats).match(new.labels)
                    predicted, deviation = fitted.predict(judged, return_std=True)
                    row.append(np.mean(deviation**2) / np.mean((predicted - y) ** 2))
                rows.append(row)
        print(
            f" {mark(cross_validation, 'MULTIPLES', value)} {value} | "
            + ", ".join(f"{x:.2f}" for x in np.median(rows, axis=0)),
            flush=True,
        )
    print("MAX_WORK: objects, attributes, work | seconds to plan anew for held-out objects | explained / promised")
    for n, d in ((1_000, 30), (1_000, 100), (10_000, 100), (1_000, 316)):
        people = simulate.gaussian(n, d, random_state=0)
        data = load_training_data(people.pilot(2), people.labels)
        plan = select(data.moments, 2 * d)
        own, rng = data.moments.subset(tuple(plan.repeats)), np.random.default_rng(0)
        began = time.process_time()
        pairs = calibration.calibrate(plan, data, own, ridge=0.0, rng=rng, max_work=10**12)
        seconds = time.process_time() - began
        promised, explained = pairs[cross_validation.MULTIPLES.index(1.0)]
        print(f"   {n:6} {d:4} {n * d**2:.0e} | {seconds:.2f} | {explained / promised:.1%}", flush=True)


PARTS = {
    "exchange": try_exchange,
    "exact": try_exact,
    "bound": try_bound,
    "psd": try_psd,
    "predictors": try_predictors,
    "calibration": try_calibration,
}


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=list(PARTS))
    parser.add_argument("--problems", type=int, default=20)
    options = parser.parse_args()
    for name in options.what:
        PARTS[name](options.problems)


if __name__ == "__main__":
    main()
