"""Label Studio: what is read from its exports, and what is written for its projects comes back."""

from __future__ import annotations

import contextlib
import csv
import json
import re
from base64 import b64decode
from functools import partial
from xml.etree import ElementTree

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.connectors import connector, label_studio
from manyjudges.connectors.label_studio import projects
from manyjudges.connectors.label_studio.config import configuration, control_names, words
from manyjudges.connectors.requests import ObjectContent, RequestedPair, Requests
from manyjudges.exceptions import DocumentError, InvalidAnswerError, JudgmentsError
from manyjudges.study.questions import Attribute
from tests.support.folders import ROOT
from tests.support.messages import complaint_of, refused

FIXTURES = ROOT / "tests" / "fixtures" / "label_studio"
TALL = Attribute(name="tall", question="Is the person tall?", kind="binary")
HEIGHT = Attribute(name="height", question="How tall?", kind="number", range=(50.0, 250.0), unit="cm")
AGE = Attribute(name="age", question="How old?", kind="scale", range=(1.0, 3.0), labels=("young", "middle", "old"))
STARS = Attribute(name="stars", question="How good?", kind="scale", range=(1.0, 5.0), cant_tell=False)
MOOD = Attribute(name="mood", question="Mood?", kind="scale", range=(-1.0, 1.0), labels=("bad", "good"))
ODD = Attribute(
    name='Odd "name" <2> ü', question="Worth $5 & <more>?", kind="number", help="Think.\nSay.", example="$3"
)
TEXT = Attribute(name="text", question="Is there text?", kind="binary", cant_tell=True)
YEARS = Attribute(
    name="years", question="How many years?", kind="number", range=(0.0, 9.0), whole=True, cant_tell=False
)
QUESTIONS = {each.name: each for each in (TALL, HEIGHT, AGE, STARS, MOOD, ODD, TEXT, YEARS)}
OBJECTS = {
    "a": ObjectContent(text='One\ntwo < three & "four" $five 🙂'),
    "b/ü": ObjectContent(address="https://example.org/b.jpg?x=1&y=2"),
    "c": ObjectContent(text="c", address="https://example.org/c.jpg"),
    "d, e": ObjectContent(text="d"),
}
PIXEL = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def values(judgments):
    """Judgments as a dict from (object, attribute, worker) to the value, objects by the end of their names."""
    frame = judgments.to_frame()
    things = frame["object"].str.removeprefix("https://example.org/people/").str.removesuffix(".jpg")
    return dict(zip(zip(things, frame["attribute"], frame["worker"], strict=True), frame["value"], strict=True))


def result(name, value, kind="choices"):
    inner = {"text" if kind == "textarea" else kind: [value] if kind == "choices" and value is not None else value}
    return {"from_name": name, "to_name": "image", "type": kind, "id": "r1", "value": inner}


def annotation(*results, **more):
    return {"id": 1, "completed_by": 3, "result": list(results), "was_cancelled": False} | more


def task(*annotations, **more):
    return {"id": 101, "data": {"image": "a"}, "annotations": list(annotations)} | more


def export(folder, *tasks, name="export.json"):
    (folder / name).write_text(json.dumps(list(tasks)), encoding="utf-8")
    return folder / name


complaint = partial(complaint_of, label_studio.read, error=DocumentError)


class TestReading:
    def test_an_export(self):
        assert values(label_studio.read(FIXTURES / "export.json")) == {
            ("1", "tall", "3"): 1,
            ("1", "age", "3"): 4,
            ("1", "height", "3"): 181.5,
            ("1", "tall", "4"): 0,
            ("1", "age", "4"): 3,
            ("2", "tall", "3"): 0,
            ("2", "height", "3"): 160,
        }

    @pytest.mark.parametrize("name", ["tried.json", "tried-min.json"])
    def test_what_label_studio_gave_back(self, name):
        """As Label Studio 1.23.2 exported a project that was written here, and answered by two people."""
        assert label_studio.detects(FIXTURES / name)
        assert values(label_studio.read(FIXTURES / name)) == {
            ("a", "tall", "1"): 1,
            ("a", "height", "1"): 181.5,
            ("a", "stars", "1"): 4,
            ("a", "How old?", "1"): 3,
            ("a", "tall", "2"): 0,
            ("a", "stars", "2"): 1,
            ("b/ü", "tall", "2"): 1,
            ("b/ü", "height", "2"): 60,
            ("b/ü", "stars", "2"): 5,
            ("b/ü", "How old?", "2"): 1,
        }

    def test_ground_truth_on_request(self):
        kept = values(label_studio.read(FIXTURES / "export.json"))
        every = values(label_studio.read(FIXTURES / "export.json", ground_truth=True))
        assert every.items() - kept.items() == {
            (("1", "tall", "1"), 1.0),
            (("1", "age", "1"), 5.0),
            (("1", "height", "1"), 180.0),
        }

    def test_overlapping_exports_count_once_as_they_were_changed_last(self):
        paths = [FIXTURES / "export.json", FIXTURES / "export-later.json"]
        found = values(label_studio.read(paths))
        assert found == values(label_studio.read(paths[::-1]))
        assert found["1", "tall", "4"] == 1  # changed
        assert ("2", "tall", "3") not in found  # cancelled since
        assert found["3", "age", "3"] == 1

    def test_users_as_objects_are_those_of_numbers(self, tmp_path):
        user = {"id": 3, "email": "judge3@example.org", "first_name": "", "last_name": ""}
        for by, worker in ((user, "3"), (3, "3"), ("3", "3"), ({"email": "a@example.org"}, "a@example.org")):
            path = export(tmp_path, task(annotation(result("tall", "yes"), completed_by=by)))
            assert values(label_studio.read(path)) == {("a", "tall", worker): 1}

    def test_what_reviewers_rejected(self):
        options = {"object": "ref", "attributes": ["mood"], "questions": {"mood": MOOD}}
        kept = values(label_studio.read(FIXTURES / "users.json", **options))
        assert kept == {("456", "mood", "4"): 1}
        every = values(label_studio.read(FIXTURES / "users.json", **options, rejected=True))
        assert every == kept | {("456", "mood", "5"): -1}

    def test_choices_that_are_attributes_of_their_own(self):
        path = FIXTURES / "users.json"
        complaint(
            path,
            attributes=["traits"],
            object="ref",
            error=JudgmentsError,
            value=["funny", "short"],
            row=201,
            column="traits",
            file="users.json",
        )
        found = values(label_studio.read(path, attributes=["traits.funny", "traits.short"], object="id"))
        assert found == {
            ("201", "traits.funny", "3"): 1,
            ("201", "traits.short", "3"): 1,
            ("201", "traits.funny", "4"): 0,  # who ticks nothing says no to all
            ("201", "traits.short", "4"): 0,
        }

    def test_boxes_by_their_names_here(self, tmp_path):
        path = export(tmp_path, task(annotation(result("traits", "tall"), result("old", "no"))))
        box = {("a", "tall", "3"): 1}
        assert values(label_studio.read(path, rename={"traits.tall": "tall"})) == box | {("a", "old", "3"): 0}
        assert values(label_studio.read(path, rename={"traits.tall": "tall"}, questions={"tall": TALL})) == box

    def test_the_questions_choose_the_answers_and_know_the_labels(self, tmp_path):
        path = export(tmp_path, task(annotation(result("Old", "middle"), result("quality", "fine"))))
        found = label_studio.read(path, questions={"age": AGE}, rename={"Old": "age"})
        assert values(found) == {("a", "age", "3"): 2}

    def test_texts_by_their_names_only(self, tmp_path):
        path = export(tmp_path, task(annotation(result("tall", "yes"), result("beans", ["12"], "textarea"))))
        assert values(label_studio.read(path)) == {("a", "tall", "3"): 1}
        assert values(label_studio.read(path, attributes="beans")) == {("a", "beans", "3"): 12}

    @pytest.mark.parametrize(
        "nothing",
        [
            result("tall", "cant_tell"),
            result("tall", "Can't tell"),
            result("tall", None) | {"value": {"choices": []}},
            result("tall", 0, "rating"),
            result("tall", None, "number"),
        ],
    )
    def test_what_is_no_judgment(self, tmp_path, nothing):
        path = export(tmp_path, task(annotation(nothing), annotation(result("tall", "yes"), id=2, completed_by=4)))
        assert values(label_studio.read(path)) == {("a", "tall", "4"): 1}

    def test_before_version_1(self):
        found = values(label_studio.read(FIXTURES / "before-1.0.json"))
        assert found == {("Opossums are great", "funny", "2"): 1}

    def test_a_file_of_a_storage(self):
        assert values(label_studio.read(FIXTURES / "stored.json")) == {("1", "tall", "3"): 1}

    def test_the_object_by_its_field(self, tmp_path):
        path = export(tmp_path, task(annotation(result("tall", "yes")), data={"image": "a", "ref": 7}))
        for name, thing in (("image", "a"), ("ref", "7"), ("id", "101")):
            assert values(label_studio.read(path, object=name)) == {(thing, "tall", "3"): 1}
        complaint(path, row=101, column="object", file="export.json")
        path = export(tmp_path, task(annotation(result("tall", "yes")), data={"image": "a", "object": "b"}))
        assert values(label_studio.read(path)) == {("b", "tall", "3"): 1}

    @pytest.mark.parametrize(("repeated", "value"), [("first", 1), ("last", 2)])
    def test_the_same_worker_twice(self, tmp_path, repeated, value):
        early = annotation(result("beans", 1, "number"), updated_at="2026-03-02T10:00:00.5Z")
        late = annotation(result("beans", 2, "number"), id=2, created_at="2026-03-02T12:00:00+01:00")
        for one, other in ((early, late), (late, early)):
            path = export(tmp_path, task(one, other))
            assert values(label_studio.read(path, repeated=repeated)) == {("a", "beans", "3"): value}
            complaint(path, error=JudgmentsError, value="3", row=101, column="beans", file="export.json")

    def test_the_same_numbers_in_another_label_studio(self, tmp_path):
        one = task(annotation(result("tall", "yes"), created_at="2026-01-01T00:00:00Z"))
        other = task(annotation(result("tall", "no"), created_at="2026-02-01T00:00:00Z"), data={"image": "b"})
        paths = [export(tmp_path, one, name="one.json"), export(tmp_path, other, name="other.json")]
        assert values(label_studio.read(paths)) == {("a", "tall", "3"): 1, ("b", "tall", "3"): 0}


class TestJsonMin:
    def test_named_controls(self):
        options = {"attributes": ["tall", "age", "height"], "object": "image"}
        found = values(label_studio.read(FIXTURES / "min.json", **options))
        assert found == values(label_studio.read(FIXTURES / "export.json"))
        assert values(label_studio.read([FIXTURES / "min.json", FIXTURES / "export.json"], **options)) == found

    def test_it_does_not_tell_answers_from_fields(self):
        complaint(FIXTURES / "min.json", row=101, column="attributes", file="min.json")
        complaint(
            FIXTURES / "min.json", attributes=["tall"], row=101, column="object", file="min.json"
        )  # the comment may be what names the object
        assert len(label_studio.read(FIXTURES / "min.json", attributes=["tall"], object="image")) == 3

    def test_choices_that_are_attributes_of_their_own(self, tmp_path):
        common = {"image": "a", "annotation_id": 1, "annotator": 3}
        rows = [{"traits": {"choices": ["tall", "old"]}}, {"traits": "old", "annotation_id": 2, "annotator": 4}]
        path = export(tmp_path, *(common | row for row in rows))
        found = values(label_studio.read(path, attributes=["traits.tall", "traits.old"], object="image"))
        assert found == {
            ("a", "traits.tall", "3"): 1,
            ("a", "traits.old", "3"): 1,
            ("a", "traits.tall", "4"): 0,
            ("a", "traits.old", "4"): 1,
        }


class TestComplaints:
    def test_a_choice_that_is_no_number(self, tmp_path):
        path = export(tmp_path, task(annotation(result("mood", "Positive"))))
        complaint(path, error=JudgmentsError, value="Positive", row=101, column="mood", file="export.json")

    def test_an_answer_out_of_range(self, tmp_path):
        path = export(tmp_path, task(annotation(result("height", 300, "number"))))
        complaint(
            path,
            questions={"height": HEIGHT},
            error=InvalidAnswerError,
            value=300,
            row=101,
            column="height",
            file="export.json",
        )

    def test_regions(self, tmp_path):
        path = export(tmp_path, task(annotation(result("tall", "yes"), result("tall", "no"))))
        complaint(path, error=JudgmentsError, row=101, column="tall", file="export.json")

    def test_two_controls_for_one_attribute(self, tmp_path):
        path = export(tmp_path, task(annotation(result("tall", "yes"), result("high", "no"))))
        complaint(
            path,
            rename={"high": "tall"},
            repeated="first",
            error=JudgmentsError,
            row=101,
            column="tall",
            file="export.json",
        )

    def test_a_kind_that_is_no_judgment(self):
        complaint(
            FIXTURES / "export.json",
            attributes=["faces"],
            value="rectanglelabels",
            row=101,
            column="faces",
            file="export.json",
        )

    @pytest.mark.parametrize("by", [None, {}, {"email": ""}, True, " ", [3]])
    def test_nobody(self, tmp_path, by):
        path = export(tmp_path, task(annotation(result("tall", "yes"), completed_by=by)))
        complaint(path, row=101, column="completed_by", file="export.json")

    @pytest.mark.parametrize("name", ["", None, [], True])
    def test_an_object_without_a_name(self, tmp_path, name):
        path = export(tmp_path, task(annotation(result("tall", "yes")), data={"object": name}))
        complaint(path, value=name, row=101, column="object", file="export.json")

    def test_no_object(self, tmp_path):
        path = export(tmp_path, task(annotation(result("tall", "yes")), data={}))
        complaint(path, row=101, column="data", file="export.json")
        path = export(tmp_path, task(annotation(result("tall", "yes"))))
        complaint(path, object="imgae", value="imgae", row=101, column="object", file="export.json")

    @pytest.mark.parametrize(
        ("tasks", "fields"),
        [
            ([{"id": 5, "data": {"image": "a"}}], {"row": 5, "column": "annotations"}),
            ([{"data": {"image": "a"}}], {"row": 1, "column": "annotations"}),
            (["a"], {"value": "a", "row": 1}),
            ([task(annotations={})], {"value": {}, "row": 101, "column": "annotations"}),
            ([task(annotations=[4])], {"row": 101, "column": "annotations"}),
            ([task(annotations=["x"])], {"value": "x", "row": 101, "column": "annotations"}),
            ([task(annotation(), data=None)], {"row": 101, "column": "data"}),
            ([task(annotation(result=None))], {"row": 101, "column": "result"}),
            ([task(annotation("x"))], {"value": "x", "row": 101, "column": "result"}),
            ([task(annotation({"from_name": 3, "type": "choices"}))], {"value": 3, "row": 101, "column": "from_name"}),
            ([task(annotation(result("t", "y") | {"type": None}))], {"row": 101, "column": "type"}),
            ([task(annotation(result("t", "y") | {"value": "y"}))], {"value": "y", "row": 101, "column": "t"}),
            (
                [task(annotation(result("t", "y") | {"type": "rating"}))],
                {"value": {"choices": ["y"]}, "row": 101, "column": "t"},
            ),
            (
                [task(annotation(result("t", [["a", "b"]]) | {"value": {"choices": [["a", "b"]]}}))],
                {"error": JudgmentsError, "value": ["a", "b"], "row": 101, "column": "t"},
            ),
        ],
    )
    def test_what_is_no_export(self, tmp_path, tasks, fields):
        complaint(export(tmp_path, *tasks), file="export.json", **fields)

    def test_what_is_no_list(self, tmp_path):
        (tmp_path / "three.json").write_text("3")
        complaint(tmp_path / "three.json", value=3, file="three.json")
        (tmp_path / "torn.json").write_text('[{"id": 1,\n')
        complaint(tmp_path / "torn.json", row=2, file="torn.json")

    def test_times(self, tmp_path):
        rows = [annotation(result("tall", "yes"), id=at, created_at=time) for at, time in ((1, "soon"), (2, None))]
        complaint(
            export(tmp_path, task(rows[0], annotation(result("tall", "no"), id=3))),
            repeated="first",
            value="soon",
            row=101,
            column="created_at",
            file="export.json",
        )
        path = export(tmp_path, task(annotation(result("tall", "no"), id=3, created_at=1583689935), rows[1]))
        complaint(path, repeated="last", row=101, column="updated_at", file="export.json")

    def test_nothing_that_counts(self, tmp_path):
        yes = result("tall", "yes")
        path = export(tmp_path, task(annotation(yes, was_cancelled=True), annotation(yes, ground_truth=True, id=2)))
        complaint(path, error=JudgmentsError, file="export.json")

    def test_names_that_are_not_there(self, tmp_path):
        path = export(tmp_path, task(annotation(result("tall", "yes"), result("old", "no"))))
        complaint(
            path,
            attributes=["tall", "oldd"],
            error=JudgmentsError,
            value="oldd",
            column="attributes",
            file="export.json",
        )
        complaint(path, questions={"age": AGE}, error=JudgmentsError, file="export.json")
        complaint(
            path,
            questions={"age": AGE},
            attributes=["tall"],
            value="tall",
            row=101,
            column="attribute",
            file="export.json",
        )

    def test_other_mistakes(self, tmp_path):
        complaint(FIXTURES / "export.json", repeated="newest", error=JudgmentsError, value="newest", column="repeated")
        complaint([], column="path")
        complaint(tmp_path / "none.json", file=str(tmp_path / "none.json"))

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["id", "annotations", "data", "result", "from_name", "type", "value", "choices", "completed_by",
                         "created_at", "annotation_id", "annotator", "task", "image", "manyjudges", "reviews", "number"]
                    ),
                    inner | st.sampled_from(["choices", "number", "tall"]),
                    max_size=5,
                )
            ),
            max_leaves=20,
        )
    )  # fmt: skip
    def test_nothing_is_a_traceback(self, tmp_path_factory, tree):
        path = tmp_path_factory.mktemp("in") / "tree.json"
        path.write_text(json.dumps([tree, task(annotation(result("tall", "yes"), result("n", tree, "number")))]))
        for options in ({}, {"attributes": ["tall", "tall.yes"], "repeated": "last", "object": "image"}):
            with contextlib.suppress(DocumentError, JudgmentsError):
                label_studio.read([path, path], **options)


class TestDetecting:
    def test_exports_are_known(self, tmp_path):
        for path in FIXTURES.glob("*.json"):
            assert label_studio.detects(path) == (path.name != "stored.json")
        long = export(tmp_path, {"id": '"}]{', "annotations": [annotation()], "data": {"image": "x" * (1 << 20)}})
        marked = tmp_path / "marked.json"
        marked.write_text(long.read_text(), encoding="utf-8-sig")
        assert label_studio.detects(long)
        assert label_studio.detects(marked)

    def test_others_are_not(self, tmp_path):
        for at, text in enumerate(
            ["", "[", "[{", "{}", "[3]", "null", '[{"data": {"annotations": []}}]', '{"data": {}, "annotations": []}',
             '[{"data": 1}, {"annotations": []}]', '[[{"data": {}, "annotations": []}]]', '["data", "annotations"]',
             '[{"text": "\\"data\\": \\"annotations\\":"}]', '[{"\\x": 1, "data": 1}]', "object,attribute\n"]
        ):  # fmt: skip
            (tmp_path / f"{at}.json").write_text(text)
        (tmp_path / "binary.json").write_bytes(bytes(range(256)))
        for path in (*tmp_path.iterdir(), tmp_path, tmp_path / "none.json"):
            assert not label_studio.detects(path)

    def test_the_connector_is_found(self):
        assert connector("label-studio") is label_studio.CONNECTOR


def requests(counts, title="People & pets"):
    """Requests with these counts, by pairs of object and attribute."""
    pairs = tuple(RequestedPair(thing, name, count) for (thing, name), count in counts.items())
    names, things = {pair.attribute for pair in pairs}, {pair.object for pair in pairs}
    return Requests(
        pairs,
        {name: each for name, each in QUESTIONS.items() if name in names},
        {name: each for name, each in OBJECTS.items() if name in things},
        title,
        "Welcome.\n\nTake <your> time.",
    )


def rows_of(folder):
    with open(folder / "projects.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def substituted(text, data):
    """A text as Label Studio shows it: with each $field replaced."""
    return re.sub(r"\$[\w[\].{}]+", lambda found: str(data[found[0][1:]]), text)


def checked(config, tasks):
    """The configuration, after the checks that Label Studio makes when it is saved and tasks are imported."""
    tree = ElementTree.fromstring(config)
    names = [each.get("name") for each in tree.iter() if each.get("name")]
    assert len(set(names)) == len(names)
    assert {each.get("toName") for each in tree.iter() if each.get("toName")} <= set(names)
    for each in tree.iter():
        if each.get("name") and (each.get("value") or "").startswith("$"):
            assert all(isinstance(entry["data"][each.get("value")[1:]], str) for entry in tasks)
    return tree


def answered(tree, data, worker, answer):
    """The results of somebody who fills in the form; what it does not take is not answered."""
    asked = data["manyjudges"]
    controls = [each for each in tree.iter() if each.tag in ("Choices", "Number", "Rating")]
    assert [each.get("name") for each in controls] == list(asked)
    for each in controls:
        text = answer(data["object"], asked[each.get("name")], worker)
        if text is None:
            assert each.get("required") is None
            continue
        if each.tag == "Choices":
            assert text in {choice.get("alias") for choice in each}
            value = {"choices": [text]}
        elif each.tag == "Rating":
            assert 1 <= int(text) <= int(each.get("maxRating"))
            value = {"rating": int(text)}
        else:
            value = {"number": float(text)}
            assert float(each.get("min", "-inf")) <= value["number"] <= float(each.get("max", "inf"))
            assert each.get("step") is None or value["number"].is_integer()
        kind = each.tag.lower()
        yield {"from_name": each.get("name"), "to_name": each.get("toName"), "type": kind, "value": value}


def filled(folder, style, answer):
    """Exports of a folder of projects, as many annotations as each asks for, in one of the styles of Label Studio."""
    paths = []
    for project, row in enumerate(rows_of(folder), start=1):
        tasks = json.loads((folder / row["tasks"]).read_text(encoding="utf-8"))
        tree = checked((folder / row["config"]).read_text(encoding="utf-8"), tasks)
        full = []
        for at, each in enumerate(tasks, start=1):
            made = []
            for worker in range(int(row["annotations"])):
                by = worker if style != "object" else {"id": worker, "email": f"{worker}@example.org"}
                results = list(answered(tree, each["data"], worker, answer))
                number = {"id": 10_000 * project + 100 * at + worker, "completed_by": by}
                made.append(annotation(*results, **number, created_at="2026-03-02T10:00:00Z"))
            full.append({"id": 1000 * project + at, "annotations": made, "data": each["data"], "meta": {}})
        out = [entry for each in full for entry in flattened(each)] if style == "min" else full
        paths.append(export(folder, *out, name=f"export-{project}.json"))
    return paths


def flattened(task):
    """A task as JSON-MIN has it: one entry for each annotation, in which the answers stand beside the task's fields."""
    for each in task["annotations"]:
        answers = {
            entry["from_name"]: entry["value"]["choices"][0] if entry["type"] == "choices" else [entry["value"]]
            for entry in each["result"]
        }
        ends = {"annotator": each["completed_by"], "annotation_id": each["id"], "created_at": each["created_at"]}
        yield task["data"] | {"id": task["id"]} | answers | ends | {"updated_at": each["created_at"], "lead_time": 1.5}


def said(thing, attribute, worker):
    """A made-up answer to every question."""
    at = list(OBJECTS).index(thing) + int(worker)
    return {
        "tall": ("yes", "no")[at % 2],
        "text": ("no", "yes", "cant_tell")[at % 3],
        "height": f"{150 + at}.5",
        "age": str(1 + at % 3),
        "stars": str(1 + at % 5),
        "mood": ("-1", "0", "cant_tell")[at % 3],
        "years": str(at % 10),
        ODD.name: None if at % 3 == 1 else str(at),
    }[attribute]


class TestWriting:
    @given(
        counts=st.dictionaries(
            st.tuples(st.sampled_from(sorted(OBJECTS)), st.sampled_from(sorted(QUESTIONS))),
            st.integers(1, 4),
            min_size=1,
            max_size=16,
        ),
        style=st.sampled_from(["number", "object", "min"]),
    )
    def test_what_is_answered_comes_back(self, tmp_path_factory, counts, style):
        folder = tmp_path_factory.mktemp("out") / "projects"
        label_studio.write(requests(counts), folder)
        assert sum(int(row["judgments"]) for row in rows_of(folder)) == sum(counts.values())
        exports = filled(folder, style, said)
        expected = {
            (thing, name, str(at)): {"yes": 1.0, "no": 0.0}[text] if text in ("yes", "no") else float(text)
            for (thing, name), count in counts.items()
            for at in range(count)
            if (text := said(thing, name, at)) not in (None, "cant_tell")
        }
        if not expected:
            complaint(exports, error=JudgmentsError, file="export-1.json")
            return
        assert values(label_studio.read(exports, questions=QUESTIONS)) == expected
        assert values(label_studio.read(exports)) == expected

    def test_what_lies_in_the_folder(self, tmp_path):
        counts = {("a", "tall"): 3, ("d, e", "tall"): 3, ("a", "age"): 3, ("d, e", "age"): 3, ("c", "tall"): 3}
        label_studio.write(requests(counts | {("a", "height"): 12}), tmp_path / "out")
        files = {f"{at}-{name}" for at in (1, 2, 3) for name in ("config.xml", "tasks.json", "project.json")}
        found = {each.name for each in (tmp_path / "out").iterdir()}
        assert found == files | {"projects.csv", "instructions.html", "README.md"}
        overview = pd.read_csv(tmp_path / "out" / "projects.csv")
        assert list(overview["attributes"]) == ["tall, age", "tall", "height"]
        assert list(overview["shown"]) == ["text", "image and text", "text"]
        assert list(overview["annotations"]) == [3, 3, 12]
        assert list(overview["objects"]) == [2, 1, 1]
        assert list(overview["judgments"]) == [12, 3, 12]
        assert list(overview["cost"]) == [2, 1, 1]
        tasks = json.loads((tmp_path / "out" / "1-tasks.json").read_text(encoding="utf-8"))
        own = {"tall": "tall", "age": "age"}
        assert tasks[0] == {"data": {"object": "a", "text": OBJECTS["a"].text, "manyjudges": own}}
        assert "3 projects" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")

    def test_what_the_interface_for_programs_takes(self, tmp_path):
        label_studio.write(requests({("a", "tall"): 3}, title="x" * 80), tmp_path / "out")
        project = json.loads((tmp_path / "out" / "1-project.json").read_text(encoding="utf-8"))
        assert project == {
            "title": "x" * 46 + " – 1",  # 50 characters are the most
            "label_config": (tmp_path / "out" / "1-config.xml").read_text(encoding="utf-8"),
            "expert_instruction": "<p>Welcome.</p>\n<p>Take &lt;your&gt; time.</p>",
            "show_instruction": True,
        }

    def test_no_more_projects_than_attributes(self, tmp_path):
        every = [("a", "tall"), ("d, e", "tall"), ("a", "age"), ("x", "age")]
        things = {name: ObjectContent(text=name) for name in ("a", "d, e", "x")}
        wanted = Requests(tuple(RequestedPair(*pair, 2) for pair in every), {"tall": TALL, "age": AGE}, things)
        label_studio.write(wanted, tmp_path / "out")  # three sets: both, only tall, only age
        rows = rows_of(tmp_path / "out")
        assert [(row["attributes"], row["objects"]) for row in rows] == [("tall", "2"), ("age", "2")]
        assert "instructions.html" not in {each.name for each in (tmp_path / "out").iterdir()}

    def test_controls(self):
        tree = ElementTree.fromstring(configuration(["image", "text"], control_names_of(QUESTIONS)))
        controls = {each.get("name"): each for each in tree if each.get("toName")}
        kinds = {name: each.tag for name, each in controls.items()}
        assert kinds == {
            "tall": "Choices", "height": "Number", "age": "Choices", "stars": "Rating", "mood": "Choices",
            "attribute_6": "Number", "attribute_7": "Choices", "years": "Number",
        }  # fmt: skip
        assert [(each.get("alias"), each.get("value")) for each in controls["mood"]] == [
            ("-1", "-1 – bad"),
            ("0", "0"),
            ("1", "1 – good"),
            ("cant_tell", "can’t tell"),
        ]
        assert [each.get("alias") for each in controls["tall"]] == ["yes", "no"]
        assert controls["stars"].get("maxRating") == "5"
        limits = {name: controls["years"].get(name) for name in ("min", "max", "step", "required")}
        assert limits == {"min": "0", "max": "9", "step": "1", "required": "true"}
        assert controls["height"].get("step") is None  # Label Studio would take whole numbers only
        assert [each.tag for each in tree][:2] == ["Image", "Text"]

    def test_what_is_shown_is_what_is_meant(self):
        tree = ElementTree.fromstring(configuration(["text"], {"attribute_1": ODD}))
        headers = [substituted(each.get("value"), {}).replace("\u2060", "") for each in tree if each.tag == "Header"]
        assert headers == [
            "Worth $5 & <more>?",
            "Think.",
            "Say.",
            "For example: $3",
            "A number (leave it empty if you can’t tell; take back what you wrote by undo, as deleting it makes it 0)",
        ]

    def test_names_of_controls(self):
        names = ["a b", "attribute_1", "id", "object", "manyjudges", "x" * 61, "ok-1", "1st"]
        found = control_names(names)
        assert len(set(found.values())) == len(names)
        assert found["attribute_1"] == "attribute_1"
        assert found["a b"] == "attribute_1_"
        assert found["ok-1"] == "ok-1"
        assert found["1st"] == "attribute_8"

    @given(st.lists(st.text(max_size=8), unique=True, max_size=6))
    def test_names_of_controls_are_plain_and_differ(self, names):
        found = control_names(names)
        assert len(set(found.values())) == len(names)
        assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", control) for control in found.values())

    @given(st.text())
    def test_no_text_is_taken_for_a_field(self, text):
        assert substituted(words(text), {}) == words(text)
        ElementTree.fromstring(configuration(["text"], {"a": TALL.model_copy(update={"question": text})}))

    def test_a_plain_table(self, tmp_path):
        frame = pd.DataFrame({"object": ["x", "y"], "attribute": "beans", "count": [1, 2]})
        label_studio.write(frame, tmp_path / "out")
        answers = filled(tmp_path / "out", "object", lambda thing, *_: {"x": "3", "y": "4.5"}[thing])
        assert values(label_studio.read(answers)) == {
            ("x", "beans", "0"): 3,
            ("y", "beans", "0"): 4.5,
            ("y", "beans", "1"): 4.5,
        }


def control_names_of(questions):
    """Questions by their controls."""
    return {control: questions[name] for name, control in control_names(questions).items()}


class TestPictures:
    def wanted(self, folder, *names):
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(PIXEL)
        pairs = tuple(RequestedPair(name, "tall", 1) for name in names)
        return Requests(pairs, {"tall": TALL}, {name: ObjectContent(image=folder / name) for name in names})

    def images(self, folder):
        return [each["data"]["image"] for each in json.loads((folder / "1-tasks.json").read_text(encoding="utf-8"))]

    def test_they_stand_in_the_tasks(self, tmp_path):
        label_studio.write(self.wanted(tmp_path, "a.png"), tmp_path / "out")
        (address,) = self.images(tmp_path / "out")
        start, data = address.split(",")
        assert start == "data:image/png;base64"
        assert b64decode(data) == PIXEL

    @pytest.mark.parametrize("site", ["https://example.org/p/", "/data/local-files/?d=people"])
    def test_or_on_a_site(self, tmp_path, site):
        label_studio.write(self.wanted(tmp_path, "x/pic 1.png", "x/2.png"), tmp_path / "out", site=site)
        start = site.rstrip("/")
        assert self.images(tmp_path / "out") == [f"{start}/pic%201.png", f"{start}/2.png"]

    def test_complaints(self, tmp_path):
        wanted = self.wanted(tmp_path, "x/a.png", "y/a.png")
        with refused(DocumentError, value="example.org", column="site"):
            label_studio.write(wanted, tmp_path / "out", site="example.org")
        with refused(DocumentError, value="a.png", row="y/a.png", column="image"):
            label_studio.write(wanted, tmp_path / "out", site="https://example.org")
        with refused(DocumentError, row="x/a.png", column="site"):
            projects.folder(wanted, max_bytes=10)
        (tmp_path / "x" / "a.png").write_text("<svg/>")
        with refused(DocumentError, row="x/a.png", column="image", file="a.png"):
            label_studio.write(wanted, tmp_path / "out")
        (tmp_path / "x" / "a.png").unlink()
        with refused(DocumentError, row="x/a.png", column="image", file="a.png"):
            label_studio.write(wanted, tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_nothing_to_show(self, tmp_path):
        one = Requests((RequestedPair("a", "tall", 1),), {"tall": TALL}, {"a": ObjectContent(text=" ")})
        with refused(DocumentError, row="a"):
            label_studio.write(one, tmp_path / "out")

    def test_the_folder_must_be_new(self, tmp_path):
        (tmp_path / "mine.txt").touch()
        with refused(DocumentError, file=str(tmp_path)):
            label_studio.write(requests({("a", "tall"): 1}), tmp_path)
