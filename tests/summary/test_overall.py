"""The summary of a whole study."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments, Predictor, projected_error, select, summary
from manyjudges.base.results import Result, loss_limits, plain
from manyjudges.exceptions import JudgmentsError, LabelsError, PlanError
from manyjudges.learn import check_data
from manyjudges.learn.answers import plan_shares
from manyjudges.learn.choice import choose
from manyjudges.learn.preparation.trials import PreparationOptions, prepare
from manyjudges.learn.training_data import match_training_data
from manyjudges.summary import plain as plain_numbers
from tests.support.messages import refused


@pytest.fixture(scope="module")
def study(beans):
    crowd, pilot = beans
    return summary.summarize(pilot, crowd.labels, 8, cv_repeats=1)


def small(judgments, labels, budget, **options):
    """Few folds and budgets, to be quick."""
    return summary.summarize(judgments, labels, budget, **({"budgets": [2, 4], "cv_repeats": 1, "cv": 3} | options))


def test_the_answer_is_what_choose_chooses(study, beans):
    crowd, pilot = beans
    choice = choose(pilot, crowd.labels, 8, cv_repeats=1)
    answer = study.answer
    assert answer.error == np.sqrt(choice.loss)
    assert (answer.low, answer.high) == tuple(np.sqrt(loss_limits(choice.loss, choice.std_error)))
    data = prepare(match_training_data(pilot, crowd.labels), PreparationOptions())
    plan = select(data.moments, 8, method=choice.method, shrinkage=choice.shrinkage)
    assert answer.plan.repeats == plan.repeats
    moments = Moments.estimate(pilot, crowd.labels)
    assert answer.label_mean == moments.label_mean
    assert study.predictor.plan == answer.plan
    assert study.to_frame().equals(answer.to_frame())


def test_a_method_that_somebody_named(beans):
    crowd, pilot = beans
    found = small(pilot, crowd.labels, 5, method="scoring", shrinkage=0.0)
    options = {"shrinkage": 0.0, "cv": 3, "cv_repeats": 1, "random_state": 0}
    curve = projected_error(pilot, crowd.labels, [2, 4, 5], methods=["scoring"], **options)
    assert found.answer.error == np.sqrt(curve.loss[0, 2])
    assert (found.curve.error[0] == curve.error[0]).all()
    assert found.answer.method == "scoring"


def test_other_methods_have_a_curve_of_their_own(beans):
    crowd, pilot = beans
    found = small(pilot, crowd.labels, 4, method="exchange", shrinkage=0.0)
    assert found.curve.methods == ("exchange", "scoring", "full")
    assert found.curve.chosen_method == "exchange"
    assert found.curve.plans["exchange"][1] == found.answer.plan.repeats


def test_the_curve_has_the_plan(study):
    curve = study.curve
    at = curve.budgets.index(8.0)
    assert curve.chosen_budget == 8
    assert curve.plans[curve.chosen_method][at] == study.answer.plan.repeats
    assert len(curve.budgets) >= 8
    assert max(curve.budgets) == 20


def test_everything_else_is_there(study, beans):
    _, pilot = beans
    assert study.overview["n_objects"] == 120
    assert study.attribute_map.attributes == pilot.attributes
    assert set(study.next_judgments.attributes) == set(pilot.attributes)
    assert isinstance(study.predictor, Predictor)
    assert len(study.residuals.labels) == study.calibration.n == 120
    assert study.reliability.attributes == pilot.attributes
    assert study.title == "What to ask for 8 an object"


def test_json_is_json(study):
    document = json.loads(study.to_json(), parse_constant=pytest.fail)
    assert document["format"] == "manyjudges.summary/1"
    assert document["answer"]["sentence"] == study.answer.sentence
    assert document["predictor"]["formula"] == str(study.predictor)
    assert Predictor.from_json(json.dumps(document["predictor"])).predict is not None


def test_what_a_notebook_shows(study):
    parts = [study, *(getattr(study, name) for name in study.__dataclass_fields__)]
    for part in parts:
        if isinstance(part, Result):
            assert 0 < len(repr(part)) < 12_000
            assert "<table" in part._repr_html_()
    assert study.answer.sentence in repr(study)


def test_the_same_input_gives_the_same_summary(study, beans):
    crowd, pilot = beans
    assert summary.summarize(pilot, crowd.labels, 8, cv_repeats=1).to_json() == study.to_json()


def test_warnings_are_carried_and_not_issued(beans):
    crowd, pilot = beans
    few = pilot[:20]
    labels = crowd.labels.loc[few.objects]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = small(few, labels, 4)
    assert found.warnings[0].kind == "no_help"
    assert found.warnings[1:] == check_data(Moments.estimate(few, labels), few).warnings
    assert found.warnings[1].kind == "few_objects"
    assert json.loads(found.to_json())["warnings"][1]["values"]["n_objects"] == 20


def test_judgments_of_nothing_do_not_help(rng):
    judgments = Judgments.from_array(rng.normal(size=(60, 3, 2)))
    found = small(judgments, pd.Series(rng.normal(size=60)).to_numpy(), 5, shrinkage=0.0)
    assert found.answer.helps is not True
    assert found.warnings[0].kind == "no_help"
    names = ("error", "low", "high", "baseline_error")
    assert found.warnings[0].values == {name: getattr(found.answer, name) for name in names}


def test_what_is_chosen_lies_on_the_curve(beans):
    crowd, pilot = beans
    found = small(pilot[:60], crowd.labels.loc[pilot.objects[:60]], 6)
    curve = found.curve
    at = curve.chosen
    assert curve.budgets[at[1]] == 6
    assert (curve.error[at], curve.low[at], curve.high[at]) == (found.answer.error, found.answer.low, found.answer.high)
    assert curve.explained[at] == found.answer.explained
    assert curve.plans[curve.chosen_method][at[1]] == found.answer.plan.repeats
    assert curve.baseline_error == found.answer.baseline_error
    # The mean of other objects, too, is only an estimate.
    assert curve.baseline_error**2 > found.answer.label_variance


@pytest.mark.parametrize(("budget", "words"), [(0, "nothing worth buying"), (0.5, "too small to buy anything")])
def test_a_budget_that_buys_nothing(beans, budget, words):
    crowd, pilot = beans
    found = small(pilot, crowd.labels, budget)
    assert found.answer.attributes == ()
    assert words in found.answer.sentence
    # The mean of some is a little worse for others than the mean of all is for all.
    assert found.answer.error == found.answer.baseline_error
    assert found.answer.error == pytest.approx(np.sqrt(found.answer.label_variance), rel=0.05)
    assert found.curve.budgets == (budget, 2, 4)
    assert np.isnan(found.residuals.correlation)
    json.loads(found.to_json(), parse_constant=pytest.fail)


def test_one_attribute(beans):
    crowd, pilot = beans
    found = small(pilot.only(["number of beans"]), crowd.labels, 3)
    assert found.answer.repeats.tolist() == [3]
    assert found.answer.share.tolist() == [1]


def test_costs_and_caps(beans):
    crowd, pilot = beans
    found = small(
        pilot, crowd.labels, 9, costs={"number of beans": 2.5}, max_repeats={"number of beans": 2}, title="Beans"
    )
    frame = found.answer.to_frame()
    assert frame.loc["number of beans", "price"] == 2.5
    assert frame.loc["number of beans", "repeats"] <= 2
    assert found.answer.plan.cost == pytest.approx(frame["cost"].sum())
    assert found.answer.plan.cost <= 9
    assert found.title == "Beans"
    assert not found.next_judgments.to_frame().loc["number of beans", "available"]


def test_unbalanced_without_workers_some_judged_once(rng):
    y = rng.normal(size=90)
    rows = [(i, "often", y[i] + rng.normal()) for i in range(90) for _ in range(1 + i % 3)]
    rows += [(i, "rarely", rng.normal()) for i in range(90) for _ in range(2 if i % 2 else 1)]
    rows += [(i, "exact", y[i] + rng.normal()) for i in range(90)]
    judged = Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "value"]))
    found = small(judged, pd.Series(y), 4, noiseless=["exact"])
    assert found.reliability.unknown == ("exact",)
    assert np.isnan(found.reliability.worker_variance).all()
    assert found.attribute_map.to_frame().loc["exact", "noise_ratio"] == 0
    assert json.loads(found.to_json(), parse_constant=pytest.fail)["reliability"]["icc1"][0] is None


def test_labels_of_some(beans):
    crowd, pilot = beans
    with pytest.raises(LabelsError):
        small(pilot, crowd.labels.iloc[:80], 4)
    assert len(small(pilot, crowd.labels.iloc[:80], 4, unmatched="drop").residuals.labels) == 80


def test_progress_goes_from_left_to_right(beans):
    crowd, pilot = beans
    seen = []
    small(pilot, crowd.labels, 4, shrinkage=0.0, progress=lambda done, total: seen.append((done, total)))
    done = [each for each, _ in seen]
    assert done == sorted(done)
    assert seen[-1] == (100, 100)
    assert {total for _, total in seen} == {100}


def test_wrong_questions(beans):
    crowd, pilot = beans
    with refused(JudgmentsError, column="judgments"):
        small(7, crowd.labels, 4)
    with refused(LabelsError, value=3.0, column="label"):
        small(pilot, crowd.labels * 0 + 3, 4)
    with refused(PlanError, value=-1, column="budget"):
        small(pilot, crowd.labels, -1)
    with refused(PlanError, value="beens", column="costs"):
        small(pilot, crowd.labels, 4, costs={"beens": 2})
    with refused(PlanError, value="fool", column="method"):
        small(pilot, crowd.labels, 4, method="fool")
    with refused(PlanError, value=1, column="cv"):
        small(pilot, crowd.labels, 4, cv=1)


def test_values_as_json_knows_them():
    values = {1: [np.float64(np.nan), np.bool_(True)], "when": pd.Timestamp("2013-06-13"), "n": np.int32(3)}
    assert plain(values) == {"1": [None, True], "when": "2013-06-13 00:00:00", "n": 3}
    assert plain(np.array(["2013-06-13"], dtype="datetime64[ns]")) == ["2013-06-13T00:00:00.000000000"]


def test_tables_stay_where_they_were(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    assert plain_numbers.overview(match_training_data(pilot, crowd.labels), moments)["n_judgments"] == len(pilot)
    assert plan_shares(select(moments, 4))["share"].sum() == pytest.approx(1)


def test_correlated_items_and_shrinkage_do_not_promise_more_than_there_is(rng):
    """Shrinking makes copies of one opinion look like several; the promise must not come from there."""
    common = rng.normal(size=60)
    truth = common[:, None] + 0.3 * rng.normal(size=(60, 6))
    judgments = Judgments.from_array(truth[:, :, None] + rng.normal(size=(60, 6, 3)))
    found = small(judgments, common + 0.3 * rng.normal(size=60), 5, shrinkage=0.7, method="full")
    assert found.answer.plan.explained > found.answer.label_variance
    assert 0 < found.answer.in_sample_error < found.answer.error
    assert (found.curve.in_sample_error > 0).all()
