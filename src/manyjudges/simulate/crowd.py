"""Crowds with known truth: the oracle of the tests, the demo and the examples.

Objects have a label and a latent normal value for each attribute. A judgment of a numeric attribute is the object's
true value plus noise; of a binary one it is yes when the latent value plus noise passes a threshold. All moments that a
plan needs then have closed forms, so that what an estimate should come to, and what a plan really costs in error, is
known.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from manyjudges.arrays.blocks import ranks_within
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.exceptions import ManyJudgesError
from manyjudges.tables.judgments import Judgments

__all__ = ["SimulatedCrowd", "gaussian", "height_weight", "jelly_beans"]

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(64)

N_WORKERS = 500
"""Size of the pool that judgments start from; heavily judged pairs reach beyond it."""


@dataclass(frozen=True, eq=False)
class Population:
    """Where objects and their judgments come from.

    The latent values of attributes and label are jointly normal with variance 1 and ``correlation``, the label last.
    A numeric attribute's true value is ``mean + deviation · latent``, and its judgments have variance ``noise``. A
    binary one (``loading`` is not NaN) is judged yes with probability
    Φ((threshold + loading · latent) / √(1 - loading²)).
    """

    attributes: tuple[str, ...]
    correlation: Floats
    label_mean: float
    label_deviation: float
    mean: Floats
    deviation: Floats
    noise: Floats
    threshold: Floats
    loading: Floats
    costs: Mapping[str, float]
    label: str = "label"

    @property
    def binary(self) -> Any:
        """Which attributes are judged yes or no."""
        return ~np.isnan(self.loading)

    def moments(self) -> Moments:
        """The true moments."""
        binary = self.binary
        # Stein's lemma: a yes-probability covaries with a normal variable as its latent value does, times this slope.
        slope = np.where(binary, np.nan_to_num(self.loading) * _density(np.nan_to_num(self.threshold)), self.deviation)
        latent = self.correlation[:-1, :-1]
        covariance = latent * np.outer(slope, slope)
        both = np.ix_(binary, binary)
        loading, threshold = self.loading[binary], self.threshold[binary]
        covariance[both] = _orthant(latent[both] * np.outer(loading, loading), threshold)
        rate = ndtr(np.nan_to_num(self.threshold))
        variance = np.diag(covariance)
        return Moments.from_values(
            cross=self.correlation[:-1, -1] * slope * self.label_deviation,
            noise=np.where(binary, rate * (1 - rate) - variance, self.noise),
            covariance=covariance,
            label_variance=self.label_deviation**2,
            attributes=self.attributes,
            means=np.where(binary, rate, self.mean),
            label_mean=self.label_mean,
        )

    def draw(self, n_objects: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """True values (yes-probabilities of the binary ones) and labels of new objects."""
        # Of the square roots of a matrix, Cholesky's is the one that every machine agrees on.
        latent = rng.standard_normal((n_objects, len(self.correlation))) @ np.linalg.cholesky(self.correlation).T
        x, y = latent[:, :-1], latent[:, -1]
        binary = self.binary
        truth = self.mean + self.deviation * x
        load = self.loading[binary]
        truth[:, binary] = ndtr((self.threshold[binary] + load * x[:, binary]) / np.sqrt(1 - load**2))
        return truth, self.label_mean + self.label_deviation * y

    def judge(self, attributes: Integers, truth: Floats, rng: np.random.Generator) -> Floats:
        """One judgment of each given attribute of an object with the given true value."""
        normal = truth + np.sqrt(self.noise[attributes]) * rng.standard_normal(len(truth))
        return np.where(self.binary[attributes], rng.random(len(truth)) < truth, normal)


class Crowd:
    """What all crowds have in common: objects with labels, and workers who judge them as often as asked."""

    objects: Any
    labels: pd.Series[Any]
    attributes: tuple[str, ...]
    costs: dict[str, float]
    error: ClassVar[type[ManyJudgesError]] = ManyJudgesError

    def judge(self, requests: pd.DataFrame) -> pd.DataFrame:
        """Answer requests (``object``, ``attribute``, ``count``) with judgments (with ``worker`` and ``value``).

        No worker judges the same pair twice, however often it is asked for.
        """
        objects = self._find(requests["object"], self.objects, "object")
        attributes = self._find(requests["attribute"], self.attributes, "attribute")
        counts = requests["count"].to_numpy()
        if len(counts) and (counts.dtype.kind not in "iu" or counts.min() < 0):
            raise self.error(
                f"counts of requests must be whole numbers of 0 or more, not {quote_value(counts.tolist())}."
            )
        return self._buy(np.repeat(objects, counts), np.repeat(attributes, counts))

    def pilot(self, repeats: int = 2) -> Judgments:
        """So many judgments of every attribute of every object."""
        return self.follow(dict.fromkeys(self.attributes, repeats))

    def follow(self, plan: Plan | Mapping[str, int]) -> Judgments:
        """Exactly what a plan asks for, on every object."""
        repeats = plan.repeats if isinstance(plan, Plan) else plan
        wanted = self._find(pd.Series(list(repeats), dtype=object), self.attributes, "attribute")
        each = np.repeat(wanted, np.array(list(repeats.values()), dtype=np.int64))
        n = len(self.objects)
        return Judgments.from_frame(self._buy(np.repeat(np.arange(n), len(each)), np.tile(each, n)))

    def _buy(self, objects: Integers, attributes: Integers) -> pd.DataFrame:
        """One judgment of each of these pairs."""
        raise NotImplementedError

    def _find(self, names: pd.Series[Any], known: Any, what: str) -> Integers:
        at = np.asarray(pd.Index(known).get_indexer(pd.Index(names)), dtype=np.int64)
        if (at < 0).any():
            raise self.error(f"the crowd knows no {what} {quote_value(names[at < 0].iloc[0])}.")
        return at


class SimulatedCrowd(Crowd):
    """Objects, their labels, and workers who judge them as often as asked.

    Made by :func:`height_weight`, :func:`jelly_beans` or :func:`gaussian`.

    Attributes
    ----------
    objects : array of str
    labels : pandas.Series
        By object.
    attributes : tuple of str
    costs : dict
        Price of one judgment, where it is not 1.
    truth : Moments
        The true moments of the population that the objects come from.

    Examples
    --------
    >>> from manyjudges import simulate
    >>> crowd = simulate.jelly_beans(n_objects=50, random_state=0)
    >>> crowd.pilot(2)
    Judgments: 400 judgments of 4 attributes on 50 objects by 269 workers
      each pair judged 2 times
      attributes: beautiful, monochromatic, number of beans, round jar
    """

    def __init__(self, population: Population, n_objects: int, rng: np.random.Generator, *, first: int = 1) -> None:
        self._population, self._rng, self._next = population, rng, first + n_objects
        self._values, labels = population.draw(n_objects, rng)
        self.objects = np.array([f"object {i:04d}" for i in range(first, first + n_objects)], dtype=np.object_)
        self.labels = pd.Series(labels, index=pd.Index(self.objects, name="object"), name=population.label)
        self.attributes = population.attributes
        self.costs = dict(population.costs)
        self.truth = population.moments()
        self._judged = np.zeros(self._values.shape, dtype=np.int64)
        self._first_worker = rng.integers(0, N_WORKERS, size=self._values.shape)

    def __repr__(self) -> str:
        return (
            f"SimulatedCrowd: {len(self.objects):,} objects labelled with {self.labels.name!r}, and workers who judge "
            f"{len(self.attributes)} attributes of them"
        )

    @property
    def values(self) -> pd.DataFrame:
        """What all judges would say on average: a row for each object, a column for each attribute."""
        return pd.DataFrame(self._values.copy(), index=self.labels.index, columns=list(self.attributes))

    def more(self, n_objects: int) -> SimulatedCrowd:
        """New objects of the same population."""
        other = SimulatedCrowd(self._population, n_objects, self._rng, first=self._next)
        self._next = other._next
        return other

    def _buy(self, objects: Integers, attributes: Integers) -> pd.DataFrame:
        order = np.lexsort((attributes, objects))
        objects, attributes = objects[order], attributes[order]
        cell = objects * len(self.attributes) + attributes
        worker = self._first_worker[objects, attributes] + self._judged[objects, attributes] + ranks_within(cell)
        np.add.at(self._judged, (objects, attributes), 1)
        return pd.DataFrame(
            {
                "object": self.objects[objects],
                "attribute": np.array(self.attributes, dtype=np.object_)[attributes],
                "worker": [f"worker {i:03d}" for i in worker],
                "value": self._population.judge(attributes, self._values[objects, attributes], self._rng),
            }
        )


def gaussian(
    n_objects: int = 200,
    n_attributes: int = 20,
    *,
    noise: tuple[float, float] = (0.3, 3.0),
    r_squared: float = 0.8,
    random_state: int | None = None,
) -> SimulatedCrowd:
    """A crowd with numeric attributes that vary together at random.

    Parameters
    ----------
    n_objects, n_attributes : int
    noise : pair of float
        Smallest and largest noise variance; an attribute's true values have variance 1.
    r_squared : float
        Share of the label's variance that the true values of all attributes explain.
    random_state : int, optional
    """
    rng = np.random.default_rng(random_state)
    factors = rng.standard_normal((n_attributes, max(2, n_attributes // 3)))
    latent = factors @ factors.T + np.diag(rng.uniform(0.5, 2.0, n_attributes))
    latent /= np.sqrt(np.outer(np.diag(latent), np.diag(latent)))
    direction = latent @ (rng.standard_normal(n_attributes) * (rng.random(n_attributes) < 0.5) + 1e-3)
    with_label = direction * np.sqrt(r_squared / (direction @ np.linalg.solve(latent, direction)))
    nothing = np.full(n_attributes, np.nan)
    population = Population(
        attributes=tuple(f"a{i:0{len(str(n_attributes - 1))}d}" for i in range(n_attributes)),
        correlation=np.block([[latent, with_label[:, None]], [with_label, 1.0]]),
        label_mean=10.0,
        label_deviation=2.0,
        mean=rng.uniform(-1, 1, n_attributes),
        deviation=np.ones(n_attributes),
        noise=rng.uniform(*noise, n_attributes),
        threshold=nothing,
        loading=nothing,
        costs={},
    )
    return SimulatedCrowd(population, n_objects, rng)


def jelly_beans(n_objects: int = 200, *, random_state: int | None = None) -> SimulatedCrowd:
    """Jars of jelly beans, the paper's example: guess the number of beans from a picture.

    The guess is too high for round jars and too low for beautiful ones, so that asking about those corrects it.
    """
    #                        beautiful  mono  number  round  label
    correlation = np.array([[1.00, 0.10, -0.20, 0.10, 0.15],
                            [0.10, 1.00, -0.10, 0.00, 0.15],
                            [-0.20, -0.10, 1.00, 0.35, 0.75],
                            [0.10, 0.00, 0.35, 1.00, 0.00],
                            [0.15, 0.15, 0.75, 0.00, 1.00]])  # fmt: skip
    nan = np.nan
    population = Population(
        attributes=("beautiful", "monochromatic", "number of beans", "round jar"),
        correlation=correlation,
        label_mean=1000.0,
        label_deviation=300.0,
        mean=np.array([nan, nan, 950.0, nan]),
        deviation=np.array([nan, nan, 280.0, nan]),
        noise=np.array([nan, nan, 250.0**2, nan]),
        threshold=np.array([0.2, -0.8, nan, 0.0]),
        loading=np.sqrt([0.35, 0.97, nan, 0.90]),
        costs={},
        label="beans",
    )
    return SimulatedCrowd(population, n_objects, np.random.default_rng(random_state))


def height_weight(n_objects: int = 880, *, label: str = "height", random_state: int | None = None) -> SimulatedCrowd:
    """People on photos, after the paper's table of attributes: predict their height (inches) or weight (pounds).

    The paper publishes, for 37 binary and 2 numeric attributes, how noisy each is and how it goes with both labels, but
    no judgments. This crowd has those numbers, read as v/σ² and as b/σ with the label divided by its range (a standard
    deviation of 0.25 for height and 0.18 for weight); the paper does not state the units. How often each answer is yes
    and how attributes go together beyond the labels is our own guess. A numeric judgment costs 4.
    """
    if label not in _LABELS:
        raise ManyJudgesError(f"label must be 'height' or 'weight', not {label!r}.")
    if isinstance(n_objects, bool) or not isinstance(n_objects, int | np.integer) or n_objects < 1:
        raise ManyJudgesError(f"n_objects must be a whole number of 1 or more, not {quote_value(n_objects)}.")
    with resources.files("manyjudges.simulate").joinpath("data/height_weight.csv").open(encoding="utf-8") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["attribute"])
    population = _height_weight(rows, label)
    return SimulatedCrowd(population, n_objects, np.random.default_rng(random_state))


_LABELS = {"height": (67.5, 4.0), "weight": (170.0, 45.0)}  # mean and standard deviation
_PUBLISHED_DEVIATION = {"height": 0.25, "weight": 0.18}
_HEIGHT_WITH_WEIGHT = 0.45


def _height_weight(rows: list[dict[str, str]], label: str) -> Population:
    ratio = np.array([float(row["noise_ratio"]) for row in rows])
    binary = np.array([row["kind"] == "binary" for row in rows])
    rate = np.array([float(row["rate"] or "nan") for row in rows])
    threshold = ndtri(rate)
    loading = np.array([_loading(t, r) if b else np.nan for t, r, b in zip(threshold, ratio, binary, strict=True)])
    # From the correlation of the yes-probability with the label to that of the latent value.
    spread = np.sqrt(rate * (1 - rate) / (1 + ratio))
    steeper = np.where(binary, spread / (loading * _density(threshold)), 1.0)
    with_labels = np.column_stack(
        [np.array([float(row[y]) for row in rows]) / _PUBLISHED_DEVIATION[y] * steeper for y in _LABELS]
    )
    about = [
        {"height (numerical)": "height", "weight (numerical)": "weight"}.get(row["attribute"], label) for row in rows
    ]
    deviation = np.array([0.65 * _LABELS[y][1] for y in about])
    chosen = ("height", "weight").index(label)
    return Population(
        attributes=tuple(row["attribute"] for row in rows),
        correlation=_latent_correlation(rows, with_labels, chosen),
        label_mean=_LABELS[label][0],
        label_deviation=_LABELS[label][1],
        mean=np.array([_LABELS[y][0] for y in about]),
        deviation=deviation,
        noise=ratio * deviation**2,
        threshold=threshold,
        loading=loading,
        costs={row["attribute"]: 4.0 for row in rows if row["kind"] == "number"},
        label=label,
    )


def _latent_correlation(rows: list[dict[str, str]], with_labels: Floats, chosen: int) -> Floats:
    """Latent values follow from both labels, one shared factor for each group of attributes, and their own share."""
    labels = np.array([[1.0, _HEIGHT_WITH_WEIGHT], [_HEIGHT_WITH_WEIGHT, 1.0]])
    by_labels = with_labels @ np.linalg.solve(labels, with_labels.T)
    names = sorted({row["factor"] for row in rows})
    shared = np.zeros((len(rows), len(names)))
    for i, row in enumerate(rows):
        shared[i, names.index(row["factor"])] = float(row["loading"])
    rest = shared @ shared.T
    np.fill_diagonal(rest, 1.0)
    left = np.sqrt(1 - np.diag(by_labels))
    latent = by_labels + rest * np.outer(left, left)
    c = with_labels[:, chosen]
    return np.block([[latent, c[:, None]], [c, 1.0]])


def _loading(threshold: float, ratio: float) -> float:
    """How strongly the latent value must count for the judgments to have this ratio of noise to variance."""
    rate = ndtr(threshold)
    wanted = rate * (1 - rate) / (1 + ratio)
    at = np.array([threshold])
    return float(np.sqrt(brentq(lambda rho: float(_orthant(np.array([[rho]]), at)[0, 0]) - wanted, 1e-6, 1 - 1e-9)))


def _density(x: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi))


def _orthant(correlation: Floats, threshold: Floats) -> Floats:
    """Covariance of the indicators of two normal variables being below their thresholds (Plackett's identity).

    The integral over r, from 0, of the bivariate normal density at correlation r; r = sin(angle) keeps it smooth.
    """
    angle = np.arcsin(np.clip(correlation, -1, 1))[..., None]
    at = angle * (NODES + 1) / 2
    h, k = threshold[:, None, None], threshold[None, :, None]
    exponent = -(h**2 - 2 * h * k * np.sin(at) + k**2) / np.maximum(2 * np.cos(at) ** 2, 1e-300)
    return np.asarray((np.exp(exponent) @ NODE_WEIGHTS) * angle[..., 0] / 2 / (2 * np.pi))
