from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, read_judgments
from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, MomentsError, PlanError
from manyjudges.scan.partitions import PARTITION_FORMAT, Partition, map_in_arrow, merge_partitions, summarize_partition
from manyjudges.tables.reading.table import read_table
from tests.support.clustered import assert_same
from tests.support.messages import refused
from tests.support.plain import unbalanced_frame


def labelled(rng, frame):
    names = sorted(frame["object"].unique())
    return pd.Series(rng.normal(size=len(names)), index=names)


def divided(rng, frame, n_parts):
    """Rows by object, each object in one part; some parts may be empty."""
    names = sorted(frame["object"].unique())
    part = pd.Series(rng.integers(0, n_parts, size=len(names)), index=names)
    return [frame[part[frame["object"]].to_numpy() == i] for i in range(n_parts)]


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(1, 9), st.sampled_from([0.0, 0.2]))
def test_partitions_merge_to_what_one_pass_gives(seed, n_parts, absent):
    rng = np.random.default_rng(seed)
    frame = unbalanced_frame(rng, n_objects=40, absent=absent)
    labels = labelled(rng, frame)
    whole = Moments.estimate(Judgments.from_frame(frame), labels)
    parts = [summarize_partition(part, labels) for part in divided(rng, frame, n_parts)]
    assert_same(merge_partitions(parts).moments(labels), whole)
    assert_same(merge_partitions(parts[::-1]).moments(labels), whole)
    while len(parts) > 1:  # a tree, and each of its nodes travels
        parts = [Partition.from_bytes(merge_partitions(parts[i : i + 2]).to_bytes()) for i in range(0, len(parts), 2)]
    assert_same(parts[0].moments(labels), whole)


def test_partitions_may_lack_attributes_of_each_other(rng):
    left = unbalanced_frame(rng, attributes=("b", "a"), absent=0.1)
    right = unbalanced_frame(rng, attributes=("c", "a", "b"), absent=0.1).assign(object=lambda f: "p" + f["object"])
    frame = pd.concat([left, right])
    labels = labelled(rng, frame)
    parts = [summarize_partition(left, labels), summarize_partition(right, labels)]
    assert parts[0].attributes == ("a", "b")
    assert_same(merge_partitions(parts).moments(labels), Moments.estimate(Judgments.from_frame(frame), labels))


def test_rows_that_are_no_judgments_can_be_left_out(rng):
    frame = unbalanced_frame(rng).reset_index(drop=True).astype({"value": object})
    frame["worker"] = [f"w{n}" for n in frame.groupby(["object", "attribute"]).cumcount()]
    labels = labelled(rng, frame)
    for row, (role, wrong) in enumerate(
        [("value", "n/a"), ("value", None), ("value", np.inf), ("object", None), ("attribute", " "), ("worker", "")]
    ):
        frame.loc[row, role] = wrong
    with refused(JudgmentsError, value=np.inf, column="value"):
        summarize_partition(frame, labels)
    with refused(PlanError, value="drop", column="on_invalid"):
        summarize_partition(frame, labels, on_invalid="drop")
    good = Judgments.from_frame(frame[6:].astype({"value": float}))
    parts = [
        summarize_partition(frame[:50], labels, on_invalid="skip"),
        summarize_partition(frame[50:], labels, on_invalid="skip"),
    ]
    assert [part.skipped for part in parts] == [4, 0]
    assert [part.unanswered for part in parts] == [2, 0]
    assert [part.n_cells for part in parts] == [50, len(frame) - 50]
    whole = summarize_partition(frame, labels, on_invalid="skip")
    merged = merge_partitions(
        [Partition.from_bytes(whole.to_bytes()), summarize_partition(frame[:6], labels, on_invalid="skip")]
    )
    assert (merged.skipped, merged.unanswered, merged.n_cells) == (8, 4, len(frame) + 6)
    assert merged.n_answered == merged.n_cells - 4
    found = merged.moments(labels)
    assert found.skipped == 8
    assert_same(found, Moments.estimate(good, labels))


def test_answers_in_words_are_the_same_in_all_partitions_by_their_codings(rng):
    words = ["never", "rarely", "sometimes", "often", "always"]
    frame = unbalanced_frame(rng, absent=0.0)
    frame["value"] = np.digitize(frame["value"], [-1, -0.3, 0.3, 1])
    labels = labelled(rng, frame)
    told = frame.assign(value=[words[step] for step in frame["value"]])
    told.loc[told.index[7], "value"] = "prefer not to say"
    read = read_table(told)
    whole = Moments.estimate(read.judgments, labels)
    parts = divided(rng, told, 20)
    codings = read.reading.codings
    merged = merge_partitions(summarize_partition(part, labels, codings=codings) for part in parts)
    assert_same(merged.moments(labels), whole)
    assert merged.codings == codings
    assert (merged.worded, merged.unanswered, merged.skipped) == (True, 1, 0)
    assert not summarize_partition(frame, labels).worded
    scale = ",".join(words)
    again = merge_partitions(summarize_partition(part, labels, scales=scale) for part in parts)
    assert_same(again.moments(labels), whole)
    with refused(JudgmentsError, column="value"):
        summarize_partition(told.assign(value="blue"), labels, scales=scale)


@pytest.mark.parametrize("repeated", ["first", "last", "mean"])
def test_repeated_judgments_are_settled_in_each_partition(rng, repeated):
    frame = unbalanced_frame(rng)
    frame["worker"] = [f"w{n // 2}" for n in frame.groupby(["object", "attribute"]).cumcount()]
    labels = labelled(rng, frame)
    whole = Moments.estimate(read_judgments(frame, repeated=repeated), labels)
    parts = divided(rng, frame, 3)
    found = merge_partitions(summarize_partition(part, labels, repeated=repeated) for part in parts)
    assert_same(found.moments(labels), whole)
    kept = frame.drop_duplicates(["object", "attribute", "worker"])
    assert found.repeated == len(frame) - len(kept) > 0
    assert Partition.from_bytes(found.to_bytes()).repeated == found.repeated


def test_large_partitions_are_summed_in_blocks(rng):
    frame = unbalanced_frame(rng)
    labels = labelled(rng, frame)
    whole = Moments.estimate(Judgments.from_frame(frame), labels)
    assert_same(summarize_partition(frame, labels, block_size=20).moments(labels), whole)


@pytest.mark.parametrize("numbers", ["objects", "labels", "both", "none"])
def test_7_and_seven_as_text_are_the_same_object(rng, numbers):
    frame = unbalanced_frame(rng).assign(object=lambda f: f["object"].str[1:].astype(int))
    labels = labelled(rng, frame)
    whole = Moments.estimate(Judgments.from_frame(frame), labels)
    if numbers in ("labels", "none"):
        frame = frame.assign(object=frame["object"].astype(str))
    if numbers in ("objects", "none"):
        labels = labels.set_axis(labels.index.astype(str))
    assert_same(summarize_partition(frame, labels).moments(labels), whole)


def test_an_object_named_in_two_ways_is_refused(rng):
    frame = unbalanced_frame(rng).assign(object="7")
    with refused(LabelsError, row="7", column="labels"):
        summarize_partition(frame, {7: 1.0, "7": 2.0})


def test_names_of_attributes_are_in_order_of_text(rng):
    frame = unbalanced_frame(rng, attributes=("10", "9", "1"), absent=0.0).astype({"attribute": int})
    labels = labelled(rng, frame)
    found = summarize_partition(frame, labels).moments(labels)
    assert found.attributes == ("1", "10", "9")
    whole = Moments.estimate(Judgments.from_frame(frame), labels)
    assert whole.attributes == ("1", "9", "10")
    np.testing.assert_allclose(found.cross, whole.cross[[0, 2, 1]])
    np.testing.assert_allclose(found.covariance, whole.covariance[np.ix_([0, 2, 1], [0, 2, 1])])


def test_noiseless_attributes(rng):
    frame = unbalanced_frame(rng, absent=0.0)
    labels = labelled(rng, frame)
    whole = Moments.estimate(Judgments.from_frame(frame), labels, noiseless=["a"])
    assert_same(summarize_partition(frame, labels).moments(labels, noiseless=["a"]), whole)
    with refused(MomentsError, value="z", column="noiseless"):
        summarize_partition(frame, labels).moments(labels, noiseless=["z"])


def test_an_object_in_two_partitions_is_refused(rng):
    frame = unbalanced_frame(rng)
    labels = labelled(rng, frame)
    halves = [summarize_partition(frame[:1], labels), summarize_partition(frame[1:], labels)]
    with refused(JudgmentsError, value="o000", column="object"):
        merge_partitions(halves).moments(labels)
    part = summarize_partition(frame, labels)
    with refused(JudgmentsError, value="o000", column="object"):
        merge_partitions([part, part]).moments(labels)


def test_what_does_not_match_is_known_when_all_is_merged(rng):
    frame = unbalanced_frame(rng)
    labels = labelled(rng, frame)
    parts = divided(rng, frame, 4)

    def moments(known, **options):
        return merge_partitions(summarize_partition(part, known) for part in parts).moments(known, **options)

    few = labels.drop([f"o{i:03d}" for i in range(5)])
    with refused(LabelsError, column="object"):
        moments(few)
    many = pd.concat([labels, pd.Series({"zebra": 1.0})])
    with refused(LabelsError, column="label"):
        moments(many)
    other = labels.set_axis("x" + labels.index)
    with refused(LabelsError, column="object"):
        moments(other, unmatched="drop")
    both = pd.concat([few, pd.Series({"zebra": 1.0})])
    whole = Moments.estimate(Judgments.from_frame(frame), both, unmatched="drop")
    assert_same(moments(both, unmatched="drop"), whole)
    with refused(LabelsError, value="skip", column="unmatched"):
        moments(labels, unmatched="skip")
    with refused(MomentsError, value=2, column="n_samples"):
        moments(labels[:2], unmatched="drop")


def test_messages_are_those_of_a_table_at_hand(rng):
    frame = unbalanced_frame(rng)
    labels = labelled(rng, frame)
    few = labels[5:]
    with pytest.raises(LabelsError) as here:
        Moments.estimate(Judgments.from_frame(frame), few)
    with pytest.raises(LabelsError) as there:
        merge_partitions(summarize_partition(part, few) for part in divided(rng, frame, 3)).moments(few)
    assert str(here.value) == str(there.value)


@pytest.mark.parametrize(
    "change",
    [
        {"value": "maybe"},
        {"value": "-inf"},
        {"object": " "},
        {"worker": "bob"},
        {"value": "yes"},
    ],
)
def test_rows_are_checked_as_those_of_a_table_at_hand(frame, change):
    for column, value in change.items():
        frame.loc[0, column] = value
    with refused(JudgmentsError, column=column):
        summarize_partition(frame, {"jar 1": 1.0, "jar 2": 2.0, "jar 3": 3.0})


@pytest.mark.parametrize("blank", [None, "", " ", "n/a"])
def test_a_cell_without_an_answer_is_counted(frame, blank):
    frame.loc[0, "value"] = blank
    part = summarize_partition(frame, {"jar 1": 1.0, "jar 2": 2.0, "jar 3": 3.0})
    assert (part.n_cells, part.unanswered, part.skipped) == (len(frame), 1, 0)


def test_an_attribute_is_judged_in_one_way_in_all_partitions(frame):
    labels = {"jar 1": 1.0, "jar 2": 2.0, "jar 3": 3.0}
    number = (frame["object"] == "jar 3") & (frame["attribute"] == "round")
    frame.loc[number, "value"] = ["0", "1"]
    parts = [summarize_partition(rows, labels) for _, rows in frame.groupby("object")]
    for order in (parts, parts[::-1]):
        with refused(JudgmentsError, value="round", column="codings"):
            merge_partitions(order)
    with refused(JudgmentsError, value="0", column="value"):
        summarize_partition(frame[frame["object"] == "jar 3"], labels, codings=parts[0].codings)


def test_true_and_one_are_two_kinds_and_so_are_columns_of_them():
    labels = {"a": 1.0, "b": 2.0}
    parts = [pd.DataFrame({"object": [name] * 2, "attribute": "x", "value": [0, 1]}) for name in labels]
    parts[1]["value"] = parts[1]["value"].astype(bool)
    with refused(JudgmentsError, value="x", column="codings"):
        merge_partitions(summarize_partition(part, labels) for part in parts)


def test_labels_say_whose_they_are(frame):
    for wrong in ([1.0, 2.0, 3.0], np.zeros(3), "labels.csv"):
        with refused(LabelsError, column="labels"):
            summarize_partition(frame, wrong)
    with refused(LabelsError, column="labels"):
        summarize_partition(frame, frame)
    with refused(LabelsError, value="big", column="label"):
        summarize_partition(frame, {"jar 1": "big", "jar 2": 1.0})


def test_no_judgments_at_all(frame):
    nothing = merge_partitions([Partition(), summarize_partition(frame[:0], {"jar 1": 1.0})])
    with refused(JudgmentsError):
        nothing.moments({"jar 1": 1.0})
    unanswered = summarize_partition(frame.assign(value=None), {"jar 1": 1.0})
    assert (unanswered.unanswered, unanswered.n_cells) == (len(frame), len(frame))
    with refused(JudgmentsError):
        merge_partitions([unanswered, unanswered]).moments({"jar 1": 1.0})
    dropped = summarize_partition(frame, {"jar 1": 1.0}, drop=["beans", "round"])
    assert (dropped.n_answered, dropped.unanswered) == (len(frame), 0)
    with refused(JudgmentsError, column="attribute"):
        merge_partitions([unanswered, dropped]).moments({"jar 1": 1.0})
    invalid = summarize_partition(frame.assign(value=np.inf), {"jar 1": 1.0}, on_invalid="skip")
    with refused(JudgmentsError):
        merge_partitions([unanswered, invalid]).moments({"jar 1": 1.0})


def test_partitions_travel(frame):
    labels = {"jar 1": 1.0, "jar 2": 2.0}
    part = summarize_partition(frame, labels)
    for again in (pickle.loads(pickle.dumps(part)), Partition.from_bytes(bytearray(part.to_bytes()))):
        assert (again.attributes, again.n_unlabelled, again.unlabelled) == (("beans", "round"), 1, ("jar 3",))
        assert again.codings == part.codings
        assert again.codings["round"].words == ("no", "yes")
        assert (again.worded, again.skipped, again.n_cells, again.unanswered) == (True, 0, len(frame), 0)
        assert again.counts == part.counts
        np.testing.assert_array_equal(again.sums.products.dense, part.sums.products.dense)
        assert isinstance(again.sums.n_objects, int)
        assert again.sums.overlap is None
    empty = Partition.from_bytes(Partition().to_bytes())
    assert empty.sums is None
    assert merge_partitions([empty, part]).attributes == part.attributes


def test_damaged_bytes_are_refused(frame):
    data = summarize_partition(frame, {"jar 1": 1.0}).to_bytes()
    other = data.replace(PARTITION_FORMAT.encode(), PARTITION_FORMAT.encode()[:-1] + b"9")
    array = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }".ljust(127) + b"\n"
    for wrong in (b"", b"x", data[:100], data[:-50], other, array):
        with refused(DocumentError, column="data", varying=r"[\d,]+ bytes"):
            Partition.from_bytes(wrong)


def test_other_columns_and_other_tables(frame, rng):
    labels = {"jar 1": 1.0, "jar 2": 2.0, "jar 3": 4.0}
    whole = Moments.estimate(Judgments.from_frame(frame), labels)
    renamed = pa.Table.from_pandas(frame.rename(columns={"object": "item", "value": "score"}), preserve_index=False)
    assert_same(summarize_partition(renamed, labels, object="item", value="score").moments(labels), whole)
    with refused(JudgmentsError, value="object", column="object"):
        summarize_partition(renamed, labels)


def test_batches_of_arrow(frame):
    """What Spark calls, without Spark."""
    labels = {"jar 1": 1.0, "jar 2": 2.0, "jar 3": 4.0}
    found = []
    for _, rows in frame.groupby("object"):
        batches = pa.Table.from_pandas(rows, preserve_index=False).to_batches(max_chunksize=3)
        assert len(batches) == 2
        found += [row["partition"] for batch in map_in_arrow(iter(batches), labels) for row in batch.to_pylist()]
    whole = Moments.estimate(Judgments.from_frame(frame), labels)
    assert_same(merge_partitions(map(Partition.from_bytes, found)).moments(labels), whole)
    assert list(map_in_arrow(iter([]), labels)) == []


@pytest.mark.parametrize("role", ["object", "attribute", "worker"])
@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_whole_numbers_stay_such_where_one_is_missing(rng, kind, role):
    """As floats, 2**60 and 2**60 + 100 are the same, and 1 is written 1.0."""
    frame = unbalanced_frame(rng, n_objects=60, attributes=("1", "2", "3")).astype({"attribute": int})
    frame["object"] = 2**60 + 100 * frame["object"].str[1:].astype(int)
    frame["worker"] = 2**60 + frame.groupby(["object", "attribute"]).cumcount()
    labels = labelled(rng, frame)
    whole = Moments.estimate(Judgments.from_frame(frame), labels)
    nobody = frame.iloc[[0]].assign(**{role: pd.array([None], dtype="Int64")})
    parts = [part.astype({role: "Int64"}) for part in divided(rng, frame, 3)]
    parts[0] = pd.concat([parts[0], nobody], ignore_index=True)
    if kind == "arrow":
        parts = [pa.Table.from_pandas(part, preserve_index=False) for part in parts]
    found = merge_partitions(summarize_partition(part, labels, on_invalid="skip") for part in parts).moments(labels)
    assert found.skipped == 1
    assert_same(found, whole)


def test_that_rows_can_be_left_out_is_said_where_it_helps(frame):
    labels = {"jar 1": 1.0, "jar 2": 2.0, "jar 3": 3.0}
    twice = pd.concat([frame, frame[:1]], ignore_index=True)
    with refused(JudgmentsError, value="ann", column="worker") as error:
        summarize_partition(twice, labels)
    assert "on_invalid=" not in str(error.value)
    for role, cell in {"value": "inf", "object": None}.items():
        wrong = twice.copy()
        wrong.loc[5, role] = cell
        with refused(JudgmentsError, column=role) as error:
            summarize_partition(wrong, labels)
        assert str(error.value).endswith(" To have such rows skipped and counted: on_invalid='skip'.")
    mixed = frame.copy()
    mixed.loc[mixed.index[mixed["attribute"] == "beans"][::2], "value"] = "yes"
    with refused(JudgmentsError, value="yes", column="value") as error:
        summarize_partition(mixed, labels)
    assert "on_invalid=" not in str(error.value)


def test_a_row_is_named_by_what_the_table_has(rng):
    frame = unbalanced_frame(rng).assign(object=lambda f: 2**60 + f["object"].str[1:].astype(int))
    frame["worker"] = pd.array([None, *range(1, len(frame))], dtype="Int64")
    for table in (frame, pa.Table.from_pandas(frame, preserve_index=False)):
        with refused(JudgmentsError, column="worker"):
            summarize_partition(table.astype({"object": "Int64"}) if table is frame else table, labelled(rng, frame))
