"""Searches for the plan that explains most, one file each, behind one registry.

``greedy`` (full), ``scoring`` (with ``knapsack``), ``exchange``, ``branch_and_bound`` (exact, with ``box_bounds``);
``result`` has what all of them give back, and ``registry`` their names, what each can do, and ``select``.

A search takes moments and a budget, and knows no table. To add one, write ``search_<name>`` in a module beside these
and enter it in ``registry.SEARCHES``; the laws in ``tests/laws/test_search_laws.py`` then run on it.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.core.search.branch_and_bound import search_exact as search_exact
    from manyjudges.core.search.exchange import search_exchange as search_exchange
    from manyjudges.core.search.greedy import search_full as search_full
    from manyjudges.core.search.registry import SEARCHES as SEARCHES
    from manyjudges.core.search.registry import SearchMethod as SearchMethod
    from manyjudges.core.search.registry import as_plan as as_plan
    from manyjudges.core.search.registry import search_named as search_named
    from manyjudges.core.search.registry import select as select
    from manyjudges.core.search.result import Search as Search
    from manyjudges.core.search.result import SearchResult as SearchResult
    from manyjudges.core.search.scoring import search_scoring as search_scoring

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "branch_and_bound": ["search_exact"],
        "exchange": ["search_exchange"],
        "greedy": ["search_full"],
        "registry": ["SEARCHES", "SearchMethod", "as_plan", "search_named", "select"],
        "result": ["Search", "SearchResult"],
        "scoring": ["search_scoring"],
    },
)
