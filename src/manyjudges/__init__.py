"""Which questions to ask about each object, and how many judges to ask each one, for the money you have."""

from manyjudges import simulate
from manyjudges.baselines import baseline
from manyjudges.estimators import MultiSelectRegressor
from manyjudges.exceptions import (
    DocumentError,
    JudgmentsError,
    LabelsError,
    ManyJudgesError,
    MissingJudgmentsError,
    MomentsError,
    PlanError,
)
from manyjudges.files import read_judgments, read_labels
from manyjudges.judgments import Judgments
from manyjudges.moments import Moments
from manyjudges.plan import Plan, Step
from manyjudges.predictor import Predictor, fit_predictor
from manyjudges.search import select

__version__ = "0.1.0"

__all__ = [
    "DocumentError",
    "Judgments",
    "JudgmentsError",
    "LabelsError",
    "ManyJudgesError",
    "MissingJudgmentsError",
    "Moments",
    "MomentsError",
    "MultiSelectRegressor",
    "Plan",
    "PlanError",
    "Predictor",
    "Step",
    "baseline",
    "fit_predictor",
    "read_judgments",
    "read_labels",
    "select",
    "simulate",
]
