"""However a file is damaged or changed, nobody gets a traceback, and nobody gets another answer without a word.

Each file of ``tests/fixtures/front/`` is mutated a hundred times, always in the same ways. What comes of it is an error
of one line, or the same plan as of the file itself, or something that is said: another count of cells without an answer
or of rows skipped, another column left out, a note. Where a value became another value, which no program can see, at
most the judgments in the rows or the column that were changed are others. What only changes how a table is written
never changes a judgment.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from manyjudges.cli.main import app
from manyjudges.core.search.registry import select
from manyjudges.exceptions import ManyJudgesError, spelled_for_shell
from manyjudges.learn.checks.registry import raise_stops
from manyjudges.learn.training_data import load_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.files import read_labels
from manyjudges.tables.formats.registry import find_tables
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.table import read_table
from tests.support.front import UNMATCHED, Case, arguments, by_name, cases, in_full
from tests.support.mutations import BYTES, FORMAL, mutations

BUDGET = 8


TYPED = (7, 54)
"""Mutations that are also read by a command; one takes as long as five that are not."""

WITHOUT_CHECKSUMS = (".arrow", ".parquet")
"""Files whose values are packed so that bytes that are missing are other values, and nothing in the file tells."""


@dataclass(frozen=True)
class Outcome:
    """What a file comes to: an error, or judgments with labels and what is said of them."""

    error: str = ""
    judgments: Counter[tuple[str, ...]] = field(default_factory=Counter)
    labels: tuple[tuple[str, float], ...] = ()
    said: tuple[Any, ...] = ()
    repeats: tuple[tuple[str, int], ...] = ()


def outcome(path: Path, options: ReadOptions, labels: Any, unmatched: str, like: Outcome | None = None) -> Outcome:
    """What comes of a file. No plan is made where that of a file that says the same is known."""
    try:
        read = read_table(path, options)
        judgments = in_full(read.judgments)
        own = read.labels if labels is None else labels
        known = () if own is None else tuple(sorted(by_name(own).items()))
        reading, layout = read.reading, read.reading.layout
        said = (
            *(reading.unanswered, reading.skipped, reading.repeated, reading.notes, layout.left_out, layout.shape),
            *(tuple(layout.roles.items()), reading.label_note, len(read.invalid)),
        )
        if like is not None and (judgments, known) == (like.judgments, like.labels):
            return Outcome("", judgments, known, said, like.repeats)
        if own is None:
            return Outcome("", judgments, known, said)
        data = load_training_data(read.judgments, own, ScanOptions.of(unmatched=unmatched))
        raise_stops(data)
        plan = select(data.moments, BUDGET, method="full")
        return Outcome("", judgments, known, said, tuple(plan.repeats.items()))
    except ManyJudgesError as error:
        return Outcome(error.message or "an error without a word")


def first_cases() -> dict[str, Case]:
    """Of each file the first case in which it can be read, or its first."""
    found: dict[str, Case] = {}
    for case in cases().values():
        known = found.get(case.file)
        if known is None or (known.error and not case.error):
            found[case.file] = case
    return found


FILES = first_cases()


ROW, COLUMN, PERSON = (0, 2), (1,), (2,)
"""What all judgments of a row have in common in most tables; those of a column; and of a row that is a person's."""


def is_explained(before: Outcome, after: Outcome) -> bool:
    """Whether judgments differ in no more than two rows, or in one column, before and after."""
    differing = (before.judgments - after.judgments) + (after.judgments - before.judgments)
    most = {ROW: 4, COLUMN: 2, PERSON: 2}
    alike = any(len({tuple(each[at] for at in key) for each in differing}) <= most[key] for key in most)
    return alike and len(dict(before.labels).items() ^ dict(after.labels).items()) <= 4


def check_command(case: Case, path: Path, expected: Outcome) -> None:
    """What the command line says of a file is what Python says of it."""
    files = [path] if case.labels is None else [path, case.labels]
    words = [*arguments(case.options), f"--budget={BUDGET}", "--method=full", "--no-error", "--json"]
    result = CliRunner().invoke(app, ["plan", *map(str, files), *words])
    assert "Traceback" not in result.output
    if expected.error:
        assert result.exit_code == 2, result.output
        (line,) = (line for line in result.stderr.splitlines() if line.startswith("error: "))
        # What another library says of a file may depend on the part of it that it came upon first.
        with spelled_for_shell():
            python = f"error: {ManyJudgesError(expected.error)!s}"
        told, same = (words.partition("cannot be read: ")[0] for words in (line, python))
        assert told == same
    else:
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["answer"]["plan"]["repeats"] == dict(expected.repeats)


@pytest.mark.parametrize("file", FILES)
def test_a_changed_file_gives_no_other_answer_without_a_word(file, tmp_path):
    case = FILES[file]
    files = find_tables(case.path) if not case.path.is_file() else [case.path]
    for each in files[1:]:
        shutil.copy(each, tmp_path)
    changed, options = files[0], ReadOptions.of(**case.reading)
    ending = "".join(changed.suffixes)
    labels = read_labels(case.labels) if case.labels is not None and not case.error else None
    unmatched = case.options.get(UNMATCHED, "error")
    before = outcome(case.path, options, labels, unmatched)
    for number, (kind, content, other) in enumerate(mutations(changed.read_bytes(), ending, file)):
        path = tmp_path / f"{changed.name.removesuffix(ending)}{other}"
        path.write_bytes(content)
        try:
            after = outcome(path if len(files) == 1 else tmp_path, options, labels, unmatched, before)
        except Exception as error:
            raise AssertionError(f"{kind} {number} of {file}: {error!r}") from error
        assert "\n" not in after.error.strip()
        if number in TYPED and (case.labels is not None or "label" in case.options):
            check_command(case, path if len(files) == 1 else tmp_path, after)
        path.unlink(missing_ok=True)
        if after.error or before.error:
            continue
        same = (after.judgments, after.labels, after.repeats) == (before.judgments, before.labels, before.repeats)
        unseen = kind in BYTES and ending in WITHOUT_CHECKSUMS
        told = after.said != before.said or unseen
        assert same or told or (kind not in FORMAL and is_explained(before, after)), (kind, number, after.said)
