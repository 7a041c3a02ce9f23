"""The trade-off: which is the better pilot for the same money, many judgments of few objects or few of many.

A pilot of ``k`` judgments a pair on ``constant / k`` objects costs the same for every ``k``. Plans are made from it,
the training objects get what the plan asks for, and the predictor is tried on test objects, as in the curves. What is
bought after the pilot is not the same, nor is it in the paper: a pilot of fewer judgments has more objects, and its
predictor is fitted to more of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from experiments.curves import Pool
from experiments.sources import Source
from manyjudges import Moments, fit_predictor, select

CONSTANTS = (200, 400, 800, 1600)
NUMBERS = (2, 3, 4, 5, 8, 10, 20)
BUDGETS = (20, 50)
METHODS = {"Full": "full", "Scoring": "scoring"}


def one_split(
    source: Source,
    seed: int,
    *,
    constants: Sequence[int] = CONSTANTS,
    numbers: Sequence[int] = NUMBERS,
    budgets: Sequence[int] = BUDGETS,
) -> list[dict[str, Any]]:
    """Test errors of both algorithms for every constant and every number of judgments a pair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        split = source.split(seed)
        test_most = dict.fromkeys(split.attributes, 0)
        made = []
        for constant in constants:
            for k in numbers:
                objects = split.train[: constant // k]
                pilot = Pool.bought(split.train_judge(), objects, split.attributes, dict.fromkeys(split.attributes, k))
                moments = Moments.estimate(pilot.first(dict.fromkeys(split.attributes, k)), split.labels[objects])
                for name, method in METHODS.items():
                    for budget in budgets:
                        plan = select(moments, budget, method=method)
                        made.append((constant, k, name, budget, plan, pilot))
                        for attribute, n in plan.repeats.items():
                            test_most[attribute] = max(test_most[attribute], n)
        test = Pool.bought(split.test_judge(), split.test, split.attributes, test_most)
        return [_row(split, test, *each) for each in made if each[4].repeats]


def _row(
    split: Any, test: Pool, constant: int, k: int, name: str, budget: int, plan: Any, pilot: Pool
) -> dict[str, Any]:
    wanted = plan.repeats
    more = {attribute: max(n - k, 0) for attribute, n in wanted.items()}
    values = pilot.values
    if any(more.values()):
        rest = Pool.bought(split.train_judge(), pilot.objects, split.attributes, more)
        values = np.concatenate([values, rest.values], axis=2)
    train = Pool(pilot.objects, pilot.attributes, values)
    model = fit_predictor(plan, train.first(wanted), split.labels[pilot.objects], predictor="least_squares")
    judged, y = test.first(wanted).match(split.labels, unmatched="drop")
    error = float(np.mean((model.predict(judged) - y) ** 2) / np.var(split.labels.to_numpy()))
    return {"constant": constant, "k": k, "method": name, "budget": budget, "error": error}


def gathered(source: Source, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians and means over splits; a few judged objects can give a wild predictor, which a mean alone would show."""
    table = pd.DataFrame(rows)
    by = table.groupby(["method", "budget", "constant", "k"])["error"]
    summary = pd.DataFrame(
        {"error": by.mean(), "std_error": by.std(ddof=1) / np.sqrt(by.count()), "median": by.median()}
    )
    return {
        "key": f"tradeoff-{source.key}",
        "title": f"The trade-off, {source.title.split(',')[0]}",
        "about": source.about,
        "simulated": source.simulated,
        "splits": int(table["split"].nunique()),
        "rows": summary.round(5).reset_index().to_dict(orient="records"),
    }
