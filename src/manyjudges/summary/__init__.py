"""Summaries: results as plain numbers, ready to show. All arithmetic for display ends here."""

from manyjudges.judges.icc import Reliability, reliability
from manyjudges.judges.workforce import Workforce, suggested_bonuses, summarize_workers
from manyjudges.summary.answer import Answer
from manyjudges.summary.attributes import AttributeMap, NextJudgments, attribute_map, next_judgments
from manyjudges.summary.budgets import BudgetCurve
from manyjudges.summary.overall import Summary, budget_curve, summarize
from manyjudges.summary.plain import (
    choice,
    errors,
    overview,
    plan_shares,
    predictions,
    purchase,
    purchase_by_attribute,
    warnings,
)
from manyjudges.summary.residuals import IntervalCalibration, Residuals, held_out, interval_calibration

__all__ = [
    "Answer",
    "AttributeMap",
    "BudgetCurve",
    "IntervalCalibration",
    "NextJudgments",
    "Reliability",
    "Residuals",
    "Summary",
    "Workforce",
    "attribute_map",
    "budget_curve",
    "choice",
    "errors",
    "held_out",
    "interval_calibration",
    "next_judgments",
    "overview",
    "plan_shares",
    "predictions",
    "purchase",
    "purchase_by_attribute",
    "reliability",
    "suggested_bonuses",
    "summarize",
    "summarize_workers",
    "warnings",
]
