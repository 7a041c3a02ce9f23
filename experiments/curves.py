"""Test error against budget, by the paper's protocol.

A plan is made from two judgments of every pair of the training objects. What it asks for is bought for them, least
squares on the means of exactly that many judgments gives a predictor, and the predictor is tried on test objects with
exactly as many judgments. Ours go on from there: ``exchange`` is a better search, followed in the same way; ``auto``
chooses shrinkage and predictor by held-out error; ``planned again`` buys in rounds and plans anew after each.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from experiments.sources import Judge, Source, Split, requests
from manyjudges import Judgments, ManyJudgesError, Moments, Plan, baseline, choose, fit_predictor, run_campaign, select

PILOT = 2

PAPERS = ("Full", "Scoring", "Averages", "Copies")
OURS = ("Exchange", "Auto", "Auto, planned again")


@dataclass(frozen=True, eq=False)
class Pool:
    """Judgments of every pair in the order in which they came, to take the first so many of."""

    objects: Any
    attributes: tuple[str, ...]
    values: Any  # (objects, attributes, most), NaN where there are no more

    @classmethod
    def bought(cls, judge: Judge, objects: Any, attributes: tuple[str, ...], *counts: dict[str, int]) -> Pool:
        """One purchase after another."""
        asked = [requests(objects, each) for each in counts]
        frame = pd.concat([judge(each) for each in asked if len(each)], ignore_index=True)
        row = pd.Index(objects).get_indexer(pd.Index(frame["object"]))
        column = pd.Index(attributes).get_indexer(pd.Index(frame["attribute"]))
        rank = frame.groupby(row * len(attributes) + column).cumcount().to_numpy()
        values = np.full((len(objects), len(attributes), int(rank.max()) + 1), np.nan)
        values[row, column, rank] = frame["value"].to_numpy()
        return cls(objects, attributes, values)

    def first(self, counts: dict[str, int]) -> Judgments:
        """The first so many judgments of each of these attributes."""
        chosen = {name: n for name, n in counts.items() if n}
        at = [self.attributes.index(name) for name in chosen]
        max_repeats = np.array(list(chosen.values()))
        values = np.where(
            np.arange(max_repeats.max()) < max_repeats[:, None], self.values[:, at, : max_repeats.max()], np.nan
        )
        return Judgments.from_array(values, objects=self.objects, attributes=tuple(chosen))


def one_split(source: Source, seed: int) -> list[dict[str, Any]]:
    """Errors of all methods at all budgets on one split."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        split = source.split(seed)
        rows = _papers(source, split, seed)
        for budget in source.few_budgets:
            rows += [_auto(split, budget, seed), _planned_again(split, budget, seed)]
    return [row for row in rows if row]


def _papers(source: Source, split: Split, seed: int) -> list[dict[str, Any]]:
    judge = split.train_judge()
    y = split.labels[split.train]
    two = dict.fromkeys(split.attributes, PILOT)
    pilot = Pool.bought(judge, split.train, split.attributes, two)
    plans = _plans(source, split, pilot.first(two), y)
    max_repeats = {name: max(plan.repeats.get(name, 0) for _, plan in plans) for name in split.attributes}
    more = {name: max(n - PILOT, 0) for name, n in max_repeats.items()}
    rest = Pool.bought(judge, split.train, split.attributes, more) if any(more.values()) else None
    values = pilot.values if rest is None else np.concatenate([pilot.values, rest.values], axis=2)
    train = Pool(pilot.objects, pilot.attributes, values)
    test = Pool.bought(split.test_judge(), split.test, split.attributes, max_repeats)
    return [_followed(split, name, plan, train, test) for name, plan in plans if plan.repeats]


def _plans(source: Source, split: Split, pilot: Judgments, y: pd.Series) -> list[tuple[str, Plan]]:
    moments = Moments.estimate(pilot, y)
    options = {"costs": split.costs, "max_repeats": split.max_repeats}
    plans = []
    for budget in source.budgets:
        plans += [
            ("Full", select(moments, budget, **options)),
            ("Scoring", select(moments, budget, method="scoring", **options)),
            ("Averages", baseline(pilot, y, budget, kind="averages", costs=split.costs)),
            ("Copies", baseline(pilot, y, budget, kind="copies", costs=split.costs)),
        ]
        if source.numeric:
            single = {"kind": "single", "attribute": source.numeric}
            plans.append(("Numeric estimate alone", baseline(pilot, y, budget, costs=split.costs, **single)))
    for budget in source.few_budgets:
        plans.append(("Exchange", select(moments, budget, method="exchange", **options)))
    return plans


def _followed(split: Split, name: str, plan: Plan, train: Pool, test: Pool) -> dict[str, Any]:
    y, wanted = split.labels, plan.repeats
    bought, judged = train.first(wanted), test.first(wanted)
    model = fit_predictor(plan, bought, y[split.train], predictor="least_squares")
    return _row(split, name, plan, model, judged) | {"training": _error(split, model, bought)}


def _auto(split: Split, budget: float, seed: int) -> dict[str, Any]:
    """Choose the way to plan by held-out error, buy once, and fit the best linear predictor to all of it."""
    judge, y = split.train_judge(), split.labels[split.train]
    options = {"costs": split.costs, "max_repeats": split.max_repeats}
    pilot = Judgments.from_frame(judge(requests(split.train, dict.fromkeys(split.attributes, PILOT))))
    choice = choose(pilot, y, budget, random_state=seed, **options)
    plan = select(Moments.estimate(pilot, y), budget, method=choice.method, shrinkage=choice.shrinkage, **options)
    missing = plan.missing(pilot)
    bought = pilot + Judgments.from_frame(judge(missing)) if len(missing) else pilot
    model = fit_predictor(plan, bought, y, predictor_ridge="auto", random_state=seed)
    return _tried(split, "Auto", plan, model)


def _planned_again(split: Split, budget: float, seed: int) -> dict[str, Any]:
    result = run_campaign(
        split.train_judge(),
        split.train,
        split.labels[split.train],
        attributes=split.attributes,
        budget=budget,
        pilot=PILOT,
        costs=split.costs,
        random_state=seed,
    )
    return _tried(split, "Auto, planned again", result.plan, result.model)


def _tried(split: Split, name: str, plan: Plan, model: Any) -> dict[str, Any]:
    if not plan.repeats:
        return {}
    judged = Judgments.from_frame(split.test_judge()(requests(split.test, plan.repeats)))
    if not (judged.counts()[list(plan.repeats)] == list(plan.repeats.values())).all(axis=None):
        raise ManyJudgesError(f"{name} did not get exactly the judgments that it planned: {plan.repeats}")
    return _row(split, name, plan, model, judged)


def _row(split: Split, name: str, plan: Plan, model: Any, judged: Judgments) -> dict[str, Any]:
    return {
        "method": name,
        "budget": plan.budget,
        "error": _error(split, model, judged),
        "attributes": len(plan.repeats),
    }


def _error(split: Split, model: Any, judged: Judgments) -> float:
    """Mean squared error as a share of the label's variance."""
    matched, y = judged.match(split.labels, unmatched="drop")
    return float(np.mean((model.predict(matched) - y) ** 2) / np.var(split.labels.to_numpy()))


def gathered(source: Source, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Means and standard errors over splits, by method and budget, with the difference from Full in the same split."""
    table = pd.DataFrame(rows)
    full = table[table["method"] == "Full"].set_index(["split", "budget"])["error"]
    table["less_full"] = table["error"] - full.reindex(pd.MultiIndex.from_frame(table[["split", "budget"]])).to_numpy()
    known = (*PAPERS, "Numeric estimate alone", *OURS)
    fewer = table.groupby(["method", "budget"])["split"].count() < table["split"].nunique()
    if fewer.any():  # a mean over the splits in which a method bought something would flatter it
        raise ManyJudgesError(f"{fewer.idxmax()} is missing in some splits of {source.key}.")
    return {
        "key": source.key,
        "title": source.title,
        "label": source.label,
        "about": source.about,
        "simulated": source.simulated,
        "training_objects": source.training,
        "splits": int(table["split"].nunique()),
        "methods": {
            name: _columns(table[table["method"] == name]) for name in known if (table["method"] == name).any()
        },
    }


def _columns(rows: pd.DataFrame) -> dict[str, list[float]]:
    by = rows.groupby("budget")

    def mean(column: str) -> list[float]:
        return [round(value, 5) for value in by[column].mean()]

    def error(column: str) -> list[float]:
        return [round(value, 5) for value in by[column].std(ddof=1) / np.sqrt(by[column].count())]

    columns = {
        "budget": [float(budget) for budget in by.groups],
        "error": mean("error"),
        "std_error": error("error"),
        "less_full": mean("less_full"),
        "less_full_std_error": error("less_full"),
        "attributes": [round(value, 2) for value in by["attributes"].mean()],
    }
    if rows["training"].notna().any():
        columns["training_error"] = mean("training")
    return columns
