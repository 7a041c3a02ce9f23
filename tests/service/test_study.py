"""A study from its folder to its predictor, without pages."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd
import pytest
from typer.testing import CliRunner

from manyjudges.cli.main import app
from manyjudges.core.plan import Plan
from manyjudges.exceptions import StoreError, StudyError
from manyjudges.service.fit import fit_study
from manyjudges.service.study import labels_of, open_study
from manyjudges.service.study_planner import order_first_round
from manyjudges.tables.kinds import KINDS, AnswerKind, Widget
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
        assert fitted.answer["error"] ** 2 == pytest.approx(store.rounds()[-1]["loss"])
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
        assert fit_study(opened).answer["error"] > 0
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
    with refused(StudyError, row=10, column="attributes", file=str(folder / "study.toml")):
        open_study(folder)
    with open_study(folder, update=True) as opened:  # nothing was bought yet
        order_first_round(opened)
        work(opened, crowd, judges=2)
    (folder / "study.toml").write_text(text)
    with refused(StoreError, value="number of beans", column="attributes"):
        open_study(folder, update=True)


def test_a_limit_below_the_pilot_is_said_before_anything_is_asked(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", plan="budget = 6.0\nspending_limit = 10.0")
    with refused(StudyError, value=10.0, row=5, column="plan.spending_limit", file=str(folder / "study.toml")):
        open_study(folder)


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
    with refused(StudyError, value="number", row=20, column="attributes", file=str(folder / "study.toml")):
        open_study(folder, update=True)


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

    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with refused(ManyJudgesError, value="sqlalchemy"):
        open_study(tmp_path)


def test_a_study_can_only_mute_checks_that_there_are(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", n_objects=20, unlabelled=0)
    with open(folder / "study.toml", "a", encoding="utf-8") as file:
        file.write('\n[checks]\nmute = ["MJ101", "MJ999"]\n[llm]\ntimeout = 0\n')
    with refused(StudyError, value="MJ999", column="checks.mute") as caught:
        open_study(folder)
    assert [problem.key for problem in caught.value.problems] == ["checks.mute", "llm.timeout"]


@dataclass(frozen=True)
class Category(AnswerKind):
    """One of three classes, kept as its position."""

    name: ClassVar[str] = "category"
    widget: ClassVar[Widget] = "choice"

    def columns(self, attribute):
        return f"{attribute}: dog", f"{attribute}: pig"

    def read(self, answer):
        return float(str(answer))

    def describe(self, *, labels=False):
        return "a class"

    def json_schema(self):
        return {"enum": [0, 1, 2]}


def test_answers_of_several_columns_are_not_planned_as_one_number(tmp_path, monkeypatch):
    monkeypatch.setitem(KINDS, Category.name, Category)  # as a kind that somebody added
    folder, _ = beans_folder(tmp_path / "jars")
    with open(folder / "study.toml", "a", encoding="utf-8") as file:
        file.write('\n[[attributes]]\nname = "animal"\nquestion = "Which animal?"\nkind = "category"\n')
    with refused(StudyError, value="category", column="kind"):
        open_study(folder)
