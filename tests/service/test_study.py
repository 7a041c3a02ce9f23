"""A study from its folder to its predictor, without pages."""

from __future__ import annotations

import pandas as pd
import pytest
from typer.testing import CliRunner

from manyjudges import Judgments
from manyjudges.cli.main import app
from manyjudges.core.plan import Plan
from manyjudges.exceptions import PlanError, StoreError, StudyError
from manyjudges.learn.error_curve import projected_error
from manyjudges.service import study_planner
from manyjudges.service.export import exported, exported_file
from manyjudges.service.fit import fit_study
from manyjudges.service.study import labels_of, open_study
from manyjudges.service.study_planner import order_first_round
from tests.support.collecting import beans_folder, run, work
from tests.support.messages import refused


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


def steps_cost(store):
    counters, costs = store.counters(), store.costs()
    return float(sum(counters["filled"] * counters["attribute"].map(costs)))


def test_attributes_cannot_change_once_judgments_were_bought(tmp_path):
    folder, crowd = beans_folder(tmp_path / "jars")
    with open_study(folder) as opened:
        order_first_round(opened)
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("cost = 2.0", "cost = 3.0"))
    with refused(StudyError):
        open_study(folder)
    with open_study(folder, update=True) as opened:  # nothing was bought yet
        order_first_round(opened)
        work(opened, crowd, judges=2)
    (folder / "study.toml").write_text(text)
    with refused(StoreError):
        open_study(folder, update=True)


def test_without_any_label_there_is_nothing_to_learn(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", n_objects=10, unlabelled=10)
    with open_study(folder) as opened, refused(StudyError):
        plan_study(opened)


def test_a_limit_below_the_pilot_is_said_before_anything_is_asked(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", plan="budget = 6.0\nspending_limit = 10.0")
    with refused(StudyError):
        open_study(folder)


def test_fitting_before_the_pilot_is_complete_says_so(study):
    opened, _ = study
    order_first_round(opened)
    with refused(PlanError):
        fit_study(opened)


def test_exports_are_pseudonymous_unless_asked(study):
    opened, crowd = study
    order_first_round(opened)
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
    order_first_round(opened)
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
    order_first_round(opened)
    work(opened, crowd)
    opened.store.shut()
    assert plan_study(opened, force=True) is None
    with refused(StoreError):
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
        order_first_round(opened)
        work(opened, crowd, judges=2)
    (folder / "study.toml").write_text(changed)
    with refused(StudyError):
        open_study(folder, update=True)


def test_labels_that_are_all_the_same_are_said_before_anything_is_bought(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", n_objects=12)
    table = pd.read_csv(folder / "objects.csv").assign(label=5.0)
    table.to_csv(folder / "objects.csv", index=False)
    with open_study(folder) as opened, refused(StudyError):
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


def test_what_is_missing_is_said_before_anything_else(tmp_path, monkeypatch):
    from manyjudges import ManyJudgesError
    from manyjudges.service import study as studies

    monkeypatch.setattr(studies, "find_spec", lambda name: None if name == "sqlalchemy" else name)
    with refused(ManyJudgesError):
        open_study(tmp_path)


def test_a_study_can_only_mute_checks_that_there_are(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", n_objects=20, unlabelled=0)
    with open(folder / "study.toml", "a", encoding="utf-8") as file:
        file.write('\n[checks]\nmute = ["MJ999"]\n')
    with pytest.raises(StudyError) as error:
        open_study(folder)
    assert (error.value.value, error.value.column) == ("MJ999", "mute")
    assert "checks.mute: there is no check 'MJ999'" in str(error.value)
