"""Curves: what a straight line misses, learned by kernel ridge regression and a forest, and kept as arrays.

Both see an object through its posterior means: what the moments expect the true values of the chosen attributes to be,
given whatever judgments there are. So objects with fewer or more judgments than planned need no treatment of their own.
"""

from __future__ import annotations

__all__ = ["Curve", "Forest", "Kernel", "fit_curves", "posterior_means"]

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base import documents
from manyjudges.core.moments import Moments
from manyjudges.core.objective import inverse_psd
from manyjudges.exceptions import DocumentError

_WIDTHS = (0.1, 0.4)
"""Widths of the kernel to choose from, as γ times the number of attributes."""

_PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Ridges of the kernel to choose from, by leave-one-out error, which follows from one decomposition."""

_TREES, _SMALLEST_LEAF, _SHARE_OF_ATTRIBUTES = 100, 3, 0.4

MOST_OBJECTS = 1000
"""Objects that the kernel is fitted to, drawn at random from more: its time grows as their cube."""


def posterior_means(moments: Moments, cells: Cells) -> Floats:
    """Expected true values of each object given its judgments, in standard deviations of true values.

    Σ (Σ + Diag(v/n))⁻¹ (x̄ - μ), over the attributes that an object was judged on.
    """
    deviations = np.sqrt(np.maximum(moments.variances, np.finfo(float).tiny))
    patterns, which = np.unique(cells.count, axis=0, return_inverse=True)
    which = which.reshape(-1)
    values = np.zeros(cells.mean.shape)
    away = np.where(cells.count > 0, cells.mean - moments.means, 0.0)
    for p, counts in enumerate(patterns):
        there = np.flatnonzero(counts)
        if not len(there):
            continue
        matrix = moments.covariance[np.ix_(there, there)] + np.diag(moments.noise[there] / counts[there])
        own = np.flatnonzero(which == p)
        values[own] = away[np.ix_(own, there)] @ (inverse_psd(matrix) @ moments.covariance[there])
    return np.where(moments.variances > 0, values / deviations, 0.0)


@dataclass(frozen=True, eq=False)
class Kernel:
    """Kernel ridge regression with a Gaussian kernel.

    Attributes
    ----------
    gamma : float
    points : (objects, attributes) array
        Of the training objects.
    coefficients : (objects,) array
    """

    gamma: float
    points: Floats
    coefficients: Floats

    @classmethod
    def fit(cls, x: Floats, y: Floats, rng: np.random.Generator) -> Kernel:
        """Fit, with width and ridge by leave-one-out error."""
        if len(x) > MOST_OBJECTS:
            some = np.sort(rng.choice(len(x), MOST_OBJECTS, replace=False))
            x, y = x[some], y[some]
        squares = _squared_distances(x, x)
        least, best = np.inf, (1.0, np.zeros(len(x)))
        for width in _WIDTHS:
            gamma = width / x.shape[1]
            values, vectors = eigh(np.exp(-gamma * squares), check_finite=False)
            told, parts = vectors.T @ y, vectors**2
            for penalty in _PENALTIES:
                inverse = 1 / (np.maximum(values, 0) + penalty)
                # With A = (K + λI)⁻¹, what is left of object i by a fit without it is (A y)[i] / A[i,i].
                coefficients = vectors @ (inverse * told)
                loss = float(np.mean((coefficients / (parts @ inverse)) ** 2))
                if loss < least:
                    least, best = loss, (gamma, coefficients)
        return cls(best[0], x, best[1])

    def predict(self, x: Floats) -> Floats:
        """Values of new objects."""
        return np.asarray(np.exp(-self.gamma * _squared_distances(x, self.points)) @ self.coefficients)

    def to_document(self) -> dict[str, Any]:
        """As plain JSON."""
        return {"gamma": self.gamma, "points": self.points.tolist(), "coefficients": self.coefficients.tolist()}


@dataclass(frozen=True, eq=False)
class Forest:
    """A random forest as arrays: all nodes of all trees one after the other.

    Attributes
    ----------
    roots : (trees,) array of int
    attribute : (nodes,) array of int
        What a node looks at; -1 of a leaf.
    threshold : (nodes,) array
        Values up to it go left.
    left, right : (nodes,) array of int
        Where to go on.
    value : (nodes,) array
        Of a leaf, its mean.
    """

    roots: Integers
    attribute: Integers
    threshold: Floats
    left: Integers
    right: Integers
    value: Floats

    @classmethod
    def fit(cls, x: Floats, y: Floats, rng: np.random.Generator) -> Forest:
        """Fit scikit-learn's forest, and take its trees over."""
        from sklearn.ensemble import RandomForestRegressor  # takes a second to load, and most predictors need none

        forest = RandomForestRegressor(
            _TREES,
            min_samples_leaf=_SMALLEST_LEAF,
            max_features=_SHARE_OF_ATTRIBUTES,
            random_state=int(rng.integers(2**31)),
        ).fit(x.astype(np.float32), y)
        trees = [each.tree_ for each in forest.estimators_]
        starts = np.cumsum([0, *(tree.node_count for tree in trees[:-1])])

        def joined(name: str) -> Any:
            return np.concatenate([getattr(tree, name).reshape(-1) for tree in trees])

        shift = np.repeat(starts, [tree.node_count for tree in trees])
        leaf = joined("children_left") < 0
        left, right = (np.where(leaf, 0, joined(f"children_{side}") + shift) for side in ("left", "right"))
        return cls(starts, np.where(leaf, -1, joined("feature")), joined("threshold"), left, right, joined("value"))

    def predict(self, x: Floats) -> Floats:
        """Values of new objects: all trees at once, one level after the other."""
        # Trees were grown on single precision, and compare with it.
        x = x.astype(np.float32).astype(float)
        at = np.repeat(self.roots[None, :], len(x), axis=0)
        rows = np.arange(len(x))[:, None]
        while True:
            looked_at = self.attribute[at]
            inner = looked_at >= 0
            if not inner.any():
                return np.asarray(self.value[at].mean(axis=1))
            goes_left = x[rows, np.maximum(looked_at, 0)] <= self.threshold[at]
            at = np.where(inner, np.where(goes_left, self.left[at], self.right[at]), at)

    def to_document(self) -> dict[str, Any]:
        """As plain JSON."""
        return {name: getattr(self, name).tolist() for name in _FOREST_FIELDS}


_FOREST_FIELDS = ("roots", "attribute", "threshold", "left", "right", "value")


@dataclass(frozen=True, eq=False)
class Curve:
    """A kernel and a forest, to be added to a linear prediction.

    Attributes
    ----------
    weights : (3,) array
        Of the linear prediction, the kernel and the forest, none negative; all about the label's mean.
    kernel : Kernel
    forest : Forest
    moments : Moments
        Of the chosen attributes, by which posterior means are formed.
    share : float
        Squared error on held-out objects, as a share of the linear predictor's.
    """

    weights: Floats
    kernel: Kernel
    forest: Forest
    moments: Moments
    share: float

    def predict(self, linear: Floats, cells: Cells) -> Floats:
        """Predictions, from those of the linear predictor and the judgments."""
        parts = curve_parts((self.kernel, self.forest), posterior_means(self.moments, cells))
        return _combined(self.weights, linear, parts, self.moments.label_mean)

    def to_document(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "weights": dict(zip(_PARTS, self.weights.tolist(), strict=True)),
            "share": self.share,
            "kernel": self.kernel.to_document(),
            "forest": self.forest.to_document(),
        }

    @classmethod
    def from_document(cls, document: dict[str, Any], moments: Moments) -> Curve:
        """Read what :meth:`to_document` gave."""
        weights = documents.field(document, "weights", dict)
        kernel, forest = (documents.field(document, name, dict) for name in ("kernel", "forest"))
        gamma, share = documents.number(kernel, "gamma"), documents.number(document, "share")
        try:
            points = np.array(kernel["points"], dtype=float).reshape(-1, len(moments.attributes))
            read = Kernel(gamma, points, np.array(kernel["coefficients"], dtype=float))
            arrays: dict[str, Any] = {name: np.array(forest[name], dtype=_kind_of(name)) for name in _FOREST_FIELDS}
            curve = cls(
                np.array([weights[name] for name in _PARTS], dtype=float),
                read,
                Forest(**arrays),
                moments,
                share,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DocumentError(
                f"the model's curve cannot be read: {type(error).__name__}: {error}.", column="curve"
            ) from None
        curve._check()
        return curve

    def _check(self) -> None:
        """A file may have been edited: nothing in it may lead out of the arrays."""
        nodes, n = self.forest, len(self.forest.attribute)
        lengths = {len(getattr(nodes, name)) for name in _FOREST_FIELDS[1:]}
        # Children come after their parents, so that no way through a tree has no end.
        inner = np.flatnonzero(nodes.attribute >= 0)
        fine = lengths == {n} and len(self.kernel.points) == len(self.kernel.coefficients) and len(nodes.roots) > 0
        fine = fine and bool(((nodes.roots >= 0) & (nodes.roots < n)).all())
        fine = fine and bool(((nodes.attribute >= -1) & (nodes.attribute < len(self.moments.attributes))).all())
        for side in (nodes.left, nodes.right):
            fine = fine and bool(((side[inner] > inner) & (side[inner] < n)).all())
        if not (fine and self._has_numbers()):
            raise DocumentError(
                "the model's curve does not fit together; fit it again rather than editing it.", column="curve"
            )

    def _has_numbers(self) -> bool:
        """Whether there are only finite numbers in it, and none is negative that cannot be."""
        kernel, forest = self.kernel, self.forest
        arrays = (kernel.points, kernel.coefficients, forest.threshold, forest.value, self.weights)
        finite = all(np.isfinite(values).all() for values in arrays)
        return bool(finite and kernel.gamma > 0 and self.share >= 0 and (self.weights >= 0).all())


_PARTS = ("linear", "kernel", "forest")


def _kind_of(name: str) -> type:
    return float if name in ("threshold", "value") else int


def curve_parts(curves: Sequence[Kernel | Forest], x: Floats) -> Floats:
    """What curves say of objects, as columns, about the label's mean."""
    return np.column_stack([curve.predict(x) for curve in curves])


def _combined(weights: Floats, linear: Floats, parts: Floats, mean: float) -> Floats:
    """The weighted sum of a linear prediction and of the curves, about the label's mean."""
    return np.asarray(mean + weights[0] * (linear - mean) + parts @ weights[1:])


def fit_curves(
    moments: Moments, cells: Cells, y: Floats, rng: np.random.Generator, kinds: Collection[str]
) -> tuple[Any, ...]:
    """Fit a ``"kernel"``, a ``"forest"`` or both to the labels of objects with these judgments."""
    x = posterior_means(moments, cells)
    away = y - moments.label_mean
    return tuple((Kernel if kind == "kernel" else Forest).fit(x, away, rng) for kind in kinds)


def _squared_distances(a: Floats, b: Floats) -> Floats:
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
    return np.asarray(np.maximum(squares, 0.0))
