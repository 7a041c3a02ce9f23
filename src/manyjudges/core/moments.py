"""Moments: the numbers that a plan is made from, estimated from repeated judgments.

The paper's estimates are Alg. 1, lines 3 to 10; CONTRIBUTING.md has the table of notation.
"""

from __future__ import annotations

__all__ = ["Moments"]

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from numbers import Real
from operator import add
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.gram import Gram
from manyjudges.arrays.judgment_array import JudgedArray
from manyjudges.arrays.libraries import (
    NUMPY,
    all_finite,
    backend_of,
    common_backend,
    counted,
    diagonal,
    freeze,
    is_foreign,
    place,
    set_diagonal,
    to_numpy,
)
from manyjudges.arrays.sums import MEAN_TOLERANCE, Sums
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.frames import table
from manyjudges.base.messages import list_names, quote_value
from manyjudges.core.estimation import (
    all_attributes,
    check_enough,
    check_judged,
    check_noiseless,
    check_rest,
    check_shapes,
    check_sums,
    check_taming,
    error_of_means,
    expand_attributes,
    external_covariance,
)
from manyjudges.core.psd import NO_VALUES, make_psd, symmetrize
from manyjudges.exceptions import MomentsError

if TYPE_CHECKING:
    import pandas as pd


class JudgmentTable(Protocol):
    """What the mathematics asks of a table of judgments; :class:`manyjudges.Judgments` provides it."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names, in the order of the cells' columns."""

    @property
    def skipped(self) -> int:
        """Invalid rows that were left out when the table was made."""

    def match(self, labels: Any, *, unmatched: str = "error") -> tuple[Self, Floats]:
        """Bring judgments and labels together."""

    def blocks(self) -> Iterator[Cells]:
        """Cells of all objects, some after the others."""


@dataclass(frozen=True, eq=False, repr=False)
class Moments:
    """How attributes vary, how workers disagree, and how both go with the label.

    Made by :meth:`estimate` from judgments, by :meth:`from_array` from a tensor of them, or by :meth:`from_values` from
    numbers that are already known. Arrays are in the order of ``attributes`` and read-only; they are of the library
    and on the device of what they were made from, and :meth:`to_numpy` brings them back. Moments of disjoint sets of
    objects add up: ``Moments.estimate(a, ya) + Moments.estimate(b, yb)`` is what one pass over all of them gives.

    Attributes
    ----------
    attributes : tuple of str
    cross : (d,) array
        Covariance of each attribute with the label (b in the paper).
    noise : (d,) array
        How much workers disagree about one object, averaged over objects (v, the internal variance).
    matrix : Gram
        How the objects' true values vary together (Σ, the external covariance), positive semi-definite;
        ``covariance`` is the same as a (d, d) array, ``variances`` its diagonal.
    label_variance : float
    n_objects : int
    means : (d,) array
        Mean judgment of each attribute.
    label_mean : float
    scale : (d,) array
        Standard deviation of the mean judgments: the unit of the positive semi-definite step and of ``ridge``.
    judgments : (d,) array of int
        Judgments at hand.
    noiseless : frozenset of str
        Attributes that were said to be measured without error.
    sums : Sums, optional
        What the moments were estimated from; None where they were given or regularized.
    skipped : int
        Rows that were no judgments, and were left out by :func:`scan_moments`.
    removed : array of NumPy
        Negative eigenvalues of the covariance in the units of ``scale``, which were set to zero.

    Examples
    --------
    >>> from manyjudges import Moments, simulate
    >>> crowd = simulate.jelly_beans(n_objects=200, random_state=0)
    >>> moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    >>> moments.attributes
    ('beautiful', 'monochromatic', 'number of beans', 'round jar')
    >>> moments.to_frame().loc["number of beans", "judgments"]
    np.int64(400)
    """

    attributes: tuple[str, ...]
    cross: Floats
    noise: Floats
    matrix: Gram
    label_variance: float
    n_objects: int
    means: Floats
    label_mean: float
    scale: Floats
    judgments: Integers
    noiseless: frozenset[str] = frozenset()
    sums: Sums | None = field(default=None, repr=False)
    skipped: int = 0
    removed: Floats = field(default_factory=lambda: NO_VALUES, repr=False)

    def __post_init__(self) -> None:
        for array in (self.cross, self.noise, self.means, self.scale, self.judgments, self.removed):
            freeze(array)

    @cached_property
    def covariance(self) -> Floats:
        """How the objects' true values vary together."""
        freeze(self.matrix.dense)
        return self.matrix.dense

    @cached_property
    def variances(self) -> Floats:
        """Its diagonal."""
        return self.matrix.diagonal

    @classmethod
    def estimate(
        cls, judgments: JudgmentTable, labels: Any, *, noiseless: Collection[str] = (), unmatched: str = "error"
    ) -> Moments:
        """Estimate the moments from judgments of labelled objects.

        Parameters
        ----------
        judgments : Judgments
            Any number of judgments a pair; each attribute needs two or more on some object.
        labels : Series, mapping or array
            By object, or an array in the order of ``judgments.objects``.
        noiseless : collection of str
            Attributes that are measured without error, so that one value an object is enough.
        unmatched : {"error", "drop"}
            What to do about objects without a label and labels of unknown objects.
        """
        check_judged(judgments)
        check_noiseless(noiseless, judgments.attributes)
        matched, y = judgments.match(labels, unmatched=unmatched)
        check_enough(len(y))
        moments = cls.from_sums(matched.attributes, Sums.over(matched.blocks(), y), frozenset(noiseless))
        return replace(moments, skipped=judgments.skipped)

    @classmethod
    def from_scan(
        cls, attributes: tuple[str, ...], sums: Sequence[Sums], noiseless: Collection[str], skipped: int
    ) -> Moments:
        """The estimate from sums over several parts of the objects."""
        check_noiseless(noiseless, attributes)
        total = sums[0]
        for part in sums[1:]:
            total = total + part
        check_enough(total.n_objects)
        return replace(cls.from_sums(attributes, total, frozenset(noiseless)), skipped=skipped)

    @classmethod
    def from_array(
        cls,
        values: Any,
        labels: Any,
        *,
        attributes: Sequence[str] | None = None,
        noiseless: Collection[str] = (),
    ) -> Moments:
        """Estimate the moments from an array of judgments, where it lies: a tensor on a GPU is summed up there.

        What comes out is what :meth:`estimate` gives for ``Judgments.from_array(values)``, to rounding.

        Parameters
        ----------
        values : array of (objects, attributes, judgments)
            NaN where not collected. Of NumPy, PyTorch or another library that follows the array API standard; whatever
            its precision, it is computed with in double precision.
        labels : array of (objects,)
            Of the same library and on the same device, or of NumPy.
        attributes : sequence of str, optional
            Names along the second axis; ``x0``, ``x1``, … unless given.
        noiseless : collection of str
            Attributes that are measured without error, so that one value an object is enough.

        >>> X = [[[1.0, 2.0]], [[3.0, 4.0]], [[6.0, 5.0]], [[8.0, 9.0]]]
        >>> Moments.from_array(X, [1.0, 2.0, 3.0, 4.0]).noise
        array([0.5])
        """
        judged = JudgedArray.of(values, labels, attributes)
        check_noiseless(noiseless, judged.attributes)
        check_enough(judged.labels.shape[0])
        # Block after block, so that only one block of cells is there at a time, whatever the size of the array.
        sums = reduce(add, (Sums.of(cells, y) for cells, y in judged.blocks()))
        return cls.from_sums(judged.attributes, sums, frozenset(noiseless))

    @classmethod
    def from_values(
        cls,
        cross: ArrayLike,
        noise: ArrayLike,
        covariance: ArrayLike,
        label_variance: float,
        *,
        attributes: Sequence[str] | None = None,
        means: ArrayLike | None = None,
        label_mean: float = 0.0,
        n_objects: int = 0,
    ) -> Moments:
        """Moments that are known rather than estimated: a simulation's truth, or another study's results.

        ``covariance`` is made positive semi-definite where it is not. Such moments cannot be added up.

        >>> Moments.from_values([1.0, 0.5], [1.0, 0.0], [[2.0, 0.0], [0.0, 1.0]], 3.0).attributes
        ('x0', 'x1')
        """
        backend = common_backend(cross=cross, noise=noise, covariance=covariance, means=means)
        arrays = {"cross": cross, "noise": noise, "covariance": covariance}
        b, v, sigma = (backend.floats(array, f"values of {name}") for name, array in arrays.items())
        d = b.shape[0] if b.ndim == 1 else -1
        names = tuple(f"x{i}" for i in range(d)) if attributes is None else tuple(map(str, attributes))
        mean = backend.full((max(d, 0),), 0.0) if means is None else backend.floats(means, "values of means")
        sigma = backend.xp.reshape(sigma, (0, 0)) if d == 0 else sigma
        check_shapes(d, sigma, cross=b.shape, noise=v.shape, means=mean.shape, attributes=(len(names),))
        if len(set(names)) < d:
            twice = next(n for n in names if names.count(n) > 1)
            raise MomentsError(f"attribute {twice!r} is named twice.", value=twice, column="attributes")
        label_mean, label_variance = (to_numpy(a).item() if is_foreign(a) else a for a in (label_mean, label_variance))
        finite = {
            "cross": b,
            "covariance": sigma,
            "means": mean,
            "label_mean": NUMPY.floats(label_mean, "values of label_mean"),
        }
        if infinite := [name for name, array in finite.items() if not all_finite(array)]:
            raise MomentsError("cross, covariance, means and label_mean must be finite numbers.", column=infinite[0])
        if not (all_finite(v) and bool(backend.xp.all(v >= 0))):
            negative = to_numpy(v)[~(to_numpy(v) >= 0)]
            raise MomentsError(
                f"noise must not be negative; it is {list_names(negative)}.", value=float(negative[0]), column="noise"
            )
        if not (isinstance(label_variance, Real) and np.isfinite(float(label_variance)) and float(label_variance) > 0):
            raise MomentsError(
                f"label_variance must be a positive number, not {quote_value(label_variance)}.",
                value=label_variance,
                column="label_variance",
            )
        if not symmetrize(sigma):
            raise MomentsError("covariance must be symmetric.", column="covariance")
        # There are no mean judgments of which to take the standard deviation; that of the true values stands in.
        scale = backend.xp.sqrt(backend.xp.maximum(diagonal(sigma), 0.0))
        removed = make_psd(sigma, scale)
        return cls(
            attributes=names,
            cross=b,
            noise=v,
            matrix=Gram(sigma),
            label_variance=float(label_variance),
            n_objects=n_objects,
            means=mean,
            label_mean=float(label_mean),
            scale=scale,
            judgments=backend.full((d,), 0),
            removed=removed,
        )

    @classmethod
    def from_sums(cls, attributes: tuple[str, ...], sums: Sums, noiseless: frozenset[str]) -> Moments:
        """The estimate from sums over objects."""
        backend = backend_of(sums.means)
        xp, objects = backend.xp, counted(sums.objects)
        exact = backend.array(np.array([name in noiseless for name in attributes], dtype=bool))
        check_sums(attributes, sums, exact)
        # Alg. 1, line 5: the mean of VarEst over the objects with two judgments or more.
        noise = xp.where(exact, 0.0, sums.variance / counted(xp.maximum(sums.repeated, 1)))
        # The standard deviation of the mean judgments, noise included: unlike that of the true values it is never
        # negative, whatever chance did, and so a unit to standardize by. By n, not n - 1, as cross, covariance and
        # label variance are (the paper's estimates): the common factor n / (n - 1) would change no plan.
        scale = xp.sqrt(xp.maximum(sums.products.diagonal, 0.0) / objects)
        # Means that differ by rounding alone do not differ: 2 of 3 may be 0.6666666666666666 or …67.
        flat = scale <= MEAN_TOLERANCE * (xp.abs(sums.means) + xp.sqrt(noise))
        if sums.lost is not None:  # nor where others were taken away, and what is left is no more than their rounding
            flat |= sums.products.diagonal <= sums.lost
        scale = xp.where(flat, 0.0, scale)
        # Alg. 1, line 10: the mean of x̄ x̄' less the noise of the means on its diagonal, and MakePSD of that.
        matrix, removed = external_covariance(sums, error_of_means(sums, noise, exact), scale)
        return cls(
            attributes=attributes,
            # What does not vary covaries with nothing; what rounding left would be divided by a variance of 0.
            cross=xp.where(flat, 0.0, sums.cross / objects),
            noise=noise,
            matrix=matrix,
            # E[Y²] about the empirical mean: centring everything is the paper's constant feature (Implementation), done
            # once.
            label_variance=sums.label_scatter / sums.n_objects,
            n_objects=sums.n_objects,
            means=xp.asarray(sums.means, copy=True),
            label_mean=sums.label_mean,
            scale=scale,
            judgments=xp.asarray(sums.judgments, copy=True),
            noiseless=noiseless,
            sums=sums,
            removed=removed,
        )

    def __add__(self, other: object) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if self.sums is None or other.sums is None:
            raise MomentsError(
                "only moments that were estimated from judgments add up; these were given or regularized. "
                "Add first, then regularize."
            )
        here, there = backend_of(self.cross), backend_of(other.cross)
        if here != there:
            places = f"one of these moments lies on {place(here)}, the other on {place(there)}"
            raise MomentsError(f"{places}; bring both to one, with to_numpy() for example.", value=place(there))
        shared = set(self.attributes) & set(other.attributes)
        # Noiseless says that v is 0 whatever the sums hold, so that both must say it: there is no v between the two.
        if odd := sorted((self.noiseless ^ other.noiseless) & shared):
            raise MomentsError(
                f"{list_names(odd)} is noiseless in one of the two moments and not in the other.", column=odd[0]
            )
        names = all_attributes(self.attributes, other.attributes)
        # An attribute that one of the two lacks was judged on none of its objects; its expanded sums say so, by counts
        # of 0.
        left, right = (expand_attributes(m.sums, m.attributes, names) for m in (self, other) if m.sums is not None)
        together = self.from_sums(names, left + right, self.noiseless | other.noiseless)
        return replace(together, skipped=self.skipped + other.skipped)

    def update(
        self, judgments: JudgmentTable, labels: Any, *, replacing: JudgmentTable | None = None, unmatched: str = "error"
    ) -> Moments:
        """These moments with more objects, or with more judgments of objects that they know already.

        Sums are all that is kept of the objects so far, so nothing of them is read again. The result is what
        :meth:`estimate` gives on all judgments, to rounding: also to that of the judgments that are replaced, which
        shows where those were millions of times as large as the others.

        Parameters
        ----------
        judgments, labels, unmatched
            As for :meth:`estimate`. Of objects that are new; or, with ``replacing``, all judgments that objects have
            now.
        replacing : Judgments, optional
            All judgments that those among the objects which are not new had before, when they were counted; labels
            are the same. More than was ever counted is refused, but whether these are the very judgments that were,
            sums cannot tell.

        Examples
        --------
        >>> from manyjudges import Judgments, Moments, simulate
        >>> crowd = simulate.jelly_beans(n_objects=200, random_state=0)
        >>> pilot = crowd.pilot(2)
        >>> moments = Moments.estimate(pilot[:150], crowd.labels[:150])
        >>> moments = moments.update(pilot[150:], crowd.labels[150:])
        >>> moments.n_objects
        200

        More judgments of some that are known, as a plan asks for them:

        >>> from manyjudges import select
        >>> known, some = pilot[:10], crowd.labels[:10]
        >>> more = Judgments.from_frame(crowd.judge(select(moments, budget=12).missing(known)))
        >>> moments = moments.update(known + more, some, replacing=known)
        >>> moments.n_objects
        200
        """
        if self.sums is None:
            raise MomentsError("only moments that were estimated from judgments can be updated; these were not.")
        if is_foreign(self.cross):
            raise MomentsError(
                f"tables are summed up by NumPy, but these moments lie on {place(backend_of(self.cross))}; "
                "use to_numpy() first, or add those of Moments.from_array.",
                value=place(backend_of(self.cross)),
            )
        parts = [(self.attributes, self.sums)]
        for batch in (replacing, judgments):
            if batch is not None:
                check_judged(batch)
                matched, y = batch.match(labels, unmatched="drop" if batch is replacing else unmatched)
                parts.append((matched.attributes, Sums.over(matched.blocks(), y)))
        names = self.attributes
        for attributes, _ in parts[1:]:
            names = all_attributes(names, attributes)
        every = [expand_attributes(sums, attributes, names) for attributes, sums in parts]
        rest = every[0]
        if replacing is not None:
            # Sums know no objects by name. What an object had must leave before what it has now comes, or it is counted
            # twice.
            rest = rest - every[1]
            check_rest(names, every[0], rest)
        total = rest + every[-1]
        check_enough(total.n_objects)
        return replace(self.from_sums(names, total, self.noiseless), skipped=self.skipped)

    def regularized(self, *, ridge: float = 0.0, shrinkage: float = 0.0) -> Moments:
        """The same moments with a tamer covariance, for samples too small to trust all of it.

        Parameters
        ----------
        ridge : float
            Added to the diagonal, in units of each attribute's squared ``scale``.
        shrinkage : float between 0 and 1
            How far to go from the estimated covariance (0) to its diagonal alone (1).
        """
        check_taming(ridge=ridge, shrinkage=shrinkage)
        if ridge == 0 and shrinkage == 0:
            return self
        # (1 - a) Σ + a diag(Σ), and Σ + λ I in standardized units. Variances are not shrunk.
        covariance = (1 - shrinkage) * self.covariance
        set_diagonal(covariance, diagonal(self.covariance) + ridge * self.scale**2)
        # The sums say what was estimated, which this no longer is; without them it cannot be added to anything by
        # mistake.
        return replace(self, matrix=Gram(covariance), sums=None, removed=NO_VALUES)

    def subset(self, attributes: Sequence[str]) -> Moments:
        """The same moments of some of the attributes, in the order given."""
        position = {name: i for i, name in enumerate(self.attributes)}
        if unknown := [name for name in attributes if name not in position]:
            raise MomentsError(
                f"there are no moments of {list_names(unknown)}; there are of {list_names(self.attributes)}.",
                value=unknown[0],
                column="attributes",
            )
        at = backend_of(self.cross).array(np.array([position[name] for name in attributes], dtype=int))
        return replace(
            self,
            attributes=tuple(attributes),
            cross=self.cross[at],
            noise=self.noise[at],
            # Rows and the same columns of a positive semi-definite matrix are one again: no further MakePSD.
            matrix=Gram(self.matrix.block(at)),
            means=self.means[at],
            scale=self.scale[at],
            judgments=self.judgments[at],
            noiseless=self.noiseless & set(attributes),
            sums=None,
            removed=NO_VALUES,
        )

    def to_numpy(self) -> Moments:
        """The same moments in arrays of NumPy; those that are so already as they are."""
        return self._near if is_foreign(self.cross) else self

    @cached_property
    def _near(self) -> Moments:
        arrays = {name: to_numpy(getattr(self, name)) for name in ("cross", "noise", "means", "scale", "judgments")}
        sums = None if self.sums is None else self.sums.to_numpy()
        return replace(self, matrix=self.matrix.to_numpy(), sums=sums, **arrays)

    def to_frame(self) -> pd.DataFrame:
        """The paper's table of attributes, one row an attribute.

        ``noise_per_sigma`` and ``correlation_per_sigma`` are v/σ and b/σ, as the paper prints them, in the units
        of the attribute and of the label. ``noise_ratio`` (v/σ²) and ``correlation`` (b/σ divided by the label's
        standard deviation) are the same without units; ``icc`` is the intraclass correlation σ²/(σ² + v), the
        reliability of one judgment. An attribute that does not vary between objects has no such ratios (NaN).
        """
        if is_foreign(self.cross):
            return self.to_numpy().to_frame()
        variance = self.variances
        with np.errstate(divide="ignore", invalid="ignore"):
            sigma = np.sqrt(np.where(variance > 0, variance, np.nan))
            columns: Mapping[str, Any] = {
                # The paper's table has v/σ and b/σ without units. Its figures make sense as v/σ² (docs/paper.md).
                "noise_per_sigma": self.noise / sigma,
                "correlation_per_sigma": self.cross / sigma,
                "noise_ratio": self.noise / sigma**2,
                "correlation": self.cross / sigma / np.sqrt(self.label_variance),
                "icc": variance / np.where(variance + self.noise > 0, variance + self.noise, np.nan),
                "judgments": self.judgments,
            }
        return table(columns, index=self.attributes, index_name="attribute")

    def __repr__(self) -> str:
        return (
            f"Moments of {len(self.attributes)} attributes on {self.n_objects:,} objects: "
            f"label variance {self.label_variance:.4g}, median noise ratio {_median_ratio(self):.3g}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self!r}</p>{self.to_frame().to_html(float_format='{:.3g}'.format)}"


def _median_ratio(moments: Moments) -> float:
    variance, noise = to_numpy(moments.variances), to_numpy(moments.noise)
    ratio = noise[variance > 0] / variance[variance > 0]
    return float(np.median(ratio)) if len(ratio) else float("nan")
