"""Moments on a real cluster: processes on this machine, one of which may be killed."""

from __future__ import annotations

import subprocess
import sys

import dask
import dask.dataframe
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from distributed import Client
from rich.console import Console

from experiments import runner
from experiments.catalogue import EXPERIMENTS
from manyjudges import Judgments, ManyJudgesError, Moments, choose, projected_error, scan_moments, simulate
from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, MomentsError, PlanError
from manyjudges.scan import dask_scan
from manyjudges.scan.dask_scan import scan_with_dask
from manyjudges.scan.options import ScanOptions
from manyjudges.scan.readers import READERS
from manyjudges.scan.refusals import Refusal
from tests.support.clustered import assert_same, cluster, killing, scatter
from tests.support.messages import refused
from tests.support.plain import unbalanced_frame

N_FILES = 6


@pytest.fixture(scope="module")
def table():
    """Judgments by named workers of some attributes of 60 objects, and labels."""
    rng = np.random.default_rng(1)
    frame = unbalanced_frame(rng, n_objects=60, attributes=("a", "b", "c", "d"))
    frame["worker"] = [f"w{n}" for n in frame.groupby(["object", "attribute"]).cumcount()]
    names = sorted(frame["object"].unique())
    return frame, pd.Series(rng.normal(size=len(names)), index=names)


@pytest.fixture(scope="module")
def whole(table):
    frame, labels = table
    return Moments.estimate(Judgments.from_frame(frame), labels)


@pytest.fixture(scope="module")
def running():
    with cluster() as up:
        yield up


@pytest.fixture(scope="module")
def client(running):
    with Client(running.scheduler_address, set_as_default=False) as connected:
        yield connected


def test_a_part_that_cannot_be_summed_up_is_not_left_out(table, monkeypatch):
    """Whatever is wrong with all of a table is known before its parts are; but none may be missing without a word."""
    frame, labels = table
    computed = dask_scan._Graph.compute

    def with_a_refusal(graph, parts, scheduler):
        total, first, *_ = computed(graph, parts, scheduler)
        return total, first, Refusal(JudgmentsError("no such part", column="object"))

    monkeypatch.setattr(dask_scan._Graph, "compute", with_a_refusal)
    source = dask.dataframe.from_pandas(frame, npartitions=2)
    with refused(JudgmentsError, column="object"):
        READERS["dask"].make().scan(source, labels, ScanOptions(), lambda n: np.arange(n) % 2)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_cluster_given_by_address(table, whole, running, tmp_path, ending):
    frame, labels = table
    source = scatter(frame, tmp_path, N_FILES, ending)
    assert_same(scan_with_dask(source, labels, address=running.scheduler_address), whole)
    assert_same(scan_moments(source, labels, engine="dask", address=running.scheduler_address), whole)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["read", "summarize_partition", "merge_partitions"])
def test_a_worker_that_is_killed_changes_nothing(table, whole, running, client, tmp_path, task):
    """In the middle: what it had read, summed or merged is lost with it."""
    frame, labels = table
    client.wait_for_workers(2)
    source = scatter(frame, tmp_path, N_FILES, ".csv")
    with killing(running, task) as killer:
        found = scan_with_dask(source, labels, client=client, merge_at_once=2)  # a tree of three steps
    assert killer.killed is not None
    assert_same(found, whole)


def test_what_goes_wrong_on_a_worker_is_said_here(table, client, tmp_path):
    frame, labels = table
    frame = frame.astype({"value": str}).reset_index(drop=True)
    frame.loc[3, "value"] = "maybe"
    with refused(JudgmentsError, value="maybe", column="value") as error:
        scan_with_dask(scatter(frame, tmp_path, 2, ".csv"), labels, client=client)
    assert type(error.value) is JudgmentsError


def test_folds_on_a_cluster(client):
    crowd = simulate.gaussian(100, 6, random_state=5)
    pilot = crowd.pilot(2)
    options = {"methods": ["full"], "random_state": 0, "cv_repeats": 1}
    here, there = (
        projected_error(pilot, crowd.labels, [4, 16], executor=each, **options)
        for each in (None, client.get_executor())
    )
    np.testing.assert_allclose(there.loss, here.loss, rtol=1e-10)
    np.testing.assert_allclose(there.std_error, here.std_error, rtol=1e-10)
    options = {"shrinkage": 0.1, "cv_repeats": 1}
    here, there = (choose(pilot, crowd.labels, 10, executor=each, **options) for each in (None, client.get_executor()))
    assert str(here) == str(there)


@pytest.mark.slow
def test_splits_of_an_experiment_on_a_cluster(running, tmp_path):
    one, again = (runner.Places(tmp_path / "results", tmp_path / name) for name in ("partial", "again"))
    experiment, quiet = EXPERIMENTS["tables"], Console(quiet=True)
    there = runner.run(experiment, 2, 1, quiet, running.scheduler_address, places=one)
    kept = sorted(path.name for path in (tmp_path / "partial").glob("tables-*/*"))
    assert kept == ["0.json", "1.json"]  # written here, wherever they were computed
    assert runner.run(experiment, 2, 1, quiet, places=again) == there
    with refused(ManyJudgesError):
        next(runner._on_cluster([("tables", 0, "tables-another")], running.scheduler_address))


# What follows needs no processes: dask computes it here.


@pytest.fixture
def local():
    with dask.config.set(scheduler="sync"):
        yield


@pytest.mark.parametrize("n_partitions", [None, 1, 40, np.int64(3)])
def test_any_number_of_partitions(table, whole, local, tmp_path, n_partitions):
    frame, labels = table
    assert_same(scan_with_dask(scatter(frame, tmp_path, N_FILES, ".csv"), labels, partitions=n_partitions), whole)


@pytest.mark.parametrize("kind", ["text", "numbers", "categories", "floats"])
def test_names_of_objects_of_any_kind(table, local, kind):
    frame, labels = table
    numbers = frame["object"].str[1:].astype(int)
    objects = {
        "text": numbers.astype(str),
        "numbers": numbers,
        "categories": numbers.astype(str).astype("category"),
        "floats": numbers.astype(float),
    }
    labels = labels.set_axis(labels.index.str[1:].astype(int))
    other = frame.assign(object=numbers)
    source = dask.dataframe.from_pandas(
        frame.assign(object=objects[kind]).sample(frac=1, random_state=0), npartitions=5
    )
    assert_same(scan_with_dask(source, labels), Moments.estimate(Judgments.from_frame(other), labels))


def test_labels_from_a_file_and_other_columns(table, local, tmp_path):
    frame, labels = table
    labels.rename("truth").rename_axis("item").to_csv(tmp_path / "labels.csv")
    source = dask.dataframe.from_pandas(frame.rename(columns={"value": "x"}), npartitions=3)
    found = scan_with_dask(source, tmp_path / "labels.csv", value="x", worker=None, noiseless=["a"])
    assert_same(found, Moments.estimate(Judgments.from_frame(frame), labels, noiseless=["a"]))


def test_what_does_not_match(table, local):
    frame, labels = table
    source = dask.dataframe.from_pandas(frame, npartitions=3)
    few = pd.concat([labels[2:], pd.Series({"zebra": 1.0})])
    with refused(LabelsError, column="object"):
        scan_with_dask(source, few)
    expected = Moments.estimate(Judgments.from_frame(frame), few, unmatched="drop")
    assert_same(scan_with_dask(source, few, unmatched="drop"), expected)
    with refused(LabelsError, column="label"):
        scan_with_dask(source, pd.concat([labels, pd.Series({"zebra": 1.0})]))
    with refused(JudgmentsError):
        scan_with_dask(source[source["value"] > 1e9], labels)


def test_a_worker_that_judged_the_same_twice_in_different_files(table, local, tmp_path):
    frame, labels = table
    first = frame.iloc[[0]]
    again = pd.concat([frame, first.assign(value=7.5)], ignore_index=True)
    with refused(JudgmentsError, value="w0", column="worker"):
        scan_with_dask(scatter(again, tmp_path, N_FILES, ".csv"), labels)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_rows_that_are_no_judgments_can_be_left_out(table, whole, local, tmp_path, ending):
    frame, labels = table
    odd = pd.DataFrame(
        {"object": [None, "o003", "o004", "o005"], "attribute": ["a", None, "b", "c"], "worker": "x", "value": 1.0}
    )
    odd.loc[2:3, "value"] = [np.inf, np.nan]
    source = scatter(pd.concat([frame, odd], ignore_index=True), tmp_path, N_FILES, ending)
    with pytest.raises(JudgmentsError):
        scan_with_dask(source, labels)
    found = scan_moments(source, labels, engine="dask", on_invalid="skip")
    assert found.skipped == 3
    assert_same(found, whole)
    scan = READERS["dask"].make().scan(source, labels, ScanOptions.of(on_invalid="skip"))
    assert (scan.skipped, scan.reading.skipped, scan.reading.unanswered) == (3, 3, 1)


@pytest.mark.parametrize("role", ["object", "attribute"])
def test_names_that_are_numbers_in_one_file_and_text_in_another(table, local, tmp_path, role):
    frame, labels = table
    frame = frame.assign(object=frame["object"].str[1:].astype(int), attribute=frame["attribute"].map("abcd".index))
    labels = labels.set_axis(labels.index.str[1:].astype(int))
    whole = Moments.estimate(Judgments.from_frame(frame), labels)
    source = scatter(frame, tmp_path, 3, ".parquet")
    frame = pd.read_parquet(tmp_path / "part-1.parquet")
    frame.astype({role: str}).to_parquet(tmp_path / "part-1.parquet", index=False)
    assert_same(scan_with_dask(source, labels), whole)


@pytest.mark.parametrize("role", ["object", "attribute", "worker"])
def test_whole_numbers_of_parquet_where_one_is_missing(table, local, tmp_path, role):
    frame, labels = table
    frame = frame.assign(
        object=2**60 + 100 * frame["object"].str[1:].astype(int),
        attribute=frame["attribute"].map("abcd".index),
        worker=2**60 + frame["worker"].str[1:].astype(int),
    )
    labels = labels.set_axis(2**60 + 100 * labels.index.str[1:].astype(int))
    whole = Moments.estimate(Judgments.from_frame(frame), labels)
    odd = frame.iloc[[0]].assign(**{role: pd.array([None], dtype="Int64")})
    source = scatter(pd.concat([frame.astype({role: "Int64"}), odd]), tmp_path, 3, ".parquet")
    for path in tmp_path.iterdir():  # as others write it, who do not say that it is Int64 in pandas
        pq.write_table(pq.read_table(path).replace_schema_metadata(), path)
    found = scan_with_dask(source, labels, on_invalid="skip")
    assert found.skipped == 1
    assert_same(found, whole)


@pytest.mark.parametrize(
    ("options", "error", "column"),
    [
        ({"on_invalid": "drop"}, PlanError, "on_invalid"),
        ({"unmatched": "skip"}, LabelsError, "unmatched"),
        ({"partitions": 0}, PlanError, "partitions"),
        ({"partitions": np.int64(0)}, PlanError, "partitions"),
        ({"partitions": True}, PlanError, "partitions"),
        ({"client": "tcp://a:1"}, PlanError, "client"),
        ({"noiseless": ["z"]}, MomentsError, "noiseless"),
        ({"address": "tcp://a:1", "client": "b"}, PlanError, "address"),
        ({"labels": [1.0, 2.0]}, LabelsError, "labels"),
        ({"source": np.zeros(3)}, JudgmentsError, "source"),
        ({"source": "nowhere/*.csv"}, DocumentError, None),
        ({"value": "z"}, JudgmentsError, "value"),
    ],
)
def test_bad_input(table, local, options, error, column):
    frame, labels = table
    given = {"source": dask.dataframe.from_pandas(frame, npartitions=2), "labels": labels} | options
    with refused(error, column=column):
        scan_with_dask(given.pop("source"), given.pop("labels"), **given)


def test_a_cluster_that_is_not_there(table):
    frame, labels = table
    source = dask.dataframe.from_pandas(frame, npartitions=2)
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "0.2s"}),
        refused(PlanError, value="tcp://127.0.0.1:9", column="address"),
    ):
        scan_with_dask(source, labels, address="tcp://127.0.0.1:9")


@pytest.mark.parametrize(
    "address",
    [
        "nonsense://x",
        "nonsense",
        "",
        "tcp://127.0.0.1",
        "tcp://127.0.0.1:notaport",
        "tcp://127.0.0.1:99999",
        "tcp://:8786",
        "tls://127.0.0.1:8786",
        5,
    ],
)
def test_what_is_no_address(table, address):
    frame, labels = table
    with refused(PlanError, value=address):
        scan_with_dask(dask.dataframe.from_pandas(frame, npartitions=2), labels, address=address)


def test_a_cluster_without_workers(table):
    frame, labels = table
    source = dask.dataframe.from_pandas(frame, npartitions=2)
    with cluster(n_workers=0) as up, Client(up.scheduler_address, set_as_default=False) as idle:
        with refused(PlanError, value=up.scheduler_address):
            scan_with_dask(source, labels, address=up.scheduler_address, wait=0.2)
        with refused(PlanError, value=up.scheduler_address):
            scan_with_dask(source, labels, client=idle, wait=0.2)
        with idle.as_current(), refused(PlanError, value=up.scheduler_address):
            scan_with_dask(source, labels, wait=0.2)


@pytest.mark.slow
def test_a_cluster_that_starts_workers_when_there_is_something_to_do(table, whole):
    frame, labels = table
    with cluster(n_workers=0) as up:
        up.adapt(minimum=0, maximum=1, interval="100 ms")
        source = dask.dataframe.from_pandas(frame, npartitions=2)
        assert_same(scan_with_dask(source, labels, address=up.scheduler_address), whole)


@pytest.mark.slow
def test_a_program_ends_after_a_wrong_address():
    """A client that is left half made would be waited for."""
    script = "from manyjudges.scan.dask_scan import connected\nwith connected('nonsense'): pass"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert "PlanError: there is no cluster at 'nonsense'" in ended.stderr


def test_files_that_are_gone_when_a_worker_comes_to_them(table, local, tmp_path, monkeypatch):
    frame, labels = table
    source = scatter(frame, tmp_path, 2, ".csv")
    read = dask_scan.dask_files.frame_of

    def gone(*args, **options):
        found = read(*args, **options)
        (tmp_path / "part-1.csv").unlink()
        return found

    monkeypatch.setattr(dask_scan.dask_files, "frame_of", gone)
    with refused(DocumentError, file="part-1.csv"):
        scan_with_dask(source, labels)


def test_a_data_frame_of_files_that_cannot_be_read(table, local, tmp_path):
    frame, labels = table
    source = dask.dataframe.from_map(pd.read_csv, [tmp_path / "no.csv"], meta=frame.iloc[:0])
    with refused(DocumentError, column="source"):
        scan_with_dask(source, labels)


def test_without_dask(table, monkeypatch):
    frame, labels = table

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(dask_scan, "import_module", missing)
    with refused(ManyJudgesError, value="dask.dataframe"):
        scan_with_dask(frame, labels)
