from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Plan, Predictor, fit_predictor, simulate
from manyjudges.exceptions import JudgmentsError, PlanError
from manyjudges.learn.answering import answer, answer_for
from manyjudges.learn.costs.terms import Terms
from manyjudges.learn.training_data import match_training_data
from manyjudges.summary import summarize
from tests.support.messages import refused


@pytest.fixture(scope="module")
def crowd():
    return simulate.jelly_beans(n_objects=120, random_state=0)


@pytest.fixture(scope="module")
def pilot(crowd):
    return crowd.pilot(2)


def test_prices_in_money_change_the_bill_and_not_the_plan(crowd, pilot):
    plain = answer(pilot, crowd.labels, 8, new=100, error=False)
    money = answer(pilot, crowd.labels, "0,40 €", price="0,05 €", new=100, error=False)
    assert money.plan.repeats == plain.plan.repeats
    assert (plain.bill.currency, money.bill.currency) == ("", "EUR")
    assert money.bill.total.cost == pytest.approx(0.05 * plain.bill.total.cost)
    assert money.bill.total.judgments == plain.bill.total.judgments
    assert money.to_document()["bill"]["new"]["objects"] == 100


def test_an_attribute_may_have_a_price_of_its_own(crowd, pilot):
    found = answer(pilot, crowd.labels, 1, price=0.1, costs={"number of beans": 0.5}, currency="USD", error=False)
    prices = dict(zip(found.plan.attributes, found.plan.costs.tolist(), strict=True))
    assert prices.pop("number of beans") == 0.5
    assert set(prices.values()) == {0.1}


@pytest.mark.parametrize("new", [None, 0, 500])
@pytest.mark.parametrize("way", [{"error": False}, {"method": "scoring", "error": False}, {"cv_repeats": 1}], ids=str)
def test_a_total_is_not_exceeded_and_says_what_it_covers(crowd, pilot, way, new):
    total = 40 if not new else 240
    found = answer(pilot, crowd.labels, total=f"${total}", price="$0.05", new=new, **way)
    assert found.bill.total.cost <= total * (1 + 1e-9)
    assert found.bill.total.cost > 0.8 * total, "one more judgment of each object is what is left at most"
    assert found.notes[0].startswith(f"The total of ${total}.00 covers what the 120 labelled objects at hand lack")


def test_a_total_that_pays_for_nothing_buys_nothing(crowd, pilot):
    found = answer(pilot, crowd.labels, total=1, new=1000, error=False)
    assert found.plan.repeats == {}
    assert found.bill.total.cost == 0


def test_where_only_recordings_can_be_had_the_plan_keeps_to_them(crowd, pilot):
    free = answer(pilot, crowd.labels, 12, error=False)
    assert max(free.plan.repeats.values()) > 2
    kept = answer(pilot, crowd.labels, 12, recorded=True, error=False)
    assert max(kept.plan.repeats.values()) == 2
    assert kept.bill.labelled.judgments == 0


def test_money_without_a_price_is_refused_before_anything_is_computed(crowd, pilot):
    with refused(PlanError, value=crowd.attributes[0], column="price"):
        answer(pilot, crowd.labels, "$2")
    with refused(PlanError, column="budget"):
        answer(pilot, crowd.labels)


def test_a_plan_that_needs_more_judges_than_there_are_says_so():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=80)
    rows = [
        {"object": f"o{i:02}", "attribute": "clarity", "worker": f"w{k}", "value": truth[i] + 2 * rng.normal()}
        for i in range(80)
        for k in range(2)
    ]
    data = match_training_data(
        Judgments.from_frame(pd.DataFrame(rows)), {f"o{i:02}": value for i, value in enumerate(truth)}
    )
    found = answer_for(data, Terms.of(6), error=False)
    assert any("needs 6 different judges of 'clarity'; the table has 2" in note for note in found.notes)


def test_the_plan_says_what_the_answers_in_the_table_stand_for():
    rows = [(f"e{e}", f"r{r}", "yes" if (e + r) % 3 else "no", 50 + e % 7) for e in range(30) for r in range(3)]
    table = pd.DataFrame(rows, columns=["essay", "rater", "clear", "grade"])
    plan = answer(table, "grade", 3, error=False, mute=("MJ502",)).plan
    assert plan.answers["clear"]["kind"] == "binary"
    assert plan.answers["clear"]["numbers"]["yes"] == 1


@pytest.mark.parametrize("terms", [{"budget": "$0.40"}, {"total": "$200"}], ids=str)
def test_a_report_has_the_same_plan_and_the_same_bill(crowd, pilot, terms):
    way = {"price": "$0.05", "new": 300, "cv_repeats": 1}
    found = answer(pilot, crowd.labels, **terms, **way)
    study = summarize(pilot, crowd.labels, **terms, **way, budgets=[0.2, 0.8])
    assert study.answer.plan.repeats == found.plan.repeats
    assert study.answer.bill.to_json() == found.bill.to_json()
    assert study.answer.notes == found.notes
    assert study.answer.error == found.error
    assert study.title.startswith("What to ask for $0.")


def coded_survey():
    """Ratings from 1 to 5 with labels, some of which are the code -99."""
    crowd = simulate.gaussian(60, 3, random_state=0)
    table = crowd.pilot(3).to_frame()
    table["value"] = np.clip(np.round(3 + table["value"]), 1, 5)
    table.loc[[3, 40, 77, 200], "value"] = -99
    return table, pd.Series(np.asarray(crowd.labels), crowd.pilot(1).objects, name="label")


def test_codes_that_a_plan_was_made_without_are_no_answers_later():
    table, labels = coded_survey()
    way = {"method": "full", "shrinkage": 0.0, "error": False}
    plan = Plan.from_json(answer(table, labels, 6, missing=-99, **way).plan.to_json())
    told = fit_predictor(plan, table, labels, missing=-99)
    model = Predictor.from_json(fit_predictor(plan, table, labels).to_json())
    assert str(model) == str(told)
    assert model.predict(table).equals(told.predict(table, missing=-99))
    assert len(model.read(table)) == len(table) - 4
    assert model.predict(table).between(labels.min() - 5, labels.max() + 5).all()


def test_codes_that_a_plan_does_not_know_are_refused_even_if_there_is_one():
    table, labels = coded_survey()
    answers = table[table["value"] != -99]
    plan = answer(answers, labels, 6, method="full", shrinkage=0.0, error=False).plan
    model = fit_predictor(plan, answers, labels)
    new = answers[answers["object"].isin(answers["object"].unique()[:3])].reset_index(drop=True)
    new.loc[2, "value"] = 999
    with refused(JudgmentsError, value=999.0, row=3):
        model.predict(new)
    assert len(model.read(new, missing=999)) == len(new) - 1
    assert len(model.read(new, valid=999)) == len(new)
    assert model.read(new, on_invalid="skip").skipped == 1
    new.loc[2, "value"] = 6  # which is far from no other answer
    assert len(model.read(new)) == len(new)
