"""Expected loss: from the held-out losses of many candidates to the error of the one taken, and how sure that is.

Three things stand between a cross-validated loss and the error of the model that one gets. The best of many candidates
looks better than it is. Folds learn from fewer objects than the model does. And the error of one's own model is not the
mean over models: it varies with the objects that one happens to have.
"""

from __future__ import annotations

__all__ = ["expected_loss_of"]

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.learn.inference.cross_validation import Validation, simplest_good

_DRAWS = 200
"""Bootstrap samples of the parts. Twice as many changed losses by less than a tenth of their standard errors."""

_SPREAD_OF_EXCESS = 0.7
"""By how much the excess error of one's own model varies around its mean, as a share of it.

On simulated crowds of 60, 120 and 250 objects with 30 attributes it was 0.8, 0.7 and 0.6 (``benchmarks/trust.py``)."""


def expected_loss_of(
    validation: Validation, candidates: Integers, column: int, *, after_refit: bool, cv: int
) -> tuple[float, float]:
    """Squared error to expect of what is taken from some candidates at one of the budgets, and its standard error.

    The bias from taking the best is removed by a bootstrap over parts of the objects: the choice is made in each
    sample, and the loss is that on the parts which are not in it (BBC-CV; Tsamardinos, Greasidou and Borboudakis,
    2018).

    Parameters
    ----------
    validation : Validation
    candidates : array of int
        Their positions, the simplest first.
    column : int
        The budget, by position.
    after_refit : bool
        Whether candidates are compared by their loss after more judgments have been bought.
    cv : int
        Folds.
    """
    losses, sizes = validation.losses[candidates, column], validation.sizes
    promised = validation.promised[candidates, column]
    mean = losses.sum(axis=1) / sizes.sum()
    taken = simplest_good((mean + promised) / 2 if after_refit else mean)
    loss = float(mean[taken])
    if len(candidates) > 1 and len(sizes) > 2:
        loss += _optimism(losses, promised if after_refit else None, sizes, taken)
    # Weights and plans from n objects lose more than the best ones by an excess that shrinks as 1/n. Held-out objects
    # see the loss with this excess, their own objects that without it twice (``Validation.loss_after_refit``); and
    # folds have (1 - 1/cv) n objects, so that their excess is cv/(cv - 1) times that of the model.
    excess = max(loss - float(promised[taken]), 0.0) / 2
    expected = max(loss - excess / cv, 0.0)
    own = float(validation.std_error[candidates[taken], column])
    return expected, float(np.hypot(own, _SPREAD_OF_EXCESS * excess * (1 - 1 / cv)))


def _optimism(losses: Floats, promised: Floats | None, sizes: Integers, taken: int) -> float:
    """How much more is lost, on parts outside of bootstrap samples, by what is taken by the parts inside.

    More than by what is taken by all parts: where that is the same each time, there is nothing to remove.
    """
    # Of its own, and the same each time: the choice among candidates does not depend on it.
    rng, n = np.random.default_rng(0), len(sizes)
    found = []
    for _ in range(_DRAWS):
        drawn = np.bincount(rng.integers(n, size=n), minlength=n)
        out = drawn == 0
        if not out.any():
            continue
        inside = losses @ drawn / (sizes @ drawn)
        best = simplest_good(inside if promised is None else (inside + promised) / 2)
        found.append((losses[best, out] - losses[taken, out]).sum() / sizes[out].sum())
    return float(np.mean(found))
