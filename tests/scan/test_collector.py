"""Judgments in order of their objects become sums, however they are cut into batches."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.sums import Sums
from manyjudges.exceptions import JudgmentsError, LabelsError
from manyjudges.scan.collector import CellCollector, LabelIndex, read_labels_by_object
from manyjudges.scan.options import INVALID_GROUP, UNANSWERED_GROUP, UNLABELLED_GROUP, WORD_GROUP
from tests.support.messages import refused

NAMES = ["o0", "o1", "o2", "o3", "o4"]
KNOWN = LabelIndex.of(pd.Series([1.0, 4.0, 2.0, 8.0, 5.0], index=NAMES))


def batch_of(rows, **more):
    """A batch of rows of code, attribute and value."""
    code, attribute, value = zip(*rows, strict=True) if rows else ((), (), ())
    columns = {
        "code": pa.array(code, pa.int32()),
        "attribute": pa.array(attribute, pa.string()),
        "value": pa.array(value, pa.float64()),
    }
    return pa.record_batch(columns | {name: pa.array(values, kind) for name, (values, kind) in more.items()})


def collector(parts=None, **how):
    return CellCollector(KNOWN, parts, **{"workers": False} | how)


def finished(collector, unmatched):
    """The sums of each part, once the last object is complete."""
    collector.complete()
    return collector.finish(unmatched)


def plain(rows, things=None):
    """The sums of rows of objects, all at once, attributes in order of their names."""
    rows = [row for row in rows if row[0] >= 0]
    things = sorted({code for code, _, _ in rows}) if things is None else things
    names = sorted({attribute for _, attribute, _ in rows})
    cell = [things.index(code) * len(names) + names.index(a) for code, a, _ in rows]
    cells = Cells.of_rows(np.array(cell), np.array([value for *_, value in rows]), (len(things), len(names)))
    return Sums.of(cells, KNOWN.labels[[thing % len(NAMES) for thing in things]]).materialized()


def check_same(found, wanted):
    found = found.materialized()
    for name in ("n_objects", "label_mean", "objects", "overlap", "cross", "repeated", "single", "judgments"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-9, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(found.means, wanted.means, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.products.dense, wanted.products.dense, rtol=1e-9, atol=1e-7)


judged = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from("abc"), st.floats(-100, 100).map(lambda v: round(v, 2))), min_size=1
)


@given(judged, st.lists(st.integers(1, 5), min_size=1), st.sampled_from([1, 3, 1000]))
def test_batches_of_any_size_come_to_the_same(rows, sizes, block_size):
    rows = sorted(rows, key=lambda row: row[0])
    taking = collector(block_size=block_size)
    start = at = 0
    while start < len(rows):
        size = sizes[at % len(sizes)]
        taking.take(batch_of(rows[start : start + size]))
        start, at = start + size, at + 1
    (found,) = finished(taking, "drop")
    check_same(found, plain(rows))
    assert taking.judgments == len(rows)
    assert taking.attributes == tuple(sorted({attribute for _, attribute, _ in rows}))
    frame = pd.DataFrame(rows, columns=["code", "attribute", "value"])
    many = frame.groupby(["attribute", "code"]).size()
    wanted = {a: mine.value_counts().sort_index().to_dict() for a, mine in many.groupby(level=0)}
    assert taking.counts == wanted
    times = {name: mine.value_counts().sort_index().to_dict() for name, mine in frame.groupby("attribute")["value"]}
    assert {name: dict(zip(*map(list, both), strict=True)) for name, both in taking.values.items()} == times


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_rows_that_are_no_judgments_are_counted(size):
    rows = [
        *[(WORD_GROUP, "a", np.nan)] * 5,
        *[(UNANSWERED_GROUP, "a", np.nan)] * 4,
        *[(INVALID_GROUP, None, 1.0)] * 3,
        *[(UNLABELLED_GROUP, "b", 1.0)] * 2,
        *[(0, "a", 1.0), (0, "a", 3.0), (1, "a", 2.0)],
    ]
    taking = collector()
    for start in range(0, len(rows), size):
        taking.take(batch_of(rows[start : start + size]))
        taking.take(batch_of([]))
    (found,) = finished(taking, "drop")
    assert (taking.words, taking.unanswered, taking.invalid, taking.unlabelled, taking.judgments) == (5, 4, 3, 2, 3)
    assert taking.attributes == ("a",)
    assert taking.counts == {"a": {1: 1, 2: 1}}
    assert found.n_objects == 2


def test_how_far_one_is_is_told_by_the_last_object():
    taking = collector()
    assert taking.reached == 0.0
    for group in (WORD_GROUP, UNANSWERED_GROUP, INVALID_GROUP, UNLABELLED_GROUP):
        taking.take(batch_of([(group, "a", 1.0)]))
        assert taking.reached == 0.0
        assert taking.last == group
    taking.take(batch_of([(2, "a", 1.0)]))
    assert taking.reached == 0.6
    taking.take(batch_of([(4 + len(NAMES), "a", 1.0)]))  # another spelling
    assert taking.reached == 1.0


def test_parts_have_sums_of_their_own():
    rows = [(code, a, float(code * 2 + at)) for code in range(5) for at, a in enumerate("ab")]
    taking = collector(np.array([0, 1, 0, 1, 0]))
    taking.take(batch_of(rows))
    even, odd = finished(taking, "error")
    check_same(even, plain([row for row in rows if row[0] % 2 == 0]))
    check_same(odd, plain([row for row in rows if row[0] % 2 == 1]))


def test_pairs_in_which_a_worker_may_stand_twice_are_kept():
    rows = [(0, "a", 1.0), (0, "a", 2.0), (0, "b", 1.0), (1, "a", 1.0), (1, "a", 2.0), (2, "a", 0.0)]
    hashes = ([7, 7, 7, 7, 8, 7], pa.uint32())
    taking = collector(workers=True)
    taking.take(batch_of(rows, worker=hashes))
    finished(taking, "drop")
    assert taking.suspects.to_pylist() == [{"code": 0, "attribute": "a"}]
    honest = collector(workers=True)
    honest.take(batch_of(rows[2:4], worker=([1, 1], pa.uint32())))
    finished(honest, "drop")
    assert honest.suspects is None


def test_no_more_suspects_are_kept_than_are_asked_for():
    rows = [(code, "a", 1.0) for code in range(5) for _ in range(2)]
    taking = collector(workers=True, max_suspects=2, block_size=1)
    taking.take(batch_of(rows, worker=([1] * 10, pa.uint32())))
    finished(taking, "drop")
    assert taking.suspects.num_rows == 2


def test_labels_without_judgments_are_named_unless_they_may_be():
    for unmatched in ("error", "drop"):
        taking = collector()
        taking.take(batch_of([(code, "a", 1.0) for code in (0, 2, 3)]))
        if unmatched == "drop":
            assert finished(taking, "drop")[0].n_objects == 3
        else:
            with refused(LabelsError, row="o1", column="label"):
                finished(taking, "error")


def test_an_object_that_is_written_in_two_ways_is_named():
    known = LabelIndex.of(pd.Series([1.0, 2.0], index=["7", "8"]))
    taking = CellCollector(known, None, workers=False)
    taking.take(batch_of([(0, "a", 1.0), (1, "a", 1.0), (2, "a", 1.0)]))  # 2 is the other spelling of the first
    with refused(JudgmentsError, value="7", column="object"):
        finished(taking, "drop")


@pytest.mark.parametrize(
    "labels", [{"b": 2, "a": 1.0}, pd.Series([2.0, 1.0], index=["b", "a"])], ids=["mapping", "series"]
)
def test_labels_are_kept_in_order_of_their_names(labels):
    index = LabelIndex.of(labels)
    assert list(index.names) == ["a", "b"]
    assert index.labels.tolist() == [1.0, 2.0]


def test_names_of_several_types_have_an_order_too():
    index = LabelIndex.of({"b": 1.0, 10: 2.0, 9: 3.0})
    assert index.names.tolist() == [10, 9, "b"]
    assert index.labels.tolist() == [2.0, 3.0, 1.0]


def test_labels_from_a_file(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("object,label\nb,2\na,1\n", encoding="utf-8")
    assert read_labels_by_object(str(path)).to_dict() == read_labels_by_object(path).to_dict() == {"b": 2.0, "a": 1.0}


def test_there_must_be_labels():
    with refused(LabelsError, column="labels"):
        LabelIndex.of({})
