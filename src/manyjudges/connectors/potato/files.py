"""Files: where Potato keeps what people said, and the records in them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.delimited import Record, Sheet, read_sheet, text_of
from manyjudges.connectors.json_export import part, read_tree
from manyjudges.connectors.place import RecordPlace, located
from manyjudges.connectors.potato.answers import FIELDS, Labelled, labels_of
from manyjudges.connectors.rows import paths_of
from manyjudges.connectors.selection import AttributeSelection
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.paths import StrPath

_STATE = "user_state.json"
_TABLES = (
    *(f"annotated_instances.{kind}" for kind in ("jsonl", "json", "csv", "tsv")),
    *(f"annotations.{kind}" for kind in ("jsonl", "csv", "tsv")),
)
"""What Potato calls files with the answers, older versions and newer ones; the first that is there is read."""

_EXPORTS = "exports"
"""The folder with what newer versions export again and again, in one folder for each format."""

_DEEPEST = 6
"""How far down a folder files are looked for."""

LABELS = "instance_id_to_label_to_value"
OBJECTS = ("instance_id", "id")
WORKERS = ("user_id", "user")
ANSWERS = ("label_annotations", "labels", "annotation")
SCHEME_SEPARATOR = ":::"
"""What stands between a scheme and an option in a table of older versions; in newer ones it is a point."""

_NO_ANSWERS = {*OBJECTS[:1], *WORKERS, "displayed_text", "annotator_origin", "annotator_origin_detail"}
"""Columns that are about the row."""

_EXTRAS = ("._spans", "._room_id", "._room")


def files_of(path: StrPath | Sequence[StrPath]) -> list[Path]:
    """The files to read, where some of the paths may be folders."""
    files: list[Path] = []
    for place in paths_of(path):
        try:
            inside = _files_in(place) if place.is_dir() else [place]
        except OSError as error:
            raise DocumentError(f"cannot read {str(place)!r}: {error.strerror or error}.", file=str(place)) from None
        if not inside:
            raise DocumentError(
                f"there is nothing of Potato in the folder {str(place)!r}: no {_STATE}, {_TABLES[0]} or the like. Name "
                "the folder that the configuration calls output_annotation_dir.",
                file=str(place),
            )
        files.extend(file for file in inside if file not in files)
    if not files:
        raise DocumentError("there is no file to read; name one or more.", column="path")
    return files


def _files_in(folder: Path, deep: int = _DEEPEST) -> list[Path]:
    """Files with answers in a folder, each answer once.

    People have a folder each. A table of all of them may lie beside these folders, and say the same again.
    """
    if (folder / _STATE).is_file():
        return [folder / _STATE]
    inner = sorted(subfolder for subfolder in folder.iterdir() if subfolder.is_dir()) if deep else []
    people = [file for subfolder in inner if subfolder.name != _EXPORTS for file in _files_in(subfolder, deep - 1)]
    if people:
        return people
    tables = [folder / name for name in _TABLES if (folder / name).is_file()]
    again = [file for subfolder in inner if subfolder.name == _EXPORTS for file in _first(subfolder)]
    return tables[:1] or again


def likely(folder: Path, most: int = 500) -> Iterator[Path]:
    """Files in a folder that are called as Potato calls its own; only the first so many folders are looked at."""
    for where, _, names in islice(os.walk(folder), most):
        yield from (Path(where, name) for name in (_STATE, *_TABLES) if name in names)


def _file_label(path: Path) -> str:
    """A file in a message: with its folder, where all people's files have the same name."""
    return f"{path.parent.name}/{path.name}" if path.name == _STATE or path.name in _TABLES else path.name


def records(path: Path, selection: AttributeSelection, object_column: str | None = None) -> Iterator[Labelled]:
    """What people said, as a file has it.

    Parameters
    ----------
    path : Path
    selection : AttributeSelection
        Names that are looked for tell where a scheme's name ends, in a table.
    object_column : str, optional
        The column or field that names the object.
    """
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv", ".txt"):
        yield from _rows(read_sheet(path), selection, object_column)
    elif kind == ".jsonl" or (path.name in _TABLES and kind == ".json"):
        yield from (_line(tree, path, place, object_column) for tree, place in _lines(path))
    elif object_column is not None:
        raise DocumentError(
            f"{_file_label(path)}: there is no field {object_column!r}; the id names the object here.",
            value=object_column,
            column="object",
            file=_file_label(path),
        )
    else:
        yield from _state(path)


def _first(folder: Path) -> list[Path]:
    """The files of the first format in a folder of exports."""
    subfolders = (subfolder for subfolder in sorted(folder.iterdir()) if subfolder.is_dir())
    return next((files for subfolder in subfolders if (files := _files_in(subfolder, 0))), [])


def _state(path: Path) -> Iterator[Labelled]:
    where = RecordPlace(_file_label(path), file=_file_label(path))
    try:
        tree = read_tree(path)
    except DocumentError as error:
        message = error.message
        message = where + message.removeprefix(path.name) if message.startswith(path.name) else message
        raise DocumentError(message, file=where, row=error.row) from None
    labels, worker = part(tree, LABELS, dict, where), _worker(tree, path, where)
    noted = tree.get("instance_id_to_behavioral_data")
    for name, inner in labels.items():
        place = RecordPlace(f"{where}, instance {name!r}", file=where, row=name)
        yield Labelled(name, worker, place, labels_of(inner, place), _changes(noted, name))


def _lines(path: Path) -> Iterator[tuple[Any, str]]:
    """The records of a file with one on each line, or of a list; each with its place."""
    text = text_of(path)
    if text.lstrip().startswith("["):
        records = read_tree(path)
        yield from ((tree, _record_place(path, "record", at)) for at, tree in enumerate(records, start=1))
        return
    for at, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = _record_place(path, "line", at)
            yield _parsed(line, place), place


def _record_place(path: Path, unit: str, number: int) -> RecordPlace:
    return RecordPlace(f"{_file_label(path)}, {unit} {number}", file=_file_label(path), row=number)


def _parsed(line: str, place: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise DocumentError(
            f"{place}: this is not JSON; each line must be one record. Export it anew.", **located(place)
        ) from None


def _line(tree: object, path: Path, place: str, object_field: str | None) -> Labelled:
    if not isinstance(tree, Mapping):
        raise DocumentError(
            f"{place}: {quote_value(tree)} is no record; it must be an object of JSON.", value=tree, **located(place)
        )
    name = _field(tree, OBJECTS if object_field is None else (object_field,), place)
    answers = next((key for key in ANSWERS if key in tree), None)
    if answers is None:
        raise DocumentError(
            f"{place}: there are no answers; one of {list_names(ANSWERS)} must hold them.", **located(place)
        )
    noted = {name: tree.get("behavioral_data")}
    return Labelled(name, _worker(tree, path, place), place, labels_of(tree[answers], place), _changes(noted, name))


def _worker(tree: Any, path: Path, place: str) -> str:
    """Who it was: as the record says, or as the folder is called that Potato made for them."""
    if path.name in (_STATE, _TABLES[0]) and not any(tree.get(key) for key in WORKERS):
        return path.resolve().parent.name
    return _field(tree, WORKERS, place)


def _field(tree: Mapping[str, Any], names: Sequence[str], place: str) -> str:
    value = next((tree[name] for name in names if tree.get(name) is not None), None)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise DocumentError(
            f"{place}: {names[0]!r} is {quote_value(value)}; every record needs it, as a text.",
            value=value,
            **located(place, names[0]),
        )
    return str(value)


def _changes(noted: object, name: str) -> Sequence[Any]:
    behaviour = noted.get(name) if isinstance(noted, Mapping) else None
    changes = behaviour.get("annotation_changes") if isinstance(behaviour, Mapping) else None
    return changes if isinstance(changes, list) else ()


def _rows(sheet: Sheet, selection: AttributeSelection, object_column: str | None) -> Iterator[Labelled]:
    worker = next((name for name in WORKERS if name in sheet.columns), WORKERS[0])
    named = object_column or OBJECTS[0]
    sheet.need(worker, named)
    older = any(SCHEME_SEPARATOR in column for column in sheet.columns)
    split = {
        column: tuple(column.split(SCHEME_SEPARATOR, 1)) if older else _split(column, selection)
        for column in sheet.columns
        if column and _is_answer(column, older) and column != named
    }
    if not split:
        raise DocumentError(
            f"{sheet.path.name}: there is no column with answers, only {list_names(sheet.columns, limit=12)}.",
            file=sheet.path.name,
        )
    for record in sheet.records:
        for column in (worker, named):
            if not record.cells[column].strip():
                raise DocumentError(
                    f"{record.place}: {column} is empty; every row needs it. Export it again.",
                    **located(record.place, column),
                )
        yield Labelled(record.cells[named], record.cells[worker], record.place, _labels(record, split))


def _is_answer(column: str, older: bool) -> bool:
    if older:
        return SCHEME_SEPARATOR in column and not column.startswith(f"span_annotation{SCHEME_SEPARATOR}")
    return column not in _NO_ANSWERS and not column.endswith(_EXTRAS)


def _split(column: str, selection: AttributeSelection) -> tuple[str, ...]:
    """A scheme and its option: behind the longest name that is looked for, or at the first point."""
    cuts = [at for at, letter in enumerate(column) if letter == "."]
    named_cuts = [at for at in cuts if selection.named(column[:at])]
    if not named_cuts and column.rpartition(".")[2] in FIELDS:
        named_cuts = cuts[-1:]
    at = max(named_cuts, default=cuts[0] if cuts else len(column))
    return column[:at], column[at + 1 :]


def _labels(record: Record, split: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, Any]]:
    labels: dict[str, dict[str, Any]] = {}
    for column, (scheme, option) in split.items():
        if record.cells[column].strip():
            labels.setdefault(scheme, {})[option] = record.cells[column]
    return {scheme: _decided(options) for scheme, options in labels.items()}


def _decided(options: dict[str, Any]) -> dict[str, Any]:
    """Without choices that were changed later: a column of the scheme's own name says which one holds."""
    if "" not in options or len(options) == 1:
        return options
    same = [name for name, value in options.items() if name and value == options[""]]
    return {same[0]: options[same[0]]} if len(same) == 1 else {"": options[""]}
