"""What a command is given: tables, labels and documents, read and matched in one place each."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from manyjudges.base import documents
from manyjudges.base.messages import quote_path
from manyjudges.cli import progress
from manyjudges.cli.options import columns_of
from manyjudges.exceptions import DocumentError

if TYPE_CHECKING:
    from manyjudges.core.plan import Plan
    from manyjudges.learn.predictor import Predictor
    from manyjudges.learn.training_data import TrainingData
    from manyjudges.tables.judgments import Judgments


def training_data(
    judgments: str, labels: str, column: list[str] | None, scanning: dict[str, Any], *, seed: int, **options: Any
) -> TrainingData:
    """A table in files or in a store, with its labels, read or scanned.

    Parameters
    ----------
    judgments, labels : str
        As they stand on the command line.
    column : list of str, optional
        ``ROLE=NAME``.
    scanning : dict
        Options of a scan, without its columns.
    seed : int
        By which objects are sorted into parts.
    **options
        Of :func:`load_training_data`.
    """
    from manyjudges.base.seeds import generator
    from manyjudges.learn.training_data import load_training_data, unit
    from manyjudges.scan.options import ScanOptions
    from manyjudges.service.study import judgment_tables

    columns = columns_of(column)
    scan_options = ScanOptions.of(**_columns_wanted(columns), **scanning)
    with progress.busy("reading"):
        y = _read_labels(labels, columns)
    stored = "://" in judgments
    with ExitStack() as stack, progress.scan("reading", "%" if stored else unit(judgments)) as report:
        source = stack.enter_context(judgment_tables(judgments)) if stored else judgments
        data = load_training_data(source, y, scan_options, **options, rng=generator(seed), progress=report)
    _show_source(data.source)
    _show_source(y.attrs["source"])
    return data


def judgments_and_labels(
    judgments: str,
    labels: str,
    column: list[str] | None,
    unmatched: str,
    noiseless: list[str] | None,
    on_invalid: str = "error",
) -> TrainingData:
    """A table in memory, however large it is, and its labels."""
    from manyjudges.learn.training_data import load_training_data
    from manyjudges.scan.options import ScanOptions

    columns = columns_of(column)
    options = ScanOptions.of(**_columns_wanted(columns), unmatched=unmatched, on_invalid=on_invalid)
    with progress.busy("reading"):
        y = _read_labels(labels, columns)
        data = load_training_data(judgments, y, options, noiseless=noiseless or (), whole=True)
    _show_source(data.source)
    _show_source(y.attrs["source"])
    return data


def judgments_alone(path: str, column: list[str] | None, on_invalid: str = "error") -> Judgments:
    """A table of judgments, without labels."""
    from manyjudges.tables.reading.table import read_judgments

    table = read_judgments(path, **_columns_wanted(columns_of(column)), on_invalid=on_invalid)
    _show_source(table.source)
    return table


def unjudged_objects(path: str, column: list[str] | None, attributes: Sequence[str], only_names: bool) -> Any:
    """Names of objects that nobody has judged, where a file only lists them; None where it has judgments."""
    from manyjudges.tables.reading.object_names import read_object_names
    from manyjudges.tables.reading.options import ReadOptions

    columns = {role: name for role, name in columns_of(column).items() if not role.startswith("label")}
    options = ReadOptions.of(**{role: name or None for role, name in columns.items()})
    listed = read_object_names(path, options, attributes=attributes, only_names=only_names)
    if listed is None:
        return None
    typer.echo(listed.source, err=True)
    return listed.names


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


def _columns_wanted(columns: dict[str, str]) -> dict[str, Any]:
    from manyjudges.tables.columns import AUTO_COLUMN, SYNONYMS

    wanted: dict[str, Any] = {role: columns.get(role, AUTO_COLUMN) for role in SYNONYMS}
    return wanted | {"worker": wanted["worker"] or None}  # 'worker=' ignores them


def _read_labels(path: str, columns: dict[str, str]) -> Any:
    from manyjudges.tables import files
    from manyjudges.tables.columns import AUTO_COLUMN

    return files.read_labels(
        path, object=columns.get("label-object", AUTO_COLUMN), label=columns.get("label", AUTO_COLUMN)
    )


def _show_source(source: str) -> None:
    """Say which columns were taken for what, where that is not plain from their names."""
    if " = " in source:
        typer.echo(source, err=True)


def _in_document(path: Path, read: Any) -> Any:
    try:
        return read(documents.read(path))
    except DocumentError as error:
        message, name = str(error), quote_path(path)[1:-1]  # without a password
        fields = {**error.fields, "file": error.file or name}
        raise DocumentError(message if name in message else f"{name}: {message}", **fields) from None
