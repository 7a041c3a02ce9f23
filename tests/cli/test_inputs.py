"""What a command is given: tables, labels and documents."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import ManyJudgesError
from manyjudges.cli import inputs
from manyjudges.cli.reading_options import SHARED, TableOptions
from manyjudges.exceptions import DocumentError
from manyjudges.service.study_planner import order_first_round
from manyjudges.tables.files import write_table
from tests.support.collecting import work
from tests.support.messages import refused


def typed(**values):
    """Options for reading a table, as a command hands them over."""
    return TableOptions({name: default for name, (_, default) in SHARED.items()} | values)


@pytest.mark.parametrize("how", [["--column", "object=thing"], ["--object", "thing"]])
def test_columns_chosen_are_shown_and_can_be_told(how, run, folder):
    frame = pd.read_csv(folder / "judgments.csv")
    renamed = frame.rename(columns={"object": "thing", "value": "rating", "attribute": "question"})
    renamed.to_csv(folder / "renamed.csv", index=False)
    code, _, err = run("describe", "renamed.csv", "labels.csv", *how)
    assert code == 0
    assert "object = 'thing', attribute = 'question', value = 'rating'" in err
    code, _, err = run("describe", "renamed.csv", "labels.csv")
    assert (code, err.count("\n")) == (2, 1)
    assert "no column for the object" in err


def test_workers_can_be_ignored(run, folder):
    frame = pd.read_csv(folder / "judgments.csv").assign(worker="ann")
    frame.to_csv(folder / "same.csv", index=False)
    code, _, err = run("describe", "same.csv", "labels.csv")
    assert code == 2
    assert "'ann' judged" in err
    code, out, _ = run("describe", "same.csv", "labels.csv", "--column", "worker=")
    assert code == 0
    assert "workers" not in out


def test_noiseless_attributes(run, folder):
    frame = pd.read_csv(folder / "judgments.csv")
    once = frame[(frame["attribute"] != "male") | ~frame.duplicated(["object", "attribute"])]
    once.to_csv(folder / "once.csv", index=False)
    code, _, err = run("plan", "once.csv", "labels.csv", "--budget", 9)
    assert code == 2
    assert "--noiseless" in err
    code, _, _ = run("plan", "once.csv", "labels.csv", "--budget", 9, "--noiseless", "male", "--out", "once.json")
    assert code == 0
    assert run("fit", "once.json", "once.csv", "labels.csv", "--noiseless", "male")[0] == 0
    assert run("describe", "once.csv", "labels.csv", "--noiseless", "male")[0] == 0


def test_columns_chosen_for_labels_are_shown(run, folder):
    pd.read_csv(folder / "labels.csv").set_axis(["item", "target"], axis=1).to_csv(folder / "targets.csv", index=False)
    _, _, err = run("describe", "judgments.csv", "targets.csv")
    assert "read from targets.csv: object = item, label = target" in err


def test_unmatched_labels_can_be_dropped(run, folder):
    pd.read_csv(folder / "labels.csv").head(40).to_csv(folder / "fewer.csv", index=False)
    code, out, _ = run("describe", "judgments.csv", "fewer.csv", "--unmatched", "drop")
    assert code == 0
    assert "on 40 objects" in out


def test_column_names_may_hold_an_equals_sign(run, folder):
    pd.read_csv(folder / "judgments.csv").rename(columns={"object": "a=b"}).to_csv(folder / "equal.csv", index=False)
    assert run("describe", "equal.csv", "labels.csv", "--column", "object=a=b")[0] == 0


def test_documents_are_read_and_their_file_is_named_where_they_cannot_be(run, planned, folder, tmp_path):
    run("fit", "plan.json", "judgments.csv", "labels.csv", "--out", "model.json")
    plan, model = inputs.plan_in(folder / "plan.json"), inputs.predictor_in(folder / "model.json")
    assert model.plan == plan
    for read, path in (
        (inputs.plan_in, folder / "model.json"),
        (inputs.predictor_in, folder / "plan.json"),
        (inputs.plan_in, folder / "labels.csv"),
        (inputs.plan_in, tmp_path / "nothing.json"),
        (inputs.plan_in, tmp_path),
    ):
        with pytest.raises(DocumentError) as caught:
            read(path)
        assert str(caught.value).count(str(path)) == 1


def test_a_table_is_the_same_in_memory_and_scanned(folder, monkeypatch):
    monkeypatch.chdir(folder)
    tables = ["judgments.csv", "labels.csv"]
    scanned = inputs.training_data(tables, typed(), memory_limit="1GB")
    here = inputs.training_data(tables, typed(), whole=True)
    assert scanned.table is None
    assert scanned.attributes == here.attributes
    np.testing.assert_allclose(scanned.moments.covariance, here.moments.covariance, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(scanned.moments.noise, here.moments.noise, rtol=1e-9)
    assert scanned.n_objects == here.n_objects


def test_a_campaign_s_store_is_read_by_its_address(study, tmp_path):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd)
    write_table(tmp_path / "labels.csv", crowd.labels.rename("label").reset_index())
    write_table(tmp_path / "judgments.csv", opened.store.judgments())
    address = opened.study.database_address
    from_store, from_file = (
        inputs.training_data([source, str(tmp_path / "labels.csv")], typed())
        for source in (address, str(tmp_path / "judgments.csv"))
    )
    assert from_store.n_objects == from_file.n_objects == 60
    np.testing.assert_allclose(from_store.moments.cross, from_file.moments.cross, rtol=1e-9)
    with refused(DocumentError, file=str(tmp_path / "jars/judgments.dbx")):
        inputs.training_data([address + "x", str(tmp_path / "labels.csv")], typed())


@pytest.mark.parametrize(
    ("column", "value", "field", "file"),
    [
        (["objct=a"], "objct", "column", None),
        (["object"], "object", "column", None),
        (["=a"], "=a", "column", None),
        (["object=a", "object=b"], "object", "column", None),
        (["object=height"], "height", "object", "judgments.csv"),
        (["label=height"], "height", "label", "labels.csv"),
    ],
)
def test_columns_that_there_are_not(folder, column, value, field, file):
    with refused(ManyJudgesError, value=value, column=field, file=file):
        inputs.training_data([str(folder / "judgments.csv"), str(folder / "labels.csv")], typed(column=column))
