"""How far plans, errors and intervals can be trusted, on simulated crowds whose truth is known.

    python benchmarks/trust.py [plans] [errors] [choice] [intervals] [limits] [promises] [--crowds 20]

The tables of docs/choosing.md come from here.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from joblib import Parallel, delayed

from manyjudges import (
    Judgments,
    Moments,
    MultiSelectRegressor,
    choose,
    fit_predictor,
    projected_error,
    select,
    simulate,
)
from manyjudges.core.objective import expected_loss, weights


def problem(d, seed):
    """Moments of a random population."""
    return simulate.gaussian(4, d, random_state=seed).truth


def crowd(kind, n, d, seed):
    if kind == "height":
        return simulate.height_weight(n, random_state=seed)
    noise = (2.0, 10.0) if kind == "noisy" else (0.3, 3.0)
    return simulate.gaussian(n, d, noise=noise, random_state=seed)


def plan_quality(d, budget, seed):
    moments = problem(d, seed)
    full, moved = select(moments, budget), select(moments, budget, method="exchange")
    began = time.perf_counter()
    exact = select(moments, budget, method="exact", time_limit=60)
    seconds = time.perf_counter() - began
    return [
        full.explained / full.bound,
        moved.explained / full.bound,
        full.explained / exact.explained,
        moved.explained / exact.explained,
        exact.gap == 0,
        seconds,
    ]


def plans(crowds):
    print("plans: d, budget | Full/bound, exchange/bound (median) | Full/exact, exchange/exact (worst) | proven | s")
    for d, budget in ((40, 5), (40, 10), (40, 20), (40, 40), (40, 80)):
        rows = np.array(Parallel(n_jobs=2)(delayed(plan_quality)(d, budget, seed) for seed in range(crowds)))
        middle, worst = np.median(rows, axis=0), rows.min(axis=0)
        print(
            f"  {d} {budget:3} | {middle[0]:.2%} {middle[1]:.2%} | {worst[2]:.2%} {worst[3]:.2%} | "
            f"{rows[:, 4].mean():.0%} | median {middle[5]:.2f}, most {rows[:, 5].max():.1f}"
        )


def true_loss(people, judgments, labels, budget, *, method="full", shrinkage=0.0, ridge=0.0):
    moments = Moments.estimate(judgments, labels)
    plan = select(moments, budget, method=method, shrinkage=shrinkage, costs=people.costs or None)
    w = weights(moments.regularized(ridge=ridge), plan.to_array())
    bias = moments.label_mean - w @ moments.means
    return expected_loss(people.truth, w, plan.to_array(), bias=bias) / people.truth.label_variance


def error_quality(kind, n, d, budget, seed):
    warnings.simplefilter("ignore")
    people = crowd(kind, n, d, seed)
    pilot, y = people.pilot(2), people.labels.to_numpy()
    options = {"methods": ["full"], "shrinkage": 0, "costs": people.costs or None, "random_state": seed}
    curve = projected_error(pilot, y, [budget], **options)
    at = {name: float(getattr(curve, name)[0, 0]) for name in ("optimistic_loss", "loss", "std_error")}
    scale = people.truth.label_variance
    kept = np.sort(np.random.default_rng(seed).permutation(n)[: n * 4 // 5])
    described = true_loss(people, pilot[kept], y[kept], budget)
    fitted = true_loss(people, pilot, y, budget)
    return [at["optimistic_loss"] / scale, at["loss"] / scale, at["std_error"] / scale, described, fitted]


def errors(crowds):
    print("errors: crowd, n, budget | plan's own, held out ± | true: on 4/5 of the objects, on all")
    for kind, d in (("plain", 10), ("height", 39)):
        for n in (100, 200, 500):
            for budget in (10, 40):
                work = [delayed(error_quality)(kind, n, d, budget, seed) for seed in range(crowds)]
                m = np.mean(Parallel(n_jobs=2)(work), axis=0)
                print(f"  {kind} {n} {budget} | {m[0]:.3f} {m[1]:.3f} ± {m[2]:.3f} | {m[3]:.3f} {m[4]:.3f}")


def choice_quality(kind, n, seed):
    people = crowd(kind, n, 40, seed)
    pilot, labels = people.pilot(2), people.labels
    chosen = choose(pilot, labels, 40, costs=people.costs or None, random_state=seed)
    way = {"method": chosen.method, "shrinkage": chosen.shrinkage}
    return [
        true_loss(people, pilot, labels, 40),
        true_loss(people, pilot, labels, 40, method="scoring"),
        true_loss(people, pilot, labels, 40, **way),
        true_loss(people, pilot, labels, 40, **way, ridge=chosen.predictor_ridge),
        chosen.method == "scoring",
    ]


def choice(crowds):
    print("choice: crowd, n | Full, Scoring, auto without and with its ridge | worst auto/Full | Scoring chosen")
    for kind in ("plain", "noisy", "height"):
        for n in (60, 100, 200, 500):
            rows = np.array(Parallel(n_jobs=2)(delayed(choice_quality)(kind, n, seed) for seed in range(crowds)))
            m, worst = rows.mean(axis=0), (rows[:, 3] / rows[:, 0]).max()
            print(f"  {kind} {n} | {m[0]:.3f} {m[1]:.3f} {m[2]:.3f} {m[3]:.3f} | {worst:.2f} | {m[4]:.0%}")


def interval_quality(kind, n, d, seed):
    people = crowd(kind, n, d, seed)
    rng, pilot = np.random.default_rng(seed), people.pilot(2)
    plan = select(Moments.estimate(pilot, people.labels), 24, costs=people.costs or None)
    lacking = plan.missing(pilot)
    bought = pilot + Judgments.from_frame(people.judge(lacking)) if len(lacking) else pilot
    fitted = fit_predictor(plan, bought, people.labels)
    out = []
    for change in ("planned", "missing", "surplus"):
        new = people.more(500)
        repeats = {name: many * (2 if change == "surplus" else 1) for name, many in plan.repeats.items()}
        frame = new.follow(repeats).to_frame()
        if change == "missing":
            frame = frame[rng.random(len(frame)) > 0.4]
        judged, y = Judgments.from_frame(frame).match(new.labels, unmatched="drop")
        predicted, deviation = fitted.predict(judged, return_std=True)
        away = np.abs(predicted - y) / deviation
        out += [np.mean(away < 1.2816), np.mean(away < 1.96)]
    return out


def intervals(crowds):
    print("intervals: crowd, n | covered by 80 % and 95 %: as planned, 40 % of judgments missing, twice as many")
    for kind, d in (("plain", 12), ("height", 39)):
        for n in (100, 200, 500):
            m = np.mean(Parallel(n_jobs=2)(delayed(interval_quality)(kind, n, d, s) for s in range(crowds)), axis=0)
            print(f"  {kind} {n} | " + ", ".join(f"{a:.1%} {b:.1%}" for a, b in zip(m[::2], m[1::2], strict=True)))


def limit_quality(kind, n, d, budget, seed):
    warnings.simplefilter("ignore")
    people = crowd(kind, n, d, seed)
    pilot, y = people.pilot(2), people.labels
    costs = people.costs or None
    chosen = choose(pilot, y, budget, costs=costs, random_state=seed)
    way = {"method": chosen.method, "shrinkage": chosen.shrinkage, "ridge": chosen.predictor_ridge}
    truth = true_loss(people, pilot, y, budget, **way) * people.truth.label_variance
    return [(truth - chosen.loss) / chosen.std_error]


def limits(crowds):
    print("limits: crowd, n | true loss within 2 standard errors of what auto expects, above, below")
    for kind, d in (("plain", 10), ("height", 39)):
        for n in (100, 200, 500):
            work = [delayed(limit_quality)(kind, n, d, 20, seed) for seed in range(crowds)]
            away = np.array(Parallel(n_jobs=2)(work))
            shares = (np.mean(abs(away) <= 2), np.mean(away > 2), np.mean(away < -2))
            print(f"  {kind} {n} | {shares[0]:.0%} {shares[1]:.0%} {shares[2]:.0%}", flush=True)


def promise_quality(n, d, budget, seed):
    """A model's error as it says and as it is, whether its limits hold it, and how often intervals hold labels."""
    people = crowd("numeric", n, d, seed)
    model = MultiSelectRegressor(budget).fit(people.pilot(2), people.labels)
    new = people.more(2000)
    judged = new.follow(model.plan_)
    loss = float(np.mean((model.predict(judged) - new.labels.to_numpy()) ** 2))
    held = []
    for coverage in (0.8, 0.95):
        low, high = model.predictor_.predict_interval(judged, coverage)
        held.append(float(np.mean((low <= new.labels) & (new.labels <= high))))
    within = model.error_low_**2 <= loss <= model.error_high_**2
    return [model.error_**2, loss, within, *held, people.truth.label_variance]


def promises(crowds):
    print("promises: objects | true loss | bias of the loss expected | limits hold | intervals of 80 and 95 % hold")
    for n in (60, 120, 250, 1000):
        work = (delayed(promise_quality)(n, 30, 20, seed) for seed in range(crowds))
        said, loss, within, some, most, variance = np.array(Parallel(n_jobs=2)(work)).T
        print(
            f"  {n:5} | {np.mean(loss / variance):.3f} | {said.mean() / loss.mean() - 1:+.1%} | {within.mean():.1%} | "
            f"{some.mean():.1%} {most.mean():.1%}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = {
        "plans": plans,
        "errors": errors,
        "choice": choice,
        "intervals": intervals,
        "limits": limits,
        "promises": promises,
    }
    parser.add_argument("what", nargs="*", default=list(what))
    parser.add_argument("--crowds", type=int, default=20)
    options = parser.parse_args()
    for name in options.what:
        what[name](options.crowds)


if __name__ == "__main__":
    main()
