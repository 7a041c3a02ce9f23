"""What results say, in numbers and sentences."""

from __future__ import annotations

from typing import Any

Result = dict[str, Any]

LIMITS = 2.0
"""Standard errors over splits from which a difference is called clear: a rule of thumb, as splits of one data set
overlap."""

BASELINES = ("Averages", "Copies", "Numeric estimate alone")


def versus(result: Result, name: str) -> dict[str, Any]:
    """At which budgets a method's error is below and above Full's, and where by more than two standard errors."""
    method = result["methods"][name]
    rows = list(zip(method["budget"], method["less_full"], method["less_full_std_error"], strict=True))
    return {
        "budgets": len(rows),
        "below": [budget for budget, gap, _ in rows if gap < 0],
        "above": [budget for budget, gap, _ in rows if gap > 0],
        "clearly_below": [budget for budget, gap, error in rows if gap < -LIMITS * error],
        "clearly_above": [budget for budget, gap, error in rows if gap > LIMITS * error],
    }


def above_a_baseline(result: Result) -> list[float]:
    """Budgets at which Scoring's mean error is above that of Averages or Copies."""
    errors = {
        name: dict(zip(result["methods"][name]["budget"], result["methods"][name]["error"], strict=True))
        for name in ("Scoring", "Averages", "Copies")
    }
    scoring = errors.pop("Scoring")
    return [b for b, error in scoring.items() if any(error > other[b] for other in errors.values() if b in other)]


def at(result: Result, name: str, budget: float, column: str = "error") -> float:
    """A number of a method at a budget."""
    method = result["methods"][name]
    return float(method[column][method["budget"].index(budget)])


def last_budget(result: Result) -> float:
    """The largest budget that all methods were tried at."""
    return float(min(max(method["budget"]) for method in result["methods"].values()))


def curve_sentence(result: Result) -> str:
    """What a figure of errors shows."""
    last = last_budget(result)
    there = [name for name in BASELINES if name in result["methods"]]
    parts = []
    for name in there:
        found = versus(result, name)
        parts.append(f"than that of {name} at {len(found['above'])} of {found['budgets']}")
    errors = "; ".join(f"{name} {at(result, name, last):.3f}" for name in result["methods"])
    lost = {name: len(versus(result, name)["clearly_below"]) for name in there}
    beaten = ", ".join(f"{name} at {n}" for name, n in lost.items() if n)
    sentence = f"Full's test error is lower {_and(parts)} budgets"
    sentence += f"; it is higher by more than two standard errors than that of {beaten}" if beaten else ""
    return f"{sentence}. At a budget of {last:g}: {errors}."


def ours_sentence(result: Result) -> str:
    """What our own additions change against Full."""
    last = last_budget(result)
    budgets = [b for b in result["methods"]["Auto"]["budget"] if b <= last]
    middle = budgets[len(budgets) // 2]

    def gap(name: str, budget: float) -> str:
        return f"{at(result, name, budget, 'less_full'):+.3f} ± {at(result, name, budget, 'less_full_std_error'):.3f}"

    parts = [
        f"{name} {gap(name, middle)} and {gap(name, last)}" for name in ("Exchange", "Auto", "Auto, planned again")
    ]
    return f"Test error less that of Full at budgets of {middle:g} and {last:g}: {'; '.join(parts)}."


def sparsity(result: Result, budget: float) -> dict[str, float]:
    """How many attributes plans use."""
    return {
        name: at(result, name, budget, "attributes")
        for name in ("Full", "Scoring", "Averages", "Copies")
        if budget in result["methods"][name]["budget"]
    }


def best_numbers(result: Result) -> list[dict[str, Any]]:
    """Which number of judgments a pair is the best pilot, for each algorithm, budget and constant."""
    rows = result["rows"]
    keys = sorted({(row["method"], row["budget"], row["constant"]) for row in rows})
    found = []
    for method, budget, constant in keys:
        own = [r for r in rows if (r["method"], r["budget"], r["constant"]) == (method, budget, constant)]
        best = min(own, key=lambda row: row["median"])
        two = next(row for row in own if row["k"] == 2)
        found.append(
            {
                "method": method,
                "budget": budget,
                "constant": constant,
                "best_k": best["k"],
                "worst_k": max(own, key=lambda row: row["median"])["k"],
                "error": best["median"],
                "error_at_2": two["median"],
                "error_at_most": max(own, key=lambda row: row["k"])["median"],
            }
        )
    return found


def tradeoff_sentence(result: Result) -> str:
    """What the trade-off shows."""
    found = best_numbers(result)
    numbers = [row["best_k"] for row in found]
    few = sum(k <= 5 for k in numbers)
    worst = sum(row["worst_k"] >= 10 for row in found)
    return (
        f"Of {len(found)} cases (two algorithms, two budgets, four constants), the least median error is with 5 "
        f"judgments a pair or fewer in {few}, and the largest with 10 or more in {worst}. With 2 it is at most "
        f"{max(row['error_at_2'] - row['error'] for row in found):.3f} above the least."
    )


def _and(parts: list[str]) -> str:
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"
