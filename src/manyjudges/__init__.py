"""Which questions to ask about each object, and how many judges to ask each one, for the money you have.

The names below are loaded on first use. The code lies in rooms, each a package whose docstring says what lives there
and where to add to it: ``base``, ``arrays``, ``core`` (the method) and ``tables``; ``simulate``, ``scan``, ``judges``,
``datasets`` and ``campaign``; ``learn``, ``summary``, ``plots`` and ``reports``; ``study``, ``store``, ``connectors``,
``llm``, ``web`` and ``service``; ``cli``. Each may import the earlier ones only as CONTRIBUTING.md says.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names
from manyjudges.base.version import __version__ as __version__

if TYPE_CHECKING:
    from manyjudges import datasets as datasets
    from manyjudges import simulate as simulate
    from manyjudges.campaign import Campaign as Campaign
    from manyjudges.campaign import RecordedJudge as RecordedJudge
    from manyjudges.core.moments import Moments as Moments
    from manyjudges.core.plan import Plan as Plan
    from manyjudges.core.search.registry import select as select
    from manyjudges.exceptions import DataWarning as DataWarning
    from manyjudges.exceptions import ManyJudgesError as ManyJudgesError
    from manyjudges.learn.answering import answer as answer
    from manyjudges.learn.baselines import baseline as baseline
    from manyjudges.learn.campaigns import run_campaign as run_campaign
    from manyjudges.learn.choice import choose as choose
    from manyjudges.learn.error_curve import projected_error as projected_error
    from manyjudges.learn.estimators import MultiSelectRegressor as MultiSelectRegressor
    from manyjudges.learn.fitting import fit_predictor as fit_predictor
    from manyjudges.learn.predictor import Predictor as Predictor
    from manyjudges.reports import report as report
    from manyjudges.scan.moments import scan_moments as scan_moments
    from manyjudges.summary import summarize as summarize
    from manyjudges.tables.files import read_labels as read_labels
    from manyjudges.tables.judgments import Judgments as Judgments
    from manyjudges.tables.reading.table import read_judgments as read_judgments

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "campaign": ["Campaign", "RecordedJudge"],
        "core.moments": ["Moments"],
        "core.plan": ["Plan"],
        "core.search.registry": ["select"],
        "exceptions": ["DataWarning", "ManyJudgesError"],
        "learn.answering": ["answer"],
        "learn.baselines": ["baseline"],
        "learn.campaigns": ["run_campaign"],
        "learn.choice": ["choose"],
        "learn.error_curve": ["projected_error"],
        "learn.estimators": ["MultiSelectRegressor"],
        "learn.fitting": ["fit_predictor"],
        "learn.predictor": ["Predictor"],
        "reports": ["report"],
        "scan.moments": ["scan_moments"],
        "summary": ["summarize"],
        "tables.files": ["read_labels"],
        "tables.judgments": ["Judgments"],
        "tables.reading.table": ["read_judgments"],
    },
    submodules=["datasets", "simulate"],
)
