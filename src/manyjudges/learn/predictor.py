"""Predictor: from the judgments that a plan bought to a number for each object."""

from __future__ import annotations

__all__ = ["Predictor", "data_relied_on", "fit", "fit_predictor", "outside_answers_of", "predictions_in"]

import html
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import pandas as pd

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base import documents
from manyjudges.base.formatting import plural
from manyjudges.base.frames import table
from manyjudges.base.messages import list_names, quote_value
from manyjudges.base.seeds import generator
from manyjudges.core.moments import Moments
from manyjudges.core.objective import expected_loss
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning, DocumentError, JudgmentsError, PlanError
from manyjudges.learn.inference.answer_ranges import outside_answers
from manyjudges.learn.inference.calibration import Calibration, check_ridge
from manyjudges.learn.object_tables import ObjectTable
from manyjudges.learn.predictors.linear import ChosenCells, formula, moments_document, read_moments
from manyjudges.learn.predictors.registry import DEFAULT, PREDICTORS, PredictorMethod, predictor_named
from manyjudges.learn.training_data import TrainingData, load_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.reading.frames import is_table
from manyjudges.tables.reading.labels import without_label
from manyjudges.tables.reading.options import ReadKeywords, ReadOptions
from manyjudges.tables.reading.sources import are_paths
from manyjudges.tables.reading.table import read_table

MODEL_FORMAT = "manyjudges.model/1"

_REMEDY = "'manyjudges fit' (Predictor.to_json) writes such a file."


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

    def __post_init__(self) -> None:
        self.coefficients.flags.writeable = False

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the plan chose."""
        return tuple(self.plan.repeats)

    @property
    def repeats(self) -> Integers:
        """Judgments of each of them."""
        return np.array(list(self.plan.repeats.values()), dtype=np.int64)

    def predict(self, judgments: Any, *, return_std: bool = False, **reading: Unpack[ReadKeywords]) -> Any:
        """Predict the label of each object.

        ``"best_linear"`` weighs what is there: an object may have fewer judgments than planned, none of some
        attributes, or more. ``"least_squares"`` needs at least one judgment of each chosen attribute.

        Parameters
        ----------
        judgments : Judgments, path, frame or mapping
            Attributes that the plan did not choose are ignored. Answers in a table stand for the same as in the
            judgments that the plan was made from.
        return_std : bool
            Whether to return the standard deviations of the errors, too.
        **reading
            How to read a table, as for :func:`read_judgments`.

        Returns
        -------
        array or Series
            In the order of the objects of a :class:`Judgments`; of a table, by object. With ``return_std`` two of them.

        Warns
        -----
        DataWarning
            Where a table lacks attributes that the plan asks for, has answers far outside the range of those that the
            plan was made from, or has objects without any answer to what the plan asks. These objects get the
            prediction that is made without judgments, about the mean label.
        """
        if isinstance(judgments, Judgments):
            predicted = self._predicted(_chosen_cells(judgments, self.attributes), judgments.objects)
            return predicted if return_std else predicted[0]
        options = self._options(judgments, reading)
        new = ObjectTable(judgments, ScanOptions(options), self.plan)
        found = predictions_in(new, self).set_index("object")
        for warning in new.warnings:
            warnings.warn(warning, stacklevel=2)
        return (found["prediction"], found["std"]) if return_std else found["prediction"]

    def read(self, judgments: Any, **reading: Unpack[ReadKeywords]) -> Judgments:
        """Judgments in a table, whose answers stand for the same as in those that the plan was made from.

        Parameters
        ----------
        judgments : path, list of paths, frame or mapping
        **reading
            As for :func:`read_judgments`.
        """
        options = self._options(judgments, reading)
        options = without_label(judgments, options).with_answers(self.plan.answers, self.plan.attributes)
        return read_table(judgments, options).judgments

    @staticmethod
    def _options(judgments: Any, reading: ReadKeywords) -> ReadOptions:
        """How to read judgments, which must be a table."""
        options = ReadOptions.of(**reading)
        if not (are_paths(judgments) or is_table(judgments)):
            raise JudgmentsError(
                f"judgments must be a Judgments, a path or a table, not {type(judgments).__name__}. Make a Judgments "
                "of an array with from_array.",
                value=judgments,
                column="judgments",
            )
        return options

    def _predicted(self, cells: Cells, objects: Any) -> tuple[Floats, Floats]:
        """Prediction of each object, and standard deviation of its error."""
        found: tuple[Floats, Floats] = PREDICTORS[self.kind].predict(self, ChosenCells(cells, objects, self.attributes))
        return found

    def expected_loss(self, truth: Moments) -> float:
        """Squared error to expect when the plan is followed, if ``truth`` are the true moments of all attributes."""
        by_name = dict(zip(self.attributes, self.coefficients, strict=True))
        w = np.array([by_name.get(name, 0.0) for name in truth.attributes])
        repeats = np.array([self.plan.repeats.get(name, 0) for name in truth.attributes])
        # w'M_r w - 2 b'w + Var[Y], and what a wrong bias adds: under the truth these weights are not the best ones, for
        # which Var[Y] - b'w would do.
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
            "format": MODEL_FORMAT,
            "formula": str(self),
            "predictor": self.kind,
            "bias": self.bias,
            "terms": [{"attribute": name, "repeats": n, "coefficient": w} for name, n, w in terms],
            "deviation": self.deviation,
            "residual_variance": self.residual_variance,
            "moments": None if self.moments is None else moments_document(self.moments),
            "calibration": [{"promised": promised, "held_out": honest} for promised, honest in self.calibration],
            "plan": self.plan.to_document(),
        }

    @classmethod
    def from_json(cls, text: str | bytes) -> Predictor:
        """Read a predictor that :meth:`to_json` wrote."""
        document = documents.loads(text, MODEL_FORMAT, remedy=_REMEDY)
        terms = documents.field(document, "terms", list)
        plan = Plan.from_document(documents.field(document, "plan", dict))
        try:
            coefficients = np.array([term["coefficient"] for term in terms], dtype=float)
            repeats = [(term["attribute"], term["repeats"]) for term in terms]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DocumentError(
                f"a term of the model cannot be read: {type(error).__name__}: {error}.", column="terms"
            ) from None
        if repeats != list(plan.repeats.items()):
            raise DocumentError(
                f"the model's terms are {quote_value(repeats)}, but its plan is {quote_value(plan.repeats)}.",
                value=repeats,
                column="terms",
            )
        method = predictor_named(documents.field(document, "predictor", str))
        predictor = cls(
            kind=method.name,
            plan=plan,
            coefficients=coefficients,
            bias=documents.number(document, "bias"),
            deviation=documents.number(document, "deviation"),
            residual_variance=documents.number(document, "residual_variance"),
            moments=read_moments(document) if method.keeps_moments else None,
            calibration=_read_calibration(document),
        )
        predictor._check_numbers()
        return predictor

    def _check_numbers(self) -> None:
        """A file may hold what no fit gives; a predictor that says the same twice must agree with itself."""
        errors = {"deviation": self.deviation, "residual_variance": self.residual_variance}
        negative = [name for name, value in errors.items() if value < 0]
        if not np.isfinite(self.coefficients).all() or negative:
            raise DocumentError(
                "the model's coefficients must be numbers, and its errors not negative.",
                column=[*negative, "coefficients"][0],
            )
        if self.moments is None:
            return
        if self.moments.attributes != self.attributes:
            raise DocumentError(
                "the model's moments are not those of its terms.", value=self.moments.attributes, column="moments"
            )
        verify = PREDICTORS[self.kind].verify
        if verify is not None and not verify(self, self.repeats):
            raise DocumentError(
                "the model's coefficients are not those of its moments; fit it again rather than editing it.",
                column="coefficients",
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
    judgments: Any,
    labels: Any = None,
    *,
    predictor: str = DEFAULT,
    moments: Moments | None = None,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    predictor_ridge: float | str | None = None,
    random_state: int | None = 0,
    **reading: Unpack[ReadKeywords],
) -> Predictor:
    """Fit the predictor of a plan.

    Parameters
    ----------
    plan : Plan
    judgments, labels
        As for :func:`answer`: the pilot, or better, all that has been bought since.
    predictor : {"best_linear", "least_squares"}
        ``"best_linear"`` weighs every judgment there is, however many there are; ``"least_squares"`` fits least squares
        to the means of exactly as many judgments as planned (the paper's step 4).
    moments : Moments, optional
        For ``"best_linear"``, if they are at hand; else they are estimated, of the chosen attributes alone.
    noiseless, unmatched
        As for :meth:`Moments.estimate`.
    predictor_ridge : float or "auto", optional
        For ``"best_linear"``, added to each attribute's variance in standardized units, which tames the coefficients of
        a small sample (default: that of the plan, which is the one that an answer's error belongs to). ``"auto"``
        chooses it by the error on held-out objects.
    random_state : int, optional
        Of the folds by which ``"best_linear"`` learns how large its errors are on new objects.
    **reading
        How to read judgments in a table, as for :func:`read_judgments`. Answers stand for the same as in the judgments
        that the plan was made from.

    Warns
    -----
    DataWarning
        Where answers are far outside the range of those that the plan was made from.

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
    method = predictor_named(predictor)
    predictor_ridge = _ridge_of(plan, method, predictor_ridge)
    options = ReadOptions.of(**reading)
    if not isinstance(judgments, Judgments):
        options = options.with_answers(plan.answers, plan.attributes)
    data = load_training_data(judgments, labels, ScanOptions(options, unmatched), noiseless=noiseless)
    for warning in outside_answers_of(plan, data):
        warnings.warn(warning, stacklevel=2)
    return fit(
        plan, data, predictor=predictor, moments=moments, predictor_ridge=predictor_ridge, random_state=random_state
    )


def fit(
    plan: Plan,
    data: TrainingData,
    *,
    predictor: str = DEFAULT,
    moments: Moments | None = None,
    predictor_ridge: float | str | None = None,
    random_state: int | None = 0,
) -> Predictor:
    """:func:`fit_predictor` to a table that has been read."""
    method, rng = predictor_named(predictor), generator(random_state)
    ridge = _ridge_of(plan, method, predictor_ridge)
    # Whoever made these moments said what is measured without error; folds of the table must be told, too, or a single
    # judgment would be too few to estimate its noise.
    if moments is not None:
        data = data.with_noiseless(moments.noiseless)
    fitted = method.fit(plan, data, moments=moments, ridge=ridge, rng=rng)
    return Predictor(method.name, plan, **vars(fitted))


def predictions_in(new: ObjectTable, predictor: Predictor) -> pd.DataFrame:
    """Prediction of each object in a table, and standard deviation of its error: ``object``, ``prediction``, ``std``.

    Parameters
    ----------
    new : ObjectTable
        Its ``warnings`` name the objects that have no answer to what the plan asks; they are predicted without.
    predictor : Predictor
    """
    found, judged = [], []
    n_judgments, n_chosen = 0, len(predictor.attributes)
    for block in new.blocks():
        found.append(_rows(predictor, _chosen_cells(block, predictor.attributes), block.objects))
        judged.append(np.asarray(block.objects, dtype=np.object_))
        n_judgments += len(block)
    if n_chosen and not n_judgments:
        raise _none_of_model(predictor.attributes, ())
    unjudged = pd.Series(new.unjudged(np.concatenate(judged))).infer_objects().to_numpy()
    if len(unjudged):
        nothing = np.zeros((len(unjudged), n_chosen))
        found.append(
            _rows(predictor, Cells(nothing.astype(np.int64), np.full_like(nothing, np.nan), nothing), unjudged)
        )
    rows = new.in_order(pd.concat(found, ignore_index=True))
    answered = rows.pop("answered").to_numpy()
    if n_chosen and not answered.all():
        new.warnings.append(_no_answers(rows["object"][~answered].tolist()))
    return rows


def _rows(predictor: Predictor, cells: Cells, objects: Any) -> pd.DataFrame:
    """Predictions, and whether there is any answer to what the plan asks."""
    prediction, std = predictor._predicted(cells, objects)
    answered = (cells.count > 0).any(axis=1)
    return pd.DataFrame({"object": objects, "prediction": prediction, "std": std, "answered": answered})


def _no_answers(objects: list[Any]) -> DataWarning:
    """What to say of objects about which nothing is known."""
    they = "It is" if len(objects) == 1 else "They are"
    return DataWarning(
        f"{plural(len(objects), 'object has', 'objects have')} no answer to what the plan asks: {list_names(objects)}. "
        f"{they} predicted without any: about the mean label, with a large std. 'manyjudges missing' (Plan.missing) "
        "lists what to ask.",
        "unanswered_objects",
        {"objects": tuple(objects)},
    )


def data_relied_on(fitted: Predictor, data: TrainingData) -> TrainingData:
    """What a predictor takes from the table that it was fitted to, for checks: they concern nothing else of it.

    Only the attributes of its plan. Where it does not need to know how noisy they are, those that were judged once
    count as measured without error, since checks could not estimate their noise.
    """
    used = data.only(fitted.attributes)
    return used if PREDICTORS[fitted.kind].needs_noise else used.with_noiseless(used.judged_once)


def outside_answers_of(plan: Plan, data: TrainingData) -> tuple[DataWarning, ...]:
    """What to say of answers that lie outside the range of those that a plan was made from."""
    known = ReadOptions(valid=data.valid).with_answers(plan.answers, plan.attributes).codings
    has_limits = any(coding.limits is not None for coding in known.values())
    return outside_answers(plan, known, data.value_counts() if has_limits else None)


def _ridge_of(plan: Plan, method: PredictorMethod, ridge: float | str | None) -> float | str:
    """The ridge that was given or, where the method takes one, that of the plan; refuses what cannot be fitted."""
    if not isinstance(plan, Plan):
        raise PlanError(f"a predictor is fitted to a Plan, not to {type(plan).__name__}.", value=plan, column="plan")
    if ridge is None:
        return plan.predictor_ridge if method.takes_ridge else 0.0
    check_ridge(ridge)
    if ridge != 0 and not method.takes_ridge:
        others = " or ".join(repr(other.name) for other in PREDICTORS.values() if other.takes_ridge)
        raise PlanError(
            f"predictor_ridge={quote_value(ridge)} goes with predictor={others}; {method.name.replace('_', ' ')} has "
            "none.",
            value=ridge,
            column="predictor_ridge",
        )
    return ridge


def _chosen_cells(judgments: Judgments, chosen: tuple[str, ...]) -> Cells:
    """Cells of the chosen attributes, with no judgments of those that the table does not have."""
    judged = [name in judgments.attributes for name in chosen]
    if chosen and not any(judged):
        raise _none_of_model(chosen, judgments.attributes)
    at = [judgments.attributes.index(name) for name, there in zip(chosen, judged, strict=True) if there]
    cells = judgments.cells(np.array(at, dtype=np.int64))
    if all(judged):
        return cells
    shape = (len(judgments.objects), len(chosen))
    # An attribute that the table does not have counts as not judged; best linear weighs what there is.
    count, mean = np.zeros(shape, dtype=np.int64), np.full(shape, np.nan)
    count[:, judged], mean[:, judged] = cells.count, cells.mean
    return Cells(count, mean, np.zeros_like(mean))


def _none_of_model(chosen: Sequence[str], attributes: Collection[str]) -> JudgmentsError:
    """What to say of judgments none of which is of an attribute of a model; ``attributes`` are those that there are."""
    others = f"; there are judgments of {list_names(attributes)}" if attributes else ""
    return JudgmentsError(
        f"there are no judgments of any attribute of the model ({list_names(chosen)}){others}.",
        value=chosen[0],
        column="attribute",
    )


def _read_calibration(document: dict[str, Any]) -> Calibration:
    pairs = documents.field({"calibration": []} | document, "calibration", list)
    try:
        return tuple((documents.number(pair, "promised"), documents.number(pair, "held_out")) for pair in pairs)
    except AttributeError:
        raise DocumentError(
            f"field 'calibration' of the document is wrong: {quote_value(pairs)}.",
            value=pairs,
            column="calibration",
        ) from None
