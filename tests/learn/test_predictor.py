from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, ManyJudgesError, Moments, Predictor, fit_predictor, select, simulate
from manyjudges.exceptions import DocumentError, JudgmentsError, MissingJudgmentsError, MomentsError, PlanError
from manyjudges.learn.predictors.best_linear import weigh
from manyjudges.learn.predictors.linear import formula
from tests.support.messages import refused

CROWD, PILOT = (150, 6, 5), 3


@pytest.fixture(scope="module")
def plan(crowd, pilot):
    return select(Moments.estimate(pilot, crowd.labels), 8)


@pytest.fixture(scope="module")
def fitted(crowd, pilot, plan):
    return fit_predictor(plan, pilot, crowd.labels)


def plain_best_linear(moments, counts, means):
    """One object at a time, by a plain solve on what is there."""
    predictions, deviations = [], []
    for n, x in zip(counts, means, strict=True):
        s = np.flatnonzero(n)
        m = moments.covariance[np.ix_(s, s)] + np.diag(moments.noise[s] / n[s])
        w = np.linalg.solve(m, moments.cross[s])
        predictions.append(moments.label_mean + w @ (x[s] - moments.means[s]))
        deviations.append(np.sqrt(moments.label_variance - w @ moments.cross[s]))
    return np.array(predictions), np.array(deviations)


def without_calibration(fitted):
    return replace(fitted, calibration=())


@pytest.mark.parametrize("at_once", [1, 1 << 20])
def test_best_linear_equals_one_object_at_a_time(crowd, fitted, rng, at_once):
    frame = crowd.more(40).pilot(5).to_frame()
    some = Judgments.from_frame(frame[rng.random(len(frame)) < 0.6])
    chosen = list(fitted.attributes)
    counts, means = some.counts()[chosen].to_numpy(), some.means()[chosen].to_numpy()
    predictions, deviations = without_calibration(fitted).predict(some, return_std=True)
    expected = plain_best_linear(fitted.moments, counts, means)
    np.testing.assert_allclose(predictions, expected[0], rtol=1e-9)
    np.testing.assert_allclose(deviations, expected[1], rtol=1e-9)
    weighed, _ = weigh(some.only(chosen).cells(), fitted.moments, at_once=at_once)
    np.testing.assert_allclose(weighed, expected[0], rtol=1e-9)


def test_coefficients_are_those_of_the_planned_counts(crowd, fitted, plan):
    judged = crowd.more(20).follow(plan)
    means = judged.means()[list(fitted.attributes)].to_numpy()
    np.testing.assert_allclose(fitted.predict(judged), fitted.bias + means @ fitted.coefficients)
    _, deviations = fitted.predict(judged, return_std=True)
    np.testing.assert_allclose(deviations, fitted.deviation)


def test_an_object_without_judgments_gets_the_mean_label(fitted):
    name = fitted.attributes[0]
    X = np.full((2, 1, 1), np.nan)
    X[0] = 0.5
    predictions, deviations = fitted.predict(Judgments.from_array(X, attributes=[name]), return_std=True)
    assert predictions[1] == pytest.approx(fitted.moments.label_mean)
    assert deviations[1] == pytest.approx(np.sqrt(fitted.moments.label_variance * (1 + 1 / fitted.moments.n_objects)))
    assert deviations[0] < deviations[1]


def test_least_squares_is_least_squares_on_exactly_the_planned_means(crowd, pilot, plan):
    bought = pilot + Judgments.from_frame(crowd.judge(plan.missing(pilot)))
    fitted = fit_predictor(plan, bought, crowd.labels, predictor="least_squares")
    means = bought.means(plan.repeats).to_numpy()
    assert not np.isnan(means).any()
    x = np.column_stack([np.ones(len(means)), means])
    w, *_ = np.linalg.lstsq(x, crowd.labels.loc[bought.objects].to_numpy(), rcond=None)
    np.testing.assert_allclose([fitted.bias, *fitted.coefficients], w)
    errors = crowd.labels.loc[bought.objects].to_numpy() - x @ w
    assert fitted.deviation == pytest.approx(np.sqrt(errors @ errors / (len(x) - x.shape[1])))
    _, deviations = fitted.predict(bought, return_std=True)
    assert (deviations == fitted.deviation).all()


def test_least_squares_says_what_is_missing(crowd, plan):
    some = crowd.pilot(2)
    with refused(MissingJudgmentsError, value=1, row="object 0001", column="a2") as caught:
        fit_predictor(plan, some, crowd.labels, predictor="least_squares")
    assert caught.value.missing.equals(plan.missing(some))


def test_least_squares_predicts_only_what_it_can(crowd, pilot, plan):
    bought = pilot + Judgments.from_frame(crowd.judge(plan.missing(pilot)))
    fitted = fit_predictor(plan, bought, crowd.labels, predictor="least_squares")
    frame = crowd.more(5).follow(plan).to_frame()
    name = fitted.attributes[0]
    without = frame[~((frame["attribute"] == name) & (frame["object"] == frame["object"].iloc[0]))]
    with refused(JudgmentsError, row=frame["object"].iloc[0], column=name, varying=r"object \d+"):
        fitted.predict(Judgments.from_frame(without))


def test_judgments_of_other_attributes_are_ignored(crowd, fitted, plan):
    judged = crowd.more(10).pilot(2)
    chosen = judged.to_frame()[lambda f: f["attribute"].isin(plan.repeats)]
    np.testing.assert_array_equal(fitted.predict(judged), fitted.predict(Judgments.from_frame(chosen)))
    other = judged.to_frame()[lambda f: ~f["attribute"].isin(plan.repeats)]
    with refused(JudgmentsError, value="a2", column="attribute"):
        fitted.predict(Judgments.from_frame(other))


def test_other_attributes_do_not_stand_in_the_way(crowd, pilot, plan, fitted):
    extra = pd.DataFrame({"object": crowd.objects[:1], "attribute": "other", "worker": "w", "value": 1.0})
    with_other = Judgments.from_frame(pd.concat([pilot.to_frame(), extra]))
    np.testing.assert_allclose(fit_predictor(plan, with_other, crowd.labels).coefficients, fitted.coefficients)


def test_least_squares_needs_no_noise(crowd):
    plan = select(crowd.truth, 4)
    exactly = crowd.more(50)
    judged = exactly.follow(plan)
    one = Judgments.from_frame(judged.to_frame().drop_duplicates(["object", "attribute"]))
    single = plan.at(1)
    assert fit_predictor(single, one, exactly.labels, predictor="least_squares").moments is None
    with refused(MomentsError, column="a2"):
        fit_predictor(single, one, exactly.labels)


def test_plans_with_attributes_that_nobody_judged(crowd, plan, pilot):
    name = next(iter(plan.repeats))
    frame = pilot.to_frame()
    with refused(JudgmentsError, value="a2", column="attribute"):
        fit_predictor(plan, Judgments.from_frame(frame[frame["attribute"] != name]), crowd.labels)


def test_unknown_predictors_are_named(crowd, plan, pilot):
    with refused(PlanError, value="best linear", column="predictor"):
        fit_predictor(plan, pilot, crowd.labels, predictor="best linear")


def test_a_plan_of_nothing_predicts_the_mean(crowd, pilot, plan):
    for kind in ("best_linear", "least_squares"):
        nothing = fit_predictor(plan.at(0), pilot, crowd.labels, predictor=kind)
        again = Predictor.from_json(nothing.to_json())
        for each in (nothing, again):
            np.testing.assert_allclose(each.predict(pilot), crowd.labels.mean())
            assert str(each) == f"{crowd.labels.mean():.3g}"


@pytest.mark.parametrize("kind", ["best_linear", "least_squares"])
def test_json_comes_back(crowd, pilot, plan, kind):
    bought = pilot + Judgments.from_frame(crowd.judge(plan.missing(pilot)))
    fitted = fit_predictor(plan, bought, crowd.labels, predictor=kind)
    again = Predictor.from_json(fitted.to_json())
    new = crowd.more(10).follow(plan)
    for mine, theirs in zip(fitted.predict(new, return_std=True), again.predict(new, return_std=True), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert again.plan == plan
    assert again.to_json() == fitted.to_json()
    document = json.loads(fitted.to_json())
    assert [term["repeats"] for term in document["terms"]] == list(plan.repeats.values())
    assert document["formula"] == str(fitted)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"format": "manyjudges.plan/1"}, DocumentError),
        ({"terms": []}, DocumentError),
        ({"terms": [{}]}, DocumentError),
        ({"predictor": "magic"}, PlanError),
        ({"deviation": -1}, DocumentError),
        ({"moments": {}}, DocumentError),
        ({"bias": "x"}, DocumentError),
        ({"bias": 1e6}, DocumentError),
        ({"plan": None}, DocumentError),
    ],
    ids=["format", "no terms", "empty term", "predictor", "deviation", "moments", "no number", "bias", "no plan"],
)
def test_documents_that_are_no_model(fitted, change, error):
    with refused(error):
        Predictor.from_json(json.dumps(json.loads(fitted.to_json()) | change))


def test_terms_in_another_order_are_refused(fitted):
    document = json.loads(fitted.to_json())
    document["terms"].reverse()
    with refused(DocumentError, value=list(fitted.plan.repeats.items())[::-1], column="terms"):
        Predictor.from_json(json.dumps(document))


def test_a_promise_below_zero_is_no_deviation():
    crowd = simulate.gaussian(n_objects=12, n_attributes=10, random_state=0)
    pilot = crowd.pilot(2)
    plan = select(Moments.estimate(pilot, crowd.labels), 60)
    assert plan.projected_loss < 0
    assert "more of the label's variance than there is" in repr(plan)
    fitted = fit_predictor(plan, pilot, crowd.labels)
    assert fitted.deviation > 0
    assert (fitted.predict(crowd.more(5).follow(plan), return_std=True)[1] > 0).all()
    assert Predictor.from_json(fitted.to_json()).deviation == fitted.deviation


def test_predictors_need_plans_and_judgments(crowd, pilot, plan, fitted):
    with refused(PlanError, column="plan"):
        fit_predictor(None, pilot, crowd.labels)
    for call in (lambda: fit_predictor(plan, np.zeros(3), crowd.labels), lambda: fitted.predict(np.zeros(3))):
        with refused(JudgmentsError, column="judgments"):
            call()
    with refused(JudgmentsError, value="zz", column="noiseless"):
        fit_predictor(plan, pilot, crowd.labels, noiseless=["zz"])


@pytest.mark.parametrize("field", ["n_objects", "cross", "label_variance", "covariance"])
@pytest.mark.parametrize("value", ["x", [], 10**400, None], ids=["text", "list", "huge", "null"])
def test_moments_of_a_document_are_checked(fitted, field, value):
    document = json.loads(fitted.to_json())
    document["moments"][field] = value
    with pytest.raises(ManyJudgesError):
        Predictor.from_json(json.dumps(document))


@pytest.mark.parametrize("field", ["bias", "deviation", "residual_variance"])
def test_numbers_too_large_are_refused(fitted, field):
    text = json.dumps(json.loads(fitted.to_json()) | {field: 10**400})
    with refused(DocumentError, column=field):
        Predictor.from_json(text)
    with refused(DocumentError, column=field):
        Predictor.from_json(text.replace("1" + "0" * 400, "1e400"))


def test_noiseless_attributes(crowd, pilot):
    frame = pilot.to_frame()
    once = Judgments.from_frame(frame[~frame.duplicated(["object", "attribute"])])
    moments = Moments.estimate(once, crowd.labels, noiseless=once.attributes)
    plan = select(moments, 3)
    fitted = fit_predictor(plan, once, crowd.labels, noiseless=once.attributes)
    assert (fitted.moments.noise == 0).all()


def test_the_expected_loss_is_what_new_objects_show(crowd, fitted, plan):
    new = crowd.more(20_000)
    judged, labels = new.follow(plan).match(new.labels)
    errors = (fitted.predict(judged) - labels) ** 2
    assert fitted.expected_loss(crowd.truth) == pytest.approx(errors.mean(), abs=4 * errors.std() / np.sqrt(20_000))


def test_formula():
    text = formula(("beans", "round", "b"), np.array([5, 2, 1]), np.array([-0.953, -50.0, 0.0]), -1234.5)
    assert text == "−0.953·beans/5 − 50·round/2 + 0·b/1 − 1,234"
    assert formula((), np.array([]), np.array([]), 1e-9) == "1.00e-09"


def test_what_a_person_sees(fitted):
    frame = fitted.to_frame()
    assert frame.index[-1] == "(bias)"
    assert frame["coefficient"].iloc[-1] == fitted.bias
    assert repr(fitted).startswith("Predictor (best_linear): ")
    assert "<table" in fitted._repr_html_()
    assert "NA" not in fitted._repr_html_()


def test_calibration_is_kept_and_read(fitted):
    again = Predictor.from_json(fitted.to_json())
    assert again.calibration == fitted.calibration
    assert len(fitted.calibration) == 4
    document = json.loads(fitted.to_json())
    del document["calibration"]
    assert Predictor.from_json(json.dumps(document)).calibration == ()
    for wrong, column in (
        (3, "calibration"),
        ([1, 2], "calibration"),
        ([{"promised": 1}], "held_out"),
        ([{"promised": "a", "held_out": 1}], "promised"),
    ):
        with refused(DocumentError, column=column):
            Predictor.from_json(json.dumps(document | {"calibration": wrong}))


def test_options_that_do_not_go_together(crowd, pilot, plan):
    with refused(PlanError, value="auto", column="predictor_ridge"):
        fit_predictor(plan, pilot, crowd.labels, predictor="least_squares", predictor_ridge="auto")
    with refused(PlanError, value="a0", column="noiseless"):
        fit_predictor(plan, pilot, crowd.labels, noiseless="a0")
    for wrong in (-1, "a", 1.5):
        with refused(PlanError, value=wrong, column="random_state"):
            fit_predictor(plan, pilot, crowd.labels, random_state=wrong)
