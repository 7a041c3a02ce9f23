"""Validation: the loss of plans and predictors on objects that had no part in them.

A plan's own projected loss is optimistic, since the plan was chosen by it. But for any weights w and any repeats r,
also more than were ever collected, ::

    ℓ_r(w, x, y) = (w·x̄ - y)² + Σ w[i]² VarEst[i] (1/r[i] - 1/k[i])

is an unbiased estimate of the loss under r from k ≥ 2 judgments of an object (the paper's Lemma on ℓ_r). Its mean over
objects that had no part in the plan and the weights is an honest one. It is a quadratic form in sums over those
objects, so that a table is summed up once, in parts, and every fold is put together from sums.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from manyjudges.arrays.cells import Floats, Integers
from manyjudges.arrays.sums import Sums
from manyjudges.core.moments import Moments
from manyjudges.core.objective import weights
from manyjudges.core.plan import Plan, as_costs
from manyjudges.core.search.registry import select
from manyjudges.exceptions import ManyJudgesError, MomentsError, PlanError
from manyjudges.scan.duckdb_scan import scan
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.results import Scan
from manyjudges.tables.judgments import Judgments

PARTS_PER_FOLD = 4
"""Parts that a fold is put together from: the more, the more ways to do so, and the better known the standard
error."""

STAND_INS = {"exact": "exchange"}
"""Searches too slow to be repeated for every fold, and what stands in for them: it finds nearly the same."""

Progress = Callable[[int, int], None]


class Candidate(NamedTuple):
    """A way to plan and predict: a method, how the covariance is tamed for it, and the ridge of the predictor."""

    method: str
    shrinkage: float = 0.0
    plan_ridge: float = 0.0
    predictor_ridge: float = 0.0

    @property
    def planning(self) -> tuple[str, float, float]:
        """What the plan depends on."""
        return self[:3]


@dataclass(frozen=True, eq=False)
class FoldSums:
    """Sums over objects in parts, from which all folds are put together."""

    attributes: tuple[str, ...]
    sums: tuple[Sums, ...]
    noiseless: frozenset[str]

    @classmethod
    def of(
        cls, judgments: Judgments, y: Floats, n_parts: int, noiseless: Collection[str], rng: np.random.Generator
    ) -> FoldSums:
        """Sum a table up once, objects in random order."""
        shares = _shares(len(y), n_parts, rng)
        sums = tuple(Sums.over(judgments[share].blocks(), y[share]) for share in map(np.sort, shares))
        return cls(judgments.attributes, sums, frozenset(noiseless))

    @classmethod
    def scan(
        cls,
        source: Any,
        labels: Any,
        n_parts: int,
        noiseless: Collection[str],
        rng: np.random.Generator,
        terms: ScanOptions,
        progress: Progress | None = None,
    ) -> tuple[FoldSums, Scan]:
        """Sum a table up in one pass that need not fit into the memory, objects in the same random order."""

        def part_of(n: int) -> Integers:
            parts = np.empty(n, dtype=np.int64)
            for part, share in enumerate(_shares(n, n_parts, rng)):
                parts[share] = part
            return parts

        found = scan(source, labels, terms, part_of=part_of, progress=progress)
        return cls(found.attributes, found.sums, frozenset(noiseless)), found

    @property
    def n_objects(self) -> int:
        """Objects in all parts."""
        return sum(part.n_objects for part in self.sums)

    def moments(self) -> Moments:
        """Moments of all of the parts."""
        return Moments.from_sums(self.attributes, _total(self.sums), self.noiseless)

    def splits(self, cv: int, rng: np.random.Generator) -> list[Integers]:
        """Parts to hold out, by position, each of them once."""
        return np.array_split(rng.permutation(len(self.sums)), cv)

    def fold(self, held_out: Integers) -> Fold:
        """Some of the parts apart from the others."""
        rest = np.setdiff1d(np.arange(len(self.sums)), held_out)
        tests = tuple(self.sums[i] for i in held_out)
        return Fold(self.attributes, _total([self.sums[i] for i in rest]), tests, self.noiseless)

    def folds(self, cv: int, rng: np.random.Generator) -> Iterator[Fold]:
        """Every part held out once, apart from the others."""
        return map(self.fold, self.splits(cv, rng))


def _total(sums: Sequence[Sums]) -> Sums:
    total = sums[0]
    for part in sums[1:]:
        total = total + part
    return total


@dataclass(frozen=True, eq=False)
class Fold:
    """What a fold is computed from, here or on another machine: sums to train on, and parts that are held out."""

    attributes: tuple[str, ...]
    training: Sums
    tests: tuple[Sums, ...]
    noiseless: frozenset[str]

    def trained(self) -> Moments:
        """Moments of what there is to train on."""
        try:
            return Moments.from_sums(self.attributes, self.training, self.noiseless)
        except ManyJudgesError as error:
            raise MomentsError(f"a training part of the cross-validation cannot be used: {error}") from None


def _shares(n: int, n_parts: int, rng: np.random.Generator) -> list[Integers]:
    return np.array_split(rng.permutation(n), min(n_parts, n))


def held_out_losses(parts: Sequence[Sums], trained: Moments, w: Floats, repeats: Integers) -> Floats:
    """ℓ_r of predictions ``label_mean + w·(x̄ - means)``, summed over the objects of each part.

    Objects may lack attributes: a product then stands for the objects that have both, and an object with a single
    judgment has the noise of the others.
    """
    at = np.flatnonzero(repeats)
    own = [part.only(at).materialized().around(trained.means[at], trained.label_mean) for part in parts]
    w, r, n = w[at], repeats[at], sum(part.n_objects for part in own)
    exact = np.array([trained.attributes[i] in trained.noiseless for i in at], dtype=bool)
    objects, repeated = sum(part.objects for part in own), sum(part.repeated for part in own)
    overlap = sum(_counts(part.overlap) for part in own)
    variance = sum(part.variance for part in own)
    noise = np.where(repeated > 0, variance / np.maximum(repeated, 1), trained.noise[at]) * ~exact
    share = n / np.maximum(objects, 1)
    # A pair of attributes that nobody here was judged on both of goes together as in training.
    apart = np.where(overlap > 0, 0.0, trained.matrix.block(at))
    both = np.outer(w, w) * n / np.maximum(overlap, 1)
    losses = []
    for part in own:
        shown_noise = np.where(exact, 0.0, part.variance) + part.single * noise
        error = np.where(exact, 0.0, part.variance_of_mean) + part.single * noise
        quadratic = float(np.sum(both * part.products.dense)) + part.n_objects * float(w @ apart @ w)
        linear = float((w * share) @ part.cross)
        losses.append(quadratic - 2 * linear + part.label_scatter + float((w**2 * share) @ (shown_noise / r - error)))
    return np.array(losses)


def _counts(overlap: Integers | None) -> Integers:
    return np.zeros((0, 0), dtype=np.int64) if overlap is None else overlap


@dataclass(frozen=True, eq=False)
class Validation:
    """Held-out losses of candidates and budgets, by part."""

    candidates: tuple[Candidate, ...]
    budgets: tuple[float, ...]
    sizes: Integers  # (parts,): objects
    losses: Floats  # (candidates, budgets, parts): mean over repetitions of the summed loss
    promised: Floats  # (candidates, budgets): mean over folds of what the moments promised, not below 0

    @property
    def loss(self) -> Floats:
        """Mean loss of each candidate at each budget."""
        return np.asarray(self.losses.sum(axis=2) / self.sizes.sum())

    @property
    def foreseen(self) -> Floats:
        """The same when what a plan asks for has been bought and its weights are fitted anew, to more judgments.

        Weights from few judgments lose about as much on other objects as they promise too much on their own: what the
        best weights lose lies half way.
        """
        return np.asarray((self.loss + self.promised) / 2)

    @property
    def std_error(self) -> Floats:
        """Standard error of the loss, from how much parts differ."""
        n, parts = self.sizes.sum(), len(self.sizes)
        away = self.losses - self.losses.sum(axis=2, keepdims=True) * (self.sizes / n)
        return np.asarray(np.sqrt((away**2).sum(axis=2) * parts / max(parts - 1, 1)) / n)


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
    promised = np.zeros(losses.shape[:2])
    # All splits are drawn before any is computed, and added up in that order: wherever they are, chance is the same.
    splits = [held_out for _ in range(cv_repeats) for held_out in parts.splits(cv, rng)]
    work = partial(
        fold_losses, candidates=tuple(candidates), budgets=tuple(budgets), costs=costs, max_repeats=max_repeats
    )
    ticks = _Ticks(progress, len(splits) * len(candidates))
    folds = map(parts.fold, splits)
    results = map(partial(work, tick=ticks), folds) if executor is None else _elsewhere(executor, work, folds)
    for held_out, (loss, promise) in zip(splits, results, strict=True):
        losses[:, :, held_out] += loss
        promised += promise / cv
        if executor is not None:
            ticks(len(candidates))
    sizes = np.array([part.n_objects for part in parts.sums])
    return Validation(tuple(candidates), tuple(budgets), sizes, losses / cv_repeats, promised / cv_repeats)


def fold_losses(
    fold: Fold,
    *,
    candidates: Sequence[Candidate],
    budgets: Sequence[float],
    costs: Any = None,
    max_repeats: Any = None,
    tick: Callable[[], None] | None = None,
) -> tuple[Floats, Floats]:
    """Losses of (candidates, budgets, held-out parts), and what the moments promised of (candidates, budgets)."""
    trained = fold.trained()
    losses = np.zeros((len(candidates), len(budgets), len(fold.tests)))
    promised = np.zeros(losses.shape[:2])
    made: dict[tuple[str, float, float], list[Plan]] = {}
    for c, candidate in enumerate(candidates):
        if candidate.planning not in made:
            made[candidate.planning] = plans(trained, candidate, budgets, costs, max_repeats)
        tamed = trained.regularized(ridge=candidate.predictor_ridge)
        for b, plan in enumerate(made[candidate.planning]):
            repeats = plan.to_array()
            w = weights(tamed, repeats)
            losses[c, b] = held_out_losses(fold.tests, trained, w, repeats)
            promised[c, b] = max(trained.label_variance - float(trained.cross @ w), 0.0)
        if tick is not None:
            tick()
    return losses, promised


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
            "workers if a process was killed for want of memory; or leave executor= out."
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
            f"the executor takes no work ({_first_line(error)}). Make a new one, and keep it open meanwhile."
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


def plans(moments: Moments, candidate: Candidate, budgets: Sequence[float], costs: Any, max_repeats: Any) -> list[Plan]:
    """Plans of several budgets; where smaller ones are the beginning of the largest, from one path."""

    def plan(budget: float) -> Plan:
        method = STAND_INS.get(candidate.method, candidate.method)
        shrinkage, plan_ridge = candidate.shrinkage, candidate.plan_ridge
        return select(
            moments,
            budget,
            method=method,
            costs=costs,
            max_repeats=max_repeats,
            shrinkage=shrinkage,
            plan_ridge=plan_ridge,
        )

    prices = as_costs(costs, moments.attributes)
    if candidate.method in ("full", "scoring") and (prices == prices[0]).all():
        longest = plan(max(budgets))
        return [longest.at(budget) for budget in budgets]
    return [plan(budget) for budget in budgets]


RIDGES = (0.0, 0.03, 0.1, 0.3)
"""Amounts of ridge to choose from for a predictor."""

PLAINER = 0.01
"""Share of a loss that is not worth a less plain way to it."""


def simplest_good(losses: Floats) -> int:
    """The first of those that are nearly as good as the best."""
    least = float(losses.min())
    return int((losses <= least + PLAINER * abs(least)).argmax())


def choose_ridge(
    parts: FoldSums, repeats: Integers, *, cv: int = 5, cv_repeats: int = 2, rng: np.random.Generator
) -> float:
    """The ridge of a predictor under a given plan that has the least loss on held-out objects, or nearly."""
    losses = np.zeros(len(RIDGES))
    for _ in range(cv_repeats):
        for fold in parts.folds(min(cv, len(parts.sums)), rng):
            trained = fold.trained()
            for i, ridge in enumerate(RIDGES):
                w = weights(trained.regularized(ridge=ridge), repeats)
                losses[i] += held_out_losses(fold.tests, trained, w, repeats).sum()
    return RIDGES[simplest_good(losses)]


MULTIPLES = (0.5, 1.0, 2.0, 4.0)
"""Multiples of a plan's repeats at which what its predictor explains is looked at."""


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
    # What exchange adds to Full does not show in the size of errors, and would take long.
    method = plan.method if plan.method in ("full", "scoring") else "full"
    candidate = Candidate(method, plan.shrinkage, plan.ridge)
    costs = dict(zip(plan.attributes, plan.costs.tolist(), strict=True))
    max_repeats = (
        None if plan.max_repeats is None else dict(zip(plan.attributes, plan.max_repeats.tolist(), strict=True))
    )
    losses = np.zeros(len(MULTIPLES))
    own = np.array([plan.repeats.get(name, 0) for name in parts.attributes])
    for _ in range(cv_repeats):
        for fold in parts.folds(min(cv, len(parts.sums)), rng):
            trained = fold.trained()
            repeats = plans(trained, candidate, [plan.budget], costs, max_repeats)[0].to_array() if replan else own
            tamed = trained.regularized(ridge=predictor_ridge)
            for m, multiple in enumerate(MULTIPLES):
                many = multiplied(repeats, multiple)
                losses[m] += held_out_losses(fold.tests, trained, weights(tamed, many), many).sum()
    n = sum(part.n_objects for part in parts.sums)
    return parts.moments().label_variance - losses / (n * cv_repeats)
