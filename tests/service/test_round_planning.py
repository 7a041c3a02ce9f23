"""What is asked next, when, and for how much: campaigns on a store."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from manyjudges import Judgments, Moments, select
from manyjudges.exceptions import PlanError, StoreError
from manyjudges.service import round_planning
from manyjudges.service.export import exported
from manyjudges.service.fit import fit_study
from manyjudges.service.round_planning import plan_round
from manyjudges.service.study import open_study
from manyjudges.service.study_planner import order_first_round, plan_study, study_planner
from manyjudges.store.store import Store
from tests.support.collecting import answers_of, beans_folder, run, work
from tests.support.messages import refused


def test_the_first_plan_is_what_the_same_judgments_give_without_a_store(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd)
    step = plan_study(opened)
    judgments = Judgments.from_frame(opened.store.judgments())
    expected = select(Moments.estimate(judgments, crowd.labels), budget=6.0, costs=opened.study.costs)
    assert step.round.plan.repeats == expected.repeats or step.reason  # by another way only where nothing is lacking
    assert step.round.bought == len(judgments) == 60 * 4 * 2
    assert step.round.spent == 60 * 2 * 5.0


def test_nothing_is_planned_while_a_round_is_under_way(study):
    opened, crowd = study
    order_first_round(opened)
    assert plan_study(opened) is None
    ann = opened.store.enter("open", "ann")
    batch = opened.store.lease(ann.id, size=5)
    assert plan_study(opened) is None
    opened.store.submit(batch.id, ann.id, answers_of(crowd, batch.attribute, [i.object for i in batch.items]))
    assert plan_study(opened) is None
    assert opened.store.rounds() == []


def test_planning_now_counts_on_what_is_out_and_never_buys_twice(study):
    opened, crowd = study
    store = opened.store
    order_first_round(opened)
    people = [store.enter("open", f"judge {i}") for i in range(30)]
    for person in people[:8]:  # some of the pilot: enough to plan from
        for _ in range(2):
            batch = store.lease(person.id, size=20)
            store.submit(batch.id, person.id, answers_of(crowd, batch.attribute, [i.object for i in batch.items]))
    out = [store.lease(person.id, size=10) for person in people[20:]]
    assert all(batch is not None for batch in out)
    step = plan_study(opened, force=True)
    assert step.round is not None
    counters = store.counters()
    wanted = step.round.plan.repeats
    for row in counters.itertuples():
        assert row.have + row.out + row.open <= max(wanted.get(row.attribute, 0), row.have + row.out)
    for person, batch in zip(people[20:], out, strict=True):
        receipt = store.submit(batch.id, person.id, answers_of(crowd, batch.attribute, [i.object for i in batch.items]))
        assert receipt.accepted == len(batch.items)
    assert store.discrepancies() == []


def test_the_spending_limit_holds_whatever_judges_answer(tmp_path):
    folder, crowd = beans_folder(
        tmp_path / "jars", n_objects=40, unlabelled=5, plan="budget = 12.0\npilot = 2\nspending_limit = 420.0"
    )
    with open_study(folder) as opened:
        store = opened.store
        cant_tell = iter(range(10**6))
        for _ in range(20):
            step = plan_study(opened)
            assert sum(store.spending().values()) <= 420.0
            if step is None or step.stage == "done":
                break
            people = [store.enter("open", f"judge {i}") for i in range(30)]
            for person in people:
                while (batch := store.lease(person.id, size=20)) is not None:
                    given = answers_of(crowd, batch.attribute, [i.object for i in batch.items])
                    store.submit(
                        batch.id, person.id, {k: None if next(cant_tell) % 7 == 0 else v for k, v in given.items()}
                    )
        assert step.stage == "done"
        assert step.reason in ("the spending limit is reached", "the plan stands")
        assert store.spending()["spent"] <= 420.0
        assert store.spending()["spent"] > 400.0 or step.reason == "the plan stands"


def test_a_pair_that_nobody_can_tell_is_not_asked_for_for_ever(tmp_path):
    folder, crowd = beans_folder(
        tmp_path / "jars", plan="budget = 6.0\npilot = 2\nmethod = 'full'\ncant_tell_limit = 3"
    )
    blurred = crowd.objects[0]
    with open_study(folder) as opened:
        store = opened.store
        for _ in range(30):
            step = plan_study(opened)
            if step is None or step.stage == "done":
                break
            for person in [store.enter("open", f"judge {i}") for i in range(40)]:
                while (batch := store.lease(person.id, size=20)) is not None:
                    things = [item.object for item in batch.items]
                    given = answers_of(crowd, batch.attribute, things)
                    store.submit(
                        batch.id, person.id, {k: None if things[k] == blurred else v for k, v in given.items()}
                    )
        assert step.stage == "done"
        counters = store.counters()
        assert (
            counters[counters["object"] == blurred]["cant_tell"].max() <= 4
        )  # one may be out when the limit is reached


def test_giving_up_on_what_is_open_plans_without_it(study):
    opened, crowd = study
    store = opened.store
    order_first_round(opened)
    for person in [store.enter("open", f"judge {i}") for i in range(3)]:  # too few for any plan with 4 of a pair
        while (batch := store.lease(person.id, size=20)) is not None:
            store.submit(batch.id, person.id, answers_of(crowd, batch.attribute, [i.object for i in batch.items]))
    for _ in range(10):
        step = plan_study(opened, give_up=not store.idle)
        if step is None or step.stage == "done":
            break
        for person in store.workers():
            while (batch := store.lease(person.id, size=20)) is not None:
                store.submit(batch.id, person.id, answers_of(crowd, batch.attribute, [i.object for i in batch.items]))
    assert store.standing()["stage"] == "done"
    assert store.counters()["have"].max() <= 3


def test_most_caps_every_plan(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars", plan="budget = 30.0\npilot = 2\nmax_repeats = 3")
    with open_study(folder) as opened:
        run(opened, crowd)
        assert all(max(r["plan"]["repeats"].values()) <= 3 for r in opened.store.rounds())
        assert opened.store.counters()["have"].max() == 3


def test_more_money_goes_on_with_a_campaign_that_had_run_out(tmp_path):
    plan = "budget = 12.0\npilot = 2\nmethod = 'full'\nspending_limit = {}"
    folder, crowd = beans_folder(tmp_path / "jars", n_objects=40, plan=plan.format(410.0))
    with open_study(folder) as opened:
        run(opened, crowd)
        assert opened.store.standing()["reason"] == "the spending limit is reached"
        before = opened.store.spending()["spent"]
    beans_folder(folder, n_objects=40, plan=plan.format(800.0))
    with open_study(folder) as opened:
        step = plan_study(opened, force=True)
        assert step.ordered > 0
        work(opened, crowd)
        run(opened, crowd)
        assert before < opened.store.spending()["spent"] <= 800.0


def test_withdrawn_judgments_are_bought_again_when_planned_again(study):
    opened, crowd = study
    run(opened, crowd)
    store = opened.store
    rows = exported(opened, worker_ids=True)
    repeats = store.rounds()[-1]["plan"]["repeats"]
    who = rows[rows["attribute"] == max(repeats, key=repeats.get)].iloc[0]  # wanted as often as it is there
    assert store.withdraw(store.find_worker(who["external"]).id) == (rows["worker"] == who["worker"]).sum()
    spent = store.spending()["spent"]
    plan_study(opened, force=True)
    work(opened, crowd)
    run(opened, crowd)
    assert store.spending()["spent"] > spent
    assert who["external"] not in set(exported(opened, worker_ids=True)["external"])
    assert who["worker"] not in set(exported(opened)["worker"])
    assert fit_study(opened).model.plan.repeats


def test_objects_may_be_added_and_their_labels_found_out(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars", n_objects=60, unlabelled=10)
    with open_study(folder) as opened:
        run(opened, crowd)
        assert len(fit_study(opened).predictions) == 10
    beans_folder(folder, n_objects=60, unlabelled=4)
    with open_study(folder) as opened:
        assert opened.store.position()["labelled"] == 50  # a server may show the old ones
    with open_study(folder, update=True) as opened:
        assert opened.store.position()["labelled"] == 56
        plan_study(opened, force=True)
        work(opened, crowd)
        run(opened, crowd)
        assert len(fit_study(opened).predictions) == 4


def test_planning_before_anybody_judged_changes_nothing(study):
    opened, crowd = study
    order_first_round(opened)
    before = opened.store.standing(), opened.store.progress()["open"].sum()
    for give_up in (False, True):
        with refused(PlanError):
            plan_study(opened, force=True, give_up=give_up)
    assert (opened.store.standing(), opened.store.progress()["open"].sum()) == before
    assert run_on(opened, crowd).stage == "done"


def run_on(opened, crowd):
    work(opened, crowd)
    return run(opened, crowd)[-1]


@pytest.mark.slow
def test_what_the_pilot_lacks_is_asked_for_again_before_anything_is_planned(study):
    """When nobody could tell anything at first, since the pictures were missing, say."""
    opened, crowd = study
    store = opened.store
    order_first_round(opened)
    for person in [store.enter("open", f"early {i}") for i in range(30)]:
        while (batch := store.lease(person.id, size=40)) is not None:
            store.submit(batch.id, person.id, dict.fromkeys(range(len(batch.items))))
    step = plan_study(opened)
    assert (step.stage, step.round, step.ordered) == ("pilot", None, 480)
    assert run_on(opened, crowd).reason == "the plan stands"


@pytest.mark.slow
def test_a_campaign_whose_judgments_were_all_withdrawn_can_go_on(study):
    opened, crowd = study
    run(opened, crowd)
    for worker in opened.store.workers():
        opened.store.withdraw(worker.id)
    plan_study(opened, force=True)
    for i in range(40):
        opened.store.enter("open", f"judge {i}")
    assert run_on(opened, crowd).stage == "done"
    assert len(opened.store.judgments()) > 0


def test_money_spent_while_a_plan_is_made_is_not_spent_again(tmp_path):
    folder, crowd = beans_folder(
        tmp_path / "jars", n_objects=40, plan="budget = 16.0\npilot = 2\nspending_limit = 500.0"
    )
    with open_study(folder) as opened:
        order_first_round(opened)
        work(opened, crowd)
        plan_study(opened)
        planner = study_planner(opened)

        def slow(judgments, outlook):
            work(opened, crowd, judges=80)  # judges go on by the old plan
            opened.store.withdraw(opened.store.workers()[0].id)
            return planner(judgments, outlook)

        plan_round(opened.store, opened.study.plan, slow, force=True)
        assert sum(opened.store.spending().values()) <= 500.0
        work(opened, crowd, judges=120)
        assert opened.store.spending()["spent"] <= 500.0
        assert opened.store.discrepancies() == []


def test_objects_that_went_missing_come_back_to_the_round_under_way(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars", n_objects=30)
    whole = (folder / "objects.csv").read_text()
    with open_study(folder) as opened:
        order_first_round(opened)
    (folder / "objects.csv").write_text("".join(whole.splitlines(keepends=True)[:4]))  # half saved
    with open_study(folder) as opened:
        assert opened.store.progress()["open"].sum() == 240
    with open_study(folder, update=True) as opened:
        order_first_round(opened)
        assert opened.store.progress()["open"].sum() == 24
    (folder / "objects.csv").write_text(whole)
    with open_study(folder, update=True) as opened:
        order_first_round(opened)
        assert opened.store.progress()["open"].sum() == 240
        assert opened.store.rounds() == []
        assert run_on(opened, crowd).stage == "done"


def test_a_planner_that_died_is_not_waited_for_long(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd)
    assert opened.store.may_plan("one that is killed now", round_planning.PLANNER_TIMEOUT)
    assert opened.store.being_planned
    assert plan_study(opened) is None
    with refused(StoreError):
        plan_study(opened, force=True)
    later = time.time() + round_planning.PLANNER_TIMEOUT + 1
    with replace(opened, store=Store.open(opened.study.database_address, clock=lambda: later)) as after:
        assert not after.store.being_planned
        assert plan_study(after).round is not None
        assert not after.store.being_planned


def test_a_planner_that_takes_long_stays_the_only_one(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd)
    with round_planning.planning_alone(opened.store, patience=0.4) as one:
        assert one
        time.sleep(1.2)
        assert opened.store.being_planned
        with round_planning.planning_alone(opened.store, patience=0.4) as other:
            assert not other
    assert not opened.store.being_planned


def test_two_who_plan_at_once_order_once(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars")
    with open_study(folder) as one, open_study(folder) as other:
        order_first_round(one)
        work(one, crowd)
        assert one.store.may_plan("somebody", 60.0)
        assert plan_study(other) is None  # somebody is at it
        one.store.planned("somebody")
        seen = other.store.standing()
        step = plan_study(one)
        ordered = one.store.progress()["open"].sum()
        assert step is not None
        assert not other.store.settle(seen, seen | {"round": 9}, [], [(crowd.objects[0], "beautiful", 50)])
        assert other.store.progress()["open"].sum() == ordered
