"""The method: moments, searches, plans and bounds. Arrays in, frozen results out.

``moments`` and ``estimation``, ``psd`` (the nearest positive semi-definite matrix), ``objective`` (what a plan
explains), ``plan``, ``bound``, ``budget`` (budgets, costs and limits, checked: all that ``study`` and ``store``
need), and ``search`` (the ways to a plan).

Knows no tables: what it needs of one it states as a protocol. A line with Σ or a solve belongs here; a loop until a
budget is spent belongs to ``core.search``.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.core.bound import upper_bound as upper_bound
    from manyjudges.core.budget import as_budget as as_budget
    from manyjudges.core.budget import as_costs as as_costs
    from manyjudges.core.budget import as_max_repeats as as_max_repeats
    from manyjudges.core.moments import Moments as Moments
    from manyjudges.core.objective import Posterior as Posterior
    from manyjudges.core.objective import expected_loss as expected_loss
    from manyjudges.core.objective import explained as explained
    from manyjudges.core.objective import weights as weights
    from manyjudges.core.plan import Plan as Plan
    from manyjudges.core.plan import PlanStep as PlanStep
    from manyjudges.core.psd import nearest_psd as nearest_psd
    from manyjudges.core.search.registry import SEARCHES as SEARCHES
    from manyjudges.core.search.registry import SearchMethod as SearchMethod
    from manyjudges.core.search.registry import select as select

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "bound": ["upper_bound"],
        "budget": ["as_budget", "as_costs", "as_max_repeats"],
        "moments": ["Moments"],
        "objective": ["Posterior", "expected_loss", "explained", "weights"],
        "plan": ["Plan", "PlanStep"],
        "psd": ["nearest_psd"],
        "search.registry": ["SEARCHES", "SearchMethod", "select"],
    },
)
