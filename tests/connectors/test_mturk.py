"""Batches of Mechanical Turk: what is read from them, and what is written for them comes back."""

from __future__ import annotations

import csv
import json
import re
from datetime import UTC, datetime
from functools import partial
from html.parser import HTMLParser

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.connectors import connector, mturk
from manyjudges.connectors.requests import ObjectContent, RequestedPair, Requests
from manyjudges.exceptions import DocumentError, InvalidAnswerError, JudgmentsError
from manyjudges.study.questions import Attribute
from tests.support.folders import ROOT
from tests.support.messages import complaint_of, refused

FIXTURES = ROOT / "tests" / "fixtures" / "mturk"
ANN, BOB, CLEO = "A1WORKERANN00", "A2WORKERBOB00", "A3WORKERCLEO0"
TALL = Attribute(name="tall", question="Is the person tall?", kind="binary")
HEIGHT = Attribute(name="height", question="How tall?", kind="number", range=(50.0, 250.0), unit="cm")
AGE = Attribute(name="age", question="How old?", kind="scale", range=(1.0, 3.0), labels=("young", "middle", "old"))
BASE = {"HITId": "H1", "AssignmentStatus": "Submitted", "SubmitTime": "Sun Feb 16 10:21:03 PST 2014"}


def image(number):
    return f"https://example.org/people/{number}.jpg"


def values(judgments):
    """Judgments as a dict from (object, attribute, worker) to the value, objects by the end of their names."""
    frame = judgments.to_frame()
    things = frame["object"].str.removeprefix("https://example.org/people/").str.removesuffix(".jpg")
    return dict(zip(zip(things, frame["attribute"], frame["worker"], strict=True), frame["value"], strict=True))


def batch(folder, *rows, name="batch.csv", **common):
    """A batch file with these rows, each of an assignment and a worker of its own unless it says otherwise."""
    full = [
        BASE | {"AssignmentId": f"S{at}", "WorkerId": f"W{at}"} | common | row for at, row in enumerate(rows, start=1)
    ]
    columns = list(dict.fromkeys(column for row in full for column in row))
    with open(folder / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(full)
    return folder / name


complaint = partial(complaint_of, mturk.read, error=DocumentError)


class TestReading:
    def test_an_archive_without_what_was_rejected(self):
        found = mturk.read(FIXTURES / "batch.csv", attributes=["height", "tall"])
        assert values(found) == {
            ("1", "height", ANN): 180,
            ("1", "tall", ANN): 1,
            ("1", "height", BOB): 175,
            ("1", "tall", BOB): 0,
            ("2", "height", ANN): 160,
            ("2", "tall", ANN): 0,
            ("2", "tall", BOB): 0,
        }

    def test_what_was_rejected_on_request(self):
        kept = mturk.read(FIXTURES / "batch.csv", attributes=["tall"])
        every = mturk.read(FIXTURES / "batch.csv", attributes=["tall"], rejected=True)
        assert values(every).items() - values(kept).items() == {(("1", "tall", CLEO), 0.0), (("3", "tall", CLEO), 1.0)}

    def test_overlapping_exports_count_once_and_the_later_decision_holds(self):
        paths = [FIXTURES / "batch.csv", FIXTURES / "batch-later.csv"]
        found = mturk.read(paths, attributes=["height", "tall"])
        assert ("2", "tall", BOB) not in values(found)  # submitted in the first, rejected in the later one
        assert values(found)["2", "height", ANN] == 160
        assert values(found)["3", "height", ANN] == 165
        assert values(found) == values(mturk.read(paths[::-1], attributes=["height", "tall"]))

    def test_columns_of_choices_and_boxes(self):
        assert values(mturk.read(FIXTURES / "crowd.csv")) == {
            ("1", "age", ANN): 3,
            ("1", "hat", ANN): 1,
            ("1", "tall", ANN): 1,
            ("1", "age", BOB): 2,
            ("1", "hat", BOB): 0,
            ("2", "hat", ANN): 0,
            ("2", "tall", ANN): 0,
        }

    def test_all_answers_in_one_column_of_json(self):
        assert values(mturk.read(FIXTURES / "task-answers.csv")) == values(mturk.read(FIXTURES / "crowd.csv"))

    def test_several_objects_in_a_hit(self):
        assert values(mturk.read(FIXTURES / "several.csv")) == {
            **{(str(at), "height", ANN): height for at, height in ((1, 180), (2, 170), (3, 160), (4, 190))},
            **{(str(at), "tall", ANN): tall for at, tall in ((1, 1), (2, 0), (3, 0), (4, 1))},
            ("1", "height", BOB): 181,
            ("1", "tall", BOB): 1,
            ("3", "height", BOB): 161,
            ("3", "tall", BOB): 0,
        }

    def test_several_objects_and_choices_that_are_numbers(self, tmp_path):
        row = {"Input.text_1": "a", "Input.text_2": "b", "Answer.age_1.2": "true", "Answer.age_1.3": "false"}
        path = batch(tmp_path, row | {"Answer.age_2.2": "false", "Answer.age_2.3": "true"})
        assert values(mturk.read(path)) == {("a", "age", "W1"): 2, ("b", "age", "W1"): 3}

    def test_several_objects_and_a_box_for_each_by_its_number(self, tmp_path):
        row = {"Input.text_1": "a", "Input.text_2": "b", "Answer.tall.1": "true", "Answer.tall.2": "false"}
        assert values(mturk.read(batch(tmp_path, row))) == {("a", "tall", "W1"): 1, ("b", "tall", "W1"): 0}

    def test_the_questions_choose_the_answers_and_know_the_labels(self, tmp_path):
        path = batch(tmp_path, {"Input.url": "a", "Answer.Old": "middle", "Answer.comment": "hm", "Answer.age2": "7"})
        found = mturk.read(path, questions={"age": AGE}, rename={"Old": "age"})
        assert values(found) == {("a", "age", "W1"): 2}

    def test_attributes_by_either_name(self, tmp_path):
        path = batch(tmp_path, {"Input.url": "a", "Answer.Old": "2", "Answer.comment": "hm"})
        for name in ("Old", "age"):
            found = mturk.read(path, attributes=[name], rename={"Old": "age"})
            assert values(found) == {("a", "age", "W1"): 2}

    def test_choices_that_are_attributes_of_their_own(self, tmp_path):
        row = {"Input.url": "a", "Answer.traits.tall": "true", "Answer.traits.old": "true"}
        path = batch(tmp_path, row)
        complaint(path, error=JudgmentsError, value=["tall", "old"], row=2, column="traits", file="batch.csv")
        assert values(mturk.read(path, attributes=["traits.tall", "traits.old"])) == {
            ("a", "traits.tall", "W1"): 1,
            ("a", "traits.old", "W1"): 1,
        }

    def test_names_with_points(self, tmp_path):
        path = batch(tmp_path, {"Input.url": "a", "Answer.face.old.yes": "false", "Answer.face.old.no": "true"})
        assert values(mturk.read(path, attributes=["face.old"])) == {("a", "face.old", "W1"): 0}

    def test_the_label_of_a_classifier(self, tmp_path):
        path = batch(tmp_path, {"Input.url": "a", "Answer.tall.label": "yes"})
        assert values(mturk.read(path)) == {("a", "tall", "W1"): 1}

    def test_a_box_named_as_its_choice(self, tmp_path):
        rows = [{"Input.url": "a", "Answer.Car.Car": said} for said in ("true", "false")]
        assert sorted(values(mturk.read(batch(tmp_path, *rows))).values()) == [0, 1]

    def test_cant_tell_is_no_judgment(self, tmp_path):
        rows = [{"Input.url": "a", "Answer.tall": said} for said in ("yes", "cant_tell", "Can't tell", " ")]
        assert values(mturk.read(batch(tmp_path, *rows))) == {("a", "tall", "W1"): 1}

    @pytest.mark.parametrize("status", ["Abandoned", "Returned", "Accepted", "", "NotReviewed"])
    def test_what_was_not_handed_in_is_left_out(self, tmp_path, status):
        row = {"Input.url": "a", "Answer.tall": "yes"}
        path = batch(tmp_path, row, row | {"AssignmentStatus": status, "WorkerId": "W9"})
        assert values(mturk.read(path, rejected=True)) == {("a", "tall", "W1"): 1}

    def test_a_rejection_that_was_overruled(self, tmp_path):
        row = {"Input.url": "a", "Answer.tall": "yes", "AssignmentStatus": "Approved"}
        times = {"RejectionTime": "Sun Feb 16 11:00:00 PST 2014", "ApprovalTime": "Sun Feb 16 12:00:00 PST 2014"}
        path = batch(tmp_path, row | times, row | {**times, "ApprovalTime": ""})
        assert values(mturk.read(path)) == {("a", "tall", "W1"): 1}

    def test_the_object_by_its_column(self, tmp_path):
        row = {"Input.url": "a", "Input.title": "A", "Answer.tall": "yes"}
        path = batch(tmp_path, row)
        for name in ("url", "Input.url"):
            assert values(mturk.read(path, object=name)) == {("a", "tall", "W1"): 1}
        assert values(mturk.read(path, object="HITId")) == {("H1", "tall", "W1"): 1}
        complaint(path, column="object", file="batch.csv")

    def test_numbered_objects_among_other_inputs(self, tmp_path):
        row = {"Input.set": "x", "Input.pic1": "a", "Input.pic2": "b", "Answer.tall1": "yes", "Answer.tall2": "no"}
        assert values(mturk.read(batch(tmp_path, row), object="pic")) == {
            ("a", "tall", "W1"): 1,
            ("b", "tall", "W1"): 0,
        }

    @pytest.mark.parametrize(("repeated", "value"), [("first", 1), ("last", 2)])
    def test_the_same_worker_twice(self, tmp_path, repeated, value):
        row = {"Input.url": "a", "WorkerId": "W"}
        late = {"SubmitTime": "Sun Feb 16 10:21:04 PST 2014", "Answer.beans": "2"}
        early = {"SubmitTime": "Sun Feb 16 17:21:03 UTC 2014", "Answer.beans": "1"}
        for rows in ((late, early), (early, late)):
            path = batch(tmp_path, *(row | each for each in rows))
            assert values(mturk.read(path, repeated=repeated)) == {("a", "beans", "W"): value}
            complaint(path, error=JudgmentsError, value="W", row=3, column="beans", file="batch.csv")

    def test_choosing_needs_the_time(self, tmp_path):
        rows = [{"Input.url": "a", "WorkerId": "W", "Answer.tall": "yes", "SubmitTime": time} for time in ("", "soon")]
        path = batch(tmp_path, *rows)
        complaint(path, repeated="first", row=2, column="SubmitTime", file="batch.csv")
        path = batch(tmp_path, rows[1], rows[1])
        complaint(path, repeated="last", value="soon", row=2, column="SubmitTime", file="batch.csv")

    def test_utf_16_and_tabs(self, tmp_path):
        text = batch(tmp_path, {"Input.url": "ü", "Answer.tall": "yes"}).read_text(encoding="utf-8")
        path = tmp_path / "wide.txt"
        path.write_text(text.replace(",", "\t"), encoding="utf-16")
        assert values(mturk.read(path)) == {("ü", "tall", "W1"): 1}
        assert mturk.detects(path)


class TestComplaints:
    def test_free_text(self):
        complaint(
            FIXTURES / "batch.csv",
            error=JudgmentsError,
            value='nice photo, "really"',
            row=2,
            column="comment",
            file="batch.csv",
        )

    def test_an_answer_out_of_range(self):
        complaint(
            FIXTURES / "batch.csv",
            questions={"height": HEIGHT},
            rejected=True,
            rename={"tall": "height"},
            error=InvalidAnswerError,
            value="yes",
            row=2,
            column="height",
            file="batch.csv",
        )

    def test_two_columns_for_one_attribute(self, tmp_path):
        path = batch(tmp_path, {"Input.url": "a", "Answer.tall": "yes", "Answer.high": "no"})
        complaint(path, rename={"high": "tall"}, error=JudgmentsError, row=2, column="tall", file="batch.csv")

    @pytest.mark.parametrize("column", ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus"])
    def test_a_missing_column(self, tmp_path, column):
        path = batch(tmp_path, {"Input.url": "a", "Answer.tall": "yes"})
        frame = pd.read_csv(path).drop(columns=column)
        frame.to_csv(path, index=False)
        complaint(path, column=column, file="batch.csv")

    @pytest.mark.parametrize("column", ["AssignmentId", "WorkerId"])
    def test_a_blank_name(self, tmp_path, column):
        path = batch(tmp_path, {"Input.url": "a", "Answer.tall": "yes", column: " "})
        complaint(path, row=2, column=column, file="batch.csv")

    def test_a_blank_object(self, tmp_path):
        path = batch(tmp_path, {"Input.url": " ", "Answer.tall": "yes"})
        complaint(path, row=2, column="Input.url", file="batch.csv")

    def test_no_object(self, tmp_path):
        complaint(batch(tmp_path, {"Answer.tall": "yes"}), column="object", file="batch.csv")
        path = batch(tmp_path, {"Input.url": "a", "Answer.tall": "yes"})
        complaint(path, object="ulr", value="ulr", column="object", file="batch.csv")

    def test_two_inputs_of_one_number(self, tmp_path):
        path = batch(tmp_path, {"Input.url_1": "a", "Input.url_01": "b", "Answer.tall_1": "yes"})
        complaint(path, column="Input.url_01")

    @pytest.mark.parametrize("name", ["comment", "tall_3"])
    def test_an_answer_about_no_object(self, tmp_path, name):
        path = batch(tmp_path, {"Input.url_1": "a", "Input.url_2": "b", "Answer.tall_1": "yes", f"Answer.{name}": "no"})
        complaint(path, file="batch.csv")

    @pytest.mark.parametrize("text", ["{", "3", "[1]", '[{"tall": 1}, {"tall": 2}]', '"yes"', "[[]]"])
    def test_what_is_no_list_of_answers(self, tmp_path, text):
        path = batch(tmp_path, {"Input.url": "a", "Answer.taskAnswers": text})
        complaint(path, value=text, row=2, column="Answer.taskAnswers", file="batch.csv")

    def test_a_list_as_an_answer(self, tmp_path):
        path = batch(tmp_path, {"Input.url": "a", "Answer.taskAnswers": '[{"boxes": [1, 2], "tall": true}]'})
        complaint(path, error=JudgmentsError, value=[1, 2], row=2, column="boxes", file="batch.csv")
        assert values(mturk.read(path, attributes="tall")) == {("a", "tall", "W1"): 1}

    @pytest.mark.parametrize("text", ["", "[]", "[{}]", '[{"tall": null}]', '[{"tall": {"yes": false, "no": false}}]'])
    def test_no_answers(self, tmp_path, text):
        row = {"Input.url": "a", "Answer.taskAnswers": '[{"tall": {"yes": true, "no": false}}]'}
        path = batch(tmp_path, row, row | {"Answer.taskAnswers": text})
        assert values(mturk.read(path)) == {("a", "tall", "W1"): 1}

    def test_nothing_that_counts(self, tmp_path):
        row = {"Input.url": "a", "Answer.tall": "yes"}
        rejected, returned = {"AssignmentStatus": "rejected"}, {"AssignmentStatus": "Returned"}
        complaint(
            batch(tmp_path, row | rejected, row | rejected, row | returned), error=JudgmentsError, file="batch.csv"
        )

    def test_names_that_are_not_there(self, tmp_path):
        path = batch(tmp_path, {"Input.url": "a", "Answer.tall": "yes", "Answer.old": "no"})
        complaint(
            path, attributes=["tall", "oldd"], error=JudgmentsError, value="oldd", column="attributes", file="batch.csv"
        )
        complaint(path, questions={"age": AGE}, column="attributes", file="batch.csv")
        complaint(
            path, questions={"age": AGE}, attributes=["tall"], value="tall", row=2, column="attribute", file="batch.csv"
        )

    def test_exports_that_contradict_each_other(self, tmp_path):
        row = {"Input.url": "a", "Answer.tall": "yes"}
        one = batch(tmp_path, row, name="one.csv")
        for change in ({"Answer.tall": "no"}, {"WorkerId": "W2"}):
            other = batch(tmp_path, row | change, name="other.csv")
            complaint([one, other], value="S1", row=2, file="other.csv")

    def test_other_mistakes(self, tmp_path):
        path = batch(tmp_path, {"Input.url": "a", "Answer.tall": "yes"})
        complaint(path, repeated="newest", error=JudgmentsError, value="newest", column="repeated")
        complaint([], column="path")
        complaint(tmp_path / "none.csv", file=str(tmp_path / "none.csv"))
        (tmp_path / "empty.csv").touch()
        complaint(tmp_path / "empty.csv", file="empty.csv")
        complaint(batch(tmp_path, {"Input.url": "a"}), column="Answer.", file="batch.csv")


class TestWhen:
    @pytest.mark.parametrize(
        "text",
        [
            "Sun Feb 16 10:21:03 PST 2014",
            "Sun Feb 16 18:21:03 UTC 2014",
            "Feb 16 18:21:03 GMT 2014",
            "Sun Feb 16 2014 10:21:03 GMT-0800 (PST)",
            "Sun Feb 16 2014 10:21:03 GMT-0800 (Pacific Standard Time)",
            "Sun Feb 16 2014 18:21:03 GMT",
            "Sun Feb 16 2014 23:51:03 GMT+0530",
            "2014-02-16T18:21:03Z",
            "2014-02-16T18:21:03.000Z",
            "2014-02-16 10:21:03-08:00",
            "2014-02-16 10:21:03 PST",
            "  Sun  Feb 16 11:21:03 PDT 2014 ",
        ],
    )
    def test_ways_to_write_a_time(self, text):
        assert mturk.when(text) == datetime(2014, 2, 16, 18, 21, 3, tzinfo=UTC)
        assert mturk.when(text).tzinfo is UTC

    @pytest.mark.parametrize(
        "text",
        ["", "soon", "2014-02-16", "2014-02-16 10:21:03", "Sun Feb 30 10:21:03 PST 2014",
         "Sun Foo 16 10:21:03 PST 2014",
         "Sun Feb 16 10:21:03 XYZ 2014", "Sun Feb 16 10:21 PST 2014", "Sun Feb 16 25:21:03 PST 2014",
         "Sun Feb 16 2014 10:21:03 GMT-9900 (?)", "1/2/2014 10:21", "Sun Feb 16 10:21:03 PST 0000", None, 3],
    )  # fmt: skip
    def test_what_is_none(self, text):
        with refused(DocumentError, value=text):
            mturk.when(text, "row 3")

    @given(st.datetimes(min_value=datetime(2005, 1, 1), max_value=datetime(2100, 1, 1)), st.sampled_from([0, -7, -8]))
    def test_every_way_says_the_same(self, moment, hours):
        moment = moment.replace(microsecond=0)
        name = {0: "UTC", -7: "PDT", -8: "PST"}[hours]
        ways = (
            f"{moment:%a %b %d %H:%M:%S} {name} {moment:%Y}",
            f"{moment:%a %b %d %Y %H:%M:%S} GMT{hours:+03d}00 ({name})",
            f"{moment:%Y-%m-%dT%H:%M:%S}{hours:+03d}:00",
        )
        assert len({mturk.when(way) for way in ways}) == 1


class TestAssignments:
    def test_who_and_when(self):
        found = mturk.assignments([FIXTURES / "batch.csv", FIXTURES / "batch-later.csv"])
        assert list(found) == ["assignment", "worker", "hit", "status", "accepted", "submitted", "seconds"]
        assert len(found) == found["assignment"].nunique() == 7
        status = dict(zip(found["assignment"].str[-1], found["status"], strict=True))
        approved = dict.fromkeys("1247", "Approved")
        assert status == {**approved, "3": "Rejected", "5": "Rejected", "6": "Rejected"}
        assert found["submitted"].min() == datetime(2014, 2, 16, 18, 1, 45, tzinfo=UTC)
        assert str(found["accepted"].dtype) == "datetime64[us, UTC]"
        assert set(found["seconds"]) == {42.0}

    def test_blanks(self, tmp_path):
        row = {"AssignmentStatus": "Returned", "SubmitTime": "", "AcceptTime": "", "WorkTimeInSeconds": ""}
        found = mturk.assignments(batch(tmp_path, row))
        assert found[["accepted", "submitted", "seconds"]].isna().all(axis=None)

    def test_complaints(self, tmp_path):
        with refused(DocumentError, value="now", row=2, column="SubmitTime", file="batch.csv"):
            mturk.assignments(batch(tmp_path, {"SubmitTime": "now"}))
        with refused(DocumentError, value="long", row=2, file="batch.csv"):
            mturk.assignments(batch(tmp_path, {"WorkTimeInSeconds": "long"}))


class TestDetecting:
    def test_batches_are_known(self, tmp_path):
        for path in FIXTURES.glob("*.csv"):
            assert mturk.detects(path)
        (tmp_path / "other.csv").write_text("object,attribute,worker,value\na,b,c,1\n")
        (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
        (tmp_path / "quotes.csv").write_text('"HITId,WorkerId')
        (tmp_path / "empty.csv").touch()
        for path in (*tmp_path.iterdir(), tmp_path, tmp_path / "none.csv"):
            assert not mturk.detects(path)

    def test_the_connector_is_found(self):
        assert connector("mturk") is mturk.CONNECTOR


class Form(HTMLParser):
    """The fields of a layout, as a browser sees them after variables were put in: names, with values of choices."""

    def __init__(self, html):
        super().__init__()
        self.fields, self.shown, self.text, self.sources, self._gone = {}, [], "", [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "fieldset" and given.get("data-shown") == "":
            self._gone += 1  # the layout's script takes it away
        if tag == "input" and not self._gone:
            self.fields.setdefault(given["name"], []).append(given)
        if tag == "img" and not self._gone:
            self.sources.append(given["src"])

    def handle_endtag(self, tag):
        if tag == "fieldset":
            self._gone = 0

    def handle_data(self, data):
        self.text += data


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def filled(folder, style, answer):
    """Results of a folder of batches: as many assignments as each asks for, in one of the styles of the site's exports.

    ``answer(object, attribute, worker)`` is what is answered: a text, or None for nothing.
    """
    results = []
    for entry in table(folder / "batches.csv"):
        layout = (folder / entry["layout"]).read_text()
        rows = []
        for at, cells in enumerate(table(folder / entry["file"])):
            form = Form(re.sub(r"\$\{(\w+)\}", lambda found, cells=cells: cells[found[1]], layout))
            for each in range(int(entry["assignments"])):
                row = BASE | {"HITId": f"{entry['file']} {at}", "AssignmentId": f"{entry['file']} {at} {each}"}
                row |= {"WorkerId": f"w{each}"} | {f"Input.{name}": cell for name, cell in cells.items()}
                rows.append(row | answers(form, cells, f"w{each}", style, answer))
        results.append(batch(folder, *rows, name=f"results-{entry['file']}"))
    return results


def answers(form, cells, worker, style, answer):
    said = {}
    for name, inputs in form.fields.items():
        text = answer(cells[name.replace("answer", "object")], cells["attribute"], worker)
        choices = [each["value"] for each in inputs if each["type"] == "radio"]
        assert text is None or not choices or text in choices
        said[name] = {each: each == text for each in choices} if choices and style != "plain" else text
    if style == "task":
        return {"Answer.taskAnswers": json.dumps([said])}
    flat = {}
    for name, value in said.items():
        if isinstance(value, dict):
            flat |= {f"Answer.{name}.{choice}": str(truth).lower() for choice, truth in value.items()}
        else:
            flat[f"Answer.{name}"] = value or ""
    return flat


OBJECTS = {
    "a": ObjectContent(text='One\ntwo < three & "four" ${five} 🙂'),
    "b/ü": ObjectContent(address="https://example.org/b.jpg?x=1&y=2"),
    "c": ObjectContent(text="c", address="https://example.org/c.jpg"),
    "d, e": ObjectContent(text="d"),
}
ODD = Attribute(name="Odd. name_2", question="Why <b>?", kind="number", help="Think.\nThen say.", example="$3")
MOOD = Attribute(name="mood", question="Mood?", kind="scale", range=(-1.0, 1.0), labels=("bad", "good"), cant_tell=True)
OLD = Attribute(name="old", question="Old?", kind="binary")
QUESTIONS = {each.name: each for each in (TALL, HEIGHT, AGE, ODD, MOOD, OLD)}


def requests(counts):
    """Requests with these counts, by pairs of object and attribute."""
    pairs = tuple(RequestedPair(thing, name, count) for (thing, name), count in counts.items())
    names, things = {pair.attribute for pair in pairs}, {pair.object for pair in pairs}
    return Requests(
        pairs,
        {name: each for name, each in QUESTIONS.items() if name in names},
        {name: each for name, each in OBJECTS.items() if name in things},
        "People & pets",
        "Welcome.\n\nTake your time.",
    )


def said(thing, attribute, worker):
    """A made-up answer to every question."""
    at = list(OBJECTS).index(thing) + int(worker[1:])
    return {
        "tall": ("yes", "no")[at % 2],
        "old": ("no", "yes")[at % 2],
        "height": f"{150 + at}.5",
        "age": str(1 + at % 3),
        "mood": ("-1", "0", "cant_tell")[at % 3],
        "Odd. name_2": None if at % 3 == 1 else str(at),
    }[attribute]


class TestWriting:
    @given(
        counts=st.dictionaries(
            st.tuples(st.sampled_from(sorted(OBJECTS)), st.sampled_from(sorted(QUESTIONS))),
            st.integers(1, 4),
            min_size=1,
            max_size=12,
        ),
        per_hit=st.integers(1, 3),
        style=st.sampled_from(["plain", "flat", "task"]),
    )
    def test_what_is_answered_comes_back(self, tmp_path_factory, counts, per_hit, style):
        folder = tmp_path_factory.mktemp("out") / "batches"
        mturk.write(requests(counts), folder, per_hit=per_hit)
        results = filled(folder, style, said)
        expected = {
            (thing, name, f"w{at}"): {"yes": 1.0, "no": 0.0}.get(text) if text in ("yes", "no") else float(text)
            for (thing, name), count in counts.items()
            for at in range(count)
            if (text := said(thing, name, f"w{at}")) not in (None, "cant_tell")
        }
        if not expected:
            complaint(results, error=JudgmentsError, file="results-1-with-1-assignments.csv")
            return
        assert values(mturk.read(results, questions=QUESTIONS)) == expected
        assert values(mturk.read(results)) == expected

    def test_what_lies_in_the_folder(self, tmp_path):
        counts = {("a", "tall"): 3, ("c", "tall"): 3, ("a", "old"): 3, ("d, e", "old"): 1, ("c", "height"): 12}
        mturk.write(requests(counts), tmp_path / "out")
        assert {each.name for each in (tmp_path / "out").iterdir()} == {
            "batches.csv", "1-layout.html", "1-with-1-assignments.csv", "1-with-3-assignments.csv", "2-layout.html",
            "2-with-12-assignments.csv",
        }  # fmt: skip
        overview = pd.read_csv(tmp_path / "out" / "batches.csv")
        assert overview["judgments"].sum() == sum(counts.values())
        assert list(overview["hits"]) == [1, 3, 1]
        assert list(overview["attributes"]) == ["old", "tall, old", "height"]
        rows = pd.read_csv(tmp_path / "out" / "1-with-3-assignments.csv", keep_default_na=False)
        assert list(rows) == ["attribute", "question", "help", "object", "image", "text"]
        assert list(rows["object"]) == ["a", "c", "a"]

    def test_other_prices_are_other_projects(self, tmp_path):
        dear = OLD.model_copy(update={"cost": 2.0})
        wanted = requests({("a", "tall"): 1, ("a", "old"): 1})
        mturk.write(
            Requests(wanted.pairs, {**wanted.questions, "old": dear}, wanted.objects), tmp_path / "out", per_hit=5
        )
        overview = pd.read_csv(tmp_path / "out" / "batches.csv")
        assert dict(zip(overview["attributes"], overview["cost"], strict=True)) == {"tall": 5, "old": 10}

    def test_what_is_shown_is_what_is_meant(self, tmp_path):
        mturk.write(requests({(name, "Odd. name_2"): 1 for name in OBJECTS}), tmp_path / "out")
        layout = (tmp_path / "out" / "1-layout.html").read_text()
        text = (tmp_path / "out" / "1-with-1-assignments.csv").read_text()
        assert text.isascii() or "ü" in text
        assert "🙂" not in text  # the site takes none
        rows = list(csv.DictReader(text.splitlines()))
        forms = [Form(re.sub(r"\$\{(\w+)\}", lambda found, row=row: row[found[1]], layout)) for row in rows]
        assert 'One\ntwo < three & "four" ${five} 🙂' in forms[0].text.replace("Onetwo", "One\ntwo")
        assert "Why <b>?" in forms[0].text
        assert "For example: $3" in forms[0].text
        assert "People & pets" in forms[0].text
        assert forms[1].sources == ["https://example.org/b.jpg?x=1&y=2"]

    def test_limits_of_numbers(self, tmp_path):
        whole = HEIGHT.model_copy(update={"whole": True, "cant_tell": False})
        one = Requests((RequestedPair("a", "height", 1),), {"height": whole}, {"a": ObjectContent(text="a")})
        mturk.write(one, tmp_path / "out")
        (field,) = Form((tmp_path / "out" / "1-layout.html").read_text()).fields["answer"]
        assert field == {"type": "number", "name": "answer", "step": "1", "min": "50", "max": "250", "required": None}

    def test_a_plain_table(self, tmp_path):
        frame = pd.DataFrame({"object": ["x", "y"], "attribute": "beans", "count": [1, 2]})
        mturk.write(frame, tmp_path / "out")
        found = mturk.read(filled(tmp_path / "out", "flat", lambda thing, *_: {"x": "3", "y": "4.5"}[thing]))
        assert values(found) == {("x", "beans", "w0"): 3, ("y", "beans", "w0"): 4.5, ("y", "beans", "w1"): 4.5}

    def test_pictures_of_the_folder_need_a_site(self, tmp_path):
        pictures = {
            "a": ObjectContent(image=tmp_path / "x" / "pic 1.png"),
            "b": ObjectContent(image=tmp_path / "x" / "2.png"),
        }
        wanted = Requests((RequestedPair("a", "tall", 1), RequestedPair("b", "tall", 1)), {"tall": TALL}, pictures)
        with refused(DocumentError, row="a", column="site", file="pic 1.png"):
            mturk.write(wanted, tmp_path / "out")
        assert not (tmp_path / "out").exists()
        mturk.write(wanted, tmp_path / "out", site="https://example.org/p/")
        rows = pd.read_csv(tmp_path / "out" / "1-with-1-assignments.csv")
        assert list(rows["image"]) == ["https://example.org/p/pic%201.png", "https://example.org/p/2.png"]
        with refused(DocumentError, value="example.org", column="site"):
            mturk.write(wanted, tmp_path / "again", site="example.org")
        clash = Requests(
            wanted.pairs, wanted.questions, {**pictures, "b": ObjectContent(image=tmp_path / "y" / "pic 1.png")}
        )
        with refused(DocumentError, value="pic 1.png", row="b", column="image"):
            mturk.write(clash, tmp_path / "again", site="https://example.org")

    @pytest.mark.parametrize("name", ["🙂", "a\nb", " a"])
    def test_names_that_the_site_does_not_take(self, tmp_path, name):
        one = Requests((RequestedPair(name, "tall", 1),), {"tall": TALL}, {name: ObjectContent(text="a")})
        with refused(DocumentError, value=name, column="name"):
            mturk.write(one, tmp_path / "out")

    def test_nothing_to_show(self, tmp_path):
        one = Requests((RequestedPair("a", "tall", 1),), {"tall": TALL}, {"a": ObjectContent()})
        with refused(DocumentError, row="a"):
            mturk.write(one, tmp_path / "out")

    @pytest.mark.parametrize("per_hit", [0, 101, 1.5, True, "2"])
    def test_how_many_in_a_hit(self, tmp_path, per_hit):
        with refused(DocumentError, value=per_hit, column="per_hit"):
            mturk.write(requests({("a", "tall"): 1}), tmp_path / "out", per_hit=per_hit)

    def test_the_folder_is_written_whole_or_not_at_all(self, tmp_path):
        one = requests({("a", "tall"): 1})
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "mine.txt").touch()
        (tmp_path / "file").touch()
        (tmp_path / "empty").mkdir()
        with refused(DocumentError, file=str(tmp_path / "full")):
            mturk.write(one, tmp_path / "full")
        with refused(DocumentError, file=str(tmp_path / "file")):
            mturk.write(one, tmp_path / "file")
        with refused(DocumentError, file=str(tmp_path / "none/out")):
            mturk.write(one, tmp_path / "none" / "out")
        mturk.write(one, tmp_path / "empty")
        assert {each.name for each in tmp_path.iterdir()} == {"full", "file", "empty"}
        assert len(list((tmp_path / "empty").iterdir())) == 3
