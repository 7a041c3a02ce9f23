"""The answer: plan, error, limits and what speaks against it, in one object."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Plan, answer, choose, select, simulate
from manyjudges.base.results import loss_limits
from manyjudges.exceptions import JudgmentsError, ManyJudgesError, PlanError, spelled_for_shell
from manyjudges.learn.answers import answer_of
from manyjudges.learn.preparation.trials import PreparationOptions, prepare
from manyjudges.learn.training_data import match_training_data
from tests.support.messages import refused


@pytest.fixture(scope="module")
def jars():
    return simulate.jelly_beans(n_objects=120, random_state=0)


@pytest.fixture(scope="module")
def table(jars):
    return jars.pilot(2)


@pytest.fixture(scope="module")
def data(jars, table):
    return match_training_data(table, jars.labels)


@pytest.fixture(scope="module")
def found(data):
    return answer_of(data, 8)


def small(n, seed=0):
    crowd = simulate.gaussian(n, 3, random_state=seed)
    return crowd.pilot(2), crowd.labels


def _plan(data, **way):
    return select(data.moments, 8, **way).with_answers(data.answers)


def _prepared(data):
    return prepare(data, PreparationOptions())


def test_plan_and_error_are_those_of_the_choice(jars, table, data, found):
    choice = choose(table, jars.labels, 8)
    assert found.plan == _plan(_prepared(data), method=choice.method, shrinkage=choice.shrinkage)
    assert found.choice.to_json() == choice.to_json()
    assert found.error == np.sqrt(choice.loss)
    assert (found.low, found.high) == tuple(map(np.sqrt, loss_limits(choice.loss, choice.std_error)))
    assert found.predictor_ridge == choice.predictor_ridge
    assert found.explained == pytest.approx(1 - choice.loss / found.baseline_error**2)


def test_from_judgments_and_from_what_has_been_read(jars, table, found):
    assert answer(table, jars.labels, 8).to_json() == found.to_json()


def test_a_table_is_the_same_in_a_file_and_when_it_is_scanned(jars, table, found, tmp_path):
    path = tmp_path / "judgments.csv"
    table.to_frame().to_csv(path, index=False)
    jars.labels.to_csv(tmp_path / "labels.csv")
    for options in ({}, {"memory_limit": "200MB"}):
        again = answer(str(path), jars.labels, 8, **options)
        assert again.plan.repeats == found.plan.repeats
        assert again.error == pytest.approx(found.error, rel=1e-9)
        assert again.n_judgments == found.n_judgments


def test_baseline_is_the_error_of_a_plan_that_buys_nothing(data, found):
    nothing = answer_of(data, 0)
    assert nothing.error == nothing.baseline_error == found.baseline_error
    assert nothing.attributes == ()
    assert "nothing worth buying" in nothing.sentence


def test_no_error_is_estimated_where_none_is_wanted(data):
    bare = answer_of(data, 8, error=False)
    assert (bare.error, bare.low, bare.high, bare.baseline_error, bare.explained) == (None,) * 5
    assert bare.plan == _plan(data)
    assert (bare.choice, bare.helps) == (None, None)
    assert bare.to_document()["bound"] is None
    assert bare.bound > 0, "it is worked out when asked for"
    assert bare.to_document()["bound"] == bare.bound
    assert bare.sentence.endswith("The error to expect was not estimated.")
    assert bare.notes == ("Nothing was chosen by an error: the plan is that of full with shrinkage 0.",)
    named = answer_of(data, 8, method="scoring", shrinkage=0.2, error=False)
    assert (named.method, named.shrinkage, named.notes) == ("scoring", 0.2, ())


def test_what_is_named_is_kept(data):
    kept = answer_of(data, 8, method="scoring", shrinkage=0.0, cv_repeats=1)
    assert (kept.method, kept.shrinkage, kept.choice) == ("scoring", 0.0, None)
    assert kept.error > 0
    assert answer_of(data, 8, method="scoring", cv_repeats=1).choice is not None


@pytest.mark.parametrize(("n", "estimated"), [(6, False), (9, False), (12, True)])
def test_few_objects_cannot_be_held_out(n, estimated):
    judgments, labels = small(n)
    few = answer(judgments, labels, 4)
    assert (few.error is not None) is estimated
    if not estimated:
        assert (few.method, few.shrinkage) == ("full", 0.0)
        [note] = few.notes
        assert note == (
            f"The error to expect was not estimated: {n} labelled objects are too few to hold any out; it takes 10 or "
            "more. The plan is that of Full without shrinkage."
        )
        assert few.sentence.endswith("The error to expect was not estimated.")


def test_folds_that_cannot_be_used_are_no_error():
    judgments, labels = small(12)
    rows = judgments.to_frame()
    alone = rows[rows["attribute"] == "a0"].drop_duplicates("object").index[1:]
    second = rows[(rows["attribute"] == "a0") & rows.duplicated(["object", "attribute"])].index[1:]
    few = answer(Judgments.from_frame(rows.drop(second)), labels, 4)
    assert len(alone) == 11
    assert few.error is None
    assert "a training part" in few.notes[0]
    assert few.plan.method == "full"


def test_no_better_than_guessing():
    rng = np.random.default_rng(2)
    judgments = Judgments.from_array(rng.normal(size=(60, 5, 2)))
    none = answer(judgments, rng.normal(size=60), 6, shrinkage=0.0)
    assert none.error >= none.baseline_error
    assert none.helps is False
    assert none.explained == 0
    assert none.sentence.startswith("As things stand, buy nothing: ")
    assert "No better than guessing the mean" in none.sentence
    assert "MJ401" in [warning.code for warning in none.warnings]


def test_an_error_below_zero_is_not_shown():
    rng = np.random.default_rng(4)
    true = rng.normal(size=20)
    judgments = Judgments.from_array(true[:, None, None] + rng.normal(size=(20, 1, 2)))
    tried = answer(judgments, true, 200, method="full", shrinkage=0.0)
    assert (tried.error, tried.low) == (0, 0)
    assert tried.explained == 1
    assert "cannot be told apart from zero: it is at most about" in tried.sentence


def test_shares_stay_between_0_and_1():
    for seed in range(6):
        judgments, labels = small(12, seed)
        tried = answer(judgments, labels, 60)
        document = tried.to_document()
        for name in ("explained", "bound", "gap"):
            assert 0 <= document[name] <= 1
        assert min(document[name] for name in ("error", "low", "high", "baseline_error", "in_sample_error")) >= 0


def test_limits_and_costs_are_kept(data):
    capped = answer_of(data, 8, costs={"number of beans": 2}, max_repeats={"number of beans": 1}, cv_repeats=1)
    assert capped.plan.repeats.get("number of beans", 0) <= 1
    assert capped.plan.cost <= 8
    assert capped.price[capped.attributes.index("number of beans")] == 2


def test_the_bill_is_that_of_the_plan(jars, table, found):
    priced = answer(table, jars.labels, 0.8, costs=[0.1] * 4, currency="€", new=1000)
    assert priced.plan.repeats == found.plan.repeats
    assert (priced.bill.currency, priced.bill.new.objects) == ("EUR", 1000)
    assert priced.bill.per_object.cost == priced.plan.cost
    assert priced.bill.labelled.judgments == priced.plan.missing(table)["count"].sum()
    assert priced.to_document()["bill"]["total"]["cost"] == priced.bill.total.cost


def test_what_stops_a_plan_stops_it_before_anything_is_computed():
    judgments, labels = small(30)
    rows = judgments.to_frame()
    rows.loc[rows.index[:8], "value"] = -99.0
    faulty = Judgments.from_frame(rows)
    with refused(JudgmentsError, value=-99.0, column="a0"):
        answer(faulty, labels, 4)
    data = replace(match_training_data(faulty, labels), valid=("-99",))
    assert answer_of(data, 4, error=False).plan.repeats
    assert answer(faulty, labels, 4, error=False, mute=("MJ501",)).plan.repeats


@pytest.mark.parametrize(
    ("options", "value", "column"),
    [
        ({"budget": None}, None, "budget"),
        ({"method": "best"}, "best", "method"),
        ({"shrinkage": "much"}, "much", "shrinkage"),
        ({"cv": 1}, 1, "cv"),
        ({"workr": "who"}, "workr", "workr"),
        ({"random_state": -1}, -1, "random_state"),
        ({"costs": {"nothing": 1}}, "nothing", "costs"),
        ({"mute": ["MJ000"]}, "MJ000", "mute"),
    ],
)
def test_what_cannot_be_is_refused(jars, table, options, value, column):
    with refused(ManyJudgesError, value=value, column=column):
        answer(table, jars.labels, **({"budget": 8} | options))


def test_errors_are_told_of_a_few_objects_too():
    judgments, labels = small(6)
    with refused(PlanError, value="nothing", column="costs"):
        answer(judgments, labels, 4, costs={"nothing": 1})


def test_a_row_for_each_attribute(found):
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["repeats"].to_dict() == {name: found.plan.repeats[name] for name in frame.index}
    assert (np.diff(frame["share"]) <= 0).all()
    assert frame["share"].sum() == pytest.approx(1)
    assert frame["cost"].sum() == found.plan.cost


def test_notes_name_options_as_their_reader_writes_them(found):
    note = "Find more judges, or limit the judgments of an attribute with --max-repeats (max_repeats=)."
    noted = replace(found, notes=(note,))
    assert noted.headline.splitlines()[1].endswith("of an attribute with max_repeats=.")
    assert noted.to_document()["notes"][0].endswith("of an attribute with max_repeats=.")
    with spelled_for_shell():
        assert noted.headline.splitlines()[1].endswith("of an attribute with --max-repeats.")


def test_the_document_is_stable(found):
    document = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert list(document) == [
        "format",
        "sentence",
        "plan",
        "error",
        "low",
        "high",
        "baseline_error",
        "explained",
        "in_sample_error",
        "bound",
        "gap",
        "bill",
        "choice",
        "predictor_ridge",
        "warnings",
        "notes",
        "reading",
        "n_objects",
        "n_judgments",
        "skipped",
        "label_mean",
        "label_deviation",
    ]
    assert document["format"] == "manyjudges.answer/2"
    assert Plan.from_document(document["plan"]) == found.plan
    assert document["gap"] == document["plan"]["gap"]
    taken = [way for way in document["choice"]["considered"] if way["method"] == document["choice"]["method"]]
    assert found.error == pytest.approx(min(way["error"] for way in taken), rel=0.03)
    assert document["choice"]["predictor"] in ("best_linear", "curved")
    assert [trial["step"] for trial in document["choice"]["trials"]][-1] == "predictor"
