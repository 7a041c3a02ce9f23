"""Learning: honest error, the choice of a method, predictors, estimators and campaigns.

The only room that knows both tables and mathematics; imported by ``summary`` and the rooms above it.

- ``training_data`` reads a table and matches it with its labels, once; everything else here is given what it made.
- ``answers`` makes the answer, which everything else shows parts of: what to buy, the error to expect, warnings.
- ``inference/`` holds some objects out, and ``comparison`` compares ways to plan by what they lose on them; ``choice``
  takes one of them, ``error_curve`` looks at several budgets, and ``budgets`` at those around one.
- ``labels/`` says what the loss is; labels are numbers so far.
- ``fitting`` fits a ``predictor``, by one of the methods in ``predictors/``, where a new one has its file.
- ``checks/`` looks for what speaks against relying on the data.
- ``answering`` answers with a plan for prices, a budget or a total; ``costs/`` reads these and makes the bill.
- ``planner`` plans from what has been judged, ``campaigns`` buys and plans again.
- ``preparation/`` decides what is done to judgments before they are averaged.
- ``wording/`` says in plain words what an answer comes to, and how it was decided.
- ``search_capabilities`` asks the registry of searches what each can do.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.learn.answering import answer as answer
    from manyjudges.learn.answers import Answer as Answer
    from manyjudges.learn.baselines import baseline as baseline
    from manyjudges.learn.budgets import BudgetCurve as BudgetCurve
    from manyjudges.learn.budgets import budget_curve as budget_curve
    from manyjudges.learn.campaigns import CampaignResult as CampaignResult
    from manyjudges.learn.campaigns import run_campaign as run_campaign
    from manyjudges.learn.checks.registry import check_data as check_data
    from manyjudges.learn.choice import choose as choose
    from manyjudges.learn.comparison import Choice as Choice
    from manyjudges.learn.costs.bill import Bill as Bill
    from manyjudges.learn.costs.bill import BillItem as BillItem
    from manyjudges.learn.error_curve import ErrorCurve as ErrorCurve
    from manyjudges.learn.error_curve import projected_error as projected_error
    from manyjudges.learn.estimators import MultiSelectRegressor as MultiSelectRegressor
    from manyjudges.learn.fitting import fit_predictor as fit_predictor
    from manyjudges.learn.predictor import Predictor as Predictor
    from manyjudges.learn.training_data import TrainingData as TrainingData
    from manyjudges.learn.training_data import load_training_data as load_training_data

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "answering": ["answer"],
        "answers": ["Answer"],
        "baselines": ["baseline"],
        "budgets": ["BudgetCurve", "budget_curve"],
        "costs.bill": ["Bill", "BillItem"],
        "campaigns": ["CampaignResult", "run_campaign"],
        "choice": ["choose"],
        "checks.registry": ["check_data"],
        "comparison": ["Choice"],
        "error_curve": ["ErrorCurve", "projected_error"],
        "estimators": ["MultiSelectRegressor"],
        "fitting": ["fit_predictor"],
        "predictor": ["Predictor"],
        "training_data": ["TrainingData", "load_training_data"],
    },
)
