"""Answering: what to buy for each object, from whatever holds judgments, for prices and a budget or a total."""

from __future__ import annotations

__all__ = ["answer", "answer_for", "settle"]

import os
from collections.abc import Collection
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

from manyjudges.arrays.types import Floats
from manyjudges.base.progress import Progress
from manyjudges.base.seeds import generator
from manyjudges.core.plan import Plan
from manyjudges.core.search.registry import DEFAULT, select
from manyjudges.learn.answers import Answer, answer_of
from manyjudges.learn.checks.registry import as_codes, raise_stops
from manyjudges.learn.comparison import AUTO, candidates
from manyjudges.learn.costs.availability import recorded_caps
from manyjudges.learn.costs.terms import Terms, largest_budget
from manyjudges.learn.inference.cross_validation import check_options
from manyjudges.learn.preparation.trials import PreparationOptions
from manyjudges.learn.training_data import TrainingData, load_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.reading.options import ReadKeywords


def answer(
    judgments: Any,
    labels: Any = None,
    budget: float | str | None = None,
    *,
    total: float | str | None = None,
    new: int | None = None,
    price: float | str | None = None,
    costs: Any = None,
    currency: str = "",
    max_repeats: Any = None,
    recorded: bool = False,
    method: str = AUTO,
    shrinkage: float | str = AUTO,
    plan_ridge: float = 0.0,
    rescale: str = AUTO,
    worker_effects: str = AUTO,
    joint_moments: bool | str = AUTO,
    predictor: str = AUTO,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    cv: int = 5,
    cv_repeats: int = 3,
    random_state: int | None = 0,
    mute: Collection[str] = (),
    error: bool = True,
    time_limit: float | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
    memory_limit: str | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    **reading: Unpack[ReadKeywords],
) -> Answer:
    """Say what to buy for each object, what it costs, and what error to expect then.

    Parameters
    ----------
    judgments : Judgments, path, frame or mapping
        What has been collected.
    labels : Series, mapping, array, path or name of a column
        By object.
    budget : float or str
        The most that one object's judgments may cost: a number, or a text such as ``"$2"``.
    total : float or str
        Instead of a budget, the most that all judgments may cost which the bill lists: those that the labelled objects
        at hand lack, and those of the ``new`` ones. The budget is the largest one found whose bill is within it.
    new : int, optional
        How many objects are to be judged that nobody has judged, for the bill and the total.
    price : float or str
        Of one judgment (default: 1).
    costs : mapping or array, optional
        Of one judgment of each attribute, where that is not ``price``.
    currency : str
        Code or sign, such as ``"EUR"``, where no amount names one; without any, amounts are in units.
    max_repeats : mapping or array, optional
        As for :func:`select`.
    recorded : bool
        Whether no more can be had than was recorded, so that a plan asks for at most as many judgments of an attribute
        as half of the objects have.
    method : str
        As for :func:`select`, or ``"auto"`` (default) for the one with the lowest error on held-out objects.
    shrinkage : float or "auto"
        How far to shrink correlations between attributes, from 0 to 1. ``"auto"`` (default) takes the amount with the
        lowest error on held-out objects, and a ridge for the predictor along with it.
    plan_ridge : float
        See :meth:`Moments.regularized`.
    rescale : {"auto", "none", "root", "log"}
        On which scale judgments of skewed ratings are averaged. ``"auto"`` (default), here and for the next three,
        does what held-out objects say with the method ``"auto"``, and nothing with a method by its name.
    worker_effects : {"auto", "none", "random", "fixed"}
        Whether judgments are corrected by how much higher or lower than others their workers judge, and how that is
        estimated.
    joint_moments : {"auto", True, False}
        Whether the moments of attributes and label are estimated together.
    predictor : {"auto", "best_linear", "curved", "least_squares"}
        See :func:`fit_predictor`.
    noiseless : collection of str
        Attributes that are measured without error.
    unmatched : {"error", "drop"}
        What to do about objects without a label and labels of unknown objects.
    cv, cv_repeats, random_state, executor
        Of the folds; as for :func:`projected_error`.
    mute : collection of str
        Codes of checks to leave out, such as ``("MJ103",)``; see :func:`check_data`.
    error : bool
        Whether to estimate the error. Without it, ``"auto"`` stands for the method Full without shrinkage.
    time_limit : float, optional
        As for :func:`select`.
    progress : callable, optional
        Called with how many steps are done and how many there are.
    memory_limit, temp_dir, **reading
        As for :func:`projected_error`: how to read judgments that are not a :class:`Judgments` yet.

    Returns
    -------
    Answer

    Examples
    --------
    >>> from manyjudges import answer, simulate
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> found = answer(crowd.pilot(2), crowd.labels, "$0.40", price="$0.05", new=5000)
    >>> found.plan.repeats
    {'monochromatic': 1, 'number of beans': 6, 'round jar': 1}
    >>> print(found.sentence.split(". ")[1])
    Expect to be off by about 209 (184 to 238); guessing the mean would be off by 311.
    >>> round(found.explained, 2)
    0.55
    >>> print(found.bill.headline.split(". ")[-2])
    5,000 new objects take 40,000 judgments for $2,000.00
    """
    as_codes(mute)
    check_options(cv, cv_repeats, executor)
    candidates(method, shrinkage, plan_ridge)
    prepared = PreparationOptions(rescale, worker_effects, joint_moments, predictor)
    terms = Terms.of(budget, total=total, new=new, price=price, costs=costs, currency=currency)
    rng = generator(random_state)
    options = ScanOptions.of(unmatched=unmatched, memory_limit=memory_limit, temp_dir=temp_dir, **reading)
    data = load_training_data(judgments, labels, options, noiseless=noiseless, cv=int(cv), rng=rng, progress=progress)
    return answer_for(
        data,
        terms,
        max_repeats=max_repeats,
        recorded=recorded,
        method=method,
        shrinkage=shrinkage,
        plan_ridge=plan_ridge,
        cv=cv,
        cv_repeats=cv_repeats,
        random_state=random_state,
        mute=mute,
        error=error,
        time_limit=time_limit,
        progress=progress,
        executor=executor,
        options=prepared,
    )


class Settled(NamedTuple):
    """What terms come to for a table.

    Attributes
    ----------
    budget : float
        Per object.
    options : dict
        Of :func:`answer_of`: costs, caps, currency, how many new objects; and the way to plan, where only that one is
        within the total.
    notes : tuple of str
        What to say of it.
    """

    budget: float
    options: dict[str, Any]
    notes: tuple[str, ...] = ()


def answer_for(
    data: TrainingData, terms: Terms, *, max_repeats: Any = None, recorded: bool = False, **options: Any
) -> Answer:
    """:func:`answer` of a table that has been read.

    Parameters
    ----------
    data : TrainingData
    terms : Terms
    max_repeats, recorded
        As for :func:`answer`.
    **options
        Of :func:`answer_of`, but for what the terms say.
    """
    settled, found = _settled(data, terms, max_repeats, recorded, options)
    if found is None:
        found = answer_of(data, settled.budget, **(options | settled.options))
    return replace(found, notes=(*settled.notes, *found.notes))


def settle(
    data: TrainingData, terms: Terms, *, max_repeats: Any = None, recorded: bool = False, **options: Any
) -> Settled:
    """The budget per object that terms come to, and all else that :func:`answer_of` needs of them.

    Parameters
    ----------
    data, terms, max_repeats, recorded, **options
        As for :func:`answer_for`.
    """
    return _settled(data, terms, max_repeats, recorded, options)[0]


def _settled(
    data: TrainingData, terms: Terms, max_repeats: Any, recorded: bool, options: dict[str, Any]
) -> tuple[Settled, Answer | None]:
    """What terms come to, and the answer where it had to be made for that."""
    costs = terms.costs_of(data.attributes)
    limits = {"costs": costs, "max_repeats": recorded_caps(data, max_repeats) if recorded else max_repeats}
    fixed = limits | {"currency": terms.currency, "new": terms.new}
    if terms.budget is not None:
        return Settled(terms.budget, fixed), None
    raise_stops(data, mute=options.get("mute", ()))  # before anything is computed
    limits["plan_ridge"] = options.get("plan_ridge", 0.0)
    shrinkage = options.get("shrinkage", AUTO)
    first = {"method": DEFAULT, "shrinkage": 0.0 if shrinkage == AUTO else shrinkage}
    # Which way to plan is best depends on the budget, and which budget the total allows on the way to plan.
    way: dict[str, Any] = {}
    budget = _budget_within(data, terms, costs, first | limits)
    found = answer_of(data, budget, **(options | fixed))
    for way_to_try in ({"method": found.method, "shrinkage": found.shrinkage}, first):
        if terms.within_total(found.plan, data.lacking(found.plan)["cost"]):
            break
        way = way_to_try
        budget = _budget_within(data, terms, costs, way | limits)
        found = answer_of(data, budget, **(options | fixed | way))
    return Settled(budget, fixed | way, (terms.covered(data.n_objects, budget),)), found


def _budget_within(data: TrainingData, terms: Terms, costs: Floats, way: dict[str, Any]) -> float:
    """The largest budget whose plan, made in one way, is within the total."""

    def fits(plan: Plan) -> bool:
        return terms.within_total(plan, data.lacking(plan)["cost"])

    return largest_budget(lambda budget: select(data.moments, budget, **way), fits, costs)
