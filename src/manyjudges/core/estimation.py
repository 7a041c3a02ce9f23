"""Estimation: what sums over objects say about the objects' true values, and when they say too little."""

from __future__ import annotations

__all__ = ["all_attributes", "check_taming", "error_of_means", "expand_attributes", "is_ridge"]

from collections.abc import Collection
from numbers import Real
from typing import Any

import numpy as np

from manyjudges.arrays.gram import Gram
from manyjudges.arrays.libraries import by_rows, counted, diagonal, extremes, namespace, set_diagonal, to_numpy
from manyjudges.arrays.sums import MEAN_TOLERANCE, Sums
from manyjudges.arrays.types import Floats
from manyjudges.base.messages import list_names, quote_value
from manyjudges.core.psd import NO_VALUES, make_psd
from manyjudges.exceptions import LabelsError, MomentsError, PlanError

_FEWEST_OBJECTS = 3
"""With two objects every correlation is ±1, whatever the data."""

_PARTS_OF_OBJECTS = (("repeated", "objects with two or more judgments"), ("single", "objects with a single judgment"))


def external_covariance(sums: Sums, error: Floats, scale: Floats) -> tuple[Gram, Floats]:
    """Covariance of the true values: that of the mean judgments, less their error, made positive semi-definite.

    And the negative eigenvalues that were removed for that.
    """
    xp, factor = namespace(scale), sums.products.factor
    if factor is not None and not bool(xp.any(error != 0)):  # a product is positive semi-definite as it is
        varies = scale > 0
        factor = factor if bool(xp.all(varies)) else xp.where(varies, factor, 0.0)
        return Gram(factor=factor, divisor=sums.n_objects), NO_VALUES
    covariance = raw_covariance(sums, error)
    removed = make_psd(covariance, scale)
    return Gram(covariance), removed


def error_of_means(sums: Sums, noise: Floats, exact: Any) -> Floats:
    """Mean over objects of the variance that noise gives to a mean judgment; none where the attribute is exact."""
    # Alg. 1 line 10 with each object's own number of judgments: an object with one uses the mean noise.
    of_repeated: Floats = namespace(noise).where(exact, 0.0, sums.variance_of_mean)
    error: Floats = (of_repeated + counted(sums.single) * noise) / counted(sums.objects)
    return error


def raw_covariance(sums: Sums, error: Floats) -> Floats:
    """Covariance of the mean judgments, less their error: of the true values, before it is positive semi-definite."""
    # Each entry over the objects that have both attributes: unbiased, but of different objects for
    # different entries, so that negative eigenvalues can come of that alone, without any noise.
    counts = sums.objects if sums.overlap is None else by_rows(sums.overlap)
    covariance: Floats = sums.products.dense / counted(counts)
    # Σ = Σ_k - Diag(v)/k. Given the object, judgments of different attributes are independent (the paper's assumption),
    # so that noise adds to the diagonal and to nothing else.
    set_diagonal(covariance, diagonal(covariance) - error)
    return covariance


def check_shapes(d: int, matrix: Any, **shapes: tuple[int, ...]) -> None:
    """Refuse moments that are not all of the same attributes."""
    as_tuples = {name: tuple(shape) for name, shape in shapes.items()}
    odd = {name: shape for name, shape in as_tuples.items() if shape != (d,)}
    if tuple(matrix.shape) != (d, d):
        odd["covariance"] = tuple(matrix.shape)
    if odd:
        wrong = [f"{name} has shape {shape}" for name, shape in odd.items()]
        name, shape = next(iter(odd.items()))
        raise MomentsError(
            f"moments of d attributes need (d,) vectors and a (d, d) matrix; {'; '.join(wrong)}.",
            value=shape,
            column=name,
        )


def check_judged(judgments: Any) -> None:
    """Refuse what is no table of judgments."""
    if not hasattr(judgments, "blocks"):
        raise MomentsError(
            f"moments are estimated from a Judgments, not from {type(judgments).__name__}; "
            "make one with Judgments.from_frame or Judgments.from_array.",
            value=judgments,
            column="judgments",
        )


def check_noiseless(noiseless: Collection[str], attributes: Collection[str]) -> None:
    """Refuse names that are none of the attributes."""
    if isinstance(noiseless, str):
        raise MomentsError(
            f"noiseless must be a list of attributes, not {noiseless!r} alone.", value=noiseless, column="noiseless"
        )
    if unknown := sorted(set(noiseless) - set(attributes)):
        raise MomentsError(
            f"noiseless names {list_names(unknown)}, which the judgments do not have.",
            value=unknown[0],
            column="noiseless",
        )


def check_taming(*, ridge: Any = 0.0, shrinkage: Any = 0.0, ridge_name: str = "ridge") -> None:
    """Refuse amounts by which no covariance can be tamed; ``ridge_name`` is what the caller calls its ridge."""
    if not is_ridge(ridge):
        raise PlanError(
            f"{ridge_name} must be 0 or a positive number, not {quote_value(ridge)}.", value=ridge, column=ridge_name
        )
    if not (isinstance(shrinkage, Real) and 0 <= float(shrinkage) <= 1):
        raise PlanError(
            f"shrinkage must lie between 0 and 1, not {quote_value(shrinkage)}.", value=shrinkage, column="shrinkage"
        )


def is_ridge(ridge: Any) -> bool:
    """Whether something is an amount of ridge."""
    return isinstance(ridge, Real) and bool(np.isfinite(float(ridge))) and float(ridge) >= 0


def check_enough(n_objects: int) -> None:
    """Refuse fewer objects than any estimate needs."""
    if n_objects < _FEWEST_OBJECTS:
        raise MomentsError(
            f"n_samples = {n_objects}: {n_objects} labelled object{'s' * (n_objects != 1)} cannot "
            f"support any estimate; judge and label {_FEWEST_OBJECTS} or more (dozens, for a plan worth following).",
            value=n_objects,
            column="n_samples",
        )


def check_sums(attributes: tuple[str, ...], sums: Sums, exact: Any) -> None:
    """Refuse sums that no estimate can be made of, and say why."""
    # The label's standard deviation against what rounding may have left of equal labels.
    if np.sqrt(sums.label_scatter / sums.n_objects) <= MEAN_TOLERANCE * abs(sums.label_mean):
        raise LabelsError(
            f"the label is the same, {sums.label_mean!r}, for all {sums.n_objects:,} objects: there is nothing to "
            "predict. Check that the right column was read as the label.",
            value=sums.label_mean,
            column="label",
        )
    finite = to_numpy(namespace(sums.means).isfinite(sums.products.diagonal))
    if not (finite.all() and np.isfinite(sums.label_scatter)):
        too_large = [attributes[i] for i in np.flatnonzero(~finite)]
        raise MomentsError(
            f"values of {list_names(too_large or ['the label'])} are too large to square; use another unit.",
            column=[*too_large, "label"][0],
        )
    # VarEst needs k ≥ 2. Of single judgments, v and σ² show as their sum only, and a plan needs each of them.
    unknown = to_numpy((sums.repeated == 0) & ~(exact & (sums.objects > 0)))
    if alone := [attributes[i] for i in np.flatnonzero(unknown)]:
        raise MomentsError(
            f"no object has two judgments of {list_names(alone)}, so its noise cannot be estimated. Collect a second "
            "judgment on some objects, or name it in noiseless= (--noiseless) if it is measured without error.",
            column=alone[0],
        )
    # Σ[a,b] is a mean over the objects that have both: over none there is nothing to put in its place.
    if sums.overlap is not None and extremes(sums.overlap)[0] == 0:
        apart = to_numpy(sums.overlap) == 0
        first, second = (attributes[i] for i in np.unravel_index(int(apart.argmax()), apart.shape))
        pairs = (np.count_nonzero(apart) + np.count_nonzero(apart.diagonal())) // 2
        more = f" (nor {pairs - 1:,} other pairs of attributes)" if pairs > 1 else ""
        raise MomentsError(
            f"{first!r} and {second!r} were never judged on the same object{more}, so how they vary together "
            "cannot be estimated. Judge both on some objects, or leave one of them out.",
            column=first,
        )


def check_rest(attributes: tuple[str, ...], before: Sums, rest: Sums) -> None:
    """Refuse a rest that is less than nothing: what was taken away from ``before`` cannot have been in it."""
    problem = _less_than_nothing(attributes, before, rest)
    if problem:
        raise MomentsError(
            f"{problem}: they cannot have been counted in these moments. Give as replacing= the judgments that objects "
            "had when they were counted, and their labels of then.",
            column="replacing",
        )


def _less_than_nothing(attributes: tuple[str, ...], before: Sums, rest: Sums) -> str:
    if rest.n_objects < 0:
        return f"replacing= has {before.n_objects - rest.n_objects:,} objects, and these moments {before.n_objects:,}"
    # Counts are whole numbers, so that one below 0 proves that something was taken away which was not there. Sums of
    # squares may fall below 0 by rounding, for which ``lost`` allows.
    for name, words in (("judgments", "judgments"), ("objects", "objects with judgments"), *_PARTS_OF_OBJECTS):
        had, remaining = (to_numpy(getattr(sums, name)) for sums in (before, rest))
        if (remaining < 0).any():
            i = int((remaining < 0).argmax())
            return (
                f"replacing= has {had[i] - remaining[i]:,} {words} of {attributes[i]!r}, and these moments {had[i]:,}"
            )
    if rest.overlap is not None and extremes(rest.overlap)[0] < 0:
        had, remaining = to_numpy(before.materialized().overlap), to_numpy(rest.overlap)
        i, j = (int(at) for at in np.unravel_index(int((remaining < 0).argmax()), remaining.shape))
        both = f"both {attributes[i]!r} and {attributes[j]!r}"
        return f"replacing= has {had[i, j] - remaining[i, j]:,} objects with {both}, and these moments {had[i, j]:,}"
    wide = to_numpy((rest.products.diagonal < -_none_lost(rest)) | (rest.variance < 0) | (rest.variance_of_mean < 0))
    if wide.any():
        return f"judgments of {attributes[int(wide.argmax())]!r} in replacing= differ more than those of these moments"
    return "labels of replacing= differ more than those of these moments" if rest.label_scatter < 0 else ""


def _none_lost(sums: Sums) -> Any:
    return namespace(sums.means).zeros_like(sums.means) if sums.lost is None else sums.lost


def all_attributes(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    """Attributes of both: sorted if each was, and else those of the first before what the second adds."""
    first_names = set(left)
    both = (*left, *(name for name in right if name not in first_names))
    # Sorted tables add up to a sorted one, in whatever order they come: ties in a search go to the first attribute, and
    # so do not depend on that order either.
    return tuple(sorted(both)) if list(left) == sorted(left) and list(right) == sorted(right) else both


def expand_attributes(sums: Sums, names: tuple[str, ...], all_names: tuple[str, ...]) -> Sums:
    """Sums of some attributes as those of more, among which they are."""
    if names == all_names:
        return sums
    position = {name: i for i, name in enumerate(all_names)}
    return sums.with_attributes(np.array([position[name] for name in names]), len(all_names))
