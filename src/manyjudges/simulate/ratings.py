"""Ratings on a scale: judgments that are whole numbers, by graders of whom some are stricter than others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.moments import Moments
from manyjudges.simulate.crowd import Population, indicator_covariance, normal_density


@dataclass(frozen=True, eq=False)
class RatingPopulation(Population):
    """Objects that a fixed number of graders rate on a scale of whole numbers.

    What a grader thinks is ``mean + deviation · latent``, plus how lenient this grader is about this attribute, plus
    noise of the moment. The rating is the whole number next to it, within the scale. ``noise`` is the variance of
    leniency and noise together. Each grader rates all attributes of an object. Labels are whole points from 0 to 100.

    Parameters
    ----------
    lowest, highest : int
        Ends of the scale.
    leniency : array, shape (graders, attributes)
        What each grader adds, before rounding.
    """

    lowest: int = 1
    highest: int = 6
    leniency: Any = None

    @property
    def n_workers(self) -> int:
        """How many graders there are."""
        return len(self.leniency)

    def draw(self, n_objects: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Latent values and labels of new objects."""
        latent, labels = super().draw(n_objects, rng)
        return latent, np.clip(np.rint(labels), 0, 100)

    def first_workers(self, n_objects: int, rng: np.random.Generator) -> Integers:
        """Who is asked first about each object: the same grader about all attributes."""
        return rng.integers(0, self.n_workers, size=(n_objects, 1)).repeat(len(self.attributes), axis=1)

    def workers(self, first: Integers, turn: Integers) -> Integers:
        """Who judges in each turn: all graders one after the other, and new ones when all of them have."""
        return np.where(turn < self.n_workers, (first + turn) % self.n_workers, turn)

    def moments(self) -> Moments:
        """The true moments of the ratings.

        A rating is the lowest number plus one for each step of the scale that is passed, so that its moments are sums
        of those of yes or no questions.
        """
        spread = np.sqrt(self.deviation**2 + self.noise)
        loading = self.deviation / spread
        thresholds = (self.mean[:, None] - self._steps) / spread[:, None]
        d, n = thresholds.shape
        latent = self.correlation[:-1, :-1] * np.outer(loading, loading)
        by_step = indicator_covariance(np.asarray(np.kron(latent, np.ones((n, n)))), thresholds.ravel())
        covariance = by_step.reshape(d, n, d, n).sum(axis=(1, 3))
        chances = ndtr(thresholds)
        # Of two steps the higher one is passed only with the lower one: E[both] is the smaller chance.
        both = np.minimum(chances[:, :, None], chances[:, None, :])
        variance = (both - chances[:, :, None] * chances[:, None, :]).sum(axis=(1, 2))
        return Moments.from_values(
            cross=self.correlation[:-1, -1] * loading * normal_density(thresholds).sum(axis=1) * self.label_deviation,
            noise=variance - np.diag(covariance),
            covariance=covariance,
            label_variance=self.label_deviation**2 + 1 / 12,  # rounding adds the variance of a uniform number
            attributes=self.attributes,
            means=self.lowest + chances.sum(axis=1),
            label_mean=self.label_mean,
        )

    def values(self, latent: Floats) -> Floats:
        """The mean rating of each attribute by all graders."""
        thought = self.mean + self.deviation * latent
        passed = ndtr((thought[..., None] - self._steps) / np.sqrt(self.noise)[:, None])
        return np.asarray(self.lowest + passed.sum(axis=-1))

    def judge(self, attributes: Integers, latent: Floats, workers: Integers, rng: np.random.Generator) -> Floats:
        """One rating of each given attribute of an object with the given latent value."""
        thought = self.mean[attributes] + self.deviation[attributes] * latent
        lenient = self.leniency[workers % self.n_workers, attributes]
        left = self.noise[attributes] - np.var(self.leniency, axis=0)[attributes]
        rated = np.rint(thought + lenient + np.sqrt(left) * rng.standard_normal(len(latent)))
        return np.asarray(np.clip(rated, self.lowest, self.highest))

    @property
    def _steps(self) -> Floats:
        """Between which thoughts a rating changes by one."""
        return np.asarray(np.arange(self.lowest, self.highest) + 0.5)
