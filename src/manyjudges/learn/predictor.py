"""Predictor: from the judgments that a plan bought to a number for each object."""

from __future__ import annotations

import html
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.gram import Gram
from manyjudges.arrays.sums import MEAN_TOLERANCE
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base import documents
from manyjudges.base.frames import table
from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.base.seeds import generator
from manyjudges.core.moments import Moments
from manyjudges.core.objective import expected_loss, solve_psd, weights
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError, MissingJudgmentsError, PlanError
from manyjudges.learn.calibration import Calibration, as_ridge, calibrated, error_variance
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "manyjudges.model/1"

KINDS = ("best_linear", "least_squares")

PATTERNS_AT_ONCE = 1 << 20
"""Matrix entries solved together, when objects differ in how often they were judged."""


@dataclass(frozen=True, eq=False, repr=False)
class Predictor:
    """A linear predictor on mean judgments, of the attributes that a plan chose.

    Made by :func:`fit_predictor`, or read by :meth:`from_json`.

    Attributes
    ----------
    kind : {"best_linear", "least_squares"}
    plan : Plan
    coefficients : (chosen,) array
        Of the mean of exactly as many judgments as the plan says, in the order of ``plan.repeats``.
    bias : float
    deviation : float
        Standard deviation of the error to expect when the plan is followed.
    residual_variance : float
        Mean squared error on the training objects. It stands in for the error to expect where the moments, of too
        small a sample, promise one below zero.
    moments : Moments, optional
        Of the chosen attributes, from which ``"best_linear"`` works out what other numbers of judgments are worth.
    calibration : tuple of pairs of float
        What the moments promise to explain, and what was explained of objects that the predictor had not seen, at
        several multiples of the plan's repeats; what lies between is interpolated. Empty where that was not looked at,
        and the promise is taken as it is.
    """

    kind: str
    plan: Plan
    coefficients: Floats
    bias: float
    deviation: float
    residual_variance: float
    moments: Moments | None = None
    calibration: Calibration = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the plan chose."""
        return tuple(self.plan.repeats)

    @property
    def repeats(self) -> Integers:
        """Judgments of each of them."""
        return np.array(list(self.plan.repeats.values()), dtype=np.int64)

    def predict(self, judgments: Judgments, *, return_std: bool = False) -> Any:
        """Predict the label of each object.

        ``"best_linear"`` weighs what is there: an object may have fewer judgments than planned, none of some
        attributes, or more. ``"least_squares"`` needs at least one judgment of each chosen attribute.

        Parameters
        ----------
        judgments : Judgments
            Attributes that the plan did not choose are ignored.
        return_std : bool
            Whether to return the standard deviations of the errors, too.
        """
        _check_table(judgments)
        cells = _chosen_cells(judgments, self.attributes)
        if self.moments is None:
            _check_judged(cells, judgments, self.attributes)
            predictions = self.bias + cells.mean @ self.coefficients
            deviations = np.full(len(predictions), self.deviation)
        else:
            predictions, promised = _best_linear(cells, self.moments)
            deviations = np.sqrt(self._variance(promised))
        return (predictions, deviations) if return_std else predictions

    def _variance(self, promised: Any) -> Any:
        """Variance of the error where the moments promise to explain so much."""
        variance = error_variance(self.moments, self.calibration, promised) if self.moments else promised
        return np.where(variance > 0, variance, self.residual_variance)

    def expected_loss(self, truth: Moments) -> float:
        """Squared error to expect when the plan is followed, if ``truth`` are the true moments of all attributes."""
        given = dict(zip(self.attributes, self.coefficients, strict=True))
        w = np.array([given.get(name, 0.0) for name in truth.attributes])
        repeats = np.array([self.plan.repeats.get(name, 0) for name in truth.attributes])
        return expected_loss(truth, w, repeats, bias=self.bias)

    def to_frame(self) -> pd.DataFrame:
        """The paper's table of a predictor: repeats and coefficient of each chosen attribute, and the bias."""
        return table(
            {"repeats": [*self.repeats.tolist(), None], "coefficient": [*self.coefficients.tolist(), self.bias]},
            index=[*self.attributes, "(bias)"],
            index_name="attribute",
        ).astype({"repeats": "Int64"})

    def to_json(self) -> str:
        """The predictor as JSON that a person can read; :meth:`from_json` reads it back."""
        return documents.dumps(self.to_document())

    def to_document(self) -> dict[str, Any]:
        """The predictor as plain lists, numbers and strings."""
        terms = zip(self.attributes, self.repeats.tolist(), self.coefficients.tolist(), strict=True)
        return {
            "format": FORMAT,
            "formula": str(self),
            "predictor": self.kind,
            "bias": self.bias,
            "terms": [{"attribute": name, "repeats": n, "coefficient": w} for name, n, w in terms],
            "deviation": self.deviation,
            "residual_variance": self.residual_variance,
            "moments": None if self.moments is None else _moments_document(self.moments),
            "calibration": [{"promised": promised, "held_out": honest} for promised, honest in self.calibration],
            "plan": self.plan.to_document(),
        }

    @classmethod
    def from_json(cls, text: str | bytes) -> Predictor:
        """Read a predictor that :meth:`to_json` wrote."""
        document = documents.loads(text, FORMAT)
        terms = documents.field(document, "terms", list)
        plan = Plan.from_document(documents.field(document, "plan", dict))
        try:
            coefficients = np.array([term["coefficient"] for term in terms], dtype=float)
            repeats = [(term["attribute"], term["repeats"]) for term in terms]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DocumentError(f"a term of the model cannot be read: {type(error).__name__}: {error}.") from None
        if repeats != list(plan.repeats.items()):
            raise DocumentError(
                f"the model's terms are {quote_value(repeats)}, but its plan is {quote_value(plan.repeats)}."
            )
        kind = _known_kind(documents.field(document, "predictor", str))
        predictor = cls(
            kind=kind,
            plan=plan,
            coefficients=coefficients,
            bias=documents.number(document, "bias"),
            deviation=documents.number(document, "deviation"),
            residual_variance=documents.number(document, "residual_variance"),
            moments=_read_moments(document) if kind == "best_linear" else None,
            calibration=_read_calibration(document),
        )
        predictor._check_numbers()
        return predictor

    def _check_numbers(self) -> None:
        """A file may hold what no fit gives; a best linear predictor also says the same twice, and must agree."""
        if not np.isfinite(self.coefficients).all() or self.deviation < 0 or self.residual_variance < 0:
            raise DocumentError("the model's coefficients must be numbers, and its errors not negative.")
        if self.moments is None:
            return
        if self.moments.attributes != self.attributes:
            raise DocumentError("the model's moments are not those of its terms.")
        # By what they predict: coefficients of nearly collinear attributes differ between machines, predictions do not.
        coefficients, bias = _planned(self.moments, self.repeats)
        other = self.moments.label_variance - expected_loss(
            self.moments, self.coefficients, self.repeats, bias=self.bias
        )
        best = self.moments.label_variance - expected_loss(self.moments, coefficients, self.repeats, bias=bias)
        if not abs(best - other) <= 1e-6 * self.moments.label_variance:
            raise DocumentError(
                "the model's coefficients are not those of its moments; fit it again rather than editing it."
            )

    def __str__(self) -> str:
        return formula(self.attributes, self.repeats, self.coefficients, self.bias)

    def __repr__(self) -> str:
        return f"Predictor ({self.kind}): {self}"

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        frame["repeats"] = frame["repeats"].astype(str).replace("<NA>", "")
        return f"<p>{html.escape(repr(self))}</p>{frame.to_html(float_format='{:.3g}'.format)}"


def fit_predictor(
    plan: Plan,
    judgments: Judgments,
    labels: Any,
    *,
    predictor: str = "best_linear",
    moments: Moments | None = None,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    predictor_ridge: float | str = 0.0,
    random_state: int | None = 0,
) -> Predictor:
    """Fit the predictor of a plan.

    Parameters
    ----------
    plan : Plan
    judgments, labels
        As for :meth:`Moments.estimate`: the pilot, or better, all that has been bought since.
    predictor : {"best_linear", "least_squares"}
        ``"best_linear"`` uses every judgment at hand, however many there are. ``"least_squares"`` is the paper's step
        4: ordinary least squares on the means of exactly as many judgments as planned.
    moments : Moments, optional
        For ``"best_linear"``, if they are at hand; else they are estimated, of the chosen attributes alone.
    noiseless, unmatched
        As for :meth:`Moments.estimate`.
    predictor_ridge : float or "auto"
        For ``"best_linear"``, added to each attribute's variance in standardized units, which tames the coefficients of
        a small sample. ``"auto"`` chooses it by the error on held-out objects.
    random_state : int, optional
        Of the folds by which ``"best_linear"`` learns how large its errors are on new objects.

    Examples
    --------
    >>> from manyjudges import Moments, fit_predictor, select, simulate
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> pilot = crowd.pilot(2)
    >>> plan = select(Moments.estimate(pilot, crowd.labels), budget=8)
    >>> bought = pilot + Judgments.from_frame(crowd.judge(plan.missing(pilot)))
    >>> print(fit_predictor(plan, bought, crowd.labels))
    131·monochromatic/1 + 0.8·number of beans/6 − 176·round jar/1 + 320
    """
    _known_kind(predictor)
    if not isinstance(plan, Plan):
        raise PlanError(f"a predictor is fitted to a Plan, not to {type(plan).__name__}.")
    _check_table(judgments)
    if isinstance(noiseless, str):
        raise PlanError(f"noiseless must be a list of attributes, not {noiseless!r} alone.")
    if predictor == "least_squares" and predictor_ridge != 0:
        raise PlanError(
            f"predictor_ridge={quote_value(predictor_ridge)} goes with predictor='best_linear'; least squares has none."
        )
    if unknown := sorted(set(noiseless) - set(judgments.attributes)):
        raise JudgmentsError(f"noiseless names {list_names(unknown)}, which the judgments do not have.")
    matched, y = judgments.match(labels, unmatched=unmatched)
    chosen = matched.only(plan.repeats)
    if predictor == "least_squares":
        return _fit_least_squares(plan, chosen, y)
    if moments is None:
        moments = Moments.estimate(chosen, y, noiseless=[name for name in noiseless if name in plan.repeats])
    rng = generator(random_state)
    exact = frozenset(noiseless) | moments.noiseless
    amount = as_ridge(predictor_ridge, plan, chosen, y, exact, rng)
    own = moments.subset(chosen.attributes).regularized(ridge=amount).to_numpy()
    coefficients, bias = _planned(own, np.array(list(plan.repeats.values()), dtype=np.int64))
    predictions, _ = _best_linear(chosen.cells(), own)
    residual = float(np.mean((predictions - y) ** 2))
    calibration = calibrated(plan, matched, y, own, exact, amount, rng)
    fitted = Predictor(predictor, plan, coefficients, bias, 0.0, residual, own, calibration)
    deviation = float(np.sqrt(fitted._variance(float(coefficients @ own.cross))))
    return replace(fitted, deviation=deviation)


def _fit_least_squares(plan: Plan, chosen: Judgments, y: Floats) -> Predictor:
    _check_enough(plan, chosen)
    coefficients, bias, variance = _least_squares(chosen.means(plan.repeats).to_numpy(), y)
    return Predictor("least_squares", plan, coefficients, bias, float(np.sqrt(variance)), variance)


def _planned(moments: Moments, repeats: Integers) -> tuple[Floats, float]:
    """Coefficients and bias of the best linear predictor when the plan is followed."""
    coefficients = weights(moments, repeats)
    return coefficients, moments.label_mean - float(coefficients @ moments.means)


def formula(attributes: tuple[str, ...], repeats: Integers, coefficients: Floats, bias: float) -> str:
    """A predictor in the paper's style.

    >>> formula(("beans", "round"), np.array([5, 2]), np.array([0.95, -50.0]), 3.0)
    '0.95·beans/5 − 50·round/2 + 3'
    """
    terms = [(w, f"·{name}/{n}") for name, n, w in zip(attributes, repeats, coefficients, strict=True)]
    text = ""
    for w, rest in [*terms, (bias, "")]:
        sign = ("−" if w < 0 else "") if not text else (" − " if w < 0 else " + ")
        text += f"{sign}{_short(abs(w))}{rest}"
    return text


def _short(number: float) -> str:
    return (
        f"{number:.3g}"
        if number == 0 or 1e-4 <= number < 1000
        else f"{number:,.0f}"
        if 1000 <= number < 1e7
        else f"{number:.2e}"
    )


def _known_kind(kind: str) -> str:
    if kind not in KINDS:
        raise PlanError(
            f"there is no predictor {quote_value(kind)}; choose one of {', '.join(KINDS)}.{suggest(kind, KINDS)}"
        )
    return kind


def _check_enough(plan: Plan, judgments: Judgments) -> None:
    missing = plan.missing(judgments)
    if len(missing):
        first = missing.iloc[0]
        raise MissingJudgmentsError(
            f"the plan needs {missing['count'].sum():,} judgments that are missing, of "
            f"{missing['attribute'].nunique()} attributes on {missing['object'].nunique():,} objects, at a cost of "
            f"{missing['cost'].sum():,g}; the first: {first['count']} of {first['attribute']!r} of object "
            f"{quote_value(first['object'])}. Buy them (Plan.missing lists them), or use predictor='best_linear' "
            "(--predictor best_linear), which takes what is there.",
            missing,
        )


def _least_squares(means: Floats, y: Floats) -> tuple[Floats, float, float]:
    centre, middle = means.mean(axis=0), y.mean()
    x = means - centre
    scale = np.sqrt((x * x).mean(axis=0))
    flat = scale <= MEAN_TOLERANCE * np.abs(centre)
    x[:, flat], scale[flat] = 0.0, 1.0
    coefficients, *_ = np.linalg.lstsq(x / scale, y - middle, rcond=None)
    coefficients /= scale
    error = y - middle - x @ coefficients
    freedom = max(len(y) - 1 - x.shape[1], 1)
    return coefficients, float(middle - centre @ coefficients), float(error @ error) / freedom


def _chosen_cells(judgments: Judgments, chosen: tuple[str, ...]) -> Cells:
    """Cells of the chosen attributes, with no judgments of those that the table does not have."""
    known = [name in judgments.attributes for name in chosen]
    if chosen and not any(known):
        raise JudgmentsError(
            f"there are no judgments of any attribute of the model ({list_names(chosen)}); "
            f"there are judgments of {list_names(judgments.attributes)}."
        )
    at = [judgments.attributes.index(name) for name, there in zip(chosen, known, strict=True) if there]
    cells = judgments.cells(np.array(at, dtype=np.int64))
    if all(known):
        return cells
    shape = (len(judgments.objects), len(chosen))
    count, mean = np.zeros(shape, dtype=np.int64), np.full(shape, np.nan)
    count[:, known], mean[:, known] = cells.count, cells.mean
    return Cells(count, mean, np.zeros_like(mean))


def _best_linear(cells: Cells, moments: Moments) -> tuple[Floats, Floats]:
    """Prediction for objects with n[a] judgments, cross_S (Σ_S + Diag(v/n)_S)⁻¹, and what the moments promise of it."""
    if cells.uniform is None:
        patterns, which = np.unique(cells.count, axis=0, return_inverse=True)
    else:
        patterns, which = cells.count[:1], np.zeros(len(cells.count), dtype=np.int64)
    which = which.reshape(-1)
    w = np.zeros(patterns.shape)
    at_once = max(1, PATTERNS_AT_ONCE // max(patterns.shape[1] ** 2, 1))
    for start in range(0, len(patterns), at_once):
        part = patterns[start : start + at_once]
        there = part > 0
        matrix = np.where(there[:, :, None] & there[:, None, :], moments.covariance, 0.0)
        diagonal = np.arange(part.shape[1])
        matrix[:, diagonal, diagonal] += np.where(there, moments.noise / np.maximum(part, 1), 0.0)
        w[start : start + at_once] = solve_psd(matrix, np.where(there, moments.cross, 0.0))
    away = np.where(cells.count > 0, cells.mean - moments.means, 0.0)
    predictions = moments.label_mean + np.einsum("ij,ij->i", away, w[which])
    return predictions, (w @ moments.cross)[which]


def _check_table(judgments: object) -> None:
    if not isinstance(judgments, Judgments):
        raise JudgmentsError(
            f"judgments must be a Judgments, not {type(judgments).__name__}; make one with from_frame or from_array."
        )


def _check_judged(cells: Cells, judgments: Judgments, attributes: tuple[str, ...]) -> None:
    lacking = np.argwhere(cells.count == 0)
    if lacking.size:
        row, column = lacking[0]
        raise JudgmentsError(
            f"{len(lacking):,} judgments are missing, the first of {attributes[column]!r} of object "
            f"{quote_value(judgments.objects[row])}. Collect them (Plan.missing lists them), or use "
            f"predictor='best_linear' "
            "(--predictor best_linear), which does without."
        )


def _moments_document(moments: Moments) -> dict[str, Any]:
    return {
        "attributes": list(moments.attributes),
        "n_objects": moments.n_objects,
        "label_mean": moments.label_mean,
        "label_variance": moments.label_variance,
        "means": moments.means.tolist(),
        "cross": moments.cross.tolist(),
        "noise": moments.noise.tolist(),
        "covariance": moments.covariance.tolist(),
    }


def _read_calibration(document: dict[str, Any]) -> Calibration:
    pairs = documents.field({"calibration": []} | document, "calibration", list)
    try:
        return tuple((documents.number(pair, "promised"), documents.number(pair, "held_out")) for pair in pairs)
    except AttributeError:
        raise DocumentError(f"field 'calibration' of the document is wrong: {quote_value(pairs)}.") from None


def _read_moments(document: dict[str, Any]) -> Moments:
    known = documents.field(document, "moments", dict)
    try:
        moments = Moments.from_values(
            known["cross"],
            known["noise"],
            known["covariance"],
            known["label_variance"],
            attributes=known["attributes"],
            means=known["means"],
            label_mean=known["label_mean"],
            n_objects=int(documents.number(known, "n_objects")),
        )
    except ManyJudgesError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise DocumentError(f"the model's moments cannot be read: {type(error).__name__}: {error}.") from None
    # As it was written: making it positive semi-definite once more would change its last digits.
    return replace(moments, matrix=Gram(np.array(known["covariance"], dtype=float).reshape(moments.covariance.shape)))
