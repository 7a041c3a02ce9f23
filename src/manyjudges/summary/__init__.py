"""Summaries: results as plain numbers, ready to show. All arithmetic for display ends here."""

from manyjudges.summary.answer import Answer
from manyjudges.summary.attributes import AttributeMap, NextJudgments, attribute_map, next_judgments
from manyjudges.summary.budgets import BudgetCurve
from manyjudges.summary.heldout import IntervalCalibration, Residuals, held_out, interval_calibration
from manyjudges.summary.icc import Reliability, reliability
from manyjudges.summary.overall import Summary, budget_curve, summarize
from manyjudges.summary.tables import (
    choice,
    errors,
    overview,
    plan_shares,
    predictions,
    purchase,
    purchase_by_attribute,
    warnings,
)
from manyjudges.summary.workforce import Workforce, suggested_bonuses, summarize_workers

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
