"""Every entry reads the same of every file: Python, data frames, the command line, scans and the page in the browser.

The files and what is to be read from them are in ``tests/fixtures/front/``. An entry that cannot take a case is listed
in ``NOT_FOR`` with the reason, and nowhere else.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from manyjudges import Judgments
from manyjudges.exceptions import ManyJudgesError
from manyjudges.tables.files import read_labels
from manyjudges.tables.formats.paths import kind_of
from manyjudges.tables.formats.registry import endings, find_tables, read_content, read_contents
from manyjudges.tables.names import name_text
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import TableRead
from manyjudges.tables.reading.table import read_judgments, read_table
from tests.support.front import Case, by_name, cases, in_full
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
        content = read_content(case.path, skip=case.options.get("on_invalid") == "skip")
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


def n_tables(case: Case) -> int:
    """How many tables a file, a folder or a pattern has; 0 where it cannot be read at all."""
    try:
        skip = case.options.get("on_invalid") == "skip"
        return sum(len(read_contents(file, skip=skip)) for file in find_tables(case.path))
    except ManyJudgesError:
        return 0


def has_decimal_commas(case: Case) -> bool:
    return n_tables(case) == 1 and read_content(case.path).decimal_comma


def has_labels_of_values(case: Case) -> bool:
    return n_tables(case) == 1 and bool(read_content(case.path).scales)


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
        assert words in str(error) or (words == "--on-invalid" and not options)


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
        content = read_content(case.path, skip=case.options.get("on_invalid") == "skip")
        check_judgments(case, Judgments.from_frame(in_pandas(content.frame, content.scales), **case.reading))
