"""Every entry reads the same of every file: Python, data frames, the command line, scans and the page in the browser.

The files and what is to be read from them are in ``tests/fixtures/front/``. An entry that cannot take a case is listed
in ``NOT_FOR`` with the reason, and nowhere else.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from manyjudges import Judgments, MultiSelectRegressor, Plan, answer
from manyjudges.base.formatting import plural
from manyjudges.cli.main import app
from manyjudges.exceptions import ManyJudgesError
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.files import read_labels
from manyjudges.tables.formats.content import Content
from manyjudges.tables.formats.paths import kind_of
from manyjudges.tables.formats.registry import endings, find_tables, read_contents
from manyjudges.tables.names import name_text
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import TableRead
from manyjudges.tables.reading.table import read_judgments, read_table
from tests.support.front import UNMATCHED, Case, arguments, by_name, cases, in_full
from tests.support.messages import ANYTHING

CASES = cases()
FORMATS = {ending.removeprefix(".") for ending in endings()}
BUDGET = 8
SUSPICIOUS = ("MJ501", "MJ502")
"""Checks that stop a plan, and are warnings where a table is described."""


# How each entry reads a case.


def of_path(case: Case) -> TableRead:
    return read_table(case.path, ReadOptions.of(**case.reading))


def of_text_path(case: Case) -> TableRead:
    return read_table(str(case.path), **case.reading)


def of_list_of_paths(case: Case) -> TableRead:
    return read_table(find_tables(case.path), **case.reading)


def of_frame(as_frame: Callable[[pd.DataFrame, Any], Any]) -> Callable[[Case], TableRead]:
    def read(case: Case) -> TableRead:
        (content,) = contents_of(case.name)
        return read_table(as_frame(content.frame, content.scales), **case.reading)

    return read


def in_pandas(frame: pd.DataFrame, scales: Any) -> pd.DataFrame:
    ordered = {name: pd.CategoricalDtype(list(words), ordered=True) for name, words in scales.items()}
    return frame.astype({name: kind for name, kind in ordered.items() if name in frame})


def in_polars(frame: pd.DataFrame, scales: Any) -> pl.DataFrame:
    table = pl.from_pandas(frame)
    return table.with_columns(pl.col(name).cast(pl.Enum(list(words))) for name, words in scales.items())


def in_pyarrow(frame: pd.DataFrame, scales: Any) -> pa.Table:
    return pa.Table.from_pandas(in_pandas(frame, scales), preserve_index=False)


def in_arrays(frame: pd.DataFrame, _scales: Any) -> dict[str, Any]:
    return {name: frame[name].to_numpy() for name in frame}


def of_standard_input(case: Case) -> TableRead:
    """What is piped in, whose format is named."""
    stream = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(case.path.read_bytes()))
    try:
        return read_table("-", **case.reading, format=format_of(case))
    finally:
        sys.stdin = stream


READS: dict[str, Callable[[Case], TableRead]] = {
    "path": of_path,
    "text": of_text_path,
    "paths": of_list_of_paths,
    "pandas": of_frame(in_pandas),
    "polars": of_frame(in_polars),
    "pyarrow": of_frame(in_pyarrow),
    "arrays": of_frame(in_arrays),
    "standard input": of_standard_input,
}
"""Entries of Python that read a table, and say what they understood."""

FRAMES = ("pandas", "polars", "pyarrow", "arrays")
"""Those of them that are handed cells and no file."""


# Which entry cannot take which case, and why.


def format_of(case: Case) -> str:
    return kind_of(case.path).removeprefix(".")


@cache
def contents_of(name: str) -> list[Content]:
    """The tables that a file, a folder or a pattern has; none where it cannot be read at all."""
    case = CASES[name]
    try:
        skip = case.options.get("on_invalid") == "skip"
        return [table for file in find_tables(case.path) for table in read_contents(file, skip=skip)]
    except ManyJudgesError:
        return []


def n_tables(case: Case) -> int:
    return len(contents_of(case.name))


def has_decimal_commas(case: Case) -> bool:
    return n_tables(case) == 1 and contents_of(case.name)[0].decimal_comma


def has_labels_of_values(case: Case) -> bool:
    return n_tables(case) == 1 and bool(contents_of(case.name)[0].scales)


OF_FRAMES = [
    ("it is not one table", lambda case: n_tables(case) != 1),
    ("only a file of text says that its decimals have a comma", has_decimal_commas),
]
NOT_FOR: dict[str, list[tuple[str, Callable[[Case], bool]]]] = {
    "pandas": OF_FRAMES,
    "polars": OF_FRAMES,
    "pyarrow": OF_FRAMES,
    "arrays": [*OF_FRAMES, ("arrays do not know the order of words", has_labels_of_values)],
    "standard input": [
        ("it is not one file", lambda case: not case.path.is_file()),
        ("no format is called so", lambda case: format_of(case) not in FORMATS),
    ],
}
"""Of each entry, what keeps it from a case."""


def reason(entry: str, case: Case) -> str | None:
    """Why an entry cannot take a case; None where it can."""
    return next((why for why, keeps in NOT_FOR.get(entry, ()) if keeps(case)), None)


def pairs(entries: Any, wanted: Callable[[Case], bool] = lambda case: True) -> list[Any]:
    """Each entry with each case that it can take."""
    return [
        pytest.param(entry, name, id=f"{entry}-{name}")
        for entry in entries
        for name, case in CASES.items()
        if wanted(case) and reason(entry, case) is None
    ]


def with_labels(case: Case, read: Callable[[Case], Any]) -> Any:
    """What is read, when also the second file has been read."""
    result = read(case)
    if case.labels is not None:
        read_labels(case.labels)
    return result


# What is compared.


def check_reading(entry: str, case: Case, read: TableRead) -> None:
    """All that is said of a table, to the last cell."""
    expected, reading, layout = case.expected, read.reading, read.reading.layout
    check_judgments(case, read.judgments)
    if "shape" in expected:
        assert layout.shape == expected["shape"]
    for role, column in expected.get("columns", {}).items():
        assert layout.roles.get(role) == column, layout.roles
    assert set(expected.get("left_out", ())) <= {name for name, _ in layout.left_out}
    assert reading.unanswered == expected.get("unanswered", 0)
    assert (reading.skipped, len(read.invalid)) == (expected.get("skipped", 0),) * 2
    for word, number in expected.get("answers", {}).items():
        for coding in reading.codings.values():
            assert coding.look_up(word) == number, (word, coding)
    if "kind" in expected:
        assert {coding.kind for coding in reading.codings.values()} == {expected["kind"]}
    if entry not in FRAMES:
        for words in expected.get("notes", ()):
            assert any(words in note for note in reading.notes), reading.notes
    labels = read.labels
    if labels is None and case.labels is not None:
        labels = read_labels(case.labels, objects=read.judgments.objects)
    if case.label_values is not None:
        assert by_name(labels) == case.label_values
        assert list(map(name_text, labels.attrs["to_predict"])) == case.unlabelled


def check_judgments(case: Case, judgments: Judgments) -> None:
    known = case.expected.get("workers_known", True)
    assert bool(len(judgments.workers)) == known
    if case.judgments is not None:
        assert in_full(judgments, workers=known) == case.judgments
    for name, count in {"n_judgments": len(judgments), "n_objects": len(judgments.objects)}.items():
        assert count == case.expected.get(name, count)


def check_error(error: ManyJudgesError, expected: dict[str, Any], *, options: bool = True) -> None:
    """What a program and a person can read of an error; who hands in a frame types no options of the command line."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    assert expected.get("type", "ManyJudgesError") in kinds, type(error)
    for name in ("value", "column", "row"):
        wanted = expected.get(name, ANYTHING)
        if wanted is not ANYTHING:
            assert getattr(error, name) == wanted, (name, getattr(error, name), str(error))
    for words in expected["words"]:
        assert words in error.message or (words == "--on-invalid" and not options)
    assert not re.search(r"--[a-z]", str(error)), "in Python, options are keywords"


# Python.


@pytest.mark.parametrize(("entry", "name"), pairs(READS, lambda case: not case.error))
def test_a_table_is_read(entry, name):
    check_reading(entry, CASES[name], READS[entry](CASES[name]))


@pytest.mark.parametrize(("entry", "name"), pairs(READS, lambda case: bool(case.error)))
def test_a_table_is_refused(entry, name):
    case = CASES[name]
    with pytest.raises(ManyJudgesError) as caught:
        with_labels(case, READS[entry])
    check_error(caught.value, case.error, options=entry not in FRAMES)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.error])
def test_shorter_ways_read_the_same(name):
    case = CASES[name]
    check_judgments(case, read_judgments(case.path, **case.reading))
    if reason("pandas", case) is None:
        (content,) = contents_of(case.name)
        check_judgments(case, Judgments.from_frame(in_pandas(content.frame, content.scales), **case.reading))


# The command line.

COMMANDS: dict[str, list[str]] = {
    "describe": ["describe"],
    "plan": ["plan", f"--budget={BUDGET}", "--method=full", "--no-error"],
}
"""Commands that read a table."""


def run(entry: str, *files: Any, options: Any = ()) -> Any:
    """What a command says, asked for JSON."""
    command, *more = COMMANDS[entry]
    result = CliRunner().invoke(app, [command, *map(str, files), *more, *arguments(dict(options)), "--json"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert "Traceback" not in result.output
    return result


def result_of(result: Any) -> dict[str, Any]:
    """The result in what a command says: of a plan, the answer."""
    told: dict[str, Any] = json.loads(result.stdout)
    return told.get("answer", told)


def files_of(case: Case) -> list[Any]:
    return [case.path] if case.labels is None else [case.path, case.labels]


def plain_tables(case: Case) -> tuple[str, str]:
    """The same judgments and labels as the plainest text there can be."""
    if case.judgments is None:
        rows = read_table(case.path, **case.reading).judgments.to_frame()
    else:
        names = ["object", "attribute", "worker", "value"]
        rows = pd.DataFrame([key for key, n in case.judgments.items() for _ in range(n)], columns=names)
        rows = rows if case.expected.get("workers_known", True) else rows.drop(columns="worker")
    every = {**(case.label_values or {}), **dict.fromkeys(case.unlabelled)}
    labels = pd.Series(every, name="label", dtype=float).rename_axis("object")
    return rows.to_csv(index=False), labels.to_csv()


@pytest.fixture(scope="module")
def of_plain(tmp_path_factory):
    """What an entry says of the plain table of a case. Many cases have the same one, of which it is asked once."""

    @cache
    def asked(entry: str, judgments: str, labels: str, options: str) -> Any:
        folder = tmp_path_factory.mktemp("plain")
        files = [folder / "plain.csv", folder / "plain-labels.csv"]
        for file, text in zip(files, (judgments, labels), strict=True):
            file.write_text(text, encoding="utf-8", newline="")
        if entry in COMMANDS:
            return run(entry, *files, options=json.loads(options))
        return answer(*files, BUDGET, method="full", shrinkage=0.0, error=False, **json.loads(options)).plan

    return lambda entry, case: asked(entry, *plain_tables(case), json.dumps(of_numbers(case)))


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal but for rounding, and for what they say of how they were read."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one.keys() - READING)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float | int):
        return bool(np.isclose(one, other, rtol=1e-9, atol=1e-12))
    return bool(one == other)


READING = {"answers", "reading", "skipped", "warnings", "unanswered"}


@pytest.mark.parametrize(("entry", "name"), pairs(COMMANDS, lambda case: not case.error))
def test_a_command_says_the_same_as_of_a_plain_table(entry, name, of_plain):
    case = CASES[name]
    result = run(entry, *files_of(case), options=case.options)
    if case.stop and entry != "describe":
        check_refusal(result, case.stop)
        return
    assert result.exit_code == 0, result.output
    told = result_of(result)
    if not case.stop:
        plain = of_plain(entry, case)
        assert plain.exit_code == 0, plain.output
        assert same(told, result_of(plain)), (told, plain.stdout)
    codes = {warning["code"] for warning in told["warnings"]}
    assert bool(codes & set(SUSPICIOUS)) == bool(case.stop), codes
    for words in case.expected.get("warning", ()):
        assert any(words in warning["message"] for warning in told["warnings"])
    for words in case.expected.get("notes", ()):
        assert words in result.stderr
    if unanswered := case.expected.get("unanswered"):
        assert f"{plural(unanswered, 'cell')} without an answer" in result.stderr
    assert told["skipped"] == case.expected.get("skipped", 0)


@pytest.mark.parametrize(("entry", "name"), pairs(COMMANDS, lambda case: bool(case.error)))
def test_a_command_refuses_a_table(entry, name):
    case = CASES[name]
    check_refusal(run(entry, *files_of(case), options=case.options), case.error)


def check_refusal(result: Any, expected: dict[str, Any]) -> None:
    """One line, and an exit code that scripts see."""
    assert result.exit_code == 2, result.output
    (line,) = (line for line in result.stderr.splitlines() if line.startswith("error: "))
    for words in expected["words"]:
        assert words in line


def of_numbers(case: Case) -> dict[str, Any]:
    """The options that have a meaning where all is long rows of numbers."""
    return {name: value for name, value in case.options.items() if name in (UNMATCHED, "valid")}


# Plans in Python.


def plan_of_answer(case: Case) -> Plan:
    """The plan in an answer, without its error."""
    way = {"method": "full", "shrinkage": 0.0, "error": False}
    return answer(case.path, case.labels, BUDGET, **way, **case.options).plan


def plan_of_estimator(case: Case) -> Plan:
    """The plan of a regressor that is given the path and the label: a path, too, or the name of a column."""
    options = {name: value for name, value in case.reading.items() if name != "label"}
    labels = case.labels if case.labels is not None else case.options["label"]
    model = MultiSelectRegressor(BUDGET, method="full", shrinkage=0.0, read_options=options)
    plan: Plan = model.fit(case.path, labels).plan_
    return plan


PLANS: dict[str, Callable[[Case], Plan]] = {"answer": plan_of_answer, "estimator": plan_of_estimator}
"""Entries of Python that make a plan."""

NOT_FOR["estimator"] = [("the estimator wants a label of every object", lambda case: UNMATCHED in case.options)]


@pytest.mark.parametrize(("entry", "name"), pairs(PLANS, lambda case: not case.error and not case.stop))
def test_a_plan_is_that_of_a_plain_table(entry, name, of_plain):
    case = CASES[name]
    plain, plan = of_plain("answer", case), PLANS[entry](case)
    assert plan.repeats == plain.repeats
    assert plan.explained == pytest.approx(plain.explained)
    for coding in (plan.answers or {}).values():
        for word, number in case.expected.get("answers", {}).items():
            assert AnswerCoding.from_document(coding).look_up(word) == number
    assert not case.expected.get("answers") or set(plan.answers) == set(plan.attributes)


@pytest.mark.parametrize(("entry", "name"), pairs(PLANS, lambda case: bool(case.error or case.stop)))
def test_no_plan_is_made(entry, name):
    case = CASES[name]
    if case.labels is None and "label" not in case.options:
        return
    with pytest.raises(ManyJudgesError) as caught:
        PLANS[entry](case)
    check_error(caught.value, case.error or case.stop)
