"""Which questions to ask about each object, and how many judges to ask each one, for the money you have."""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names
from manyjudges.base.version import __version__ as __version__

if TYPE_CHECKING:
    from manyjudges import datasets as datasets
    from manyjudges import simulate as simulate
    from manyjudges.baselines import baseline as baseline
    from manyjudges.campaigns import CampaignResult as CampaignResult
    from manyjudges.campaigns import run_campaign as run_campaign
    from manyjudges.collection import Campaign as Campaign
    from manyjudges.collection import Outlook as Outlook
    from manyjudges.collection import Proposal as Proposal
    from manyjudges.collection import RecordedJudge as RecordedJudge
    from manyjudges.collection import Round as Round
    from manyjudges.collection import Status as Status
    from manyjudges.diagnosis import concerns as concerns
    from manyjudges.estimators import MultiSelectRegressor as MultiSelectRegressor
    from manyjudges.exceptions import DatasetError as DatasetError
    from manyjudges.exceptions import DataWarning as DataWarning
    from manyjudges.exceptions import DocumentError as DocumentError
    from manyjudges.exceptions import JudgmentsError as JudgmentsError
    from manyjudges.exceptions import LabelsError as LabelsError
    from manyjudges.exceptions import ManyJudgesError as ManyJudgesError
    from manyjudges.exceptions import MissingJudgmentsError as MissingJudgmentsError
    from manyjudges.exceptions import MomentsError as MomentsError
    from manyjudges.exceptions import PlanError as PlanError
    from manyjudges.exceptions import StoreError as StoreError
    from manyjudges.exceptions import StudyError as StudyError
    from manyjudges.files import read_judgments as read_judgments
    from manyjudges.files import read_labels as read_labels
    from manyjudges.judgments import Judgments as Judgments
    from manyjudges.moments import Moments as Moments
    from manyjudges.panels import PanelNoise as PanelNoise
    from manyjudges.panels import by_judge as by_judge
    from manyjudges.panels import panel_noise as panel_noise
    from manyjudges.plan import Plan as Plan
    from manyjudges.plan import Step as Step
    from manyjudges.predictor import Predictor as Predictor
    from manyjudges.predictor import fit_predictor as fit_predictor
    from manyjudges.projection import Choice as Choice
    from manyjudges.projection import ErrorCurve as ErrorCurve
    from manyjudges.projection import choose as choose
    from manyjudges.projection import projected_error as projected_error
    from manyjudges.reports import Explorer as Explorer
    from manyjudges.reports import Report as Report
    from manyjudges.reports import explore as explore
    from manyjudges.reports import report as report
    from manyjudges.scanned_moments import scan_moments as scan_moments
    from manyjudges.search import select as select
    from manyjudges.simulated_panel import SimulatedPanel as SimulatedPanel
    from manyjudges.simulated_panel import simulate_panel as simulate_panel
    from manyjudges.summary import Reliability as Reliability
    from manyjudges.summary import Summary as Summary
    from manyjudges.summary import reliability as reliability
    from manyjudges.summary import summarize as summarize
    from manyjudges.workers import Independence as Independence
    from manyjudges.workers import independence as independence

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "baselines": ["baseline"],
        "campaigns": ["CampaignResult", "run_campaign"],
        "collection": ["Campaign", "Outlook", "Proposal", "RecordedJudge", "Round", "Status"],
        "diagnosis": ["concerns"],
        "estimators": ["MultiSelectRegressor"],
        "exceptions": [
            "DataWarning",
            "DatasetError",
            "DocumentError",
            "JudgmentsError",
            "LabelsError",
            "ManyJudgesError",
            "MissingJudgmentsError",
            "MomentsError",
            "PlanError",
            "StoreError",
            "StudyError",
        ],
        "files": ["read_judgments", "read_labels"],
        "judgments": ["Judgments"],
        "moments": ["Moments"],
        "panels": ["PanelNoise", "by_judge", "panel_noise"],
        "plan": ["Plan", "Step"],
        "predictor": ["Predictor", "fit_predictor"],
        "projection": ["Choice", "ErrorCurve", "choose", "projected_error"],
        "reports": ["Explorer", "Report", "explore", "report"],
        "scanned_moments": ["scan_moments"],
        "search": ["select"],
        "simulated_panel": ["SimulatedPanel", "simulate_panel"],
        "summary": ["Reliability", "Summary", "reliability", "summarize"],
        "workers": ["Independence", "independence"],
    },
    submodules=["datasets", "simulate"],
)
