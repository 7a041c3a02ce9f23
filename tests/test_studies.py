"""A study from its folder to its predictor, without pages."""

from __future__ import annotations

import time
from threading import Thread

import pandas as pd
import pytest
from collecting import answers_of, beans_folder, run, work
from typer.testing import CliRunner

from manyjudges import Judgments, Moments, PlanError, StoreError, StudyError, select
from manyjudges.cli import app
from manyjudges.collection import director
from manyjudges.collection.director import advance
from manyjudges.plan import Plan
from manyjudges.studies import (
    StudyPlanner,
    begin,
    bonuses_of,
    exported,
    exported_file,
    fit_study,
    labels_of,
    open_study,
    plan_study,
    status_of,
)


@pytest.fixture
def study(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars")
    with open_study(folder) as opened:
        yield opened, crowd


def test_a_campaign_ends_with_a_predictor_of_the_objects_without_label(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars", n_objects=90, unlabelled=15)
    with open_study(folder) as opened:
        steps = run(opened, crowd)
        store = opened.store
        assert steps[0].stage == "pilot"
        assert steps[0].ordered == 75 * 4 * 2
        assert steps[-1].stage == "done"
        assert steps[-1].reason == "the plan stands"
        repeats = Plan.from_document(store.rounds()[-1]["plan"]).repeats
        counters = store.counters()
        # Exactly the plan for every object, and no more than the pilot or some plan asked for.
        for thing, rows in counters.groupby("object"):
            have = rows.set_index("attribute")["have"]
            for name, n in repeats.items():
                assert have[name] >= n, (thing, name)
            if thing in set(crowd.objects[75:]):
                assert have[have > 0].to_dict() == repeats
        fitted = fit_study(opened)
        assert list(fitted.predictions["object"]) == sorted(crowd.objects[75:])
        truth = crowd.labels.loc[list(fitted.predictions["object"])].to_numpy()
        missed = ((fitted.predictions["prediction"] - truth) ** 2).mean()
        assert missed < ((truth - crowd.labels.iloc[:75].mean()) ** 2).mean()
        assert fitted.loss == store.rounds()[-1]["loss"]
        assert store.discrepancies() == []
        assert store.spending() == {"spent": steps_cost(store), "out": 0.0, "open": 0.0}


def test_a_campaign_on_postgresql_is_the_same(tmp_path, postgres):
    """The address comes from the study's file, its password from the environment; commands work on it."""
    folder, crowd = beans_folder(tmp_path / "jars", top=f'database = "{postgres.database()}"')
    with open_study(folder) as opened:
        steps = run(opened, crowd)
        assert steps[-1].reason == "the plan stands"
        assert opened.store.kind == "postgresql"
        assert opened.store.discrepancies() == []
        assert fit_study(opened).loss > 0
    assert not list(folder.glob("*.db"))
    said = CliRunner().invoke(app, ["status", str(folder)])
    assert said.exit_code == 0, said.output
    assert "done (the plan stands)" in said.output


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


def steps_cost(store):
    counters, costs = store.counters(), store.costs()
    return float(sum(counters["filled"] * counters["attribute"].map(costs)))


def test_the_first_plan_is_what_the_same_judgments_give_without_a_store(study):
    opened, crowd = study
    begin(opened)
    work(opened, crowd)
    step = plan_study(opened)
    judgments = Judgments.from_frame(opened.store.judgments())
    expected = select(Moments.estimate(judgments, crowd.labels), budget=6.0, costs=opened.study.costs)
    assert step.round.plan.repeats == expected.repeats or step.reason  # by another way only where nothing is lacking
    assert step.round.bought == len(judgments) == 60 * 4 * 2
    assert step.round.spent == 60 * 2 * 5.0


def test_nothing_is_planned_while_a_round_is_under_way(study):
    opened, crowd = study
    begin(opened)
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
    begin(opened)
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
    begin(opened)
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
    folder, crowd = beans_folder(tmp_path / "jars", plan="budget = 30.0\npilot = 2\nmost = 3")
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
    begin(opened)
    before = opened.store.standing(), opened.store.progress()["open"].sum()
    for give_up in (False, True):
        with pytest.raises(PlanError, match="no judgments to plan from yet"):
            plan_study(opened, force=True, give_up=give_up)
    assert (opened.store.standing(), opened.store.progress()["open"].sum()) == before
    assert run_on(opened, crowd).stage == "done"


def run_on(opened, crowd):
    work(opened, crowd)
    return run(opened, crowd)[-1]


def test_what_the_pilot_lacks_is_asked_for_again_before_anything_is_planned(study):
    """When nobody could tell anything at first, since the pictures were missing, say."""
    opened, crowd = study
    store = opened.store
    begin(opened)
    for person in [store.enter("open", f"early {i}") for i in range(30)]:
        while (batch := store.lease(person.id, size=40)) is not None:
            store.submit(batch.id, person.id, dict.fromkeys(range(len(batch.items))))
    step = plan_study(opened)
    assert (step.stage, step.round, step.ordered) == ("pilot", None, 480)
    assert run_on(opened, crowd).reason == "the plan stands"


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
        begin(opened)
        work(opened, crowd)
        plan_study(opened)
        planner = StudyPlanner(opened)

        def meanwhile(judgments):
            work(opened, crowd, judges=80)  # judges go on by the old plan
            opened.store.withdraw(opened.store.workers()[0].id)
            return StudyPlanner.__call__(planner, judgments)

        class Slow:
            campaign = None
            outlook = planner.outlook

            def __call__(self, judgments):
                planner.campaign = self.campaign
                return meanwhile(judgments)

        advance(opened.store, opened.study.plan, Slow(), force=True)
        assert sum(opened.store.spending().values()) <= 500.0
        work(opened, crowd, judges=120)
        assert opened.store.spending()["spent"] <= 500.0
        assert opened.store.discrepancies() == []


def test_objects_that_went_missing_come_back_to_the_round_under_way(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars", n_objects=30)
    whole = (folder / "objects.csv").read_text()
    with open_study(folder) as opened:
        begin(opened)
    (folder / "objects.csv").write_text("".join(whole.splitlines(keepends=True)[:4]))  # half saved
    with open_study(folder) as opened:
        assert opened.store.progress()["open"].sum() == 240
    with open_study(folder, update=True) as opened:
        begin(opened)
        assert opened.store.progress()["open"].sum() == 24
    (folder / "objects.csv").write_text(whole)
    with open_study(folder, update=True) as opened:
        begin(opened)
        assert opened.store.progress()["open"].sum() == 240
        assert opened.store.rounds() == []
        assert run_on(opened, crowd).stage == "done"


def test_a_planner_that_died_is_not_waited_for_long(study, monkeypatch):
    opened, crowd = study
    begin(opened)
    work(opened, crowd)
    assert opened.store.may_plan("one that is killed now", director.PATIENCE)
    assert opened.store.being_planned
    assert plan_study(opened) is None
    with pytest.raises(StoreError, match="somebody else is planning right now"):
        plan_study(opened, force=True)
    later = time.time() + director.PATIENCE + 1
    monkeypatch.setattr(opened.store, "_clock", lambda: later)
    assert not opened.store.being_planned
    assert plan_study(opened).round is not None
    assert not opened.store.being_planned


def test_a_planner_that_takes_long_stays_the_only_one(study, monkeypatch):
    opened, crowd = study
    begin(opened)
    work(opened, crowd)
    monkeypatch.setattr(director, "PATIENCE", 0.4)
    with director._alone(opened.store) as one:
        assert one
        time.sleep(1.2)
        assert opened.store.being_planned
        with director._alone(opened.store) as other:
            assert not other
    assert not opened.store.being_planned


def test_two_who_plan_at_once_order_once(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars")
    with open_study(folder) as one, open_study(folder) as other:
        begin(one)
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


def test_attributes_cannot_change_once_judgments_were_bought(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars")
    with open_study(folder) as opened:
        begin(opened)
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("cost = 2.0", "cost = 3.0"))
    with pytest.raises(StudyError, match="not those in the database any more"):
        open_study(folder)
    with open_study(folder, update=True) as opened:  # nothing was bought yet
        begin(opened)
        work(opened, crowd, judges=2)
    (folder / "study.toml").write_text(text)
    with pytest.raises(StoreError, match=r"the cost of 'number of beans' was changed"):
        open_study(folder, update=True)


def test_without_any_label_there_is_nothing_to_learn(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", n_objects=10, unlabelled=10)
    with open_study(folder) as opened, pytest.raises(StudyError, match="no object has a label"):
        plan_study(opened)


def test_a_limit_below_the_pilot_is_said_before_anything_is_asked(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", plan="budget = 6.0\nspending_limit = 10.0")
    with pytest.raises(
        StudyError, match=r"study\.toml, line \d+: plan\.spending_limit = 10 does not pay for the pilot"
    ):
        open_study(folder)


def test_fitting_before_the_pilot_is_complete_says_so(study):
    opened, _ = study
    begin(opened)
    with pytest.raises(PlanError, match="no plan to fit yet"):
        fit_study(opened)


def test_exports_are_pseudonymous_unless_asked(study):
    opened, crowd = study
    begin(opened)
    work(opened, crowd, judges=4)
    rows = exported(opened)
    assert list(rows.columns) == ["object", "attribute", "worker", "value", "at", "batch", "cost"]
    assert not rows["worker"].str.contains("judge").any()
    assert rows["worker"].nunique() == 4
    named = exported(opened, worker_ids=True)
    assert set(named["external"]) == {f"judge {i}" for i in range(4)}
    again = Judgments.from_frame(pd.read_csv(pd.io.common.BytesIO(exported_file(rows, ".csv"))))
    assert len(again) == len(rows)
    pd.testing.assert_frame_equal(pd.read_parquet(pd.io.common.BytesIO(exported_file(rows, ".parquet"))), rows)
    assert str(rows["at"].dtype) == "datetime64[ms, UTC]"


def test_the_whole_ledger_has_corrections_and_hides_what_was_withdrawn(study):
    opened, _ = study
    store = opened.store
    begin(opened)
    ann, bob = store.enter("open", "ann"), store.enter("open", "bob")
    for person in (ann, bob):
        batch = store.lease(person.id, size=4, attribute="beautiful")
        store.submit(batch.id, person.id, {0: 1.0, 1: None, 2: 0.0, 3: 0.0})
    store.submit(batch.id, bob.id, {0: 0.0, 1: None, 2: 0.0, 3: 0.0})
    store.withdraw(ann.id)
    rows = exported(opened, everything=True)
    assert rows["kind"].value_counts().to_dict() == {"answer": 6, "cant_tell": 2, "correction": 1, "withdrawal": 4}
    assert rows["cost"].sum() == store.spending()["spent"] == 8.0
    assert rows[rows["worker"] == ann.name]["value"].isna().all()
    counted = exported(opened)
    assert counted["value"].tolist() == [0.0, 0.0, 0.0]
    assert set(counted["worker"]) == {bob.name}


def test_status_says_where_it_stands(study):
    opened, crowd = study
    before = status_of(opened)
    assert (before["stage"], before["round"], before["plan"], before["loss"]) == ("planning", 0, None, None)
    run(opened, crowd)
    after = status_of(opened)
    assert after["state"] == "running"
    assert after["stage"] == "done"
    assert after["judgments"] == len(opened.store.judgments())
    assert after["spent"] == opened.store.spending()["spent"]
    assert sum(n * opened.study.costs[name] for name, n in after["plan"].items()) <= 6.0
    assert 0 < after["loss"] < after["label_variance"]


def test_a_closed_campaign_plans_no_more(study):
    opened, crowd = study
    begin(opened)
    work(opened, crowd)
    opened.store.shut()
    assert plan_study(opened, force=True) is None
    with pytest.raises(StoreError, match="closed, and stays so"):
        opened.store.resume()


def test_bonuses_come_with_the_study_s_money(study):
    opened, crowd = study
    run(opened, crowd)
    found = bonuses_of(opened)
    assert "external" not in found.columns
    assert set(bonuses_of(opened, external=True).columns) == {*found.columns, "external"}


def test_an_attribute_stays_what_it_was_judged_as(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars")
    text = (folder / "study.toml").read_text()
    changed = text.replace('kind = "number"\nunit = "beans"', 'kind = "scale"\nrange = [1, 7]')
    (folder / "study.toml").write_text(changed)
    with open_study(folder, update=True):
        pass
    (folder / "study.toml").write_text(text)  # nobody has judged yet
    with open_study(folder, update=True) as opened:
        begin(opened)
        work(opened, crowd, judges=2)
    (folder / "study.toml").write_text(changed)
    line = changed[: changed.index('name = "number of beans"')].count("\n")
    with pytest.raises(StudyError, match=rf"line {line}: 'number of beans' was judged as number before"):
        open_study(folder, update=True)


def test_labels_that_are_all_the_same_are_said_before_anything_is_bought(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", n_objects=12)
    table = pd.read_csv(folder / "objects.csv").assign(label=5.0)
    table.to_csv(folder / "objects.csv", index=False)
    with open_study(folder) as opened, pytest.raises(StudyError, match="all 12 labels are 5"):
        begin(opened)


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


def test_labels_are_those_that_are_known(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars", n_objects=12, unlabelled=2)
    with open_study(folder) as opened:
        pd.testing.assert_series_equal(
            labels_of(opened.store),
            crowd.labels.iloc[:10],
            check_names=False,
            check_exact=False,
            check_index_type=False,
        )
