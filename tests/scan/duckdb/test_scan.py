"""Moments of tables that need not fit into the memory are those of tables that do."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges import Judgments, ManyJudgesError, Moments, choose, projected_error, scan_moments
from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, MomentsError, PlanError
from manyjudges.learn.training_data import load_training_data
from manyjudges.scan.duckdb.scan import scan
from manyjudges.scan.options import ScanLimits, ScanOptions
from tests.support.messages import complaint_of, refused
from tests.support.scanned import call, crowd, estimate, same, scanned


@pytest.fixture(scope="module")
def large():
    """More judgments than a small memory holds, made quickly: 16,000 objects, 20 attributes, twice."""
    rng = np.random.default_rng(0)
    n, d, k = 16_000, 20, 2
    values = rng.normal(size=(n, d, 1)) + rng.normal(size=(n, d, k))
    at = rng.permutation(n * d * k)
    things, asked = np.arange(n)[at // (d * k)], at // k % d
    names = np.array([f"attribute {i}" for i in range(d)])
    frame = pd.DataFrame({"object": things, "attribute": names[asked], "worker": at % k, "value": values.ravel()[at]})
    return frame, pd.Series(values.mean(axis=(1, 2)) + rng.normal(size=n), index=np.arange(n))


@pytest.fixture(params=["csv", "csv.gz", "tsv", "parquet", "jsonl", "csv;"])
def table(request, tmp_path):
    frame, labels = crowd(gaps=0.2)
    kind = request.param.removesuffix(";")
    path = tmp_path / f"judgments.{kind}"
    if kind == "parquet":
        frame.to_parquet(path, row_group_size=97)
    elif kind == "jsonl":
        path.write_text(frame.to_json(orient="records", lines=True, double_precision=15))
    else:
        separator = "\t" if kind == "tsv" else ";" if request.param.endswith(";") else ","
        frame.to_csv(path, index=False, sep=separator, decimal="," if separator == ";" else ".")
    return path, frame, labels


class TestSources:
    def test_a_file_of_any_kind(self, table):
        path, frame, labels = table
        same(scan_moments(path, labels), estimate(frame, labels))

    def test_several_files_whose_objects_are_spread_over_all(self, tmp_path):
        frame, labels = crowd()
        for at in range(3):
            frame[at::3].to_parquet(tmp_path / f"part-{at}.parquet")
        labels.rename("label").rename_axis("object").reset_index().to_csv(tmp_path / "labels.csv", index=False)
        for source in (tmp_path / "part-*.parquet", str(tmp_path / "part-*.parquet")):
            same(scan_moments(source, tmp_path / "labels.csv"), estimate(frame, labels))

    def test_a_folder(self, tmp_path):
        frame, labels = crowd()
        (tmp_path / "in" / "deep").mkdir(parents=True)
        frame[:100].to_csv(tmp_path / "in" / "a.csv", index=False)
        frame[100:].to_csv(tmp_path / "in" / "deep" / "b.csv", index=False)
        same(scan_moments(tmp_path / "in", labels), estimate(frame, labels))

    def test_relations_frames_and_iterators(self):
        frame, labels = crowd(gaps=0.1)
        wanted = estimate(frame, labels)
        parts = [frame[at : at + 77] for at in range(0, len(frame), 77)]
        same(scan_moments(duckdb.sql("SELECT * FROM frame"), labels), wanted)
        same(scan_moments(frame, labels), wanted)
        same(scan_moments(pl.from_pandas(frame), labels), wanted)
        same(scan_moments(iter(parts), labels), wanted)
        same(scan_moments((pa.Table.from_pandas(part) for part in parts), labels), wanted)
        same(scan_moments([pl.from_pandas(part) for part in parts], labels.to_dict()), wanted)

    def test_the_store_of_a_campaign(self, tmp_path):
        from manyjudges.store.store import Store

        frame, labels = crowd(n=20, d=3)
        address = f"sqlite:///{tmp_path}/judgments.db"
        store = Store.open(address)
        store.prepare(dict.fromkeys(frame["attribute"].unique(), 1.0), list(labels.items()))
        columns = ["object", "attribute", "worker", "value"]
        store.take_in("elsewhere", list(frame[columns].itertuples(index=False, name=None)))
        changed = frame.iloc[0]
        store.take_in("elsewhere", [(changed["object"], changed["attribute"], changed["worker"], 7.5)])
        frame.loc[0, "value"] = 7.5
        assert len(pd.concat(store.judgment_batches(7))) == len(frame)
        same(scan_moments(store.judgment_batches(7), labels), estimate(frame, labels))
        store.close()

    @pytest.mark.parametrize("address", ["sqlite:///judgments.db", "postgresql+psycopg://ann:secret@host/jars"])
    def test_an_address_is_not_read(self, address):
        with refused(DocumentError, column="path") as error:
            scan_moments(address, {"jar": 1.0})
        assert f"'{address.partition('://')[0]}://…'" in str(error.value)
        assert "secret" not in str(error.value)

    def test_names_of_columns(self, tmp_path):
        frame, labels = crowd()
        odd = frame.rename(columns={"object": "it's", "value": 'the "score"', "attribute": "question"})
        odd.to_csv(tmp_path / "odd.csv", index=False)
        found = scan_moments(tmp_path / "odd.csv", labels, object="it's", value='the "score"')
        same(found, estimate(frame, labels))

    def test_numbers_as_names(self, tmp_path):
        frame, labels = crowd()
        codes = {name: at for at, name in enumerate(labels.index)}
        frame["object"] = frame["object"].map(codes)
        labels = labels.rename(codes)
        frame.to_parquet(tmp_path / "a.parquet")
        frame.to_csv(tmp_path / "a.csv", index=False)
        for source in ("a.parquet", "a.csv"):
            same(scan_moments(tmp_path / source, labels), estimate(frame, labels))

    def test_words_and_large_values(self, tmp_path):
        frame, labels = crowd(d=3)
        one, two, three = sorted(frame["attribute"].unique())
        told = frame["value"].astype(object)
        told[frame["attribute"] == one] = np.where(frame["value"] > 0, " Yes", "no")[frame["attribute"] == one]
        told[frame["attribute"] == two] = np.where(frame["value"] > 0, "TRUE", "false")[frame["attribute"] == two]
        told[frame["attribute"] == three] = 1e6 + frame["value"][frame["attribute"] == three]
        frame["value"] = told.astype(str)
        frame.to_csv(tmp_path / "a.csv", index=False)
        same(scan_moments(tmp_path / "a.csv", labels), estimate(frame, labels))

    def test_without_workers_and_with_those_that_are_ignored(self, tmp_path):
        frame, labels = crowd()
        frame["worker"] = "ann"
        frame.to_csv(tmp_path / "a.csv", index=False)
        frame.drop(columns="worker").to_csv(tmp_path / "b.csv", index=False)
        wanted = estimate(frame.drop(columns="worker"), labels)
        same(scan_moments(tmp_path / "a.csv", labels, worker=None), wanted)
        same(scan_moments(tmp_path / "b.csv", labels), wanted)

    def test_nothing_that_could_be_a_source(self):
        with refused(JudgmentsError, value=7):
            scan_moments(7, {"a": 1.0})
        with refused(JudgmentsError, value=3, column="source"):
            scan_moments(iter([crowd()[0], 3]), crowd()[1])
        with refused(JudgmentsError):
            scan_moments(iter([]), crowd()[1])


@given(
    seed=st.integers(0, 500),
    n=st.integers(3, 30),
    d=st.integers(1, 6),
    k=st.integers(2, 4),
    gaps=st.sampled_from([0, 0.3]),
)
@settings(max_examples=20)
def test_any_table_gives_what_it_gives_in_memory(seed, n, d, k, gaps):
    frame, labels = crowd(n, d, k, seed, gaps=gaps)
    try:
        wanted = estimate(frame, labels, unmatched="drop")
    except ManyJudgesError as error:
        with pytest.raises(type(error)):
            scan_moments(frame, labels, unmatched="drop")
    else:
        same(scan_moments(frame, labels, unmatched="drop"), wanted)


def moments_of(source, labels, *, unmatched="error", **limits):
    found = scan(source, labels, ScanOptions(unmatched=unmatched, limits=ScanLimits(**limits)))
    return Moments.from_scan(found.attributes, found.sums, (), found.skipped)


def test_blocks_and_batches_are_cut_anywhere(tmp_path):
    frame, labels = crowd(200, 7, gaps=0.2)
    frame.to_parquet(tmp_path / "a.parquet")
    same(moments_of(tmp_path / "a.parquet", labels, batch_size=2048, block_size=50), estimate(frame, labels))


def test_an_object_that_goes_on_for_many_batches():
    frame, labels = crowd(5, 2, k=3000)
    few = frame[(frame["object"] != frame["object"].min()) & (frame["worker"] < "w12")]
    for judged in (frame, pd.concat([few, frame[frame["object"] == frame["object"].min()]])):
        same(moments_of(judged, labels, batch_size=2048), estimate(judged, labels))


def test_parts_add_up_to_the_whole(tmp_path):
    frame, labels = crowd(gaps=0.2)
    found = scan(frame, labels, ScanOptions(), part_of=lambda n: np.arange(n) % 7)
    assert len(found.sums) == 7
    same(Moments.from_scan(found.attributes, found.sums, (), 0), estimate(frame, labels))


def test_what_a_plan_lacks(tmp_path):
    frame, labels = crowd(gaps=0.3)
    judgments = Judgments.from_frame(frame)
    plan = {name: 1 + at for at, name in enumerate(judgments.attributes)}
    counts = judgments.counts()
    found = scan(frame, labels, ScanOptions())
    assert found.lacking(plan) == {name: int((want - counts[name]).clip(lower=0).sum()) for name, want in plan.items()}
    assert found.n_judgments == len(frame)


def test_little_memory_is_enough(large, tmp_path):
    frame, labels = large
    frame.to_parquet(tmp_path / "a.parquet")
    own = tmp_path / "own"
    own.mkdir()
    told = []
    found = scan_moments(
        tmp_path / "a.parquet",
        labels,
        memory_limit="40MB",
        threads=1,
        temp_dir=own,
        progress=lambda *at: told.append(at),
    )
    same(found, estimate(frame, labels))
    assert list(own.iterdir()) == []
    assert told[-1] == (len(frame), len(frame))
    assert len(told) > 2  # reports come by the clock, so that their number is the machine's; not only when all is done
    assert all(before[0] < after[0] for before, after in itertools.pairwise(told))


class TestBadInput:
    """Every message says where, and nothing is left behind."""

    @pytest.fixture(autouse=True)
    def temporary(self, tmp_path, monkeypatch):
        own = tmp_path / "temporary"
        own.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(own))
        yield own
        assert list(own.iterdir()) == []

    def complaint(self, source, labels, error=JudgmentsError, **more):
        return complaint_of(scan_moments, source, labels, error=error, **more)

    @pytest.mark.parametrize(
        ("value", "fields"),
        [
            ("five", {"value": "five"}),
            ("１２", {"value": "１２"}),
            ("inf", {"value": "inf"}),
            ("1_000", {"value": "1_000"}),
        ],
    )
    def test_a_value_that_is_none(self, tmp_path, value, fields):
        frame, labels = crowd()
        frame["value"] = frame["value"].astype(str)
        frame.loc[137, "value"] = value
        frame.loc[400, "value"] = value
        for at in range(2):
            frame[at * 300 : at * 300 + 300].to_csv(tmp_path / f"part-{at}.csv", index=False)
        self.complaint(
            tmp_path / "part-*.csv", labels, JudgmentsError, row=138, column="value", file="part-0.csv", **fields
        )
        found = scan_moments(tmp_path / "part-*.csv", labels, on_invalid="skip")
        assert found.skipped == 2
        same(found, estimate(frame.drop(index=[137, 400]).astype({"value": float}), labels))
        read = scanned(tmp_path / "part-*.csv", labels, on_invalid="skip")
        assert (read.skipped, read.reading.skipped, read.reading.unanswered) == (2, 2, 0)
        rows = [("part-0.csv", 138), ("part-1.csv", 101)]
        assert [(row.file, row.row, row.value) for row in read.invalid] == [(*row, value) for row in rows]

    @pytest.mark.parametrize("value", ["", " ", "n/a", "NaN", ".", "don't know", "-99"])
    def test_a_cell_without_an_answer_is_no_fault(self, tmp_path, value):
        frame, labels = crowd()
        frame["value"] = frame["value"].astype(str)
        frame.loc[[137, 400], "value"] = value
        for at in range(2):
            frame[at * 300 : at * 300 + 300].to_csv(tmp_path / f"part-{at}.csv", index=False)
        read = scanned(tmp_path / "part-*.csv", labels, missing=-99)
        assert (read.skipped, read.reading.unanswered, read.invalid) == (0, 2, ())
        assert read.n_judgments == len(frame) - 2
        wanted = estimate(frame.drop(index=[137, 400]).astype({"value": float}), labels)
        same(Moments.from_scan(read.attributes, read.sums, (), 0), wanted)

    def test_more_bad_rows_than_come_at_once(self):
        frame, labels = crowd(400, 8)
        frame.loc[100:5999, "value"] = np.inf
        with pytest.raises(JudgmentsError) as caught:
            moments_of(frame, labels, batch_size=2048)
        assert (caught.value.row, caught.value.column, caught.value.value) == (101, "value", np.inf)
        said = str(caught.value)
        assert "row 101 of the tables given, a judgment of 'a5': inf is not finite" in said
        assert "(5,899 more rows are invalid)" in said

    def test_more_cells_without_an_answer_than_come_at_once(self):
        frame, labels = crowd(400, 8)
        wanted = estimate(frame.drop(index=range(100, 5000)), labels, unmatched="drop")
        frame.loc[100:4999, "value"] = np.nan
        same(moments_of(frame, labels, unmatched="drop", batch_size=2048), wanted)
        read = scanned(frame, labels, unmatched="drop")
        assert (read.n_judgments, read.skipped, read.reading.unanswered) == (len(frame) - 4900, 0, 4900)

    def test_an_infinite_and_a_missing_value_in_a_row_group(self, tmp_path):
        frame, labels = crowd()
        frame.loc[311, "value"] = np.nan
        frame.to_parquet(tmp_path / "a.parquet", row_group_size=100)
        for source in (tmp_path / "a.parquet", frame):
            read = scanned(source, labels)
            assert (read.skipped, read.reading.unanswered) == (0, 1)
            same(Moments.from_scan(read.attributes, read.sums, (), 0), estimate(frame.drop(index=311), labels))
        frame.loc[312, "value"] = np.inf
        frame.to_parquet(tmp_path / "a.parquet", row_group_size=100)
        self.complaint(tmp_path / "a.parquet", labels, value=np.inf, row=313, column="value", file="a.parquet")
        self.complaint(frame, labels, value=np.inf, row=313, column="value")

    @pytest.mark.parametrize("role", ["object", "attribute", "worker"])
    def test_a_name_that_is_missing(self, tmp_path, role):
        frame, labels = crowd()
        frame.loc[10, role] = " "
        frame.to_csv(tmp_path / "a.csv", index=False)
        self.complaint(tmp_path / "a.csv", labels, row=11, column=role, file="a.csv")
        assert scan_moments(tmp_path / "a.csv", labels, on_invalid="skip").skipped == 1

    def test_words_among_numbers_are_mistakes_where_they_are_few(self, tmp_path):
        frame, labels = crowd(d=1)
        frame["value"] = frame["value"].astype(str)
        frame.loc[[3, 5], "value"] = "yes"
        frame.to_csv(tmp_path / "a.csv", index=False)
        self.complaint(tmp_path / "a.csv", labels, value="yes", row=4, column="value", file="a.csv")
        read = scanned(tmp_path / "a.csv", labels, on_invalid="skip")
        assert [(row.row, row.column, row.value) for row in read.invalid] == [(4, "a0", "yes"), (6, "a0", "yes")]
        wanted = estimate(frame.drop(index=[3, 5]).astype({"value": float}), labels)
        same(Moments.from_scan(read.attributes, read.sums, (), read.skipped), wanted)

    def test_words_among_numbers_are_asked_about_where_they_are_many(self, tmp_path):
        frame, labels = crowd(d=1)
        frame["value"] = frame["value"].astype(str)
        frame.loc[3::2, "value"] = "yes"
        frame.to_csv(tmp_path / "a.csv", index=False)
        self.complaint(tmp_path / "a.csv", labels, value="yes", row=4, column="value", file="a.csv")

    @pytest.mark.parametrize("k", [2, 3, 5])
    def test_the_same_worker_twice_in_two_files(self, tmp_path, k):
        frame, labels = crowd(k=k)
        first = frame.iloc[0]
        again = frame[(frame["object"] == first["object"]) & (frame["attribute"] == first["attribute"])].iloc[1:2]
        frame.loc[again.index, "worker"] = first["worker"]
        frame[: again.index[0]].to_csv(tmp_path / "a.csv", index=False)
        frame[again.index[0] :].to_csv(tmp_path / "b.csv", index=False)
        self.complaint(tmp_path / "?.csv", labels, row=1, column="worker", file="b.csv")

    def test_hashes_that_agree_by_chance_are_no_fault(self):
        frame, labels = crowd(40, 4, k=12)  # of twelve, some always have the same of eight hashes
        same(moments_of(frame, labels, hash_bits=3), estimate(frame, labels))
        thing, attribute = frame.loc[0, ["object", "attribute"]]
        there = frame.index[(frame["object"] == thing) & (frame["attribute"] == attribute)]
        frame.loc[there[-1], "worker"] = frame.loc[there[0], "worker"]
        with refused(JudgmentsError, value="w1", row=1793, column="worker") as caught:
            moments_of(frame, labels, hash_bits=3)
        assert caught.value.value == frame.loc[there[0], "worker"]
        assert (caught.value.row, caught.value.column) == (there[-1] + 1, "worker")

    def test_everything_judged_twice_by_the_same(self):
        frame, labels = crowd()
        frame["worker"] = "ann"
        with refused(JudgmentsError, value="ann", row=231, column="worker"):
            moments_of(frame, labels, max_suspects=3)

    def test_labels_of_half_of_the_objects(self, tmp_path):
        frame, labels = crowd()
        half = labels.iloc[::2]
        self.complaint(frame, half, LabelsError, row="object 0002", column="object")
        kept = frame[frame["object"].isin(half.index)]
        same(scan_moments(frame, half, unmatched="drop"), estimate(kept, half))
        self.complaint(kept, labels, LabelsError, row="object 0002", column="label")
        same(scan_moments(kept, labels, unmatched="drop"), estimate(kept, half))
        self.complaint(frame, {"x": 1.0}, LabelsError, unmatched="drop", row="object 0001", column="object")

    def test_labels_that_are_the_same_as_text(self):
        frame, labels = crowd()
        twice = pd.concat([labels, pd.Series({3: 1.0, "3": 2.0})])
        self.complaint(frame, twice, LabelsError, unmatched="drop", row="3", column="labels")

    def test_labels_that_are_none(self):
        frame, labels = crowd()
        self.complaint(frame, labels.to_numpy(), LabelsError, column="labels")
        self.complaint(frame, pd.concat([labels, labels[:1] + 1]), LabelsError, row="object 0001", column="labels")
        self.complaint(frame, {}, LabelsError, column="labels")

    def test_a_truncated_file(self, tmp_path):
        frame, labels = crowd()
        for name in ("a", "b"):
            frame.to_parquet(tmp_path / f"{name}.parquet")
        whole = (tmp_path / "b.parquet").read_bytes()
        (tmp_path / "b.parquet").write_bytes(whole[: len(whole) // 2])
        self.complaint(tmp_path / "?.parquet", labels, DocumentError, file="b.parquet")

    def test_a_damaged_row_group(self, tmp_path):
        frame, labels = crowd(2000, 5)
        pq.write_table(pa.Table.from_pandas(frame), tmp_path / "a.parquet", row_group_size=5000, compression="gzip")
        metadata = pq.read_metadata(tmp_path / "a.parquet")
        column = metadata.row_group(2).column(3)
        data = bytearray((tmp_path / "a.parquet").read_bytes())
        start = column.data_page_offset + 60
        data[start : start + 2000] = bytes(2000)
        (tmp_path / "a.parquet").write_bytes(bytes(data))
        self.complaint(tmp_path / "a.parquet", labels, DocumentError, file="a.parquet")

    def test_a_folder_with_one_part_that_cannot_be_read(self, tmp_path):
        frame, labels = crowd()
        (tmp_path / "in").mkdir()
        frame.to_parquet(tmp_path / "in" / "a.parquet")
        (tmp_path / "in" / "b.parquet").symlink_to(tmp_path / "gone.parquet")
        self.complaint(tmp_path / "in", labels, DocumentError, file="b.parquet")

    def test_files_that_do_not_go_together(self, tmp_path):
        frame, labels = crowd()
        frame.to_csv(tmp_path / "a.csv", index=False)
        frame.rename(columns={"value": "score"}).to_csv(tmp_path / "b.csv", index=False)
        self.complaint(tmp_path / "?.csv", labels, DocumentError, value="score", file="b.csv")
        frame.to_parquet(tmp_path / "c.parquet")
        self.complaint(tmp_path / "[ac].*", labels, value="w0", row=1, column="worker", file="c.parquet")
        (tmp_path / "empty").mkdir()
        self.complaint(tmp_path / "empty", labels, DocumentError, file=str(tmp_path / "empty"))
        self.complaint(tmp_path / "none.csv", labels, DocumentError, file=str(tmp_path / "none.csv"))

    def test_a_line_with_too_few_cells(self, tmp_path):
        frame, labels = crowd()
        frame.to_csv(tmp_path / "a.csv", index=False)
        with open(tmp_path / "a.csv", "a") as file:
            file.write("only,three,cells\n")
        self.complaint(tmp_path / "a.csv", labels, DocumentError, value="only,three,cells", row=601, file="a.csv")
        found = scan_moments(tmp_path / "a.csv", labels, on_invalid="skip")
        assert found.skipped == 1
        same(found, estimate(frame, labels))

    def test_options_that_make_no_sense(self):
        frame, labels = crowd()
        self.complaint(frame, labels, PlanError, memory_limit="lots", value="lots", column="memory_limit")
        self.complaint(frame, labels, PlanError, on_invalid="maybe", value="maybe", column="on_invalid")
        self.complaint(frame, labels, LabelsError, unmatched="keep", value="keep", column="unmatched")
        self.complaint(
            frame,
            labels,
            PlanError,
            memory_limit=f"{'9' * 20}TB",
            value="99999999999999999999TB",
            column="memory_limit",
        )
        for threads in (0, -1, "x", True, 1.5):
            self.complaint(frame, labels, PlanError, threads=threads, value=threads, column="threads")
        self.complaint(frame, labels, MomentsError, noiseless=["x"], value="x", column="noiseless")
        self.complaint(
            frame, labels, ManyJudgesError, temp_dir="/nowhere/at/all", value="/nowhere/at/all", column="temp_dir"
        )

    def test_engines(self):
        frame, labels = crowd()
        self.complaint(frame, labels, PlanError, engine="spark", value="spark", column="engine")
        self.complaint(frame, labels, PlanError, engine="dask", memory_limit="2GB", value="2GB", column="memory_limit")
        self.complaint(
            frame, labels, PlanError, address="tcp://127.0.0.1:1", value="tcp://127.0.0.1:1", column="address"
        )

    def test_a_disk_that_is_full(self, large, tmp_path):
        frame, labels = large
        frame.to_parquet(tmp_path / "a.parquet")
        labels.rename("label").rename_axis("object").reset_index().to_parquet(tmp_path / "labels.parquet")
        program = """
import resource, sys, tempfile
from manyjudges import scan_moments
from manyjudges.exceptions import DocumentError
resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, 64 << 10))
try:
    scan_moments(sys.argv[1], sys.argv[2], memory_limit="40MB", threads=1, temp_dir=sys.argv[3])
except DocumentError as error:
    print(error)
"""
        own = tmp_path / "own"
        own.mkdir()
        arguments = [tmp_path / "a.parquet", tmp_path / "labels.parquet", own]
        done = subprocess.run(
            [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=True
        )
        assert "the disk is full" in done.stdout
        assert str(own) in done.stdout
        assert list(own.iterdir()) == []


def test_ctrl_c_leaves_nothing(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    program = """
import itertools, sys
import numpy as np, pandas as pd
from manyjudges import scan_moments

def frames():
    for at in itertools.count():
        if at == 3:
            print("begun", flush=True)
        size = 20_000
        names = np.char.add("o", (at * size + np.arange(size)).astype(str))
        yield pd.DataFrame({"object": names, "attribute": "a", "value": 1.0})

scan_moments(frames(), {"o1": 1.0}, temp_dir=sys.argv[1])
"""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    start = [
        sys.executable,
        "-c",
        f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{program}",
    ]
    with subprocess.Popen([*start, str(own)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as running:
        assert running.stdout.readline().strip() == b"begun"
        assert any(own.iterdir())
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors
    assert list(own.iterdir()) == []


def test_ctrl_c_while_duckdb_works(large, tmp_path):
    frame, labels = large
    frame.to_parquet(tmp_path / "a.parquet")
    own = tmp_path / "own"
    own.mkdir()

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan_moments(tmp_path / "a.parquet", labels, temp_dir=own, memory_limit="100MB", threads=1, progress=stop)
    assert list(own.iterdir()) == []
    assert not [thread for thread in threading.enumerate() if thread.daemon and thread.name.endswith("(_run)")]


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.05, 0.2])
def test_ctrl_c_while_a_fault_is_looked_for(large, tmp_path, delay):
    frame, labels = large
    frame.assign(worker=1).to_csv(tmp_path / "a.csv", index=False)
    labels.rename("label").rename_axis("object").reset_index().to_csv(tmp_path / "labels.csv", index=False)
    own = tmp_path / "own"
    own.mkdir()
    program = """
import os, signal, sys, threading
from manyjudges.cli.main import main
from manyjudges.scan.duckdb import errors
look, delay = errors.repeated, float(sys.argv.pop())
def slowly(*given):
    threading.Timer(delay, os.kill, [os.getpid(), signal.SIGINT]).start()
    for _ in range(50):
        look(*given)
errors.repeated = slowly
main()
"""
    files = [str(tmp_path / name) for name in ("a.csv", "labels.csv")]
    options = ["--budget", "5", "--memory-limit", "500MB", "--temp-dir", str(own)]
    start = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{program}"
    done = subprocess.run(
        [sys.executable, "-c", start, "plan", *files, *options, str(delay)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert list(own.iterdir()) == []


def test_paths_of_any_type(tmp_path):
    frame, labels = crowd()
    frame.to_csv(tmp_path / "a.csv", index=False)
    same(scan_moments(str(tmp_path / "a.csv"), labels), scan_moments(Path(tmp_path / "a.csv"), labels))


class TestOnFiles:
    """What is said of a path is what is said of a table in memory."""

    @pytest.fixture
    def files(self, tmp_path):
        frame, labels = crowd(120, 6)
        frame.to_parquet(tmp_path / "judgments.parquet")
        labels.rename("label").rename_axis("object").reset_index().to_csv(tmp_path / "labels.csv", index=False)
        return tmp_path / "judgments.parquet", tmp_path / "labels.csv", frame, labels

    def test_the_error_to_expect(self, files):
        path, labelled, frame, labels = files
        found = projected_error(path, labelled, [3, 9], random_state=0, memory_limit="200MB")
        wanted = projected_error(Judgments.from_frame(frame), labels, [3, 9], random_state=0)
        for name in ("loss", "std_error", "optimistic_loss"):
            np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-8)

    def test_the_way_to_plan(self, files):
        path, labelled, frame, labels = files
        found, wanted = choose(path, labelled, 9), choose(Judgments.from_frame(frame), labels, 9)
        assert str(found) == str(wanted)
        np.testing.assert_allclose(found.considered["loss"], wanted.considered["loss"], rtol=1e-8)

    @pytest.mark.parametrize("arguments", [["--budget", 9], ["--budget", 9, "--method", "auto"]])
    def test_the_same_plan_by_the_command(self, files, arguments):
        small = json.loads(call("plan", *files[:2], *arguments, "--json"))
        large = json.loads(call("plan", *files[:2], *arguments, "--json", "--memory-limit", "200MB"))
        small, large = small["answer"], large["answer"]
        assert large["plan"]["repeats"] == small["plan"]["repeats"]
        assert large["error"] == pytest.approx(small["error"], rel=1e-8)
        said = [call("plan", *files[:2], *arguments, *more) for more in ((), ("--memory-limit", "200MB"))]
        lacks = [re.search(r"at hand still lack (\d+) judgments for (\d+) units", each).groups() for each in said]
        assert lacks[0] == lacks[1]

    def test_large_files_are_scanned_by_themselves(self, files):
        path, _, _, labels = files
        large = load_training_data(str(path), labels, scan_from=1000)
        assert large.table is None
        assert large.scan is not None
        assert large.n_objects == 120
        assert load_training_data(str(path), labels).table is not None

    def test_rows_that_are_left_out_are_counted(self, files, tmp_path):
        path, labelled, frame, _ = files
        frame.loc[3, "value"] = np.inf
        frame.loc[[5, 6], "value"] = np.nan
        frame.to_parquet(path)
        limited = ("--budget", 9, "--memory-limit", "200MB")
        assert "row 4 of judgments.parquet, a judgment of 'a4': inf is not finite" in call(
            "plan", path, labelled, *limited, code=2
        )
        said = call("plan", path, labelled, *limited, "--on-invalid", "skip")
        assert "1 row skipped" in said
        assert "2 cells without an answer" in said
        document = json.loads(call("forecast", path, labelled, "--budgets", 9, "--on-invalid", "skip", "--json"))
        assert document["skipped"] == 1

    def test_the_store_of_a_campaign(self, files, tmp_path):
        from manyjudges.store.store import Store

        _, labelled, frame, labels = files
        store = Store.open(f"sqlite:///{tmp_path}/judgments.db")
        store.prepare(dict.fromkeys(frame["attribute"].unique(), 1.0), list(labels.items()))
        columns = ["object", "attribute", "worker", "value"]
        store.take_in("elsewhere", list(frame[columns].itertuples(index=False, name=None)))
        store.close()
        wanted = json.loads(call("plan", *files[:2], "--budget", 9, "--json"))
        found = json.loads(call("plan", f"sqlite:///{tmp_path}/judgments.db", labelled, "--budget", 9, "--json"))
        assert found["answer"]["plan"]["repeats"] == wanted["answer"]["plan"]["repeats"]
        found = json.loads(call("forecast", f"sqlite:///{tmp_path}/judgments.db", labelled, "--budgets", 9, "--json"))
        assert found["label_deviation"] == pytest.approx(labels.std(ddof=0))

    def test_options_with_a_new_name(self, files):
        for command in ("plan", "forecast"):
            for old, new in (("--bad", "--on-invalid"), ("--temporary", "--temp-dir")):
                for written in ((old, "skip"), (f"{old}=skip",)):
                    said = call(command, *files[:2], *written, code=2)
                    assert said == f"error: {old} has a new name: {new}. Write {new} instead.\n"
        said = call("demo", "--bad", "skip", code=2)
        assert said == "error: --bad has a new name, --on-invalid, but demo has no such option.\n"

    def test_a_limit_that_is_none(self, files):
        assert "must be an amount such as '2GB'" in call(
            "plan", *files[:2], "--budget", 9, "--memory-limit", "much", code=2
        )
