"""Laws that every predictor must keep: whatever is entered in ``PREDICTORS`` is tested here.

A predictor that is added enters in ``PLAIN`` how its coefficients are found in the slow and obvious way.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, MultiSelectRegressor, Predictor, fit_predictor, select, simulate
from manyjudges.base.methods import PREDICTOR_SUMMARIES, RIDGE_PREDICTORS
from manyjudges.exceptions import DocumentError, MissingJudgmentsError, MomentsError, PlanError
from manyjudges.learn.checks.registry import check_data
from manyjudges.learn.fitting import data_relied_on
from manyjudges.learn.predictors.registry import DEFAULT, PREDICTORS
from manyjudges.learn.training_data import match_training_data
from tests.support.messages import refused
from tests.support.plain import plain_moments

SEEDS = st.integers(0, 1_000_000)
SIZES = st.integers(1, 6)
few = settings(max_examples=40)
every_predictor = pytest.mark.parametrize("method", PREDICTORS.values(), ids=PREDICTORS)


def able(capability):
    """Those that can do something."""
    methods = [method for method in PREDICTORS.values() if capability(method)]
    return pytest.mark.parametrize("method", methods, ids=[method.name for method in methods])


straight = able(lambda method: not method.keeps_curve)


class Problem:
    """A crowd that judged everything four times, and a plan that asks for no more than that."""

    def __init__(self, seed, d, budget=None):
        self.rng = np.random.default_rng(seed)
        self.crowd = simulate.gaussian(60, d, noise=(0.2, 2.0), random_state=seed)
        self.judgments, self.labels = self.crowd.pilot(4), self.crowd.labels
        self.moments = Moments.estimate(self.judgments, self.labels)
        budget = int(self.rng.integers(1, 9)) if budget is None else budget
        self.plan = select(self.moments, budget, max_repeats=[4] * d)

    def fit(self, method, judgments=None, labels=None, **options):
        judgments = self.judgments if judgments is None else judgments
        labels = self.labels if labels is None else labels
        return fit_predictor(self.plan, judgments, labels, predictor=method.name, **options)


def changed(judgments, change):
    """The same table with other values, which are made from the name of the attribute and the value."""
    frame = judgments.to_frame()
    values = [change(name, value) for name, value in zip(frame["attribute"], frame["value"], strict=True)]
    return Judgments.from_frame(frame.assign(value=values))


def assert_same(one, other):
    """Predictions and deviations; systems of other units are solved with other roundings."""
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-8)


def normal_equations(problem):
    """Least squares on the means of the first judgments, as many as planned: X'X w = X'y."""
    means = problem.judgments.means(problem.plan.repeats).to_numpy()
    x = np.column_stack([means, np.ones(len(means))])
    *w, bias = np.linalg.solve(x.T @ x, x.T @ problem.labels[problem.judgments.objects].to_numpy())
    return w, bias


def best_weights(problem):
    """(Σ + Diag(v/r)) w = b of the chosen attributes, estimated one object and one pair at a time."""
    names = sorted(problem.plan.repeats)
    moments = plain_moments(problem.judgments.only(names).to_frame(), problem.labels)
    r = np.array([problem.plan.repeats[name] for name in names])
    w = np.linalg.solve(moments["covariance"] + np.diag(moments["noise"] / r), moments["cross"])
    bias = problem.labels.mean() - w @ problem.judgments.only(names).means().mean().to_numpy()
    return [w[names.index(name)] for name in problem.plan.repeats], bias


PLAIN = {"best_linear": best_weights, "curved": best_weights, "least_squares": normal_equations}
"""Of one with a curve, the coefficients are those of the straight line beside it."""


def test_names_are_those_they_are_registered_by():
    assert {name: method.summary for name, method in PREDICTORS.items()} == PREDICTOR_SUMMARIES
    assert all(name == method.name and method.summary[0].islower() for name, method in PREDICTORS.items())
    assert DEFAULT in ("auto", *PREDICTORS)
    assert tuple(name for name, method in PREDICTORS.items() if method.takes_ridge) == RIDGE_PREDICTORS
    assert set(PLAIN) == set(PREDICTORS)


@straight
@few
@given(seed=SEEDS, d=SIZES)
def test_it_predicts_by_the_formula_that_it_shows(method, seed, d):
    problem = Problem(seed, d)
    fitted = problem.fit(method)
    assert fitted.kind == method.name
    assert fitted.attributes == tuple(problem.plan.repeats)
    assert (fitted.moments is not None) == method.keeps_moments
    followed = problem.crowd.more(10).follow(problem.plan)
    predictions, deviations = fitted.predict(followed, return_std=True)
    by_formula = fitted.bias + followed.means(problem.plan.repeats).to_numpy() @ fitted.coefficients
    np.testing.assert_allclose(predictions, by_formula, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(deviations, fitted.deviation)
    assert fitted.deviation > 0


@straight
@few
@given(seed=SEEDS, d=SIZES)
def test_it_equals_its_plain_twin(method, seed, d):
    problem = Problem(seed, d)
    fitted = problem.fit(method)
    coefficients, bias = PLAIN[method.name](problem)
    np.testing.assert_allclose(fitted.coefficients, coefficients, rtol=1e-6, atol=1e-9)
    assert fitted.bias == pytest.approx(bias, rel=1e-6, abs=1e-8)


@straight
@few
@given(seed=SEEDS, d=SIZES)
def test_units_and_the_order_of_attributes_do_not_matter(method, seed, d):
    problem = Problem(seed, d)
    before = problem.fit(method).predict(problem.judgments, return_std=True)
    unit = dict(zip(problem.judgments.attributes, problem.rng.choice([0.01, 2.54, 1e4], d), strict=True))
    zero = dict(zip(problem.judgments.attributes, problem.rng.normal(size=d), strict=True))
    other = changed(problem.judgments, lambda name, value: unit[name] * (value + zero[name]))
    assert_same(problem.fit(method, other).predict(other, return_std=True), before)
    mixed = problem.judgments.only(problem.rng.permutation(problem.judgments.attributes))
    assert_same(problem.fit(method, mixed).predict(mixed, return_std=True), before)
    predictions, deviations = problem.fit(method, labels=problem.labels * 100 + 7).predict(
        problem.judgments, return_std=True
    )
    assert_same((predictions, deviations), (before[0] * 100 + 7, before[1] * 100))


@straight
@few
@given(seed=SEEDS, d=st.integers(2, 6))
def test_only_planned_attributes_have_a_part_in_it(method, seed, d):
    problem = Problem(seed, d, budget=1)
    fitted = problem.fit(method)
    other = changed(
        problem.judgments,
        lambda name, value: value if name in problem.plan.repeats else problem.rng.normal(scale=9.0),
    )
    again = problem.fit(method, other)
    np.testing.assert_array_equal(again.coefficients, fitted.coefficients)
    assert again.bias == fitted.bias
    np.testing.assert_array_equal(fitted.predict(other), fitted.predict(problem.judgments))
    np.testing.assert_array_equal(
        fitted.predict(problem.judgments.only(problem.plan.repeats)), fitted.predict(problem.judgments)
    )


@straight
@few
@given(seed=SEEDS, d=SIZES)
def test_it_is_saved_as_json_and_read_back_the_same(method, seed, d):
    problem = Problem(seed, d)
    fitted = problem.fit(method)
    text = fitted.to_json()
    json.loads(text, parse_constant=lambda constant: pytest.fail(f"{constant} is no JSON"))
    again = Predictor.from_json(text)
    assert again.to_json() == text
    new = problem.crowd.more(10).follow(problem.plan)
    np.testing.assert_array_equal(again.predict(new, return_std=True), fitted.predict(new, return_std=True))


@able(lambda method: method.verify is not None)
def test_an_edited_file_does_not_agree_with_itself(method):
    document = Problem(0, 3, budget=6).fit(method).to_document()
    for change in (lambda w: w * 1.1, lambda w: -w, lambda w: 0.0):
        terms = [term | {"coefficient": change(term["coefficient"])} for term in document["terms"]]
        with refused(DocumentError, column="coefficients"):
            Predictor.from_json(json.dumps(document | {"terms": terms}))


@straight
@few
@given(seed=SEEDS, d=st.integers(2, 6))
def test_it_does_without_judgments_or_says_what_is_missing(method, seed, d):
    problem = Problem(seed, d)
    name, n = next(iter(problem.plan.repeats.items()))
    frame = problem.judgments.to_frame()
    first = (frame["object"] == frame["object"][0]) & (frame["attribute"] == name)
    fewer = Judgments.from_frame(frame[~first | (first.cumsum() < n)])
    if method.needs_planned_judgments:
        with pytest.raises(MissingJudgmentsError) as caught:
            problem.fit(method, fewer)
        assert (caught.value.row, caught.value.column, caught.value.value) == (frame["object"][0], name, 1)
    else:
        predictions, deviations = problem.fit(method, fewer).predict(fewer, return_std=True)
        assert np.isfinite(predictions).all()
        assert (deviations > 0).all()
    assert MultiSelectRegressor(6, predictor=method.name)._allows_nan() != method.needs_planned_judgments


@straight
@few
@given(seed=SEEDS, d=SIZES)
def test_it_needs_second_judgments_only_where_it_needs_noise(method, seed, d):
    problem = Problem(seed, d)
    problem.plan = select(problem.moments, d, max_repeats=[1] * d)
    once = Judgments.from_frame(problem.judgments.to_frame().drop_duplicates(["object", "attribute"]))
    if method.needs_noise:
        with refused(MomentsError, column=next(name for name in once.attributes if name in problem.plan.repeats)):
            problem.fit(method, once)
        return
    fitted = problem.fit(method, once)
    relied_on = data_relied_on(fitted, match_training_data(once, problem.labels))
    assert set(relied_on.attributes) == relied_on.noiseless == set(problem.plan.repeats)
    assert check_data(relied_on).results


@straight
@few
@given(seed=SEEDS, d=SIZES)
def test_checks_concern_the_noise_of_its_attributes_where_that_can_be_estimated(method, seed, d):
    problem = Problem(seed, d)
    data = match_training_data(problem.judgments, problem.labels, noiseless=problem.judgments.attributes[:1])
    relied_on = data_relied_on(problem.fit(method), data)
    assert set(relied_on.attributes) == set(problem.plan.repeats)
    assert relied_on.noiseless == data.noiseless & set(problem.plan.repeats)


@able(lambda method: method.keeps_curve)
@pytest.mark.parametrize(
    "law",
    [
        test_it_equals_its_plain_twin,
        test_only_planned_attributes_have_a_part_in_it,
        test_it_is_saved_as_json_and_read_back_the_same,
        test_it_does_without_judgments_or_says_what_is_missing,
        test_it_needs_second_judgments_only_where_it_needs_noise,
        test_checks_concern_the_noise_of_its_attributes_where_that_can_be_estimated,
    ],
    ids=lambda law: law.__name__,
)
def test_with_a_curve_which_takes_long_to_fit_they_hold_too(method, law):
    law.hypothesis.inner_test(method, 3, 3)


@every_predictor
@pytest.mark.parametrize("ridge", [-1, float("nan"), float("inf"), "much", "0.1", [0.1], np.array([0.1, 0.2])], ids=str)
def test_what_is_no_ridge_is_refused_by_its_name(method, ridge):
    with refused(PlanError, value=ridge, column="predictor_ridge"):
        Problem(0, 3).fit(method, predictor_ridge=ridge)


@every_predictor
def test_a_ridge_tames_it_or_is_refused(method):
    problem = Problem(0, 3, budget=6)
    plain = problem.fit(method, predictor_ridge=0)
    for ridge in (0.5, "auto"):
        if not method.takes_ridge:
            with refused(PlanError, value=ridge, column="predictor_ridge"):
                problem.fit(method, predictor_ridge=ridge)
    if method.takes_ridge:
        sizes = [np.abs(problem.fit(method, predictor_ridge=ridge).coefficients).sum() for ridge in (0, 0.5, 2, 8)]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] < np.abs(plain.coefficients).sum() / 2
        auto = problem.fit(method, predictor_ridge="auto").coefficients
        assert np.abs(auto).sum() <= sizes[0]
