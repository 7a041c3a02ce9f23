"""Plans on recorded judgments of real crowds: test error and what the training judgments cost.

    python benchmarks/recorded.py [faces] [odours] [skating] [--splits 20] [--jobs 2] [--what plans|steps]

``plans`` compares ways to plan and baselines; ``steps`` compares whole campaigns, each with one of the steps that
``"auto"`` may take besides planning (rescaling, workers' effects, joint moments, a curve), with none and with all.
Splits and the paper's protocol are those of the experiments; what is added here is the count of the judgments that were
bought for training. The data are looked for as by manyjudges.datasets.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from experiments.sources import RECORDED, requests, source
from manyjudges import Judgments, Moments, baseline, choose, fit_predictor, run_campaign, select

BUDGETS = {"skating": (12,)}


def plans(key, seed, budget):
    warnings.simplefilter("ignore")
    split = source(key).split(seed)
    y, max_repeats = split.labels[split.train], split.max_repeats
    two = requests(split.train, dict.fromkeys(split.attributes, 2))
    pilot = Judgments.from_frame(split.train_judge()(two))
    moments = Moments.estimate(pilot, y)
    choice = choose(pilot, y, budget, max_repeats=max_repeats, random_state=seed)
    made = {
        "Averages": baseline(pilot, y, budget, kind="averages"),
        "Copies": baseline(pilot, y, budget, kind="copies"),
        "Scoring": select(moments, budget, method="scoring", max_repeats=max_repeats),
        "Full": select(moments, budget, max_repeats=max_repeats),
        "exchange": select(moments, budget, method="exchange", max_repeats=max_repeats),
        "auto": select(moments, budget, method=choice.method, shrinkage=choice.shrinkage, max_repeats=max_repeats),
    }
    rows = []
    for name, plan in made.items():
        judge = split.train_judge()
        judge(two)  # the same pilot
        missing = plan.missing(pilot)
        bought = pilot + Judgments.from_frame(judge(missing)) if len(missing) else pilot
        way = {"predictor_ridge": "auto"} if name == "auto" else {"predictor": "least_squares"}
        rows.append((name, error(split, fit_predictor(plan, bought, y, **way)), len(bought), np.nan))
    for name, method in (("Full again", "full"), ("auto again", "auto")):
        options = {"attributes": split.attributes, "budget": budget, "method": method, "random_state": seed}
        result = run_campaign(split.train_judge(), split.train, y, **options)
        rows.append((name, error(split, result.model), result.spent, np.nan))
    return [(seed, budget, *row) for row in rows]


OFF = {"rescale": "none", "worker_effects": "none", "joint_moments": False, "predictor": "best_linear"}
STEPS = {
    "none": OFF,
    "rescaling": OFF | {"rescale": "auto"},
    "workers": OFF | {"worker_effects": "auto"},
    "joint": OFF | {"joint_moments": "auto"},
    "curve": OFF | {"predictor": "auto"},
    "auto": {},
}
"""What each campaign may do besides planning."""


def steps(key, seed, budget):
    """Campaigns with one step each, with none and with all; before them the paper's own way."""
    warnings.simplefilter("ignore")
    split = source(key).split(seed)
    y, judge = split.labels[split.train], split.train_judge()
    pilot = Judgments.from_frame(judge(requests(split.train, dict.fromkeys(split.attributes, 2))))
    plan = select(Moments.estimate(pilot, y), budget, max_repeats=split.max_repeats)
    missing = plan.missing(pilot)
    bought = pilot + Judgments.from_frame(judge(missing)) if len(missing) else pilot
    paper = fit_predictor(plan, bought, y, predictor="least_squares")
    rows = [("Full", error(split, paper), len(bought), np.nan)]
    for name, way in STEPS.items():
        options = {"attributes": split.attributes, "budget": budget, "random_state": seed}
        result = run_campaign(split.train_judge(), split.train, y, **options, **way)
        expected = np.nan if result.error is None else result.error**2 / np.var(split.labels.to_numpy())
        rows.append((name, error(split, result.model), result.spent, expected))
    return [(seed, budget, *row) for row in rows]


def error(split, model):
    judged = Judgments.from_frame(split.test_judge()(requests(split.test, model.plan.repeats)))
    judged, y = judged.match(split.labels, unmatched="drop")
    return float(np.mean((model.predict(judged) - y) ** 2) / np.var(split.labels.to_numpy()))


def show(key, table):
    print(f"\n{key}: mean over {table['split'].nunique()} splits, as a share of the label's variance", flush=True)
    wide = table.pivot(index=["budget", "split"], columns="plan", values="error")
    for (plan, budget), at in table.groupby(["plan", "budget"], sort=False):
        difference = (wide[plan] - wide["Full"]).loc[budget]
        expected = f"   expected {at['expected'].mean():.4f}" if at["expected"].notna().any() else ""
        print(
            f"  B={budget:<4} {plan:12} {at['error'].mean():.4f}   less Full {difference.mean():+.4f} ± "
            f"{difference.std(ddof=1) / np.sqrt(len(difference)):.4f}   bought {at['bought'].mean():,.0f}{expected}",
            flush=True,
        )


WHAT = {"plans": plans, "steps": steps}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(RECORDED), metavar="NAME")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--what", choices=WHAT, default="plans")
    options = parser.parse_args()
    for key in options.names:
        cases = [(b, seed) for b in BUDGETS.get(key, (20, 80)) for seed in range(options.splits)]
        work = [delayed(WHAT[options.what])(key, seed, b) for b, seed in cases]
        rows = [row for part in Parallel(n_jobs=options.jobs)(work) for row in part]
        show(key, pd.DataFrame(rows, columns=["split", "budget", "plan", "error", "bought", "expected"]))


if __name__ == "__main__":
    main()
