"""Cross-validation: the loss of plans and predictors on objects that had no part in them.

A plan's own projected loss is optimistic, since the plan was chosen by it. The mean of ℓ_r (``learn.labels.number``)
over objects that had no part in the plan and the weights is an honest one. It is a quadratic form in sums over those
objects, so that a table is summed up once, in parts, and every fold is put together from sums.
"""

from __future__ import annotations

__all__ = ["Candidate", "PlanCache", "fewest_objects"]

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.formatting import plural
from manyjudges.base.messages import quote_value
from manyjudges.base.progress import Progress
from manyjudges.core.budget import as_costs
from manyjudges.core.moments import Moments
from manyjudges.core.objective import weights
from manyjudges.core.plan import Plan
from manyjudges.core.search.registry import select
from manyjudges.exceptions import ManyJudgesError, PlanError
from manyjudges.learn import search_capabilities
from manyjudges.learn.inference.fold_sums import Fold, FoldSums


class Candidate(NamedTuple):
    """A way to plan and predict: a method, how the covariance is tamed for it, and the ridge of the predictor.

    ``prepared`` says whether it is one from judgments and moments as ``"auto"`` prepares them.
    """

    method: str
    shrinkage: float = 0.0
    plan_ridge: float = 0.0
    predictor_ridge: float = 0.0
    prepared: bool = False

    @property
    def planning(self) -> tuple[str, float, float]:
        """What the plan depends on."""
        return self[:3]


@dataclass(frozen=True, eq=False)
class Validation:
    """Held-out losses of candidates and budgets, by part."""

    candidates: tuple[Candidate, ...]
    budgets: tuple[float, ...]
    sizes: Integers  # (parts,): objects
    losses: Floats  # (candidates, budgets, parts): mean over repetitions of the summed loss
    promised: Floats  # (candidates, budgets): mean over folds of what the moments promised, not below 0
    baseline: Floats  # (parts,): mean over repetitions of the summed loss of guessing the mean of the other folds

    @property
    def loss(self) -> Floats:
        """Mean loss of each candidate at each budget."""
        # ℓ_r summed over all objects, by their number: each counts once, in whichever part it lies.
        return np.asarray(self.losses.sum(axis=2) / self.sizes.sum())

    @property
    def baseline_loss(self) -> float:
        """Mean loss of always guessing the label's mean of the other folds."""
        return float(self.baseline.sum() / self.sizes.sum())

    @property
    def loss_after_refit(self) -> Floats:
        """The same when what a plan asks for has been bought and its weights are fitted anew, to more judgments.

        Weights w from n objects differ from the best ones w* by some δ, and the loss is quadratic about w*. On new
        objects it is loss(w*) + E δᵀMδ. On their own objects, which they minimize, they look better than w* by as
        much: loss(w*) - E δᵀMδ, to first order in 1/n. So the best weights lose what lies half way, and weights from
        far more judgments lose hardly more than that.
        """
        return np.asarray((self.loss + self.promised) / 2)

    @property
    def std_error(self) -> Floats:
        """Standard error of the loss, from how much parts differ."""
        n, parts = self.sizes.sum(), len(self.sizes)
        away = self.losses - self.losses.sum(axis=2, keepdims=True) * (self.sizes / n)
        # Parts are of disjoint objects and stand for independent draws: √(P/(P - 1) Σ (loss of a part - its share of
        # the total by size)²) / n. They are not quite that: folds train on mostly the same objects, which no difference
        # between parts shows.
        return np.asarray(np.sqrt((away**2).sum(axis=2) * parts / max(parts - 1, 1)) / n)


def joined(validations: Sequence[Validation]) -> Validation:
    """Several validations on the same folds as one, their candidates one after the other's."""
    first = validations[0]
    return replace(
        first,
        candidates=tuple(chain.from_iterable(each.candidates for each in validations)),
        losses=np.concatenate([each.losses for each in validations]),
        promised=np.concatenate([each.promised for each in validations]),
    )


def validate(
    parts: FoldSums,
    candidates: Sequence[Candidate],
    budgets: Sequence[float],
    *,
    costs: Any = None,
    max_repeats: Any = None,
    cv: int,
    cv_repeats: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Validation:
    """Plan on all folds but one, predict the one, for every candidate and budget; and so on, with other folds."""
    losses = np.zeros((len(candidates), len(budgets), len(parts.sums)))
    promised, baseline = np.zeros(losses.shape[:2]), np.zeros(len(parts.sums))
    # All splits are drawn before any is computed, and added up in that order: wherever they are, chance is the same.
    splits = [parts.splits(cv, rng) for _ in range(cv_repeats)]
    work = partial(
        _fold_losses, candidates=tuple(candidates), budgets=tuple(budgets), costs=costs, max_repeats=max_repeats
    )
    ticks = _Ticks(progress, cv_repeats * cv * len(candidates))
    folds = chain.from_iterable(map(parts.folds, splits))
    results = map(partial(work, tick=ticks), folds) if executor is None else _elsewhere(executor, work, folds)
    for held_out, (loss, promise, guessing) in zip(chain.from_iterable(splits), results, strict=True):
        losses[:, :, held_out] += loss
        promised += promise / cv
        baseline[held_out] += guessing
        if executor is not None:
            ticks(len(candidates))
    # Each repetition holds out every object once, so that a part's mean over repetitions is a loss of its objects once.
    sizes = np.array([part.n_objects for part in parts.sums])
    means = (each / cv_repeats for each in (losses, promised, baseline))
    return Validation(tuple(candidates), tuple(budgets), sizes, *means)


def check_options(cv: Any, cv_repeats: Any = 1, executor: Any = None) -> None:
    """Refuse numbers of folds and of repetitions that cannot be, and what cannot be handed folds."""
    for name, value, least in (("cv", cv, 2), ("cv_repeats", cv_repeats, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise PlanError(
                f"{name} must be a whole number of {least} or more, not {quote_value(value)}.", value=value, column=name
            )
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise PlanError(
            "executor must have a method submit, as concurrent.futures.ProcessPoolExecutor() and, on a cluster, dask's "
            f"client.get_executor() have; it is {quote_value(executor)}.",
            value=executor,
            column="executor",
        )


_FEWEST = 10
"""Labelled objects below which none are held out: with 2 in a fold, the error of 8 others says nothing. No benchmark
sets it; plans of dozens of objects are already doubtful (MJ101)."""


def fewest_objects(cv: int) -> int:
    """Objects that it takes for an answer with a held-out error.

    >>> fewest_objects(2), fewest_objects(5), fewest_objects(20)
    (4, 10, 20)
    """
    return max(cv, min(2 * cv, _FEWEST))


def check_can_hold_out(n_objects: int, cv: int) -> None:
    """Refuse to estimate the error of an answer from fewer objects than that takes."""
    check_enough_objects(n_objects, cv)
    if n_objects < (least := fewest_objects(cv)):
        raise PlanError(
            f"{n_objects} labelled objects are too few to estimate an error: it takes {least} or more with cv={cv}.",
            value=cv,
            column="cv",
        )


def check_enough_objects(n_objects: int, cv: int) -> None:
    """Refuse to make more folds than there are objects."""
    if n_objects < cv:
        raise PlanError(
            f"{plural(n_objects, 'object')} cannot be split into cv={cv} folds; label more objects or use fewer folds.",
            value=cv,
            column="cv",
        )


def _fold_losses(
    fold: Fold,
    *,
    candidates: Sequence[Candidate],
    budgets: Sequence[float],
    costs: Any = None,
    max_repeats: Any = None,
    tick: Callable[[], None] | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Losses of (candidates, budgets, held-out parts), what was promised of (candidates, budgets), and the baseline.

    The promise is that of the moments, and the baseline the loss of guessing the mean, of each held-out part.
    """
    trained = fold.trained()
    losses = np.zeros((len(candidates), len(budgets), len(fold.tests)))
    promised = np.zeros(losses.shape[:2])
    made = PlanCache(trained, budgets, costs, max_repeats)
    # Amounts of shrinkage often lead to the same plan, which then loses the same with the same ridge.
    known: dict[tuple[float, bytes], tuple[Floats, float]] = {}
    for c, candidate in enumerate(candidates):
        # The plan's shrinkage is not the predictor's: what helps the choice can hurt the prediction (figure skating:
        # test error .566 without shrinkage, .590 with it).
        tamed = trained.regularized(ridge=candidate.predictor_ridge)
        for b, plan in enumerate(made.plans(candidate)):
            repeats = plan.to_array()
            key = (candidate.predictor_ridge, repeats.tobytes())
            if key not in known:
                w = weights(tamed, repeats)
                # Var[Y] - b'w, which is below zero where the sample is too small; no loss is.
                promise = max(trained.label_variance - float(trained.cross @ w), 0.0)
                known[key] = fold.losses(trained, w, repeats), promise
            losses[c, b], promised[c, b] = known[key]
        if tick is not None:
            tick()
    nothing = np.zeros(len(fold.attributes))
    return losses, promised, fold.losses(trained, nothing, nothing.astype(np.int64))


def _elsewhere(executor: Executor, work: Callable[[Fold], Any], folds: Iterable[Fold]) -> Iterator[Any]:
    """Results in the order of the folds; when one of them fails, the others need not begin."""
    futures: list[Future[Any]] = []
    try:
        futures.extend(_submitted(executor, work, fold) for fold in folds)
        for future in futures:
            yield future.result()
    except (BrokenExecutor, CancelledError) as error:
        raise ManyJudgesError(
            f"the executor broke down while folds were computed ({_first_line(error)}). Make a new one, with fewer "
            "workers if a process was killed for want of memory; or leave executor= out.",
            column="executor",
        ) from None
    finally:
        for future in futures:
            future.cancel()


def _submitted(executor: Executor, work: Callable[[Fold], Any], fold: Fold) -> Future[Any]:
    try:
        return executor.submit(work, fold)
    except BrokenExecutor:
        raise
    except RuntimeError as error:  # so does one that was shut down say no; what goes wrong in a fold comes later
        raise PlanError(
            f"the executor takes no work ({_first_line(error)}). Make a new one, and keep it open meanwhile.",
            value=executor,
            column="executor",
        ) from None


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__


class _Ticks:
    """Counts steps for whoever wants to know."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def __call__(self, steps: int = 1) -> None:
        self._done += steps
        if self._progress is not None:
            self._progress(self._done, self._total)


class PlanCache:
    """Plans from the same moments at several budgets; each is searched for once, when it is first asked for.

    Parameters
    ----------
    moments : Moments
    budgets : sequence of float
    costs, max_repeats : mapping or array, optional
        As for :func:`select`.
    """

    def __init__(self, moments: Moments, budgets: Sequence[float], costs: Any = None, max_repeats: Any = None) -> None:
        self.moments, self.budgets = moments, tuple(budgets)
        self.costs, self.max_repeats = costs, max_repeats
        prices = as_costs(costs, moments.attributes)
        self._equal_prices = bool((prices == prices[0]).all())
        self._made: dict[tuple[str, float, float, float], Plan] = {}

    def plans(self, candidate: Candidate) -> list[Plan]:
        """The plan at each budget, as in the folds: a cheaper search may stand in for one that takes long."""
        return [self.plan_as_in_folds(candidate, budget) for budget in self.budgets]

    def plan_as_in_folds(self, candidate: Candidate, budget: float) -> Plan:
        """The plan at one of the budgets, as in the folds."""
        return self.plan(candidate._replace(method=search_capabilities.in_folds(candidate.method)), budget)

    def plan(self, candidate: Candidate, budget: float) -> Plan:
        """The plan at one of the budgets, by the search itself."""
        if search_capabilities.is_nested(candidate.method) and self._equal_prices:
            # At equal costs a nested search never looks ahead at the budget: all plans are beginnings of the longest.
            return self._searched(candidate, max(self.budgets)).at(budget)
        return self._searched(candidate, budget)

    def _searched(self, candidate: Candidate, budget: float) -> Plan:
        key = (*candidate.planning, budget)
        if key not in self._made:
            self._made[key] = select(
                self.moments,
                budget,
                method=candidate.method,
                costs=self.costs,
                max_repeats=self.max_repeats,
                shrinkage=candidate.shrinkage,
                plan_ridge=candidate.plan_ridge,
            )
        return self._made[key]


RIDGES = (0.0, 0.03, 0.1, 0.3)
"""Amounts of ridge to choose from for a predictor, in shares of each attribute's variance.

Each is about three times the one before, so that the best is never far. True losses of what was chosen with no ridge
at all, with 0 and 0.1, with these, and with ten from 0 to 1: .573, .534, .514, .525 with 60 objects; .419, .415, .418,
.415 with 200; .695, .682, .680, .685 with 100 objects and much noise (``benchmarks/constants.py predictors``, crowds as
below).
"""

_NEARLY_AS_GOOD = 0.01
"""Share of a loss that is not worth a less plain way to it.

True losses of what was chosen within 0, 1, 3 and 10 % of the least (25 crowds of ``simulate.gaussian`` with 20
attributes, a budget of 30): .513, .514, .523, .560 with 60 objects; .418, .418, .418, .432 with 200; and .676, .680,
.690, .702 with 100 objects and noise of 2 to 10 times the variance (``benchmarks/constants.py predictors``).
"""


def simplest_good(losses: Floats) -> int:
    """The first of those that are nearly as good as the best."""
    least = float(losses.min())
    # Candidates come simplest first, and argmax finds the first that is good enough.
    return int((losses <= least + _NEARLY_AS_GOOD * abs(least)).argmax())


def choose_ridge(
    parts: FoldSums, repeats: Integers, *, cv: int = 5, cv_repeats: int = 2, rng: np.random.Generator
) -> float:
    """The ridge of a predictor under a given plan that has the least loss on held-out objects, or nearly."""
    losses = np.zeros(len(RIDGES))
    # Each split is used for all ridges: what splits differ by is the same for all of them, and cancels.
    for _ in range(cv_repeats):
        for fold in parts.folds(parts.splits(min(cv, len(parts.sums)), rng)):
            trained = fold.trained()
            for i, ridge in enumerate(RIDGES):
                # The plan is held fixed: plans made anew would add their own chance to the comparison of ridges.
                w = weights(trained.regularized(ridge=ridge), repeats)
                losses[i] += fold.losses(trained, w, repeats).sum()
    return RIDGES[simplest_good(losses)]


MULTIPLES = (0.5, 1.0, 2.0, 4.0)
"""Multiples of a plan's repeats at which what its predictor explains is looked at.

A predictor is asked about objects with fewer and more judgments than planned; what lies between is interpolated. At 3
and 6 times the plan, it promised 1.23 and 1.25 times the true error variance with these, 1.33 and 1.33 with 1 alone,
and no less than with these when 0.25 and 8 were added; up to the plan itself all three promised the same to within
1 % (``benchmarks/constants.py calibration``; medians of 20 crowds of 100 objects and 15 attributes).
"""


def multiplied(repeats: Integers, multiple: float) -> Integers:
    """So many times the repeats, in whole numbers, at least one of what there was any of."""
    return np.where(repeats > 0, np.maximum(np.rint(repeats * multiple), 1), 0).astype(np.int64)


def explained_held_out(
    parts: FoldSums,
    plan: Plan,
    *,
    replan: bool,
    predictor_ridge: float = 0.0,
    cv: int = 10,
    cv_repeats: int = 1,
    rng: np.random.Generator,
) -> Floats:
    """Label variance that a predictor explains on objects it has not seen, at ``MULTIPLES`` of the plan's repeats.

    With ``replan``, the plan is made anew in each fold, in the way that this one was, so that what choosing it by the
    same objects adds to its promise is left out, too.
    """
    candidate = Candidate(search_capabilities.for_calibration(plan.method), plan.shrinkage, plan.plan_ridge)
    # By name, as ``own`` below: the table may have the plan's attributes in another order.
    costs = dict(zip(plan.attributes, plan.costs.tolist(), strict=True))
    max_repeats = (
        None if plan.max_repeats is None else dict(zip(plan.attributes, plan.max_repeats.tolist(), strict=True))
    )
    losses = np.zeros(len(MULTIPLES))
    own = np.array([plan.repeats.get(name, 0) for name in parts.attributes])
    for _ in range(cv_repeats):
        for fold in parts.folds(parts.splits(min(cv, len(parts.sums)), rng)):
            trained = fold.trained()
            repeats = own
            if replan:
                [again] = PlanCache(trained, [plan.budget], costs, max_repeats).plans(candidate)
                repeats = again.to_array()
            tamed = trained.regularized(ridge=predictor_ridge)
            for m, multiple in enumerate(MULTIPLES):
                many = multiplied(repeats, multiple)
                # Weights of the multiple, not of the plan: an object with more judgments than planned is weighed by
                # what it has. ℓ_r needs none of these judgments to have been collected.
                losses[m] += fold.losses(trained, weights(tamed, many), many).sum()
    n = sum(part.n_objects for part in parts.sums)
    # What is explained is what guessing the mean would lose, less what the predictor loses.
    return parts.label_variance - losses / (n * cv_repeats)
