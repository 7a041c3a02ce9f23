"""Agreement: how far a worker's judgments go with what others said of the same things. Arrays in, arrays out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyjudges.arrays.sums import MEAN_TOLERANCE
from manyjudges.arrays.types import Floats, Integers

# As if the crowd's own agreement had been seen in 20 comparisons more. A trade-off that no benchmark sets: less, and a
# worker of a few judgments is called good or bad by chance; more, and good work takes longer to show.
SHRINK = 20.0
"""Comparisons whose weight the crowd's overall agreement has in that of a single worker."""

LEAST_NOISE = 0.01
"""Noise of standardised judgments that is taken for granted: a crowd that agreed fully so far may yet differ.

A hundredth of an attribute's variance, which no benchmark sets: without it, the first who differs in such a crowd would
be infinitely far from typical.
"""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Judgments beside the mean of what others said of the same pair, both standardised within their attribute.

    Attributes
    ----------
    rows : array of int
        Which of the given judgments have others to be compared with.
    own, others : arrays
        The judgment and the mean of the others' ones, in standard deviations of the attribute's judgments.
    attributes : array of int
    slope, noise : arrays, by attribute
        What the crowd shows: ``own = slope · others`` on average, give or take a variance of ``noise``. The noise is
        measured where others are far from the middle, since only there they say anything: a rare "yes" is noisy.
    typical : array, by attribute
        Correlation of both over the crowd; 0 where there is none.
    """

    rows: Integers
    own: Floats
    others: Floats
    attributes: Integers
    slope: Floats
    noise: Floats
    typical: Floats

    @classmethod
    def of(cls, values: Floats, pairs: Integers, attributes: Integers, n_attributes: int) -> Comparisons:
        """Compare each judgment with the other ones of its pair, of which no worker has two."""
        standard, varies = _standardised(values, attributes, n_attributes)
        # The mean of the others is the pair's sum less the judgment itself: compared with a mean that it is part of, a
        # judgment would agree with itself.
        many = np.bincount(pairs)[pairs]
        total = np.bincount(pairs, weights=standard)[pairs]
        rows = np.flatnonzero((many > 1) & varies[attributes])
        own, which = standard[rows], attributes[rows]
        others = (total[rows] - own) / (many[rows] - 1)
        return cls(rows, own, others, which, *_typical(own, others, which, n_attributes))

    def correlation(self, groups: Integers, n_groups: int) -> tuple[Floats, Floats]:
        """Correlation of own and others' judgments within the attributes of each group, with standard errors.

        The errors are those of the estimating equation, which hold for a rare "yes", too. NaN where there is none to be
        had: no two of one attribute, or one of both never differs.
        """
        x, y = self._centred(groups)
        sums = [np.bincount(groups, weights=products, minlength=n_groups) for products in (x * y, x * x, y * y)]
        varies = (sums[1] > MEAN_TOLERANCE) & (sums[2] > MEAN_TOLERANCE)
        mine, theirs = (np.where(varies, squares, 1.0) for squares in sums[1:])
        correlation = np.where(varies, sums[0] / np.sqrt(mine * theirs), np.nan)
        # What each comparison adds to r - ρ to first order, r = Σxy / √(Σx² Σy²): its sum is 0 at r, and the root of
        # its sum of squares is the standard error, with no assumption of normal values.
        pull = x * y / np.sqrt(mine * theirs)[groups] - correlation[groups] / 2 * (
            x**2 / mine[groups] + y**2 / theirs[groups]
        )
        error = np.sqrt(np.bincount(groups, weights=pull**2, minlength=n_groups))
        return correlation, np.where(varies, error, np.nan)

    def expected(self, groups: Integers, n_groups: int) -> Floats:
        """Correlation that the crowd shows on the attributes of each group; NaN where there is no comparison."""
        n = np.bincount(groups, minlength=n_groups)
        total = np.bincount(groups, weights=self.typical[self.attributes], minlength=n_groups)
        return np.where(n > 0, total / np.maximum(n, 1), np.nan)

    def relative(self, groups: Integers, n_groups: int) -> tuple[Floats, Floats]:
        """How much of the agreement that the crowd shows on the same questions each group shows, with standard errors.

        1 is typical, 0 is chance. It is the slope of own on others' judgments by that of the crowd, over attributes by
        weighted least squares. NaN where nothing can be known.
        """
        x, y = self._centred(groups)
        # Model: x = θ · slope · y + noise, θ the same over attributes. Least squares weighed by 1/noise: θ is Σ slope ·
        # x · y / noise, by Σ slope² · y² / noise, and its variance is one over the latter.
        weight = (self.slope / self.noise)[self.attributes]
        score = np.bincount(groups, weights=weight * x * y, minlength=n_groups)
        following = np.bincount(groups, weights=weight * self.slope[self.attributes] * y * y, minlength=n_groups)
        fine = following > MEAN_TOLERANCE
        following = np.where(fine, following, 1.0)
        return np.where(fine, score / following, np.nan), np.where(fine, 1 / np.sqrt(following), np.nan)

    def _centred(self, groups: Integers) -> tuple[Floats, Floats]:
        """Own and others' judgments about their means in each group and attribute.

        So being always high or low is no disagreement, and it is no agreement that one attribute is judged higher than
        another.
        """
        cells, at = np.unique(groups * max(len(self.slope), 1) + self.attributes, return_inverse=True)
        n = np.bincount(at, minlength=len(cells))
        return self.own - _mean(self.own, at, n), self.others - _mean(self.others, at, n)

    def standard_deviation(self, groups: Integers, n_groups: int) -> Floats:
        """Standard deviation of the others' means in each group; 0 where there are none."""
        n = np.bincount(groups, minlength=n_groups)
        away = self.others - _mean(self.others, groups, n)
        return np.asarray(np.sqrt(np.bincount(groups, weights=away**2, minlength=n_groups) / np.maximum(n, 1)))


def shrunk(correlation: Floats, number: Integers, overall: float) -> Floats:
    """Correlations pulled toward that of the crowd, the more so the fewer comparisons they rest on.

    >>> shrunk(np.array([1.0, 1.0]), np.array([20, 180]), 0.5).round(2)
    array([0.75, 0.95])
    """
    return (number * correlation + SHRINK * overall) / (number + SHRINK)


def _mean(values: Floats, groups: Integers, n: Integers) -> Floats:
    """The mean of each value's group."""
    return np.asarray((np.bincount(groups, weights=values, minlength=len(n)) / np.maximum(n, 1))[groups])


def _standardised(values: Floats, attributes: Integers, n_attributes: int) -> tuple[Floats, Any]:
    """Values in standard deviations of their attribute, and which attributes vary at all."""
    n = np.bincount(attributes, minlength=n_attributes)
    centre = np.bincount(attributes, weights=values, minlength=n_attributes) / np.maximum(n, 1)
    away = values - centre[attributes]
    deviation = np.sqrt(np.bincount(attributes, weights=away**2, minlength=n_attributes) / np.maximum(n, 1))
    # Above what rounding of the mean may have made of equal values.
    varies = deviation > MEAN_TOLERANCE * np.abs(centre)
    return away / np.where(varies, deviation, 1.0)[attributes], varies


def _typical(own: Floats, others: Floats, attributes: Integers, n_attributes: int) -> tuple[Floats, Floats, Floats]:
    """Slope of judgments on others' means by attribute, none where it is below 0; the noise about it; correlation."""

    def total(weights: Floats) -> Floats:
        return np.asarray(np.bincount(attributes, weights=weights, minlength=n_attributes), dtype=np.float64)

    n = np.bincount(attributes, minlength=n_attributes)
    x, y = own - _mean(own, attributes, n), others - _mean(others, attributes, n)
    mine, theirs, together = total(x * x), total(y * y), total(x * y)
    telling = (theirs > MEAN_TOLERANCE * np.maximum(n, 1)) & (mine > MEAN_TOLERANCE * np.maximum(n, 1))
    mine, theirs = np.where(telling, mine, 1.0), np.where(telling, theirs, 1.0)
    slope = np.where(telling, together / theirs, 0.0)
    # Weighed by y², as the slope's own error is: Σ y² residual² / Σ y².
    noise = total((y * (x - slope[attributes] * y)) ** 2) / theirs
    correlation = np.where(telling, together / np.sqrt(mine * theirs), 0.0)
    # A crowd that goes against itself has nothing to be compared with: slope 0, and so no weight in ``relative``.
    return np.maximum(slope, 0.0), np.maximum(noise, LEAST_NOISE), correlation
