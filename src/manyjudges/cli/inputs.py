"""What a command is given: tables, labels and documents, read and matched in one place each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from manyjudges.base import documents
from manyjudges.base.formatting import plural
from manyjudges.base.messages import quote_path
from manyjudges.cli import output, progress
from manyjudges.exceptions import DocumentError, ManyJudgesError

if TYPE_CHECKING:
    import pandas as pd

    from manyjudges.cli.reading_options import TableOptions
    from manyjudges.core.plan import Plan
    from manyjudges.learn.object_tables import ObjectTable
    from manyjudges.learn.predictor import Predictor
    from manyjudges.learn.training_data import TrainingData
    from manyjudges.tables.reading.options import ReadOptions
    from manyjudges.tables.reading.reading import InvalidRow, Reading

_STANDARD_INPUT = "-"


def training_data(
    tables: Sequence[str],
    reading: TableOptions,
    *,
    unmatched: str = "error",
    memory_limit: str | None = None,
    temp_dir: Path | None = None,
    seed: int = 0,
    whole: bool = False,
    noiseless: Sequence[str] | None = None,
    plan: Plan | None = None,
    **options: Any,
) -> TrainingData:
    """A table in files or in a store, with its labels, read or scanned.

    Parameters
    ----------
    tables : sequence of str
        As they stand on the command line: judgments, and perhaps labels.
    reading : TableOptions
    unmatched, memory_limit, temp_dir
        Of a scan.
    seed : int
        By which objects are sorted into parts.
    whole : bool
        Whether to read it into memory, however large it is.
    noiseless : sequence of str, optional
    plan : Plan, optional
        Answers stand for what it says.
    **options
        Of :func:`load_training_data`.
    """
    from manyjudges.base.seeds import generator
    from manyjudges.learn.training_data import load_training_data
    from manyjudges.scan.options import ScanOptions
    from manyjudges.scan.sizes import unit
    from manyjudges.service.study import judgment_tables

    reading.check()
    judgments, labels = split_tables(tables, reading)
    read = reading.read if plan is None else reading.read.with_answers(plan.answers, plan.attributes)
    how: dict[str, Any] = {"unmatched": unmatched, "memory_limit": memory_limit, "temp_dir": temp_dir}
    stored = any("://" in path for path in judgments)
    with ExitStack() as stack:
        counted = "%" if stored else unit(judgments, reading.read)
        report = stack.enter_context(progress.scan("reading", counted))
        data = load_training_data(
            stack.enter_context(judgment_tables(judgments[0])) if stored else judgments,
            labels,
            ScanOptions(read, **how),
            label_object=reading.label_object,
            noiseless=noiseless or (),
            whole=whole,
            rng=generator(seed),
            progress=report,
            **options,
        )
    _show_reading(data.reading, data.source, data.label_lines)
    _write_invalid(data.invalid, reading)
    return data


def split_tables(tables: Sequence[str], reading: TableOptions) -> tuple[list[str], str | None]:
    """Which of the files hold judgments, and which has the labels: the last, unless its columns are the first one's."""
    *judgments, last = dict.fromkeys(tables)
    if not judgments or (last != _STANDARD_INPUT and _same_columns(judgments[0], last, reading.read)):
        return [*judgments, last], None
    return judgments, last


def _same_columns(first: str, last: str, options: ReadOptions) -> bool:
    """Whether two files are parts of one table; what cannot be read is left to those who can say why."""
    from manyjudges.tables.formats.registry import heading
    from manyjudges.tables.reading.sources import paths_in

    if "://" in first or first == _STANDARD_INPUT:
        return False
    try:
        files = [paths_in(path, options)[0] for path in (first, last)]
        one, other = (set(heading(file, format=options.format)) for file in files)
    except ManyJudgesError:
        return False
    return one == other


def of_each_object(
    tables: Sequence[str],
    reading: TableOptions,
    plan: Plan,
    ask: Callable[[ObjectTable], pd.DataFrame],
    *,
    memory_limit: str | None = None,
    temp_dir: Path | None = None,
) -> tuple[pd.DataFrame, int]:
    """What is asked of each object in a table without labels, read or scanned, and how many rows were skipped.

    Parameters
    ----------
    tables : sequence of str
    reading : TableOptions
    plan : Plan
        Answers stand for the same as in the judgments that it was made from.
    ask : callable
    memory_limit, temp_dir
        Of a scan.
    """
    from manyjudges.learn.object_tables import ObjectTable
    from manyjudges.scan.options import ScanOptions
    from manyjudges.scan.sizes import unit

    reading.check()
    options = ScanOptions(reading.read, memory_limit=memory_limit, temp_dir=temp_dir)
    with progress.scan("reading", unit(list(tables), reading.read)) as report:
        table = ObjectTable(list(tables), options, plan, progress=report)
        found = ask(table)
    if table.reading is None:
        raise RuntimeError("a table that was read says what was understood of it")
    _show_reading(table.reading, table.reading.source, ())
    output.warn(table.warnings)
    _write_invalid(table.invalid, reading)
    return found, table.reading.skipped


def _write_invalid(invalid: Sequence[InvalidRow], reading: TableOptions) -> None:
    """List the rows that were skipped in the file that was asked for, also where there are none."""
    if reading.invalid_out is None:
        return
    from manyjudges.tables import files
    from manyjudges.tables.reading.reading import invalid_frame

    files.write_table(reading.invalid_out, invalid_frame(invalid))


def missing_of(
    plan: Plan, tables: Sequence[str], reading: TableOptions, *, only_names: bool, **scanning: Any
) -> tuple[pd.DataFrame, int]:
    """What objects lack of a plan, and how many rows were skipped: of those in a table of judgments, or in a list."""
    from manyjudges.learn.object_tables import missing_in
    from manyjudges.tables.reading.object_names import read_object_names

    reading.check()
    if len(tables) == 1:
        listed = read_object_names(tables[0], reading.read, attributes=plan.attributes, only_names=only_names)
        if listed is not None:
            typer.echo(listed.source, err=True)
            return plan.missing(listed.names), 0
    return of_each_object(tables, reading, plan, lambda table: missing_in(table, plan), **scanning)


def check_target(path: Path | None, *, table: bool = False, endings: Sequence[str] = documents.JSON) -> None:
    """Refuse a file that cannot be written, before anything takes time: a table, or a document with such an ending."""
    if path is None:
        return
    if table:
        from manyjudges.tables import files

        files.check_table_target(path)
    else:
        documents.check_target(path, endings)


def plan_in(path: Path) -> Plan:
    """The plan in a file."""
    from manyjudges.core.plan import Plan

    plan: Plan = _in_document(path, Plan.from_json)
    return plan


def predictor_in(path: Path) -> Predictor:
    """The predictor in a file."""
    from manyjudges.learn.predictor import Predictor

    model: Predictor = _in_document(path, Predictor.from_json)
    return model


def _show_reading(reading: Reading | None, source: str, labels: Sequence[str]) -> None:
    """Say what was recognised as what, where that is not plain from the names of the columns."""
    lines = [source] if reading is None else reading.lines()
    for line in (*lines, *labels):
        if line and not (line.startswith("read from ") and ": " not in line):  # names that need no explanation
            typer.echo(line, err=True)
    if reading is not None:
        if reading.unanswered:
            typer.echo(f"{plural(reading.unanswered, 'cell')} without an answer", err=True)
        if reading.repeated:
            typer.echo(f"{plural(reading.repeated, 'repeated judgment')} settled by --repeated", err=True)


def _in_document(path: Path, read: Any) -> Any:
    try:
        return read(documents.read(path))
    except DocumentError as error:
        message, name = str(error), quote_path(path)[1:-1]  # without a password
        fields = {**error.fields, "file": error.file or name}
        raise DocumentError(message if name in message else f"{name}: {message}", **fields) from None
