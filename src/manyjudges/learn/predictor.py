"""Predictor: from the judgments that a plan bought to a number for each object."""

from __future__ import annotations

__all__ = ["Predictor", "predictions_in"]

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
from manyjudges.core.moments import Moments
from manyjudges.core.objective import expected_loss
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning, DocumentError, JudgmentsError
from manyjudges.learn.inference.calibration import Calibration
from manyjudges.learn.inference.prediction_intervals import Quantiles, reach_of
from manyjudges.learn.object_tables import ObjectTable
from manyjudges.learn.predictors.curves import Curve
from manyjudges.learn.predictors.linear import ChosenCells, formula, moments_document, read_moments
from manyjudges.learn.predictors.registry import PREDICTORS, predictor_named
from manyjudges.learn.preparation.preparation import UNCHANGED, Preparation
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
    kind : {"best_linear", "curved", "least_squares"}
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
    preparation : Preparation
        What is done to judgments before they are averaged.
    curve : Curve, optional
        What ``"curved"`` adds to the linear predictor, whose formula is then the best straight line beside it.
    ridge : float
        By which coefficients were tamed, in standardized units.
    quantiles : tuple of pairs of float
        Shares of held-out objects, and how many standard deviations their predictions were off at the most.
    """

    kind: str
    plan: Plan
    coefficients: Floats
    bias: float
    deviation: float
    residual_variance: float
    moments: Moments | None = None
    calibration: Calibration = ()
    preparation: Preparation = UNCHANGED
    curve: Curve | None = None
    ridge: float = 0.0
    quantiles: Quantiles = ()

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
            averaged = self.preparation.apply(judgments)
            predicted = self._predicted(_chosen_cells(averaged, self.attributes), judgments.objects)
            return predicted if return_std else predicted[0]
        options = self._options(judgments, reading)
        new = ObjectTable(judgments, ScanOptions(options), self.plan)
        found = predictions_in(new, self).set_index("object")
        for warning in new.warnings:
            warnings.warn(warning, stacklevel=2)
        return (found["prediction"], found["std"]) if return_std else found["prediction"]

    def predict_interval(
        self, judgments: Any, coverage: float = 0.95, **reading: Unpack[ReadKeywords]
    ) -> tuple[Any, Any]:
        """Intervals that hold the labels of a share of the objects.

        The standard deviation of each prediction, times as much as it took for the held-out objects.

        Parameters
        ----------
        judgments, **reading
            As for :meth:`predict`.
        coverage : float
            The share, from 0 to 1.

        Returns
        -------
        low, high : arrays or Series
            As :meth:`predict` returns predictions.
        """
        reach = reach_of(coverage, self.quantiles)
        prediction, deviation = self.predict(judgments, return_std=True, **reading)
        return prediction - reach * deviation, prediction + reach * deviation

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
            "ridge": self.ridge,
            "moments": None if self.moments is None else moments_document(self.moments),
            "calibration": [{"promised": promised, "held_out": honest} for promised, honest in self.calibration],
            "preparation": self.preparation.to_document(with_effects=True),
            "quantiles": [{"share": share, "deviations": reach} for share, reach in self.quantiles],
            "curve": None if self.curve is None else self.curve.to_document(),
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
        moments = read_moments(document) if method.keeps_moments else None
        curve = None
        if method.keeps_curve and moments is not None:
            curve = Curve.from_document(documents.field(document, "curve", dict), moments)
        predictor = cls(
            kind=method.name,
            plan=plan,
            coefficients=coefficients,
            bias=documents.number(document, "bias"),
            deviation=documents.number(document, "deviation"),
            residual_variance=documents.number(document, "residual_variance"),
            moments=moments,
            calibration=_read_pairs(document, "calibration", "promised", "held_out"),
            preparation=Preparation.from_document(document.get("preparation")),
            curve=curve,
            ridge=documents.number({"ridge": 0.0} | document, "ridge"),
            quantiles=_read_pairs(document, "quantiles", "share", "deviations"),
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
        rescalings = self.preparation.rescalings
        names = tuple(rescalings[name].of_name(name) if name in rescalings else name for name in self.attributes)
        return formula(names, self.repeats, self.coefficients, self.bias)

    def __repr__(self) -> str:
        return f"Predictor ({self.kind}): {self}"

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        frame["repeats"] = frame["repeats"].astype(str).replace("<NA>", "")
        return f"<p>{html.escape(repr(self))}</p>{frame.to_html(float_format='{:.3g}'.format)}"


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
        averaged = predictor.preparation.apply(block)
        found.append(_rows(predictor, _chosen_cells(averaged, predictor.attributes), block.objects))
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


def _read_pairs(document: dict[str, Any], name: str, first: str, second: str) -> tuple[tuple[float, float], ...]:
    """A field that is a list of pairs of numbers."""
    pairs = documents.field({name: []} | document, name, list)
    try:
        return tuple((documents.number(pair, first), documents.number(pair, second)) for pair in pairs)
    except AttributeError:
        raise DocumentError(
            f"field {name!r} of the document is wrong: {quote_value(pairs)}.", value=pairs, column=name
        ) from None
