"""The names of searches and predictors, and what each does.

They stand below the mathematics, because help comes before any library is loaded, and because rooms that know no
mathematics read a study's file. ``core/search/registry.py`` and ``learn/predictors/registry.py`` say what runs under
each name, and what it can do; a name without an entry there, or the other way round, fails a test.
"""

from __future__ import annotations

__all__ = [
    "ANYTIME_SEARCHES",
    "CURVE_SEARCHES",
    "DEFAULT_PREDICTOR",
    "DEFAULT_SEARCH",
    "PREDICTOR_SUMMARIES",
    "RESCALINGS",
    "RIDGE_PREDICTORS",
    "SEARCH_SUMMARIES",
    "STUDY_SEARCHES",
    "WORKER_EFFECTS",
    "described",
]

from collections.abc import Mapping

SEARCH_SUMMARIES: Mapping[str, str] = {
    "full": "buys what explains most for its price, and accounts for attributes that say the same",
    "scoring": "takes attributes to be uncorrelated, so that it relies on far fewer estimates",
    "exchange": "starts from Full's plan and moves judgments between attributes until no move helps",
    "exact": "proves its plan to be the best for these moments, or says how much is left to prove",
}
"""All searches, by name: what each does, to go on after its name."""

DEFAULT_SEARCH = "full"
"""The search that runs where none is named."""

CURVE_SEARCHES = ("scoring", "full")
"""The paper's two algorithms, which every error curve compares."""

_LONG_SEARCHES = ("exact",)
"""Those that can take hours: no study's server plans by them, and in cross-validation others stand in for them."""

ANYTIME_SEARCHES = ("exact",)
"""Those that can be stopped, and then return the best plan so far."""

STUDY_SEARCHES = tuple(name for name in SEARCH_SUMMARIES if name not in _LONG_SEARCHES)
"""Searches by which a study may plan."""

PREDICTOR_SUMMARIES: Mapping[str, str] = {
    "best_linear": "weighs every judgment there is, however many there are",
    "curved": "adds to it what a straight line misses, learned by a kernel and a forest",
    "least_squares": "fits least squares to the means of exactly as many judgments as planned (the paper's step 4)",
}
"""All predictors, by name: what each does, to go on after its name."""

RIDGE_PREDICTORS = ("best_linear", "curved")
"""Those whose coefficients a ridge can tame."""

RESCALINGS = ("none", "root", "log")
"""What ratings may be turned into before they are averaged, the simplest first."""

WORKER_EFFECTS = ("none", "random", "fixed")
"""How the effects of workers may be estimated that are taken off their judgments, the simplest first."""

DEFAULT_PREDICTOR = "auto"
"""The predictor unless another is asked for: the best linear one, which is equal to least squares or up to 3 % better
on five recorded crowds and 2 to 5 % better at 100 simulated objects, and a curve where held-out objects say so."""


def described(summaries: Mapping[str, str]) -> str:
    """Names with what each does, as one text for help.

    >>> described({"full": "buys more", "exact": "proves it"})
    'full buys more; exact proves it'
    """
    return "; ".join(f"{name} {summary}" for name, summary in summaries.items())
