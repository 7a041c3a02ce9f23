"""Crowds with known truth: the oracle of the tests, the demo and the examples.

Objects have a label and a latent normal value for each attribute. A judgment of a numeric attribute is the object's
true value plus noise; of a binary one it is yes when the latent value plus noise passes a threshold. All moments that a
plan needs then have closed forms, so that what an estimate should come to, and what a plan really costs in error, is
known.
"""

from __future__ import annotations

__all__ = ["Crowd", "Population", "SimulatedCrowd"]

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import ndtr

from manyjudges.arrays.blocks import ranks_within
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import list_names, quote_value
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.exceptions import ManyJudgesError
from manyjudges.tables.judgments import Judgments

# Gauss-Legendre on [-1, 1], for the smooth integrand of ``indicator_covariance``.
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(64)

# So many that two pairs rarely share a worker: near the paper's assumption of a new worker for each judgment.
_N_WORKERS = 500
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
    object_name: str = "object"
    worker_name: str = "worker"

    @property
    def binary(self) -> Any:
        """Which attributes are judged yes or no."""
        return ~np.isnan(self.loading)

    def moments(self) -> Moments:
        """The true moments."""
        binary = self.binary
        # Stein's lemma: a yes-probability covaries with a normal variable as its latent value does, times this slope.
        slope = np.where(
            binary, np.nan_to_num(self.loading) * normal_density(np.nan_to_num(self.threshold)), self.deviation
        )
        latent = self.correlation[:-1, :-1]
        covariance = latent * np.outer(slope, slope)
        both = np.ix_(binary, binary)
        loading, threshold = self.loading[binary], self.threshold[binary]
        # Yes, given the latent value z, has the chance that n = √(1 - λ²) e - λ z lies below t, e a normal of its own.
        # So the yes-probabilities of two attributes covary as the indicators of two such n, which correlate by λ λ'
        # Corr[z, z'].
        covariance[both] = indicator_covariance(latent[both] * np.outer(loading, loading), threshold)
        # A yes has the variance p (1 - p) in all, p its rate: what the objects have of it is on the diagonal of the
        # covariance, the rest is noise.
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
        """Latent values and labels of new objects."""
        # Of the square roots of a matrix, Cholesky's is the one that every machine agrees on.
        latent = rng.standard_normal((n_objects, len(self.correlation))) @ np.linalg.cholesky(self.correlation).T
        return latent[:, :-1], self.label_mean + self.label_deviation * latent[:, -1]

    def values(self, latent: Floats) -> Floats:
        """True values of objects with the given latent values: what all workers would say on average."""
        return self._true(np.arange(len(self.attributes)), latent)

    def judge(self, attributes: Integers, latent: Floats, workers: Integers, rng: np.random.Generator) -> Floats:
        """One judgment of each given attribute of an object with the given latent value, by the given worker."""
        truth = self._true(attributes, latent)
        normal = truth + np.sqrt(self.noise[attributes]) * rng.standard_normal(len(truth))
        return np.where(self.binary[attributes], rng.random(len(truth)) < truth, normal)

    def first_workers(self, n_objects: int, rng: np.random.Generator) -> Integers:
        """Who is asked first about each attribute of each object."""
        return rng.integers(0, _N_WORKERS, size=(n_objects, len(self.attributes)))

    def workers(self, first: Integers, turn: Integers) -> Integers:
        """Who judges in each turn: nobody judges a pair twice."""
        return first + turn

    def _true(self, attributes: Integers, latent: Floats) -> Floats:
        load, threshold = self.loading[attributes], self.threshold[attributes]
        # The average of yes over all workers is the object's yes-probability, its true value.
        yes = ndtr((threshold + load * latent) / np.sqrt(1 - load**2))
        return np.where(self.binary[attributes], yes, self.mean[attributes] + self.deviation[attributes] * latent)


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
        missing = [name for name in ("object", "attribute", "count") if name not in requests]
        if missing:
            raise self.error(
                f"requests are a table of object, attribute and count; there is no column {list_names(missing)}.",
                column=missing[0],
            )
        objects = self._find(requests["object"], self.objects, "object")
        attributes = self._find(requests["attribute"], self.attributes, "attribute")
        counts = requests["count"].to_numpy()
        if len(counts) and (counts.dtype.kind not in "iu" or counts.min() < 0):
            raise self.error(
                f"counts of requests must be whole numbers of 0 or more, not {quote_value(counts.tolist())}.",
                value=counts.tolist(),
                column="count",
            )
        return self._buy(np.repeat(objects, counts), np.repeat(attributes, counts))

    def pilot(self, repeats: int = 2) -> Judgments:
        """So many judgments of every attribute of every object."""
        check_count("repeats", repeats)
        return self.follow(dict.fromkeys(self.attributes, repeats))

    def follow(self, plan: Plan | Mapping[str, int]) -> Judgments:
        """Exactly what a plan asks for, on every object."""
        repeats = plan.repeats if isinstance(plan, Plan) else plan
        positions = self._find(pd.Series(list(repeats), dtype=object), self.attributes, "attribute")
        repeated = np.repeat(positions, np.array(list(repeats.values()), dtype=np.int64))
        n = len(self.objects)
        return Judgments.from_frame(self._buy(np.repeat(np.arange(n), len(repeated)), np.tile(repeated, n)))

    def _buy(self, objects: Integers, attributes: Integers) -> pd.DataFrame:
        """One judgment of each of these pairs."""
        raise NotImplementedError

    def _find(self, names: pd.Series[Any], available: Any, what: str) -> Integers:
        at = np.asarray(pd.Index(available).get_indexer(pd.Index(names)), dtype=np.int64)
        if (at < 0).any():
            raise self.error(
                f"the crowd knows no {what} {quote_value(names[at < 0].iloc[0])}.",
                value=names[at < 0].iloc[0],
                column=what,
            )
        return at


class SimulatedCrowd(Crowd):
    """Objects, their labels, and workers who judge them as often as asked.

    Made by :func:`essays`, :func:`height_weight`, :func:`jelly_beans` or :func:`gaussian`.

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
        check_count("n_objects", n_objects)
        self._population, self._rng, self._next = population, rng, first + n_objects
        self._latent, labels = population.draw(n_objects, rng)
        names = [f"{population.object_name} {i:04d}" for i in range(first, first + n_objects)]
        self.objects = np.array(names, dtype=np.object_)
        self.labels = pd.Series(labels, index=pd.Index(self.objects, name="object"), name=population.label)
        self.attributes = population.attributes
        self.costs = dict(population.costs)
        self.truth = population.moments()
        self._judged = np.zeros(self._latent.shape, dtype=np.int64)
        self._first_worker = population.first_workers(n_objects, rng)

    def __repr__(self) -> str:
        return (
            f"SimulatedCrowd: {len(self.objects):,} objects labelled with {self.labels.name!r}, and workers who judge "
            f"{len(self.attributes)} attributes of them"
        )

    @property
    def values(self) -> pd.DataFrame:
        """What all judges would say on average: a row for each object, a column for each attribute."""
        values = self._population.values(self._latent)
        return pd.DataFrame(values, index=self.labels.index, columns=list(self.attributes))

    def more(self, n_objects: int) -> SimulatedCrowd:
        """New objects of the same population."""
        other = SimulatedCrowd(self._population, n_objects, self._rng, first=self._next)
        self._next = other._next
        return other

    def _buy(self, objects: Integers, attributes: Integers) -> pd.DataFrame:
        order = np.lexsort((attributes, objects))
        objects, attributes = objects[order], attributes[order]
        cell = objects * len(self.attributes) + attributes
        # Some worker to begin with, and for each further judgment of the pair the next one: nobody judges a pair twice.
        turn = self._judged[objects, attributes] + ranks_within(cell)
        workers = self._population.workers(self._first_worker[objects, attributes], turn)
        np.add.at(self._judged, (objects, attributes), 1)
        return pd.DataFrame(
            {
                "object": self.objects[objects],
                "attribute": np.array(self.attributes, dtype=np.object_)[attributes],
                "worker": [f"{self._population.worker_name} {i:03d}" for i in workers],
                "value": self._population.judge(attributes, self._latent[objects, attributes], workers, self._rng),
            }
        )


def check_count(name: str, value: object) -> None:
    """Refuse a number of objects, judgments or the like that is not a whole number of 1 or more."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ManyJudgesError(
            f"{name} must be a whole number of 1 or more, not {quote_value(value)}.", value=value, column=name
        )


def normal_density(x: Floats) -> Floats:
    """φ, the density of the standard normal distribution."""
    return np.asarray(np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi))


def indicator_covariance(correlation: Floats, threshold: Floats) -> Floats:
    """Covariance of the indicators of two normal variables being below their thresholds (Plackett's identity).

    The integral over r, from 0, of the bivariate normal density at correlation r; r = sin(angle) keeps it smooth.
    """
    # d/dr of P(both below) is the bivariate density at correlation r. With r = sin(angle), dr = cos(angle) d(angle)
    # cancels the density's 1/√(1 - r²).
    angle = np.arcsin(np.clip(correlation, -1, 1))[..., None]
    at = angle * (_NODES + 1) / 2
    h, k = threshold[:, None, None], threshold[None, :, None]
    exponent = -(h**2 - 2 * h * k * np.sin(at) + k**2) / np.maximum(2 * np.cos(at) ** 2, 1e-300)
    return np.asarray((np.exp(exponent) @ _NODE_WEIGHTS) * angle[..., 0] / 2 / (2 * np.pi))
