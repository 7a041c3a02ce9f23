"""What a study has come to: its predictor, and predictions of the objects without label."""

from __future__ import annotations

__all__ = ["StudyFit", "fit_study"]

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning, PlanError
from manyjudges.learn.checks.registry import check_data
from manyjudges.learn.comparison import AUTO
from manyjudges.learn.predictor import Predictor, fit
from manyjudges.learn.training_data import match_training_data
from manyjudges.service.study import labels_of
from manyjudges.summary.plain import predictions
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    from manyjudges.service.study import OpenStudy


@dataclass(frozen=True, eq=False)
class StudyFit:
    """What a study has come to.

    Attributes
    ----------
    model : Predictor
        Of the latest plan, fitted to all judgments of labelled objects.
    loss, std_error : float, optional
        Squared error to expect on new objects, as it was estimated with the plan.
    predictions : pandas.DataFrame
        ``object``, ``prediction``, ``std`` of each object without label that was judged.
    warnings : tuple of DataWarning
        What speaks against relying on it.
    """

    model: Predictor
    loss: float | None
    std_error: float | None
    predictions: pd.DataFrame
    warnings: tuple[DataWarning, ...] = ()


def fit_study(opened: OpenStudy, *, mute: Collection[str] = ()) -> StudyFit:
    """Fit the predictor of the latest plan to what came so far, and predict the objects without label.

    Parameters
    ----------
    opened : OpenStudy
    mute : collection of str
        Codes of checks to leave out, besides those that the study mutes.
    """
    store = opened.store
    rounds = store.rounds()
    if not rounds:
        raise PlanError(
            "there is no plan to fit yet; 'manyjudges status' says how far the pilot is, or why it is done."
        )
    plan, labels, frame = Plan.from_document(rounds[-1]["plan"]), labels_of(store), store.judgments()
    chosen = frame[frame["attribute"].isin(plan.repeats)]
    if not plan.repeats or chosen.empty:
        raise PlanError("the latest plan buys nothing, so there is nothing to fit; see 'manyjudges status'.")
    active = set(store.objects()["object"])
    labelled, new = chosen["object"].isin(labels.index), chosen["object"].isin(active - set(labels.index))
    ridge = AUTO if opened.study.plan.method == AUTO else 0.0
    data = match_training_data(Judgments.from_frame(chosen[labelled]), labels, unmatched="drop")
    model = fit(plan, data, predictor_ridge=ridge)
    warnings = check_data(data, mute=(*opened.study.checks.mute, *mute)).warnings
    predicted = _none_predicted() if not new.any() else predictions(model, Judgments.from_frame(chosen[new]))
    return StudyFit(model, rounds[-1]["loss"], rounds[-1]["std_error"], predicted, warnings)


def _none_predicted() -> pd.DataFrame:
    return pd.DataFrame({"object": [], "prediction": [], "std": []}).astype({"object": object})
