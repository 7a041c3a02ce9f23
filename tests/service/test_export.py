"""A study's judgments as a table: whose they are, and which of them."""

from __future__ import annotations

import json

import pandas as pd

from manyjudges import Judgments
from manyjudges.service.export import exported, exported_file
from manyjudges.service.study_planner import order_first_round
from tests.support.collecting import work


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


def test_a_study_that_nobody_judged_has_a_table_without_rows(study):
    opened, _ = study
    for everything in (False, True):
        rows = exported(opened, everything=everything, worker_ids=True)
        assert {"object", "attribute", "worker", "external", "value"} <= set(rows.columns)
        assert rows.empty
        assert exported_file(rows, ".csv").decode().splitlines() == [",".join(rows.columns)]


def test_times_are_written_so_that_every_program_reads_them(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd, judges=2)
    rows = exported(opened)
    lines = exported_file(rows, ".jsonl").decode().splitlines()
    assert len(lines) == len(rows)
    written = pd.to_datetime(pd.Series([json.loads(line)["at"] for line in lines]))
    assert (written == rows["at"]).all()
    assert str(written.dt.tz) == "UTC"
    assert str(rows["at"].dtype) == "datetime64[ms, UTC]", "the table itself stays as it was"
