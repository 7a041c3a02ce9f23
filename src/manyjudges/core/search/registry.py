"""The searches by name, what each of them can do, and :func:`select`, which runs one.

To add a search, write ``search_<name>`` in a module beside this one, say in ``base/methods.py`` what it does, and enter
it in ``SEARCHES``: the choices and the help of the command line, those of a study's file, error messages,
cross-validation and the laws of ``tests/laws/test_search_laws.py`` follow from that. Other rooms ask what a search can
do, never what it is called.
"""

from __future__ import annotations

__all__ = ["DEFAULT", "MOST_JUDGMENTS", "SEARCHES", "SearchMethod", "as_plan", "search_named", "select"]

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.base.messages import quote_value, suggest
from manyjudges.base.methods import DEFAULT_SEARCH, SEARCH_SUMMARIES
from manyjudges.core.bound import upper_bound
from manyjudges.core.budget import as_budget, as_costs, as_max_repeats
from manyjudges.core.estimation import check_taming
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.core.search.branch_and_bound import search_exact
from manyjudges.core.search.exchange import search_exchange
from manyjudges.core.search.greedy import search_full
from manyjudges.core.search.result import Search, SearchResult
from manyjudges.core.search.scoring import search_scoring
from manyjudges.exceptions import PlanError

MOST_JUDGMENTS = 10_000_000
"""Judgments of one object from which on a budget is taken for a typo: a plan lists each of them."""


@dataclass(frozen=True)
class SearchMethod:
    """A search and what it can do.

    Attributes
    ----------
    name : str
        What ``method=`` and ``--method`` call it.
    run : callable
        See :class:`~manyjudges.core.search.result.Search`.
    summary : str
        What it does, for help and documentation: from ``base/methods.py``.
    nested : bool
        At equal costs, the plan for a smaller budget is the beginning of that for a larger one.
    any_backend : bool
        Runs where the moments lie, on a GPU too; for the others they are brought to NumPy.
    anytime : bool
        Takes ``time_limit`` and ``progress``, and returns the best so far when it is stopped.
    in_folds : str, optional
        The search that stands in for it in cross-validation, because it would take too long for every fold.
    tried_by_auto : bool
        Whether choosing by held-out error tries it.
    uses_covariance : bool
        Whether it looks at how attributes vary together; if not, shrinkage changes nothing for it.
    """

    name: str
    run: Search
    summary: str
    nested: bool = False
    any_backend: bool = False
    anytime: bool = False
    in_folds: str | None = None
    tried_by_auto: bool = False
    uses_covariance: bool = True


SEARCHES: dict[str, SearchMethod] = {
    search.name: search
    for search in (
        # Choosing by held-out error tries the first two only. What the others add to Full is mostly chance where
        # moments are estimates: they made the true loss no lower, on simulated crowds of 60 to 500 objects.
        SearchMethod(
            "full",
            search_full,
            SEARCH_SUMMARIES["full"],
            nested=True,
            any_backend=True,
            tried_by_auto=True,
        ),
        SearchMethod(
            "scoring",
            search_scoring,
            SEARCH_SUMMARIES["scoring"],
            nested=True,
            any_backend=True,
            tried_by_auto=True,
            uses_covariance=False,
        ),
        SearchMethod(
            "exchange",
            search_exchange,
            SEARCH_SUMMARIES["exchange"],
        ),
        SearchMethod(
            "exact",
            search_exact,
            SEARCH_SUMMARIES["exact"],
            anytime=True,
            in_folds="exchange",  # which finds nearly the same plan
        ),
    )
}
"""All searches, by name."""

DEFAULT = DEFAULT_SEARCH
"""The search that runs where none is named."""


def search_named(method: str, *others: str) -> SearchMethod:
    """The search of a name, or an error that lists the names, with others that the caller accepts.

    >>> search_named("scoring").nested
    True
    """
    if method == "auto" and not others:
        raise PlanError(
            "'auto' is chosen by the error on held-out objects, which takes judgments: use choose, "
            "MultiSelectRegressor(method='auto'), run_campaign, or manyjudges plan --method auto.",
            value=method,
            column="method",
        )
    if not isinstance(method, str) or method not in SEARCHES:
        names = [*SEARCHES, *others]
        raise PlanError(
            f"there is no method {quote_value(method)}; choose one of {', '.join(names)}.{suggest(method, names)}",
            value=method,
            column="method",
        )
    return SEARCHES[method]


def select(
    moments: Moments,
    budget: float,
    *,
    method: str = DEFAULT,
    costs: Any = None,
    plan_ridge: float = 0.0,
    shrinkage: float = 0.0,
    max_repeats: Any = None,
    time_limit: float | None = None,
    progress: Callable[[float, float, float], None] | None = None,
) -> Plan:
    """Choose how many judgments of each attribute to buy per object.

    Parameters
    ----------
    moments : Moments
        From :meth:`Moments.estimate`.
    budget : float
        The most that one object's judgments may cost.
    method : str
        One of ``SEARCHES``. ``"full"`` buys what explains most for its price, and accounts for attributes that say the
        same; ``"scoring"`` takes attributes to be uncorrelated, so that it relies on far fewer estimates (the paper's
        two algorithms). ``"exchange"`` starts from Full's plan and moves judgments between attributes until no move
        helps; ``"exact"`` proves its plan to be the best for these moments, or says how much is left to prove.
    costs : mapping or array, optional
        Price of one judgment: by attribute (those left out cost 1), or an array in the order of the attributes.
    plan_ridge, shrinkage : float
        See :meth:`Moments.regularized`. What the plan then says about itself is said of the regularized moments.
    max_repeats : mapping or array, optional
        The largest number of judgments of an attribute that can be had for one object, a whole number: by attribute (no
        limit for those left out), or an array in the order of the attributes, with ``inf`` for no limit.
    time_limit : float, optional
        Seconds after which an ``anytime`` search (``"exact"``) returns the best plan so far. Ctrl-C does the same.
    progress : callable, optional
        Called by an ``anytime`` search now and then with what is explained so far, the bound so far, and the seconds
        passed.

    Returns
    -------
    Plan

    Examples
    --------
    >>> from manyjudges import Moments, select, simulate
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    >>> select(moments, budget=12, costs={"number of beans": 2}).repeats
    {'beautiful': 1, 'monochromatic': 1, 'number of beans': 4, 'round jar': 2}
    """
    if not isinstance(moments, Moments):
        raise PlanError(
            f"select needs Moments, not {type(moments).__name__}; make them with Moments.estimate.",
            value=moments,
            column="moments",
        )
    if not moments.attributes:
        raise PlanError("there is no attribute to choose from: these moments are of none.", column="moments")
    search = search_named(method)
    limit, prices = as_budget(budget), as_costs(costs, moments.attributes)
    caps = as_max_repeats(max_repeats, moments.attributes)
    if limit > MOST_JUDGMENTS * prices.min():
        raise PlanError(
            f"a budget of {limit:g} buys more than {MOST_JUDGMENTS:,} judgments of one object at {prices.min():g} "
            "each; a plan is of fewer.",
            value=budget,
            column="budget",
        )
    check_taming(ridge=plan_ridge, shrinkage=shrinkage, ridge_name="plan_ridge")
    tamed = moments.regularized(ridge=plan_ridge, shrinkage=shrinkage)
    if not search.any_backend:
        tamed = tamed.to_numpy()
    if time_limit is not None and not (isinstance(time_limit, int | float | np.number) and time_limit >= 0):
        raise PlanError(
            f"the time limit must be 0 or a positive number of seconds, not {quote_value(time_limit)}.",
            value=time_limit,
            column="time_limit",
        )
    options: dict[str, Any] = {"time_limit": time_limit, "progress": progress} if search.anytime else {}
    result = search.run(tamed, limit, prices, caps, **options)
    plan = as_plan(tamed, result, limit, prices, caps, method)
    return replace(
        plan,
        shrinkage=float(shrinkage),
        plan_ridge=float(plan_ridge),
        max_repeats=None if max_repeats is None else caps,
    )


def as_plan(
    moments: Moments, result: SearchResult, budget: float, costs: Floats, max_repeats: Floats, method: str
) -> Plan:
    """A search's result as a plan that can say how good it is."""
    return Plan(
        attributes=moments.attributes,
        costs=costs,
        budget=budget,
        method=method,
        label_variance=moments.label_variance,
        picks=result.picks,
        path_explained=result.explained,
        proven_bound=result.bound,
        bound_at=partial(upper_bound, moments, costs=costs, max_repeats=max_repeats),
    )
