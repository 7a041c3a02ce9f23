"""Trials: which preparation of the judgments lowers the error on held-out objects, and which is left out.

Each step is tried against going without it, on the same held-out objects: other scales for skewed ratings, then
judgments without their workers' effects, then joint moments. What does not lower the error is not kept, so that nobody
is worse off for it.
"""

from __future__ import annotations

__all__ = ["NOTHING", "PreparationOptions", "prepare", "prepare_judgments"]

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value, suggest
from manyjudges.base.seeds import generator
from manyjudges.core.budget import as_costs
from manyjudges.core.objective import weights
from manyjudges.core.search.registry import select
from manyjudges.exceptions import ManyJudgesError, PlanError
from manyjudges.judges.worker_effects import EFFECT_KINDS, judge_several_objects
from manyjudges.learn.inference.cross_validation import RIDGES, fewest_objects
from manyjudges.learn.inference.curve_trial import CurveTrial, try_curve
from manyjudges.learn.predictors.registry import predictor_named
from manyjudges.learn.preparation.preparation import UNCHANGED, Preparation, Trial
from manyjudges.learn.preparation.rescaling import RESCALING_KINDS, choose_rescalings
from manyjudges.learn.training_data import TrainingData

_AUTO = "auto"
"""What stands in the place of a decision that held-out objects are to make."""

_MOST_JUDGMENTS = 40.0
"""Average prices of a judgment that the plan costs at which preparations are compared, at the most; below, it costs as
much as two judgments of every attribute. One that depends on nothing but the data, so that every budget gets the same
judgments. No benchmark sets it."""


_LEAST_EXPLAINED = 0.01
"""Share of the variance within objects that workers' effects must take away to be tried. No benchmark sets it: where
there are none, effects from other objects add variance rather than take any."""

_MOST_ATTRIBUTES = 1000
"""Attributes above which joint moments are not tried: each fold would decompose a matrix of that size several times."""

_JOINT_ALLOWANCES = {"joint": 0.01}
"""Share of a loss by which joint moments may look worse and still be kept: as in the choice among plans
(``cross_validation``), a smaller difference says little."""

_EFFECT_ALLOWANCES = {"random": 0.02, "fixed": 0.01}
"""The same for workers' effects. Random ones lowered the error on new objects by 2 % on recorded crowds and raised it
on none, but on 160 objects the held-out difference is as often chance (``benchmarks/recorded.py``)."""


@dataclass(frozen=True)
class PreparationOptions:
    """What may be done to judgments and moments, each ``"auto"`` or decided by the user.

    Attributes
    ----------
    rescale : {"auto", "none", "root", "log"}
    worker_effects : {"auto", "none", "random", "fixed"}
    joint_moments : {"auto", True, False}
    predictor : str
        ``"auto"``, or one of the predictors.
    """

    rescale: str = _AUTO
    worker_effects: str = _AUTO
    joint_moments: bool | str = _AUTO
    predictor: str = _AUTO

    def __post_init__(self) -> None:
        for name, allowed in (("rescale", RESCALING_KINDS), ("worker_effects", ("none", *EFFECT_KINDS))):
            value = getattr(self, name)
            if value not in (_AUTO, *allowed):
                raise PlanError(
                    f"{name} must be 'auto', {', '.join(map(repr, allowed[:-1]))} or {allowed[-1]!r}, not "
                    f"{quote_value(value)}.{suggest(value, [_AUTO, *allowed])}",
                    value=value,
                    column=name,
                )
        if not (isinstance(self.joint_moments, bool) or self.joint_moments == _AUTO):
            raise PlanError(
                f"joint_moments must be 'auto', True or False, not {quote_value(self.joint_moments)}.",
                value=self.joint_moments,
                column="joint_moments",
            )
        if self.predictor != _AUTO:
            predictor_named(self.predictor, _AUTO)

    def along_with(self, method: str) -> PreparationOptions:
        """What may be done along with a way to plan: with a method by its name, only what is asked for."""
        if method == _AUTO:
            return self
        decided = {name: value for name, value in vars(self).items() if value != _AUTO}
        return replace(NOTHING, **decided)


NOTHING = PreparationOptions("none", "none", False, "best_linear")
"""The paper's own way: judgments and moments as they are."""


def prepare(
    data: TrainingData,
    options: PreparationOptions,
    *,
    costs: Any = None,
    cv: int = 5,
    random_state: int | None = 0,
) -> TrainingData:
    """Decide what is done to judgments and moments, and do it.

    Parameters
    ----------
    data : TrainingData
    options : PreparationOptions
    costs : mapping or array, optional
        As for :func:`select`.
    cv, random_state
        Of the folds.
    """
    return with_predictor(
        prepare_judgments(data, options, costs=costs, cv=cv, random_state=random_state),
        options,
        costs=costs,
        cv=cv,
        random_state=random_state,
    )


def prepare_judgments(
    data: TrainingData,
    options: PreparationOptions,
    *,
    costs: Any = None,
    cv: int = 5,
    random_state: int | None = 0,
) -> TrainingData:
    """:func:`prepare` without deciding on the predictor, which takes longer than all else."""
    if data.preparation is not UNCHANGED:  # it has been decided
        return data
    judge = _Judge(data, costs, cv, random_state)
    trials: list[Trial] = []
    for step, alternatives in (
        ("rescale", _rescalings(data, options)),
        ("worker_effects", _worker_effects(data, options)),
        ("joint_moments", _joint(data, options)),
    ):
        trials.extend(judge.decide(step, alternatives))
    return replace(judge.data, preparation=replace(judge.data.preparation, trials=tuple(trials)))


def with_predictor(
    data: TrainingData,
    options: PreparationOptions,
    *,
    costs: Any = None,
    cv: int = 5,
    random_state: int | None = 0,
) -> TrainingData:
    """The same data, with a decision on the predictor."""
    known = data.preparation
    if any(trial.step == "predictor" for trial in known.trials):
        return data
    trials = tuple(_Judge(data, costs, cv, random_state).try_predictor(options.predictor))
    curved = any(trial.kept and trial.tried == "curved" for trial in trials)
    return replace(data, preparation=replace(known, curved=curved, trials=(*known.trials, *trials)))


@dataclass(frozen=True)
class _Alternatives:
    """What a step may do, from a preparation so far; ``forced`` where nothing is to be compared."""

    changes: dict[str, dict[str, Any]]
    forced: bool = False
    note: str = ""
    allowances: dict[str, float] = field(default_factory=dict)


def _rescalings(data: TrainingData, options: PreparationOptions) -> _Alternatives:
    if options.rescale == "none":
        return _Alternatives({}, note="switched off")
    if data.table is None:
        return _Alternatives({}, note="needs the judgments in memory")
    kinds = RESCALING_KINDS if options.rescale == _AUTO else (options.rescale,)
    found = choose_rescalings(data.table, noiseless=data.noiseless, ranges=_declared(data), kinds=kinds)
    if not found:
        return _Alternatives({}, note="no attribute is more reliable on another scale")
    return _Alternatives({options.rescale: {"rescalings": found}}, options.rescale != _AUTO)


def _worker_effects(data: TrainingData, options: PreparationOptions) -> _Alternatives:
    if options.worker_effects == "none":
        return _Alternatives({}, note="switched off")
    if data.table is None:
        return _Alternatives({}, note="needs the judgments in memory")
    if not judge_several_objects(data.table):
        return _Alternatives({}, note="workers are not named, or judge too few objects")
    kinds = EFFECT_KINDS if options.worker_effects == _AUTO else (options.worker_effects,)
    done = data.prepared(Preparation(worker_effects=kinds[0])).preparation.effects
    if options.worker_effects == _AUTO and (done is None or done.explained < _LEAST_EXPLAINED):
        return _Alternatives({}, note="workers do not judge higher or lower than others")
    changes = {kind: {"worker_effects": kind} for kind in kinds}
    return _Alternatives(changes, options.worker_effects != _AUTO, allowances=_EFFECT_ALLOWANCES)


def _joint(data: TrainingData, options: PreparationOptions) -> _Alternatives:
    if options.joint_moments is False:
        return _Alternatives({}, note="switched off")
    if len(data.attributes) > _MOST_ATTRIBUTES and options.joint_moments == _AUTO:
        return _Alternatives({}, note=f"not tried with more than {_MOST_ATTRIBUTES:,} attributes")
    changes = {"joint": {"joint_moments": True}}
    return _Alternatives(changes, options.joint_moments is True, allowances=_JOINT_ALLOWANCES)


def _declared(data: TrainingData) -> dict[str, tuple[float, float]]:
    """Ranges of answers that are words with an order."""
    codings = {} if data.reading is None else data.reading.codings
    numbers = {name: list(coding.numbers.values()) for name, coding in codings.items() if coding.is_scale}
    return {name: (min(own), max(own)) for name, own in numbers.items() if own}


class _Judge:
    """Compares preparations by the error at the same plans, on the same held-out objects."""

    def __init__(self, data: TrainingData, costs: Any, cv: int, random_state: int | None) -> None:
        self.data, self._raw = data, data
        self._preparation = UNCHANGED
        self._cv, self._seed = cv, random_state
        prices = as_costs(costs, data.attributes)
        self._costs = costs
        self._budget = max(min(2 * float(prices.sum()), _MOST_JUDGMENTS * float(prices.mean())), float(prices.min()))
        # What would be lost with more judgments than there are can be estimated, but only with much more chance in it.
        sums = data.moments.sums
        objects = np.maximum(1, 1 if sums is None else sums.objects)
        self._at_hand = np.maximum(np.rint(data.moments.judgments / objects), 1.0)

    def decide(self, step: str, alternatives: _Alternatives) -> Iterator[Trial]:
        """Try a step, keep the best, and say so."""
        if not alternatives.changes:
            yield Trial(step, "plain", None, True, alternatives.note)
            return
        tried = {name: self._with(change) for name, change in alternatives.changes.items()}
        if alternatives.forced:
            [(name, self.data)] = tried.items()
            self._preparation = self.data.preparation
            yield Trial(step, name, None, True, "as asked for")
            return
        ways = {"plain": self.data} | tried
        try:
            # All ways at the plans of all of them: which plan comes out is often chance, and is not what is compared.
            terms: dict[str, Any] = {"costs": self._costs, "max_repeats": self._at_hand}
            plans = [select(way.moments, self._budget, **terms).to_array() for way in ways.values()]
            losses = {name: self._loss(way, plans) for name, way in ways.items()}
        except ManyJudgesError as error:
            yield Trial(step, "plain", None, True, f"not compared: {error}")
            return
        # What is known to help on average is kept unless it is clearly worse here; all else must be better.
        allowed = {name: 1 + alternatives.allowances.get(name, 0.0) for name in losses}
        best = min(losses, key=lambda name: losses[name] / allowed[name])  # the first of equals, which is plain
        if best != "plain":
            self.data = tried[best]
        yield from (Trial(step, name, loss, name == best) for name, loss in losses.items())

    def try_predictor(self, predictor: str) -> Iterator[Trial]:
        """Try a curve, unless the predictor is named."""
        if predictor != _AUTO:
            yield Trial("predictor", predictor, None, True, "as asked for")
            return
        trial = self._curve_trial()
        if trial is None:
            yield Trial("predictor", "best_linear", None, True, "a curve needs more objects, in memory")
            return
        yield Trial("predictor", "best_linear", trial.linear_loss, not trial.kept)
        yield Trial("predictor", "curved", trial.loss, trial.kept)

    def _curve_trial(self) -> CurveTrial | None:
        if self.data.table is None or self.data.n_objects < fewest_objects(self._cv):
            return None
        plan = select(self.data.moments, self._budget, costs=self._costs, max_repeats=self._at_hand)
        return try_curve(plan, self.data, cv=self._cv, random_state=self._seed)

    def _with(self, change: dict[str, Any]) -> TrainingData:
        wanted = replace(self.data.preparation, effects=None, **change)
        return self._raw.prepared(wanted)

    def _loss(self, data: TrainingData, plans: list[Integers]) -> float:
        """Held-out squared error of several plans, each at the best of a few ridges."""
        if data.n_objects < fewest_objects(self._cv):
            raise PlanError(
                f"{data.n_objects} objects are too few to hold any out", value=data.n_objects, column="labels"
            )
        # The same seed for all ways: the same objects are held out together, and what folds differ by cancels.
        rng = generator(self._seed)
        parts = data.fold_sums(self._cv, rng)
        losses: Floats = np.zeros((len(plans), len(RIDGES)))
        for fold in parts.folds(parts.splits(self._cv, rng)):
            trained = fold.trained()
            for i, ridge in enumerate(RIDGES):
                tamed = trained.regularized(ridge=ridge)
                for p, repeats in enumerate(plans):
                    losses[p, i] += fold.losses(trained, weights(tamed, repeats), repeats).sum()
        return float(losses.min(axis=1).mean()) / data.n_objects
