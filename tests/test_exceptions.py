from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
import re
from concurrent.futures import ProcessPoolExecutor

import pandas as pd
import pytest

from manyjudges import exceptions
from manyjudges.exceptions import DataWarning, ManyJudgesError, MissingJudgmentsError, PlanError, spelled_for_shell
from tests.support.messages import ANYTHING, FOLDER

ERRORS = {
    name: each
    for name in exceptions.__all__
    if isinstance(each := getattr(exceptions, name), type) and issubclass(each, ManyJudgesError)
}
FIELDS = {"value": -1, "row": 3, "column": "budget", "file": "study.toml"}
FURTHER = {
    "InvalidAnswerError": {"allowed": "a number", "problem": "must be a number."},
    "MechanicalTurkError": {"code": "ServiceFault", "detail": "no"},
    "ProlificError": {"status": 400, "detail": "no", "uncertain": True},
}
"""What some errors know beside the fields of all."""


def in_a_process(name, further):
    """Raise an error of this name."""
    raise ERRORS[name]("it cannot be used", **FIELDS, **further)


@pytest.fixture(scope="module")
def workers():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_comes_back_from_another_process_with_all_that_it_knows(name, workers):
    further = {"missing": pd.DataFrame({"object": ["a"]})} if name == "MissingJudgmentsError" else FURTHER.get(name, {})
    error = workers.submit(in_a_process, name, further).exception()
    assert type(error) is ERRORS[name]
    assert (str(error), error.args, error.fields) == ("it cannot be used", ("it cannot be used",), FIELDS)
    for each, known in further.items():
        assert getattr(error, each).equals(known) if each == "missing" else getattr(error, each) == known


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", ERRORS.values())
def test_an_error_without_fields_survives_pickling_and_copying(kind, protocol):
    error = MissingJudgmentsError("it is gone", pd.DataFrame()) if kind is MissingJudgmentsError else kind("it is gone")
    for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error), copy.deepcopy(error)):
        assert (type(again), str(again)) == (kind, "it is gone")
        assert again.fields == dict.fromkeys(FIELDS)


def test_a_value_that_no_process_can_send_goes_as_text():
    error = PlanError("no planner", value=lambda: None, column="planner")
    again = pickle.loads(pickle.dumps(error))
    assert again.column == "planner"
    assert again.value.startswith("<function ")
    assert len(again.value) <= 80


@pytest.mark.parametrize("kind", ERRORS.values())
def test_the_repr_of_an_error_shows_its_fields(kind):
    further = {"missing": pd.DataFrame()} if kind is MissingJudgmentsError else {}
    shown = "'it is gone', value=-1, row=3, column='budget', file='study.toml'"
    assert repr(kind("it is gone", **FIELDS, **further)) == f"{kind.__name__}({shown})"
    assert repr(kind("it is gone", **further)) == f"{kind.__name__}('it is gone')"


def test_the_repr_of_an_error_shows_a_long_value_shortened():
    assert repr(PlanError("too long", value="x" * 1000)) == f"PlanError('too long', value='{'x' * 78}…)"


BOTH = "Leave it out with --drop Grade (drop=['Grade']). Rows: on_invalid='skip' (--on-invalid skip)."


def test_options_are_spelled_as_in_python_and_on_the_command_line_as_there():
    error, warning = ManyJudgesError(BOTH), DataWarning(BOTH, "leak", {})
    for each in (error, warning, pickle.loads(pickle.dumps(error)), pickle.loads(pickle.dumps(warning))):
        assert str(each) == "Leave it out with drop=['Grade']. Rows: on_invalid='skip'."
        with spelled_for_shell():
            assert str(each) == "Leave it out with --drop Grade. Rows: --on-invalid skip."
        assert each.message == BOTH


def test_an_error_within_another_is_spelled_for_its_reader():
    outer = ManyJudgesError(f"a.csv: {ManyJudgesError(BOTH)}")
    assert str(outer).startswith("a.csv: Leave it out with drop=['Grade']")
    with spelled_for_shell():
        assert str(outer).startswith("a.csv: Leave it out with --drop Grade.")


@pytest.mark.parametrize(
    ("message", "python", "shell"),
    [
        ("pass it to --missing (missing=).", "pass it to missing=.", "pass it to --missing."),
        ("add --valid 98,99 (valid=[98,99]);", "add valid=[98,99];", "add --valid 98,99;"),
        ("add --valid 99 (valid=);", "add valid=99;", "add --valid 99;"),
        ('(--scale "low,high", scales=)', '(scales="low,high")', '(--scale "low,high")'),
        ("with --object COLUMN (object=);", "with object=;", "with --object COLUMN;"),
        ("pass worker=None (--column worker=) if", "pass worker=None if", "pass --column worker= if"),
        ("by object=, label= (--column label-object=A --column label=B).", "by object=, label=.", ANYTHING),
        ("Keep --repeated first, last or mean (repeated=)", "Keep repeated='first', 'last' or 'mean'", ANYTHING),
        ("noiseless (--noiseless) if", "noiseless if", "--noiseless if"),
        (
            "with --drop 'a' --drop 'b' … (drop=['a', 'b', …])",
            "with drop=['a', 'b', …]",
            "with --drop 'a' --drop 'b' …",
        ),
        ("Say attribute='tall', or --attribute tall.", "Say attribute='tall'.", "Say --attribute tall."),
        ("object='Which photo?' (--object);", "object='Which photo?';", "--object 'Which photo?';"),
        ("(worker=, --option worker=NAME)", "(worker=)", "(--option worker=NAME)"),
        ("name the format: --format csv", "name the format: format='csv'", "name the format: --format csv"),
        ("of 3 (a b), no option", "of 3 (a b), no option", "of 3 (a b), no option"),
        ("'manyjudges plan --method auto'.", "'manyjudges plan --method auto'.", "'manyjudges plan --method auto'."),
    ],
)
def test_spellings(message, python, shell):
    error = ManyJudgesError(message)
    assert str(error) == python
    with spelled_for_shell():
        assert shell in (ANYTHING, str(error))


ROOMS = ("tables", "learn", "scan", "core", "arrays")
FILES = [path for room in ROOMS for path in sorted((FOLDER / room).rglob("*.json"))]


def sentences(recorded):
    if isinstance(recorded, str):
        return [recorded]
    parts = recorded.values() if isinstance(recorded, dict) else recorded
    return [sentence for part in parts for sentence in sentences(part)]


@pytest.mark.parametrize("file", FILES, ids=[f"{path.parent.name}-{path.stem}" for path in FILES])
def test_no_message_of_python_names_an_option_of_the_command_line(file):
    """Nor one of the command line a keyword beside its option."""
    for sentence in sentences(json.loads(file.read_text(encoding="utf-8"))):
        error = ManyJudgesError(sentence)
        assert not re.search(r"(?<!plan )--[a-z]", str(error)), str(error)
        with spelled_for_shell():
            assert not re.search(r"--[a-z-]+[^()]* \([a-z_]+=|=\S* \(--", str(error)), str(error)
