"""Which questions to ask about each object, and how many judges to ask each one, for the money you have."""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names
from manyjudges.base.version import __version__ as __version__

if TYPE_CHECKING:
    from manyjudges import datasets as datasets
    from manyjudges import simulate as simulate
    from manyjudges.campaign import Campaign as Campaign
    from manyjudges.campaign import Outlook as Outlook
    from manyjudges.campaign import Proposal as Proposal
    from manyjudges.campaign import RecordedJudge as RecordedJudge
    from manyjudges.campaign import Round as Round
    from manyjudges.campaign import Status as Status
    from manyjudges.core.moments import Moments as Moments
    from manyjudges.core.plan import Plan as Plan
    from manyjudges.core.plan import PlanStep as PlanStep
    from manyjudges.core.search.registry import select as select
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
    from manyjudges.judges.dependence import Independence as Independence
    from manyjudges.judges.dependence import check_independence as check_independence
    from manyjudges.judges.panel import PanelVariance as PanelVariance
    from manyjudges.judges.panel import panel_variance as panel_variance
    from manyjudges.learn.baselines import baseline as baseline
    from manyjudges.learn.campaigns import CampaignResult as CampaignResult
    from manyjudges.learn.campaigns import run_campaign as run_campaign
    from manyjudges.learn.checks import check_data as check_data
    from manyjudges.learn.choice import Choice as Choice
    from manyjudges.learn.choice import choose as choose
    from manyjudges.learn.error_curve import ErrorCurve as ErrorCurve
    from manyjudges.learn.error_curve import projected_error as projected_error
    from manyjudges.learn.estimators import MultiSelectRegressor as MultiSelectRegressor
    from manyjudges.learn.predictor import Predictor as Predictor
    from manyjudges.learn.predictor import fit_predictor as fit_predictor
    from manyjudges.reports import Explorer as Explorer
    from manyjudges.reports import Report as Report
    from manyjudges.reports import explore as explore
    from manyjudges.reports import report as report
    from manyjudges.scan.moments import scan_moments as scan_moments
    from manyjudges.simulate.panel import SimulatedPanel as SimulatedPanel
    from manyjudges.simulate.panel import simulate_panel as simulate_panel
    from manyjudges.summary import Reliability as Reliability
    from manyjudges.summary import Summary as Summary
    from manyjudges.summary import reliability as reliability
    from manyjudges.summary import summarize as summarize
    from manyjudges.tables.files import read_judgments as read_judgments
    from manyjudges.tables.files import read_labels as read_labels
    from manyjudges.tables.judge_columns import by_judge as by_judge
    from manyjudges.tables.judgments import Judgments as Judgments

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "campaign": ["Campaign", "Outlook", "Proposal", "RecordedJudge", "Round", "Status"],
        "core.moments": ["Moments"],
        "core.plan": ["Plan", "PlanStep"],
        "core.search.registry": ["select"],
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
        "judges.dependence": ["Independence", "check_independence"],
        "judges.panel": ["PanelVariance", "by_judge", "panel_variance"],
        "learn.baselines": ["baseline"],
        "learn.checks": ["check_data"],
        "learn.campaigns": ["CampaignResult", "run_campaign"],
        "learn.choice": ["Choice", "choose"],
        "learn.error_curve": ["ErrorCurve", "projected_error"],
        "learn.estimators": ["MultiSelectRegressor"],
        "learn.predictor": ["Predictor", "fit_predictor"],
        "reports": ["Explorer", "Report", "explore", "report"],
        "scan.moments": ["scan_moments"],
        "simulate.panel": ["SimulatedPanel", "simulate_panel"],
        "summary": ["Reliability", "Summary", "reliability", "summarize"],
        "tables.files": ["read_judgments", "read_labels"],
        "tables.judgments": ["Judgments"],
    },
    submodules=["datasets", "simulate"],
)
