"""Blocks of objects: together they are the table in memory, wherever it is cut."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from manyjudges import read_judgments
from manyjudges.exceptions import JudgmentsError, ManyJudgesError
from manyjudges.scan.objects import ObjectScan, in_table_order
from manyjudges.scan.options import ScanLimits, ScanOptions
from manyjudges.tables.names import name_text
from tests.support.front import cases
from tests.support.messages import refused
from tests.support.scanned import crowd

KINDS = {"csv": pd.DataFrame.to_csv, "parquet": pd.DataFrame.to_parquet}


def in_full(judgments):
    """All judgments as (object, attribute, value), for tables that do not keep the workers."""
    rows = judgments.rows()
    names = [name_text(judgments.objects[code]) for code in rows.objects]
    attributes = [judgments.attributes[code] for code in rows.attributes]
    return Counter(zip(names, attributes, rows.values.round(9).tolist(), strict=True))


def written(frame, folder, kind="csv"):
    path = folder / f"table.{kind}"
    KINDS[kind](frame, path, index=False)
    return path


def scan(path, attributes, *, limits=None, in_order=False, rows_at_once=100, **reading):
    options = ScanOptions.of(**reading, **({} if limits is None else {"limits": limits}))
    return ObjectScan(path, options, attributes, in_order=in_order, rows_at_once=rows_at_once)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows_at_once", [1, 7, 100, 10_000])
def test_blocks_are_the_table_cut_between_objects(tmp_path, kind, rows_at_once):
    frame, _ = crowd(gaps=0.3)
    path = written(frame, tmp_path, kind)
    whole = read_judgments(path)
    reading = scan(path, whole.attributes, rows_at_once=rows_at_once, limits=ScanLimits(batch_size=16))
    blocks = list(reading.blocks())
    assert sum(map(in_full, blocks), Counter()) == in_full(whole)
    objects = [name for block in blocks for name in block.objects.tolist()]
    assert objects == sorted(whole.objects.tolist())
    assert len(blocks) > 1 or rows_at_once > 100
    assert reading.reading.skipped == 0


def test_only_the_attributes_that_are_wanted_are_given_in_the_order_asked_for(tmp_path):
    frame, _ = crowd()
    path = written(frame, tmp_path)
    wanted = ("a3", "a1", "unheard of")
    blocks = list(scan(path, wanted).blocks())
    assert {block.attributes for block in blocks} == {wanted}
    assert sum(map(in_full, blocks), Counter()) == in_full(read_judgments(path).only(["a3", "a1"]))


@pytest.mark.parametrize("named", ["as text", "by numbers", "nobody"])
def test_judgments_of_a_pair_are_in_the_order_of_a_table_in_memory(tmp_path, named):
    frame, _ = crowd(n=12, k=12)
    if named == "by numbers":  # 2 comes before 10
        frame["worker"] = frame["worker"].str[1:].astype(int)
    if named == "nobody":
        frame = frame.drop(columns="worker")
    path = written(frame, tmp_path)
    whole = read_judgments(path)
    for repeats in (1, 2, 5):
        found = [block.means(repeats) for block in scan(path, whole.attributes, in_order=True).blocks()]
        pd.testing.assert_frame_equal(pd.concat(found), whole.means(repeats), check_names=False)


def test_names_that_are_numbers_are_ordered_as_numbers(tmp_path):
    frame, _ = crowd(n=12)
    frame["object"] = frame["object"].factorize()[0] + 5
    path = written(frame, tmp_path)
    every = np.concatenate([block.objects for block in scan(path, ["a0"]).blocks()])
    names, order = in_table_order(every)
    assert names.tolist() == read_judgments(path).objects.tolist() == sorted(range(5, 17))
    assert [int(name) for name in every[order]] == names.tolist()


@pytest.mark.parametrize("name", [name for name, case in cases().items() if not case.error])
def test_files_as_people_have_them(name):
    case = cases()[name]
    whole = read_judgments(case.path, **case.reading)
    reading = scan(case.path, whole.attributes, rows_at_once=5, **case.reading)
    assert sum(map(in_full, reading.blocks()), Counter()) == in_full(whole)
    for count in ("unanswered", "skipped", "repeated"):
        assert getattr(reading.reading, count) == getattr(whole.reading, count)
    # Nobody asks for the labels in the file.
    assert reading.reading.lines() == [line for line in whole.reading.lines() if not line.startswith("labels: ")]


@pytest.mark.parametrize("name", [name for name, case in cases().items() if case.error])
def test_files_that_cannot_be_read(name):
    case = cases()[name]
    if case.error.get("type") == "LabelsError":  # which nobody asks for
        assert list(scan(case.path, ["x"], **case.reading).blocks())
        return
    told = []
    for read in (read_judgments, lambda path, **reading: list(scan(path, ["x"], **reading).blocks())):
        with pytest.raises(ManyJudgesError) as caught:
            read(case.path, **case.reading)
        told.append((type(caught.value), str(caught.value)))
    assert told[0] == told[1]


class TestFaults:
    def test_a_row_far_down(self, tmp_path):
        frame, _ = crowd()
        frame["value"] = frame["value"].astype(object)
        frame.loc[100, "value"] = "five"
        path = written(frame, tmp_path)
        with refused(JudgmentsError, value="five", row=101, column="value", file="table.csv"):
            next(scan(path, ["a0"]).blocks())
        reading = scan(path, ["a0"], on_invalid="skip")
        assert len(list(reading.blocks())) > 1
        assert [(row.row, row.value) for row in reading.invalid] == [(101, "five")]
        assert reading.reading.skipped == 1

    def test_a_worker_who_judged_twice_an_attribute_that_nobody_asks_for(self, tmp_path):
        frame, _ = crowd()
        again = frame[frame["attribute"] == "a3"].iloc[[4]]
        path = written(pd.concat([frame, again]), tmp_path)
        fields = {"value": again["worker"].iloc[0], "row": len(frame) + 1}
        with refused(JudgmentsError, **fields, column="worker", file="table.csv"):
            list(scan(path, ["a0"]).blocks())

    def test_words_that_come_after_many_numbers(self, tmp_path):
        frame = pd.DataFrame(
            {"object": np.arange(12_000) // 2, "attribute": "a", "worker": ["x", "y"] * 6_000, "value": "1"}
        )
        frame.loc[11_999, "value"] = "n/a"
        frame.loc[11_998, "value"] = "one"
        path = written(frame, tmp_path)
        with refused(JudgmentsError, value="one", row=11_999, column="value", file="table.csv"):
            list(scan(path, ["a"]).blocks())
        reading = scan(path, ["a"], on_invalid="skip")
        assert sum(map(len, reading.blocks())) == 11_998
        assert reading.reading.unanswered == 1

    def test_nothing_to_read(self, tmp_path):
        frame, _ = crowd()
        with refused(JudgmentsError, column=None, file="table.csv"):
            list(scan(written(frame.assign(value="NA"), tmp_path), ["a0"]).blocks())


def test_all_objects_that_a_table_names(tmp_path):
    frame, _ = crowd(n=8)
    frame.loc[frame["object"] == frame["object"].iloc[0], "value"] = np.nan
    frame.loc[3, "object"] = ""
    for kind in KINDS:
        names = scan(written(frame, tmp_path, kind), ["a0"]).names()
        assert sorted(names.tolist()) == sorted(set(frame["object"]) - {""})
