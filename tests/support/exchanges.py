"""Exchanges: what people who work with each tool make of the files that a connector writes.

One entry for each connector. ``answer`` takes what was written and what everybody says, and leaves files as the tool
would export them. The laws of connectors run on every entry, and ask for one where a connector has none.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd

from manyjudges import Judgments
from manyjudges.connectors.requests import ObjectContent, RequestedPair, Requests
from manyjudges.study.questions import Attribute
from tests.support.folders import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
OWN_FILES = {
    "mturk": FIXTURES / "mturk" / "batch.csv",
    "prolific": FIXTURES / "prolific" / "export.csv",
    "label-studio": FIXTURES / "label_studio" / "export.json",
    "potato": FIXTURES / "potato" / "newer",
    "spreadsheet": FIXTURES / "spreadsheet" / "wide.csv",
    "google-forms": next((FIXTURES / "google_forms").glob("*.csv")),
    "crowd-kit": next((FIXTURES / "crowd_kit").glob("*.csv")),
}
"""A file of each tool that no other tool could have written."""

LIKE_OTHERS = {"cleanlab": "a column for each person, as spreadsheets have, too"}
"""Tools of whose files the name is to be said, and why."""

QUESTIONS = {
    "tall": Attribute(name="tall", question="Is the person tall?", kind="binary"),
    "height": Attribute(name="height", question="How tall?", kind="number", range=(50.0, 250.0), unit="cm"),
    "age": Attribute(name="age", question="How old?", kind="scale", range=(1.0, 5.0), cant_tell=False),
}
OBJECTS = {name: ObjectContent(text=f"the person {name}") for name in ("a", "b/ü", "c, d")}
NONSENSE = "perhaps !?"
"""An answer that no question takes."""

Say = Callable[[str, str, int], str]
"""From an object, an attribute and the number of a judge to what is answered, as a text."""


def number_said(thing: str, attribute: str, judge: int) -> float:
    """The value that a judge gives."""
    at = list(OBJECTS).index(thing) + judge
    return {"tall": at % 2, "height": 150.5 + at, "age": 1 + at % 5}[attribute]


def say(thing: str, attribute: str, judge: int) -> str:
    """The same as somebody would write or choose it."""
    value = number_said(thing, attribute, judge)
    return ("no", "yes")[int(value)] if attribute == "tall" else f"{value:g}"


def requests_for(counts: Mapping[tuple[str, str], int]) -> Requests:
    """Requests of a study with these counts of judgments, by object and attribute."""
    things, names = ({pair[at] for pair in counts} for at in (0, 1))
    return Requests(
        tuple(RequestedPair(*pair, count) for pair, count in counts.items()),
        {name: question for name, question in QUESTIONS.items() if name in names},
        {name: shown for name, shown in OBJECTS.items() if name in things},
        "People & pets",
        "Welcome.\n\nTake your time.",
    )


@dataclass(frozen=True)
class Exchange:
    """How a tool is worked with.

    Attributes
    ----------
    out : str
        The name of what is written.
    answer : callable
        From what was written and what people say to the files that the tool exports, and options to read them with.
    options : dict
        Options for ``write`` that the tool needs.
    """

    out: str
    answer: Callable[[Path, Say], tuple[list[Path], dict[str, Any]]]
    options: dict[str, Any] = field(default_factory=dict)


def rows_in(path: Path) -> list[dict[str, str]]:
    """The rows of a table of text."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, rows: Iterable[Mapping[str, str]]) -> Path:
    """A table of text with these rows."""
    found = list(rows)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in found for name in row)), restval="")
        writer.writeheader()
        writer.writerows(found)
    return path


def answer_mturk(out: Path, say: Say) -> tuple[list[Path], dict[str, Any]]:
    """Batch results of the requester site."""
    results = []
    for batch in rows_in(out / "batches.csv"):
        rows = [
            {
                "HITId": f"{batch['file']} {at}",
                "AssignmentId": f"{batch['file']} {at} {judge}",
                "WorkerId": f"W{judge}",
                "AssignmentStatus": "Submitted",
                **{f"Input.{name}": cell for name, cell in cells.items()},
                "Answer.answer": say(cells["object"], cells["attribute"], judge),
            }
            for at, cells in enumerate(rows_in(out / batch["file"]))
            for judge in range(int(batch["assignments"]))
        ]
        results.append(write_rows(out / f"results {batch['file']}", rows))
    return results, {}


def answer_label_studio(out: Path, say: Say) -> tuple[list[Path], dict[str, Any]]:
    """Exports of projects as JSON."""
    exports = []
    for project, row in enumerate(rows_in(out / "projects.csv"), start=1):
        config = ElementTree.fromstring((out / row["config"]).read_text(encoding="utf-8"))
        kinds = {control.get("name"): control.tag.lower() for control in config.iter() if control.get("toName")}
        tasks = []
        for at, task in enumerate(json.loads((out / row["tasks"]).read_text(encoding="utf-8")), start=1):
            annotations = [
                {
                    "id": 10_000 * project + 100 * at + judge,
                    "completed_by": judge,
                    "result": [
                        {
                            "from_name": control,
                            "to_name": "text",
                            "type": kinds[control],
                            "value": label_studio_value(kinds[control], say(task["data"]["object"], name, judge)),
                        }
                        for control, name in task["data"]["manyjudges"].items()
                    ],
                }
                for judge in range(int(row["annotations"]))
            ]
            tasks.append({"id": 1000 * project + at, "data": task["data"], "annotations": annotations})
        exports.append(out / f"export {project}.json")
        exports[-1].write_text(json.dumps(tasks), encoding="utf-8")
    return exports, {}


def label_studio_value(kind: str, text: str) -> dict[str, Any]:
    """The value of a result."""
    if kind == "choices":
        return {"choices": [text]}
    return {kind: text if text == NONSENSE else float(text)}


def answer_potato(out: Path, say: Say) -> tuple[list[Path], dict[str, Any]]:
    """The states of users that Potato keeps."""
    for config in sorted(out.glob("*/config.yaml")):
        project = json.loads(config.read_text(encoding="utf-8"))
        lines = (config.parent / project["data_files"][0]).read_text(encoding="utf-8").splitlines()
        things = [json.loads(line)["id"] for line in lines]
        for judge in range(project["num_annotators_per_item"]):
            labels = {
                thing: [
                    potato_label(scheme, say(thing, scheme["name"], judge)) for scheme in project["annotation_schemes"]
                ]
                for thing in things
            }
            path = config.parent / "annotation_output" / f"w{judge}" / "user_state.json"
            path.parent.mkdir(parents=True)
            state = {"user_id": f"w{judge}", "instance_id_to_label_to_value": labels}
            path.write_text(json.dumps(state), encoding="utf-8")
    return [out], {}


def potato_label(scheme: Mapping[str, Any], text: str) -> list[Any]:
    """A pair of a label and its value."""
    if scheme["annotation_type"] == "number":
        return [{"schema": scheme["name"], "name": "number"}, text]
    return [{"schema": scheme["name"], "name": text}, text]


def answer_spreadsheet(out: Path, say: Say) -> tuple[list[Path], dict[str, Any]]:
    """The form as a table, filled in by all raters."""
    head, questions, *rows = list(csv.reader(out.read_text(encoding="utf-8").splitlines()))
    filled = [
        [
            say(row[1], name, int(row[0].removeprefix("Rater ")) - 1) if name in QUESTIONS and not cell else cell
            for name, cell in zip(head, row, strict=True)
        ]
        for row in rows
    ]
    with open(out, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, questions, *filled])
    return [out], {}


def answer_google_forms(out: Path, say: Say) -> tuple[list[Path], dict[str, Any]]:
    """Responses to the forms that the script makes."""
    script = out.read_text(encoding="utf-8")
    forms = json.loads(re.search(r"const FORMS = (.*?);\n\nfunction", script, re.DOTALL)[1])
    attributes = {question.question: name for name, question in QUESTIONS.items()}
    files = []
    for number, form in enumerate(forms):
        headings = []
        for item in form["items"]:
            if item["kind"] == "grid":
                headings += [(item["title"], row) for row in item["rows"]]
            elif item["kind"] in ("choice", "scale", "number"):
                headings.append(tuple(item["title"].removesuffix("]").split(" [", 1)))
        rows = [
            {"Timestamp": "2026/03/05 10:31:02 AM GMT+1", "Email Address": f"w{judge}@example.org"}
            | {f"{title} [{thing}]": say(thing, attributes[title], judge) for title, thing in headings}
            for judge in range(int(form["answers"].split()[0]))
        ]
        files.append(write_rows(out.with_name(f"form {number}.csv"), rows))
    return files, {}


def answer_prolific(out: Path, say: Say) -> tuple[list[Path], dict[str, Any]]:
    """Who took part; what they said is known to the study alone."""
    places = json.loads(out.read_text(encoding="utf-8"))["total_available_places"]
    said = [
        (thing, name, f"p{judge}", say(thing, name, judge))
        for thing, name in COUNTS
        for judge in range(min(places, COUNTS[thing, name]))
    ]
    judgments = pd.DataFrame(said, columns=["object", "attribute", "external", "value"])
    bad = [who for *_, who, text in said if text == NONSENSE]
    judgments["worker"] = judgments["external"]
    rows = [
        {
            "Submission id": f"s{judge}",
            "Participant id": f"p{judge}",
            "Status": "APPROVED",
            "Time taken": NONSENSE if f"p{judge}" in bad else "600",
        }
        for judge in range(places)
    ]
    return [write_rows(out.with_name("export.csv"), rows)], {"judgments": judgments}


def answer_nothing(out: Path, say: Say) -> tuple[list[Path], dict[str, Any]]:
    """Tables of judgments are read as they were written, unless somebody spoils one."""
    if say("a", "tall", 0) == NONSENSE:
        head, row, *rest = out.read_text(encoding="utf-8").splitlines()
        out.write_text("\n".join([head, re.sub(r",[^,]*$", f",{NONSENSE}", row), *rest, ""]), encoding="utf-8")
    return [out], {"attribute": "tall"}


COUNTS = {("a", "tall"): 2, ("a", "height"): 2, ("b/ü", "tall"): 2, ("c, d", "tall"): 1, ("c, d", "age"): 3}
"""What is asked for in the laws: several numbers of judgments, and not every attribute of every object."""


def said_in_all(counts: Mapping[tuple[str, str], int]) -> Judgments:
    """The judgments that everybody gives."""
    rows = [
        (thing, name, f"w{judge}", number_said(thing, name, judge))
        for (thing, name), count in counts.items()
        for judge in range(count)
    ]
    return Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"]))


EXCHANGES = {
    "mturk": Exchange("batches", answer_mturk),
    "prolific": Exchange("draft.json", answer_prolific),
    "label-studio": Exchange("projects", answer_label_studio),
    "potato": Exchange("projects", answer_potato),
    "spreadsheet": Exchange("form.csv", answer_spreadsheet),
    "google-forms": Exchange("forms.gs", answer_google_forms),
    "crowd-kit": Exchange("votes.csv", answer_nothing, {"attribute": "tall"}),
    "cleanlab": Exchange("labels.csv", answer_nothing, {"attribute": "tall"}),
}
