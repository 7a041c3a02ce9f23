"""What all connectors have in common."""

from __future__ import annotations

import inspect
import json
import re
from collections import Counter
from dataclasses import FrozenInstanceError, fields
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.connectors import NAMES, connector
from manyjudges.connectors.prolific.drafts import StudyTerms
from manyjudges.exceptions import DocumentError, JudgmentsError, StudyError
from manyjudges.service.transfer import COMMON, options_in, read_from, write_for
from tests.support.exchanges import (
    COUNTS,
    EXCHANGES,
    FIXTURES,
    NONSENSE,
    QUESTIONS,
    number_said,
    requests_for,
    said_in_all,
    say,
)
from tests.support.folders import ROOT
from tests.support.messages import refused

SAMPLES = [b"", *(path.read_bytes()[:4000] for path in sorted(FIXTURES.glob("*/*")) if path.is_file())]
"""How files of all tools begin."""


@pytest.fixture(params=NAMES)
def tool(request):
    """Every connector there is."""
    return connector(request.param)


SURVEY_TOOLS = "the layouts of what survey tools export, and what they call their columns"

NAMED_ELSEWHERE = {
    "exceptions.py": "the tree of errors has those of the live services",
    "app/templates/table.html.jinja": SURVEY_TOOLS,
    "app/words.py": SURVEY_TOOLS,
    "cli/reading_options.py": SURVEY_TOOLS,
    "tables/columns.py": SURVEY_TOOLS,
    "tables/reading/table.py": SURVEY_TOOLS,
    "tables/shapes/google_forms.py": SURVEY_TOOLS,
    "tables/shapes/layout.py": SURVEY_TOOLS,
    "tables/shapes/looks.py": SURVEY_TOOLS,
    "tables/shapes/registry.py": SURVEY_TOOLS,
    "study/arrivals.py": "the settings of a study's file that let people from marketplaces in",
    "study/templates/study.toml": "an example of a study's file, with these settings",
}
"""Where tools are named outside of their room, and why."""

ORDINARY_WORDS = {"spreadsheet"}
"""Names that are words, too, and so are only looked for as texts of their own."""


def mentions(text):
    """The tools that a text names, as what stands there."""
    titles = {tool.marketplace.title for tool in map(connector, NAMES) if tool.marketplace is not None}
    words = {*NAMES, *titles, "Amazon", "HIT", "PROLIFIC_PID", "assignmentId"} - ORDINARY_WORDS
    patterns = [r"[\s_-]?".join(map(re.escape, re.split(r"[\s_-]", word))) for word in sorted(words)]
    found = re.findall(rf"(?i:{'|'.join(pattern for pattern in patterns if pattern != 'HIT')})|\bHIT\b", text)
    return found + re.findall(rf"[\"'](?:{'|'.join(map(re.escape, ORDINARY_WORDS))})[\"']", text)


class TestWhoNamesATool:
    def test_nobody_outside_of_the_room(self):
        source = ROOT / "src" / "manyjudges"
        files = [path for path in source.rglob("*.*") if path.suffix in (".py", ".jinja", ".js", ".css", ".toml")]
        others = [path for path in files if path.relative_to(source).parts[0] != "connectors"]
        found = {path.relative_to(source).as_posix(): mentions(path.read_text(encoding="utf-8")) for path in others}
        assert {path: words for path, words in found.items() if words and path not in NAMED_ELSEWHERE} == {}
        assert all(found[path] for path in NAMED_ELSEWHERE), "one of these names none any more: take it out"

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("say", ['if source == "{}":', "entry['{}']", '{{% if worker.source == "{}" %}}'])
    def test_each_would_be_noticed(self, name, say):
        assert mentions(say.format(name))

    def test_other_words_are_no_names(self):
        assert mentions("As spreadsheets write it; the judge hit Enter; `hit`, white, potter") == []


class TestWhatAConnectorSays:
    def test_it_is_one_frozen_object_under_its_name(self, tool):
        assert NAMES.count(tool.name) == 1
        assert connector(tool.name) is tool
        assert tool.output
        with pytest.raises(FrozenInstanceError):
            tool.name = "another"

    def test_its_functions_take_what_every_connector_takes(self, tool):
        read = inspect.signature(tool.read).parameters
        assert next(iter(read)) == "path"
        assert {"questions", "object", "rename"} <= set(read)
        assert list(inspect.signature(tool.write).parameters)[1] == "path"
        assert all(function.__doc__ for function in (tool.read, tool.write, tool.detects))

    @pytest.mark.parametrize("direction", ["read", "write"])
    def test_its_options_are_the_parameters_of_its_functions(self, tool, direction):
        parameters = inspect.signature(getattr(tool, direction)).parameters.values()
        own = {each.name: each.annotation for each in parameters if each.kind is each.KEYWORD_ONLY}
        own = {name: annotation for name, annotation in own.items() if name not in COMMON}
        options = tool.options_of(direction)
        if any(each.kind is each.VAR_KEYWORD for each in parameters):
            own |= {each.name: each.type for each in fields(StudyTerms) if each.name != "filters"}
        assert list(options) == list(own)
        for name, option in options.items():
            assert types_in(own[name]) == (option.type, option.several), name

    def test_its_options_are_explained(self, tool):
        for name, option in tool.options.items():
            assert name.isidentifier()
            assert option.help[0].isupper()
            assert not option.help.endswith(".")
            assert option.on

    def test_what_it_needs_of_a_study_is_a_parameter(self, tool):
        read, write = (inspect.signature(function).parameters for function in (tool.read, tool.write))
        assert ("judgments" in tool.needs) == ("judgments" in read) == ("pseudonyms" in read)
        assert ("study" in tool.needs) == ("study" in write)
        assert (tool.writes == "judgments") == (next(iter(write)) == "judgments")


def types_in(annotation):
    """The type of an option, and whether it takes several, by the annotation of a parameter."""
    kinds = {"bool": "yes or no", "int": "whole number", "float": "number"}
    if "Mapping" in annotation:
        return "word=number", False
    kind = next((words for name, words in kinds.items() if re.search(rf"\b{name}\b", annotation)), "text")
    return kind, "Sequence" in annotation


@pytest.mark.parametrize("direction", ["read", "write"])
class TestUnknownOptions:
    def test_an_unknown_option_names_the_known_ones(self, tool, direction):
        with pytest.raises(StudyError) as caught:
            options_in(tool.name, direction, ["nonsense=1"])
        assert caught.value.value == "nonsense"
        assert all(repr(name) in str(caught.value) for name in tool.options_of(direction))

    def test_a_typo_is_recognised(self, tool, direction):
        for name in tool.options_of(direction):
            with refused(StudyError, value=f"{name}x", column=f"{name}x"):
                tool.option(f"{name}x", direction)

    def test_options_of_a_call_are_checked_too(self, tool, direction, tmp_path):
        call_it = {"read": partial(read_from, tool.name, []), "write": partial(write_for, tool.name, None, tmp_path)}
        with refused(StudyError, value="nonsense", column="nonsense"):
            call_it[direction](nonsense=1)


class TestExchange:
    """Write, answer as people would in the tool, read."""

    def answered(self, tool, folder, say_it=say):
        exchange, out = EXCHANGES[tool.name], folder / EXCHANGES[tool.name].out
        asked = requests_for(COUNTS) if tool.writes == "requests" else said_in_all(COUNTS)
        tool.write(asked, out, **exchange.options)
        return exchange.answer(out, say_it)

    def test_what_is_answered_comes_back(self, tool, tmp_path):
        paths, options = self.answered(tool, tmp_path)
        found = tool.read(paths, questions=QUESTIONS, **options).to_frame()
        counts = COUNTS if tool.writes == "requests" else {pair: n for pair, n in COUNTS.items() if pair[1] == "tall"}
        assert Counter(zip(found["object"], found["attribute"], strict=True)) == counts
        # A tool may call its judges and share work out as it likes, but each gives the answers of one person.
        people = {worker: set(range(max(COUNTS.values()))) for worker in found["worker"]}
        for row in found.itertuples(index=False):
            people[row.worker] &= {
                judge for judge in people[row.worker] if number_said(row.object, row.attribute, judge) == row.value
            }
        assert all(people.values())

    def test_what_comes_back_is_known_as_its_own(self, tool, tmp_path):
        paths, _ = self.answered(tool, tmp_path)
        assert paths
        assert all(tool.detects(path) for path in paths)

    def test_a_record_that_cannot_be_used_is_named_with_its_file_and_its_row(self, tool, tmp_path):
        def spoilt(thing, attribute, judge):
            return NONSENSE if (thing, attribute, judge) == ("a", "tall", 0) else say(thing, attribute, judge)

        paths, options = self.answered(tool, tmp_path, spoilt)
        with pytest.raises((DocumentError, JudgmentsError)) as caught:
            tool.read(paths, questions=QUESTIONS, **options)
        error = caught.value
        assert error.value == NONSENSE
        assert error.column is not None
        assert error.file in str(error)
        assert str(error.row) in str(error)
        [file] = [file for file in tmp_path.rglob("*") if str(file).endswith(error.file) and holds(file, NONSENSE)][:1]
        if file.suffix == ".csv":
            lines = file.read_text(encoding="utf-8").splitlines()
            assert [at for at, line in enumerate(lines, start=1) if NONSENSE in line] == [error.row]
        else:
            assert json.dumps(error.row) in file.read_text(encoding="utf-8")

    @pytest.mark.parametrize("name", [name for name in NAMES if connector(name).output == "a folder"])
    def test_a_folder_with_something_in_it_is_left_alone(self, name, tmp_path):
        out = tmp_path / EXCHANGES[name].out
        out.mkdir()
        (out / "mine.txt").touch()
        with refused(DocumentError, file=str(out)):
            self.answered(connector(name), tmp_path)
        assert [path.name for path in out.iterdir()] == ["mine.txt"]


def holds(path, text):
    return path.is_file() and text.encode() in path.read_bytes()


class TestDetecting:
    @given(data=st.data())
    def test_it_never_raises(self, tmp_path_factory, data):
        folder = tmp_path_factory.mktemp("odd")
        ending = data.draw(st.sampled_from([".csv", ".tsv", ".json", ".jsonl", ".xlsx", ".txt", ""]))
        start = data.draw(st.sampled_from(SAMPLES))
        text = start[: data.draw(st.integers(0, len(start)))] + data.draw(st.binary(max_size=40))
        (folder / f"file{ending}").write_bytes(text)
        for name in NAMES:
            for path in (folder / f"file{ending}", folder, folder / "none.csv"):
                assert connector(name).detects(path) in (True, False)


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04 and so on",
        "task,worker\n".encode("utf-16-le"),
        b"task,worker,label\na,b\0,1\n",
        b"task,worker,label\na,\xe9,1\n",
    ],
)
def test_files_that_are_no_text(tool, data, tmp_path):
    (tmp_path / "x.csv").write_bytes(data)
    needed = {"judgments": said_in_all(COUNTS).to_frame()} if "judgments" in tool.needs else {}
    with refused(DocumentError, file="x.csv"):
        tool.read(tmp_path / "x.csv", **needed)
