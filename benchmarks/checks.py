"""What goes wrong below and above the thresholds of the checks of the data, in simulated crowds whose truth is known.

    python benchmarks/checks.py [objects] [pairs] [eigenvalues] [halo] [chance] [--crowds 40]

Docstrings of the thresholds in ``manyjudges/learn/checks`` and ``manyjudges/judges/dependence.py`` quote these tables.
All losses are shares of the label's variance, and medians over the crowds.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd

from manyjudges import Judgments, Moments, select, simulate
from manyjudges.core.objective import expected_loss, explained, weights
from manyjudges.judges import check_independence
from manyjudges.learn import load_training_data
from manyjudges.learn.checks import negative_eigenvalues


def true_loss(truth: Moments, moments: Moments, repeats: np.ndarray) -> float:
    """What a predictor loses that is made of these moments for this plan, as a share of the label's variance."""
    w = weights(moments, repeats)
    bias = moments.label_mean - w @ moments.means
    return float(expected_loss(truth, w, repeats, bias=bias) / truth.label_variance)


def losses(people: simulate.SimulatedCrowd, moments: Moments) -> tuple[float, float, float]:
    """Of a plan of two judgments an attribute: its projected loss, the true one, and that of the best plan."""
    truth, budget = people.truth, 2 * len(people.attributes)
    plan = select(moments, budget)
    best = 1 - explained(truth, select(truth, budget).to_array()) / truth.label_variance
    return plan.projected_loss / truth.label_variance, true_loss(truth, moments, plan.to_array()), best


def objects(crowds: int) -> None:
    print("objects: attributes, objects, objects an attribute | projected loss, true loss")
    for d, sizes in ((3, (10, 20, 30, 60)), (10, (20, 30, 50, 60, 100, 200)), (30, (60, 100, 150, 200, 500))):
        for n in sizes:
            rows = []
            for seed in range(crowds):
                people = simulate.gaussian(n, d, random_state=seed)
                rows.append(losses(people, Moments.estimate(people.pilot(2), people.labels)))
            projected, true, _ = np.median(rows, axis=0)
            print(f"  {d:3} {n:4} {n / d:5.1f} | {projected:.2f}, {true:.2f}", flush=True)


def pairs(crowds: int) -> None:
    print("pairs: attributes, objects of 500 with a second judgment | true loss above the best plan's")
    for d in (5, 20):
        for repeated in (5, 10, 20, 50, 500):
            rows = []
            for seed in range(crowds):
                people = simulate.gaussian(500, d, random_state=seed)
                frame = people.pilot(2).to_frame()
                second = frame.groupby(["object", "attribute"], observed=True).cumcount() == 1
                some = frame["object"].isin(people.objects[:repeated])
                moments = Moments.estimate(Judgments.from_frame(frame[~second | some]), people.labels)
                _, true, best = losses(people, moments)
                rows.append(true / best - 1)
            print(f"  {d:3} {repeated:4} | {np.median(rows):.0%}", flush=True)


def eigenvalues(crowds: int) -> None:
    print("eigenvalues: noise, attributes, objects | negative share | projected loss, true loss")
    for noise, d, sizes in (((3.0, 10.0), 10, (50, 100, 200, 500)), ((0.3, 3.0), 10, (10, 20, 50, 100))):
        for n in sizes:
            rows = []
            for seed in range(crowds):
                people = simulate.gaussian(n, d, noise=noise, random_state=seed)
                data = load_training_data(people.pilot(2), people.labels)
                share = negative_eigenvalues.negative_share(data.moments)
                rows.append((share, *losses(people, data.moments)))
            share, projected, true, _ = np.median(rows, axis=0)
            print(f"  {noise} {d} {n:4} | {share:.2f} | {projected:.2f}, {true:.2f}", flush=True)


def halo(crowds: int) -> None:
    print(
        "halo: workers a pair, attributes, correlation of noise | true loss above the projected, above the best plan's"
    )
    for k in (2, 9):
        for d in (5, 20):
            for correlation in (0.0, 0.1, 0.2, 0.3, 0.7):
                rows = []
                for seed in range(crowds):
                    people = simulate.gaussian(2000, d, random_state=seed)
                    rng, deviation = np.random.default_rng(seed), np.sqrt(people.truth.noise)
                    shared = rng.normal(size=(2000, 1, k)) * np.sqrt(correlation)
                    own = rng.normal(size=(2000, d, k)) * np.sqrt(1 - correlation)
                    judged = people.values.to_numpy()[:, :, None] + deviation[:, None] * (shared + own)
                    projected, true, best = losses(people, Moments.from_array(judged, people.labels.to_numpy()))
                    rows.append((projected, true, true / best - 1))
                projected, true, worse = np.median(rows, axis=0)
                print(f"  {k} {d:3} {correlation:.1f} | {projected:.3f}, {true:.3f} | {worse:.0%}", flush=True)


def chance(crowds: int) -> None:
    print(
        "chance: objects, attributes | crowds without any halo or bias in which either is beyond 2, 3, 4, 5, 6 errors"
    )
    for n, d in ((10, 2), (30, 3), (100, 5)):
        z = []
        for seed in range(10 * crowds):
            rng = np.random.default_rng(seed)
            rows = [
                (thing, attribute, worker, rng.normal())
                for thing in range(n)
                for worker in rng.choice(8, 3, replace=False)
                for attribute in range(d)
            ]
            judged = Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"]))
            independence = check_independence(judged)
            z.append((independence.halo_z, independence.bias_z))
        beyond = [(np.array(z) > limit).sum(axis=0) for limit in (2, 3, 4, 5, 6)]
        words = "; ".join(f"{by_halo} and {by_bias}" for by_halo, by_bias in beyond)
        print(f"  {n:4} {d} | of {len(z)}, halo and bias: {words}", flush=True)


PARTS = {"objects": objects, "pairs": pairs, "eigenvalues": eigenvalues, "halo": halo, "chance": chance}


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=list(PARTS))
    parser.add_argument("--crowds", type=int, default=40)
    options = parser.parse_args()
    for name in options.what:
        PARTS[name](options.crowds)


if __name__ == "__main__":
    main()
