"""Which questions to ask about each object, and how many judges to ask each one, for the money you have."""

from manyjudges import datasets, simulate
from manyjudges.baselines import baseline
from manyjudges.campaigns import CampaignResult, run_campaign
from manyjudges.collection import Campaign, Outlook, Proposal, RecordedJudge, Round, Status
from manyjudges.diagnosis import concerns
from manyjudges.estimators import MultiSelectRegressor
from manyjudges.exceptions import (
    DatasetError,
    DataWarning,
    DocumentError,
    JudgmentsError,
    LabelsError,
    ManyJudgesError,
    MissingJudgmentsError,
    MomentsError,
    PlanError,
    StoreError,
    StudyError,
)
from manyjudges.files import read_judgments, read_labels
from manyjudges.judgments import Judgments
from manyjudges.moments import Moments
from manyjudges.panels import PanelNoise, by_judge, panel_noise
from manyjudges.plan import Plan, Step
from manyjudges.predictor import Predictor, fit_predictor
from manyjudges.projection import Choice, ErrorCurve, choose, projected_error
from manyjudges.report import Explorer, Report, explore, report
from manyjudges.search import select
from manyjudges.simulated_panel import SimulatedPanel, simulate_panel
from manyjudges.summary import Reliability, Summary, reliability, summarize
from manyjudges.workers import Independence, independence

__version__ = "0.1.0"

__all__ = [
    "Campaign",
    "CampaignResult",
    "Choice",
    "DataWarning",
    "DatasetError",
    "DocumentError",
    "ErrorCurve",
    "Explorer",
    "Independence",
    "Judgments",
    "JudgmentsError",
    "LabelsError",
    "ManyJudgesError",
    "MissingJudgmentsError",
    "Moments",
    "MomentsError",
    "MultiSelectRegressor",
    "Outlook",
    "PanelNoise",
    "Plan",
    "PlanError",
    "Predictor",
    "Proposal",
    "RecordedJudge",
    "Reliability",
    "Report",
    "Round",
    "SimulatedPanel",
    "Status",
    "Step",
    "StoreError",
    "StudyError",
    "Summary",
    "baseline",
    "by_judge",
    "choose",
    "concerns",
    "datasets",
    "explore",
    "fit_predictor",
    "independence",
    "panel_noise",
    "projected_error",
    "read_judgments",
    "read_labels",
    "reliability",
    "report",
    "run_campaign",
    "select",
    "simulate",
    "simulate_panel",
    "summarize",
]
