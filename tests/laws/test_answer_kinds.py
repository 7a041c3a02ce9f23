"""Laws of every kind of answer: what is offered reads back as itself, wherever it is asked; schema and reader agree.

They hold for the kinds of the registry, and for one that is added here in a few lines and knows nothing of forms,
models or connectors.
"""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any, ClassVar, get_args

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.base.formatting import listed
from manyjudges.connectors import NAMES, connector
from manyjudges.connectors.requests import ObjectContent, RequestedPair, Requests
from manyjudges.exceptions import InvalidAnswerError, StudyError
from manyjudges.llm.openai_service import response_format
from manyjudges.llm.prompts import Prompt, form, reply_schema
from manyjudges.llm.replies import read_answer
from manyjudges.study import questions
from manyjudges.study.config import read_study
from manyjudges.study.questions import Attribute
from manyjudges.tables.kinds import (
    CANT_TELL_TEXT,
    CANT_TELL_WORDS,
    KINDS,
    AnswerKind,
    NumberLimits,
    Option,
    Widget,
    invalid_answer,
    read_json,
)
from manyjudges.web.judge.form import entered_of, read_answers
from tests.support.folders import ROOT
from tests.support.messages import refused
from tests.support.web import Session, client, opened


@dataclass(frozen=True)
class Category(AnswerKind):
    """One of several classes, kept as its position; each but the first makes a column of 0 and 1."""

    name: ClassVar[str] = "category"
    keys: ClassVar[tuple[str, ...]] = ("labels",)
    required: ClassVar[tuple[str, ...]] = ("labels",)
    widget: ClassVar[Widget] = "choice"

    labels: tuple[str, ...]

    @classmethod
    def problem_with(cls, key: str, value: Any, others: Mapping[str, Any]) -> str:
        return "" if len(value) > 1 else 'a category needs its classes, such as labels = ["cat", "dog"].'

    def read(self, answer: object) -> float:
        if answer not in self.labels:
            raise invalid_answer(answer, f"must be {self.describe()}.", self)
        return float(self.labels.index(answer))

    def options(self) -> tuple[Option, ...]:
        return tuple(Option(float(at), label, label) for at, label in enumerate(self.labels))

    def describe(self, *, labels: bool = False) -> str:
        return listed(self.labels).replace(" and ", " or ")

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.labels), "description": self.describe()}

    def columns(self, attribute: str) -> tuple[str, ...]:
        return tuple(f"{attribute}: {label}" for label in self.labels[1:])

    def encode(self, value: float) -> tuple[float, ...]:
        return tuple(float(value == at) for at in range(1, len(self.labels)))

    def identity(self) -> list[Any]:
        return [self.name, None, list(self.labels)]


ASKED: dict[str, dict[str, Any]] = {
    "yes or no": {"kind": "binary"},
    "yes, no or neither": {"kind": "binary", "cant_tell": True},
    "any number": {"kind": "number"},
    "number": {"kind": "number", "range": (0.5, 8.25), "unit": "feet", "cant_tell": False},
    "whole number": {"kind": "number", "range": (-3, 500), "whole": True},
    "scale": {"kind": "scale", "range": (-2, 2)},
    "stars": {"kind": "scale", "range": (1, 5), "cant_tell": False},
    "scale of two": {"kind": "scale", "range": (1, 2), "labels": ("low", "high")},
    "scale with ends": {"kind": "scale", "range": (1, 7), "labels": ("not at all", "very")},
    "scale with names": {"kind": "scale", "range": (0, 2), "labels": ("never", "now and then", "always")},
    "category": {"kind": "category", "labels": ("cat", "dog", "pot-bellied pig")},
    "category without a way out": {"kind": "category", "labels": ("1st", "2nd"), "cant_tell": False},
}
NUMBERS = {"any number": ("-1.5", "2,5"), "number": ("0.5", "8,25", "3"), "whole number": ("-3", "500")}
"""What may be typed where there is nothing to choose from."""

QUESTIONS = pytest.mark.parametrize("name", ASKED)

_NAMES = "|".join(sorted(KINDS))
_CLASSES = "|".join(kind.__name__ for kind in KINDS.values())
NAME_OF_A_KIND = re.compile(
    rf"[\"'](?:{_NAMES})[\"']"  # a text of its own, whether it is compared, looked up or handed on
    rf"|\b(?:{_NAMES}), (?:{_NAMES})(?:,| or| and)\b"  # a list of them in words
    rf"|\bisinstance\([^)]*\b(?:{_CLASSES})\b"
    rf"|\bkinds import\b.*\b(?:{_CLASSES})\b|^    (?:{_CLASSES}),$"
)
BRANCH = re.compile(rf"(?<!item\.)\bkind\s*(===?|!==?|\bin\b|\bnot in\b)\s*[(\[{{]?[\"'](?:{_NAMES})\b")
"""A comparison with the name of a kind; the items of a form of Google, ``item.kind``, are no kinds of answers."""

OTHER_NUMBERS = {
    "app/templates/columns.html.jinja": "a class of HTML",
    "app/templates/macros.html.jinja": "a class of HTML",
    "app/work/readings.py": "what a word stands for",
    "base/money.py": "a part of an amount",
    "base/documents.py": "a function that reads a number of a document",
    "base/formatting.py": "a function that formats a number",
    "campaign/rounds.py": "a field of a document",
    "cli/reading_options.py": "an option of commands",
    "connectors/cleanlab.py": "an option's type",
    "connectors/registry.py": "an option's type",
    "connectors/google_forms/script.py": "the items of Google's forms",
    "connectors/label_studio/annotations.py": "a control of Label Studio",
    "connectors/mturk/layouts.py": "a field of HTML",
    "connectors/potato/answers.py": "a scheme of Potato",
    "connectors/potato/projects.py": "a scheme of Potato",
    "connectors/requests.py": "makes questions, of which it knows that they ask for numbers",
    "core/moments.py": "the unit of an attribute",
    "learn/labels/number.py": "a kind of label",
    "scan/duckdb/queries.py": "a column of DuckDB",
    "service/rehearsal.py": "makes a study with questions of its own",
    "simulate/populations.py": "a column of a published table",
    "tables/answers/coding.py": "what the answers in a table stand for, which are not asked for here",
    "tables/answers/numbered.py": "a part of an answer",
    "tables/answers/recognition.py": "what the answers in a table are found to stand for",
    "tables/shapes/headings.py": "a part of a heading",
    "web/researcher/dashboard.py": "a column of links",
    "web/researcher/overview.py": "a column of rounds",
    "web/templates/dashboard.html.jinja": "a field of HTML",
    "web/templates/judging.js": "a class of HTML",
    "web/templates/list.html.jinja": "a class of HTML",
}
"""Where a word that is also the name of a kind stands for something else; none of these compares a kind with it."""


@pytest.fixture(autouse=True, scope="module")
def one_kind_more():
    """A kind that is entered in the registry, and taken out at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(KINDS, Category.name, Category)
        yield


def asked(name: str) -> Attribute:
    return Attribute(name=name, question=f"Which {name}?", **ASKED[name])


def answers(attribute: Attribute) -> list[Option]:
    """The options; where there are none, some numbers as if they were."""
    typed = [Option(float(text.replace(",", ".")), text, 0) for text in NUMBERS.get(attribute.name, ())]
    return [*attribute.answer_kind.options()] or typed


def accepts(read: Any, answer: object) -> bool:
    try:
        read(answer)
    except InvalidAnswerError:
        return False
    return True


class TestKinds:
    def test_the_registry_goes_by_names(self):
        assert {name: kind.name for name, kind in questions.KINDS.items()} == {name: name for name in questions.KINDS}
        assert {keys["kind"] for keys in ASKED.values()} == questions.KINDS.keys()

    @QUESTIONS
    def test_a_kind_has_options_or_a_field(self, name):
        kind = asked(name).answer_kind
        assert kind.widget in get_args(Widget)
        assert (kind.widget == "field") == (not kind.options())
        assert len({option.value for option in kind.options()}) == len(kind.options())
        assert json.loads(json.dumps(kind.identity())) == kind.identity()

    @QUESTIONS
    def test_every_answer_has_a_value_for_each_column(self, name):
        attribute = asked(name)
        kind = attribute.answer_kind
        columns = kind.columns(name)
        rows = [kind.encode(attribute.read(option.text)) for option in answers(attribute)]
        assert len(set(columns)) == len(columns)
        assert all(len(row) == len(columns) for row in rows)
        assert len(set(rows)) == len(rows)

    @QUESTIONS
    def test_what_is_no_answer_is_told_with_what_would_be_one(self, name):
        attribute = asked(name)
        with pytest.raises(InvalidAnswerError) as caught:
            attribute.read("neither here nor there")
        error = caught.value
        assert (error.value, error.column) == ("neither here nor there", name)
        assert error.allowed == attribute.answer_kind.describe()
        assert error.allowed in str(error)
        assert repr(name) in str(error)

    @QUESTIONS
    def test_limits_are_those_of_the_numbers_that_are_read(self, name):
        kind = asked(name).answer_kind
        limits = kind.limits()
        if kind.widget != "field":
            assert limits == NumberLimits(), "nothing is typed"
            return
        for end, beyond in ((limits.low, -1), (limits.high, 1)):
            near = 0.0 if end is None else end
            assert accepts(kind.read, near)
            assert accepts(kind.read, near + beyond) == (end is None)
        assert accepts(kind.read, (limits.low or 0) + 0.25) != limits.whole
        schema = kind.json_schema()
        assert limits.ends("minimum", "maximum") == {
            key: schema[key] for key in ("minimum", "maximum") if key in schema
        }

    def test_nothing_else_names_a_kind(self):
        source = ROOT / "src" / "manyjudges"
        found: dict[str, list[str]] = {}
        for path in source.rglob("*.*"):
            where = path.relative_to(source).as_posix()
            if path.suffix not in (".py", ".js", ".jinja") or where == "tables/kinds.py":
                continue
            lines = [each for each in path.read_text(encoding="utf-8").splitlines() if ">>>" not in each]
            if named := [line.strip() for line in lines for _ in NAME_OF_A_KIND.findall(line)]:
                found[where] = named
        assert {where: lines for where, lines in found.items() if where not in OTHER_NUMBERS} == {}
        wrong = {where: [line for line in found[where] if BRANCH.search(line)] for where in OTHER_NUMBERS}
        assert wrong == {where: [] for where in OTHER_NUMBERS}

    @pytest.mark.parametrize(
        "line",
        [
            'if attribute.kind == "scale":',
            "if (form.dataset.kind === 'number') {",
            '{% if attribute.kind in ("binary", "scale") %}',
            'if "number" == question.kind:',
            'case "binary":',
            '_WIDGETS = {"scale": "radio"}',
            "isinstance(attribute.answer_kind, Scale)",
            "from manyjudges.tables.kinds import Binary",
            "description='binary, number or scale.'",
        ],
    )
    def test_whoever_did_would_be_noticed(self, line):
        assert NAME_OF_A_KIND.search(line)


JSON = (
    st.none()
    | st.booleans()
    | st.integers(-600, 600)
    | st.integers(-(10**300), 10**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([-3, 0, 1, 2.0, 7, 7.0, 0.5, 8.25, -0.0, 500, "7", "yes", "cat", "1st", "true", "", [], {}, [1]])
    | st.text(max_size=5)
)


class TestSchemas:
    @given(answer=JSON, name=st.sampled_from(sorted(ASKED)))
    def test_a_schema_accepts_just_what_is_read(self, answer, name):
        attribute = asked(name)
        kind = attribute.answer_kind
        valid = jsonschema_rs.validator_for(kind.json_schema()).is_valid(answer)
        assert accepts(lambda it: read_json(kind, it), answer) == valid
        if valid:  # read takes more: "yes" and 1 for true, "7" for 7
            assert kind.read(answer) == read_json(kind, answer)
        elif not isinstance(answer, str) and kind.json_schema()["type"] != "boolean":
            assert not accepts(kind.read, answer)
        outcome, value = read_answer(json.dumps({"answer": answer}), attribute, "schema")
        assert (outcome == "answered") == valid
        assert value == (kind.read(answer) if valid else None)

    @QUESTIONS
    def test_they_agree_about_every_number_near_the_ends_of_a_range(self, name):
        kind = asked(name).answer_kind
        validator = jsonschema_rs.validator_for(kind.json_schema())
        for quarters in (*range(-20, 40), *range(1990, 2010)):
            answer = quarters / 4
            assert accepts(lambda it: read_json(kind, it), answer) == validator.is_valid(answer), answer

    @given(answer=JSON, name=st.sampled_from(sorted(ASKED)))
    def test_services_are_sent_a_schema_that_refuses_no_answer(self, answer, name):
        attribute = asked(name)
        schema = reply_schema(attribute)
        prompt = Prompt("", "Which?", structured="schema", schema=schema)
        loose = jsonschema_rs.validator_for(response_format(prompt)["json_schema"]["schema"])
        exact = jsonschema_rs.validator_for(schema)
        valid = jsonschema_rs.validator_for(attribute.answer_kind.json_schema()).is_valid(answer)
        if answer is not None:
            assert exact.is_valid({"answer": answer}) == valid
        assert loose.is_valid({"answer": answer}) or not valid
        assert [each.is_valid({"answer": None}) for each in (exact, loose)] == [attribute.cant_tell] * 2


class TestModels:
    @QUESTIONS
    @pytest.mark.parametrize("structured", ["schema", "json", "text"])
    def test_every_option_comes_back(self, name, structured):
        attribute = asked(name)
        for option in attribute.answer_kind.options():
            text = option.text if structured == "text" else json.dumps({"answer": option.json})
            assert read_answer(text, attribute, structured) == ("answered", option.value)
            if not option.is_step:
                said = form(attribute, structured)
                assert structured == "schema" or (option.text in said and (structured == "text" or text in said))

    @QUESTIONS
    def test_who_cannot_tell_may_say_so_where_that_is_offered(self, name):
        attribute = asked(name)
        outcome = ("cant_tell", None) if attribute.cant_tell else ("unreadable", None)
        assert read_answer('{"answer": null}', attribute, "schema") == outcome
        for words in CANT_TELL_WORDS:
            assert read_answer(words, attribute, "text") == outcome


class TestForms:
    @QUESTIONS
    def test_every_answer_comes_back_from_a_form(self, name):
        attribute = asked(name)
        ticking = attribute.answer_kind.widget == "tick"
        for option in answers(attribute):
            field = {"yes": {"a-0": "1"}, "no": {}}[option.text] if ticking else {"a-0": option.text}
            read = read_answers(field, attribute, [0])
            assert (read.answers, read.wrong, read.blank) == ({0: option.value}, {}, ())
            shown = {f"a-{at}": text for at, text in entered_of(read.answers, attribute).items()}
            assert read_answers(shown, attribute, [0]).answers == read.answers

    @QUESTIONS
    def test_who_cannot_tell_may_say_so_where_that_is_offered(self, name):
        attribute = asked(name)
        read = read_answers({"a-0": "cant"}, attribute, [0])
        assert read.answers == ({0: None} if attribute.cant_tell else {})
        assert bool(read.wrong) != attribute.cant_tell


FIELD = re.compile(r'<input [^>]*type="radio"[^>]*name="a-0"[^>]*value="([^"]*)"')


def study_about(folder, attributes, objects=8):
    """A study with these questions about some texts."""
    lines = ['title = "Kinds"', "[work]", f"batch_size = {objects}", "[entry]", "open = true"]
    for name in attributes:
        keys = {"name": name, "question": f"Which {name}?"} | ASKED[name]
        lines += ["[[attributes]]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items())]
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text("\n".join(lines), encoding="utf-8")
    rows = "".join(f"thing {at},{at},A text\n" for at in range(objects))
    (folder / "objects.csv").write_text("id,label,text\n" + rows, encoding="utf-8")
    return read_study(folder)


SERVED = ["yes or no", "number", "scale with ends", "scale with names", "category"]
"""Questions that a server is started for: of every kind, but not all of them."""


class TestServer:
    def test_a_server_is_asked_about_every_kind(self):
        assert {ASKED[name]["kind"] for name in SERVED} == KINDS.keys()

    @pytest.mark.parametrize("name", SERVED)
    def test_every_answer_comes_back_from_a_page(self, tmp_path, name):
        study = study_about(tmp_path, [name])
        attribute = study.attribute(name)
        ticking, offered = attribute.answer_kind.widget == "tick", answers(attribute)
        with opened(study, order={name: 1}) as app:
            judge = Session(app)
            judge.enter()
            if attribute.answer_kind.widget == "choice":
                texts = [unescape(text) for text in FIELD.findall(judge.page.text)]
                assert texts == [option.text for option in offered] + ["cant"] * attribute.cant_tell
            chosen = {at: offered[at % len(offered)] for at in range(8)}
            texts = {at: {"yes": "1", "no": None}[each.text] if ticking else each.text for at, each in chosen.items()}
            judge.hand_in(**{f"a_{at}": text for at, text in texts.items() if text is not None})
            assert "8 judgments counted" in judge.page.text
            assert sorted(app.state.store.judgments()["value"]) == sorted(each.value for each in chosen.values())

    @pytest.mark.parametrize("name", SERVED)
    def test_every_answer_comes_back_from_a_program(self, tmp_path, name):
        study = study_about(tmp_path, [name])
        offered, field = answers(study.attribute(name)), study.attribute(name).answer_kind.widget == "field"
        with opened(study, order={name: 1}) as app:
            program = client(app, headers={"Authorization": f"Bearer {app.state.store.add_program('robots')}"})
            batch = program.post("/api/v1/leases", json={"worker": "model"}).json()
            assert (batch["attribute"], batch["kind"]) == (name, ASKED[name]["kind"])
            chosen = {at: offered[at % len(offered)] for at in range(8)}
            values = [each.text if field or at % 2 else each.json for at, each in chosen.items()]
            body = {"answers": [{"position": at, "value": value} for at, value in enumerate(values)]}
            receipt = program.post(f"/api/v1/leases/{batch['id']}/judgments", json=body).json()
            assert receipt["accepted"] == 8
            assert sorted(app.state.store.judgments()["value"]) == sorted(each.value for each in chosen.values())
            again = {"answers": [{"position": 0, "value": "neither"}]}
            refused = program.post(f"/api/v1/leases/{batch['id']}/judgments", json=again)
            assert refused.status_code == 422
            assert study.attribute(name).answer_kind.describe() in refused.json()["detail"][0]["msg"]

    def test_a_kind_says_what_is_wrong_with_its_keys(self, tmp_path):
        study_about(tmp_path, ["category"])
        text = (tmp_path / "study.toml").read_text(encoding="utf-8")
        labels = next(line for line in text.splitlines() if line.startswith("labels"))
        for instead, key, value in (
            ("", "labels", None),
            ('labels = ["cat"]', "labels", ["cat"]),
            (f"{labels}\nrange = [1, 3]", "range", [1, 3]),
        ):
            (tmp_path / "study.toml").write_text(text.replace(labels, instead), encoding="utf-8")
            with refused(StudyError, column=f"attributes.{key}", value=value):
                read_study(tmp_path)


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def fill_spreadsheet(folder, attribute, chosen):
    """What raters send back, in a table of text."""
    path = folder / "form.csv"
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    for row in rows[1:]:
        option = chosen[row[head.index("object")]]
        row[head.index(attribute.name)] = CANT_TELL_TEXT if option is None else option.text
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def fill_mturk(folder, attribute, chosen):
    """The results of a batch, with what a layout's fields give."""
    (entry,) = rows_of(folder / "out" / "batches.csv")
    offered = re.findall(r'type="radio" name="answer" value="([^"]*)"', (folder / "out" / entry["layout"]).read_text())
    heading, rows = None, []
    for at, cells in enumerate(rows_of(folder / "out" / entry["file"])):
        option = chosen[cells["object"]]
        answer = "cant_tell" if option is None else option.text
        if offered:
            assert answer in offered
        elif option is None:
            answer = ""
        row = {"HITId": at, "AssignmentId": at, "WorkerId": "w", "AssignmentStatus": "Submitted"}
        row |= {f"Input.{name}": cell for name, cell in cells.items()} | {"Answer.answer": answer}
        heading, rows = list(row), [*rows, row]
    with open(folder / "results.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, heading)
        writer.writeheader()
        writer.writerows(rows)
    return folder / "results.csv"


def fill_label_studio(folder, attribute, chosen):
    """An export of the project, with what its only control gives."""
    (row,) = rows_of(folder / "out" / "projects.csv")
    tree = ElementTree.fromstring((folder / "out" / row["config"]).read_text(encoding="utf-8"))  # our own
    (control,) = [each for each in tree.iter() if each.tag in ("Choices", "Number", "Rating")]
    tasks = json.loads((folder / "out" / row["tasks"]).read_text(encoding="utf-8"))
    for at, task in enumerate(tasks, start=1):
        option, results = chosen[task["data"]["object"]], []
        if control.tag == "Choices":
            alias = "cant_tell" if option is None else option.text
            assert alias in [choice.get("alias") for choice in control]
            value = {"choices": [alias]}
        elif option is not None:
            value = {"rating": int(option.value)} if control.tag == "Rating" else {"number": option.value}
        if option is not None or control.tag == "Choices":
            kind = control.tag.lower()
            results = [{"from_name": control.get("name"), "to_name": "text", "type": kind, "value": value}]
        task |= {"id": at, "annotations": [{"id": at, "completed_by": 1, "result": results}]}
    (folder / "export.json").write_text(json.dumps(tasks), encoding="utf-8")
    return folder / "export.json"


def fill_potato(folder, attribute, chosen):
    """What Potato keeps of answers on its pages."""
    config = json.loads((folder / "out" / "1" / "config.yaml").read_text(encoding="utf-8"))
    (scheme,) = config["annotation_schemes"]
    lines = []
    for thing, option in chosen.items():
        if scheme["annotation_type"] == "number":
            kept = {"number": "" if option is None else option.text}
        elif scheme["annotation_type"] == "likert":
            key = "bad_text" if option is None else option.text
            assert option is None or 1 <= option.value <= scheme["size"]
            kept = {key: key}
        else:
            wanted = "cannot tell" if option is None else option.text
            (label,) = [each for each in scheme["labels"] if each.split(" = ")[0] == wanted]
            kept = {label: label}
        lines.append(json.dumps({"instance_id": thing, "user_id": "w", "labels": {scheme["name"]: kept}}))
    (folder / "out" / "1" / "annotation_output").mkdir()
    (folder / "out" / "1" / "annotation_output" / "annotations.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder / "out"


def fill_google_forms(folder, attribute, chosen):
    """The responses of one person to the form that a script makes."""
    text = (folder / "forms.gs").read_text(encoding="utf-8")
    (made,) = json.loads(re.search(r"const FORMS = (.*?);\n\nfunction", text, re.DOTALL)[1])
    cells = {"Timestamp": "2026/03/05 10:31:02 AM GMT+1", "Email Address": "w@example.org"}
    for item in (each for each in made["items"] if each["kind"] in ("grid", "choice", "scale", "number")):
        things = item.get("rows") or [item["title"].rsplit("[", 1)[1].rstrip("]")]
        for thing in things:
            option = chosen[thing]
            answer = CANT_TELL_TEXT if option is None else option.with_label() if "choices" in item else option.text
            assert answer in item.get("choices", [answer])
            heading = f"{item['title']} [{thing}]" if "rows" in item else item["title"]
            cells[heading] = "" if option is None and item["kind"] == "number" else answer
    with open(folder / "responses.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(cells), list(cells.values())])
    return folder / "responses.csv"


FILLS = {
    "spreadsheet": ("form.csv", fill_spreadsheet),
    "mturk": ("out", fill_mturk),
    "label-studio": ("out", fill_label_studio),
    "potato": ("out", fill_potato),
    "google-forms": ("forms.gs", fill_google_forms),
}
"""What is written for each tool that collects answers, and how a person fills it in."""

COLLECTING = [
    tool.name for tool in map(connector, NAMES) if tool.writes == "requests" and "judgments" not in tool.needs
]


class TestConnectors:
    @QUESTIONS
    @pytest.mark.parametrize("tool", COLLECTING)
    def test_every_answer_that_is_written_reads_back(self, tmp_path, tool, name):
        out, fill = FILLS[tool]
        attribute = asked(name)
        chosen = {f"thing {at}": option for at, option in enumerate(answers(attribute))}
        if attribute.cant_tell:
            chosen["thing nobody can tell"] = None
        things = {thing: ObjectContent(text=f"A {thing}") for thing in chosen}
        wanted = tuple(RequestedPair(thing, name, 1) for thing in chosen)
        connector(tool).write(Requests(wanted, {name: attribute}, things), tmp_path / out)
        found = connector(tool).read(fill(tmp_path, attribute, chosen), questions={name: attribute}).to_frame()
        values = dict(zip(found["object"], found["value"], strict=True))
        assert values == {thing: option.value for thing, option in chosen.items() if option is not None}
