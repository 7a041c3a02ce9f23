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
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from manyjudges.base import documents
from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, ManyJudgesError
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.labels import as_floats
from manyjudges.tables.values import is_missing

StrPath = str | os.PathLike[str]

SYNONYMS: dict[str, tuple[str, ...]] = {
    "object": ("object", "item", "task", "unit", "object_id", "item_id", "task_id", "unit_id"),
    "attribute": ("attribute", "question", "feature", "criterion"),
    "value": ("value", "rating", "score", "label", "judgment", "judgement", "answer", "response"),
    "worker": ("worker", "rater", "annotator", "judge", "user", "worker_id", "rater_id", "annotator_id", "user_id"),
}
"""What columns are called in the wild. The first name of each is ours and wins over the others."""

LABEL_SYNONYMS: dict[str, tuple[str, ...]] = {
    "object": SYNONYMS["object"],
    "label": ("label", "target", "truth", "outcome", "y", "value"),
}

AUTO = "auto"
"""Stands for the name of a column that is to be found."""

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
    frame = _Files(path, folders=True)
    asked = {"object": object, "attribute": attribute, "value": value, "worker": worker}
    try:
        names = choose_columns(frame.columns, SYNONYMS, asked, optional=("worker",))
        columns = {role: frame.column(name, ids=role != "value") for role, name in names.items()}
        return Judgments.from_columns(columns, frame.locate, source=_source(frame.name, names))
    except JudgmentsError as error:
        raise JudgmentsError(_in_file(error, frame.name)) from None


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
    frame = _Files(path)
    try:
        names = choose_columns(frame.columns, LABEL_SYNONYMS, {"object": object, "label": label})
    except JudgmentsError as error:
        raise LabelsError(_in_file(error, frame.name).replace("object=NAME", "label-object=NAME")) from None
    objects, raw = frame.column(names["object"], ids=True), frame.column(names["label"], ids=False)
    if len(objects) == 0:
        raise LabelsError(f"{frame.name}: there are no labels: the table has no rows.")
    if missing := [i for i, name in enumerate(objects) if is_missing(name)]:
        raise LabelsError(f"{frame.locate(missing[0])} has no object; name it or leave the row out.")
    if odd := [i for i, name in enumerate(objects) if not isinstance(name, Hashable)]:
        raise LabelsError(
            f"{frame.locate(odd[0])}: {quote_value(objects[odd[0]])} is no name of an object; use text or a number."
        )
    seen = pd.Series(objects)
    if (again := np.flatnonzero(seen.duplicated().to_numpy())).size:
        row = int(again[0])
        first = int(np.flatnonzero((seen == seen[row]).to_numpy())[0])
        where = f"{frame.locate(first)} and {frame.locate(row)}"
        raise LabelsError(f"object {quote_value(objects[row])} is labelled twice, in {where}; keep one.")
    try:
        values = as_floats(raw, objects)
    except LabelsError as error:
        raise LabelsError(_in_file(error, frame.name)) from None
    labels = pd.Series(values, index=pd.Index(objects, name="object"), name=names["label"])
    labels.attrs["source"] = _source(frame.name, names)
    return labels


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


def choose_columns(
    columns: list[str],
    synonyms: Mapping[str, tuple[str, ...]],
    asked: Mapping[str, str | None],
    *,
    optional: tuple[str, ...] = (),
) -> dict[str, str]:
    """Decide which column is what: those asked for, then our own names, then the one usual name that is there.

    >>> choose_columns(["item", "question", "score"], SYNONYMS, {"value": "score"}, optional=("worker",))
    {'object': 'item', 'attribute': 'question', 'value': 'score'}
    """
    chosen = {role: name for role, name in asked.items() if name not in (None, AUTO)}
    for role, name in chosen.items():
        if name not in columns:
            raise JudgmentsError(
                f"there is no column {name!r} for the {role}; {_there(columns)}.{suggest(name, columns)}"
            )
    taken, missing = set(chosen.values()), []
    for role, usual in synonyms.items():
        if role in chosen or asked.get(role, AUTO) is None:
            continue
        found = [c for c in columns if c.strip().lower().replace(" ", "_") in usual and c not in taken]
        found = [role] if role in found else found
        if len(found) > 1:
            raise JudgmentsError(f"{list_names(found)} could each be the {role}; say which with {_how(role)}.")
        if found:
            chosen[role] = found[0]
            taken.add(found[0])
        elif role not in optional:
            missing.append(role)
    if missing:
        hints = [suggest(name, [c for c in columns if c not in taken]) for role in missing for name in synonyms[role]]
        near = next(filter(None, hints), "")
        roles = " and no column for the ".join(missing)
        raise JudgmentsError(
            f"no column for the {roles}; {_there(columns)}.{near} Say which it is with {_how_all(missing)}."
        )
    return {role: chosen[role] for role in synonyms if role in chosen}


class _Files:
    """One table from a file or from several, whose rows know where they came from."""

    def __init__(self, path: StrPath, *, folders: bool = False) -> None:
        paths = expand(path, folders=folders)
        frames = [_read(p) for p in paths]
        self.columns = [str(name) for name in frames[0].columns]
        for p, frame in zip(paths, frames, strict=True):
            check_same_columns(p, [str(name) for name in frame.columns], paths[0], self.columns)
        self.name = paths[0].name if len(paths) == 1 else f"{Path(path).name} ({len(paths)} files)"
        self._paths = paths
        self._starts = np.cumsum([0, *map(len, frames)])
        self._frame = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]

    def column(self, name: str, *, ids: bool) -> Any:
        """A column as an array; text that is empty is missing, and names that are whole numbers are numbers."""
        array = self._frame[name].to_numpy()
        if array.dtype.kind in "iufb":
            return array
        try:
            codes, distinct = pd.factorize(array.astype(np.object_))
        except TypeError:  # lists and the like, which the table of judgments will complain about
            return array
        names = np.array([*distinct, None], dtype=np.object_)  # the last is for missing values, coded -1
        names[[isinstance(value, str) and not value.strip() for value in names]] = None
        if ids and (codes >= 0).all():
            return _whole_numbers(names[:-1])[codes]
        return names[codes]

    def locate(self, row: int) -> str:
        """Where a row is, as a person would count: data rows from 1, without the heading."""
        at = int(np.searchsorted(self._starts, row, side="right")) - 1
        heading = " (not counting the heading)" if kind_of(self._paths[at]) in SEPARATORS else ""
        return f"row {row - self._starts[at] + 1} of {self._paths[at].name}{heading}"


def check_same_columns(path: Path, columns: Collection[str], first: Path, wanted: Collection[str]) -> None:
    """Refuse a file that has other columns than the first one."""
    if odd := set(columns) ^ set(wanted):
        raise DocumentError(f"{path.name} and {first.name} do not have the same columns: {list_names(sorted(odd))}.")


def _whole_numbers(names: Any) -> Any:
    """Names such as '7' as numbers, unless one of them ('07', 'jar 7', 7.5) would not come back the same."""
    if not all(type(name) in (str, int) and str(name).removeprefix("-").isdecimal() for name in names):
        return names
    numbers = [int(name) for name in names]
    same = all(str(number) == str(name) for number, name in zip(numbers, names, strict=True))
    return np.array(numbers, dtype=np.int64) if same and all(abs(n) < 2**63 for n in numbers) else names


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


def _read(path: Path) -> pd.DataFrame:
    kind = kind_of(path)
    with explained(path):
        if kind in SEPARATORS:
            return _read_separated(path)
        if kind in JSON_LINES:
            return _read_json_lines(path)
        if kind in PARQUET:
            frame: pd.DataFrame = pyarrow.parquet.read_table(path).to_pandas(ignore_metadata=True)
            return frame
    raise DocumentError(unknown_kind(path))


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
        raise DocumentError(f"{path.name} cannot be read: {words.rstrip('.')}.{remedy}") from None
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read: {error.strerror or error}.") from None


def heading(path: Path) -> list[str]:
    """The names of a file's columns."""
    kind = kind_of(path)
    with explained(path):
        if kind in SEPARATORS:
            return _names(path, separator_of(path))
        if kind in PARQUET:
            return list(pyarrow.parquet.read_schema(path).names)
        if kind in JSON_LINES:
            return _fields(path)
    raise DocumentError(unknown_kind(path))


def separator_of(path: Path) -> str:
    """The character that separates the cells of a table of text."""
    kind = kind_of(path)
    if kind not in SEPARATORS:
        raise DocumentError(unknown_kind(path))
    line = _first_line(path)
    return ";" if SEPARATORS[kind] == "," and "," not in line and ";" in line else SEPARATORS[kind]


def unknown_kind(path: Path) -> str:
    """What to say about a file whose name does not say what it is."""
    known = ", ".join([*SEPARATORS, *JSON_LINES, *PARQUET])
    return f"{path.name}: the ending does not say what kind of file this is; it should be one of {known}."


def _first_line(path: Path) -> str:
    line = next(iter(_beginning(path).splitlines()), "")
    if not line.strip():
        raise DocumentError(f"{path.name} is empty, or its first line is: that line must name the columns.")
    return line


def _beginning(path: Path) -> str:
    """The first lines of a file of text, the last of which may be cut off."""
    with pa.input_stream(path, compression="detect") as stream:
        start = stream.read(BEGINNING)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError(f"{path.name} is UTF-16 text; save it as UTF-8.")
    return str(start.decode("utf-8-sig", errors="replace"))


def _fields(path: Path) -> list[str]:
    """Names of the fields of the first records, of which each may lack some."""
    found = dict.fromkeys(record_of(_first_line(path), 1, path))
    for line in _beginning(path).split("\n")[1:]:
        with suppress(DocumentError):  # one that is cut off, or is none, says nothing here
            found |= dict.fromkeys(record_of(line, 0, path))
    return list(found)


def _names(path: Path, separator: str) -> list[str]:
    names = next(csv.reader([_first_line(path)], delimiter=separator))
    if twice := {name for name in names if names.count(name) > 1}:
        raise DocumentError(f"{path.name} has more than one column {list_names(sorted(twice))}; rename one.")
    return names


def _read_separated(path: Path) -> pd.DataFrame:
    separator = separator_of(path)
    names = _names(path, separator)
    # Everything as text: what is a number, a name or a yes is decided later, column by column.
    as_text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    quoting = pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    with pa.input_stream(path, compression="detect") as stream:
        frame: pd.DataFrame = pyarrow.csv.read_csv(stream, parse_options=quoting, convert_options=as_text).to_pandas()
    return frame.apply(_with_points) if separator == ";" else frame


def _with_points(column: pd.Series[Any]) -> pd.Series[Any]:
    """Decimals with a point: where semicolons separate, spreadsheets write 3,5. Texts with commas stay as they are."""
    commas = column.str.contains(",", regex=False)
    decimals = column.str.fullmatch(r"\s*[-+]?\d+,\d+\s*")
    return column.where(~decimals, column.str.replace(",", ".")) if commas.any() and decimals[commas].all() else column


def _read_json_lines(path: Path) -> pd.DataFrame:
    with pa.input_stream(path, compression="detect") as stream:
        lines = stream.read().decode("utf-8-sig").split("\n")  # splitlines() would also break at U+2028 in a text
    records = [record_of(line, number, path) for number, line in enumerate(lines, start=1) if line.strip()]
    if not records:
        raise DocumentError(f"{path.name} is empty.")
    return pd.DataFrame.from_records(records)


def record_of(line: str, number: int, path: Path) -> dict[str, Any]:
    """What a line of JSON says."""
    if not line.strip():
        raise DocumentError(f"{path.name} is empty.")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"line {number} of {path.name} is not JSON: {error}.") from None
    if not isinstance(record, dict):
        raise DocumentError(f"line {number} of {path.name} is not an object with named fields: {line.strip()[:60]}")
    return record


def _source(name: str, columns: Mapping[str, str]) -> str:
    if all(role == column for role, column in columns.items()):
        return f"read from {name}"
    return f"read from {name}: {', '.join(f'{role} = {column}' for role, column in columns.items())}"


def _how(role: str) -> str:
    return f"{role}= (--column {role}=NAME)"


def _how_all(roles: list[str]) -> str:
    if len(roles) == 1:
        return _how(roles[0])
    options = " ".join(f"--column {role}=NAME" for role in roles)
    return f"{', '.join(f'{role}=' for role in roles)} ({options})"


def _there(columns: list[str]) -> str:
    return f"the columns are {list_names(columns, limit=10)}" if columns else "there are no columns"


def _in_file(error: ManyJudgesError, name: str) -> str:
    message = str(error)
    return message if name in message else f"{name}: {message}"
