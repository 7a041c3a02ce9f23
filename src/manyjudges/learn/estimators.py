"""Scikit-learn estimators."""

from __future__ import annotations

__all__ = ["MultiSelectRegressor"]

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from manyjudges.base import documents
from manyjudges.base.messages import list_names
from manyjudges.base.methods import DEFAULT_SEARCH
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning, DocumentError, JudgmentsError
from manyjudges.learn.answers import Answer, answer_of
from manyjudges.learn.checks.registry import as_codes, raise_stops
from manyjudges.learn.comparison import AUTO, check_method
from manyjudges.learn.fitting import fit
from manyjudges.learn.predictor import MODEL_FORMAT, Predictor
from manyjudges.learn.predictors.registry import PREDICTORS
from manyjudges.learn.preparation.preparation import Preparation
from manyjudges.learn.preparation.trials import PreparationOptions
from manyjudges.learn.search_capabilities import can_repeat
from manyjudges.learn.training_data import TrainingData, load_training_data, match_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.reading.frames import is_table
from manyjudges.tables.reading.labels import labels_by_object
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.recognition import holds_judgments


class MultiSelectRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Choose how many judgments of each attribute to buy, and predict the label from their means.

    Parameters
    ----------
    budget : float
        The most that one object's judgments may cost.
    method : {"auto", "full", "scoring", "exchange", "exact"}
        See :func:`select`. ``"auto"`` (default) takes the one that has the least error on held-out objects; see
        :func:`choose`. With too few objects to hold any out, it is Full without shrinkage.
    costs : mapping or array, optional
        See :func:`select`.
    attributes : sequence or mapping, optional
        For a 2-D array or frame, the attribute of each column: names in the order of the columns, or a mapping from
        column to attribute. A repeated name is a repeated judgment; a column that stands alone is an attribute without
        noise. Unless given, each column stands alone. For a 3-D array, names along the second axis.
    predictor : {"auto", "best_linear", "curved", "least_squares"}
        See :func:`fit_predictor`.
    plan_ridge, shrinkage : float
        See :meth:`Moments.regularized`. They tame the choice of the plan alone. ``shrinkage="auto"`` (default) takes
        the amount that has the least error on held-out objects, and chooses a ridge for the predictor in the same way.
    rescale, worker_effects, joint_moments
        What is done to judgments before they are averaged, and how moments are estimated; see :func:`answer`.
    max_repeats : mapping or array, optional
        See :func:`select`.
    cv, cv_repeats : int
        Folds by which the error is estimated, and how often to split anew; as for :func:`projected_error`.
    random_state : int, optional
        Of these folds, and of those by which the predictor learns how large its errors are.
    mute : collection of str
        Codes of checks to leave out of ``warnings_``, such as ``("MJ103",)``; see :func:`check_data`.
    read_options : mapping, optional
        How to read a table of judgments: keyword arguments of :func:`read_judgments`, such as ``{"object": "Essay",
        "missing": -99}``.

    Attributes
    ----------
    answer_ : Answer or None
        What to buy and what error to expect, as :func:`answer` says it; None of a model that was read from a file.
    plan_ : Plan
        That of the answer.
    error_ : float or None
        The error to expect on new objects (RMSE); None where there were too few objects to hold any out.
    error_low_, error_high_ : float or None
        Its 95 % limits.
    moments_ : Moments
    predictor_ : Predictor
    choice_ : Choice or None
        What ``"auto"`` chose, and from what.
    warnings_ : tuple of DataWarning
        What speaks against relying on the plan; see :func:`check_data`.
    coef_ : (d,) array
        Coefficient of each attribute's mean judgment under the plan, 0 where it buys none.
    intercept_ : float
    n_features_in_ : int
        Columns of a 2-D array, attributes otherwise.
    feature_names_in_ : array of str
        Where columns or attributes have names.
    input_ : {"judgments", "columns"}
        Whether ``X`` was a :class:`Judgments`, a table of them or a 3-D array, or a 2-D array or frame of features.

    Notes
    -----
    ``X`` is a :class:`Judgments`, a 3-D array of (objects, attributes, judgments), or a 2-D array or frame with a
    column a judgment; NaN is a judgment that was not collected. Labels of a :class:`Judgments` may be given by object,
    except in cross-validation, where they are an array in the order of ``X.objects``.

    ``X`` may also be a table of judgments in any layout that :func:`read_judgments` reads: a path, a dict of arrays, or
    a frame that has columns for the object, the attribute and the value, or a column that is not numeric. ``y`` may
    then be the name of a column, labels by object, a path, or one label for each row. Predictions are a Series by
    object.

    ``predict`` looks at the plan's attributes only, and uses all judgments of them that it is given. A 2-D ``X`` has
    the columns of the one in ``fit``; other numbers of judgments go into a :class:`Judgments` or a 3-D array. What is
    wrong with a 2-D ``X`` or its ``y`` is said by scikit-learn's own checks, as ``ValueError`` or ``TypeError``.

    Examples
    --------
    >>> from manyjudges import MultiSelectRegressor, simulate
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> model = MultiSelectRegressor(budget=8).fit(crowd.pilot(2), crowd.labels)
    >>> model.plan_.repeats
    {'monochromatic': 1, 'number of beans': 6, 'round jar': 1}
    >>> print(model)
    141·monochromatic/1 + 0.806·number of beans/6 − 172·round jar/1 + 318
    >>> new = crowd.more(3)
    >>> model.predict(new.follow(model.plan_)).round(-1)
    array([ 990., 1130., 1180.])
    """

    input_: str
    answer_: Answer | None
    plan_: Any
    error_: float | None
    error_low_: float | None
    error_high_: float | None
    moments_: Any
    predictor_: Any
    choice_: Any
    warnings_: tuple[DataWarning, ...]
    coef_: Any
    intercept_: float
    n_features_in_: int
    _required_parameters = ("budget",)

    def __init__(
        self,
        budget: float,
        *,
        method: str = AUTO,
        costs: Any = None,
        attributes: Sequence[str] | Mapping[str, str] | None = None,
        predictor: str = AUTO,
        plan_ridge: float = 0,
        shrinkage: float | str = AUTO,
        rescale: str = AUTO,
        worker_effects: str = AUTO,
        joint_moments: bool | str = AUTO,
        max_repeats: Any = None,
        cv: int = 5,
        cv_repeats: int = 3,
        random_state: int | None = 0,
        mute: Collection[str] = (),
        read_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.budget = budget
        self.method = method
        self.costs = costs
        self.attributes = attributes
        self.predictor = predictor
        self.plan_ridge = plan_ridge
        self.shrinkage = shrinkage
        self.rescale = rescale
        self.worker_effects = worker_effects
        self.joint_moments = joint_moments
        self.max_repeats = max_repeats
        self.cv = cv
        self.cv_repeats = cv_repeats
        self.random_state = random_state
        self.mute = mute
        self.read_options = read_options

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose a plan and fit its predictor.

        Parameters
        ----------
        X : Judgments, path, table, 3-D array, or 2-D array or frame of numbers
        y : array, or labels by object, or in a file or table, where ``X`` is a Judgments or a table; of a table, also
            the name of the column of labels
        """
        as_codes(self.mute)  # before anything takes time
        check_method(self.method)
        data = self._training_data(X, y)
        self.answer_ = answer_of(
            data,
            self.budget,
            method=self.method,
            shrinkage=self.shrinkage,
            plan_ridge=self.plan_ridge,
            costs=self.costs,
            max_repeats=self.max_repeats,
            cv=self.cv,
            cv_repeats=self.cv_repeats,
            random_state=self.random_state,
            mute=self.mute,
            options=PreparationOptions(self.rescale, self.worker_effects, self.joint_moments, self.predictor),
        )
        self.plan_, self.error_, self.choice_ = self.answer_.plan, self.answer_.error, self.answer_.choice
        self.error_low_, self.error_high_ = self.answer_.low, self.answer_.high
        data = data.prepared(Preparation.from_document(self.plan_.preparation))
        self.moments_, self.warnings_ = data.moments, self.answer_.warnings
        fitted = fit(
            self.plan_,
            data,
            predictor=self.predictor,
            # Estimated once: shrinkage and ridge of the plan are not in them, and tame the plan alone.
            moments=self.moments_,
            predictor_ridge=self.answer_.predictor_ridge,
            random_state=self.random_state,
        )
        return self._fitted(fitted)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict the label of each object.

        Parameters
        ----------
        X : as for ``fit``, with any number of judgments a pair
            Answers in a table stand for the same as in the one of ``fit``.
        return_std : bool
            Whether to return the standard deviations of the errors, too.

        Returns
        -------
        array or Series
            Of a table, by object.
        """
        check_is_fitted(self)
        if self._is_read(X, None, fitted=True):
            return self.predictor_.predict(X, return_std=return_std, **(self.read_options or {}))
        judgments, _, _ = self._judgments(X, None, reset=False)
        return self.predictor_.predict(judgments, return_std=return_std)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Coefficient of determination of the predictions, with labels as for ``fit``."""
        if isinstance(X, Judgments) or self._is_read(X, y, fitted=True):
            data = self._read(X, y, self.plan_)
            X, y = data.in_memory, data.known_labels
        return float(super().score(X, y, sample_weight=sample_weight))

    def to_json(self) -> str:
        """The fitted predictor as JSON that a person can read; :meth:`from_json` reads it back."""
        check_is_fitted(self)
        document = self.predictor_.to_document()
        if self.input_ == "columns":
            names = getattr(self, "feature_names_in_", None)
            document["columns"] = {
                "names": None if names is None else names.tolist(),
                "attributes": list(self._column_attributes()),
            }
        return documents.dumps(document)

    @classmethod
    def from_json(cls, text: str | bytes) -> MultiSelectRegressor:
        """Read a model that :meth:`to_json` wrote.

        It predicts from the same kinds of X as the one that was written. Its ``moments_`` are those of the chosen
        attributes, which is all that predicting needs, and None where least squares needs none.
        """
        predictor = Predictor.from_json(text)
        plan = predictor.plan
        costs = dict(zip(plan.attributes, plan.costs.tolist(), strict=True))
        method = plan.method if can_repeat(plan.method) else DEFAULT_SEARCH  # a baseline's plan, which no method makes
        model = cls(
            plan.budget,
            method=method,
            costs=costs,
            predictor=predictor.kind,
            plan_ridge=plan.plan_ridge,
            shrinkage=plan.shrinkage,
            max_repeats=plan.max_repeats,
        )
        model.plan_, model.moments_, model.choice_, model.warnings_ = plan, predictor.moments, None, ()
        model.answer_, model.error_, model.error_low_, model.error_high_ = None, None, None, None
        columns = documents.loads(text, MODEL_FORMAT).get("columns")
        names, model.input_ = list(plan.attributes), "judgments"
        if columns is not None:
            columns = documents.field({"columns": columns}, "columns", dict)
            model.input_, model.attributes = "columns", documents.field(columns, "attributes", list)
            names = columns.get("names")
            if names is not None and len(documents.field(columns, "names", list)) != len(model.attributes):
                raise DocumentError(
                    "the model names more or fewer columns than it has attributes for.", value=names, column="names"
                )
        model.n_features_in_ = len(model.attributes or plan.attributes)
        if names is not None:
            model.feature_names_in_ = np.array(names, dtype=object)
        return model._fitted(predictor)

    def _fitted(self, predictor: Predictor) -> Self:
        self.predictor_ = predictor
        chosen = dict(zip(predictor.attributes, predictor.coefficients, strict=True))
        self.coef_ = np.array([chosen.get(name, 0.0) for name in self.plan_.attributes])
        self.intercept_ = predictor.bias
        return self

    def _training_data(self, X: Any, y: Any) -> TrainingData:
        """Judgments of any kind of X, with their labels."""
        if not (isinstance(X, Judgments) or self._is_read(X, y)):
            judgments, labels, noiseless = self._judgments(X, y, reset=True)
            return match_training_data(judgments, labels, noiseless=noiseless)
        data = self._read(X, y)
        raise_stops(data, mute=self.mute)  # before anything is computed
        self._judgments(data.in_memory, None, reset=True)
        return data

    def _is_read(self, X: Any, y: Any, *, fitted: bool = False) -> bool:
        """Whether X is a table of judgments, rather than one of features."""
        if self.attributes is not None or isinstance(X, Judgments):
            return False
        # What was fitted to judgments, or is told how to read them, has no use for features.
        told = bool(self.read_options) or (fitted and self.input_ == "judgments")
        return holds_judgments(X, y) or (told and is_table(X))

    def _read(self, X: Any, y: Any, plan: Plan | None = None) -> TrainingData:
        """Judgments, or a table of them, with labels; its answers stand for what a plan says."""
        options = ReadOptions.of(**(self.read_options or {}))
        if isinstance(X, Judgments):
            return match_training_data(X, labels_by_object(y, options, objects=X.objects))
        if plan is not None:
            options = options.with_answers(plan.answers, plan.attributes)
        return load_training_data(X, y, ScanOptions(options), whole=True)

    def _judgments(self, X: Any, y: Any, *, reset: bool) -> tuple[Judgments, Any, Collection[str]]:
        """Judgments of any kind of X, labels that fit them, and which attributes have no noise."""
        if isinstance(X, Judgments):
            if reset:
                self.input_ = "judgments"
                self.n_features_in_ = len(X.attributes)
                self.feature_names_in_ = np.array(X.attributes, dtype=object)
            return X, y, ()
        if (block := _as_block(X)) is not None:
            return self._from_block(block, reset=reset), None if y is None else np.asarray(y), ()
        if isinstance(X, pd.DataFrame) and X.columns.has_duplicates:
            if isinstance(self.attributes, list | tuple):
                return self._judgments(X.to_numpy(), y, reset=reset)
            twice = X.columns[X.columns.duplicated()].unique()
            raise JudgmentsError(
                f"X has more than one column {list_names(twice)}; give each a name of its own, and say "
                "which are judgments of the same attribute with attributes=.",
                column=str(twice[0]),
            )
        options = {"ensure_all_finite": "allow-nan" if self._allows_nan() else True, "dtype": np.float64}
        try:
            if reset:
                self.input_ = "columns"
                X, y = validate_data(self, X, y, y_numeric=True, reset=True, **options)
            else:
                X = validate_data(self, X, reset=False, **options)
        except ValueError as error:
            if not str(error).startswith("could not convert string"):
                raise
            raise JudgmentsError(
                f"X has a cell that is not a number ({str(error).partition(': ')[2]}). Give judgments as a data frame "
                "with named columns, so that it can be seen which column is what, or as a Judgments; see "
                "Judgments.from_frame.",
                column="X",
            ) from None
        names = self._column_attributes()
        # Of a single column, noise cannot be told from what objects differ by; it is taken as measured without error.
        alone = [name for name, n in Counter(names).items() if n == 1]
        return _from_columns(X, names, allow_empty=not reset), y, alone

    def _from_block(self, X: Any, *, reset: bool) -> Judgments:
        names = None if self.attributes is None else tuple(map(str, self.attributes))
        if reset:
            self.input_ = "judgments"
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
            if names is not None:
                self.feature_names_in_ = np.array(names, dtype=object)
        else:
            names = self.plan_.attributes
            if X.shape[1] != len(names):
                raise JudgmentsError(
                    f"the array has {X.shape[1]} attributes; the model was fitted on {len(names)}.",
                    value=X.shape[1],
                    column="attributes",
                )
        return Judgments.from_array(X, attributes=names, copy=False, allow_empty=not reset)

    def _column_attributes(self) -> tuple[str, ...]:
        """The attribute of each column of a 2-D X."""
        columns = list(getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)]))
        if self.attributes is None:
            return tuple(columns)
        if isinstance(self.attributes, Mapping):
            unknown = [name for name in self.attributes if name not in columns]
            if unknown:
                raise JudgmentsError(
                    f"attributes= names the columns {list_names(unknown)}, which X does not have; "
                    f"it has {list_names(columns, limit=8)}.",
                    value=unknown[0],
                    column="attributes",
                )
            return tuple(str(self.attributes.get(name, name)) for name in columns)
        if len(self.attributes) != len(columns):
            raise JudgmentsError(
                f"attributes= names {len(self.attributes)} columns, but X has {len(columns)}.",
                value=self.attributes,
                column="attributes",
            )
        return tuple(map(str, self.attributes))

    def _allows_nan(self) -> bool:
        """Where as many judgments are needed as planned, columns that stand alone must be complete."""
        method = PREDICTORS.get(self.predictor)  # what is not known is said by fit
        return method is None or not method.needs_planned_judgments or self.attributes is not None

    def __str__(self) -> str:
        return str(self.predictor_) if hasattr(self, "predictor_") else repr(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_nan()
        tags.input_tags.three_d_array = True
        return tags


def _as_block(X: Any) -> Any:
    """X as an array, if it has three dimensions; lists may have them, too."""
    if isinstance(X, list | tuple):
        try:
            X = np.asarray(X, dtype=float)
        except (TypeError, ValueError):
            return None
    return np.asarray(X) if getattr(X, "ndim", None) == 3 else None


def _from_columns(X: Any, names: tuple[str, ...], *, allow_empty: bool) -> Judgments:
    """Columns of the same attribute side by side, as its judgments."""
    columns = np.array(names, dtype=object)
    if len(set(names)) == len(names):
        return Judgments.from_array(X[:, :, None], attributes=columns, copy=False, allow_empty=allow_empty)
    codes, attributes = pd.factorize(columns)
    # Which judgment of its attribute (first, second, …) each column holds: where it goes on the third axis.
    rank = pd.Series(codes).groupby(codes).cumcount().to_numpy()
    block = np.full((len(X), len(attributes), int(rank.max()) + 1), np.nan)
    block[:, codes, rank] = X
    return Judgments.from_array(block, attributes=attributes, copy=False, allow_empty=allow_empty)
