"""Dependence: whether judgments of the same worker move together, which a plan counts on them not to do.

A plan treats judgments as independent given the object. Two things break that. *Halo*: a worker who likes an object
rates all of its attributes up, so that the errors of one person's answers about an object go together. *Bias*: a worker
is higher or lower than others on every object. Both show in the residuals, the distances of judgments from the mean of
their pair, wherever workers are named.
"""

from __future__ import annotations

__all__ = ["Independence", "check_independence"]

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.frames import table
from manyjudges.exceptions import JudgmentsError
from manyjudges.judges.residuals import TINY, JudgmentResiduals, Products, residuals_of, variance_of_square
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    import pandas as pd

HALO_MATTERS = 0.2
"""Correlation of noise from which a plan goes astray.

The covariance of mean judgments holds a k-th of the noise that k shared workers have in common, and the plan takes it
for covariance of the true values. In crowds of simulate.gaussian with 5 attributes, each object judged by two workers,
plans projected a loss of 0.35 where it was 0.36 at a correlation of 0.1, 0.34 where it was 0.37 at 0.2, and 0.33 where
it was 0.40 at 0.3; with 20 attributes, 0.28 and 0.34, 0.25 and 0.37, 0.23 and 0.39. The true loss was 1, 5 and 11 %
above that of the best plan, and 6, 12 and 21 %. With nine workers a pair all of this is milder: at 0.7, 0.36 and 0.37
with 5 attributes, 0.28 and 0.34 with 20 (``benchmarks/checks.py halo``; medians, as shares of the label's variance).
"""

_SHARED_MATTERS = 0.25
"""Share of the noise of mean judgments that is common to all objects, from which noise is no longer what it is called.

Where all objects are judged by the same k workers, this is the whole bias share; where workers are drawn at random from
a pool of n, it is that times k/n, as two objects then share k²/n workers. What moves all objects alike does not blur
the differences between them, and does not average out over them: the noise is overstated by as much. With a quarter,
it is said to be a third larger than what blurs them. No benchmark sets it.
"""

_BEYOND_CHANCE = 5.0
"""Standard errors from zero below which nothing is said.

High, because the square of a single correlation strays further than a normal variable does: of 400 crowds of 10
objects and 2 attributes without any halo, 12 went beyond 3, 5 beyond 4, and 4 beyond 5; of 30 objects and 3 attributes,
6, 1 and none (``benchmarks/checks.py chance``).
"""


class Dependence(NamedTuple):
    """One way in which judgments depend on each other: what was found, what it does, and what to do about it."""

    finding: str
    why: str
    advice: str


@dataclass(frozen=True, eq=False, repr=False)
class Independence:
    """How far the judgments of the same worker move together.

    Made by :func:`check_independence`. What cannot be checked, because nobody is named or nobody judged two things,
    is NaN.

    Attributes
    ----------
    halo : float
        Typical (root-mean-square) correlation, whatever its sign, of the noise of two attributes of an object when
        the same worker judges both; what chance would give has been taken off, so it is about 0 in an independent
        crowd.
    halo_error : float
        Its standard error, over objects and workers; rather too large where halo is strong, since noise is taken as
        known.
    halo_z : float
        How far its square is from zero, in standard errors of an independent crowd.
    answers : float
        How many attributes of an object a worker judges who judges more than one.
    bias_share : float
        Share of the noise variance that is workers being always higher or lower, averaged over attributes. It may come
        out a little below zero where there is none.
    bias_error : float
        Its standard error, over workers.
    bias_z : float
        How far it is from zero, in standard errors of a crowd without biases.
    shared_noise : float
        Share of the noise of mean judgments that all objects have in common, because the same few workers, with their
        biases, judged them.
    pairs : pandas.DataFrame
        ``attribute``, ``other``, ``correlation`` of their noise, its ``std_error``, and the ``judgments`` of each that
        it rests on; the strongest first.
    attributes : pandas.DataFrame
        By attribute: ``noise``, ``bias_share``, ``std_error``, ``shared_noise``, ``workers`` and ``judgments``.
    workers : pandas.DataFrame
        ``worker``, ``judgments``, ``bias`` (how far above the others who judged the same, in standard deviations of the
        noise) and ``z``; the most striking first.
    biases : pandas.DataFrame
        The same by ``worker`` and ``attribute``, without ``z``.
    broken : bool
        Whether judgments depend on each other clearly (beyond chance) and strongly enough to matter.
    problems : tuple of Dependence
        What is wrong: ``finding``, ``why`` it matters and ``advice``.
    message : str
        What is wrong, what it does and what to do about it, or why nothing could be checked; empty when all is fine.

    Examples
    --------
    >>> from manyjudges import simulate
    >>> from manyjudges.judges.dependence import check_independence
    >>> check_independence(simulate.gaussian(200, 5, random_state=0).pilot(3)).broken
    False
    """

    halo: float
    halo_error: float
    halo_z: float
    answers: float
    bias_share: float
    bias_error: float
    bias_z: float
    shared_noise: float
    pairs: pd.DataFrame
    attributes: pd.DataFrame
    workers: pd.DataFrame
    biases: pd.DataFrame

    @property
    def opinions(self) -> float:
        """How many opinions the n ``answers`` of one worker about an object are worth, n / (1 + (n - 1) halo)."""
        return self.answers / (1 + (self.answers - 1) * min(self.halo, 1.0))

    @property
    def halo_broken(self) -> bool:
        """Whether the same worker's judgments of different attributes move together."""
        return bool(self.halo_z >= _BEYOND_CHANCE and self.halo >= HALO_MATTERS)

    @property
    def bias_broken(self) -> bool:
        """Whether a few workers with biases of their own judged most of the objects."""
        return bool(self.bias_z >= _BEYOND_CHANCE and self.shared_noise >= _SHARED_MATTERS)

    @property
    def broken(self) -> bool:
        """Whether judgments depend on each other clearly and strongly enough to matter."""
        return self.halo_broken or self.bias_broken

    @property
    def message(self) -> str:
        """What is wrong and what to do about it, or why nothing could be checked; empty when all is fine."""
        unknown = f"Whether the same worker's judgments of an object move together {self.no_halo}."
        sentences = [unknown] if np.isnan(self.halo) else []
        return " ".join([*sentences, *(" ".join(problem) for problem in self.problems)])

    @property
    def problems(self) -> tuple[Dependence, ...]:
        """What is wrong, each with what it does and what to do about it."""
        problems = []
        if self.halo_broken:
            problems.append(
                Dependence(
                    "The same worker's judgments of different attributes of an object move together (correlation "
                    f"{self.halo:.2f} on average): {self.answers:.2g} answers by one person are worth about "
                    f"{self.opinions:.2g} separate opinions.",
                    "What they share looks like a likeness of the attributes, and the projected error is often too "
                    "low.",
                    "Ask different people for different attributes; until then, do not rely on the projected error.",
                )
            )
        if self.bias_broken:
            problems.append(
                Dependence(
                    f"The same few workers judged most objects, and {self.bias_share:.0%} of the noise is that some "
                    "are always higher or lower.",
                    f"{self.shared_noise:.0%} of the noise of mean judgments is common to all objects and does not "
                    "average out.",
                    "Ask more people, each about some of the objects, or subtract each worker's own bias first.",
                )
            )
        return tuple(problems)

    @property
    def no_halo(self) -> str:
        """Why halo cannot be checked, where it cannot."""
        if not len(self.workers):
            return "cannot be checked: no worker is named who ever differed from others about the same thing"
        return "cannot be checked: no worker judged two attributes of one object, on two objects or more"

    def to_frame(self) -> pd.DataFrame:
        """The pairs of attributes whose noise moves together, the strongest first."""
        return self.pairs

    def __repr__(self) -> str:
        head = "broken" if self.broken else "cannot be checked" if np.isnan(self.halo) else "close enough"
        lines = [f"Independence of judgments: {head}", _halo_line(self), _bias_line(self)]
        if self.broken:
            lines.append(self.message)
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        rows = self.pairs.to_html(float_format="{:.3g}".format, max_rows=20, index=False)
        return f"<p>{'<br>'.join(repr(self).splitlines())}</p>{rows}"


def check_independence(judgments: Judgments) -> Independence:
    """Check, as far as workers are named, whether judgments are independent given the object.

    Parameters
    ----------
    judgments : Judgments
        With workers. A worker who judges several attributes of an object tells about halo; one who judges an attribute
        of several objects, about bias.
    """
    if not isinstance(judgments, Judgments):
        raise JudgmentsError(
            f"judgments must be a Judgments, not {type(judgments).__name__}; make one with from_frame or from_array.",
            value=judgments,
            column="judgments",
        )
    tally = judgments.cells().tally()
    noise = tally.variance / np.maximum(tally.repeated, 1)
    residuals = residuals_of(judgments, noise)
    # Residuals are in standard deviations of their attribute's noise, so that their products can be averaged over
    # attributes, and come to correlations.
    halo, pairs = _halo(residuals, judgments.attributes)
    attributes = _by_attribute(residuals, judgments.attributes, noise)
    bias, chance = _average(attributes, "bias_share"), _average(attributes, "chance")
    return Independence(
        halo=halo.halo,
        halo_error=halo.error,
        halo_z=halo.z,
        answers=halo.answers,
        bias_share=bias,
        bias_error=_average(attributes, "std_error"),
        bias_z=bias / chance,
        shared_noise=_average(attributes, "shared_noise"),
        pairs=pairs,
        attributes=attributes.drop(columns="chance"),
        workers=_by_worker(residuals, judgments.workers),
        biases=_by_worker_and_attribute(residuals, judgments.workers, judgments.attributes),
    )


def _average(attributes: pd.DataFrame, column: str) -> float:
    """Mean over attributes by their judgments; of errors, too, as if all attributes erred together."""
    values = attributes[column].to_numpy(dtype=float)
    finite = np.isfinite(values)
    # The same workers judge all attributes, so that errors may all go one way: their mean is then the error of the
    # mean, and else it is too large rather than too small.
    weight = attributes["judgments"].to_numpy(dtype=float)[finite]
    return float(weight @ values[finite] / weight.sum()) if finite.any() else float("nan")


@dataclass(frozen=True)
class _Halo:
    halo: float = float("nan")
    error: float = float("nan")
    z: float = float("nan")
    answers: float = float("nan")


@dataclass(frozen=True)
class _Bias:
    bias_share: float = float("nan")
    std_error: float = float("nan")
    chance: float = float("nan")  # standard error if there were no bias
    shared_noise: float = float("nan")
    workers: int = 0
    judgments: int = 0


def _halo(residuals: JudgmentResiduals, names: tuple[str, ...]) -> tuple[_Halo, pd.DataFrame]:
    answers = np.bincount(residuals.sittings)
    several = residuals.take(answers[residuals.sittings] > 1)
    products = Products.of(several)
    at = np.nonzero(np.triu((products.expected > TINY) & np.isfinite(products.variance), 1))
    expected = products.expected[at]
    correlation, error = products.total[at] / expected, np.sqrt(products.variance[at]) / expected
    frame = _pairs(names, at, correlation, error, products.count[at])
    if not len(expected):
        return _Halo(), frame
    weight = expected / expected.sum()
    # The square of an estimate is too large by its squared error. Squares, so that opposites do not cancel.
    square = float(weight @ (correlation**2 - error**2))
    # Without halo r is about normal about 0, and r² - e² has the variance 2 e⁴.
    chance = float(np.sqrt(2 * weight**2 @ error**4))
    pull = np.zeros_like(products.total)
    # The square moves with the total of a pair by 2 · weight · r / expected; pull + pull' has the 2. Where every r is 0
    # this says nothing, and chance is all the spread there is.
    pull[at] = weight * correlation / expected
    spread = np.sqrt(variance_of_square(several, products.mean, pull + pull.T) + chance**2)
    halo = float(np.sqrt(max(square, 0.0)))
    # How far up one standard error of the square takes the root: spread / 2 halo, unless halo is next to nothing.
    reach = float(np.sqrt(halo**2 + spread)) - halo
    return _Halo(halo, reach, square / chance if chance > 0 else 0.0, float(answers[answers > 1].mean())), frame


def _pairs(names: tuple[str, ...], at: Any, correlation: Floats, error: Floats, count: Floats) -> pd.DataFrame:
    order = np.argsort(-np.abs(correlation), kind="stable")
    named = np.array(names, dtype=np.object_)
    return table(
        {
            "attribute": named[at[0][order]],
            "other": named[at[1][order]],
            "correlation": correlation[order],
            "std_error": error[order],
            "judgments": np.rint(count[order]).astype(np.int64),
        }
    )


def _by_attribute(residuals: JudgmentResiduals, names: tuple[str, ...], noise: Floats) -> pd.DataFrame:
    order = np.argsort(residuals.attributes, kind="stable")
    cuts = np.searchsorted(residuals.attributes[order], np.arange(len(names) + 1))
    biases = [_bias(residuals.take(order[cuts[i] : cuts[i + 1]])) for i in range(len(names))]
    columns = {field: [getattr(bias, field) for bias in biases] for field in _Bias.__dataclass_fields__}
    return table({"noise": noise} | columns, index=names, index_name="attribute")


def _bias(residuals: JudgmentResiduals) -> _Bias:
    """Worker bias of one attribute, from products of a worker's residuals on different objects."""
    if not len(residuals.values):
        return _Bias()
    objects, at = np.unique(residuals.objects, return_inverse=True)
    workers, who = np.unique(residuals.workers, return_inverse=True)
    n, share = np.bincount(who), np.bincount(who, weights=residuals.share)
    total = np.bincount(who, weights=residuals.values)
    # Of each worker, Σ x[o] x[p] over pairs of different objects is (Σ x)² - Σ x². Residuals of different objects have
    # nothing in common but the worker: without bias the sum averages 0, with it the bias's variance for each product.
    products = total**2 - np.bincount(who, weights=residuals.values**2)
    pairs = n * (n - 1.0)
    # As for two attributes, a product keeps 1 - 1/k - 1/l + m/(k l) of the bias; here k, l and m are of two objects.
    expected = float((pairs - 2 * (n - 1) * share).sum()) + _met_again(at, who, residuals.share) - len(objects)
    if expected <= TINY * max(float(pairs.sum()), 1.0):
        return _Bias(workers=len(workers), judgments=len(who))
    # Noise is 1 in these units, so that the bias's variance is its share of the noise.
    bias_share = float(products.sum()) / expected
    # How far each worker's sum is from what the mean product makes of its pairs; freedom is 1 - 1/n for n workers
    # alike.
    apart = products - pairs * (products.sum() / pairs.sum())
    freedom = max(1 - float(pairs @ pairs) / float(pairs.sum()) ** 2, TINY)
    # The square of a normal total about 0 with the variance s has the variance 2 s².
    own = n - share  # what the squared total of a worker without bias comes to
    one_object = float(residuals.share @ residuals.share)  # Σ 1/k over objects
    two_objects = float(share @ share) - one_object  # Σ m/(k l) over pairs of them
    return _Bias(
        bias_share=bias_share,
        std_error=float(np.sqrt(apart @ apart / freedom)) / expected if freedom > TINY else float("nan"),
        chance=float(np.sqrt(2 * own @ own)) / expected,
        # Mean judgments of two objects share m workers and so bias · m/(k l), and one has the noise 1/k: the average of
        # the first over pairs of objects by that of the second over objects.
        shared_noise=max(bias_share, 0.0) * two_objects / one_object / max(len(objects) - 1, 1),
        workers=len(workers),
        judgments=len(who),
    )


def _met_again(objects: Integers, workers: Integers, share: Floats) -> float:
    """Σ m²/(k l) over all pairs of objects, m workers of which judged both; each with itself, too.

    The same as the summed squares of how often, in shares of an object, two workers met. Whichever of the two tables
    takes less to make is made.
    """
    root = np.sqrt(share)
    judged = sparse.csr_array((root, (objects, workers)))
    by_worker = (np.bincount(workers).astype(float) ** 2).sum()
    by_object = (np.bincount(objects).astype(float) ** 2).sum()
    met = judged @ judged.T if by_worker <= by_object else judged.T @ judged
    return float((met.data**2).sum())


def _by_worker(residuals: JudgmentResiduals, names: Any) -> pd.DataFrame:
    n, who = len(names), residuals.workers
    count = np.bincount(who, minlength=n)
    free = np.bincount(who, weights=1 - residuals.share, minlength=n)
    total = np.bincount(who, weights=residuals.values, minlength=n)
    # Where the judgments of a sitting go together they tell less; all of z is made smaller by as much.
    sums = np.bincount(residuals.sittings, weights=residuals.values)
    inflation = max(float(sums @ sums) / max(float(free.sum()), TINY), 1.0)
    seen = np.flatnonzero(count)
    # A residual from the mean of k judgments keeps 1 - 1/k of a judgment's variance, and of its worker's bias.
    z = total[seen] / np.sqrt(inflation * free[seen])
    order = np.argsort(-np.abs(z), kind="stable")
    chosen = seen[order]
    bias = total[chosen] / free[chosen]
    return table({"worker": names[chosen], "judgments": count[chosen], "bias": bias, "z": z[order]})


def _by_worker_and_attribute(residuals: JudgmentResiduals, names: Any, attributes: tuple[str, ...]) -> pd.DataFrame:
    d = len(attributes)
    key, at = np.unique(residuals.workers * d + residuals.attributes, return_inverse=True)
    total, free = np.bincount(at, weights=residuals.values), np.bincount(at, weights=1 - residuals.share)
    named = np.array(attributes, dtype=np.object_)
    return table(
        {"worker": names[key // d], "attribute": named[key % d], "judgments": np.bincount(at), "bias": total / free}
    )


def _halo_line(independence: Independence) -> str:
    if np.isnan(independence.halo):
        return f"different attributes of an object: {independence.no_halo}"
    return (
        f"different attributes of an object by the same worker: noise correlates {independence.halo:.2f} on average "
        f"(standard error {independence.halo_error:.2g}; {len(independence.pairs):,} pairs of attributes)"
    )


def _bias_line(independence: Independence) -> str:
    if np.isnan(independence.bias_share):
        return "the same attribute of different objects: cannot be checked; no worker judged one on two objects"
    return (
        f"the same attribute of different objects: {max(independence.bias_share, 0):.0%} of the noise is workers being "
        f"always higher or lower ({len(independence.workers):,} workers)"
    )
