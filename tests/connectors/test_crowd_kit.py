"""crowd-kit: its tables come in, and judgments go out as such tables and come back."""

from __future__ import annotations

from functools import partial

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments
from manyjudges.connectors import connector, crowd_kit
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.study.questions import Attribute
from tests.support.folders import ROOT
from tests.support.messages import complaint_of, refused

FIXTURES = ROOT / "tests" / "fixtures" / "crowd_kit"
AGE = Attribute(name="age", question="How old?", kind="scale", range=(1.0, 3.0), labels=("young", "middle", "old"))


def values(judgments):
    frame = judgments.to_frame()
    keys = zip(frame["object"], frame["attribute"], frame["worker"], strict=True)
    return dict(zip(keys, frame["value"], strict=True))


def judgments_of(found):
    rows = [(*key, value) for key, value in found.items()]
    return Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"]))


complaint = partial(complaint_of, crowd_kit.read, error=DocumentError)


class TestReading:
    def test_a_file(self):
        expected = {
            ("t30006", "relevant", "w851"): 0,
            ("t30006", "relevant", "w6991"): 1,
            ("t33578", "relevant", "w851"): 1,
            ("t33578", "relevant", "w5398"): 1,
        }
        path = FIXTURES / "relevance.csv"
        assert values(crowd_kit.read(path, attribute="relevant")) == expected
        assert values(crowd_kit.read([path], attributes=["relevant"])) == expected

    def test_words_and_the_old_name_of_workers(self):
        found = crowd_kit.read(FIXTURES / "words.tsv", attribute="taste", values={"good": 1, "Bad": 0})
        assert values(found) == {("a", "taste", "ann"): 1, ("a", "taste", "bob"): 0, ("b", "taste", "ann"): 1}
        complaint(
            FIXTURES / "words.tsv",
            attribute="taste",
            error=JudgmentsError,
            value="good",
            row=2,
            column="taste",
            file="words.tsv",
        )
        complaint(
            FIXTURES / "words.tsv",
            attribute="taste",
            values={"good": 1},
            error=JudgmentsError,
            value="bad",
            row=3,
            column="label",
            file="words.tsv",
        )

    def test_the_question_of_a_study(self, tmp_path):
        (tmp_path / "x.csv").write_text("task,worker,label\na,ann,old\n")
        assert values(crowd_kit.read(tmp_path / "x.csv", questions={"age": AGE})) == {("a", "age", "ann"): 3}
        complaint(
            pd.DataFrame({"task": ["a"], "worker": ["w"], "label": [1]}),
            attribute="tall",
            questions={"age": AGE},
            value="tall",
            row=1,
            column="attribute",
        )

    def test_frames(self):
        frame = pd.DataFrame({"task": [1, 2], "worker": [7, 7], "label": [0.5, None], "time": 3})
        assert values(crowd_kit.from_frame(frame, "tall")) == {("1", "tall", "7"): 0.5}
        indexed = frame.set_index("task")
        assert values(crowd_kit.from_frame(indexed, "tall")) == {("1", "tall", "7"): 0.5}
        assert values(crowd_kit.from_frame(frame, "tall", object="time")) == {("3", "tall", "7"): 0.5}

    def test_attributes_in_a_column(self):
        frame = pd.DataFrame({"task": "a", "worker": "w", "label": [1, 0], "attribute": ["tall", "old"]})
        assert crowd_kit.from_frame(frame).attributes == ("old", "tall")
        assert crowd_kit.from_frame(frame, attributes=["old"]).attributes == ("old",)
        assert crowd_kit.from_frame(frame, attributes=["old"], rename={"old": "age"}).attributes == ("age",)
        complaint(frame, attributes=["odd"], error=JudgmentsError, value="odd", column="attributes", file="the table")


class TestComplaints:
    def test_which_attribute(self):
        complaint(FIXTURES / "relevance.csv", error=JudgmentsError, column="attribute", file="relevance.csv")
        complaint(
            FIXTURES / "relevance.csv",
            attributes=["a", "b"],
            error=JudgmentsError,
            column="attribute",
            file="relevance.csv",
        )

    def test_what_is_missing(self, tmp_path):
        path = tmp_path / "x.csv"
        path.write_text("task,worker,labels\na,b,1\n")
        complaint(path, attribute="tall", column="label", file="x.csv")
        path.write_text("task,worker,label\n,b,1\n")
        complaint(path, attribute="tall", row=2, column="task", file="x.csv")
        path.write_text("task,worker,label\na,b,\n")
        complaint(path, attribute="tall", error=JudgmentsError, file="x.csv")

    def test_every_file_has_its_columns(self, tmp_path):
        one, other, empty = (tmp_path / name for name in ("one.csv", "other.csv", "empty.csv"))
        one.write_text("task,worker,label\na,b,1\n")
        other.write_text("task,worker,value\na,c,1\n")
        empty.write_text("a,b\n")
        complaint([one, other], attribute="tall", column="label", file="other.csv")
        complaint(empty, column="task", file="empty.csv")
        other.write_text("task,worker,label,attribute\na,c,1,old\n")
        complaint([one, other], error=JudgmentsError, column="attribute", file="one.csv")
        complaint(_emptied(one), attributes=["tall"], error=JudgmentsError, file="one.csv")

    def test_the_same_twice(self, tmp_path):
        path = tmp_path / "x.csv"
        path.write_text("task,worker,label\na,b,1\na,b,0\n")
        complaint(path, attribute="tall", error=JudgmentsError, value="b", row=3, file="x.csv")


def _emptied(path):
    path.write_text("task,worker,label\na,b,\n")
    return path


NAMES = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=5)
NUMBERS = st.one_of(st.integers(-5, 5), st.floats(-1e6, 1e6)).map(float)


class TestWriting:
    @pytest.mark.slow
    @given(st.dictionaries(st.tuples(NAMES, st.sampled_from(["tall", "old, odd"]), NAMES), NUMBERS, min_size=1))
    def test_what_goes_out_comes_back(self, tmp_path_factory, found):
        judgments, path = judgments_of(found), tmp_path_factory.mktemp("out") / "votes.csv"
        for name in judgments.attributes:
            one = {key: value for key, value in found.items() if key[1] == name}
            frame = crowd_kit.to_frame(judgments, name)
            assert list(frame) == ["task", "worker", "label"]
            assert values(crowd_kit.from_frame(frame, name)) == one
            crowd_kit.write(judgments, path, attribute=name)
            assert values(crowd_kit.read(path, attribute=name)) == one
        crowd_kit.write(judgments, path)
        assert values(crowd_kit.read(path, attributes=list(judgments.attributes))) == found
        assert crowd_kit.detects(path)

    def test_labels_are_whole_where_they_can_be(self):
        found = judgments_of({("a", "tall", "ann"): 1, ("a", "height", "ann"): 1.5})
        assert crowd_kit.to_frame(found, "tall")["label"].dtype == "int64"
        assert crowd_kit.to_frame(found, "height")["label"].dtype == "float64"
        assert crowd_kit.to_frame(judgments_of({("a", "b", "c"): 1e300}))["label"].tolist() == [1e300]
        assert list(crowd_kit.to_frame(found)) == ["task", "worker", "label", "attribute"]

    def test_what_cannot_be_written(self, tmp_path):
        nobody = Judgments.from_frame(pd.DataFrame({"object": ["a"], "attribute": ["b"], "value": [1]}))
        with refused(JudgmentsError, column="worker"):
            crowd_kit.write(nobody, tmp_path / "x.csv")
        found = judgments_of({("a", "tall", "ann"): 1})
        with refused(JudgmentsError, value="old", column="attribute"):
            crowd_kit.write(found, tmp_path / "x.csv", attribute="old")
        with refused(DocumentError, file="x.xlsx"):
            crowd_kit.write(found, tmp_path / "x.xlsx")
        assert not list(tmp_path.iterdir())


def test_detecting(tmp_path):
    assert connector("crowd-kit") is crowd_kit.CONNECTOR
    for path in FIXTURES.iterdir():
        assert crowd_kit.detects(path)
    (tmp_path / "own.csv").write_text("object,attribute,worker,value\na,b,c,1\n")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    (tmp_path / "empty.csv").touch()
    for name in ("own.csv", "binary.csv", "empty.csv", "none.csv", "."):
        assert not crowd_kit.detects(tmp_path / name)
