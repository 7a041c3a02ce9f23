"""cleanlab: its tables come in, and judgments go out as such tables and come back."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments
from manyjudges.connectors import cleanlab, connector
from manyjudges.exceptions import DocumentError, InvalidAnswerError, JudgmentsError
from manyjudges.study.questions import Attribute
from tests.support.folders import ROOT
from tests.support.messages import complaint_of, refused

FIXTURES = ROOT / "tests" / "fixtures" / "cleanlab"
AGE = Attribute(name="age", question="How old?", kind="scale", range=(1.0, 3.0), labels=("young", "middle", "old"))


def values(judgments):
    frame = judgments.to_frame()
    keys = zip(frame["object"], frame["attribute"], frame["worker"], strict=True)
    return dict(zip(keys, frame["value"], strict=True))


def judgments_of(found):
    rows = [(*key, value) for key, value in found.items()]
    return Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"]))


complaint = partial(complaint_of, cleanlab.read, error=DocumentError)


CLASSES = {
    ("ex1", "A0001"): 0, ("ex1", "A0003"): 2, ("ex2", "A0001"): 1, ("ex2", "A0002"): 1, ("ex3", "A0002"): 2,
}  # fmt: skip


class TestReading:
    def test_a_file(self):
        found = cleanlab.read([FIXTURES / "multiannotator.csv"], attribute="age")
        assert values(found) == {(thing, "age", who): value for (thing, who), value in CLASSES.items()}

    def test_classes_that_stand_for_values(self):
        found = cleanlab.read(FIXTURES / "multiannotator.csv", questions={"age": AGE}, classes=[1, 2, 3])
        assert values(found) == {(thing, "age", who): value + 1 for (thing, who), value in CLASSES.items()}

    def test_frames(self):
        frame = pd.read_csv(FIXTURES / "multiannotator.csv", index_col=0)
        found = values(cleanlab.from_frame(frame, "age"))
        assert found == {(thing, "age", who): value for (thing, who), value in CLASSES.items()}
        named = pd.read_csv(FIXTURES / "multiannotator.csv").rename(columns={"Unnamed: 0": "example"})
        assert values(cleanlab.from_frame(named, "age", object="example")) == found
        numbered = pd.DataFrame(np.array([[0, np.nan], [1, 1]]))
        assert values(cleanlab.from_frame(numbered, "x")) == {
            ("0", "x", "0"): 0,
            ("1", "x", "0"): 1,
            ("1", "x", "1"): 1,
        }


class TestComplaints:
    def test_what_is_no_class(self, tmp_path):
        path = tmp_path / "x.csv"
        path.write_text("id,ann,bob\na,0,3\n")
        complaint(
            path, attribute="tall", classes=[1, 2], error=JudgmentsError, value="3", row=2, column="bob", file="x.csv"
        )
        path.write_text("id,ann,bob\na,0,cat\n")
        complaint(path, attribute="tall", error=JudgmentsError, value="cat", row=2, column="bob", file="x.csv")
        path.write_text("id,ann,bob\n,0,1\n")
        complaint(path, attribute="x", row=2, column="ann", file="x.csv")

    def test_frames(self):
        frame = pd.DataFrame({"ann": [1, 0]}, index=["a", "a"])
        complaint(frame, attribute="tall", error=JudgmentsError, value="a", row="a", column="object")
        frame = pd.DataFrame({"ann": [1.5]}, index=["a"])
        complaint(frame, attribute="tall", classes=[0, 1], error=JudgmentsError, value=1.5, row="a", column="ann")
        complaint(
            frame + 2.5,
            attribute="age",
            questions={"age": AGE},
            error=InvalidAnswerError,
            value=4.0,
            row="a",
            column="age",
        )

    def test_other_mistakes(self, tmp_path):
        path = FIXTURES / "multiannotator.csv"
        complaint(path, error=JudgmentsError, column="attribute", file=path.name)
        complaint(
            path,
            attribute="tall",
            questions={"age": AGE},
            value="tall",
            row=2,
            column="A0001",
            file="multiannotator.csv",
        )
        complaint([path, path], attribute="age", column="path")
        complaint(path, attribute="age", object="id", value="id", column="object", file="multiannotator.csv")
        (tmp_path / "empty.csv").touch()
        complaint(tmp_path / "empty.csv", attribute="age", file="empty.csv")


NAMES = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=5)
VALUES = st.sampled_from([[0, 1], [1], [1, 2, 3, 7], [0, 2], [-1, 0.5, 2]])


class TestWriting:
    @given(st.data())
    def test_what_goes_out_comes_back(self, tmp_path_factory, data):
        few = st.sampled_from(data.draw(VALUES)).map(float)
        one = data.draw(st.dictionaries(st.tuples(NAMES, st.just("tall, or: not"), NAMES), few, min_size=1))
        judgments = judgments_of(one | {("z", "other", "z"): 9.0})
        frame = cleanlab.to_frame(judgments, "tall, or: not")
        classes = cleanlab.classes_of(judgments, "tall, or: not")
        assert not frame.isna().all(axis=0).any()
        assert not frame.isna().all(axis=1).any()
        assert set(np.unique(frame.to_numpy()[frame.notna()])) <= set(range(len(classes)))
        assert values(cleanlab.from_frame(frame)) == one
        path = tmp_path_factory.mktemp("out") / "labels.csv"
        cleanlab.write(judgments, path, attribute="tall, or: not")
        assert values(cleanlab.read(path)) == one
        assert cleanlab.detects(path)
        again = pd.read_csv(path, index_col=0, keep_default_na=False, na_values=[""])
        assert again.shape == frame.shape

    @pytest.mark.parametrize(
        ("given_", "classes"),
        [
            ([0, 1], (0, 1)),
            ([1], (0, 1)),
            ([0], (0, 1)),
            ([0, 3], (0, 1, 2, 3)),
            ([1, 3], (1, 3)),
            ([2.5, 1], (1, 2.5)),
        ],
    )
    def test_classes(self, given_, classes):
        found = judgments_of({("a", "x", f"w{at}"): float(value) for at, value in enumerate(given_)})
        assert cleanlab.classes_of(found) == classes

    def test_classes_that_nobody_chose(self):
        found = judgments_of({("a", "age", "ann"): 3.0})
        frame = cleanlab.to_frame(found, classes=[1, 2, 3])
        assert frame.loc["a", "ann"] == 2
        with refused(JudgmentsError, column="classes"):
            cleanlab.to_frame(found, classes=[1, 2])

    def test_what_cannot_be_written(self, tmp_path):
        found = judgments_of({("a", "tall", "ann"): 1, ("a", "old", "ann"): 1})
        with refused(JudgmentsError, column="attribute"):
            cleanlab.write(found, tmp_path / "x.csv")
        with refused(JudgmentsError, value="odd", column="attribute"):
            cleanlab.write(found, tmp_path / "x.csv", attribute="odd")
        with refused(DocumentError, file="x.parquet"):
            cleanlab.write(found, tmp_path / "x.parquet", attribute="old")
        nobody = Judgments.from_frame(pd.DataFrame({"object": ["a"], "attribute": ["b"], "value": [1]}))
        with refused(JudgmentsError, column="worker"):
            cleanlab.write(nobody, tmp_path / "x.csv")
        many = judgments_of({(f"o{at}", "height", "ann"): at + 0.5 for at in range(101)})
        with refused(JudgmentsError, value=101, column="height"):
            cleanlab.write(many, tmp_path / "x.csv")
        assert not list(tmp_path.iterdir())


def test_detecting(tmp_path):
    assert connector("cleanlab") is cleanlab.CONNECTOR
    (tmp_path / "own.csv").write_text("object,attribute,worker,value\na,b,c,1\n")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    (tmp_path / "empty.csv").touch()
    for path in (FIXTURES / "multiannotator.csv", *tmp_path.iterdir(), tmp_path, tmp_path / "none.csv"):
        assert not cleanlab.detects(path)
