"""What is planned of a study and shown with it, and what is asked first."""

from __future__ import annotations

import json
from dataclasses import replace
from threading import Thread

import pandas as pd
import pytest

from manyjudges import Judgments, answer
from manyjudges.exceptions import StoreError, StudyError
from manyjudges.learn.budgets import budget_curve, plan_words
from manyjudges.service.fit import fit_study
from manyjudges.service.study import labels_of, open_study
from manyjudges.service.study_planner import order_first_round, plan_study
from tests.support.collecting import beans_folder, run, work
from tests.support.messages import refused

ERRORS = ["error", "low", "high", "explained"]


@pytest.mark.slow
def test_two_servers_on_one_postgresql_never_buy_too_much(tmp_path, postgres):
    folder, crowd = beans_folder(tmp_path / "jars", top=f'database = "{postgres.database()}"')
    with open_study(folder) as one, open_study(folder) as other:
        for _ in range(20):
            both = [Thread(target=plan_study, args=(each,)) for each in (one, other)]
            for planning in both:
                planning.start()
            for planning in both:
                planning.join()
            if one.store.standing()["stage"] == "done":
                break
            work(one, crowd, judges=20)
            work(other, crowd, judges=60)
        assert one.store.standing()["stage"] == "done"
        ordered = [entry["asked"] for entry in one.store.rounds()]
        assert one.store.ledger()["kind"].eq("answer").sum() == sum(ordered)
        assert one.store.discrepancies() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "plan",
    ["budget = 6.0", "budget = 9.5\nmethod = 'scoring'", "budget = 30.0\nmethod = 'exchange'\nmax_repeats = 3"],
    ids=["auto", "scoring", "exchange"],
)
def test_plan_error_and_curve_come_from_one_cross_validation(tmp_path, plan):
    folder, crowd = beans_folder(tmp_path / "jars", n_objects=40, plan=plan)
    with open_study(folder) as opened:
        order_first_round(opened)
        work(opened, crowd)
        made = plan_study(opened).round
        kept, judgments = opened.store.rounds()[0]["outlook"], Judgments.from_frame(opened.store.judgments())
        costs, terms = opened.study.costs, opened.study.plan
        labels = labels_of(opened.store)
    caps = None if terms.max_repeats is None else dict.fromkeys(costs, terms.max_repeats)
    way = {"method": terms.method, "costs": costs, "max_repeats": caps}
    wanted = answer(judgments, labels, terms.budget, **way, new=0)
    # A study reads numbers, whatever its judges saw.
    wanted = replace(wanted, plan=wanted.plan.with_answers({}))
    assert kept["answer"] == json.loads(wanted.to_json())
    own = {row["budget"]: row for row in kept["curve"]}[terms.budget]
    assert [own[name] for name in ERRORS] == [getattr(wanted, name) for name in ERRORS]
    assert own["plan"] == plan_words(wanted.plan.repeats)
    curve = budget_curve(judgments, labels, terms.budget, **way).to_frame()
    curve = curve[curve["method"] == terms.method].reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.DataFrame(kept["curve"]), curve[["budget", *ERRORS, "plan"]])
    followed = answer(judgments, labels, terms.budget, **way | {"method": made.plan.method}, shrinkage=0.0)
    assert made.plan.repeats in (wanted.plan.repeats, followed.plan.repeats)
    assert made.loss == pytest.approx((wanted if made.plan == wanted.plan else followed).error ** 2)


def test_without_any_label_there_is_nothing_to_learn(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", n_objects=10, unlabelled=10)
    with open_study(folder) as opened, refused(StudyError, column="label"):
        plan_study(opened)


def test_a_closed_campaign_plans_no_more(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd)
    opened.store.shut()
    assert plan_study(opened, force=True) is None
    with refused(StoreError):
        opened.store.resume()


def test_labels_that_are_all_the_same_are_said_before_anything_is_bought(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", n_objects=12)
    table = pd.read_csv(folder / "objects.csv").assign(label=5.0)
    table.to_csv(folder / "objects.csv", index=False)
    with open_study(folder) as opened, refused(StudyError, value=5.0, column="label"):
        order_first_round(opened)


def test_money_that_does_not_suffice_for_the_new_objects_is_said(tmp_path):
    plan = "budget = 6.0\npilot = 2\nmethod = 'full'\nspending_limit = {}"
    folder, crowd = beans_folder(tmp_path / "jars", n_objects=60, unlabelled=20, plan=plan.format(5000.0))
    with open_study(folder) as opened:
        run(opened, crowd)
        assert opened.store.standing()["reason"] == "the plan stands"
        needed = opened.store.spending()["spent"]
    poor, crowd = beans_folder(tmp_path / "poor", n_objects=60, unlabelled=20, plan=plan.format(needed - 30))
    with open_study(poor) as opened:
        run(opened, crowd)
        assert opened.store.standing()["reason"] == "the spending limit is reached"
        assert opened.store.spending()["spent"] <= needed - 30


def test_checks_are_kept_with_each_plan_and_those_of_the_study_are_muted(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars", n_objects=20, unlabelled=0)
    with open(folder / "study.toml", "a", encoding="utf-8") as file:
        file.write('\n[checks]\nmute = ["MJ103"]\n')
    with open_study(folder) as opened:
        run(opened, crowd)
        checks = {each["code"]: each["status"] for each in opened.store.rounds()[-1]["outlook"]["checks"]}
        codes = {warning.code for warning in fit_study(opened).warnings}
        quiet = {warning.code for warning in fit_study(opened, mute=["MJ101"]).warnings}
    assert checks["MJ101"] == "failed"
    assert checks["MJ103"] == "muted"
    assert "MJ101" in codes
    assert quiet == codes - {"MJ101"}


def test_what_is_asked_first_is_asked_once(study):
    opened, _ = study
    for _ in range(2):
        order_first_round(opened)
        assert opened.store.progress()["open"].tolist() == [120] * 4
    assert opened.store.rounds() == []


def test_of_too_few_objects_to_hold_any_out_the_plan_speaks_for_itself(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars", n_objects=3)
    with open_study(folder) as opened:
        order_first_round(opened)
        work(opened, crowd)
        plan = plan_study(opened).round.plan
        kept = opened.store.rounds()[0]
    assert (kept["loss"], kept["outlook"]["curve"], kept["outlook"]["answer"]["error"]) == (None, [], None)
    assert kept["outlook"]["answer"]["plan"]["repeats"] == plan.repeats
