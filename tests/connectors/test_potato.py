"""Potato: what its users said is read in all of its formats, and what is written for it comes back."""

from __future__ import annotations

import csv
import json
from functools import partial

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.connectors import connector, potato
from manyjudges.connectors.potato.projects import as_yaml
from manyjudges.connectors.requests import ObjectContent, RequestedPair, Requests
from manyjudges.exceptions import DocumentError, InvalidAnswerError, JudgmentsError
from manyjudges.study.questions import Attribute
from tests.support.folders import ROOT
from tests.support.messages import complaint_of, refused

FIXTURES = ROOT / "tests" / "fixtures" / "potato"
TALL = Attribute(name="tall", question="Is the person tall?", kind="binary")
HEIGHT = Attribute(name="height", question="How tall?", kind="number", range=(50.0, 250.0), unit="cm")
AGE = Attribute(name="age", question="How old?", kind="scale", range=(1.0, 5.0))
MINE = {each.name: each for each in (TALL, HEIGHT, AGE)}
EVERYTHING = {
    ("p1", "tall", "ann"): 1,
    ("p1", "height", "ann"): 180,
    ("p1", "age", "ann"): 3,
    ("p2", "tall", "ann"): 0,
    ("p1", "tall", "bob"): 0,
    ("p1", "height", "bob"): 175.5,
    ("p1", "age", "bob"): 2,
    ("p2", "age", "bob"): 5,
}


def values(judgments):
    """Judgments as a dict from (object, attribute, worker) to the value."""
    frame = judgments.to_frame()
    keys = zip(frame["object"], frame["attribute"], frame["worker"], strict=True)
    return dict(zip(keys, frame["value"], strict=True))


def state(folder, labels, user="ann", **more):
    """A state file of a user, with these labels by objects: pairs (scheme, name, value), or as they are."""
    kept = {
        thing: [[{"schema": scheme, "name": name}, value] for scheme, name, value in said]
        if isinstance(said, list) and all(isinstance(each, tuple) for each in said)
        else said
        for thing, said in labels.items()
    }
    path = folder / user / "user_state.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"user_id": user, "instance_id_to_label_to_value": kept} | more), encoding="utf-8")
    return path


def lines(path, *trees):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in trees), encoding="utf-8")
    return path


complaint = partial(complaint_of, potato.read, error=DocumentError)


class TestReading:
    @pytest.mark.parametrize(
        "name",
        [
            "newer",
            "newer/exports",
            "newer/exports/csv",
            "newer/exports/csv/annotations.csv",
            "newer/exports/jsonl/annotations.jsonl",
            "tried",  # as Potato 2.12.1 kept it, asked by what is written here
            "tried/exports/csv",
            "tried/exports/jsonl",
            "older",
            "older/annotated_instances.tsv",
        ],
    )
    def test_every_format_says_the_same(self, name):
        for options in ({"questions": MINE}, {"attributes": ["tall", "height", "age"]}):
            assert values(potato.read(FIXTURES / name, **options)) == EVERYTHING

    def test_the_oldest_format(self):
        found = values(potato.read(FIXTURES / "oldest"))
        assert found == {("p1", "tall", "ann"): 1, ("p1", "age", "ann"): 3, ("p2", "tall", "ann"): 0}

    def test_one_user_and_several(self):
        ann, bob = (FIXTURES / "newer" / name / "user_state.json" for name in ("ann", "bob"))
        assert set(values(potato.read(ann, questions=MINE))) == {key for key in EVERYTHING if key[2] == "ann"}
        assert values(potato.read([ann, bob], questions=MINE)) == EVERYTHING
        assert values(potato.read([ann, FIXTURES / "newer", bob], questions=MINE)) == EVERYTHING

    def test_files_that_say_the_same_count_once(self):
        paths = [FIXTURES / "newer", FIXTURES / "older", FIXTURES / "newer" / "exports"]
        assert values(potato.read(paths, questions=MINE)) == EVERYTHING

    def test_a_folder_of_projects(self, tmp_path):
        state(tmp_path / "1" / "annotation_output", {"a": [("tall", "yes", "yes")]})
        state(tmp_path / "2" / "annotation_output", {"a": [("old", "no", "no")]})
        lines(
            tmp_path / "3" / "annotation_output" / "annotated_instances.jsonl",
            {"user_id": "bob", "instance_id": "a", "label_annotations": {"old": {"yes": "true"}}},
        )
        assert values(potato.read(tmp_path)) == {
            ("a", "tall", "ann"): 1,
            ("a", "old", "ann"): 0,
            ("a", "old", "bob"): 1,
        }

    @pytest.mark.parametrize(
        "labels",
        [
            [[{"schema": "tall", "name": "yes"}, "yes"]],
            [[{"schema": "tall", "name": "yes"}, True]],
            [[{"schema": "tall", "name": "yes"}, "2"]],
            [["tall", "yes"]],
            {"tall": {"yes": "true"}},
            {"tall": {"yes": "on", "no": False}},
            {"tall": {"yes": "tall:::yes", "no": "false"}},
            {"tall": {"labels": {"yes": True}}},
            {"tall": {"yes": "yes", "free_response": "very much so"}},
            {"tall": "yes"},
            {"tall": True},
            {"tall": ["yes"]},
            {"tall": {"select-one": "yes"}},
        ],
    )
    def test_ways_to_keep_a_choice(self, tmp_path, labels):
        assert values(potato.read(state(tmp_path, {"a": labels}))) == {("a", "tall", "ann"): 1}

    @pytest.mark.parametrize(
        "labels",
        [
            {"x": {"number": "4.0"}},
            {"x": {"number": 4}},
            {"x": {"text_box": "4"}},
            {"x": {"slider": "4"}},
            {"x": {"x": "4.0"}},
            {"x": {"4": "4"}},
            {"x": {"4 = very": "4 = very"}},
            {"x": 4.0},
        ],
    )
    def test_ways_to_keep_a_number(self, tmp_path, labels):
        assert values(potato.read(state(tmp_path, {"a": labels}))) == {("a", "x", "ann"): 4}

    def test_keys_of_choices(self, tmp_path):
        labels = {"ten": {"10": "0"}, "zero": {"0": "0"}, "small": {"no": "2"}, "untrue": {"false": "false"}}
        found = values(potato.read(state(tmp_path, {"a": labels})))
        assert {name: value for (_, name, _), value in found.items()} == {"ten": 10, "zero": 0, "small": 0, "untrue": 0}

    @pytest.mark.parametrize(
        "labels",
        [
            {},
            {"tall": {}},
            {"tall": {"yes": False, "no": None}},
            {"tall": {"yes": "0"}},
            {"tall": {"yes": 0}},
            {"tall": {"cannot tell": "cannot tell"}},
            {"tall": {"bad_text": "0"}},
            {"tall": {"bad_text": "bad_text"}},
            {"tall": {"bad_text": True}},
            {"tall": {"number": ""}},
            {"tall": {"number": None}},
            {"tall": {"text_box": "Can't tell"}},
            {"tall": {"free_response": "who knows"}},
            [],
        ],
    )
    def test_what_is_no_judgment(self, tmp_path, labels):
        path = state(tmp_path, {"a": labels, "b": {"tall": "yes"}})
        assert values(potato.read(path)) == {("b", "tall", "ann"): 1}

    def test_labels_of_the_study(self, tmp_path):
        labels = ("none", "1 = some", "all")
        mood = Attribute(name="mood", question="Mood?", kind="scale", range=(0.0, 2.0), labels=labels)
        said = {"a": {"Mood": {"None": "None"}}, "b": {"Mood": {"1 = some": "true"}}, "c": {"Mood": {"2 = all": "x"}}}
        found = potato.read(state(tmp_path, said), questions={"mood": mood}, rename={"Mood": "mood"})
        assert list(values(found).values()) == [0, 1, 2]

    def test_attributes_by_either_name(self, tmp_path):
        path = state(tmp_path, {"a": {"Old": "2", "comment": "hm"}})
        for name in ("Old", "age"):
            assert values(potato.read(path, attributes=[name], rename={"Old": "age"})) == {("a", "age", "ann"): 2}
        assert values(potato.read(path, attributes="Old")) == {("a", "Old", "ann"): 2}

    def test_boxes_that_are_attributes(self, tmp_path):
        path = state(tmp_path, {"a": {"traits": {"tall": "true", "old": "old"}}, "b": {"traits": {"old": True}}})
        found = potato.read(path, attributes=["traits.tall", "traits.rare", "old"], rename={"traits.old": "old"})
        assert values(found) == {
            ("a", "traits.tall", "ann"): 1,
            ("a", "traits.rare", "ann"): 0,
            ("a", "old", "ann"): 1,
            ("b", "traits.tall", "ann"): 0,
            ("b", "traits.rare", "ann"): 0,
            ("b", "old", "ann"): 1,
        }

    def test_a_matrix_of_ratings(self, tmp_path):
        path = state(tmp_path, {"a": {"look": {"age": "4", "tall": "2"}}, "b": {"look": {"tall": "1"}}})
        tall = TALL.model_copy(update={"name": "tall"})
        found = potato.read(path, questions={"age": AGE, "tall": tall}, rename={"look.age": "age", "look.tall": "tall"})
        assert values(found) == {("a", "age", "ann"): 4, ("a", "tall", "ann"): 1, ("b", "tall", "ann"): 1}
        complaint(path, attributes=["look.age"], error=JudgmentsError, value="4", row="a", column="look")

    def test_names_with_points(self, tmp_path):
        labels = {"face": {"yes": "yes"}, "face.old": {"no": "no"}, "face.x.y": {"number": "3"}}
        expected = {("a", "face", "ann"): 1, ("a", "face.old", "ann"): 0, ("a", "face.x.y", "ann"): 3}
        path = state(tmp_path, {"a": labels})
        assert values(potato.read(path)) == values(potato.read(path, attributes=list(labels))) == expected
        table = tmp_path / "annotations.csv"
        table.write_text("instance_id,user_id,face.yes,face.old.no,face.x.y.number\na,ann,yes,no,3\n")
        assert values(potato.read(table, attributes=list(labels))) == expected

    def test_an_answer_that_was_changed(self, tmp_path):
        def change(when, label, scheme="tall"):
            return {"timestamp": when, "schema_name": scheme, "label_name": label, "action": "select"}

        changes = [change(3.5, "yes"), change(1, "yes"), change(2, "no"), change(9, "no", "old"), {}, 7]
        noted = {"a": {"annotation_changes": changes}}
        labels = {"a": [("tall", "yes", "yes"), ("tall", "no", "no")]}
        path = state(tmp_path, labels, instance_id_to_behavioral_data=noted)
        assert values(potato.read(path, questions=MINE)) == {("a", "tall", "ann"): 1}
        complaint(
            path, error=JudgmentsError, value=["yes", "no"], row="a", column="tall"
        )  # they may be two boxes, both ticked
        complaint(
            state(tmp_path, labels), questions=MINE, error=JudgmentsError, value=["yes", "no"], row="a", column="tall"
        )

    def test_the_column_that_says_which_answer_holds(self, tmp_path):
        path = tmp_path / "annotations.csv"
        path.write_text("instance_id,user_id,age.4,age.5,age,tall.yes,tall.no,tall\na,ann,4,5,4,1,2,2\nb,bob,,5,,1,,\n")
        assert values(potato.read(path)) == {
            ("a", "age", "ann"): 4,
            ("a", "tall", "ann"): 0,
            ("b", "age", "bob"): 5,
            ("b", "tall", "bob"): 1,
        }

    def test_columns_that_are_no_answers(self, tmp_path):
        path = tmp_path / "annotations.tsv"
        heading = ["instance_id", "user_id", "annotator_origin", "annotator_origin_detail", "tall.yes", "hat._spans"]
        path.write_text("\t".join([*heading, "tall._room_id"]) + "\na\tann\thuman\t\tyes\t[]\tr1\n")
        assert values(potato.read(path)) == {("a", "tall", "ann"): 1}

    def test_another_name_for_the_object(self, tmp_path):
        path = tmp_path / "annotated_instances.csv"
        path.write_text("user,instance_id,displayed_text,tall:::yes\nann,17,a person,true\n")
        assert values(potato.read(path, object="displayed_text")) == {("a person", "tall", "ann"): 1}
        tree = {"user_id": "ann", "instance_id": 17, "url": "u", "labels": {"tall": {"yes": "yes"}}}
        path = lines(tmp_path / "annotations.jsonl", tree)
        assert values(potato.read(path)) == {("17", "tall", "ann"): 1}
        assert values(potato.read(path, object="url")) == {("u", "tall", "ann"): 1}
        complaint(state(tmp_path, {"a": {}}), object="url", value="url", column="object", file="ann/user_state.json")

    def test_a_list_instead_of_lines(self, tmp_path):
        path = tmp_path / "annotated_instances.json"
        path.write_text('[{"user_id": "ann", "instance_id": "a",\n "label_annotations": {"tall": {"yes": "yes"}}}]')
        assert values(potato.read(path)) == {("a", "tall", "ann"): 1}

    def test_a_user_without_a_name_is_called_as_the_folder(self, tmp_path):
        path = state(tmp_path, {"a": {"tall": "yes"}}, user="zoë")
        tree = json.loads(path.read_text(encoding="utf-8"))
        del tree["user_id"]
        path.write_text(json.dumps(tree))
        assert values(potato.read(tmp_path)) == {("a", "tall", "zoë"): 1}

    @pytest.mark.parametrize(("repeated", "value"), [("first", 1), ("last", 0)])
    def test_the_same_user_twice(self, tmp_path, repeated, value):
        one = state(tmp_path / "1", {"a": {"tall": "yes"}})
        other = state(tmp_path / "2", {"a": {"tall": "no"}})
        assert values(potato.read([one, other], repeated=repeated)) == {("a", "tall", "ann"): value}
        assert values(potato.read(tmp_path, repeated=repeated)) == {("a", "tall", "ann"): value}
        complaint([one, other], error=JudgmentsError, value="ann", row="a", column="tall")


class TestComplaints:
    def test_free_text(self):
        complaint(FIXTURES / "newer", error=JudgmentsError, value="a nice hat", row="p1", column="comment")

    def test_an_answer_out_of_range(self, tmp_path):
        path = state(tmp_path, {"a": {"height": {"number": "18"}}})
        complaint(path, questions=MINE, error=InvalidAnswerError, value="18", row="a", column="height")

    def test_an_attribute_that_the_study_does_not_have(self, tmp_path):
        path = state(tmp_path, {"a": {"old": "yes"}})
        complaint(path, questions=MINE, attributes=["old"], value="old", row="a", column="attribute")
        complaint(path, questions=MINE, error=JudgmentsError, file="user_state.json")

    def test_names_that_are_not_there(self, tmp_path):
        path = state(tmp_path, {"a": {"tall": "yes"}})
        complaint(
            path,
            attributes=["tall", "oldd"],
            error=JudgmentsError,
            value="oldd",
            column="attributes",
            file="user_state.json",
        )

    @pytest.mark.parametrize("text", ["", "{", "[1]", "3", "{}", '{"user_id": "a"}', "[" * 100_000])
    def test_what_is_no_state(self, tmp_path, text):
        (tmp_path / "ann").mkdir()
        (tmp_path / "ann" / "user_state.json").write_text(text)
        complaint(tmp_path, file="ann/user_state.json")

    @pytest.mark.parametrize("labels", [3, "yes", None, [3], [["tall"]], [[{"name": "yes"}, 1]], [[1, 2, 3]], [[3, 4]]])
    def test_what_are_no_labels(self, tmp_path, labels):
        complaint(state(tmp_path, {"a": labels}), row="a")

    @pytest.mark.parametrize("value", [[1, 2], {"x": 1}, "maybe", "nan"])
    def test_what_is_no_number(self, tmp_path, value):
        complaint(
            state(tmp_path, {"a": [("tall", "number", value)]}),
            error=JudgmentsError,
            value=value,
            row="a",
            column="tall",
        )

    @pytest.mark.parametrize("user", [" ", True, ["ann"], {}])
    def test_a_user_who_has_no_name(self, tmp_path, user):
        tree = {"user_id": user, "instance_id_to_label_to_value": {"a": {"tall": "yes"}}}
        path = lines(tmp_path / "mine.json", tree)
        complaint(path, value=user, column="user_id", file="mine.json")

    @pytest.mark.parametrize(("name", "file"), [("user_state.json", "ann/user_state.json"), ("mine.json", "mine.json")])
    def test_a_state_that_is_cut_off(self, tmp_path, name, file):
        path = tmp_path / "ann" / name
        path.parent.mkdir()
        path.write_text('{"user_id":')
        complaint(path, row=1, file=file)

    @pytest.mark.parametrize(
        ("line", "fields"),
        [
            ("{", {}),
            ("3", {"value": 3}),
            (
                '{"user_id": "ann"}',
                {"column": "instance_id"},
            ),
            (
                '{"user_id": "ann", "instance_id": ""}',
                {"value": "", "column": "instance_id"},
            ),
            ('{"user_id": "ann", "instance_id": "a"}', {}),
            (
                '{"instance_id": "a", "labels": {}}',
                {"column": "user_id"},
            ),
            (
                '{"user_id": "ann", "instance_id": "a", "labels": 3}',
                {"value": 3},
            ),
        ],
    )
    def test_a_bad_line(self, tmp_path, line, fields):
        good = '{"user_id": "ann", "instance_id": "b", "labels": {"tall": {"yes": "yes"}}}'
        path = tmp_path / "annotations.jsonl"
        path.write_text(f"{good}\n{line}\n")
        complaint(path, row=2, **fields)

    @pytest.mark.parametrize(
        ("text", "fields"),
        [
            ("instance_id,user_id,tall.yes\n,ann,yes\n", {"row": 2, "column": "instance_id"}),
            ("instance_id,user_id,tall.yes\na, ,yes\n", {"row": 2, "column": "user_id"}),
            ("instance_id,tall.yes\na,yes\n", {"column": "user_id"}),
            ("user_id,tall.yes\nann,yes\n", {"column": "instance_id"}),
            ("instance_id,user_id\na,ann\n", {}),
            (
                "instance_id,user_id,x.number\na,ann,much\n",
                {"error": JudgmentsError, "value": "much", "row": 2, "column": "x"},
            ),
            ("instance_id,user_id,x.number\na,ann,\n", {"error": JudgmentsError}),
            ("", {}),
        ],
    )
    def test_a_bad_table(self, tmp_path, text, fields):
        (tmp_path / "annotations.csv").write_text(text)
        complaint(tmp_path / "annotations.csv", file="annotations.csv", **fields)

    def test_other_mistakes(self, tmp_path):
        complaint(FIXTURES / "newer", repeated="newest", error=JudgmentsError, value="newest", column="repeated")
        complaint([], column="path")
        complaint(tmp_path / "none.json", file="none.json")
        complaint(tmp_path, file=str(tmp_path))


class TestDetecting:
    def test_files_and_folders_are_known(self):
        found = [each for each in FIXTURES.rglob("*") if each.suffix != ".txt"]
        assert len(found) > 15
        for path in found:
            assert potato.detects(path), path

    def test_others_are_not(self, tmp_path):
        assert not potato.detects(tmp_path)
        (tmp_path / "other.csv").write_text("object,attribute,worker,value\na,b,c,1\n")
        (tmp_path / "plain.csv").write_text("instance_id,user_id,value\na,b,1\n")
        (tmp_path / "binary.json").write_bytes(bytes(range(256)))
        (tmp_path / "user_state.json").write_text('{"user_id": "a", "theme": "dark"}')
        (tmp_path / "annotations.jsonl").write_text('{"id": 1, "labels": [1]}\n')
        (tmp_path / "deep.json").write_text("{" * 100_000)
        (tmp_path / "quotes.csv").write_text('"instance_id,user_id')
        (tmp_path / "empty.json").touch()
        for path in (*tmp_path.iterdir(), tmp_path, tmp_path / "none"):
            assert not potato.detects(path)

    def test_the_connector_is_found(self):
        assert connector("potato") is potato.CONNECTOR


OBJECTS = {
    "a": ObjectContent(text='One\ntwo < three & "four" {{five}} 🙂\u2028six'),
    "b/ü 🙂": ObjectContent(address="https://example.org/b.jpg?x=1&y=2"),
    "c": ObjectContent(text="c", address="https://example.org/c.jpg"),
    "d, e: f": ObjectContent(text="d"),
}
ODD = Attribute(name='Odd. "name"_2 🙂', question="Why <b>?", kind="number", help="Think.\nThen say.", example="$3")
MOOD = Attribute(name="mood", question="Mood?\u2028", kind="scale", range=(-1.0, 1.0), labels=("bad", "good"))
EASE = Attribute(name="ease", question="Easy?", kind="scale", range=(1.0, 7.0), labels=("not: at all", "very"))
RANK = Attribute(name="rank", question="Which?", kind="scale", range=(1.0, 2.0), labels=("1st", "2nd"), cant_tell=False)
OLD = Attribute(name="old", question="Old?", kind="binary", cant_tell=True)
QUESTIONS = {each.name: each for each in (TALL, HEIGHT, ODD, MOOD, EASE, RANK, OLD)}


def requests(counts):
    """Requests with these counts, by pairs of object and attribute."""
    pairs = tuple(RequestedPair(thing, name, count) for (thing, name), count in counts.items())
    names, things = {pair.attribute for pair in pairs}, {pair.object for pair in pairs}
    return Requests(
        pairs,
        {name: each for name, each in QUESTIONS.items() if name in names},
        {name: each for name, each in OBJECTS.items() if name in things},
        "People & pets",
        "Welcome.\n\nTake your time: # it is yours.",
    )


def said(thing, attribute, worker):
    """A made-up judgment; None for somebody who cannot tell."""
    at = list(OBJECTS).index(thing) + int(worker[1:])
    return {
        "tall": at % 2,
        "old": (0, 1, None)[at % 3],
        "height": 150.5 + at,
        "mood": (-1, 0, 1, None)[at % 4],
        "ease": (1, 7, None)[at % 3],
        "rank": 1 + at % 2,
        ODD.name: None if at % 3 == 1 else at,
    }[attribute]


def field(scheme, value):
    """The name and the value that Potato keeps when somebody answers on its page."""
    if scheme["annotation_type"] == "number":
        return "number", "" if value is None else f"{value:g}"
    if scheme["annotation_type"] == "likert":
        if value is None:
            assert scheme["bad_text_label"] == {"label_content": "cannot tell"}
            return "bad_text", "bad_text"
        assert 1 <= value <= scheme["size"]
        return str(value), str(value)
    wanted = "cannot tell" if value is None else str(value)
    yes_no = {"1": "yes", "0": "no"} if scheme["labels"][0] == "yes" else {}
    (label,) = [each for each in scheme["labels"] if each.split(" = ")[0] == yes_no.get(wanted, wanted)]
    return label, label


def judged(folder):
    """What people would say in the projects of a folder: project, user, object, and answers by schemes."""
    for config in sorted(folder.glob("*/config.yaml")):
        project = json.loads(config.read_text(encoding="utf-8"))
        (data,) = project["data_files"]
        items = [json.loads(line) for line in (config.parent / data).read_text(encoding="utf-8").splitlines()]
        for at in range(project["num_annotators_per_item"]):
            for item in items:
                assert all(each["key"] in item for each in project["instance_display"]["fields"])
                answers = {
                    scheme["name"]: dict([field(scheme, said(item["id"], scheme["name"], f"w{at}"))])
                    for scheme in project["annotation_schemes"]
                }
                yield config.parent, f"w{at}", item["id"], answers


def annotated(folder, style):
    """The folder after people have worked in it, with what Potato keeps of that in one of its formats."""
    found = list(judged(folder))
    for project in {each for each, *_ in found}:
        rows = [each[1:] for each in found if each[0] == project]
        out = project / "annotation_output"
        out.mkdir()
        if style == "state":
            for user in {each for each, _, _ in rows}:
                labels = {
                    thing: [(scheme, *pair) for scheme, kept in answers.items() for pair in kept.items()]
                    for who, thing, answers in rows
                    if who == user
                }
                state(out, labels, user)
        elif style == "jsonl":
            trees = [{"instance_id": thing, "user_id": who, "labels": answers} for who, thing, answers in rows]
            lines(out / "annotations.jsonl", *trees)
        else:
            table(out, rows, style)
    return folder


def table(out, rows, style):
    """What people said, in a table of an older or a newer version."""
    apart, heading = (":::", ["user", "instance_id"]) if style == "older" else (".", ["user_id", "instance_id"])
    name = "annotated_instances.csv" if style == "older" else "annotations.csv"
    cells = [
        {heading[0]: who, "instance_id": thing}
        | {f"{scheme}{apart}{name}": value for scheme, kept in answers.items() for name, value in kept.items()}
        for who, thing, answers in rows
    ]
    with open(out / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(key for row in cells for key in row)), restval="")
        writer.writeheader()
        writer.writerows(cells)


class TestWriting:
    @given(
        counts=st.dictionaries(
            st.tuples(st.sampled_from(sorted(OBJECTS)), st.sampled_from(sorted(QUESTIONS))),
            st.integers(1, 4),
            min_size=1,
            max_size=12,
        ),
        style=st.sampled_from(["state", "jsonl", "older", "newer"]),
    )
    def test_what_is_answered_comes_back(self, tmp_path_factory, counts, style):
        folder = tmp_path_factory.mktemp("out") / "projects"
        potato.write(requests(counts), folder)
        assert pd.read_csv(folder / "projects.csv")["judgments"].sum() == sum(counts.values())
        annotated(folder, style)
        expected = {
            (thing, name, f"w{at}"): value
            for (thing, name), count in counts.items()
            for at in range(count)
            if (value := said(thing, name, f"w{at}")) is not None
        }
        if not expected:
            complaint(folder, error=JudgmentsError, file="projects")
            return
        assert values(potato.read(folder, questions=QUESTIONS)) == expected
        assert values(potato.read(folder)) == expected

    def test_a_configuration_is_yaml(self, tmp_path):
        yaml = pytest.importorskip("yaml")
        potato.write(requests({(thing, name): 1 for thing in OBJECTS for name in QUESTIONS}), tmp_path / "out")
        found = sorted((tmp_path / "out").glob("*/config.yaml"))
        assert len(found) == 3  # objects with a text, a picture, and both
        for path in found:
            text = path.read_text(encoding="utf-8")
            assert yaml.safe_load(text) == json.loads(text)
            told = "<p>Welcome.</p>\n<p>Take your time: # it is yours.</p>"
            assert json.loads(text)["annotation_instructions"] == told

    @given(st.text())
    def test_every_text_is_the_same_in_both_languages(self, text):
        yaml = pytest.importorskip("yaml")
        assert yaml.safe_load(as_yaml({"x": text})) == json.loads(as_yaml({"x": text})) == {"x": text}

    def test_what_lies_in_the_folder(self, tmp_path):
        counts = {("a", "tall"): 3, ("d, e: f", "tall"): 3, ("a", "old"): 3, ("d, e: f", "old"): 3, ("a", "ease"): 5}
        potato.write(requests(counts), tmp_path / "out")
        found = {str(each.relative_to(tmp_path / "out")) for each in (tmp_path / "out").rglob("*") if each.is_file()}
        assert found == {
            "projects.csv", "1/config.yaml", "1/data/objects.jsonl", "2/config.yaml", "2/data/objects.jsonl",
        }  # fmt: skip
        overview = pd.read_csv(tmp_path / "out" / "projects.csv")
        assert overview.to_dict("list") == {
            "project": [1, 2],
            "attributes": ["tall, old", "ease"],
            "objects": [2, 1],
            "annotators": [3, 5],
            "judgments": [12, 5],
        }
        assert json.loads((tmp_path / "out" / "1" / "config.yaml").read_text(encoding="utf-8")) == {
            "annotation_task_name": "People & pets 1",
            "annotation_instructions": "<p>Welcome.</p>\n<p>Take your time: # it is yours.</p>",
            "task_dir": ".",
            "data_files": ["data/objects.jsonl"],
            "item_properties": {"id_key": "id", "text_key": "text"},
            "output_annotation_dir": "annotation_output",
            "user_config": {"allow_all_users": True, "users": []},
            "require_password": False,
            "alert_time_each_instance": 10_000_000,
            "assignment_strategy": "least_annotated",
            "num_annotators_per_item": 3,
            "max_annotations_per_item": 3,
            "instance_reclaim": {"enabled": True, "timeout_hours": 2},
            "instance_display": {"fields": [{"key": "text", "type": "text"}]},
            "annotation_schemes": [
                {
                    "annotation_type": "radio",
                    "name": "tall",
                    "description": "Is the person tall?",
                    "labels": ["yes", "no"],
                    "label_requirement": {"required": True},
                },
                {
                    "annotation_type": "radio",
                    "name": "old",
                    "description": "Old?",
                    "labels": ["yes", "no", "cannot tell"],
                    "label_requirement": {"required": True},
                },
            ],
        }
        rows = (tmp_path / "out" / "1" / "data" / "objects.jsonl").read_text().splitlines()
        assert [json.loads(each) for each in rows] == [
            {"id": "a", "text": OBJECTS["a"].text},
            {"id": "d, e: f", "text": "d"},
        ]

    def test_as_few_projects_as_there_can_be(self, tmp_path):
        # On one page: 1 of both, 1 of tall, 1 of old. Each on its own: 1 of tall, 1 of old.
        potato.write(requests({("a", "tall"): 1, ("a", "old"): 1, ("d, e: f", "tall"): 1}), tmp_path / "two")
        assert len(pd.read_csv(tmp_path / "two" / "projects.csv")) == 2
        rows = [(f"o{at}", name, 1) for at, names in enumerate(["x", "y", "xy"]) for name in names]
        frame = pd.DataFrame(rows, columns=["object", "attribute", "count"])
        potato.write(frame, tmp_path / "out")
        assert list(pd.read_csv(tmp_path / "out" / "projects.csv")["attributes"]) == ["x", "y"]

    def test_choices_that_would_untick_each_other_are_apart(self, tmp_path):
        names = ("old", "tall", "very old", "old very", "told")
        asked = {name: TALL.model_copy(update={"name": name}) for name in names}
        asked |= {name: HEIGHT.model_copy(update={"name": name}) for name in ("old age", "age old")}
        asked["very old mood"] = EASE.model_copy(update={"name": "very old mood"})  # the only one of its kind
        one = Requests(tuple(RequestedPair("a", name, 1) for name in asked), asked, {"a": ObjectContent(text="a")})
        potato.write(one, tmp_path / "out")
        assert list(pd.read_csv(tmp_path / "out" / "projects.csv")["attributes"]) == [
            "old, tall, told, old age, age old, very old mood",
            "very old",
            "old very",
        ]

    def test_texts_that_look_like_templates_stand_for_themselves(self, tmp_path):
        text = "{{a}} {% b %} {# c #} ${HOME} {d} 5 $"
        safe = "{\u2060{a}} {\u2060% b %} {\u2060# c #} $\u2060{HOME} {d} 5 $"
        labels = (text, "plain")
        asked = {
            "tall": TALL.model_copy(update={"question": text}),
            "ease": EASE.model_copy(update={"labels": labels}),
            "mood": MOOD.model_copy(update={"labels": labels}),
        }
        wanted = tuple(RequestedPair(text, name, 1) for name in asked)
        potato.write(Requests(wanted, asked, {text: ObjectContent(text=text)}, f"<b> {text}", text), tmp_path / "out")
        config = json.loads((tmp_path / "out" / "1" / "config.yaml").read_text(encoding="utf-8"))
        tall, ease, mood = config["annotation_schemes"]
        assert config["annotation_task_name"] == f"<\u2060b> {safe}"
        assert config["annotation_instructions"] == f"<p>{text}</p>"  # no template, but HTML
        assert (tall["description"], ease["min_label"], mood["labels"][0]) == (safe, safe, f"-1 = {safe}")
        item = json.loads((tmp_path / "out" / "1" / "data" / "objects.jsonl").read_text(encoding="utf-8"))
        assert item == {"id": text, "text": text}
        state(tmp_path / "out" / "1" / "annotation_output", {text: [("mood", *[mood["labels"][0]] * 2)]})
        assert values(potato.read(tmp_path / "out", questions=asked)) == {(text, "mood", "ann"): -1}

    def test_how_questions_are_asked(self, tmp_path):
        whole = HEIGHT.model_copy(update={"whole": True, "cant_tell": False})
        asked = {"height": whole, ODD.name: ODD, "mood": QUESTIONS["mood"], "ease": EASE, "rank": RANK, "age": AGE}
        one = Requests(tuple(RequestedPair("a", name, 1) for name in asked), asked, {"a": ObjectContent(text="a")}, " ")
        potato.write(one, tmp_path / "out")
        config = json.loads((tmp_path / "out" / "1" / "config.yaml").read_text(encoding="utf-8"))
        assert config["annotation_task_name"] == "Judgments"
        required = {"label_requirement": {"required": True}}
        unsure = {"bad_text_label": {"label_content": "cannot tell"}}
        expected = {
            "height": {"annotation_type": "number", "min_value": 50, "max_value": 250, "step": 1, **required},
            ODD.name: {"annotation_type": "number", "step": "any"},
            "mood": {"annotation_type": "radio", "labels": ["-1 = bad", "0", "1 = good", "cannot tell"], **required},
            "ease": {
                "annotation_type": "likert", "size": 7, "min_label": "not: at all", "max_label": "very",
                "displaying_score": True, **unsure, **required,
            },
            "rank": {"annotation_type": "radio", "labels": ["1 = 1st", "2 = 2nd"], **required},
            "age": {
                "annotation_type": "likert", "size": 5, "min_label": "1", "max_label": "5",
                "displaying_score": True, **unsure, **required,
            },
        }  # fmt: skip
        descriptions = {each["name"]: each.pop("description") for each in config["annotation_schemes"]}
        assert {each.pop("name"): each for each in config["annotation_schemes"]} == expected
        assert descriptions["height"] == "How tall? (a whole number from 50 to 250, in cm)"
        hint = "(a number; leave it empty if you cannot tell)"
        assert descriptions[ODD.name] == f"Why <b>? Think. Then say. For example: $3 {hint}"

    def test_a_plain_table(self, tmp_path):
        frame = pd.DataFrame({"object": ["x", "y"], "attribute": "beans", "count": [1, 2]})
        potato.write(frame, tmp_path / "out")
        overview = pd.read_csv(tmp_path / "out" / "projects.csv")
        assert list(overview["annotators"]) == [1, 2]

    def test_pictures_are_copied(self, tmp_path):
        for folder in ("x", "y"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "pic 1.png").write_bytes(folder.encode())
        pictures = {name: ObjectContent(image=tmp_path / name / "pic 1.png") for name in ("x", "y")}
        wanted = Requests((RequestedPair("x", "tall", 1), RequestedPair("y", "tall", 1)), {"tall": TALL}, pictures)
        potato.write(wanted, tmp_path / "out")
        rows = (tmp_path / "out" / "1" / "data" / "objects.jsonl").read_text().splitlines()
        for row in map(json.loads, rows):
            assert (tmp_path / "out" / "1" / row["image"].lstrip("/")).read_bytes() == row["id"].encode()
        config = json.loads((tmp_path / "out" / "1" / "config.yaml").read_text())
        assert config["instance_display"]["fields"] == [{"key": "image", "type": "image"}]
        assert config["item_properties"]["text_key"] == "image"
        with refused(DocumentError, value="pic 1.png", row="y", column="image"):
            potato.write(wanted, tmp_path / "again", site="https://example.org")
        (tmp_path / "y" / "pic 1.png").unlink()
        with refused(DocumentError, row="y", column="image", file=str(tmp_path / "y/pic 1.png")):
            potato.write(wanted, tmp_path / "again")
        assert not (tmp_path / "again").exists()

    def test_pictures_on_a_site(self, tmp_path):
        pictures = {"a": ObjectContent(image=tmp_path / "pic 1.png"), "b": ObjectContent(image=tmp_path / "2.png")}
        wanted = Requests((RequestedPair("a", "tall", 1), RequestedPair("b", "tall", 1)), {"tall": TALL}, pictures)
        potato.write(wanted, tmp_path / "out", site="https://example.org/p/")
        rows = (tmp_path / "out" / "1" / "data" / "objects.jsonl").read_text().splitlines()
        assert [json.loads(each)["image"] for each in rows] == [
            "https://example.org/p/pic%201.png",
            "https://example.org/p/2.png",
        ]
        assert not (tmp_path / "out" / "1" / "media").exists()
        with refused(DocumentError, value="example.org", column="site"):
            potato.write(wanted, tmp_path / "again", site="example.org")

    @pytest.mark.parametrize("name", ["a\nb", " a", "a\u2028", "a "])
    def test_names_that_would_not_come_back(self, tmp_path, name):
        one = Requests((RequestedPair(name, "tall", 1),), {"tall": TALL}, {name: ObjectContent(text="a")})
        with refused(DocumentError, value=name, column="name"):
            potato.write(one, tmp_path / "out")

    @pytest.mark.parametrize(("name", "sign"), [("a {{b}}", "{{"), ("{% a", "{%"), ("a{#", "{#"), ("${a}", "${")])
    def test_names_that_potato_fills_in(self, tmp_path, name, sign):
        named = TALL.model_copy(update={"name": name})
        one = Requests((RequestedPair("a", name, 1),), {name: named}, {"a": ObjectContent(text="a")})
        with refused(DocumentError, value=name, column="name") as caught:
            potato.write(one, tmp_path / "out")
        assert f"nor does it take {sign!r}" in str(caught.value)

    def test_names_that_potato_splits(self, tmp_path):
        named = TALL.model_copy(update={"name": "is: tall"})
        one = Requests((RequestedPair("a", "is: tall", 1),), {"is: tall": named}, {"a": ObjectContent(text="a")})
        with refused(DocumentError, value="is: tall", column="name"):
            potato.write(one, tmp_path / "out")
        labelled = EASE.model_copy(update={"labels": ("a:::b", "c")})
        one = Requests((RequestedPair("a", "ease", 1),), {"ease": labelled}, {"a": ObjectContent(text="a")})
        with refused(DocumentError, value="a:::b", column="name"):
            potato.write(one, tmp_path / "out")

    def test_nothing_to_show(self, tmp_path):
        one = Requests((RequestedPair("a", "tall", 1),), {"tall": TALL}, {"a": ObjectContent(text=" ")})
        with refused(DocumentError, row="a"):
            potato.write(one, tmp_path / "out")

    def test_the_folder_is_written_whole_or_not_at_all(self, tmp_path):
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "mine.txt").touch()
        with refused(DocumentError, file=str(tmp_path / "full")):
            potato.write(requests({("a", "tall"): 1}), tmp_path / "full")
        assert [each.name for each in tmp_path.iterdir()] == ["full"]
