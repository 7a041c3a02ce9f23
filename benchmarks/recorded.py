"""Plans on recorded judgments of real crowds: test error and what the training judgments cost.

    python benchmarks/recorded.py FOLDER [--splits 20] [--jobs 2]

Every subfolder of FOLDER with judgments.parquet (object, attribute, worker, value) and labels.parquet (object, label)
is split at random, half of the objects for training. Plans are made from two judgments a pair; what they ask for is
drawn from the records, without replacement, for training and for test objects alike. Nobody can draw more judgments
than there are, so no plan may ask for more than every object has.
"""

from __future__ import annotations

import argparse
import pathlib
import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from manyjudges import (
    Judgments,
    Moments,
    RecordedJudge,
    baseline,
    choose,
    fit_predictor,
    run_campaign,
    select,
)

FEWEST = 8
BUDGETS = {"figure_skating_base": (12,)}


def load(folder):
    frame = pd.read_parquet(folder / "judgments.parquet")
    labels = pd.read_parquet(folder / "labels.parquet").set_index("object")["label"]
    counts = frame.groupby(["object", "attribute"]).size().unstack().fillna(0)
    fewest = 12 if counts.min().min() < FEWEST else 0
    kept = counts.index[(counts >= fewest).all(axis=1)]
    return frame[frame["object"].isin(kept)], labels[labels.index.isin(kept)]


def requests(objects, repeats):
    pairs = [(name, n) for name, n in repeats.items() if n]
    return pd.DataFrame(
        {
            "object": np.repeat(np.asarray(objects, dtype=object), len(pairs)),
            "attribute": np.tile(np.array([name for name, _ in pairs], dtype=object), len(objects)),
            "count": np.tile(np.array([n for _, n in pairs], dtype=int), len(objects)),
        }
    )


class Split:
    def __init__(self, frame, labels, seed):
        rng = np.random.default_rng(seed)
        order = rng.permutation(labels.index.to_numpy())
        self.seed = seed
        self.train, self.test = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
        self.labels, self.attributes = labels, sorted(frame["attribute"].unique())
        self.records = {
            side: Judgments.from_frame(frame[frame["object"].isin(names)])
            for side, names in (("train", self.train), ("test", self.test))
        }
        self.variance = float(np.var(labels.to_numpy()))
        fewest = np.min([records.cells().count.min(axis=0) for records in self.records.values()], axis=0)
        self.most = dict(zip(self.attributes, fewest, strict=True))

    def error(self, predict, plan):
        judge = RecordedJudge(self.records["test"], random_state=self.seed)
        judged = Judgments.from_frame(judge(requests(self.test, plan.repeats)))
        judged, y = judged.match(self.labels, unmatched="drop")
        return float(np.mean((predict(judged) - y) ** 2)) / self.variance

    def run(self, budget):
        judge = RecordedJudge(self.records["train"], random_state=self.seed)
        pilot = Judgments.from_frame(judge(requests(self.train, dict.fromkeys(self.attributes, 2))))
        y = self.labels[self.train]
        moments = Moments.estimate(pilot, y)
        choice = choose(pilot, y, budget, most=self.most, random_state=self.seed)
        plans = {
            "Averages": baseline(pilot, y, budget, kind="averages"),
            "Copies": baseline(pilot, y, budget, kind="copies"),
            "Scoring": select(moments, budget, method="scoring", most=self.most),
            "Full": select(moments, budget, most=self.most),
            "exchange": select(moments, budget, method="exchange", most=self.most),
            "auto": select(moments, budget, method=choice.method, shrinkage=choice.shrinkage, most=self.most),
        }
        rows = []
        for name, plan in plans.items():
            again = RecordedJudge(self.records["train"], random_state=self.seed)
            again.skip(pilot)
            more = again(plan.missing(pilot))
            bought = pilot + Judgments.from_frame(more) if len(more) else pilot
            for predictor in ("least_squares", "best_linear"):
                ridge = "auto" if (name, predictor) == ("auto", "best_linear") else 0.0
                model = fit_predictor(plan, bought, y, predictor=predictor, ridge=ridge)
                rows.append((budget, name, predictor, self.error(model.predict, plan), len(bought)))
        for name, method in (("Full, planned again", "full"), ("auto, planned again", "auto")):
            judge = RecordedJudge(self.records["train"], random_state=self.seed)
            result = run_campaign(
                judge, self.train, y, attributes=self.attributes, budget=budget, method=method, random_state=self.seed
            )
            rows.append((budget, name, "best_linear", self.error(result.model.predict, result.plan), result.spent))
        return [(self.seed, *row) for row in rows]


def one(frame, labels, seed, budget):
    warnings.simplefilter("ignore")
    return Split(frame, labels, seed).run(budget)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for folder in sorted(options.folder.iterdir()):
        if not (folder / "labels.parquet").exists() or options.only not in folder.name:
            continue
        frame, labels = load(folder)
        budgets = BUDGETS.get(folder.name, (20, 80))
        work = [delayed(one)(frame, labels, seed, b) for b in budgets for seed in range(options.splits)]
        rows = [row for part in Parallel(n_jobs=options.jobs)(work) for row in part]
        table = pd.DataFrame(rows, columns=["split", "budget", "plan", "predictor", "error", "bought"])
        show(folder.name, table)


def show(name, table):
    print(f"\n{name}: mean over {table['split'].nunique()} splits, as a share of the label's variance")
    wide = table.pivot(index=["budget", "split"], columns=["plan", "predictor"], values="error")
    full = wide["Full", "least_squares"]
    for (plan, predictor), group in table.groupby(["plan", "predictor"], sort=False):
        for budget, at in group.groupby("budget"):
            difference = (wide[plan, predictor] - full).loc[budget]
            error = difference.std(ddof=1) / np.sqrt(len(difference))
            print(
                f"  B={budget:<4} {plan:22} {predictor:14} {at['error'].mean():.4f}   less Full (least squares) "
                f"{difference.mean():+.4f} ± {error:.4f}   bought {at['bought'].mean():,.0f}"
            )


if __name__ == "__main__":
    main()
