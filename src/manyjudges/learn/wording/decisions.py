"""How an answer was decided: what was tried, with what error, and what was kept and why, in plain words."""

from __future__ import annotations

__all__ = ["decisions_of"]

from dataclasses import dataclass

from manyjudges.base.formatting import plural
from manyjudges.learn.comparison import Choice
from manyjudges.learn.preparation.preparation import Trial

_QUESTIONS = {
    "rescale": "Scale of ratings",
    "worker_effects": "Workers",
    "joint_moments": "Moments",
    "predictor": "Predictor",
}

_TRIED = {
    ("rescale", "plain"): "as they are",
    ("rescale", "auto"): "roots or logarithms of skewed ratings",
    ("rescale", "root"): "square roots",
    ("rescale", "log"): "logarithms",
    ("worker_effects", "plain"): "judgments as they are",
    ("worker_effects", "random"): "corrected for workers (random effects)",
    ("worker_effects", "fixed"): "corrected for workers (fixed effects)",
    ("joint_moments", "plain"): "attributes by themselves",
    ("joint_moments", "joint"): "attributes and label together",
    ("predictor", "best_linear"): "straight line",
    ("predictor", "curved"): "straight line and curve",
    ("predictor", "least_squares"): "least squares",
}


_PREFERRED = {
    "random": "preferred unless it is clearly worse",
    "fixed": "preferred unless it is clearly worse",
    "joint": "preferred unless it is clearly worse",
    "best_linear": "preferred unless a curve is clearly better",
}
"""Of ways that experience speaks for, why one can be kept that does not have the lowest error."""


@dataclass(frozen=True)
class TriedWay:
    """One thing that was tried.

    Attributes
    ----------
    question, tried : str
        What is decided, and one way to do it.
    error : float or None
        RMSE on held-out objects, at the same plan for all ways; None where it was not measured.
    kept : bool
    why : str
        In a few words; empty where the errors say it.
    """

    question: str
    tried: str
    error: float | None
    kept: bool
    why: str = ""


def decisions_of(choice: Choice) -> tuple[TriedWay, ...]:
    """What was tried with judgments, moments, predictor and plan, in the order in which it was decided."""
    steps = [_of_trial(trial) for trial in choice.trials]
    return (*steps, _of_plan(choice))


def _of_trial(trial: Trial) -> TriedWay:
    tried = _TRIED.get((trial.step, trial.tried), trial.tried)
    preferred = _PREFERRED.get(trial.tried, "") if trial.kept and trial.loss is not None else ""
    return TriedWay(_QUESTIONS[trial.step], tried, trial.error, trial.kept, trial.note or preferred)


def _of_plan(choice: Choice) -> TriedWay:
    shrunk = f", correlations shrunk by {choice.shrinkage:g}" if choice.shrinkage else ""
    ridge = f", ridge of {choice.predictor_ridge:g}" if choice.predictor_ridge else ""
    many = len(choice.considered)
    why = f"the simplest of {plural(many, 'way')} within 1 % of the lowest error" if many > 1 else "as asked for"
    return TriedWay("Plan", f"{choice.method}{shrunk}{ridge}", choice.error, True, why)
