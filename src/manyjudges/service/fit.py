"""What a study has come to: its predictor, and predictions of the objects without label."""

from __future__ import annotations

__all__ = ["StudyFit", "fit_study"]

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning, PlanError
from manyjudges.learn.checks.registry import check_data
from manyjudges.learn.fitting import fit
from manyjudges.learn.predictor import Predictor
from manyjudges.learn.training_data import match_training_data
from manyjudges.learn.wording.sentences import what_to_expect
from manyjudges.service.status import answer_so_far
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
        Of the answer's plan, fitted to all judgments of labelled objects.
    answer : dict
        The latest answer, as ``Answer.to_document`` gives it, with the error to expect on new objects.
    predictions : pandas.DataFrame
        ``object``, ``prediction``, ``std`` of each object without label that was judged.
    warnings : tuple of DataWarning
        What speaks against relying on it.
    """

    model: Predictor
    answer: dict[str, Any]
    predictions: pd.DataFrame
    warnings: tuple[DataWarning, ...] = ()

    @property
    def expectation(self) -> str:
        """What error to expect on new objects, in a sentence or two."""
        errors = [self.answer[name] for name in ("error", "low", "high", "baseline_error")]
        return what_to_expect(self.model.plan, *errors)


def fit_study(opened: OpenStudy, *, mute: Collection[str] = ()) -> StudyFit:
    """Fit the predictor of the latest answer to what came so far, and predict the objects without label.

    Parameters
    ----------
    opened : OpenStudy
    mute : collection of str
        Codes of checks to leave out, besides those that the study mutes.
    """
    store = opened.store
    answer = answer_so_far(opened)
    if answer is None:
        raise PlanError(
            "there is no plan to fit yet; 'manyjudges status' says how far the pilot is, or why it is done."
        )
    plan, labels, frame = Plan.from_document(answer["plan"]), labels_of(store), store.judgments()
    chosen = frame[frame["attribute"].isin(plan.repeats)]
    if not plan.repeats or chosen.empty:
        raise PlanError("the latest plan buys nothing, so there is nothing to fit; see 'manyjudges status'.")
    active = set(store.objects()["object"])
    labelled, new = chosen["object"].isin(labels.index), chosen["object"].isin(active - set(labels.index))
    data = match_training_data(Judgments.from_frame(chosen[labelled]), labels, unmatched="drop")
    model = fit(plan, data)
    warnings = check_data(data, mute=(*opened.study.checks.mute, *mute)).warnings
    predicted = _none_predicted() if not new.any() else predictions(model, Judgments.from_frame(chosen[new]))
    return StudyFit(model, answer, predicted, warnings)


def _none_predicted() -> pd.DataFrame:
    return pd.DataFrame({"object": [], "prediction": [], "std": []}).astype({"object": object})
