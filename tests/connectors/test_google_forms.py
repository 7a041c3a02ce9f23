"""Google Forms: responses are read, and forms that a script makes are such that their responses can be."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from functools import partial
from pathlib import Path

import playwright
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges.connectors import connector, google_forms
from manyjudges.connectors.requests import ObjectContent, RequestedPair, Requests
from manyjudges.exceptions import DocumentError, InvalidAnswerError, JudgmentsError
from manyjudges.study.questions import Attribute
from tests.support.folders import ROOT
from tests.support.messages import complaint_of, refused

FIXTURES = ROOT / "tests" / "fixtures" / "google_forms"
NODE = str(Path(playwright.__file__).parent / "driver" / "node")  # a JavaScript that is there in any case
ANN, BOB = "ann@example.org", "bob@example.org"
TALL = Attribute(name="tall", question="Is the person tall?", kind="binary")
AGE = Attribute(
    name="age", question="How old is the person?", kind="scale", range=(1.0, 3.0), labels=("young", "middle", "old")
)


def values(judgments):
    frame = judgments.to_frame()
    keys = zip(frame["object"], frame["attribute"], frame["worker"], strict=True)
    return dict(zip(keys, frame["value"], strict=True))


def responses(folder, *rows, name="form.csv"):
    path = folder / name
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


complaint = partial(complaint_of, google_forms.read, error=DocumentError)


class TestReading:
    def test_grids(self):
        found = google_forms.read(FIXTURES / "grid.csv")
        tall, old = "Is the person tall?", "How old is the person?"
        assert values(found) == {
            ("photo 1", tall, ANN): 1,
            ("photo 2", tall, ANN): 0,
            ("photo 1", old, ANN): 3,
            ("photo 2", old, ANN): 1,
            ("photo 1", tall, BOB): 0,
            ("photo 1", old, BOB): 2,
        }

    def test_the_questions_of_a_study(self):
        found = google_forms.read(FIXTURES / "grid.csv", questions={"tall": TALL, "age": AGE})
        assert found.attributes == ("age", "tall")
        assert len(found) == 6
        assert len(google_forms.read(FIXTURES / "grid.csv", questions={"tall": TALL})) == 3

    def test_names_of_our_own(self):
        rename = {"Is the person tall?": "tall"}
        for name in ("tall", "Is the person tall?"):
            assert google_forms.read(FIXTURES / "grid.csv", attributes=[name], rename=rename).attributes == ("tall",)

    def test_an_answer_that_names_the_object(self):
        found = google_forms.read(FIXTURES / "sheet-german.csv", object="Welches Foto?")
        assert values(found) == {
            ("photo 1", "tall", "response 1"): 1,
            ("photo 1", "height", "response 1"): 180,
            ("photo 2", "tall", "response 2"): 0,
            ("photo 2", "height", "response 2"): 160.5,
            ("photo 1", "tall", "response 3"): 0,
            ("photo 1", "height", "response 3"): 182,
        }

    def test_a_quiz(self):
        assert values(google_forms.read(FIXTURES / "quiz.csv")) == {("a", "Tall?", ANN): 1}

    def test_an_answer_that_names_the_worker(self, tmp_path):
        path = responses(tmp_path, ["Timestamp", "Your name?", "Tall? [a]"], ["1", "Cleo", "Yes"])
        assert values(google_forms.read(path, worker="Your name?")) == {("a", "Tall?", "Cleo"): 1}

    def test_responses_of_several_forms_are_of_different_people(self, tmp_path):
        paths = [
            responses(tmp_path, ["Timestamp", f"Tall? [{name}]"], ["1", "Yes"], name=f"{name}.csv") for name in "ab"
        ]
        assert set(google_forms.read(paths).workers) == {"a, response 1", "b, response 1"}

    def test_grids_by_object(self, tmp_path):
        path = responses(tmp_path, ["Timestamp", "photo 1 [tall]", "photo 1 [age]"], ["1", "Yes", "old"])
        expected = {("photo 1", "tall", "response 1"): 1, ("photo 1", "age", "response 1"): 3}
        assert values(google_forms.read(path, questions={"tall": TALL, "age": AGE})) == expected
        assert values(google_forms.read(path, grid="attributes", attributes=["tall"])) == {
            ("photo 1", "tall", "response 1"): 1
        }

    @pytest.mark.parametrize(("repeated", "value"), [("first", 1), ("last", 0)])
    def test_the_same_person_twice(self, tmp_path, repeated, value):
        path = responses(
            tmp_path, ["Timestamp", "Username", "Tall? [a]"], ["1", "Ann@x.org", "yes"], ["2", "ann@x.org", "no"]
        )
        assert values(google_forms.read(path, repeated=repeated)) == {("a", "Tall?", "ann@x.org"): value}
        complaint(path, error=JudgmentsError, value="ann@x.org", row=3, column="Tall? [a]", file="form.csv")


class TestComplaints:
    def test_text(self, tmp_path):
        path = responses(tmp_path, ["Timestamp", "Tall? [a]", "Why? [a]"], ["1", "Yes", "big shoes"])
        complaint(path, error=JudgmentsError, value="big shoes", row=2, column="Why? [a]", file="form.csv")
        assert len(google_forms.read(path, attributes=["Tall?"])) == 1

    def test_out_of_range(self, tmp_path):
        path = responses(tmp_path, ["Timestamp", "age [a]"], ["1", "4"])
        complaint(
            path, questions={"age": AGE}, error=InvalidAnswerError, value="4", row=2, column="age", file="form.csv"
        )

    def test_no_objects(self, tmp_path):
        path = responses(tmp_path, ["Timestamp", "Which photo?", "Tall?"], ["1", "a", "yes"], ["2", " ", "yes"])
        complaint(path, column="object", file="form.csv")
        complaint(path, object="Which photo?", row=3, column="Tall?", file="form.csv")
        complaint(path, object="Photo?", value="Photo?", column="object", file="form.csv")

    def test_the_same_question_twice(self, tmp_path):
        path = responses(tmp_path, ["Timestamp", "Tall?", "Tall?"], ["1", "yes", "no"])
        complaint(path, column="C", file="form.csv")

    def test_other_mistakes(self, tmp_path):
        path = responses(tmp_path, ["Timestamp", "Tall? [a]"], ["1", "yes"])
        complaint(path, repeated="newest", error=JudgmentsError, value="newest", column="repeated")
        complaint(path, grid="rows", error=JudgmentsError, value="rows", column="grid")
        complaint(path, questions={"age": AGE}, column="attributes", file="form.csv")
        complaint(
            path, attributes=["Tall?", "Old?"], error=JudgmentsError, value="Old?", column="attributes", file="form.csv"
        )
        (tmp_path / "empty.csv").touch()
        complaint(tmp_path / "empty.csv", file="empty.csv")
        complaint(tmp_path / "form.csv.zip", file="form.csv.zip")
        complaint(tmp_path / "none.csv", file=str(tmp_path / "none.csv"))
        nothing = responses(tmp_path, ["Timestamp", "Tall? [a]"], ["1", ""])
        complaint(nothing, error=JudgmentsError, file="form.csv")


class TestDetecting:
    def test_what_is_known(self, tmp_path):
        assert connector("google-forms") is google_forms.CONNECTOR
        for path in FIXTURES.glob("*.csv"):
            assert google_forms.detects(path)
        for word in ("Horodateur", "タイムスタンプ", "Carimbo de data/hora", "Informazioni cronologiche"):
            assert google_forms.detects(responses(tmp_path, [word, "Tall?"], ["1", "yes"]))
        (tmp_path / "own.csv").write_text("object,attribute,worker,value\na,b,c,1\n")
        (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
        (tmp_path / "empty.csv").touch()
        for name in ("own.csv", "binary.csv", "empty.csv", "none.csv", "."):
            assert not google_forms.detects(tmp_path / name)


OBJECTS = {
    "a": ObjectContent(text="a"),
    "b/ü 🙂": ObjectContent(),
    "c, d": ObjectContent(text="c, d"),
    "=e": ObjectContent(text="=e"),
}
PICTURES = {**OBJECTS, "c, d": ObjectContent(address="https://example.org/c.jpg"), "a": ObjectContent(text="One\ntwo")}
HEIGHT = Attribute(name="height", question="How [cm] tall?", kind="number", range=(50.0, 250.0), unit="cm")
BEANS = Attribute(name="beans", question="How many\nbeans?", kind="number")
SAME = Attribute(name="same", question="Is the person tall?", kind="binary", help="Again.", example="yes")
FIVE = Attribute(name="five", question="Five?", kind="scale", range=(1.0, 5.0), labels=("no", "yes"), cant_tell=False)
QUESTIONS = {each.name: each for each in (TALL, AGE, HEIGHT, BEANS, SAME, FIVE)}
SAID = {"tall": "yes", "same": "no", "age": "3 – old", "height": "150.5", "beans": "7", "five": "4"}
NUMBERS = {"tall": 1, "same": 0, "age": 3, "height": 150.5, "beans": 7, "five": 4}


def requests(counts, objects, questions=QUESTIONS):
    pairs = tuple(RequestedPair(thing, name, count) for (thing, name), count in counts.items())
    things = {pair.object for pair in pairs}
    return Requests(
        pairs, questions, {name: each for name, each in objects.items() if name in things}, "People", "Welcome."
    )


def forms_in(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r"const FORMS = (.*?);\n\nfunction", text, re.DOTALL)[1])


def headings(form):
    """The columns of responses, with the choices of each where it has some."""
    for item in form["items"]:
        if item["kind"] == "grid":
            yield from ((f"{item['title']} [{row}]", item["choices"]) for row in item["rows"])
        elif item["kind"] in ("choice", "scale", "number"):
            yield item["title"], item.get("choices")


def fill(folder, form, number):
    """Responses to a form by as many people as it wants."""
    columns = dict(headings(form))
    by_title = {" ".join(each.question.split()): name for name, each in QUESTIONS.items()}
    by_title |= {f"{' '.join(each.question.split())} ({name})": name for name, each in QUESTIONS.items()}
    said = []
    for heading, choices in columns.items():
        answer = SAID[by_title[heading.rsplit(" [", 1)[0]]]
        assert choices is None or answer in choices
        said.append(answer)
    many = int(form["answers"].split()[0])
    rows = [["2026/03/05 10:31:02 AM GMT+1", f"w{at}@example.org", *said] for at in range(many)]
    return responses(folder, ["Timestamp", "Email Address", *columns], *rows, name=f"form {number}.csv")


class TestWriting:
    @settings(max_examples=40)
    @given(
        counts=st.dictionaries(
            st.tuples(st.sampled_from(sorted(OBJECTS)), st.sampled_from(sorted(QUESTIONS))),
            st.integers(1, 3),
            min_size=1,
            max_size=12,
        ),
        objects=st.sampled_from([OBJECTS, PICTURES]),
    )
    def test_what_is_answered_comes_back(self, tmp_path_factory, counts, objects):
        folder = tmp_path_factory.mktemp("out")
        google_forms.write(requests(counts, objects), folder / "forms.gs")
        files = [fill(folder, form, at) for at, form in enumerate(forms_in(folder / "forms.gs"))]
        assert values(google_forms.read(files, questions=QUESTIONS)) == {
            (thing, name, f"w{at}@example.org"): NUMBERS[name]
            for (thing, name), count in counts.items()
            for at in range(count)
        }

    def test_what_a_script_says(self, tmp_path):
        counts = {("a", "tall"): 2, ("=e", "tall"): 2, ("a", "height"): 2, ("a", "five"): 2, ("a", "age"): 3}
        questions = {name: each for name, each in QUESTIONS.items() if name != "same"}
        google_forms.write(requests(counts, OBJECTS, questions), tmp_path / "forms.gs", email=False)
        first, second = forms_in(tmp_path / "forms.gs")
        assert [form["title"] for form in (first, second)] == ["People (2 people)", "People (3 people)"]
        assert first["email"] is False
        assert [item["kind"] for item in first["items"]] == ["grid", "number", "grid"]
        assert first["items"][0] == {
            "kind": "grid", "title": "Is the person tall?", "help": "", "rows": ["a", "=e"], "choices": ["yes", "no"],
        }  # fmt: skip
        assert (first["items"][1]["low"], first["items"][1]["high"]) == (50, 250)
        google_forms.write(requests(counts, PICTURES, questions), tmp_path / "pages.gs")
        kinds = [item["kind"] for item in forms_in(tmp_path / "pages.gs")[0]["items"]]
        assert kinds == ["page", "choice", "number", "scale", "page", "choice"]

    def test_the_script_runs(self, tmp_path):
        """Against a stand-in for FormApp that knows only the methods that are documented."""
        counts = {(thing, name): 1 for thing in OBJECTS for name in QUESTIONS}
        for objects in (OBJECTS, PICTURES):
            google_forms.write(requests(counts, objects), tmp_path / "forms.gs")
            program = STAND_IN + (tmp_path / "forms.gs").read_text(encoding="utf-8") + "\nmakeForms();\n"
            (tmp_path / "run.js").write_text(program, encoding="utf-8")
            done = subprocess.run([NODE, str(tmp_path / "run.js")], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert "People: to be answered by 1 person." in done.stdout

    @pytest.mark.parametrize("name", ["a [b]", "a\nb", " a"])
    def test_names_that_a_form_does_not_take(self, tmp_path, name):
        one = Requests((RequestedPair(name, "tall", 1),), {"tall": TALL}, {name: ObjectContent(text=name)})
        with refused(DocumentError, value=name, column="name"):
            google_forms.write(one, tmp_path / "forms.gs")
        assert not list(tmp_path.iterdir())

    def test_pictures_need_an_address(self, tmp_path):
        one = Requests((RequestedPair("a", "tall", 1),), {"tall": TALL}, {"a": ObjectContent(image=tmp_path / "a.png")})
        with refused(DocumentError, row="a", column="image"):
            google_forms.write(one, tmp_path / "forms.gs")
        with refused(DocumentError, file="forms.csv"):
            google_forms.write(one, tmp_path / "forms.csv")


STAND_IN = """
const METHODS = {
  Form: ['setDescription', 'setCollectEmail', 'addPageBreakItem', 'addImageItem', 'addGridItem', 'addScaleItem',
         'addMultipleChoiceItem', 'addTextItem'],
  PageBreak: ['setTitle', 'setHelpText'], Image: ['setTitle', 'setHelpText', 'setImage'],
  Grid: ['setTitle', 'setHelpText', 'setRows', 'setColumns'],
  Scale: ['setTitle', 'setHelpText', 'setBounds', 'setLabels'],
  MultipleChoice: ['setTitle', 'setHelpText', 'setChoiceValues'], Text: ['setTitle', 'setHelpText', 'setValidation'],
  Check: ['setHelpText', 'requireNumber', 'requireNumberBetween'],
};
function made(kind, extra) {
  const found = Object.assign({}, extra);
  METHODS[kind].forEach(function (name) {
    found[name] = function (...given) {
      if (given.some(function (each) { return each === undefined; })) throw new Error(kind + '.' + name);
      const item = name.match(/^add(.*)Item$/);
      return item ? made(item[1]) : found;
    };
  });
  return found;
}
const FormApp = {
  create: function () {
    return made('Form', { getPublishedUrl: function () { return 'p'; }, getEditUrl: function () { return 'e'; } });
  },
  createTextValidation: function () { return made('Check', { build: function () { return {}; } }); },
};
const UrlFetchApp = { fetch: function () { return { getBlob: function () { return {}; } }; } };
const Logger = { log: console.log };
"""
