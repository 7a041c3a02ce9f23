"""A simulated panel: models that judge objects with a known truth, each with a view of its own that calls repeat."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.blocks import ranks_within
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value
from manyjudges.core.moments import Moments
from manyjudges.exceptions import ManyJudgesError
from manyjudges.simulate.crowd import Crowd, check_count
from manyjudges.tables.judge_columns import AT

__all__ = ["SimulatedPanel", "simulate_panel"]


@dataclass(frozen=True, eq=False)
class _Panel:
    """Where objects and their judgments come from. Arrays are (attributes, models), or (attributes, judges)."""

    attributes: tuple[str, ...]
    models: tuple[str, ...]
    judges: tuple[str, ...]
    model: Integers  # of each judge
    correlation: Floats  # of the attributes' true values
    weights: Floats  # of the true values in the label
    rest: float  # variance of the label that they leave
    shared: float
    between: Floats
    prompt: Floats
    within: Floats
    level: Floats  # what a judge says on average
    prices: Floats  # of a judge's call

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
        """True values (objects, attributes), views (objects, attributes, judges) and labels of new objects."""
        d = len(self.attributes)
        truth = rng.standard_normal((n, d)) @ np.linalg.cholesky(self.correlation).T
        labels = truth @ self.weights + np.sqrt(self.rest) * rng.standard_normal(n)
        # What a judge says on average: truth + what all get wrong + the model's own view + the prompt's + the level.
        # All of it comes back in each call, so that only ``within`` is noise.
        agreed = truth + np.sqrt(self.shared) * rng.standard_normal((n, d))
        own = np.sqrt(self.between) * rng.standard_normal((n, *self.between.shape))
        prompt = np.sqrt(self.prompt) * rng.standard_normal((n, *self.prompt.shape))
        return truth, agreed[:, :, None] + own[:, :, self.model] + prompt + self.level, labels

    def moments(self, attributes: tuple[str, ...]) -> Moments:
        """The true moments of the columns, attribute by attribute and judge by judge."""
        j = len(self.judges)
        # Judges' views of an attribute covary by the true value's variance and what all get wrong; by their model's own
        # view where they are of one model; and with themselves by the prompt's. Of different attributes, only true
        # values covary.
        across = np.kron(self.correlation, np.ones((j, j)))
        for i in range(len(self.attributes)):
            block = np.s_[i * j : (i + 1) * j]
            same = (self.model[:, None] == self.model) * self.between[i][self.model]
            across[block, block] += self.shared + same + np.diag(self.prompt[i])
        # Cov[truth, label] = R w: errors of judges have no part in the label.
        covered = self.correlation @ self.weights
        return Moments.from_values(
            np.repeat(covered, j),
            self.within[:, self.model].ravel(),
            across,
            float(self.weights @ covered) + self.rest,
            attributes=attributes,
            means=self.level.ravel(),
        )


class SimulatedPanel(Crowd):
    """Objects, their labels, and models that judge them as often as asked.

    Made by :func:`simulate_panel`. Its attributes are columns such as ``"criterion 1 @ model a"``.

    Attributes
    ----------
    objects : array of str
    labels : pandas.Series
        By object.
    frame : pandas.DataFrame
        Calls of every judge about every object: ``object``, ``attribute``, ``worker`` (the judge) and ``value``.
    values : pandas.DataFrame
        The true value of each attribute of each object, which no judge knows.
    components : pandas.DataFrame
        The true variances, by attribute and on average over models, as :func:`panel_variance` estimates them.
    truth : Moments
        The true moments of the columns.
    attributes : tuple of str
        The columns.
    groups : dict
        The model of each judge.
    costs : dict
        The price of a call, by column.
    """

    def __init__(self, panel: _Panel, n_objects: int, calls: int, rng: np.random.Generator, *, first: int = 1) -> None:
        self._panel, self._rng, self._calls, self._next = panel, rng, calls, first + n_objects
        self.objects = np.array([f"object {i:04d}" for i in range(first, first + n_objects)], dtype=np.object_)
        self.attributes = tuple(f"{a}{AT}{judge}" for a in panel.attributes for judge in panel.judges)
        truth, views, labels = panel.draw(n_objects, rng)
        self._views = views.reshape(n_objects, -1)
        index = pd.Index(self.objects, name="object")
        self.labels = pd.Series(labels, index=index, name="label")
        self.values = pd.DataFrame(truth, index=index, columns=list(panel.attributes))
        self.groups = {judge: panel.models[m] for judge, m in zip(panel.judges, panel.model, strict=True)}
        self.costs = dict(zip(self.attributes, np.tile(panel.prices, len(panel.attributes)).tolist(), strict=True))
        self.truth = panel.moments(self.attributes)
        self._judged = np.zeros(self._views.shape, dtype=np.int64)
        self.frame = self._pilot(calls)

    @property
    def components(self) -> pd.DataFrame:
        """The true variances by attribute, on average over models."""
        panel = self._panel
        columns = {
            "object": panel.correlation.diagonal() + panel.shared,
            "between": panel.between.mean(axis=1),
            "prompt": panel.prompt.mean(axis=1),
            "within": panel.within.mean(axis=1),
        }
        return pd.DataFrame(columns, index=pd.Index(panel.attributes, name="attribute"))

    def more(self, n_objects: int) -> SimulatedPanel:
        """New objects, judged by the same panel."""
        other = SimulatedPanel(self._panel, n_objects, self._calls, self._rng, first=self._next)
        self._next = other._next
        return other

    def __repr__(self) -> str:
        panel = self._panel
        return (
            f"SimulatedPanel: {len(self.objects):,} objects, and {len(panel.judges)} judges of {len(panel.models)} "
            f"models who judge {len(panel.attributes)} attributes of them"
        )

    def _pilot(self, calls: int) -> pd.DataFrame:
        """Calls of everybody about everything, by attribute and judge."""
        n, d = self._views.shape
        bought = self._buy(np.repeat(np.arange(n), d * calls), np.tile(np.repeat(np.arange(d), calls), n))
        split = bought["attribute"].str.rsplit(AT, n=1, expand=True)
        return bought.assign(attribute=split[0], worker=split[1])

    def _buy(self, objects: Integers, attributes: Integers) -> pd.DataFrame:
        order = np.lexsort((attributes, objects))
        objects, attributes = objects[order], attributes[order]
        call = self._judged[objects, attributes] + ranks_within(objects * len(self.attributes) + attributes) + 1
        np.add.at(self._judged, (objects, attributes), 1)
        noise = np.sqrt(self.truth.noise[attributes]) * self._rng.standard_normal(len(objects))
        names = np.array(self.attributes, dtype=np.object_)[attributes]
        return pd.DataFrame(
            {
                "object": self.objects[objects],
                "attribute": names,
                "worker": [f"{name.rpartition(AT)[2]}, call {i}" for name, i in zip(names, call, strict=True)],
                "value": self._views[objects, attributes] + noise,
            }
        )


def simulate_panel(
    n_objects: int = 200,
    attributes: int | Sequence[str] = 6,
    models: int | Sequence[str] = 4,
    *,
    prompts: int = 1,
    calls: int = 2,
    weights: Any = None,
    overlap: float = 0.3,
    r_squared: float = 0.8,
    shared: float = 0.0,
    between: Any = 0.5,
    prompt: Any = 0.0,
    within: Any = 0.5,
    leniency: float = 0.5,
    prices: Any = 1.0,
    random_state: int | None = None,
) -> SimulatedPanel:
    """A panel of models whose views are known.

    What a call says about an attribute of an object is the true value (variance 1), plus what all models get wrong
    together, the model's own view, the prompt's, the judge's leniency, which is the same for all objects, and what
    differs from call to call. The label is a weighted sum of true values and something that no attribute tells.

    Parameters
    ----------
    n_objects : int
    attributes, models : int or sequence of str
        How many, or their names.
    prompts : int
        Prompts for each model; each makes a judge of its own.
    calls : int
        Calls of each judge about each attribute of each object in ``frame``.
    weights : array, optional
        Of the attributes' true values in the label; 1 for the first half of them and 0 for the others, unless given.
    overlap : float
        Correlation of the attributes' true values.
    r_squared : float
        Share of the label's variance that the true values explain.
    shared : float
        Variance of what all models get wrong together.
    between, within : float or array
        Variance of a model's own views, and from call to call; an array broadcasts to (attributes, models).
    prompt : float or array
        Variance of a prompt's own views, among those of a model; an array broadcasts to (attributes, models).
    leniency : float
        Standard deviation of what a judge adds to all objects.
    prices : float or array
        Of a call of each model.
    random_state : int, optional

    Examples
    --------
    >>> panel = simulate_panel(100, ["tone", "grammar"], ["small", "large"], prices=[1, 5], random_state=0)
    >>> panel
    SimulatedPanel: 100 objects, and 2 judges of 2 models who judge 2 attributes of them
    >>> panel.costs
    {'tone @ small': 1.0, 'tone @ large': 5.0, 'grammar @ small': 1.0, 'grammar @ large': 5.0}
    >>> panel.frame.head(3).round(2)
            object attribute worker  value
    0  object 0001      tone  small   0.39
    1  object 0001      tone  small   0.17
    2  object 0001      tone  large  -0.28
    """
    for name, count in (("n_objects", n_objects), ("prompts", prompts), ("calls", calls)):
        check_count(name, count)
    criteria = _named(attributes, "attributes", [f"criterion {i + 1}" for i in range(_many(attributes))])
    who = _named(models, "models", [f"model {name}" for name in _letters(_many(models))])
    judges = who if prompts == 1 else tuple(f"{m}, prompt {i + 1}" for m in who for i in range(prompts))
    d, m, rng = len(criteria), len(who), np.random.default_rng(random_state)
    _check_shares(overlap, r_squared, leniency, d)
    correlation = np.where(np.eye(d, dtype=bool), 1.0, float(overlap))
    counted = _array("weights", (np.arange(d) < (d + 1) // 2) if weights is None else weights, (d,), least=-np.inf)
    explained = float(counted @ correlation @ counted)
    if not explained > 0:
        raise ManyJudgesError(
            "weights must not all be 0: the label would have nothing to do with the attributes.",
            value=weights,
            column="weights",
        )
    model = np.repeat(np.arange(m), prompts)
    panel = _Panel(
        attributes=criteria,
        models=who,
        judges=judges,
        model=model,
        correlation=correlation,
        weights=counted,
        # R² = explained / (explained + rest).
        rest=explained * (1 / r_squared - 1),
        shared=float(_array("shared", shared, ())),
        between=_array("between", between, (d, m)),
        prompt=_array("prompt", prompt, (d, m))[:, model],
        within=_array("within", within, (d, m)),
        level=leniency * rng.standard_normal((d, m * prompts)),
        prices=_array("prices", prices, (m,))[model],
    )
    return SimulatedPanel(panel, n_objects, calls, rng)


def _check_shares(overlap: float, r_squared: float, leniency: float, d: int) -> None:
    # Where d values correlate by ρ each, the variance of their sum is d (1 + (d - 1) ρ), which must be positive.
    if not -1 / max(d - 1, 1) < overlap < 1:
        raise ManyJudgesError(
            f"overlap must lie between {-1 / max(d - 1, 1):.2g} and 1, not be {quote_value(overlap)}.",
            value=overlap,
            column="overlap",
        )
    if not 0 < r_squared <= 1:
        raise ManyJudgesError(
            f"r_squared must lie between 0 and 1, not be {quote_value(r_squared)}.", value=r_squared, column="r_squared"
        )
    if not 0 <= leniency < np.inf:
        raise ManyJudgesError(
            f"leniency must be 0 or a positive number, not {quote_value(leniency)}.", value=leniency, column="leniency"
        )


def _many(names_or_number: int | Sequence[str]) -> int:
    return names_or_number if isinstance(names_or_number, int) and not isinstance(names_or_number, bool) else 0


def _letters(many: int) -> list[str]:
    """Names that sort in their order: a to z, and numbers where there are more."""
    return list(string.ascii_lowercase[:many]) if many <= 26 else [f"{i:04d}" for i in range(1, many + 1)]


def _named(names_or_number: Any, what: str, otherwise: list[str]) -> tuple[str, ...]:
    if isinstance(names_or_number, int | np.integer | str):
        check_count(what, names_or_number)
        return tuple(otherwise)
    names = tuple(map(str, names_or_number))
    if not names or len(set(names)) < len(names) or any(AT in name or not name.strip() for name in names):
        raise ManyJudgesError(
            f"{what} must be different names without {AT!r} in them, not {quote_value(names_or_number)}.",
            value=names_or_number,
            column=what,
        )
    return names


def _array(name: str, numbers: Any, shape: tuple[int, ...], least: float = 0.0) -> Floats:
    try:
        array = np.array(np.broadcast_to(np.asarray(numbers, dtype=float), shape))
    except (TypeError, ValueError):
        raise ManyJudgesError(
            f"{name} must be a number or numbers of the shape {shape}, not {quote_value(numbers)}.",
            value=numbers,
            column=name,
        ) from None
    if not (np.isfinite(array).all() and (array >= least).all()):
        raise ManyJudgesError(
            f"{name} must be finite{' and not negative' * (least == 0)}, not {quote_value(numbers)}.",
            value=numbers,
            column=name,
        )
    return array
