"""The registry: connectors are found by name, loaded when they are needed, and their options are read from texts."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

import manyjudges.connectors
from manyjudges.connectors.registry import MODULES, NAMES, Connector, ConnectorOption, connector, detect
from manyjudges.exceptions import DocumentError, StudyError
from manyjudges.service.transfer import options_in
from tests.support.exchanges import LIKE_OTHERS, OWN_FILES
from tests.support.folders import ROOT
from tests.support.messages import refused


def loaded_by(code):
    """The modules of connectors that are loaded when a program has run."""
    end = "; import sys; print(*(name for name in sys.modules if name.startswith('manyjudges.connectors.')))"
    run = subprocess.run([sys.executable, "-c", code + end], check=True, capture_output=True, text=True)
    return {name.split(".")[2] for name in run.stdout.split()}


def test_tools_are_loaded_when_they_are_asked_for():
    assert loaded_by("import manyjudges.connectors") == set()
    assert loaded_by("from manyjudges.connectors import NAMES, detect") == {"registry"}
    asked = loaded_by("from manyjudges.connectors import connector; connector('potato')")
    assert asked & set(MODULES.values()) == {"potato"}


def test_tools_are_modules_of_the_package():
    for name, module in MODULES.items():
        assert getattr(manyjudges.connectors, module).CONNECTOR is connector(name)
        assert getattr(manyjudges.connectors, module).read is connector(name).read
        assert module in manyjudges.connectors.__all__


def test_an_unknown_name_is_told_with_the_nearest():
    with refused(DocumentError, value="potatoe", column="connector") as caught:
        connector("potatoe")
    assert caught.value.value == "potatoe"


@pytest.mark.parametrize(
    ("option", "texts", "value"),
    [
        (ConnectorOption("text", "A text"), ["a=b"], "a=b"),
        (ConnectorOption("text", "Texts", several=True), ["a", "b"], ["a", "b"]),
        (ConnectorOption("whole number", "A number"), ["10"], 10),
        (ConnectorOption("number", "Numbers", several=True), ["1", "2.5"], [1.0, 2.5]),
        (ConnectorOption("yes or no", "Whether"), [" Yes"], True),
        (ConnectorOption("yes or no", "Whether"), ["yes", "false"], False),
        (ConnectorOption("word=number", "What words mean"), ["bad=0", "a = b=1"], {"bad": 0.0, "a = b": 1.0}),
    ],
)
def test_an_option_reads_texts(option, texts, value):
    found = None
    for text in texts:
        found = option.add(found, text)
    assert found == value


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        *(("whole number", text) for text in ("1.5", "１２", "1_000", "", "ten", "1e3", "nan")),
        *(("number", text) for text in ("low", "１２", "1_000", "٣", "1,5", "nan", "inf", "1e400", "")),
        *(("yes or no", text) for text in ("maybe", "")),
        *(("word=number", text) for text in ("good", "good=", "good=１", "good=1_0", "good=nan")),
    ],
)
def test_an_option_refuses_what_is_no_value_of_it(type_, text):
    with pytest.raises(StudyError) as caught:
        ConnectorOption(type_, "An option").parse(text)
    assert caught.value.value == text


def test_it_is_said_how_a_number_is_written():
    for name, direction, option, text in [
        ("mturk", "write", "per_hit", "１２"),
        ("mturk", "write", "per_hit", "1_000"),
        ("cleanlab", "write", "classes", "1_0"),
        ("crowd-kit", "read", "values", "good=٣"),
    ]:
        with refused(StudyError, value=text, column=option):
            options_in(name, direction, [f"{option}={text}"])


def test_options_of_one_direction():
    both = ConnectorOption("text", "Both", on=frozenset({"read", "write"}))
    tool = Connector(
        "x", "a file", len, len, bool, options={"both": both, "mine": ConnectorOption("text", "Only to read")}
    )
    assert list(tool.options_of("read")) == ["both", "mine"]
    assert list(tool.options_of("write")) == ["both"]
    with pytest.raises(StudyError) as caught:
        tool.option("mine", "write")
    assert caught.value.column == "mine"
    with refused(StudyError, value="mine", column="mine"):
        Connector("y", "a file", len, len, bool).option("mine", "read")


def test_the_docs_list_every_option():
    path = ROOT / "docs" / "connector_options.py"
    spec = importlib.util.spec_from_file_location("connector_options", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = (ROOT / "docs" / "connectors.md").read_text(encoding="utf-8")
    assert script.renew(page) == page, "run python docs/connector_options.py"
    for name in NAMES:
        for option in connector(name).options:
            assert f"| `{name}` | `{option}`" in page


def test_every_tool_has_a_file_of_its_own_or_is_said_to_have_none():
    assert sorted([*OWN_FILES, *LIKE_OTHERS]) == sorted(NAMES)


@pytest.mark.parametrize("name", OWN_FILES)
def test_files_are_told_by_what_is_in_them(name):
    assert detect(OWN_FILES[name]) == name


def test_files_that_are_nobodys(tmp_path):
    own = tmp_path / "judgments.csv"
    own.write_text("object,attribute,worker,value\na,tall,ann,1\n")
    with refused(DocumentError, file=str(own)):
        detect(own)
    with refused(DocumentError, file=str(tmp_path / "none.csv")):
        detect(tmp_path / "none.csv")
    (tmp_path / "random.bin").write_bytes(bytes(range(256)))
    assert not any(connector(name).detects(tmp_path / "random.bin") for name in NAMES)
    assert not any(connector(name).detects(tmp_path / "gone.xlsx") for name in NAMES)
