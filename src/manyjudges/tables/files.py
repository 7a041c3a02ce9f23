"""Files: judgments and labels in, tables out."""

from __future__ import annotations

import csv
import glob
import io
import json
import os
from collections.abc import Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from manyjudges.base import documents
from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, ManyJudgesError
from manyjudges.tables.columns import AUTO, LABEL_SYNONYMS, SYNONYMS, choose_columns
from manyjudges.tables.grammar import is_blank, is_missing
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.labels import as_floats
from manyjudges.tables.values import Place, check_on_invalid

StrPath = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2")
SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet", ".pq")

BEGINNING = 1 << 16
"""Bytes of a file that are looked at for what its columns are called."""


def read_judgments(
    path: StrPath,
    *,
    object: str = AUTO,
    attribute: str = AUTO,
    value: str = AUTO,
    worker: str | None = AUTO,
    on_invalid: str = "error",
) -> Judgments:
    r"""Read judgments from a file, a row a judgment.

    Parameters
    ----------
    path : path
        CSV, TSV, Parquet or JSON lines, by the name's ending, perhaps compressed (``.gz``); or a pattern such as
        ``"data/part-*.csv"``, or a folder, for several files of the same columns.
    object, attribute, value, worker : str
        Names of the columns. Usual names (item, task, unit; question, feature, criterion; rating, score, label,
        judgment; rater, annotator, judge, user) are understood without; ``judgments.source`` says what was chosen.
        The worker may be missing, and ``worker=None`` ignores it.
    on_invalid : {"error", "skip"}
        Whether an invalid row (a name is missing, the value is not a number, true/false or yes/no, or the line has too
        few or too many cells) is an error, or skipped and counted in ``judgments.skipped``.

    Returns
    -------
    Judgments

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,question,rater,score\njar 1,round,ann,yes\njar 1,round,bob,no\n")
    >>> print(read_judgments(path).source)
    read from ratings.csv: object = item, attribute = question, value = score, worker = rater
    """
    check_on_invalid(on_invalid)
    table = _Files(path, folders=True, skip=on_invalid == "skip")
    asked = {"object": object, "attribute": attribute, "value": value, "worker": worker}
    try:
        names = choose_columns(table.columns, SYNONYMS, asked, optional=("worker",))
        columns = {role: table.column(name, ids=role != "value") for role, name in names.items()}
        rules: dict[str, Any] = {"on_invalid": on_invalid, "decimal_comma": table.decimal_comma}
        judgments = Judgments.from_columns(columns, table.locate, source=_source(table.name, names), **rules)
    except JudgmentsError as error:
        raise in_file(error, table.name) from None
    judgments.skipped += table.unread
    return judgments


def read_labels(path: StrPath, *, object: str = AUTO, label: str = AUTO) -> pd.Series[Any]:
    """Read one label for each object from a file.

    Parameters
    ----------
    path : path
        As for :func:`read_judgments`.
    object, label : str
        Names of the columns; usual ones (for labels: label, target, truth, outcome, y, value) are understood without.

    Returns
    -------
    pandas.Series
        Indexed by object; its name is that of the column, and ``attrs["source"]`` says which columns were chosen.
    """
    table = _Files(path)
    try:
        names = choose_columns(table.columns, LABEL_SYNONYMS, {"object": object, "label": label})
    except JudgmentsError as error:
        raise in_file(error, table.name, LabelsError, {"object=NAME": "label-object=NAME"}) from None
    objects, raw = table.column(names["object"], ids=True), table.column(names["label"], ids=False)
    _check_label_names(objects, table)
    try:
        values = as_floats(raw, objects, decimal_comma=table.decimal_comma)
    except LabelsError as error:
        raise in_file(error, table.name) from None
    labels = pd.Series(values, index=pd.Index(objects, name="object"), name=names["label"])
    labels.attrs["source"] = _source(table.name, names)
    return labels


def _check_label_names(objects: Any, table: _Files) -> None:
    """Each label has an object, and each object one label."""
    if len(objects) == 0:
        raise LabelsError(f"{table.name}: there are no labels: the table has no rows.", file=table.name)

    def refuse(row: int, words: str) -> LabelsError:
        place = table.locate(row)
        return LabelsError(words.format(place), value=objects[row], row=place.row, column="object", file=place.file)

    for row, name in enumerate(objects):
        if is_missing(name):
            raise refuse(row, "{} has no object; name it or leave the row out.")
        if not isinstance(name, Hashable):
            quoted = quote_value(name).replace("{", "{{").replace("}", "}}")
            raise refuse(row, f"{{}}: {quoted} is no name of an object; use text or a number.")
    seen = pd.Series(objects)
    if (again := np.flatnonzero(seen.duplicated().to_numpy())).size:
        row = int(again[0])
        first = table.locate(int(np.flatnonzero((seen == seen[row]).to_numpy())[0]))
        quoted = quote_value(objects[row]).replace("{", "{{").replace("}", "}}")
        raise refuse(row, f"object {quoted} is labelled twice, in {first} and {{}}; keep one.")


def write_table(path: StrPath, frame: pd.DataFrame) -> None:
    """Write a table as CSV, TSV, JSON lines or Parquet, by the name's ending, whole or not at all."""
    documents.write(path, encoded(frame, check_kind(path)))


def check_kind(path: StrPath) -> str:
    """The ending of a file's name, such as ``".csv"``, if tables can be written to such files."""
    kind = Path(path).suffix.lower()
    known = [*SEPARATORS, *JSON_LINES, *PARQUET]
    if kind not in known:
        raise DocumentError(f"cannot write {os.fspath(path)!r}: the name must end in one of {', '.join(known)}.")
    return kind


def encoded(frame: pd.DataFrame, kind: str) -> bytes:
    """A table as the contents of a file of a kind that :func:`write_table` knows, such as ``".csv"``."""
    if kind in SEPARATORS:
        return frame.to_csv(index=False, sep=SEPARATORS[kind], lineterminator="\n").encode()
    if kind in JSON_LINES:
        records = frame.astype(object).to_dict(orient="records")  # plain numbers, which keep all their digits
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


class _Files:
    """One table from a file or from several, whose rows know where they came from.

    Attributes
    ----------
    name : str
        For messages.
    columns : list of str
    unread : int
        Lines that were skipped because they are no rows.
    decimal_comma : bool
        Whether semicolons separate the cells, and so ``3,5`` is a number.
    """

    def __init__(self, path: StrPath, *, folders: bool = False, skip: bool = False) -> None:
        paths = expand(path, folders=folders)
        contents = [_read(p, skip=skip) for p in paths]
        frames = [content.frame for content in contents]
        self.columns = [str(name) for name in frames[0].columns]
        for p, frame in zip(paths, frames, strict=True):
            check_same_columns(p, [str(name) for name in frame.columns], paths[0], self.columns)
        self.name = paths[0].name if len(paths) == 1 else f"{Path(path).name} ({len(paths)} files)"
        self.unread = sum(content.unread for content in contents)
        self.decimal_comma = any(content.decimal_comma for content in contents)
        self._paths = paths
        self._starts = np.cumsum([0, *map(len, frames)])
        self._frame = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]

    def column(self, name: str, *, ids: bool) -> Any:
        """A column as an array; text that is empty is missing, and names that are whole numbers are numbers."""
        column = self._frame[name]
        array = (column if ids else column.infer_objects()).to_numpy()
        if array.dtype.kind in "iufb":
            return array
        try:
            codes, distinct = pd.factorize(array.astype(np.object_))
        except TypeError:  # lists and the like, which the table of judgments will complain about
            return array
        names = np.array([*distinct, None], dtype=np.object_)  # the last is for missing values, coded -1
        names[[is_blank(value) for value in names]] = None
        if ids and (codes >= 0).all():
            return _one_kind(_whole_numbers(names[:-1]))[codes]
        return (_one_kind(names) if ids else names)[codes]

    def locate(self, row: int) -> Place:
        """Where a row is, as a person would count: data rows from 1, without the heading."""
        at = int(np.searchsorted(self._starts, row, side="right")) - 1
        path, number = self._paths[at], int(row - self._starts[at] + 1)
        heading = " (not counting the heading)" if kind_of(path) in SEPARATORS else ""
        return Place(f"row {number} of {path.name}{heading}", number, path.name)


def check_same_columns(path: Path, columns: Collection[str], first: Path, wanted: Collection[str]) -> None:
    """Refuse a file that has other columns than the first one."""
    if odd := set(columns) ^ set(wanted):
        raise DocumentError(
            f"{path.name} and {first.name} do not have the same columns: {list_names(sorted(odd))}.",
            value=sorted(odd)[0],
            file=path.name,
        )


def _whole_numbers(names: Any) -> Any:
    """Names such as '7' as numbers, unless one of them ('07', 'jar 7', 7.5) would not come back the same."""
    if not all(type(name) in (str, int) and str(name).removeprefix("-").isdecimal() for name in names):
        return names
    numbers = [int(name) for name in names]
    same = all(str(number) == str(name) for number, name in zip(numbers, names, strict=True))
    return np.array(numbers, dtype=np.int64) if same and all(abs(n) < 2**63 for n in numbers) else names


def _one_kind(names: Any) -> Any:
    """Names of several kinds as text, as JSON writes them; names of one kind as they are."""
    kinds = {type(name) for name in names if not is_missing(name) and isinstance(name, Hashable)}
    return np.array([_as_text(name) for name in names], dtype=np.object_) if len(kinds) > 1 or bool in kinds else names


def _as_text(name: Any) -> Any:
    return str(name).lower() if isinstance(name, bool) else str(name) if isinstance(name, int | float) else name


def expand(path: StrPath, *, folders: bool = False) -> list[Path]:
    """The files that a path or a pattern names, in order; with ``folders``, also all tables within a folder."""
    if not isinstance(path, str | os.PathLike):
        raise DocumentError(f"a path is wanted, not {quote_value(path)}.")
    text = str(os.fspath(path))
    if os.path.isdir(text) and folders:
        return _within(Path(text))
    if os.path.isdir(text):
        raise DocumentError(f"{text!r} is a folder; name the files in it, such as {os.path.join(text, '*.csv')!r}.")
    if os.path.exists(text):
        return [Path(text)]
    folder, name = os.path.split(text)
    pattern = os.path.join(glob.escape(folder), name) if os.path.isdir(folder) else text  # brackets in a folder's name
    found = sorted(p for p in glob.glob(pattern, recursive=True) if not os.path.isdir(p))
    if not found:
        there = sorted(os.listdir(folder or ".")) if os.path.isdir(folder or ".") else []
        raise DocumentError(f"there is no file {text!r}.{suggest(name, there)}")
    return [Path(name) for name in found]


def _within(folder: Path) -> list[Path]:
    """All tables in a folder, and in those within it; hidden files and marks of other tools are none."""
    tables = {*SEPARATORS, *JSON_LINES, *PARQUET}
    every = sorted(p for p in folder.rglob("*") if not _hidden(p.relative_to(folder)))
    found = [p for p in every if kind_of(p) in tables and not p.is_dir()]
    if not found:
        raise DocumentError(f"the folder {str(folder)!r} has no table in it: no {', '.join(sorted(tables))}.")
    return found


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def kind_of(path: Path) -> str:
    """What a file's name says it is, compressed or not."""
    return next((s for s in reversed([s.lower() for s in path.suffixes]) if s not in COMPRESSED), "")


class _Content(NamedTuple):
    """What is in a file: its rows, how many lines were skipped, and whether decimals may have a comma."""

    frame: pd.DataFrame
    unread: int = 0
    decimal_comma: bool = False


def _read(path: Path, *, skip: bool = False) -> _Content:
    kind = kind_of(path)
    with explained(path):
        if kind in SEPARATORS:
            return _read_separated(path, skip)
        if kind in JSON_LINES:
            return _read_json_lines(path, skip)
        if kind in PARQUET:
            return _Content(pyarrow.parquet.read_table(path).to_pandas(ignore_metadata=True, integer_object_nulls=True))
    raise DocumentError(unknown_kind(path), file=path.name)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say in one line why a file cannot be read."""
    try:
        yield
    except ManyJudgesError:
        raise
    except (pa.ArrowException, UnicodeError, EOFError) as error:
        words = " ".join(str(error).split())
        remedy = " It is not UTF-8 text; save it as UTF-8." if "utf" in words.lower() else ""
        raise DocumentError(f"{path.name} cannot be read: {words.rstrip('.')}.{remedy}", file=path.name) from None
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read: {error.strerror or error}.", file=path.name) from None


def heading(path: Path) -> list[str]:
    """The names of a file's columns."""
    kind = kind_of(path)
    with explained(path):
        if kind in SEPARATORS:
            return names_of(path, separator_of(path))
        if kind in PARQUET:
            return list(pyarrow.parquet.read_schema(path).names)
        if kind in JSON_LINES:
            return _fields(path)
    raise DocumentError(unknown_kind(path), file=path.name)


def separator_of(path: Path) -> str:
    """The character that separates the cells of a table of text."""
    kind = kind_of(path)
    if kind not in SEPARATORS:
        raise DocumentError(unknown_kind(path), file=path.name)
    line = _first_line(path)
    return ";" if SEPARATORS[kind] == "," and "," not in line and ";" in line else SEPARATORS[kind]


def unknown_kind(path: Path) -> str:
    """What to say about a file whose name does not say what it is."""
    known = ", ".join([*SEPARATORS, *JSON_LINES, *PARQUET])
    return f"{path.name}: the ending does not say what kind of file this is; it should be one of {known}."


def _first_line(path: Path) -> str:
    line = next(iter(_beginning(path).splitlines()), "")
    if not line.strip():
        raise DocumentError(
            f"{path.name} is empty, or its first line is: that line must name the columns.", file=path.name
        )
    return line


def _beginning(path: Path) -> str:
    """The first lines of a file of text, the last of which may be cut off."""
    with pa.input_stream(path, compression="detect") as stream:
        start = stream.read(BEGINNING)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError(f"{path.name} is UTF-16 text; save it as UTF-8.", file=path.name)
    return str(start.decode("utf-8-sig", errors="replace"))


def _fields(path: Path) -> list[str]:
    _first_line(path)
    with pa.input_stream(path, compression="detect") as stream:
        return fields_of(stream.read(BEGINNING), path)


def fields_of(start: bytes, path: Path) -> list[str]:
    """Names of the fields of the first records, of which each may lack some."""
    lines = start.decode("utf-8-sig", errors="replace").split("\n")
    fields = dict.fromkeys(record_of(lines[0], 1, path))
    for line in lines[1:]:
        with suppress(DocumentError):  # one that is cut off, or is none, says nothing here
            fields |= dict.fromkeys(record_of(line, 0, path))
    return list(fields)


def names_of(path: Path, separator: str) -> list[str]:
    """The names of the columns of a table of text."""
    names = next(csv.reader([_first_line(path)], delimiter=separator))
    if twice := {name for name in names if names.count(name) > 1}:
        raise DocumentError(
            f"{path.name} has more than one column {list_names(sorted(twice))}; rename one.",
            value=sorted(twice)[0],
            file=path.name,
        )
    return names


def _read_separated(path: Path, skip: bool) -> _Content:
    separator = separator_of(path)
    with pa.input_stream(path, compression="detect") as stream:
        table, unread = parse_separated(stream, names_of(path, separator), separator, path.name, skip=skip, skip_rows=1)
    return _Content(table.to_pandas(), unread, separator == ";")


def parse_separated(
    stream: Any, names: list[str], separator: str, where: str, *, skip: bool = False, skip_rows: int = 0
) -> tuple[pa.Table, int]:
    """A table of text, and how many lines of it were skipped.

    Parameters
    ----------
    stream : file-like
        Without compression.
    names : list of str
        Of its columns.
    separator : str
    where : str
        For messages.
    skip : bool
        Whether lines with too few or too many cells are skipped. Otherwise they are an error.
    skip_rows : int
        Lines at the beginning that are not rows, such as the heading.
    """
    invalid: list[Any] = []

    def note(row: Any) -> str:
        invalid.append(row)
        return "skip" if skip else "error"

    parsing: dict[str, Any] = {"delimiter": separator, "newlines_in_values": True, "invalid_row_handler": note}
    # Everything as text: what is a number, a name or a yes is decided later, column by column.
    as_text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    try:
        table = pyarrow.csv.read_csv(
            stream,
            read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows=skip_rows),
            parse_options=pyarrow.csv.ParseOptions(**parsing),
            convert_options=as_text,
        )
    except pa.ArrowInvalid as error:
        if not invalid:
            raise
        words = " ".join(str(error).split()).rstrip(".")
        raise DocumentError(f"{where} cannot be read: {words}.", value=invalid[0].text, file=where) from None
    return table, len(invalid)


def _read_json_lines(path: Path, skip: bool) -> _Content:
    with pa.input_stream(path, compression="detect") as stream:
        records, unread = records_of(stream.read(), path, skip=skip)
    if not records:
        raise DocumentError(f"{path.name} is empty.", file=path.name)
    return _Content(pd.DataFrame(records, dtype=object), unread)


def records_of(data: bytes, path: Path, *, skip: bool = False) -> tuple[list[dict[str, Any]], int]:
    """What lines of JSON say, and how many of them were skipped because they cannot be read."""
    records, unread = [], 0
    # splitlines() would also break at U+2028 in a text.
    for number, line in enumerate(data.decode("utf-8-sig").split("\n"), start=1):
        if line.strip():
            try:
                records.append(record_of(line, number, path))
            except DocumentError:
                if not skip:
                    raise
                unread += 1
    return records, unread


def record_of(line: str, number: int, path: Path) -> dict[str, Any]:
    """What a line of JSON says."""
    if not line.strip():
        raise DocumentError(f"{path.name} is empty.", file=path.name)
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DocumentError(
            f"line {number} of {path.name} is not JSON: {error}.", value=line.strip(), row=number, file=path.name
        ) from None
    if not isinstance(record, dict):
        raise DocumentError(
            f"line {number} of {path.name} is not an object with named fields: {line.strip()[:60]}",
            value=record,
            row=number,
            file=path.name,
        )
    return record


def _source(name: str, columns: Mapping[str, str]) -> str:
    if all(role == column for role, column in columns.items()):
        return f"read from {name}"
    return f"read from {name}: {', '.join(f'{role} = {column}' for role, column in columns.items())}"


def in_file(
    error: ManyJudgesError,
    name: str,
    kind: type[ManyJudgesError] | None = None,
    replacements: Mapping[str, str] | None = None,
) -> ManyJudgesError:
    """The same error, which also says in which file."""
    message = str(error)
    for old, new in (replacements or {}).items():
        message = message.replace(old, new)
    return (kind or type(error))(
        message if name in message else f"{name}: {message}",
        value=error.value,
        row=error.row,
        column=error.column,
        file=error.file or name,
    )
