"""Plans on recorded judgments of real crowds: test error and what the training judgments cost.

    python benchmarks/recorded.py [faces] [odours] [skating] [--splits 20] [--jobs 2]

The splits and the paper's protocol are those of the experiments; what is added here is the count of the judgments that
were bought for training, and Full planned again. The data are looked for as by manyjudges.datasets.
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


def one(key, seed, budget):
    warnings.simplefilter("ignore")
    split = source(key).split(seed)
    y, max_repeats = split.labels[split.train], split.max_repeats
    two = requests(split.train, dict.fromkeys(split.attributes, 2))
    pilot = Judgments.from_frame(split.train_judge()(two))
    moments = Moments.estimate(pilot, y)
    choice = choose(pilot, y, budget, max_repeats=max_repeats, random_state=seed)
    plans = {
        "Averages": baseline(pilot, y, budget, kind="averages"),
        "Copies": baseline(pilot, y, budget, kind="copies"),
        "Scoring": select(moments, budget, method="scoring", max_repeats=max_repeats),
        "Full": select(moments, budget, max_repeats=max_repeats),
        "exchange": select(moments, budget, method="exchange", max_repeats=max_repeats),
        "auto": select(moments, budget, method=choice.method, shrinkage=choice.shrinkage, max_repeats=max_repeats),
    }
    rows = []
    for name, plan in plans.items():
        judge = split.train_judge()
        judge(two)  # the same pilot
        missing = plan.missing(pilot)
        bought = pilot + Judgments.from_frame(judge(missing)) if len(missing) else pilot
        way = {"predictor_ridge": "auto"} if name == "auto" else {"predictor": "least_squares"}
        rows.append((name, error(split, fit_predictor(plan, bought, y, **way)), len(bought)))
    for name, method in (("Full again", "full"), ("auto again", "auto")):
        options = {"attributes": split.attributes, "budget": budget, "method": method, "random_state": seed}
        result = run_campaign(split.train_judge(), split.train, y, **options)
        rows.append((name, error(split, result.model), result.spent))
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
        print(
            f"  B={budget:<4} {plan:12} {at['error'].mean():.4f}   less Full {difference.mean():+.4f} ± "
            f"{difference.std(ddof=1) / np.sqrt(len(difference)):.4f}   bought {at['bought'].mean():,.0f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=list(RECORDED), metavar="NAME")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    for key in options.what:
        work = [delayed(one)(key, seed, b) for b in BUDGETS.get(key, (20, 80)) for seed in range(options.splits)]
        rows = [row for part in Parallel(n_jobs=options.jobs)(work) for row in part]
        show(key, pd.DataFrame(rows, columns=["split", "budget", "plan", "error", "bought"]))


if __name__ == "__main__":
    main()
