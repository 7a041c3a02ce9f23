from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments
from manyjudges.exceptions import JudgmentsError, LabelsError
from tests.support.messages import refused
from tests.support.plain import unbalanced_frame


def test_values_of_all_kinds(frame):
    judgments = Judgments.from_frame(frame)
    assert judgments.attributes == ("beans", "round")
    assert list(judgments.objects) == ["jar 1", "jar 2", "jar 3"]
    assert list(judgments.workers) == ["ann", "bob"]
    assert len(judgments) == 12
    assert judgments.shape == (3, 2)
    assert judgments.means()["beans"].tolist() == [11, 21, 30.5]
    assert judgments.means()["round"].tolist() == [0.5, 1, 0]
    assert (judgments.counts() == 2).all().all()


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_text_of_any_pandas_kind(frame, dtype):
    typed = frame.astype(dict.fromkeys(frame, dtype))
    assert Judgments.from_frame(typed).to_frame().equals(Judgments.from_frame(frame).to_frame())


def relation(frame):
    return duckdb.from_arrow(pa.Table.from_pandas(frame))


@pytest.mark.parametrize(
    "convert", [pl.from_pandas, lambda f: pl.from_pandas(f).lazy(), pa.Table.from_pandas, relation]
)
def test_frames_of_other_libraries(rng, convert):
    frame = unbalanced_frame(rng).sample(frac=1, random_state=0)
    frame["worker"] = [f"w{i}" for i in range(len(frame))]
    ours, others = Judgments.from_frame(frame), Judgments.from_frame(convert(frame))
    assert others.attributes == ours.attributes
    pd.testing.assert_frame_equal(others.to_frame(), ours.to_frame(), check_dtype=False)


def test_booleans_and_integers():
    frame = pd.DataFrame({"object": [1, 2], "attribute": ["a", "a"], "value": [True, False]})
    assert Judgments.from_frame(frame).means()["a"].tolist() == [1, 0]
    assert Judgments.from_frame(frame.assign(value=[3, 4])).means()["a"].tolist() == [3, 4]


def test_other_column_names_and_no_workers(frame):
    renamed = frame.rename(columns={"object": "jar", "attribute": "question", "value": "answer", "worker": "who"})
    judgments = Judgments.from_frame(renamed, object="jar", attribute="question", value="answer")
    assert len(judgments.workers) == 0
    named = Judgments.from_frame(renamed, object="jar", attribute="question", value="answer", worker="who")
    assert list(named.workers) == ["ann", "bob"]
    assert "worker" not in judgments.to_frame()


def test_attributes_that_are_numbers_sort_as_numbers():
    frame = pd.DataFrame({"object": ["o"] * 3, "attribute": [10, 9, 1], "value": [1, 2, 3]})
    assert Judgments.from_frame(frame).attributes == ("1", "9", "10")


def test_no_rows(frame):
    with refused(JudgmentsError):
        Judgments.from_frame(frame.iloc[:0])


def test_missing_column_lists_and_suggests(frame):
    with refused(JudgmentsError, column="value"):
        Judgments.from_frame(frame.rename(columns={"value": "values"}))
    with refused(JudgmentsError, value="rater", column="worker"):
        Judgments.from_frame(frame, worker="rater")


def test_things_that_are_no_table():
    with refused(JudgmentsError, value=[1, 2]):
        Judgments.from_frame([1, 2])
    with refused(JudgmentsError):
        Judgments.from_frame(pl.Series([1, 2]))


@pytest.mark.parametrize(
    "value",
    [
        "maybe",
        "3,5",
        "inf",
        "1_0",
    ],
)
def test_values_that_are_none(frame, value):
    frame.loc[5, "value"] = value
    with refused(JudgmentsError, row=6, column="value"):
        Judgments.from_frame(frame)


@pytest.mark.parametrize("value", ["", " ", "nan", None, "N/A", "don't know", "."])
def test_cells_without_an_answer_are_no_judgments(frame, value):
    frame.loc[5, "value"] = value
    judgments = Judgments.from_frame(frame)
    assert judgments.reading.unanswered == 1
    assert judgments.to_frame().equals(Judgments.from_frame(frame.drop(index=5)).to_frame())


def test_numbers_that_are_not_finite():
    frame = pd.DataFrame({"object": [1, 2, 3], "attribute": "a", "value": [1.0, np.nan, np.inf]})
    with refused(JudgmentsError, value=np.inf, row=3, column="value"):
        Judgments.from_frame(frame)
    assert Judgments.from_frame(frame[:2]).reading.unanswered == 1
    with refused(JudgmentsError):
        Judgments.from_frame(frame[1:2])


@pytest.mark.parametrize("value", ["3", "true", "1"])
def test_one_kind_of_value_for_each_attribute(frame, value):
    frame.loc[6, "value"] = value
    with refused(JudgmentsError, value=value, row=7, column="value"):
        Judgments.from_frame(frame)


def test_true_and_one_are_different_kinds():
    frame = pd.DataFrame({"object": [1, 2], "attribute": "a", "value": pd.Series([True, 1], dtype=object)})
    with refused(JudgmentsError, value=True, row=1, column="value"):
        Judgments.from_frame(frame)


@pytest.mark.parametrize("column", ["object", "attribute", "worker"])
def test_rows_without_a_name(frame, column):
    frame.loc[3, column] = None
    with refused(JudgmentsError, row=4, column=column):
        Judgments.from_frame(frame)


def test_the_same_worker_twice(frame):
    frame.loc[3, "worker"] = "ann"
    with refused(JudgmentsError, value="ann", row=4, column="worker"):
        Judgments.from_frame(frame)
    assert len(Judgments.from_frame(frame, worker=None)) == 12


@pytest.mark.parametrize("name", [["list"], {"a": 1}])
def test_names_that_are_no_names(name):
    frame = pd.DataFrame({"object": ["p", name], "attribute": "a", "value": 1})
    with refused(JudgmentsError, value=name, row=2, column="object"):
        Judgments.from_frame(frame)


def test_blank_names_are_missing(frame):
    frame.loc[2, "object"] = "  "
    with refused(JudgmentsError, row=3, column="object"):
        Judgments.from_frame(frame)


def test_names_keep_a_nul_at_their_end(frame):
    odd = frame.assign(attribute=frame["attribute"] + "\0", object=frame["object"] + "\0")
    judgments = Judgments.from_frame(odd)
    assert judgments.only(["round\0"]).attributes == ("round\0",)
    assert judgments.subset(["jar 2\0"]).objects.tolist() == ["jar 2\0"]


def test_columns_named_by_numbers():
    frame = pd.DataFrame([["o", "a", 1], ["o", "a", 2]])
    assert len(Judgments.from_frame(frame, object=0, attribute=1, value=2)) == 2


def test_columns_of_the_same_name(frame):
    with refused(JudgmentsError):
        Judgments.from_frame(pd.concat([frame, frame["value"]], axis=1))


def test_judgments_of_a_pair_are_in_the_order_of_their_workers(frame):
    shuffled = Judgments.from_frame(frame.sample(frac=1, random_state=2))
    assert shuffled.to_frame().equals(Judgments.from_frame(frame).to_frame())
    assert shuffled.means(1)["beans"].tolist() == [10, 20, 30]


def test_tables_cannot_be_changed(frame):
    judgments = Judgments.from_frame(frame)
    with pytest.raises(ValueError, match="read-only"):
        judgments.objects[0] = "other"


def test_workers_of_a_subset_are_those_who_judged_it(frame):
    frame.loc[frame["object"] == "jar 3", "worker"] = ["cid", "dot"] * 2
    judgments = Judgments.from_frame(frame)
    assert list(judgments[2:].workers) == ["cid", "dot"]
    assert judgments[2:].to_frame()["worker"].tolist() == ["cid", "dot"] * 2
    assert list(judgments.workers) == ["ann", "bob", "cid", "dot"]


def test_first_judgments_of_each_pair(rng):
    frame = unbalanced_frame(rng)
    judgments = Judgments.from_frame(frame.sample(frac=1, random_state=1).sort_values("object", kind="stable"))
    shuffled = frame.sample(frac=1, random_state=1).sort_values("object", kind="stable")
    for repeats in (1, 2, {"c": 3, "a": 1}):
        means = judgments.means(repeats)
        wanted = repeats if isinstance(repeats, dict) else dict.fromkeys(judgments.attributes, repeats)
        assert list(means) == list(wanted)
        for (o, a), values in shuffled.groupby(["object", "attribute"])["value"]:
            if a in wanted:
                n = wanted[a]
                expected = values.iloc[:n].mean() if len(values) >= n else np.nan
                assert means.loc[o, a] == pytest.approx(expected, nan_ok=True)
    for wrong in (0, 1.5, True, {"a": -1}):
        with refused(JudgmentsError, row="a", column="repeats"):
            judgments.means(wrong)


def test_means_of_an_attribute_that_nobody_judged(frame):
    assert Judgments.from_frame(frame).means({"tall": 1})["tall"].isna().all()


def test_masked_values_are_not_collected(rng):
    X = np.ma.array(rng.normal(size=(3, 1, 2)), mask=np.zeros((3, 1, 2)))
    X.mask[0, 0, 1] = True
    assert Judgments.from_array(X).counts()["x0"].tolist() == [1, 2, 2]


def test_arrays(rng):
    X = rng.normal(size=(3, 2, 2))
    X[1, 1] = np.nan
    judgments = Judgments.from_array(X, attributes=["b", "a"], objects=["p", "q", "r"])
    assert judgments.attributes == ("b", "a")
    assert list(judgments.objects) == ["p", "q", "r"]
    assert len(judgments) == 10
    assert judgments.counts().loc["q"].tolist() == [2, 0]
    np.testing.assert_allclose(judgments.means()["b"], X[:, 0].mean(axis=1))
    X[0, 0, 0] = 99
    assert judgments.means().loc["p", "b"] < 50


@pytest.mark.parametrize(
    ("X", "options", "row", "column"),
    [
        (np.zeros((2, 2)), {}, None, "X"),
        (np.zeros((0, 2, 2)), {}, None, "X"),
        (np.full((2, 2, 2), np.nan), {}, None, "X"),
        (np.full((2, 2, 2), np.inf), {}, 1, "x0"),
        ([[["a"]]], {}, None, "X"),
        (np.zeros((1, 1, 1), dtype=complex), {}, None, "X"),
        (np.zeros((1, 1, 1), dtype="datetime64[s]"), {}, None, "X"),
        (np.zeros((2, 2, 2)), {"attributes": 5}, None, None),
        (np.zeros((2, 2, 2)), {"objects": [(1, 2), (3, 4)]}, None, None),
        (np.zeros((2, 2, 2)), {"objects": ["a", None]}, None, "objects"),
        (np.zeros((2, 2, 2)), {"attributes": ["a"]}, None, "attributes"),
        (np.zeros((2, 2, 2)), {"attributes": ["a", "a"]}, None, "attribute"),
        (np.zeros((2, 2, 2)), {"objects": ["a", "a"]}, None, "object"),
    ],
)
def test_arrays_that_cannot_be_used(X, options, row, column):
    with refused(JudgmentsError, row=row, column=column):
        Judgments.from_array(X, **options)


def test_a_long_table_and_its_frame_are_the_same(rng):
    judgments = Judgments.from_frame(unbalanced_frame(rng))
    again = Judgments.from_frame(judgments.to_frame())
    pd.testing.assert_frame_equal(again.to_frame(), judgments.to_frame())


@given(st.integers(0, 1000))
def test_order_of_rows_does_not_matter(seed):
    frame = unbalanced_frame(np.random.default_rng(seed))
    shuffled = frame.sample(frac=1, random_state=seed)
    one, two = Judgments.from_frame(frame).cells(), Judgments.from_frame(shuffled).cells()
    np.testing.assert_array_equal(one.count, two.count)
    np.testing.assert_allclose(one.mean, two.mean, atol=1e-12)
    np.testing.assert_allclose(one.scatter, two.scatter, atol=1e-11)


def test_subsets(frame):
    judgments = Judgments.from_frame(frame)
    subset = judgments.subset(["jar 3", "jar 1"])
    assert list(subset.objects) == ["jar 3", "jar 1"]
    assert subset.means()["beans"].tolist() == [30.5, 11]
    assert subset.to_frame().equals(judgments[[2, 0]].to_frame())
    assert list(judgments[1:].objects) == ["jar 2", "jar 3"]
    assert list(judgments[np.array([True, False, True])].objects) == ["jar 1", "jar 3"]
    with refused(JudgmentsError, value="jar 9", column="object"):
        judgments.subset(["jar 9"])
    for wrong in ("jar 1", 3):
        with refused(JudgmentsError, value=wrong):
            judgments.subset(wrong)
    with refused(JudgmentsError, value="jar 1", column="object"):
        judgments.subset(["jar 1", "jar 1"])
    with refused(JudgmentsError, value=[0, 0]):
        judgments[[0, 0]]


@pytest.mark.parametrize("kind", ["long", "block"])
def test_subsets_of_both_storages_hold_the_same(rng, kind):
    array = Judgments.from_array(rng.normal(size=(6, 3, 2)))
    judgments = array if kind == "block" else Judgments.from_frame(array.to_frame())
    np.testing.assert_allclose(judgments[[4, 1]].means(), array.means().iloc[[4, 1]])


def test_tables_add_up(frame):
    first, second = Judgments.from_frame(frame[:6]), Judgments.from_frame(frame[6:])
    assert (first + second).to_frame().equals(Judgments.from_frame(frame).to_frame())
    with refused(JudgmentsError, value="ann", row=1, column="worker"):
        _ = first + first
    with refused(JudgmentsError, column="worker"):
        _ = first + Judgments.from_frame(frame[6:], worker=None)
    with pytest.raises(TypeError):
        _ = first + 1


def test_sums_of_tables_keep_their_order(rng):
    X = rng.normal(size=(3, 12, 2))
    first = Judgments.from_array(X, objects=[9, 3, 1])
    more = Judgments.from_array(rng.normal(size=(2, 1, 1)), attributes=["x11"], objects=[3, 5])
    both = first + more
    assert both.attributes == first.attributes
    assert list(both.objects) == [9, 3, 1, 5]
    np.testing.assert_allclose(both.means()["x0"].to_numpy()[:3], X[:, 0].mean(axis=1))
    assert both.counts()["x11"].tolist() == [2, 3, 2, 1]


@pytest.mark.parametrize("kind", ["long", "block"])
def test_some_attributes(rng, kind):
    array = Judgments.from_array(rng.normal(size=(4, 3, 2)))
    judgments = array if kind == "block" else Judgments.from_frame(array.to_frame())
    some = judgments.only(["x2", "x0"])
    assert some.attributes == ("x2", "x0")
    np.testing.assert_allclose(some.means(), array.means()[["x2", "x0"]])
    assert judgments.only([]).shape == (4, 0)
    with refused(JudgmentsError, value="x9", column="attribute"):
        judgments.only(["x9"])


def test_what_a_person_sees(frame, rng):
    text = repr(Judgments.from_frame(frame))
    assert text.splitlines()[0] == "Judgments: 12 judgments of 2 attributes on 3 objects by 2 workers"
    assert "each pair judged 2 times" in text
    gappy = Judgments.from_frame(unbalanced_frame(rng))
    assert "pairs not judged" in repr(gappy)
    assert "1 to 4 times" in repr(gappy)
    many = Judgments.from_array(rng.normal(size=(2, 30, 1)))
    assert "x7 and 22 more" in repr(many)
    escaped = Judgments.from_frame(frame.replace("round", "<b>"))._repr_html_()
    assert "&lt;b&gt;" in escaped
    assert "<b>," not in escaped


# Labels


def test_labels_by_object_or_by_position(beans):
    crowd, pilot = beans
    y = crowd.labels
    expected = y.loc[pilot.objects].to_numpy()
    for labels in (
        y,
        y.sample(frac=1, random_state=0),
        y.to_dict(),
        y.loc[pilot.objects].to_numpy(),
        expected.tolist(),
    ):
        matched, found = pilot.match(labels)
        assert matched is pilot
        np.testing.assert_array_equal(found, expected)


def test_labels_that_do_not_match(beans):
    crowd, pilot = beans
    some = crowd.labels.iloc[5:]
    with refused(LabelsError, column="object", row="object 0001"):
        pilot.match(some)
    matched, y = pilot.match(some, unmatched="drop")
    assert len(matched.objects) == len(y) == 115
    extra = pd.concat([crowd.labels, pd.Series({"jar 9": 1.0})])
    with refused(LabelsError, column="label", row="jar 9"):
        pilot.match(extra)
    matched, y = pilot.match(extra, unmatched="drop")
    assert len(matched.objects) == len(y) == 120


@pytest.mark.parametrize(
    ("labels", "row", "column"),
    [
        ({"jar 1": 1.0, "jar 2": "tall", "jar 3": 2.0}, "jar 2", "label"),
        ([1.0, 2.0], None, "labels"),
        (np.zeros((3, 1)), None, "labels"),
        (pd.Series([1.0, 2.0, 3.0]), "jar 1", "object"),
        (pd.Series([1.0, 2.0], index=["jar 1", "jar 1"]), "jar 1", "labels"),
        (pd.DataFrame({"object": ["jar 1"], "label": [1]}), None, "labels"),
        (pd.Series([1.0], index=pd.MultiIndex.from_tuples([("jar 1", 2)])), None, "labels"),
        ({"jar 1": 1.0, "jar 2": 10**400, "jar 3": 2.0}, "jar 2", "label"),
        (pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]).to_numpy(), "jar 1", "labels"),
        (np.array([1, 2j, 3]), "jar 1", "label"),
    ],
)
def test_labels_that_cannot_be_used(frame, labels, row, column):
    with refused(LabelsError, row=row, column=column):
        Judgments.from_frame(frame).match(labels)


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series({"jar 1": 1.0, "jar 2": np.nan, "jar 3": 2.0}),
        {"jar 1": 1, "jar 2": "", "jar 3": "2"},
        [1.0, np.nan, 2.0],
        np.ma.array([1.0, 3.0, 2.0], mask=[0, 1, 0]),
    ],
)
def test_an_object_whose_label_is_missing_is_left_out(frame, labels):
    matched, y = Judgments.from_frame(frame).match(labels)
    assert (list(matched.objects), y.tolist()) == (["jar 1", "jar 3"], [1.0, 2.0])


def test_unmatched_is_error_or_drop(frame):
    with refused(LabelsError, value="ignore", column="unmatched"):
        Judgments.from_frame(frame).match([1.0, 2.0, 3.0], unmatched="ignore")
    with refused(LabelsError, column="object", row="jar 1"):
        Judgments.from_frame(frame).match({"x": 1.0}, unmatched="drop")


def test_seven_and_its_text_are_the_same_object():
    frame = pd.DataFrame({"object": [7, 8, 9], "attribute": "a", "value": [1, 2, 3]})
    _, y = Judgments.from_frame(frame).match({"9": 3.0, "7": 1.0, "8": 2.0})
    assert y.tolist() == [1, 2, 3]


def test_judgments_are_taken_apart_by_who_gave_them(frame):
    judgments = Judgments.from_frame(frame)
    assert judgments.by_judge().attributes == ("beans @ ann", "beans @ bob", "round @ ann", "round @ bob")
    assert len(judgments.by_judge().workers) == 0
    with refused(JudgmentsError, column="worker"):
        Judgments.from_frame(frame, worker=None).by_judge()
